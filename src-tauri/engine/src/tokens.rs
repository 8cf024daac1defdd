//! The tokens that let agents in: which there are, and who shows one.
//!
//! Of a secret, only its digest is held here. Secrets themselves are where secrets are kept; names
//! and times are in `regie.db`.

mod error;
mod given;

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use subtle::{Choice, ConditionallySelectable as _, ConstantTimeEq as _};
use tokio::time::Instant;
use zeroize::Zeroizing;

pub use self::error::TokenError;
pub use self::given::GivenToken;
use crate::secrets::Secret;
use crate::state::AccessToken;

/// Tokens at a time: more than anybody has agents, and each is compared with at every call.
pub const MAX_TOKENS: usize = 32;

/// Characters of a token's name: a line of the list.
pub const MAX_TOKEN_NAME: usize = 64;

/// Bytes of what is presented that are looked at. Own secrets have 49; a key of the environment
/// must fit a header line.
pub(crate) const MAX_PRESENTED: usize = 1024;

/// A use is shown this often, so that a busy agent does not wake every door a thousand times a
/// second.
const SHOW_USE: Duration = Duration::from_secs(1);

/// How long after its secrets were last asked for an unknown token may ask for them again: a locked
/// keyring puts a question on the screen each time, and an agent that is refused tries again.
const ASK_AGAIN: Duration = Duration::from_secs(10 * 60);

/// How every secret begins, so that a person and a scanner know what it is.
const PREFIX: &str = "regie_";

/// Random bytes of a secret.
const SECRET_BYTES: usize = 32;

type Digest = [u8; 32];

/// A token that was just made, with its secret.
#[derive(Clone, Debug)]
pub struct MadeToken {
    /// The token.
    pub token: AccessToken,
    /// What the agent has to present.
    pub secret: Secret,
}

/// What `regie.db` holds of tokens.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Remembered {
    tokens: Vec<RememberedToken>,
    /// Credentials of tokens that are gone, still to be deleted.
    leftover: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct RememberedToken {
    #[serde(flatten)]
    token: AccessToken,
    credential: String,
}

/// One token.
#[derive(Clone, Debug)]
struct Held {
    token: AccessToken,
    source: Source,
    /// `None` while its secret was not read, or is gone.
    digest: Option<Digest>,
    shown: Option<Instant>,
}

/// Where a token's secret comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Source {
    /// An environment variable.
    Variable,
    /// The credential of that name.
    Credential { name: String, state: Credential },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Credential {
    /// Not looked at yet.
    Unread,
    /// There, and to be remembered.
    Lasting,
    /// There until the engine ends.
    Now,
    /// Not there any more.
    Gone,
}

/// A secret that was made, and under which name it is to be kept.
#[derive(Debug)]
pub(crate) struct Fresh {
    pub(crate) secret: Secret,
    pub(crate) credential: String,
    digest: Digest,
}

impl Fresh {
    /// A new secret from the system's randomness.
    pub(crate) fn make() -> Result<Self, TokenError> {
        let mut bytes = Zeroizing::new([0; SECRET_BYTES]);
        random(&mut *bytes)?;
        let mut text = String::with_capacity(64);
        text.push_str(PREFIX);
        URL_SAFE_NO_PAD.encode_string(*bytes, &mut text);
        let digest = Sha256::digest(text.as_bytes()).into();
        Ok(Self {
            secret: text.into(),
            credential: format!("token/{}", identifier()?),
            digest,
        })
    }
}

fn random(bytes: &mut [u8]) -> Result<(), TokenError> {
    getrandom::fill(bytes).map_err(|error| TokenError::NoRandomness {
        detail: error.to_string(),
    })
}

fn identifier() -> Result<String, TokenError> {
    let mut bytes = [0; 8];
    random(&mut bytes)?;
    Ok(format!("{:016x}", u64::from_le_bytes(bytes)))
}

/// A name for the credentials of one data folder.
pub(crate) fn new_scope() -> Result<String, TokenError> {
    identifier()
}

/// Whom a presented secret belongs to, and whether that use is to be shown.
#[derive(Debug)]
pub(crate) struct Recognised {
    pub(crate) token: AccessToken,
    pub(crate) show: bool,
}

/// The secret a token had before another was entered.
#[derive(Debug)]
pub(crate) struct Before {
    source: Source,
    digest: Option<Digest>,
}

/// All tokens; one lock guards it.
#[derive(Debug, Default)]
pub(crate) struct TokenBook {
    held: Vec<Held>,
    leftover: Vec<String>,
    /// When unread secrets were last asked for.
    asked: Option<Instant>,
}

impl TokenBook {
    /// The remembered tokens, their secrets unread, and those of the environment.
    pub(crate) fn new(remembered: Remembered, given: &[GivenToken], now: Timestamp) -> Self {
        let of_environment = given.iter().map(|given| Held {
            token: AccessToken {
                id: given.variable.to_lowercase(),
                name: given.variable.clone(),
                created: now.to_string(),
                last_used: None,
                variable: Some(given.variable.clone()),
            },
            source: Source::Variable,
            digest: Some(Sha256::digest(given.secret.expose().as_bytes()).into()),
            shown: None,
        });
        let kept = remembered.tokens.into_iter().map(|kept| Held {
            token: kept.token,
            source: Source::Credential {
                name: kept.credential,
                state: Credential::Unread,
            },
            digest: None,
            shown: None,
        });
        Self {
            held: kept.chain(of_environment).collect(),
            leftover: remembered.leftover,
            asked: None,
        }
    }

    /// What doors are shown, oldest first.
    pub(crate) fn listed(&self) -> Vec<AccessToken> {
        self.held.iter().map(|held| held.token.clone()).collect()
    }

    /// What is to be written down: nothing of the environment, and nothing that ends with the
    /// engine.
    pub(crate) fn remembered(&self) -> Remembered {
        let tokens = self.held.iter().filter_map(|held| match &held.source {
            Source::Credential { name, state } if *state != Credential::Now => {
                Some(RememberedToken {
                    token: held.token.clone(),
                    credential: name.clone(),
                })
            }
            _ => None,
        });
        Remembered {
            tokens: tokens.collect(),
            leftover: self.leftover.clone(),
        }
    }

    /// Whose secret this is. Takes the same time whichever it is, and whether it is one.
    pub(crate) fn recognise(&mut self, presented: &str) -> Option<Recognised> {
        // Its length is the sender's own doing and tells nothing.
        if presented.len() > MAX_PRESENTED {
            return None;
        }
        let digest: Digest = Sha256::digest(presented.as_bytes()).into();
        let mut found = u32::MAX;
        for (index, held) in (0_u32..).zip(&self.held) {
            let there = Choice::from(u8::from(held.digest.is_some()));
            let same = held.digest.unwrap_or_default().ct_eq(&digest);
            found.conditional_assign(&index, there & same);
        }
        let held = self.held.get_mut(usize::try_from(found).ok()?)?;
        held.token.last_used = Some(Timestamp::now().to_string());
        let now = Instant::now();
        let show = held
            .shown
            .is_none_or(|shown| now.duration_since(shown) >= SHOW_USE);
        if show {
            held.shown = Some(now);
        }
        Some(Recognised {
            token: held.token.clone(),
            show,
        })
    }

    /// Whether an unknown token is a reason to read secrets now: some were not read, and that was
    /// not tried just before.
    pub(crate) fn ask_for_unread(&mut self) -> bool {
        let now = Instant::now();
        let waited = self
            .asked
            .is_none_or(|asked| now.duration_since(asked) >= ASK_AGAIN);
        let ask = waited && !self.unread().is_empty();
        if ask {
            self.asked = Some(now);
        }
        ask
    }

    /// Notes that the secrets are being read.
    pub(crate) fn asked(&mut self) {
        self.asked = Some(Instant::now());
    }

    /// The credentials that were not read yet.
    pub(crate) fn unread(&self) -> Vec<String> {
        let unread = self.held.iter().filter_map(|held| match &held.source {
            Source::Credential {
                name,
                state: Credential::Unread,
            } => Some(name.clone()),
            _ => None,
        });
        unread.collect()
    }

    /// Takes over what was read under a credential; tells the token whose secret is gone.
    pub(crate) fn read(
        &mut self,
        credential: &str,
        secret: Option<&Secret>,
    ) -> Option<AccessToken> {
        let held = self.held.iter_mut().find(|held| held.is_of(credential))?;
        let Source::Credential { state, .. } = &mut held.source else {
            return None;
        };
        if *state == Credential::Now {
            return None;
        }
        held.digest = secret.map(|secret| Sha256::digest(secret.expose().as_bytes()).into());
        *state = match secret {
            Some(_) => Credential::Lasting,
            None => Credential::Gone,
        };
        secret.is_none().then(|| held.token.clone())
    }

    /// Checks a name for a token; `except` names the one that it is for.
    ///
    /// # Errors
    /// [`TokenError::NameUnusable`], [`TokenError::NameTaken`].
    pub(crate) fn check_name(
        &self,
        name: &str,
        except: Option<&str>,
    ) -> Result<String, TokenError> {
        let name = name.trim();
        let length = name.chars().count();
        if length == 0 || length > MAX_TOKEN_NAME || name.chars().any(char::is_control) {
            return Err(TokenError::NameUnusable);
        }
        let folded = name.to_lowercase();
        let taken = self
            .held
            .iter()
            .filter(|held| Some(held.token.id.as_str()) != except)
            .any(|held| held.token.name.to_lowercase() == folded);
        if taken {
            return Err(TokenError::NameTaken { name: name.into() });
        }
        Ok(name.to_owned())
    }

    /// Checks that there is room for one more.
    ///
    /// # Errors
    /// [`TokenError::TooMany`].
    pub(crate) fn check_room(&self) -> Result<(), TokenError> {
        if self.held.len() < MAX_TOKENS {
            Ok(())
        } else {
            Err(TokenError::TooMany)
        }
    }

    /// Whether agents have any way in.
    pub(crate) fn is_empty(&self) -> bool {
        self.held.is_empty()
    }

    /// Adds a token with a secret that is kept.
    pub(crate) fn add(
        &mut self,
        name: &str,
        fresh: &Fresh,
        lasting: bool,
    ) -> Result<AccessToken, TokenError> {
        let token = AccessToken {
            id: identifier()?,
            name: self.check_name(name, None)?,
            created: Timestamp::now().to_string(),
            last_used: None,
            variable: None,
        };
        self.check_room()?;
        self.held.push(Held {
            token: token.clone(),
            source: fresh.source(lasting),
            digest: Some(fresh.digest),
            shown: None,
        });
        Ok(token)
    }

    /// Gives a token another secret; from now on the one before is refused.
    pub(crate) fn replace(
        &mut self,
        id: &str,
        fresh: &Fresh,
        lasting: bool,
    ) -> Result<AccessToken, TokenError> {
        let held = self.own(id)?;
        let before = std::mem::replace(&mut held.source, fresh.source(lasting));
        held.digest = Some(fresh.digest);
        let token = held.token.clone();
        self.leave_over(before);
        Ok(token)
    }

    /// Takes a token away; from now on it is refused.
    pub(crate) fn revoke(&mut self, id: &str) -> Result<AccessToken, TokenError> {
        self.own(id)?;
        let at = self.held.iter().position(|held| held.token.id == id);
        let held = at.map(|at| self.held.remove(at));
        let held = held.ok_or(TokenError::Unknown)?;
        self.leave_over(held.source);
        Ok(held.token)
    }

    /// Calls a token something else.
    pub(crate) fn rename(&mut self, id: &str, name: &str) -> Result<(), TokenError> {
        self.own(id)?;
        let name = self.check_name(name, Some(id))?;
        self.own(id)?.token.name = name;
        Ok(())
    }

    /// The credential of a token's secret.
    pub(crate) fn credential(&self, id: &str) -> Result<(AccessToken, String), TokenError> {
        let held = self.held.iter().find(|held| held.token.id == id);
        let held = held.ok_or(TokenError::Unknown)?;
        match &held.source {
            Source::Credential { name, .. } => Ok((held.token.clone(), name.clone())),
            Source::Variable => Err(of_variable(&held.token)),
        }
    }

    /// Whether the secret under a credential is kept beyond the engine's end, as far as is known.
    pub(crate) fn outlasts(&self, credential: &str) -> bool {
        let held = self.held.iter().find(|held| held.is_of(credential));
        held.is_some_and(|held| {
            !matches!(
                held.source,
                Source::Credential {
                    state: Credential::Now,
                    ..
                }
            )
        })
    }

    /// The secret that a token has now, for [`TokenBook::take_back`].
    pub(crate) fn before(&self, id: &str) -> Option<Before> {
        let held = self.held.iter().find(|held| held.token.id == id)?;
        Some(Before {
            source: held.source.clone(),
            digest: held.digest,
        })
    }

    /// Takes back that a secret was entered, which could not be written: its token has the one
    /// before again, or is none.
    pub(crate) fn take_back(&mut self, fresh: Fresh, before: Option<Before>) {
        // It may have been revoked meanwhile, and stays so.
        if let Some(at) = self
            .held
            .iter()
            .position(|held| held.is_of(&fresh.credential))
        {
            match before {
                Some(before) => {
                    if let Source::Credential { name, .. } = &before.source {
                        self.leftover.retain(|left| left != name);
                    }
                    if let Some(held) = self.held.get_mut(at) {
                        (held.source, held.digest) = (before.source, before.digest);
                    }
                }
                None => {
                    self.held.remove(at);
                }
            }
        }
        self.leave_behind(fresh.credential);
    }

    /// Credentials to be deleted.
    pub(crate) fn leftover(&self) -> Vec<String> {
        self.leftover.clone()
    }

    /// Notes that a credential was deleted.
    pub(crate) fn deleted(&mut self, credential: &str) {
        self.leftover.retain(|left| left != credential);
    }

    /// Notes that a credential that nothing refers to is to be deleted.
    pub(crate) fn leave_behind(&mut self, credential: String) {
        self.leftover.push(credential);
    }

    fn leave_over(&mut self, source: Source) {
        if let Source::Credential { name, .. } = source {
            self.leave_behind(name);
        }
    }

    /// A token that can be changed here.
    fn own(&mut self, id: &str) -> Result<&mut Held, TokenError> {
        let held = self.held.iter_mut().find(|held| held.token.id == id);
        let held = held.ok_or(TokenError::Unknown)?;
        match held.source {
            Source::Variable => Err(of_variable(&held.token)),
            Source::Credential { .. } => Ok(held),
        }
    }
}

impl Held {
    fn is_of(&self, credential: &str) -> bool {
        matches!(&self.source, Source::Credential { name, .. } if name == credential)
    }
}

impl Fresh {
    fn source(&self, lasting: bool) -> Source {
        Source::Credential {
            name: self.credential.clone(),
            state: if lasting {
                Credential::Lasting
            } else {
                Credential::Now
            },
        }
    }
}

fn of_variable(token: &AccessToken) -> TokenError {
    TokenError::OfVariable {
        variable: token.name.clone(),
    }
}
