//! Which clocks there are and how they stand.

use std::time::Duration;

use jiff::Timestamp;
use regie_engine::rooms::{Condition, DeviceState, Origin};
use regie_engine::{LinkView, NearbyClock};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

use super::answer::{Failure, Reply};
use super::call::Call;
use super::{ClockTool, Effect, OF_ALL};
use crate::toolset::Toolset;

/// Listen for clocks.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct ScanDevices {
    /// Seconds to listen. A sleeping clock wakes every 30 to 60 s, so 60 hears them all.
    #[serde(default = "five_seconds")]
    #[schemars(range(min = 0.1, max = 120.0))]
    timeout: f64,
}

fn five_seconds() -> f64 {
    5.0
}

/// The clocks that were heard.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Heard {
    /// Strongest first.
    devices: Vec<HeardClock>,
}

/// A clock that was heard.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct HeardClock {
    /// Its advertised name, such as NRF-325608.
    name: String,
    /// Its address, as the argument `mac` of the other tools takes it.
    address: String,
    /// Signal strength in dBm; absent where the system does not say.
    #[serde(skip_serializing_if = "Option::is_none")]
    rssi: Option<i16>,
    /// A simulated clock, no device.
    simulated: bool,
}

impl From<NearbyClock> for HeardClock {
    fn from(clock: NearbyClock) -> Self {
        Self {
            name: clock.name,
            address: clock.address,
            rssi: clock.rssi,
            simulated: clock.simulated,
        }
    }
}

impl ClockTool for ScanDevices {
    type Data = Heard;

    const NAME: &'static str = "scan_devices";
    const TITLE: &'static str = "Scan for clocks";
    const ABOUT: &'static str = "Listens for e-ink clocks over Bluetooth and answers those that were heard, strongest first, each with name, address and rssi. Use it to find the address of a clock, or to see whether one is in range. Clocks sleep and wake every 30 to 60 s: an empty list after 5 s proves nothing, so listen again with timeout 60. No scan is needed before the other tools; they wait for their clock by themselves. Changes nothing.";
    const EFFECT: Effect = Effect::READS;
    const EXAMPLE: &'static str = r#"{"timeout": 10}"#;

    async fn call(self, call: &Call) -> Result<Reply<Heard>, Failure> {
        let duration = Duration::from_secs_f64(self.timeout);
        let heard = call.read(call.engine.scan_for(duration)).await?;
        let devices = heard.into_iter().map(HeardClock::from).collect();
        Ok(Heard { devices }.into())
    }
}

/// How a clock stands.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct DeviceStatus {
    /// Address of the clock, such as AA:BB:CC:DD:EE:FF. Without it: the clock in use.
    pub(super) mac: Option<String>,
}

/// How a clock stands.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Status {
    /// Whether there is a link now. A clock without one sleeps, which is its normal state.
    connected: bool,
    /// What the link is doing.
    #[schemars(schema_with = "links")]
    link: &'static str,
    /// Address of the clock; absent while none was ever reached.
    #[serde(skip_serializing_if = "Option::is_none")]
    mac: Option<String>,
    /// Its advertised name.
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    /// What the clock calls itself, while connected; absent for clocks that do not tell.
    #[serde(skip_serializing_if = "Option::is_none")]
    device_id: Option<String>,
    /// Seconds for which the link has been unused; absent without a link.
    #[serde(skip_serializing_if = "Option::is_none")]
    idle_seconds: Option<u32>,
    /// A simulated clock, no device.
    simulated: bool,
    /// The slot whose picture the clock is known to show, 0 to 3.
    #[serde(skip_serializing_if = "Option::is_none")]
    shown_slot: Option<u8>,
    /// When the time was last set from here; absent: never.
    #[serde(skip_serializing_if = "Option::is_none")]
    time_set: Option<TimeWasSet>,
    /// Why Bluetooth cannot be used, where it cannot.
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<String>,
}

/// When the time was last set.
#[derive(Debug, Serialize, JsonSchema)]
struct TimeWasSet {
    /// Instant, RFC 3339.
    at: String,
    /// To which zone: an IANA name or an offset.
    zone: String,
}

fn links(_: &mut SchemaGenerator) -> Schema {
    json_schema!({
        "type": "string",
        "enum": [
            "unavailable", "asleep", "listening", "connecting", "connected", "sending",
            "refreshing",
        ],
    })
}

fn link_word(link: &LinkView) -> &'static str {
    match link {
        LinkView::Unavailable { .. } => "unavailable",
        LinkView::Asleep => "asleep",
        LinkView::Listening { .. } => "listening",
        LinkView::Connecting => "connecting",
        LinkView::Connected => "connected",
        LinkView::Sending => "sending",
        LinkView::Refreshing { .. } => "refreshing",
    }
}

impl ClockTool for DeviceStatus {
    type Data = Status;

    const NAME: &'static str = "device_status";
    const TITLE: &'static str = "Status of the clock";
    const ABOUT: &'static str = "Answers how the clock stands: whether it is connected now, its address and name, how long the link has been idle, the slot whose picture it shows and when its time was set. Answers at once from what is known and never wakes the clock: \"asleep\" is the normal state between calls and no failure, the other tools connect by themselves.";
    const EFFECT: Effect = Effect::READS;
    // Among all tools, one of both kinds of device has its name.
    const TOOLSETS: &'static [Toolset] = &[Toolset::Clock];
    const EXAMPLE: &'static str = "{}";

    async fn call(self, call: &Call) -> Result<Reply<Status>, Failure> {
        let clock = call.clock(self.mac);
        let status = call.engine.clock_status(clock.as_deref()).await?;
        Ok(Status {
            connected: status.connected,
            link: link_word(&status.link),
            mac: status.mac,
            name: status.name,
            device_id: status.device_id,
            idle_seconds: status.idle_seconds,
            simulated: status.simulated,
            shown_slot: status.shown_slot,
            time_set: status.time_set.map(|set| TimeWasSet {
                at: set.at,
                zone: set.zone,
            }),
            problem: match status.link {
                LinkView::Unavailable { fault } => Some(fault.message),
                _ => None,
            },
        }
        .into())
    }
}

/// Every device that is known.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct ListDevices {}

/// Devices.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct DeviceList {
    /// The clock in use first, then the clocks that were heard, then the devices of the room.
    devices: Vec<Device>,
}

/// A device.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Device {
    /// What it is called in calls: the address of a clock as mac, the device_id of a device of the
    /// room.
    id: String,
    /// What kind of device it is.
    #[schemars(schema_with = "kinds")]
    kind: &'static str,
    /// Its name.
    name: String,
    /// The room it stands in, where that was said.
    #[serde(skip_serializing_if = "Option::is_none")]
    room: Option<String>,
    /// How it stands. For the clock in use: what its link is doing; asleep is normal. For a device
    /// of the room: answering, unreachable, no-token, token-refused, reading-only, setup-mode,
    /// throttled, garbled (what it answers cannot be read), relayed (only its gateway can be asked)
    /// or unasked.
    #[serde(skip_serializing_if = "Option::is_none")]
    state: Option<&'static str>,
    /// Seconds since a device of the room last answered; absent: never.
    #[serde(skip_serializing_if = "Option::is_none")]
    age_seconds: Option<u64>,
    /// Whether calls that name no device go to it.
    in_use: bool,
    /// A simulated device.
    simulated: bool,
    /// Signal strength in dBm when it was last heard.
    #[serde(skip_serializing_if = "Option::is_none")]
    rssi: Option<i16>,
}

fn kinds(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "string", "enum": ["clock", "room"] })
}

impl Device {
    fn of_clock(clock: &NearbyClock) -> Self {
        Self {
            id: clock.address.clone(),
            kind: "clock",
            name: clock.name.clone(),
            room: None,
            state: None,
            age_seconds: None,
            in_use: false,
            simulated: clock.simulated,
            rssi: clock.rssi,
        }
    }

    /// At a moment in milliseconds since 1970.
    fn of_room(device: &DeviceState, now: u64) -> Self {
        Self {
            id: device.id.to_string(),
            kind: "room",
            name: device.name.clone(),
            room: device.room.clone(),
            state: Some(condition_word(&device.condition)),
            age_seconds: device
                .answered_at
                .map(|answered| now.saturating_sub(answered) / 1000),
            in_use: false,
            simulated: device.origin == Origin::Simulated,
            rssi: device.reading.as_ref().and_then(|reading| reading.rssi),
        }
    }
}

fn condition_word(condition: &Condition) -> &'static str {
    match condition {
        Condition::Unasked => "unasked",
        Condition::Answering => "answering",
        Condition::Unreachable { .. } => "unreachable",
        Condition::NoToken => "no-token",
        Condition::TokenRefused => "token-refused",
        Condition::ReadingOnly => "reading-only",
        Condition::SetupMode => "setup-mode",
        Condition::Throttled { .. } => "throttled",
        Condition::Garbled { .. } => "garbled",
        Condition::Relayed => "relayed",
    }
}

impl ClockTool for ListDevices {
    type Data = DeviceList;

    const NAME: &'static str = "list_devices";
    const TITLE: &'static str = "List devices";
    const ABOUT: &'static str = "Lists the devices that are known: the clock in use, clocks heard in the last scan, and the devices of the escape room, each with id, name, kind and how it stands. The id of a clock is what the argument mac takes, that of a device of the room what device_id takes. Answers at once from what is known; use scan_devices to listen for clocks anew, device_status to ask a device of the room now.";
    const EFFECT: Effect = Effect::READS;
    const TOOLSETS: &'static [Toolset] = OF_ALL;
    const EXAMPLE: &'static str = "{}";

    async fn call(self, call: &Call) -> Result<Reply<DeviceList>, Failure> {
        call.engine.open_room().await;
        let state = call.engine.state();
        let clock = &state.borrow().clock;
        let heard = |address: &str| clock.nearby.iter().find(|heard| heard.address == address);
        let chosen = clock.chosen.as_ref().map(|chosen| Device {
            id: chosen.address.clone(),
            kind: "clock",
            name: chosen.name.clone(),
            room: None,
            state: Some(link_word(&clock.link)),
            age_seconds: None,
            in_use: true,
            simulated: chosen.simulated,
            rssi: heard(&chosen.address).and_then(|heard| heard.rssi),
        });
        let in_use = |address: &str| {
            let chosen = clock.chosen.as_ref();
            chosen.is_some_and(|chosen| chosen.address == address)
        };
        let others = clock.nearby.iter().filter(|heard| !in_use(&heard.address));
        let clocks = chosen.into_iter().chain(others.map(Device::of_clock));
        let now = u64::try_from(Timestamp::now().as_millisecond()).unwrap_or_default();
        let room = call.engine.room_state();
        let room = room.borrow();
        let in_room = room
            .devices
            .iter()
            .map(|device| Device::of_room(device, now));
        let devices = clocks.chain(in_room).collect();
        Ok(DeviceList { devices }.into())
    }
}
