//! Every fault a clock can show: the outcome is the true one, and the clock is usable afterwards.

// The helpers below end a test as an assertion does.
#![allow(clippy::panic)]

mod common;

use std::time::Duration;

use common::{Bench, awake, bench_with, picture, session_on, set_face};
use regie_clock::session::{Doubt, Refresh};
use regie_clock::{
    Address, ClockError, ClockTime, Face, Job, LinkState, Outcome, PictureSize, Report, Request,
    SessionConfig, Stage, Toggle, Unavailable,
};
use regie_sim::{
    ClockSpec, Fault, LinkModel, Moment, NotificationFault, NotificationKind, Radio,
    SimulatedAdapter, SimulatedClock, Timing, WriteFault,
};

fn ready() -> Bench {
    bench_with(awake(), SessionConfig::default())
}

fn upload() -> Request {
    Request::Picture(picture(PictureSize::Full, 3))
}

const fn write_fault(at: Moment, how: WriteFault) -> Fault {
    Fault::Write { at, how }
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

// Finding and connecting.

/// BLE-8: four different sentences, each with a next step.
#[tokio::test(start_paused = true)]
async fn no_adapter_radio_off_and_no_permission_are_told_apart() {
    let bench = ready();
    let mut texts = Vec::new();
    for (reason, code) in [
        (Unavailable::NoAdapter, "bluetooth-no-adapter"),
        (Unavailable::RadioOff, "bluetooth-off"),
        (Unavailable::PermissionDenied, "bluetooth-not-permitted"),
        (Unavailable::ServiceMissing, "bluetooth-service-missing"),
    ] {
        bench.adapter.set_unavailable(Some(reason));
        let error = failed(bench.run(upload()).await);
        assert_eq!(error.code(), code);
        assert_eq!(
            *bench.session.state().borrow(),
            LinkState::Unavailable { reason }
        );
        assert_eq!(
            bench
                .session
                .scan(Duration::from_secs(5))
                .await
                .unwrap_err(),
            error
        );
        texts.push((error.to_string(), error.hint()));
    }
    texts.dedup();
    assert_eq!(texts.len(), 4);
    bench.assert_usable().await;
}

#[tokio::test(start_paused = true)]
async fn the_radio_switched_off_while_listening_is_said_at_once() {
    let bench = bench_with(ClockSpec::default(), SessionConfig::default());
    tokio::time::sleep(Duration::from_secs(35)).await;
    let operation = bench.session.submit(Job::new(upload()));
    let mut progress = operation.progress();
    progress
        .wait_for(|progress| progress.stage == Stage::Listening)
        .await
        .unwrap();
    bench.adapter.set_unavailable(Some(Unavailable::RadioOff));
    assert_eq!(failed(operation.outcome().await).code(), "bluetooth-off");
    bench.assert_usable().await;
}

/// The seed's 90 s: nothing heard is an error with a hint about sleep.
#[tokio::test(start_paused = true)]
async fn no_clock_near_by_ends_after_the_connect_limit() {
    let adapter = SimulatedAdapter::new(Vec::new());
    let session = session_on(&adapter, SessionConfig::default());
    let started = tokio::time::Instant::now();
    let error = failed(session.submit(Job::new(Request::Clear)).outcome().await);
    assert_eq!(error, ClockError::NotFound { seconds: 90 });
    assert_eq!(error.agent_code().as_str(), "DEVICE_NOT_FOUND");
    assert!(error.hint().contains("sleeps"));
    assert_eq!(started.elapsed().as_secs(), 90);
}

/// BLE-22: a clock that sleeps is waited for, with the seconds left.
#[tokio::test(start_paused = true)]
async fn a_sleeping_clock_is_waited_for() {
    let bench = bench_with(ClockSpec::default(), SessionConfig::default());
    tokio::time::sleep(Duration::from_secs(35)).await;
    let operation = bench.session.submit(Job::new(upload()));
    let mut progress = operation.progress();
    let listening = progress
        .wait_for(|progress| progress.stage == Stage::Listening)
        .await;
    assert_eq!(listening.unwrap().seconds_left, Some(90));
    done(operation.outcome().await);
}

#[tokio::test(start_paused = true)]
async fn another_clock_than_the_wanted_one_is_left_alone() {
    let bench = ready();
    let other = SimulatedClock::new(ClockSpec { tail: 9, ..awake() });
    let job = Job::new(upload()).on(Some(other.address()));
    let error = failed(bench.session.submit(job).outcome().await);
    assert_eq!(
        error,
        ClockError::TargetNotHeard {
            address: other.address(),
            seconds: 90
        }
    );
    assert_eq!(bench.clock.links_made(), 0);
    bench.assert_usable().await;
}

/// BLE-1: heard but not connected is another error than not heard; it is tried again before.
#[tokio::test(start_paused = true)]
async fn a_clock_that_refuses_connections_is_tried_six_times() {
    let bench = ready();
    bench.clock.order_times(Fault::ConnectFails, 6);
    let error = failed(bench.run(upload()).await);
    assert_eq!(error.code(), "clock-connect-failed");
    assert_eq!(error.agent_code().as_str(), "CONNECT_TIMEOUT");
    assert_eq!(bench.clock.faults_left(), 0);
    bench.assert_usable().await;
    bench.session.disconnect().await.unwrap();
    bench.clock.order_times(Fault::ConnectFails, 5);
    done(bench.run(upload()).await);
}

/// BLE-4: the message names the other program or phone.
#[tokio::test(start_paused = true)]
async fn a_clock_held_by_another_program_says_so() {
    let bench = ready();
    bench.clock.order_times(Fault::HeldByAnother, u32::MAX);
    let error = failed(bench.run(upload()).await);
    assert_eq!(error.code(), "clock-connect-failed");
    assert!(
        error
            .hint()
            .contains("Another program or a phone may be connected")
    );
    bench.assert_usable().await;
}

/// BLE-2, BLE-4: a connection that never comes about does not hang, and leaves no link.
#[tokio::test(start_paused = true)]
async fn a_connection_that_hangs_is_given_up_and_tried_anew() {
    let bench = ready();
    bench.clock.order(Fault::ConnectHangs);
    done(bench.run(upload()).await);
    bench.session.disconnect().await.unwrap();
    bench.clock.order_times(Fault::ConnectHangs, u32::MAX);
    let error = failed(bench.run(upload()).await);
    assert_eq!(error.code(), "clock-connect-failed");
    assert!(!bench.clock.is_connected());
    bench.assert_usable().await;
}

/// BLE-2: the phase that bleak forgot.
#[tokio::test(start_paused = true)]
async fn a_discovery_that_is_never_answered_is_given_up_and_tried_anew() {
    let bench = ready();
    bench.clock.order(Fault::DiscoveryHangs);
    done(bench.run(upload()).await);
    assert_eq!(bench.clock.links_made(), 2);
    bench.session.disconnect().await.unwrap();
    bench.clock.order_times(Fault::DiscoveryHangs, u32::MAX);
    let error = failed(bench.run(upload()).await);
    assert_eq!(error.code(), "clock-discovery-timeout");
    assert!(!bench.clock.is_connected());
    bench.assert_usable().await;
}

/// BLE-11: Windows may answer with an incomplete list first.
#[tokio::test(start_paused = true)]
async fn an_incomplete_list_of_services_is_asked_for_again_on_the_same_link() {
    let bench = ready();
    bench.clock.order_times(Fault::DiscoveryIncomplete, 2);
    done(bench.run(upload()).await);
    assert_eq!(bench.clock.links_made(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_device_without_the_characteristics_is_said_to_be_another_kind() {
    let bench = ready();
    bench.clock.order_times(Fault::DiscoveryIncomplete, 3);
    let error = failed(bench.run(upload()).await);
    assert_eq!(error.code(), "clock-characteristics-missing");
    assert!(!bench.clock.is_connected());
    bench.assert_usable().await;
}

/// A clock serves one central: a second one does not even hear it, and gets it afterwards.
#[tokio::test(start_paused = true)]
async fn two_clients_take_turns() {
    let bench = ready();
    done(bench.run(upload()).await);
    let second = session_on(&bench.adapter, SessionConfig::default());
    let error = failed(second.submit(Job::new(Request::Clear)).outcome().await);
    assert_eq!(error.code(), "clock-not-found");
    bench.session.disconnect().await.unwrap();
    done(second.submit(Job::new(Request::Clear)).outcome().await);
    second.disconnect().await.unwrap();
    bench.assert_usable().await;
}

// Notifications.

/// UP-1, UP-2: acknowledgements are optional and never counted.
#[tokio::test(start_paused = true)]
async fn lost_acknowledgements_do_not_matter() {
    let bench = ready();
    for which in [NotificationKind::Accepted, NotificationKind::RefreshDone] {
        let how = NotificationFault::Lost;
        bench
            .clock
            .order_times(Fault::Notification { which, how }, u32::MAX);
    }
    let sent = picture(PictureSize::Full, 4);
    let report = done(bench.run(Request::Picture(sent.clone())).await);
    assert_eq!(report.refresh, Refresh::Assumed);
    assert_eq!(report.packets, 127);
    bench.assert_shows(&sent);
    bench.assert_usable().await;
}

#[tokio::test(start_paused = true)]
async fn doubled_acknowledgements_do_not_matter() {
    let bench = ready();
    for which in [NotificationKind::Accepted, NotificationKind::RefreshDone] {
        let how = NotificationFault::Doubled;
        bench
            .clock
            .order_times(Fault::Notification { which, how }, u32::MAX);
    }
    let report = done(bench.run(upload()).await);
    assert_eq!((report.packets, report.packets_resent), (127, 0));
    bench.assert_usable().await;
}

#[tokio::test(start_paused = true)]
async fn late_acknowledgements_do_not_matter() {
    let bench = ready();
    let how = NotificationFault::Late(Duration::from_millis(1500));
    for which in [NotificationKind::Accepted, NotificationKind::RefreshDone] {
        bench
            .clock
            .order_times(Fault::Notification { which, how }, u32::MAX);
    }
    let report = done(bench.run(upload()).await);
    assert_eq!((report.packets, report.refresh), (127, Refresh::Confirmed));
    bench.assert_usable().await;
}

/// A clock that never says when it has finished is not waited for 30 s each time.
#[tokio::test(start_paused = true)]
async fn a_clock_that_never_confirms_a_redraw_is_waited_for_in_full_only_once() {
    let bench = ready();
    let lost = NotificationFault::Lost;
    let fault = Fault::Notification {
        which: NotificationKind::RefreshDone,
        how: lost,
    };
    bench.clock.order_times(fault, u32::MAX);
    let first = done(bench.run(set_face(Face::Clock1)).await);
    let second = done(bench.run(set_face(Face::Clock1)).await);
    assert!(first.duration_ms >= 30_000);
    assert!((2_000..4_000).contains(&second.duration_ms));
    // A picture sent now meets a clock that still redraws, and waits for it.
    bench.assert_usable().await;
}

// Picture packets.

#[tokio::test(start_paused = true)]
async fn a_rejected_packet_is_sent_again_after_a_wait() {
    let bench = ready();
    let sent = picture(PictureSize::Full, 5);
    bench
        .clock
        .order(write_fault(Moment::Percent(40), WriteFault::Rejected));
    let report = done(bench.run(Request::Picture(sent.clone())).await);
    assert_eq!(report.rejections, 1);
    assert!(report.packets_resent >= 1);
    assert_eq!(report.data_bytes, 30_000);
    bench.assert_shows(&sent);
    bench.assert_usable().await;
}

/// The rejection is about a packet that went long before; nothing is missing on the screen.
#[tokio::test(start_paused = true)]
async fn a_late_rejection_still_finds_its_packet() {
    let bench = ready();
    for percent in [0, 50, 97] {
        let sent = picture(PictureSize::Full, percent);
        let how = NotificationFault::Late(Duration::from_millis(900));
        bench.clock.order(Fault::Notification {
            which: NotificationKind::Rejected,
            how,
        });
        bench
            .clock
            .order(write_fault(Moment::Percent(percent), WriteFault::Rejected));
        let report = done(bench.run(Request::Picture(sent.clone())).await);
        // One that comes after the trigger makes the picture start over, while the clock is busy.
        assert!(report.rejections >= 1);
        bench.assert_shows(&sent);
    }
    bench.assert_usable().await;
}

/// On a slow link two more packets may have gone before the rejection is heard.
#[tokio::test(start_paused = true)]
async fn a_late_rejection_finds_its_packet_on_a_slow_link_too() {
    let timing = Timing {
        link: LinkModel::Fixed(Duration::from_millis(1_500)),
        ..awake().timing
    };
    let spec = ClockSpec { timing, ..awake() };
    let bench = bench_with(spec, SessionConfig::default());
    for late in [100, 1_400, 1_600, 1_900] {
        let sent = picture(PictureSize::Full, late as u8);
        let how = NotificationFault::Late(Duration::from_millis(late));
        bench.clock.order(Fault::Notification {
            which: NotificationKind::Rejected,
            how,
        });
        bench
            .clock
            .order(write_fault(Moment::Percent(40), WriteFault::Rejected));
        let report = done(bench.run(Request::Picture(sent.clone())).await);
        assert_eq!(report.rejections, 1);
        bench.assert_shows(&sent);
    }
}

#[tokio::test(start_paused = true)]
async fn a_doubled_rejection_counts_once() {
    let bench = ready();
    let how = NotificationFault::Doubled;
    bench.clock.order(Fault::Notification {
        which: NotificationKind::Rejected,
        how,
    });
    bench
        .clock
        .order(write_fault(Moment::Percent(40), WriteFault::Rejected));
    assert_eq!(done(bench.run(upload()).await).rejections, 1);
    bench.assert_usable().await;
}

/// A picture sent while the clock redraws is rejected packet by packet, until it has finished.
#[tokio::test(start_paused = true)]
async fn a_clock_that_redraws_is_waited_for() {
    let bench = ready();
    done(bench.run(Request::Toggle(Toggle::Invert)).await);
    assert!(bench.clock.is_refreshing());
    let report = done(bench.run(upload()).await);
    assert!(report.rejections > 1);
    done(bench.run(Request::Toggle(Toggle::Invert)).await);
    bench.assert_usable().await;
}

/// UP-10: a panel of another size rejects what lies outside; that ends, with a hint.
#[tokio::test(start_paused = true)]
async fn a_panel_of_another_size_is_given_up_with_a_hint() {
    let spec = ClockSpec {
        panel: (296, 128),
        ..awake()
    };
    let bench = bench_with(spec, SessionConfig::default());
    let error = failed(bench.run(upload()).await);
    assert_eq!(error.code(), "packet-refused");
    assert!(error.hint().contains("larger than its panel"));
    let small = Request::Picture(picture(PictureSize::Small, 1));
    done(bench.run(small).await);
}

#[tokio::test(start_paused = true)]
async fn a_packet_answered_with_an_error_is_sent_up_to_three_times() {
    let bench = ready();
    let fault = write_fault(Moment::Percent(30), WriteFault::Error);
    bench.clock.order_times(fault, 2);
    assert_eq!(done(bench.run(upload()).await).packets_resent, 2);
    bench.clock.order_times(fault, 3);
    let error = failed(bench.run(upload()).await);
    assert_eq!(error.code(), "write-refused");
    bench.assert_usable().await;
}

/// UP-1: no endless bar when a write is never answered.
#[tokio::test(start_paused = true)]
async fn a_write_that_is_never_answered_makes_a_new_link() {
    let bench = ready();
    let fault = write_fault(Moment::Percent(60), WriteFault::Hangs);
    bench.clock.order(fault);
    let sent = picture(PictureSize::Full, 6);
    let report = done(bench.run(Request::Picture(sent.clone())).await);
    assert_eq!(report.reconnects, 1);
    bench.assert_shows(&sent);
    bench.clock.order_times(fault, 2);
    let error = failed(bench.run(upload()).await);
    assert_eq!(error.code(), "write-unanswered");
    bench.assert_usable().await;
}

/// UP-1: nor when the clock refuses whatever it is sent.
#[tokio::test(start_paused = true)]
async fn a_clock_that_rejects_everything_is_given_up() {
    let bench = ready();
    let fault = write_fault(Moment::Percent(0), WriteFault::Rejected);
    bench.clock.order_times(fault, u32::MAX);
    let asked = tokio::time::Instant::now();
    let error = failed(bench.run(upload()).await);
    assert_eq!(error.code(), "packet-refused");
    // Two redraws of 30 s might have been the reason.
    assert!((60..75).contains(&asked.elapsed().as_secs()));
    bench.assert_usable().await;
}

/// UP-6: a lost packet costs what may have gone before the clock says so, not the whole picture.
#[tokio::test(start_paused = true)]
async fn after_a_lost_packet_the_upload_resumes_near_it() {
    for percent in [10, 50, 90] {
        let bench = ready();
        bench.clock.order(Fault::Mtu(23));
        let fault = write_fault(Moment::Percent(percent), WriteFault::Rejected);
        bench.clock.order(fault);
        let sent = picture(PictureSize::Full, percent);
        let report = done(bench.run(Request::Picture(sent.clone())).await);
        // Of 1876 packets those of two seconds, at 30 ms each, and the one under way.
        assert!(report.packets_resent <= 2_000 / 30 + 2);
        bench.assert_shows(&sent);
    }
}

/// A link of the family's slowest connection parameters, with the least MTU.
fn slowest() -> ClockSpec {
    let radio = Radio {
        latency: 10,
        ..Radio::of_interval(Duration::from_millis(45))
    };
    let timing = Timing {
        link: LinkModel::Radio(radio),
        ..awake().timing
    };
    ClockSpec {
        timing,
        mtu: 23,
        ..awake()
    }
}

/// UP-5: there is no time after which an upload that goes on is given up but its own limit.
#[tokio::test(start_paused = true)]
async fn the_slowest_link_carries_a_whole_picture() {
    let bench = bench_with(slowest(), SessionConfig::default());
    let sent = picture(PictureSize::Full, 12);
    let report = done(bench.run(Request::Picture(sent.clone())).await);
    assert!(report.duration_ms > 15 * 60 * 1_000);
    assert_eq!((report.packets_resent, report.longest_gap_ms), (0, 0));
    bench.assert_shows(&sent);
}

/// UP-5: a link that goes late in a long upload is made anew. Whether the clock still holds what it had is
/// not known, so that the picture is sent from its first packet.
#[tokio::test(start_paused = true)]
async fn a_link_lost_late_in_a_long_upload_is_made_anew() {
    let bench = ready();
    bench.clock.order(Fault::Mtu(23));
    let sent = picture(PictureSize::Full, 13);
    let operation = bench
        .session
        .submit(Job::new(Request::Picture(sent.clone())));
    tokio::time::sleep(Duration::from_secs(50)).await;
    bench.clock.cut_link();
    let report = done(operation.outcome().await);
    assert_eq!((report.reconnects, report.data_bytes), (1, 30_000));
    assert!(report.packets_resent > 0);
    bench.assert_shows(&sent);
}

/// Seed: one reconnect and one repeat, from the first packet; then an error.
#[tokio::test(start_paused = true)]
async fn a_link_lost_at_any_percentage_is_made_anew_once() {
    for percent in (0..=99).step_by(9) {
        for how in [WriteFault::LostBefore, WriteFault::LostAfter] {
            let bench = ready();
            let fault = write_fault(Moment::Percent(percent), how);
            let sent = picture(PictureSize::Full, percent);
            bench.clock.order(fault);
            let report = done(bench.run(Request::Picture(sent.clone())).await);
            assert_eq!(report.reconnects, 1);
            assert_eq!(report.data_bytes, 30_000);
            bench.assert_shows(&sent);
            bench.clock.order_times(fault, 2);
            let error = failed(bench.run(upload()).await);
            assert_eq!(error.code(), "link-lost");
            assert_eq!(error.agent_code().as_str(), "DEVICE_DISCONNECTED");
            bench.assert_usable().await;
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_link_lost_between_two_operations_is_made_anew() {
    let bench = ready();
    done(bench.run(upload()).await);
    bench.clock.cut_link();
    let report = done(bench.run(set_face(Face::Clock1)).await);
    assert_eq!(report.reconnects, 0);
    assert_eq!(bench.clock.links_made(), 2);
}

// The size of packets.

/// BLE-7: it works with 20 bytes a write, whole, and never as long writes.
#[tokio::test(start_paused = true)]
async fn a_link_of_the_least_mtu_carries_the_whole_picture() {
    let bench = ready();
    bench.clock.order(Fault::Mtu(23));
    let sent = picture(PictureSize::Full, 7);
    let report = done(bench.run(Request::Picture(sent.clone())).await);
    assert_eq!(report.mtu, 23);
    assert_eq!(report.packets, 2 * 938 + 1);
    bench.assert_shows(&sent);
    assert_eq!(bench.clock.long_writes(), 0);
    bench.session.disconnect().await.unwrap();
    bench.assert_usable().await;
}

/// BLE-7: the MTU may grow or shrink in mid-transfer; the rest is cut anew, nothing twice.
#[tokio::test(start_paused = true)]
async fn a_change_of_the_mtu_in_mid_transfer_is_followed() {
    for (from, to) in [(23, 247), (247, 23), (517, 100), (100, 517)] {
        for percent in [0, 25, 75, 99] {
            let bench = ready();
            bench.clock.order(Fault::Mtu(from));
            bench.clock.order(Fault::MtuChanges { percent, mtu: to });
            let sent = picture(PictureSize::Full, percent);
            let report = done(bench.run(Request::Picture(sent.clone())).await);
            assert_eq!(report.mtu, to, "{from} to {to} at {percent} %");
            assert_eq!(report.data_bytes, 30_000);
            assert!(report.packets < 2 * 938 + 2);
            assert_eq!(bench.clock.long_writes(), 0);
            bench.assert_shows(&sent);
            bench.session.disconnect().await.unwrap();
            bench.assert_usable().await;
        }
    }
}

/// BLE-18: the size of packets can be capped by configuration.
#[tokio::test(start_paused = true)]
async fn a_configured_cap_is_kept() {
    let config = SessionConfig {
        payload_cap: Some(20),
        ..SessionConfig::default()
    };
    let bench = bench_with(awake(), config);
    assert_eq!(done(bench.run(upload()).await).packets, 2 * 938 + 1);
}

#[tokio::test(start_paused = true)]
async fn a_command_that_does_not_fit_the_link_is_refused_not_torn() {
    use regie_clock::{Countdown, CountdownDate, CountdownStyle, TextBitmap};
    let bench = ready();
    bench.clock.order(Fault::Mtu(23));
    let text = TextBitmap::new(CountdownStyle::Calendar, 1, vec![0; 72]).unwrap();
    let countdown = Countdown::with_text(text, CountdownDate::new(2027, 1, 1).unwrap());
    let error = failed(bench.run(Request::Countdown(countdown)).await);
    assert_eq!(error.code(), "payload-too-small");
    assert_eq!(bench.clock.long_writes(), 0);
    bench.session.disconnect().await.unwrap();
    bench.assert_usable().await;
}

// The trigger and the redraw.

/// UP-3: after a lost last answer the whole is repeated once, which is harmless.
#[tokio::test(start_paused = true)]
async fn a_lost_answer_to_the_trigger_repeats_the_picture() {
    for how in [
        WriteFault::LostBefore,
        WriteFault::LostAfter,
        WriteFault::Hangs,
    ] {
        let bench = ready();
        let sent = picture(PictureSize::Full, 8);
        bench.clock.order(write_fault(Moment::Trigger, how));
        let report = done(bench.run(Request::Picture(sent.clone())).await);
        assert_eq!(report.reconnects, 1);
        bench.assert_shows(&sent);
        bench.assert_usable().await;
    }
}

/// UP-3: neither "done" nor "failed" would be true.
#[tokio::test(start_paused = true)]
async fn a_lost_answer_to_the_trigger_without_a_repeat_is_unknown() {
    let bench = ready();
    bench
        .clock
        .order(write_fault(Moment::Trigger, WriteFault::LostAfter));
    bench.clock.order_times(Fault::HeldByAnother, u32::MAX);
    // The first link must come about; the fault is for the second.
    bench.clock.clear_faults();
    done(bench.run(upload()).await);
    bench
        .clock
        .order(write_fault(Moment::Trigger, WriteFault::LostAfter));
    bench.clock.order_times(Fault::HeldByAnother, u32::MAX);
    let doubt = unknown(bench.run(upload()).await);
    assert_eq!(doubt, Doubt::TriggerUnanswered);
    assert!(doubt.hint().contains("Look at the clock"));
    bench.assert_usable().await;
}

#[tokio::test(start_paused = true)]
async fn a_link_lost_right_after_the_trigger_is_unknown() {
    let bench = ready();
    bench.clock.order(Fault::DropWhileRefreshing {
        after: Duration::from_millis(500),
    });
    assert_eq!(
        unknown(bench.run(upload()).await),
        Doubt::LostWhileRefreshing
    );
    bench.assert_usable().await;
}

/// UP-3: the link may go once the redraw is well under way.
#[tokio::test(start_paused = true)]
async fn a_link_lost_late_in_the_redraw_is_done() {
    let bench = ready();
    let sent = picture(PictureSize::Full, 9);
    bench.clock.order(Fault::DropWhileRefreshing {
        after: Duration::from_secs(5),
    });
    let report = done(bench.run(Request::Picture(sent.clone())).await);
    assert_eq!(report.refresh, Refresh::Assumed);
    tokio::time::sleep(Duration::from_secs(15)).await;
    bench.assert_shows(&sent);
    bench.assert_usable().await;
}

// Commands that must not be repeated.

#[tokio::test(start_paused = true)]
async fn a_toggle_whose_answer_is_lost_is_unknown_and_never_applied_twice() {
    for (how, applied) in [
        (WriteFault::LostBefore, false),
        (WriteFault::LostAfter, true),
        (WriteFault::Hangs, false),
    ] {
        for toggle in [Toggle::Invert, Toggle::Rotate180, Toggle::ClockColor] {
            let bench = ready();
            bench.clock.order(write_fault(Moment::Command, how));
            let doubt = unknown(bench.run(Request::Toggle(toggle)).await);
            assert_eq!(doubt, Doubt::CommandUnanswered);
            assert!(doubt.hint().contains("Look at the clock"));
            let state = match toggle {
                Toggle::Invert => bench.clock.is_inverted(),
                Toggle::Rotate180 => bench.clock.is_rotated(),
                _ => bench.clock.has_red_accent(),
            };
            assert_eq!(state, applied, "{toggle} {how:?}");
            done(bench.run(set_face(Face::Clock1)).await);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_toggle_that_was_surely_not_taken_is_repeated() {
    let bench = ready();
    bench
        .clock
        .order_times(write_fault(Moment::Command, WriteFault::Error), 2);
    done(bench.run(Request::Toggle(Toggle::Invert)).await);
    assert!(bench.clock.is_inverted());
}

/// The redraw after a toggle may be repeated on a new link, the toggle not.
#[tokio::test(start_paused = true)]
async fn only_the_redraw_is_repeated_after_a_toggle_that_was_taken() {
    for how in [
        WriteFault::LostBefore,
        WriteFault::LostAfter,
        WriteFault::Hangs,
    ] {
        let bench = ready();
        bench.clock.order(write_fault(Moment::Trigger, how));
        let report = done(bench.run(Request::Toggle(Toggle::ClockColor)).await);
        assert_eq!(report.reconnects, 1);
        assert!(bench.clock.has_red_accent());
        let toggles = bench
            .clock
            .commands()
            .iter()
            .filter(|c| c[..] == [0xE4])
            .count();
        assert_eq!(toggles, 1);
    }
}

#[tokio::test(start_paused = true)]
async fn a_toggle_that_could_not_be_shown_is_unknown_rather_than_failed() {
    let bench = ready();
    bench
        .clock
        .order_times(write_fault(Moment::Trigger, WriteFault::LostBefore), 2);
    let doubt = unknown(bench.run(Request::Toggle(Toggle::ClockColor)).await);
    assert_eq!(doubt, Doubt::CommandNotShown);
    assert!(bench.clock.has_red_accent());
}

#[tokio::test(start_paused = true)]
async fn repeatable_commands_are_repeated() {
    let bench = ready();
    let time = ClockTime::at(1_786_250_096, &"8".parse().unwrap()).unwrap();
    bench
        .clock
        .order(write_fault(Moment::Command, WriteFault::LostAfter));
    done(bench.run(Request::SetTime(time)).await);
    let expected = u64::from(time.shifted_epoch());
    assert!((expected..expected + 40).contains(&bench.clock.local_epoch()));
}

// Cancelling.

#[tokio::test(start_paused = true)]
async fn an_operation_can_be_cancelled_at_any_moment() {
    let mut cancelled = 0;
    for after in (0..26_000).step_by(130) {
        let bench = ready();
        let operation = bench.session.submit(Job::new(upload()));
        tokio::time::sleep(Duration::from_millis(after)).await;
        operation.cancel();
        let asked = tokio::time::Instant::now();
        match operation.outcome().await {
            Outcome::Cancelled { report } => {
                cancelled += 1;
                assert!(asked.elapsed() <= Duration::from_secs(2));
                assert_eq!(report.refresh, Refresh::NotAsked);
                assert_eq!(bench.clock.refreshes(), 0);
            }
            Outcome::Done(report) => assert_eq!(report.data_bytes, 30_000),
            other => panic!("{other:?}"),
        }
        bench.assert_usable().await;
    }
    assert!(cancelled > 20);
}

#[tokio::test(start_paused = true)]
async fn cancelling_while_a_write_hangs_takes_two_seconds_and_a_new_link() {
    let bench = ready();
    bench
        .clock
        .order(write_fault(Moment::Percent(50), WriteFault::Hangs));
    let operation = bench.session.submit(Job::new(upload()));
    tokio::time::sleep(Duration::from_secs(5)).await;
    operation.cancel();
    let asked = tokio::time::Instant::now();
    assert!(matches!(
        operation.outcome().await,
        Outcome::Cancelled { .. }
    ));
    assert_eq!(asked.elapsed(), Duration::from_secs(2));
    bench.assert_usable().await;
}

#[tokio::test(start_paused = true)]
async fn a_waiting_operation_is_cancelled_at_once() {
    let bench = ready();
    let first = bench.session.submit(Job::new(upload()));
    let second = bench
        .session
        .submit(Job::new(Request::Toggle(Toggle::Invert)));
    tokio::time::sleep(Duration::from_secs(2)).await;
    second.cancel();
    let asked = tokio::time::Instant::now();
    assert!(matches!(second.outcome().await, Outcome::Cancelled { .. }));
    assert_eq!(asked.elapsed(), Duration::ZERO);
    done(first.outcome().await);
    bench.assert_usable().await;
    assert!(!bench.clock.is_inverted());
}

#[tokio::test(start_paused = true)]
async fn an_operation_that_takes_too_long_is_given_up() {
    let config = SessionConfig {
        operation_limit: Duration::from_secs(20),
        ..SessionConfig::default()
    };
    let bench = bench_with(awake(), config);
    bench.clock.order(Fault::Mtu(23));
    let error = failed(bench.run(upload()).await);
    assert_eq!(error, ClockError::DeadlinePassed { seconds: 20 });
    bench.session.disconnect().await.unwrap();
    bench.assert_usable().await;
}

/// A job of two requests: once the first has taken effect, "cancelled" would not be true.
#[tokio::test(start_paused = true)]
async fn a_job_that_has_taken_effect_is_finished_rather_than_cancelled() {
    let bench = ready();
    let sent = picture(PictureSize::Full, 11);
    let job = Job::new(Request::Picture(sent.clone())).then(set_face(Face::Picture));
    let operation = bench.session.submit(job);
    let mut progress = operation.progress();
    progress
        .wait_for(|progress| progress.stage == Stage::Refreshing)
        .await
        .unwrap();
    operation.cancel();
    let report = done(operation.outcome().await);
    assert_eq!(report.packets, 128);
    assert_eq!(bench.clock.mode(), regie_sim::Mode::Picture);
    bench.assert_usable().await;
}

/// A part was missing when the clock began to redraw, and then it could not be sent again.
#[tokio::test(start_paused = true)]
async fn a_picture_shown_with_a_part_missing_is_neither_failed_nor_cancelled() {
    for cancel in [true, false] {
        let bench = ready();
        let how = NotificationFault::Late(Duration::from_millis(900));
        bench.clock.order(Fault::Notification {
            which: NotificationKind::Rejected,
            how,
        });
        bench
            .clock
            .order(write_fault(Moment::Percent(97), WriteFault::Rejected));
        let operation = bench.session.submit(Job::new(upload()));
        let mut progress = operation.progress();
        progress
            .wait_for(|progress| progress.attempt == 2)
            .await
            .unwrap();
        assert_eq!(bench.clock.refreshes(), 1);
        if cancel {
            operation.cancel();
        } else {
            bench.clock.order_times(Fault::HeldByAnother, u32::MAX);
            bench.clock.cut_link();
        }
        assert_eq!(unknown(operation.outcome().await), Doubt::PartRefused);
        bench.assert_usable().await;
    }
}

/// What every job whose first task has taken effect may go through before its last one.
const LATE_TROUBLE: [Fault; 6] = [
    Fault::DropWhileRefreshing {
        after: Duration::from_secs(5),
    },
    write_fault(Moment::Command, WriteFault::Error),
    write_fault(Moment::Command, WriteFault::Hangs),
    write_fault(Moment::Command, WriteFault::LostBefore),
    write_fault(Moment::Command, WriteFault::LostAfter),
    // Only of a task that redraws; the first one is that of the picture.
    write_fault(Moment::Trigger, WriteFault::LostBefore),
];

/// A job of which the first task takes effect and the last one meets the fault and no clock that
/// would let itself be connected again.
async fn begun_and_broken(fault: Fault, last: Request) -> (Bench, regie_clock::Operation) {
    let bench = ready();
    let sent = picture(PictureSize::Full, 11);
    let job = Job::new(Request::Picture(sent)).then(last);
    let operation = bench.session.submit(job);
    let mut progress = operation.progress();
    let refreshing = progress
        .wait_for(|progress| progress.stage == Stage::Refreshing)
        .await
        .is_ok();
    assert!(refreshing);
    bench.clock.order_times(fault, 3);
    bench.clock.order_times(Fault::HeldByAnother, u32::MAX);
    if let Fault::DropWhileRefreshing { after } = fault {
        tokio::time::sleep(after).await;
        bench.clock.cut_link();
    }
    (bench, operation)
}

/// Once a picture is shown, "failed" would not be true, whatever becomes of the rest of its job.
#[tokio::test(start_paused = true)]
async fn a_job_that_fails_after_its_first_effect_is_unknown() {
    for fault in LATE_TROUBLE {
        let redraw = matches!(fault, Fault::Write { at, .. } if at == Moment::Trigger);
        for face in [Face::Picture, Face::Calendar1] {
            if redraw && face == Face::Picture {
                continue;
            }
            let (bench, operation) = begun_and_broken(fault, set_face(face)).await;
            let doubt = unknown(operation.outcome().await);
            let expected = if redraw {
                Doubt::TriggerUnanswered
            } else {
                Doubt::LaterStepFailed
            };
            assert_eq!(doubt, expected, "{fault:?} {face}");
            bench.assert_shows(&picture(PictureSize::Full, 11));
            bench.assert_usable().await;
        }
    }
}

/// Nor would "cancelled", and the cancelling is obeyed at once.
#[tokio::test(start_paused = true)]
async fn a_job_cancelled_in_a_reconnect_after_its_first_effect_is_unknown() {
    let lost = [
        LATE_TROUBLE[0],
        write_fault(Moment::Command, WriteFault::LostBefore),
    ];
    for fault in lost {
        for face in [Face::Picture, Face::Calendar1] {
            let (bench, operation) = begun_and_broken(fault, set_face(face)).await;
            while bench.clock.is_connected() {
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
            tokio::time::sleep(Duration::from_millis(500)).await;
            operation.cancel();
            let asked = tokio::time::Instant::now();
            let doubt = unknown(operation.outcome().await);
            assert_eq!(doubt, Doubt::LaterStepFailed, "{fault:?} {face}");
            assert!(asked.elapsed() <= Duration::from_secs(2));
            bench.assert_usable().await;
        }
    }
}

/// A long task after a short one is cancelled, but the short one stays done.
#[tokio::test(start_paused = true)]
async fn a_picture_cancelled_after_the_time_was_set_is_unknown() {
    let bench = ready();
    let time = ClockTime::at(1_786_250_096, &"8".parse().unwrap()).unwrap();
    let job = Job::new(Request::SetTime(time)).then(upload());
    let operation = bench.session.submit(job);
    let mut progress = operation.progress();
    progress
        .wait_for(|progress| progress.packets_done > 20)
        .await
        .unwrap();
    operation.cancel();
    assert_eq!(unknown(operation.outcome().await), Doubt::LaterStepFailed);
    bench.assert_usable().await;
}

/// So it is when the time for the whole runs out.
#[tokio::test(start_paused = true)]
async fn a_job_out_of_time_after_its_first_effect_is_unknown() {
    let config = SessionConfig {
        operation_limit: Duration::from_secs(25),
        ..SessionConfig::default()
    };
    let bench = bench_with(awake(), config);
    let time = ClockTime::at(1_786_250_096, &"8".parse().unwrap()).unwrap();
    bench.clock.order(Fault::Mtu(23));
    let job = Job::new(Request::SetTime(time)).then(upload());
    let outcome = bench.session.submit(job).outcome().await;
    assert_eq!(unknown(outcome), Doubt::LaterStepFailed);
}

/// BLE-1: connecting and reading the services share one budget.
#[tokio::test(start_paused = true)]
async fn a_clock_that_never_answers_is_given_up_within_the_connect_limit() {
    let limit = Duration::from_secs(25);
    let config = SessionConfig {
        connect_limit: limit,
        ..SessionConfig::default()
    };
    let bench = bench_with(awake(), config);
    bench.clock.order_times(Fault::DiscoveryHangs, u32::MAX);
    let asked = tokio::time::Instant::now();
    assert_eq!(
        failed(bench.run(upload()).await).code(),
        "clock-discovery-timeout"
    );
    assert!(asked.elapsed() <= limit + Duration::from_secs(1));
    bench.assert_usable().await;
}

/// Each clock of a rehearsal that fails does so in its own way, every time, and says that it is
/// simulated; the others work.
#[tokio::test(start_paused = true)]
async fn a_rehearsal_has_a_clock_for_each_trouble() {
    let adapter = SimulatedAdapter::rehearsal(0);
    let session = session_on(&adapter, SessionConfig::default());
    let expected = [
        ("SIM:00:00:00:F0:01", "CONNECT_TIMEOUT"),
        ("SIM:00:00:00:F0:02", "BLE_ERROR"),
        ("SIM:00:00:00:F0:03", "DEVICE_DISCONNECTED"),
    ];
    for _ in 0..2 {
        for (address, code) in expected {
            let address = Address::new(address);
            assert!(address.as_str().starts_with(Address::SIMULATED));
            let request = match code {
                "DEVICE_DISCONNECTED" => upload(),
                _ => set_face(Face::Clock1),
            };
            let job = Job::new(request).on(Some(address));
            let error = failed(session.submit(job).outcome().await);
            assert_eq!(error.agent_code().as_str(), code, "{error}");
        }
    }
    done(session.submit(Job::new(upload())).outcome().await);
}
