use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::DecodePaddingMode;
use base64::engine::general_purpose::{GeneralPurpose, GeneralPurposeConfig};
use percent_encoding::percent_decode_str;

use crate::adjust::shortened;
use crate::{Format, ImagingError, Limits, Picture, decode};

/// Where a picture comes from, as one string says it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// A file on this machine.
    Path(PathBuf),
    /// The bytes themselves.
    Bytes(Vec<u8>),
}

/// Shortest text that is taken for bare base64: even the smallest GIF is longer.
const MIN_BASE64: usize = 40;

impl Source {
    /// Tells a path, a data URI and bare base64 apart (IO-11): text is base64 when it decodes and
    /// its first bytes are those of a picture.
    ///
    /// # Errors
    /// [`ImagingError::UrlRefused`] for an address on a network, [`ImagingError::BadBase64`] for a
    /// data URI that does not decode, [`ImagingError::FileTooLarge`] for too long a text.
    pub fn parse(text: &str, limits: &Limits) -> Result<Self, ImagingError> {
        let text = text.trim();
        if text.is_empty() {
            return Err(ImagingError::Empty);
        }
        if let Some(uri) = strip_scheme(text, "data:") {
            return data_uri(uri, limits).map(Self::Bytes);
        }
        if let Some(rest) = strip_scheme(text, "file:") {
            return Ok(Self::Path(file_uri(rest)));
        }
        // One letter is a drive.
        if text.split_once("://").is_some_and(|(scheme, _)| {
            scheme.len() > 1
                && scheme
                    .chars()
                    .all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c))
        }) {
            return Err(ImagingError::UrlRefused);
        }
        if looks_like_base64(text) {
            limits.check_bytes(decoded_length(text.len()))?;
            match decode_base64(text) {
                Ok(bytes)
                    if !matches!(Format::sniff(&bytes), Err(ImagingError::NotAPicture { .. })) =>
                {
                    return Ok(Self::Bytes(bytes));
                }
                // A path of letters and slashes has the same alphabet: the file system decides.
                Ok(_) if text.len() <= MAX_PATH => {}
                Err(_) if text.len() <= MAX_PATH => {}
                Ok(bytes) => return Format::sniff(&bytes).map(|_| Self::Bytes(bytes)),
                Err(error) => return Err(error),
            }
        }
        Ok(Self::Path(PathBuf::from(text)))
    }

    /// Reads and decodes it.
    ///
    /// # Errors
    /// All that [`Picture::open`] and [`decode`] answer.
    pub fn load(&self, limits: &Limits) -> Result<Picture, ImagingError> {
        match self {
            Self::Path(path) => Picture::open(path, limits),
            Self::Bytes(bytes) => decode(bytes, limits),
        }
    }
}

/// Longest path of the systems this runs on (PATH_MAX of Linux).
const MAX_PATH: usize = 4096;

fn strip_scheme<'a>(text: &'a str, scheme: &str) -> Option<&'a str> {
    let head = text.get(..scheme.len())?;
    if head.eq_ignore_ascii_case(scheme) {
        text.get(scheme.len()..)
    } else {
        None
    }
}

fn file_uri(rest: &str) -> PathBuf {
    let path = rest
        .strip_prefix("//localhost")
        .or_else(|| rest.strip_prefix("//"))
        .unwrap_or(rest);
    // file:///C:/x names C:/x.
    let drive = path
        .strip_prefix('/')
        .filter(|path| path.as_bytes().get(1) == Some(&b':'));
    let path = percent_decode_str(drive.unwrap_or(path)).decode_utf8_lossy();
    PathBuf::from(path.into_owned())
}

/// The bytes of `data:[type][;base64],text` (RFC 2397), without the scheme.
fn data_uri(uri: &str, limits: &Limits) -> Result<Vec<u8>, ImagingError> {
    let Some((head, body)) = uri.split_once(',') else {
        return Err(ImagingError::BadBase64 {
            detail: "the data URI has no comma".into(),
        });
    };
    if head.to_ascii_lowercase().ends_with(";base64") {
        limits.check_bytes(decoded_length(body.len()))?;
        decode_base64(&percent_decode_str(body).decode_utf8_lossy())
    } else {
        limits.check_bytes(body.len() as u64)?;
        Ok(percent_decode_str(body).collect())
    }
}

const fn decoded_length(text: usize) -> u64 {
    text as u64 / 4 * 3
}

fn looks_like_base64(text: &str) -> bool {
    text.len() >= MIN_BASE64
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"+/-_=\r\n \t".contains(&byte))
}

/// Both alphabets, padded or not, with line breaks: all are seen in practice.
fn decode_base64(text: &str) -> Result<Vec<u8>, ImagingError> {
    let config =
        GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent);
    let engine = GeneralPurpose::new(&base64::alphabet::STANDARD, config);
    let plain: Vec<u8> = text
        .bytes()
        .filter(|byte| !byte.is_ascii_whitespace())
        .map(|byte| match byte {
            b'-' => b'+',
            b'_' => b'/',
            other => other,
        })
        .collect();
    engine
        .decode(plain)
        .map_err(|error| ImagingError::BadBase64 {
            detail: error.to_string(),
        })
}

impl Picture {
    /// Reads and decodes a file, within the limits.
    ///
    /// # Errors
    /// [`ImagingError::NotFound`], [`ImagingError::IsAFolder`], [`ImagingError::NotAFile`],
    /// [`ImagingError::NoPermission`], [`ImagingError::FileTooLarge`],
    /// [`ImagingError::Unreadable`], and all that [`decode`] answers.
    pub fn open(path: &Path, limits: &Limits) -> Result<Self, ImagingError> {
        decode(&read_file(path, limits)?, limits)
    }
}

fn read_file(path: &Path, limits: &Limits) -> Result<Vec<u8>, ImagingError> {
    let name = || shortened_path(path);
    let refused = |error: std::io::Error| match error.kind() {
        ErrorKind::NotFound | ErrorKind::NotADirectory | ErrorKind::InvalidFilename => {
            ImagingError::NotFound { path: name() }
        }
        ErrorKind::PermissionDenied => ImagingError::NoPermission { path: name() },
        ErrorKind::IsADirectory => ImagingError::IsAFolder { path: name() },
        _ => ImagingError::Unreadable {
            path: name(),
            detail: error.to_string(),
        },
    };
    // Asked before opening: opening a pipe would wait for its writer.
    let metadata = std::fs::metadata(path).map_err(refused)?;
    if metadata.is_dir() {
        return Err(ImagingError::IsAFolder { path: name() });
    }
    if !metadata.is_file() {
        return Err(ImagingError::NotAFile { path: name() });
    }
    limits.check_bytes(metadata.len())?;
    let file = File::open(path).map_err(refused)?;
    let mut bytes = Vec::with_capacity(metadata.len() as usize);
    // The file may grow while it is read.
    file.take(limits.max_bytes + 1)
        .read_to_end(&mut bytes)
        .map_err(refused)?;
    limits.check_bytes(bytes.len() as u64)?;
    Ok(bytes)
}

fn shortened_path(path: &Path) -> String {
    let text = path.display().to_string();
    // A base64 text mistaken for a path would fill the screen.
    if text.len() > 300 {
        shortened(&text)
    } else {
        text
    }
}

#[cfg(test)]
mod percent_tests {
    use super::*;

    #[test]
    fn a_percent_encoded_data_uri_keeps_bytes_that_are_no_text() {
        let source = Source::parse("data:image/png,%89PNG%0D%0A%FF", &Limits::DEFAULT);
        assert_eq!(source, Ok(Source::Bytes(b"\x89PNG\r\n\xff".to_vec())));
    }
}
