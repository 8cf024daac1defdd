//! What the window shows of a session: the link's state and an operation's progress.

use serde::{Deserialize, Serialize};

use crate::dialect::Family;
use crate::link::{Address, Unavailable};

/// Which clock.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct ClockName {
    /// Its address.
    pub address: Address,
    /// The name it advertises.
    pub name: String,
    /// Its family: as its name says before it was connected, as its characteristics say from then
    /// on.
    pub family: Option<Family>,
    /// It is a simulation, not a device.
    pub simulated: bool,
}

/// The state of the link.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(
    tag = "state",
    rename_all = "kebab-case",
    rename_all_fields = "camelCase"
)]
pub enum LinkState {
    /// Bluetooth cannot be used.
    Unavailable {
        /// Why.
        reason: Unavailable,
    },
    /// No link; the clock sleeps.
    Asleep,
    /// Waiting to hear a clock.
    Listening {
        /// Seconds since listening began.
        elapsed_seconds: u32,
        /// Seconds after which it ends.
        limit_seconds: u32,
    },
    /// A clock was heard and is being connected.
    Connecting {
        /// Which.
        clock: ClockName,
        /// Attempt, from 1.
        attempt: u32,
    },
    /// Connected; its services are being read.
    Discovering {
        /// Which.
        clock: ClockName,
    },
    /// Connected and at rest.
    Connected {
        /// Which.
        clock: ClockName,
        /// The ATT MTU in bytes.
        mtu: u16,
    },
    /// Bytes are on their way.
    Sending {
        /// Which.
        clock: ClockName,
        /// Packets the clock has taken.
        packets_done: u32,
        /// Packets of the operation.
        packets_total: u32,
    },
    /// The clock redraws its panel.
    Refreshing {
        /// Which.
        clock: ClockName,
        /// Seconds since it began.
        elapsed_seconds: u32,
    },
    /// The session has been shut down.
    Closed,
}

/// Where an operation is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "kebab-case")]
pub enum Stage {
    /// Other operations come first.
    Queued,
    /// Waiting to hear the clock.
    Listening,
    /// Connecting to it.
    Connecting,
    /// Reading its services.
    Discovering,
    /// Sending.
    Sending,
    /// Everything is sent; the command that shows it is on its way, or a short one after it.
    Finishing,
    /// The clock redraws its panel.
    Refreshing,
    /// Over; the outcome is known.
    Ended,
}

/// How far an operation is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Progress {
    /// Where it is.
    pub stage: Stage,
    /// Which clock, once known.
    pub clock: Option<ClockName>,
    /// Run through the job, from 1; 2 after a lost link.
    pub attempt: u32,
    /// Writes the clock has acknowledged.
    pub packets_done: u32,
    /// Writes of the whole job; 0 before the link is up.
    pub packets_total: u32,
    /// Bytes a second, once a few packets have gone.
    pub bytes_per_second: Option<u32>,
    /// Seconds left of the present stage: the estimated end of sending while sending, otherwise the
    /// end of waiting.
    pub seconds_left: Option<u32>,
}

impl Progress {
    pub(super) fn queued() -> Self {
        Self {
            stage: Stage::Queued,
            clock: None,
            attempt: 1,
            packets_done: 0,
            packets_total: 0,
            bytes_per_second: None,
            seconds_left: None,
        }
    }
}
