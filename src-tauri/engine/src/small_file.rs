//! Reading files that a person may have put there, without being held up by what else may be
//! under their name.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::Path;

/// A settings or profile file larger than this was not written by a person or by Regie.
const MAX_BYTES: u64 = 256 * 1024;

/// The text of a small file.
///
/// # Errors
/// What the system says, and for what is no plain file (a pipe would hang the start), is too
/// large, or is no text.
pub(crate) fn read_text(path: &Path) -> io::Result<String> {
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::other("it is not a plain file"));
    }
    let mut text = String::new();
    File::open(path)?
        .take(MAX_BYTES + 1)
        .read_to_string(&mut text)?;
    if text.len() as u64 > MAX_BYTES {
        return Err(io::Error::other("it is too large"));
    }
    Ok(text)
}
