//! A picture as the clock takes it: two packed planes of one bit a pixel.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::ClockError;

/// The sizes of picture a 400x300 clock takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "kebab-case")]
pub enum PictureSize {
    /// The whole panel, 400x300 pixels, 15000 bytes a plane.
    Full,
    /// The small picture of the calendar face, 280x100 pixels, 3500 bytes a plane.
    Small,
}

impl PictureSize {
    /// Pixels in a row; always a multiple of 8.
    #[must_use]
    pub const fn width(self) -> usize {
        match self {
            Self::Full => 400,
            Self::Small => 280,
        }
    }

    /// Rows.
    #[must_use]
    pub const fn height(self) -> usize {
        match self {
            Self::Full => 300,
            Self::Small => 100,
        }
    }

    /// Bytes of one plane: one bit a pixel.
    #[must_use]
    pub const fn plane_bytes(self) -> usize {
        self.width() / 8 * self.height()
    }
}

impl fmt::Display for PictureSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.width(), self.height())
    }
}

/// One of the two planes of a picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "kebab-case")]
pub enum Plane {
    /// Bit 1 is white; bit 0 is black, or anything under red.
    BlackWhite,
    /// Bit 1 is red.
    Red,
}

impl fmt::Display for Plane {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::BlackWhite => "black-and-white",
            Self::Red => "red",
        })
    }
}

/// A picture ready to be sent. Rows run from the top, pixels from the left, eight to a byte with
/// the leftmost in the most significant bit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picture {
    size: PictureSize,
    black_white: Vec<u8>,
    red: Vec<u8>,
}

impl Picture {
    /// A picture from its planes, each of [`PictureSize::plane_bytes`] bytes.
    ///
    /// # Errors
    /// [`ClockError::PlaneLength`] when a plane has another length.
    pub fn new(size: PictureSize, black_white: Vec<u8>, red: Vec<u8>) -> Result<Self, ClockError> {
        let expected = size.plane_bytes();
        for (plane, actual) in [
            (Plane::BlackWhite, black_white.len()),
            (Plane::Red, red.len()),
        ] {
            if actual != expected {
                return Err(ClockError::PlaneLength {
                    size,
                    plane,
                    expected,
                    actual,
                });
            }
        }
        Ok(Self {
            size,
            black_white,
            red,
        })
    }

    /// An all-white picture.
    #[must_use]
    pub fn white(size: PictureSize) -> Self {
        let bytes = size.plane_bytes();
        Self {
            size,
            black_white: vec![0xFF; bytes],
            red: vec![0x00; bytes],
        }
    }

    /// Its size.
    #[must_use]
    pub fn size(&self) -> PictureSize {
        self.size
    }

    /// The bytes of one plane.
    #[must_use]
    pub fn plane(&self, plane: Plane) -> &[u8] {
        match plane {
            Plane::BlackWhite => &self.black_white,
            Plane::Red => &self.red,
        }
    }
}
