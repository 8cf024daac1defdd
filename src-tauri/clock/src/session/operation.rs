//! A job given to the session, the handle on it, and how it ended.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::state::{ClockName, Progress, Stage};
use crate::ClockError;
use crate::dialect::{Dialect, Family, Script, Terms};
use crate::link::Address;
use crate::request::{Face, Request};
use crate::time::{ClockTime, Zone};

/// One thing to be done within a job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Task {
    /// A request that is known whole.
    Request(Request),
    /// Set the time of this zone: the time at which the bytes leave, not that at which the job was
    /// given, since a clock may be waited for a minute and more.
    SetTime(Zone),
    /// Change what the clock shows, at the time of this zone when the bytes leave.
    SetFace(Face, Zone),
}

impl Task {
    /// The request as of now.
    ///
    /// # Errors
    /// [`ClockError::TimeOutOfRange`].
    pub(super) fn request(&self) -> Result<Cow<'_, Request>, ClockError> {
        match self {
            Self::Request(request) => Ok(Cow::Borrowed(request)),
            Self::SetTime(zone) => Ok(Cow::Owned(Request::SetTime(ClockTime::now(zone)?))),
            Self::SetFace(face, zone) => {
                Ok(Cow::Owned(Request::SetFace(*face, ClockTime::now(zone)?)))
            }
        }
    }

    /// The script that carries it out as of now.
    pub(super) fn script(&self, dialect: &dyn Dialect, terms: Terms) -> Result<Script, ClockError> {
        dialect.script(&*self.request()?, terms)
    }
}

impl From<Request> for Task {
    fn from(request: Request) -> Self {
        Self::Request(request)
    }
}

/// Tasks to be carried out one after the other on one clock.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Job {
    target: Option<Address>,
    family: Option<Family>,
    first: Task,
    rest: Vec<Task>,
}

impl Job {
    /// One task, on the session's default clock.
    #[must_use]
    pub fn new(task: impl Into<Task>) -> Self {
        Self {
            target: None,
            family: None,
            first: task.into(),
            rest: Vec::new(),
        }
    }

    /// And then another one.
    #[must_use]
    pub fn then(mut self, task: impl Into<Task>) -> Self {
        self.rest.push(task.into());
        self
    }

    /// On this clock.
    #[must_use]
    pub fn on(mut self, target: Option<Address>) -> Self {
        self.target = target;
        self
    }

    /// A clock that is known to be of this family, so that what it cannot do is said before it is
    /// waited for.
    #[must_use]
    pub fn known_as(mut self, family: Option<Family>) -> Self {
        self.family = family;
        self
    }

    /// The family that the clock is known to be of.
    #[must_use]
    pub fn family(&self) -> Option<Family> {
        self.family
    }

    /// The clock asked for.
    #[must_use]
    pub fn target(&self) -> Option<&Address> {
        self.target.as_ref()
    }

    /// The tasks, in order; at least one.
    pub fn tasks(&self) -> impl Iterator<Item = &Task> {
        std::iter::once(&self.first).chain(&self.rest)
    }
}

/// Number of an operation, unique in its session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(transparent)]
pub struct OperationId(pub u32);

impl fmt::Display for OperationId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// What is known about the redraw at the end of an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "kebab-case")]
pub enum Refresh {
    /// None was asked for.
    #[default]
    NotAsked,
    /// The clock said that it has finished.
    Confirmed,
    /// It was asked for and acknowledged; the clock did not say that it has finished.
    Assumed,
}

/// What an operation did.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Report {
    /// Which clock, once one was connected. Worth remembering as the default.
    pub clock: Option<ClockName>,
    /// Bytes of picture data the clock has acknowledged; each counted once.
    pub data_bytes: u32,
    /// Bytes of all acknowledged writes.
    pub bytes: u32,
    /// Acknowledged writes.
    pub packets: u32,
    /// Writes that were repeated.
    pub packets_resent: u32,
    /// Rejections the clock sent.
    pub rejections: u32,
    /// Bytes of picture data that were not sent because the clock holds them; with
    /// [`Report::data_bytes`] they are the whole picture.
    pub skipped_bytes: u32,
    /// Longest gap made between two picture packets because the clock or the radio did not keep
    /// up, in milliseconds; 0 when none was needed.
    pub longest_gap_ms: u32,
    /// Links made anew after a loss.
    pub reconnects: u32,
    /// The ATT MTU last used; 0 when no link came about.
    pub mtu: u16,
    /// From the start (not the queueing) to the end.
    pub duration_ms: u32,
    /// What is known about the redraw.
    pub refresh: Refresh,
}

/// Why it cannot be told whether an operation took effect. `Display` is a whole sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "kebab-case")]
pub enum Doubt {
    /// The answer to a command that must not be repeated was lost.
    CommandUnanswered,
    /// A command that must not be repeated was taken, but the redraw after it failed.
    CommandNotShown,
    /// The answer to the command that shows what was sent was lost.
    TriggerUnanswered,
    /// The link went while the clock began to redraw.
    LostWhileRefreshing,
    /// A part of the picture was not taken, which the clock said only when it was to show it.
    PartRefused,
    /// A first task took effect, and a later one of the same job could not be carried out.
    LaterStepFailed,
}

impl Doubt {
    /// A stable kebab-case name.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Self::CommandUnanswered => "command-unanswered",
            Self::CommandNotShown => "command-not-shown",
            Self::TriggerUnanswered => "trigger-unanswered",
            Self::LostWhileRefreshing => "lost-while-refreshing",
            Self::PartRefused => "part-refused",
            Self::LaterStepFailed => "later-step-failed",
        }
    }

    /// What to look at, and what to do then.
    #[must_use]
    pub fn hint(self) -> &'static str {
        match self {
            Self::CommandUnanswered => {
                "Look at the clock: if it has changed already, leave it; if not, do it again."
            }
            Self::CommandNotShown => {
                "Do not repeat it. The clock shows the change at its next redraw; setting the time makes it redraw."
            }
            Self::TriggerUnanswered | Self::LostWhileRefreshing | Self::PartRefused => {
                "Look at the clock in half a minute: if it does not show what you sent, send it again."
            }
            Self::LaterStepFailed => {
                "Look at the clock in a minute: if it shows something else then, send it again."
            }
        }
    }
}

impl fmt::Display for Doubt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::CommandUnanswered => {
                "The command was sent, but the clock's answer was lost, so it may or may not have taken it."
            }
            Self::CommandNotShown => {
                "The clock took the command, but the connection was lost before it could be told to redraw."
            }
            Self::TriggerUnanswered => {
                "Everything was sent, but the answer to the last command was lost, so the clock may or may not show it."
            }
            Self::LostWhileRefreshing => {
                "Everything was sent, but the connection was lost just as the clock began to redraw."
            }
            Self::PartRefused => {
                "The clock was told to show the picture, but had not taken a part of it, so it may show it incomplete."
            }
            Self::LaterStepFailed => {
                "What was sent took effect, but a later command did not get through, so it may not stay."
            }
        })
    }
}

/// How an operation ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// Every byte was acknowledged, and so was the command that shows it.
    Done(Report),
    /// It did not take effect.
    Failed {
        /// Why.
        error: ClockError,
        /// What was done until then.
        report: Report,
    },
    /// It may or may not have taken effect, or only a part of it has.
    Unknown {
        /// Why that cannot be told.
        reason: Doubt,
        /// What was done until then.
        report: Report,
    },
    /// It was cancelled before it took effect.
    Cancelled {
        /// What was done until then.
        report: Report,
    },
}

impl Outcome {
    /// What was done.
    #[must_use]
    pub fn report(&self) -> &Report {
        match self {
            Self::Done(report)
            | Self::Failed { report, .. }
            | Self::Unknown { report, .. }
            | Self::Cancelled { report } => report,
        }
    }

    /// Whether it is [`Outcome::Done`].
    #[must_use]
    pub fn is_done(&self) -> bool {
        matches!(self, Self::Done(_))
    }
}

const QUEUED: u8 = 0;
const RUNNING: u8 = 1;
const WITHDRAWN: u8 = 2;

#[derive(Debug)]
struct Control {
    phase: AtomicU8,
    cancel: CancellationToken,
}

/// A handle on an operation. Dropping it does not cancel.
#[derive(Debug, Clone)]
pub struct Operation {
    id: OperationId,
    control: Arc<Control>,
    progress: watch::Receiver<Progress>,
    outcome: watch::Receiver<Option<Outcome>>,
}

impl Operation {
    /// Its number.
    #[must_use]
    pub fn id(&self) -> OperationId {
        self.id
    }

    /// How far it is, now and from now on.
    #[must_use]
    pub fn progress(&self) -> watch::Receiver<Progress> {
        self.progress.clone()
    }

    /// Asks it to end. An operation that still waits ends at once; one that runs ends between two
    /// writes; one whose effect is already under way finishes.
    pub fn cancel(&self) {
        let _ = self.control.phase.compare_exchange(
            QUEUED,
            WITHDRAWN,
            Ordering::AcqRel,
            Ordering::Acquire,
        );
        self.control.cancel.cancel();
    }

    /// How it ended, if it has.
    #[must_use]
    pub fn ended(&self) -> Option<Outcome> {
        if let Some(outcome) = self.outcome.borrow().clone() {
            return Some(outcome);
        }
        (self.control.phase.load(Ordering::Acquire) == WITHDRAWN).then(|| Outcome::Cancelled {
            report: Report::default(),
        })
    }

    /// Waits until it has ended. Every operation ends, by its own deadlines.
    pub async fn outcome(&self) -> Outcome {
        let mut ended = self.outcome.clone();
        loop {
            if let Some(outcome) = self.ended() {
                return outcome;
            }
            let cancelled = self.control.cancel.is_cancelled();
            tokio::select! {
                changed = ended.changed() => {
                    if changed.is_err() && self.ended().is_none() {
                        // The session went without an answer, as when its runtime ends.
                        return Outcome::Failed {
                            error: ClockError::SessionClosed,
                            report: Report::default(),
                        };
                    }
                }
                () = self.control.cancel.cancelled(), if !cancelled => {}
            }
        }
    }
}

/// The session's end of an operation.
#[derive(Debug)]
pub(super) struct Ticket {
    pub(super) id: OperationId,
    pub(super) job: Job,
    control: Arc<Control>,
    pub(super) progress: watch::Sender<Progress>,
    outcome: watch::Sender<Option<Outcome>>,
}

impl Ticket {
    pub(super) fn new(id: OperationId, job: Job, cancel: CancellationToken) -> (Self, Operation) {
        let (progress, progress_seen) = watch::channel(Progress::queued());
        let (outcome, outcome_seen) = watch::channel(None);
        let control = Arc::new(Control {
            phase: AtomicU8::new(QUEUED),
            cancel,
        });
        let operation = Operation {
            id,
            control: Arc::clone(&control),
            progress: progress_seen,
            outcome: outcome_seen,
        };
        (
            Self {
                id,
                job,
                control,
                progress,
                outcome,
            },
            operation,
        )
    }

    /// Marks the operation as running; false when it was withdrawn while it waited.
    pub(super) fn begin(&self) -> bool {
        self.control
            .phase
            .compare_exchange(QUEUED, RUNNING, Ordering::AcqRel, Ordering::Acquire)
            .is_ok()
    }

    /// It was withdrawn while it waited.
    pub(super) fn is_withdrawn(&self) -> bool {
        self.control.phase.load(Ordering::Acquire) == WITHDRAWN
    }

    pub(super) fn cancel(&self) -> &CancellationToken {
        &self.control.cancel
    }

    pub(super) fn end(&self, outcome: Outcome) {
        self.progress.send_modify(|progress| {
            progress.stage = Stage::Ended;
            progress.seconds_left = None;
        });
        self.outcome.send_replace(Some(outcome));
    }
}

/// What a run has done so far, while it goes on.
#[derive(Debug)]
pub(super) struct Tally {
    pub(super) report: Report,
    pub(super) started: tokio::time::Instant,
}

impl Tally {
    pub(super) fn new() -> Self {
        Self {
            report: Report::default(),
            started: tokio::time::Instant::now(),
        }
    }

    pub(super) fn close(mut self) -> Report {
        self.report.duration_ms = milliseconds(self.started.elapsed());
        self.report
    }
}

pub(super) fn milliseconds(duration: Duration) -> u32 {
    u32::try_from(duration.as_millis()).unwrap_or(u32::MAX)
}
