//! The room as a door uses it, on simulated devices.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use regie_clock::{Adapter, ClockError, Unavailable};
use regie_engine::rooms::request::{LedChange, Volume};
use regie_engine::rooms::{
    Condition, DeviceId, DeviceState, HttpTransport, Origin, Outcome, Request, RoomError,
    RoomState, Search,
};
use regie_engine::{
    Action, Caller, DeviceForm, DeviceSource, Devices, Door, Engine, EngineConfig, EngineError,
    GivenDevices, JournalEntry, JournalOutcome, RoomSource, Secret, SecretStore, SecretsError,
    SecretsPlace,
};
use regie_sim::room::{DeviceConfig, SimulatedDevice};

mod common;

use common::{PATIENCE, config};

/// A keyring that can be locked.
#[derive(Debug, Default)]
struct Keyring {
    locked: AtomicBool,
    kept: Mutex<Vec<(String, Secret)>>,
}

impl Keyring {
    fn lock(&self, locked: bool) {
        self.locked.store(locked, Ordering::Relaxed);
    }

    fn names(&self) -> Vec<String> {
        let kept = self.kept.lock().unwrap();
        let last = |name: &str| name.rsplit('/').next().unwrap().to_owned();
        kept.iter().map(|(name, _)| last(name)).collect()
    }

    fn check(&self) -> Result<(), SecretsError> {
        match self.locked.load(Ordering::Relaxed) {
            true => Err(SecretsError::Locked),
            false => Ok(()),
        }
    }
}

impl SecretStore for Keyring {
    fn get(&self, name: &str) -> Result<Option<Secret>, SecretsError> {
        self.check()?;
        let kept = self.kept.lock().unwrap();
        Ok(kept
            .iter()
            .find(|kept| kept.0 == name)
            .map(|kept| kept.1.clone()))
    }
    fn set(&self, name: &str, secret: &Secret) -> Result<(), SecretsError> {
        self.delete(name)?;
        self.kept
            .lock()
            .unwrap()
            .push((name.to_owned(), secret.clone()));
        Ok(())
    }
    fn delete(&self, name: &str) -> Result<(), SecretsError> {
        self.check()?;
        self.kept.lock().unwrap().retain(|kept| kept.0 != name);
        Ok(())
    }
}

/// No clock, and the loopback network.
struct Network;

#[async_trait]
impl DeviceSource for Network {
    fn adapter(&self, _: Devices) -> Result<Arc<dyn Adapter>, ClockError> {
        Err(ClockError::BluetoothUnavailable {
            reason: Unavailable::ServiceMissing,
        })
    }

    async fn room(&self, _: Devices) -> Result<RoomSource, RoomError> {
        Ok(RoomSource {
            transport: Arc::new(HttpTransport::new()?),
            search: Search::Off,
            devices: Vec::new(),
        })
    }
}

struct House {
    folder: tempfile::TempDir,
    keyring: Arc<Keyring>,
    board: SimulatedDevice,
}

impl House {
    async fn new() -> Self {
        let board = SimulatedDevice::start(DeviceConfig::spec("board")).await;
        Self {
            folder: tempfile::tempdir().unwrap(),
            keyring: Arc::default(),
            board: board.unwrap(),
        }
    }

    fn token(&self) -> String {
        self.board.token().unwrap().to_owned()
    }

    fn form(&self, name: &str) -> DeviceForm {
        DeviceForm {
            id: id(name),
            replaces: None,
            found: None,
            name: "Main console".into(),
            room: "Salle 1".into(),
            address: Some(self.board.address().to_string().parse().unwrap()),
            via: None,
            volume_limit: Volume::try_from(80).unwrap(),
            token: Some(self.token()),
        }
    }

    async fn engine(&self) -> Engine {
        self.engine_with(GivenDevices::default()).await
    }

    async fn engine_with(&self, given_devices: GivenDevices) -> Engine {
        let config = EngineConfig {
            demo: false,
            secrets: SecretsPlace::Given(self.keyring.clone()),
            given_devices,
            ..config(self.folder.path())
        };
        let engine = Engine::start(config, Arc::new(Network)).await.unwrap();
        engine.open_room().await;
        engine
    }

    fn settings(&self) -> String {
        let path = self.folder.path().join("settings/settings.toml");
        fs::read_to_string(path).unwrap_or_default()
    }
}

fn id(text: &str) -> DeviceId {
    text.parse().unwrap()
}

fn agent() -> Caller {
    Caller {
        door: Door::Agent,
        name: Some("claude".into()),
    }
}

fn led() -> Request {
    let led: LedChange = serde_json::from_str(
        r##"{"zone":"all","color":"#00FF00","pattern":"solid","brightness":128,"duration_ms":0}"##,
    )
    .unwrap();
    Request::Led(led)
}

fn device(state: &RoomState, name: &str) -> Option<DeviceState> {
    let mut devices = state.devices.iter();
    devices.find(|device| device.id.as_str() == name).cloned()
}

async fn until(
    engine: &Engine,
    what: &str,
    mut holds: impl FnMut(&RoomState) -> bool,
) -> RoomState {
    let mut state = engine.room_state();
    tokio::time::timeout(PATIENCE, state.wait_for(|state| holds(state)))
        .await
        .unwrap_or_else(|_| panic!("never: {what}"))
        .unwrap()
        .clone()
}

async fn until_answering(engine: &Engine, name: &str) -> DeviceState {
    let state = until(engine, "answers", |state| {
        device(state, name).is_some_and(|device| device.condition == Condition::Answering)
    });
    device(&state.await, name).unwrap()
}

async fn journal(engine: &Engine, entries: usize) -> Vec<JournalEntry> {
    let read = async {
        loop {
            let journal = engine.journal(10).await.unwrap();
            if journal.len() >= entries {
                return journal;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(PATIENCE, read)
        .await
        .expect("no entry")
}

fn holds(folder: &Path, text: &str) -> bool {
    fs::read_dir(folder).unwrap().any(|entry| {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => holds(&path, text),
            false => fs::read(path)
                .unwrap()
                .windows(text.len())
                .any(|part| part == text.as_bytes()),
        }
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn a_device_that_is_set_is_driven_and_the_journal_says_who_did_it() {
    let house = House::new().await;
    let engine = house.engine().await;
    engine.save_device(house.form("main")).await.unwrap();
    let shown = until_answering(&engine, "main").await;
    assert_eq!(shown.origin, Origin::Settings);
    assert_eq!(shown.name, "Main console");
    assert_eq!(shown.room.as_deref(), Some("Salle 1"));
    let done = engine.ask_device(agent(), "main", led()).await.unwrap();
    assert!(matches!(
        done.outcome,
        Outcome::Accepted | Outcome::Confirmed
    ));
    let status = engine.ask_device(agent(), "main", Request::Status);
    status.await.unwrap();
    let unknown = engine.ask_device(Door::Window, "nobody", led()).await;
    assert_eq!(unknown.unwrap_err().code(), "device-unknown");
    // Reading the state is no action.
    let journal = journal(&engine, 2).await;
    assert_eq!(journal.len(), 2);
    let tool = || "led_set".to_owned();
    assert_eq!(journal[0].outcome, JournalOutcome::Failed);
    assert_eq!(journal[1].action, Action::Device { tool: tool() });
    assert_eq!(journal[1].target, "main");
    assert_eq!(journal[1].caller.as_deref(), Some("claude"));
    assert_eq!(journal[1].outcome, JournalOutcome::Done);
    assert!(journal[1].detail.contains("#00FF00"));
    engine.stop().await;
}

/// KEY-1, KEY-2.
#[tokio::test(flavor = "multi_thread")]
async fn a_devices_token_is_kept_in_the_keyring_and_nowhere_else() {
    let house = House::new().await;
    let engine = house.engine().await;
    let form = house.form("main");
    let mut shown = format!("{form:?}");
    engine.save_device(form).await.unwrap();
    until_answering(&engine, "main").await;
    engine.ask_device(agent(), "main", led()).await.unwrap();
    let long = Some("x".repeat(2561));
    let refused = engine.set_device_token(&id("main"), long).await;
    shown += &format!(
        "{:?} {:?}",
        engine.state().borrow(),
        engine.room_state().borrow()
    );
    journal(&engine, 1).await;
    engine.stop().await;
    assert!(refused.unwrap_err().to_string().contains("2560"));
    assert_eq!(house.keyring.names(), ["device:main"]);
    assert!(!shown.contains(&house.token()));
    assert!(!holds(house.folder.path(), &house.token()));
    assert!(house.settings().contains("[room.devices.main]"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_outlasts_a_restart_and_what_is_asked_at_once_is_asked_with_it() {
    let house = House::new().await;
    let engine = house.engine().await;
    engine.save_device(house.form("main")).await.unwrap();
    engine.stop().await;
    let engine = house.engine().await;
    engine.ask_device(Door::Cli, "main", led()).await.unwrap();
    engine.stop().await;
}

/// KEY-1.
#[tokio::test(flavor = "multi_thread")]
async fn a_keyring_that_is_locked_at_the_start_costs_no_token() {
    let house = House::new().await;
    let engine = house.engine().await;
    engine.save_device(house.form("main")).await.unwrap();
    engine.stop().await;
    house.keyring.lock(true);
    let engine = house.engine().await;
    let refused = engine.ask_device(agent(), "main", led()).await;
    assert_eq!(refused.unwrap_err().code(), "device-token-missing");
    house.keyring.lock(false);
    engine.open_secrets();
    until_answering(&engine, "main").await;
    engine.ask_device(agent(), "main", led()).await.unwrap();
    engine.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_device_that_cannot_be_changes_nothing() {
    let house = House::new().await;
    let engine = house.engine().await;
    engine.save_device(house.form("main")).await.unwrap();
    let before = house.settings();
    let again = engine.save_device(house.form("main")).await;
    assert_eq!(again.unwrap_err().code(), "device-id-taken");
    let lost = DeviceForm {
        via: Some(id("nobody")),
        ..house.form("lantern")
    };
    let lost = engine.save_device(lost).await;
    assert_eq!(lost.unwrap_err().code(), "gateway-invalid");
    let long = DeviceForm {
        token: Some("x".repeat(3000)),
        ..house.form("other")
    };
    assert!(matches!(
        engine.save_device(long).await,
        Err(EngineError::Secrets(_))
    ));
    assert_eq!(house.settings(), before);
    engine.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_device_keeps_its_token_under_another_name_and_loses_it_when_it_goes() {
    let house = House::new().await;
    let engine = house.engine().await;
    engine.save_device(house.form("main")).await.unwrap();
    until_answering(&engine, "main").await;
    let renamed = DeviceForm {
        replaces: Some(id("main")),
        token: None,
        ..house.form("console")
    };
    engine.save_device(renamed).await.unwrap();
    engine.ask_device(agent(), "console", led()).await.unwrap();
    assert_eq!(house.keyring.names(), ["device:console"]);
    until(&engine, "renamed", |state| device(state, "main").is_none()).await;
    let behind = DeviceForm {
        via: Some(id("console")),
        address: None,
        token: None,
        ..house.form("lantern")
    };
    engine.save_device(behind).await.unwrap();
    engine.remove_device(&id("console")).await.unwrap();
    assert!(house.keyring.names().is_empty());
    let state = until(&engine, "removed", |state| {
        device(state, "console").is_none()
    })
    .await;
    assert_eq!(device(&state, "lantern").unwrap().via, None);
    let gone = engine.remove_device(&id("console")).await;
    assert_eq!(gone.unwrap_err().code(), "device-unknown");
    engine.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn settings_that_a_window_has_held_undo_no_device() {
    let house = House::new().await;
    let engine = house.engine().await;
    let held = engine.state().borrow().settings.clone();
    engine.save_device(house.form("main")).await.unwrap();
    engine.save_settings(held).await.unwrap();
    assert!(house.settings().contains("[room.devices.main]"));
    until_answering(&engine, "main").await;
    engine.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn devices_of_the_environment_go_first_and_cannot_be_changed() {
    let house = House::new().await;
    let engine = house.engine().await;
    engine.save_device(house.form("main")).await.unwrap();
    engine.stop().await;
    let address = house.board.address();
    let (host, port, token) = (address.ip(), address.port(), house.token());
    let given = GivenDevices::read(&format!(
        r#"[{{"id":"main","host":"{host}","port":{port},"token":"{token}"}}, {{"id":"broken"}}]"#
    ));
    let engine = house.engine_with(given).await;
    let shown = until_answering(&engine, "main").await;
    assert_eq!(shown.origin, Origin::Environment);
    engine.ask_device(agent(), "main", led()).await.unwrap();
    let refused = engine.remove_device(&id("main")).await;
    assert_eq!(refused.unwrap_err().code(), "given-device");
    let refused = engine.set_device_token(&id("main"), None).await;
    assert_eq!(refused.unwrap_err().code(), "given-device");
    let warnings = engine.state().borrow().warnings.clone();
    let codes: Vec<_> = warnings.iter().map(|fault| fault.code.as_str()).collect();
    assert_eq!(codes, ["given-devices", "device-id-taken"]);
    assert!(!format!("{warnings:?}").contains(&token));
    engine.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_read_of_a_device_outlasts_a_restart() {
    let house = House::new().await;
    let engine = house.engine().await;
    engine.save_device(house.form("main")).await.unwrap();
    until_answering(&engine, "main").await;
    engine.stop().await;
    let engine = house.engine().await;
    let history = engine.device_history(&id("main"), 0).await.unwrap();
    assert!(
        history
            .iter()
            .any(|sample| sample.answered && sample.rssi.is_some())
    );
    let later = engine.device_history(&id("main"), u64::MAX).await.unwrap();
    assert!(later.is_empty());
    engine.stop().await;
}
