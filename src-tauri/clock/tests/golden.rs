//! The bytes of every request, as the protocol's published sources have them.

// The helpers below end a test as an assertion does.
#![allow(clippy::unwrap_used)]

use std::time::Duration;

use regie_clock::dialect::{Answer, Dialect, Pingping, Role, Script, Step, Terms};
use regie_clock::{
    Channel, ClockError, ClockTime, Countdown, CountdownDate, CountdownStyle, Face, Picture,
    PictureSize, Profile, QuietHours, Raw, RawPolicy, Request, TextBitmap, Toggle, Zone,
};

/// 2026-08-09 12:34:56 at +08:00.
const EXAMPLE_INSTANT: i64 = 1_786_250_096;

fn script(request: &Request) -> Script {
    script_at(request, 247).unwrap()
}

fn script_at(request: &Request, mtu: u16) -> Result<Script, ClockError> {
    Pingping::default().script(request, Terms::of_mtu(mtu))
}

fn set_face(face: Face) -> Request {
    let zone: Zone = "+08:00".parse().unwrap();
    Request::SetFace(face, ClockTime::at(EXAMPLE_INSTANT, &zone).unwrap())
}

/// A script as text: `cmd e102`, `300`, `cmd e2`, without the waits for the panel.
fn text(script: &Script) -> Vec<String> {
    let hex = |bytes: &[u8]| bytes.iter().map(|b| format!("{b:02x}")).collect::<String>();
    script
        .steps()
        .iter()
        .filter_map(|step| match step {
            Step::Write(write) => Some(match write.channel {
                Channel::Main => format!("img {}", hex(&write.bytes)),
                Channel::Alt => format!("cmd {}", hex(&write.bytes)),
            }),
            Step::Pause(pause) => Some(pause.as_millis().to_string()),
            Step::Expect { .. } | Step::Await { .. } => None,
        })
        .collect()
}

#[test]
fn set_time_sends_the_shifted_epoch_and_the_local_date_then_redraws() {
    let zone: Zone = "+08:00".parse().unwrap();
    let time = ClockTime::at(EXAMPLE_INSTANT, &zone).unwrap();
    let sent = text(&script(&Request::SetTime(time)));
    assert_eq!(sent, ["cmd dd6a7873f007ea080907", "cmd e2"]);
}

#[test]
fn faces_with_published_codes() {
    let face = |face| text(&script(&set_face(face)));
    assert_eq!(face(Face::Picture), ["cmd e100"]);
    assert_eq!(face(Face::Calendar1), ["cmd e101", "300", "cmd e2"]);
    assert_eq!(face(Face::Clock1), ["cmd e102", "300", "cmd e2"]);
}

#[test]
fn toggles_with_published_codes_are_never_repeatable() {
    for (toggle, expected) in [
        (Toggle::Invert, vec!["cmd e3"]),
        (Toggle::ClockColor, vec!["cmd e4", "300", "cmd e2"]),
        (Toggle::Rotate180, vec!["cmd e5"]),
    ] {
        let script = script(&Request::Toggle(toggle));
        assert_eq!(text(&script), expected);
        assert_eq!(script.writes().next().unwrap().role, Role::Once);
    }
}

#[test]
fn what_nobody_has_published_is_refused_with_the_name_of_its_profile_entry() {
    let faces = [Face::Clock2, Face::Clock3, Face::Calendar2, Face::Calendar3].map(set_face);
    let toggles = [Toggle::Font, Toggle::HourFormat].map(Request::Toggle);
    let names = [
        "clock2",
        "clock3",
        "calendar2",
        "calendar3",
        "font",
        "hour_format",
    ];
    for (request, name) in faces.iter().chain(&toggles).zip(names) {
        let error = script_at(request, 247).unwrap_err();
        assert_eq!(
            error,
            ClockError::CodeUnknown {
                name: name.to_owned()
            }
        );
        assert_eq!(error.agent_code().as_str(), "INVALID_PARAM");
        assert!(error.hint().contains("profile file"));
    }
}

#[test]
fn a_profile_supplies_codes() {
    let profile = Profile::parse(
        "[clock2]\nchannel = \"alt\"\nbytes = \"E1 05\"\nrefresh = true\n\
         [font]\nchannel = \"alt\"\nbytes = \"e7f0\"\n",
    )
    .unwrap();
    let dialect = Pingping::new(profile);
    let script = |request| dialect.script(&request, Terms::of_mtu(247)).unwrap();
    let face = script(set_face(Face::Clock2));
    assert_eq!(text(&face), ["cmd e105", "300", "cmd e2"]);
    let font = script(Request::Toggle(Toggle::Font));
    assert_eq!(text(&font), ["cmd e7f0"]);
    assert_eq!(font.writes().next().unwrap().role, Role::Once);
}

#[test]
fn a_broken_profile_says_what_is_wrong() {
    for (file, part) in [
        (
            "[clock2]\nchannel = \"alt\"\nbytes = \"xyz\"",
            "hexadecimal",
        ),
        (
            "[clock2]\nchannel = \"alt\"\nbytes = \"e10\"",
            "hexadecimal",
        ),
        (
            "[clock2]\nchannel = \"ota\"\nbytes = \"e105\"",
            "unknown variant",
        ),
        ("[clock9]\nchannel = \"alt\"\nbytes = \"e105\"", "clock9"),
        ("[clock2]\nchannel = \"alt\"\nbytes = \"aa\"", "raw-denied"),
        ("[clock2]\nchannel = \"alt\"\nbytes = \"\"", "raw-empty"),
        ("[clock2]\nchannel = \"alt\"", "missing field"),
        ("[clock2\n", ""),
    ] {
        let error = Profile::parse(file).unwrap_err();
        assert_eq!(error.code(), "profile-invalid");
        assert!(error.to_string().contains(part), "{error}");
    }
    assert!(Profile::parse(&"#".repeat(Profile::MAX_FILE_BYTES + 1)).is_err());
    assert_eq!(Profile::parse("").unwrap(), Profile::default());
}

#[test]
fn quiet_hours_are_binary_coded_decimals() {
    let hours = |on, start, end| {
        text(&script(&Request::QuietHours(
            QuietHours::new(on, start, end).unwrap(),
        )))
    };
    assert_eq!(hours(true, 23, 6), ["cmd fb012306"]);
    assert_eq!(hours(false, 23, 6), ["cmd fb002306"]);
    assert_eq!(hours(true, 0, 19), ["cmd fb010019"]);
    assert_eq!(
        QuietHours::new(true, 24, 6),
        Err(ClockError::HourInvalid { hour: 24 })
    );
}

#[test]
fn a_countdown_without_text_sends_its_date_and_redraws() {
    let clock = Countdown::new(
        CountdownStyle::Clock,
        CountdownDate::new(2026, 8, 9).unwrap(),
    );
    let sent = text(&script(&Request::Countdown(clock)));
    assert_eq!(sent, ["cmd ff0020260809", "1000", "cmd e2"]);
    let calendar = Countdown::new(
        CountdownStyle::Calendar,
        CountdownDate::new(2026, 8, 9).unwrap(),
    );
    let sent = text(&script(&Request::Countdown(calendar)));
    assert_eq!(sent, ["cmd ffff20260809", "1000", "cmd e2"]);
    assert_eq!(
        text(&script(&Request::CountdownOff)),
        ["cmd fa", "1000", "cmd e2"]
    );
}

#[test]
fn a_countdown_date_must_exist() {
    for (year, month, day) in [(2000, 12, 31), (2026, 2, 29), (2026, 13, 1), (10_000, 1, 1)] {
        let error = CountdownDate::new(year, month, day).unwrap_err();
        assert_eq!(error.code(), "date-invalid");
    }
    assert!(CountdownDate::new(2028, 2, 29).is_ok());
}

#[test]
fn a_countdown_date_is_written_in_one_way_only() {
    let date: CountdownDate = "2028-02-29".parse().unwrap();
    assert_eq!((date.year(), date.month(), date.day()), (2028, 2, 29));
    for text in [
        "20280229",
        "2028-2-29",
        "2028-02-29T00:00",
        "+002028-02-29",
        "29.02.2028",
        "2027-02-29",
        "2000-12-31",
        " 2028-02-29",
        "tomorrow",
        "",
    ] {
        let error = text.parse::<CountdownDate>().unwrap_err();
        assert_eq!(error.code(), "date-invalid", "{text}");
    }
}

#[test]
fn a_day_that_is_over_where_the_clock_is_cannot_be_counted_down_to() {
    let at = |zone: &str| ClockTime::at(EXAMPLE_INSTANT, &zone.parse().unwrap()).unwrap();
    let day: CountdownDate = "2026-08-09".parse().unwrap();
    assert_eq!(day.not_before(&at("+08:00")).unwrap(), day);
    // There it is the tenth at that instant.
    let later = ClockTime::at(EXAMPLE_INSTANT, &"Pacific/Kiritimati".parse().unwrap()).unwrap();
    assert_eq!(later.day(), 9);
    let next = ClockTime::at(EXAMPLE_INSTANT + 86_400, &"+08:00".parse().unwrap()).unwrap();
    assert_eq!(day.not_before(&next).unwrap_err().code(), "date-past");
}

/// Numbered bytes, so that each slice shows where it was cut.
fn text_bitmap(style: CountdownStyle, cells: usize) -> TextBitmap {
    let bytes = style.cell() / 8 * cells * style.cell();
    TextBitmap::new(style, cells, (0..bytes).map(|i| i as u8).collect()).unwrap()
}

fn countdown_writes(style: CountdownStyle, cells: usize) -> Vec<Vec<u8>> {
    let countdown = Countdown::with_text(
        text_bitmap(style, cells),
        CountdownDate::new(2026, 8, 9).unwrap(),
    );
    let script = script(&Request::Countdown(countdown));
    // Every part but the last is followed by a second.
    let pauses: Vec<_> = script
        .steps()
        .iter()
        .filter_map(|step| match step {
            Step::Pause(pause) => Some(*pause),
            _ => None,
        })
        .collect();
    let writes: Vec<_> = script.writes().map(|write| write.bytes.clone()).collect();
    assert_eq!(pauses, vec![Duration::from_secs(1); writes.len() - 1]);
    writes
}

#[test]
fn countdown_text_in_the_clock_style_is_cut_at_128_bytes_and_loses_its_last() {
    for (cells, lengths) in [
        (1, vec![32]),
        (4, vec![128]),
        (5, vec![128, 32]),
        (8, vec![128, 128]),
    ] {
        let writes = countdown_writes(CountdownStyle::Clock, cells);
        let (parts, rest) = writes.split_at(lengths.len());
        assert_eq!(parts.iter().map(Vec::len).collect::<Vec<_>>(), lengths);
        assert_eq!(rest, [vec![0xFF, 0x00, 0x20, 0x26, 0x08, 0x09], vec![0xE2]]);
        let last = 32 * cells - 2;
        if cells <= 4 {
            assert_eq!(parts[0][..2], [cells as u8, 0]);
            assert_eq!(*parts[0].last().unwrap(), last as u8);
        } else {
            assert_eq!(parts[0][..2], [4, 0]);
            assert_eq!(*parts[0].last().unwrap(), 126);
            assert_eq!(parts[1][..2], [cells as u8, 128]);
            assert_eq!(*parts[1].last().unwrap(), last as u8);
        }
    }
}

#[test]
fn countdown_text_in_the_calendar_style_is_cut_into_slices_of_72_bytes() {
    for cells in 1..=4 {
        let writes = countdown_writes(CountdownStyle::Calendar, cells);
        for (index, part) in writes[..cells].iter().enumerate() {
            assert_eq!(part.len(), 74);
            assert_eq!(part[..3], [0x99, index as u8, (index * 72) as u8]);
        }
        assert_eq!(
            writes[cells..],
            [vec![0xFF, 0xFF, 0x20, 0x26, 0x08, 0x09], vec![0xE2]]
        );
    }
}

#[test]
fn countdown_text_must_fit_its_style() {
    use CountdownStyle::{Calendar, Clock};
    for (style, cells) in [(Clock, 0), (Clock, 9), (Calendar, 0), (Calendar, 5)] {
        let error = TextBitmap::new(style, cells, vec![0; 32]).unwrap_err();
        assert_eq!(error.code(), "countdown-text-length");
    }
    let error = TextBitmap::new(Clock, 2, vec![0; 63]).unwrap_err();
    assert_eq!(
        error,
        ClockError::CountdownBitmapLength {
            expected: 64,
            actual: 63
        }
    );
}

/// IMG-8: the order and polarity of the planes are fixed here.
#[test]
fn a_white_full_picture_is_127_writes() {
    let sent = text(&script(&Request::Clear));
    assert_eq!(sent.len(), 128);
    assert_eq!(sent[0], format!("img 03ff0000{}", "ff".repeat(240)));
    assert_eq!(sent[62], format!("img 03ff3a20{}", "ff".repeat(120)));
    assert_eq!(sent[63], format!("img 03000000{}", "00".repeat(240)));
    assert_eq!(sent[125], format!("img 03003a20{}", "00".repeat(120)));
    assert_eq!(sent[126..], ["300", "img 01"]);
}

#[test]
fn a_small_picture_has_its_own_opcode_and_trigger() {
    let picture = Picture::new(PictureSize::Small, vec![0; 3500], vec![0xFF; 3500]).unwrap();
    let sent = text(&script(&Request::Picture(picture)));
    assert_eq!(sent.len(), 32);
    assert_eq!(sent[0], format!("img 04ff0000{}", "00".repeat(240)));
    assert_eq!(sent[14], format!("img 04ff0d20{}", "00".repeat(140)));
    assert_eq!(sent[15], format!("img 04000000{}", "ff".repeat(240)));
    assert_eq!(sent[30..], ["300", "img aa"]);
}

/// UP-10: planes of another panel are refused before anything is sent.
#[test]
fn a_plane_of_the_wrong_length_is_refused() {
    let error = Picture::new(PictureSize::Full, vec![0; 15_000], vec![0; 14_999]).unwrap_err();
    assert_eq!(error.code(), "plane-length");
    assert_eq!(
        error.to_string(),
        "The red plane of a 400x300 picture has 15000 bytes, but 14999 were given."
    );
}

#[test]
fn every_trigger_keeps_the_link_two_to_thirty_seconds() {
    for request in [
        Request::Clear,
        set_face(Face::Clock1),
        Request::CountdownOff,
    ] {
        let script = script(&request);
        let [.., Step::Write(trigger), last] = script.steps() else {
            panic!("{script:?}")
        };
        assert_eq!(trigger.role, Role::Trigger);
        let (hold, limit) = (Duration::from_secs(2), Duration::from_secs(30));
        assert_eq!(
            *last,
            Step::Await {
                answer: Answer::RefreshDone,
                hold,
                limit
            }
        );
    }
}

#[test]
fn notifications_are_understood() {
    let dialect = Pingping::default();
    for (value, answer) in [
        (&[0x00, 0xF4][..], Answer::Accepted { length: 244 }),
        (&[0x00, 0x7C], Answer::Accepted { length: 124 }),
        (&[0x00, 0x00], Answer::Rejected),
        (&[0xFF, 0xFF], Answer::RefreshDone),
        (&[], Answer::Other),
        (&[0x00], Answer::Other),
        (&[0x00, 0x00, 0x00], Answer::Other),
    ] {
        assert_eq!(dialect.interpret(value), answer);
    }
}

#[test]
fn raw_bytes_that_can_harm_the_clock_need_to_be_enabled() {
    let raw = |channel, bytes: &[u8], policy| Raw::new(channel, bytes.to_vec(), policy);
    let sent = |channel, bytes: &[u8], policy| {
        script_at(&Request::Raw(raw(channel, bytes, policy).unwrap()), 247)
    };
    for command in [0xAA, 0xAB, 0xEF, 0xE6] {
        let denied = sent(Channel::Alt, &[command, 1], RawPolicy::Guarded).unwrap_err();
        assert_eq!(
            denied,
            ClockError::RawDenied {
                channel: Channel::Alt,
                command
            }
        );
        assert!(sent(Channel::Alt, &[command, 1], RawPolicy::Unguarded).is_ok());
    }
    assert!(sent(Channel::Main, &[0xAA], RawPolicy::Guarded).is_ok());
    assert!(sent(Channel::Main, &[0xAB], RawPolicy::Guarded).is_err());
    assert_eq!(
        raw(Channel::Alt, &[], RawPolicy::Unguarded),
        Err(ClockError::RawEmpty)
    );
    for (channel, limit) in [(Channel::Alt, 128), (Channel::Main, 500)] {
        assert!(raw(channel, &vec![0; limit], RawPolicy::Guarded).is_ok());
        let error = raw(channel, &vec![0; limit + 1], RawPolicy::Guarded).unwrap_err();
        assert_eq!(
            error,
            ClockError::RawTooLong {
                channel,
                limit,
                actual: limit + 1
            }
        );
    }
    let raw = raw(Channel::Alt, &[0xE1, 0x05], RawPolicy::Guarded).unwrap();
    assert_eq!(text(&script(&Request::Raw(raw))), ["cmd e105"]);
}

/// A longer write would become a long write, which these clocks do not take.
#[test]
fn a_command_that_does_not_fit_the_link_is_refused() {
    let countdown = Countdown::with_text(
        text_bitmap(CountdownStyle::Calendar, 1),
        CountdownDate::new(2026, 8, 9).unwrap(),
    );
    let error = script_at(&Request::Countdown(countdown), 23).unwrap_err();
    assert_eq!(
        error,
        ClockError::PayloadTooSmall {
            needed: 74,
            available: 20
        }
    );
}
