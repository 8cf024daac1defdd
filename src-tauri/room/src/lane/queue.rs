//! What waits for one device, in order.

use std::collections::VecDeque;

use tokio::time::Instant;

use crate::error::RoomError;
use crate::guard::{Conflict, Guard, Load};
use crate::names::DeviceId;

use super::fault::{AGAIN, Lost};
use super::{Ask, QUEUE, Work};

/// The requests that wait, the first one first.
#[derive(Debug, Default)]
pub(super) struct Queue {
    waiting: VecDeque<Ask>,
}

impl Queue {
    /// Takes a request in, or refuses it where it is known already that its turn comes too late, or
    /// that it stands against what goes before it.
    pub(super) fn take(&mut self, ask: Ask, device: &DeviceId, guard: (Guard, Option<Load>)) {
        let refused = if self.waiting.len() >= QUEUE {
            Some(RoomError::Busy {
                device: device.clone(),
                retry_after: AGAIN,
            })
        } else {
            let (guard, first) = guard;
            let before = first
                .into_iter()
                .chain(self.waiting.iter().map(|ask| load(&ask.work)));
            planned(guard, before, load(&ask.work), Instant::now(), ask.by)
                .err()
                .map(|lost| lost.error(device))
        };
        match refused {
            Some(error) => end(ask, error),
            None => self.waiting.push_back(ask),
        }
    }

    /// The next whose asker still waits.
    pub(super) fn next(&mut self) -> Option<Ask> {
        loop {
            let ask = self.waiting.pop_front()?;
            if !ask.done.is_closed() {
                return Some(ask);
            }
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// When the first of those that wait has waited too long.
    pub(super) fn due(&self) -> Option<Instant> {
        self.waiting.iter().map(|ask| ask.by).min()
    }

    /// Refuses those that have waited too long.
    pub(super) fn expire(&mut self, device: &DeviceId) {
        let now = Instant::now();
        let (late, waiting) = self.waiting.drain(..).partition(|ask| ask.by <= now);
        self.waiting = waiting;
        let late: VecDeque<Ask> = late;
        for ask in late {
            let error = RoomError::Busy {
                device: device.clone(),
                retry_after: AGAIN,
            };
            end(ask, error);
        }
    }
}

/// What a request costs the device of this lane.
fn load(work: &Work) -> Load {
    match work {
        Work::Own(request) => Load::of(request),
        Work::Relay(_) => Load::PREPARE,
    }
}

/// Tells whoever asked that it failed.
pub(super) fn end(ask: Ask, error: RoomError) {
    // Whoever asked has gone.
    let _ = ask.done.send(Err(error));
}

/// Whether the turn of a request comes in time, if every one before it goes out as early as the
/// guard lets it.
fn planned(
    mut guard: Guard,
    before: impl Iterator<Item = Load>,
    load: Load,
    now: Instant,
    by: Instant,
) -> Result<(), Lost> {
    let mut at = now;
    for load in before {
        at = guard.earliest(load, at);
        guard.record(load, at);
    }
    at = guard.earliest(load, at);
    if at > by {
        return Err(Lost::Late(at - by));
    }
    match guard.conflict(load, at) {
        Some(conflict) => Err(Lost::Conflict(Conflict {
            // It counts from its turn on, and whoever asked from now on.
            retry_after: conflict.retry_after + at.saturating_duration_since(now),
            ..conflict
        })),
        None => Ok(()),
    }
}
