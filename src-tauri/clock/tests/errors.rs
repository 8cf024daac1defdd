//! Every error is a sentence with a next step, and can be told in another language.

use std::collections::HashSet;

use regie_clock::session::Doubt;
use regie_clock::{
    Address, Channel, ClockError, Face, LinkState, PictureSize, Plane, QuietHours, System, Toggle,
    Unavailable,
};

fn every_error() -> Vec<ClockError> {
    let text = || "x1".to_owned();
    let address = || Address::new("AA:BB:CC:00:11:22");
    let unavailable = |reason| ClockError::BluetoothUnavailable { reason };
    vec![
        ClockError::ZoneUnknown { input: text() },
        ClockError::OffsetOutOfRange { input: text() },
        ClockError::TimeOutOfRange,
        ClockError::PlaneLength {
            size: PictureSize::Full,
            plane: Plane::Red,
            expected: 15_000,
            actual: 14,
        },
        ClockError::AddressInvalid { input: text() },
        ClockError::HoursEqual { hour: 6 },
        ClockError::HourInvalid { hour: 24 },
        ClockError::DateInvalid {
            date: "2026-02-30".to_owned(),
        },
        ClockError::CountdownTextLength { cells: 9, limit: 8 },
        ClockError::CountdownBitmapLength {
            expected: 32,
            actual: 31,
        },
        ClockError::NameUnknown {
            name: text(),
            known: "clock1, clock2".to_owned(),
        },
        ClockError::CodeUnknown { name: text() },
        ClockError::SystemZoneUnknown,
        ClockError::DatePast {
            date: "2026-12-24".to_owned(),
            today: "2026-12-25".to_owned(),
        },
        ClockError::NotSupported { request: text() },
        ClockError::FirmwareTooOld {
            version: 0x15,
            needed: 0x16,
        },
        ClockError::PanelUnsaid,
        ClockError::PanelMismatch { model: 0x0C },
        ClockError::ProfileInvalid { detail: text() },
        ClockError::RawEmpty,
        ClockError::RawTooLong {
            channel: Channel::Alt,
            limit: 128,
            actual: 129,
        },
        ClockError::RawDenied {
            channel: Channel::Alt,
            command: 0xAA,
        },
        unavailable(Unavailable::NoAdapter),
        unavailable(Unavailable::RadioOff),
        unavailable(Unavailable::PermissionDenied),
        unavailable(Unavailable::ServiceMissing),
        ClockError::NotFound { seconds: 90 },
        ClockError::TargetNotHeard {
            address: address(),
            seconds: 90,
        },
        ClockError::ConnectFailed {
            address: address(),
            detail: text(),
        },
        ClockError::DiscoveryTimeout {
            address: address(),
            seconds: 10,
        },
        ClockError::NothingHeard { seconds: 65 },
        ClockError::ServicesUnread { address: address() },
        ClockError::CharacteristicsMissing {
            address: address(),
            missing: text(),
        },
        ClockError::LinkLost { detail: text() },
        ClockError::WriteRefused { detail: text() },
        ClockError::WriteUnanswered { seconds: 10 },
        ClockError::PacketRefused { seconds: 30 },
        ClockError::PayloadTooSmall {
            needed: 74,
            available: 20,
        },
        ClockError::DeadlinePassed { seconds: 1200 },
        ClockError::QueueFull { limit: 32 },
        ClockError::SessionClosed,
        ClockError::Bluetooth { detail: text() },
    ]
}

#[test]
fn codes_and_sentences_are_unique() {
    let errors = every_error();
    let codes: HashSet<_> = errors.iter().map(ClockError::code).collect();
    let sentences: HashSet<_> = errors.iter().map(ToString::to_string).collect();
    assert_eq!(codes.len(), errors.len());
    assert_eq!(sentences.len(), errors.len());
    for code in codes {
        assert!(
            code.bytes().all(|b| b.is_ascii_lowercase() || b == b'-'),
            "{code}"
        );
    }
}

#[test]
fn sentences_and_hints_are_whole() {
    for error in every_error() {
        for text in [error.to_string(), error.hint().to_owned()] {
            assert!(text.ends_with('.'), "{text}");
            let first = text.chars().next().unwrap();
            assert!(
                first.is_uppercase() || first.is_numeric() || first == '"',
                "{text}"
            );
        }
    }
}

/// Every value of a sentence is a parameter, so that a translation can hold it. The one parameter
/// that is none says which system's next step the hint is.
#[test]
fn parameters_are_the_values_of_the_sentence() {
    for error in every_error() {
        let sentence = error.to_string();
        for (name, value) in error.params() {
            if matches!(error, ClockError::BluetoothUnavailable { .. }) {
                assert_eq!((name, value.as_str()), ("system", System::HERE.name()));
                continue;
            }
            assert!(
                sentence.contains(&value),
                "{name}={value} is not in: {sentence}"
            );
        }
        let mut rest = sentence.clone();
        let mut params = error.params();
        params.sort_by_key(|(_, value)| std::cmp::Reverse(value.len()));
        for (_, value) in params {
            rest = rest.replacen(&value, "", 1);
        }
        assert!(
            !rest.contains("x1"),
            "a value of \"{sentence}\" is no parameter"
        );
    }
}

#[test]
fn agent_codes_are_those_of_the_contract() {
    let codes: HashSet<_> = every_error()
        .iter()
        .map(|e| e.agent_code().as_str())
        .collect();
    let contract = HashSet::from([
        "INVALID_PARAM",
        "DEVICE_NOT_FOUND",
        "CONNECT_TIMEOUT",
        "BLE_ERROR",
        "DEVICE_DISCONNECTED",
        "INTERNAL",
    ]);
    assert_eq!(codes, contract);
}

#[test]
fn doubts_say_what_to_do() {
    for doubt in [
        Doubt::CommandUnanswered,
        Doubt::CommandNotShown,
        Doubt::TriggerUnanswered,
        Doubt::LostWhileRefreshing,
        Doubt::PartRefused,
        Doubt::LaterStepFailed,
    ] {
        assert!(doubt.to_string().ends_with('.') && doubt.hint().ends_with('.'));
        assert!(!doubt.code().is_empty());
    }
}

#[test]
fn names_of_faces_and_toggles_read_back() {
    for face in Face::ALL {
        assert_eq!(face.to_string().parse(), Ok(face));
    }
    for toggle in Toggle::ALL {
        assert_eq!(toggle.to_string().parse(), Ok(toggle));
    }
    assert_eq!("image0".parse(), Ok(Face::Picture));
    assert_eq!("image9".parse::<Face>().unwrap_err().code(), "name-unknown");
}

#[test]
fn addresses_compare_in_every_spelling() {
    let address = Address::new("AA:BB:CC:00:11:22");
    for text in [
        "aa:bb:cc:00:11:22",
        "AA-BB-CC-00-11-22",
        " aa:BB:cc:00:11:22 ",
    ] {
        assert_eq!(Address::new(text), address);
    }
    let opaque = Address::new("5f9a1c3e-0000-1111-2222-333344445555");
    assert_eq!(opaque.as_str(), "5F9A1C3E-0000-1111-2222-333344445555");
}

#[test]
fn an_address_that_a_person_gives_is_checked() {
    for (text, same) in [
        ("4A:5B:6C:7D:8E:9F", "4A:5B:6C:7D:8E:9F"),
        (" 4a-5b-6c-7d-8e-9f\n", "4A:5B:6C:7D:8E:9F"),
        ("sim:00:00:00:00:0a", "SIM:00:00:00:00:0A"),
        (
            "5f9a1c3e-0000-1111-2222-333344445555",
            "5F9A1C3E-0000-1111-2222-333344445555",
        ),
    ] {
        assert_eq!(Address::parse(text), Ok(Address::new(text)));
        assert_eq!(Address::parse(text).unwrap().as_str(), same);
    }
    for text in [
        "",
        " ",
        "nonsense \n 🦀",
        "NRF-0A1B2C",
        "4A:5B:6C:7D:8E",
        "4A:5B:6C:7D:8E:9F:00",
        "4A:5B:6C:7D:8E:9G",
        "4A5B6C7D8E9F",
        "4A:5B:6C:7D:8E:",
        "4A:5B:6C:7D:8E:é",
        "SIM:",
        "SIM:0A",
        "SIM:00:00:00:00:00:0A",
        "SIM-00-00-00-00-0A",
        "5f9a1c3e-0000-1111-2222-33334444555",
        "5f9a1c3e:0000:1111:2222:333344445555",
        "5f9a1c3e-0000-1111-2222-33334444555x",
    ] {
        let input = text.trim().to_owned();
        assert_eq!(
            Address::parse(text),
            Err(ClockError::AddressInvalid { input })
        );
    }
}

#[test]
fn quiet_hours_that_apply_have_a_length() {
    for hour in 0..24 {
        assert_eq!(
            QuietHours::new(true, hour, hour),
            Err(ClockError::HoursEqual { hour })
        );
        assert!(QuietHours::new(false, hour, hour).is_ok());
        assert!(QuietHours::new(true, hour, (hour + 1) % 24).is_ok());
    }
}

#[test]
fn the_window_gets_states_by_name_with_seconds() {
    let state = LinkState::Listening {
        elapsed_seconds: 47,
        limit_seconds: 90,
    };
    let json = serde_json::to_value(&state).unwrap();
    let expected = serde_json::json!({
        "state": "listening", "elapsedSeconds": 47, "limitSeconds": 90,
    });
    assert_eq!(json, expected);
    assert_eq!(serde_json::from_value::<LinkState>(json).unwrap(), state);
}
