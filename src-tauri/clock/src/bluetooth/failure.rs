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

pub(super) fn general(error: &Error) -> ClockError {
    match error {
        Error::PermissionDenied => ClockError::BluetoothUnavailable {
            reason: Unavailable::PermissionDenied,
        },
        Error::NoAdapterAvailable => ClockError::BluetoothUnavailable {
            reason: Unavailable::NoAdapter,
        },
        _ => {
            let detail = detail(error);
            if cfg!(target_os = "linux") && says(&detail, NO_SERVICE) {
                ClockError::BluetoothUnavailable {
                    reason: Unavailable::ServiceMissing,
                }
            } else if says(&detail, ACCESS_DENIED) {
                ClockError::BluetoothUnavailable {
                    reason: Unavailable::PermissionDenied,
                }
            } else {
                ClockError::Bluetooth { detail }
            }
        }
    }
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
        _ => by_text(detail(error)),
    }
}

/// BlueZ tells its errors apart by text only.
fn by_text(detail: String) -> WriteError {
    if says(&detail, NOT_SENT) {
        WriteError::NotSent(detail)
    } else if says(&detail, UNLIKELY) {
        // BlueZ gives this to the write under way when the link goes.
        WriteError::AnswerLost(detail)
    } else if says(&detail, REFUSED) {
        WriteError::Refused(detail)
    } else {
        // Unknown errors count as "may have been taken", so that nothing is applied twice.
        WriteError::AnswerLost(detail)
    }
}

fn says(detail: &str, any: &[&str]) -> bool {
    let detail = detail.to_ascii_lowercase();
    any.iter().any(|part| detail.contains(part))
}

const NO_SERVICE: &[&str] = &[
    "org.freedesktop.dbus.error.serviceunknown",
    "the name org.bluez was not provided",
    "org.freedesktop.dbus.error.filenotfound",
    "failed to connect to socket",
    "namehasnoowner",
];
const ACCESS_DENIED: &[&str] = &["org.freedesktop.dbus.error.accessdenied"];
const NOT_SENT: &[&str] = &[
    "not connected",
    "notconnected",
    "in progress",
    "inprogress",
    "unknownobject",
    "does not exist",
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
    use super::{WriteError, by_text};

    fn kind(text: &str) -> &'static str {
        match by_text(text.to_owned()) {
            WriteError::NotSent(_) => "not sent",
            WriteError::Refused(_) => "refused",
            WriteError::AnswerLost(_) => "answer lost",
        }
    }

    /// Texts as BlueZ 5.66 gives them.
    #[test]
    fn write_errors_are_told_apart_by_what_is_known_about_their_effect() {
        assert_eq!(kind("org.bluez.Error.Failed: Not connected"), "not sent");
        assert_eq!(kind("org.bluez.Error.InProgress: In Progress"), "not sent");
        assert_eq!(
            kind("org.freedesktop.DBus.Error.UnknownObject: Method ..."),
            "not sent"
        );
        assert_eq!(kind("Operation failed with ATT error: 0x0e"), "answer lost");
        assert_eq!(kind("Operation failed with ATT error: 0x80"), "refused");
        assert_eq!(
            kind("org.bluez.Error.InvalidValueLength: Invalid Length"),
            "refused"
        );
        assert_eq!(
            kind("Windows UWP threw error on write: Unreachable"),
            "answer lost"
        );
    }
}
