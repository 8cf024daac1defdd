//! Where secrets are kept: the system's keyring, a file that only its owner may read, or memory.
//!
//! Each secret is a credential of its own, so that no number of them outgrows what a keyring takes
//! in one. The credential belongs to the service `regie` and is named after its data folder and
//! itself: another data folder has its own.

mod error;
mod file;
mod keyring;
mod secret;
#[cfg(test)]
mod tests;
mod worker;

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

pub use self::error::SecretsError;
pub(crate) use self::file::SecretsFile;
pub use self::keyring::Keyring;
pub use self::secret::Secret;
pub(crate) use self::worker::{Kept, Secrets};

/// The environment variable that names a file to keep secrets in.
pub const SECRETS_FILE_VARIABLE: &str = "REGIE_SECRETS_FILE";

/// What the narrowest keyring (Windows) takes in one credential, in bytes.
pub(crate) const MAX_SECRET_BYTES: usize = 2560;

/// Where an engine keeps secrets.
#[derive(Clone, Debug)]
pub enum SecretsPlace {
    /// In the system's keyring; in memory while there is none.
    Keyring,
    /// In this file, made with mode 0600 and refused with a wider one. One data folder a file.
    File(PathBuf),
    /// Nowhere: they are forgotten when the engine ends.
    Memory,
    /// In a keyring that is given.
    Given(Arc<dyn SecretStore>),
}

impl SecretsPlace {
    /// The file that `REGIE_SECRETS_FILE` names, else the keyring.
    pub fn of_environment() -> Self {
        match std::env::var_os(SECRETS_FILE_VARIABLE) {
            Some(path) if !path.is_empty() => Self::File(path.into()),
            _ => Self::Keyring,
        }
    }
}

/// A place that keeps secrets by name. Calls block, where a person is asked for as long as that
/// takes.
pub trait SecretStore: fmt::Debug + Send + Sync + 'static {
    /// The secret of that name; `None` where there is none.
    ///
    /// # Errors
    /// Why the place cannot be read.
    fn get(&self, name: &str) -> Result<Option<Secret>, SecretsError>;

    /// Keeps a secret under a name, in place of what was there.
    ///
    /// # Errors
    /// Why the place cannot be written.
    fn set(&self, name: &str, secret: &Secret) -> Result<(), SecretsError>;

    /// Forgets the secret of that name; it is no error that there is none.
    ///
    /// # Errors
    /// Why the place cannot be written.
    fn delete(&self, name: &str) -> Result<(), SecretsError>;
}
