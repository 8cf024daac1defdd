//! What the system's Bluetooth says, in the crate's own words.

use btleplug::Error;

use crate::ClockError;
use crate::link::{Address, Unavailable, WriteError};

/// An error's text, with the system's error number where its plain text leaves that out.
pub(super) fn detail(error: &Error) -> String {
    let plain = error.to_string();
    match error {
        Error::Other(_) | Error::RuntimeError(_) if cfg!(windows) => format!("{plain}; {error:?}"),
        _ => plain,
    }
}

/// Everything an error says. The name of a D-Bus error, which is what tells it from others, is
/// only in its long form.
fn evidence(error: &Error) -> String {
    format!("{error}; {error:?}").to_ascii_lowercase()
}

pub(super) fn general(error: &Error) -> ClockError {
    match error {
        Error::PermissionDenied => ClockError::BluetoothUnavailable {
            reason: Unavailable::PermissionDenied,
        },
        Error::NoAdapterAvailable => ClockError::BluetoothUnavailable {
            reason: Unavailable::NoAdapter,
        },
        _ => {
            let evidence = evidence(error);
            let reason = if cfg!(target_os = "linux") && says(&evidence, NO_SERVICE) {
                Some(Unavailable::ServiceMissing)
            } else if says(&evidence, ACCESS_DENIED) {
                Some(Unavailable::PermissionDenied)
            } else if says(&evidence, RADIO_OFF) {
                Some(Unavailable::RadioOff)
            } else {
                None
            };
            match reason {
                Some(reason) => ClockError::BluetoothUnavailable { reason },
                None => ClockError::Bluetooth {
                    detail: detail(error),
                },
            }
        }
    }
}

/// Whether an error says that what was asked for is there no more, and the link to it neither.
pub(super) fn gone(error: &Error) -> bool {
    match error {
        Error::NotConnected | Error::DeviceNotFound => true,
        _ => {
            let evidence = evidence(error);
            says(&evidence, NO_SERVICE) || says(&evidence, NO_OBJECT)
        }
    }
}

/// Whether an error says that the same is under way already.
pub(super) fn under_way(error: &Error) -> bool {
    says(&evidence(error), IN_PROGRESS)
}

/// Whether an error says that the connection to the system's Bluetooth service is of no use.
pub(super) fn cut_off(error: &Error) -> bool {
    says(&evidence(error), CUT_OFF)
}

pub(super) fn connecting(address: &Address, error: &Error) -> ClockError {
    match general(error) {
        ClockError::Bluetooth { detail } => ClockError::ConnectFailed {
            address: address.clone(),
            detail,
        },
        unavailable => unavailable,
    }
}

pub(super) fn writing(error: &Error) -> WriteError {
    match error {
        Error::NotConnected
        | Error::DeviceNotFound
        | Error::NoSuchCharacteristic
        | Error::UnexpectedCharacteristic
        | Error::PermissionDenied => WriteError::NotSent(detail(error)),
        _ => by_evidence(&evidence(error), detail(error)),
    }
}

fn by_evidence(evidence: &str, detail: String) -> WriteError {
    if [NOT_CONNECTED, IN_PROGRESS, NO_OBJECT, NO_SERVICE, RADIO_OFF]
        .iter()
        .any(|kind| says(evidence, kind))
    {
        WriteError::NotSent(detail)
    } else if says(evidence, UNLIKELY) {
        // BlueZ gives this to the write under way when the link goes.
        WriteError::AnswerLost(detail)
    } else if says(evidence, REFUSED) {
        WriteError::Refused(detail)
    } else {
        // Unknown errors count as "may have been taken", so that nothing is applied twice.
        WriteError::AnswerLost(detail)
    }
}

fn says(evidence: &str, any: &[&str]) -> bool {
    any.iter().any(|part| evidence.contains(part))
}

const NO_SERVICE: &[&str] = &[
    "org.freedesktop.dbus.error.serviceunknown",
    "org.freedesktop.dbus.error.namehasnoowner",
    "org.freedesktop.dbus.error.filenotfound",
    "org.freedesktop.dbus.error.spawn",
    "the name org.bluez was not provided",
    "the name is not activatable",
    "failed to connect to socket",
];
const ACCESS_DENIED: &[&str] = &["org.freedesktop.dbus.error.accessdenied"];
const RADIO_OFF: &[&str] = &["org.bluez.error.notready"];
const NOT_CONNECTED: &[&str] = &["not connected", "notconnected"];
const IN_PROGRESS: &[&str] = &["in progress", "inprogress"];
/// Also what btleplug itself says of services that went with the link.
const NO_OBJECT: &[&str] = &[
    "org.freedesktop.dbus.error.unknownobject",
    "org.freedesktop.dbus.error.unknownmethod",
    "service with uuid",
    "characteristic with uuid",
];
const CUT_OFF: &[&str] = &[
    "org.freedesktop.dbus.error.disconnected",
    "failed to send message",
    "connection is closed",
];
const UNLIKELY: &[&str] = &["att error: 0x0e"];
const REFUSED: &[&str] = &[
    "invalid length",
    "invalidvaluelength",
    "notpermitted",
    "not permitted",
    "notauthorized",
    "not authorized",
    "notsupported",
    "att error: 0x",
];

#[cfg(test)]
mod tests {
    use super::{WriteError, by_evidence};

    fn kind(text: &str) -> &'static str {
        match by_evidence(&text.to_ascii_lowercase(), text.to_owned()) {
            WriteError::NotSent(_) => "not sent",
            WriteError::Refused(_) => "refused",
            WriteError::AnswerLost(_) => "answer lost",
        }
    }

    /// Texts and names as BlueZ 5.66 and dbus-daemon 1.14 give them.
    #[test]
    fn write_errors_are_told_apart_by_what_is_known_about_their_effect() {
        let texts = [
            ("Not connected (org.bluez.Error.Failed)", "not sent"),
            ("In Progress (org.bluez.Error.InProgress)", "not sent"),
            (
                "Method \"WriteValue\" ... doesn't exist (org.freedesktop.DBus.Error.UnknownObject)",
                "not sent",
            ),
            (
                "The name org.bluez was not provided by any .service files",
                "not sent",
            ),
            (
                "Service with UUID 13187b10-eba9-a3ba-044e-83d3217d9a38 not found.",
                "not sent",
            ),
            (
                "Message recipient disconnected from message bus without replying (org.freedesktop.DBus.Error.NoReply)",
                "answer lost",
            ),
            ("Operation failed with ATT error: 0x0e", "answer lost"),
            ("Operation failed with ATT error: 0x80", "refused"),
            (
                "Invalid Length (org.bluez.Error.InvalidValueLength)",
                "refused",
            ),
            (
                "Windows UWP threw error on write: Unreachable",
                "answer lost",
            ),
        ];
        for (text, expected) in texts {
            assert_eq!(kind(text), expected, "{text}");
        }
    }
}
