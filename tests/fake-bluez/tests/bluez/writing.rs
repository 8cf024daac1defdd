//! Writes that are refused, slow, or never answered, and links that carry little.

use std::time::Duration;

use regie_clock::{Job, Outcome, QuietHours, Request, Toggle};
use regie_fake_bluez::{BusFault, BusTiming, BusWriteFault};
use regie_sim::{ClockSpec, Fault};

use crate::bench::{bench, bench_with, done, picture, spec};
use crate::isolation::isolated;

fn write(after: u32, how: BusWriteFault) -> BusFault {
    BusFault::Write { after, how }
}

#[test]
fn a_packet_refused_once_is_sent_again() {
    isolated(async |bus| {
        let bench = bench(bus).await;
        bench.fake.order(write(30, BusWriteFault::AttError(0x80)));
        let report = done(bench.show(&picture(1)).await);
        assert!(report.packets_resent >= 1);
        assert_eq!(report.reconnects, 0);
        bench.assert_shows(&picture(1));
        bench.assert_usable().await;
    });
}

#[test]
fn a_packet_that_is_always_refused_is_an_error_with_what_was_said() {
    isolated(async |bus| {
        let bench = bench(bus).await;
        for (how, said) in [
            (BusWriteFault::AttError(0x80), "ATT error: 0x80"),
            (BusWriteFault::InvalidLength, "Invalid Length"),
            (BusWriteFault::NotPermitted, "not permitted"),
        ] {
            bench.fake.order_times(write(30, how), 99);
            let error = bench.error().await;
            assert_eq!(error.code(), "write-refused", "{how:?}");
            assert!(error.to_string().contains(said), "{error}");
            assert_eq!(bench.clock.refreshes(), 0);
            bench.fake.clear_faults();
        }
        bench.assert_usable().await;
    });
}

#[test]
fn slow_answers_are_waited_for() {
    isolated(async |bus| {
        let bench = bench(bus).await;
        let slow = BusWriteFault::Slow(Duration::from_millis(700));
        bench.fake.order_times(write(20, slow), 3);
        let report = done(bench.show(&picture(1)).await);
        assert_eq!(report.packets_resent, 0);
        bench.assert_shows(&picture(1));
        bench.assert_usable().await;
    });
}

/// UP-1: no endless bar. The characteristic stays taken by the write, so the link goes, too.
#[test]
fn a_packet_that_is_never_answered_costs_one_reconnect() {
    isolated(async |bus| {
        let bench = bench(bus).await;
        bench.fake.order(write(60, BusWriteFault::Unanswered));
        let report = done(bench.show(&picture(1)).await);
        assert_eq!(report.reconnects, 1);
        bench.assert_shows(&picture(1));
        bench.assert_usable().await;
    });
}

/// UP-1, UP-3: what must not happen twice is not repeated when its answer never comes.
#[test]
fn a_toggle_that_is_never_answered_is_unknown() {
    isolated(async |bus| {
        let bench = bench(bus).await;
        bench.fake.order(write(0, BusWriteFault::Unanswered));
        let toggle = Job::new(Request::Toggle(Toggle::Invert));
        let outcome = bench.session.submit(toggle).outcome().await;
        assert!(matches!(outcome, Outcome::Unknown { .. }), "{outcome:?}");
        assert!(bench.clock.commands().is_empty());
        bench.assert_usable().await;
    });
}

#[test]
fn a_cancelled_write_that_is_never_answered_lets_the_link_go() {
    isolated(async |bus| {
        let bench = bench(bus).await;
        bench.fake.order(write(30, BusWriteFault::Unanswered));
        let picture = Request::Picture(picture(1));
        let operation = bench.session.submit(Job::new(picture));
        bench
            .soon("the write", || bench.fake.counts().writes > 30)
            .await;
        operation.cancel();
        assert!(matches!(
            operation.outcome().await,
            Outcome::Cancelled { .. }
        ));
        bench.soon("the link goes", || !bench.is_in_contact()).await;
        bench.assert_usable().await;
    });
}

/// UP-3: what surely was not sent is not in doubt.
#[test]
fn a_toggle_asked_of_a_service_that_has_just_gone_has_failed_for_certain() {
    isolated(async |bus| {
        let bench = bench(bus).await;
        let hours = Request::QuietHours(QuietHours::new(true, 23, 6).unwrap());
        done(bench.session.submit(Job::new(hours)).outcome().await);
        bench.fake.stop_service().await.unwrap();
        let toggle = Job::new(Request::Toggle(Toggle::Invert));
        let outcome = bench.session.submit(toggle).outcome().await;
        let Outcome::Failed { error, .. } = outcome else {
            panic!("not failed: {outcome:?}");
        };
        assert_eq!(error.code(), "bluetooth-service-missing");
        assert!(!bench.clock.is_inverted());
        bench.fake.start_service().await.unwrap();
        bench.assert_usable().await;
    });
}

/// BLE-7, BLE-18, UP-2: what the link carries is taken as it is, from 20 bytes on.
#[test]
fn any_packet_size_will_do() {
    isolated(async |bus| {
        for (seed, mtu) in [23, 100, 185, 247, 517].into_iter().enumerate() {
            let spec = ClockSpec {
                mtu,
                tail: mtu,
                ..spec()
            };
            let config = regie_clock::SessionConfig::default();
            let bench = bench_with(bus, spec, BusTiming::instant(), config).await;
            let report = done(bench.show(&picture(seed)).await);
            assert_eq!(report.mtu, mtu);
            bench.assert_shows(&picture(seed));
            bench.assert_lets_go().await;
        }
    });
}

/// BLE-7: on Linux the packet size is known as of the reading of the services. One that has become
/// less shows as a refusal.
#[test]
fn a_packet_size_that_changes_in_mid_upload_is_found_out() {
    isolated(async |bus| {
        let bench = bench(bus).await;
        for (percent, mtu) in [(30, 100), (60, 23)] {
            bench.clock.order(Fault::MtuChanges { percent, mtu });
        }
        let report = done(bench.show(&picture(1)).await);
        assert_eq!(report.mtu, 23);
        bench.assert_shows(&picture(1));
        bench.assert_usable().await;
    });
}

/// BLE-7: a larger one is used from the next link on, at the latest.
#[test]
fn a_packet_size_that_grows_does_no_harm() {
    isolated(async |bus| {
        let bench = bench(bus).await;
        bench.clock.order(Fault::Mtu(23));
        bench.clock.order(Fault::MtuChanges {
            percent: 40,
            mtu: 247,
        });
        done(bench.show(&picture(1)).await);
        bench.assert_shows(&picture(1));
        bench.session.disconnect().await.unwrap();
        assert_eq!(done(bench.show(&picture(2)).await).mtu, 247);
        bench.assert_usable().await;
    });
}
