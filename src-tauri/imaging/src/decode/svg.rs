use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock};

use image::metadata::Orientation;
use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::fontdb::Database;
use resvg::usvg::roxmltree::{Document, Error as XmlError, ParsingOptions};
use resvg::usvg::{self, ImageHrefResolver, ImageKind, Tree};

use super::reduce::{Channels, Depth, Layout, Samples, reduce};
use super::svg_work::{DEADLINE, check, within};
use super::{Decoded, Limits, colour::Conversion, one_line};
use crate::{Format, ImagingError, Note};

/// A drawing is rendered so that its shorter side has this many pixels: it has no size of its own.
const SHORT_SIDE: f32 = 800.0;
/// Longest side in pixels, for drawings that are all width or all height.
const LONG_SIDE: f32 = 4000.0;
/// Most nodes of a drawing, text between elements included.
const MAX_NODES: u32 = 500_000;
/// Most pixels of one picture embedded in a drawing.
const MAX_EMBEDDED_PIXELS: u64 = 16_000_000;
/// Most bytes of XML: far above any drawing, far below what would take seconds to parse.
const MAX_XML: usize = 16 << 20;

/// The system's fonts; looking them up takes a moment, so it is done once and when first needed.
static FONTS: LazyLock<Arc<Database>> = LazyLock::new(|| {
    let mut fonts = Database::new();
    fonts.load_system_fonts();
    Arc::new(fonts)
});

pub(super) fn decode(bytes: &[u8], limits: &Limits) -> Result<Decoded, ImagingError> {
    if bytes.len() > MAX_XML {
        return Err(ImagingError::TooComplex {
            detail: "its text is too long",
        });
    }
    let (bytes, limits) = (bytes.to_vec(), *limits);
    within(DEADLINE, move || draw(&bytes, &limits))
}

fn draw(bytes: &[u8], limits: &Limits) -> Result<Decoded, ImagingError> {
    let damaged = |detail: String| ImagingError::Damaged {
        format: Format::Svg.name(),
        detail,
    };
    let text = std::str::from_utf8(bytes).map_err(|_| damaged("its text is not UTF-8".into()))?;
    let ended = text.trim_end().ends_with('>');
    let parsing = ParsingOptions {
        allow_dtd: true,
        nodes_limit: MAX_NODES,
        ..ParsingOptions::default()
    };
    let document = Document::parse_with_options(text, parsing).map_err(|error| match error {
        XmlError::NodesLimitReached => ImagingError::TooComplex {
            detail: "it has too many elements",
        },
        XmlError::UnclosedRootNode | XmlError::UnexpectedEndOfStream => ImagingError::Truncated {
            format: Format::Svg.name(),
        },
        _ if !ended => ImagingError::Truncated {
            format: Format::Svg.name(),
        },
        other => damaged(one_line(&other.to_string())),
    })?;
    check(&document)?;
    let mut notes = Vec::new();
    let has_text = text.contains("<text") || text.contains(":text");
    let fonts = if has_text {
        Arc::clone(&FONTS)
    } else {
        Arc::new(Database::new())
    };
    if has_text && fonts.is_empty() {
        notes.push(Note::TextOmitted);
    }

    let omitted = Arc::new(AtomicBool::new(false));
    let options = usvg::Options {
        image_href_resolver: resolver(&omitted),
        fontdb: fonts,
        ..Default::default()
    };
    let tree = Tree::from_xmltree(&document, &options).map_err(|error| match error {
        usvg::Error::ElementsLimitReached
        | usvg::Error::ParsingFailed(XmlError::NodesLimitReached) => ImagingError::TooComplex {
            detail: "it has too many elements",
        },
        usvg::Error::InvalidSize => ImagingError::NoPixels,
        other => damaged(one_line(&other.to_string())),
    })?;
    if omitted.load(Ordering::Relaxed) {
        notes.push(Note::ExternalImagesOmitted);
    }

    let size = tree.size();
    let short = size.width().min(size.height());
    let long = size.width().max(size.height());
    let scale = (SHORT_SIDE / short).min(LONG_SIDE / long);
    let pixels = |length: f32| (length * scale).round().clamp(1.0, LONG_SIDE) as u32;
    let (width, height) = (pixels(size.width()), pixels(size.height()));
    limits.check_dimensions(width, height, 4)?;
    let mut canvas = Pixmap::new(width, height).ok_or(ImagingError::NoPixels)?;
    let fill = Transform::from_scale(width as f32 / size.width(), height as f32 / size.height());
    resvg::render(&tree, fill, &mut canvas.as_mut());

    let straight: Vec<u8> = canvas
        .pixels()
        .iter()
        .map(|pixel| pixel.demultiply())
        .flat_map(|colour| [colour.red(), colour.green(), colour.blue(), colour.alpha()])
        .collect();
    let layout = Layout {
        channels: Channels::Rgba,
        depth: Depth::Eight,
    };
    let (conversion, _) = Conversion::new(layout, None);
    let samples = Samples {
        width,
        height,
        pixel_bytes: 4,
        bytes: &straight,
    };
    let mut raster = reduce(&samples, &conversion)?;
    (raster.source_width, raster.source_height) = (width, height);
    Ok(Decoded {
        raster,
        orientation: Orientation::NoTransforms,
        notes,
    })
}

/// Pictures in data URIs are drawn when their header is modest; nothing outside the file is read.
fn resolver(omitted: &Arc<AtomicBool>) -> ImageHrefResolver<'static> {
    let default = ImageHrefResolver::default_data_resolver();
    let too_large = Arc::clone(omitted);
    let external = Arc::clone(omitted);
    ImageHrefResolver {
        resolve_data: Box::new(move |_, data, options| {
            // By content: the declared type may be anything. A drawing in a drawing in a drawing
            // could grow without end, so SVG is not among them.
            let mime = match Format::sniff(&data) {
                Ok(Format::Png) => "image/png",
                Ok(Format::Jpeg) => "image/jpeg",
                Ok(Format::Gif) => "image/gif",
                Ok(Format::WebP) => "image/webp",
                _ => {
                    too_large.store(true, Ordering::Relaxed);
                    return None;
                }
            };
            let kind = default(mime, data, options)?;
            if header_is_modest(&kind) {
                return Some(kind);
            }
            too_large.store(true, Ordering::Relaxed);
            None
        }),
        resolve_string: Box::new(move |_, _| {
            external.store(true, Ordering::Relaxed);
            None
        }),
    }
}

fn header_is_modest(kind: &ImageKind) -> bool {
    let bytes = match kind {
        ImageKind::PNG(data)
        | ImageKind::JPEG(data)
        | ImageKind::GIF(data)
        | ImageKind::WEBP(data) => data,
        ImageKind::SVG(_) => return false,
    };
    match kind {
        ImageKind::JPEG(_) => {
            let mut decoder =
                zune_jpeg::JpegDecoder::new(zune_core::bytestream::ZCursor::new(bytes.as_slice()));
            decoder.decode_headers().is_ok()
                && decoder.dimensions().is_some_and(|(width, height)| {
                    (width as u64).saturating_mul(height as u64) <= MAX_EMBEDDED_PIXELS
                })
        }
        _ => image::ImageReader::new(std::io::Cursor::new(bytes.as_slice()))
            .with_guessed_format()
            .ok()
            .and_then(|reader| reader.into_dimensions().ok())
            .is_some_and(|(width, height)| {
                u64::from(width) * u64::from(height) <= MAX_EMBEDDED_PIXELS
            }),
    }
}
