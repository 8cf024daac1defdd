//! From bytes of any supported format to a [`Picture`]: the one door, with all limits.

mod colour;
mod frames;
mod jpeg;
mod reduce;
mod still;
mod svg;
mod svg_work;

use std::panic::{AssertUnwindSafe, catch_unwind};

use image::metadata::Orientation;

use crate::raster::Raster;
use crate::{Format, ImagingError, Note, Picture};

/// What a picture may cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Largest file, in bytes.
    pub max_bytes: u64,
    /// Most pixels that a header may announce.
    pub max_pixels: u64,
    /// Most memory for the decoded pixels, in bytes.
    pub max_memory: u64,
}

impl Limits {
    /// 64 MiB of file, 100 megapixels, 1280 MiB of memory.
    pub const DEFAULT: Self = Self {
        max_bytes: 64 << 20,
        max_pixels: 100_000_000,
        // 100 megapixels of progressive CMYK, the costliest there is, take 1.2 GB: all that the
        // pixel limit allows can be decoded, and no decoder may take more.
        max_memory: 1280 << 20,
    };

    pub(crate) const fn check_bytes(&self, bytes: u64) -> Result<(), ImagingError> {
        if bytes > self.max_bytes {
            return Err(ImagingError::FileTooLarge {
                megabytes: bytes.div_ceil(1 << 20),
                limit: self.max_bytes >> 20,
            });
        }
        Ok(())
    }

    fn check_dimensions(
        &self,
        width: u32,
        height: u32,
        bytes_per_pixel: u64,
    ) -> Result<(), ImagingError> {
        let pixels = u64::from(width) * u64::from(height);
        if pixels == 0 {
            return Err(ImagingError::NoPixels);
        }
        if pixels > self.max_pixels {
            return Err(ImagingError::TooManyPixels {
                width,
                height,
                limit: self.max_pixels / 1_000_000,
            });
        }
        if pixels.saturating_mul(bytes_per_pixel) > self.max_memory {
            return Err(self.memory_exceeded());
        }
        Ok(())
    }

    const fn memory_exceeded(&self) -> ImagingError {
        ImagingError::TooMuchMemory {
            limit: self.max_memory >> 20,
        }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// Decodes a picture of any supported format.
///
/// The bytes say what they are; EXIF orientation, colour profile, CMYK and depth are dealt with,
/// and of an animation the first frame is taken. What was done is in [`Picture::notes`].
///
/// # Errors
/// An [`ImagingError`] that says what is wrong with the bytes or which limit they exceed. The
/// limits are checked against the header, before anything is decoded.
pub fn decode(bytes: &[u8], limits: &Limits) -> Result<Picture, ImagingError> {
    limits.check_bytes(bytes.len() as u64)?;
    let format = Format::sniff(bytes)?;
    // The decoders are other people's code on hostile input: a panic there must not end the app.
    let decoded = catch_unwind(AssertUnwindSafe(|| match format {
        Format::Jpeg => jpeg::decode(bytes, limits),
        Format::Svg => svg::decode(bytes, limits),
        _ => still::decode(bytes, format, limits),
    }))
    .unwrap_or(Err(ImagingError::DecoderFailed {
        format: format.name(),
    }))?;
    let Decoded {
        raster,
        orientation,
        mut notes,
    } = decoded;
    if orientation != Orientation::NoTransforms {
        notes.insert(0, Note::TurnedByExif);
    }
    Ok(Picture {
        raster: raster.oriented(orientation),
        format,
        notes,
    })
}

/// What a format's decoder hands over; still lying as in the file.
struct Decoded {
    raster: Raster,
    orientation: Orientation,
    notes: Vec<Note>,
}

/// Longest EXIF block that is looked at, in bytes: a JPEG segment's.
const MAX_EXIF: usize = 1 << 16;

fn orientation_of(exif: Option<&[u8]>) -> Orientation {
    exif.filter(|exif| exif.len() <= MAX_EXIF)
        .and_then(Orientation::from_exif_chunk)
        .unwrap_or(Orientation::NoTransforms)
}

/// Longest part of a decoder's message that is passed on, in characters.
const MAX_DETAIL: usize = 120;

/// A decoder's message as part of a sentence.
fn one_line(message: &str) -> String {
    let line = message
        .lines()
        .next()
        .unwrap_or_default()
        .trim()
        .trim_end_matches('.');
    line.chars().take(MAX_DETAIL).collect()
}
