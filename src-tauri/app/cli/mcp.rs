//! `regie mcp`: an agent on the standard streams, joined to the engine of whichever process owns
//! the data folder. That may be this one, without a window.

mod http;
mod token;

use std::io::{self, IsTerminal as _};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use regie_clock::Address;
use regie_engine::{Engine, EngineConfig, EngineError, Fault};
use regie_mcp::{
    Backends, Hello, Host, LocalError, Place, Policy, RelayError, Talk, attach, relay, stand_in,
    standard_streams,
};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, timeout};
use tokio_util::sync::CancellationToken;

use super::Failure;
use super::interruption::Interruption;
use crate::arguments::{Arguments, McpArguments, McpCommand, Transport};
use crate::devices::Devices;
use crate::owning::{self, Door};
use crate::start::{STOP_WAIT, config};

/// How long an agent waits for an engine before it is told that there is none: its owner opens its
/// door as soon as it runs. What has none is a command, such as one that shows a picture.
const DOORLESS: Duration = Duration::from_secs(1);

/// How long an agent is told so before an engine is looked for again, each time twice as long.
const ABSENT: Duration = Duration::from_millis(500);

/// The longest of these: a command ends within minutes, and the agent's person waits.
const ABSENT_MOST: Duration = Duration::from_secs(4);

/// How long the app that asked for the data folder may take to be there for agents.
const SUCCESSOR: Duration = Duration::from_secs(15);

/// How long nobody takes the data folder when its owner has gone: the app, if it is starting, comes
/// first.
const PRECEDENCE: Duration = Duration::from_secs(1);

/// The pause between attempts to reach an engine.
const PAUSE: Duration = Duration::from_millis(100);

pub(super) fn run(arguments: &Arguments, mcp: &McpArguments) -> Result<ExitCode, Failure> {
    if let Some(option) = mcp.useless() {
        return Err(Failure::argument(
            format!("{option} means nothing to regie mcp token."),
            "regie mcp token --help tells what does.",
        ));
    }
    let runtime = super::runtime()?;
    let ended = runtime.block_on(async {
        match (&mcp.command, mcp.transport) {
            (Some(McpCommand::Token(token)), _) => token::run(arguments, token).await,
            (None, Transport::Http) => http::serve(arguments, mcp).await,
            (None, Transport::Stdio) => serve(arguments, mcp).await,
        }
    });
    // A read of the standard input cannot be given up, and is not waited for.
    runtime.shutdown_background();
    ended
}

async fn serve(arguments: &Arguments, mcp: &McpArguments) -> Result<ExitCode, Failure> {
    // Before anything begins, so that nothing can end the process while the clock is held.
    let mut interruption = Interruption::awaited();
    let ending = CancellationToken::new();
    let end = ending.clone();
    let listening = tokio::spawn(async move {
        interruption.comes().await;
        end.cancel();
    });
    if mcp.host.is_some() || mcp.port.is_some() {
        super::complain("--host and --port mean nothing without --transport http.");
    }
    let mut engines = Engines::new(arguments, mcp)?;
    if io::stdin().is_terminal() {
        super::complain(
            "Waiting for an agent on the standard streams: a client starts this by itself, see \
             docs/mcp.md. Ctrl-C ends it; for HTTP use --transport http.",
        );
    }
    let (input, output) = standard_streams();
    let ended = relay(input, output, &mut engines, ending).await;
    engines.stop().await;
    listening.abort();
    ended
        .map(|()| ExitCode::SUCCESS)
        .map_err(|error| match error {
            RelayError::NoBackend(failure) => failure,
            RelayError::Hopeless => Failure::no_engine_stays(),
        })
}

/// Tells a person what the engine found wrong at its start.
fn say_warnings(engine: &Engine) {
    for warning in &engine.state().borrow().warnings {
        super::complain(&format!("{} {}", warning.message, warning.hint));
    }
}

/// The address of the clock for calls that name none, where it is one.
fn check_clock(mac: Option<&str>) -> Result<(), Failure> {
    match mac {
        Some(address) => Address::parse(address)
            .map(|_| ())
            .map_err(|error| EngineError::from(error).into()),
        None => Ok(()),
    }
}

/// Where the agent finds an engine.
struct Engines {
    config: EngineConfig,
    devices: Devices,
    hello: Hello,
    idle: Option<Duration>,
    own: Option<Own>,
    /// When the data folder may be taken.
    own_from: Instant,
    /// The last conversation was with another process.
    attached: bool,
    /// How long the agent is told that there is no engine, the next time.
    absent: Duration,
    /// Said once, however often an engine is found.
    noted: bool,
    /// That clocks are simulated although nobody asked for it is said once too.
    told_simulated: bool,
}

/// This process's own engine.
struct Own {
    door: Door,
    /// Ends when the engine has stopped: how long whoever asked for the data folder may take to be
    /// there for agents, so that nobody takes it meanwhile.
    ended: JoinHandle<Duration>,
}

impl Engines {
    fn new(arguments: &Arguments, mcp: &McpArguments) -> Result<Self, Failure> {
        check_clock(mcp.mac.as_deref())?;
        Ok(Self {
            config: config(arguments)?,
            devices: Devices::asked(arguments),
            hello: Hello {
                tools: mcp.tools,
                mac: mcp.mac.clone(),
                demo: arguments.demo,
            },
            idle: mcp
                .idle_timeout
                .map(|idle| Duration::from_secs(idle.into())),
            own: None,
            own_from: Instant::now(),
            attached: false,
            absent: ABSENT,
            noted: false,
            told_simulated: false,
        })
    }

    /// A conversation with this process's own engine, unless it is giving way.
    async fn within(&mut self) -> Option<Talk> {
        let own = self.own.as_mut()?;
        if !own.door.is_closing() {
            return Some(own.door.attach(self.hello.clone()));
        }
        let wait = (&mut own.ended).await.unwrap_or(PRECEDENCE);
        self.own = None;
        self.own_from = Instant::now() + wait;
        None
    }

    /// A conversation with the owner of the data folder, where there is one that has a door.
    async fn beside(&mut self) -> Result<Option<Talk>, Failure> {
        let place = Place::of(&self.config.folders.data);
        match attach(&place, self.hello.clone()).await {
            Ok(talk) => {
                if self.idle.is_some() && !self.noted {
                    self.noted = true;
                    super::complain(
                        "Another Regie has the clock, so that --idle-timeout means nothing here.",
                    );
                }
                if talk.is_simulated() && !self.hello.demo && !self.told_simulated {
                    self.told_simulated = true;
                    super::complain("These are simulated clocks.");
                }
                self.attached = true;
                Ok(Some(talk))
            }
            Err(LocalError::Nobody) => Ok(None),
            Err(error @ LocalError::Refused { .. }) => Err(Failure::local(&error)),
            Err(error) => {
                tracing::debug!(%error, "the data folder's owner cannot be reached");
                Ok(None)
            }
        }
    }

    /// Starts an engine here, for this agent and those that come later.
    async fn start(&mut self) -> Result<(), EngineError> {
        let source = Arc::new(self.devices.clone());
        let engine = Engine::start(self.config.clone(), source).await?;
        say_warnings(&engine);
        if let Some(idle) = self.idle {
            engine.keep_link_for(idle);
        }
        let door = owning::door(Host::new(engine.clone()), Policy::Yield);
        let opened = door.open(&Place::of(&self.config.folders.data)).await;
        let listening = opened
            .inspect_err(|error| {
                super::complain(&format!(
                    "{error} Other agents cannot use this clock meanwhile."
                ));
            })
            .ok();
        let closing = door.clone();
        let ended = tokio::spawn(async move {
            let asked = match listening {
                Some(listening) => listening.await,
                None => {
                    closing.closing().await;
                    None
                }
            };
            if timeout(STOP_WAIT, engine.stop()).await.is_err() {
                tracing::warn!("the clock could not be let go in time");
            }
            // Whoever asked takes the folder now.
            match asked {
                Some(asked) if !asked.is_brief() => SUCCESSOR,
                _ => PRECEDENCE,
            }
        });
        self.own = Some(Own { door, ended });
        Ok(())
    }

    /// A conversation in which the agent is told what another program has to itself.
    fn absence(&mut self, why: EngineError) -> Talk {
        let lasting = self.absent;
        self.absent = (lasting * 2).min(ABSENT_MOST);
        let why = Fault::from(why);
        let version = &self.config.version;
        stand_in(version, self.hello.clone(), &why, lasting)
    }

    /// Lets the clock and the data folder go.
    async fn stop(self) {
        if let Some(own) = self.own {
            own.door.close().await;
            if let Err(error) = own.ended.await {
                tracing::warn!(%error, "the engine did not stop as it should");
            }
        }
    }
}

impl Backends for Engines {
    type Error = Failure;

    async fn next(&mut self) -> Result<Talk, Failure> {
        let start = Instant::now();
        if std::mem::take(&mut self.attached) {
            self.own_from = start + PRECEDENCE;
        }
        loop {
            if let Some(talk) = self.within().await {
                self.absent = ABSENT;
                return Ok(talk);
            }
            if let Some(talk) = self.beside().await? {
                self.absent = ABSENT;
                return Ok(talk);
            }
            if Instant::now() >= self.own_from {
                let told_before = self.absent > ABSENT;
                match self.start().await {
                    Ok(()) => continue,
                    Err(error) if !ends_by_itself(&error) => return Err(error.into()),
                    Err(error) if told_before || start.elapsed() > DOORLESS => {
                        return Ok(self.absence(error));
                    }
                    // It may open its door in a moment.
                    Err(_) => {}
                }
            }
            sleep(PAUSE).await;
        }
    }
}

/// Whether what keeps an engine from starting is another program's doing, which is waited for.
fn ends_by_itself(error: &EngineError) -> bool {
    matches!(
        error,
        EngineError::AlreadyRunning { .. } | EngineError::StoreBusy
    )
}
