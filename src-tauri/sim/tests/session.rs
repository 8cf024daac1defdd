//! What a session promises when nothing goes wrong.

// The helpers below end a test as an assertion does.
#![allow(clippy::panic)]

mod common;

use std::time::Duration;

use common::{Bench, awake, bench_with, picture, session_on, set_face};
use regie_clock::session::{Refresh, limits};
use regie_clock::{
    ClockError, ClockTime, Countdown, CountdownDate, CountdownStyle, Face, Job, LinkState, Outcome,
    PictureSize, QuietHours, Report, Request, SessionConfig, Stage, TextBitmap, Toggle,
};
use regie_sim::{
    ClockSpec, Fault, Mode, Moment, SimulatedAdapter, SimulatedClock, Timing, WriteFault,
};
use tokio::time::{Instant, sleep};

fn ready() -> Bench {
    bench_with(awake(), SessionConfig::default())
}

fn done(outcome: Outcome) -> Report {
    match outcome {
        Outcome::Done(report) => report,
        other => panic!("not done: {other:?}"),
    }
}

/// UP-4: success means that every byte was taken and the redraw acknowledged.
#[tokio::test(start_paused = true)]
async fn a_picture_arrives_whole_and_is_shown() {
    let bench = ready();
    let sent = picture(PictureSize::Full, 1);
    let job = Job::new(Request::Picture(sent.clone())).then(set_face(Face::Picture));
    let report = done(bench.session.submit(job).outcome().await);
    assert_eq!(report.data_bytes, 30_000);
    assert_eq!(report.packets, 128);
    assert_eq!(report.packets_resent, 0);
    assert_eq!(report.mtu, 247);
    assert_eq!(report.refresh, Refresh::Confirmed);
    assert!(report.duration_ms > 127 * 30);
    let clock = report.clock.unwrap();
    assert!(clock.simulated);
    assert_eq!(clock.address, bench.clock.address());
    bench.assert_shows(&sent);
    assert_eq!(bench.clock.mode(), Mode::Picture);
    assert_eq!(bench.clock.long_writes(), 0);
}

#[tokio::test(start_paused = true)]
async fn every_request_has_its_effect() {
    let bench = ready();
    let run = |request| async { done(bench.run(request).await) };
    let time = ClockTime::at(1_786_250_096, &"Asia/Kathmandu".parse().unwrap()).unwrap();
    run(Request::SetTime(time)).await;
    let shown = bench.clock.local_epoch();
    let local = 1_786_250_096 + 345 * 60;
    assert!((local..local + 60).contains(&shown));
    assert_eq!(bench.clock.weekday(), Some(7));
    run(set_face(Face::Calendar1)).await;
    assert_eq!(bench.clock.mode(), Mode::Calendar);
    run(set_face(Face::Clock1)).await;
    assert_eq!(bench.clock.mode(), Mode::Clock);
    for toggle in [Toggle::Invert, Toggle::Rotate180, Toggle::ClockColor] {
        run(Request::Toggle(toggle)).await;
    }
    assert!(bench.clock.is_inverted() && bench.clock.is_rotated() && bench.clock.has_red_accent());
    run(Request::QuietHours(QuietHours::new(true, 23, 6).unwrap())).await;
    assert_eq!(bench.clock.quiet_hours(), Some((23, 6)));
    run(Request::QuietHours(QuietHours::new(false, 23, 6).unwrap())).await;
    assert_eq!(bench.clock.quiet_hours(), None);
    for cells in 1..=8 {
        let bits: Vec<u8> = (0..32 * cells).map(|i| (i * 7 + cells) as u8).collect();
        let text = TextBitmap::new(CountdownStyle::Clock, cells, bits.clone()).unwrap();
        run(Request::Countdown(Countdown::with_text(
            text,
            CountdownDate::new(2027, 1, 31).unwrap(),
        )))
        .await;
        assert_eq!(bench.clock.countdown(), Some((2027, 1, 31)));
        let (kept_cells, kept) = bench.clock.countdown_text();
        assert_eq!(kept_cells, cells);
        // The last byte of each part is never sent.
        let sent = |i: &usize| *i != bits.len() - 1 && !(cells > 4 && *i == 127);
        assert!(
            (0..bits.len()).filter(sent).all(|i| kept[i] == bits[i]),
            "{cells} cells"
        );
    }
    let bits: Vec<u8> = (0..288).map(|i| (i * 3) as u8).collect();
    let text = TextBitmap::new(CountdownStyle::Calendar, 4, bits.clone()).unwrap();
    run(Request::Countdown(Countdown::with_text(
        text,
        CountdownDate::new(2027, 1, 31).unwrap(),
    )))
    .await;
    assert_eq!(bench.clock.countdown_text(), (4, bits));
    run(Request::CountdownOff).await;
    assert_eq!(bench.clock.countdown(), None);
    run(Request::Toggle(Toggle::Invert)).await;
    run(Request::Toggle(Toggle::Rotate180)).await;
    run(Request::Clear).await;
    assert!(
        bench
            .clock
            .screen()
            .inks
            .iter()
            .all(|ink| *ink == regie_sim::WHITE)
    );
    assert_eq!(bench.clock.unknown_commands(), 0);
    assert_eq!(bench.clock.links_made(), 1);
}

#[tokio::test(start_paused = true)]
async fn progress_goes_through_its_stages_and_counts_packets() {
    let bench = bench_with(ClockSpec::default(), SessionConfig::default());
    // Asleep now, so that it must be waited for.
    sleep(Duration::from_secs(35)).await;
    let operation = bench
        .session
        .submit(Job::new(Request::Picture(picture(PictureSize::Full, 2))));
    let mut progress = operation.progress();
    let mut stages = vec![progress.borrow().stage];
    let mut states = bench.session.state();
    let mut seen_states = Vec::new();
    let mut packets = 0;
    loop {
        tokio::select! {
            changed = progress.changed() => {
                if changed.is_err() { break }
                let now = progress.borrow_and_update().clone();
                if stages.last() != Some(&now.stage) { stages.push(now.stage) }
                if now.stage == Stage::Sending && now.packets_done >= 3 {
                    assert!(now.packets_done >= packets);
                    packets = now.packets_done;
                    assert_eq!(now.packets_total, 127);
                    assert!((7000..9000).contains(&now.bytes_per_second.unwrap()));
                    assert!(now.seconds_left.unwrap() <= 5);
                }
                if now.stage == Stage::Ended { break }
            }
            _ = states.changed() => {
                let name = match &*states.borrow_and_update() {
                    LinkState::Listening { .. } => "listening",
                    LinkState::Connecting { .. } => "connecting",
                    LinkState::Discovering { .. } => "discovering",
                    LinkState::Connected { .. } => "connected",
                    LinkState::Sending { .. } => "sending",
                    LinkState::Refreshing { .. } => "refreshing",
                    _ => "other",
                };
                if seen_states.last() != Some(&name) { seen_states.push(name) }
            }
        }
    }
    use Stage::{
        Connecting, Discovering, Ended, Finishing, Listening, Queued, Refreshing, Sending,
    };
    let expected = [
        Queued,
        Listening,
        Connecting,
        Discovering,
        Sending,
        Finishing,
        Refreshing,
        Ended,
    ];
    assert_eq!(stages, expected);
    assert!(packets >= 125);
    for state in ["connecting", "discovering", "sending", "refreshing"] {
        assert!(
            seen_states.contains(&state),
            "{state} was never shown: {seen_states:?}"
        );
    }
    done(operation.outcome().await);
}

/// A lost link begins them anew, with the next attempt; what follows the first effect never does.
#[tokio::test(start_paused = true)]
async fn the_stages_of_a_job_never_go_backwards() {
    let lost = |at| {
        Some(Fault::Write {
            at,
            how: WriteFault::LostBefore,
        })
    };
    let late = Fault::DropWhileRefreshing {
        after: Duration::from_secs(5),
    };
    let firsts = [
        Request::Picture(picture(PictureSize::Full, 2)),
        Request::SetTime(ClockTime::at(1_786_250_096, &"8".parse().unwrap()).unwrap()),
    ];
    let lasts = [
        set_face(Face::Picture),
        set_face(Face::Calendar1),
        Request::Toggle(Toggle::Invert),
    ];
    let faults = [
        None,
        Some(late),
        lost(Moment::Percent(50)),
        lost(Moment::Command),
        lost(Moment::Trigger),
    ];
    for (first, last) in firsts
        .iter()
        .flat_map(|first| lasts.iter().map(move |last| (first, last)))
    {
        for fault in faults {
            let bench = ready();
            if let Some(fault) = fault {
                bench.clock.order(fault);
            }
            let job = Job::new(first.clone())
                .then(last.clone())
                .then(set_face(Face::Clock1));
            let operation = bench.session.submit(job);
            let mut progress = operation.progress();
            let mut before = progress.borrow_and_update().clone();
            let mut refreshed = false;
            let mut seen = vec![before.stage];
            while before.stage != Stage::Ended {
                progress.changed().await.unwrap();
                let now = progress.borrow_and_update().clone();
                if now.stage != before.stage {
                    seen.push(now.stage);
                }
                refreshed |= before.stage == Stage::Refreshing;
                let right = if refreshed {
                    matches!(
                        now.stage,
                        Stage::Refreshing | Stage::Finishing | Stage::Ended
                    )
                } else {
                    rank(now.stage) >= rank(before.stage) || now.attempt > before.attempt
                };
                let back = before.stage == Stage::Finishing && now.stage == Stage::Refreshing;
                assert!(
                    right && !(refreshed && back),
                    "{} {} {fault:?}: {seen:?}",
                    first.name(),
                    last.name()
                );
                before = now;
            }
            assert!(refreshed);
        }
    }
}

/// The place of a stage in the course of one task.
fn rank(stage: Stage) -> Option<usize> {
    [
        Stage::Queued,
        Stage::Listening,
        Stage::Connecting,
        Stage::Discovering,
        Stage::Sending,
        Stage::Finishing,
        Stage::Refreshing,
        Stage::Ended,
    ]
    .iter()
    .position(|known| *known == stage)
}

/// BLE-13: the list comes from what is heard, strongest first.
#[tokio::test(start_paused = true)]
async fn a_scan_lists_the_clocks_strongest_first() {
    let clock = |tail, rssi| {
        SimulatedClock::new(ClockSpec {
            tail,
            rssi,
            ..awake()
        })
    };
    let clocks = vec![clock(1, -80), clock(2, -40), clock(3, -60)];
    let adapter = SimulatedAdapter::new(clocks.clone());
    let session = session_on(&adapter, SessionConfig::default());
    let mut heard = session.heard();
    let found = session.scan(Duration::from_secs(5)).await.unwrap();
    let strengths: Vec<_> = found.iter().map(|clock| clock.rssi.unwrap()).collect();
    assert_eq!(strengths, [-40, -60, -80]);
    assert!(
        found
            .iter()
            .all(|clock| clock.simulated && clock.name.starts_with("NRF-"))
    );
    assert_eq!(*heard.borrow_and_update(), found);
    // A connected clock does not advertise, but is listed.
    let job = Job::new(set_face(Face::Clock1)).on(Some(clocks[2].address()));
    done(session.submit(job).outcome().await);
    let found = session.scan(Duration::from_secs(5)).await.unwrap();
    assert_eq!(found.len(), 3);
    assert!(
        found
            .iter()
            .any(|clock| clock.connected && clock.address == clocks[2].address())
    );
}

#[tokio::test(start_paused = true)]
async fn a_scan_that_nobody_waits_for_ends() {
    let bench = ready();
    let scan = tokio::time::timeout(
        Duration::from_secs(1),
        bench.session.scan(Duration::from_secs(100)),
    );
    assert!(scan.await.is_err());
    let asked = Instant::now();
    done(bench.run(set_face(Face::Picture)).await);
    assert!(asked.elapsed() < Duration::from_secs(60));
}

/// The order: the job's clock, the default clock, the first one heard.
#[tokio::test(start_paused = true)]
async fn the_target_is_the_jobs_or_the_default_or_the_first_heard() {
    let clock = |tail| SimulatedClock::new(ClockSpec { tail, ..awake() });
    let clocks = vec![clock(1), clock(2)];
    let adapter = SimulatedAdapter::new(clocks.clone());
    let session = session_on(&adapter, SessionConfig::default());
    let face = || Job::new(set_face(Face::Clock1));
    let report = done(session.submit(face()).outcome().await);
    let first = report.clock.unwrap().address;
    let other = clocks
        .iter()
        .map(SimulatedClock::address)
        .find(|a| *a != first)
        .unwrap();
    session.set_default_target(Some(other.clone()));
    let report = done(session.submit(face()).outcome().await);
    assert_eq!(report.clock.unwrap().address, other);
    let report = done(
        session
            .submit(face().on(Some(first.clone())))
            .outcome()
            .await,
    );
    assert_eq!(report.clock.unwrap().address, first);
    // One link at a time (BLE-20).
    assert_eq!(
        clocks.iter().filter(|clock| clock.is_connected()).count(),
        1
    );
}

/// Whatever becomes of the default clock meanwhile, with a link that holds or one made anew.
#[tokio::test(start_paused = true)]
async fn a_job_without_target_stays_on_the_clock_it_began_on() {
    let lost_while = |at| Fault::Write {
        at,
        how: WriteFault::LostBefore,
    };
    let late = Fault::DropWhileRefreshing {
        after: Duration::from_secs(5),
    };
    let faults = [
        None,
        Some(late),
        Some(lost_while(Moment::Percent(90))),
        Some(lost_while(Moment::Command)),
    ];
    for fault in faults {
        for (at_first, later) in [(false, true), (true, false), (true, true)] {
            let clock = |tail| SimulatedClock::new(ClockSpec { tail, ..awake() });
            let (own, other) = (clock(1), clock(2));
            // The one that is heard first when nobody says which.
            let clocks = if at_first {
                vec![other.clone(), own.clone()]
            } else {
                vec![own.clone(), other.clone()]
            };
            let config = SessionConfig {
                default_target: at_first.then(|| own.address()),
                ..SessionConfig::default()
            };
            let session = session_on(&SimulatedAdapter::new(clocks), config);
            if let Some(fault) = fault {
                own.order(fault);
            }
            let job = Job::new(Request::Picture(picture(PictureSize::Full, 1)))
                .then(set_face(Face::Picture));
            let operation = session.submit(job);
            let mut progress = operation.progress();
            progress
                .wait_for(|progress| progress.packets_done > 20)
                .await
                .unwrap();
            session.set_default_target(later.then(|| other.address()));
            let report = done(operation.outcome().await);
            assert_eq!(report.clock.unwrap().address, own.address());
            assert_eq!(other.links_made(), 0, "{fault:?} {at_first} {later}");
            assert_eq!(own.commands(), [[0xE1, 0x00]]);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn an_unused_link_is_let_go_when_another_clock_is_chosen() {
    let clock = |tail| SimulatedClock::new(ClockSpec { tail, ..awake() });
    let (first, second) = (clock(1), clock(2));
    let (own, other) = (first.address(), second.address());
    let adapter = SimulatedAdapter::new(vec![first.clone(), second]);
    let session = session_on(&adapter, SessionConfig::default());
    let job = || Job::new(set_face(Face::Picture)).on(Some(own.clone()));
    let moment = || sleep(Duration::from_millis(1));
    done(session.submit(job()).outcome().await);
    // Neither the same clock nor none is another one.
    for same in [Some(own.clone()), None] {
        session.set_default_target(same);
        moment().await;
        assert!(first.is_connected());
    }
    session.set_default_target(Some(other.clone()));
    moment().await;
    assert!(!first.is_connected());
    assert_eq!(*session.state().borrow(), LinkState::Asleep);
    assert_eq!(session.idle_for(), None);
    // A job that asks for another clock than the default has its link kept, as any other.
    done(session.submit(job()).outcome().await);
    moment().await;
    assert!(first.is_connected());
    // Chosen while the link is used: after that.
    session.set_default_target(Some(own.clone()));
    let long = Job::new(Request::Picture(picture(PictureSize::Full, 1)));
    let operation = session.submit(long);
    sleep(Duration::from_secs(1)).await;
    session.set_default_target(Some(other));
    done(operation.outcome().await);
    moment().await;
    assert!(!first.is_connected());
    assert_eq!(*session.state().borrow(), LinkState::Asleep);
}

/// UP-13: the link is let go after 300 s without use, and made anew on demand.
#[tokio::test(start_paused = true)]
async fn an_idle_link_is_let_go() {
    let bench = ready();
    done(bench.run(set_face(Face::Clock1)).await);
    sleep(Duration::from_secs(299)).await;
    assert!(bench.clock.is_connected());
    assert_eq!(
        bench.session.idle_for().map(|idle| idle.as_secs()),
        Some(299)
    );
    sleep(Duration::from_secs(2)).await;
    assert!(!bench.clock.is_connected());
    assert_eq!(*bench.session.state().borrow(), LinkState::Asleep);
    assert_eq!(bench.session.idle_for(), None);
    bench.assert_usable().await;
    assert_eq!(bench.clock.links_made(), 2);
}

#[tokio::test(start_paused = true)]
async fn use_puts_the_letting_go_off() {
    let bench = ready();
    for _ in 0..5 {
        done(bench.run(set_face(Face::Picture)).await);
        sleep(Duration::from_secs(250)).await;
    }
    assert_eq!(bench.clock.links_made(), 1);
}

#[tokio::test(start_paused = true)]
async fn an_idle_timeout_of_zero_lets_go_after_each_operation() {
    let config = SessionConfig {
        idle_timeout: Duration::ZERO,
        ..SessionConfig::default()
    };
    let bench = bench_with(awake(), config);
    for links in 1..=3 {
        done(bench.run(set_face(Face::Picture)).await);
        assert!(!bench.clock.is_connected());
        assert_eq!(bench.clock.links_made(), links);
    }
}

#[tokio::test(start_paused = true)]
async fn a_changed_idle_timeout_applies_at_once() {
    let bench = ready();
    done(bench.run(set_face(Face::Picture)).await);
    sleep(Duration::from_secs(100)).await;
    bench.session.set_idle_timeout(Duration::from_secs(30));
    sleep(Duration::from_millis(1)).await;
    assert!(!bench.clock.is_connected());
    bench.session.set_idle_timeout(Duration::MAX);
    done(bench.run(set_face(Face::Picture)).await);
    sleep(Duration::from_secs(100_000)).await;
    assert!(bench.clock.is_connected());
}

#[tokio::test(start_paused = true)]
async fn an_idle_link_that_is_lost_is_noticed() {
    let bench = ready();
    done(bench.run(set_face(Face::Clock1)).await);
    bench.clock.cut_link();
    sleep(Duration::from_millis(1)).await;
    assert_eq!(*bench.session.state().borrow(), LinkState::Asleep);
}

#[tokio::test(start_paused = true)]
async fn fifty_operations_in_a_row_share_a_link() {
    let bench = ready();
    for round in 0..50 {
        let outcome = match round % 5 {
            0 => {
                bench
                    .run(Request::Picture(picture(PictureSize::Full, round)))
                    .await
            }
            1 => {
                bench
                    .run(Request::Picture(picture(PictureSize::Small, round)))
                    .await
            }
            2 => bench.run(Request::Toggle(Toggle::Invert)).await,
            3 => bench.run(set_face(Face::Clock1)).await,
            _ => {
                bench
                    .run(Request::QuietHours(
                        QuietHours::new(true, round % 24, 6).unwrap(),
                    ))
                    .await
            }
        };
        done(outcome);
    }
    assert_eq!(bench.clock.links_made(), 1);
    assert!(!bench.clock.is_inverted());
    assert_eq!(bench.clock.unknown_commands(), 0);
}

#[tokio::test(start_paused = true)]
async fn operations_run_in_the_order_they_were_submitted() {
    let bench = ready();
    let faces = [Face::Clock1, Face::Calendar1, Face::Clock1, Face::Picture];
    let operations: Vec<_> = faces
        .iter()
        .map(|face| bench.session.submit(Job::new(set_face(*face))))
        .collect();
    for operation in &operations {
        done(operation.outcome().await);
    }
    let modes: Vec<u8> = bench
        .clock
        .commands()
        .iter()
        .filter(|c| c[0] == 0xE1)
        .map(|c| c[1])
        .collect();
    assert_eq!(modes, [2, 1, 2, 0]);
}

#[tokio::test(start_paused = true)]
async fn what_is_wrong_with_a_request_is_said_before_any_link_is_made() {
    let bench = ready();
    let job = Job::new(set_face(Face::Clock1)).then(set_face(Face::Clock3));
    let Outcome::Failed { error, .. } = bench.session.submit(job).outcome().await else {
        panic!()
    };
    assert_eq!(
        error,
        ClockError::CodeUnknown {
            name: "clock3".to_owned()
        }
    );
    assert_eq!(bench.clock.links_made(), 0);
}

#[tokio::test(start_paused = true)]
async fn the_queue_has_a_bound() {
    let bench = ready();
    let submit = || bench.session.submit(Job::new(set_face(Face::Picture)));
    let operations: Vec<_> = (0..=limits::QUEUE_LIMIT).map(|_| submit()).collect();
    let Some(Outcome::Failed { error, .. }) = operations[limits::QUEUE_LIMIT].ended() else {
        panic!()
    };
    assert_eq!(
        error,
        ClockError::QueueFull {
            limit: limits::QUEUE_LIMIT
        }
    );
    for operation in &operations[..limits::QUEUE_LIMIT] {
        done(operation.outcome().await);
    }
}

#[tokio::test(start_paused = true)]
async fn what_was_withdrawn_keeps_no_place_in_the_queue() {
    let bench = ready();
    let first = bench
        .session
        .submit(Job::new(Request::Picture(picture(PictureSize::Full, 1))));
    sleep(Duration::from_secs(1)).await;
    let mut withdrawn = Vec::new();
    for _ in 0..2 * limits::QUEUE_LIMIT {
        let operation = bench
            .session
            .submit(Job::new(Request::Toggle(Toggle::Invert)));
        operation.cancel();
        withdrawn.push(operation);
        let scan = bench.session.scan(Duration::from_secs(100));
        let given_up = tokio::time::timeout(Duration::from_millis(1), scan).await;
        assert!(given_up.is_err(), "{given_up:?}");
    }
    let faces: Vec<_> = (0..limits::QUEUE_LIMIT)
        .map(|_| bench.session.submit(Job::new(set_face(Face::Picture))))
        .collect();
    // What waits keeps its place, and the bound holds.
    let Outcome::Failed { error, .. } = bench.run(Request::Clear).await else {
        panic!()
    };
    assert_eq!(error.code(), "queue-full");
    // One that is withdrawn in their midst makes room, and the others keep their order.
    faces[3].cancel();
    let last = bench.session.submit(Job::new(set_face(Face::Calendar1)));
    done(first.outcome().await);
    for (index, face) in faces.iter().enumerate() {
        if index != 3 {
            done(face.outcome().await);
        }
    }
    done(last.outcome().await);
    assert_eq!(bench.clock.mode(), Mode::Calendar);
    assert!(!bench.clock.is_inverted());
    for operation in withdrawn.iter().chain([&faces[3]]) {
        assert!(matches!(
            operation.outcome().await,
            Outcome::Cancelled { .. }
        ));
        assert_eq!(operation.progress().borrow().stage, Stage::Ended);
    }
}

#[tokio::test(start_paused = true)]
async fn a_shutdown_finishes_what_is_queued_and_lets_the_link_go() {
    let bench = ready();
    let first = bench
        .session
        .submit(Job::new(Request::Picture(picture(PictureSize::Full, 1))));
    let second = bench.session.submit(Job::new(set_face(Face::Picture)));
    sleep(Duration::from_secs(1)).await;
    bench.session.shutdown(Duration::from_secs(120)).await;
    done(first.outcome().await);
    done(second.outcome().await);
    assert!(!bench.clock.is_connected());
    assert_eq!(*bench.session.state().borrow(), LinkState::Closed);
    let Outcome::Failed { error, .. } = bench.run(Request::Clear).await else {
        panic!()
    };
    assert_eq!(error, ClockError::SessionClosed);
    assert_eq!(
        bench.session.scan(Duration::from_secs(1)).await,
        Err(ClockError::SessionClosed)
    );
}

#[tokio::test(start_paused = true)]
async fn a_shutdown_without_grace_cancels() {
    let bench = ready();
    let first = bench
        .session
        .submit(Job::new(Request::Picture(picture(PictureSize::Full, 1))));
    let second = bench.session.submit(Job::new(Request::Clear));
    sleep(Duration::from_secs(3)).await;
    let asked = Instant::now();
    bench.session.shutdown(Duration::ZERO).await;
    assert!(asked.elapsed() <= Duration::from_secs(2));
    assert!(matches!(first.outcome().await, Outcome::Cancelled { .. }));
    assert!(matches!(second.outcome().await, Outcome::Cancelled { .. }));
    assert!(!bench.clock.is_connected());
}

#[tokio::test(start_paused = true)]
async fn dropping_the_last_handle_lets_the_link_go() {
    let Bench { clock, session, .. } = ready();
    done(
        session
            .submit(Job::new(set_face(Face::Picture)))
            .outcome()
            .await,
    );
    drop(session);
    sleep(Duration::from_millis(1)).await;
    assert!(!clock.is_connected());
}

/// A demo upload takes a few seconds, so that it can be watched, and no longer.
#[tokio::test(start_paused = true)]
async fn the_demo_clocks_are_quick_but_not_instant() {
    let adapter = SimulatedAdapter::demo(1_786_250_096);
    assert_eq!(adapter.clocks().len(), 3);
    let session = session_on(&adapter, SessionConfig::default());
    let job = Job::new(Request::Picture(picture(PictureSize::Full, 1)));
    let report = done(session.submit(job).outcome().await);
    assert!((4_000..12_000).contains(&report.duration_ms), "{report:?}");
    assert!(Timing::demo().awake * 10 > Timing::demo().period * 8);
}
