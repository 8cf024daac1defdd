//! Reading text that a person gives, in a file or through a pipe, without being held up by what
//! else may be under its name.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

/// A text larger than this was not written by a person or by Regie.
const MAX_BYTES: u64 = 256 * 1024;

/// The text of a plain file of at most 256 KiB.
///
/// # Errors
/// What the system says, and for what is no plain file (a pipe would hang the start), is too
/// large, or is no text.
pub fn read_small_text(path: &Path) -> io::Result<String> {
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::other("it is not a plain file"));
    }
    read_small_text_from(File::open(path)?)
}

/// The text that a stream holds to its end, at most 256 KiB.
///
/// # Errors
/// What the system says, and for what is too large or is no text.
pub fn read_small_text_from(stream: impl Read) -> io::Result<String> {
    let mut text = String::new();
    stream.take(MAX_BYTES + 1).read_to_string(&mut text)?;
    if text.len() as u64 > MAX_BYTES {
        return Err(io::Error::other("it is too large"));
    }
    Ok(text)
}
