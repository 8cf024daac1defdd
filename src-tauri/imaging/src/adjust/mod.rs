mod key;
mod values;

pub use key::AdjustKey;
pub(crate) use key::{nearest, shortened};
pub use values::{Background, Bounded, Fit, Gamma, Level, Rotate, Share, Size};
use values::{number, word};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::ImagingError;

/// How the picture is fitted and its tones are set before it is dithered.
///
/// Read from a JSON object or from `key=value` pairs; both know the same keys and ranges.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Map<String, Value>")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Adjust {
    /// Lighter or darker, -100..=100.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub brightness: Level,
    /// Steeper or flatter tones around mid-grey, -100..=100.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub contrast: Level,
    /// Stronger or weaker colours, -100..=100; -100 is grey.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub saturation: Level,
    /// Mid-tones, 0.2..=5.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub gamma: Gamma,
    /// Edge contrast, 0..=100.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub sharpen: Share,
    /// How much of the dithering error is passed on, 0..=100; 0 takes the nearest ink.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub diffusion: Share,
    /// How it comes to the panel's shape.
    pub fit: Fit,
    /// What is under and beside it.
    pub background: Background,
    /// Clockwise turn before the fit.
    pub rotate: Rotate,
    /// The panel.
    pub size: Size,
}

impl Default for Adjust {
    fn default() -> Self {
        Self {
            brightness: Level::NEUTRAL,
            contrast: Level::NEUTRAL,
            saturation: Level::NEUTRAL,
            gamma: Gamma::NEUTRAL,
            sharpen: Share::NOTHING,
            diffusion: Share::FULL,
            fit: Fit::default(),
            background: Background::default(),
            rotate: Rotate::default(),
            size: Size::default(),
        }
    }
}

impl Adjust {
    /// Sets one option from a JSON value; numbers may come as text.
    ///
    /// # Errors
    /// [`ImagingError::UnknownOption`] with the nearest known key, [`ImagingError::InvalidOption`]
    /// with the allowed range.
    pub fn set(&mut self, key: &str, value: &Value) -> Result<(), ImagingError> {
        let key = AdjustKey::parse(key)?;
        match key {
            AdjustKey::Brightness => self.brightness = Bounded::parse(key, value)?,
            AdjustKey::Contrast => self.contrast = Bounded::parse(key, value)?,
            AdjustKey::Saturation => self.saturation = Bounded::parse(key, value)?,
            AdjustKey::Gamma => self.gamma = Gamma::parse(value)?,
            AdjustKey::Sharpen => self.sharpen = Bounded::parse(key, value)?,
            AdjustKey::Diffusion => self.diffusion = Bounded::parse(key, value)?,
            AdjustKey::Fit => {
                self.fit = match word(value).as_str() {
                    "cover" => Fit::Cover,
                    "contain" => Fit::Contain,
                    "stretch" => Fit::Stretch,
                    _ => return Err(key.refuse(value)),
                }
            }
            AdjustKey::Background => {
                self.background = match word(value).as_str() {
                    "white" => Background::White,
                    "black" => Background::Black,
                    "red" => Background::Red,
                    _ => return Err(key.refuse(value)),
                }
            }
            AdjustKey::Rotate => {
                self.rotate = Rotate::ALL
                    .into_iter()
                    .find(|rotate| number(value) == Some(f64::from(rotate.degrees())))
                    .ok_or_else(|| key.refuse(value))?;
            }
            AdjustKey::Size => {
                self.size = match word(value).as_str() {
                    "full" => Size::Full,
                    "small" => Size::Small,
                    _ => return Err(key.refuse(value)),
                }
            }
        }
        Ok(())
    }

    /// Reads a JSON object; keys that are missing keep their defaults.
    ///
    /// # Errors
    /// As [`set`](Self::set).
    pub fn from_json(object: &Map<String, Value>) -> Result<Self, ImagingError> {
        let mut adjust = Self::default();
        for (key, value) in object {
            adjust.set(key, value)?;
        }
        Ok(adjust)
    }

    /// Reads pairs as typed on a command line.
    ///
    /// # Errors
    /// As [`set`](Self::set).
    pub fn from_pairs<'a>(
        pairs: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Result<Self, ImagingError> {
        let mut adjust = Self::default();
        for (key, value) in pairs {
            adjust.set(key, &Value::from(value))?;
        }
        Ok(adjust)
    }
}

impl TryFrom<Map<String, Value>> for Adjust {
    type Error = ImagingError;

    fn try_from(object: Map<String, Value>) -> Result<Self, ImagingError> {
        Self::from_json(&object)
    }
}
