//! A dialect turns a request into a script of writes, pauses and waits. It is pure; the session
//! plays the script.

mod epd_nrf5;
mod family;
mod pingping;
mod profile;
mod terms;

use std::sync::Arc;
use std::time::Duration;

pub use epd_nrf5::EpdNrf5;
pub use family::{CharacteristicId, Discovered, Family, GattTable};
pub use pingping::Pingping;
pub use profile::{CalendarForm, Profile, ProfileEntry};
pub use terms::{Terms, Traits};

use crate::ClockError;
use crate::link::Channel;
use crate::request::{Raw, RawPolicy, Request};

/// How a family of clocks talks.
pub trait Dialect: std::fmt::Debug + Send + Sync + 'static {
    /// Whose it is.
    fn family(&self) -> Family;

    /// The script that carries out a request.
    ///
    /// # Errors
    /// [`ClockError::CodeUnknown`] when nobody has published the command and the profile does not
    /// hold it; [`ClockError::NotSupported`] when the firmware cannot do it;
    /// [`ClockError::PayloadTooSmall`] when a command does not fit in one write;
    /// [`ClockError::RawDenied`] for guarded bytes; [`ClockError::FirmwareTooOld`],
    /// [`ClockError::PanelUnsaid`] and [`ClockError::PanelMismatch`] for a picture.
    fn script(&self, request: &Request, terms: Terms) -> Result<Script, ClockError>;

    /// What a notification means.
    fn interpret(&self, notification: &[u8]) -> Answer;

    /// How long a clock that was just connected may take to say what it is
    /// ([`Answer::Introduction`]); none where it says nothing.
    fn introduction(&self) -> Option<Duration> {
        None
    }

    /// What a write does to the clock's picture memory, as far as is known. Only a dialect that
    /// says so can spare the sending of what the clock holds already.
    fn memory_effect(&self, _write: &Write) -> MemoryEffect {
        MemoryEffect::Unknown
    }

    /// A write that a clock answers and that changes nothing it shows or keeps, to find out whether
    /// writes get through; none where none is known.
    fn probe(&self) -> Option<Write> {
        None
    }

    /// Takes down what a notification says of the clock itself.
    fn learn(&self, _notification: &[u8], _traits: &mut Traits) {}

    /// Takes down what a write that was taken has made of the clock.
    fn sent(&self, _write: &Write, _traits: &mut Traits) {}
}

/// The dialect of each family.
#[derive(Debug, Clone)]
pub struct Dialects {
    pingping: Arc<dyn Dialect>,
    epd_nrf5: Arc<dyn Dialect>,
}

impl Dialects {
    /// All of them, with the codes of this profile for what nobody has published.
    #[must_use]
    pub fn new(profile: Profile) -> Self {
        Self {
            pingping: Arc::new(Pingping::new(profile)),
            epd_nrf5: Arc::new(EpdNrf5),
        }
    }

    /// That of a family.
    #[must_use]
    pub fn of(&self, family: Family) -> &Arc<dyn Dialect> {
        match family {
            Family::Pingping => &self.pingping,
            Family::EpdNrf5 => &self.epd_nrf5,
        }
    }
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
    /// The clock has said what it is.
    Introduction,
    /// The clock has said on which terms it takes a picture.
    Terms,
    /// Something else.
    Other,
}

/// What a write does to the memory in which a clock keeps the picture it was sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MemoryEffect {
    /// Its bytes from `header` on are laid down in it.
    Stores {
        /// The mark of the plane.
        plane: u8,
        /// Where in the plane, in bytes.
        offset: usize,
        /// Bytes of the write that are not data.
        header: usize,
    },
    /// It leaves it as it is.
    Keeps,
    /// It leaves it as it is, and so does the clock from then on: it draws nothing of its own.
    Protects,
    /// Not known.
    Unknown,
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
    /// Part of a picture, bytes `start..end` of all its planes together, which the clock puts
    /// behind the part before it. It may be repeated only if it surely was not taken; otherwise
    /// the whole script starts over.
    Stream {
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
    /// Whether the clock has to answer.
    pub delivery: Delivery,
}

/// Whether a write is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Delivery {
    /// With response: the clock says that it has taken it.
    Answered,
    /// Without response: it has left this computer, no more.
    Unanswered,
}

/// One step of a script.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// Write, and go on when the clock has answered, or at once where it does not.
    Write(Write),
    /// Wait.
    Pause(Duration),
    /// Wait for an answer on which the terms of what follows may depend, at most until `limit`.
    /// Its absence is no error.
    Expect {
        /// What to wait for.
        answer: Answer,
        /// Most time.
        limit: Duration,
    },
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

    /// A script of steps of which each has to go in one write.
    fn within(steps: Vec<Step>, terms: Terms) -> Result<Self, ClockError> {
        let script = Self::new(steps);
        let longest = script.writes().map(|write| write.bytes.len()).max();
        match longest {
            Some(needed) if needed > terms.payload() => Err(ClockError::PayloadTooSmall {
                needed,
                available: terms.payload(),
            }),
            _ => Ok(script),
        }
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

/// The write of raw bytes, unless their first is one of those that can harm the clock.
fn raw_step(raw: &Raw, guarded: &[u8]) -> Result<Step, ClockError> {
    let (channel, command) = (raw.channel(), raw.command());
    if raw.policy() == RawPolicy::Guarded && guarded.contains(&command) {
        return Err(ClockError::RawDenied { channel, command });
    }
    Ok(Step::Write(Write {
        channel,
        bytes: raw.bytes().to_vec(),
        role: Role::Once,
        delivery: Delivery::Answered,
    }))
}
