//! Local time in the zones of the world.

use regie_clock::{ClockError, ClockTime, Zone};

/// 2026-01-15 12:00:00 UTC.
const WINTER: i64 = 1_768_478_400;
/// 2026-07-15 12:00:00 UTC.
const SUMMER: i64 = 1_784_116_800;

/// TZ-2: offset in minutes of 40 zones in January and July 2026 (IANA time zone database).
const OFFSETS: [(&str, i32, i32); 40] = [
    ("Etc/GMT+12", -720, -720),
    ("Pacific/Pago_Pago", -660, -660),
    ("Pacific/Honolulu", -600, -600),
    ("Pacific/Marquesas", -570, -570),
    ("America/Anchorage", -540, -480),
    ("America/Los_Angeles", -480, -420),
    ("America/Denver", -420, -360),
    ("America/Phoenix", -420, -420),
    ("America/Chicago", -360, -300),
    ("America/Mexico_City", -360, -360),
    ("America/New_York", -300, -240),
    ("America/Bogota", -300, -300),
    ("America/Halifax", -240, -180),
    ("America/St_Johns", -210, -150),
    ("America/Sao_Paulo", -180, -180),
    ("Atlantic/South_Georgia", -120, -120),
    ("Atlantic/Cape_Verde", -60, -60),
    ("UTC", 0, 0),
    ("Europe/London", 0, 60),
    ("Africa/Lagos", 60, 60),
    ("Europe/Paris", 60, 120),
    ("Europe/Berlin", 60, 120),
    ("Africa/Cairo", 120, 180),
    ("Europe/Athens", 120, 180),
    ("Europe/Moscow", 180, 180),
    ("Asia/Tehran", 210, 210),
    ("Asia/Dubai", 240, 240),
    ("Asia/Kabul", 270, 270),
    ("Asia/Karachi", 300, 300),
    ("Asia/Kolkata", 330, 330),
    ("Asia/Kathmandu", 345, 345),
    ("Asia/Dhaka", 360, 360),
    ("Asia/Yangon", 390, 390),
    ("Asia/Bangkok", 420, 420),
    ("Asia/Shanghai", 480, 480),
    ("Australia/Eucla", 525, 525),
    ("Asia/Tokyo", 540, 540),
    ("Australia/Adelaide", 630, 570),
    ("Pacific/Chatham", 825, 765),
    ("Pacific/Kiritimati", 840, 840),
];

/// TZ-1, TZ-2, TZ-3: named zones follow their own rules at each instant, half and quarter hours
/// and summer time included.
#[test]
fn named_zones_have_the_right_offset_in_winter_and_summer() {
    for (name, winter, summer) in OFFSETS {
        let zone: Zone = name.parse().unwrap();
        for (instant, minutes) in [(WINTER, winter), (SUMMER, summer)] {
            let time = ClockTime::at(instant, &zone).unwrap();
            let expected = instant + i64::from(minutes) * 60;
            assert_eq!(
                i64::from(time.shifted_epoch()),
                expected,
                "{name} at {instant}"
            );
        }
    }
}

/// TZ-3: one second before and at a change to summer time.
#[test]
fn the_change_to_summer_time_is_taken_at_its_second() {
    let paris: Zone = "Europe/Paris".parse().unwrap();
    // 2026-03-29 01:00:00 UTC.
    let change = 1_774_746_000;
    assert_eq!(paris.offset_seconds_at(change - 1).unwrap(), 3600);
    assert_eq!(paris.offset_seconds_at(change).unwrap(), 7200);
}

/// TZ-2: the date is that of the zone, across midnight and the turn of the year.
#[test]
fn the_date_is_the_local_one() {
    // 2026-12-31 23:30:00 UTC, a Thursday.
    let instant = 1_798_759_800;
    for (zone, date, weekday) in [
        ("+00:00", (2026, 12, 31), 4),
        ("+00:30", (2027, 1, 1), 5),
        ("-12", (2026, 12, 31), 4),
        ("14", (2027, 1, 1), 5),
    ] {
        let time = ClockTime::at(instant, &zone.parse().unwrap()).unwrap();
        assert_eq!((time.year(), time.month(), time.day()), date, "{zone}");
        assert_eq!(time.weekday(), weekday, "{zone}");
    }
}

#[test]
fn sunday_is_the_seventh_day() {
    let time = ClockTime::at(1_786_250_096, &"8".parse().unwrap()).unwrap();
    assert_eq!(time.weekday(), 7);
}

/// TZ-5: half and quarter hours in every spelling.
#[test]
fn offsets_may_be_given_in_hours_or_with_minutes() {
    for (text, minutes) in [
        ("8", 480),
        ("8.0", 480),
        ("+8", 480),
        ("5.5", 330),
        ("5.75", 345),
        ("+05:45", 345),
        ("+0545", 345),
        ("-3.5", -210),
        ("-03:30", -210),
        ("UTC+8", 480),
        ("GMT-3:30", -210),
        ("-12", -720),
        ("14", 840),
        ("0", 0),
        (" +05:45 ", 345),
    ] {
        let zone: Zone = text.parse().unwrap();
        assert_eq!(zone.offset_seconds_at(0).unwrap(), minutes * 60, "{text}");
    }
}

/// TZ-5: nonsense is refused with the range that is accepted.
#[test]
fn offsets_outside_the_range_are_refused_with_it() {
    for text in [
        "14.5", "-12.25", "+15:00", "99", "1e3", "+24:00", "999999.9",
    ] {
        let error = text.parse::<Zone>().unwrap_err();
        assert!(error.hint().contains("-12 to +14"), "{text}");
    }
    for text in [
        "",
        "Europe/Nowhere",
        "8h",
        "+5:5",
        "+05:60",
        "0560",
        "..",
        "+",
        "-",
        "1.2.3",
        "Ümlaut",
    ] {
        let error = text.parse::<Zone>().unwrap_err();
        assert_eq!(
            error,
            ClockError::ZoneUnknown {
                input: text.to_owned()
            }
        );
    }
    for hours in [f64::NAN, f64::INFINITY, 14.01, -12.01] {
        assert_eq!(
            Zone::fixed_hours(hours).unwrap_err().code(),
            "offset-out-of-range"
        );
    }
}

#[test]
fn instants_the_clock_cannot_hold_are_refused() {
    let utc: Zone = "UTC".parse().unwrap();
    for instant in [-1, 4_294_967_296, i64::MAX, i64::MIN] {
        assert_eq!(
            ClockTime::at(instant, &utc),
            Err(ClockError::TimeOutOfRange)
        );
    }
    assert!(ClockTime::at(0, &utc).is_ok());
    assert!(ClockTime::at(4_294_967_295, &utc).is_ok());
}

/// TZ-6: this computer's zone is a zone like any other.
#[test]
fn the_zone_of_this_computer_can_be_written_and_read_back() {
    let zone = Zone::system();
    assert_eq!(zone.to_string().parse::<Zone>().unwrap(), zone);
}
