//! The record of calls: who is connected, and what they asked for lately.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use jiff::Timestamp;
use serde_json::{Map, Value};
use tokio::sync::watch;
use tokio::time::Instant;

use crate::agents::{AgentsState, CallOutcome, CallRecord, ConnectedAgent, ServerState};
use crate::connection::Connection;
use crate::tool::Told;

/// Calls kept: what a person scrolls through; the journal has them all.
const MAX_CALLS: usize = 200;

/// Agents kept, the latest ones: more than any desk has.
const MAX_AGENTS: usize = 32;

/// Least time between two publications. An agent that polls thousands of times a second costs
/// those who watch no more than one that calls ten times.
const PUBLISH_EVERY: Duration = Duration::from_millis(100);

/// Characters of a text within arguments that are kept: pictures come as text.
const MAX_TEXT: usize = 120;

/// Items of a list within arguments that are kept.
const MAX_ITEMS: usize = 20;

/// Bytes of arguments that are kept.
const MAX_ARGUMENTS: usize = 2000;

/// The record; clones share it.
#[derive(Clone)]
pub(crate) struct Feed {
    shared: Arc<Shared>,
}

struct Shared {
    book: Mutex<Book>,
    state: watch::Sender<AgentsState>,
}

struct Book {
    server: ServerState,
    connected: VecDeque<ConnectedAgent>,
    calls: VecDeque<CallRecord>,
    last: u32,
    published: Option<Instant>,
    publication_due: bool,
}

/// A call that was taken down when it began.
pub(crate) struct Began {
    /// Its number; `None` for one that is taken down once it has ended.
    id: Option<u32>,
    /// As it will stand in the record, for one that is taken down later.
    record: CallRecord,
    at: Instant,
}

impl Feed {
    pub(crate) fn new() -> Self {
        let book = Book {
            server: ServerState::Off,
            connected: VecDeque::new(),
            calls: VecDeque::new(),
            last: 0,
            published: None,
            publication_due: false,
        };
        let state = watch::Sender::new(book.state());
        Self {
            shared: Arc::new(Shared {
                book: Mutex::new(book),
                state,
            }),
        }
    }

    /// The record, now and from now on.
    pub(crate) fn state(&self) -> watch::Receiver<AgentsState> {
        self.shared.state.subscribe()
    }

    /// Shows how the HTTP server stands.
    pub(crate) fn show_server(&self, server: ServerState) {
        let mut book = self.book();
        book.server = server;
        // A person waits for the switch to follow.
        self.publish(&mut book);
    }

    /// Takes down that somebody has come.
    pub(crate) fn came(&self, connection: &Connection, name: &str) {
        let mut book = self.book();
        book.seen(connection, name, false);
        self.publish_soon(&mut book);
    }

    /// Takes down that a call begins. One that is over at once is `brief` and is shown when it
    /// ends.
    pub(crate) fn begin(
        &self,
        connection: &Connection,
        name: &str,
        tool: &str,
        arguments: &Map<String, Value>,
        brief: bool,
    ) -> Began {
        let mut record = CallRecord {
            id: 0,
            at: Timestamp::now().to_string(),
            agent: name.to_owned(),
            transport: connection.transport,
            tool: tool.to_owned(),
            arguments: folded(arguments),
            outcome: CallOutcome::Running,
            code: None,
            summary: String::new(),
            duration_ms: None,
        };
        let mut book = self.book();
        book.seen(connection, name, true);
        if brief {
            return Began {
                id: None,
                record,
                at: Instant::now(),
            };
        }
        book.last = book.last.wrapping_add(1);
        record.id = book.last;
        book.add(record.clone());
        self.publish_soon(&mut book);
        Began {
            id: Some(record.id),
            record,
            at: Instant::now(),
        }
    }

    /// Takes down how a call ended, and answers with the record of it.
    pub(crate) fn end(&self, began: Began, told: &Told) -> CallRecord {
        let Began { id, mut record, at } = began;
        record.outcome = match &told.fault {
            _ if told.cancelled => CallOutcome::Cancelled,
            None => CallOutcome::Done,
            Some(_) => CallOutcome::Failed,
        };
        record.code = told.fault.as_ref().map(|fault| fault.agent_code.clone());
        record.summary.clone_from(&told.summary);
        record.duration_ms = u32::try_from(at.elapsed().as_millis()).ok();
        let mut book = self.book();
        match id {
            Some(id) => {
                // It may have been pushed out by later ones.
                if let Some(kept) = book.calls.iter_mut().find(|kept| kept.id == id) {
                    kept.clone_from(&record);
                }
            }
            None => {
                book.last = book.last.wrapping_add(1);
                record.id = book.last;
                book.add(record.clone());
            }
        }
        self.publish_soon(&mut book);
        record
    }

    fn publish_soon(&self, book: &mut Book) {
        if book.publication_due {
            return;
        }
        let wait = book
            .published
            .map(|published| PUBLISH_EVERY.saturating_sub(published.elapsed()))
            .unwrap_or_default();
        if wait.is_zero() {
            self.publish(book);
            return;
        }
        book.publication_due = true;
        let feed = self.clone();
        tokio::spawn(async move {
            tokio::time::sleep(wait).await;
            let mut book = feed.book();
            book.publication_due = false;
            feed.publish(&mut book);
        });
    }

    fn publish(&self, book: &mut Book) {
        book.published = Some(Instant::now());
        self.shared.state.send_replace(book.state());
    }

    /// Its values are replaced whole, so a poisoned lock holds a good one.
    fn book(&self) -> MutexGuard<'_, Book> {
        self.shared
            .book
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl Book {
    fn state(&self) -> AgentsState {
        AgentsState {
            server: self.server.clone(),
            connected: self.connected.iter().cloned().collect(),
            calls: self.calls.iter().cloned().collect(),
        }
    }

    fn add(&mut self, record: CallRecord) {
        self.calls.push_front(record);
        self.calls.truncate(MAX_CALLS);
    }

    fn seen(&mut self, connection: &Connection, name: &str, calls: bool) {
        let now = Timestamp::now().to_string();
        let is_it = |agent: &ConnectedAgent| {
            agent.name == name
                && agent.transport == connection.transport
                && agent.token == connection.token
                && agent.address == connection.address
        };
        let known = self.connected.iter().position(is_it);
        let mut agent = known
            .and_then(|place| self.connected.remove(place))
            .unwrap_or_else(|| ConnectedAgent {
                name: name.to_owned(),
                transport: connection.transport,
                token: connection.token.clone(),
                address: connection.address.clone(),
                since: now.clone(),
                last_call: None,
                calls: 0,
            });
        if calls {
            agent.calls = agent.calls.saturating_add(1);
            agent.last_call = Some(now);
        }
        self.connected.push_front(agent);
        self.connected.truncate(MAX_AGENTS);
    }
}

/// Arguments as they are shown: short, and without what is nobody's business.
fn folded(arguments: &Map<String, Value>) -> String {
    let mut text = Value::Object(fold_object(arguments)).to_string();
    if text.len() > MAX_ARGUMENTS {
        let end = (0..=MAX_ARGUMENTS)
            .rev()
            .find(|&end| text.is_char_boundary(end));
        text.truncate(end.unwrap_or_default());
        text.push_str("...");
    }
    text
}

fn fold_object(object: &Map<String, Value>) -> Map<String, Value> {
    object
        .iter()
        .take(MAX_ITEMS)
        .map(|(name, value)| {
            let value = if is_secret(name) {
                Value::from("(not shown)")
            } else {
                fold(value)
            };
            (cut(name).unwrap_or_else(|| name.clone()), value)
        })
        .collect()
}

fn fold(value: &Value) -> Value {
    match value {
        Value::String(text) => cut(text).map_or_else(|| value.clone(), Value::from),
        Value::Array(items) => items.iter().take(MAX_ITEMS).map(fold).collect(),
        Value::Object(object) => fold_object(object).into(),
        plain => plain.clone(),
    }
}

/// A long text cut short, with its length.
fn cut(text: &str) -> Option<String> {
    let (end, _) = text.char_indices().nth(MAX_TEXT)?;
    let kept = text.get(..end).unwrap_or_default();
    Some(format!("{kept}... ({} bytes)", text.len()))
}

fn is_secret(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    ["password", "secret", "token"]
        .iter()
        .any(|word| name.contains(word))
}
