use serde::Serialize;
use serde_json::Value;

use super::AdjustKey;
use crate::{ImagingError, Ink, Panel};

/// A whole number within `MIN..=MAX`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, Serialize)]
pub struct Bounded<const MIN: i16, const MAX: i16>(i16);

impl<const MIN: i16, const MAX: i16> Bounded<MIN, MAX> {
    /// The value, if it is in range.
    #[must_use]
    pub const fn new(value: i16) -> Option<Self> {
        if value >= MIN && value <= MAX {
            Some(Self(value))
        } else {
            None
        }
    }

    /// The value.
    #[must_use]
    pub const fn get(self) -> i16 {
        self.0
    }

    /// As a fraction of a hundred.
    pub(crate) fn fraction(self) -> f32 {
        f32::from(self.0) / 100.0
    }

    pub(super) fn parse(key: AdjustKey, value: &Value) -> Result<Self, ImagingError> {
        number(value)
            .map(f64::round)
            .filter(|number| (f64::from(MIN)..=f64::from(MAX)).contains(number))
            // In range of an i16, as just checked.
            .map(|number| Self(number as i16))
            .ok_or_else(|| key.refuse(value))
    }
}

/// -100..=100, 0 neutral.
pub type Level = Bounded<-100, 100>;
/// 0..=100 percent.
pub type Share = Bounded<0, 100>;

impl Level {
    /// No change.
    pub const NEUTRAL: Self = Self(0);
}

impl Share {
    /// Nothing of it.
    pub const NOTHING: Self = Self(0);
    /// All of it.
    pub const FULL: Self = Self(100);
}

/// An exponent within 0.2..=5; 1 is neutral, more is brighter mid-tones.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, Serialize)]
pub struct Gamma(f32);

impl Gamma {
    /// No change.
    pub const NEUTRAL: Self = Self(1.0);

    /// The value, if it is within 0.2..=5.
    #[must_use]
    pub fn new(value: f32) -> Option<Self> {
        (0.2..=5.0).contains(&value).then_some(Self(value))
    }

    /// The value.
    #[must_use]
    pub const fn get(self) -> f32 {
        self.0
    }

    pub(super) fn parse(value: &Value) -> Result<Self, ImagingError> {
        number(value)
            .and_then(|number| Self::new(number as f32))
            .ok_or_else(|| AdjustKey::Gamma.refuse(value))
    }
}

impl Default for Gamma {
    fn default() -> Self {
        Self::NEUTRAL
    }
}

/// How a picture of another shape comes to the panel's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum Fit {
    /// Fills the panel; what stands over is cut off, the same on both sides.
    #[default]
    Cover,
    /// Shows the whole picture, with the background beside it.
    Contain,
    /// Fills the panel with the whole picture, out of proportion.
    Stretch,
}

/// The ink beside a contained picture and under a transparent one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum Background {
    /// White.
    #[default]
    White,
    /// Black.
    Black,
    /// Red.
    Red,
}

impl Background {
    /// Its name, in lower case.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::White => "white",
            Self::Black => "black",
            Self::Red => "red",
        }
    }

    /// The ink.
    #[must_use]
    pub const fn ink(self) -> Ink {
        match self {
            Self::White => Ink::White,
            Self::Black => Ink::Black,
            Self::Red => Ink::Red,
        }
    }
}

/// Clockwise turn, before the picture is fitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, Serialize)]
#[serde(into = "u16")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "ts", ts(type = "0 | 90 | 180 | 270"))]
pub enum Rotate {
    /// As it is.
    #[default]
    None,
    /// 90 degrees clockwise.
    Quarter,
    /// Upside down.
    Half,
    /// 270 degrees clockwise.
    ThreeQuarters,
}

impl Rotate {
    /// All turns, in order.
    pub const ALL: [Self; 4] = [Self::None, Self::Quarter, Self::Half, Self::ThreeQuarters];

    /// Degrees clockwise.
    #[must_use]
    pub const fn degrees(self) -> u16 {
        self as u16 * 90
    }
}

impl From<Rotate> for u16 {
    fn from(rotate: Rotate) -> Self {
        rotate.degrees()
    }
}

/// The panels there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum Size {
    /// [`Panel::FULL`].
    #[default]
    Full,
    /// [`Panel::SMALL`].
    Small,
}

impl Size {
    /// The panel of this size.
    #[must_use]
    pub const fn panel(self) -> Panel {
        match self {
            Self::Full => Panel::FULL,
            Self::Small => Panel::SMALL,
        }
    }
}

pub(super) fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    }
}

pub(super) fn word(value: &Value) -> String {
    value
        .as_str()
        .unwrap_or_default()
        .trim()
        .to_ascii_lowercase()
}
