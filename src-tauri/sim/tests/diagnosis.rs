//! What a diagnosis says of each thing that can be wrong, and that it leaves no link behind.

// The helpers below end a test as an assertion does.
#![allow(clippy::panic, clippy::unwrap_used)]

mod common;

use std::time::Duration;

use common::{Bench, awake, bench_with, picture};
use regie_clock::diagnosis::{Check, Concern, Finding, Search, Step, Verdict};
use regie_clock::{Address, PictureSize, Request, SessionConfig, Unavailable};
use regie_sim::{ClockSpec, Fault, LinkModel, SimulatedAdapter, SimulatedClock, Timing};

fn ready() -> Bench {
    bench_with(awake(), SessionConfig::default())
}

async fn diagnosed(bench: &Bench, target: Option<Address>) -> Vec<Step> {
    let mut made = bench
        .session
        .diagnose(Search {
            target,
            ..Search::default()
        })
        .unwrap();
    let mut steps = Vec::new();
    while let Some(step) = made.recv().await {
        steps.push(step);
    }
    let checks: Vec<_> = steps.iter().map(|step| step.check).collect();
    assert_eq!(checks, Check::ALL, "each check once, in order");
    assert!(!bench.clock.is_connected(), "a link was left behind");
    steps
}

fn verdict(steps: &[Step], check: Check) -> &Verdict {
    &steps
        .iter()
        .find(|step| step.check == check)
        .unwrap()
        .verdict
}

/// The checks that are fine, and the code of the one that failed; all others are not reached,
/// save the letting go.
fn failure(steps: &[Step]) -> (Check, &'static str) {
    let failed: Vec<_> = steps
        .iter()
        .filter_map(|step| match &step.verdict {
            Verdict::Failed(error, _) => Some((step.check, error.code())),
            _ => None,
        })
        .collect();
    let [(check, code)] = failed[..] else {
        panic!("not one failure: {failed:?}");
    };
    for step in steps {
        let reached = step.verdict != Verdict::NotReached;
        if step.check < check {
            assert!(reached, "{step:?}");
        } else if step.check > check && step.check != Check::LetGo {
            assert!(!reached, "{step:?}");
        }
    }
    (check, code)
}

#[tokio::test(start_paused = true)]
async fn everything_is_fine_with_a_clock_that_is_and_nothing_on_it_changes() {
    let bench = ready();
    let shown = picture(PictureSize::Full, 9);
    assert!(bench.run(Request::Picture(shown.clone())).await.is_done());
    let (epoch, mode) = (bench.clock.local_epoch(), bench.clock.mode());
    let steps = diagnosed(&bench, None).await;
    for step in &steps {
        assert!(matches!(step.verdict, Verdict::Fine(_)), "{step:?}");
    }
    let Verdict::Fine(Finding::Heard {
        devices, clocks, ..
    }) = verdict(&steps, Check::Scan)
    else {
        panic!("nothing heard");
    };
    assert_eq!((*devices, clocks.len()), (1, 1));
    let Verdict::Fine(Finding::Answered { fastest, slowest }) = verdict(&steps, Check::Write)
    else {
        panic!("no answer");
    };
    let LinkModel::Fixed(write) = Timing::realistic().link else {
        panic!("another link model");
    };
    assert!(*fastest >= write && slowest >= fastest && *slowest < write * 2);
    // The panel, the picture behind it, the mode and the time are what they were.
    bench.assert_shows(&shown);
    assert!(!bench.clock.is_refreshing());
    assert_eq!(bench.clock.mode(), mode);
    let passed = bench.clock.local_epoch() - epoch;
    assert!(passed < 60, "the clock was set: {passed} s");
    bench.assert_usable().await;
}

#[tokio::test(start_paused = true)]
async fn ble_8_each_reason_why_bluetooth_cannot_be_used_fails_at_its_own_check() {
    for (reason, check, code) in [
        (
            Unavailable::ServiceMissing,
            Check::Service,
            "bluetooth-service-missing",
        ),
        (
            Unavailable::PermissionDenied,
            Check::Permission,
            "bluetooth-not-permitted",
        ),
        (
            Unavailable::NoAdapter,
            Check::Adapter,
            "bluetooth-no-adapter",
        ),
        (Unavailable::RadioOff, Check::Radio, "bluetooth-off"),
    ] {
        let bench = ready();
        bench.adapter.set_unavailable(Some(reason));
        let steps = diagnosed(&bench, None).await;
        assert_eq!(failure(&steps), (check, code));
        assert_eq!(verdict(&steps, Check::LetGo), &Verdict::NotReached);
        bench.assert_usable().await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_sleeping_clock_is_waited_for_and_another_one_is_named() {
    let period = Duration::from_secs(50);
    let timing = Timing {
        period,
        awake: Duration::from_secs(5),
        ..Timing::realistic()
    };
    let bench = bench_with(
        ClockSpec {
            timing,
            ..ClockSpec::default()
        },
        SessionConfig::default(),
    );
    tokio::time::sleep(Duration::from_secs(10)).await;
    let steps = diagnosed(&bench, None).await;
    assert!(matches!(
        verdict(&steps, Check::Scan),
        Verdict::Fine(Finding::Heard { .. })
    ));

    let missing = Address::new("4A:5B:6C:7D:8E:9F");
    let steps = diagnosed(&bench, Some(missing)).await;
    assert_eq!(failure(&steps), (Check::Scan, "clock-not-heard"));
    let Verdict::Failed(_, Some(found)) = verdict(&steps, Check::Scan) else {
        panic!("nothing found");
    };
    assert!(found.to_string().contains(&bench.clock.name()), "{found}");
}

#[tokio::test(start_paused = true)]
async fn silence_is_not_the_same_as_no_clock() {
    let bench = ready();
    let nobody = SimulatedAdapter::new(Vec::new());
    let session = common::session_on(&nobody, SessionConfig::default());
    let bench = Bench { session, ..bench };
    let steps = diagnosed(&bench, None).await;
    assert_eq!(failure(&steps), (Check::Scan, "bluetooth-nothing-heard"));
}

#[tokio::test(start_paused = true)]
async fn a_clock_that_is_hardly_heard_is_a_warning() {
    let spec = ClockSpec {
        rssi: -91,
        ..awake()
    };
    let bench = bench_with(spec, SessionConfig::default());
    let steps = diagnosed(&bench, None).await;
    assert!(matches!(
        verdict(&steps, Check::Scan),
        Verdict::Warning(_, Concern::WeakSignal { rssi: -91 })
    ));
}

/// BLE-1, BLE-2, BLE-4: whatever fails, it ends in time and the link is let go.
#[tokio::test(start_paused = true)]
async fn each_fault_of_the_clock_fails_at_its_own_check_and_the_link_is_let_go() {
    for (fault, times, check, code) in [
        (
            Fault::ConnectFails,
            2,
            Check::Connect,
            "clock-connect-failed",
        ),
        (
            Fault::ConnectHangs,
            2,
            Check::Connect,
            "clock-connect-failed",
        ),
        (
            Fault::HeldByAnother,
            2,
            Check::Connect,
            "clock-connect-failed",
        ),
        (
            Fault::DiscoveryHangs,
            1,
            Check::Services,
            "clock-discovery-timeout",
        ),
        (
            Fault::DiscoveryIncomplete,
            3,
            Check::Services,
            "clock-characteristics-missing",
        ),
        (
            Fault::DiscoveryEmpty,
            3,
            Check::Services,
            "clock-services-unread",
        ),
    ] {
        let bench = ready();
        bench.clock.order_times(fault, times);
        let steps = diagnosed(&bench, None).await;
        assert_eq!(failure(&steps), (check, code), "{fault:?}");
        let let_go = verdict(&steps, Check::LetGo);
        assert_eq!(
            matches!(let_go, Verdict::Fine(Finding::LetGo)),
            check == Check::Services,
            "{fault:?}: {let_go:?}"
        );
        bench.assert_usable().await;
    }
}

#[tokio::test(start_paused = true)]
async fn writes_that_fail_say_how_and_the_link_is_let_go() {
    use regie_sim::{Moment, WriteFault};
    for (how, code) in [
        (WriteFault::Error, "write-refused"),
        (WriteFault::Hangs, "write-unanswered"),
        (WriteFault::LostBefore, "link-lost"),
        (WriteFault::LostAfter, "link-lost"),
    ] {
        let bench = ready();
        let at = Moment::Percent(0);
        bench.clock.order(Fault::Write { at, how });
        let steps = diagnosed(&bench, None).await;
        assert_eq!(failure(&steps), (Check::Write, code), "{how:?}");
        bench.assert_usable().await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_second_attempt_and_the_least_mtu_are_warnings() {
    let bench = ready();
    bench.clock.order(Fault::ConnectFails);
    bench.clock.order(Fault::Mtu(23));
    let steps = diagnosed(&bench, None).await;
    assert!(matches!(
        verdict(&steps, Check::Connect),
        Verdict::Warning(_, Concern::ConnectedLate { attempt: 2, .. })
    ));
    assert!(matches!(
        verdict(&steps, Check::Mtu),
        Verdict::Warning(Finding::Mtu { mtu: 23 }, Concern::LeastMtu)
    ));
}

#[tokio::test(start_paused = true)]
async fn a_diagnosis_that_nobody_wants_any_more_ends_and_lets_the_link_go() {
    let bench = ready();
    bench.clock.order(Fault::DiscoveryHangs);
    let mut made = bench.session.diagnose(Search::default()).unwrap();
    while let Some(step) = made.recv().await {
        if step.check == Check::Connect {
            break;
        }
    }
    assert!(bench.clock.is_connected());
    drop(made);
    bench.assert_usable().await;
}

#[tokio::test(start_paused = true)]
async fn a_flood_of_other_clocks_does_not_hide_the_wanted_one() {
    let clocks: Vec<_> = (1..=40)
        .map(|tail| SimulatedClock::new(ClockSpec { tail, ..awake() }))
        .collect();
    let adapter = SimulatedAdapter::new(clocks.clone());
    let session = common::session_on(&adapter, SessionConfig::default());
    let clock = clocks[17].clone();
    let bench = Bench {
        clock: clock.clone(),
        adapter,
        session,
    };
    let steps = diagnosed(&bench, Some(clock.address())).await;
    let Verdict::Fine(Finding::Connected { name, .. }) = verdict(&steps, Check::Connect) else {
        panic!("not connected");
    };
    assert_eq!(*name, clock.name());
}
