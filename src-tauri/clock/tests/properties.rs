//! Properties of the packets, of binary coded decimals and of local time.

use proptest::prelude::*;
use regie_clock::dialect::{Dialect, Pingping, Role, Terms};
use regie_clock::{
    Address, Channel, ClockTime, Countdown, CountdownDate, CountdownStyle, Picture, PictureSize,
    QuietHours, Request, Zone,
};

fn sizes() -> impl Strategy<Value = PictureSize> {
    prop_oneof![Just(PictureSize::Full), Just(PictureSize::Small)]
}

proptest! {
    /// BLE-7, BLE-18: every byte goes once, whatever the link carries, down to 20 bytes a write.
    #[test]
    fn packets_cover_each_byte_once_at_any_mtu(mtu in 23_u16..=517, size in sizes()) {
        let bytes = size.plane_bytes();
        let black_white: Vec<u8> = (0..bytes).map(|i| (i * 7 + i / 256) as u8).collect();
        let red: Vec<u8> = (0..bytes).map(|i| (i * 13 + i / 256) as u8).collect();
        let picture = Picture::new(size, black_white.clone(), red.clone()).unwrap();
        let terms = Terms::of_mtu(mtu);
        let script = Pingping::default().script(&Request::Picture(picture), terms).unwrap();
        let mut taken = [vec![None; bytes], vec![None; bytes]];
        let mut position = 0;
        for write in script.writes() {
            prop_assert!(write.bytes.len() <= usize::from(mtu) - 3);
            prop_assert!(write.bytes.len() <= 244);
            prop_assert_eq!(write.channel, Channel::Main);
            let Role::Data { start, end } = write.role else { continue };
            prop_assert_eq!(start, position);
            position = end;
            let plane = if write.bytes[1] == 0xFF { &mut taken[0] } else { &mut taken[1] };
            let offset = usize::from(u16::from_be_bytes([write.bytes[2], write.bytes[3]]));
            for (place, byte) in plane[offset..].iter_mut().zip(&write.bytes[4..]) {
                prop_assert_eq!(place.replace(*byte), None);
            }
        }
        prop_assert_eq!(position, bytes * 2);
        for (taken, sent) in taken.iter().zip([black_white, red]) {
            prop_assert!(taken.iter().zip(sent).all(|(taken, sent)| *taken == Some(sent)));
        }
    }

    #[test]
    fn hours_and_dates_read_the_same_in_hexadecimal(
        start in 0_u8..24, end in 0_u8..24, year in 2001_i16..=9999, month in 1_i8..=12, day in 1_i8..=28,
    ) {
        let first = |request| {
            let script = Pingping::default().script(&request, Terms::of_mtu(23)).unwrap();
            let write = script.writes().next().unwrap().clone();
            write.bytes.iter().map(|b| format!("{b:02x}")).collect::<String>()
        };
        let on = start != end;
        let hours = QuietHours::new(on, start, end).unwrap();
        let expected = format!("fb0{}{start:02}{end:02}", u8::from(on));
        prop_assert_eq!(first(Request::QuietHours(hours)), expected);
        let date = Countdown::new(CountdownStyle::Clock, CountdownDate::new(year, month, day).unwrap());
        prop_assert_eq!(first(Request::Countdown(date)), format!("ff00{year:04}{month:02}{day:02}"));
    }

    /// TZ-1, TZ-2: the shifted epoch, read as if it were UTC, is the local date that goes with it.
    #[test]
    fn the_shifted_epoch_and_the_date_agree(
        epoch in 100_000_i64..4_200_000_000, minutes in -720_i32..=840,
    ) {
        let zone = Zone::fixed_hours(f64::from(minutes) / 60.0).unwrap();
        let time = ClockTime::at(epoch, &zone).unwrap();
        prop_assert_eq!(i64::from(time.shifted_epoch()), epoch + i64::from(minutes) * 60);
        // Days since 1970-01-01, a Thursday.
        let days = time.shifted_epoch() / 86_400;
        prop_assert_eq!(u32::from(time.weekday()), (days + 3) % 7 + 1);
        prop_assert_eq!(days_from_civil(time.year(), time.month(), time.day()), i64::from(days));
    }

    #[test]
    fn an_offset_reads_the_same_in_every_spelling(minutes in -720_i32..=840) {
        let sign = if minutes < 0 { '-' } else { '+' };
        let (hours, rest) = (minutes.abs() / 60, minutes.abs() % 60);
        let colon: Zone = format!("{sign}{hours:02}:{rest:02}").parse().unwrap();
        let plain: Zone = format!("{sign}{hours:02}{rest:02}").parse().unwrap();
        let utc: Zone = format!("UTC{sign}{hours}:{rest:02}").parse().unwrap();
        let hours: Zone = (f64::from(minutes) / 60.0).to_string().parse().unwrap();
        prop_assert_eq!(&colon, &plain);
        prop_assert_eq!(&colon, &utc);
        prop_assert_eq!(&colon, &hours);
        prop_assert_eq!(&colon, &colon.to_string().parse().unwrap());
        prop_assert_eq!(colon.offset_seconds_at(0).unwrap(), minutes * 60);
    }

    #[test]
    fn no_text_makes_a_zone_panic(text in ".{0,20}") {
        let _ = text.parse::<Zone>();
        let _ = (Address::new(&text), Address::parse(&text));
    }
}

/// Days since 1970-01-01 of a proleptic Gregorian date, counted year by year and month by month.
fn days_from_civil(year: u16, month: u8, day: u8) -> i64 {
    let leap = |y: u16| y.is_multiple_of(4) && (!y.is_multiple_of(100) || y.is_multiple_of(400));
    let years: i64 = (1970..year).map(|y| if leap(y) { 366 } else { 365 }).sum();
    let lengths = [
        31,
        if leap(year) { 29 } else { 28 },
        31,
        30,
        31,
        30,
        31,
        31,
        30,
        31,
        30,
        31,
    ];
    let months: i64 = lengths.iter().take(usize::from(month) - 1).sum();
    years + months + i64::from(day) - 1
}
