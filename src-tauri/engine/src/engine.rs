//! The facade: everything the product can do, for every door.

use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use jiff::Timestamp;
use regie_clock::{
    Adapter, Address, Channel, ClockError, Dialect, Face, Job, Pingping, Profile, QuietHours, Raw,
    RawPolicy, Request, Session, SessionConfig, Stage, Task, Toggle, Zone,
};
use regie_imaging::{Options, Panel, Planes, Rgb8};
use tokio::sync::{oneshot, watch};
use tokio::time::{Instant, timeout};
use tokio_util::task::TaskTracker;

use crate::convert;
use crate::desk::{Desk, Learned, Plan, Submitted};
use crate::error::EngineError;
use crate::fault::Fault;
use crate::memory::ClockMemory;
use crate::settings::{Devices, Locale, Settings, SettingsFile};
use crate::state::{
    AppState, ClockState, Door, Estimate, JournalEntry, JournalOutcome, KnownClock, LinkView,
    NearbyClock, OperationKind, Outcome, PictureInfo, SLOTS, Slot, TimeSet, Unsupported,
};
use crate::store::{NewEntry, Store};
use crate::studio::{Rendering, Studio, Thumbnails};

/// How long a door's scan listens. A clock advertises about once a second while it is awake.
const SCAN_TIME: Duration = Duration::from_secs(10);

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
}

/// Where adapters come from: the app knows the real radio and the simulation, the engine neither.
pub trait DeviceSource: Send + Sync + 'static {
    /// An adapter of that kind.
    ///
    /// # Errors
    /// [`ClockError::BluetoothUnavailable`] and the like; the engine runs on without a clock.
    fn adapter(&self, devices: Devices) -> Result<Arc<dyn Adapter>, ClockError>;
}

/// The engine; clones share it.
#[derive(Clone)]
pub struct Engine {
    shared: Arc<Shared>,
}

struct Shared {
    state: watch::Sender<AppState>,
    desk: Mutex<Desk>,
    session: Mutex<Session>,
    memory: Mutex<ClockMemory>,
    dialect: Arc<dyn Dialect>,
    source: Arc<dyn DeviceSource>,
    settings_file: Arc<SettingsFile>,
    store: Store,
    studio: Studio,
    config: EngineConfig,
    /// What follows sessions and operations.
    tasks: TaskTracker,
    /// Held until the engine is stopped: one process owns the folder.
    owned: Mutex<Option<File>>,
}

impl Engine {
    /// Starts the engine on the current tokio runtime.
    ///
    /// # Errors
    /// [`EngineError::AlreadyRunning`] while another process owns the data folder,
    /// [`EngineError::FolderUnusable`], [`EngineError::Store`]. A settings or profile file that
    /// cannot be read is no error: it is set aside, the defaults hold, and
    /// [`AppState::warning`] says so.
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
            warning,
            store,
            slots,
            memory,
        } = opened;
        let dialect: Arc<dyn Dialect> = Arc::new(Pingping::new(profile));
        let devices = devices_in_use(&config, &settings);
        let session = session(&*source, &dialect, devices, &settings, &memory);
        let state = AppState {
            version: config.version.clone(),
            locale: settings.language.resolve(config.system_locale),
            zone: Zone::system().to_string(),
            simulated: devices == Devices::Simulated,
            demo_forced: config.demo,
            clock: clock_state(&memory, convert::unsupported(&*dialect)),
            slots,
            settings,
            warning,
        };
        let engine = Self {
            shared: Arc::new(Shared {
                state: watch::Sender::new(state),
                desk: Mutex::default(),
                session: Mutex::new(session.clone()),
                memory: Mutex::new(memory),
                dialect,
                source,
                settings_file: Arc::new(settings_file),
                store,
                studio: Studio::start()?,
                config,
                tasks: TaskTracker::new(),
                owned: Mutex::new(Some(owned)),
            }),
        };
        engine.follow_session(&session);
        Ok(engine)
    }

    /// The state, now and from now on.
    pub fn state(&self) -> watch::Receiver<AppState> {
        self.shared.state.subscribe()
    }

    /// Lets the clock go and ends: operations under way are cancelled after a moment, their
    /// outcomes are written, and the folder is free for another process.
    pub async fn stop(&self) {
        self.session().shutdown(STOP_GRACE).await;
        self.shared.tasks.close();
        if timeout(STOP_WRITES, self.shared.tasks.wait())
            .await
            .is_err()
        {
            tracing::warn!("an outcome was not written in time");
        }
        *lock(&self.shared.owned) = None;
    }

    // ---- pictures

    /// Opens a picture file.
    ///
    /// # Errors
    /// [`EngineError::Imaging`] says what is wrong with it.
    pub async fn open_path(&self, path: &Path) -> Result<PictureInfo, EngineError> {
        self.shared.studio.open_path(path).await
    }

    /// Opens a picture from its bytes.
    ///
    /// # Errors
    /// [`EngineError::Imaging`] says what is wrong with it.
    pub async fn open_bytes(
        &self,
        name: String,
        bytes: Vec<u8>,
    ) -> Result<PictureInfo, EngineError> {
        self.shared.studio.open_bytes(name, bytes).await
    }

    /// What the clock would show of an open picture.
    ///
    /// # Errors
    /// [`EngineError::PictureNotOpen`], [`EngineError::Imaging`].
    pub async fn render(&self, picture: u32, options: Options) -> Result<Rendering, EngineError> {
        let (_, rendering) = self.shared.studio.render(picture, options).await?;
        Ok(rendering)
    }

    /// An open picture at the panel's size, before dithering.
    ///
    /// # Errors
    /// [`EngineError::PictureNotOpen`], [`EngineError::Imaging`].
    pub async fn original(&self, picture: u32, options: Options) -> Result<Rgb8, EngineError> {
        self.shared.studio.original(picture, options).await
    }

    /// An open picture in each dithering method, small.
    ///
    /// # Errors
    /// [`EngineError::PictureNotOpen`], [`EngineError::Imaging`].
    pub async fn thumbnails(
        &self,
        picture: u32,
        options: Options,
    ) -> Result<Thumbnails, EngineError> {
        self.shared.studio.thumbnails(picture, options).await
    }

    /// The planes a slot holds.
    ///
    /// # Errors
    /// [`EngineError::NoSuchSlot`], [`EngineError::SlotEmpty`].
    pub async fn slot_planes(&self, slot: u8) -> Result<Planes, EngineError> {
        let slot = checked(slot)?;
        self.shared
            .store
            .run(move |store| store.slot_planes(slot))
            .await
    }

    // ---- the clock

    /// Keeps an open picture in a slot and shows it.
    ///
    /// # Errors
    /// [`EngineError::NoSuchSlot`], [`EngineError::PictureNotOpen`], [`EngineError::Imaging`].
    pub async fn show(
        &self,
        door: Door,
        picture: u32,
        options: Options,
        slot: u8,
    ) -> Result<Submitted, EngineError> {
        let slot = checked(slot)?;
        let (name, rendering) = self.shared.studio.render(picture, options).await?;
        let planes = rendering.planes;
        let held = Slot {
            slot,
            name: name.clone(),
            changed: Timestamp::now().to_string(),
        };
        let (row, stored) = (held.clone(), planes.clone());
        self.shared
            .store
            .run(move |store| store.fill_slot(&row, &stored))
            .await?;
        let was_shown = self.remember(|memory| {
            let was = memory.shown_slot == Some(slot);
            if was {
                memory.shown_slot = None;
            }
            was
        });
        self.change(|state| {
            if let Some(place) = state.slots.get_mut(usize::from(slot)) {
                *place = Some(held);
            }
            if was_shown {
                state.clock.shown_slot = None;
            }
        });
        self.submit_planes(door, name, slot, &planes).await
    }

    /// Shows what a slot holds.
    ///
    /// # Errors
    /// [`EngineError::NoSuchSlot`], [`EngineError::SlotEmpty`].
    pub async fn show_slot(&self, door: Door, slot: u8) -> Result<Submitted, EngineError> {
        let planes = self.slot_planes(slot).await?;
        let name = self
            .shared
            .state
            .borrow()
            .slots
            .get(usize::from(slot))
            .and_then(|held| held.as_ref().map(|held| held.name.clone()))
            .unwrap_or_default();
        self.submit_planes(door, name, slot, &planes).await
    }

    async fn submit_planes(
        &self,
        door: Door,
        name: String,
        slot: u8,
        planes: &Planes,
    ) -> Result<Submitted, EngineError> {
        // The small picture is the calendar's; in the other modes the clock would draw over it.
        let face = if planes.panel() == Panel::SMALL {
            Face::Calendar1
        } else {
            Face::Picture
        };
        self.submit(
            door,
            Plan {
                kind: OperationKind::Show,
                detail: name,
                first: Request::Picture(convert::picture(planes)?).into(),
                then: Some(Request::SetFace(face)),
                learned: Learned::Shows(slot),
            },
        )
        .await
    }

    /// Sets the clock to the time of a zone: an IANA name or an offset; `None` is this
    /// computer's.
    ///
    /// # Errors
    /// [`EngineError::Clock`] for a zone that is none.
    pub async fn set_time(&self, door: Door, zone: Option<&str>) -> Result<Submitted, EngineError> {
        let zone = match zone {
            Some(zone) => zone.parse()?,
            None => Zone::system(),
        };
        self.submit(
            door,
            Plan {
                kind: OperationKind::SetTime,
                detail: zone.to_string(),
                first: Task::SetTime(zone.clone()),
                then: None,
                learned: Learned::Time(zone),
            },
        )
        .await
    }

    /// Changes the face.
    ///
    /// # Errors
    /// [`EngineError::Store`], [`EngineError::Closing`]; a face whose code is not known fails as
    /// an operation.
    pub async fn set_face(&self, door: Door, face: Face) -> Result<Submitted, EngineError> {
        self.submit(
            door,
            Plan {
                kind: OperationKind::Face,
                detail: face.to_string(),
                first: Request::SetFace(face).into(),
                then: None,
                learned: Learned::Face(face),
            },
        )
        .await
    }

    /// Flips a setting.
    ///
    /// # Errors
    /// As [`Engine::set_face`].
    pub async fn toggle(&self, door: Door, toggle: Toggle) -> Result<Submitted, EngineError> {
        self.submit(
            door,
            Plan {
                kind: OperationKind::Toggle,
                detail: toggle.to_string(),
                first: Request::Toggle(toggle).into(),
                then: None,
                learned: Learned::Nothing,
            },
        )
        .await
    }

    /// Sets the hours in which the screen rests.
    ///
    /// # Errors
    /// [`EngineError::Clock`] for an hour that is none.
    pub async fn quiet_hours(
        &self,
        door: Door,
        on: bool,
        start_hour: u8,
        end_hour: u8,
    ) -> Result<Submitted, EngineError> {
        let hours = QuietHours::new(on, start_hour, end_hour)?;
        let detail = if on {
            format!("{start_hour}:00-{end_hour}:00")
        } else {
            "off".into()
        };
        self.submit(
            door,
            Plan {
                kind: OperationKind::QuietHours,
                detail,
                first: Request::QuietHours(hours).into(),
                then: None,
                learned: Learned::Nothing,
            },
        )
        .await
    }

    /// Makes the screen white.
    ///
    /// # Errors
    /// As [`Engine::set_face`].
    pub async fn clear(&self, door: Door) -> Result<Submitted, EngineError> {
        self.submit(
            door,
            Plan {
                kind: OperationKind::Clear,
                detail: String::new(),
                first: Request::Clear.into(),
                then: Some(Request::SetFace(Face::Picture)),
                learned: Learned::ShowsNoSlot,
            },
        )
        .await
    }

    /// Sends bytes as they are, save those that can harm the clock.
    ///
    /// # Errors
    /// [`EngineError::Clock`] for bytes that are refused.
    pub async fn raw(
        &self,
        door: Door,
        channel: Channel,
        bytes: Vec<u8>,
    ) -> Result<Submitted, EngineError> {
        let hex: String = bytes.iter().map(|byte| format!("{byte:02X}")).collect();
        let raw = Raw::new(channel, bytes, RawPolicy::Guarded)?;
        self.submit(
            door,
            Plan {
                kind: OperationKind::Raw,
                detail: format!("{channel} {hex}"),
                first: Request::Raw(raw).into(),
                then: None,
                learned: Learned::ShowsNoSlot,
            },
        )
        .await
    }

    /// Asks an operation to end; one that is not known has ended already.
    pub fn cancel(&self, operation: u32) {
        self.desk().cancel(operation);
    }

    /// Forgets an operation that ended.
    pub fn dismiss(&self, operation: u32) {
        self.desk().dismiss(operation);
        self.show_current();
    }

    /// Listens for clocks for a while; [`ClockState::nearby`] shows them as they are heard.
    ///
    /// # Errors
    /// [`EngineError::Clock`] when Bluetooth cannot be used.
    pub async fn scan(&self) -> Result<(), EngineError> {
        if self.shared.state.borrow().clock.scanning {
            return Ok(());
        }
        self.scan_for(SCAN_TIME).await?;
        Ok(())
    }

    /// Listens for clocks for that long and returns them, strongest first.
    ///
    /// # Errors
    /// [`EngineError::Clock`] when Bluetooth cannot be used.
    pub async fn scan_for(&self, duration: Duration) -> Result<Vec<NearbyClock>, EngineError> {
        self.change(|state| state.clock.scanning = true);
        let heard = self.session().scan(duration).await;
        self.change(|state| state.clock.scanning = false);
        Ok(heard?.iter().map(convert::nearby).collect())
    }

    /// Chooses the clock that operations go to; `None` takes the first one heard.
    ///
    /// # Errors
    /// [`EngineError::Store`].
    pub async fn choose_clock(&self, address: Option<&str>) -> Result<(), EngineError> {
        let address = address.map(Address::new);
        let chosen = address.as_ref().map(|address| self.known(address));
        self.session().set_default_target(address);
        let memory = self.remember(|memory| {
            if memory.chosen.as_ref().map(|clock| &clock.address)
                != chosen.as_ref().map(|clock| &clock.address)
            {
                // What was known is not about this clock.
                *memory = ClockMemory::default();
            }
            memory.chosen = chosen;
            memory.clone()
        });
        self.show_memory(&memory);
        self.keep_memory(memory).await
    }

    fn known(&self, address: &Address) -> KnownClock {
        let state = self.shared.state.borrow();
        let heard = state
            .clock
            .nearby
            .iter()
            .find(|clock| clock.address == address.as_str());
        KnownClock {
            address: address.to_string(),
            name: heard.map_or_else(|| address.to_string(), |clock| clock.name.clone()),
            simulated: state.simulated,
        }
    }

    // ---- settings and journal

    /// Takes over new settings and writes them.
    ///
    /// # Errors
    /// [`EngineError::SettingsUnwritable`]; the settings hold until the next start all the same.
    pub async fn save_settings(&self, settings: Settings) -> Result<(), EngineError> {
        let before = self.devices();
        self.change(|state| {
            state.locale = settings.language.resolve(self.shared.config.system_locale);
            state.settings = settings.clone();
        });
        self.session()
            .set_idle_timeout(Duration::from_secs(settings.idle_seconds.into()));
        let after = self.devices();
        if before != after {
            self.switch(after).await?;
        }
        let file = Arc::clone(&self.shared.settings_file);
        tokio::task::spawn_blocking(move || file.write(&settings))
            .await
            .map_err(|_| EngineError::Closing)?
    }

    /// The newest journal entries, newest first.
    ///
    /// # Errors
    /// [`EngineError::Store`].
    pub async fn journal(&self, limit: u32) -> Result<Vec<JournalEntry>, EngineError> {
        self.shared
            .store
            .run(move |store| store.journal(limit))
            .await
    }

    /// Whether the person was told before that closing the window hides it; from now on yes.
    pub async fn said_hidden_to_tray(&self) -> bool {
        const KEY: &str = "said.hidden-to-tray";
        self.shared
            .store
            .run(|store| {
                let said = store.recall::<bool>(KEY)?.unwrap_or(false);
                store.remember(KEY, Some(&true))?;
                Ok(said)
            })
            .await
            .unwrap_or_else(|error| {
                tracing::warn!(%error, "the database cannot be read");
                false
            })
    }

    // ---- within

    async fn submit(&self, door: Door, plan: Plan) -> Result<Submitted, EngineError> {
        let target = self
            .shared
            .state
            .borrow()
            .clock
            .chosen
            .as_ref()
            .map(|clock| clock.name.clone())
            .unwrap_or_default();
        let entry = NewEntry {
            at: Timestamp::now().to_string(),
            door,
            action: plan.kind,
            target,
            detail: plan.detail,
        };
        let row = self
            .shared
            .store
            .run(move |store| store.begin(&entry))
            .await?;
        let mut job = Job::new(plan.first);
        if let Some(request) = plan.then {
            job = job.then(request);
        }
        let devices = self.devices();
        let handle = self.session().submit(job);
        let progress = convert::progress(&handle.progress().borrow());
        let id = self
            .desk()
            .add(plan.kind, plan.learned.slot(), progress, handle.clone());
        self.show_current();
        let (ended, outcome) = oneshot::channel();
        let engine = self.clone();
        self.shared.tasks.spawn(async move {
            let (outcome, sending) = engine.follow(id, &handle).await;
            engine.learn(devices, &handle, &plan.learned, sending).await;
            engine.close(row, id, &outcome).await;
            // A door that does not wait is told by the state.
            let _unread = ended.send(outcome);
        });
        Ok(Submitted { id, ended: outcome })
    }

    /// Shows an operation's progress until it has an outcome; tells too how long it was sending.
    async fn follow(&self, id: u32, handle: &regie_clock::Operation) -> (Outcome, Duration) {
        let mut progress = handle.progress();
        let (mut sending, mut sent) = (None, Duration::ZERO);
        let ended = handle.outcome();
        tokio::pin!(ended);
        loop {
            tokio::select! {
                outcome = &mut ended => return (convert::outcome(&outcome), sent),
                changed = progress.changed() => {
                    if changed.is_err() {
                        return (convert::outcome(&ended.await), sent);
                    }
                    let progress = convert::progress(&progress.borrow_and_update());
                    if progress.stage == Stage::Sending {
                        sent = sending.get_or_insert_with(Instant::now).elapsed();
                    }
                    self.desk().advance(id, progress);
                    self.show_current();
                }
            }
        }
    }

    /// Takes over what an operation taught about the clock.
    async fn learn(
        &self,
        devices: Devices,
        handle: &regie_clock::Operation,
        learned: &Learned,
        sending: Duration,
    ) {
        let Some(outcome) = handle.ended() else {
            return;
        };
        if devices != self.devices() {
            // The devices were switched meanwhile; this was about the other ones.
            return;
        }
        let memory = self.remember(|memory| {
            if let (None, Some(clock)) = (&memory.chosen, &outcome.report().clock) {
                memory.chosen = Some(KnownClock {
                    address: clock.address.to_string(),
                    name: clock.name.clone(),
                    simulated: clock.simulated,
                });
            }
            match outcome {
                regie_clock::Outcome::Done(_) => match learned {
                    Learned::Nothing => {}
                    Learned::Shows(slot) => {
                        memory.shown_slot = Some(*slot);
                        memory.send_seconds = u32::try_from(sending.as_secs()).ok();
                    }
                    Learned::ShowsNoSlot => memory.shown_slot = None,
                    // The picture mode shows again what was sent last.
                    Learned::Face(Face::Picture) => {}
                    Learned::Face(_) => memory.shown_slot = None,
                    Learned::Time(zone) => {
                        memory.time_set = Some(TimeSet {
                            at: Timestamp::now().to_string(),
                            zone: zone.to_string(),
                        });
                    }
                },
                regie_clock::Outcome::Failed { .. }
                | regie_clock::Outcome::Unknown { .. }
                | regie_clock::Outcome::Cancelled { .. } => {
                    if learned.changes_screen() {
                        memory.shown_slot = None;
                    }
                }
            }
            memory.clone()
        });
        let target = memory
            .chosen
            .as_ref()
            .map(|clock| Address::new(&clock.address));
        self.session().set_default_target(target);
        self.show_memory(&memory);
        if let Err(error) = self.keep_memory(memory).await {
            tracing::warn!(%error, "what was learned of the clock is not kept");
        }
    }

    /// Writes the outcome down and shows it.
    async fn close(&self, row: i64, id: u32, outcome: &Outcome) {
        let target = self
            .shared
            .state
            .borrow()
            .clock
            .chosen
            .as_ref()
            .map(|clock| clock.name.clone())
            .unwrap_or_default();
        let (word, fault) = (journal_outcome(outcome), outcome.fault().cloned());
        let duration = outcome.report().duration_ms;
        let written = self
            .shared
            .store
            .run(move |store| store.end(row, &target, word, fault.as_ref(), duration))
            .await;
        if let Err(error) = written {
            tracing::error!(%error, "an outcome could not be written to the journal");
        }
        self.desk().end(id, outcome.clone());
        self.show_current();
    }

    /// Ends the session on the old devices and starts one on the new.
    async fn switch(&self, devices: Devices) -> Result<(), EngineError> {
        let key = ClockMemory::key(devices);
        let memory = self
            .shared
            .store
            .run(move |store| store.recall(key))
            .await?
            .unwrap_or_default();
        self.remember(|held| held.clone_from(&memory));
        let settings = self.shared.state.borrow().settings.clone();
        let fresh = session(
            &*self.shared.source,
            &self.shared.dialect,
            devices,
            &settings,
            &memory,
        );
        let old = std::mem::replace(&mut *lock(&self.shared.session), fresh.clone());
        self.shared
            .tasks
            .spawn(async move { old.shutdown(STOP_GRACE).await });
        self.change(|state| {
            state.simulated = devices == Devices::Simulated;
            state.clock.nearby.clear();
            state.clock.scanning = false;
        });
        self.show_memory(&memory);
        self.follow_session(&fresh);
        Ok(())
    }

    /// Shows a session's link and what it hears, until another session takes its place.
    fn follow_session(&self, session: &Session) {
        let (mut link, mut heard) = (session.state(), session.heard());
        let engine = self.clone();
        self.shared.tasks.spawn(async move {
            loop {
                let view = convert::link(&link.borrow_and_update());
                let nearby = heard
                    .borrow_and_update()
                    .iter()
                    .map(convert::nearby)
                    .collect();
                engine.change(|state| {
                    state.clock.link = view;
                    state.clock.nearby = nearby;
                });
                let open = tokio::select! {
                    changed = link.changed() => changed.is_ok(),
                    changed = heard.changed() => changed.is_ok(),
                };
                if !open || matches!(*link.borrow(), regie_clock::LinkState::Closed) {
                    return;
                }
            }
        });
    }

    fn devices(&self) -> Devices {
        devices_in_use(&self.shared.config, &self.shared.state.borrow().settings)
    }

    fn session(&self) -> Session {
        lock(&self.shared.session).clone()
    }

    fn desk(&self) -> MutexGuard<'_, Desk> {
        lock(&self.shared.desk)
    }

    fn change(&self, change: impl FnOnce(&mut AppState)) {
        self.shared.state.send_modify(change);
    }

    fn show_current(&self) {
        let current = self.desk().current();
        self.change(|state| state.clock.operation = current);
    }

    fn remember<T>(&self, change: impl FnOnce(&mut ClockMemory) -> T) -> T {
        change(&mut lock(&self.shared.memory))
    }

    fn show_memory(&self, memory: &ClockMemory) {
        self.change(|state| {
            state.clock.chosen.clone_from(&memory.chosen);
            state.clock.shown_slot = memory.shown_slot;
            state.clock.time_set.clone_from(&memory.time_set);
            state.clock.estimate = estimate(memory);
        });
    }

    async fn keep_memory(&self, memory: ClockMemory) -> Result<(), EngineError> {
        let key = ClockMemory::key(self.devices());
        self.shared
            .store
            .run(move |store| store.remember(key, Some(&memory)))
            .await
    }
}

/// What was read from disk at start.
struct Opened {
    config: EngineConfig,
    owned: File,
    settings_file: SettingsFile,
    settings: Settings,
    profile: Profile,
    warning: Option<Fault>,
    store: Store,
    slots: Vec<Option<Slot>>,
    memory: ClockMemory,
}

impl Opened {
    fn open(config: EngineConfig) -> Result<Self, EngineError> {
        for folder in [&config.folders.settings, &config.folders.data] {
            fs::create_dir_all(folder).map_err(|error| unusable(folder, &error))?;
        }
        let owned = own(&config.folders.data)?;
        let settings_file = SettingsFile::new(config.folders.settings.join("settings.toml"));
        let (settings, mut warning) = match settings_file.read() {
            Ok(settings) => (settings, None),
            Err(error) => {
                if let Err(kept) = settings_file.set_aside() {
                    tracing::warn!(%kept, "the settings file could not be set aside");
                }
                (Settings::default(), Some(Fault::from(error)))
            }
        };
        let profile = read_profile(&config.folders.settings).unwrap_or_else(|error| {
            warning = Some(Fault::from(error));
            Profile::default()
        });
        let store = Store::open(&config.folders.data.join("regie.db"))?;
        let mut slots = vec![None; usize::from(SLOTS)];
        for held in store.slots()? {
            if let Some(place) = slots.get_mut(usize::from(held.slot)) {
                *place = Some(held);
            }
        }
        let key = ClockMemory::key(devices_in_use(&config, &settings));
        let memory = store.recall(key)?.unwrap_or_default();
        Ok(Self {
            config,
            owned,
            settings_file,
            settings,
            profile,
            warning,
            store,
            slots,
            memory,
        })
    }
}

/// Takes the data folder for this process; the lock ends with the file handle, however the
/// process ends.
fn own(folder: &Path) -> Result<File, EngineError> {
    let file = File::create(folder.join("regie.lock")).map_err(|error| unusable(folder, &error))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(EngineError::AlreadyRunning {
            folder: folder.to_owned(),
        }),
        Err(TryLockError::Error(error)) => Err(unusable(folder, &error)),
    }
}

fn unusable(folder: &Path, error: &std::io::Error) -> EngineError {
    EngineError::FolderUnusable {
        path: folder.to_owned(),
        detail: error.to_string(),
    }
}

fn read_profile(folder: &Path) -> Result<Profile, EngineError> {
    let path = folder.join("clock-profile.toml");
    match fs::read_to_string(&path) {
        Ok(text) => Ok(Profile::parse(&text)?),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Profile::default()),
        Err(error) => Err(EngineError::SettingsUnreadable {
            path,
            detail: error.to_string(),
        }),
    }
}

fn devices_in_use(config: &EngineConfig, settings: &Settings) -> Devices {
    if config.demo {
        Devices::Simulated
    } else {
        settings.devices.unwrap_or(Devices::Bluetooth)
    }
}

fn session(
    source: &dyn DeviceSource,
    dialect: &Arc<dyn Dialect>,
    devices: Devices,
    settings: &Settings,
    memory: &ClockMemory,
) -> Session {
    let adapter = source
        .adapter(devices)
        .unwrap_or_else(|error| Arc::new(crate::no_adapter::NoAdapter(error)));
    Session::spawn(
        adapter,
        Arc::clone(dialect),
        SessionConfig {
            default_target: memory
                .chosen
                .as_ref()
                .map(|clock| Address::new(&clock.address)),
            idle_timeout: Duration::from_secs(settings.idle_seconds.into()),
            ..SessionConfig::default()
        },
    )
}

fn clock_state(memory: &ClockMemory, unsupported: Unsupported) -> ClockState {
    ClockState {
        chosen: memory.chosen.clone(),
        link: LinkView::Asleep,
        operation: None,
        scanning: false,
        nearby: Vec::new(),
        shown_slot: memory.shown_slot,
        time_set: memory.time_set.clone(),
        unsupported,
        estimate: estimate(memory),
    }
}

fn estimate(memory: &ClockMemory) -> Estimate {
    Estimate {
        send_seconds: memory.send_seconds.unwrap_or(SEND_SECONDS),
        refresh_seconds: convert::REFRESH_SECONDS,
    }
}

fn journal_outcome(outcome: &Outcome) -> JournalOutcome {
    match outcome {
        Outcome::Done { .. } => JournalOutcome::Done,
        Outcome::Failed { .. } => JournalOutcome::Failed,
        Outcome::Unknown { .. } => JournalOutcome::Unknown,
        Outcome::Cancelled { .. } => JournalOutcome::Cancelled,
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
