//! What can go wrong with a clock, in words an operator understands.

use thiserror::Error;

use crate::link::{Address, Channel, Unavailable};
use crate::picture::{PictureSize, Plane};
use crate::system::System;

/// The small set of error codes that agents see.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AgentCode {
    /// The request itself is wrong; repeating it will not help.
    InvalidParam,
    /// No clock was heard.
    DeviceNotFound,
    /// A clock was heard, but no working connection came about in time.
    ConnectTimeout,
    /// Bluetooth, or the clock over Bluetooth, refused or failed.
    BleError,
    /// The connection was lost and one reconnect did not save the operation.
    DeviceDisconnected,
    /// A fault of this program.
    Internal,
}

impl AgentCode {
    /// The code as it goes over the wire, such as `DEVICE_NOT_FOUND`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::InvalidParam => "INVALID_PARAM",
            Self::DeviceNotFound => "DEVICE_NOT_FOUND",
            Self::ConnectTimeout => "CONNECT_TIMEOUT",
            Self::BleError => "BLE_ERROR",
            Self::DeviceDisconnected => "DEVICE_DISCONNECTED",
            Self::Internal => "INTERNAL",
        }
    }
}

/// Everything that can go wrong between a request and the clock's screen.
///
/// `Display` is a whole English sentence. [`code`](Self::code) is stable and, with
/// [`params`](Self::params), enough to build the same sentence in another language.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ClockError {
    /// A zone that is neither an IANA name nor an offset.
    #[error("\"{input}\" is not a time zone.")]
    ZoneUnknown {
        /// What was given.
        input: String,
    },
    /// An offset outside -12..=+14 hours.
    #[error("The offset {input} is outside the range from -12 to +14 hours.")]
    OffsetOutOfRange {
        /// What was given.
        input: String,
    },
    /// An instant that the clock's 32-bit seconds cannot hold.
    #[error("The clock cannot be set to that moment: it counts from 1970 to 2106.")]
    TimeOutOfRange,
    /// A plane of the wrong length.
    #[error("The {plane} plane of a {size} picture has {expected} bytes, but {actual} were given.")]
    PlaneLength {
        /// The picture's size.
        size: PictureSize,
        /// Which of the two planes.
        plane: Plane,
        /// Bytes a plane of that size has.
        expected: usize,
        /// Bytes given.
        actual: usize,
    },
    /// Text that is not the address of a clock.
    #[error("\"{input}\" is not the address of a clock.")]
    AddressInvalid {
        /// What was given.
        input: String,
    },
    /// Quiet hours that end at the hour at which they begin.
    #[error("Quiet hours cannot begin and end at the same hour ({hour}).")]
    HoursEqual {
        /// That hour.
        hour: u8,
    },
    /// An hour outside 0..=23.
    #[error("{hour} is not an hour of the day.")]
    HourInvalid {
        /// What was given.
        hour: u8,
    },
    /// A countdown date that does not exist or that the clock cannot hold.
    #[error("{date} is not a date a countdown can run to.")]
    DateInvalid {
        /// What was given, as year-month-day.
        date: String,
    },
    /// More cells of countdown text than the style has room for, or none.
    #[error("A countdown text in this style has 1 to {limit} characters, not {cells}.")]
    CountdownTextLength {
        /// Characters given.
        cells: usize,
        /// Most characters of the style.
        limit: usize,
    },
    /// The system does not say in which time zone this computer is.
    #[error("This computer does not say in which time zone it is.")]
    SystemZoneUnknown,
    /// A day that is over where the clock is.
    #[error("The day {date} is over: there it is {today} already.")]
    DatePast {
        /// The date given.
        date: String,
        /// The date it is.
        today: String,
    },
    /// A countdown bitmap whose length does not fit its characters.
    #[error("The countdown text needs {expected} bytes of bitmap, but {actual} were given.")]
    CountdownBitmapLength {
        /// Bytes needed.
        expected: usize,
        /// Bytes given.
        actual: usize,
    },
    /// A face or toggle of a name that does not exist.
    #[error("\"{name}\" is not one of {known}.")]
    NameUnknown {
        /// What was given.
        name: String,
        /// The names there are.
        known: String,
    },
    /// A code that nobody has published and that the profile does not hold.
    #[error("The clock's command for \"{name}\" is not known.")]
    CodeUnknown {
        /// Name of the profile entry that is missing, such as `clock2`.
        name: String,
    },
    /// Something that the firmware of this clock cannot do.
    #[error("The firmware of this clock cannot do this: {request}.")]
    NotSupported {
        /// The kind of request, or the face or toggle, by its name.
        request: String,
    },
    /// A firmware that does not take pictures yet.
    #[error(
        "The clock's firmware has version {}, but pictures need version {} or later.",
        version_name(*.version), version_name(*.needed)
    )]
    FirmwareTooOld {
        /// Its version, major in the high nibble and minor in the low one.
        version: u8,
        /// The first version that would do.
        needed: u8,
    },
    /// A clock that has not said which panel it has.
    #[error("The clock has not said which panel it has.")]
    PanelUnsaid,
    /// A panel of another size or with other colours than pictures are made for.
    #[error(
        "The clock's panel is of model {model:02X}, but pictures are made for 400x300 pixels in two or three colours."
    )]
    PanelMismatch {
        /// The number of the panel's model.
        model: u8,
    },
    /// A profile file that cannot be understood.
    #[error("The clock profile cannot be read: {detail}.")]
    ProfileInvalid {
        /// What is wrong, and where.
        detail: String,
    },
    /// Raw bytes with nothing in them.
    #[error("There are no bytes to send.")]
    RawEmpty,
    /// Raw bytes that are longer than the characteristic takes.
    #[error("{actual} bytes are too many for the {channel} channel, which takes {limit}.")]
    RawTooLong {
        /// The channel.
        channel: Channel,
        /// Most bytes it takes.
        limit: usize,
        /// Bytes given.
        actual: usize,
    },
    /// Raw bytes that can harm the clock.
    #[error(
        "The command {command:02X} on the {channel} channel can harm the clock and is blocked."
    )]
    RawDenied {
        /// The channel.
        channel: Channel,
        /// The first byte.
        command: u8,
    },
    /// The computer's Bluetooth cannot be used.
    #[error("{}", .reason.sentence())]
    BluetoothUnavailable {
        /// Why.
        reason: Unavailable,
    },
    /// No clock at all was heard.
    #[error("No clock was heard within {seconds} seconds.")]
    NotFound {
        /// How long was listened.
        seconds: u64,
    },
    /// Nothing at all was heard, clock or other.
    #[error("Not a single Bluetooth device was heard within {seconds} seconds.")]
    NothingHeard {
        /// How long was listened.
        seconds: u64,
    },
    /// The wanted clock was not heard.
    #[error("The clock {address} was not heard within {seconds} seconds.")]
    TargetNotHeard {
        /// The wanted clock.
        address: Address,
        /// How long was listened.
        seconds: u64,
    },
    /// The clock was heard but did not accept a connection.
    #[error("The clock {address} was found, but it could not be connected ({detail}).")]
    ConnectFailed {
        /// The clock.
        address: Address,
        /// What Bluetooth said last.
        detail: String,
    },
    /// The clock was connected but never answered the question for its services.
    #[error("The clock {address} connected, but did not answer within {seconds} seconds.")]
    DiscoveryTimeout {
        /// The clock.
        address: Address,
        /// How long was waited.
        seconds: u64,
    },
    /// The clock was connected, but the list of its services came empty or in part.
    #[error("The clock {address} connected, but its services could not be read.")]
    ServicesUnread {
        /// The clock.
        address: Address,
    },
    /// The device has a clock's name but not a clock's characteristics.
    #[error("{address} does not offer what a clock of this kind offers (missing: {missing}).")]
    CharacteristicsMissing {
        /// The device.
        address: Address,
        /// What is missing.
        missing: String,
    },
    /// The link was lost, and the one repeat that is allowed did not help.
    #[error("The connection to the clock was lost ({detail}).")]
    LinkLost {
        /// What was happening.
        detail: String,
    },
    /// The clock answered a write with an error, each time.
    #[error("The clock refused a command ({detail}).")]
    WriteRefused {
        /// What Bluetooth said.
        detail: String,
    },
    /// The clock never answered a write.
    #[error("The clock did not answer a write within {seconds} seconds.")]
    WriteUnanswered {
        /// How long was waited.
        seconds: u64,
    },
    /// The clock kept answering a picture packet with "rejected".
    #[error("The clock kept refusing a part of the picture for {seconds} seconds.")]
    PacketRefused {
        /// How long it was offered.
        seconds: u64,
    },
    /// The link carries less in one packet than a command needs.
    #[error("This connection carries {available} bytes at a time, but the command has {needed}.")]
    PayloadTooSmall {
        /// Bytes needed.
        needed: usize,
        /// Bytes of one packet.
        available: usize,
    },
    /// The whole operation took too long.
    #[error("The operation was given up after {seconds} seconds.")]
    DeadlinePassed {
        /// How long it ran.
        seconds: u64,
    },
    /// Too many operations are waiting.
    #[error("{limit} operations are waiting for the clock already.")]
    QueueFull {
        /// The queue's bound.
        limit: usize,
    },
    /// The session has been shut down.
    #[error("The clock session has ended.")]
    SessionClosed,
    /// Any other failure of Bluetooth.
    #[error("Bluetooth failed ({detail}).")]
    Bluetooth {
        /// What it said, with the system's error number where there is one.
        detail: String,
    },
}

/// A version byte as people write it: `16` is 1.6.
fn version_name(version: u8) -> String {
    format!("{}.{}", version >> 4, version & 0x0F)
}

impl ClockError {
    /// A stable kebab-case name of the kind of error.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::ZoneUnknown { .. } => "zone-unknown",
            Self::OffsetOutOfRange { .. } => "offset-out-of-range",
            Self::TimeOutOfRange => "time-out-of-range",
            Self::PlaneLength { .. } => "plane-length",
            Self::AddressInvalid { .. } => "address-invalid",
            Self::HoursEqual { .. } => "hours-equal",
            Self::HourInvalid { .. } => "hour-invalid",
            Self::DateInvalid { .. } => "date-invalid",
            Self::SystemZoneUnknown => "system-zone-unknown",
            Self::DatePast { .. } => "date-past",
            Self::CountdownTextLength { .. } => "countdown-text-length",
            Self::CountdownBitmapLength { .. } => "countdown-bitmap-length",
            Self::NameUnknown { .. } => "name-unknown",
            Self::CodeUnknown { .. } => "code-unknown",
            Self::NotSupported { .. } => "not-supported",
            Self::FirmwareTooOld { .. } => "firmware-too-old",
            Self::PanelUnsaid => "panel-unsaid",
            Self::PanelMismatch { .. } => "panel-mismatch",
            Self::ProfileInvalid { .. } => "profile-invalid",
            Self::RawEmpty => "raw-empty",
            Self::RawTooLong { .. } => "raw-too-long",
            Self::RawDenied { .. } => "raw-denied",
            Self::BluetoothUnavailable { reason } => match reason {
                Unavailable::NoAdapter => "bluetooth-no-adapter",
                Unavailable::RadioOff => "bluetooth-off",
                Unavailable::PermissionDenied => "bluetooth-not-permitted",
                Unavailable::ServiceMissing => "bluetooth-service-missing",
            },
            Self::NotFound { .. } => "clock-not-found",
            Self::NothingHeard { .. } => "bluetooth-nothing-heard",
            Self::TargetNotHeard { .. } => "clock-not-heard",
            Self::ConnectFailed { .. } => "clock-connect-failed",
            Self::DiscoveryTimeout { .. } => "clock-discovery-timeout",
            Self::ServicesUnread { .. } => "clock-services-unread",
            Self::CharacteristicsMissing { .. } => "clock-characteristics-missing",
            Self::LinkLost { .. } => "link-lost",
            Self::WriteRefused { .. } => "write-refused",
            Self::WriteUnanswered { .. } => "write-unanswered",
            Self::PacketRefused { .. } => "packet-refused",
            Self::PayloadTooSmall { .. } => "payload-too-small",
            Self::DeadlinePassed { .. } => "deadline-passed",
            Self::QueueFull { .. } => "queue-full",
            Self::SessionClosed => "session-closed",
            Self::Bluetooth { .. } => "bluetooth-error",
        }
    }

    /// The code agents see.
    #[must_use]
    pub fn agent_code(&self) -> AgentCode {
        match self {
            Self::ZoneUnknown { .. }
            | Self::OffsetOutOfRange { .. }
            | Self::TimeOutOfRange
            | Self::PlaneLength { .. }
            | Self::AddressInvalid { .. }
            | Self::HoursEqual { .. }
            | Self::HourInvalid { .. }
            | Self::DateInvalid { .. }
            | Self::SystemZoneUnknown
            | Self::DatePast { .. }
            | Self::CountdownTextLength { .. }
            | Self::CountdownBitmapLength { .. }
            | Self::NameUnknown { .. }
            | Self::CodeUnknown { .. }
            | Self::NotSupported { .. }
            | Self::FirmwareTooOld { .. }
            | Self::PanelMismatch { .. }
            | Self::ProfileInvalid { .. }
            | Self::RawEmpty
            | Self::RawTooLong { .. }
            | Self::RawDenied { .. } => AgentCode::InvalidParam,
            Self::NotFound { .. } | Self::NothingHeard { .. } | Self::TargetNotHeard { .. } => {
                AgentCode::DeviceNotFound
            }
            Self::ConnectFailed { .. }
            | Self::DiscoveryTimeout { .. }
            | Self::ServicesUnread { .. } => AgentCode::ConnectTimeout,
            Self::BluetoothUnavailable { .. }
            | Self::PanelUnsaid
            | Self::CharacteristicsMissing { .. }
            | Self::WriteRefused { .. }
            | Self::WriteUnanswered { .. }
            | Self::PacketRefused { .. }
            | Self::PayloadTooSmall { .. }
            | Self::DeadlinePassed { .. }
            | Self::Bluetooth { .. } => AgentCode::BleError,
            Self::LinkLost { .. } => AgentCode::DeviceDisconnected,
            Self::QueueFull { .. } | Self::SessionClosed => AgentCode::Internal,
        }
    }

    /// What to do next, as one or two English sentences.
    #[must_use]
    pub fn hint(&self) -> &'static str {
        match self {
            Self::ZoneUnknown { .. } | Self::OffsetOutOfRange { .. } => {
                "Give a name such as Europe/Paris, or an offset from -12 to +14 hours such as 8, 5.5 or +05:45."
            }
            Self::TimeOutOfRange => "Check this computer's date.",
            Self::PlaneLength { .. } | Self::CountdownBitmapLength { .. } => {
                "The picture was prepared for another panel; prepare it again."
            }
            Self::AddressInvalid { .. } => {
                "It looks like 4A:5B:6C:7D:8E:9F; `scan` lists the clocks nearby."
            }
            Self::HoursEqual { .. } => {
                "Give two different hours, such as 23 and 6, or switch the quiet hours off."
            }
            Self::HourInvalid { .. } => "Hours run from 0 to 23.",
            Self::DateInvalid { .. } => "Give a date from 2001-01-01 to 9999-12-31 as YYYY-MM-DD.",
            Self::SystemZoneUnknown => {
                "Choose the time zone of the clock yourself, or mend that of the system (on Linux the TZ variable or /etc/localtime)."
            }
            Self::DatePast { .. } => "Give a day that is still to come.",
            Self::CountdownTextLength { .. } => {
                "Shorten the text: the clock style takes 8 characters, the calendar style 4."
            }
            Self::NameUnknown { .. } => "Use one of the names listed.",
            Self::CodeUnknown { .. } => {
                "If you know the command, add an entry with this name, a channel and the bytes to the clock profile file; nothing is sent on a guess."
            }
            Self::NotSupported { .. } => {
                "Clocks differ in what they can do. Pictures and the time work on every one; what this one lacks is greyed in the window."
            }
            Self::FirmwareTooOld { .. } => {
                "Update the clock with the tool of its firmware, EPD-nRF5; the time and the faces work as it is."
            }
            Self::PanelUnsaid => {
                "Nothing is sent to a panel that may not fit. Disconnect and try again; if it stays like this, take the clock's battery out for a moment."
            }
            Self::PanelMismatch { .. } => {
                "Pictures fit the 4.2-inch panels of models 01 to 04. If the clock has one of them, set its model with the tool of its firmware, EPD-nRF5; clearing the screen works on every panel."
            }
            Self::ProfileInvalid { .. } => {
                "Each entry has a name, channel = \"main\" or \"alt\", and bytes as hexadecimal text."
            }
            Self::RawEmpty | Self::RawTooLong { .. } => {
                "Give 1 to 128 bytes for the alt channel, 1 to 500 for the main channel."
            }
            Self::RawDenied { .. } => {
                "Commands that reset, activate or recalibrate the clock are sent only when they have been enabled explicitly."
            }
            Self::BluetoothUnavailable { reason } => reason.next_step(System::HERE),
            Self::NothingHeard { .. } => {
                "Either there is none, or the adapter is deaf: plug it in again, away from USB 3 devices and metal, or try another one."
            }
            Self::NotFound { .. } | Self::TargetNotHeard { .. } => {
                "The clock sleeps and listens only for a while every 30 to 60 seconds. Bring it closer, press a button on it, and try again."
            }
            Self::ConnectFailed { .. } => {
                "Another program or a phone may be connected to the clock: close it. Otherwise move closer, check the battery, and try again."
            }
            Self::DiscoveryTimeout { .. } => {
                "Move closer and try again. If it stays like this, take the clock's battery out for a moment."
            }
            Self::ServicesUnread { .. } => {
                "Move closer and try again. If it stays like this, remove the clock from the system's list of Bluetooth devices."
            }
            Self::CharacteristicsMissing { .. } => {
                "Its name begins like a clock's, but it runs another firmware. Choose another clock from the list."
            }
            Self::LinkLost { .. } => "Move closer or check the clock's battery, then try again.",
            Self::WriteRefused { .. } => {
                "Wait half a minute for the clock to finish what it does, then try again."
            }
            Self::WriteUnanswered { .. } => {
                "Move closer and try again. If it stays like this, take the clock's battery out for a moment."
            }
            Self::PacketRefused { .. } => {
                "The clock is busy redrawing, or the picture is larger than its panel. Wait half a minute, check the size, and try again."
            }
            Self::PayloadTooSmall { .. } => {
                "Disconnect and connect again; the connection usually settles on larger packets."
            }
            Self::DeadlinePassed { .. } => "Move closer to the clock and try again.",
            Self::QueueFull { .. } => "Wait until the clock has caught up.",
            Self::SessionClosed => "Start the program again.",
            Self::Bluetooth { .. } => "Switch Bluetooth off and on again, then try again.",
        }
    }

    /// The values in the sentence, by name, for a sentence in another language.
    #[must_use]
    pub fn params(&self) -> Vec<(&'static str, String)> {
        match self {
            Self::ZoneUnknown { input }
            | Self::OffsetOutOfRange { input }
            | Self::AddressInvalid { input } => vec![("input", input.clone())],
            Self::TimeOutOfRange
            | Self::PanelUnsaid
            | Self::SystemZoneUnknown
            | Self::RawEmpty
            | Self::SessionClosed => Vec::new(),
            Self::PlaneLength {
                size,
                plane,
                expected,
                actual,
            } => vec![
                ("size", size.to_string()),
                ("plane", plane.to_string()),
                ("expected", expected.to_string()),
                ("actual", actual.to_string()),
            ],
            Self::HourInvalid { hour } | Self::HoursEqual { hour } => {
                vec![("hour", hour.to_string())]
            }
            Self::DateInvalid { date } => vec![("date", date.clone())],
            Self::DatePast { date, today } => {
                vec![("date", date.clone()), ("today", today.clone())]
            }
            Self::CountdownTextLength { cells, limit } => {
                vec![("cells", cells.to_string()), ("limit", limit.to_string())]
            }
            Self::CountdownBitmapLength { expected, actual } => {
                vec![
                    ("expected", expected.to_string()),
                    ("actual", actual.to_string()),
                ]
            }
            Self::NameUnknown { name, known } => {
                vec![("name", name.clone()), ("known", known.clone())]
            }
            Self::CodeUnknown { name } => vec![("name", name.clone())],
            Self::NotSupported { request } => vec![("request", request.clone())],
            Self::FirmwareTooOld { version, needed } => vec![
                ("version", version_name(*version)),
                ("needed", version_name(*needed)),
            ],
            Self::PanelMismatch { model } => vec![("model", format!("{model:02X}"))],
            Self::RawTooLong {
                channel,
                limit,
                actual,
            } => vec![
                ("channel", channel.to_string()),
                ("limit", limit.to_string()),
                ("actual", actual.to_string()),
            ],
            Self::RawDenied { channel, command } => {
                vec![
                    ("channel", channel.to_string()),
                    ("command", format!("{command:02X}")),
                ]
            }
            // Not in the sentence: the next step depends on it.
            Self::BluetoothUnavailable { .. } => vec![("system", System::HERE.name().to_owned())],
            Self::ServicesUnread { address } => vec![("address", address.to_string())],
            Self::TargetNotHeard { address, seconds }
            | Self::DiscoveryTimeout { address, seconds } => {
                vec![
                    ("address", address.to_string()),
                    ("seconds", seconds.to_string()),
                ]
            }
            Self::ConnectFailed { address, detail } => {
                vec![("address", address.to_string()), ("detail", detail.clone())]
            }
            Self::CharacteristicsMissing { address, missing } => {
                vec![
                    ("address", address.to_string()),
                    ("missing", missing.clone()),
                ]
            }
            Self::ProfileInvalid { detail }
            | Self::LinkLost { detail }
            | Self::WriteRefused { detail }
            | Self::Bluetooth { detail } => vec![("detail", detail.clone())],
            Self::NotFound { seconds }
            | Self::NothingHeard { seconds }
            | Self::WriteUnanswered { seconds }
            | Self::PacketRefused { seconds }
            | Self::DeadlinePassed { seconds } => vec![("seconds", seconds.to_string())],
            Self::PayloadTooSmall { needed, available } => {
                vec![
                    ("needed", needed.to_string()),
                    ("available", available.to_string()),
                ]
            }
            Self::QueueFull { limit } => vec![("limit", limit.to_string())],
        }
    }
}

/// Characters of what was given that an error repeats; anything may be given, of any length.
const QUOTED: usize = 100;

/// What was given, as an error repeats it.
pub(crate) fn quoted(given: &str) -> String {
    match given.char_indices().nth(QUOTED) {
        None => given.to_owned(),
        Some((end, _)) => format!("{}...", given.get(..end).unwrap_or_default()),
    }
}
