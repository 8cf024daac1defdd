//! What is done about tokens behind everybody's back: their secrets are read where that was asked
//! for, and their last use is written down now and then.

use std::time::Duration;

use super::{Engine, SecretsPlace};
use crate::error::EngineError;
use crate::fault::Fault;
use crate::secrets::{Secret, SecretsError};
use crate::state::SecretsState;
use crate::tokens::{Remembered, TokenError};

/// The key that tokens are remembered under, without their secrets.
pub(crate) const TOKENS_KEY: &str = "tokens";

/// How long after a use it is written: one write for a whole conversation, and no more than this
/// is lost when the process is killed.
const WRITE_USE: Duration = Duration::from_secs(30);

/// A name that nothing is kept under. Asking for it tells whether there is a keyring, and a locked
/// one has no reason to ask to be unlocked.
const NOTHING: &str = "nothing";

impl Engine {
    /// Begins to read the secrets of tokens, in the background, and to find out whether the keyring
    /// works; the state changes when that is known. The system may ask the person to unlock it.
    ///
    /// Doors call this where agents are let in or tokens are shown, and again where a person asks
    /// for another try. Until then no keyring is touched.
    pub fn open_secrets(&self) {
        self.tokens(|tokens| tokens.asked());
        self.shared.tokens_wanted.notify_one();
    }

    /// Follows what is wanted and used, until the engine stops.
    pub(super) fn keep_tokens(&self) {
        let engine = self.clone();
        self.shared.tasks.spawn(async move {
            let stopping = engine.shared.stopping.clone();
            let read = async {
                loop {
                    engine.shared.tokens_wanted.notified().await;
                    engine.read_secrets().await;
                    engine.shared.tokens_read.notify_waiters();
                }
            };
            tokio::select! {
                () = stopping.cancelled() => {}
                () = read => {}
            }
        });
        let engine = self.clone();
        self.shared.tasks.spawn(async move {
            let stopping = engine.shared.stopping.clone();
            loop {
                tokio::select! {
                    // A use just before the end is written too.
                    biased;
                    () = engine.shared.tokens_used.notified() => {}
                    () = stopping.cancelled() => return,
                }
                tokio::select! {
                    () = stopping.cancelled() => {}
                    () = tokio::time::sleep(WRITE_USE) => {}
                }
                engine.show_tokens();
                if let Err(error) = engine.write_tokens().await {
                    tracing::warn!(%error, "the last use of a token was not written");
                }
            }
        });
    }

    async fn read_secrets(&self) {
        let outcome = self.read_unread().await;
        match &outcome {
            // No fault, but how things are here: whoever has to do with secrets is told by the
            // state.
            Err(error @ (SecretsError::Missing { .. } | SecretsError::MemoryOnly)) => {
                tracing::debug!(code = error.code(), %error, "secrets are not kept");
            }
            Err(error) => tracing::warn!(code = error.code(), %error, "secrets cannot be read"),
            Ok(()) => {}
        }
        self.show_secrets(outcome.as_ref().err());
        if outcome.is_ok() {
            self.read_device_tokens_again();
            self.delete_leftover().await;
        }
    }

    async fn read_unread(&self) -> Result<(), SecretsError> {
        let unread = self.tokens(|tokens| tokens.unread());
        if unread.is_empty() {
            return self.shared.secrets.get(NOTHING).await.map(|_| ());
        }
        for credential in unread {
            let secret = self.shared.secrets.get(&credential).await?;
            self.take_over(&credential, secret.as_ref());
        }
        Ok(())
    }

    /// Takes over what was read under a credential.
    pub(super) fn take_over(&self, credential: &str, secret: Option<&Secret>) {
        let gone = self.tokens(|tokens| tokens.read(credential, secret));
        let Some(token) = gone else { return };
        let fault = Fault::from(EngineError::from(TokenError::SecretGone {
            name: token.name,
        }));
        self.shared.state.send_if_modified(|state| {
            let new = !state.warnings.contains(&fault);
            if new {
                state.warnings.push(fault);
            }
            new
        });
    }

    /// Shows how the place of secrets answered.
    pub(super) fn show_secrets(&self, fault: Option<&SecretsError>) {
        let place = &self.shared.config.secrets;
        let now = match (fault, place) {
            (None, place) => SecretsState::of_place(place),
            (Some(error @ (SecretsError::Missing { .. } | SecretsError::MemoryOnly)), _) => {
                SecretsState::Memory {
                    fault: EngineError::from(error.clone()).into(),
                }
            }
            (Some(error), _) => SecretsState::Unusable {
                fault: EngineError::from(error.clone()).into(),
            },
        };
        self.shared.state.send_if_modified(|state| {
            let changed = state.secrets != now;
            state.secrets = now;
            changed
        });
    }

    /// Writes down which tokens there are.
    pub(super) async fn write_tokens(&self) -> Result<(), EngineError> {
        // One at a time, and each what holds at that moment.
        let _turn = self.shared.token_writing.lock().await;
        let remembered: Remembered = self.tokens(|tokens| tokens.remembered());
        self.shared
            .store
            .run(move |store| store.remember(TOKENS_KEY, Some(&remembered)))
            .await
    }

    /// Deletes the secrets of tokens that are gone, as far as the keyring can be opened.
    pub(super) async fn delete_leftover(&self) {
        let leftover = self.tokens(|tokens| tokens.leftover());
        if leftover.is_empty() {
            return;
        }
        for credential in leftover {
            match self.shared.secrets.delete(&credential).await {
                Ok(()) => self.tokens(|tokens| tokens.deleted(&credential)),
                Err(error) => {
                    tracing::warn!(code = error.code(), %error, "a revoked secret is not deleted yet");
                    break;
                }
            }
        }
        if let Err(error) = self.write_tokens().await {
            tracing::warn!(%error, "it is not written that a secret was deleted");
        }
    }
}

impl SecretsState {
    /// Where secrets are kept as long as nothing else is known.
    pub(crate) fn of_place(place: &SecretsPlace) -> Self {
        match place {
            SecretsPlace::Keyring | SecretsPlace::Given(_) => Self::Keyring,
            SecretsPlace::File(path) => Self::File {
                path: path.display().to_string(),
            },
            SecretsPlace::Memory => Self::Memory {
                fault: EngineError::from(SecretsError::MemoryOnly).into(),
            },
        }
    }
}
