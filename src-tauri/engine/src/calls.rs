//! The calls of agents, and what is asked of devices, on their way to the journal: taken in at once,
//! written many at a time, so that no disk holds an answer or a game master up.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use jiff::Timestamp;
use tokio::sync::mpsc;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::fault::Fault;
use crate::order::Caller;
use crate::state::JournalOutcome;
use crate::store::{Called, NewCall, Store};

/// How long calls are gathered before they are written together, so that an agent that polls does
/// not cost the disk a write a call.
const GATHER: Duration = Duration::from_millis(200);

/// Calls that wait to be written: what 20 callers at full speed make in the time of one gathering
/// and its writing, at 25,000 a second.
const MAX_WAITING: usize = 8192;

/// Characters of a tool's name or a detail that are kept; a line of the journal shows no more.
const MAX_CHARACTERS: usize = 300;

/// A call that was answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JournalledCall {
    /// The tool.
    pub tool: String,
    /// What exactly was asked, in short: no picture's bytes and no secret.
    pub detail: String,
    /// How it ended.
    pub outcome: JournalOutcome,
    /// Why, where it failed or is unknown.
    pub fault: Option<Fault>,
    /// From call to answer, in milliseconds.
    pub duration_ms: u32,
}

/// Something asked of a device, as it ended.
#[derive(Clone, Debug)]
pub(crate) struct Deed {
    pub(crate) tool: &'static str,
    pub(crate) device: String,
    pub(crate) detail: String,
    pub(crate) outcome: JournalOutcome,
    pub(crate) fault: Option<Fault>,
    pub(crate) duration_ms: u32,
}

/// Takes calls in for the journal, without making anybody wait.
#[derive(Debug)]
pub(crate) struct CallLog {
    /// None once it was closed.
    waiting: Mutex<Option<mpsc::Sender<NewCall>>>,
    /// Calls that found no room since the last writing.
    left_out: Arc<AtomicU32>,
}

impl CallLog {
    /// Starts writing, until the log is closed or dropped.
    pub(crate) fn start(store: Store, tasks: &TaskTracker, stopping: CancellationToken) -> Self {
        let (waiting, calls) = mpsc::channel(MAX_WAITING);
        let left_out = Arc::new(AtomicU32::new(0));
        tasks.spawn(write(store, calls, Arc::clone(&left_out), stopping));
        Self {
            waiting: Mutex::new(Some(waiting)),
            left_out,
        }
    }

    /// Takes in a call that was just answered.
    pub(crate) fn take(&self, caller: &Caller, call: JournalledCall) {
        self.put(NewCall {
            at: began(call.duration_ms),
            caller: caller.clone(),
            called: Called::Tool(cut(&call.tool)),
            detail: cut(&call.detail),
            outcome: call.outcome,
            fault: call.fault,
            duration_ms: call.duration_ms,
        });
    }

    /// Takes in what was asked of a device and has ended.
    pub(crate) fn take_deed(&self, caller: Caller, deed: Deed) {
        self.put(NewCall {
            at: began(deed.duration_ms),
            caller,
            called: Called::Device {
                tool: deed.tool,
                device: cut(&deed.device),
            },
            detail: cut(&deed.detail),
            outcome: deed.outcome,
            fault: deed.fault,
            duration_ms: deed.duration_ms,
        });
    }

    fn put(&self, call: NewCall) {
        let waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(waiting) = waiting.as_ref()
            && waiting.try_send(call).is_err()
        {
            self.left_out.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Takes no more in; what waits is written.
    pub(crate) fn close(&self) {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        *waiting = None;
    }
}

async fn write(
    store: Store,
    mut calls: mpsc::Receiver<NewCall>,
    left_out: Arc<AtomicU32>,
    stopping: CancellationToken,
) {
    while let Some(first) = calls.recv().await {
        tokio::select! {
            () = sleep(GATHER) => {}
            () = stopping.cancelled() => {}
        }
        let mut batch = vec![first];
        while batch.len() < MAX_WAITING
            && let Ok(next) = calls.try_recv()
        {
            batch.push(next);
        }
        if let Err(error) = store.run(move |store| store.log_calls(&batch)).await {
            tracing::error!(%error, "calls could not be written to the journal");
        }
        let left_out = left_out.swap(0, Ordering::Relaxed);
        if left_out > 0 {
            tracing::warn!(left_out, "calls came too fast for the journal");
        }
    }
}

fn began(duration_ms: u32) -> String {
    (Timestamp::now() - Duration::from_millis(duration_ms.into())).to_string()
}

fn cut(text: &str) -> String {
    text.chars().take(MAX_CHARACTERS).collect()
}
