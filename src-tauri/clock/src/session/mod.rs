//! The session: one task owns the adapter and at most one link; everybody else sends it jobs.
//!
//! # How fast a picture goes, and what makes it slower
//!
//! - A write with response takes one connection event where the clock answers at once, and two
//!   where it answers in the next (Bluetooth Core Specification, Vol 3, Part F, 3.3.2: ATT is
//!   sequential). Between an answer and the next write the session needs some tens of
//!   microseconds, so that it never misses an event: `cargo bench -p regie-sim --bench upload`
//!   measures how busy the link is. Progress is told at intervals, not with each packet.
//! - Nothing waits without end (UP-1): a write that is not answered ends the link
//!   ([`limits`]), a link is made anew once, and a clock that refuses for ever is given up.
//!   No other deadline than [`SessionConfig::operation_limit`] ends an upload that goes on (UP-5).
//! - A refused packet is sent again with those that went in the two seconds before it, since a
//!   refusal does not say which packet it means; the rest of the picture is not (UP-6). After a
//!   lost link the picture starts over: whether a clock's memory outlives the link is not
//!   published, and a clock cannot be asked.
//! - A clock that refuses packets because they come too fast, or a radio that stalls, gets a gap
//!   between packets (BLE-19), which goes again; [`Report::longest_gap_ms`] tells it. A clock that
//!   redraws refuses everything, and is waited for instead.
//! - With [`SessionConfig::skip_unchanged`] the packets that the clock certainly holds are left
//!   out. That is certain only of a picture of which the clock has confirmed each packet, on this
//!   link, while it was known to draw nothing of its own, and when nothing was sent since that may
//!   have changed it; [`Dialect::memory_effect`](crate::Dialect::memory_effect) says what may.

mod actor;
pub(crate) mod connect;
pub mod limits;
mod line;
mod memory;
mod operation;
mod pace;
mod pass;
mod play;
mod queue;
mod state;

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::Instant;
use tokio_util::sync::{CancellationToken, DropGuard};

use crate::ClockError;
use crate::diagnosis::{Check, Search, Step};
use crate::dialect::Dialects;
use crate::link::{Adapter, Address, Advertisement};
use actor::{Actor, Command};
use operation::Ticket;
pub use operation::{Doubt, Job, Operation, OperationId, Outcome, Refresh, Report, Task};
use queue::{Inbox, Queue};
pub use state::{ClockName, LinkState, Progress, Stage};

/// How a session behaves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionConfig {
    /// The clock that a job without a target goes to; without one, the first clock heard.
    pub default_target: Option<Address>,
    /// How long to try to hear and connect a clock. Clocks wake every 30 to 60 s.
    pub connect_limit: Duration,
    /// How long an unused link is kept; zero lets it go after each operation.
    pub idle_timeout: Duration,
    /// The longest an operation may take. Enough for a full picture at the least MTU and half a
    /// second a packet.
    pub operation_limit: Duration,
    /// Most bytes of one write, for links that carry less than they say.
    pub payload_cap: Option<usize>,
    /// Leave out the parts of a picture that the clock certainly holds already. Only where the
    /// dialect says what each command does to the clock's picture memory, and only within one
    /// link, since nobody has published whether the memory outlives it.
    pub skip_unchanged: bool,
}

impl Default for SessionConfig {
    fn default() -> Self {
        Self {
            default_target: None,
            connect_limit: Duration::from_secs(90),
            idle_timeout: Duration::from_secs(300),
            operation_limit: Duration::from_secs(20 * 60),
            payload_cap: None,
            skip_unchanged: false,
        }
    }
}

/// What the handles and the task share.
#[derive(Debug)]
struct Shared {
    default_target: watch::Sender<Option<Address>>,
    /// Since when the link is unused; none without a link or while it is used.
    idle_since: Mutex<Option<Instant>>,
    state: watch::Sender<LinkState>,
    heard: watch::Sender<Vec<Advertisement>>,
    idle_timeout: watch::Sender<Duration>,
    dialects: watch::Sender<Dialects>,
    skip_unchanged: AtomicBool,
    /// No new jobs; the task ends when the queue is empty.
    closing: CancellationToken,
    /// Cancels every operation.
    abort: CancellationToken,
    /// The task has ended.
    ended: CancellationToken,
    next_id: AtomicU32,
}

/// A handle on the session; clones share it. When the last one goes, the session ends after the
/// jobs it has.
#[derive(Debug, Clone)]
pub struct Session {
    queue: Arc<Queue>,
    shared: Arc<Shared>,
    /// Closes the session when the last handle goes.
    _open: Arc<DropGuard>,
}

impl Session {
    /// Starts a session on the current tokio runtime.
    ///
    /// # Panics
    /// Outside a tokio runtime, as [`tokio::spawn`] does.
    #[must_use]
    pub fn spawn(adapter: Arc<dyn Adapter>, dialects: Dialects, config: SessionConfig) -> Self {
        let queue = Arc::new(Queue::default());
        let shared = Arc::new(Shared {
            default_target: watch::Sender::new(config.default_target.clone()),
            idle_since: Mutex::new(None),
            state: watch::Sender::new(LinkState::Asleep),
            heard: watch::Sender::new(Vec::new()),
            idle_timeout: watch::Sender::new(config.idle_timeout),
            dialects: watch::Sender::new(dialects.clone()),
            skip_unchanged: AtomicBool::new(config.skip_unchanged),
            closing: CancellationToken::new(),
            abort: CancellationToken::new(),
            ended: CancellationToken::new(),
            next_id: AtomicU32::new(1),
        });
        let inbox = Inbox(Arc::clone(&queue));
        let actor = Actor::new(adapter, dialects, config, inbox, Arc::clone(&shared));
        tokio::spawn(actor.run());
        let open = Arc::new(shared.closing.clone().drop_guard());
        Self {
            queue,
            shared,
            _open: open,
        }
    }

    /// The state of the link, now and from now on.
    #[must_use]
    pub fn state(&self) -> watch::Receiver<LinkState> {
        self.shared.state.subscribe()
    }

    /// The clocks heard by the latest scan or search, strongest first, as they are heard.
    #[must_use]
    pub fn heard(&self) -> watch::Receiver<Vec<Advertisement>> {
        self.shared.heard.subscribe()
    }

    /// Leaves out what the clock certainly holds, or not, from the next request on; see
    /// [`SessionConfig::skip_unchanged`].
    pub fn set_skip_unchanged(&self, skip: bool) {
        self.shared.skip_unchanged.store(skip, Ordering::Relaxed);
    }

    /// Speaks these from the next operation on.
    pub fn set_dialects(&self, dialects: Dialects) {
        self.shared.dialects.send_replace(dialects);
    }

    /// How long the link has been unused; none without a link or while it is used.
    #[must_use]
    pub fn idle_for(&self) -> Option<Duration> {
        lock(&self.shared.idle_since).map(|since| since.elapsed())
    }

    /// Listens for clocks for this long (at most [`limits::SCAN_LIMIT`]) and returns those heard,
    /// strongest first. [`Session::heard`] shows them meanwhile. Dropping the future ends the scan.
    ///
    /// # Errors
    /// [`ClockError::BluetoothUnavailable`], [`ClockError::Bluetooth`], [`ClockError::QueueFull`],
    /// [`ClockError::SessionClosed`].
    pub async fn scan(&self, duration: Duration) -> Result<Vec<Advertisement>, ClockError> {
        let (reply, answer) = oneshot::channel();
        self.send(Command::Scan {
            duration: duration.min(limits::SCAN_LIMIT),
            reply,
        })?;
        answer.await.unwrap_or(Err(ClockError::SessionClosed))
    }

    /// Queues a job. What can be refused is refused before any link is made.
    #[must_use]
    pub fn submit(&self, job: Job) -> Operation {
        let id = OperationId(self.shared.next_id.fetch_add(1, Ordering::Relaxed));
        let (ticket, operation) = Ticket::new(id, job, self.shared.abort.child_token());
        // Why it was refused is its outcome.
        let _ = self.send(Command::Run(ticket));
        operation
    }

    /// The clock that jobs without a target go to; none for the first one heard. An unused link to
    /// another clock is let go.
    pub fn set_default_target(&self, target: Option<Address>) {
        self.shared.default_target.send_if_modified(|current| {
            let changed = *current != target;
            *current = target;
            changed
        });
    }

    /// How long an unused link is kept, from now on; zero lets it go after each operation.
    pub fn set_idle_timeout(&self, timeout: Duration) {
        self.shared.idle_timeout.send_replace(timeout);
    }

    /// Looks for what keeps a clock from working: the given one, else that of jobs without a target,
    /// else the first one heard. The link is let go before and after. Each check comes as it is
    /// made; the channel closes after the last one. Dropping it ends the search.
    ///
    /// # Errors
    /// [`ClockError::QueueFull`] or [`ClockError::SessionClosed`].
    pub fn diagnose(&self, search: Search) -> Result<mpsc::Receiver<Step>, ClockError> {
        let (steps, made) = mpsc::channel(Check::ALL.len());
        self.send(Command::Diagnose { search, steps })?;
        Ok(made)
    }

    /// Lets the link go, after the jobs that were queued before.
    ///
    /// # Errors
    /// [`ClockError::QueueFull`] or [`ClockError::SessionClosed`].
    pub async fn disconnect(&self) -> Result<(), ClockError> {
        let (reply, answer) = oneshot::channel();
        self.send(Command::Disconnect { reply })?;
        answer.await.map_err(|_| ClockError::SessionClosed)
    }

    /// Ends the session: no new jobs; the queued ones may finish within `grace` and are cancelled
    /// then; the link is let go. Returns when that is done, or after a bound.
    pub async fn shutdown(&self, grace: Duration) {
        self.shared.closing.cancel();
        let ended = self.shared.ended.cancelled();
        tokio::pin!(ended);
        if tokio::time::timeout(grace, &mut ended).await.is_err() {
            self.shared.abort.cancel();
            if tokio::time::timeout(limits::SHUTDOWN_LIMIT, ended)
                .await
                .is_err()
            {
                tracing::warn!("the clock session did not end in time");
            }
        }
    }

    fn send(&self, command: Command) -> Result<(), ClockError> {
        if self.shared.closing.is_cancelled() {
            command.refuse(ClockError::SessionClosed);
            return Err(ClockError::SessionClosed);
        }
        self.queue.push(command)
    }
}

/// The values behind these locks are replaced whole, so a poisoned lock holds a good value.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
