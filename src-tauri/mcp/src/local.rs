//! The door for programs of the same person on the same computer: a Unix socket that only they can
//! open, or on Windows a named pipe. Each process that owns an engine has one, so that whoever
//! comes second talks to the first one's clock.
//!
//! A line of JSON each way ([`Hello`] and its answer), then MCP, a message a line.

mod client;
mod hello;
mod place;
mod server;
#[cfg_attr(windows, path = "local/socket_windows.rs")]
#[cfg_attr(unix, path = "local/socket_unix.rs")]
mod socket;
mod tokens;

use std::fmt;
use std::io;

use tokio::io::{AsyncRead, AsyncWrite, ReadHalf, WriteHalf};

use crate::lines::Lines;

pub use client::{ask_for_a_while, ask_to_quit, ask_to_yield, attach, order_tokens};
pub use hello::Hello;
pub use place::Place;
pub use server::{Asked, LocalServer, Policy};
pub use tokens::{KeptIn, TokenAnswer, TokenOrder};

/// Both ends of a conversation's bytes.
pub(crate) trait Bytes: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Bytes for T {}

/// A stream, whatever it goes through.
pub(crate) type Stream = Box<dyn Bytes>;

/// A conversation with a process that owns an engine, or with this one's own: messages of MCP, a
/// line each.
pub struct Talk {
    pub(crate) lines: Lines<ReadHalf<Stream>>,
    pub(crate) to: WriteHalf<Stream>,
    /// There is no engine behind it, and its end says nothing of one.
    pub(crate) stands_in: bool,
    /// The owner said that its clocks are simulated, when it began.
    simulated: bool,
}

impl Talk {
    /// A conversation over a stream that speaks MCP from the start, its lines at most `limit`
    /// bytes long.
    pub(crate) fn over(stream: Stream, limit: usize) -> Self {
        let (from, to) = tokio::io::split(stream);
        Self {
            lines: Lines::new(from, limit),
            to,
            stands_in: false,
            simulated: false,
        }
    }

    /// Whether the clocks behind it were simulated when it began, as far as the process that owns
    /// them said so.
    pub fn is_simulated(&self) -> bool {
        self.simulated
    }

    /// The same with another limit.
    pub(crate) fn limited(self, limit: usize) -> Self {
        Self {
            lines: self.lines.limited(limit),
            ..self
        }
    }

    /// The same as one that no engine is behind.
    pub(crate) fn standing_in(self) -> Self {
        Self {
            stands_in: true,
            ..self
        }
    }
}

impl fmt::Debug for Talk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Talk")
    }
}

/// Why there is no talking to another process.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LocalError {
    /// Nobody listens there.
    #[error("No Regie with this data folder is running.")]
    Nobody,
    /// Another process listens there already.
    #[error("Another Regie listens at {place}.")]
    Taken {
        /// Where.
        place: String,
    },
    /// The other process does not want to.
    #[error("{message}")]
    Refused {
        /// Its reason, kebab-case.
        code: String,
        /// Its reason as a sentence.
        message: String,
        /// What to do next, a sentence.
        hint: String,
    },
    /// The system does not let it be.
    #[error("{place} cannot be used to reach Regie: {source}.")]
    Unusable {
        /// Where.
        place: String,
        /// What the system said.
        source: io::Error,
    },
}

impl LocalError {
    /// The stable name of this failure.
    pub fn code(&self) -> &str {
        match self {
            Self::Nobody => "nobody-running",
            Self::Taken { .. } => "local-door-taken",
            Self::Refused { code, .. } => code,
            Self::Unusable { .. } => "local-door-unusable",
        }
    }

    /// What to do next.
    pub fn hint(&self) -> &str {
        match self {
            Self::Nobody => "Start Regie.",
            Self::Taken { .. } => "Quit the other one first.",
            Self::Refused { hint, .. } => hint,
            Self::Unusable { .. } => {
                "Check that the folder is yours alone, or use another data folder."
            }
        }
    }
}
