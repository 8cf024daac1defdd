//! One agent's pipes, joined to whichever process owns the engine.
//!
//! The agent talks to one server from its start to its end. Behind the relay the server may
//! change: the app starts and takes the engine over, or quits and leaves it. The relay then says
//! again how the agent began, asks again what does no harm when asked twice, and answers what was
//! lost.

mod ledger;
mod message;
mod refusal;

use std::future::Future;
use std::io;
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt as _};
use tokio::sync::mpsc;
use tokio::time::{sleep, timeout};
use tokio_util::sync::{CancellationToken, DropGuard};

use crate::lines::{LONGEST_MESSAGE, Line, Lines};
use crate::local::Talk;
use ledger::{Ledger, Noted};
use refusal::Judged;

/// Lines that wait in either direction: a few, as each may be of 16 MiB.
const QUEUE: usize = 4;

/// Unanswered requests; more wait in the agent's pipe.
const MOST_PENDING: usize = 4096;

/// The longest line of a backend: answers are small but for a picture's preview.
const LONGEST_ANSWER: usize = 4 * LONGEST_MESSAGE;

/// How long a call may go on when the agent has closed its pipe. Elsewhere than on Windows a
/// client that does not want to wait says so with a signal, and a picture takes eight seconds;
/// there it ends the process after two, and letting the clock go takes one of them.
const FINISH: Duration = Duration::from_secs(if cfg!(windows) { 1 } else { 10 });

/// How long ending the calls and the last answers may take: all within the process or on a pipe
/// that somebody reads.
const FAREWELL: Duration = Duration::from_secs(1);

/// How long a backend may take to answer how the agent began: it does no more than look it up.
const REPLAY: Duration = Duration::from_secs(5);

/// Backends in a row that ended without an answer, after which requests are not asked again: the
/// first may have been ended by somebody, the second was ended by what it was asked.
const FRUITLESS: u32 = 2;

/// After as many no further one is tried.
const HOPELESS: u32 = 10;

/// The pause before another backend, for each that ended without an answer.
const PAUSE: Duration = Duration::from_millis(100);

/// This process's own standard streams, for [`relay`]. Reading them may keep a thread until the
/// agent says something or goes; a runtime is shut down in the background therefore.
pub fn standard_streams() -> (
    impl AsyncRead + Send + Unpin + 'static,
    impl AsyncWrite + Send + Unpin + 'static,
) {
    rmcp::transport::stdio_pipes()
}

/// Where backends come from.
pub trait Backends: Send {
    /// Why there is none.
    type Error: Send;

    /// A backend that has not been talked to; waits for one within limits of its own.
    fn next(&mut self) -> impl Future<Output = Result<Talk, Self::Error>> + Send;
}

/// Why a relay ended before its agent did.
#[derive(Debug)]
pub enum RelayError<E> {
    /// There is no backend.
    NoBackend(E),
    /// Backends end as soon as they are talked to.
    Hopeless,
}

/// How a conversation with a backend ended.
enum Over {
    /// The backend has gone.
    Backend,
    /// The agent has, or is to.
    Agent,
}

/// Joins an agent's pipes to the backends that `backends` supplies, until the agent closes one of
/// them or `ending` comes. Calls under way when `input` ends have a moment to finish; `ending`
/// cancels them at once.
///
/// Each message is a line of UTF-8 with a line feed; nothing else is written to `output`.
///
/// # Errors
/// [`RelayError`] where there is nobody to answer the agent.
pub async fn relay<B: Backends>(
    input: impl AsyncRead + Send + Unpin + 'static,
    output: impl AsyncWrite + Send + Unpin + 'static,
    backends: &mut B,
    ending: CancellationToken,
) -> Result<(), RelayError<B::Error>> {
    let (from_agent, lines) = mpsc::channel(QUEUE);
    let (to_agent, answers) = mpsc::channel(QUEUE);
    let closed = ending.child_token();
    let silent = CancellationToken::new();
    let reading = tokio::spawn(read(
        input,
        from_agent,
        to_agent.clone(),
        silent.clone().drop_guard(),
    ));
    let mut writing = tokio::spawn(write(answers, output, closed.clone()));
    let mut relay = Relay {
        ledger: Arc::new(Mutex::new(Ledger::new())),
        lines,
        to_agent,
        silent,
        closed,
    };
    let outcome = relay.run(backends).await;
    reading.abort();
    drop(relay);
    if timeout(FAREWELL, &mut writing).await.is_err() {
        writing.abort();
    }
    outcome
}

/// Takes lines from the agent until there are no more, and answers those that are no messages.
async fn read(
    input: impl AsyncRead + Unpin,
    lines: mpsc::Sender<Vec<u8>>,
    answers: mpsc::Sender<Vec<u8>>,
    _silent: DropGuard,
) {
    let mut input = Lines::new(input, LONGEST_MESSAGE);
    loop {
        let sent = match input.next().await {
            Ok(Line::Whole(mut line)) => match refusal::judge(message::unmarked(&mut line)) {
                Judged::Message => lines.send(line).await,
                Judged::Refused(answer) => answers.send(answer).await,
                Judged::Unanswered => Ok(()),
            },
            Ok(Line::TooLong(cut)) => answers.send(message::too_long(&cut, LONGEST_MESSAGE)).await,
            Ok(Line::End) => return,
            Err(error) => {
                tracing::warn!(%error, "the agent's messages cannot be read");
                return;
            }
        };
        if sent.is_err() {
            return;
        }
    }
}

/// Writes lines to the agent. One that reads no more has gone.
async fn write(
    mut lines: mpsc::Receiver<Vec<u8>>,
    mut output: impl AsyncWrite + Unpin,
    closed: CancellationToken,
) {
    while let Some(line) = lines.recv().await {
        if let Err(error) = send(&mut output, line).await {
            tracing::debug!(%error, "the agent does not read any more");
            closed.cancel();
            return;
        }
    }
}

/// Writes a line in one piece.
async fn send(output: &mut (impl AsyncWrite + Unpin), mut line: Vec<u8>) -> io::Result<()> {
    line.push(b'\n');
    output.write_all(&line).await?;
    output.flush().await
}

struct Relay {
    ledger: Arc<Mutex<Ledger>>,
    lines: mpsc::Receiver<Vec<u8>>,
    to_agent: mpsc::Sender<Vec<u8>>,
    /// The agent says no more.
    silent: CancellationToken,
    /// The agent has gone, or is to.
    closed: CancellationToken,
}

impl Relay {
    async fn run<B: Backends>(&mut self, backends: &mut B) -> Result<(), RelayError<B::Error>> {
        let mut fruitless = 0;
        let mut again = Vec::new();
        loop {
            let Some(talk) = self.next(backends).await? else {
                return Ok(());
            };
            let stands_in = talk.stands_in;
            let (over, answered) = self.converse(talk, std::mem::take(&mut again)).await;
            if matches!(over, Over::Agent) {
                return Ok(());
            }
            fruitless = if answered || stands_in {
                0
            } else {
                fruitless + 1
            };
            if fruitless == HOPELESS {
                return Err(RelayError::Hopeless);
            }
            let lost = lock(&self.ledger).lose(fruitless < FRUITLESS);
            again = lost.again;
            for answer in lost.answers {
                // An agent that has gone is noticed where its lines are read.
                let _heard = self.to_agent.send(answer).await;
            }
            if !stands_in {
                tracing::info!("the process that owned the engine has gone; looking for another");
            }
            sleep(PAUSE * fruitless).await;
        }
    }

    /// The next backend; `None` when the agent went before there was one.
    async fn next<B: Backends>(
        &mut self,
        backends: &mut B,
    ) -> Result<Option<Talk>, RelayError<B::Error>> {
        let mut next = pin!(backends.next());
        let gone = async {
            self.silent.cancelled().await;
            if !self.lines.is_empty() || *lock(&self.ledger).count().borrow() > 0 {
                // It waits for answers.
                std::future::pending::<()>().await;
            }
        };
        tokio::select! {
            talk = &mut next => talk.map(Some).map_err(RelayError::NoBackend),
            () = gone => Ok(None),
            () = self.closed.cancelled() => Ok(None),
        }
    }

    /// Talks to a backend until it or the agent goes; whether it answered anything.
    async fn converse(&mut self, talk: Talk, again: Vec<Vec<u8>>) -> (Over, bool) {
        let Talk {
            mut lines, mut to, ..
        } = talk.limited(LONGEST_ANSWER);
        match self.open(&mut lines, &mut to).await {
            Ok(()) => {}
            Err(error) => {
                tracing::debug!(%error, "a backend does not know the agent");
                return (Over::Backend, false);
            }
        }
        let answered = CancellationToken::new();
        let ledger = &self.ledger;
        let over = {
            let mut pending = lock(ledger).count();
            let upward = upward(&mut self.lines, ledger, &mut to, &self.to_agent, again);
            let mut downward = pin!(downward(&mut lines, ledger, &self.to_agent, &answered));
            let over = tokio::select! {
                over = upward => over,
                () = &mut downward => Over::Backend,
                () = self.closed.cancelled() => Over::Agent,
            };
            if matches!(over, Over::Agent) {
                tokio::select! {
                    () = &mut downward => {}
                    _ = pending.wait_for(|count| *count == 0) => {}
                    () = sleep(FINISH) => {}
                    () = self.closed.cancelled() => {}
                }
            }
            over
        };
        if matches!(over, Over::Agent) {
            let lines = lock(ledger).cancellations("The client has gone.");
            let cancelling = async {
                for line in lines {
                    send(&mut to, line).await?;
                }
                to.shutdown().await
            };
            // A backend that hears none of it sees the end of the connection.
            let _heard = timeout(FAREWELL, cancelling).await;
        }
        (over, answered.is_cancelled())
    }

    /// Says how the agent began, and keeps the answer from it: it has one.
    async fn open(
        &self,
        lines: &mut Lines<impl AsyncRead + Unpin>,
        to: &mut (impl AsyncWrite + Unpin),
    ) -> io::Result<()> {
        let Some(opening) = lock(&self.ledger).opening() else {
            return Ok(());
        };
        let known = async {
            send(to, opening.initialize).await?;
            loop {
                let Line::Whole(line) = lines.next().await? else {
                    return Err(io::ErrorKind::UnexpectedEof.into());
                };
                if matches!(message::kind(&line), message::Kind::Answer(id) if id == opening.id) {
                    break;
                }
            }
            if let Some(initialized) = opening.initialized {
                send(to, initialized).await?;
            }
            io::Result::Ok(())
        };
        timeout(REPLAY, known).await??;
        lock(&self.ledger).opened();
        Ok(())
    }
}

/// Carries the agent's lines to a backend, those to be asked again first.
async fn upward(
    lines: &mut mpsc::Receiver<Vec<u8>>,
    ledger: &Mutex<Ledger>,
    to: &mut (impl AsyncWrite + Unpin),
    to_agent: &mpsc::Sender<Vec<u8>>,
    again: Vec<Vec<u8>>,
) -> Over {
    let mut pending = lock(ledger).count();
    for line in again {
        if send(to, line).await.is_err() {
            return Over::Backend;
        }
    }
    loop {
        // The ledger lives as long as this does, so that the count never ends.
        let _room = pending
            .wait_for(|count| *count < MOST_PENDING)
            .await
            .is_ok();
        let Some(line) = lines.recv().await else {
            return Over::Agent;
        };
        let noted = lock(ledger).note_client(&line);
        match noted {
            Noted::Passes => {
                if send(to, line).await.is_err() {
                    return Over::Backend;
                }
            }
            Noted::Stays => {}
            Noted::Refused(answer) => {
                // An agent that has gone is noticed where its lines are read.
                let _heard = to_agent.send(answer).await;
            }
        }
    }
}

/// Carries a backend's lines to the agent, until there are no more.
async fn downward(
    lines: &mut Lines<impl AsyncRead + Unpin>,
    ledger: &Mutex<Ledger>,
    to_agent: &mpsc::Sender<Vec<u8>>,
    answered: &CancellationToken,
) {
    // Room first: a line that was read is passed on, whatever ends this.
    while let Ok(room) = to_agent.reserve().await {
        let Ok(Line::Whole(line)) = lines.next().await else {
            return;
        };
        let mut ledger = lock(ledger);
        ledger.note_backend(&line);
        room.send(line);
        answered.cancel();
    }
}

/// Nothing is left half done under this lock.
fn lock(ledger: &Mutex<Ledger>) -> MutexGuard<'_, Ledger> {
    ledger.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
