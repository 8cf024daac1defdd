//! The countdown: a date, and an optional line of text drawn by the host.

use serde::{Deserialize, Serialize};

use crate::ClockError;

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

/// A countdown to a date.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Countdown {
    style: CountdownStyle,
    year: u16,
    month: u8,
    day: u8,
    text: Option<TextBitmap>,
}

impl Countdown {
    /// First year the clock's own control page sends.
    pub const FIRST_YEAR: u16 = 2001;
    /// Last year that fits in four decimal digits.
    pub const LAST_YEAR: u16 = 9999;

    /// A countdown without text: the clock keeps the text it has.
    ///
    /// # Errors
    /// [`ClockError::DateInvalid`] when there is no such date from 2001 to 9999.
    pub fn new(style: CountdownStyle, year: u16, month: u8, day: u8) -> Result<Self, ClockError> {
        let exists = match (i16::try_from(year), i8::try_from(month), i8::try_from(day)) {
            (Ok(y), Ok(m), Ok(d)) => jiff::civil::Date::new(y, m, d).is_ok(),
            _ => false,
        };
        if !exists || !(Self::FIRST_YEAR..=Self::LAST_YEAR).contains(&year) {
            return Err(ClockError::DateInvalid {
                date: format!("{year:04}-{month:02}-{day:02}"),
            });
        }
        Ok(Self {
            style,
            year,
            month,
            day,
            text: None,
        })
    }

    /// A countdown with a line of text; the style is the text's.
    ///
    /// # Errors
    /// As [`Countdown::new`].
    pub fn with_text(text: TextBitmap, year: u16, month: u8, day: u8) -> Result<Self, ClockError> {
        let plain = Self::new(text.style, year, month, day)?;
        Ok(Self {
            text: Some(text),
            ..plain
        })
    }

    /// How it looks.
    #[must_use]
    pub fn style(&self) -> CountdownStyle {
        self.style
    }

    /// Year, month and day it runs to.
    #[must_use]
    pub fn date(&self) -> (u16, u8, u8) {
        (self.year, self.month, self.day)
    }

    /// The line of text, if any.
    #[must_use]
    pub fn text(&self) -> Option<&TextBitmap> {
        self.text.as_ref()
    }
}
