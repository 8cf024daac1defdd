//! What tokens can fail at.

use thiserror::Error;

use super::{MAX_TOKEN_NAME, MAX_TOKENS};

/// Why a token cannot be made, changed or shown.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum TokenError {
    /// No token has that identifier.
    #[error("There is no such token any more.")]
    Unknown,
    /// Empty, too long, or with characters that cannot be seen.
    #[error("A token's name has 1 to {MAX_TOKEN_NAME} characters, all of them visible.")]
    NameUnusable,
    /// Another token is called so.
    #[error("Another token is called {name} already.")]
    NameTaken {
        /// The name.
        name: String,
    },
    /// There are as many as there can be.
    #[error("There are {MAX_TOKENS} tokens already, and there can be no more.")]
    TooMany,
    /// It comes from the environment.
    #[error(
        "This token comes from the environment variable {variable}, and Regie cannot change it."
    )]
    OfVariable {
        /// The variable.
        variable: String,
    },
    /// Its secret was deleted behind Regie's back.
    #[error("The secret of the token {name} is not where it was kept any more.")]
    SecretGone {
        /// The token's name.
        name: String,
    },
    /// A token of the environment that is easily guessed.
    #[error("The token in the environment variable {variable} is short enough to be guessed.")]
    VariableShort {
        /// The variable.
        variable: String,
    },
    /// A token of the environment that no agent can send.
    #[error(
        "The token in the environment variable {variable} has characters that no agent can send, or too many."
    )]
    VariableUnusable {
        /// The variable.
        variable: String,
    },
    /// The system gives no random bytes.
    #[error("The system gives no random numbers: {detail}.")]
    NoRandomness {
        /// What the system said.
        detail: String,
    },
}

impl TokenError {
    /// The stable name of this failure.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Unknown => "token-unknown",
            Self::NameUnusable => "token-name-unusable",
            Self::NameTaken { .. } => "token-name-taken",
            Self::TooMany => "token-too-many",
            Self::OfVariable { .. } => "token-of-variable",
            Self::SecretGone { .. } => "token-secret-gone",
            Self::VariableShort { .. } => "token-variable-short",
            Self::VariableUnusable { .. } => "token-variable-unusable",
            Self::NoRandomness { .. } => "no-randomness",
        }
    }

    /// What to do next.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Unknown => "Look at the list of tokens again.",
            Self::NameUnusable => "Name it after the agent that gets it.",
            Self::NameTaken { .. } => "Choose another name, or replace that token.",
            Self::TooMany => "Revoke one that is not used any more.",
            Self::OfVariable { .. } => {
                "Change or unset the variable where Regie is started, and start Regie again."
            }
            Self::SecretGone { .. } => {
                "Replace the token and give the agent the new one, or revoke it."
            }
            Self::VariableShort { .. } => "It is accepted, but use one of 16 characters or more.",
            Self::VariableUnusable { .. } => {
                "It is not accepted. Use letters, digits and signs of ASCII without spaces, 1024 at most."
            }
            Self::NoRandomness { .. } => "Start this computer again.",
        }
    }

    /// The values in the sentence, for a translated one.
    pub fn params(&self) -> Vec<(&'static str, String)> {
        match self {
            Self::NameUnusable => vec![("limit", MAX_TOKEN_NAME.to_string())],
            Self::TooMany => vec![("limit", MAX_TOKENS.to_string())],
            Self::NameTaken { name } | Self::SecretGone { name } => vec![("name", name.clone())],
            Self::OfVariable { variable }
            | Self::VariableShort { variable }
            | Self::VariableUnusable { variable } => vec![("variable", variable.clone())],
            Self::NoRandomness { detail } => vec![("detail", detail.clone())],
            Self::Unknown => Vec::new(),
        }
    }
}
