//! A file of secrets, for a computer without a keyring. Only by consent: it has to be named.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::PathBuf;

use zeroize::{Zeroize as _, Zeroizing};

use super::{Secret, SecretStore, SecretsError};
use crate::settings::replace;

/// Some hundred secrets of the largest size; anything larger was not written by Regie.
const MAX_BYTES: u64 = 1024 * 1024;

/// Secrets by name in one JSON object, replaced as a whole.
#[derive(Clone, Debug)]
pub(crate) struct SecretsFile {
    path: PathBuf,
}

/// What the file holds; cleared when it goes.
#[derive(Default)]
struct Contents(BTreeMap<String, String>);

impl Drop for Contents {
    fn drop(&mut self) {
        self.0.values_mut().for_each(|text| text.zeroize());
    }
}

impl SecretsFile {
    pub(crate) fn new(path: PathBuf) -> Self {
        Self { path }
    }

    fn unusable(&self, detail: impl Into<String>) -> SecretsError {
        SecretsError::FileUnusable {
            path: self.path.clone(),
            detail: detail.into(),
        }
    }

    fn failed(&self, error: &io::Error) -> SecretsError {
        self.unusable(error.to_string())
    }

    fn read(&self) -> Result<Contents, SecretsError> {
        // Of the name itself, so that a link to elsewhere is seen.
        let named = match fs::symlink_metadata(&self.path) {
            Ok(named) => named,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Ok(Contents::default());
            }
            Err(error) => return Err(self.failed(&error)),
        };
        if !named.is_file() {
            return Err(self.unusable("it is no plain file"));
        }
        let file = File::open(&self.path).map_err(|error| self.failed(&error))?;
        let opened = file.metadata().map_err(|error| self.failed(&error))?;
        self.check_owner(&named, &opened)?;
        let mut text = Zeroizing::new(String::new());
        file.take(MAX_BYTES + 1)
            .read_to_string(&mut text)
            .map_err(|error| self.failed(&error))?;
        if text.len() as u64 > MAX_BYTES {
            return Err(self.unusable("it is too large"));
        }
        // As somebody makes it who wants it to have the right mode from the beginning.
        if text.trim().is_empty() {
            return Ok(Contents::default());
        }
        // The parser's own words may quote what they stand on.
        serde_json::from_str(&text)
            .map(Contents)
            .map_err(|error| self.unusable(format!("line {} is damaged", error.line())))
    }

    #[cfg(unix)]
    fn check_owner(&self, named: &fs::Metadata, opened: &fs::Metadata) -> Result<(), SecretsError> {
        use std::os::unix::fs::MetadataExt as _;

        if (named.dev(), named.ino()) != (opened.dev(), opened.ino()) {
            return Err(self.unusable("it was exchanged while it was opened"));
        }
        if opened.uid() != rustix::process::geteuid().as_raw() {
            return Err(self.unusable("it belongs to somebody else"));
        }
        if opened.mode() & 0o077 != 0 {
            return Err(SecretsError::FileOpen {
                path: self.path.clone(),
                mode: format!("{:04o}", opened.mode() & 0o7777),
            });
        }
        Ok(())
    }

    /// A file in a person's own folders is closed to others there already.
    #[cfg(not(unix))]
    fn check_owner(&self, _: &fs::Metadata, _: &fs::Metadata) -> Result<(), SecretsError> {
        Ok(())
    }

    fn write(&self, contents: &Contents) -> Result<(), SecretsError> {
        let text = serde_json::to_vec_pretty(&contents.0)
            .map(Zeroizing::new)
            .map_err(|error| self.unusable(error.to_string()))?;
        // Made with mode 0600, and in place only when it is whole.
        replace(&self.path, &text).map_err(|error| self.failed(&error))
    }
}

impl SecretStore for SecretsFile {
    fn get(&self, name: &str) -> Result<Option<Secret>, SecretsError> {
        Ok(self.read()?.0.remove(name).map(Secret::from))
    }

    fn set(&self, name: &str, secret: &Secret) -> Result<(), SecretsError> {
        let mut contents = self.read()?;
        contents
            .0
            .insert(name.to_owned(), secret.expose().to_owned());
        self.write(&contents)
    }

    fn delete(&self, name: &str) -> Result<(), SecretsError> {
        let mut contents = self.read()?;
        match contents.0.remove(name) {
            Some(mut gone) => {
                gone.zeroize();
                self.write(&contents)
            }
            None => Ok(()),
        }
    }
}
