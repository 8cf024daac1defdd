//! What a session promises with clocks of the EPD-nRF5 family.

// The helpers below end a test as an assertion does.
#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use std::time::Duration;

use common::{Bench, awake, bench_with, picture, session_on, set_face, unpack};
use regie_clock::session::{Doubt, Refresh};
use regie_clock::{
    Channel, ClockError, ClockTime, Face, Family, Job, Outcome, Picture, PictureSize, Plane, Raw,
    RawPolicy, Report, Request, SessionConfig, Stage, Toggle,
};
use regie_sim::{
    BLACK, ClockSpec, EpdBuild, Fault, FirmwareKind, LinkModel, Mode, Moment, NotificationFault,
    NotificationKind, RED, Radio, SimulatedAdapter, SimulatedClock, Timing, WHITE, WriteFault,
};
use tokio::time::sleep;

/// For the panel to be redrawn, and for the link to be kept meanwhile.
const KEPT: u32 = 25_000;

fn spec(build: EpdBuild) -> ClockSpec {
    ClockSpec {
        firmware: FirmwareKind::EpdNrf5(build),
        ..awake()
    }
}

fn with(build: EpdBuild) -> Bench {
    bench_with(spec(build), SessionConfig::default())
}

fn done(outcome: Outcome) -> Report {
    match outcome {
        Outcome::Done(report) => report,
        other => panic!("not done: {other:?}"),
    }
}

fn failed(outcome: Outcome) -> ClockError {
    match outcome {
        Outcome::Failed { error, .. } => error,
        other => panic!("not failed: {other:?}"),
    }
}

fn unknown(outcome: Outcome) -> Doubt {
    match outcome {
        Outcome::Unknown { reason, .. } => reason,
        other => panic!("not unknown: {other:?}"),
    }
}

fn upload(seed: u8) -> (Request, Picture) {
    let sent = picture(PictureSize::Full, seed);
    (Request::Picture(sent.clone()), sent)
}

fn at(zone: &str) -> ClockTime {
    ClockTime::at(1_786_250_096, &zone.parse().unwrap()).unwrap()
}

const fn write_fault(at: Moment, how: WriteFault) -> Fault {
    Fault::Write { at, how }
}

/// A picture with runs of bytes, as drawings have.
fn drawing() -> Picture {
    let bytes = PictureSize::Full.plane_bytes();
    let white = (0..bytes).map(|i| if i / 50 % 7 < 5 { 0xFF } else { 0x0F });
    let red = (0..bytes).map(|i| u8::from(i / 3000 == 2) * 0xF0);
    Picture::new(PictureSize::Full, white.collect(), red.collect()).unwrap()
}

// Without faults.

/// UP-4: in either framing, and with as much of the packet as the link carries.
#[tokio::test(start_paused = true)]
async fn a_picture_arrives_whole_and_is_shown() {
    for build in [EpdBuild::newer(), EpdBuild::legacy()] {
        let bench = with(build);
        let (request, sent) = upload(1);
        let report = done(bench.run(request).await);
        bench.assert_shows(&sent);
        assert_eq!(bench.clock.mode(), Mode::Picture);
        assert_eq!(report.data_bytes, 30_000);
        assert_eq!(report.packets, 1 + 62 + 62 + 1);
        assert_eq!(report.packets_resent, 0);
        assert_eq!(report.refresh, Refresh::Assumed);
        assert!(report.duration_ms >= KEPT);
        assert!(!bench.clock.is_refreshing(), "the link was not kept");
        let clock = report.clock.unwrap();
        assert_eq!(clock.family, Some(Family::EpdNrf5));
        assert_eq!(clock.name, "NRF_EPD_0001");
        assert_eq!(bench.clock.long_writes(), 0);
        assert_eq!(bench.clock.unknown_commands(), 0);
    }
}

#[tokio::test(start_paused = true)]
async fn run_lengths_make_a_drawing_short() {
    let packets = |build| async move {
        let bench = with(build);
        let report = done(bench.run(Request::Picture(drawing())).await);
        bench.assert_shows(&drawing());
        assert_eq!(report.data_bytes, 30_000);
        report.packets
    };
    let newer = packets(EpdBuild::newer()).await;
    assert!(newer < 12, "{newer} packets");
    assert_eq!(packets(EpdBuild::legacy()).await, 126);
}

/// On a panel without red there is one plane, and red is black.
#[tokio::test(start_paused = true)]
async fn red_is_black_where_there_is_no_red() {
    for model in [0x01, 0x04] {
        for build in [EpdBuild::newer(), EpdBuild::legacy()] {
            let bench = with(EpdBuild { model, ..build });
            let (request, sent) = upload(2);
            let report = done(bench.run(request).await);
            assert_eq!(report.data_bytes, 15_000);
            let mut inks = unpack(&sent);
            for ink in &mut inks {
                if *ink == RED {
                    *ink = BLACK;
                }
            }
            assert!(bench.clock.screen().inks == inks);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn every_request_has_its_effect() {
    let bench = with(EpdBuild::newer());
    let run = |request| async { done(bench.run(request).await) };
    for (zone, minutes) in [
        ("Asia/Kathmandu", 345),
        ("America/St_Johns", -150),
        ("0", 0),
    ] {
        run(Request::SetTime(at(zone))).await;
        let local = u64::try_from(1_786_250_096 + minutes * 60).unwrap();
        let shown = bench.clock.local_epoch();
        assert!((local..local + 60).contains(&shown), "{zone}");
    }
    run(set_face(Face::Clock1)).await;
    assert_eq!(bench.clock.mode(), Mode::Clock);
    run(Request::SetTime(at("8"))).await;
    assert_eq!(bench.clock.mode(), Mode::Clock, "the time changed the face");
    run(set_face(Face::Calendar1)).await;
    assert_eq!(bench.clock.mode(), Mode::Calendar);
    run(Request::Clear).await;
    assert_eq!(bench.clock.mode(), Mode::Picture);
    assert!(bench.clock.screen().inks.iter().all(|ink| *ink == WHITE));
    assert_eq!(bench.clock.unknown_commands(), 0);
    assert_eq!(bench.clock.links_made(), 1);
    assert!(!bench.clock.is_refreshing());
}

/// The mode that was known at first is not the one it is in after a face was set.
#[tokio::test(start_paused = true)]
async fn a_new_time_keeps_the_face_also_on_another_link() {
    for says_mode in [true, false] {
        let bench = with(EpdBuild {
            says_mode,
            ..EpdBuild::legacy()
        });
        done(bench.run(set_face(Face::Clock1)).await);
        done(bench.run(Request::SetTime(at("8"))).await);
        assert_eq!(bench.clock.mode(), Mode::Clock);
        bench.session.disconnect().await.unwrap();
        done(bench.run(Request::SetTime(at("8"))).await);
        // Where it does not say, it gets what its firmware takes by default.
        let expected = if says_mode {
            Mode::Clock
        } else {
            Mode::Calendar
        };
        assert_eq!(bench.clock.mode(), expected);
    }
}

#[tokio::test(start_paused = true)]
async fn a_picture_stays_by_itself_and_is_not_drawn_twice_for_it() {
    let bench = with(EpdBuild::newer());
    let (request, sent) = upload(3);
    let job = Job::new(request).then(set_face(Face::Picture));
    done(bench.session.submit(job).outcome().await);
    assert_eq!(bench.clock.refreshes(), 1);
    sleep(Duration::from_secs(24 * 60 * 60)).await;
    bench.assert_shows(&sent);
    // It is shown, so that there is nothing to do; on another link, too.
    done(bench.run(set_face(Face::Picture)).await);
    bench.session.disconnect().await.unwrap();
    done(bench.run(set_face(Face::Picture)).await);
    assert_eq!(bench.clock.refreshes(), 1);
    // Once something else is drawn, it is gone.
    done(bench.run(set_face(Face::Calendar1)).await);
    let error = failed(bench.run(set_face(Face::Picture)).await);
    assert_eq!(error.code(), "not-supported");
    assert_eq!(bench.clock.mode(), Mode::Calendar);
}

/// What a later task of the job cannot do keeps the first from being done.
#[tokio::test(start_paused = true)]
async fn what_the_firmware_lacks_fails_before_anything_is_sent() {
    let bench = with(EpdBuild::newer());
    // A face that no clock is known to have is refused before one is connected.
    let error = failed(bench.run(set_face(Face::Clock2)).await);
    assert_eq!(error.code(), "code-unknown");
    assert_eq!(bench.clock.links_made(), 0);
    let raw = |bytes| Request::Raw(Raw::new(Channel::Main, bytes, RawPolicy::Guarded).unwrap());
    done(bench.run(raw(vec![0x21, 1])).await);
    let small = Request::Picture(picture(PictureSize::Small, 1));
    let face = set_face(Face::Clock2);
    for request in [small, face, Request::Toggle(Toggle::Invert)] {
        let job = Job::new(Request::SetTime(at("8"))).then(request);
        let error = failed(bench.session.submit(job).outcome().await);
        assert_eq!(error.code(), "not-supported");
    }
    for command in [0x91, 0x00] {
        let error = failed(bench.run(raw(vec![command, 0])).await);
        assert_eq!(error.code(), "raw-denied");
    }
    assert_eq!(bench.clock.commands(), [[0x21, 1]]);
}

#[tokio::test(start_paused = true)]
async fn clocks_of_both_families_are_told_apart_and_served_in_turn() {
    let epd = SimulatedClock::new(spec(EpdBuild::newer()));
    let pingping = SimulatedClock::new(ClockSpec { tail: 2, ..awake() });
    let adapter = SimulatedAdapter::new(vec![epd.clone(), pingping.clone()]);
    let session = session_on(&adapter, SessionConfig::default());
    let heard = session.scan(Duration::from_secs(5)).await.unwrap();
    let families = heard.iter().map(|clock| Family::of_name(&clock.name));
    let families: Vec<_> = families.flatten().collect();
    assert_eq!(families, [Family::EpdNrf5, Family::Pingping]);
    for _ in 0..2 {
        for clock in [&epd, &pingping] {
            let (request, sent) = upload(4);
            let job = Job::new(request)
                .then(set_face(Face::Picture))
                .on(Some(clock.address()));
            done(session.submit(job).outcome().await);
            assert!(clock.screen().inks == unpack(&sent));
        }
    }
}

// The clock says what it is.

/// UP-10, UP-4: nothing goes to a panel that it does not fit, or of which nothing is known.
#[tokio::test(start_paused = true)]
async fn a_picture_that_may_not_fit_the_panel_is_not_sent() {
    let refused = |bench: Bench| async move {
        let error = failed(bench.run(upload(5).0).await);
        assert!(bench.clock.commands().is_empty());
        assert_eq!(bench.clock.refreshes(), 0);
        // What is the same on every panel works.
        done(bench.run(Request::Clear).await);
        error
    };
    for model in [0x05, 0x06, 0x0C, 0x3F] {
        let bench = with(EpdBuild {
            model,
            ..EpdBuild::newer()
        });
        assert_eq!(refused(bench).await, ClockError::PanelMismatch { model });
    }
    for version in [None, Some(0x15)] {
        let bench = with(EpdBuild {
            version,
            ..EpdBuild::legacy()
        });
        assert_eq!(refused(bench).await.code(), "firmware-too-old");
    }
    let silent = with(EpdBuild::newer());
    silent.clock.order(Fault::Notification {
        which: NotificationKind::Configuration,
        how: NotificationFault::Lost,
    });
    assert_eq!(refused(silent).await, ClockError::PanelUnsaid);
}

#[tokio::test(start_paused = true)]
async fn a_clock_that_says_late_what_it_is_is_waited_for() {
    let bench = with(EpdBuild::legacy());
    for which in [NotificationKind::Configuration, NotificationKind::Terms] {
        bench.clock.order(Fault::Notification {
            which,
            how: NotificationFault::Late(Duration::from_millis(1500)),
        });
    }
    let (request, sent) = upload(6);
    let report = done(bench.run(request).await);
    bench.assert_shows(&sent);
    assert_eq!(report.packets, 126);
}

/// BLE-18: a clock that never says what it takes gets what every link carries.
#[tokio::test(start_paused = true)]
async fn without_a_word_of_it_packets_are_the_smallest() {
    let bench = with(EpdBuild::newer());
    bench.clock.order(Fault::Notification {
        which: NotificationKind::Terms,
        how: NotificationFault::Lost,
    });
    let (request, sent) = upload(7);
    // The build takes run lengths but has not said so: it would not understand the older flags.
    done(bench.run(request).await);
    let shown = bench.clock.screen().inks == unpack(&sent);
    assert!(!shown, "the simulation is too lenient");
    let legacy = with(EpdBuild::legacy());
    legacy.clock.order(Fault::Notification {
        which: NotificationKind::Terms,
        how: NotificationFault::Lost,
    });
    let report = done(legacy.run(upload(7).0).await);
    legacy.assert_shows(&sent);
    assert_eq!(report.packets, 1 + 834 + 834 + 1);
}

// The link changes or goes.

/// BLE-7: what is cut for more than the link carries now is of no use; the parts do not say where
/// they belong, so that the picture starts over.
#[tokio::test(start_paused = true)]
async fn a_link_that_carries_less_on_the_way_starts_the_picture_over() {
    for build in [EpdBuild::newer(), EpdBuild::legacy()] {
        for percent in [0, 30, 50, 99] {
            let bench = with(build);
            bench.clock.order(Fault::MtuChanges { percent, mtu: 100 });
            let (request, sent) = upload(8);
            let report = done(bench.run(request).await);
            bench.assert_shows(&sent);
            assert_eq!(bench.clock.long_writes(), 0);
            assert_eq!(bench.clock.links_made(), 1);
            assert_eq!(report.data_bytes, 30_000);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_link_that_carries_more_on_the_way_goes_on() {
    let bench = bench_with(
        ClockSpec {
            mtu: 100,
            ..spec(EpdBuild::newer())
        },
        SessionConfig::default(),
    );
    bench.clock.order(Fault::MtuChanges {
        percent: 40,
        mtu: 247,
    });
    let (request, sent) = upload(9);
    let report = done(bench.run(request).await);
    bench.assert_shows(&sent);
    assert_eq!(report.packets_resent, 0);
    // 95 bytes in each packet, to the end.
    assert_eq!(report.packets, 1 + 158 + 158 + 1);
}

#[tokio::test(start_paused = true)]
async fn a_lost_link_starts_the_picture_over() {
    for how in [
        WriteFault::LostBefore,
        WriteFault::LostAfter,
        WriteFault::Hangs,
    ] {
        for at in [
            Moment::Command,
            Moment::Percent(0),
            Moment::Percent(37),
            Moment::Percent(50),
            Moment::Percent(99),
        ] {
            let bench = with(EpdBuild::newer());
            bench.clock.order(write_fault(at, how));
            let (request, sent) = upload(10);
            let report = done(bench.run(request).await);
            bench.assert_shows(&sent);
            assert_eq!(report.reconnects, 1, "{at:?} {how:?}");
            assert_eq!(report.data_bytes, 30_000);
            assert_eq!(bench.clock.refreshes(), 1);
        }
    }
}

/// A part that may have been taken is not sent twice: the picture starts over, on the same link.
#[tokio::test(start_paused = true)]
async fn a_part_whose_answer_is_lost_starts_the_picture_over() {
    for build in [EpdBuild::newer(), EpdBuild::legacy()] {
        let bench = with(build);
        let half = Moment::Percent(50);
        bench.clock.order(write_fault(half, WriteFault::AnswerLost));
        let (request, sent) = upload(11);
        let report = done(bench.run(request).await);
        bench.assert_shows(&sent);
        assert_eq!((report.reconnects, report.data_bytes), (0, 30_000));
        let inits = bench.clock.commands().iter().filter(|c| **c == [1]).count();
        assert_eq!(inits, 2);
        assert_eq!(bench.clock.links_made(), 1);
        // A second time is one too many.
        bench
            .clock
            .order_times(write_fault(half, WriteFault::AnswerLost), 2);
        let error = failed(bench.run(upload(12).0).await);
        assert_eq!(error.code(), "link-lost");
        bench.assert_usable().await;
    }
}

/// A write that surely was not taken is repeated in its place.
#[tokio::test(start_paused = true)]
async fn a_refused_part_is_repeated_where_it_was() {
    for build in [EpdBuild::newer(), EpdBuild::legacy()] {
        let bench = with(build);
        for percent in [0, 20, 50, 90] {
            bench
                .clock
                .order(write_fault(Moment::Percent(percent), WriteFault::Error));
        }
        let (request, sent) = upload(11);
        let report = done(bench.run(request).await);
        bench.assert_shows(&sent);
        assert_eq!(report.packets, 126);
        assert_eq!(report.packets_resent, 4);
    }
}

/// UP-4: what is on its way has not arrived.
#[tokio::test(start_paused = true)]
async fn what_was_not_acknowledged_is_not_counted_as_taken() {
    let bench = with(EpdBuild::newer());
    bench
        .clock
        .order_times(write_fault(Moment::Trigger, WriteFault::Error), 3);
    let outcome = bench.run(upload(12).0).await;
    // The 51st and the 102nd packet were answered.
    assert_eq!(outcome.report().packets, 1 + 102);
    assert!(outcome.report().data_bytes < 25_000);
    assert_eq!(failed(outcome).code(), "write-refused");
    assert_eq!(bench.clock.refreshes(), 0);
    bench.assert_usable().await;
}

/// UP-3: the screen stays grey when the link goes during the redraw, and Regie does not say that
/// it worked.
#[tokio::test(start_paused = true)]
async fn a_link_that_goes_during_the_redraw_is_said() {
    let bench = with(EpdBuild::newer());
    bench.clock.order(Fault::DropWhileRefreshing {
        after: Duration::from_secs(5),
    });
    let (request, _) = upload(13);
    let doubt = unknown(bench.run(request).await);
    assert_eq!(doubt, Doubt::LostWhileRefreshing);
    let grey = bench.clock.screen().inks;
    assert_eq!(grey.iter().filter(|ink| **ink == BLACK).count(), 60_000);
    assert!(!bench.clock.is_refreshing());
    bench.assert_usable().await;
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_picture_leaves_the_clock_usable() {
    for build in [EpdBuild::newer(), EpdBuild::legacy()] {
        for model in [0x02, 0x03] {
            let bench = with(EpdBuild { model, ..build });
            let operation = bench.session.submit(Job::new(upload(14).0));
            let mut progress = operation.progress();
            progress
                .wait_for(|p| p.stage == Stage::Sending && p.packets_done > 20)
                .await
                .unwrap();
            operation.cancel();
            let outcome = operation.outcome().await;
            assert!(matches!(outcome, Outcome::Cancelled { .. }), "{outcome:?}");
            assert_eq!(bench.clock.refreshes(), 0);
            bench.assert_usable().await;
            assert_eq!(bench.clock.links_made(), 1);
        }
    }
}

/// UP-6: the firmware does not say which parts have come. One that was lost on the way spoils its
/// picture, but none after it.
#[tokio::test(start_paused = true)]
async fn a_part_that_vanishes_spoils_no_later_picture() {
    let bench = with(EpdBuild::newer());
    bench
        .clock
        .order(write_fault(Moment::Percent(30), WriteFault::Vanishes));
    let (request, sent) = upload(15);
    done(bench.run(request).await);
    assert!(bench.clock.screen().inks != unpack(&sent));
    bench.assert_usable().await;
}

/// Over the events of a radio, in which writes without an answer share them.
#[tokio::test(start_paused = true)]
async fn a_picture_arrives_over_the_radio_many_packets_in_an_event() {
    for build in [EpdBuild::newer(), EpdBuild::legacy()] {
        for mtu in [23, 100, 247] {
            let interval = Duration::from_millis(30);
            let timing = Timing {
                link: LinkModel::Radio(Radio::of_interval(interval)),
                ..awake().timing
            };
            let spec = ClockSpec {
                mtu,
                timing,
                ..spec(build)
            };
            let bench = bench_with(spec, SessionConfig::default());
            let (request, sent) = upload(17);
            let report = done(bench.run(request).await);
            bench.assert_shows(&sent);
            let sending = report.duration_ms - KEPT;
            let one_each = report.packets * 30;
            assert!(sending < one_each, "{sending} ms at MTU {mtu}");
        }
    }
}

/// UP-1: progress counts what is on its way and never goes back within one attempt.
#[tokio::test(start_paused = true)]
async fn progress_counts_parts_without_an_answer() {
    let bench = with(EpdBuild::legacy());
    let operation = bench.session.submit(Job::new(upload(16).0));
    let mut progress = operation.progress();
    let mut counted = Vec::new();
    while progress.changed().await.is_ok() {
        let now = progress.borrow_and_update().clone();
        if now.stage == Stage::Sending && now.packets_total == 126 {
            counted.push(now.packets_done);
        }
        if now.stage == Stage::Ended {
            break;
        }
    }
    done(operation.outcome().await);
    assert!(counted.is_sorted());
    // Not only when one is answered.
    let longest = counted.windows(2).map(|pair| pair[1] - pair[0]).max();
    assert!(longest < Some(10), "{counted:?}");
}

// Everything at once.

/// Whatever the link carries and whatever goes wrong once or twice: done means that exactly this
/// is shown, anything else means that it was said, and the clock is usable.
#[test]
fn random_faults_never_show_another_picture_than_the_one_reported() {
    for seed in 0..250 {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .start_paused(true)
            .build()
            .unwrap();
        let run = std::panic::AssertUnwindSafe(|| runtime.block_on(one_run(seed)));
        assert!(
            std::panic::catch_unwind(run).is_ok(),
            "the run of seed {seed} failed"
        );
    }
}

async fn one_run(seed: u64) {
    let mut random = fastrand::Rng::with_seed(seed);
    let build = *random
        .choice(&[EpdBuild::newer(), EpdBuild::legacy()])
        .unwrap();
    let timing = Timing {
        link: LinkModel::Fixed(Duration::from_millis(random.u64(0..30))),
        refresh: Duration::from_millis(random.u64(500..24_000)),
        ..awake().timing
    };
    let spec = ClockSpec {
        mtu: random.u16(23..=247),
        timing,
        ..spec(EpdBuild {
            model: *random.choice(&[0x02, 0x03]).unwrap(),
            ..build
        })
    };
    let bench = bench_with(spec, SessionConfig::default());
    for _ in 0..random.usize(0..4) {
        bench.clock.order(fault(&mut random));
    }
    let sent = if random.bool() {
        drawing()
    } else {
        picture(PictureSize::Full, random.u8(..))
    };
    let outcome = bench.run(Request::Picture(sent.clone())).await;
    assert_eq!(bench.clock.long_writes(), 0);
    match &outcome {
        Outcome::Done(report) => {
            bench.assert_shows(&sent);
            assert_eq!(report.data_bytes, 30_000);
            assert!(bench.clock.refreshes() >= 1);
        }
        Outcome::Failed { .. } | Outcome::Cancelled { .. } => {
            assert_eq!(bench.clock.refreshes(), 0, "{outcome:?}");
        }
        Outcome::Unknown { .. } => {}
    }
    // Faults that were shown already may still take effect, such as a late drop.
    sleep(Duration::from_secs(31)).await;
    bench.assert_usable().await;
    let polarity = bench.clock.planes();
    let expected = picture(PictureSize::Full, 77);
    let red: Vec<u8> = expected.plane(Plane::Red).iter().map(|b| !b).collect();
    assert!(polarity.1 == red, "the red plane has another polarity");
}

fn fault(random: &mut fastrand::Rng) -> Fault {
    let at = match random.u8(0..6) {
        0 => Moment::Trigger,
        1 => Moment::Command,
        _ => Moment::Percent(random.u8(0..100)),
    };
    match random.u8(0..10) {
        0 => Fault::ConnectFails,
        1 => Fault::DiscoveryIncomplete,
        2 => Fault::DropWhileRefreshing {
            after: Duration::from_millis(random.u64(0..30_000)),
        },
        3 | 4 => Fault::MtuChanges {
            percent: random.u8(0..100),
            mtu: random.u16(23..=247),
        },
        5 => Fault::Notification {
            which: NotificationKind::Terms,
            how: NotificationFault::Late(Duration::from_millis(random.u64(0..4_000))),
        },
        6 => Fault::Notification {
            which: *random
                .choice(&[NotificationKind::Terms, NotificationKind::Configuration])
                .unwrap(),
            how: NotificationFault::Doubled,
        },
        _ => {
            let how = *random
                .choice(&[
                    WriteFault::Error,
                    WriteFault::Hangs,
                    WriteFault::LostBefore,
                    WriteFault::LostAfter,
                    WriteFault::AnswerLost,
                ])
                .unwrap();
            write_fault(at, how)
        }
    }
}
