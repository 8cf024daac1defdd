use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{ImagingError, Ink, Panel};

/// A whole number within `MIN..=MAX`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "ts", ts(type = "number"))]
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

    fn parse(key: AdjustKey, value: &Value) -> Result<Self, ImagingError> {
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

impl Share {
    /// All of it.
    pub const FULL: Self = Self(100);
}

/// An exponent within 0.2..=5; 1 is neutral, more is brighter mid-tones.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "ts", ts(type = "number"))]
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

    fn parse(value: &Value) -> Result<Self, ImagingError> {
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

/// How the picture is fitted and its tones are set before it is dithered.
///
/// Read from a JSON object or from `key=value` pairs; both know the same keys and ranges.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Map<String, Value>")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Adjust {
    /// Lighter or darker, -100..=100.
    pub brightness: Level,
    /// Steeper or flatter tones around mid-grey, -100..=100.
    pub contrast: Level,
    /// Stronger or weaker colours, -100..=100; -100 is grey.
    pub saturation: Level,
    /// Mid-tones, 0.2..=5.
    pub gamma: Gamma,
    /// Edge contrast, 0..=100.
    pub sharpen: Share,
    /// How much of the dithering error is passed on, 0..=100; 0 takes the nearest ink.
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
            brightness: Bounded(0),
            contrast: Bounded(0),
            saturation: Bounded(0),
            gamma: Gamma::NEUTRAL,
            sharpen: Bounded(0),
            diffusion: Bounded(100),
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

/// The names of the options in [`Adjust`]: the one list that parsers, forms and manuals use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AdjustKey {
    /// [`Adjust::brightness`].
    Brightness,
    /// [`Adjust::contrast`].
    Contrast,
    /// [`Adjust::saturation`].
    Saturation,
    /// [`Adjust::gamma`].
    Gamma,
    /// [`Adjust::sharpen`].
    Sharpen,
    /// [`Adjust::diffusion`].
    Diffusion,
    /// [`Adjust::fit`].
    Fit,
    /// [`Adjust::background`].
    Background,
    /// [`Adjust::rotate`].
    Rotate,
    /// [`Adjust::size`].
    Size,
}

impl AdjustKey {
    /// All keys, in the order they are shown.
    pub const ALL: [Self; 10] = [
        Self::Brightness,
        Self::Contrast,
        Self::Saturation,
        Self::Gamma,
        Self::Sharpen,
        Self::Diffusion,
        Self::Fit,
        Self::Background,
        Self::Rotate,
        Self::Size,
    ];

    /// The key as written.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Brightness => "brightness",
            Self::Contrast => "contrast",
            Self::Saturation => "saturation",
            Self::Gamma => "gamma",
            Self::Sharpen => "sharpen",
            Self::Diffusion => "diffusion",
            Self::Fit => "fit",
            Self::Background => "background",
            Self::Rotate => "rotate",
            Self::Size => "size",
        }
    }

    /// What may be given, in words.
    #[must_use]
    pub const fn range(self) -> &'static str {
        match self {
            Self::Brightness | Self::Contrast | Self::Saturation => "-100 to 100",
            Self::Gamma => "0.2 to 5",
            Self::Sharpen | Self::Diffusion => "0 to 100",
            Self::Fit => "cover, contain, stretch",
            Self::Background => "white, black, red",
            Self::Rotate => "0, 90, 180, 270",
            Self::Size => "full, small",
        }
    }

    fn parse(name: &str) -> Result<Self, ImagingError> {
        let wanted = name.trim().to_ascii_lowercase();
        Self::ALL
            .into_iter()
            .find(|key| key.name() == wanted)
            .ok_or_else(|| {
                let names = Self::ALL.map(Self::name);
                ImagingError::UnknownOption {
                    key: shortened(name),
                    nearest: nearest(&wanted, &names),
                    known: names.join(", "),
                }
            })
    }

    fn refuse(self, value: &Value) -> ImagingError {
        let value = value
            .as_str()
            .map_or_else(|| value.to_string(), str::to_owned);
        ImagingError::InvalidOption {
            key: self.name(),
            value: shortened(&value),
            range: self.range().into(),
        }
    }
}

/// Longest piece of somebody's input that an error repeats, in characters.
const MAX_QUOTED: usize = 40;

pub(crate) fn shortened(text: &str) -> String {
    let mut quoted: String = text.chars().take(MAX_QUOTED).collect();
    if quoted.len() < text.len() {
        quoted.push('…');
    }
    quoted
}

fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    }
}

fn word(value: &Value) -> String {
    value
        .as_str()
        .unwrap_or_default()
        .trim()
        .to_ascii_lowercase()
}

/// The name that begins with `wanted`, else the one with the smallest edit distance to it
/// (Levenshtein 1966).
pub(crate) fn nearest(wanted: &str, names: &[&'static str]) -> &'static str {
    // Longer input is certainly no slip of the pen, and the distance is quadratic.
    let wanted: Vec<char> = wanted.chars().take(MAX_QUOTED).collect();
    let distance = |name: &str| {
        let begun =
            !wanted.is_empty() && name.chars().take(wanted.len()).eq(wanted.iter().copied());
        if begun {
            0
        } else {
            edit_distance(&wanted, name)
        }
    };
    names
        .iter()
        .copied()
        .min_by_key(|name| distance(name))
        .unwrap_or_default()
}

fn edit_distance(wanted: &[char], name: &str) -> usize {
    let mut row: Vec<usize> = (0..=wanted.len()).collect();
    for (i, letter) in name.chars().enumerate() {
        let mut diagonal = i;
        let mut left = i + 1;
        for (&other, above) in wanted.iter().zip(row.iter_mut().skip(1)) {
            let cost = (diagonal + usize::from(letter != other))
                .min(*above + 1)
                .min(left + 1);
            diagonal = *above;
            *above = cost;
            left = cost;
        }
        if let Some(first) = row.first_mut() {
            *first = i + 1;
        }
    }
    row.last().copied().unwrap_or_default()
}
