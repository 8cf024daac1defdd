//! What the system's Bluetooth says, in the crate's own words.
//!
//! btleplug has an enum of a dozen kinds, but most of what goes wrong arrives in two of them as
//! text: that of D-Bus and BlueZ on Linux ([`bluez`]), a printed HRESULT on Windows ([`winrt`]).
//! Both readers are plain functions of text and exist everywhere, so that they can be tested
//! anywhere; only that of this system is asked.

mod bluez;
mod winrt;

use btleplug::Error;

use crate::ClockError;
use crate::link::{Address, Unavailable, WriteError};
use crate::system::System;

/// What is known about the effect of a write that failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Effect {
    /// Nothing left this computer.
    NotSent,
    /// The clock answered with an error.
    Refused,
    /// It may or may not have been taken.
    Unknown,
}

/// A text of Windows with what it means before it.
#[cfg(windows)]
pub(super) fn explain(text: &str) -> String {
    winrt::explain(text)
}

/// Everything an error says, in small letters.
fn evidence(error: &Error) -> String {
    format!("{error}; {error:?}").to_ascii_lowercase()
}

/// Whether an error says that what was asked for is there no more, and the link to it neither.
pub(super) fn gone(error: &Error) -> bool {
    match error {
        Error::NotConnected | Error::DeviceNotFound => true,
        _ => System::HERE == System::Linux && bluez::gone(&evidence(error)),
    }
}

/// Whether an error says that the same is under way already.
pub(super) fn under_way(error: &Error) -> bool {
    bluez::under_way(&evidence(error))
}

/// Whether an error says that the connection to the system's Bluetooth service is of no use.
pub(super) fn cut_off(error: &Error) -> bool {
    System::HERE == System::Linux && bluez::cut_off(&evidence(error))
}

/// An error's text: what it means, with the system's error number where there is one.
fn told(text: &str, system: System) -> String {
    match system {
        System::Windows => winrt::explain(text),
        System::Linux | System::MacOs => text.to_owned(),
    }
}

pub(super) fn general(error: &Error) -> ClockError {
    general_on(error, System::HERE)
}

fn general_on(error: &Error, system: System) -> ClockError {
    let text = error.to_string();
    let reason = match error {
        Error::NoAdapterAvailable => Some(Unavailable::NoAdapter),
        // On Windows this is the status of one request to one device.
        Error::PermissionDenied if system != System::Windows => Some(Unavailable::PermissionDenied),
        _ => match system {
            System::Windows => winrt::unavailable(&text),
            System::Linux => bluez::unavailable(&evidence(error)),
            System::MacOs => None,
        },
    };
    match reason {
        Some(reason) => ClockError::BluetoothUnavailable { reason },
        None => ClockError::Bluetooth {
            detail: told(&text, system),
        },
    }
}

pub(super) fn connecting(address: &Address, error: &Error) -> ClockError {
    connecting_on(address, error, System::HERE)
}

fn connecting_on(address: &Address, error: &Error, system: System) -> ClockError {
    let detail = match (error, system) {
        // btleplug gives these for the outcome of WinRT's question for the services, which is how
        // a link is made there.
        (Error::NotConnected, System::Windows) => "it does not answer".to_owned(),
        (Error::DeviceNotFound, System::Windows) => {
            "Windows does not know it; the radio may be off".to_owned()
        }
        (Error::PermissionDenied, System::Windows) => {
            "Windows denies access to it; another program may hold it".to_owned()
        }
        _ => match general_on(error, system) {
            ClockError::Bluetooth { detail } => detail,
            unavailable => return unavailable,
        },
    };
    ClockError::ConnectFailed {
        address: address.clone(),
        detail,
    }
}

pub(super) fn writing(error: &Error) -> WriteError {
    writing_on(error, System::HERE)
}

fn writing_on(error: &Error, system: System) -> WriteError {
    let text = error.to_string();
    let effect = match error {
        Error::NotConnected
        | Error::DeviceNotFound
        | Error::NoSuchCharacteristic
        | Error::UnexpectedCharacteristic
        | Error::PermissionDenied => Effect::NotSent,
        // On Windows: the service or the characteristic is not there any more.
        Error::NotSupported(_) if system == System::Windows => Effect::NotSent,
        _ => {
            let known = match system {
                System::Windows => winrt::effect(&text),
                System::Linux | System::MacOs => bluez::effect(&evidence(error)),
            };
            // Unknown errors count as "may have been taken", so that nothing is applied twice.
            known.unwrap_or(Effect::Unknown)
        }
    };
    let detail = told(&text, system);
    match effect {
        Effect::NotSent => WriteError::NotSent(detail),
        Effect::Refused => WriteError::Refused(detail),
        Effect::Unknown => WriteError::AnswerLost(detail),
    }
}

fn says(evidence: &str, any: &[&str]) -> bool {
    any.iter().any(|part| evidence.contains(part))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn other(text: &str) -> Error {
        Error::Other(text.to_owned().into())
    }

    fn kind(text: &str, system: System) -> &'static str {
        match writing_on(&other(text), system) {
            WriteError::NotSent(_) => "not sent",
            WriteError::Refused(_) => "refused",
            WriteError::AnswerLost(_) => "answer lost",
        }
    }

    fn reason(text: &str, system: System) -> Option<Unavailable> {
        match general_on(&other(text), system) {
            ClockError::BluetoothUnavailable { reason } => Some(reason),
            _ => None,
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
            ("never heard of", "answer lost"),
        ];
        for (text, expected) in texts {
            assert_eq!(kind(text, System::Linux), expected, "{text}");
        }
    }

    /// Texts as btleplug 0.13.5 makes them of WinRT's errors.
    #[test]
    fn windows_write_errors_are_told_apart_by_number_and_status() {
        let kind = |text: &str| kind(text, System::Windows);
        let status = "Windows UWP threw error on write: GattCommunicationStatus";
        assert_eq!(kind(&format!("{status}(1)")), "answer lost");
        assert_eq!(kind(&format!("{status}(2)")), "refused");
        assert_eq!(kind(&format!("{status}(3)")), "not sent");
        assert_eq!(
            kind("Error { code: HRESULT(0x80000013), message: \"\" }"),
            "not sent"
        );
        let gone = Error::NotSupported("Service not found for write".to_owned());
        assert!(matches!(
            writing_on(&gone, System::Windows),
            WriteError::NotSent(_)
        ));
    }

    #[test]
    fn ble_8_each_system_says_in_its_own_way_why_bluetooth_cannot_be_used() {
        let off = "Error { code: HRESULT(0x800710DF), message: \"\" }";
        assert_eq!(reason(off, System::Windows), Some(Unavailable::RadioOff));
        assert_eq!(reason(off, System::Linux), None);
        let off = "org.bluez.Error.NotReady: Resource Not Ready";
        assert_eq!(reason(off, System::Linux), Some(Unavailable::RadioOff));
        let missing = "org.freedesktop.DBus.Error.ServiceUnknown: The name org.bluez was not provided by any .service files";
        let missing = reason(missing, System::Linux);
        assert_eq!(missing, Some(Unavailable::ServiceMissing));
        let denied = "org.freedesktop.DBus.Error.AccessDenied: Rejected send message";
        let denied = reason(denied, System::Linux);
        assert_eq!(denied, Some(Unavailable::PermissionDenied));
    }

    #[test]
    fn a_clock_that_windows_denies_is_not_bluetooth_that_is_denied() {
        let address = Address::new("4A:5B:6C:7D:8E:9F");
        let on = |system| connecting_on(&address, &Error::PermissionDenied, system);
        assert!(matches!(
            on(System::Windows),
            ClockError::ConnectFailed { .. }
        ));
        assert!(matches!(
            on(System::MacOs),
            ClockError::BluetoothUnavailable {
                reason: Unavailable::PermissionDenied
            }
        ));
        let ClockError::ConnectFailed { detail, .. } =
            connecting_on(&address, &Error::NotConnected, System::Windows)
        else {
            panic!("not a failed connection");
        };
        assert!(detail.contains("does not answer"), "{detail}");
    }

    #[test]
    fn windows_details_keep_the_number_for_the_report() {
        let error = other("Error { code: HRESULT(0x80070016), message: \"\" }");
        let ClockError::Bluetooth { detail } = general_on(&error, System::Windows) else {
            panic!("not a general failure");
        };
        assert!(detail.contains("0x80070016"), "{detail}");
    }
}
