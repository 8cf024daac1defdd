//! Where settings and data live.

use std::path::{Path, PathBuf};

use directories::{BaseDirs, ProjectDirs};
use regie_engine::{EngineError, Folders};

/// Where the window's library keeps what belongs to it, below the system's folders: the window's
/// place, and what the web view stores. The identifier of `tauri.conf.json`.
const WINDOW: &str = "app.regie.desktop";

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
    of_the_system().ok_or_else(|| EngineError::FolderUnusable {
        path: PathBuf::from("~"),
        detail: "no home folder is known".into(),
    })
}

fn of_the_system() -> Option<Folders> {
    if cfg!(windows) {
        // As its programs have them: one name, without the maker's.
        let base = BaseDirs::new()?;
        return Some(Folders {
            settings: base.config_dir().join("Regie"),
            data: base.data_local_dir().join("Regie"),
        });
    }
    let system = ProjectDirs::from("app", "Regie", "Regie")?;
    Some(Folders {
        settings: system.config_dir().to_owned(),
        data: system.data_local_dir().to_owned(),
    })
}

/// The folders of the window's library, which are there once a window was.
pub(crate) fn of_the_window() -> Vec<PathBuf> {
    let Some(base) = BaseDirs::new() else {
        return Vec::new();
    };
    let mut folders: Vec<PathBuf> = [
        base.config_dir(),
        base.data_dir(),
        base.data_local_dir(),
        base.cache_dir(),
    ]
    .map(|folder| folder.join(WINDOW))
    .into();
    folders.sort();
    folders.dedup();
    folders.retain(|folder| folder.exists());
    folders
}
