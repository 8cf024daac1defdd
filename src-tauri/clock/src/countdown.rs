//! The countdown: a date, and an optional line of text drawn by the host.

use std::fmt;
use std::str::FromStr;

use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use crate::ClockError;
use crate::time::ClockTime;

/// How the countdown looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "kebab-case")]
pub enum CountdownStyle {
    /// On the clock face, with 16-pixel text.
    Clock,
    /// On the calendar face, with 24-pixel text.
    Calendar,
}

impl CountdownStyle {
    /// Side of a text cell in pixels.
    #[must_use]
    pub const fn cell(self) -> usize {
        match self {
            Self::Clock => 16,
            Self::Calendar => 24,
        }
    }

    /// Most characters of text.
    #[must_use]
    pub const fn max_cells(self) -> usize {
        match self {
            Self::Clock => 8,
            Self::Calendar => 4,
        }
    }
}

/// One line of text as a bitmap: square cells side by side, row by row over the whole line, most
/// significant bit leftmost, **1 = paper and 0 = ink**.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextBitmap {
    style: CountdownStyle,
    cells: usize,
    bits: Vec<u8>,
}

impl TextBitmap {
    /// A line of `cells` characters; `bits` has `cell / 8 * cells * cell` bytes, which is 32 a
    /// character in the clock style and 72 in the calendar style.
    ///
    /// # Errors
    /// [`ClockError::CountdownTextLength`] or [`ClockError::CountdownBitmapLength`].
    pub fn new(style: CountdownStyle, cells: usize, bits: Vec<u8>) -> Result<Self, ClockError> {
        let limit = style.max_cells();
        if !(1..=limit).contains(&cells) {
            return Err(ClockError::CountdownTextLength { cells, limit });
        }
        let expected = style.cell() / 8 * cells * style.cell();
        if bits.len() != expected {
            return Err(ClockError::CountdownBitmapLength {
                expected,
                actual: bits.len(),
            });
        }
        Ok(Self { style, cells, bits })
    }

    /// Characters in the line.
    #[must_use]
    pub fn cells(&self) -> usize {
        self.cells
    }

    /// The bitmap's bytes.
    #[must_use]
    pub fn bits(&self) -> &[u8] {
        &self.bits
    }
}

/// A day that a clock can count down to: one of the calendar, from 2001 to 9999.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct CountdownDate(Date);

impl CountdownDate {
    /// First year the clock's own control page sends.
    pub const FIRST_YEAR: i16 = 2001;

    /// A day of the calendar.
    ///
    /// # Errors
    /// [`ClockError::DateInvalid`] when there is no such day, or none that a clock takes.
    pub fn new(year: i16, month: i8, day: i8) -> Result<Self, ClockError> {
        // The calendar of the library ends with the year 9999, as that of the clock does.
        Date::new(year, month, day)
            .ok()
            .filter(|date| date.year() >= Self::FIRST_YEAR)
            .map(Self)
            .ok_or_else(|| ClockError::DateInvalid {
                date: format!("{year:04}-{month:02}-{day:02}"),
            })
    }

    /// The same, if it is not over.
    ///
    /// # Errors
    /// [`ClockError::DatePast`] when it lies before the day of `now`.
    pub fn not_before(self, now: &ClockTime) -> Result<Self, ClockError> {
        // The time's date is one of the calendar, and both are in its range.
        let today = Date::new(now.year() as i16, now.month() as i8, now.day() as i8);
        match today {
            Ok(today) if self.0 < today => Err(ClockError::DatePast {
                date: self.0.to_string(),
                today: today.to_string(),
            }),
            _ => Ok(self),
        }
    }

    /// Year, 2001..=9999.
    #[must_use]
    pub fn year(self) -> u16 {
        // Never negative, by construction.
        self.0.year().unsigned_abs()
    }

    /// Month, 1..=12.
    #[must_use]
    pub fn month(self) -> u8 {
        self.0.month().unsigned_abs()
    }

    /// Day of the month, 1..=31.
    #[must_use]
    pub fn day(self) -> u8 {
        self.0.day().unsigned_abs()
    }
}

impl FromStr for CountdownDate {
    type Err = ClockError;

    /// From `YYYY-MM-DD` and nothing else.
    fn from_str(text: &str) -> Result<Self, ClockError> {
        let invalid = || ClockError::DateInvalid {
            date: text.to_owned(),
        };
        let date: Date = text.parse().map_err(|_| invalid())?;
        // The library takes other ISO forms, too.
        if date.to_string() != text {
            return Err(invalid());
        }
        Self::new(date.year(), date.month(), date.day()).map_err(|_| invalid())
    }
}

impl fmt::Display for CountdownDate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A countdown to a date.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Countdown {
    style: CountdownStyle,
    date: CountdownDate,
    text: Option<TextBitmap>,
}

impl Countdown {
    /// A countdown without text: the clock keeps the text it has.
    #[must_use]
    pub fn new(style: CountdownStyle, date: CountdownDate) -> Self {
        Self {
            style,
            date,
            text: None,
        }
    }

    /// A countdown with a line of text; the style is the text's.
    #[must_use]
    pub fn with_text(text: TextBitmap, date: CountdownDate) -> Self {
        Self {
            style: text.style,
            date,
            text: Some(text),
        }
    }

    /// How it looks.
    #[must_use]
    pub fn style(&self) -> CountdownStyle {
        self.style
    }

    /// The day it runs to.
    #[must_use]
    pub fn date(&self) -> CountdownDate {
        self.date
    }

    /// The line of text, if any.
    #[must_use]
    pub fn text(&self) -> Option<&TextBitmap> {
        self.text.as_ref()
    }
}
