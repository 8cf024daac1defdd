//! `regie mcp --transport http`: the agents' server without a window.

use std::net::IpAddr;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use regie_engine::{Engine, Fault, MadeToken, Reach, SecretsState};
use regie_mcp::{Asked, Host, Listeners, Listening, LocalError, Place, Policy, run};
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use crate::agents;
use crate::arguments::{Arguments, ListenHost, McpArguments};
use crate::cli::interruption::Interruption;
use crate::cli::{Failure, complain, report};
use crate::devices::Devices;
use crate::owning::{self, NoEngine, Stay};
use crate::start::{STOP_WAIT, config};

/// What was asked for cannot be had as it was asked for, such as a server on the network that
/// nothing protects.
const NOT_SO: u8 = 2;

/// Serves until a signal; 0 then.
pub(super) async fn serve(arguments: &Arguments, mcp: &McpArguments) -> Result<ExitCode, Failure> {
    // Before anything begins, so that nothing can end the process while the clock is held.
    let mut interruption = Interruption::awaited();
    super::check_clock(mcp.mac.as_deref())?;
    let config = config(arguments)?;
    let data = config.folders.data.clone();
    let source = Arc::new(Devices::asked(arguments));
    let engine = tokio::select! {
        started = owning::start_engine(config, source, Stay::Lasting) => started.map_err(refused)?,
        () = interruption.comes() => return Ok(ExitCode::SUCCESS),
    };
    super::say_warnings(&engine);
    // Now that the folder is there, or others would look for it elsewhere.
    let place = Place::of(&data);
    engine.look_after_sleep();
    if let Some(idle) = mcp.idle_timeout {
        engine.keep_link_for(Duration::from_secs(idle.into()));
    }
    let served = serve_with(&engine, mcp, &place, &mut interruption).await;
    if timeout(STOP_WAIT, engine.stop()).await.is_err() {
        tracing::warn!("the clock could not be let go in time");
    }
    served
}

/// Serves the agents of an engine until a signal comes, and lets their calls end.
async fn serve_with(
    engine: &Engine,
    mcp: &McpArguments,
    place: &Place,
    interruption: &mut Interruption,
) -> Result<ExitCode, Failure> {
    let address = mcp.host.and_then(ListenHost::address);
    if address.is_some_and(is_of_network) && engine.state().borrow().tokens.is_empty() {
        report(&Failure::no_token());
        return Ok(ExitCode::from(NOT_SO));
    }
    let listening = listening(engine, mcp);
    let listeners = Listeners::bind(listening, engine).await;
    let listeners = listeners.map_err(|error| Failure::from(Fault::from(&error)))?;
    // The system may ask a person to unlock the keyring, which a signal answers too.
    let made = tokio::select! {
        made = engine.first_token() => made?,
        () = interruption.comes() => return Ok(ExitCode::SUCCESS),
    };
    if made.is_some() && matches!(engine.state().borrow().secrets, SecretsState::Memory { .. }) {
        report(&Failure::no_lasting_token());
        return Ok(ExitCode::from(NOT_SO));
    }
    let host = Host::new(engine.clone());
    let local = owning::door(host.clone(), Policy::Serve);
    let open = local.open(place).await.inspect_err(|error| {
        complain(&format!(
            "{error} Agents that start regie mcp cannot use this clock meanwhile."
        ));
    });
    let quit = async {
        match open {
            Ok(open) => open.await,
            Err(_) => None,
        }
    };
    let quit = tokio::spawn(quit);
    say_open(engine, &listeners, made.as_ref());
    let door = agents::http_door(&host).offering(mcp.tools, mcp.mac.clone());
    let ending = CancellationToken::new();
    let serving = tokio::spawn(run(listeners, Arc::new(door), ending.clone()));
    // Whoever asked for the end waits until this is dropped.
    let _asked = tokio::select! {
        () = interruption.comes() => None,
        asked = quit_asked(quit) => Some(asked),
    };
    ending.cancel();
    let letting_go = async {
        if let Err(error) = serving.await {
            tracing::error!(%error, "the server broke down");
        }
        // What agents on this computer still do ends with the engine, rather than in its own time.
        let _in_time = timeout(STOP_WAIT, engine.stop()).await;
    };
    tokio::join!(letting_go, local.close());
    Ok(ExitCode::SUCCESS)
}

/// Another process asks for the end of this one.
async fn quit_asked(door: JoinHandle<Option<Asked>>) -> Asked {
    match door.await {
        Ok(Some(asked)) => asked,
        // The door is not open, or was closed from within.
        _ => std::future::pending().await,
    }
}

/// Where to listen: on this computer unless an address is asked for.
fn listening(engine: &Engine, mcp: &McpArguments) -> Listening {
    let settings = engine.state().borrow().settings.agents.clone();
    let port = mcp.port.unwrap_or_else(|| {
        if let Some(complaint) = agents::port_complaint(&settings) {
            complain(&complaint);
        }
        agents::port(&settings)
    });
    Listening {
        host: mcp.host.and_then(ListenHost::address),
        ..Listening::new(port, Reach::ThisComputer)
    }
}

fn is_of_network(host: IpAddr) -> bool {
    !host.to_canonical().is_loopback()
}

/// Tells a person where the server is and which tokens it accepts, by their names.
fn say_open(engine: &Engine, listeners: &Listeners, made: Option<&MadeToken>) {
    complain(&format!(
        "Agents are served at {}.",
        listeners.addresses().join(", ")
    ));
    if let Some(made) = made {
        complain(&format!(
            "A first token was made; regie mcp token --show \"{}\" prints it.",
            made.token.name
        ));
    }
    let state = engine.state();
    let names: Vec<String> = state
        .borrow()
        .tokens
        .iter()
        .map(|token| token.name.clone())
        .collect();
    complain(&format!("Tokens accepted: {}.", names.join(", ")));
}

fn refused(error: NoEngine) -> Failure {
    match error {
        NoEngine::Kept(LocalError::Refused { code, .. }) if code == "does-not-yield" => {
            Failure::server_in_window()
        }
        error => error.into(),
    }
}
