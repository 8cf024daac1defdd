//! How a request ended, where it did not fail.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What is known about a request that a device took.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export, rename = "RoomOutcome"))]
pub enum Outcome {
    /// The device said yes; nothing it tells could show more.
    Accepted,
    /// Its state, read again, shows it.
    Confirmed,
    /// The device said yes, but its state, read again, is what it was.
    NoChangeSeen,
}

/// What came of a request.
#[derive(Clone, Debug, PartialEq)]
pub struct Done {
    /// What is known about it.
    pub outcome: Outcome,
    /// What the device answered.
    pub answer: Answer,
    /// The request had to be sent a second time.
    pub sent_again: bool,
    /// It went to every device that hears the gateway, and none of them can be told to have got it.
    pub broadcast: bool,
    /// From the request's turn to its end, without what it waited for its turn.
    pub device_time: Duration,
    /// What the device could not do exactly, such as a volume on another scale; English sentences.
    pub remarks: Vec<String>,
}

/// What a device answered.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// Its JSON, decoded leniently; `Null` where it said nothing that could be read.
    Json(Value),
    /// A picture.
    Picture(Snapshot),
}

/// A JPEG of a device's camera.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snapshot {
    /// The file.
    pub jpeg: Vec<u8>,
    /// Width in pixels, as its header says.
    pub width: u16,
    /// Height in pixels, as its header says.
    pub height: u16,
}
