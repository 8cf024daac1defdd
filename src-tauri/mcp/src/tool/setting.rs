//! What the clock is set to: time, face, switches, quiet hours, bytes as they are.

use regie_engine::{Channel, Mode, Toggle};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

use super::answer::{Failure, Reply};
use super::call::{Call, Receipt};
use super::{ClockTool, Effect};

/// Set the clock.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct SetTime {
    /// Time zone: hours east of UTC such as 8, 5.75 or -3.5, an offset such as +05:30, or an IANA
    /// name such as Europe/Paris. Without it: the zone of this computer, also when that changes.
    tz: Option<String>,
    /// Address of the clock, such as AA:BB:CC:DD:EE:FF. Without it: the clock in use.
    mac: Option<String>,
}

/// The time that was set.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct TimeSet {
    /// The zone that was asked for; absent: that of this computer.
    #[serde(skip_serializing_if = "Option::is_none")]
    tz: Option<String>,
    #[serde(flatten)]
    receipt: Receipt,
}

impl ClockTool for SetTime {
    type Data = TimeSet;

    const NAME: &'static str = "set_time";
    const TITLE: &'static str = "Set the time";
    const ABOUT: &'static str = "Sets the clock to the present time of a time zone. Without tz it is the zone of this computer, and Regie sets the clock again when summer time begins or ends. Use it when the clock shows a wrong time. On some clocks the time takes the picture off the screen. Waits up to 90 s for the clock to wake.";
    const EFFECT: Effect = Effect::SETS;
    const EXAMPLE: &'static str = r#"{"tz": "Europe/Paris"}"#;

    async fn call(self, call: &Call) -> Result<Reply<TimeSet>, Failure> {
        let zone = self.tz.as_deref();
        let order = call.order(self.mac);
        let receipt = call.follow(call.engine.set_time(order, zone)).await?;
        let tz = self.tz;
        Ok(TimeSet { tz, receipt }.into())
    }
}

/// Change what the clock shows.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct SetMode {
    /// What to show.
    #[schemars(schema_with = "modes")]
    mode: String,
    /// Address of the clock, such as AA:BB:CC:DD:EE:FF. Without it: the clock in use.
    mac: Option<String>,
}

fn modes(_: &mut SchemaGenerator) -> Schema {
    let names: Vec<String> = Mode::all().map(|mode| mode.to_string()).collect();
    json_schema!({ "type": "string", "enum": names })
}

/// What is shown.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct ModeSet {
    /// What is shown now.
    mode: String,
    #[serde(flatten)]
    receipt: Receipt,
}

impl ClockTool for SetMode {
    type Data = ModeSet;

    const NAME: &'static str = "set_mode";
    const TITLE: &'static str = "Change what the clock shows";
    const ABOUT: &'static str = "Changes what the clock shows: clock1 to clock3 and calendar1 to calendar3 are faces of the clock itself; image0 to image3 show the picture that upload_image or render_template put into that slot, and send it only if the clock does not show it already; tricolor and mono show the present picture with or without red. Not every clock has every face: one that is not known for this clock is INVALID_PARAM. Waits up to 90 s for the clock to wake, then a few seconds, and some 15 s for a redraw.";
    const EFFECT: Effect = Effect::SETS;
    const EXAMPLE: &'static str = r#"{"mode": "calendar1"}"#;

    async fn call(self, call: &Call) -> Result<Reply<ModeSet>, Failure> {
        let mode: Mode = self.mode.parse()?;
        let order = call.order(self.mac);
        let receipt = call.follow(call.engine.set_mode(order, mode)).await?;
        let mode = self.mode;
        Ok(ModeSet { mode, receipt }.into())
    }
}

/// Flip a switch of the clock.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct FlipToggle {
    /// Which switch: invert (black on white or white on black), font, rotate180 (upside down),
    /// hour_format (12 or 24 hours) or clock_color (red accent).
    #[schemars(schema_with = "toggles")]
    name: String,
    /// Address of the clock, such as AA:BB:CC:DD:EE:FF. Without it: the clock in use.
    mac: Option<String>,
}

fn toggles(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "string", "enum": Toggle::ALL.map(Toggle::name) })
}

/// The switch that was flipped.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Flipped {
    /// Which.
    name: String,
    #[serde(flatten)]
    receipt: Receipt,
}

impl ClockTool for FlipToggle {
    type Data = Flipped;

    const NAME: &'static str = "toggle";
    const TITLE: &'static str = "Flip a switch of the clock";
    const ABOUT: &'static str = "Flips one switch of the clock to its other state. The clock does not tell its state: calling it twice brings back the state before, so do not repeat a call whose outcome is unknown without looking at the clock. Waits up to 90 s for the clock to wake.";
    const EFFECT: Effect = Effect::FLIPS;
    const EXAMPLE: &'static str = r#"{"name": "invert"}"#;

    async fn call(self, call: &Call) -> Result<Reply<Flipped>, Failure> {
        let toggle: Toggle = self.name.parse().map_err(regie_engine::EngineError::from)?;
        let order = call.order(self.mac);
        let receipt = call.follow(call.engine.toggle(order, toggle)).await?;
        let name = self.name;
        Ok(Flipped { name, receipt }.into())
    }
}

/// Set the quiet hours.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct SetSleep {
    /// Whether the screen rests in these hours.
    on: bool,
    /// Hour at which the rest begins, 0 to 23.
    #[schemars(range(min = 0, max = 23))]
    start_h: u8,
    /// Hour at which it ends, 0 to 23; before start_h: on the next day.
    #[schemars(range(min = 0, max = 23))]
    end_h: u8,
    /// Address of the clock, such as AA:BB:CC:DD:EE:FF. Without it: the clock in use.
    mac: Option<String>,
}

/// The quiet hours that were set.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct SleepSet {
    /// Whether they apply.
    on: bool,
    /// Hour at which they begin.
    start_h: u8,
    /// Hour at which they end.
    end_h: u8,
    #[serde(flatten)]
    receipt: Receipt,
}

impl ClockTool for SetSleep {
    type Data = SleepSet;

    const NAME: &'static str = "set_sleep";
    const TITLE: &'static str = "Set the quiet hours";
    const ABOUT: &'static str = "Sets the hours in which the clock's screen rests to save its battery, or switches that off. start_h and end_h are hours of the clock's own time and may span midnight, such as 23 to 7; they must differ where on is true. Waits up to 90 s for the clock to wake.";
    const EFFECT: Effect = Effect::SETS;
    const EXAMPLE: &'static str = r#"{"on": true, "start_h": 23, "end_h": 7}"#;

    async fn call(self, call: &Call) -> Result<Reply<SleepSet>, Failure> {
        let Self {
            on,
            start_h,
            end_h,
            mac,
        } = self;
        let order = call.order(mac);
        let submission = call.engine.quiet_hours(order, on, start_h, end_h);
        let receipt = call.follow(submission).await?;
        Ok(SleepSet {
            on,
            start_h,
            end_h,
            receipt,
        }
        .into())
    }
}

/// Make the screen white.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct ClearScreen {
    /// Address of the clock, such as AA:BB:CC:DD:EE:FF. Without it: the clock in use.
    mac: Option<String>,
}

impl ClockTool for ClearScreen {
    type Data = Receipt;

    const NAME: &'static str = "clear_screen";
    const TITLE: &'static str = "Clear the screen";
    const ABOUT: &'static str = "Makes the clock's screen white. Pictures in slots are kept and come back with set_mode image0 to image3. Waits up to 90 s for the clock to wake, and some 15 s for the redraw.";
    const EFFECT: Effect = Effect::REPLACES;
    const EXAMPLE: &'static str = "{}";

    async fn call(self, call: &Call) -> Result<Reply<Receipt>, Failure> {
        let order = call.order(self.mac);
        Ok(call.follow(call.engine.clear(order)).await?.into())
    }
}

/// Send bytes as they are.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct RawSend {
    /// The bytes as hexadecimal digits, two a byte, such as E2 or DD6A7873F0; spaces and colons
    /// between them are ignored.
    #[schemars(length(max = 4096))]
    data_hex: String,
    /// Where they go: alt is the command channel, main the one for pictures.
    #[serde(default = "alt")]
    #[schemars(schema_with = "channels")]
    channel: String,
    /// Address of the clock, such as AA:BB:CC:DD:EE:FF. Without it: the clock in use.
    mac: Option<String>,
}

fn alt() -> String {
    "alt".into()
}

fn channels(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "string", "enum": ["alt", "main"] })
}

/// What was sent.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct RawSent {
    /// The bytes, as hexadecimal digits.
    data_hex: String,
    /// Where they went.
    channel: String,
    #[serde(flatten)]
    receipt: Receipt,
}

impl ClockTool for RawSend {
    type Data = RawSent;

    const NAME: &'static str = "raw_send";
    const TITLE: &'static str = "Send raw bytes";
    const ABOUT: &'static str = "Sends bytes to the clock as they are. A last resort for what no other tool does; what the bytes mean is in the protocol notes of the clock. Commands that reset, activate or recalibrate a clock are refused with INVALID_PARAM. Waits up to 90 s for the clock to wake.";
    const EFFECT: Effect = Effect::ANYTHING;
    const EXAMPLE: &'static str = r#"{"data_hex": "E2"}"#;

    async fn call(self, call: &Call) -> Result<Reply<RawSent>, Failure> {
        let bytes = bytes(&self.data_hex)?;
        let channel = match self.channel.as_str() {
            "main" => Channel::Main,
            _ => Channel::Alt,
        };
        let data_hex = bytes.iter().map(|byte| format!("{byte:02X}")).collect();
        let order = call.order(self.mac);
        let receipt = call.follow(call.engine.raw(order, channel, bytes)).await?;
        let channel = self.channel;
        Ok(RawSent {
            data_hex,
            channel,
            receipt,
        }
        .into())
    }
}

fn bytes(hex: &str) -> Result<Vec<u8>, Failure> {
    let hex = hex.trim().trim_start_matches("0x");
    let digits: Vec<char> = hex.chars().filter(|c| !matches!(c, ' ' | ':')).collect();
    let pairs = digits.chunks(2).map(|pair| match pair {
        [high, low] => {
            let value = high.to_digit(16)? * 16 + low.to_digit(16)?;
            u8::try_from(value).ok()
        }
        _ => None,
    });
    pairs.collect::<Option<_>>().ok_or_else(|| {
        Failure::of_argument(
            "\"data_hex\" of raw_send must be hexadecimal digits, two a byte.",
            "Write it such as E2 or DD6A7873F0.",
        )
    })
}
