//! What all connections of agents share, and a call's way through it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use regie_engine::{Caller, Engine, JournalOutcome, JournalledCall};
use rmcp::model::RequestId;
use serde_json::{Map, Value};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::agents::{AgentsState, CallOutcome, CallRecord, ServerState};
use crate::connection::{Cancellation, Connection};
use crate::feed::Feed;
use crate::places::{MAX_CALLS, Places};
use crate::repeats::{Repeats, Request, Turn};
use crate::tool::{Call, Failure, Reporter, Told, Tool};

/// What all connections of agents share; clones share it too.
#[derive(Clone)]
pub struct Host {
    shared: Arc<Shared>,
}

struct Shared {
    engine: Engine,
    version: String,
    feed: Feed,
    places: Places,
    repeats: Repeats,
}

/// A call as it came.
pub(crate) struct Asked {
    pub(crate) tool: &'static Tool,
    pub(crate) arguments: Map<String, Value>,
    pub(crate) connection: Connection,
    /// What the caller is called.
    pub(crate) agent: String,
    pub(crate) id: RequestId,
    /// The protocol's own notice that it shall end.
    pub(crate) notice: CancellationToken,
    pub(crate) reporter: Option<Reporter>,
}

impl Host {
    /// For the agents of an engine. Needs a tokio runtime.
    #[must_use]
    pub fn new(engine: Engine) -> Self {
        let version = engine.state().borrow().version.clone();
        Self {
            shared: Arc::new(Shared {
                engine,
                version,
                feed: Feed::new(),
                places: Places::new(),
                repeats: Repeats::default(),
            }),
        }
    }

    /// The engine.
    #[must_use]
    pub fn engine(&self) -> &Engine {
        &self.shared.engine
    }

    /// The version of Regie.
    #[must_use]
    pub fn version(&self) -> &str {
        &self.shared.version
    }

    /// What doors show of the agents, now and from now on.
    #[must_use]
    pub fn agents(&self) -> watch::Receiver<AgentsState> {
        self.shared.feed.state()
    }

    /// Shows how the HTTP server stands.
    pub fn show_server(&self, server: ServerState) {
        self.shared.feed.show_server(server);
    }

    /// Shows that an agent has come, before it calls anything.
    pub fn show_arrival(&self, connection: &Connection, name: &str) {
        self.shared.feed.came(connection, name);
    }

    /// Carries out a call and takes it down.
    pub(crate) async fn call(&self, asked: Asked) -> Told {
        let is_override = asked.tool.is_override(&asked.arguments);
        let Some(place) = self.shared.places.take(is_override) else {
            let failure = Failure::busy(
                format!("{MAX_CALLS} calls are under way already."),
                "Wait until some of them have ended and call again.",
            );
            return asked.tool.refuse(&asked.arguments, failure);
        };
        if asked.tool.effect.reads_only {
            let _place = place;
            let stop = match &asked.connection.cancellation {
                Cancellation::Context => asked.notice.clone(),
                Cancellation::Notice(token) => token.clone(),
            };
            return self.perform(asked, stop).await;
        }
        let first = match self.turn(&asked) {
            Some(Turn::Again(ended)) => return again(ended).await,
            Some(Turn::First(first)) => Some(first),
            None => None,
        };
        // On a task of its own: whether it goes on when its caller is gone is for the caller's
        // protocol to say, not for the connection.
        let stop = CancellationToken::new();
        let (ends, abandoned) = match &asked.connection.cancellation {
            Cancellation::Context => (asked.notice.clone(), Some(stop.clone().drop_guard())),
            Cancellation::Notice(token) => (token.clone(), None),
        };
        let host = self.clone();
        let ending = stop.clone();
        let mut work = tokio::spawn(async move {
            let _place = place;
            let stopped = ending.clone();
            let ended = async move { host.perform(asked, stopped).await };
            let passed_on = async move {
                ends.cancelled().await;
                ending.cancel();
                std::future::pending::<Told>().await
            };
            let ended = tokio::select! {
                ended = ended => ended,
                ended = passed_on => ended,
            };
            if let Some(first) = first {
                first.send_replace(Some(ended.clone()));
            }
            ended
        });
        let ended = (&mut work).await;
        if let Some(abandoned) = abandoned {
            abandoned.disarm();
        }
        ended.unwrap_or_else(|_| Told::broken_down())
    }

    fn turn(&self, asked: &Asked) -> Option<Turn> {
        let session = asked.connection.session.clone()?;
        let request = Request::new(session, asked.id.clone(), asked.tool.name, &asked.arguments);
        Some(self.shared.repeats.turn(request))
    }

    async fn perform(&self, asked: Asked, stop: CancellationToken) -> Told {
        let Asked {
            tool,
            arguments,
            connection,
            agent,
            reporter,
            ..
        } = asked;
        let feed = &self.shared.feed;
        let brief = tool.effect.reads_only;
        let began = feed.begin(&connection, &agent, tool.name, &arguments, brief);
        let call = Call {
            engine: self.shared.engine.clone(),
            caller: Caller {
                door: connection.caller.door,
                name: Some(agent),
            },
            reach: connection.reach,
            clock: connection.clock,
            stop,
            reporter,
            became_operation: AtomicBool::new(false),
        };
        let told = tool.perform(&call, arguments).await;
        let record = feed.end(began, &told);
        if !call.became_operation.load(Ordering::Relaxed) {
            let entry = journalled(record, &told);
            self.shared.engine.journal_call(&call.caller, entry);
        }
        told
    }
}

/// A call as the journal keeps it.
fn journalled(record: CallRecord, told: &Told) -> JournalledCall {
    JournalledCall {
        tool: record.tool,
        detail: record.arguments,
        outcome: match record.outcome {
            CallOutcome::Running => JournalOutcome::Running,
            CallOutcome::Done => JournalOutcome::Done,
            CallOutcome::Failed => JournalOutcome::Failed,
            CallOutcome::Cancelled => JournalOutcome::Cancelled,
        },
        fault: told.fault.clone(),
        duration_ms: record.duration_ms.unwrap_or_default(),
    }
}

async fn again(mut ended: watch::Receiver<Option<Told>>) -> Told {
    // The first of them ends within the bounds of every operation.
    match ended.wait_for(Option::is_some).await {
        Ok(ended) => ended.clone().unwrap_or_else(Told::broken_down),
        Err(_) => Told::broken_down(),
    }
}

impl std::fmt::Debug for Host {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Host").finish_non_exhaustive()
    }
}
