//! The engine with a simulated clock: what a door asks for, what comes of it, what is kept.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::sync::Arc;
use std::time::Duration;

use regie_clock::Unavailable;
use regie_engine::{
    Action, Devices, Door, Engine, EngineConfig, Face, Frame, JournalOutcome, Language, LinkView,
    Locale, OperationKind, Options, Outcome, Settings, Stage, Toggle,
};
use regie_sim::{Fault, LinkModel, Moment, Timing, WriteFault};

mod common;

use common::{Desk, NoSource, Source, config, ended, opened, until};

#[tokio::test(flavor = "multi_thread")]
async fn what_is_previewed_is_what_the_clock_shows_and_the_slot_keeps() {
    let desk = Desk::new();
    let engine = desk.engine().await;
    let picture = opened(&engine).await;
    let preview = Frame::from(engine.render(picture, Options::default()).await.unwrap());

    let submitted = engine
        .show(Door::Window, picture, Options::default(), 2)
        .await
        .unwrap();
    let outcome = ended(submitted).await;
    assert!(matches!(outcome, Outcome::Done { .. }), "{outcome:?}");
    assert_eq!(desk.clock.screen().inks, preview.payload);
    let kept = Frame::from(&engine.slot_planes(2).await.unwrap());
    assert_eq!(kept.payload, preview.payload);

    let state = engine.state().borrow().clone();
    assert_eq!(state.clock.shown_slot, Some(2));
    assert_eq!(state.slots[2].as_ref().unwrap().name, "picture.png");
    assert_eq!(
        state.clock.chosen.unwrap().address,
        desk.clock.address().to_string()
    );
    let journal = engine.journal(10).await.unwrap();
    let kind = OperationKind::Show;
    assert_eq!(journal[0].action, Action::Operation { kind });
    assert_eq!(journal[0].outcome, JournalOutcome::Done);
    assert_eq!(journal[0].door, Door::Window);
    assert_eq!(journal[0].detail, "picture.png");
    assert_eq!(journal[0].target, desk.clock.name());

    // UP-4: every byte that a picture of this size takes, and some time.
    let report = outcome.report();
    assert!(
        report.bytes >= 30_000 && report.packets >= 127,
        "{report:?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_known_is_known_again_after_a_restart() {
    let desk = Desk::new();
    let engine = desk.engine().await;
    let picture = opened(&engine).await;
    ended(
        engine
            .show(Door::Window, picture, Options::default(), 1)
            .await
            .unwrap(),
    )
    .await;
    ended(
        engine
            .set_time(Door::Tray, Some("Asia/Kathmandu"))
            .await
            .unwrap(),
    )
    .await;
    ended(engine.quiet_hours(Door::Window, true, 22, 7).await.unwrap()).await;
    let before = engine.state().borrow().clone();
    engine.stop().await;
    drop(engine);

    let after = until(&desk.engine().await, "the state of before", |_| true).await;
    assert_eq!(after.slots, before.slots);
    assert_eq!(after.clock.chosen, before.clock.chosen);
    assert_eq!(after.clock.shown_slot, Some(1));
    assert_eq!(after.clock.time_set, before.clock.time_set);
    assert_eq!(after.clock.time_set.unwrap().zone, "Asia/Kathmandu");
    let hours = after.clock.quiet_hours.unwrap();
    assert_eq!((hours.on, hours.start_hour, hours.end_hour), (true, 22, 7));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lost_link_is_made_again_and_the_picture_arrives() {
    let desk = Desk::new();
    let engine = desk.engine().await;
    let picture = opened(&engine).await;
    desk.clock.order(Fault::Write {
        at: Moment::Percent(50),
        how: WriteFault::LostBefore,
    });
    let outcome = ended(
        engine
            .show(Door::Window, picture, Options::default(), 0)
            .await
            .unwrap(),
    )
    .await;
    assert!(matches!(outcome, Outcome::Done { .. }), "{outcome:?}");
    assert_eq!(outcome.report().reconnects, 1);
    let preview = Frame::from(engine.render(picture, Options::default()).await.unwrap());
    assert_eq!(desk.clock.screen().inks, preview.payload);
}

/// UP-3: three outcomes, and the third is said where it is true.
#[tokio::test(flavor = "multi_thread")]
async fn a_toggle_whose_answer_is_lost_is_unknown_and_never_flipped_twice() {
    let desk = Desk::new();
    let engine = desk.engine().await;
    ended(engine.set_time(Door::Window, None).await.unwrap()).await;
    desk.clock.order(Fault::Write {
        at: Moment::Command,
        how: WriteFault::LostAfter,
    });
    let outcome = ended(engine.toggle(Door::Window, Toggle::Invert).await.unwrap()).await;
    assert!(matches!(outcome, Outcome::Unknown { .. }), "{outcome:?}");
    assert!(!outcome.fault().unwrap().hint.is_empty());
    let journal = engine.journal(1).await.unwrap();
    assert_eq!(journal[0].outcome, JournalOutcome::Unknown);
    let flips = desk
        .clock
        .commands()
        .iter()
        .filter(|c| **c == [0xE3])
        .count();
    assert!(flips <= 1, "flipped {flips} times");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cancelled_upload_says_so_and_the_clock_stays_usable() {
    let desk = Desk::with(Timing {
        link: LinkModel::Fixed(Duration::from_millis(20)),
        ..Timing::instant()
    });
    let engine = desk.engine().await;
    let picture = opened(&engine).await;
    let submitted = engine
        .show(Door::Window, picture, Options::default(), 0)
        .await
        .unwrap();
    until(&engine, "some packets are sent", |state| {
        state.clock.operation.as_ref().is_some_and(|operation| {
            operation.progress.stage == Stage::Sending && operation.progress.packets_done > 5
        })
    })
    .await;
    engine.cancel(submitted.id);
    let id = submitted.id;
    let outcome = ended(submitted).await;
    assert!(matches!(outcome, Outcome::Cancelled { .. }), "{outcome:?}");
    assert_eq!(engine.state().borrow().clock.shown_slot, None);
    assert_eq!(
        engine.journal(1).await.unwrap()[0].outcome,
        JournalOutcome::Cancelled
    );

    engine.dismiss(id);
    assert_eq!(engine.state().borrow().clock.operation, None);
    let outcome = ended(engine.show_slot(Door::Window, 0).await.unwrap()).await;
    assert!(matches!(outcome, Outcome::Done { .. }), "{outcome:?}");
}

/// BLE-8: what is wrong with Bluetooth is said, as a state and as an outcome.
#[tokio::test(flavor = "multi_thread")]
async fn a_radio_that_is_off_is_named_with_a_next_step_and_works_again_when_on() {
    let desk = Desk::new();
    let engine = desk.engine().await;
    desk.adapter.set_unavailable(Some(Unavailable::RadioOff));
    let outcome = ended(engine.set_face(Door::Window, Face::Clock1).await.unwrap()).await;
    assert_eq!(outcome.fault().unwrap().code, "bluetooth-off");
    until(&engine, "the link is unavailable", |state| {
        matches!(state.clock.link, LinkView::Unavailable { .. })
    })
    .await;
    assert_eq!(engine.scan().await.unwrap_err().code(), "bluetooth-off");
    assert!(!engine.state().borrow().clock.scanning);

    desk.adapter.set_unavailable(None);
    let outcome = ended(engine.set_face(Door::Window, Face::Clock1).await.unwrap()).await;
    assert!(matches!(outcome, Outcome::Done { .. }), "{outcome:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_machine_without_bluetooth_has_an_engine_all_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let engine = Engine::start(config(folder.path()), Arc::new(NoSource))
        .await
        .unwrap();
    let picture = opened(&engine).await;
    assert!(engine.render(picture, Options::default()).await.is_ok());
    let outcome = ended(engine.clear(Door::Cli).await.unwrap()).await;
    assert_eq!(outcome.fault().unwrap().code, "bluetooth-service-missing");
}

/// UI-11: one process owns a folder, by a lock that ends with it.
#[tokio::test(flavor = "multi_thread")]
async fn a_second_engine_on_the_same_folder_is_told_that_one_runs() {
    let desk = Desk::new();
    let first = desk.engine().await;
    let source = || Arc::new(Source(desk.adapter.clone()));
    let second = Engine::start(config(desk.folder.path()), source()).await;
    assert_eq!(second.err().unwrap().code(), "already-running");
    first.stop().await;
    drop(first);
    let third = Engine::start(config(desk.folder.path()), source()).await;
    assert!(third.is_ok());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_broken_settings_file_is_said_and_kept_and_does_not_keep_regie_from_starting() {
    let desk = Desk::new();
    let folder = desk.folder.path().join("settings");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("settings.toml"), "language = \"klingon\"").unwrap();
    std::fs::write(folder.join("clock-profile.toml"), "clock2 = 5").unwrap();
    let engine = desk.engine().await;
    let state = engine.state().borrow().clone();
    let codes: Vec<_> = state.warnings.iter().map(|fault| &*fault.code).collect();
    assert_eq!(codes, ["settings-unreadable", "profile-invalid"]);
    assert_eq!(state.settings, Settings::default());
    engine.save_settings(Settings::default()).await.unwrap();
    let aside = std::fs::read_to_string(folder.join("settings.broken-1.toml")).unwrap();
    assert!(aside.contains("klingon"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_profile_entry_makes_an_unpublished_face_work() {
    let desk = Desk::new();
    let engine = desk.engine().await;
    assert!(
        engine
            .state()
            .borrow()
            .clock
            .unsupported
            .faces
            .contains(&Face::Clock2)
    );
    let outcome = ended(engine.set_face(Door::Window, Face::Clock2).await.unwrap()).await;
    assert_eq!(outcome.fault().unwrap().agent_code, "INVALID_PARAM");
    engine.stop().await;
    drop(engine);

    let other = Desk::new();
    let folder = other.folder.path().join("settings");
    std::fs::create_dir_all(&folder).unwrap();
    let profile = "[clock2]\nchannel = \"alt\"\nbytes = \"E1 01\"\nrefresh = true\n";
    std::fs::write(folder.join("clock-profile.toml"), profile).unwrap();
    let engine = other.engine().await;
    assert!(
        !engine
            .state()
            .borrow()
            .clock
            .unsupported
            .faces
            .contains(&Face::Clock2)
    );
    let outcome = ended(engine.set_face(Door::Window, Face::Clock2).await.unwrap()).await;
    assert!(matches!(outcome, Outcome::Done { .. }), "{outcome:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn settings_hold_at_once_and_after_a_restart_and_switch_devices() {
    let desk = Desk::new();
    let engine = desk.engine().await;
    assert_eq!(engine.state().borrow().locale, Locale::Fr);
    let settings = Settings {
        language: Language::Zh,
        devices: Some(Devices::Simulated),
        idle_seconds: 0,
        ..Settings::default()
    };
    engine.save_settings(settings.clone()).await.unwrap();
    assert_eq!(engine.state().borrow().locale, Locale::Zh);
    engine.stop().await;
    drop(engine);

    // Without --demo the setting decides, and can be changed while Regie runs.
    let source = Arc::new(Source(desk.adapter.clone()));
    let real = EngineConfig {
        demo: false,
        ..config(desk.folder.path())
    };
    let engine = Engine::start(real, source).await.unwrap();
    assert_eq!(engine.state().borrow().settings, settings);
    assert!(engine.state().borrow().simulated);
    ended(engine.set_time(Door::Window, None).await.unwrap()).await;
    assert!(engine.state().borrow().clock.time_set.is_some());

    let bluetooth = Settings {
        devices: Some(Devices::Bluetooth),
        ..settings
    };
    engine.save_settings(bluetooth).await.unwrap();
    let state = engine.state().borrow().clone();
    assert!(!state.simulated);
    assert_eq!(
        state.clock.chosen, None,
        "a simulated clock is not a real one"
    );
    assert_eq!(state.clock.time_set, None);
    // With 0 s of idle time the link is let go after each operation.
    let outcome = ended(
        engine
            .set_face(Door::Window, Face::Calendar1)
            .await
            .unwrap(),
    )
    .await;
    assert!(matches!(outcome, Outcome::Done { .. }), "{outcome:?}");
    until(&engine, "the link is let go", |state| {
        state.clock.link == LinkView::Asleep
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_scan_lists_the_clock_and_a_chosen_one_is_named() {
    let desk = Desk::new();
    let engine = desk.engine().await;
    let heard = engine.scan_for(Duration::from_millis(300)).await.unwrap();
    assert_eq!(heard.len(), 1);
    assert!(heard[0].simulated);
    assert_eq!(engine.state().borrow().clock.nearby, heard);
    engine.choose_clock(Some(&heard[0].address)).await.unwrap();
    let chosen = engine.state().borrow().clock.chosen.clone().unwrap();
    assert_eq!(chosen.name, desk.clock.name());
    engine.choose_clock(None).await.unwrap();
    assert_eq!(engine.state().borrow().clock.chosen, None);
}

#[tokio::test(flavor = "multi_thread")]
async fn each_clock_is_remembered_for_itself() {
    let desk = Desk::new();
    let engine = desk.engine().await;
    ended(engine.set_time(Door::Window, None).await.unwrap()).await;
    let first = engine.state().borrow().clock.chosen.clone().unwrap();
    let known = |engine: &Engine| engine.state().borrow().clock.time_set.is_some();
    assert!(known(&engine));

    engine
        .choose_clock(Some("SIM:00:00:00:00:99"))
        .await
        .unwrap();
    assert!(!known(&engine));
    engine.choose_clock(Some(&first.address)).await.unwrap();
    assert!(known(&engine));
    assert_eq!(engine.state().borrow().clock.chosen.as_ref(), Some(&first));

    engine
        .choose_clock(Some("SIM:00:00:00:00:99"))
        .await
        .unwrap();
    engine.stop().await;
    let engine = desk.engine().await;
    assert!(!known(&engine));
    engine.choose_clock(Some(&first.address)).await.unwrap();
    assert!(known(&engine));
}

/// Without a chosen clock the first one heard is used, and it may be one that is known.
#[tokio::test(flavor = "multi_thread")]
async fn a_clock_that_is_met_again_is_still_known() {
    let desk = Desk::new();
    let engine = desk.engine().await;
    ended(engine.set_time(Door::Window, None).await.unwrap()).await;
    let set = engine.state().borrow().clock.time_set.clone();
    assert!(set.is_some());
    engine.choose_clock(None).await.unwrap();
    assert_eq!(engine.state().borrow().clock.time_set, None);
    ended(engine.toggle(Door::Window, Toggle::Invert).await.unwrap()).await;
    assert_eq!(engine.state().borrow().clock.time_set, set);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_done_to_a_clock_is_known_although_another_was_chosen_meanwhile() {
    let desk = Desk::with(Timing {
        link: LinkModel::Fixed(Duration::from_millis(3)),
        ..Timing::instant()
    });
    let engine = desk.engine().await;
    let picture = opened(&engine).await;
    let show = |slot| engine.show(Door::Window, picture, Options::default(), slot);
    ended(show(0).await.unwrap()).await;
    let first = engine.state().borrow().clock.chosen.clone().unwrap();

    let second = show(1).await.unwrap();
    engine
        .choose_clock(Some("SIM:00:00:00:00:99"))
        .await
        .unwrap();
    assert!(matches!(ended(second).await, Outcome::Done { .. }));
    assert_eq!(engine.state().borrow().clock.shown_slot, None);
    engine.choose_clock(Some(&first.address)).await.unwrap();
    assert_eq!(engine.state().borrow().clock.shown_slot, Some(1));
}

/// UP-16: preparing pictures and sending one do not wait for each other.
#[tokio::test(flavor = "multi_thread")]
async fn a_picture_is_prepared_while_another_is_being_sent() {
    let desk = Desk::with(Timing {
        link: LinkModel::Fixed(Duration::from_millis(20)),
        ..Timing::instant()
    });
    let engine = desk.engine().await;
    let picture = opened(&engine).await;
    let submitted = engine
        .show(Door::Window, picture, Options::default(), 0)
        .await
        .unwrap();
    until(&engine, "it is being sent", |state| {
        state.clock.link == LinkView::Sending
    })
    .await;
    let other = opened(&engine).await;
    engine.render(other, Options::default()).await.unwrap();
    assert!(
        engine
            .thumbnails(other, Options::default())
            .await
            .unwrap()
            .methods
            .len()
            > 5
    );
    assert_eq!(engine.state().borrow().clock.link, LinkView::Sending);
    assert!(matches!(ended(submitted).await, Outcome::Done { .. }));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_is_refused_before_anything_is_sent() {
    let desk = Desk::new();
    let engine = desk.engine().await;
    let picture = opened(&engine).await;
    let code = |error: regie_engine::EngineError| error.code();
    let show = |picture, slot| engine.show(Door::Window, picture, Options::default(), slot);
    assert_eq!(
        show(picture, 4).await.map_err(code).unwrap_err(),
        "no-such-slot"
    );
    assert_eq!(
        show(99, 0).await.map_err(code).unwrap_err(),
        "picture-not-open"
    );
    let slot = engine.show_slot(Door::Window, 3).await.map_err(code);
    assert_eq!(slot.unwrap_err(), "slot-empty");
    let hours = engine
        .quiet_hours(Door::Window, true, 24, 6)
        .await
        .map_err(code);
    assert_eq!(hours.unwrap_err(), "hour-invalid");
    let zone = engine
        .set_time(Door::Window, Some("Mars/Olympus"))
        .await
        .map_err(code);
    assert_eq!(zone.unwrap_err(), "zone-unknown");
    assert!(desk.clock.commands().is_empty());
    assert!(engine.journal(10).await.unwrap().is_empty());
}

/// TZ-2: a clock that was waited for is not set to the time at which waiting began.
#[tokio::test(flavor = "multi_thread")]
async fn a_clock_that_sleeps_is_set_to_the_time_at_which_it_woke() {
    let desk = Desk::with(Timing {
        awake: Duration::from_millis(300),
        period: Duration::from_secs(3),
        ..Timing::instant()
    });
    let engine = desk.engine().await;
    // Real time, since the clock is given the computer's.
    tokio::time::sleep(Duration::from_millis(400)).await;
    let outcome = ended(engine.set_time(Door::Window, Some("UTC")).await.unwrap()).await;
    let now = jiff::Timestamp::now().as_second();
    assert!(
        outcome.report().duration_ms > 2_000,
        "it did not wait: {outcome:?}"
    );
    let shown = i64::try_from(desk.clock.local_epoch()).unwrap();
    assert!((shown - now).abs() <= 1, "{} s off", shown - now);
}

/// What was under way when the process was killed may or may not be on the screen.
#[tokio::test(flavor = "multi_thread")]
async fn after_a_kill_in_mid_upload_the_shown_slot_is_not_claimed() {
    let desk = Desk::new();
    let engine = desk.engine().await;
    let picture = opened(&engine).await;
    let show = |slot| engine.show(Door::Window, picture, Options::default(), slot);
    ended(show(0).await.unwrap()).await;
    assert_eq!(engine.state().borrow().clock.shown_slot, Some(0));
    engine.stop().await;

    let database = desk.folder.path().join("data/regie.db");
    let connection = rusqlite::Connection::open(database).unwrap();
    connection
        .execute("UPDATE journal SET outcome = 'running'", [])
        .unwrap();
    drop(connection);
    let engine = desk.engine().await;
    assert_eq!(engine.state().borrow().clock.shown_slot, None);
    let journal = engine.journal(1).await.unwrap();
    assert_eq!(journal[0].outcome, JournalOutcome::Interrupted);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_shown_slot_is_known_as_long_as_nothing_was_sent() {
    let desk = Desk::new();
    let engine = desk.engine().await;
    let picture = opened(&engine).await;
    let show = |slot| engine.show(Door::Window, picture, Options::default(), slot);
    ended(show(0).await.unwrap()).await;
    ended(engine.set_face(Door::Window, Face::Clock3).await.unwrap()).await;
    assert_eq!(engine.state().borrow().clock.shown_slot, Some(0));
    // The slot is filled anew while its earlier picture is on its way.
    let first = show(0).await.unwrap();
    let second = show(0).await.unwrap();
    engine.cancel(second.id);
    ended(first).await;
    ended(second).await;
    assert_eq!(engine.state().borrow().clock.shown_slot, None);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_clock_given_for_one_run_is_not_remembered() {
    let desk = Desk::new();
    let engine = desk.engine().await;
    ended(engine.set_time(Door::Cli, None).await.unwrap()).await;
    let remembered = engine.state().borrow().clock.chosen.clone();
    engine.stop().await;

    let other = EngineConfig {
        clock: Some("SIM:00:00:00:00:99".into()),
        ..config(desk.folder.path())
    };
    let source = Arc::new(Source(desk.adapter.clone()));
    let engine = Engine::start(other, source).await.unwrap();
    let chosen = engine.state().borrow().clock.chosen.clone().unwrap();
    assert_eq!(chosen.address, "SIM:00:00:00:00:99");
    engine.quiet_hours(Door::Cli, true, 22, 7).await.unwrap();
    engine.stop().await;
    assert_eq!(
        desk.engine().await.state().borrow().clock.chosen,
        remembered
    );
}

/// What was read is gone; what was done before it does not come back in its place.
#[tokio::test(flavor = "multi_thread")]
async fn a_dismissed_outcome_does_not_uncover_an_older_one() {
    let desk = Desk::new();
    let engine = desk.engine().await;
    ended(engine.set_time(Door::Window, None).await.unwrap()).await;
    let last = engine.set_face(Door::Window, Face::Clock1).await.unwrap();
    let id = last.id;
    ended(last).await;
    assert!(engine.state().borrow().clock.operation.is_some());
    engine.dismiss(id);
    assert_eq!(engine.state().borrow().clock.operation, None);
}
