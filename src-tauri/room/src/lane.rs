//! One lane for each device: its requests go one at a time, in order, and within the limits that its
//! guard keeps; the override goes past all of them; and while nothing is asked, it is watched.
//!
//! One task runs a lane and decides what begins ([`run`]). What is known of the device is kept in
//! [`device`], since the command in progress, the overrides beside it and the watch all add to it.

mod action;
mod command;
mod device;
mod fault;
mod queue;
mod recognise;
mod relay;
mod remarks;
mod run;
mod watch;

#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Notify, Semaphore, broadcast, mpsc, oneshot, watch as channel};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::address::Address;
use crate::answer::Done;
use crate::dialect::Family;
use crate::error::RoomError;
use crate::exchange::Transport;
use crate::names::DeviceId;
use crate::request::{Request, Volume};
use crate::state::{Abilities, Condition, Reading, Remark, Sample};
use crate::token::Token;

use device::Device;

/// The longest that a request waits for its turn, and then the longest that one try of it takes.
pub(crate) const COMMAND_TIME: Duration = Duration::from_secs(5);

/// Most requests that wait for one device: more than it does in [`COMMAND_TIME`] would only be
/// refused later.
const QUEUE: usize = 50;

/// Most overrides that wait for one device; a person does not press more often within five seconds.
const URGENT: usize = 32;

/// What a lane is started with.
pub(crate) struct LaneStart {
    /// What the device is named by.
    pub(crate) id: DeviceId,
    /// What carries its requests.
    pub(crate) transport: Arc<dyn Transport>,
    /// Calls in progress, all devices together.
    pub(crate) calls: Arc<Semaphore>,
    /// Devices that are being watched at the same moment.
    pub(crate) polls: Arc<Semaphore>,
    /// Where what is read goes.
    pub(crate) samples: broadcast::Sender<Sample>,
}

/// How a device is reached and held back.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Setting {
    /// Where it answers.
    pub(crate) address: Option<Address>,
    /// What it is shown.
    pub(crate) token: Option<Token>,
    /// The loudest it may be asked to play.
    pub(crate) volume_limit: Volume,
    /// The lane of the device that relays to it.
    pub(crate) via: Option<Lane>,
}

/// What is known of a device.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct LaneState {
    /// Where it is asked, with the port that answers once that is known.
    pub(crate) address: Option<Address>,
    /// What it speaks.
    pub(crate) family: Option<Family>,
    /// What it can do.
    pub(crate) abilities: Abilities,
    /// How it is.
    pub(crate) condition: Condition,
    /// What else is worth knowing, newest first.
    pub(crate) remarks: Vec<Remark>,
    /// When it last answered, in milliseconds since 1970.
    pub(crate) answered_at: Option<u64>,
    /// How long its last answer took, in milliseconds.
    pub(crate) round_trip_ms: Option<u32>,
    /// What it last said of itself.
    pub(crate) reading: Option<Reading>,
    /// A command is in progress or waits.
    pub(crate) busy: bool,
}

/// One device's lane; clones share it.
#[derive(Clone, Debug)]
pub(crate) struct Lane {
    id: DeviceId,
    asks: mpsc::Sender<Ask>,
    urgent: mpsc::Sender<Ask>,
    setting: channel::Sender<Setting>,
    state: channel::Receiver<LaneState>,
    nudge: Arc<Notify>,
    moved: Arc<Notify>,
    end: CancellationToken,
    tasks: TaskTracker,
}

impl PartialEq for Lane {
    fn eq(&self, other: &Self) -> bool {
        self.asks.same_channel(&other.asks)
    }
}

/// What a lane is asked for, and who waits for it.
#[derive(Debug)]
struct Ask {
    work: Work,
    /// When it must have begun.
    by: Instant,
    done: oneshot::Sender<Result<Done, RoomError>>,
}

/// What a lane does.
#[derive(Clone, Debug)]
enum Work {
    /// Something that its own device is to do.
    Own(Request),
    /// What another device is to be told.
    Relay(Request),
}

impl Work {
    fn request(&self) -> &Request {
        match self {
            Self::Own(request) | Self::Relay(request) => request,
        }
    }
}

/// The ends of a lane's channels that its task holds.
struct Inbox {
    asks: mpsc::Receiver<Ask>,
    urgent: mpsc::Receiver<Ask>,
    setting: channel::Receiver<Setting>,
    nudge: Arc<Notify>,
    moved: Arc<Notify>,
    end: CancellationToken,
}

impl Lane {
    /// Starts a lane on the current runtime. The device is looked for at once.
    pub(crate) fn start(start: LaneStart, setting: Setting) -> Self {
        let id = start.id.clone();
        let (asks, asked) = mpsc::channel(QUEUE);
        let (urgent, urgently) = mpsc::channel(URGENT);
        let (shown, state) = channel::channel(LaneState::default());
        let (setting, set) = channel::channel(setting);
        let nudge = Arc::new(Notify::new());
        let moved = Arc::new(Notify::new());
        let end = CancellationToken::new();
        let tasks = TaskTracker::new();
        let device = Arc::new(Device::new(start, set.borrow().clone(), shown));
        let inbox = Inbox {
            asks: asked,
            urgent: urgently,
            setting: set,
            nudge: Arc::clone(&nudge),
            moved: Arc::clone(&moved),
            end: end.clone(),
        };
        tasks.spawn(run::run(device, inbox));
        tasks.close();
        Self {
            id,
            asks,
            urgent,
            setting,
            state,
            nudge,
            moved,
            end,
            tasks,
        }
    }

    /// Reaches the device differently from now on. Another address, token or gateway makes
    /// everything known of it be found out anew.
    pub(crate) fn set(&self, setting: Setting) {
        self.setting.send_if_modified(|held| {
            let changed = *held != setting;
            *held = setting;
            changed
        });
    }

    /// Notes that the device was found at another address.
    pub(crate) fn moved(&self) {
        self.moved.notify_one();
    }

    /// Asks for something and waits for the end of it. Dropping the future takes back what has not
    /// begun yet.
    ///
    /// # Errors
    /// See [`RoomError`].
    pub(crate) async fn ask(&self, request: Request) -> Result<Done, RoomError> {
        let by = Instant::now() + COMMAND_TIME;
        self.take(Work::Own(request), by).await
    }

    /// Looks at the device at once, whatever the interval says.
    pub(crate) fn try_now(&self) {
        self.nudge.notify_one();
    }

    /// What is known of the device, now and from now on.
    pub(crate) fn state(&self) -> channel::Receiver<LaneState> {
        self.state.clone()
    }

    /// Ends the lane: what is in progress has a moment to end, and everything else is refused.
    pub(crate) async fn stop(&self) {
        self.end.cancel();
        self.tasks.wait().await;
    }

    async fn take(&self, work: Work, by: Instant) -> Result<Done, RoomError> {
        let (done, result) = oneshot::channel();
        let inbox = if work.request().is_override() {
            &self.urgent
        } else {
            &self.asks
        };
        match inbox.try_send(Ask { work, by, done }) {
            Ok(()) => result.await.unwrap_or(Err(RoomError::Closed)),
            Err(mpsc::error::TrySendError::Full(_)) => Err(RoomError::Busy {
                device: self.id.clone(),
                retry_after: fault::AGAIN,
            }),
            Err(mpsc::error::TrySendError::Closed(_)) => Err(RoomError::Closed),
        }
    }
}
