//! What works when nothing goes wrong.

use std::time::Duration;

use regie_clock::session::Refresh;
use regie_clock::{Job, LinkState, Outcome, Request, SessionConfig, Toggle};
use regie_fake_bluez::BusTiming;
use regie_sim::{ClockSpec, Timing};
use tokio::time::sleep;

use crate::bench::{bench, bench_with, done, impatient, picture, slow_bench, spec};
use crate::isolation::isolated;

/// BLE-13: the list comes from events, and the clock is in it under its MAC address.
#[test]
fn a_scan_lists_the_clock_with_name_and_strength() {
    isolated(async |bus| {
        let bench = bench(bus).await;
        let heard = bench
            .session
            .scan(Duration::from_millis(800))
            .await
            .unwrap();
        assert_eq!(heard.len(), 1, "{heard:?}");
        assert_eq!(heard[0].address, bench.address());
        assert_eq!(heard[0].name, bench.clock.name());
        assert_eq!(heard[0].rssi, Some(-55));
        assert!(!heard[0].connected && !heard[0].simulated);
        assert!(!bench.fake.is_discovering());
        bench.assert_usable().await;
    });
}

/// UP-4: with no clock chosen, the first one heard gets the whole picture.
#[test]
fn a_picture_arrives_whole_on_the_first_clock_heard() {
    isolated(async |bus| {
        let bench = bench(bus).await;
        let sent = picture(1);
        let report = done(bench.show(&sent).await);
        bench.assert_shows(&sent);
        assert_eq!(report.data_bytes, 30_000);
        assert_eq!(report.packets_resent, 0);
        assert_eq!(report.mtu, 247);
        assert_eq!(report.clock.unwrap().address, bench.address());
        // The end of the redraw was heard as a notification.
        assert_eq!(report.refresh, Refresh::Confirmed);
        assert_eq!(bench.fake.counts().links, 1);
        bench.assert_lets_go().await;
    });
}

/// BLE-20, BLE-22: the chosen clock is found by its address alone, and only it is connected.
#[test]
fn a_remembered_clock_is_connected_by_its_address() {
    isolated(async |bus| {
        let first = bench(bus).await;
        let address = first.address();
        done(first.show(&picture(1)).await);
        first.session.shutdown(Duration::from_secs(5)).await;
        drop(first);
        let config = SessionConfig {
            default_target: Some(address.clone()),
            ..SessionConfig::default()
        };
        let again = bench_with(bus, spec(), BusTiming::instant(), config).await;
        again.fake.set_crowd(20, Duration::from_millis(5));
        let report = done(again.show(&picture(2)).await);
        assert_eq!(report.clock.unwrap().address, address);
        assert_eq!(again.fake.counts().connects, 1);
        again.assert_usable().await;
    });
}

/// BLE-22: a clock that sleeps is waited for.
#[test]
fn a_sleeping_clock_is_waited_for() {
    isolated(async |bus| {
        let timing = Timing {
            awake: Duration::from_millis(500),
            period: Duration::from_secs(3),
            ..Timing::instant()
        };
        let spec = ClockSpec { timing, ..spec() };
        let bench = bench_with(bus, spec, BusTiming::instant(), SessionConfig::default()).await;
        sleep(Duration::from_millis(700)).await;
        assert!(bench.show(&picture(1)).await.is_done());
        bench.assert_shows(&picture(1));
        bench.assert_lets_go().await;
    });
}

/// UP-13: an unused link is let go, and made anew without anybody doing anything.
#[test]
fn an_idle_link_is_let_go_and_made_anew() {
    isolated(async |bus| {
        let config = SessionConfig {
            idle_timeout: Duration::from_millis(300),
            ..SessionConfig::default()
        };
        let bench = bench_with(bus, spec(), BusTiming::instant(), config).await;
        done(bench.show(&picture(1)).await);
        assert!(bench.is_in_contact());
        bench
            .soon("the idle link goes", || !bench.is_in_contact())
            .await;
        bench
            .state("asleep", |state| *state == LinkState::Asleep)
            .await;
        done(bench.show(&picture(2)).await);
        bench.assert_shows(&picture(2));
        assert_eq!(bench.fake.counts().links, 2);
        bench.assert_usable().await;
    });
}

/// BlueZ takes 2 to 3 s to let go, and forgets the device later; neither is in the way.
#[test]
fn the_pace_of_a_real_system_is_kept() {
    isolated(async |bus| {
        let timing = BusTiming {
            forget: Duration::from_millis(200),
            ..BusTiming::realistic()
        };
        let config = SessionConfig {
            idle_timeout: Duration::ZERO,
            ..SessionConfig::default()
        };
        let bench = bench_with(bus, spec(), timing, config).await;
        for seed in 1..=2 {
            done(bench.show(&picture(seed)).await);
            bench.assert_shows(&picture(seed));
            assert!(!bench.is_in_contact(), "let go before the outcome is told");
            bench
                .soon("the device is forgotten", || {
                    !bench.fake.knows(&bench.clock.address())
                })
                .await;
        }
        bench.assert_usable().await;
    });
}

#[test]
fn requests_are_carried_out_one_after_the_other_on_one_link() {
    isolated(async |bus| {
        let bench = bench(bus).await;
        let job = Job::new(Request::Picture(picture(3))).then(Request::Toggle(Toggle::Invert));
        let both = bench.session.submit(job);
        let third = bench
            .session
            .submit(Job::new(Request::Toggle(Toggle::Rotate180)));
        done(both.outcome().await);
        done(third.outcome().await);
        assert!(bench.clock.is_inverted() && bench.clock.is_rotated());
        assert_eq!(bench.fake.counts().links, 1);
        bench.assert_lets_go().await;
    });
}

#[test]
fn a_cancelled_search_ends_the_discovery() {
    isolated(async |bus| {
        let bench = bench(bus).await;
        let phone = bench.around.clone();
        let _held = regie_clock::Adapter::connect(&phone, &bench.clock.address())
            .await
            .unwrap();
        let operation = bench
            .session
            .submit(Job::new(Request::Toggle(Toggle::Invert)));
        bench
            .soon("it searches", || bench.fake.is_discovering())
            .await;
        operation.cancel();
        assert!(matches!(
            operation.outcome().await,
            Outcome::Cancelled { .. }
        ));
        bench
            .soon("discovery ends", || !bench.fake.is_discovering())
            .await;
        bench.clock.cut_link();
        bench.assert_usable().await;
    });
}

#[test]
fn a_cancelled_upload_keeps_the_link() {
    isolated(async |bus| {
        let bench = slow_bench(bus).await;
        let operation = bench.show_in_part(&picture(1), 20).await;
        operation.cancel();
        assert!(matches!(
            operation.outcome().await,
            Outcome::Cancelled { .. }
        ));
        assert!(bench.is_in_contact());
        assert_eq!(bench.clock.refreshes(), 0);
        bench.assert_usable().await;
    });
}

/// A session that nobody ends lets its link go all the same.
#[test]
fn a_dropped_session_lets_the_link_go() {
    isolated(async |bus| {
        let bench = bench_with(bus, spec(), BusTiming::instant(), impatient(5)).await;
        done(bench.show(&picture(1)).await);
        assert!(bench.is_in_contact());
        let (fake, clock) = (bench.fake, bench.clock.address());
        drop(bench.session);
        drop(bench.bluetooth);
        for _ in 0..400 {
            if !fake.is_in_contact(&clock) {
                return;
            }
            sleep(Duration::from_millis(10)).await;
        }
        panic!("the link is still held");
    });
}
