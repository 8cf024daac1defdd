//! Files that hold a result: whole or not at all, and never anything but plain files.

use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use tempfile::{Builder, NamedTempFile};

use super::Failure;

/// A file that will hold a result. Until it is written, what had its name before stays as it was.
#[derive(Debug)]
pub(super) struct OutputFile {
    /// As a person named it.
    given: PathBuf,
    /// Where it ends up, behind symbolic links.
    target: PathBuf,
    draft: NamedTempFile,
}

impl OutputFile {
    /// Makes sure that a file can be written under this name, before work is done for it.
    ///
    /// # Errors
    /// What has that name is no plain file (a pipe would hang, a device could be harmed) or must
    /// not be written, or its folder takes no files.
    pub(super) fn at(path: &Path) -> Result<Self, Failure> {
        let unwritable = |error: io::Error| Failure::unwritable(path, &error);
        let (target, permissions) = match fs::metadata(path) {
            Ok(known) if !known.is_file() => return Err(Failure::no_plain_file(path)),
            Ok(known) => {
                // Renaming over it would not ask whether it may be written.
                OpenOptions::new()
                    .write(true)
                    .open(path)
                    .map_err(unwritable)?;
                let target = fs::canonicalize(path).map_err(unwritable)?;
                (target, Some(known.permissions()))
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => (path.to_owned(), None),
            Err(error) => return Err(unwritable(error)),
        };
        let folder = match target.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        if target.file_name().is_none() {
            return Err(Failure::no_plain_file(path));
        }
        let mut builder = Builder::new();
        if let Some(permissions) = permissions.or_else(permissions_of_a_new_file) {
            builder.permissions(permissions);
        }
        let draft = builder.tempfile_in(folder).map_err(unwritable)?;
        Ok(Self {
            given: path.to_owned(),
            target,
            draft,
        })
    }

    /// The same for a file that may not be wanted.
    ///
    /// # Errors
    /// Those of [`at`](Self::at).
    pub(super) fn wanted(path: Option<&Path>) -> Result<Option<Self>, Failure> {
        path.map(Self::at).transpose()
    }

    /// The name that a person gave it.
    pub(super) fn path(&self) -> &Path {
        &self.given
    }

    /// Puts the file in its place with these contents.
    ///
    /// # Errors
    /// What the system says; what had the name before is then still there.
    pub(super) fn write(mut self, bytes: &[u8]) -> Result<(), Failure> {
        self.draft
            .write_all(bytes)
            .and_then(|()| self.draft.persist(&self.target).map_err(io::Error::from))
            .map(|_| ())
            .map_err(|error| Failure::unwritable(&self.given, &error))
    }
}

/// Those that any program's new files have; a temporary file is its owner's alone otherwise.
#[cfg(unix)]
fn permissions_of_a_new_file() -> Option<fs::Permissions> {
    use std::os::unix::fs::PermissionsExt as _;

    /// Everyone's reading and writing, of which the process' mask takes away what it does.
    const MODE: u32 = 0o666;
    Some(fs::Permissions::from_mode(MODE))
}

/// A new file takes those of its folder.
#[cfg(not(unix))]
fn permissions_of_a_new_file() -> Option<fs::Permissions> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_had_the_name_stays_until_the_new_file_is_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        fs::write(&path, "before").unwrap();
        let file = OutputFile::at(&path).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "before");
        drop(file);
        assert_eq!(fs::read_to_string(&path).unwrap(), "before");
        OutputFile::at(&path).unwrap().write(b"after").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "after");
        // Nothing is left beside it.
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn what_is_no_plain_file_or_has_no_folder_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        assert!(OutputFile::at(folder.path()).is_err());
        assert!(OutputFile::at(&folder.path().join("no/such/a.txt")).is_err());
        assert!(OutputFile::at(Path::new("")).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn a_symbolic_link_and_the_rights_of_a_file_survive() {
        use std::os::unix::fs::{PermissionsExt as _, symlink};

        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("a.txt"), folder.path().join("link"));
        fs::write(&file, "before").unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
        symlink(&file, &link).unwrap();
        OutputFile::at(&link).unwrap().write(b"after").unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read_to_string(&file).unwrap(), "after");
        let mode = fs::metadata(&file).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o640);
    }
}
