//! Opening the door, and talking to those who come.

use std::io;
use std::pin::Pin;
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll};
use std::time::Duration;

use regie_engine::{Door, Engine, Reach};
use rmcp::service::{RoleServer, Service, ServiceExt as _};
use rmcp::transport::async_rw::AsyncRwTransport;
use serde::Serialize;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt as _, ReadBuf};
use tokio::sync::{Semaphore, mpsc};
use tokio::time::{sleep, timeout};
use tokio_util::sync::{CancellationToken, WaitForCancellationFutureOwned};
use tokio_util::task::TaskTracker;

use super::hello::{Greeting, Hello, LONGEST, Refusal, Welcome, Wish};
use super::socket::Listener;
use super::tokens;
use super::{LocalError, Place, Stream, Talk};
use crate::agents::Transport;
use crate::connection::Connection;
use crate::lines::{LONGEST_MESSAGE, Line, Lines};
use crate::own_codes::OwnCodes;

/// Agents at once; a person has a few.
const MOST: usize = 32;

/// How long a greeting may take: whoever comes says it at once.
const GREETING: Duration = Duration::from_secs(5);

/// How long closing waits for conversations: the protocol's library lets calls finish for five
/// seconds, then cancels them, and letting a clock go takes three.
const CLOSING: Duration = Duration::from_secs(9);

/// The pause after the system could not let somebody in, as when files run out.
const PAUSE: Duration = Duration::from_millis(100);

/// Bytes on their way between the two ends of a conversation within the process.
const WITHIN: usize = 64 * 1024;

/// What to do when another process asks for the data folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Policy {
    /// Let it have it: nobody sees this process.
    Yield,
    /// Keep it: this is the app.
    Keep,
    /// Keep it: this serves agents over HTTP, without a window.
    Serve,
}

/// Another process has asked for the data folder or for the end of this one, and waits; it goes on
/// when this is dropped.
pub struct Asked {
    _waits: Stream,
    briefly: bool,
}

impl Asked {
    /// Whether it is a command, which opens no door and gives the folder back within minutes.
    pub fn is_brief(&self) -> bool {
        self.briefly
    }
}

/// The local door: makes a service for each connection. Clones share it.
pub struct LocalServer<F> {
    shared: Arc<Shared<F>>,
}

struct Shared<F> {
    service: F,
    version: String,
    policy: Policy,
    room: Arc<Semaphore>,
    conversations: TaskTracker,
    closing: CancellationToken,
    /// Whose clocks are behind it, and whose tokens those who come may see and change.
    engine: OnceLock<Engine>,
}

impl<F> Clone for LocalServer<F> {
    fn clone(&self) -> Self {
        Self {
            shared: self.shared.clone(),
        }
    }
}

impl<F, S> LocalServer<F>
where
    F: Fn(Connection) -> S + Send + Sync + 'static,
    S: Service<RoleServer>,
{
    /// A door that tells `version` to those who come and has `service` answer them.
    pub fn new(version: &str, policy: Policy, service: F) -> Self {
        Self {
            shared: Arc::new(Shared {
                service,
                version: version.into(),
                policy,
                room: Arc::new(Semaphore::new(MOST)),
                conversations: TaskTracker::new(),
                closing: CancellationToken::new(),
                engine: OnceLock::new(),
            }),
        }
    }

    /// Names the engine behind the service: those who come learn whether its clocks are simulated,
    /// and may see and change its tokens, as [`order_tokens`] asks.
    ///
    /// [`order_tokens`]: super::order_tokens
    #[must_use]
    pub fn with_engine(self, engine: Engine) -> Self {
        // The first one stays: a door has one engine.
        self.shared.engine.get_or_init(|| engine);
        self
    }

    /// Opens the door at a place and lets people in until [`close`](Self::close). Only the owner of
    /// the place's data folder may do this.
    ///
    /// The end of the future it returns is the end of the door: `Some` when another process has
    /// asked for the data folder and [`Policy::Yield`] holds, or asked this one to end and it does
    /// not. Conversations have ended by then.
    ///
    /// # Errors
    /// [`LocalError::Taken`], [`LocalError::Unusable`].
    pub async fn open(
        &self,
        place: &Place,
    ) -> Result<impl Future<Output = Option<Asked>> + Send + use<F, S>, LocalError> {
        let listener = Listener::bind(place).await?;
        Ok(self.clone().listen(listener))
    }

    /// A conversation within the process.
    #[must_use]
    pub fn attach(&self, hello: Hello) -> Talk {
        let (here, there) = tokio::io::duplex(WITHIN);
        let service = (self.shared.service)(connection(hello));
        let shared = self.shared.clone();
        self.shared.conversations.spawn(async move {
            let (from, to) = tokio::io::split(there);
            converse(service, from, to, &shared.closing).await;
        });
        Talk::over(Box::new(here), LONGEST_MESSAGE)
    }

    /// Whether it closes or has closed.
    pub fn is_closing(&self) -> bool {
        self.shared.closing.is_cancelled()
    }

    /// Waits until it closes.
    pub async fn closing(&self) {
        self.shared.closing.cancelled().await;
    }

    /// Ends every conversation: calls under way may finish for a moment, then they are cancelled.
    pub async fn close(&self) {
        self.shared.closing.cancel();
        self.shared.conversations.close();
        let ended = timeout(CLOSING, self.shared.conversations.wait()).await;
        if ended.is_err() {
            tracing::warn!("a conversation with an agent did not end in time");
        }
    }

    async fn listen(self, mut listener: Listener) -> Option<Asked> {
        let (tell, mut asked) = mpsc::channel(1);
        let asked = loop {
            tokio::select! {
                came = listener.accept() => match came {
                    Ok(stream) => self.receive(stream, tell.clone()),
                    Err(error) => {
                        tracing::warn!(%error, "an agent could not be let in");
                        sleep(PAUSE).await;
                    }
                },
                Some(asked) = asked.recv() => break Some(asked),
                () = self.shared.closing.cancelled() => break None,
            }
        };
        drop(listener);
        self.close().await;
        asked
    }

    /// Answers somebody who came, apart from the others.
    fn receive(&self, stream: Stream, asked: mpsc::Sender<Asked>) {
        let shared = self.shared.clone();
        let Ok(room) = self.shared.room.clone().try_acquire_owned() else {
            self.shared.conversations.spawn(async move {
                let refusal = Refusal::new(
                    "agents-too-many",
                    "As many agents as there may be are connected.",
                    "Close one of them first.",
                );
                let _heard = timeout(GREETING, welcome(stream, Err(refusal), false)).await;
            });
            return;
        };
        self.shared.conversations.spawn(async move {
            if let Err(error) = shared.speak(stream, asked).await {
                tracing::debug!(%error, "somebody went without a greeting");
            }
            drop(room);
        });
    }
}

impl<F, S> Shared<F>
where
    F: Fn(Connection) -> S + Send + Sync + 'static,
    S: Service<RoleServer>,
{
    async fn speak(&self, stream: Stream, asked: mpsc::Sender<Asked>) -> io::Result<()> {
        let mut lines = Lines::new(stream, LONGEST);
        let wish = tokio::select! {
            line = timeout(GREETING, lines.next()) => match line?? {
                Line::Whole(line) => Greeting::read(&line),
                Line::TooLong(_) => Greeting::read(&[]),
                Line::End => return Ok(()),
            },
            () = self.closing.cancelled() => return Ok(()),
        };
        let wish = match wish {
            Ok(Wish::Yield { briefly }) => self.policy.check().map(|()| Wish::Yield { briefly }),
            Ok(Wish::Mcp(hello)) => self.check_clocks(&hello).map(|()| Wish::Mcp(hello)),
            wish => wish,
        };
        // What was read ahead stays in the buffer.
        let stream = lines.into_reader();
        let answer = wish.as_ref().map(|_| self.version.as_str());
        let answer = answer.map_err(Clone::clone);
        let simulated = self.has_simulated_clocks() == Some(true);
        let stream = timeout(GREETING, welcome(stream, answer, simulated)).await??;
        match wish {
            Ok(Wish::Mcp(hello)) => {
                let service = (self.service)(connection(hello));
                let (from, to) = tokio::io::split(stream);
                converse(service, from, to, &self.closing).await;
            }
            Ok(Wish::Tokens { order }) => {
                let answer = tokio::select! {
                    answer = tokens::answer(order, self.engine.get()) => answer,
                    () = self.closing.cancelled() => return Ok(()),
                };
                let _heard = timeout(GREETING, say(stream, &answer)).await;
            }
            Ok(Wish::Yield { briefly }) => {
                // Another one who asks at the same time sees the connection end, and asks again.
                let _first = asked.try_send(Asked {
                    _waits: Box::new(stream),
                    briefly,
                });
            }
            Ok(Wish::Quit) if self.policy != Policy::Yield => {
                let _first = asked.try_send(Asked {
                    _waits: Box::new(stream),
                    briefly: false,
                });
            }
            // It serves somebody who did not ask for that.
            Ok(Wish::Quit) => {}
            Err(_) => {}
        }
        Ok(())
    }

    /// Whether clocks are simulated now; `None` where there are none.
    fn has_simulated_clocks(&self) -> Option<bool> {
        let engine = self.engine.get()?;
        Some(engine.state().borrow().simulated)
    }

    /// Whether the clocks are those that are wanted.
    fn check_clocks(&self, hello: &Hello) -> Result<(), Refusal> {
        if hello.demo && self.has_simulated_clocks() == Some(false) {
            return Err(Refusal::new(
                "real-clocks",
                "Regie runs with this data folder and uses real Bluetooth, so --demo cannot be had here.",
                "Give --data-dir a folder of its own, or quit Regie.",
            ));
        }
        Ok(())
    }
}

impl Policy {
    /// Whether the data folder may be had.
    fn check(self) -> Result<(), Refusal> {
        match self {
            Self::Yield => Ok(()),
            Self::Keep => Err(Refusal::new(
                "does-not-yield",
                "Regie's window is open with this data folder.",
                "Use it, or quit it first.",
            )),
            Self::Serve => Err(Refusal::new(
                "serves-agents",
                &format!(
                    "Regie serves agents over HTTP with this data folder, without a window (process {}).",
                    std::process::id()
                ),
                "End that program first: press Ctrl-C where it was started, or stop its service or process.",
            )),
        }
    }
}

/// Says the first line back.
async fn welcome<W: AsyncWrite + Unpin>(
    stream: W,
    answer: Result<&str, Refusal>,
    simulated: bool,
) -> io::Result<W> {
    say(stream, &Welcome::new(answer, simulated)).await
}

async fn say<W: AsyncWrite + Unpin>(mut stream: W, said: &impl Serialize) -> io::Result<W> {
    let mut line = serde_json::to_vec(said)?;
    line.push(b'\n');
    stream.write_all(&line).await?;
    stream.flush().await?;
    Ok(stream)
}

/// What a tool knows of whoever said hello.
fn connection(hello: Hello) -> Connection {
    // An agent says what it is called itself.
    let unnamed = Door::Agent.into();
    Connection {
        toolset: hello.tools,
        clock: hello.mac,
        ..Connection::new(unnamed, Transport::Stdio, Reach::ThisComputer)
    }
}

/// Talks MCP until the other end goes or `closing` comes.
async fn converse<S: Service<RoleServer>>(
    service: S,
    from: impl AsyncRead + Send + Unpin + 'static,
    to: impl AsyncWrite + Send + Unpin + 'static,
    closing: &CancellationToken,
) {
    let from = UntilClosing {
        stream: from,
        closing: Box::pin(closing.clone().cancelled_owned()),
    };
    let transport =
        AsyncRwTransport::new_server(from, to).with_max_line_length(LONGEST_MESSAGE + 2);
    match OwnCodes(service).serve(transport).await {
        Ok(running) => {
            if let Err(error) = running.waiting().await {
                tracing::warn!(%error, "a conversation with an agent broke down");
            }
        }
        Err(error) => tracing::debug!(%error, "an agent went before it began"),
    }
}

/// A stream that ends when the door closes: what was asked before is still answered.
struct UntilClosing<R> {
    stream: R,
    closing: Pin<Box<WaitForCancellationFutureOwned>>,
}

impl<R: AsyncRead + Unpin> AsyncRead for UntilClosing<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.closing.as_mut().poll(context).is_ready() {
            return Poll::Ready(Ok(()));
        }
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}
