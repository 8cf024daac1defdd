//! The room: every device that was set or found, behind one handle.

use std::fmt;
use std::sync::Arc;

use tokio::sync::{broadcast, mpsc, oneshot, watch};
use tokio::time::{Duration, timeout};

use crate::address::Address;
use crate::answer::Done;
use crate::discovery::{self, Event};
use crate::entry::DeviceEntry;
use crate::error::RoomError;
use crate::exchange::Transport;
use crate::lane::Lane;
use crate::names::DeviceId;
use crate::registry::{self, Command, Handle};
use crate::request::Request;
use crate::state::{FoundDevice, RoomState, Sample};
use crate::token::Token;

/// How many samples wait for whoever keeps the history; a slower one misses the oldest.
const SAMPLES: usize = 1_024;

/// How long the end of the room is waited for.
const STOP: Duration = Duration::from_secs(1);

/// What a room is started with.
pub struct RoomConfig {
    /// The devices that were set.
    pub devices: Vec<DeviceEntry>,
    /// What carries requests.
    pub transport: Arc<dyn Transport>,
    /// How devices are searched for.
    pub search: Search,
}

impl fmt::Debug for RoomConfig {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("RoomConfig")
            .field("devices", &self.devices)
            .field("search", &self.search)
            .finish_non_exhaustive()
    }
}

/// How devices are searched for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Search {
    /// Not at all.
    Off,
    /// By mDNS on every network interface that reaches other devices.
    Network,
    /// By mDNS on this computer alone, for simulated devices.
    Loopback,
}

/// The room; clones share it. It ends when it is stopped, or with its last clone.
#[derive(Clone)]
pub struct Room {
    registry: Handle,
    samples: broadcast::Sender<Sample>,
    transport: Arc<dyn Transport>,
}

impl fmt::Debug for Room {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Room").finish_non_exhaustive()
    }
}

impl Room {
    /// Starts the room on the current tokio runtime. Of devices that cannot be in one room, as
    /// [`set_devices`](Self::set_devices) would say, the later ones are left out.
    pub fn start(config: RoomConfig) -> Self {
        let events = discovery::start(config.search);
        Self::hearing(config, events)
    }

    /// A room that hears what a test has to say.
    pub(crate) fn hearing(config: RoomConfig, events: mpsc::Receiver<Event>) -> Self {
        let samples = broadcast::Sender::new(SAMPLES);
        let registry = registry::start(registry::Start {
            devices: config.devices,
            transport: config.transport.clone(),
            events,
            samples: samples.clone(),
        });
        Self {
            registry,
            samples,
            transport: config.transport,
        }
    }

    /// The state, now and from now on.
    #[must_use]
    pub fn state(&self) -> watch::Receiver<RoomState> {
        self.registry.state.clone()
    }

    /// What is read of devices, from now on.
    #[must_use]
    pub fn samples(&self) -> broadcast::Receiver<Sample> {
        self.samples.subscribe()
    }

    /// Makes the devices be those: new ones are taken in, others let go, changed ones keep what is
    /// known of them. A device that was followed to another address stays there until its entry
    /// names one that it did not name before.
    ///
    /// # Errors
    /// [`RoomError::TooManyDevices`], [`RoomError::IdTaken`], [`RoomError::GatewayInvalid`],
    /// [`RoomError::Closed`]; then nothing has changed.
    pub async fn set_devices(&self, devices: Vec<DeviceEntry>) -> Result<(), RoomError> {
        self.tell(|done| Command::SetDevices(devices, done)).await?
    }

    /// Gives a device its token, or takes it away. Its condition is found out anew.
    ///
    /// # Errors
    /// [`RoomError::DeviceUnknown`], [`RoomError::Closed`].
    pub async fn set_token(
        &self,
        device: &DeviceId,
        token: Option<Token>,
    ) -> Result<(), RoomError> {
        let device = device.clone();
        self.tell(|done| Command::SetToken(device, token, done))
            .await?
    }

    /// Does not show these devices among those that were found: instance names, addresses, or keys
    /// of [`FoundDevice`]. Those that were ignored before and are none of these are shown again.
    ///
    /// # Errors
    /// [`RoomError::Closed`].
    pub async fn set_ignored(&self, ignored: Vec<String>) -> Result<(), RoomError> {
        self.tell(|done| Command::SetIgnored(ignored, done)).await
    }

    /// Asks a device for something, within its guard's limits, and waits for the end.
    ///
    /// # Errors
    /// See [`RoomError`]. Dropping the future does not undo what was sent.
    pub async fn ask(&self, device: &str, request: Request) -> Result<Done, RoomError> {
        self.lane(device)?.ask(request).await
    }

    /// Looks at an address as if a device had been found there, without a token.
    ///
    /// # Errors
    /// [`RoomError::Unreachable`], [`RoomError::Closed`].
    pub async fn look(&self, address: Address) -> Result<FoundDevice, RoomError> {
        if self.is_closed() {
            return Err(RoomError::Closed);
        }
        let device = registry::id_of(&address)?;
        registry::examine(&*self.transport, &self.registry, &address)
            .await
            .map_err(|detail| RoomError::Unreachable { device, detail })
    }

    /// Asks a device for its state at once, whatever the interval says.
    ///
    /// # Errors
    /// [`RoomError::DeviceUnknown`], [`RoomError::Closed`].
    pub fn try_now(&self, device: &DeviceId) -> Result<(), RoomError> {
        self.lane(device.as_str())?.try_now();
        Ok(())
    }

    /// Ends the room: requests under way end or are given up within a second.
    pub async fn stop(&self) {
        // An error means that it has ended already.
        let _ended = timeout(STOP, self.tell(Command::Stop)).await;
    }

    /// Tells the registry to do something, and waits until it has.
    async fn tell<T>(
        &self,
        command: impl FnOnce(oneshot::Sender<T>) -> Command,
    ) -> Result<T, RoomError> {
        let (done, outcome) = oneshot::channel();
        let sent = self.registry.commands.send(command(done)).await;
        sent.map_err(|_| RoomError::Closed)?;
        outcome.await.map_err(|_| RoomError::Closed)
    }

    /// A device's lane. No call waits for the registry: an override least of all.
    fn lane(&self, device: &str) -> Result<Lane, RoomError> {
        if self.is_closed() {
            return Err(RoomError::Closed);
        }
        let lanes = self.registry.lanes.borrow();
        let id: Option<DeviceId> = device.parse().ok();
        id.and_then(|id| lanes.get(&id).cloned())
            .ok_or_else(|| RoomError::DeviceUnknown {
                id: device.chars().take(64).collect(),
                known: lanes.keys().cloned().collect(),
            })
    }

    fn is_closed(&self) -> bool {
        self.registry.lanes.has_changed().is_err()
    }
}
