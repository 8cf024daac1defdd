//! How families of firmwares are spoken to: a request becomes exchanges, a reply a verdict, and a
//! status a [`Reading`]. Pure, so that golden vectors test it byte by byte; nothing here waits.

mod colour;
pub(crate) mod command;
mod evidence;
mod fields;
mod freenove;
mod json;
pub(crate) mod lack;
pub(crate) mod lenient;
mod picture;
pub(crate) mod recognise;
mod reply;
mod spec;
mod story_v2;
mod unknown;

#[cfg(test)]
mod tests;

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::answer::Answer;
use crate::error::TokenFault;
use crate::exchange::{Authorization, Exchange, Reply};
use crate::request::Request;
use crate::state::{Abilities, Reading};
use crate::token::Token;

pub(crate) use json::Body;
pub use lack::LACKS;

/// How a family of firmwares is spoken to.
#[must_use]
pub fn of(family: Family) -> &'static dyn Dialect {
    match family {
        Family::Spec => &spec::Spec,
        Family::Freenove => &freenove::Freenove,
        Family::StoryV2 => &story_v2::StoryV2,
        Family::Unknown => &unknown::Unknown,
    }
}

/// A family of firmwares that speak the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export, rename = "DeviceFamily"))]
pub enum Family {
    /// The contract's own mapping.
    Spec,
    /// The Freenove all-in-one board.
    Freenove,
    /// The Story V2 audio board.
    StoryV2,
    /// Something that answers, but that nobody here knows: its status is all that is asked for.
    Unknown,
}

impl fmt::Display for Family {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Spec => "spec",
            Self::Freenove => "freenove",
            Self::StoryV2 => "story-v2",
            Self::Unknown => "unknown",
        })
    }
}

/// A request as a family does it.
#[derive(Clone, Debug, PartialEq)]
pub struct Script {
    /// One after the other; the verdict is on the last, and one that is refused ends it.
    pub exchanges: Vec<Exchange>,
    /// What it cannot do exactly, such as a volume on another scale; English sentences.
    pub remarks: Vec<String>,
}

/// Part of a request that a family cannot do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lack {
    /// Its stable name, such as `led-zone`.
    pub code: &'static str,
    /// The part, for a person: `the zone "alert" (its LEDs have one colour)`.
    pub part: String,
}

/// What a reply means.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// It did what was asked, and says so.
    Accepted(Answer),
    /// What it says shows that it did.
    Confirmed(Answer),
    /// It did not.
    Refused(Refusal),
}

/// Why a device did not do what was asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// Its token.
    Token(TokenFault),
    /// It was asked too often; nothing was done.
    Throttled {
        /// What it said.
        detail: String,
        /// When to ask again; `None` where it does not say.
        retry_after: Option<Duration>,
    },
    /// Its camera may not be used now.
    CameraBlocked {
        /// What it said.
        detail: String,
    },
    /// It is busy with something else.
    Busy {
        /// What it said.
        detail: String,
    },
    /// Its state stands against it.
    Conflict {
        /// What it said.
        detail: String,
    },
    /// It said no.
    Said {
        /// What it said.
        detail: String,
    },
    /// It failed, or what it said makes no sense.
    Nonsense {
        /// What came.
        detail: String,
    },
}

/// What a reading after a request shows of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Evidence {
    /// That it was done.
    Shown,
    /// That nothing has changed.
    NotShown,
    /// Nothing either way.
    Silent,
}

/// How one family is spoken to.
pub trait Dialect: Send + Sync + 'static {
    /// Which.
    fn family(&self) -> Family;

    /// What it can do.
    fn abilities(&self) -> Abilities;

    /// The least time between two requests that write, override included: what the device itself
    /// would refuse.
    fn write_spacing(&self) -> Duration {
        Duration::ZERO
    }

    /// The `Authorization` header for a token.
    fn authorization(&self, token: &Token) -> Authorization;

    /// The exchange that reads its state.
    fn status(&self) -> Exchange;

    /// What its state says; whatever cannot be read is missing.
    ///
    /// # Errors
    /// The refusal, where the reply is none of a status at all. [`TokenFault::Refused`] also where
    /// no token was sent: only who sent the request knows that it is [`TokenFault::Missing`].
    fn read(&self, reply: &Reply) -> Result<Reading, Refusal>;

    /// A second exchange that reads what its state leaves out. Whatever goes wrong with it says
    /// nothing about the device: some boards of a family do not know it.
    fn more_status(&self) -> Option<Exchange> {
        None
    }

    /// Adds what the reply to [`more_status`](Self::more_status) says; any other reply adds nothing.
    fn read_more(&self, _reading: &mut Reading, _reply: &Reply) {}

    /// The exchanges that carry a request out.
    ///
    /// # Errors
    /// The part that the family cannot do.
    fn script(&self, request: &Request, last: Option<&Reading>) -> Result<Script, Lack>;

    /// What the reply to an exchange of a request means; the last one's counts, and one that is
    /// refused before ends it. For tokens see [`read`](Self::read).
    fn judge(&self, request: &Request, reply: &Reply) -> Verdict;

    /// Whether reading the state afterwards can show that this request was done.
    fn shows(&self, request: &Request) -> bool;

    /// What the states before and after a request show of it.
    fn evidence(&self, request: &Request, before: Option<&Reading>, after: &Reading) -> Evidence;
}
