//! Where a process that owns a data folder is to be found.

use std::fmt;
use std::path::{Path, PathBuf};

/// The address of the local door of a data folder: the same for whoever asks, whatever is in their
/// environment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place(PathBuf);

impl Place {
    /// The place of a data folder that exists.
    #[must_use]
    pub fn of(data: &Path) -> Self {
        // A folder that is not there has no door either, so that its name does as it is.
        let data = data.canonicalize().unwrap_or_else(|_| data.to_owned());
        Self(system::path(&data))
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.display().fmt(f)
    }
}

/// A short name for a folder, the same in every process: FNV-1a.
fn short_name(folder: &Path) -> String {
    const BASIS: u64 = 0xcbf2_9ce4_8422_2325;
    const PRIME: u64 = 0x0100_0000_01b3;
    let bytes = folder.as_os_str().as_encoded_bytes();
    let hash = bytes.iter().fold(BASIS, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(PRIME)
    });
    format!("{hash:016x}")
}

#[cfg(unix)]
mod system {
    use std::os::unix::fs::MetadataExt as _;
    use std::path::{Path, PathBuf};

    use super::short_name;

    /// The longest path of a socket in bytes: 104 with the zero at its end on macOS, 108 on Linux.
    const LONGEST: usize = 103;

    /// In the folder itself, which every process of its owner knows, unlike `XDG_RUNTIME_DIR`:
    /// what starts an agent may not pass that on. Where that is too long, in a folder of the
    /// owner's own that no tidying up of a session removes.
    pub(super) fn path(data: &Path) -> PathBuf {
        let beside = data.join("regie.sock");
        if beside.as_os_str().len() <= LONGEST {
            return beside;
        }
        let owner = data.metadata().map_or(0, |data| data.uid());
        let folder = PathBuf::from(format!("/tmp/regie-{owner}"));
        folder.join(short_name(data)).with_extension("sock")
    }
}

#[cfg(windows)]
mod system {
    use std::path::{Path, PathBuf};

    use super::short_name;

    /// One for each user too: a folder may be shared.
    pub(super) fn path(data: &Path) -> PathBuf {
        let user = std::env::var_os("USERNAME").unwrap_or_default();
        let whose = short_name(&data.join(user));
        PathBuf::from(format!(r"\\.\pipe\regie-{whose}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_has_one_place_and_another_folder_another() {
        let folder = tempfile::tempdir().unwrap();
        let [one, two] = ["one", "two"].map(|name| folder.path().join(name));
        for path in [&one, &two] {
            std::fs::create_dir(path).unwrap();
        }
        assert_eq!(Place::of(&one), Place::of(&one.join(".")));
        assert_ne!(Place::of(&one), Place::of(&two));
    }

    #[cfg(unix)]
    #[test]
    fn a_path_too_long_for_a_socket_gets_a_short_place_of_its_own() {
        let folder = tempfile::tempdir().unwrap();
        let [one, two] = ["1", "2"].map(|end| {
            let long = folder.path().join("données de l'horloge ".repeat(6) + end);
            std::fs::create_dir(&long).unwrap();
            Place::of(&long)
        });
        assert!(one.path().as_os_str().len() <= 103, "{one}");
        assert_ne!(one, two);
    }
}
