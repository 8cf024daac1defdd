//! What goes wrong until a clock is connected, or with the link once it is.

use std::time::Duration;

use regie_clock::{Adapter, Job, LinkState, Outcome, Request, SessionConfig, Stage, Toggle};
use regie_fake_bluez::{BusFault, BusTiming};
use regie_sim::{Fault, Moment, NotificationFault, NotificationKind, WriteFault};

use crate::bench::{bench, bench_with, done, impatient_bench, picture, spec};
use crate::isolation::isolated;

/// BLE-1: one failure is not the end.
#[test]
fn a_connection_that_fails_is_tried_again() {
    isolated(async |bus| {
        let bench = bench(bus).await;
        bench.fake.order_times(BusFault::ConnectFails, 2);
        done(bench.show(&picture(1)).await);
        bench.assert_shows(&picture(1));
        assert_eq!(bench.fake.counts().connects, 3);
        bench.assert_usable().await;
    });
}

/// BLE-4.
#[test]
fn a_connection_that_always_fails_is_an_error_that_says_what_to_do() {
    isolated(async |bus| {
        let bench = impatient_bench(bus, 3).await;
        bench.fake.order_times(BusFault::ConnectFails, 100);
        let error = bench.error().await;
        assert_eq!(error.code(), "clock-connect-failed");
        assert!(error.to_string().contains("le-connection-abort-by-local"));
        assert!(error.hint().contains("Another program"));
        assert!(!bench.is_in_contact());
        bench.assert_usable().await;
    });
}

/// BLE-1, BLE-4: dropping a future cancels nothing; BlueZ goes on for 40 s and refuses the next
/// attempt meanwhile.
#[test]
fn a_connection_that_hangs_is_given_up_and_cancelled() {
    isolated(async |bus| {
        let bench = impatient_bench(bus, 2).await;
        bench.fake.order_times(BusFault::ConnectHangs, 9);
        let error = bench.error().await;
        assert_eq!(error.code(), "clock-connect-failed");
        bench
            .soon("it is cancelled", || !bench.is_in_contact())
            .await;
        bench.assert_usable().await;
    });
}

#[test]
fn a_cancelled_attempt_to_connect_leaves_nothing_behind() {
    isolated(async |bus| {
        let bench = bench(bus).await;
        bench.fake.order(BusFault::ConnectHangs);
        let operation = bench.session.submit(Job::new(Request::Picture(picture(1))));
        bench.soon("it connects", || bench.is_in_contact()).await;
        assert_eq!(operation.progress().borrow().stage, Stage::Connecting);
        operation.cancel();
        assert!(matches!(
            operation.outcome().await,
            Outcome::Cancelled { .. }
        ));
        bench
            .soon("it is cancelled", || !bench.is_in_contact())
            .await;
        bench.assert_usable().await;
    });
}

#[test]
fn a_yes_without_a_connection_is_an_error() {
    isolated(async |bus| {
        let bench = impatient_bench(bus, 3).await;
        bench.fake.order_times(BusFault::ConnectSaysYesOnly, 9);
        assert_eq!(bench.error().await.code(), "clock-connect-failed");
        bench.assert_usable().await;
    });
}

/// BLE-2: a clock that is connected and says nothing has an error of its own, and the link does
/// not stay.
#[test]
fn services_that_never_resolve_are_told_from_a_clock_out_of_reach() {
    isolated(async |bus| {
        let bench = bench(bus).await;
        bench.fake.order(BusFault::ServicesNeverResolve);
        let mut scan = bench.bluetooth.scan().await.unwrap();
        let heard = scan.next().await.unwrap();
        scan.stop().await;
        let error = bench.bluetooth.connect(&heard.address).await.err().unwrap();
        assert_eq!(error.code(), "clock-discovery-timeout");
        assert!(!bench.is_in_contact());
        bench.assert_usable().await;
    });
}

/// BLE-2: the same through a session, which then tries again.
#[test]
fn a_clock_that_says_nothing_once_is_connected_anew() {
    isolated(async |bus| {
        let bench = bench(bus).await;
        bench.clock.order(Fault::DiscoveryHangs);
        done(bench.show(&picture(1)).await);
        bench.assert_shows(&picture(1));
        assert_eq!(bench.fake.counts().links, 2);
        bench.assert_usable().await;
    });
}

#[test]
fn services_without_the_command_characteristic_are_another_firmware() {
    isolated(async |bus| {
        let bench = bench(bus).await;
        bench.fake.order(BusFault::ServicesIncomplete);
        let error = bench.error().await;
        assert_eq!(error.code(), "clock-characteristics-missing");
        assert!(error.to_string().contains("command characteristic"));
        assert!(!bench.is_in_contact());
        bench.assert_usable().await;
    });
}

/// BLE-16: listed as connected, without a strength, and of use: programs of one computer share
/// a link.
#[test]
fn a_clock_that_another_program_holds_is_listed_and_usable() {
    isolated(async |bus| {
        let bench = bench(bus).await;
        bench.fake.hold(&bench.clock.address()).await.unwrap();
        let heard = bench
            .session
            .scan(Duration::from_millis(500))
            .await
            .unwrap();
        assert_eq!(heard.len(), 1, "{heard:?}");
        assert!(heard[0].connected);
        assert_eq!(heard[0].rssi, None);
        done(bench.show(&picture(1)).await);
        bench.assert_shows(&picture(1));
        assert_eq!(bench.clock.links_made(), 1);
        bench.assert_usable().await;
    });
}

/// BLE-4, BLE-22: a phone holds the clock, so that it does not advertise.
#[test]
fn a_clock_that_a_phone_holds_is_not_heard_and_found_when_it_is_free() {
    isolated(async |bus| {
        let bench = impatient_bench(bus, 2).await;
        let held = bench.around.connect(&bench.clock.address()).await.unwrap();
        let error = bench.error().await;
        assert_eq!(error.code(), "clock-not-found");
        held.link.disconnect().await;
        bench.assert_usable().await;
    });
}

/// An unpaired device leaves the bus 30 s after its last contact; every call then says
/// `UnknownObject`.
#[test]
fn a_device_that_vanished_is_heard_anew() {
    isolated(async |bus| {
        let bench = bench(bus).await;
        bench.fake.order_times(BusFault::DeviceVanishes, 2);
        done(bench.show(&picture(1)).await);
        bench.assert_shows(&picture(1));
        bench.session.disconnect().await.unwrap();
        bench.fake.forget(&bench.clock.address()).await.unwrap();
        bench.assert_usable().await;
    });
}

/// UP-13: nothing on the bus says that the object is gone, so that it must be asked for.
#[test]
fn an_idle_link_whose_device_vanishes_is_noticed() {
    isolated(async |bus| {
        let bench = bench(bus).await;
        done(bench.show(&picture(1)).await);
        bench.fake.forget(&bench.clock.address()).await.unwrap();
        bench
            .state("asleep", |state| *state == LinkState::Asleep)
            .await;
        bench.assert_usable().await;
    });
}

/// UP-13.
#[test]
fn an_idle_link_that_is_lost_is_noticed_and_made_anew() {
    isolated(async |bus| {
        let bench = bench(bus).await;
        done(bench.show(&picture(1)).await);
        bench.clock.cut_link();
        bench
            .state("asleep", |state| *state == LinkState::Asleep)
            .await;
        bench.assert_usable().await;
    });
}

/// UP-5: a link lost in mid-upload is made anew once, and the picture goes through.
#[test]
fn an_upload_survives_a_lost_link() {
    isolated(async |bus| {
        let bench = bench(bus).await;
        bench.clock.order(Fault::Write {
            at: Moment::Percent(50),
            how: WriteFault::LostBefore,
        });
        let report = done(bench.show(&picture(1)).await);
        assert_eq!(report.reconnects, 1);
        bench.assert_shows(&picture(1));
        bench.assert_usable().await;
    });
}

/// UP-3: the answer to a toggle is lost with the link, so that nobody knows; it is not repeated.
#[test]
fn a_toggle_whose_answer_is_lost_is_unknown_and_not_repeated() {
    isolated(async |bus| {
        let bench = bench(bus).await;
        bench.clock.order(Fault::Write {
            at: Moment::Command,
            how: WriteFault::LostAfter,
        });
        let toggle = Job::new(Request::Toggle(Toggle::Invert));
        let outcome = bench.session.submit(toggle).outcome().await;
        assert!(matches!(outcome, Outcome::Unknown { .. }), "{outcome:?}");
        assert!(bench.clock.is_inverted());
        assert_eq!(bench.clock.commands(), [[0xE3]]);
        bench.session.shutdown(Duration::from_secs(5)).await;
    });
}

/// Two programs that listen make every notification come twice.
#[test]
fn doubled_notifications_change_nothing() {
    isolated(async |bus| {
        let bench = bench(bus).await;
        bench.fake.order(BusFault::NotificationsDoubled);
        bench.clock.order(Fault::Write {
            at: Moment::Percent(30),
            how: WriteFault::Rejected,
        });
        bench.clock.order(Fault::Notification {
            which: NotificationKind::Accepted,
            how: NotificationFault::Late(Duration::from_millis(50)),
        });
        let report = done(bench.show(&picture(1)).await);
        assert!(report.rejections >= 1);
        bench.assert_shows(&picture(1));
        bench.assert_usable().await;
    });
}

/// Notifications are optional.
#[test]
fn a_clock_that_refuses_to_notify_is_of_use() {
    isolated(async |bus| {
        let bench = bench(bus).await;
        bench.fake.order(BusFault::NotifyRefused);
        let toggle = Job::new(Request::Toggle(Toggle::Invert));
        done(bench.session.submit(toggle).outcome().await);
        assert!(bench.clock.is_inverted());
        bench.session.disconnect().await.unwrap();
        bench.assert_lets_go().await;
    });
}

/// BLE-20: a busy place neither hides the clock nor makes the search miss its deadline.
#[test]
fn a_crowd_of_other_devices_hides_nothing() {
    isolated(async |bus| {
        let bench = bench_with(
            bus,
            spec(),
            BusTiming::instant(),
            SessionConfig {
                connect_limit: Duration::from_secs(20),
                ..SessionConfig::default()
            },
        )
        .await;
        bench.fake.set_crowd(600, Duration::from_millis(1));
        done(bench.show(&picture(1)).await);
        bench.assert_shows(&picture(1));
        assert_eq!(bench.fake.counts().connects, 1);
        bench.session.disconnect().await.unwrap();
        let heard = bench.session.scan(Duration::from_secs(1)).await.unwrap();
        assert_eq!(heard.len(), 1, "only clocks are listed: {heard:?}");
        bench.assert_usable().await;
    });
}
