//! Requests that come twice. A client that lost its connection sends its request again, with the
//! same id; what was asked is then done once, and both are told how it went.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rmcp::model::RequestId;
use serde_json::{Map, Value};
use tokio::sync::watch;
use tokio::time::Instant;

use crate::tool::Told;

/// How long a result is kept for a request that comes again: clients try again within seconds.
const KEPT: Duration = Duration::from_secs(30);

/// Requests remembered at once. Each is a call that takes seconds, so that far fewer come within
/// the time they are kept.
const MAX_REMEMBERED: usize = 256;

/// The requests of the last seconds.
#[derive(Default)]
pub(crate) struct Repeats {
    seen: Mutex<HashMap<Request, Seen>>,
}

/// Which request: that of a session, by its id and by what it asks for, so that a client that
/// begins to count anew is not told of something else.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct Request {
    session: Arc<str>,
    id: RequestId,
    asks: u64,
}

impl Request {
    pub(crate) fn new(
        session: Arc<str>,
        id: RequestId,
        tool: &str,
        arguments: &Map<String, Value>,
    ) -> Self {
        let mut hasher = DefaultHasher::new();
        tool.hash(&mut hasher);
        arguments.hash(&mut hasher);
        Self {
            session,
            id,
            asks: hasher.finish(),
        }
    }
}

struct Seen {
    at: Instant,
    ended: watch::Receiver<Option<Told>>,
}

/// Whose turn it is to do what a request asks.
pub(crate) enum Turn {
    /// This one's; the result goes here.
    First(watch::Sender<Option<Told>>),
    /// An earlier one's, which is waited for.
    Again(watch::Receiver<Option<Told>>),
}

impl Repeats {
    pub(crate) fn turn(&self, request: Request) -> Turn {
        let mut seen = self.seen();
        seen.retain(|_, seen| seen.is_worth_keeping());
        if let Some(earlier) = seen.get(&request) {
            return Turn::Again(earlier.ended.clone());
        }
        let (sender, ended) = watch::channel(None);
        if seen.len() < MAX_REMEMBERED {
            let at = Instant::now();
            seen.insert(request, Seen { at, ended });
        }
        Turn::First(sender)
    }

    /// Its values are replaced whole, so a poisoned lock holds a good one.
    fn seen(&self) -> MutexGuard<'_, HashMap<Request, Seen>> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Seen {
    fn is_worth_keeping(&self) -> bool {
        match &*self.ended.borrow() {
            // Its end comes; if it cannot come any more, there is nothing to tell.
            None => self.ended.has_changed().is_ok(),
            // Whoever ended a call and asks again wants it done.
            Some(told) if told.cancelled => false,
            Some(_) => self.at.elapsed() < KEPT,
        }
    }
}
