//! The facade: everything the product can do, for every door.

mod clocks;
mod diagnosing;
mod errand;
mod keeping;
mod operations;
mod pictures;
mod requests;
mod room;
mod room_devices;
mod room_history;
mod sources;
mod status;
mod teaching;
mod timekeeping;
mod token_keeping;
mod tokens;
mod waking;
mod words;

use std::fs::File;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use regie_clock::{Adapter, ClockError, Dialects, Profile, Zone};
use regie_room::RoomError;
use tokio::sync::{Notify, watch};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use self::clocks::Current;
use self::operations::Unasked;
use self::room::{ROOM_STOP, Rooms};
use self::room_devices::Moves;
pub use self::status::ClockStatus;
pub(crate) use self::token_keeping::TOKENS_KEY;
pub use self::words::templates;
use crate::calls::CallLog;
use crate::convert;
use crate::desk::Desk;
use crate::error::EngineError;
use crate::given_devices::GivenDevices;
use crate::memory::ClockMemory;
use crate::opening::Opened;
use crate::room::{RoomSource, no_room};
use crate::secrets::{Secrets, SecretsPlace};
use crate::settings::{Devices, Locale, Settings, SettingsFile};
use crate::state::{AppState, ClockState, Estimate, LinkView, SLOTS, SecretsState, Slot};
use crate::store::Store;
use crate::studio::Studio;
use crate::tokens::{GivenToken, TokenBook};

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
    /// Where secrets are kept.
    pub secrets: SecretsPlace,
    /// Tokens of the environment, accepted beside those that are made.
    pub given_tokens: Vec<GivenToken>,
    /// Devices of the environment, beside those of the settings.
    pub given_devices: GivenDevices,
}

/// Where adapters come from: the app knows the real radio and the simulation, the engine neither.
#[async_trait]
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

    /// The room behind these devices.
    ///
    /// # Errors
    /// [`RoomError::NetworkUnusable`]; the engine runs on without a room.
    async fn room(&self, _devices: Devices) -> Result<RoomSource, RoomError> {
        Err(no_room())
    }

    /// How long an operation tries to hear and connect one of these devices; the session's own
    /// limit, which covers the longest sleep of a real clock, unless something else is known.
    fn connect_limit(&self, _devices: Devices) -> Option<Duration> {
        None
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
    /// Held from reading what is remembered of a clock to writing it again, so that of two changes
    /// none is lost.
    learning: tokio::sync::Mutex<()>,
    /// Whether the clock in use is the one that the next start shall use.
    keeps_choice: bool,
    profile: Mutex<Profile>,
    source: Arc<dyn DeviceSource>,
    settings_file: Arc<SettingsFile>,
    store: Store,
    secrets: Secrets,
    tokens: Mutex<TokenBook>,
    /// Held by what makes or changes tokens, so that one ends before the next begins.
    token_turn: tokio::sync::Mutex<()>,
    /// Held while it is written which tokens there are.
    token_writing: tokio::sync::Mutex<()>,
    /// Secrets are to be read.
    tokens_wanted: Arc<Notify>,
    /// Secrets were read, as far as they could be.
    tokens_read: Notify,
    /// A token was used, which is to be written.
    tokens_used: Notify,
    calls: CallLog,
    rooms: Rooms,
    /// Where devices were found, as far as that is written.
    moves_written: Mutex<Moves>,
    studio: Studio,
    /// Draws the pictures that agents bring, one at a time, so that neither the window waits for
    /// them nor many at once take much memory.
    brought: Studio,
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
            tokens,
            scope,
        } = opened;
        let dialects = Dialects::new(profile.clone());
        let devices = devices_in_use(&config, &settings);
        if source.begin_anew(devices) {
            store.run(ClockMemory::forget_simulated).await?;
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
            tokens: tokens.listed(),
            secrets: SecretsState::of_place(&config.secrets),
        };
        let tokens_wanted = Arc::new(Notify::new());
        let secrets = Secrets::start(&config.secrets, scope, Arc::clone(&tokens_wanted))
            .map_err(|_| EngineError::Closing)?;
        let (tasks, stopping) = (TaskTracker::new(), CancellationToken::new());
        let engine = Self {
            shared: Arc::new(Shared {
                state: watch::Sender::new(state),
                desk: Mutex::default(),
                current: Mutex::new(current.clone()),
                saving: tokio::sync::Mutex::default(),
                memory: Mutex::new(memory),
                learning: tokio::sync::Mutex::default(),
                keeps_choice,
                profile: Mutex::new(profile),
                source,
                settings_file: Arc::new(settings_file),
                calls: CallLog::start(store.clone(), &tasks, stopping.clone()),
                store,
                secrets,
                tokens: Mutex::new(tokens),
                token_turn: tokio::sync::Mutex::default(),
                token_writing: tokio::sync::Mutex::default(),
                tokens_wanted,
                tokens_read: Notify::new(),
                tokens_used: Notify::new(),
                rooms: Rooms::new(),
                moves_written: Mutex::default(),
                studio: Studio::start()?,
                brought: Studio::start()?,
                config,
                tasks,
                stopping,
                unasked: Mutex::default(),
                owned: Mutex::new(Some(owned)),
            }),
        };
        engine.follow_session(current);
        engine.keep_tokens();
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
        let close_room = async {
            if let Some(open) = self.shared.rooms.take()
                && timeout(ROOM_STOP, open.room.stop()).await.is_err()
            {
                tracing::warn!("the room was not closed in time");
            }
        };
        let session = self.current().session;
        tokio::join!(session.shutdown(STOP_GRACE), close_room);
        self.shared.calls.close();
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
