//! What the doors show: one plain value that holds the whole state of the application.

use regie_clock::{Face, Family, Stage, Toggle};
use serde::{Deserialize, Serialize};

use crate::fault::Fault;
use crate::settings::{Locale, Settings};

/// How many picture slots the host keeps.
pub const SLOTS: u8 = 4;

/// The whole state, as of one moment. Doors are told of every change and never keep their own.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
pub struct AppState {
    /// The version of Regie.
    pub version: String,
    /// The catalogue in use: the language setting resolved against the system's.
    pub locale: Locale,
    /// This computer's IANA time zone.
    pub zone: String,
    /// Clocks are simulated, now.
    pub simulated: bool,
    /// Simulated devices were asked for at start and override the setting until the next start.
    pub demo_forced: bool,
    /// The clock.
    pub clock: ClockState,
    /// The four slots, each with what it holds.
    pub slots: Vec<Option<Slot>>,
    /// What the person has set.
    pub settings: Settings,
    /// What went wrong at start without keeping Regie from it.
    pub warnings: Vec<Fault>,
    /// The tokens that agents may show, oldest first.
    pub tokens: Vec<AccessToken>,
    /// Where secrets are kept.
    pub secrets: SecretsState,
}

/// A token that lets an agent in. Its secret is not part of the state.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
pub struct AccessToken {
    /// Stable name of the token, not secret.
    pub id: String,
    /// What a person calls it: the agent that has it.
    pub name: String,
    /// When it was made, RFC 3339.
    pub created: String,
    /// When it last let somebody in, RFC 3339.
    pub last_used: Option<String>,
    /// The environment variable it comes from; it cannot be replaced or revoked here.
    pub variable: Option<String>,
}

/// Where secrets are kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "kept", rename_all = "kebab-case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
pub enum SecretsState {
    /// In the system's keyring.
    Keyring,
    /// In a file that only its owner may read, as was asked for.
    File {
        /// Which.
        path: String,
    },
    /// Nowhere: they are forgotten when Regie ends.
    Memory {
        /// Why there is no keyring.
        fault: Fault,
    },
    /// In a keyring or a file that cannot be used now: locked, refused, or not as it should be.
    Unusable {
        /// Why.
        fault: Fault,
    },
}

/// The clock as the host knows it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
pub struct ClockState {
    /// The clock that operations go to; `None`: the first one heard, which is then remembered.
    pub chosen: Option<KnownClock>,
    /// The state of the link.
    pub link: LinkView,
    /// The operation under way, else the last one that ended, until it is dismissed.
    pub operation: Option<Operation>,
    /// A scan is running.
    pub scanning: bool,
    /// Clocks heard in the running or the last scan, strongest first.
    pub nearby: Vec<NearbyClock>,
    /// The slot the clock is known to show.
    pub shown_slot: Option<u8>,
    /// When and to which zone the clock was last set.
    pub time_set: Option<TimeSet>,
    /// The quiet hours that the clock was last given.
    pub quiet_hours: Option<QuietHoursSet>,
    /// The calendar that the host has drawn and that the clock shows.
    pub host_calendar: Option<HostCalendar>,
    /// What this clock cannot do.
    pub unsupported: Unsupported,
    /// How long showing a picture takes.
    pub estimate: Estimate,
}

/// A clock that operations are sent to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
pub struct KnownClock {
    /// Bluetooth address, or the system's opaque identifier on macOS.
    pub address: String,
    /// Advertised name.
    pub name: String,
    /// Its family, once known; it decides what the clock can do.
    #[serde(default)]
    pub family: Option<Family>,
    /// Simulated, not a device.
    pub simulated: bool,
}

/// A clock that was heard.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(
    feature = "ts",
    derive(ts_rs::TS),
    ts(export, rename = "Advertisement")
)]
pub struct NearbyClock {
    /// Bluetooth address, or the system's opaque identifier on macOS.
    pub address: String,
    /// Advertised name.
    pub name: String,
    /// Received signal strength in dBm; `None` where the stack does not say.
    pub rssi: Option<i16>,
    /// Simulated, not a device.
    pub simulated: bool,
}

/// The state of the link to the clock.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "state", rename_all = "kebab-case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export, rename = "LinkState"))]
pub enum LinkView {
    /// Bluetooth cannot be used, for the reason given.
    Unavailable {
        /// Why: no adapter, radio off, no permission.
        fault: Fault,
    },
    /// Not connected, nothing under way.
    Asleep,
    /// Waiting for the clock's advertisement.
    Listening {
        /// Seconds until the wait is given up.
        seconds_left: u32,
    },
    /// Connecting and reading services.
    Connecting,
    /// Connected and idle.
    Connected,
    /// Sending.
    Sending,
    /// The panel redraws.
    Refreshing {
        /// Seconds until it is done, at the latest.
        seconds_left: u32,
    },
}

/// What an operation does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
pub enum OperationKind {
    /// Show a picture.
    Show,
    /// Set the time.
    SetTime,
    /// Change the face.
    Face,
    /// Flip a switch.
    Toggle,
    /// Set the quiet hours.
    QuietHours,
    /// Count the days down to a date.
    Countdown,
    /// End the countdown.
    CountdownOff,
    /// Put a text into the calendar.
    CalendarText,
    /// Show a calendar that the host draws.
    HostCalendar,
    /// Clear the screen.
    Clear,
    /// Send bytes as they are.
    Raw,
}

impl OperationKind {
    /// Whether some clock may show something else afterwards. The time takes the picture off the
    /// screen of some.
    pub(crate) fn may_change_screen(self) -> bool {
        match self {
            Self::Show
            | Self::Face
            | Self::Countdown
            | Self::CountdownOff
            | Self::CalendarText
            | Self::HostCalendar
            | Self::Clear
            | Self::SetTime
            | Self::Raw => true,
            Self::Toggle | Self::QuietHours => false,
        }
    }
}

/// An operation on the clock.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
pub struct Operation {
    /// Number of the operation within this run of Regie.
    pub id: u32,
    /// What it does.
    pub kind: OperationKind,
    /// The slot it shows, for [`OperationKind::Show`].
    pub slot: Option<u8>,
    /// How far it is.
    pub progress: Progress,
    /// How it ended; `None` while it runs.
    pub outcome: Option<Outcome>,
}

/// How far an operation is.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
pub struct Progress {
    /// What is being done.
    pub stage: Stage,
    /// Packets the clock has accepted.
    pub packets_done: u32,
    /// Packets in all; 0 while unknown.
    pub packets_total: u32,
    /// Payload rate over the last seconds.
    pub bytes_per_second: Option<u32>,
    /// Estimated seconds until the stage ends.
    pub seconds_left: Option<u32>,
}

/// How an operation ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "kebab-case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
pub enum Outcome {
    /// Every byte was accepted and the last command acknowledged.
    Done {
        /// What was sent.
        report: Report,
    },
    /// It was not applied.
    Failed {
        /// Why.
        fault: Fault,
        /// What was sent until then.
        report: Report,
    },
    /// It may or may not have been applied.
    Unknown {
        /// Why, and what to look at.
        fault: Fault,
        /// What was sent until then.
        report: Report,
    },
    /// The person stopped it.
    Cancelled {
        /// What was sent until then.
        report: Report,
    },
}

impl Outcome {
    /// The failure behind a [`Outcome::Failed`] or [`Outcome::Unknown`].
    pub fn fault(&self) -> Option<&Fault> {
        match self {
            Self::Failed { fault, .. } | Self::Unknown { fault, .. } => Some(fault),
            Self::Done { .. } | Self::Cancelled { .. } => None,
        }
    }

    /// What was sent.
    pub fn report(&self) -> &Report {
        match self {
            Self::Done { report }
            | Self::Failed { report, .. }
            | Self::Unknown { report, .. }
            | Self::Cancelled { report } => report,
        }
    }
}

/// What was sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
pub struct Report {
    /// Bytes the clock accepted, headers included.
    pub bytes: u32,
    /// Packets the clock accepted.
    pub packets: u32,
    /// Packets that had to be sent again.
    pub packets_resent: u32,
    /// Times the link was lost and made again.
    pub reconnects: u32,
    /// From request to outcome, in milliseconds.
    pub duration_ms: u32,
}

/// When and to which zone the clock was set.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
pub struct TimeSet {
    /// Instant, RFC 3339.
    pub at: String,
    /// IANA name or offset.
    pub zone: String,
    /// It was asked to be on this computer's time, wherever that is.
    #[serde(default)]
    pub follows_host: bool,
}

/// Quiet hours as a clock was given them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
pub struct QuietHoursSet {
    /// Whether they apply.
    pub on: bool,
    /// First hour, 0..=23.
    pub start_hour: u8,
    /// Hour at which they end, 0..=23.
    pub end_hour: u8,
}

/// A calendar page that the host has drawn.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
pub struct HostCalendar {
    /// The day that is marked in it, `YYYY-MM-DD`.
    pub day: String,
    /// Words over it.
    pub text: Option<String>,
}

/// What a clock cannot do.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
pub struct Unsupported {
    /// Faces.
    pub faces: Vec<Face>,
    /// Switches.
    pub toggles: Vec<Toggle>,
    /// Quiet hours.
    pub quiet_hours: bool,
    /// The countdown.
    pub countdown: bool,
    /// Why, where something is.
    pub reason: Option<Lack>,
}

/// Why a clock cannot do something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "kebab-case")]
pub enum Lack {
    /// Nobody has published the command, but the profile file can add it.
    Code,
    /// The firmware has nothing of the kind.
    Firmware,
}

/// How long showing a picture takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
pub struct Estimate {
    /// Sending, as last measured on this clock, else as the protocol notes suggest.
    pub send_seconds: u32,
    /// Redrawing of a three-colour panel.
    pub refresh_seconds: u32,
}

/// What a slot holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
pub struct Slot {
    /// The slot, 0..=3.
    pub slot: u8,
    /// The picture's name.
    pub name: String,
    /// When it was put there, RFC 3339.
    pub changed: String,
}

/// How large a picture is on its way to the clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Sizes {
    /// Bytes of the black and white plane.
    pub bytes_bw: usize,
    /// Bytes of the red plane.
    pub bytes_red: usize,
    /// It is for the calendar's small part, not for the whole panel.
    pub small: bool,
}

/// A picture that was opened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
pub struct PictureInfo {
    /// Number of the picture within this run of Regie.
    pub id: u32,
    /// File name.
    pub name: String,
    /// Width in pixels, as it stands after its EXIF orientation.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
    /// What opening it had to do.
    pub notes: Vec<crate::fault::Note>,
}

/// Who asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
pub enum Door {
    /// The window.
    Window,
    /// The tray's menu.
    Tray,
    /// The command line.
    Cli,
    /// An agent.
    Agent,
    /// Nobody: Regie itself.
    Regie,
}

/// How a journalled action stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
pub enum JournalOutcome {
    /// Under way.
    Running,
    /// Applied.
    Done,
    /// Not applied.
    Failed,
    /// May or may not have been applied.
    Unknown,
    /// Stopped by a person.
    Cancelled,
    /// Regie itself ended in the middle of it.
    Interrupted,
}

/// What the journal tells of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "what", rename_all = "kebab-case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
pub enum Action {
    /// An operation on the clock.
    Operation {
        /// What it does.
        kind: OperationKind,
    },
    /// An agent's call of a tool. What the tool does to the clock is an operation besides.
    Call {
        /// Which.
        tool: String,
    },
    /// Something asked of a device of the room.
    Device {
        /// The tool that asks for it, such as `led_set`.
        tool: String,
    },
}

/// Who did what, to what, when, how it ended and how long it took.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
pub struct JournalEntry {
    /// Number of the entry.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub id: i64,
    /// When it was asked, RFC 3339.
    pub at: String,
    /// Who asked.
    pub door: Door,
    /// What they are called: the name of an agent.
    pub caller: Option<String>,
    /// What was asked.
    pub action: Action,
    /// Which clock or device; empty where none was chosen yet, and for a call.
    pub target: String,
    /// What exactly: a picture's name, a face, a zone.
    pub detail: String,
    /// How it stands.
    pub outcome: JournalOutcome,
    /// Why, where it failed or is unknown.
    pub fault: Option<Fault>,
    /// How long it took.
    #[cfg_attr(feature = "ts", ts(type = "number | null"))]
    pub duration_ms: Option<u32>,
}
