//! The agents' side of the app: the server that is switched, and what window and tray show of it.

mod asked_port;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use directories::BaseDirs;
use regie_engine::{AgentSettings, Engine, EngineError};
use regie_mcp::clients::Installed;
use regie_mcp::{
    AgentService, AgentsState, Asked, Connection, Host, HttpDoor, Listening, McpServer, Place,
    Policy, Protocol, ServerState, Transport,
};
use tokio::sync::watch;
use tokio::time::timeout;

use self::asked_port::AskedPort;
use crate::owning;

/// Calls under way are ended within a second.
const STOP_WAIT: Duration = Duration::from_secs(2);

/// The agents' door, as long as the app runs.
pub(crate) struct Agents {
    host: Host,
    server: McpServer,
    /// The door for agents that `regie mcp` serves.
    local: owning::Door,
    /// What Regie must be started with to reach the same data.
    arguments: Vec<String>,
}

impl Agents {
    /// The doors to the engine of the data folder `data`; the server is off until it is switched
    /// on, and the local door is open. `arguments` are those that another start of the program
    /// needs to reach the same data. `quit` is called when another process asks this one to end,
    /// and waits until what `quit` is given is dropped.
    pub(crate) async fn open(
        engine: &Engine,
        data: &Path,
        arguments: Vec<String>,
        quit: impl FnOnce(Asked) + Send + 'static,
    ) -> Self {
        let host = Host::new(engine.clone());
        let door = Arc::new(http_door(&host));
        let settings = engine.state().borrow().settings.agents.clone();
        if let Some(complaint) = port_complaint(&settings) {
            tracing::warn!("{complaint}");
        }
        let server = McpServer::new(door, listening(&settings));
        tokio::spawn(follow(host.clone(), server.state()));
        let local = owning::door(host.clone(), Policy::Keep);
        match local.open(&Place::of(data)).await {
            Ok(open) => {
                tokio::spawn(async move { open.await.map(quit) });
            }
            Err(error) => {
                tracing::error!(%error, "agents that start regie mcp cannot reach this window");
            }
        }
        Self {
            host,
            server,
            local,
            arguments,
        }
    }

    /// What doors show of the agents, now and from now on.
    pub(crate) fn state(&self) -> watch::Receiver<AgentsState> {
        self.host.agents()
    }

    /// Switches the server on or off. Switching it on makes a token where there is none.
    ///
    /// # Errors
    /// [`EngineError`] when there is no token and none can be made.
    pub(crate) async fn switch(&self, on: bool) -> Result<(), EngineError> {
        if on {
            self.host.engine().first_token().await?;
        }
        self.server.switch(on);
        Ok(())
    }

    /// Takes over where the server is to listen.
    pub(crate) fn take_over(&self, settings: &AgentSettings) {
        self.server.listen(listening(settings));
    }

    /// How clients reach Regie.
    pub(crate) fn installed(&self) -> Installed {
        let addresses = match &self.host.agents().borrow().server {
            ServerState::On { addresses } => addresses.first().cloned(),
            _ => None,
        };
        let settings = self.host.engine().state().borrow().settings.agents.clone();
        let port = listening(&settings).port;
        let base = BaseDirs::new();
        let folder = |of: fn(&BaseDirs) -> &std::path::Path| {
            base.as_ref()
                .map(|base| of(base).to_owned())
                .unwrap_or_default()
        };
        Installed {
            program: program(),
            arguments: self.arguments.clone(),
            address: addresses.unwrap_or_else(|| format!("http://127.0.0.1:{port}/mcp")),
            settings_folder: folder(BaseDirs::config_dir),
            home: folder(BaseDirs::home_dir),
            claude_store_folder: claude_store_folder(base.as_ref()),
        }
    }

    /// Closes the doors and returns when the calls they had are over.
    pub(crate) async fn stop(&self) {
        self.server.switch(false);
        let mut state = self.server.state();
        let off = state.wait_for(|state| matches!(state, ServerState::Off));
        let (off, ()) = tokio::join!(timeout(STOP_WAIT, off), self.local.close());
        if off.is_err() {
            tracing::warn!("the agents' server did not end in time");
        }
    }
}

/// The door over HTTP for the agents of `host`.
pub(crate) fn http_door(host: &Host) -> HttpDoor {
    let of = host.clone();
    let protocol = Protocol::new(move |toolset| {
        // Over HTTP each request brings a connection of its own, which overrides this one.
        let caller = regie_engine::Door::Agent.into();
        let reach = regie_engine::Reach::ThisComputer;
        let mut connection = Connection::new(caller, Transport::Http, reach);
        connection.toolset = toolset;
        AgentService::new(of.clone(), connection)
    });
    HttpDoor::new(Arc::new(host.engine().clone()), protocol)
}

/// The port that the environment asks for, else that of the settings.
pub(crate) fn port(settings: &AgentSettings) -> u16 {
    AskedPort::of_environment().or(settings.port)
}

/// What is wrong with the port that the environment asks for, and which one is taken instead.
pub(crate) fn port_complaint(settings: &AgentSettings) -> Option<String> {
    AskedPort::of_environment().complaint(settings.port)
}

/// Where the settings want the server to listen.
fn listening(settings: &AgentSettings) -> Listening {
    Listening::new(port(settings), settings.reach)
}

/// Shows how the server stands, until it ends.
async fn follow(host: Host, mut server: watch::Receiver<ServerState>) {
    loop {
        let state = server.borrow_and_update().clone();
        host.show_server(state);
        if server.changed().await.is_err() {
            return;
        }
    }
}

/// The program that a client, or the system at login, is to start: the whole image where it is run from one.
pub(crate) fn program() -> PathBuf {
    std::env::var_os("APPIMAGE")
        .map(PathBuf::from)
        .or_else(|| std::env::current_exe().ok())
        .unwrap_or_else(|| "regie".into())
}

/// Where Claude Desktop keeps its settings when it came from the Microsoft Store (CFG-2).
fn claude_store_folder(base: Option<&BaseDirs>) -> Option<PathBuf> {
    if !cfg!(windows) {
        return None;
    }
    let packages = base?.data_local_dir().join("Packages");
    let mut entries = std::fs::read_dir(packages).ok()?;
    entries.find_map(|entry| {
        let entry = entry.ok()?;
        let name = entry.file_name();
        let folder = entry
            .path()
            .join("LocalCache")
            .join("Roaming")
            .join("Claude");
        (name.to_string_lossy().starts_with("Claude_") && folder.is_dir()).then_some(folder)
    })
}
