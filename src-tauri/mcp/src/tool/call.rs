//! What a tool has at hand while it is called, and how it follows what it has asked of the clock.

use std::convert::Infallible;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use regie_engine::{Caller, Engine, EngineError, Note, Order, Outcome, Reach, Report, Submitted};
use schemars::JsonSchema;
use serde::Serialize;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use super::answer::Failure;
use super::progress::Reporter;

/// For the clock to be let go once an operation was cancelled: the packet on its way is waited
/// for, and the session gives up on it within this time.
const CANCEL_PATIENCE: Duration = Duration::from_secs(15);

/// A call under way.
pub(crate) struct Call {
    pub(crate) engine: Engine,
    /// On whose behalf.
    pub(crate) caller: Caller,
    pub(crate) reach: Reach,
    /// The clock that is meant where the call names none.
    pub(crate) clock: Option<String>,
    /// Ends the call early.
    pub(crate) stop: CancellationToken,
    /// Tells the caller how far it is, where they hear that.
    pub(crate) reporter: Option<Reporter>,
    /// It has asked something of a device, which the journal has of the engine.
    pub(crate) became_operation: AtomicBool,
}

/// What was sent, as a tool answers it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(super) struct Receipt {
    /// Bytes that the clock took, headers included.
    bytes: u32,
    /// Packets that the clock took.
    packets: u32,
    /// Packets that had to be sent again.
    packets_resent: u32,
    /// Times that the link was lost and made again.
    reconnects: u32,
    /// From the call to its end, in milliseconds.
    duration_ms: u32,
    /// What was left out or changed on the way.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<Remark>,
}

impl Receipt {
    fn new(report: &Report, notes: &[Note]) -> Self {
        Self {
            bytes: report.bytes,
            packets: report.packets,
            packets_resent: report.packets_resent,
            reconnects: report.reconnects,
            duration_ms: report.duration_ms,
            notes: notes.iter().map(Remark::from).collect(),
        }
    }
}

/// Something worth knowing about a result.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(super) struct Remark {
    /// Stable name of the remark.
    code: String,
    /// The remark.
    message: String,
}

impl From<&Note> for Remark {
    fn from(note: &Note) -> Self {
        Self {
            code: note.code.clone(),
            message: note.message.clone(),
        }
    }
}

impl Call {
    /// On whose behalf an operation is asked for, and of which clock.
    pub(super) fn order(&self, mac: Option<String>) -> Order {
        Order {
            caller: self.caller.clone(),
            clock: self.clock(mac),
        }
    }

    /// The clock that is meant; `None`: the chosen one.
    pub(super) fn clock(&self, mac: Option<String>) -> Option<String> {
        mac.or_else(|| self.clock.clone())
    }

    /// The engine has written it down.
    pub(super) fn mark_journalled(&self) {
        self.became_operation.store(true, Ordering::Relaxed);
    }

    /// Waits for something that reads only, unless the caller ends the call.
    pub(super) async fn read<T, E>(
        &self,
        work: impl Future<Output = Result<T, E>>,
    ) -> Result<T, Failure>
    where
        Failure: From<E>,
    {
        tokio::select! {
            done = work => Ok(done?),
            () = self.stop.cancelled() => Err(Failure::cancelled("Nothing was changed.")),
        }
    }

    /// Follows an operation to its end. If the caller ends the call, the operation is cancelled
    /// and the clock let go first.
    pub(super) async fn follow(
        &self,
        submission: impl Future<Output = Result<Submitted, EngineError>>,
    ) -> Result<Receipt, Failure> {
        let Submitted {
            id,
            progress,
            mut ended,
            notes,
            ..
        } = submission.await?;
        // The engine writes it down from here on.
        self.mark_journalled();
        let report = async {
            if let Some(reporter) = &self.reporter {
                reporter.report(progress).await;
            }
            // All may be told before the outcome is there.
            std::future::pending::<Infallible>().await
        };
        let outcome = tokio::select! {
            // The session bounds every stage of an operation, so this ends.
            outcome = &mut ended => outcome,
            () = self.stop.cancelled() => {
                self.engine.cancel(id);
                match timeout(CANCEL_PATIENCE, ended).await {
                    Ok(outcome) => outcome,
                    Err(_) => return Err(Failure::cancelled(
                        "The clock does not answer; look at it before the next call.",
                    )),
                }
            }
            never = report => match never {},
        };
        match outcome.map_err(|_| EngineError::Closing)? {
            Outcome::Done { report } => Ok(Receipt::new(&report, &notes)),
            Outcome::Failed { fault, .. } => Err(fault.into()),
            Outcome::Unknown { fault, .. } => Err(Failure::uncertain(fault)),
            Outcome::Cancelled { .. } => Err(Failure::cancelled(
                "The clock keeps what it showed, or part of the picture until the next one.",
            )),
        }
    }
}
