//! Operations on the clock as the host counts them: numbered, followed while they run, and kept
//! for a while after they ended.

use std::collections::BTreeMap;

use regie_clock::{Face, Task, Zone};
use tokio::sync::{oneshot, watch};

use crate::fault::Note;
use crate::state::{
    HostCalendar, Operation, OperationKind, Outcome, Progress, QuietHoursSet, Slot,
};

/// Ended operations kept, for a door that looks late.
const MAX_KEPT: usize = 16;

/// What is to be done, and what is known once it is.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) kind: OperationKind,
    /// What exactly, for the journal.
    pub(crate) detail: String,
    pub(crate) first: Task,
    pub(crate) then: Option<Task>,
    pub(crate) learned: Learned,
}

/// What the host knows of the clock after an operation was done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Learned {
    /// Nothing new about the screen.
    Nothing,
    /// The screen shows what this slot held when it was asked for.
    Shows {
        /// The slot and what it held.
        held: Slot,
        /// In black and white only.
        mono: bool,
    },
    /// The screen shows something that is no slot.
    ShowsNoSlot,
    /// The screen shows this page of the host's calendar.
    HostCalendar(HostCalendar),
    /// The screen shows this face.
    Face(Face),
    /// The clock was set to the time of this zone.
    Time {
        /// Which.
        zone: Zone,
        /// It was asked to be on this computer's time, wherever that is.
        follows_host: bool,
    },
    /// The clock keeps these quiet hours.
    QuietHours(QuietHoursSet),
}

impl Learned {
    /// The slot an operation shows.
    pub(crate) fn slot(&self) -> Option<u8> {
        match self {
            Self::Shows { held, .. } => Some(held.slot),
            _ => None,
        }
    }

    /// Whether the screen changes, so that what it shows is uncertain when the outcome is.
    pub(crate) fn changes_screen(&self) -> bool {
        matches!(
            self,
            Self::Shows { .. } | Self::ShowsNoSlot | Self::HostCalendar(_) | Self::Face(_)
        )
    }
}

/// An operation that was accepted into the queue.
#[derive(Debug)]
pub struct Submitted {
    /// Its number.
    pub id: u32,
    /// How far it is, from now until it ends.
    pub progress: watch::Receiver<Progress>,
    /// Its outcome, once it has one.
    pub ended: oneshot::Receiver<Outcome>,
    /// What was left out of what it sends, or done to it.
    pub notes: Vec<Note>,
}

/// The operations of this run.
#[derive(Debug, Default)]
pub(crate) struct Desk {
    last: u32,
    entries: BTreeMap<u32, Entry>,
}

#[derive(Debug)]
struct Entry {
    operation: Operation,
    handle: regie_clock::Operation,
}

impl Desk {
    /// Takes an operation in and numbers it.
    pub(crate) fn add(
        &mut self,
        kind: OperationKind,
        slot: Option<u8>,
        progress: Progress,
        handle: regie_clock::Operation,
    ) -> u32 {
        self.last += 1;
        let operation = Operation {
            id: self.last,
            kind,
            slot,
            progress,
            outcome: None,
        };
        self.entries.insert(self.last, Entry { operation, handle });
        self.forget_old();
        self.last
    }

    fn forget_old(&mut self) {
        let ended: Vec<u32> = self
            .entries
            .iter()
            .filter(|(_, entry)| entry.operation.outcome.is_some())
            .map(|(&id, _)| id)
            .collect();
        for id in ended.iter().take(ended.len().saturating_sub(MAX_KEPT)) {
            self.entries.remove(id);
        }
    }

    /// Notes how far an operation is.
    pub(crate) fn advance(&mut self, id: u32, progress: Progress) {
        if let Some(entry) = self.entries.get_mut(&id) {
            entry.operation.progress = progress;
        }
    }

    /// Notes how an operation ended.
    pub(crate) fn end(&mut self, id: u32, outcome: Outcome) {
        if let Some(entry) = self.entries.get_mut(&id) {
            entry.operation.outcome = Some(outcome);
        }
    }

    /// Forgets an operation that ended, and those before it: what was done earlier is no news once
    /// what came later has been read. One that runs stays.
    pub(crate) fn dismiss(&mut self, id: u32) {
        self.entries
            .retain(|&entry, held| entry > id || held.operation.outcome.is_none());
    }

    /// Asks an operation to end.
    pub(crate) fn cancel(&self, id: u32) {
        if let Some(entry) = self.entries.get(&id) {
            entry.handle.cancel();
        }
    }

    /// The operation to show: the first that runs, else the last that ended.
    pub(crate) fn current(&self) -> Option<Operation> {
        let mut operations = self.entries.values().map(|entry| &entry.operation);
        operations
            .clone()
            .find(|operation| operation.outcome.is_none())
            .or_else(|| operations.next_back())
            .cloned()
    }
}
