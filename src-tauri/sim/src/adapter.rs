//! A simulated Bluetooth adapter with simulated clocks around it.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use regie_clock::link::{Connection, Scan, ScanFeed};
use regie_clock::{Adapter, Address, Advertisement, ClockError, Unavailable};
use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, sleep};

use crate::clock::{ClockSpec, SimulatedClock};
use crate::fault::{Fault, Trouble};
use crate::firmware::{EpdBuild, FirmwareKind};
use crate::link::SimulatedLink;
use crate::timing::Timing;

/// How long a system tries to connect a clock that sleeps, as BlueZ does.
const SLEEPING_CONNECT: Duration = Duration::from_secs(40);

/// A handle on a simulated adapter; clones share it.
#[derive(Debug, Clone)]
pub struct SimulatedAdapter {
    clocks: Arc<Mutex<Vec<SimulatedClock>>>,
    unavailable: Arc<watch::Sender<Option<Unavailable>>>,
}

impl SimulatedAdapter {
    /// An adapter with these clocks around it.
    #[must_use]
    pub fn new(clocks: Vec<SimulatedClock>) -> Self {
        Self {
            clocks: Arc::new(Mutex::new(clocks)),
            unavailable: Arc::new(watch::Sender::new(None)),
        }
    }

    /// An adapter with three clocks, of two firmwares, to try things out with, whose time is the given one (local
    /// seconds since 1970).
    #[must_use]
    pub fn demo(local_epoch: u32) -> Self {
        Self::new(demo_clocks(Timing::demo(), local_epoch))
    }

    /// For trying other programs against: the clocks of [`SimulatedAdapter::demo`], but quick ones,
    /// and after them one for each [`Trouble`], which always has it.
    #[must_use]
    pub fn rehearsal(local_epoch: u32) -> Self {
        let timing = Timing::rehearsal();
        let mut clocks = demo_clocks(timing, local_epoch);
        clocks.extend(Trouble::ALL.into_iter().map(|trouble| {
            let clock = SimulatedClock::new(ClockSpec {
                tail: trouble.tail(),
                rssi: -90,
                timing,
                local_epoch,
                ..ClockSpec::default()
            });
            clock.order_times(trouble.fault(), u32::MAX);
            clock
        }));
        Self::new(clocks)
    }

    /// The clocks around it.
    #[must_use]
    pub fn clocks(&self) -> Vec<SimulatedClock> {
        self.clocks
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Takes Bluetooth away, or gives it back. Links are lost.
    pub fn set_unavailable(&self, reason: Option<Unavailable>) {
        self.unavailable.send_replace(reason);
        if reason.is_some() {
            for clock in self.clocks() {
                clock.cut_link();
            }
        }
    }

    fn available(&self) -> Result<(), ClockError> {
        match *self.unavailable.borrow() {
            Some(reason) => Err(ClockError::BluetoothUnavailable { reason }),
            None => Ok(()),
        }
    }
}

fn demo_clocks(timing: Timing, local_epoch: u32) -> Vec<SimulatedClock> {
    let clock = |tail, rssi, firmware| {
        SimulatedClock::new(ClockSpec {
            tail,
            rssi,
            firmware,
            timing,
            local_epoch,
            ..ClockSpec::default()
        })
    };
    vec![
        clock(1, -48, FirmwareKind::Pingping),
        clock(2, -71, FirmwareKind::Pingping),
        clock(3, -62, FirmwareKind::EpdNrf5(EpdBuild::newer())),
    ]
}

/// Advertises until the scan ends or Bluetooth goes away.
async fn advertise(
    clocks: Vec<SimulatedClock>,
    feed: ScanFeed,
    mut gone: watch::Receiver<Option<Unavailable>>,
) {
    let ScanFeed { heard, end, ended } = feed;
    let announce = |clock: &SimulatedClock, heard: &mpsc::Sender<Advertisement>| {
        let state = clock.lock();
        if state.is_awake() {
            // One that is lost is heard again.
            let _ = heard.try_send(state.advertisement());
        }
        state.spec.timing.advertise_every
    };
    // In order, so that whoever takes the first one heard always takes the same.
    let pauses: Vec<_> = clocks.iter().map(|it| announce(it, &heard)).collect();
    let each = clocks.iter().zip(pauses).map(|(clock, mut pause)| {
        let (clock, heard) = (clock.clone(), heard.clone());
        async move {
            loop {
                sleep(pause).await;
                pause = announce(&clock, &heard);
            }
        }
    });
    let mut advertising = tokio::task::JoinSet::new();
    for task in each {
        advertising.spawn(task);
    }
    tokio::select! {
        () = end.cancelled() => {}
        _ = gone.wait_for(Option::is_some) => {}
    }
    advertising.shutdown().await;
    // Nobody need wait for this.
    let _ = ended.send(());
}

#[async_trait]
impl Adapter for SimulatedAdapter {
    async fn check(&self) -> Result<(), ClockError> {
        self.available()
    }

    async fn scan(&self) -> Result<Scan, ClockError> {
        self.available()?;
        let (feed, scan) = Scan::new();
        tokio::spawn(advertise(self.clocks(), feed, self.unavailable.subscribe()));
        Ok(scan)
    }

    async fn connect(&self, address: &Address) -> Result<Connection, ClockError> {
        self.available()?;
        let failed = |detail: &str| ClockError::ConnectFailed {
            address: address.clone(),
            detail: detail.to_owned(),
        };
        let Some(clock) = self
            .clocks()
            .into_iter()
            .find(|clock| clock.address() == *address)
        else {
            return Err(failed("the device is not known"));
        };
        let timing = clock.lock().spec.timing;
        let fault = clock.lock().take_fault(|fault| match fault {
            Fault::ConnectFails | Fault::ConnectHangs | Fault::HeldByAnother => Some(*fault),
            _ => None,
        });
        match fault {
            Some(Fault::ConnectHangs) => std::future::pending().await,
            Some(Fault::HeldByAnother) => {
                sleep(timing.connect).await;
                return Err(failed("connection refused"));
            }
            Some(_) => {
                sleep(timing.connect).await;
                return Err(failed("le-connection-abort-by-local"));
            }
            None => {}
        }
        let give_up = Instant::now() + SLEEPING_CONNECT;
        while !clock.lock().is_awake() {
            if Instant::now() >= give_up {
                return Err(failed("le-connection-abort-by-local"));
            }
            sleep(timing.advertise_every).await;
        }
        sleep(timing.connect).await;
        self.available()?;
        let Some((link, notifications)) = clock.accept() else {
            return Err(failed("connection refused"));
        };
        Ok(Connection {
            link: Arc::new(SimulatedLink::new(clock, link)),
            notifications,
        })
    }
}
