use std::io::{Cursor, ErrorKind};

use image::error::LimitErrorKind;
use image::{ColorType, ExtendedColorType, ImageDecoder, ImageError, ImageFormat, ImageReader};

use super::colour::Conversion;
use super::reduce::{Channels, Depth, Layout, Samples, reduce};
use super::{Decoded, Limits, frames, one_line};
use crate::{Format, ImagingError, Note};

/// Decodes PNG, GIF, WebP, BMP and TIFF.
pub(super) fn decode(
    bytes: &[u8],
    format: Format,
    limits: &Limits,
) -> Result<Decoded, ImagingError> {
    if format == Format::WebP && riff_is_cut(bytes) {
        return Err(ImagingError::Truncated {
            format: format.name(),
        });
    }
    let refused = |error| refused(error, format, limits);
    let mut reader = ImageReader::with_format(Cursor::new(bytes), image_format(format)?);
    let mut allowed = image::Limits::default();
    allowed.max_alloc = Some(limits.max_memory);
    reader.limits(allowed);
    let mut decoder = reader.into_decoder().map_err(refused)?;

    let (width, height) = decoder.dimensions();
    let colour = decoder.color_type();
    limits.check_dimensions(width, height, u64::from(colour.bytes_per_pixel()))?;
    let cmyk = matches!(
        decoder.original_color_type(),
        ExtendedColorType::Cmyk8 | ExtendedColorType::Cmyk16
    );
    let wide = wide(colour)
        && decoder.original_color_type().bits_per_pixel() > 8 * u16::from(colour.channel_count());
    // Metadata that cannot be read is no reason to refuse the picture.
    let profile = decoder.icc_profile().ok().flatten();
    let orientation = decoder
        .orientation()
        .unwrap_or(image::metadata::Orientation::NoTransforms);
    let mut pixels = vec![0; decoder.total_bytes() as usize];
    decoder.read_image(&mut pixels).map_err(refused)?;

    let mut notes: Vec<Note> = frames::note(bytes, format).into_iter().collect();
    if cmyk {
        notes.push(Note::CmykConverted);
    }
    if wide {
        notes.push(Note::DepthReduced);
    }
    let (layout, pixels) = laid_out(colour, pixels);
    let Some(layout) = layout else {
        let detail = format!("its pixels are {colour:?}");
        return Err(ImagingError::UnsupportedFeature {
            format: format.name(),
            detail,
        });
    };
    // The decoder has already turned CMYK into RGB, so the file's profile no longer applies.
    let (conversion, note) = Conversion::new(layout, profile.as_deref().filter(|_| !cmyk));
    notes.extend(note);
    let pixel_bytes = pixels.len() / (width as usize * height as usize);
    let samples = Samples {
        width,
        height,
        pixel_bytes,
        bytes: &pixels,
    };
    Ok(Decoded {
        raster: reduce(&samples, &conversion)?,
        orientation,
        notes,
    })
}

/// A RIFF file announces its length; the decoder calls a short one a corrupt bitstream.
fn riff_is_cut(bytes: &[u8]) -> bool {
    let announced = bytes
        .get(4..)
        .and_then(<[u8]>::first_chunk)
        .map(|length| u32::from_le_bytes(*length));
    announced.is_none_or(|length| u64::from(length) + 8 > bytes.len() as u64)
}

fn image_format(format: Format) -> Result<ImageFormat, ImagingError> {
    match format {
        Format::Png => Ok(ImageFormat::Png),
        Format::Gif => Ok(ImageFormat::Gif),
        Format::WebP => Ok(ImageFormat::WebP),
        Format::Bmp => Ok(ImageFormat::Bmp),
        Format::Tiff => Ok(ImageFormat::Tiff),
        Format::Jpeg | Format::Svg => Err(ImagingError::UnsupportedFormat {
            format: format.name(),
        }),
    }
}

const fn wide(colour: ColorType) -> bool {
    !matches!(
        colour,
        ColorType::L8 | ColorType::La8 | ColorType::Rgb8 | ColorType::Rgba8
    )
}

fn laid_out(colour: ColorType, pixels: Vec<u8>) -> (Option<Layout>, Vec<u8>) {
    let eight = |channels| {
        Some(Layout {
            channels,
            depth: Depth::Eight,
        })
    };
    let sixteen = |channels| {
        Some(Layout {
            channels,
            depth: Depth::Sixteen,
        })
    };
    match colour {
        ColorType::L8 => (eight(Channels::Grey), pixels),
        ColorType::La8 => (eight(Channels::GreyAlpha), pixels),
        ColorType::Rgb8 => (eight(Channels::Rgb), pixels),
        ColorType::Rgba8 => (eight(Channels::Rgba), pixels),
        ColorType::L16 => (sixteen(Channels::Grey), pixels),
        ColorType::La16 => (sixteen(Channels::GreyAlpha), pixels),
        ColorType::Rgb16 => (sixteen(Channels::Rgb), pixels),
        ColorType::Rgba16 => (sixteen(Channels::Rgba), pixels),
        ColorType::Rgb32F => (sixteen(Channels::Rgb), from_float(&pixels)),
        ColorType::Rgba32F => (sixteen(Channels::Rgba), from_float(&pixels)),
        _ => (None, pixels),
    }
}

/// Floating-point samples as the decoders give them, sRGB-encoded within 0..=1.
fn from_float(pixels: &[u8]) -> Vec<u8> {
    pixels
        .chunks_exact(4)
        .map(|bytes| f32::from_ne_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
        .flat_map(|value| {
            ((value.clamp(0.0, 1.0) * f32::from(u16::MAX)).round() as u16).to_ne_bytes()
        })
        .collect()
}

fn refused(error: ImageError, format: Format, limits: &Limits) -> ImagingError {
    let name = format.name();
    // Some decoders tell it in words only.
    let told = || {
        error
            .to_string()
            .to_ascii_lowercase()
            .contains("unexpected end of file")
    };
    if ended_early(&error) || told() {
        return ImagingError::Truncated { format: name };
    }
    match error {
        ImageError::Limits(limit) => match limit.kind() {
            LimitErrorKind::DimensionError => ImagingError::Damaged {
                format: name,
                detail: "its size cannot be true".into(),
            },
            _ => limits.memory_exceeded(),
        },
        ImageError::Unsupported(error) => ImagingError::UnsupportedFeature {
            format: name,
            detail: one_line(&error.to_string()),
        },
        other => ImagingError::Damaged {
            format: name,
            detail: one_line(&other.to_string()),
        },
    }
}

/// Whether the data ended too soon: decoders tell it as an I/O error somewhere down the chain.
fn ended_early(error: &ImageError) -> bool {
    let mut cause: Option<&(dyn std::error::Error + 'static)> = Some(error);
    while let Some(error) = cause {
        if error
            .downcast_ref::<std::io::Error>()
            .is_some_and(|io| io.kind() == ErrorKind::UnexpectedEof)
        {
            return true;
        }
        if let Some(ImageError::IoError(io)) = error.downcast_ref::<ImageError>()
            && io.kind() == ErrorKind::UnexpectedEof
        {
            return true;
        }
        cause = error.source();
    }
    false
}
