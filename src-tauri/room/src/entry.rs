//! A device as a person has set it.

use serde::{Deserialize, Serialize};

use crate::address::Address;
use crate::names::{DeviceId, InstanceName};
use crate::request::Volume;

/// A device that the room is to drive and watch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceEntry {
    /// What it is named by.
    pub id: DeviceId,
    /// What people call it.
    pub name: String,
    /// The room it stands in.
    pub room: Option<String>,
    /// Where it answered last, or is said to answer; `None` where only its name is known, or a
    /// gateway relays to it.
    pub address: Option<Address>,
    /// What it was found as; it is followed to another address under this name.
    pub found_as: Option<InstanceName>,
    /// The device that relays to it by ESP-NOW.
    pub via: Option<DeviceId>,
    /// The loudest it may be asked to play, whoever asks.
    pub volume_limit: Volume,
    /// Where this comes from.
    pub origin: Origin,
}

/// Where a device's entry comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export, rename = "DeviceOrigin"))]
pub enum Origin {
    /// `ZACUS_DEVICES`; it cannot be changed here.
    Environment,
    /// The settings, written by a person or by the window.
    Settings,
    /// Simulated devices of the demonstration.
    Simulated,
}
