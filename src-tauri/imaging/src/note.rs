use std::fmt;

use serde::Serialize;

use crate::Background;

/// Something that was done to a picture and that its owner may want to know.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(
    tag = "code",
    rename_all = "kebab-case",
    rename_all_fields = "kebab-case"
)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum Note {
    /// Turned upright as the file's EXIF orientation says.
    TurnedByExif,
    /// Transparent parts were laid on the background.
    TransparencyFlattened {
        /// The ink under them.
        background: Background,
    },
    /// Only the first frame of an animation is used.
    FirstFrame {
        /// Frames in the file.
        frames: u32,
    },
    /// Only the first page of a file of several is used.
    FirstPage {
        /// Pages in the file.
        pages: u32,
    },
    /// Converted to sRGB from the colour space of the embedded profile.
    ProfileConverted {
        /// The profile's name for itself.
        profile: String,
    },
    /// The embedded colour profile could not be used; colours were taken as sRGB.
    ProfileIgnored,
    /// Converted from CMYK inks.
    CmykConverted,
    /// 16 bits a channel were reduced.
    DepthReduced,
    /// The picture has fewer pixels than the panel.
    Enlarged {
        /// The picture's width in pixels.
        width: u32,
        /// The picture's height in pixels.
        height: u32,
    },
    /// An SVG names pictures outside itself; they are left out.
    ExternalImagesOmitted,
    /// An SVG has text and this computer has no font for it.
    TextOmitted,
    /// Characters that no font has are left out.
    CharactersOmitted {
        /// Each of them once, apart.
        characters: String,
    },
}

impl Note {
    /// A stable name for translations.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::TurnedByExif => "turned-by-exif",
            Self::TransparencyFlattened { .. } => "transparency-flattened",
            Self::FirstFrame { .. } => "first-frame",
            Self::FirstPage { .. } => "first-page",
            Self::ProfileConverted { .. } => "profile-converted",
            Self::ProfileIgnored => "profile-ignored",
            Self::CmykConverted => "cmyk-converted",
            Self::DepthReduced => "depth-reduced",
            Self::Enlarged { .. } => "enlarged",
            Self::ExternalImagesOmitted => "external-images-omitted",
            Self::TextOmitted => "text-omitted",
            Self::CharactersOmitted { .. } => "characters-omitted",
        }
    }

    /// The values a translated sentence needs, by name.
    #[must_use]
    pub fn params(&self) -> Vec<(&'static str, String)> {
        match self {
            Self::TransparencyFlattened { background } => {
                vec![("background", background.name().into())]
            }
            Self::FirstFrame { frames } => vec![("frames", frames.to_string())],
            Self::FirstPage { pages } => vec![("pages", pages.to_string())],
            Self::ProfileConverted { profile } => vec![("profile", profile.clone())],
            Self::Enlarged { width, height } => {
                vec![("width", width.to_string()), ("height", height.to_string())]
            }
            Self::CharactersOmitted { characters } => vec![("characters", characters.clone())],
            _ => Vec::new(),
        }
    }
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TurnedByExif => f.write_str("Turned upright as the camera recorded it (EXIF)."),
            Self::TransparencyFlattened { background } => {
                write!(f, "Transparent parts are shown on {}.", background.name())
            }
            Self::FirstFrame { frames } => write!(f, "Shows the first of {frames} frames."),
            Self::FirstPage { pages } => write!(f, "Shows the first of {pages} pages."),
            Self::ProfileConverted { profile } => {
                write!(f, "Colours were converted from {profile}.")
            }
            Self::ProfileIgnored => {
                f.write_str("The colour profile in the file is unusable and was ignored.")
            }
            Self::CmykConverted => f.write_str("Converted from the printing colours CMYK."),
            Self::DepthReduced => {
                f.write_str("16 bits a channel were reduced to what the panel can show.")
            }
            Self::Enlarged { width, height } => {
                write!(
                    f,
                    "Enlarged: the picture has only {width} x {height} pixels."
                )
            }
            Self::ExternalImagesOmitted => {
                f.write_str("Pictures that the SVG takes from outside the file are left out.")
            }
            Self::TextOmitted => {
                f.write_str("Text in the SVG is left out: this computer has no font for it.")
            }
            Self::CharactersOmitted { characters } => {
                write!(f, "Left out, since no font has them: {characters}.")
            }
        }
    }
}
