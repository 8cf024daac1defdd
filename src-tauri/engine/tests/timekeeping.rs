//! The clock is set again by itself when the offset of its zone has changed.

// The helpers below end a test as an assertion does.
#![allow(clippy::unwrap_used)]

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use regie_clock::{Adapter, ClockError, Face, Zone};
use regie_engine::{
    AppState, DeviceSource, Devices, Door, Engine, EngineConfig, Folders, JournalOutcome, Locale,
    Outcome,
};
use regie_sim::{ClockSpec, Fault, SimulatedAdapter, SimulatedClock, Timing};
use tokio::time::timeout;

/// Longer than anything here takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(30);

struct Source(SimulatedAdapter);

impl DeviceSource for Source {
    fn adapter(&self, _: Devices) -> Result<Arc<dyn Adapter>, ClockError> {
        Ok(Arc::new(self.0.clone()))
    }
}

async fn start(folder: &Path, clock: &SimulatedClock) -> Engine {
    let config = EngineConfig {
        folders: Folders {
            settings: folder.join("settings"),
            data: folder.join("data"),
        },
        version: "0".into(),
        system_locale: Locale::En,
        demo: true,
        clock: None,
    };
    let source = Source(SimulatedAdapter::new(vec![clock.clone()]));
    Engine::start(config, Arc::new(source)).await.unwrap()
}

fn clock() -> SimulatedClock {
    SimulatedClock::new(ClockSpec {
        timing: Timing::instant(),
        ..ClockSpec::default()
    })
}

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
async fn set_long_ago(folder: &Path, clock: &SimulatedClock) {
    let engine = start(folder, clock).await;
    let set = engine.set_time(Door::Window, Some("Europe/Paris")).await;
    let outcome = set.unwrap().ended.await.unwrap();
    assert!(matches!(outcome, Outcome::Done { .. }), "{outcome:?}");
    let at = engine.state().borrow().clock.time_set.clone().unwrap().at;
    engine.stop().await;
    let database = rusqlite::Connection::open(folder.join("data/regie.db")).unwrap();
    let changed = database
        .execute(
            "UPDATE memory SET value = replace(value, ?1, ?2)",
            [at.as_str(), half_a_year_off()],
        )
        .unwrap();
    assert!(changed > 0);
}

async fn until(engine: &Engine, reached: impl FnMut(&AppState) -> bool) {
    let mut state = engine.state();
    timeout(PATIENCE, state.wait_for(reached))
        .await
        .unwrap()
        .unwrap();
}

/// TZ-3: by itself, journalled, and without a card in the window.
#[tokio::test(flavor = "multi_thread")]
async fn a_clock_whose_zone_has_changed_its_offset_is_set_again() {
    let (folder, clock) = (tempfile::tempdir().unwrap(), clock());
    set_long_ago(folder.path(), &clock).await;
    let engine = start(folder.path(), &clock).await;
    let old = |state: &AppState| state.clock.time_set.clone().unwrap().at == half_a_year_off();
    assert!(old(&engine.state().borrow()));
    engine.keep_time();
    until(&engine, |state| !old(state)).await;
    engine.stop().await;
    assert_eq!(engine.state().borrow().clock.operation, None);

    let engine = start(folder.path(), &clock).await;
    let newest = engine.journal(1).await.unwrap().remove(0);
    assert_eq!(newest.door, Door::Regie);
    assert_eq!(newest.outcome, JournalOutcome::Done);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_person_asks_for_goes_before_what_nobody_did() {
    let (folder, clock) = (tempfile::tempdir().unwrap(), clock());
    set_long_ago(folder.path(), &clock).await;
    clock.order(Fault::ConnectHangs);
    let engine = start(folder.path(), &clock).await;
    engine.keep_time();
    let faults_left = || clock.faults_left();
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
