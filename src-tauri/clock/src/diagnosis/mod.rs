//! Looking for what keeps a clock from working: each thing that has to work, in the order in which
//! they depend on each other, with what was found.
//!
//! Nothing here changes what a clock shows, and nothing stays connected.

mod concern;
mod examine;
mod finding;

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

pub use concern::Concern;
pub use examine::examine;
pub use finding::Finding;

use crate::ClockError;
use crate::link::Address;

/// Which clock, and how long to listen for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Search {
    /// The clock; none for the first one that is heard.
    pub target: Option<Address>,
    /// The most to listen. Once the clock is heard, a few seconds are enough.
    pub listen: Duration,
}

impl Default for Search {
    /// Any clock, for a little longer than the longest sleep between two advertising windows.
    fn default() -> Self {
        Self {
            target: None,
            listen: Duration::from_secs(65),
        }
    }
}

/// Something that has to work, in the order in which they are looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Check {
    /// The system's Bluetooth service answers.
    Service,
    /// This program may use Bluetooth.
    Permission,
    /// There is an adapter.
    Adapter,
    /// Its radio is on.
    Radio,
    /// Clocks are heard.
    Scan,
    /// A clock accepts a connection.
    Connect,
    /// It offers what a clock offers.
    Services,
    /// How much the link carries in one packet.
    Mtu,
    /// It answers a write.
    Write,
    /// The link can be let go again.
    LetGo,
}

impl Check {
    /// Every check, in order.
    pub const ALL: [Self; 10] = [
        Self::Service,
        Self::Permission,
        Self::Adapter,
        Self::Radio,
        Self::Scan,
        Self::Connect,
        Self::Services,
        Self::Mtu,
        Self::Write,
        Self::LetGo,
    ];

    /// Its stable name, kebab-case.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Service => "service",
            Self::Permission => "permission",
            Self::Adapter => "adapter",
            Self::Radio => "radio",
            Self::Scan => "scan",
            Self::Connect => "connect",
            Self::Services => "services",
            Self::Mtu => "mtu",
            Self::Write => "write",
            Self::LetGo => "let-go",
        }
    }
}

impl fmt::Display for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// How a check ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// It works.
    Fine(Finding),
    /// It works, but something about it may explain trouble.
    Warning(Finding, Concern),
    /// It does not work; with what was found all the same.
    Failed(ClockError, Option<Finding>),
    /// What it depends on does not work.
    NotReached,
}

/// One check, made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// Which.
    pub check: Check,
    /// How it ended.
    pub verdict: Verdict,
    /// How long it took.
    pub took: Duration,
}
