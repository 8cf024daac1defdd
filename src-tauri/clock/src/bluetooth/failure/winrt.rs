//! What Windows says. btleplug passes its errors on as text only: `Error { code:
//! HRESULT(0x800710DF), message: "..." }`, with a message in the system's language. So the number
//! is what counts, and it is read from the text. The table is plain data, tested on every system.
//!
//! Sources of the numbers: Microsoft's "[MS-ERREF]: Windows Error Codes" for the HRESULTs and, as
//! `0x8007nnnn`, the Win32 errors; `winerror.h` of the Windows SDK for the Bluetooth attribute
//! errors `E_BLUETOOTH_ATT_*` (`0x8065nnnn`); the enumeration `GattCommunicationStatus` of the
//! Windows Runtime reference for the status of a request.

use super::Effect;
use crate::link::Unavailable;

/// What one error number means for us.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Meaning {
    /// The HRESULT.
    pub(super) code: u32,
    /// Its symbol in the headers, for logs and reports.
    pub(super) symbol: &'static str,
    /// What it means, for a person: no full stop.
    pub(super) words: &'static str,
    /// Bluetooth as a whole cannot be used, for this reason.
    pub(super) unavailable: Option<Unavailable>,
    /// What is known about a write that ended so.
    pub(super) effect: Effect,
}

const fn row(code: u32, symbol: &'static str, words: &'static str) -> Meaning {
    Meaning {
        code,
        symbol,
        words,
        unavailable: None,
        effect: Effect::Unknown,
    }
}

impl Meaning {
    const fn unavailable(self, reason: Unavailable) -> Self {
        Self {
            unavailable: Some(reason),
            // Without a radio nothing can have gone out.
            effect: Effect::NotSent,
            ..self
        }
    }

    const fn not_sent(self) -> Self {
        Self {
            effect: Effect::NotSent,
            ..self
        }
    }
}

/// The numbers that users of WinRT's Bluetooth have reported, and their close relatives.
pub(super) const MEANINGS: &[Meaning] = &[
    // BLE-8: -2147020577, whenever something is asked of a radio that is switched off.
    row(
        0x8007_10DF,
        "ERROR_DEVICE_NOT_AVAILABLE",
        "the radio is switched off or not ready",
    )
    .unavailable(Unavailable::RadioOff),
    row(0x8007_0015, "ERROR_NOT_READY", "the radio is not ready")
        .unavailable(Unavailable::RadioOff),
    row(
        0x8007_0005,
        "E_ACCESSDENIED",
        "Windows denies this program access",
    )
    .unavailable(Unavailable::PermissionDenied),
    row(
        0x8004_0154,
        "REGDB_E_CLASSNOTREG",
        "this edition of Windows has no Bluetooth support",
    )
    .unavailable(Unavailable::ServiceMissing),
    row(
        0x8007_0422,
        "ERROR_SERVICE_DISABLED",
        "the Bluetooth Support Service is disabled",
    )
    .unavailable(Unavailable::ServiceMissing),
    row(
        0x8007_0426,
        "ERROR_SERVICE_NOT_ACTIVE",
        "the Bluetooth Support Service is not running",
    )
    .unavailable(Unavailable::ServiceMissing),
    row(
        0x8007_06BA,
        "RPC_S_SERVER_UNAVAILABLE",
        "the Bluetooth Support Service does not answer",
    )
    .unavailable(Unavailable::ServiceMissing),
    row(
        0x8007_06BE,
        "RPC_S_CALL_FAILED",
        "the Bluetooth Support Service broke off",
    ),
    // A null object where an object was expected is "success" with nothing in it. For an adapter's
    // radio that is what a 32-bit program is given on 64-bit Windows (BLE-12).
    row(
        0x0000_0000,
        "S_OK",
        "Windows answered with success, but with nothing in it",
    ),
    row(
        0x8000_0013,
        "RO_E_CLOSED",
        "the device's object was closed meanwhile",
    )
    .not_sent(),
    row(
        0x8000_FFFF,
        "E_UNEXPECTED",
        "the device is not really connected",
    ),
    row(
        0x8000_000E,
        "E_ILLEGAL_METHOD_CALL",
        "Windows was not ready for the question",
    )
    .not_sent(),
    row(
        0x8000_4002,
        "E_NOINTERFACE",
        "this version of Windows lacks the function",
    )
    .not_sent(),
    row(0x8000_4004, "E_ABORT", "Windows broke the request off"),
    row(0x8000_4005, "E_FAIL", "Windows gives no reason"),
    // BLE-11: -2147024874, from Windows 11 on reading the services.
    row(
        0x8007_0016,
        "ERROR_BAD_COMMAND",
        "the driver did not take the request",
    ),
    row(
        0x8007_001F,
        "ERROR_GEN_FAILURE",
        "a device attached to the system is not functioning",
    ),
    row(
        0x8007_0032,
        "ERROR_NOT_SUPPORTED",
        "the adapter or its driver does not support that",
    )
    .not_sent(),
    row(
        0x8007_0057,
        "E_INVALIDARG",
        "Windows did not accept the request's values",
    )
    .not_sent(),
    row(0x8007_0079, "ERROR_SEM_TIMEOUT", "no answer in time"),
    row(0x8007_0102, "WAIT_TIMEOUT", "no answer in time"),
    row(0x8007_05B4, "ERROR_TIMEOUT", "no answer in time"),
    row(
        0x8007_0490,
        "ERROR_NOT_FOUND",
        "Windows does not know the device (any more)",
    )
    .not_sent(),
    row(
        0x8007_048F,
        "ERROR_DEVICE_NOT_CONNECTED",
        "the device is not connected",
    )
    .not_sent(),
    row(
        0x8007_03E3,
        "ERROR_OPERATION_ABORTED",
        "the request was broken off",
    ),
    row(
        0x8001_0106,
        "RPC_E_CHANGED_MODE",
        "the thread is in a single-threaded apartment",
    )
    .not_sent(),
    row(
        0x8001_010E,
        "RPC_E_WRONG_THREAD",
        "the call came from the wrong thread",
    )
    .not_sent(),
];

/// HRESULTs of this form carry the error code that the device itself answered in the low byte
/// (`E_BLUETOOTH_ATT_INVALID_HANDLE` is `0x80650001`).
const ATT_ERROR: u32 = 0x8065_0000;

/// The row of a number.
pub(super) fn meaning(code: u32) -> Option<&'static Meaning> {
    MEANINGS.iter().find(|meaning| meaning.code == code)
}

/// The HRESULT in btleplug's text of a Windows error.
pub(super) fn hresult(text: &str) -> Option<u32> {
    let (_, rest) = text.split_once("HRESULT(0x")?;
    let (digits, _) = rest.split_once(')')?;
    u32::from_str_radix(digits, 16).ok()
}

/// The error code a device answered, if the number holds one.
pub(super) fn att_error(code: u32) -> Option<u8> {
    (code & 0xFFFF_0000 == ATT_ERROR)
        .then(|| u8::try_from(code & 0xFFFF).ok())
        .flatten()
}

/// Why Bluetooth cannot be used, if the text holds a number that says so.
pub(super) fn unavailable(text: &str) -> Option<Unavailable> {
    meaning(hresult(text)?)?.unavailable
}

/// What is known about the effect of a write that ended with this text.
pub(super) fn effect(text: &str) -> Option<Effect> {
    if let Some(status) = communication_status(text) {
        return Some(match status {
            // The device answered with an error.
            2 => Effect::Refused,
            // Windows itself refused.
            3 => Effect::NotSent,
            // 1, "unreachable": the request may have arrived and the answer been lost.
            _ => Effect::Unknown,
        });
    }
    let code = hresult(text)?;
    if att_error(code).is_some() {
        return Some(Effect::Refused);
    }
    Some(meaning(code).map_or(Effect::Unknown, |meaning| meaning.effect))
}

/// What the text means, in words, followed by what Windows said. An unknown number stays as it
/// came, so that it can be looked up.
pub(super) fn explain(text: &str) -> String {
    if let Some(status) = communication_status(text) {
        let words = match status {
            1 => "the clock cannot be reached",
            2 => "the clock answered with an error",
            3 => "Windows denies access to the clock",
            _ => return text.to_owned(),
        };
        return format!("{words}; GattCommunicationStatus {status}");
    }
    let Some(code) = hresult(text) else {
        return text.to_owned();
    };
    if let Some(att) = att_error(code) {
        return format!("the clock answered with error 0x{att:02X}; HRESULT 0x{code:08X}");
    }
    match meaning(code) {
        Some(Meaning { symbol, words, .. }) => {
            format!("{words}; {symbol}, HRESULT 0x{code:08X}")
        }
        None => format!("HRESULT 0x{code:08X}; {text}"),
    }
}

/// The status that Windows gave a request, if btleplug's text holds one. It prints the newtype:
/// `GattCommunicationStatus(1)`.
fn communication_status(text: &str) -> Option<i32> {
    let (_, rest) = text.split_once("GattCommunicationStatus(")?;
    let (digits, _) = rest.split_once(')')?;
    digits.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As `windows::core::Error` is printed by btleplug 0.13.5 in `From<windows::core::Error>`.
    fn as_btleplug_says(code: u32) -> String {
        format!("Error {{ code: HRESULT(0x{code:08X}), message: \"Das Gerät ist nicht bereit.\" }}")
    }

    #[test]
    fn the_numbers_of_ble_8_11_and_17_are_those_that_users_reported() {
        for (reported, symbol) in [
            (-2_147_020_577_i32, "ERROR_DEVICE_NOT_AVAILABLE"),
            (-2_147_024_874, "ERROR_BAD_COMMAND"),
            (-2_147_467_262, "E_NOINTERFACE"),
            (-2_147_418_113, "E_UNEXPECTED"),
        ] {
            let code = u32::from_ne_bytes(reported.to_ne_bytes());
            let text = as_btleplug_says(code);
            assert_eq!(hresult(&text), Some(code));
            assert_eq!(meaning(code).unwrap().symbol, symbol, "{reported}");
            let told = explain(&text);
            assert!(told.contains(symbol), "{told}");
            assert!(told.contains(&format!("0x{code:08X}")), "{told}");
        }
    }

    #[test]
    fn ble_8_radio_off_permission_off_and_service_off_are_told_apart_by_number() {
        let reason = |code| unavailable(&as_btleplug_says(code));
        assert_eq!(reason(0x8007_10DF), Some(Unavailable::RadioOff));
        assert_eq!(reason(0x8007_0005), Some(Unavailable::PermissionDenied));
        assert_eq!(reason(0x8007_0422), Some(Unavailable::ServiceMissing));
        assert_eq!(reason(0x8007_0016), None);
        assert_eq!(reason(0x8000_FFFF), None);
        assert_eq!(unavailable("no number in this"), None);
    }

    #[test]
    fn ble_11_an_unknown_number_keeps_its_hexadecimal_form_and_the_systems_text() {
        let text = as_btleplug_says(0x8899_AABB);
        let told = explain(&text);
        assert!(told.starts_with("HRESULT 0x8899AABB"), "{told}");
        assert!(told.contains("nicht bereit"), "{told}");
        // What holds no number is passed on.
        assert_eq!(explain("Not connected"), "Not connected");
        assert_eq!(explain("HRESULT(0xnonsense)"), "HRESULT(0xnonsense)");
    }

    #[test]
    fn the_effect_of_a_write_is_what_windows_knows_about_it() {
        let status = |n| {
            effect(&format!(
                "Windows UWP threw error on write: GattCommunicationStatus({n})"
            ))
        };
        assert_eq!(status(1), Some(Effect::Unknown));
        assert_eq!(status(2), Some(Effect::Refused));
        assert_eq!(status(3), Some(Effect::NotSent));
        let number = |code| effect(&as_btleplug_says(code));
        assert_eq!(number(0x8065_000D), Some(Effect::Refused));
        assert_eq!(number(0x8000_0013), Some(Effect::NotSent));
        assert_eq!(number(0x8007_10DF), Some(Effect::NotSent));
        // Whatever is not known may have been taken, so that nothing is applied twice.
        assert_eq!(number(0x8007_001F), Some(Effect::Unknown));
        assert_eq!(number(0x8899_AABB), Some(Effect::Unknown));
        assert_eq!(effect("Not connected"), None);
    }

    #[test]
    fn the_code_that_the_clock_answered_is_shown() {
        let told = explain(&as_btleplug_says(0x8065_000D));
        assert!(told.contains("0x0D"), "{told}");
        assert_eq!(att_error(0x8065_1000), None);
    }

    #[test]
    fn no_number_is_listed_twice_and_every_meaning_reads_within_a_sentence() {
        for (index, row) in MEANINGS.iter().enumerate() {
            let again = MEANINGS.iter().skip(index + 1);
            assert!(again.clone().all(|other| other.code != row.code), "{row:?}");
            assert!(
                !row.words.ends_with('.') && !row.words.is_empty(),
                "{row:?}"
            );
        }
    }
}
