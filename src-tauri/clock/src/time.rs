//! Local time as the clock keeps it.
//!
//! Most clocks have no notion of a zone: they are given seconds since 1970 that were shifted by
//! the zone's offset beforehand, and the local date beside them.

use std::fmt;
use std::str::FromStr;

use jiff::Timestamp;
use jiff::tz::{Offset, TimeZone};
use serde::{Deserialize, Serialize};

use crate::ClockError;
use crate::error::quoted;

/// Least offset from UTC that a zone may have, in minutes.
pub const OFFSET_MIN_MINUTES: i32 = -12 * 60;
/// Greatest offset from UTC that a zone may have, in minutes.
pub const OFFSET_MAX_MINUTES: i32 = 14 * 60;

/// A time zone: an IANA name, whose offset follows its rules at each instant, or a fixed offset.
///
/// Text forms: `Europe/Paris`, `UTC`, `8`, `8.0`, `-3.5`, `5.75`, `+05:45`, `-0930`, `+5:30`,
/// `UTC+8`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Zone(ZoneKind);

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum ZoneKind {
    Named(String),
    Fixed { minutes: i32 },
}

impl Zone {
    /// The zone of this computer, by name where the system tells it; UTC where it tells none.
    #[must_use]
    pub fn system() -> Self {
        let zone = TimeZone::system();
        match zone.iana_name() {
            Some(name) => Self(ZoneKind::Named(name.to_owned())),
            None => Self(ZoneKind::Fixed {
                minutes: zone.to_offset(Timestamp::now()).seconds() / 60,
            }),
        }
    }

    /// The zone of this computer, if the system tells one.
    ///
    /// # Errors
    /// [`ClockError::SystemZoneUnknown`].
    pub fn known_system() -> Result<Self, ClockError> {
        match TimeZone::try_system() {
            Ok(zone) if !zone.is_unknown() => Ok(Self::system()),
            _ => Err(ClockError::SystemZoneUnknown),
        }
    }

    /// A fixed offset in hours, such as 8.0 or 5.75, to the nearest minute.
    ///
    /// # Errors
    /// [`ClockError::OffsetOutOfRange`] outside -12..=14, or when not a number.
    pub fn fixed_hours(hours: f64) -> Result<Self, ClockError> {
        let out_of_range = || ClockError::OffsetOutOfRange {
            input: hours.to_string(),
        };
        let minutes = (hours * 60.0).round();
        let (least, most) = (f64::from(OFFSET_MIN_MINUTES), f64::from(OFFSET_MAX_MINUTES));
        if !(least..=most).contains(&minutes) {
            return Err(out_of_range());
        }
        // In range by the check above, so the cast keeps the value.
        Ok(Self(ZoneKind::Fixed {
            minutes: minutes as i32,
        }))
    }

    /// Seconds east of UTC at an instant (seconds since 1970, UTC).
    ///
    /// # Errors
    /// [`ClockError::TimeOutOfRange`] for an instant outside the calendar.
    pub fn offset_seconds_at(&self, epoch: i64) -> Result<i32, ClockError> {
        let at = Timestamp::from_second(epoch).map_err(|_| ClockError::TimeOutOfRange)?;
        Ok(self.rules()?.to_offset(at).seconds())
    }

    fn rules(&self) -> Result<TimeZone, ClockError> {
        match &self.0 {
            ZoneKind::Named(name) => TimeZone::get(name).map_err(|_| ClockError::ZoneUnknown {
                input: name.clone(),
            }),
            ZoneKind::Fixed { minutes } => Offset::from_seconds(minutes * 60)
                .map(TimeZone::fixed)
                .map_err(|_| ClockError::OffsetOutOfRange {
                    input: self.to_string(),
                }),
        }
    }
}

impl FromStr for Zone {
    type Err = ClockError;

    fn from_str(text: &str) -> Result<Self, ClockError> {
        let text = text.trim();
        let unknown = || ClockError::ZoneUnknown {
            input: quoted(text),
        };
        let offset = ["UTC", "GMT"]
            .iter()
            .find_map(|prefix| text.strip_prefix(prefix))
            .filter(|rest| rest.starts_with(['+', '-']))
            .unwrap_or(text);
        if offset.starts_with(['+', '-', '.']) || offset.starts_with(|c: char| c.is_ascii_digit()) {
            let minutes = parse_offset(offset).ok_or_else(unknown)?;
            return match i32::try_from(minutes) {
                Ok(minutes) if (OFFSET_MIN_MINUTES..=OFFSET_MAX_MINUTES).contains(&minutes) => {
                    Ok(Self(ZoneKind::Fixed { minutes }))
                }
                _ => Err(ClockError::OffsetOutOfRange {
                    input: text.to_owned(),
                }),
            };
        }
        let zone = TimeZone::get(text).map_err(|_| unknown())?;
        let name = zone.iana_name().ok_or_else(unknown)?;
        Ok(Self(ZoneKind::Named(name.to_owned())))
    }
}

/// Minutes of `+5:30`, `-0930`, `+08`, `5.75`; none when it is not an offset.
fn parse_offset(text: &str) -> Option<i64> {
    let (sign, digits) = match text.split_at_checked(1)? {
        ("-", rest) => (-1, rest),
        ("+", rest) => (1, rest),
        _ => (1, text),
    };
    let number = |part: &str| -> Option<i64> {
        if part.is_empty() || part.len() > 4 || !part.bytes().all(|b| b.is_ascii_digit()) {
            return None;
        }
        part.parse().ok()
    };
    let minutes = if let Some((hours, minutes)) = digits.split_once(':') {
        let minutes = number(minutes)
            .filter(|_| minutes.len() == 2)
            .filter(|m| *m < 60)?;
        number(hours)? * 60 + minutes
    } else if digits.contains('.') {
        if digits.bytes().any(|b| !(b.is_ascii_digit() || b == b'.')) {
            return None;
        }
        let hours: f64 = digits.parse().ok()?;
        // Bounded so that the cast keeps the value; anything this far out is refused anyway.
        (hours.min(1.0e6) * 60.0).round() as i64
    } else if digits.len() == 4 {
        let whole = number(digits)?;
        if whole % 100 >= 60 {
            return None;
        }
        whole / 100 * 60 + whole % 100
    } else {
        number(digits)? * 60
    };
    Some(sign * minutes)
}

impl TryFrom<String> for Zone {
    type Error = ClockError;

    fn try_from(text: String) -> Result<Self, ClockError> {
        text.parse()
    }
}

impl From<Zone> for String {
    fn from(zone: Zone) -> Self {
        zone.to_string()
    }
}

impl fmt::Display for Zone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            ZoneKind::Named(name) => f.write_str(name),
            ZoneKind::Fixed { minutes } => {
                let sign = if *minutes < 0 { '-' } else { '+' };
                write!(
                    f,
                    "{sign}{:02}:{:02}",
                    minutes.abs() / 60,
                    minutes.abs() % 60
                )
            }
        }
    }
}

/// A local date and time as the clock takes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct ClockTime {
    shifted_epoch: u32,
    offset_seconds: i32,
    year: u16,
    month: u8,
    day: u8,
    weekday: u8,
}

impl ClockTime {
    /// The local time in a zone at an instant (seconds since 1970, UTC).
    ///
    /// # Errors
    /// [`ClockError::TimeOutOfRange`] when the shifted seconds do not fit in 32 bits, and the
    /// errors of [`Zone`].
    pub fn at(epoch: i64, zone: &Zone) -> Result<Self, ClockError> {
        let instant = Timestamp::from_second(epoch).map_err(|_| ClockError::TimeOutOfRange)?;
        let local = instant.to_zoned(zone.rules()?);
        let shifted = epoch + i64::from(local.offset().seconds());
        let narrow = |value: i8| u8::try_from(value).map_err(|_| ClockError::TimeOutOfRange);
        Ok(Self {
            shifted_epoch: u32::try_from(shifted).map_err(|_| ClockError::TimeOutOfRange)?,
            offset_seconds: local.offset().seconds(),
            year: u16::try_from(local.year()).map_err(|_| ClockError::TimeOutOfRange)?,
            month: narrow(local.month())?,
            day: narrow(local.day())?,
            weekday: narrow(local.weekday().to_monday_one_offset())?,
        })
    }

    /// The local time in a zone now.
    ///
    /// # Errors
    /// As [`ClockTime::at`].
    pub fn now(zone: &Zone) -> Result<Self, ClockError> {
        Self::at(Timestamp::now().as_second(), zone)
    }

    /// Seconds since 1970 of the local date-time read as if it were UTC.
    #[must_use]
    pub fn shifted_epoch(&self) -> u32 {
        self.shifted_epoch
    }

    /// Seconds east of UTC, -43200..=50400.
    #[must_use]
    pub fn offset_seconds(&self) -> i32 {
        self.offset_seconds
    }

    /// The local year.
    #[must_use]
    pub fn year(&self) -> u16 {
        self.year
    }

    /// The local month, 1..=12.
    #[must_use]
    pub fn month(&self) -> u8 {
        self.month
    }

    /// The local day of the month, 1..=31.
    #[must_use]
    pub fn day(&self) -> u8 {
        self.day
    }

    /// The local weekday, Monday = 1 to Sunday = 7.
    #[must_use]
    pub fn weekday(&self) -> u8 {
        self.weekday
    }
}
