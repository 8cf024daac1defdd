//! The room: opened by the doors that need one, asked within its guards, and noted in the journal.

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use regie_room::{
    Address, Condition, DeviceId, Done, FoundDevice, Outcome, Request, Room, RoomConfig, RoomError,
    RoomState, Search, SearchState, TokenState,
};
use tokio::sync::watch;
use tokio::time::{Instant, timeout};

use super::{Engine, lock};
use crate::calls::Deed;
use crate::error::EngineError;
use crate::fault::Fault;
use crate::order::Caller;
use crate::room::{RoomSource, Trusted, in_short};
use crate::settings::Devices;
use crate::state::JournalOutcome;

/// How long requests under way may take to end when the room is closed.
pub(super) const ROOM_STOP: Duration = Duration::from_secs(2);

/// How long a request waits for devices' tokens to be read, which may ask a person first.
const TOKENS_WAIT: Duration = Duration::from_secs(10);

/// The room behind the engine.
pub(super) struct Rooms {
    /// What doors see, whichever room is open.
    pub(super) state: watch::Sender<RoomState>,
    open: Mutex<Option<OpenRoom>>,
    /// Devices' tokens are being read.
    pub(super) reading: watch::Sender<bool>,
    /// They could not be read.
    pub(super) unread: AtomicBool,
    /// Held while the room is opened, changed for another, or its devices change.
    pub(super) turn: tokio::sync::Mutex<()>,
}

/// A room that is open.
#[derive(Clone)]
pub(super) struct OpenRoom {
    /// Each gets a number, so that what comes late from an earlier one is known as such.
    pub(super) number: u32,
    pub(super) devices: Devices,
    pub(super) room: Room,
    /// Devices that the source brought, and those that were added to a simulation: they last as
    /// long as this room.
    pub(super) passing: Arc<Mutex<Vec<Trusted>>>,
}

impl Rooms {
    pub(super) fn new() -> Self {
        Self {
            state: watch::Sender::new(RoomState::default()),
            open: Mutex::default(),
            reading: watch::Sender::new(false),
            unread: AtomicBool::new(false),
            turn: tokio::sync::Mutex::default(),
        }
    }

    /// The room that is open.
    pub(super) fn open(&self) -> Option<OpenRoom> {
        lock(&self.open).clone()
    }

    /// Takes the room away, for it to be closed.
    pub(super) fn take(&self) -> Option<OpenRoom> {
        lock(&self.open).take()
    }
}

impl Engine {
    /// The room's state, now and from now on; empty until [`Engine::open_room`].
    pub fn room_state(&self) -> watch::Receiver<RoomState> {
        self.shared.rooms.state.subscribe()
    }

    /// Opens the room: its devices are watched, and others searched for, until the engine stops.
    ///
    /// Doors that show or drive it call this once; the command of a clock has no need of a network.
    pub async fn open_room(&self) {
        let _turn = self.shared.rooms.turn.lock().await;
        if self.shared.rooms.open().is_none() {
            self.open_in_turn(0).await;
        }
    }

    /// Opens another room in place of the one there is, for other devices.
    pub(super) async fn reopen_room(&self) {
        let _turn = self.shared.rooms.turn.lock().await;
        let Some(old) = self.shared.rooms.take() else {
            return;
        };
        old.room.stop().await;
        self.open_in_turn(old.number + 1).await;
    }

    async fn open_in_turn(&self, number: u32) {
        let devices = self.devices();
        let source = match self.shared.source.room(devices).await {
            Ok(source) => source,
            Err(error) => {
                tracing::warn!(code = error.code(), %error, "there is no room");
                self.shared.rooms.state.send_replace(RoomState {
                    search: SearchState::Unavailable {
                        detail: error.to_string(),
                    },
                    ..RoomState::default()
                });
                return;
            }
        };
        let RoomSource {
            transport,
            search,
            devices: brought,
        } = source;
        let passing = Arc::new(Mutex::new(brought));
        let wanted = self.room_devices(devices, &passing).await;
        let room = Room::start(RoomConfig {
            devices: wanted.iter().map(|(entry, _)| entry.clone()).collect(),
            transport,
            search: if self.searches() { search } else { Search::Off },
        });
        let open = OpenRoom {
            number,
            devices,
            room,
            passing,
        };
        *lock(&self.shared.rooms.open) = Some(open.clone());
        self.follow_room(&open);
        self.keep_history(&open);
        for (entry, token) in wanted {
            if token.is_some()
                && let Err(error) = open.room.set_token(&entry.id, token).await
            {
                tracing::warn!(%error, device = %entry.id, "a token was not taken");
            }
        }
        self.ignore_in(&open).await;
        self.read_device_tokens(open);
    }

    pub(super) fn searches(&self) -> bool {
        self.shared.state.borrow().settings.room.search
    }

    /// Shows a room's state until another takes its place.
    fn follow_room(&self, open: &OpenRoom) {
        let (engine, number) = (self.clone(), open.number);
        let mut state = open.room.state();
        let stopping = self.shared.stopping.clone();
        self.shared.tasks.spawn(async move {
            loop {
                let now = state.borrow_and_update().clone();
                let current = engine.shared.rooms.open().map(|open| open.number);
                if current != Some(number) {
                    return;
                }
                engine.remember_moves(&now).await;
                engine.shared.rooms.state.send_replace(now);
                let changed = tokio::select! {
                    changed = state.changed() => changed,
                    () = stopping.cancelled() => return,
                };
                if changed.is_err() {
                    return;
                }
            }
        });
    }

    pub(super) fn room(&self) -> Result<Room, EngineError> {
        let open = self.shared.rooms.open().map(|open| open.room);
        open.ok_or_else(|| RoomError::Closed.into())
    }

    /// Asks a device for something, within its guard's limits, and waits for the end. What does
    /// more than read the status is noted in the journal, also where nobody waits any more.
    ///
    /// # Errors
    /// [`EngineError::Room`], [`EngineError::Closing`].
    pub async fn ask_device(
        &self,
        caller: impl Into<Caller>,
        device: &str,
        request: Request,
    ) -> Result<Done, EngineError> {
        let room = match self.room() {
            Ok(room) => room,
            Err(_) => {
                self.open_room().await;
                self.room()?
            }
        };
        self.wait_for_token(device).await;
        if request == Request::Status {
            return Ok(room.ask(device, request).await?);
        }
        let (engine, caller, device) = (self.clone(), caller.into(), device.to_owned());
        self.to_its_end(async move {
            let (tool, detail) = (request.tool(), in_short(&request));
            let began = Instant::now();
            let ended = room.ask(&device, request).await;
            let (outcome, fault) = outcome(&ended);
            let deed = Deed {
                tool,
                device,
                detail,
                outcome,
                fault,
                duration_ms: u32::try_from(began.elapsed().as_millis()).unwrap_or(u32::MAX),
            };
            engine.shared.calls.take_deed(caller, deed);
            Ok(ended?)
        })
        .await
    }

    /// Waits a while for the token of a device, so that what is asked right after the start is not
    /// asked without. A device that answers anyhow is not held up, nor one that has its token.
    async fn wait_for_token(&self, device: &str) {
        let waits = {
            let state = self.shared.rooms.state.borrow();
            let device = state
                .devices
                .iter()
                .find(|state| state.id.as_str() == device);
            device.is_none_or(|device| {
                device.token == TokenState::None
                    && matches!(device.condition, Condition::Unasked | Condition::NoToken)
            })
        };
        if !waits {
            return;
        }
        self.read_device_tokens_again();
        let mut reading = self.shared.rooms.reading.subscribe();
        let read = timeout(TOKENS_WAIT, reading.wait_for(|reading| !reading)).await;
        if read.is_err() {
            tracing::debug!(device, "the device's token is not read yet");
        }
    }

    /// Looks at an address for a device, without showing it a token.
    ///
    /// # Errors
    /// [`EngineError::Room`].
    pub async fn look_at_device(&self, address: Address) -> Result<FoundDevice, EngineError> {
        Ok(self.room()?.look(address).await?)
    }

    /// Asks a device for its state at once.
    ///
    /// # Errors
    /// [`EngineError::Room`].
    pub fn try_device_now(&self, device: &DeviceId) -> Result<(), EngineError> {
        Ok(self.room()?.try_now(device)?)
    }
}

/// How the journal tells of it.
fn outcome(ended: &Result<Done, RoomError>) -> (JournalOutcome, Option<Fault>) {
    match ended {
        Ok(done) => match done.outcome {
            Outcome::Accepted | Outcome::Confirmed => (JournalOutcome::Done, None),
            Outcome::NoChangeSeen => (JournalOutcome::Unknown, None),
        },
        Err(error) => {
            let outcome = match error {
                RoomError::OutcomeUnknown { .. } => JournalOutcome::Unknown,
                _ => JournalOutcome::Failed,
            };
            (outcome, Some(EngineError::from(error.clone()).into()))
        }
    }
}
