//! A dialect turns a request into a script of writes, pauses and waits. It is pure; the session
//! plays the script.

mod pingping;
mod profile;

use std::time::Duration;

pub use pingping::{PINGPING_GATT, Pingping};
pub use profile::{Profile, ProfileEntry};

use crate::ClockError;
use crate::link::Channel;
use crate::request::Request;

/// Where a family of clocks keeps its characteristics, as 128-bit UUIDs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GattTable {
    /// How the advertised name begins.
    pub name_prefix: &'static str,
    /// Service of [`Channel::Main`].
    pub main_service: u128,
    /// Characteristic of [`Channel::Main`].
    pub main_characteristic: u128,
    /// Service of [`Channel::Alt`].
    pub alt_service: u128,
    /// Characteristic of [`Channel::Alt`].
    pub alt_characteristic: u128,
}

/// What the link carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    payload: usize,
}

impl Limits {
    /// Least ATT MTU of any link (Bluetooth Core Specification, Vol 3, Part G, 5.2.1).
    pub const MIN_MTU: u16 = 23;
    /// Bytes of a write request that are not payload: opcode and handle.
    const ATT_HEADER: u16 = 3;

    /// The limits of an ATT MTU; a smaller one than 23 counts as 23.
    #[must_use]
    pub fn of_mtu(mtu: u16) -> Self {
        Self {
            payload: usize::from(mtu.max(Self::MIN_MTU) - Self::ATT_HEADER),
        }
    }

    /// Most bytes of one write. A longer one would become a long write, which these clocks do not
    /// take.
    #[must_use]
    pub fn payload(self) -> usize {
        self.payload
    }

    /// The same, but with at most `payload` bytes (and at least the 20 of the least MTU).
    #[must_use]
    pub fn capped(self, payload: usize) -> Self {
        let least = usize::from(Self::MIN_MTU - Self::ATT_HEADER);
        Self {
            payload: self.payload.min(payload.max(least)),
        }
    }
}

/// How a family of clocks talks.
pub trait Dialect: Send + Sync + 'static {
    /// Its name, for logs.
    fn name(&self) -> &'static str;

    /// Its characteristics.
    fn gatt(&self) -> &GattTable;

    /// The script that carries out a request.
    ///
    /// # Errors
    /// [`ClockError::CodeUnknown`] when nobody has published the command and the profile does not
    /// hold it; [`ClockError::PayloadTooSmall`] when a command does not fit in one write.
    fn script(&self, request: &Request, limits: Limits) -> Result<Script, ClockError>;

    /// What a notification means.
    fn interpret(&self, notification: &[u8]) -> Answer;
}

/// What a notification means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    /// A picture packet of this length was taken.
    Accepted {
        /// Length of the whole packet in bytes.
        length: u16,
    },
    /// A picture packet was not taken: the clock is redrawing, or the packet lies outside the
    /// panel.
    Rejected,
    /// The panel has finished redrawing.
    RefreshDone,
    /// Something else.
    Other,
}

/// What a write is for, which decides how it is repeated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Role {
    /// Part of a picture, bytes `start..end` of all its planes together. It says itself where it
    /// belongs, so that sending it again is harmless.
    Data {
        /// First byte.
        start: usize,
        /// Byte after the last.
        end: usize,
    },
    /// A command that may be repeated.
    Command,
    /// A command that must not be repeated unless it surely was not taken, such as a toggle.
    Once,
    /// The command that makes everything before it visible.
    Trigger,
}

/// One write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Write {
    /// Where to.
    pub channel: Channel,
    /// What.
    pub bytes: Vec<u8>,
    /// What for.
    pub role: Role,
}

/// One step of a script.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// Write with response, and go on when the clock has answered.
    Write(Write),
    /// Wait.
    Pause(Duration),
    /// Keep the link for `hold`, then until the answer comes, at most until `limit`. The answer is
    /// optional: its absence is no error.
    Await {
        /// What to wait for.
        answer: Answer,
        /// Least time.
        hold: Duration,
        /// Most time.
        limit: Duration,
    },
}

/// The steps that carry out a request.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Script {
    steps: Vec<Step>,
}

impl Script {
    /// A script of these steps.
    #[must_use]
    pub fn new(steps: Vec<Step>) -> Self {
        Self { steps }
    }

    /// The steps, in order.
    #[must_use]
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// The writes, in order.
    pub fn writes(&self) -> impl Iterator<Item = &Write> {
        self.steps.iter().filter_map(|step| match step {
            Step::Write(write) => Some(write),
            _ => None,
        })
    }
}
