//! What the doors show of the room: plain values, published on every change.
//!
//! Moments are milliseconds since 1970 by this computer's clock, so that a window can tell an age
//! without asking again.

use serde::Serialize;

use crate::dialect::Family;
use crate::entry::Origin;
use crate::names::{DeviceId, InstanceName};
use crate::request::Volume;

/// The whole state of the room, as of one moment.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
pub struct RoomState {
    /// The devices that were set, by room and name.
    pub devices: Vec<DeviceState>,
    /// Devices that were found and that nobody has set or ignored.
    pub found: Vec<FoundDevice>,
    /// The search for devices.
    pub search: SearchState,
}

/// The search for devices on the network.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(tag = "state", rename_all = "kebab-case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
pub enum SearchState {
    /// It was not asked for.
    #[default]
    Off,
    /// It runs.
    Running {
        /// Names of the network interfaces it runs on.
        interfaces: Vec<String>,
    },
    /// It cannot run.
    Unavailable {
        /// What the system said.
        detail: String,
    },
}

/// A device of the room.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
pub struct DeviceState {
    /// What it is named by.
    pub id: DeviceId,
    /// What people call it.
    pub name: String,
    /// The room it stands in.
    pub room: Option<String>,
    /// Where its entry comes from.
    pub origin: Origin,
    /// Where it is asked, `host:port`; `None` until that is known.
    pub address: Option<String>,
    /// The device that relays to it.
    pub via: Option<DeviceId>,
    /// The loudest it may be asked to play.
    pub volume_limit: Volume,
    /// What its firmware speaks; `None` until it has answered.
    pub family: Option<Family>,
    /// What it can do.
    pub abilities: Abilities,
    /// Whether there is a token for it.
    pub token: TokenState,
    /// How it is.
    pub condition: Condition,
    /// What else is worth knowing, newest first.
    pub remarks: Vec<Remark>,
    /// When it last answered.
    #[cfg_attr(feature = "ts", ts(type = "number | null"))]
    pub answered_at: Option<u64>,
    /// How long its last answer took, in milliseconds.
    pub round_trip_ms: Option<u32>,
    /// What it last said of itself.
    pub reading: Option<Reading>,
    /// A command is in progress or waits.
    pub busy: bool,
}

/// Whether there is a token for a device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(
    feature = "ts",
    derive(ts_rs::TS),
    ts(export, rename = "DeviceTokenState")
)]
pub enum TokenState {
    /// None.
    #[default]
    None,
    /// One, which can be replaced.
    Kept,
    /// One from the environment.
    Given,
}

/// How a device is; the worst that is known.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(tag = "state", rename_all = "kebab-case")]
#[cfg_attr(
    feature = "ts",
    derive(ts_rs::TS),
    ts(export, rename = "DeviceCondition")
)]
pub enum Condition {
    /// It was not asked yet.
    #[default]
    Unasked,
    /// It answers.
    Answering,
    /// It does not answer.
    Unreachable {
        /// What was tried and what came of it; an English phrase.
        detail: String,
    },
    /// It asks for a token, and none is known.
    NoToken,
    /// It refuses its token.
    TokenRefused,
    /// It takes its token for reading only.
    ReadingOnly,
    /// It is in setup mode.
    SetupMode,
    /// It asks to be left alone.
    Throttled {
        /// Until when.
        #[cfg_attr(feature = "ts", ts(type = "number"))]
        until: u64,
    },
    /// It answers, but with nothing that can be read.
    Garbled {
        /// What came; an English phrase.
        detail: String,
    },
    /// Only its gateway can be asked: nothing is known of the device itself.
    Relayed,
}

/// Something worth knowing of a device.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "remark", rename_all = "kebab-case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export, rename = "DeviceRemark"))]
pub enum Remark {
    /// It has restarted.
    Restarted {
        /// When that was seen.
        #[cfg_attr(feature = "ts", ts(type = "number"))]
        at: u64,
    },
    /// It lost its Wi-Fi for a moment, or was silent and came back.
    WifiDropped {
        /// When that was seen.
        #[cfg_attr(feature = "ts", ts(type = "number"))]
        at: u64,
    },
    /// It was found at another address.
    Moved {
        /// When that was seen.
        #[cfg_attr(feature = "ts", ts(type = "number"))]
        at: u64,
    },
    /// It has opened a Wi-Fi of its own, since it does not get into the room's.
    OwnAccessPoint,
    /// Its battery is low.
    BatteryLow {
        /// Percent.
        percent: u8,
    },
    /// Messages by ESP-NOW fail.
    MeshFailing {
        /// How many since it was first asked.
        failed: u32,
    },
}

/// What a device says of itself; everything may be missing.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(
    feature = "ts",
    derive(ts_rs::TS),
    ts(export, rename = "DeviceReading")
)]
pub struct Reading {
    /// The scenario that runs.
    pub scenario: Option<String>,
    /// Its step.
    pub step: Option<String>,
    /// The scene on its screen.
    pub screen: Option<String>,
    /// Puzzles by name with their state, where it tells.
    #[cfg_attr(feature = "ts", ts(type = "Record<string, string>"))]
    pub puzzles: std::collections::BTreeMap<String, String>,
    /// Received signal strength in dBm.
    pub rssi: Option<i16>,
    /// Free memory in bytes.
    #[cfg_attr(feature = "ts", ts(type = "number | null"))]
    pub heap_free: Option<u64>,
    /// Seconds since it started.
    #[cfg_attr(feature = "ts", ts(type = "number | null"))]
    pub uptime_seconds: Option<u64>,
    /// What it plays; empty where it plays nothing.
    pub playing: Option<String>,
    /// Its loudness in percent.
    pub volume: Option<u8>,
    /// Its loudness cannot be set.
    #[serde(skip)]
    #[cfg_attr(feature = "ts", ts(skip))]
    pub fixed_volume: bool,
    /// The colour of its LEDs, `#RRGGBB`.
    pub led: Option<String>,
    /// Its battery in percent.
    pub battery: Option<u8>,
    /// Its firmware's version.
    pub version: Option<String>,
    /// The IP address that it gives as its own.
    pub own_address: Option<String>,
    /// It has opened a Wi-Fi of its own.
    pub own_access_point: bool,
    /// Its camera, where it has one.
    pub camera: Option<CameraState>,
    /// Counters that only rise until it restarts, by name such as `espnow.rx_count`.
    #[cfg_attr(feature = "ts", ts(type = "Record<string, number>"))]
    pub counters: std::collections::BTreeMap<String, u64>,
}

/// A device's camera.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
pub enum CameraState {
    /// It may be used.
    Ready,
    /// It may not be used now.
    Blocked,
}

/// What a device can do. Empty where its firmware is not known yet.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(
    feature = "ts",
    derive(ts_rs::TS),
    ts(export, rename = "DeviceAbilities")
)]
pub struct Abilities {
    /// Names of tools that it knows something of, such as `led_set`.
    pub tools: Vec<&'static str>,
    /// Parts of them that it cannot do, as codes such as `led-zone`, for the catalogues
    /// (`room.lack.<code>`).
    pub lacks: Vec<&'static str>,
}

/// A device that was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
pub struct FoundDevice {
    /// Names it among those found, for as long as it is there: its instance and address.
    pub key: String,
    /// Its service's full name; `None` for one that was added by address.
    pub instance: Option<InstanceName>,
    /// What it calls itself.
    pub name: String,
    /// The room it says it stands in.
    pub room: Option<String>,
    /// The version it says it has.
    pub version: Option<String>,
    /// Where it is, `host:port`, the port being the one that answered.
    pub address: String,
    /// An identifier that is free and resembles its name.
    pub suggested_id: DeviceId,
    /// What its firmware speaks; `None` until it has answered.
    pub family: Option<Family>,
    /// It asks for a token.
    pub asks_for_token: bool,
    /// When it was found.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub found_at: u64,
}

/// What is kept of a reading as history.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export, rename = "DeviceSample"))]
pub struct Sample {
    /// Whose.
    pub device: DeviceId,
    /// When.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub at: u64,
    /// It answered.
    pub answered: bool,
    /// It has restarted since the sample before.
    pub restarted: bool,
    /// How long its answer took, in milliseconds.
    pub round_trip_ms: Option<u32>,
    /// Received signal strength in dBm.
    pub rssi: Option<i16>,
    /// Free memory in bytes.
    #[cfg_attr(feature = "ts", ts(type = "number | null"))]
    pub heap_free: Option<u64>,
    /// Seconds since it started.
    #[cfg_attr(feature = "ts", ts(type = "number | null"))]
    pub uptime_seconds: Option<u64>,
    /// The step of its scenario.
    pub step: Option<String>,
    /// Failed messages by ESP-NOW since it started.
    #[cfg_attr(feature = "ts", ts(type = "number | null"))]
    pub mesh_failed: Option<u64>,
}
