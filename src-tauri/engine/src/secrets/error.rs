//! What keeping secrets can fail at.

use std::path::PathBuf;

use thiserror::Error;

use super::MAX_SECRET_BYTES;

/// Why secrets cannot be kept or read.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum SecretsError {
    /// No keyring is installed or running.
    #[error("This computer has no keyring that Regie could keep secrets in: {detail}.")]
    Missing {
        /// What the system said.
        detail: String,
    },
    /// The keyring is locked, and was not unlocked when the system asked for it.
    #[error("The keyring is locked.")]
    Locked,
    /// The system does not let Regie into the keyring.
    #[error("The system refuses Regie the keyring: {detail}.")]
    Denied {
        /// What the system said.
        detail: String,
    },
    /// The keyring does not answer, perhaps because it waits for a person.
    #[error("The keyring has not answered for {seconds} s; it may be asking to be unlocked.")]
    Silent {
        /// How long it was waited for.
        seconds: u64,
    },
    /// The keyring failed otherwise.
    #[error("The keyring failed: {detail}.")]
    Failed {
        /// What the system said.
        detail: String,
    },
    /// More than the narrowest keyring takes.
    #[error("A secret of {bytes} bytes is too long to keep: {MAX_SECRET_BYTES} is the limit.")]
    TooLarge {
        /// Its length.
        bytes: usize,
    },
    /// Others than its owner may use the secrets file.
    #[error("Others may use the secrets file {path}: its mode is {mode}.")]
    FileOpen {
        /// The file.
        path: PathBuf,
        /// Its mode, octal.
        mode: String,
    },
    /// The secrets file cannot be used.
    #[error("The secrets file {path} cannot be used: {detail}.")]
    FileUnusable {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        detail: String,
    },
    /// Secrets are kept nowhere because that was asked for.
    #[error("Secrets are kept until Regie ends and not longer, as was asked for.")]
    MemoryOnly,
}

impl SecretsError {
    /// The stable name of this failure.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Missing { .. } => "keyring-missing",
            Self::Locked => "keyring-locked",
            Self::Denied { .. } => "keyring-denied",
            Self::Silent { .. } => "keyring-silent",
            Self::Failed { .. } => "keyring-failed",
            Self::TooLarge { .. } => "secret-too-large",
            Self::FileOpen { .. } => "secrets-file-open",
            Self::FileUnusable { .. } => "secrets-file-unusable",
            Self::MemoryOnly => "secrets-memory-only",
        }
    }

    /// What to do next.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Missing { .. } => {
                "Install one (on Linux GNOME Keyring, KWallet or KeePassXC) and try again, or keep secrets in a file of your own, which is made where there is none: REGIE_SECRETS_FILE=FILE regie mcp token --new kitchen, and start Regie with the same REGIE_SECRETS_FILE."
            }
            Self::Locked => {
                "Unlock it, for instance by signing in with your password, and try again."
            }
            Self::Denied { .. } => "Allow Regie in the system's keyring settings, then try again.",
            Self::Silent { .. } => "Look for its question on the screen, answer it, and try again.",
            Self::Failed { .. } => {
                "Try again; if it stays, sign out of this computer and in again."
            }
            Self::TooLarge { .. } => "Use a shorter one.",
            Self::FileOpen { .. } => {
                "Make it readable for you alone (chmod 600), then try again. If others may have read it, replace the tokens."
            }
            Self::FileUnusable { .. } => {
                "Correct or remove it, or name another file in REGIE_SECRETS_FILE. Without it, the tokens in it are lost."
            }
            Self::MemoryOnly => "Start Regie with a place for secrets to keep them.",
        }
    }

    /// The values in the sentence, for a translated one.
    pub fn params(&self) -> Vec<(&'static str, String)> {
        match self {
            Self::Missing { detail } | Self::Denied { detail } | Self::Failed { detail } => {
                vec![("detail", detail.clone())]
            }
            Self::Silent { seconds } => vec![("seconds", seconds.to_string())],
            Self::TooLarge { bytes } => vec![
                ("bytes", bytes.to_string()),
                ("limit", MAX_SECRET_BYTES.to_string()),
            ],
            Self::FileOpen { path, mode } => {
                vec![("path", path.display().to_string()), ("mode", mode.clone())]
            }
            Self::FileUnusable { path, detail } => vec![
                ("path", path.display().to_string()),
                ("detail", detail.clone()),
            ],
            Self::Locked | Self::MemoryOnly => Vec::new(),
        }
    }
}
