//! Random operations under random faults, in paused time: each ends, truly, and the clock is
//! usable afterwards.

// Helpers of the test end it as an assertion does.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use std::time::Duration;

use common::{Bench, bench_with, picture, set_face};
use regie_clock::{
    ClockTime, Countdown, CountdownDate, CountdownStyle, Face, Job, Outcome, Picture, PictureSize,
    QuietHours, Request, SessionConfig, Task, TextBitmap, Toggle, Unavailable,
};
use regie_sim::{
    AnswerEvent, ClockSpec, Fault, LinkModel, Moment, NotificationFault, NotificationKind, Radio,
    Timing, WriteFault,
};

const RUNS: u64 = 10_000;
/// Runs are spread over this many threads.
const THREADS: u64 = 2;
/// Longer than any operation may take by its own deadlines, in the clock's time.
const HANG: Duration = Duration::from_secs(45 * 60);

/// The seed of a run that fails is in the panic's message; `REGIE_SEED` repeats that run alone.
#[test]
fn ten_thousand_random_fault_runs_end_truly_and_leave_the_clock_usable() {
    if let Some(seed) = std::env::var("REGIE_SEED")
        .ok()
        .and_then(|seed| seed.parse().ok())
    {
        run_seeds(std::iter::once(seed));
        return;
    }
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            scope.spawn(move || run_seeds((thread..RUNS).step_by(THREADS as usize)));
        }
    });
}

fn run_seeds(seeds: impl Iterator<Item = u64>) {
    for seed in seeds {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .start_paused(true)
            .build()
            .unwrap();
        let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            runtime.block_on(one_run(seed));
        }));
        assert!(result.is_ok(), "the run of seed {seed} failed");
    }
}

async fn one_run(seed: u64) {
    let mut random = fastrand::Rng::with_seed(seed);
    let bench = bench_with(spec(&mut random), config(&mut random));
    tokio::time::sleep(Duration::from_millis(random.u64(0..60_000))).await;
    for _ in 0..random.usize(0..5) {
        let times = if random.u8(..) < 200 {
            1
        } else {
            random.u32(1..20)
        };
        bench.clock.order_times(fault(&mut random), times);
    }
    let operations = random.usize(1..3);
    let mut submitted = Vec::new();
    for _ in 0..operations {
        let (job, sent) = job(&mut random);
        submitted.push((bench.session.submit(job.clone()), job, sent));
    }
    let toggles_asked: Vec<Toggle> = submitted
        .iter()
        .flat_map(|(_, job, _)| toggles(job))
        .collect();
    let disturbance = disturb(&bench, &submitted, &mut random);
    let waiting = async {
        let mut outcomes = Vec::new();
        for (operation, _, _) in &submitted {
            outcomes.push(operation.outcome().await);
        }
        outcomes
    };
    let (outcomes, ()) = tokio::time::timeout(HANG, async { tokio::join!(waiting, disturbance) })
        .await
        .expect("an operation hangs");

    assert_eq!(bench.clock.long_writes(), 0, "a long write was sent");
    let refused =
        |outcome: &Outcome| matches!(outcome, Outcome::Failed { .. } | Outcome::Cancelled { .. });
    if outcomes.iter().all(refused) {
        let redraws = bench.clock.refreshes();
        assert_eq!(redraws, 0, "it took effect all the same: {outcomes:?}");
    }
    check_toggles(&bench, &toggles_asked);
    for (outcome, (_, _, sent)) in outcomes.iter().zip(&submitted) {
        let report = outcome.report();
        if let (Outcome::Done(report), Some(sent)) = (outcome, sent) {
            let bytes = sent.size().plane_bytes() * 2;
            let there = report.data_bytes + report.skipped_bytes;
            assert_eq!(there as usize, bytes, "done without every byte");
        }
        assert!(report.packets_resent <= report.packets + 6);
    }
    if let (Some(Outcome::Done(_)), Some((_, _, Some(sent)))) = (outcomes.last(), submitted.last())
        && sent.size() == PictureSize::Full
    {
        // What is in the clock's memory is what was sent, whatever went wrong on the way.
        let (black_white, red) = bench.clock.planes();
        assert!(
            black_white == sent.plane(regie_clock::Plane::BlackWhite),
            "bytes are wrong"
        );
        assert!(
            red == sent.plane(regie_clock::Plane::Red),
            "bytes are wrong"
        );
    }
    usable(&bench).await;
}

/// A small picture arrives whole once nothing is wrong any more.
async fn usable(bench: &Bench) {
    bench.clock.clear_faults();
    bench.adapter.set_unavailable(None);
    // Faults that were shown already may still take effect, such as a late drop.
    tokio::time::sleep(Duration::from_secs(25)).await;
    let outcome = bench
        .run(Request::Picture(picture(PictureSize::Small, 1)))
        .await;
    let Outcome::Done(report) = &outcome else {
        panic!("the clock is not usable: {outcome:?}")
    };
    assert_eq!(report.data_bytes, 7000);
}

/// No toggle is applied more often than it was asked for.
fn check_toggles(bench: &Bench, asked: &[Toggle]) {
    let commands = bench.clock.commands();
    for (toggle, code) in [
        (Toggle::Invert, 0xE3),
        (Toggle::ClockColor, 0xE4),
        (Toggle::Rotate180, 0xE5),
    ] {
        let applied = commands
            .iter()
            .filter(|command| command[..] == [code])
            .count();
        let asked = asked.iter().filter(|asked| **asked == toggle).count();
        assert!(
            applied <= asked,
            "{toggle} was applied {applied} times, asked {asked} times"
        );
    }
}

fn toggles(job: &Job) -> Vec<Toggle> {
    job.tasks()
        .filter_map(|task| match task {
            Task::Request(Request::Toggle(toggle)) => Some(*toggle),
            _ => None,
        })
        .collect()
}

/// Cancels, cuts the link, or takes Bluetooth away for a while.
async fn disturb(
    bench: &Bench,
    submitted: &[(regie_clock::Operation, Job, Option<Picture>)],
    random: &mut fastrand::Rng,
) {
    let after = Duration::from_millis(random.u64(0..40_000));
    match random.u8(0..10) {
        0 | 1 => {
            tokio::time::sleep(after).await;
            if let Some((operation, _, _)) = random.choice(submitted) {
                operation.cancel();
            }
        }
        2 => {
            tokio::time::sleep(after).await;
            bench.clock.cut_link();
        }
        3 => {
            tokio::time::sleep(after).await;
            bench.adapter.set_unavailable(Some(Unavailable::RadioOff));
            tokio::time::sleep(after / 2).await;
            bench.adapter.set_unavailable(None);
        }
        _ => {}
    }
}

fn spec(random: &mut fastrand::Rng) -> ClockSpec {
    let timing = Timing {
        awake: Duration::from_secs(random.u64(10..=30)),
        period: Duration::from_secs(random.u64(30..=60)),
        link: link_model(random),
        refresh: Duration::from_millis(random.u64(500..25_000)),
        ..Timing::realistic()
    };
    let mtu = if random.u8(0..20) == 0 {
        23
    } else {
        *random.choice(&[185, 247, 517]).unwrap()
    };
    ClockSpec {
        timing,
        mtu,
        ..ClockSpec::default()
    }
}

fn link_model(random: &mut fastrand::Rng) -> LinkModel {
    if random.bool() {
        return LinkModel::Fixed(Duration::from_millis(random.u64(0..200)));
    }
    let interval = Duration::from_micros(random.u64(6..=36) * 1_250);
    LinkModel::Radio(Radio {
        latency: random.u16(0..=4),
        packets_per_event: random.u8(1..=6),
        data_length: *random.choice(&[27, 251]).unwrap_or(&251),
        answer: *random
            .choice(&[AnswerEvent::Same, AnswerEvent::Next])
            .unwrap_or(&AnswerEvent::Next),
        ..Radio::of_interval(interval)
    })
}

fn config(random: &mut fastrand::Rng) -> SessionConfig {
    let idle = *random.choice(&[0, 1, 300]).unwrap();
    SessionConfig {
        idle_timeout: Duration::from_secs(idle),
        skip_unchanged: random.bool(),
        ..SessionConfig::default()
    }
}

/// A job, and the picture in it.
fn job(random: &mut fastrand::Rng) -> (Job, Option<Picture>) {
    let seed = random.u8(..);
    match random.u8(0..12) {
        0 => {
            let sent = picture(PictureSize::Full, seed);
            (Job::new(Request::Picture(sent.clone())), Some(sent))
        }
        1..=4 => {
            let sent = picture(PictureSize::Small, seed);
            let job = Job::new(Request::Picture(sent.clone()));
            (job.then(set_face(Face::Calendar1)), Some(sent))
        }
        5 => {
            let zone = "8".parse().unwrap();
            (
                Job::new(Request::SetTime(
                    ClockTime::at(1_786_250_096, &zone).unwrap(),
                )),
                None,
            )
        }
        6 => (
            Job::new(Request::QuietHours(QuietHours::new(true, 23, 6).unwrap())),
            None,
        ),
        7 => {
            let cells = random.usize(1..=8);
            let text =
                TextBitmap::new(CountdownStyle::Clock, cells, vec![seed; 32 * cells]).unwrap();
            (
                Job::new(Request::Countdown(Countdown::with_text(
                    text,
                    CountdownDate::new(2027, 1, 1).unwrap(),
                ))),
                None,
            )
        }
        8 => (Job::new(Request::CountdownOff), None),
        _ => {
            let toggle = *random
                .choice(&[Toggle::Invert, Toggle::ClockColor, Toggle::Rotate180])
                .unwrap();
            (Job::new(Request::Toggle(toggle)), None)
        }
    }
}

fn fault(random: &mut fastrand::Rng) -> Fault {
    let moment = match random.u8(0..6) {
        0 => Moment::Trigger,
        1 => Moment::Command,
        _ => Moment::Percent(random.u8(0..100)),
    };
    match random.u8(0..15) {
        14 => Fault::Overrun {
            least: Duration::from_millis(random.u64(1..=100)),
        },
        0 => Fault::ConnectFails,
        1 => Fault::ConnectHangs,
        2 => Fault::HeldByAnother,
        3 => Fault::DiscoveryHangs,
        4 => Fault::DiscoveryIncomplete,
        5 => Fault::Mtu(some_mtu(random)),
        6 => Fault::MtuChanges {
            percent: random.u8(0..100),
            mtu: some_mtu(random),
        },
        7 => Fault::DropWhileRefreshing {
            after: Duration::from_millis(random.u64(0..20_000)),
        },
        8 | 9 => {
            let which = *random
                .choice(&[
                    NotificationKind::Accepted,
                    NotificationKind::Rejected,
                    NotificationKind::RefreshDone,
                ])
                .unwrap();
            // A rejection that is lost cannot be known about by anybody.
            let how = match random.u8(0..3) {
                0 if which != NotificationKind::Rejected => NotificationFault::Lost,
                1 => NotificationFault::Late(Duration::from_millis(random.u64(0..2_000))),
                _ => NotificationFault::Doubled,
            };
            Fault::Notification { which, how }
        }
        _ => {
            // A rejection of anything but a picture packet does not exist.
            let at = moment;
            let how = match random.u8(0..5) {
                0 if matches!(at, Moment::Percent(_)) => WriteFault::Rejected,
                1 => WriteFault::Hangs,
                2 => WriteFault::LostBefore,
                3 => WriteFault::LostAfter,
                _ => WriteFault::Error,
            };
            Fault::Write { at, how }
        }
    }
}

/// Mostly large: the least takes a hundred times as long to run through.
fn some_mtu(random: &mut fastrand::Rng) -> u16 {
    let least = if random.u8(0..8) == 0 { 23 } else { 100 };
    random.u16(least..=517)
}
