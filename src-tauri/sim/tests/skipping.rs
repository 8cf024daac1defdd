//! Leaving out what the clock holds already: what is shown is always the picture that was sent,
//! whatever happened to the clock's memory in between.

// Helpers of the test end it as an assertion does.
#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use std::time::Duration;

use common::{Bench, awake, bench_with, picture, set_face};
use regie_clock::{
    Channel, Face, Job, Outcome, Picture, PictureSize, Plane, QuietHours, Raw, RawPolicy, Report,
    Request, SessionConfig, Toggle,
};
use regie_sim::{
    ClockSpec, Fault, LinkModel, Mode, Moment, NotificationFault, NotificationKind, PictureBuffer,
    Timing, WriteFault,
};

const RUNS: u64 = 300;
/// Runs are spread over this many threads.
const THREADS: u64 = 2;
/// Bytes of the two planes of a full picture.
const WHOLE: u32 = 30_000;

fn skipping() -> SessionConfig {
    SessionConfig {
        skip_unchanged: true,
        ..SessionConfig::default()
    }
}

fn done(outcome: Outcome) -> Report {
    match outcome {
        Outcome::Done(report) => report,
        other => panic!("not done: {other:?}"),
    }
}

/// A clock in picture mode that holds this picture.
async fn holding(sent: &Picture, config: SessionConfig) -> Bench {
    let bench = bench_with(awake(), config);
    done(bench.run(set_face(Face::Picture)).await);
    show(&bench, sent).await;
    bench
}

async fn show(bench: &Bench, sent: &Picture) -> Report {
    let report = done(bench.run(Request::Picture(sent.clone())).await);
    bench.assert_shows(sent);
    assert_eq!(report.data_bytes + report.skipped_bytes, WHOLE);
    report
}

/// The same picture with one bit of each given byte of its planes (counted through) flipped.
fn changed(picture: &Picture, bytes: &[usize]) -> Picture {
    let size = picture.size();
    let mut planes = [Plane::BlackWhite, Plane::Red].map(|plane| picture.plane(plane).to_vec());
    for byte in bytes {
        planes[byte / size.plane_bytes()][byte % size.plane_bytes()] ^= 0x10;
    }
    let [black_white, red] = planes;
    Picture::new(size, black_white, red).unwrap()
}

/// UP-4: nothing is sent but the trigger, and the report says so.
#[tokio::test(start_paused = true)]
async fn of_an_equal_picture_only_the_trigger_is_sent() {
    let sent = picture(PictureSize::Full, 1);
    let bench = holding(&sent, skipping()).await;
    let refreshes = bench.clock.refreshes();
    let report = show(&bench, &sent).await;
    assert_eq!((report.packets, report.data_bytes), (1, 0));
    assert_eq!(report.skipped_bytes, WHOLE);
    assert_eq!(bench.clock.refreshes(), refreshes + 1);
}

#[tokio::test(start_paused = true)]
async fn of_a_changed_picture_only_the_changed_packets_are_sent() {
    let sent = picture(PictureSize::Full, 1);
    let bench = holding(&sent, skipping()).await;
    // The middle of one plane, and the very end of the other.
    let next = changed(&sent, &[7_000, 29_999]);
    let report = show(&bench, &next).await;
    assert_eq!((report.packets, report.data_bytes), (3, 240 + 120));
    // And back, in packets of another size.
    bench.clock.order(Fault::MtuChanges {
        percent: 0,
        mtu: 100,
    });
    let report = show(&bench, &sent).await;
    assert!(report.skipped_bytes > WHOLE - 600);
}

#[tokio::test(start_paused = true)]
async fn without_the_option_everything_is_sent() {
    let sent = picture(PictureSize::Full, 1);
    let bench = holding(&sent, SessionConfig::default()).await;
    let report = show(&bench, &sent).await;
    assert_eq!((report.packets, report.skipped_bytes), (127, 0));
}

/// Outside picture mode the clock may draw over what it was sent at any minute.
#[tokio::test(start_paused = true)]
async fn nothing_is_skipped_before_the_clock_is_in_picture_mode() {
    let bench = bench_with(awake(), skipping());
    let sent = picture(PictureSize::Full, 1);
    for _ in 0..2 {
        assert_eq!(show(&bench, &sent).await.skipped_bytes, 0);
    }
}

#[tokio::test(start_paused = true)]
async fn nothing_is_skipped_after_anything_that_may_change_the_memory() {
    let raw = |channel, bytes: &[u8]| {
        Request::Raw(Raw::new(channel, bytes.to_vec(), RawPolicy::Guarded).unwrap())
    };
    let disturbing = [
        set_face(Face::Clock1),
        set_face(Face::Calendar1),
        Request::Toggle(Toggle::ClockColor),
        Request::CountdownOff,
        Request::QuietHours(QuietHours::new(true, 23, 6).unwrap()),
        Request::Picture(picture(PictureSize::Small, 3)),
        raw(Channel::Main, &[0x00, 0xFF]),
        raw(Channel::Main, &[0x03, 0xFF, 0x00, 0x00, 0x12]),
        raw(Channel::Alt, &[0xE2]),
    ];
    for request in disturbing {
        let sent = picture(PictureSize::Full, 1);
        let bench = holding(&sent, skipping()).await;
        done(bench.run(request.clone()).await);
        while bench.clock.is_refreshing() {
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
        let report = done(bench.run(Request::Picture(sent.clone())).await);
        assert_eq!(report.skipped_bytes, 0, "after {request:?}");
    }
}

/// Whether the memory outlives a link is not published.
#[tokio::test(start_paused = true)]
async fn nothing_is_skipped_on_another_link() {
    for lost in [true, false] {
        let sent = picture(PictureSize::Full, 1);
        let bench = holding(&sent, skipping()).await;
        if lost {
            bench.clock.cut_link();
        } else {
            bench.session.disconnect().await.unwrap();
        }
        done(bench.run(set_face(Face::Picture)).await);
        assert_eq!(show(&bench, &sent).await.skipped_bytes, 0);
        assert_eq!(show(&bench, &sent).await.skipped_bytes, WHOLE);
    }
}

/// A clock that refuses a packet is not in the state it was thought to be in.
#[tokio::test(start_paused = true)]
async fn after_a_rejection_the_whole_picture_is_sent() {
    let sent = picture(PictureSize::Full, 1);
    let bench = holding(&sent, skipping()).await;
    bench.clock.order(Fault::Write {
        at: Moment::Percent(0),
        how: WriteFault::Rejected,
    });
    let report = show(&bench, &changed(&sent, &[10_000])).await;
    assert_eq!((report.rejections, report.skipped_bytes), (1, 0));
    assert_eq!(report.data_bytes, WHOLE);
}

/// A picture that came out wrong is repaired by sending it again, as without the option.
#[tokio::test(start_paused = true)]
async fn nothing_is_skipped_when_a_rejection_may_have_been_lost() {
    for (which, at) in [
        (NotificationKind::Rejected, Moment::Percent(40)),
        (NotificationKind::Rejected, Moment::Percent(99)),
    ] {
        let base = picture(PictureSize::Full, 1);
        let bench = holding(&base, skipping()).await;
        let sent = picture(PictureSize::Full, 2);
        let how = NotificationFault::Lost;
        bench.clock.order(Fault::Notification { which, how });
        let how = WriteFault::Rejected;
        bench.clock.order(Fault::Write { at, how });
        done(bench.run(Request::Picture(sent.clone())).await);
        assert_eq!(show(&bench, &sent).await.skipped_bytes, 0);
        assert_eq!(show(&bench, &sent).await.skipped_bytes, WHOLE);
    }
}

#[tokio::test(start_paused = true)]
async fn nothing_is_skipped_on_a_clock_that_does_not_confirm_packets() {
    let bench = bench_with(awake(), skipping());
    let fault = Fault::Notification {
        which: NotificationKind::Accepted,
        how: NotificationFault::Lost,
    };
    bench.clock.order_times(fault, u32::MAX);
    done(bench.run(set_face(Face::Picture)).await);
    let sent = picture(PictureSize::Full, 1);
    for _ in 0..2 {
        assert_eq!(show(&bench, &sent).await.skipped_bytes, 0);
    }
}

/// The seed of a run that fails is in the panic's message; `REGIE_SEED` repeats that run alone.
#[test]
fn the_panel_shows_the_picture_sent_last_with_the_option_and_without() {
    if let Some(seed) = std::env::var("REGIE_SEED")
        .ok()
        .and_then(|seed| seed.parse().ok())
    {
        run(seed);
        return;
    }
    let skipped: u64 = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS)
            .map(|thread| {
                let seeds = (thread..RUNS).step_by(THREADS as usize);
                scope.spawn(move || seeds.map(run).sum::<u64>())
            })
            .collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .sum()
    });
    assert!(skipped > 0, "nothing was ever skipped");
}

fn run(seed: u64) -> u64 {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .unwrap();
    let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        runtime.block_on(one_run(seed))
    }));
    result.unwrap_or_else(|_| panic!("the run of seed {seed} failed"))
}

/// Returns the bytes that were skipped.
async fn one_run(seed: u64) -> u64 {
    let mut random = fastrand::Rng::with_seed(seed);
    let skip_unchanged = random.u8(0..4) > 0;
    let config = SessionConfig {
        skip_unchanged,
        idle_timeout: Duration::from_secs(if random.u8(0..5) == 0 { 0 } else { 300 }),
        ..SessionConfig::default()
    };
    let bench = bench_with(spec(&mut random), config);
    let base = picture(PictureSize::Full, seed as u8);
    let mut skipped = 0;
    for _ in 0..random.usize(3..12) {
        if random.u8(0..4) == 0 {
            bench
                .clock
                .order_times(fault(&mut random), random.u32(1..3));
        }
        match random.u8(0..12) {
            0..=6 => {
                let bytes: Vec<_> = (0..random.usize(0..4))
                    .map(|_| random.usize(0..WHOLE as usize))
                    .collect();
                let sent = changed(&base, &bytes);
                let mut job = Job::new(Request::Picture(sent.clone()));
                if random.u8(0..3) > 0 {
                    job = job.then(set_face(Face::Picture));
                }
                let outcome = bench.session.submit(job).outcome().await;
                skipped += check(&bench, &outcome, &sent, skip_unchanged).await;
            }
            7 => {
                bench.run(other(&mut random)).await;
            }
            8 => {
                bench.run(set_face(Face::Picture)).await;
            }
            9 => bench.clock.cut_link(),
            10 => {
                let _ = bench.session.disconnect().await;
            }
            _ => tokio::time::sleep(Duration::from_secs(random.u64(1..130))).await,
        }
    }
    skipped
}

async fn check(bench: &Bench, outcome: &Outcome, sent: &Picture, skip_unchanged: bool) -> u64 {
    while bench.clock.is_refreshing() {
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
    assert_eq!(bench.clock.long_writes(), 0);
    let report = outcome.report();
    let Outcome::Done(_) = outcome else {
        return 0;
    };
    assert_eq!(report.data_bytes + report.skipped_bytes, WHOLE);
    assert!(skip_unchanged || report.skipped_bytes == 0);
    // In another mode the clock draws over it at the next minute.
    if bench.clock.mode() == Mode::Picture {
        bench.assert_shows(sent);
    }
    report.skipped_bytes.into()
}

fn spec(random: &mut fastrand::Rng) -> ClockSpec {
    let timing = Timing {
        link: LinkModel::Fixed(Duration::from_millis(random.u64(0..60))),
        refresh: Duration::from_millis(random.u64(500..20_000)),
        ..awake().timing
    };
    ClockSpec {
        timing,
        mtu: *random.choice(&[100, 185, 247]).unwrap(),
        buffer: PictureBuffer {
            outlives_link: random.bool(),
            shared_with_faces: random.bool(),
        },
        ..awake()
    }
}

/// Something that may change the clock's memory, or not.
fn other(random: &mut fastrand::Rng) -> Request {
    let raw: &[(Channel, &[u8])] = &[
        (Channel::Main, &[0x00, 0xFF]),
        (Channel::Main, &[0x01]),
        (Channel::Main, &[0x03, 0xFF, 0x10, 0x00, 0x12, 0x34]),
        (Channel::Main, &[0x03, 0x00, 0xFF, 0xFF, 0x12]),
        (Channel::Alt, &[0xE1, 0x00]),
        (Channel::Alt, &[0xE1, 0x01]),
        (Channel::Alt, &[0xE1, 0x02]),
        (Channel::Alt, &[0xE2]),
    ];
    match random.u8(0..8) {
        0 => set_face(Face::Clock1),
        1 => set_face(Face::Calendar1),
        2 => Request::Toggle(Toggle::ClockColor),
        3 => Request::CountdownOff,
        4 => Request::QuietHours(QuietHours::new(true, 23, 6).unwrap()),
        5 => Request::Picture(picture(PictureSize::Small, random.u8(..))),
        _ => {
            let (channel, bytes) = *random.choice(raw).unwrap();
            Request::Raw(Raw::new(channel, bytes.to_vec(), RawPolicy::Guarded).unwrap())
        }
    }
}

fn fault(random: &mut fastrand::Rng) -> Fault {
    let at = match random.u8(0..4) {
        0 => Moment::Trigger,
        1 => Moment::Command,
        _ => Moment::Percent(random.u8(0..100)),
    };
    match random.u8(0..9) {
        0 => Fault::MtuChanges {
            percent: random.u8(0..100),
            mtu: random.u16(100..=247),
        },
        1 => Fault::Overrun {
            least: Duration::from_millis(random.u64(5..80)),
        },
        2 => Fault::DropWhileRefreshing {
            after: Duration::from_millis(random.u64(0..20_000)),
        },
        3 => Fault::Notification {
            which: NotificationKind::Rejected,
            how: NotificationFault::Late(Duration::from_millis(random.u64(0..1_900))),
        },
        4 => Fault::Notification {
            which: NotificationKind::RefreshDone,
            how: NotificationFault::Lost,
        },
        _ => {
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
