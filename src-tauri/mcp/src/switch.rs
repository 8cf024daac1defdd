//! The server's switch: one task owns it, and follows what was last wanted.

use std::sync::Arc;

use regie_engine::Fault;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::agents::ServerState;
use crate::http::{HttpDoor, Listeners, Listening, run};

/// The HTTP server, which can be switched on and off; it goes off when this is dropped.
#[derive(Debug)]
pub struct McpServer {
    wanted: watch::Sender<Wanted>,
    state: watch::Receiver<ServerState>,
    task: JoinHandle<()>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Wanted {
    on: bool,
    listening: Listening,
}

impl McpServer {
    /// A server that is off. Must be called on a tokio runtime.
    pub fn new(door: Arc<HttpDoor>, listening: Listening) -> Self {
        let (wanted, orders) = watch::channel(Wanted {
            on: false,
            listening,
        });
        let (shown, state) = watch::channel(ServerState::Off);
        let task = tokio::spawn(keep(door, orders, shown));
        Self {
            wanted,
            state,
            task,
        }
    }

    /// Switches it on or off: on within 100 ms, off within a second. A failed server that is
    /// switched on again tries again.
    pub fn switch(&self, on: bool) {
        // Said even where nothing changes: it is how a person tries again.
        self.wanted.send_modify(|wanted| wanted.on = on);
    }

    /// Where it is to listen from now on; a server that is on moves there.
    pub fn listen(&self, listening: Listening) {
        self.wanted.send_if_modified(|wanted| {
            let changes = wanted.listening != listening;
            wanted.listening = listening;
            changes
        });
    }

    /// How it stands, now and from now on.
    pub fn state(&self) -> watch::Receiver<ServerState> {
        self.state.clone()
    }

    /// Switches it off for good, and returns when it is: within a second.
    pub async fn stop(self) {
        drop(self.wanted);
        let _ = self.task.await;
    }
}

struct Running {
    listening: Listening,
    shutdown: CancellationToken,
    task: JoinHandle<()>,
}

impl Running {
    async fn stop(self) {
        self.shutdown.cancel();
        if let Err(error) = self.task.await {
            tracing::error!(%error, "the server broke down");
        }
    }
}

async fn keep(
    door: Arc<HttpDoor>,
    mut orders: watch::Receiver<Wanted>,
    shown: watch::Sender<ServerState>,
) {
    let mut running: Option<Running> = None;
    while orders.changed().await.is_ok() {
        let wanted = orders.borrow_and_update().clone();
        let stays = |running: &Running| wanted.on && running.listening == wanted.listening;
        if running.as_ref().is_some_and(stays) {
            continue;
        }
        if let Some(running) = running.take() {
            shown.send_replace(ServerState::Stopping);
            running.stop().await;
        }
        let state = if wanted.on {
            shown.send_replace(ServerState::Starting);
            let (state, started) = start(&door, wanted.listening).await;
            running = started;
            state
        } else {
            ServerState::Off
        };
        shown.send_replace(state);
    }
    if let Some(running) = running {
        shown.send_replace(ServerState::Stopping);
        running.stop().await;
    }
    shown.send_replace(ServerState::Off);
}

async fn start(door: &Arc<HttpDoor>, listening: Listening) -> (ServerState, Option<Running>) {
    match Listeners::bind(listening.clone(), door.gatekeeper()).await {
        Ok(listeners) => {
            let addresses = listeners.addresses().to_vec();
            let shutdown = CancellationToken::new();
            let task = tokio::spawn(run(listeners, door.clone(), shutdown.clone()));
            let running = Running {
                listening,
                shutdown,
                task,
            };
            (ServerState::On { addresses }, Some(running))
        }
        Err(error) => {
            tracing::warn!(%error, "the server does not listen");
            let fault = Fault::from(&error);
            (ServerState::Failed { fault }, None)
        }
    }
}
