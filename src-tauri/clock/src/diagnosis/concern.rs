//! What works, but may explain trouble.

use std::time::Duration;

use thiserror::Error;

/// Something that works, but may explain trouble. `Display`, [`code`](Self::code),
/// [`hint`](Self::hint) and [`params`](Self::params) are those of an error.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Concern {
    /// The system says that a person has forbidden Bluetooth to this program.
    #[error("The system says that Bluetooth is forbidden to this program, though it answers.")]
    Forbidden,
    /// A program of 32 bits on a system of 64.
    #[error("This is a 32-bit build of Regie on a 64-bit system.")]
    ThirtyTwoBit,
    /// The clock is hardly heard.
    #[error("The clock is hardly heard ({rssi} dBm).")]
    WeakSignal {
        /// Received signal strength in dBm.
        rssi: i16,
    },
    /// The clock is connected to something already.
    #[error("The system holds a connection to the clock already.")]
    HeldAlready,
    /// The first attempt to connect failed.
    #[error("The clock was connected only at attempt {attempt} (before: {detail}).")]
    ConnectedLate {
        /// The attempt that succeeded.
        attempt: u32,
        /// What the one before it said.
        detail: String,
    },
    /// The least MTU.
    #[error("The link carries as little as a link can: pictures take minutes.")]
    LeastMtu,
    /// Answers take long.
    #[error("The clock answers slowly: {milliseconds} ms at best.")]
    SlowAnswers {
        /// The quickest answer.
        milliseconds: u128,
    },
    /// The link did not end.
    #[error("The link did not end within {seconds} seconds.")]
    LinkStays {
        /// How long was waited.
        seconds: u64,
    },
}

impl Concern {
    /// Its stable name, kebab-case.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Forbidden => "doctor-forbidden",
            Self::ThirtyTwoBit => "doctor-32-bit",
            Self::WeakSignal { .. } => "doctor-weak-signal",
            Self::HeldAlready => "doctor-held-already",
            Self::ConnectedLate { .. } => "doctor-connected-late",
            Self::LeastMtu => "doctor-least-mtu",
            Self::SlowAnswers { .. } => "doctor-slow-answers",
            Self::LinkStays { .. } => "doctor-link-stays",
        }
    }

    /// What to do next.
    #[must_use]
    pub const fn hint(&self) -> &'static str {
        match self {
            Self::Forbidden => {
                "If the clock is not found, allow Bluetooth to this program in the system's privacy settings."
            }
            Self::ThirtyTwoBit => {
                "Windows hides the radio from such programs. Install the 64-bit build of Regie."
            }
            Self::WeakSignal { .. } => "Move the clock closer, or away from metal.",
            Self::HeldAlready => {
                "If it cannot be used, close the other program, or remove the clock from the system's list of Bluetooth devices."
            }
            Self::ConnectedLate { .. } => {
                "If that happens often, move closer, and keep phones that know the clock away."
            }
            Self::LeastMtu => {
                "Disconnect and connect again. If it stays like this, update the adapter's driver or try another adapter."
            }
            Self::SlowAnswers { .. } => {
                "Move closer, and keep other Bluetooth devices on this computer quiet meanwhile."
            }
            Self::LinkStays { .. } => {
                "If the clock cannot be reached afterwards, switch Bluetooth off and on again."
            }
        }
    }

    /// The values in the sentence, by name.
    #[must_use]
    pub fn params(&self) -> Vec<(&'static str, String)> {
        match self {
            Self::Forbidden | Self::ThirtyTwoBit | Self::HeldAlready | Self::LeastMtu => Vec::new(),
            Self::WeakSignal { rssi } => vec![("rssi", rssi.to_string())],
            Self::ConnectedLate { attempt, detail } => {
                vec![("attempt", attempt.to_string()), ("detail", detail.clone())]
            }
            Self::SlowAnswers { milliseconds } => {
                vec![("milliseconds", milliseconds.to_string())]
            }
            Self::LinkStays { seconds } => vec![("seconds", seconds.to_string())],
        }
    }

    /// A concern about a signal of this strength, if it is one.
    #[must_use]
    pub(super) fn about_signal(rssi: Option<i16>) -> Option<Self> {
        // Receivers lose packets from about -85 dBm on; the best hear down to -95.
        const WEAK: i16 = -85;
        let rssi = rssi.filter(|rssi| *rssi < WEAK)?;
        Some(Self::WeakSignal { rssi })
    }

    /// A concern about answers that take this long at best, if it is one.
    #[must_use]
    pub(super) fn about_answers(fastest: Duration) -> Option<Self> {
        // A write and its answer take one or two connection events, so 90 ms at the longest
        // interval that these clocks ask for, and half a second with their latency.
        const SLOW: Duration = Duration::from_millis(500);
        (fastest > SLOW).then_some(Self::SlowAnswers {
            milliseconds: fastest.as_millis(),
        })
    }
}
