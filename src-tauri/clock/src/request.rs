//! What can be asked of a clock.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::ClockError;
use crate::countdown::{Countdown, TextBitmap};
use crate::dialect::ProfileEntry;
use crate::link::Channel;
use crate::picture::Picture;
use crate::time::ClockTime;

/// One thing asked of a clock.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Request {
    /// Set the local date and time.
    SetTime(ClockTime),
    /// Change what the clock shows. Some firmwares take the time along.
    SetFace(Face, ClockTime),
    /// Flip a setting whose state the clock does not report.
    Toggle(Toggle),
    /// Send a picture and show it. The clock's mode stays: follow it with
    /// [`Request::SetFace`] of [`Face::Picture`] so that the picture is not overdrawn at the next
    /// minute.
    Picture(Picture),
    /// Set the hours in which the screen rests.
    QuietHours(QuietHours),
    /// Show the days left until a date.
    Countdown(Countdown),
    /// End the countdown.
    CountdownOff,
    /// Put a line of at most four characters into the calendar, and show that.
    CalendarText(TextBitmap),
    /// Make the screen white.
    Clear,
    /// Send a command that a person has taught, once.
    Taught(ProfileEntry),
    /// Send bytes as they are.
    Raw(Raw),
}

impl Request {
    /// A stable name of the kind of request, for logs.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::SetTime(_) => "set-time",
            Self::SetFace(..) => "set-face",
            Self::Toggle(_) => "toggle",
            Self::Picture(_) => "picture",
            Self::QuietHours(_) => "quiet-hours",
            Self::Countdown(_) => "countdown",
            Self::CountdownOff => "countdown-off",
            Self::CalendarText(_) => "calendar-text",
            Self::Taught(_) => "taught",
            Self::Clear => "clear",
            Self::Raw(_) => "raw",
        }
    }
}

/// What the clock shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "kebab-case")]
pub enum Face {
    /// The plain clock.
    Clock1,
    /// A further clock face; its code is not published.
    Clock2,
    /// A further clock face; its code is not published.
    Clock3,
    /// The plain calendar.
    Calendar1,
    /// A further calendar face; its code is not published.
    Calendar2,
    /// A further calendar face; its code is not published.
    Calendar3,
    /// The picture sent last.
    Picture,
}

impl Face {
    /// Every face.
    pub const ALL: [Self; 7] = [
        Self::Clock1,
        Self::Clock2,
        Self::Clock3,
        Self::Calendar1,
        Self::Calendar2,
        Self::Calendar3,
        Self::Picture,
    ];

    /// Its name, which is also that of its profile entry.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Clock1 => "clock1",
            Self::Clock2 => "clock2",
            Self::Clock3 => "clock3",
            Self::Calendar1 => "calendar1",
            Self::Calendar2 => "calendar2",
            Self::Calendar3 => "calendar3",
            Self::Picture => "picture",
        }
    }
}

impl fmt::Display for Face {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Face {
    type Err = ClockError;

    /// From its name; `image0` is another name of `picture`.
    fn from_str(text: &str) -> Result<Self, ClockError> {
        if text == "image0" {
            return Ok(Self::Picture);
        }
        Self::ALL
            .into_iter()
            .find(|face| face.name() == text)
            .ok_or_else(|| unknown(text, &Self::ALL.map(Self::name)))
    }
}

/// A setting that the clock only flips: it takes no value and reports none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "kebab-case")]
pub enum Toggle {
    /// Black on white, or white on black.
    Invert,
    /// The typeface; its code is not published.
    Font,
    /// The screen upside down.
    Rotate180,
    /// 12 or 24 hours; its code is not published.
    HourFormat,
    /// The red accent of the clock face.
    ClockColor,
}

impl Toggle {
    /// Every toggle.
    pub const ALL: [Self; 5] = [
        Self::Invert,
        Self::Font,
        Self::Rotate180,
        Self::HourFormat,
        Self::ClockColor,
    ];

    /// Its name, which is also that of its profile entry.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Invert => "invert",
            Self::Font => "font",
            Self::Rotate180 => "rotate180",
            Self::HourFormat => "hour_format",
            Self::ClockColor => "clock_color",
        }
    }
}

impl fmt::Display for Toggle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Toggle {
    type Err = ClockError;

    fn from_str(text: &str) -> Result<Self, ClockError> {
        Self::ALL
            .into_iter()
            .find(|toggle| toggle.name() == text)
            .ok_or_else(|| unknown(text, &Self::ALL.map(Self::name)))
    }
}

fn unknown(name: &str, known: &[&str]) -> ClockError {
    ClockError::NameUnknown {
        name: name.to_owned(),
        known: known.join(", "),
    }
}

/// The hours in which the screen rests: it is white and refreshed once an hour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct QuietHours {
    on: bool,
    start: u8,
    end: u8,
}

impl QuietHours {
    /// From one hour to another, each 0..=23; a start after the end spans midnight. Only those that
    /// do not apply may end when they begin: whether a clock takes that for no hour or for the
    /// whole day is not known.
    ///
    /// # Errors
    /// [`ClockError::HourInvalid`], [`ClockError::HoursEqual`].
    pub fn new(on: bool, start: u8, end: u8) -> Result<Self, ClockError> {
        for hour in [start, end] {
            if hour > 23 {
                return Err(ClockError::HourInvalid { hour });
            }
        }
        if on && start == end {
            return Err(ClockError::HoursEqual { hour: start });
        }
        Ok(Self { on, start, end })
    }

    /// Whether they apply.
    #[must_use]
    pub fn is_on(&self) -> bool {
        self.on
    }

    /// First hour.
    #[must_use]
    pub fn start(&self) -> u8 {
        self.start
    }

    /// Hour at which they end.
    #[must_use]
    pub fn end(&self) -> u8 {
        self.end
    }
}

/// Whether raw commands that can harm a clock may be sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RawPolicy {
    /// Commands that reset, activate or recalibrate are refused.
    #[default]
    Guarded,
    /// Everything goes; the caller answers for it.
    Unguarded,
}

/// Bytes to be sent as they are. Which of them are guarded is told by the dialect of the clock
/// that they are sent to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Raw {
    channel: Channel,
    command: u8,
    bytes: Vec<u8>,
    policy: RawPolicy,
}

impl Raw {
    /// Raw bytes for a channel. The update service of a clock has no [`Channel`], so it cannot be
    /// reached at all.
    ///
    /// # Errors
    /// [`ClockError::RawEmpty`], [`ClockError::RawTooLong`].
    pub fn new(channel: Channel, bytes: Vec<u8>, policy: RawPolicy) -> Result<Self, ClockError> {
        let Some(&command) = bytes.first() else {
            return Err(ClockError::RawEmpty);
        };
        let limit = channel.max_bytes();
        if bytes.len() > limit {
            return Err(ClockError::RawTooLong {
                channel,
                limit,
                actual: bytes.len(),
            });
        }
        Ok(Self {
            channel,
            command,
            bytes,
            policy,
        })
    }

    /// Where they go.
    #[must_use]
    pub fn channel(&self) -> Channel {
        self.channel
    }

    /// The first of them, which says what they do.
    #[must_use]
    pub fn command(&self) -> u8 {
        self.command
    }

    /// The bytes.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Whether guarded ones may be sent.
    #[must_use]
    pub fn policy(&self) -> RawPolicy {
        self.policy
    }
}
