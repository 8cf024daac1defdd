use serde_json::Value;

use crate::ImagingError;

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

    pub(super) fn parse(name: &str) -> Result<Self, ImagingError> {
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

    pub(super) fn refuse(self, value: &Value) -> ImagingError {
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
