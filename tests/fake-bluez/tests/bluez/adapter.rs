//! Adapters and services that are missing, switched off, or go away and come back.

use std::time::Duration;

use regie_clock::{Adapter, LinkState, Unavailable};

use crate::bench::{bench, done, impatient_bench, picture, slow_bench};
use crate::isolation::isolated;

/// File descriptors of this process.
fn descriptors() -> usize {
    std::fs::read_dir("/proc/self/fd").unwrap().count()
}

/// BLE-8.
#[test]
fn a_missing_adapter_is_said_and_a_new_one_is_used() {
    isolated(async |bus| {
        let bench = bench(bus).await;
        bench.fake.remove_adapter().await.unwrap();
        assert_eq!(bench.error().await.code(), "bluetooth-no-adapter");
        let unavailable = LinkState::Unavailable {
            reason: Unavailable::NoAdapter,
        };
        assert_eq!(*bench.session.state().borrow(), unavailable);
        bench.fake.insert_adapter().await.unwrap();
        bench.assert_usable().await;
    });
}

/// BLE-8: and nobody switches it on but a person.
#[test]
fn a_radio_that_is_off_is_said_and_left_off() {
    isolated(async |bus| {
        let bench = bench(bus).await;
        bench.fake.set_powered(false).await.unwrap();
        assert_eq!(bench.error().await.code(), "bluetooth-off");
        let scan = bench.session.scan(Duration::from_millis(100)).await;
        assert_eq!(scan.unwrap_err().code(), "bluetooth-off");
        assert!(!bench.fake.is_powered());
        bench.fake.set_powered(true).await.unwrap();
        bench.assert_usable().await;
    });
}

/// BLE-8: the name of the error, not its text, tells this from other failures.
#[test]
fn a_missing_service_is_said_and_used_when_it_comes() {
    isolated(async |bus| {
        let bench = bench(bus).await;
        bench.fake.stop_service().await.unwrap();
        assert_eq!(bench.error().await.code(), "bluetooth-service-missing");
        bench.fake.start_service().await.unwrap();
        bench.assert_usable().await;
    });
}

/// The adapter is looked at every 10 s for as long as the program runs.
#[test]
fn asking_a_missing_service_again_and_again_costs_nothing() {
    isolated(async |bus| {
        let bench = bench(bus).await;
        bench.fake.stop_service().await.unwrap();
        let code = |checked: Result<(), regie_clock::ClockError>| checked.unwrap_err().code();
        assert_eq!(
            code(bench.bluetooth.check().await),
            "bluetooth-service-missing"
        );
        let (before, tasks) = (descriptors(), bench.bluetooth.tasks());
        for _ in 0..100 {
            assert_eq!(
                code(bench.bluetooth.check().await),
                "bluetooth-service-missing"
            );
        }
        assert!(descriptors() <= before, "{before} -> {}", descriptors());
        // A task whose answer is there counts for an instant more.
        bench
            .soon("no task is left", || bench.bluetooth.tasks() <= tasks)
            .await;
        bench.fake.start_service().await.unwrap();
        bench.assert_usable().await;
    });
}

#[test]
fn an_adapter_that_goes_during_a_search_is_said_long_before_the_end_of_it() {
    isolated(async |bus| {
        let bench = bench(bus).await;
        let _phone = bench.around.connect(&bench.clock.address()).await.unwrap();
        let (error, ()) = tokio::join!(bench.error(), async {
            bench
                .soon("it searches", || bench.fake.is_discovering())
                .await;
            bench.fake.remove_adapter().await.unwrap();
        });
        assert_eq!(error.code(), "bluetooth-no-adapter");
        bench.fake.insert_adapter().await.unwrap();
        bench.clock.cut_link();
        bench.assert_usable().await;
    });
}

#[test]
fn a_radio_switched_off_during_a_search_is_said() {
    isolated(async |bus| {
        let bench = bench(bus).await;
        let _phone = bench.around.connect(&bench.clock.address()).await.unwrap();
        let (error, ()) = tokio::join!(bench.error(), async {
            bench
                .soon("it searches", || bench.fake.is_discovering())
                .await;
            bench.fake.set_powered(false).await.unwrap();
        });
        assert_eq!(error.code(), "bluetooth-off");
        assert!(!bench.fake.is_powered());
        bench.fake.set_powered(true).await.unwrap();
        bench.clock.cut_link();
        bench.assert_usable().await;
    });
}

/// A service that starts anew has forgotten that it was to discover.
#[test]
fn a_search_survives_a_restart_of_the_service() {
    isolated(async |bus| {
        let bench = impatient_bench(bus, 40).await;
        let phone = bench.around.connect(&bench.clock.address()).await.unwrap();
        let sent = picture(1);
        let (outcome, ()) = tokio::join!(bench.show(&sent), async {
            bench
                .soon("it searches", || bench.fake.is_discovering())
                .await;
            bench.fake.stop_service().await.unwrap();
            bench.fake.start_service().await.unwrap();
            bench
                .soon("it searches again", || bench.fake.is_discovering())
                .await;
            phone.link.disconnect().await;
        });
        done(outcome);
        bench.assert_shows(&sent);
        bench.assert_usable().await;
    });
}

/// UP-5: the service starts anew in mid-upload, and the picture goes through.
#[test]
fn an_upload_survives_a_restart_of_the_service() {
    isolated(async |bus| {
        let bench = slow_bench(bus).await;
        let sent = picture(1);
        let operation = bench.show_in_part(&sent, 40).await;
        bench.fake.stop_service().await.unwrap();
        tokio::time::sleep(Duration::from_millis(700)).await;
        bench.fake.start_service().await.unwrap();
        let report = done(operation.outcome().await);
        assert_eq!(report.reconnects, 1);
        bench.assert_shows(&sent);
        bench.assert_usable().await;
    });
}

#[test]
fn an_upload_whose_adapter_is_pulled_out_says_so_and_the_next_one_works() {
    isolated(async |bus| {
        let bench = slow_bench(bus).await;
        let operation = bench.show_in_part(&picture(1), 40).await;
        bench.fake.remove_adapter().await.unwrap();
        let outcome = operation.outcome().await;
        let regie_clock::Outcome::Failed { error, .. } = outcome else {
            panic!("not failed: {outcome:?}");
        };
        assert_eq!(error.code(), "bluetooth-no-adapter");
        bench.fake.insert_adapter().await.unwrap();
        bench.assert_usable().await;
    });
}

#[test]
fn an_upload_goes_on_when_the_adapter_comes_back_at_once() {
    isolated(async |bus| {
        let bench = slow_bench(bus).await;
        let sent = picture(1);
        let operation = bench.show_in_part(&sent, 40).await;
        bench.fake.remove_adapter().await.unwrap();
        tokio::time::sleep(Duration::from_secs(1)).await;
        bench.fake.insert_adapter().await.unwrap();
        done(operation.outcome().await);
        bench.assert_shows(&sent);
        bench.assert_usable().await;
    });
}

/// UP-13: the link of an idle session goes with the service, which nothing on the bus says.
#[test]
fn a_restart_of_the_service_while_idle_is_noticed() {
    isolated(async |bus| {
        let bench = bench(bus).await;
        done(bench.show(&picture(1)).await);
        bench.fake.stop_service().await.unwrap();
        bench.fake.start_service().await.unwrap();
        bench
            .state("asleep", |state| *state == LinkState::Asleep)
            .await;
        bench.assert_usable().await;
    });
}
