//! Tokens that the environment gives.

use super::{MAX_PRESENTED, TokenError};
use crate::secrets::Secret;

/// The variables that are looked at, as the servers before Regie called them.
const VARIABLES: [&str; 2] = ["MASCARADE_API_KEY", "PPCLOCK_MCP_TOKEN"];

/// Shorter ones are accepted, and warned of: whoever tries ten a second finds them.
const SHORT: usize = 16;

/// A token of the environment. Its secret is written nowhere.
#[derive(Clone, Debug)]
pub struct GivenToken {
    /// The environment variable it is in.
    pub variable: String,
    /// What agents present: visible ASCII.
    pub secret: Secret,
}

impl GivenToken {
    /// Those of `MASCARADE_API_KEY` and `PPCLOCK_MCP_TOKEN` that are set and not blank.
    pub fn of_environment() -> Vec<Self> {
        let given = VARIABLES.iter().filter_map(|variable| {
            // What is no text is refused further on, as what no agent can send.
            let text = std::env::var_os(variable)?.to_string_lossy().into_owned();
            Some(Self {
                variable: (*variable).to_owned(),
                secret: text.trim().to_owned().into(),
            })
        });
        given
            .filter(|given| !given.secret.expose().is_empty())
            .collect()
    }

    /// What is wrong with it, where something is.
    pub(crate) fn check(&self) -> Result<(), TokenError> {
        let text = self.secret.expose();
        let variable = self.variable.clone();
        if text.len() > MAX_PRESENTED || !text.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(TokenError::VariableUnusable { variable });
        }
        if text.len() < SHORT {
            return Err(TokenError::VariableShort { variable });
        }
        Ok(())
    }

    /// Whether an agent can present it at all.
    pub(crate) fn usable(&self) -> bool {
        !matches!(self.check(), Err(TokenError::VariableUnusable { .. }))
    }
}
