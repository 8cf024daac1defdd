//! Words on the clock: pages, countdowns, the calendar, and commands that a person teaches.

// The helpers below end a test as an assertion does.
#![allow(clippy::unwrap_used)]

mod common;

use std::fs;

use common::{Desk, ended, until};
use regie_clock::Channel;
use regie_engine::{
    Alignment, Composition, CountdownPlan, CountdownStyle, Door, Engine, Face, Frame, Lesson,
    Outcome, Submitted, TemplatePage, TextPage, templates,
};
use regie_imaging::{Ink, Palette};
use serde_json::json;

fn text(words: &str) -> Composition {
    Composition::Text(TextPage {
        text: words.into(),
        ink: Ink::Red,
        paper: Ink::White,
        align: Alignment::Centre,
        bold: true,
        size: None,
    })
}

fn page(template: &str, payload: serde_json::Value) -> Composition {
    Composition::Template(TemplatePage {
        template: template.into(),
        payload,
        palette: Palette::BlackWhiteRed,
    })
}

async fn done(submitted: Submitted) {
    let outcome = ended(submitted).await;
    assert!(matches!(outcome, Outcome::Done { .. }), "{outcome:?}");
}

fn assert_shows(desk: &Desk, frame: &Frame) {
    // Not with assert_eq, which would print 120,000 pixels.
    assert!(
        desk.clock.screen().inks == frame.payload,
        "the clock shows something else"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_text_is_shown_as_it_was_previewed_and_kept_in_its_slot() {
    let desk = Desk::new();
    let engine = desk.engine().await;
    let words = text("Back at 14:30\n今日休息");
    let preview = Frame::from(engine.compose(words.clone()).await.unwrap());
    let shown = engine.show_composition(Door::Window, words, 3).await;
    done(shown.unwrap()).await;
    assert_shows(&desk, &preview);
    let state = engine.state().borrow().clone();
    assert_eq!(state.clock.shown_slot, Some(3));
    assert_eq!(
        state.slots[3].as_ref().unwrap().name,
        "Back at 14:30 今日休息"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn every_template_shows_its_example() {
    let desk = Desk::new();
    let engine = desk.engine().await;
    for template in templates() {
        let filled = page(&template.name, template.example);
        let preview = Frame::from(engine.compose(filled.clone()).await.unwrap());
        let shown = engine.show_composition(Door::Cli, filled, 0).await;
        done(shown.unwrap()).await;
        assert_shows(&desk, &preview);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_drawn_is_said_with_its_field_before_anything_is_sent() {
    let desk = Desk::new();
    let engine = desk.engine().await;
    for (filled, code) in [
        (page("notice", json!({})), "missing-field"),
        (
            page("notice", json!({"title": "x", "colour": "red"})),
            "unknown-field",
        ),
        (page("notice", json!({"title": 5})), "invalid-field"),
        (page("sundial", json!({})), "unknown-template"),
        (text(""), "missing-field"),
        (text(&"word ".repeat(400)), "text-too-long"),
    ] {
        let refused = engine.show_composition(Door::Window, filled, 0).await;
        assert_eq!(refused.unwrap_err().code(), code);
    }
    assert_eq!(desk.clock.links_made(), 0);
    assert_eq!(engine.state().borrow().slots[0], None);
}

/// DI-14
#[tokio::test(flavor = "multi_thread")]
async fn characters_that_no_font_has_are_named_with_what_is_sent_without_them() {
    let desk = Desk::new();
    let engine = desk.engine().await;
    let page = engine
        .show_composition(Door::Cli, text("a\u{e000}b"), 0)
        .await
        .unwrap();
    assert_eq!(page.notes[0].code, "characters-omitted");
    done(page).await;
    let calendar = engine
        .host_calendar(Door::Cli, Some("a\u{e000}b".into()))
        .await
        .unwrap();
    assert_eq!(calendar.notes.len(), 1);
    done(calendar).await;
    let plain = engine.calendar_text(Door::Cli, "ab").await.unwrap();
    assert!(plain.notes.is_empty());
    done(plain).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_countdown_takes_its_words_along_as_they_were_previewed() {
    let desk = Desk::new();
    let engine = desk.engine().await;
    for (style, words, cells) in [
        (CountdownStyle::Clock, "开业还有", 4),
        (CountdownStyle::Calendar, "Xmas", 4),
    ] {
        let line = engine.countdown_line(style, words.into()).await.unwrap();
        let plan = CountdownPlan {
            date: "9999-12-31".into(),
            style,
            text: Some(words.into()),
        };
        done(engine.countdown(Door::Window, plan).await.unwrap()).await;
        assert_eq!(desk.clock.countdown(), Some((9999, 12, 31)));
        let (held, bits) = desk.clock.countdown_text();
        assert_eq!(held, cells);
        let drawn = line.payload.chunks(8);
        let drawn: Vec<u8> = drawn
            .map(|eight| eight.iter().fold(0, |byte, &ink| byte << 1 | ink))
            .collect();
        // The clock style never sends its last byte, which is paper.
        let compared = drawn.len() - 1;
        assert_eq!(bits[..compared], drawn[..compared]);
    }
    done(engine.countdown_off(Door::Window).await.unwrap()).await;
    assert_eq!(desk.clock.countdown(), None);
    for words in ["far too long", "\u{e000}", "\u{200b}"] {
        let plan = CountdownPlan {
            date: "9999-12-31".into(),
            style: CountdownStyle::Clock,
            text: Some(words.into()),
        };
        assert!(engine.countdown(Door::Window, plan).await.is_err());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_text_gets_into_the_calendar_in_the_form_that_the_profile_names() {
    for (form, bytes) in [
        ("picture", 2 * 3_500),
        ("cells", 2 * 74),
        ("page", 2 * 15_000),
    ] {
        let desk = Desk::new();
        let settings = desk.folder.path().join("settings");
        fs::create_dir_all(&settings).unwrap();
        let profile = format!("calendar_text = \"{form}\"\n");
        fs::write(settings.join("clock-profile.toml"), profile).unwrap();
        let engine = desk.engine().await;
        let outcome = ended(engine.calendar_text(Door::Cli, "休息").await.unwrap()).await;
        let Outcome::Done { report } = outcome else {
            unreachable!("{form}: {outcome:?}");
        };
        assert!(
            (bytes..bytes + 700).contains(&report.bytes),
            "{form}: {}",
            report.bytes
        );
        let drawn = engine.state().borrow().clock.host_calendar.is_some();
        assert_eq!(drawn, form == "page");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_hosts_calendar_is_marked_as_such_and_drawn_again_on_another_day() {
    let desk = Desk::new();
    let engine = desk.engine().await;
    let words = Some("Open until 18:00".to_owned());
    done(
        engine
            .host_calendar(Door::Window, words.clone())
            .await
            .unwrap(),
    )
    .await;
    let shown = engine.state().borrow().clock.host_calendar.clone().unwrap();
    assert_eq!(shown.text, words);
    let screen = desk.clock.screen().inks;
    engine.stop().await;

    // As if it had been drawn on another day.
    let database = rusqlite::Connection::open(desk.folder.path().join("data/regie.db")).unwrap();
    let changed = database.execute(
        "UPDATE memory SET value = replace(value, ?1, '2026-01-01')",
        [shown.day.as_str()],
    );
    assert!(changed.unwrap() > 0);
    drop(database);
    let engine = desk.engine().await;
    let of = |engine: &Engine| engine.state().borrow().clock.host_calendar.clone().unwrap();
    assert_eq!(of(&engine).day, "2026-01-01");
    engine.keep_time();
    until(&engine, "today's page", |state| {
        state
            .clock
            .host_calendar
            .as_ref()
            .is_some_and(|page| page.day == shown.day)
    })
    .await;
    assert_eq!(of(&engine).text, words);
    assert!(desk.clock.screen().inks == screen);

    // A face of the clock's own ends it.
    done(engine.set_face(Door::Window, Face::Clock1).await.unwrap()).await;
    assert_eq!(engine.state().borrow().clock.host_calendar, None);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_is_tried_then_kept_beside_what_the_profile_holds() {
    let desk = Desk::new();
    let settings = desk.folder.path().join("settings");
    fs::create_dir_all(&settings).unwrap();
    let file = settings.join("clock-profile.toml");
    let before = "# from the maker's page\n[font]\nchannel = \"alt\"\nbytes = \"e9\"\n";
    fs::write(&file, before).unwrap();
    let engine = desk.engine().await;
    let greyed = |engine: &Engine| engine.state().borrow().clock.unsupported.faces.clone();
    assert!(greyed(&engine).contains(&Face::Clock2));

    let lesson = Lesson {
        name: "clock2".into(),
        channel: Channel::Alt,
        bytes: "e1 05".into(),
        refresh: true,
    };
    done(engine.try_lesson(Door::Window, &lesson).await.unwrap()).await;
    assert!(desk.clock.commands().contains(&vec![0xE1, 0x05]));
    assert!(
        greyed(&engine).contains(&Face::Clock2),
        "trying keeps nothing"
    );

    engine.teach(lesson.clone()).await.unwrap();
    assert!(!greyed(&engine).contains(&Face::Clock2));
    let kept = fs::read_to_string(&file).unwrap();
    assert!(kept.starts_with(before), "{kept}");
    // The session that runs speaks it, and so does the next start.
    done(engine.set_face(Door::Window, Face::Clock2).await.unwrap()).await;
    engine.stop().await;
    assert!(!greyed(&desk.engine().await).contains(&Face::Clock2));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_could_harm_a_clock_or_is_no_command_is_not_taught() {
    let desk = Desk::new();
    let engine = desk.engine().await;
    for (name, bytes) in [
        ("clock2", "ef 01"),
        ("clock2", "xyz"),
        ("sundial", "e1 05"),
        ("clock2", ""),
    ] {
        let lesson = Lesson {
            name: name.into(),
            channel: Channel::Alt,
            bytes: bytes.into(),
            refresh: false,
        };
        assert!(
            engine.try_lesson(Door::Window, &lesson).await.is_err(),
            "{name} {bytes}"
        );
        assert!(engine.teach(lesson).await.is_err(), "{name} {bytes}");
    }
    assert!(
        !desk
            .folder
            .path()
            .join("settings/clock-profile.toml")
            .exists()
    );
    assert_eq!(desk.clock.links_made(), 0);
}
