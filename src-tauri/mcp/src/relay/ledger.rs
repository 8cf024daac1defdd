//! What a relay remembers: how its client began, and which requests are unanswered.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use rmcp::model::RequestId;
use tokio::sync::watch;

use super::message::{self, Kind};

/// The longest request that is kept to be asked again, in bytes. Those that are asked again carry
/// no pictures.
const KEPT: usize = 64 * 1024;

/// What a client said first, to be said again to another backend.
#[derive(Clone)]
pub(super) struct Opening {
    /// The number of the client's `initialize`.
    pub(super) id: RequestId,
    /// Its lines: `initialize`, and `notifications/initialized` where it came.
    pub(super) initialize: Vec<u8>,
    pub(super) initialized: Option<Vec<u8>>,
    answered: bool,
}

struct Pending {
    /// In which order it came.
    number: u64,
    /// What its line says, in short.
    says: u64,
    /// The tool, where it is a call.
    tool: Option<String>,
    /// Its line, where asking twice does no harm.
    again: Option<Vec<u8>>,
}

/// What becomes of a line from the client.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Noted {
    /// It is for the backend.
    Passes,
    /// It is for nobody.
    Stays,
    /// It is for nobody, and the client is told why.
    Refused(Vec<u8>),
}

/// What becomes of requests whose backend has gone.
#[derive(Default)]
pub(super) struct Lost {
    /// Lines to send to the next backend.
    pub(super) again: Vec<Vec<u8>>,
    /// Lines to send to the client.
    pub(super) answers: Vec<Vec<u8>>,
}

/// The memory of one client's conversation.
pub(super) struct Ledger {
    opening: Option<Opening>,
    pending: HashMap<RequestId, Pending>,
    counter: u64,
    /// Whether the backend in use has been asked anything yet.
    asked: bool,
    count: watch::Sender<usize>,
}

impl Ledger {
    pub(super) fn new() -> Self {
        Self {
            opening: None,
            pending: HashMap::new(),
            counter: 0,
            asked: false,
            count: watch::Sender::new(0),
        }
    }

    /// How many requests are unanswered, now and from now on.
    pub(super) fn count(&self) -> watch::Receiver<usize> {
        self.count.subscribe()
    }

    /// Notes a line from the client. A notification says nothing to a backend that knows nothing of
    /// what went before it. A request that comes again before its answer is there has the same
    /// answer; another one of the same number would be begun, cancelled by the end of the first, and
    /// never answered.
    pub(super) fn note_client(&mut self, line: &[u8]) -> Noted {
        match message::kind(line) {
            Kind::Request { id, method, tool } => {
                let says = in_short(line);
                if let Some(first) = self.pending.get(&id) {
                    return if first.says == says {
                        Noted::Stays
                    } else {
                        Noted::Refused(message::number_taken(&id))
                    };
                }
                let initialize = method == "initialize";
                if initialize {
                    self.opening = Some(Opening {
                        id: id.clone(),
                        initialize: line.to_vec(),
                        initialized: None,
                        answered: false,
                    });
                }
                let repeatable = tool.is_none() && method != "tools/call" && line.len() <= KEPT;
                let pending = Pending {
                    number: self.counter,
                    says,
                    tool,
                    again: repeatable.then(|| line.to_vec()),
                };
                self.counter += 1;
                self.pending.insert(id, pending);
                self.asked = true;
                self.tell();
                Noted::Passes
            }
            Kind::Notification { method, cancels } => {
                // It gets no answer any more.
                if cancels.is_some_and(|id| self.pending.remove(&id).is_some()) {
                    self.tell();
                }
                if method == "notifications/initialized"
                    && let Some(opening) = &mut self.opening
                {
                    opening.initialized = Some(line.to_vec());
                }
                if self.asked {
                    Noted::Passes
                } else {
                    Noted::Stays
                }
            }
            Kind::Answer(_) | Kind::Other => Noted::Passes,
        }
    }

    /// Notes a line from the backend.
    pub(super) fn note_backend(&mut self, line: &[u8]) {
        let Kind::Answer(id) = message::kind(line) else {
            return;
        };
        if let Some(opening) = &mut self.opening
            && opening.id == id
        {
            opening.answered = true;
        }
        if self.pending.remove(&id).is_some() {
            self.tell();
        }
    }

    /// What to say to a new backend before anything else, once the client has its answer to it.
    pub(super) fn opening(&self) -> Option<Opening> {
        self.opening.clone().filter(|opening| opening.answered)
    }

    /// A new backend knows the client.
    pub(super) fn opened(&mut self) {
        self.asked = true;
    }

    /// The backend has gone. Where `again`, requests that do no harm when asked twice stay
    /// unanswered, to be asked again; the others are answered.
    pub(super) fn lose(&mut self, again: bool) -> Lost {
        let typed = self.opening.is_none();
        let mut pending: Vec<_> = self.pending.drain().collect();
        pending.sort_by_key(|(_, pending)| pending.number);
        let mut lost = Lost::default();
        for (id, pending) in pending {
            match &pending.again {
                Some(line) if again => {
                    lost.again.push(line.clone());
                    self.pending.insert(id, pending);
                }
                _ => {
                    let tool = pending.tool.as_deref();
                    lost.answers.push(message::lost(&id, tool, typed));
                }
            }
        }
        self.asked = !lost.again.is_empty();
        self.tell();
        lost
    }

    /// Lines that tell a backend that nobody waits for its answers any more.
    pub(super) fn cancellations(&self, reason: &str) -> Vec<Vec<u8>> {
        let ids = self.pending.keys();
        ids.map(|id| message::cancelled(id, reason)).collect()
    }

    fn tell(&self) {
        self.count.send_replace(self.pending.len());
    }
}

fn in_short(line: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    line.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    const INITIALIZE: &[u8] = br#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}"#;
    const INITIALIZED: &[u8] = br#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
    const LIST: &[u8] = br#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;
    const CALL: &[u8] =
        br#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"toggle"}}"#;

    #[test]
    fn what_does_no_harm_is_asked_again_and_a_call_is_never_repeated() {
        // SES-4
        let mut ledger = Ledger::new();
        for line in [CALL, LIST] {
            assert_eq!(ledger.note_client(line), Noted::Passes);
        }
        assert_eq!(*ledger.count().borrow(), 2);
        let lost = ledger.lose(true);
        assert_eq!(lost.again, [LIST.to_vec()]);
        let answer: Value = serde_json::from_slice(&lost.answers[0]).unwrap();
        assert_eq!(answer["id"], 2);
        let outcome = &answer["result"]["structuredContent"];
        assert_eq!(outcome["tool"], "toggle");
        assert_eq!(outcome["error"]["code"], "INTERNAL");
        assert_eq!(*ledger.count().borrow(), 1);
        assert_eq!(ledger.lose(true).again, [LIST.to_vec()]);
    }

    #[test]
    fn where_asking_again_has_not_helped_every_request_gets_an_error() {
        let mut ledger = Ledger::new();
        ledger.note_client(LIST);
        let lost = ledger.lose(false);
        assert!(lost.again.is_empty());
        let answer: Value = serde_json::from_slice(&lost.answers[0]).unwrap();
        assert_eq!(answer["error"]["code"], -32603);
    }

    #[test]
    fn an_opening_is_replayed_once_it_was_answered_and_repeated_before() {
        let mut ledger = Ledger::new();
        ledger.note_client(INITIALIZE);
        assert!(ledger.opening().is_none());
        assert_eq!(ledger.lose(true).again, [INITIALIZE.to_vec()]);
        ledger.note_client(INITIALIZE);
        ledger.note_backend(br#"{"jsonrpc":"2.0","id":0,"result":{}}"#);
        ledger.note_client(INITIALIZED);
        let opening = ledger.opening().unwrap();
        assert_eq!(opening.initialize, INITIALIZE);
        assert_eq!(opening.initialized.as_deref(), Some(INITIALIZED));
        assert!(ledger.lose(true).again.is_empty());
    }

    #[test]
    fn a_backend_that_knows_nothing_of_the_client_gets_no_notification_first() {
        let mut ledger = Ledger::new();
        assert_eq!(ledger.note_client(LIST), Noted::Passes);
        assert_eq!(ledger.note_client(INITIALIZED), Noted::Passes);
        let _lost = ledger.lose(false);
        assert_eq!(ledger.note_client(INITIALIZED), Noted::Stays);
    }

    #[test]
    fn a_request_that_comes_again_joins_the_first_and_another_of_its_number_is_refused() {
        // SES-4
        let mut ledger = Ledger::new();
        let other = br#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
        let first = br#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;
        assert_eq!(ledger.note_client(first), Noted::Passes);
        assert_eq!(ledger.note_client(first), Noted::Stays);
        let Noted::Refused(answer) = ledger.note_client(other) else {
            panic!("not refused");
        };
        let answer: serde_json::Value = serde_json::from_slice(&answer).unwrap();
        assert_eq!(
            (&answer["id"], &answer["error"]["code"]),
            (&1.into(), &(-32600).into())
        );
        assert_eq!(*ledger.count().borrow(), 1);
        ledger.note_backend(br#"{"jsonrpc":"2.0","id":1,"result":{}}"#);
        assert_eq!(ledger.note_client(other), Noted::Passes);
    }
}
