//! Coming to the door of another process.

use std::future::Future;
use std::io;
use std::time::Duration;

use tokio::io::AsyncWriteExt as _;
use tokio::time::timeout;

use super::hello::{Greeting, Hello, LONGEST, Welcome, Wish};
use super::tokens::{LONGEST_ANSWER, Reply, TokenAnswer, TokenOrder};
use super::{LocalError, Place, Talk, socket};
use crate::lines::Line;

/// How long the first line back may take: it needs nothing of the clock.
const WELCOME: Duration = Duration::from_secs(5);

/// Begins a conversation with the process that owns the place's data folder.
///
/// # Errors
/// [`LocalError::Nobody`] where none does, [`LocalError::Refused`], also where simulated clocks are
/// asked for and it has real ones, [`LocalError::Unusable`].
pub async fn attach(place: &Place, hello: Hello) -> Result<Talk, LocalError> {
    greet(place, Wish::Mcp(hello)).await
}

/// Asks the process that owns the place's data folder to let it go, and waits at most `patience`
/// until it has.
///
/// # Errors
/// [`LocalError::Nobody`] where none owns it, [`LocalError::Refused`] where it does not give way,
/// [`LocalError::Unusable`], also when it takes too long.
pub async fn ask_to_yield(place: &Place, patience: Duration) -> Result<(), LocalError> {
    ask_to_go(place, false, patience).await
}

/// The same for a command, which gives the data folder back within minutes and has no door
/// meanwhile: the process that goes does not wait for one.
///
/// # Errors
/// Those of [`ask_to_yield`].
pub async fn ask_for_a_while(place: &Place, patience: Duration) -> Result<(), LocalError> {
    ask_to_go(place, true, patience).await
}

/// Asks the window or the server that owns the place's data folder to end, as when a person quits
/// it, and waits at most `patience` until it has. A process that serves one agent on its standard
/// streams goes on: its client ends it.
///
/// # Errors
/// [`LocalError::Nobody`] where none owns it, [`LocalError::Unusable`], also when it takes too long.
pub async fn ask_to_quit(place: &Place, patience: Duration) -> Result<(), LocalError> {
    await_end(place, Wish::Quit, patience).await
}

async fn ask_to_go(place: &Place, briefly: bool, patience: Duration) -> Result<(), LocalError> {
    await_end(place, Wish::Yield { briefly }, patience).await
}

/// Says a wish and waits for the end of the line, which the owner keeps until it is fulfilled.
async fn await_end(place: &Place, wish: Wish, patience: Duration) -> Result<(), LocalError> {
    let mut talk = greet(place, wish).await?;
    let free = async { while let Ok(Line::Whole(_)) = talk.lines.next().await {} };
    in_time(place, patience, async {
        free.await;
        Ok(())
    })
    .await
}

/// Asks the process that owns the place's data folder to do something with its tokens, and waits at
/// most `patience`: the system may ask a person to unlock the keyring.
///
/// # Errors
/// [`LocalError::Nobody`] where none owns it, [`LocalError::Refused`] also with what the engine
/// said, [`LocalError::Unusable`], also when it takes too long.
pub async fn order_tokens(
    place: &Place,
    order: TokenOrder,
    patience: Duration,
) -> Result<TokenAnswer, LocalError> {
    let talk = greet(place, Wish::Tokens { order }).await?;
    let mut talk = talk.limited(LONGEST_ANSWER);
    let line = in_time(place, patience, async {
        match talk.lines.next().await? {
            Line::Whole(line) => Ok(line),
            Line::End | Line::TooLong(_) => Err(io::ErrorKind::UnexpectedEof.into()),
        }
    })
    .await?;
    Reply::read(&line)
}

async fn greet(place: &Place, wish: Wish) -> Result<Talk, LocalError> {
    let mut talk = Talk::over(socket::connect(place).await?, LONGEST);
    let mut greeting = serde_json::to_vec(&Greeting::from(wish)).unwrap_or_default();
    greeting.push(b'\n');
    let line = in_time(place, WELCOME, async {
        talk.to.write_all(&greeting).await?;
        talk.to.flush().await?;
        match talk.lines.next().await? {
            Line::Whole(line) => Ok(line),
            // One that is about to end closes without a word.
            Line::End => Err(io::ErrorKind::UnexpectedEof.into()),
            Line::TooLong(_) => Ok(Vec::new()),
        }
    })
    .await?;
    talk.simulated = Welcome::read(&line)?.simulated;
    Ok(talk)
}

async fn in_time<T>(
    place: &Place,
    limit: Duration,
    work: impl Future<Output = io::Result<T>>,
) -> Result<T, LocalError> {
    let done = timeout(limit, work).await;
    done.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()))
        .map_err(|source| LocalError::Unusable {
            place: place.to_string(),
            source,
        })
}
