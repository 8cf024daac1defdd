//! What a session makes of what it hears, and of silence.

// The helpers below end a test as an assertion does.
#![allow(clippy::panic, clippy::unwrap_used)]

mod common;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use common::{awake, bench_with, picture, set_face};
use regie_clock::link::{Connection, Scan};
use regie_clock::session::limits;
use regie_clock::{
    Adapter, Address, Advertisement, ClockError, Dialects, Face, Job, LinkState, Outcome,
    PictureSize, Profile, Request, Session, SessionConfig, Unavailable,
};
use regie_sim::{Fault, SimulatedAdapter, SimulatedClock};
use tokio::time::sleep;

/// An adapter whose scans hear what a test says, and which does not report that it has gone: its
/// scans just fall silent.
#[derive(Clone)]
struct Scripted {
    behind: SimulatedAdapter,
    heard: Arc<Mutex<Vec<Advertisement>>>,
    off: Arc<AtomicBool>,
}

impl Scripted {
    fn hearing(clocks: Vec<SimulatedClock>, heard: Vec<Advertisement>) -> Self {
        Self {
            behind: SimulatedAdapter::new(clocks),
            heard: Arc::new(Mutex::new(heard)),
            off: Arc::default(),
        }
    }

    fn session(&self, config: SessionConfig) -> Session {
        Session::spawn(
            Arc::new(self.clone()),
            Dialects::new(Profile::default()),
            config,
        )
    }
}

#[async_trait]
impl Adapter for Scripted {
    async fn check(&self) -> Result<(), ClockError> {
        if self.off.load(Ordering::Relaxed) {
            return Err(ClockError::BluetoothUnavailable {
                reason: Unavailable::RadioOff,
            });
        }
        Ok(())
    }

    async fn scan(&self) -> Result<Scan, ClockError> {
        let (feed, scan) = Scan::new();
        for advertisement in self.heard.lock().unwrap().clone() {
            feed.heard.try_send(advertisement).unwrap();
        }
        tokio::spawn(async move {
            let feed = feed;
            feed.end.cancelled().await;
        });
        Ok(scan)
    }

    async fn connect(&self, address: &Address) -> Result<Connection, ClockError> {
        self.behind.connect(address).await
    }
}

fn advertisement(address: &Address, name: &str) -> Advertisement {
    Advertisement {
        address: address.clone(),
        name: name.to_owned(),
        rssi: Some(-50),
        connected: false,
        simulated: true,
    }
}

fn code(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Failed { error, .. } => error.code(),
        other => panic!("not failed: {other:?}"),
    }
}

/// BLE-9: the name is in the scan response, which a quiet device may never send.
#[tokio::test(start_paused = true)]
async fn the_remembered_clock_is_listed_and_used_before_its_name_has_come() {
    let clock = SimulatedClock::new(awake());
    let address = clock.address();
    let stranger = Address::new("4A:5B:6C:7D:8E:9F");
    let adapter = Scripted::hearing(
        vec![clock.clone()],
        vec![advertisement(&stranger, ""), advertisement(&address, "")],
    );
    let session = adapter.session(SessionConfig {
        default_target: Some(address.clone()),
        ..SessionConfig::default()
    });
    let list = session.scan(Duration::from_secs(3)).await.unwrap();
    let addresses: Vec<_> = list.iter().map(|heard| &heard.address).collect();
    assert_eq!(addresses, [&address], "the stranger is no clock");

    let request = Request::Picture(picture(PictureSize::Full, 3));
    let outcome = session.submit(Job::new(request)).outcome().await;
    assert!(outcome.is_done(), "{outcome:?}");
    // Never an empty name for a person to read.
    let named = outcome.report().clock.clone().unwrap();
    assert_eq!(named.name, address.to_string());
}

/// BLE-9, BLE-13: each advertisement adds to what is known; none takes anything away.
#[tokio::test(start_paused = true)]
async fn a_name_that_comes_later_is_merged_and_one_that_is_missing_is_kept() {
    let address = Address::new("4A:5B:6C:7D:8E:9F");
    let heard = vec![
        advertisement(&address, ""),
        advertisement(&address, "NRF-7D8E9F"),
        Advertisement {
            rssi: None,
            ..advertisement(&address, "")
        },
    ];
    let session = Scripted::hearing(Vec::new(), heard).session(SessionConfig::default());
    let list = session.scan(Duration::from_secs(3)).await.unwrap();
    assert_eq!(list.len(), 1);
    let (name, rssi) = (&list[0].name, list[0].rssi);
    assert_eq!((name.as_str(), rssi), ("NRF-7D8E9F", Some(-50)));
}

/// BLE-8: a radio that goes off under a scan without a word is not "nothing found".
#[tokio::test(start_paused = true)]
async fn silence_because_the_radio_is_off_is_told_from_silence() {
    for off in [false, true] {
        let adapter = Scripted::hearing(Vec::new(), Vec::new());
        let session = adapter.session(SessionConfig::default());
        let operation = session.submit(Job::new(Request::Clear));
        let switched = adapter.off.clone();
        tokio::spawn(async move {
            sleep(Duration::from_secs(30)).await;
            switched.store(off, Ordering::Relaxed);
        });
        let expected = if off {
            "bluetooth-off"
        } else {
            "clock-not-found"
        };
        assert_eq!(code(operation.outcome().await), expected);
        let list = session.scan(Duration::from_secs(3)).await;
        assert_eq!(list.is_err(), off, "{list:?}");
    }
}

/// BLE-11: asked again on the same link, then on a new one, and told as what it is in the end.
#[tokio::test(start_paused = true)]
async fn services_that_come_empty_are_asked_for_again_then_on_a_new_link() {
    let bench = bench_with(awake(), SessionConfig::default());
    let clear = || bench.run(Request::Clear);
    bench
        .clock
        .order_times(Fault::DiscoveryEmpty, limits::DISCOVERY_TRIES + 1);
    let outcome = clear().await;
    assert!(outcome.is_done(), "{outcome:?}");
    assert_eq!(bench.clock.links_made(), 2);

    bench.session.disconnect().await.unwrap();
    bench.clock.order_times(Fault::DiscoveryEmpty, 1_000);
    assert_eq!(code(clear().await), "clock-services-unread");
    assert!(!bench.clock.is_connected());
    bench.assert_usable().await;
}

/// A Bluetooth service that starts anew while the first link is being made costs no operation.
#[tokio::test(start_paused = true)]
async fn an_adapter_that_goes_during_the_first_connect_and_comes_back_is_waited_for() {
    let bench = bench_with(awake(), SessionConfig::default());
    bench.clock.order(Fault::ConnectHangs);
    let mut state = bench.session.state();
    let operation = bench.session.submit(Job::new(set_face(Face::Clock1)));
    let connecting = |state: &LinkState| matches!(state, LinkState::Connecting { .. });
    state.wait_for(connecting).await.unwrap();
    // The attempt is given up after 15 s; by then there is no adapter for a while.
    sleep(Duration::from_secs(14)).await;
    bench
        .adapter
        .set_unavailable(Some(Unavailable::ServiceMissing));
    sleep(Duration::from_secs(4)).await;
    bench.adapter.set_unavailable(None);
    let outcome = operation.outcome().await;
    assert!(outcome.is_done(), "{outcome:?}");
}
