//! Which picture files an agent may have read.

use std::path::{Component, Path, PathBuf};

use regie_imaging::ImagingError;

use crate::error::EngineError;
use crate::settings::Reach;

/// Characters of a path in a message; anything may be sent as one, base64 that was cut short too.
const MAX_CHARACTERS: usize = 300;

/// The folders whose pictures an agent may have read.
#[derive(Clone, Debug)]
pub(crate) enum PermittedFolders {
    /// Any.
    Any,
    /// These and those within them; none of them: no file at all.
    These(Vec<PathBuf>),
}

impl PermittedFolders {
    /// What was set, for agents that come from there: without a folder, those on this computer
    /// may read what its user may, and those on the network nothing.
    pub(crate) fn new(folders: &[PathBuf], reach: Reach) -> Self {
        match reach {
            Reach::ThisComputer if folders.is_empty() => Self::Any,
            _ => Self::These(folders.to_vec()),
        }
    }

    /// The file to open for a path, with its links resolved.
    ///
    /// # Errors
    /// [`EngineError::PicturePathPartial`] for what is no whole path, since agents do not know the
    /// folder that it would begin in; [`EngineError::PictureFolder`] for what lies in none of the folders, whether it exists or
    /// not; [`ImagingError::NotFound`] for what does not exist in one of them.
    pub(crate) fn permit(&self, path: &Path) -> Result<PathBuf, EngineError> {
        if path.is_relative() {
            let path = shortened(path);
            return Err(EngineError::PicturePathPartial { path });
        }
        let Self::These(folders) = self else {
            return Ok(path.to_owned());
        };
        let refused = || EngineError::PictureFolder {
            folder: shortened(path.parent().unwrap_or(path)),
        };
        // Looking at a share would show this computer's user to whoever keeps it.
        if !folders.iter().any(|folder| same_root(folder, path)) {
            return Err(refused());
        }
        // What is not there lies where the deepest folder of its path that is there lies; so that
        // nobody learns what exists elsewhere.
        let (found, place) = path
            .ancestors()
            .find_map(|part| Some((part, part.canonicalize().ok()?)))
            .ok_or_else(refused)?;
        let within = |folder: &PathBuf| {
            let folder = folder.canonicalize();
            folder.is_ok_and(|folder| place.starts_with(folder))
        };
        if !folders.iter().any(within) {
            return Err(refused());
        }
        if found == path {
            Ok(place)
        } else {
            let path = shortened(path);
            Err(ImagingError::NotFound { path }.into())
        }
    }
}

fn shortened(path: &Path) -> String {
    path.to_string_lossy()
        .chars()
        .take(MAX_CHARACTERS)
        .collect()
}

/// Whether both begin at the same drive or share. A relative path begins at no share.
fn same_root(folder: &Path, path: &Path) -> bool {
    match (prefix(folder), prefix(path)) {
        (_, None) => true,
        (folder, path) => folder == path,
    }
}

fn prefix(path: &Path) -> Option<std::path::PrefixComponent<'_>> {
    match path.components().next()? {
        Component::Prefix(prefix) => Some(prefix),
        _ => None,
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    struct Place {
        _folder: tempfile::TempDir,
        /// The folder that may be read.
        shared: PathBuf,
        /// One beside it that may not.
        private: PathBuf,
    }

    fn place() -> Place {
        let folder = tempfile::tempdir().unwrap();
        let shared = folder.path().join("Bilder für alle");
        let private = folder.path().join("private");
        fs::create_dir_all(shared.join("été 夏")).unwrap();
        fs::create_dir(&private).unwrap();
        for file in [
            shared.join("été 夏/a b.png"),
            shared.join("b.png"),
            private.join("c.png"),
        ] {
            fs::write(file, "x").unwrap();
        }
        Place {
            _folder: folder,
            shared,
            private,
        }
    }

    fn code(answer: Result<PathBuf, EngineError>) -> &'static str {
        answer.map_or_else(|error| error.code(), |_| "ok")
    }

    #[test]
    fn what_lies_in_a_folder_that_was_set_is_read_and_nothing_else() {
        let Place {
            shared, private, ..
        } = &place();
        for reach in [Reach::ThisComputer, Reach::ThisNetwork] {
            let set = PermittedFolders::new(std::slice::from_ref(shared), reach);
            for inside in [
                shared.join("été 夏/a b.png"),
                shared.join("b.png"),
                shared.join("été 夏/../b.png"),
                private.join("../Bilder für alle/b.png"),
            ] {
                assert_eq!(code(set.permit(&inside)), "ok", "{inside:?}");
            }
            for outside in [
                private.join("c.png"),
                shared.join("../private/c.png"),
                shared.join(".."),
                PathBuf::from("/etc/passwd"),
            ] {
                assert_eq!(code(set.permit(&outside)), "picture-folder", "{outside:?}");
            }
        }
    }

    /// IO-11: nor are the home folder's sign and base64 that was cut short paths from somewhere.
    #[test]
    fn a_path_that_is_not_whole_is_refused_wherever_pictures_may_be_read() {
        let Place { shared, .. } = &place();
        let folders = std::slice::from_ref(shared);
        for set in [
            PermittedFolders::new(&[], Reach::ThisComputer),
            PermittedFolders::new(folders, Reach::ThisComputer),
            PermittedFolders::new(folders, Reach::ThisNetwork),
        ] {
            for path in ["relative.png", "./a.png", "../b.png", "~/c.png", "aGVsbG8="] {
                let refused = set.permit(Path::new(path));
                assert_eq!(code(refused), "picture-path-partial", "{path}");
            }
        }
    }

    /// A folder beside one that was set is another one, however its name begins.
    #[test]
    fn a_slash_at_the_end_of_a_folder_changes_nothing_and_a_longer_name_is_another_folder() {
        let Place {
            shared, private, ..
        } = &place();
        let longer = PathBuf::from(format!("{} too", private.display()));
        fs::create_dir(&longer).unwrap();
        fs::write(longer.join("d.png"), "x").unwrap();
        let slash = PathBuf::from(format!("{}/", private.display()));
        let set = PermittedFolders::new(&[shared.join("gone"), slash], Reach::ThisNetwork);
        assert_eq!(code(set.permit(&private.join("c.png"))), "ok");
        assert_eq!(code(set.permit(&longer.join("d.png"))), "picture-folder");
    }

    #[test]
    fn a_link_out_of_a_folder_is_followed_before_it_is_judged() {
        let Place {
            shared, private, ..
        } = &place();
        symlink(private, shared.join("out")).unwrap();
        symlink(private.join("c.png"), shared.join("c.png")).unwrap();
        symlink(shared, private.join("in")).unwrap();
        let set = PermittedFolders::new(std::slice::from_ref(shared), Reach::ThisNetwork);
        for outside in [shared.join("out/c.png"), shared.join("c.png")] {
            assert_eq!(code(set.permit(&outside)), "picture-folder", "{outside:?}");
        }
        assert_eq!(
            set.permit(&private.join("in/b.png")).unwrap(),
            shared.canonicalize().unwrap().join("b.png")
        );
    }

    #[test]
    fn whether_a_file_exists_outside_is_not_told() {
        let Place {
            shared, private, ..
        } = &place();
        symlink(private, shared.join("out")).unwrap();
        let set = PermittedFolders::new(std::slice::from_ref(shared), Reach::ThisNetwork);
        for folder in [
            private.clone(),
            shared.join("../private"),
            shared.join("out"),
        ] {
            let there = set.permit(&folder.join("c.png")).unwrap_err();
            let missing = set.permit(&folder.join("missing.png")).unwrap_err();
            assert_eq!(there.code(), "picture-folder");
            assert_eq!(there.to_string(), missing.to_string());
        }
        assert_eq!(code(set.permit(&shared.join("missing.png"))), "not-found");
        assert_eq!(code(set.permit(&shared.join("b.png/x"))), "not-found");
    }

    #[test]
    fn without_a_folder_only_agents_on_this_computer_read_files() {
        let Place { private, .. } = &place();
        let file = private.join("c.png");
        let here = PermittedFolders::new(&[], Reach::ThisComputer);
        assert_eq!(code(here.permit(&file)), "ok");
        let network = PermittedFolders::new(&[], Reach::ThisNetwork);
        assert_eq!(code(network.permit(&file)), "picture-folder");
        assert_eq!(
            code(network.permit(&private.join("missing.png"))),
            "picture-folder"
        );
    }
}
