//! How many calls there may be at once.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Calls at once, of all agents. The clock serves one after another, and the room three at once, so
/// more would only wait; each may hold a picture of some megabytes.
pub(crate) const MAX_CALLS: usize = 64;

/// Calls of the game master's override at once, when all other places are taken: it waits behind
/// nothing, and a person calls no more than one at a time.
const MAX_OVERRIDES: usize = 8;

/// The places for calls.
#[derive(Debug)]
pub(crate) struct Places {
    calls: Arc<Semaphore>,
    overrides: Arc<Semaphore>,
}

/// A call's place, until it is dropped.
#[derive(Debug)]
pub(crate) struct Place {
    _permit: OwnedSemaphorePermit,
}

impl Places {
    pub(crate) fn new() -> Self {
        Self {
            calls: Arc::new(Semaphore::new(MAX_CALLS)),
            overrides: Arc::new(Semaphore::new(MAX_OVERRIDES)),
        }
    }

    /// A place for one more call; `None` where there are too many already.
    pub(crate) fn take(&self, is_override: bool) -> Option<Place> {
        let place = |of: &Arc<Semaphore>| Arc::clone(of).try_acquire_owned().ok();
        place(&self.calls)
            .or_else(|| is_override.then(|| place(&self.overrides)).flatten())
            .map(|permit| Place { _permit: permit })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_override_is_let_in_when_too_many_calls_are_under_way() {
        let places = Places::new();
        let taken: Vec<_> = (0..MAX_CALLS).map(|_| places.take(false)).collect();
        assert!(taken.iter().all(Option::is_some));
        assert!(places.take(false).is_none());
        let overrides: Vec<_> = (0..MAX_OVERRIDES).map(|_| places.take(true)).collect();
        assert!(overrides.iter().all(Option::is_some));
        assert!(places.take(true).is_none());
        drop(taken);
        assert!(places.take(false).is_some());
    }
}
