//! A folder below `target` for what takes time to get: it is kept, and made anew only when the list
//! that names it has changed.

use std::fs;
use std::path::{Path, PathBuf};

use crate::process::{Failure, command, run};
use crate::root;

/// Such a folder.
pub(crate) struct Kept {
    folder: PathBuf,
}

impl Kept {
    /// The folder of that name.
    pub(crate) fn named(name: &str) -> Result<Self, Failure> {
        let folder = root().join("target").join(name);
        fs::create_dir_all(&folder).map_err(failed(&folder))?;
        Ok(Self { folder })
    }

    /// The folder itself.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Something in it.
    pub(crate) fn at(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// Whether what is named was made from that source.
    pub(crate) fn has(&self, name: &str, source: &str) -> bool {
        fs::read_to_string(self.at(name)).is_ok_and(|kept| kept == source)
    }

    /// Notes from which source something was made.
    pub(crate) fn note(&self, name: &str, source: &str) -> Result<(), Failure> {
        let file = self.at(name);
        fs::write(&file, source).map_err(failed(&file))
    }

    /// Python packages, exactly those of a list, in a virtual environment `venv` of their own.
    /// `options` go to pip, and `what` they are is said where they cannot be had.
    pub(crate) fn python(&self, list: &Path, options: &[&str], what: &str) -> Result<(), Failure> {
        let wanted = fs::read_to_string(list).map_err(failed(list))?;
        let venv = self.at("venv");
        if self.has("venv.requirements", &wanted) && venv.join("bin/python").exists() {
            return Ok(());
        }
        let _gone_before = fs::remove_dir_all(&venv);
        run(command("python3").args(["-m", "venv"]).arg(&venv)).map_err(|_| {
            Failure::Missing(
                "Python 3 with its virtual environments is missing: \
                 sudo apt-get install python3-venv"
                    .into(),
            )
        })?;
        run(command(&venv.join("bin/pip").display().to_string())
            .args([
                "install",
                "--quiet",
                "--disable-pip-version-check",
                "--no-deps",
            ])
            .args(options)
            .arg("--requirement")
            .arg(list))
        .map_err(|_| {
            Failure::Missing(format!(
                "{what} could not be installed from PyPI: {}",
                list.display()
            ))
        })?;
        self.note("venv.requirements", &wanted)
    }
}

/// How a file that cannot be used is told.
pub(crate) fn failed(path: &Path) -> impl Fn(std::io::Error) -> Failure {
    let path = path.display().to_string();
    move |error| Failure::File(path.clone(), error)
}
