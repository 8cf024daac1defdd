//! The data folder has one owner; what it does for the others, and how it is asked to go.

use std::sync::Arc;
use std::time::Duration;

use regie_engine::{DeviceSource, Engine, EngineConfig, EngineError};
use regie_mcp::{
    AgentService, Connection, Host, LocalError, LocalServer, Place, Policy, ask_for_a_while,
    ask_to_yield,
};
use tokio::time::{Instant, sleep};

/// How long taking the folder over may take: the other process finishes or cancels what it does
/// (9 s), then lets its clock go (12 s at most, 3 s as a rule).
const TAKING_OVER: Duration = Duration::from_secs(25);

/// How long an owner may have no door yet: it opens it as soon as its engine runs.
const DOORLESS: Duration = Duration::from_secs(1);

/// The pause between attempts.
const PAUSE: Duration = Duration::from_millis(100);

/// The local door of a process that owns an engine.
pub(crate) type Door = LocalServer<Box<dyn Fn(Connection) -> AgentService + Send + Sync>>;

/// The local door to an engine; it is closed before the engine stops.
pub(crate) fn door(host: Host, policy: Policy) -> Door {
    let version = host.version().to_owned();
    let engine = host.engine().clone();
    let door: Door = LocalServer::new(
        &version,
        policy,
        Box::new(move |connection| AgentService::new(host.clone(), connection)),
    );
    door.with_engine(engine)
}

/// Why there is no engine.
#[derive(Debug)]
pub(crate) enum NoEngine {
    /// It does not start.
    Engine(EngineError),
    /// The owner of the data folder keeps it, and says why.
    Kept(LocalError),
}

/// For how long a program wants the data folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stay {
    /// Until a person ends it: the window, or the server without one.
    Lasting,
    /// For one command.
    Brief,
}

/// Starts the engine of a program. A process that serves one agent on its standard streams gives
/// the data folder up for it.
///
/// # Errors
/// Those of [`Engine::start`]; [`NoEngine::Kept`] when the owner does not give way.
pub(crate) async fn start_engine(
    config: EngineConfig,
    source: Arc<dyn DeviceSource>,
    stay: Stay,
) -> Result<Engine, NoEngine> {
    let start = Instant::now();
    loop {
        let failure = match Engine::start(config.clone(), Arc::clone(&source)).await {
            Err(failure @ EngineError::AlreadyRunning { .. }) => failure,
            started => return started.map_err(NoEngine::Engine),
        };
        let place = Place::of(&config.folders.data);
        let left = TAKING_OVER.saturating_sub(start.elapsed());
        let gone = match stay {
            Stay::Lasting => ask_to_yield(&place, left).await,
            Stay::Brief => ask_for_a_while(&place, left).await,
        };
        match gone {
            Ok(()) if !left.is_zero() => {}
            Err(LocalError::Nobody) if start.elapsed() < DOORLESS => sleep(PAUSE).await,
            Ok(()) => return Err(NoEngine::Engine(failure)),
            Err(kept @ LocalError::Refused { .. }) => return Err(NoEngine::Kept(kept)),
            Err(error) => {
                tracing::warn!(%error, "the data folder's owner does not give way");
                return Err(NoEngine::Engine(failure));
            }
        }
    }
}
