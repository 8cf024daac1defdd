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
    match read_small_text(&path(folder)) {
        Ok(text) => Ok(Profile::parse(&text)?),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Profile::default()),
        Err(error) => Err(EngineError::SettingsUnreadable {
            path: path(folder),
            detail: error.to_string(),
        }),
    }
}

/// Adds a command to the file, or replaces it; everything else in it stays as it is. Returns the
/// profile as it is then.
///
/// # Errors
/// As [`read`], and [`EngineError::SettingsUnwritable`].
pub(crate) fn add(folder: &Path, lesson: &Lesson) -> Result<Profile, EngineError> {
    // A file that cannot be understood is a person's to mend, not to be written over.
    read(folder)?;
    let path = path(folder);
    let mut document = read_small_text(&path)
        .ok()
        .and_then(|text| text.parse::<DocumentMut>().ok())
        .unwrap_or_default();
    let mut entry = Table::new();
    entry.insert("channel", value(lesson.channel.to_string()));
    entry.insert("bytes", value(lesson.bytes.trim()));
    if lesson.refresh {
        entry.insert("refresh", value(true));
    }
    document.insert(&lesson.name, Item::Table(entry));
    let text = document.to_string();
    let profile = Profile::parse(&text)?;
    replace(&path, text.as_bytes()).map_err(|error| EngineError::SettingsUnwritable {
        path,
        detail: error.to_string(),
    })?;
    Ok(profile)
}
