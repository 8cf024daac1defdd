//! How fast packets follow each other when the clock cannot keep up.

// The helpers below end a test as an assertion does.
#![allow(clippy::panic)]

mod common;

use std::time::Duration;

use common::{Bench, awake, bench_with, picture};
use regie_clock::{Outcome, PictureSize, Report, Request, SessionConfig, Toggle};
use regie_sim::{
    ClockSpec, Fault, LinkModel, Moment, NotificationFault, NotificationKind, Radio, Timing,
    WriteFault,
};

fn ready() -> Bench {
    quick(SessionConfig::default())
}

/// A link that carries a packet every 15 ms.
fn quick(config: SessionConfig) -> Bench {
    let link = LinkModel::Radio(Radio::of_interval(Duration::from_micros(7_500)));
    let spec = ClockSpec {
        timing: Timing {
            link,
            ..awake().timing
        },
        ..awake()
    };
    bench_with(spec, config)
}

fn done(outcome: Outcome) -> Report {
    match outcome {
        Outcome::Done(report) => report,
        other => panic!("not done: {other:?}"),
    }
}

async fn upload(bench: &Bench, seed: u8) -> Report {
    let sent = picture(PictureSize::Full, seed);
    let report = done(bench.run(Request::Picture(sent.clone())).await);
    assert_eq!(report.data_bytes, 30_000);
    bench.assert_shows(&sent);
    report
}

#[tokio::test(start_paused = true)]
async fn an_ordinary_clock_sees_no_gap() {
    let bench = ready();
    for seed in 0..3 {
        assert_eq!(upload(&bench, seed).await.longest_gap_ms, 0);
    }
}

/// A clock that redraws refuses everything, however slowly it comes.
#[tokio::test(start_paused = true)]
async fn a_clock_that_redraws_sees_no_gap() {
    let bench = ready();
    done(bench.run(Request::Toggle(Toggle::Invert)).await);
    done(bench.run(Request::Toggle(Toggle::Invert)).await);
    assert!(bench.clock.is_refreshing());
    let report = upload(&bench, 1).await;
    assert!(report.rejections > 1);
    assert_eq!(report.longest_gap_ms, 0);
}

/// BLE-19: fed at the speed of the link, these clocks drop packets; the picture arrives whole.
#[tokio::test(start_paused = true)]
async fn a_clock_that_drops_packets_fed_too_fast_gets_them_slower() {
    for least in [16, 20, 35, 50, 80, 100] {
        for mtu in [247, 185, 23] {
            let bench = ready();
            bench.clock.order(Fault::Mtu(mtu));
            let least = Duration::from_millis(least);
            bench.clock.order_times(Fault::Overrun { least }, u32::MAX);
            for seed in 0..3 {
                let report = upload(&bench, seed).await;
                assert!(report.longest_gap_ms > 0, "{least:?} at MTU {mtu}");
                assert!(report.longest_gap_ms <= 100);
            }
        }
    }
}

/// Over the air a notification comes a moment after the answer, and is heard a packet later.
fn late_notifications(bench: &Bench) {
    for which in [NotificationKind::Accepted, NotificationKind::Rejected] {
        let how = NotificationFault::Late(Duration::from_millis(8));
        bench
            .clock
            .order_times(Fault::Notification { which, how }, u32::MAX);
    }
}

/// BLE-19.
#[tokio::test(start_paused = true)]
async fn a_clock_that_drops_packets_and_says_so_late_gets_them_slower_too() {
    for least in [16, 35, 100] {
        let bench = ready();
        late_notifications(&bench);
        let least = Duration::from_millis(least);
        bench.clock.order_times(Fault::Overrun { least }, u32::MAX);
        for seed in 0..2 {
            assert!(upload(&bench, seed).await.longest_gap_ms > 0, "{least:?}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_clock_that_redraws_and_says_so_late_sees_no_gap_either() {
    let bench = ready();
    late_notifications(&bench);
    done(bench.run(Request::Toggle(Toggle::Invert)).await);
    done(bench.run(Request::Toggle(Toggle::Invert)).await);
    assert!(bench.clock.is_refreshing());
    let report = upload(&bench, 1).await;
    assert!(report.rejections > 1);
    assert_eq!(report.longest_gap_ms, 0);
}

/// The gap of a passing trouble has gone before the next picture is through.
#[tokio::test(start_paused = true)]
async fn a_clock_that_was_slow_for_a_while_is_not_fed_slowly_for_ever() {
    let bench = ready();
    let least = Duration::from_millis(50);
    bench.clock.order_times(Fault::Overrun { least }, 4);
    assert!(upload(&bench, 1).await.longest_gap_ms > 0);
    upload(&bench, 2).await;
    let report = upload(&bench, 3).await;
    assert_eq!((report.longest_gap_ms, report.rejections), (0, 0));
}

/// BLE-19: a write that has to be tried again is a stall.
#[tokio::test(start_paused = true)]
async fn a_stalled_write_is_followed_by_a_gap() {
    let bench = ready();
    let at = Moment::Percent(10);
    let how = WriteFault::Error;
    bench.clock.order(Fault::Write { at, how });
    assert_eq!(upload(&bench, 1).await.longest_gap_ms, 10);
    assert_eq!(upload(&bench, 2).await.longest_gap_ms, 0);
}

/// The new link begins with the gap that the stall of the old one has taught.
#[tokio::test(start_paused = true)]
async fn a_write_that_hangs_is_followed_by_a_gap_on_the_next_link() {
    let bench = ready();
    let at = Moment::Percent(50);
    let how = WriteFault::Hangs;
    bench.clock.order(Fault::Write { at, how });
    let report = upload(&bench, 1).await;
    assert_eq!((report.reconnects, report.longest_gap_ms), (1, 10));
}

/// UP-16: those who watch have time for something else between two reports.
#[tokio::test(start_paused = true)]
async fn progress_is_reported_at_most_ten_times_a_second() {
    let bench = ready();
    let operation = bench
        .session
        .submit(regie_clock::Job::new(Request::Picture(picture(
            PictureSize::Full,
            1,
        ))));
    let mut progress = operation.progress();
    let mut reports = Vec::new();
    while operation.ended().is_none() && progress.changed().await.is_ok() {
        let now = progress.borrow_and_update().clone();
        if now.stage == regie_clock::Stage::Sending {
            reports.push((tokio::time::Instant::now(), now.packets_done));
        }
    }
    assert!((10..30).contains(&reports.len()), "{}", reports.len());
    // The last one, before the pause at the end, is not held back.
    assert_eq!(reports.pop().map(|(_, packets)| packets), Some(126));
    for pair in reports.windows(2) {
        assert!(pair[1].0 - pair[0].0 >= Duration::from_millis(100));
        assert!(pair[1].1 > pair[0].1);
    }
}
