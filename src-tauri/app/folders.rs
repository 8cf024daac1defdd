//! Where settings and data live.

use std::path::{Path, PathBuf};

use directories::ProjectDirs;
use regie_engine::{EngineError, Folders};

/// The system's own folders for Regie, or both in one given folder.
///
/// # Errors
/// [`EngineError::FolderUnusable`] when the system knows no home folder.
pub(crate) fn folders(given: Option<&Path>) -> Result<Folders, EngineError> {
    if let Some(folder) = given {
        return Ok(Folders {
            settings: folder.to_owned(),
            data: folder.to_owned(),
        });
    }
    let system =
        ProjectDirs::from("app", "Regie", "Regie").ok_or_else(|| EngineError::FolderUnusable {
            path: PathBuf::from("~"),
            detail: "no home folder is known".into(),
        })?;
    Ok(Folders {
        settings: system.config_dir().to_owned(),
        data: system.data_local_dir().to_owned(),
    })
}
