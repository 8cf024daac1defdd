//! The clock is set again by itself when the offset of its zone has changed.

// The helpers below end a test as an assertion does.
#![allow(clippy::unwrap_used)]

use std::time::Duration;

use jiff::Timestamp;
use regie_clock::{Face, Zone};
use regie_engine::{AppState, Door, JournalOutcome, Outcome};
use regie_sim::Fault;
use tokio::time::timeout;

mod common;

use common::{Desk, PATIENCE, ended, until};

/// A day of the year at which Paris has another offset than now.
fn half_a_year_off() -> &'static str {
    let paris: Zone = "Europe/Paris".parse().unwrap();
    let offset = |at: Timestamp| paris.offset_seconds_at(at.as_second()).unwrap();
    ["2026-01-15T12:00:00Z", "2026-07-15T12:00:00Z"]
        .into_iter()
        .find(|day| offset(day.parse().unwrap()) != offset(Timestamp::now()))
        .unwrap()
}

/// A clock that was set to Paris when Paris had another offset.
async fn set_long_ago(desk: &Desk) {
    let engine = desk.engine().await;
    let set = engine.set_time(Door::Window, Some("Europe/Paris")).await;
    let outcome = ended(set.unwrap()).await;
    assert!(matches!(outcome, Outcome::Done { .. }), "{outcome:?}");
    let at = engine.state().borrow().clock.time_set.clone().unwrap().at;
    engine.stop().await;
    let database = rusqlite::Connection::open(desk.folder.path().join("data/regie.db")).unwrap();
    let changed = database
        .execute(
            "UPDATE memory SET value = replace(value, ?1, ?2)",
            [at.as_str(), half_a_year_off()],
        )
        .unwrap();
    assert!(changed > 0);
}

/// TZ-3: by itself, journalled, and without a card in the window.
#[tokio::test(flavor = "multi_thread")]
async fn a_clock_whose_zone_has_changed_its_offset_is_set_again() {
    let desk = Desk::new();
    set_long_ago(&desk).await;
    let engine = desk.engine().await;
    let old = |state: &AppState| state.clock.time_set.clone().unwrap().at == half_a_year_off();
    assert!(old(&engine.state().borrow()));
    engine.keep_time();
    until(&engine, "the time is set again", |state| !old(state)).await;
    engine.stop().await;
    assert_eq!(engine.state().borrow().clock.operation, None);

    let engine = desk.engine().await;
    let newest = engine.journal(1).await.unwrap().remove(0);
    assert_eq!(newest.door, Door::Regie);
    assert_eq!(newest.outcome, JournalOutcome::Done);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_person_asks_for_goes_before_what_nobody_did() {
    let desk = Desk::new();
    set_long_ago(&desk).await;
    desk.clock.order(Fault::ConnectHangs);
    let engine = desk.engine().await;
    engine.keep_time();
    let faults_left = || desk.clock.faults_left();
    timeout(PATIENCE, async {
        while faults_left() > 0 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    })
    .await
    .unwrap();
    let asked = engine.set_face(Door::Window, Face::Clock1).await.unwrap();
    let outcome = timeout(Duration::from_secs(10), asked.ended).await.unwrap();
    assert!(matches!(outcome, Ok(Outcome::Done { .. })), "{outcome:?}");
}

/// TZ-10: a clock that follows this computer is on its time now, not on that of where it was set.
#[tokio::test(flavor = "multi_thread")]
async fn a_clock_that_follows_this_computer_is_on_its_zone() {
    let desk = Desk::new();
    let engine = desk.engine().await;
    ended(engine.set_time(Door::Window, None).await.unwrap()).await;
    engine.stop().await;
    let here = Zone::system();
    let far = ["Pacific/Kiritimati", "Pacific/Niue"];
    let offset = |zone: &str| zone.parse::<Zone>().unwrap().offset_seconds_at(0).unwrap();
    let away = far
        .into_iter()
        .find(|zone| offset(zone) != here.offset_seconds_at(0).unwrap())
        .unwrap();
    let database = rusqlite::Connection::open(desk.folder.path().join("data/regie.db")).unwrap();
    let zone = format!("\"zone\":\"{here}\"");
    let elsewhere = format!("\"zone\":\"{away}\"");
    let changed = database.execute(
        "UPDATE memory SET value = replace(value, ?1, ?2)",
        [zone, elsewhere],
    );
    assert!(changed.unwrap() > 0);
    drop(database);

    let engine = desk.engine().await;
    let set = engine.state().borrow().clock.time_set.clone().unwrap();
    assert_eq!(set.zone, away);
    let shown = engine.host_calendar(Door::Window, None).await.unwrap();
    assert!(matches!(ended(shown).await, Outcome::Done { .. }));
    let day = engine
        .state()
        .borrow()
        .clock
        .host_calendar
        .clone()
        .unwrap()
        .day;
    let today = jiff::Zoned::now().date().to_string();
    assert_eq!(day, today);
}
