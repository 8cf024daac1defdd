//! The bytes of the EPD-nRF5 family, as its firmware's public sources have them.

// The helpers below end a test as an assertion does.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::time::Duration;

use proptest::prelude::*;
use regie_clock::dialect::{
    Answer, Delivery, Dialect, EpdNrf5, Role, Script, Step, Terms, Traits, Write,
};
use regie_clock::{
    Channel, ClockError, ClockTime, Countdown, CountdownDate, CountdownStyle, Face, Family,
    Picture, PictureSize, Plane, QuietHours, Raw, RawPolicy, Request, Toggle,
};

/// 2026-08-09 04:34:56 UTC.
const EXAMPLE_INSTANT: i64 = 1_786_250_096;
/// Bytes of one plane.
const PLANE: usize = 15_000;

/// A clock with an SSD1619 panel in three colours that has said so.
const THREE_COLOURS: Traits = Traits {
    version: Some(0x19),
    model: Some(0x02),
    mode: Some(1),
    payload: Some(244),
    run_length: false,
};

fn script(request: &Request, traits: Traits) -> Result<Script, ClockError> {
    EpdNrf5.script(request, Terms::of_mtu(247).with(traits))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The writes of a script as text.
fn sent(request: &Request, traits: Traits) -> Vec<String> {
    let script = script(request, traits).unwrap();
    script.writes().map(|write| hex(&write.bytes)).collect()
}

fn time(zone: &str) -> ClockTime {
    ClockTime::at(EXAMPLE_INSTANT, &zone.parse().unwrap()).unwrap()
}

fn in_mode(mode: Option<u8>) -> Traits {
    Traits {
        mode,
        ..THREE_COLOURS
    }
}

/// A picture whose planes do not repeat themselves, with red on white and red on black.
fn varied() -> Picture {
    let plane = |salt: usize| {
        (0..PLANE)
            .map(|i| (i * 31 + i / 251 + salt * 97) as u8)
            .collect()
    };
    Picture::new(PictureSize::Full, plane(1), plane(2)).unwrap()
}

/// What the panel's memories must hold of a picture: 1 is white and 0 beneath red; 0 is red.
fn memories(picture: &Picture) -> (Vec<u8>, Vec<u8>) {
    let (white, red) = (picture.plane(Plane::BlackWhite), picture.plane(Plane::Red));
    (
        white.iter().zip(red).map(|(w, r)| w & !r).collect(),
        red.iter().map(|r| !r).collect(),
    )
}

#[test]
fn the_time_is_utc_with_the_hours_of_the_zone() {
    let time = Request::SetTime(time("+08:00"));
    assert_eq!(sent(&time, in_mode(Some(1))), ["206a7803700801"]);
    let script = script(&time, THREE_COLOURS).unwrap();
    assert_eq!(script.writes().next().unwrap().role, Role::Trigger);
}

/// TZ-1: the firmware adds whole hours, so that parts of an hour go into the seconds.
#[test]
fn a_zone_with_a_part_of_an_hour_gives_the_right_local_time() {
    for (zone, minutes) in [
        ("+05:45", 345),
        ("-03:30", -210),
        ("+05:30", 330),
        ("-09:30", -570),
        ("+13:45", 825),
        ("0", 0),
        ("-12", -720),
        ("14", 840),
    ] {
        let script = script(&Request::SetTime(time(zone)), THREE_COLOURS).unwrap();
        let bytes = script.writes().next().unwrap().bytes.clone();
        let [0x20, a, b, c, d, hours, 1] = bytes[..] else {
            panic!("{zone}: {bytes:?}");
        };
        // As the firmware reckons, in 32 bits.
        let hours = i32::from(hours.cast_signed()) * 3600;
        let local = u32::from_be_bytes([a, b, c, d]).wrapping_add_signed(hours);
        assert_eq!(i64::from(local), EXAMPLE_INSTANT + minutes * 60, "{zone}");
    }
}

/// A new time does not change the face. It would make a picture white, though, so that it goes to
/// the calendar then, as where nothing is known.
#[test]
fn the_time_keeps_the_clock_and_the_calendar() {
    let mode = |known| {
        let sent = sent(&Request::SetTime(time("8")), in_mode(known));
        sent[0].clone().split_off(12)
    };
    assert_eq!(mode(Some(2)), "02");
    assert_eq!(mode(Some(1)), "01");
    assert_eq!(mode(Some(0)), "01");
    assert_eq!(mode(None), "01");
}

#[test]
fn faces_take_the_time_along() {
    let face = |face, mode| script(&Request::SetFace(face, time("8")), in_mode(mode));
    let bytes = |face_, mode| {
        let script = face(face_, mode).unwrap();
        script.writes().map(|w| hex(&w.bytes)).collect::<Vec<_>>()
    };
    assert_eq!(bytes(Face::Clock1, Some(0)), ["206a7803700802"]);
    assert_eq!(bytes(Face::Calendar1, Some(2)), ["206a7803700801"]);
    // A picture that is shown stays; one that is not shown is kept nowhere.
    assert!(bytes(Face::Picture, Some(0)).is_empty());
    for mode in [Some(1), Some(2), None] {
        let error = face(Face::Picture, mode).unwrap_err();
        assert_eq!(error.code(), "not-supported");
    }
    for other in [Face::Clock2, Face::Clock3, Face::Calendar2, Face::Calendar3] {
        let request = other.name().to_owned();
        assert_eq!(
            face(other, Some(1)).unwrap_err(),
            ClockError::NotSupported { request }
        );
    }
}

#[test]
fn what_the_firmware_lacks_is_refused() {
    let hours = QuietHours::new(true, 23, 6).unwrap();
    let countdown = Countdown::new(
        CountdownStyle::Clock,
        CountdownDate::new(2026, 12, 31).unwrap(),
    );
    let mut requests = vec![
        Request::QuietHours(hours),
        Request::Countdown(countdown),
        Request::CountdownOff,
        Request::Picture(Picture::white(PictureSize::Small)),
    ];
    requests.extend(Toggle::ALL.map(Request::Toggle));
    for request in requests {
        let error = script(&request, THREE_COLOURS).unwrap_err();
        assert_eq!(error.code(), "not-supported", "{}", request.name());
    }
}

#[test]
fn clearing_is_the_firmwares_own_and_works_on_any_panel() {
    let unknown = Traits::default();
    assert_eq!(sent(&Request::Clear, unknown), ["01", "02"]);
    assert_eq!(sent(&Request::Clear, THREE_COLOURS), ["01", "02"]);
}

/// The first packet of each plane, the ones after it, and the last.
#[test]
fn a_picture_goes_in_legacy_frames_unless_the_clock_has_named_run_lengths() {
    let picture = varied();
    let (black_white, red) = memories(&picture);
    let writes = sent(&Request::Picture(picture), THREE_COLOURS);
    // 62 packets of 242 bytes at most for each plane.
    assert_eq!(writes.len(), 1 + 62 + 62 + 1);
    assert_eq!(writes[0], "01");
    assert_eq!(writes[1], format!("300f{}", hex(&black_white[..242])));
    assert_eq!(writes[2], format!("30ff{}", hex(&black_white[242..484])));
    assert_eq!(writes[62], format!("30ff{}", hex(&black_white[61 * 242..])));
    assert_eq!(writes[63], format!("3000{}", hex(&red[..242])));
    assert_eq!(writes[64], format!("30f0{}", hex(&red[242..484])));
    assert_eq!(writes[124], format!("30f0{}", hex(&red[61 * 242..])));
    assert_eq!(writes[125], "05");
}

#[test]
fn run_lengths_are_used_where_they_are_shorter() {
    let traits = Traits {
        run_length: true,
        ..THREE_COLOURS
    };
    // 115 runs of 130 bytes, and one of 50.
    let runs = format!("{}{}", "ffff".repeat(115), "afff");
    let white = sent(&Request::Picture(Picture::white(PictureSize::Full)), traits);
    assert_eq!(
        white,
        ["01", &format!("3006{runs}"), &format!("3007{runs}"), "05"]
    );
    // Nothing repeats itself, so that the bytes go as they are, with the new flags.
    let picture = varied();
    let (black_white, red) = memories(&picture);
    let writes = sent(&Request::Picture(picture), traits);
    assert_eq!(writes.len(), 1 + 62 + 62 + 1);
    assert_eq!(writes[1], format!("3002{}", hex(&black_white[..242])));
    assert_eq!(writes[2], format!("3000{}", hex(&black_white[242..484])));
    assert_eq!(writes[63], format!("3003{}", hex(&red[..242])));
    assert_eq!(writes[64], format!("3001{}", hex(&red[242..484])));
}

#[test]
fn before_the_clock_has_said_more_a_packet_has_20_bytes() {
    let traits = Traits {
        payload: None,
        ..THREE_COLOURS
    };
    let script = script(&Request::Picture(varied()), traits).unwrap();
    let longest = script.writes().map(|write| write.bytes.len()).max();
    assert_eq!(longest, Some(20));
    assert_eq!(script.writes().count(), 1 + 834 + 834 + 1);
}

/// BLE-19: a bounded burst, then one that has to be answered.
#[test]
fn after_50_writes_without_an_answer_comes_one_with() {
    let script = script(&Request::Picture(varied()), THREE_COLOURS).unwrap();
    let writes: Vec<&Write> = script.writes().collect();
    let mut in_row = 0;
    for write in &writes {
        match write.delivery {
            Delivery::Unanswered => in_row += 1,
            Delivery::Answered => in_row = 0,
        }
        assert!(in_row <= 50);
    }
    let answered: Vec<usize> = (0..writes.len())
        .filter(|&at| writes[at].delivery == Delivery::Answered)
        .collect();
    assert_eq!(answered, [0, 51, 102, 125]);
}

/// A link that goes during the redraw leaves the screen grey.
#[test]
fn the_link_is_kept_while_the_panel_redraws() {
    let face = Request::SetFace(Face::Clock1, time("8"));
    let picture = Request::Picture(varied());
    for request in [Request::SetTime(time("8")), face, picture, Request::Clear] {
        let script = script(&request, THREE_COLOURS).unwrap();
        let Some(Step::Await { hold, .. }) = script.steps().last() else {
            panic!("{} does not wait", request.name());
        };
        assert_eq!(*hold, Duration::from_secs(25));
    }
}

#[test]
fn the_answer_to_the_initialisation_is_waited_for_before_any_data() {
    let script = script(&Request::Picture(varied()), THREE_COLOURS).unwrap();
    let expected = Step::Expect {
        answer: Answer::Terms,
        limit: Duration::from_secs(5),
    };
    assert_eq!(script.steps()[1], expected);
}

/// UP-10: nothing is sent to a panel that it does not fit.
#[test]
fn a_picture_fits_the_panel_or_is_refused() {
    let picture = Request::Picture(varied());
    let on = |model| {
        let traits = Traits {
            model,
            ..THREE_COLOURS
        };
        script(&picture, traits)
    };
    for model in [0x02, 0x03] {
        let end = 2 * PLANE;
        assert_eq!(last_data(&on(Some(model)).unwrap()), end);
    }
    // Black and white: one plane, in which red is black.
    for model in [0x01, 0x04] {
        let script = on(Some(model)).unwrap();
        assert_eq!(last_data(&script), PLANE);
        let data: Vec<u8> = script
            .writes()
            .filter(|write| write.bytes[0] == 0x30)
            .flat_map(|write| write.bytes[2..].to_vec())
            .collect();
        assert!(data == memories(&varied()).0);
    }
    // Four colours, other sizes, and what does not exist.
    for model in [0x00].into_iter().chain(0x05..=0xFF) {
        assert_eq!(
            on(Some(model)).unwrap_err(),
            ClockError::PanelMismatch { model }
        );
    }
    assert_eq!(on(None).unwrap_err(), ClockError::PanelUnsaid);
}

fn last_data(script: &Script) -> usize {
    let ends = script.writes().map(|write| match write.role {
        Role::Stream { end, .. } => end,
        _ => 0,
    });
    ends.max().unwrap()
}

#[test]
fn a_firmware_without_the_picture_command_is_not_sent_pictures() {
    for (version, assumed) in [(Some(0x15), 0x15), (Some(0x10), 0x10), (None, 0x15)] {
        let traits = Traits {
            version,
            ..THREE_COLOURS
        };
        let error = script(&Request::Picture(varied()), traits).unwrap_err();
        assert_eq!(
            error,
            ClockError::FirmwareTooOld {
                version: assumed,
                needed: 0x16
            }
        );
        assert_eq!(sent(&Request::SetTime(time("8")), traits).len(), 1);
    }
    let first = Traits {
        version: Some(0x16),
        ..THREE_COLOURS
    };
    assert!(script(&Request::Picture(varied()), first).is_ok());
}

#[test]
fn raw_commands_that_reach_past_the_firmware_need_to_be_enabled() {
    let raw = |channel, bytes: &[u8], policy| {
        let raw = Raw::new(channel, bytes.to_vec(), policy).unwrap();
        script(&Request::Raw(raw), THREE_COLOURS)
    };
    for command in [0x00, 0x03, 0x04, 0x90, 0x91, 0x92, 0x99] {
        let channel = Channel::Main;
        assert_eq!(
            raw(channel, &[command, 1], RawPolicy::Guarded).unwrap_err(),
            ClockError::RawDenied { channel, command }
        );
        assert!(raw(channel, &[command, 1], RawPolicy::Unguarded).is_ok());
    }
    for harmless in [0x01, 0x05, 0x06, 0x20, 0x21, 0x30] {
        assert!(raw(Channel::Main, &[harmless], RawPolicy::Guarded).is_ok());
    }
    let error = raw(Channel::Alt, &[0xE2], RawPolicy::Unguarded).unwrap_err();
    assert_eq!(error.code(), "not-supported");
}

#[test]
fn what_the_clock_says_of_itself_is_learned() {
    let learned = |said: &[&[u8]]| {
        let mut traits = Traits::default();
        for notification in said {
            EpdNrf5.learn(notification, &mut traits);
        }
        (traits.model, traits.mode, traits.payload, traits.run_length)
    };
    // Pins, model, pins, then the mode and the first day of the week.
    let newer = [0x14, 0x13, 6, 5, 4, 3, 2, 0x02, 0xFF, 0x12, 7, 2, 1];
    let older = [0x0A, 0x0B, 0x0C, 0x0D, 0x0E, 0x0F, 0x10, 0x03, 9, 3, 0xFF];
    assert_eq!(learned(&[&newer]), (Some(2), Some(2), None, false));
    assert_eq!(learned(&[&older]), (Some(3), None, None, false));
    let unset = [0x14, 0x13, 6, 5, 4, 3, 2, 0x02, 0xFF, 0x12, 7, 0xFF, 0xFF];
    assert_eq!(learned(&[&unset]), (Some(2), None, None, false));
    assert_eq!(
        learned(&[&newer, b"mtu=244 rle=1", b"t=1786278896"]),
        (Some(2), Some(2), Some(244), true)
    );
    assert_eq!(
        learned(&[b"mtu=244 rle=1", b"mtu=20"]),
        (None, None, Some(20), false)
    );
    for nothing in [
        &b"mtu="[..],
        b"mtu=x",
        b"t=12345678",
        b"",
        b"mtu=-1",
        &[0; 12],
    ] {
        assert_eq!(learned(&[nothing]), (None, None, None, false));
    }
    assert_eq!(EpdNrf5.interpret(&newer), Answer::Introduction);
    assert_eq!(EpdNrf5.interpret(b"mtu=244 rle=1"), Answer::Terms);
    assert_eq!(EpdNrf5.interpret(b"t=1786278896"), Answer::Other);
    // A text as long as a configuration is none.
    assert_eq!(EpdNrf5.interpret(b"t=178627889"), Answer::Other);
}

#[test]
fn what_was_sent_is_known_to_have_changed_the_mode() {
    let mode_after = |request: &Request| {
        let mut traits = THREE_COLOURS;
        for write in script(request, traits).unwrap().writes() {
            EpdNrf5.sent(write, &mut traits);
        }
        traits.mode
    };
    let face = |face| Request::SetFace(face, time("8"));
    assert_eq!(mode_after(&face(Face::Clock1)), Some(2));
    assert_eq!(mode_after(&face(Face::Calendar1)), Some(1));
    assert_eq!(mode_after(&Request::Picture(varied())), Some(0));
    assert_eq!(mode_after(&Request::Clear), Some(0));
    assert_eq!(mode_after(&Request::SetTime(time("8"))), Some(1));
}

#[test]
fn the_probe_has_no_data_to_put_anywhere() {
    let probe = EpdNrf5.probe().unwrap();
    assert_eq!(hex(&probe.bytes), "3000");
    assert_eq!(probe.delivery, Delivery::Answered);
}

#[test]
fn names_tell_the_families_apart() {
    assert_eq!(Family::of_name("NRF_EPD_0A1B"), Some(Family::EpdNrf5));
    assert_eq!(Family::of_name("NRF-325608"), Some(Family::Pingping));
    assert_eq!(Family::of_name("NRF_DFU"), None);
}

/// What a firmware's memories hold after these writes, by an own reading of the flags.
fn received(script: &Script, run_length: bool) -> [Vec<u8>; 2] {
    let mut memories = [Vec::new(), Vec::new()];
    for write in script.writes() {
        let [0x30, flags, data @ ..] = &write.bytes[..] else {
            continue;
        };
        let (red, first, coded) = if run_length {
            (flags & 1 != 0, flags & 2 != 0, flags & 4 != 0)
        } else {
            (flags & 0x0F == 0, flags & 0xF0 == 0, false)
        };
        let memory = &mut memories[usize::from(red)];
        assert_eq!(memory.is_empty(), first);
        let before = memory.len();
        if coded {
            decode(data, memory);
        } else {
            memory.extend(data);
        }
        let Role::Stream { start, end } = write.role else {
            panic!("data of another role");
        };
        assert_eq!(end - start, memory.len() - before);
    }
    memories
}

/// Whole codes only, as the firmware reads each write by itself.
fn decode(mut data: &[u8], into: &mut Vec<u8>) {
    while let [control, rest @ ..] = data {
        let (bytes, used) = if *control >= 0x80 {
            (vec![rest[0]; usize::from(control & 0x7F) + 3], 1)
        } else {
            let count = usize::from(*control) + 1;
            (rest[..count].to_vec(), count)
        };
        into.extend(bytes);
        data = &rest[used..];
    }
}

/// Planes with runs of all lengths, and with none.
fn plane() -> impl Strategy<Value = Vec<u8>> {
    proptest::collection::vec((0..4_u8, 1..400_usize), 1..600).prop_map(|runs| {
        let mut bytes: Vec<u8> = runs
            .into_iter()
            .flat_map(|(kind, length)| {
                (0..length).map(move |at| match kind {
                    0 => 0x00,
                    1 => 0xFF,
                    2 => at as u8,
                    _ => (at / 2) as u8,
                })
            })
            .collect();
        bytes.resize(PLANE, 0x55);
        bytes
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// BLE-7, BLE-18: every byte arrives once and in order, whatever the link and the clock take.
    #[test]
    fn planes_arrive_whole_at_any_payload_in_either_framing(
        white in plane(), red in plane(), mtu in 23_u16..=517, payload in 0_usize..=512,
        said in any::<bool>(), run_length in any::<bool>(),
    ) {
        let picture = Picture::new(PictureSize::Full, white, red).unwrap();
        let traits = Traits { payload: said.then_some(payload), run_length, ..THREE_COLOURS };
        let terms = Terms::of_mtu(mtu).with(traits);
        let script = EpdNrf5.script(&Request::Picture(picture.clone()), terms).unwrap();
        let most = if said { payload.clamp(20, 244).min(usize::from(mtu) - 3) } else { 20 };
        prop_assert!(script.writes().all(|write| write.bytes.len() <= most));
        let [black_white, reds] = received(&script, run_length);
        let expected = memories(&picture);
        prop_assert!(black_white == expected.0 && reds == expected.1);
        prop_assert_eq!(last_data(&script), 2 * PLANE);
        // Run lengths never cost more than the bytes as they are.
        let bytes: usize = script.writes().map(|write| write.bytes.len()).sum();
        let plain = PLANE + 2 * PLANE.div_ceil(most - 2);
        prop_assert!(bytes <= 2 * plain + 2);
    }

    #[test]
    fn no_notification_makes_the_dialect_panic(said in proptest::collection::vec(any::<u8>(), 0..40)) {
        let mut traits = Traits::default();
        EpdNrf5.learn(&said, &mut traits);
        let _ = EpdNrf5.interpret(&said);
    }
}
