//! The facade: everything the product can do, for every door.

mod clocks;
mod diagnosing;
mod keeping;
mod operations;
mod pictures;
mod requests;
mod teaching;
mod timekeeping;
mod words;

use std::fs::File;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use regie_clock::{Adapter, ClockError, Dialects, Profile, Zone};
use tokio::sync::watch;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use self::clocks::Current;
use self::operations::Unasked;
pub use self::words::templates;
use crate::convert;
use crate::desk::Desk;
use crate::error::EngineError;
use crate::memory::ClockMemory;
use crate::opening::Opened;
use crate::settings::{Devices, Locale, Settings, SettingsFile};
use crate::state::{AppState, ClockState, Estimate, LinkView, SLOTS, Slot};
use crate::store::Store;
use crate::studio::Studio;

/// Operations under way may take this long to finish when the engine stops.
const STOP_GRACE: Duration = Duration::from_millis(500);

/// Writing the outcomes of operations that ended with the engine; a statement waits for another
/// connection no longer than this.
const STOP_WRITES: Duration = Duration::from_secs(5);

/// Sending a full picture, where it was never measured: 127 packets at about 60 ms.
const SEND_SECONDS: u32 = 8;

/// Where settings and data live.
#[derive(Clone, Debug)]
pub struct Folders {
    /// The folder of `settings.toml` and `clock-profile.toml`.
    pub settings: PathBuf,
    /// The folder of `regie.db`.
    pub data: PathBuf,
}

/// What an engine is started with.
#[derive(Clone, Debug)]
pub struct EngineConfig {
    /// Where settings and data live.
    pub folders: Folders,
    /// The version of Regie.
    pub version: String,
    /// The catalogue that fits the operating system's language.
    pub system_locale: Locale,
    /// Simulated devices, whatever the settings say.
    pub demo: bool,
    /// The address of the clock to use in this run; another one than the remembered is not
    /// remembered.
    pub clock: Option<String>,
}

/// Where adapters come from: the app knows the real radio and the simulation, the engine neither.
pub trait DeviceSource: Send + Sync + 'static {
    /// An adapter of that kind.
    ///
    /// # Errors
    /// [`ClockError::BluetoothUnavailable`] and the like; the engine runs on without a clock.
    fn adapter(&self, devices: Devices) -> Result<Arc<dyn Adapter>, ClockError>;

    /// Whether these devices begin anew with each adapter, so that what one was known to show says
    /// nothing about it any more.
    fn begin_anew(&self, _devices: Devices) -> bool {
        false
    }
}

/// The engine; clones share it.
#[derive(Clone)]
pub struct Engine {
    shared: Arc<Shared>,
}

struct Shared {
    state: watch::Sender<AppState>,
    desk: Mutex<Desk>,
    current: Mutex<Current>,
    saving: tokio::sync::Mutex<()>,
    memory: Mutex<ClockMemory>,
    /// Whether the clock in use is the one that the next start shall use.
    keeps_choice: bool,
    profile: Mutex<Profile>,
    source: Arc<dyn DeviceSource>,
    settings_file: Arc<SettingsFile>,
    store: Store,
    studio: Studio,
    config: EngineConfig,
    /// What follows sessions and operations, and what runs beside them.
    tasks: TaskTracker,
    stopping: CancellationToken,
    unasked: Mutex<Unasked>,
    /// Held until the engine is stopped: one process owns the folder.
    owned: Mutex<Option<File>>,
}

impl Engine {
    /// Starts the engine on the current tokio runtime.
    ///
    /// # Errors
    /// [`EngineError::AlreadyRunning`] while another process owns the data folder,
    /// [`EngineError::FolderUnusable`], [`EngineError::Store`]. A settings or profile file that
    /// cannot be read is no error: it is left alone, the defaults hold, and
    /// [`AppState::warnings`] says so.
    pub async fn start(
        config: EngineConfig,
        source: Arc<dyn DeviceSource>,
    ) -> Result<Self, EngineError> {
        let opened = tokio::task::spawn_blocking(move || Opened::open(config))
            .await
            .map_err(|_| EngineError::Closing)??;
        let Opened {
            config,
            owned,
            settings_file,
            settings,
            profile,
            warnings,
            store,
            slots,
            mut memory,
            keeps_choice,
        } = opened;
        let dialects = Dialects::new(profile.clone());
        let devices = devices_in_use(&config, &settings);
        if source.begin_anew(devices) {
            memory.shown = None;
        }
        let current = Current::start(0, &*source, &dialects, devices, &settings, &memory);
        let state = AppState {
            version: config.version.clone(),
            locale: settings.language.resolve(config.system_locale),
            zone: Zone::system().to_string(),
            simulated: devices == Devices::Simulated,
            demo_forced: config.demo,
            clock: clock_state(&memory, &slots, &dialects),
            slots,
            settings,
            warnings,
        };
        let engine = Self {
            shared: Arc::new(Shared {
                state: watch::Sender::new(state),
                desk: Mutex::default(),
                current: Mutex::new(current.clone()),
                saving: tokio::sync::Mutex::default(),
                memory: Mutex::new(memory),
                keeps_choice,
                profile: Mutex::new(profile),
                source,
                settings_file: Arc::new(settings_file),
                store,
                studio: Studio::start()?,
                config,
                tasks: TaskTracker::new(),
                stopping: CancellationToken::new(),
                unasked: Mutex::default(),
                owned: Mutex::new(Some(owned)),
            }),
        };
        engine.follow_session(current);
        Ok(engine)
    }

    /// The state, now and from now on.
    pub fn state(&self) -> watch::Receiver<AppState> {
        self.shared.state.subscribe()
    }

    /// Lets the clock go and ends: operations under way are cancelled after a moment, their
    /// outcomes are written, and the folder is free for another process.
    pub async fn stop(&self) {
        self.shared.stopping.cancel();
        self.current().session.shutdown(STOP_GRACE).await;
        self.shared.tasks.close();
        if timeout(STOP_WRITES, self.shared.tasks.wait())
            .await
            .is_err()
        {
            tracing::warn!("an outcome was not written in time");
        }
        *lock(&self.shared.owned) = None;
    }

    /// How each family of clocks is spoken to, with what was taught.
    fn dialects(&self) -> Dialects {
        Dialects::new(lock(&self.shared.profile).clone())
    }

    fn devices(&self) -> Devices {
        devices_in_use(&self.shared.config, &self.shared.state.borrow().settings)
    }

    fn current(&self) -> Current {
        lock(&self.shared.current).clone()
    }

    fn desk(&self) -> MutexGuard<'_, Desk> {
        lock(&self.shared.desk)
    }

    fn change(&self, change: impl FnOnce(&mut AppState)) {
        self.shared.state.send_modify(change);
    }

    fn show_current(&self) {
        // Under one lock, so that an older view cannot overtake a newer one.
        let desk = self.desk();
        self.change(|state| state.clock.operation = desk.current());
    }

    fn show_memory(&self, memory: &ClockMemory) {
        self.change(|state| {
            state.clock.chosen.clone_from(&memory.chosen);
            state.clock.shown_slot = memory.shown_slot(&state.slots);
            state.clock.host_calendar = memory.host_calendar().cloned();
            state.clock.time_set.clone_from(&memory.time_set);
            state.clock.quiet_hours = memory.quiet_hours;
            state.clock.unsupported = convert::unsupported(&self.dialects(), memory.family());
            state.clock.estimate = estimate(memory);
        });
    }
}

pub(crate) fn devices_in_use(config: &EngineConfig, settings: &Settings) -> Devices {
    if config.demo {
        Devices::Simulated
    } else {
        settings.devices.unwrap_or(Devices::Bluetooth)
    }
}

fn clock_state(memory: &ClockMemory, slots: &[Option<Slot>], dialects: &Dialects) -> ClockState {
    ClockState {
        chosen: memory.chosen.clone(),
        link: LinkView::Asleep,
        operation: None,
        scanning: false,
        nearby: Vec::new(),
        shown_slot: memory.shown_slot(slots),
        host_calendar: memory.host_calendar().cloned(),
        time_set: memory.time_set.clone(),
        quiet_hours: memory.quiet_hours,
        unsupported: convert::unsupported(dialects, memory.family()),
        estimate: estimate(memory),
    }
}

fn estimate(memory: &ClockMemory) -> Estimate {
    Estimate {
        send_seconds: memory.send_seconds.unwrap_or(SEND_SECONDS),
        refresh_seconds: convert::REFRESH_SECONDS,
    }
}

fn checked(slot: u8) -> Result<u8, EngineError> {
    if slot < SLOTS {
        Ok(slot)
    } else {
        Err(EngineError::NoSuchSlot { slot })
    }
}

/// The values behind these locks are replaced whole, so a poisoned lock holds a good value.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
