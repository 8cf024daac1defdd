//! What waits for the session's task.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

use super::actor::Command;
use super::limits::QUEUE_LIMIT;
use crate::ClockError;

/// A bounded queue in which nothing that was withdrawn keeps a place.
#[derive(Debug, Default)]
pub(super) struct Queue {
    waiting: Mutex<Waiting>,
    filled: Notify,
}

#[derive(Debug, Default)]
struct Waiting {
    commands: VecDeque<Command>,
    closed: bool,
}

impl Queue {
    /// Queues a command, or refuses it.
    pub(super) fn push(&self, command: Command) -> Result<(), ClockError> {
        let mut waiting = self.waiting();
        let withdrawn = waiting.purge();
        let refused = if waiting.closed {
            Some(ClockError::SessionClosed)
        } else if waiting.commands.len() >= QUEUE_LIMIT {
            let limit = QUEUE_LIMIT;
            Some(ClockError::QueueFull { limit })
        } else {
            None
        };
        let left_out = match refused {
            Some(_) => Some(command),
            None => {
                waiting.commands.push_back(command);
                None
            }
        };
        drop(waiting);
        // Outside the lock, since somebody may wait for their end.
        for command in withdrawn {
            command.refuse(ClockError::SessionClosed);
        }
        if let (Some(command), Some(error)) = (left_out, refused) {
            command.refuse(error.clone());
            return Err(error);
        }
        self.filled.notify_one();
        Ok(())
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        // Nothing that can panic happens under this lock.
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Waiting {
    /// Takes out what nobody wants any more.
    fn purge(&mut self) -> Vec<Command> {
        if !self.commands.iter().any(Command::is_withdrawn) {
            return Vec::new();
        }
        let (withdrawn, wanted) = std::mem::take(&mut self.commands)
            .into_iter()
            .partition(Command::is_withdrawn);
        self.commands = wanted;
        Vec::from(withdrawn)
    }
}

/// The end of the queue that the session's task holds. When the task goes, for whatever reason,
/// nothing can be queued any more.
#[derive(Debug)]
pub(super) struct Inbox(pub(super) Arc<Queue>);

impl Inbox {
    /// The next command. Dropping the future loses none.
    pub(super) async fn next(&self) -> Command {
        loop {
            let next = self.0.waiting().commands.pop_front();
            match next {
                Some(command) => return command,
                None => self.0.filled.notified().await,
            }
        }
    }

    /// Takes nothing more in; returns what still waits.
    pub(super) fn close(&self) -> VecDeque<Command> {
        let mut waiting = self.0.waiting();
        waiting.closed = true;
        std::mem::take(&mut waiting.commands)
    }
}

impl Drop for Inbox {
    fn drop(&mut self) {
        // Those who wait for an answer see that there will be none.
        drop(self.close());
    }
}
