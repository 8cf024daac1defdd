use serde::{Deserialize, Serialize};

use crate::ImagingError;
use crate::adjust::shortened;

/// The inks that may be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum Palette {
    /// All three.
    #[default]
    BlackWhiteRed,
    /// No red.
    BlackWhite,
}

/// How a picture becomes dots. [`Algorithm::ALL`] is the one list for menus, manuals and parsers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", try_from = "String")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum Algorithm {
    /// The nearest ink, no dots.
    None,
    /// Floyd and Steinberg 1976.
    FloydSteinberg,
    /// Atkinson's of the first Macintosh: passes on three quarters of the error.
    #[default]
    Atkinson,
    /// Jarvis, Judice and Ninke 1976.
    Jarvis,
    /// Stucki 1981.
    Stucki,
    /// Burkes 1988.
    Burkes,
    /// Sierra's three rows, 1989.
    Sierra,
    /// Sierra's smallest, 1990.
    SierraLite,
    /// Bayer's ordered matrix, 1973.
    Bayer,
    /// An ordered mask of blue noise (Ulichney's void and cluster, 1993).
    BlueNoise,
    /// A search for the dots that look most like the picture.
    Best,
}

/// What kind of method an [`Algorithm`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum Kind {
    /// Each pixel for itself.
    Threshold,
    /// Passes the error on to the neighbours.
    Diffusion,
    /// Compares with a fixed mask.
    Ordered,
    /// Tries and compares.
    Search,
}

impl Algorithm {
    /// All methods, in the order they are shown.
    pub const ALL: [Self; 11] = [
        Self::None,
        Self::FloydSteinberg,
        Self::Atkinson,
        Self::Jarvis,
        Self::Stucki,
        Self::Burkes,
        Self::Sierra,
        Self::SierraLite,
        Self::Bayer,
        Self::BlueNoise,
        Self::Best,
    ];

    /// The name in commands and files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::FloydSteinberg => "floyd-steinberg",
            Self::Atkinson => "atkinson",
            Self::Jarvis => "jarvis",
            Self::Stucki => "stucki",
            Self::Burkes => "burkes",
            Self::Sierra => "sierra",
            Self::SierraLite => "sierra-lite",
            Self::Bayer => "bayer",
            Self::BlueNoise => "blue-noise",
            Self::Best => "best",
        }
    }

    /// The name people read.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::None => "None",
            Self::FloydSteinberg => "Floyd-Steinberg",
            Self::Atkinson => "Atkinson",
            Self::Jarvis => "Jarvis, Judice, Ninke",
            Self::Stucki => "Stucki",
            Self::Burkes => "Burkes",
            Self::Sierra => "Sierra",
            Self::SierraLite => "Sierra Lite",
            Self::Bayer => "Bayer",
            Self::BlueNoise => "Blue noise",
            Self::Best => "Best",
        }
    }

    /// What kind of method it is.
    #[must_use]
    pub const fn kind(self) -> Kind {
        match self {
            Self::None => Kind::Threshold,
            Self::Bayer | Self::BlueNoise => Kind::Ordered,
            Self::Best => Kind::Search,
            _ => Kind::Diffusion,
        }
    }

    /// Reads a name; case, hyphens, spaces and underscores do not matter.
    ///
    /// # Errors
    /// [`ImagingError::InvalidOption`] with all names.
    pub fn parse(text: &str) -> Result<Self, ImagingError> {
        let bare = |name: &str| -> String {
            name.chars()
                .filter(|c| c.is_alphanumeric())
                .flat_map(char::to_lowercase)
                .collect()
        };
        let wanted = bare(text);
        Self::ALL
            .into_iter()
            .find(|algorithm| bare(algorithm.name()) == wanted)
            .ok_or_else(|| ImagingError::InvalidOption {
                key: "algo",
                value: shortened(text),
                range: Self::ALL.map(Self::name).join(", "),
            })
    }
}

impl std::str::FromStr for Algorithm {
    type Err = ImagingError;

    fn from_str(text: &str) -> Result<Self, ImagingError> {
        Self::parse(text)
    }
}

impl TryFrom<String> for Algorithm {
    type Error = ImagingError;

    fn try_from(text: String) -> Result<Self, ImagingError> {
        Self::parse(&text)
    }
}
