//! What can be asked about the tokens by those who may open the door: they may read the keyring as
//! well.

use std::fmt;

use regie_engine::{AccessToken, Engine, EngineError, Fault, MadeToken, Secret, SecretsState};
use serde::{Deserialize, Serialize};

use super::LocalError;

/// Bytes of an answer's line: as many tokens as there may be, and one secret.
pub(super) const LONGEST_ANSWER: usize = 64 * 1024;

/// What is to be done with the tokens. They are called by their names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "kebab-case")]
pub enum TokenOrder {
    /// Nothing but to list them.
    List,
    /// Make one.
    Make {
        /// What it is to be called.
        name: String,
    },
    /// Show the secret of one.
    Show {
        /// Which.
        name: String,
    },
    /// Give one another secret; the one before is refused from then on.
    Replace {
        /// Which.
        name: String,
    },
    /// Take one away.
    Revoke {
        /// Which.
        name: String,
    },
}

/// What came of a [`TokenOrder`].
#[derive(Clone)]
pub struct TokenAnswer {
    /// The tokens there are now.
    pub tokens: Vec<AccessToken>,
    /// The secret that was made or asked for.
    pub secret: Option<Secret>,
    /// Where secrets are kept; `None` where the owner does not say.
    pub kept: Option<KeptIn>,
    /// Why secrets are forgotten when the process that owns the data folder ends; `None`: they are
    /// not, as far as is known.
    pub forgets: Option<Fault>,
}

/// Where the secrets of tokens are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum KeptIn {
    /// In the system's keyring.
    Keyring,
    /// In a file.
    File,
    /// Nowhere: they are forgotten when the process ends.
    Memory,
}

impl KeptIn {
    fn of(secrets: &SecretsState) -> Self {
        match secrets {
            SecretsState::Keyring => Self::Keyring,
            SecretsState::File { .. } => Self::File,
            SecretsState::Memory { .. } => Self::Memory,
            SecretsState::Unusable { fault } if fault.code.starts_with("secrets-file") => {
                Self::File
            }
            SecretsState::Unusable { .. } => Self::Keyring,
        }
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Keyring => "keyring",
            Self::File => "file",
            Self::Memory => "memory",
        }
    }
}

impl TokenOrder {
    /// Carries it out.
    ///
    /// # Errors
    /// What the engine says, and `token-unknown` for a name that no token has.
    pub async fn carry_out(self, engine: &Engine) -> Result<TokenAnswer, Fault> {
        let secret = match self {
            Self::List => None,
            Self::Make { name } => Some(made(engine.make_token(&name).await)?),
            Self::Show { name } => {
                let id = identifier(engine, &name)?;
                Some(engine.reveal_token(&id).await.map_err(fault)?)
            }
            Self::Replace { name } => {
                let id = identifier(engine, &name)?;
                Some(made(engine.replace_token(&id).await)?)
            }
            Self::Revoke { name } => {
                let id = identifier(engine, &name)?;
                engine.revoke_token(&id).await.map_err(fault)?;
                None
            }
        };
        let state = engine.state();
        let state = state.borrow();
        Ok(TokenAnswer {
            tokens: state.tokens.clone(),
            secret,
            kept: Some(KeptIn::of(&state.secrets)),
            forgets: match &state.secrets {
                SecretsState::Memory { fault } => Some(fault.clone()),
                _ => None,
            },
        })
    }
}

fn made(made: Result<MadeToken, EngineError>) -> Result<Secret, Fault> {
    made.map(|made| made.secret).map_err(fault)
}

#[allow(clippy::needless_pass_by_value, reason = "the form map_err asks for")]
fn fault(error: EngineError) -> Fault {
    Fault::from(&error)
}

fn identifier(engine: &Engine, name: &str) -> Result<String, Fault> {
    let name = name.trim();
    let state = engine.state();
    let found = state
        .borrow()
        .tokens
        .iter()
        .find(|token| token.name == name)
        .map(|token| token.id.clone());
    found.ok_or_else(|| Fault {
        code: "token-unknown".into(),
        agent_code: "INVALID_PARAM".into(),
        message: format!("There is no token called \"{name}\"."),
        hint: "regie mcp token lists those there are.".into(),
        params: [("name".to_owned(), name.to_owned())].into(),
    })
}

impl fmt::Debug for TokenAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TokenAnswer")
            .field("tokens", &self.tokens)
            .finish_non_exhaustive()
    }
}

/// The line that tells what came of an order.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Reply {
    Done {
        tokens: Vec<AccessToken>,
        secret: Option<String>,
        #[serde(default)]
        kept: Option<KeptIn>,
        forgets: Option<Fault>,
    },
    Failed(Fault),
}

/// Does what somebody asked at the door of `engine`.
pub(super) async fn answer(order: TokenOrder, engine: Option<&Engine>) -> Reply {
    let Some(engine) = engine else {
        return Reply::Failed(Fault {
            code: "tokens-elsewhere".into(),
            agent_code: "INTERNAL".into(),
            message: "The program that has this data folder knows of no tokens.".into(),
            hint: "End it first.".into(),
            params: Default::default(),
        });
    };
    match order.carry_out(engine).await {
        Ok(done) => Reply::Done {
            tokens: done.tokens,
            secret: done.secret.map(|secret| secret.expose().to_owned()),
            kept: done.kept,
            forgets: done.forgets,
        },
        Err(fault) => Reply::Failed(fault),
    }
}

impl Reply {
    pub(super) fn read(line: &[u8]) -> Result<TokenAnswer, LocalError> {
        match serde_json::from_slice(line) {
            Ok(Self::Done {
                tokens,
                secret,
                kept,
                forgets,
            }) => Ok(TokenAnswer {
                tokens,
                kept,
                secret: secret.map(Secret::from),
                forgets,
            }),
            Ok(Self::Failed(fault)) => Err(LocalError::Refused {
                code: fault.code,
                message: fault.message,
                hint: fault.hint,
            }),
            Err(_) => Err(LocalError::Refused {
                code: "not-regie".into(),
                message: "The program that has this data folder answers something else.".into(),
                hint: "Quit it, and use one version of Regie.".into(),
            }),
        }
    }
}
