//! The profile file: what a person knows of the clock's commands.

use std::io;
use std::path::{Path, PathBuf};

use regie_clock::Profile;
use toml_edit::{DocumentMut, Item, Table, value};

use crate::composition::Lesson;
use crate::error::EngineError;
use crate::settings::replace;
use crate::small_file::read_small_text;

fn path(folder: &Path) -> PathBuf {
    folder.join("clock-profile.toml")
}

/// Reads the profile of a folder; an empty one where there is no file.
///
/// # Errors
/// [`EngineError::SettingsUnreadable`], [`EngineError::Clock`] for what is no profile.
pub(crate) fn read(folder: &Path) -> Result<Profile, EngineError> {
    Ok(Profile::parse(&text(&path(folder))?)?)
}

/// The text of the file; empty where there is none.
fn text(path: &Path) -> Result<String, EngineError> {
    match read_small_text(path) {
        Ok(text) => Ok(text),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(String::new()),
        Err(error) => Err(EngineError::SettingsUnreadable {
            path: path.to_owned(),
            detail: error.to_string(),
        }),
    }
}

/// Adds a command to the file, or replaces it; everything else in it stays as it is. Returns the
/// profile as it is then.
///
/// # Errors
/// As [`read`]: a file that cannot be understood is a person's to mend, not to be written over.
/// And [`EngineError::SettingsUnwritable`].
pub(crate) fn add(folder: &Path, lesson: &Lesson) -> Result<Profile, EngineError> {
    let path = path(folder);
    // The file itself where the name is a link to it.
    let path = path.canonicalize().unwrap_or(path);
    let before = text(&path)?;
    Profile::parse(&before)?;
    let unwritable = |detail: String| EngineError::SettingsUnwritable {
        path: path.clone(),
        detail,
    };
    let mut document: DocumentMut = before
        .parse()
        .map_err(|error: toml_edit::TomlError| unwritable(error.to_string()))?;
    let mut entry = Table::new();
    entry.insert("channel", value(lesson.channel.to_string()));
    entry.insert("bytes", value(lesson.bytes.trim()));
    if lesson.refresh {
        entry.insert("refresh", value(true));
    }
    document.insert(&lesson.name, Item::Table(entry));
    let after = document.to_string();
    let profile = Profile::parse(&after)?;
    replace(&path, after.as_bytes()).map_err(|error| unwritable(error.to_string()))?;
    Ok(profile)
}
