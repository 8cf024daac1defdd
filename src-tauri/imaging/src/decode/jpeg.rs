use zune_core::bytestream::ZCursor;
use zune_core::colorspace::ColorSpace;
use zune_core::options::DecoderOptions;
use zune_jpeg::JpegDecoder;
use zune_jpeg::errors::DecodeErrors;

use super::colour::{Cmyk, Conversion};
use super::reduce::{Channels, Depth, Layout, Samples, reduce};
use super::{Decoded, Limits, one_line, orientation_of};
use crate::{ImagingError, Note};

const FORMAT: &str = "JPEG";
/// Progressive scans at most: encoders write about ten, and each costs a walk over the picture.
const MAX_SCANS: usize = 100;

pub(super) fn decode(bytes: &[u8], limits: &Limits) -> Result<Decoded, ImagingError> {
    let markers = Markers::read(bytes);
    // Without this check the missing part would be grey.
    if !markers.ends {
        return Err(ImagingError::Truncated { format: FORMAT });
    }
    let options = DecoderOptions::default()
        .set_strict_mode(false)
        .set_max_width(usize::from(u16::MAX))
        .set_max_height(usize::from(u16::MAX))
        .jpeg_set_max_scans(MAX_SCANS);
    let mut decoder = JpegDecoder::new_with_options(ZCursor::new(bytes), options);
    decoder.decode_headers().map_err(refused)?;
    let (width, height) = decoder.dimensions().unwrap_or_default();
    let (width, height) = (width as u32, height as u32);

    let input = decoder.input_colorspace().unwrap_or(ColorSpace::YCbCr);
    let (stored, channels) = match input {
        ColorSpace::Luma => (ColorSpace::Luma, 1),
        ColorSpace::CMYK => (ColorSpace::CMYK, 4),
        ColorSpace::YCCK => (ColorSpace::YCCK, 4),
        _ => (ColorSpace::RGB, 3),
    };
    // A progressive picture keeps its coefficients, 2 bytes each, beside its pixels.
    let working = if markers.progressive {
        3 * channels
    } else {
        channels
    };
    limits.check_dimensions(width, height, working)?;
    // Lenient with headers, which cameras write in many ways, strict with pixels: what does not
    // decode would be filled with grey.
    decoder.set_options(
        options
            .set_strict_mode(true)
            .jpeg_set_out_colorspace(stored),
    );

    let profile = decoder.icc_profile();
    let orientation = orientation_of(decoder.exif().map(Vec::as_slice));
    let pixels = decoder.decode().map_err(refused)?;

    let mut notes = Vec::new();
    let eight = |channels| Layout {
        channels,
        depth: Depth::Eight,
    };
    let (conversion, note) = match stored {
        ColorSpace::Luma => Conversion::new(eight(Channels::Grey), profile.as_deref()),
        ColorSpace::CMYK if markers.adobe => Conversion::cmyk(Cmyk::Inverted, profile.as_deref()),
        ColorSpace::CMYK => Conversion::cmyk(Cmyk::Plain, profile.as_deref()),
        ColorSpace::YCCK => Conversion::cmyk(Cmyk::Ycck, profile.as_deref()),
        _ => Conversion::new(eight(Channels::Rgb), profile.as_deref()),
    };
    if channels == 4 {
        notes.push(Note::CmykConverted);
    }
    notes.extend(note);
    let samples = Samples {
        width,
        height,
        pixel_bytes: channels as usize,
        bytes: &pixels,
    };
    Ok(Decoded {
        raster: reduce(&samples, &conversion)?,
        orientation,
        notes,
    })
}

fn refused(error: DecodeErrors) -> ImagingError {
    match error {
        DecodeErrors::ZeroError => ImagingError::NoPixels,
        DecodeErrors::ExhaustedData | DecodeErrors::IoErrors(_) => {
            ImagingError::Truncated { format: FORMAT }
        }
        DecodeErrors::Unsupported(scheme) => ImagingError::UnsupportedFeature {
            format: FORMAT,
            detail: format!("{scheme:?}"),
        },
        other => ImagingError::Damaged {
            format: FORMAT,
            detail: one_line(&format!("{other:?}")),
        },
    }
}

/// What the marker structure (ITU-T T.81, annex B) tells that the decoder does not.
struct Markers {
    /// There is an end-of-image marker after the first scan.
    ends: bool,
    /// There is an Adobe APP14 segment.
    adobe: bool,
    progressive: bool,
}

impl Markers {
    fn read(bytes: &[u8]) -> Self {
        let mut found = Self {
            ends: false,
            adobe: false,
            progressive: false,
        };
        let mut rest = bytes.get(2..).unwrap_or_default();
        // Segments up to the first scan.
        loop {
            let marker = match rest {
                // Fill bytes.
                [0xff, 0xff, ..] => {
                    rest = &rest[1..];
                    continue;
                }
                [0xff, marker, after @ ..] => {
                    rest = after;
                    *marker
                }
                // Not where a marker should be: decoders look for the next one.
                [_, after @ ..] => {
                    rest = after;
                    continue;
                }
                [] => return found,
            };
            match marker {
                0x00 | 0x01 | 0xd0..=0xd9 => continue,
                0xc2 | 0xc6 | 0xca | 0xce => found.progressive = true,
                0xee => found.adobe |= rest.get(2..7) == Some(b"Adobe"),
                _ => {}
            }
            let [high, low, ..] = rest else { return found };
            let length = usize::from(u16::from_be_bytes([*high, *low]));
            rest = rest.get(length..).unwrap_or_default();
            if marker == 0xda {
                break;
            }
        }
        found.ends = rest.windows(2).any(|pair| pair == [0xff, 0xd9]);
        found
    }
}
