use serde::Serialize;

use crate::ImagingError;

/// The picture formats that are read here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum Format {
    /// JPEG: baseline, progressive, grey, CMYK.
    Jpeg,
    /// PNG, of an animated one the default image.
    Png,
    /// GIF, its first frame.
    Gif,
    /// WebP, of an animated one the first frame.
    #[serde(rename = "webp")]
    WebP,
    /// Windows bitmap.
    Bmp,
    /// TIFF, its first page.
    Tiff,
    /// SVG drawing.
    Svg,
}

impl Format {
    /// The name people write.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Jpeg => "JPEG",
            Self::Png => "PNG",
            Self::Gif => "GIF",
            Self::WebP => "WebP",
            Self::Bmp => "BMP",
            Self::Tiff => "TIFF",
            Self::Svg => "SVG",
        }
    }

    /// Tells the format by the first bytes; a file's name is never asked.
    ///
    /// # Errors
    /// [`ImagingError::Empty`], and for everything else that is not read here
    /// [`ImagingError::UnsupportedFormat`] or [`ImagingError::NotAPicture`] with what it looks like.
    pub fn sniff(bytes: &[u8]) -> Result<Self, ImagingError> {
        let unsupported = |format| Err(ImagingError::UnsupportedFormat { format });
        match bytes {
            [] => Err(ImagingError::Empty),
            [0xff, 0xd8, 0xff, ..] => Ok(Self::Jpeg),
            [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => Ok(Self::Png),
            [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => Ok(Self::Gif),
            [
                b'R',
                b'I',
                b'F',
                b'F',
                _,
                _,
                _,
                _,
                b'W',
                b'E',
                b'B',
                b'P',
                ..,
            ] => Ok(Self::WebP),
            [b'I', b'I', 42, 0, ..] | [b'M', b'M', 0, 42, ..] => Ok(Self::Tiff),
            [b'I', b'I', 43, 0, ..] | [b'M', b'M', 0, 43, ..] => unsupported("BigTIFF"),
            [b'B', b'M', _, _, _, _, 0, 0, 0, 0, ..] => Ok(Self::Bmp),
            [_, _, _, _, b'f', b't', b'y', b'p', brand @ ..] => unsupported(iso_media(brand)),
            [0, 0, 0, 12, b'J', b'X', b'L', b' ', ..] | [0xff, 0x0a, ..] => unsupported("JPEG XL"),
            [0, 0, 0, 12, b'j', b'P', b' ', b' ', ..] => unsupported("JPEG 2000"),
            [0, 0, 1, 0, ..] => unsupported("Windows icon"),
            [b'8', b'B', b'P', b'S', ..] => unsupported("Photoshop"),
            [b'q', b'o', b'i', b'f', ..] => unsupported("QOI"),
            [0x1f, 0x8b, ..] => Err(ImagingError::NotAPicture {
                found: "a gzip archive",
            }),
            _ if is_svg(bytes) => Ok(Self::Svg),
            _ => Err(ImagingError::NotAPicture {
                found: other_kind(bytes),
            }),
        }
    }
}

fn iso_media(brand: &[u8]) -> &'static str {
    match brand {
        [b'a', b'v', b'i', b'f' | b's', ..] => "AVIF",
        [b'h', b'e', b'i' | b'v', _, ..]
        | [b'm', b'i', b'f', b'1', ..]
        | [b'm', b's', b'f', b'1', ..] => "HEIC",
        _ => "MP4 or QuickTime",
    }
}

/// Bytes looked through for the root element of an SVG: licence comments before it are long.
const SVG_PROLOGUE: usize = 16 * 1024;

fn is_svg(bytes: &[u8]) -> bool {
    let prologue = bytes.get(..SVG_PROLOGUE).unwrap_or(bytes);
    let Some(text) = decoded_start(prologue) else {
        return false;
    };
    text.trim_start().starts_with('<') && (text.contains("<svg") || text.contains(":svg"))
}

/// The text at the start of a file in UTF-8; `None` when it is something else.
fn decoded_start(bytes: &[u8]) -> Option<&str> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    match std::str::from_utf8(bytes) {
        Ok(text) => Some(text),
        // The cut may fall within a character.
        Err(error) if error.error_len().is_none() => bytes
            .get(..error.valid_up_to())
            .and_then(|whole| std::str::from_utf8(whole).ok()),
        Err(_) => None,
    }
}

fn other_kind(bytes: &[u8]) -> &'static str {
    match bytes {
        [b'%', b'P', b'D', b'F', ..] => "a PDF document",
        [b'P', b'K', 3 | 5, 4 | 6, ..] => "a ZIP archive or an Office document",
        [b'7', b'z', 0xbc, 0xaf, ..] | [b'R', b'a', b'r', b'!', ..] => "an archive",
        [0xd0, 0xcf, 0x11, 0xe0, ..] => "an old Office document",
        [b'M', b'Z', ..] | [0x7f, b'E', b'L', b'F', ..] => "a program",
        [b'I', b'D', b'3', ..] | [b'O', b'g', b'g', b'S', ..] | [b'f', b'L', b'a', b'C', ..] => {
            "a sound file"
        }
        [b'R', b'I', b'F', b'F', ..] => "a sound or video file",
        [0x1a, 0x45, 0xdf, 0xa3, ..] => "a video",
        _ if bytes.iter().all(|&byte| byte == 0) => "a file of nothing but zeros",
        _ => match decoded_start(bytes.get(..SVG_PROLOGUE).unwrap_or(bytes)) {
            Some(text) if text.contains('\0') => "unknown data",
            Some(text)
                if text
                    .trim_start()
                    .to_ascii_lowercase()
                    .starts_with("<!doctype html") =>
            {
                "a web page"
            }
            Some(text) if text.trim_start().to_ascii_lowercase().starts_with("<html") => {
                "a web page"
            }
            Some(text) if text.trim_start().starts_with('<') => "an XML document",
            Some(_) => "text",
            None => "unknown data",
        },
    }
}
