//! Making, showing, changing and recognising the tokens that let agents in.

use std::time::Duration;

use tokio::time::timeout;

use super::{Engine, lock};
use crate::error::EngineError;
use crate::secrets::{Kept, Secret, SecretsError};
use crate::state::AccessToken;
use crate::tokens::{Before, Fresh, MadeToken, TokenBook, TokenError};

/// What the token is called that is made where there is none.
const FIRST_NAME: &str = "default";

/// How long the secrets of tokens are waited for before agents are let in: one that asked at once
/// would be refused. A keyring that asks nobody answers within this.
const READ_PATIENCE: Duration = Duration::from_secs(3);

impl Engine {
    /// Makes a token for an agent. Where there is no keyring it holds until the engine ends, which
    /// [`AppState::secrets`](crate::AppState::secrets) says.
    ///
    /// # Errors
    /// [`EngineError::Token`] for a name that cannot be used or one token too many,
    /// [`EngineError::Secrets`] while the keyring is locked or refuses, [`EngineError::Store`].
    pub async fn make_token(&self, name: &str) -> Result<MadeToken, EngineError> {
        let (engine, name) = (self.clone(), name.to_owned());
        self.to_its_end(async move {
            let _turn = engine.shared.token_turn.lock().await;
            engine.make_in_turn(&name).await
        })
        .await
    }

    /// Makes a token where there is none, so that an agent can be let in at all. Where there are
    /// some, their secrets are read when this returns, as far as that needs no person.
    ///
    /// # Errors
    /// Those of [`Engine::make_token`].
    pub async fn first_token(&self) -> Result<Option<MadeToken>, EngineError> {
        let read = self.shared.tokens_read.notified();
        tokio::pin!(read);
        // From here on, so that a reading that is quicker than this is not missed.
        read.as_mut().enable();
        self.open_secrets();
        if !self.tokens(|tokens| tokens.unread()).is_empty()
            && timeout(READ_PATIENCE, read).await.is_err()
        {
            tracing::debug!("the keyring takes its time; tokens are refused until it answers");
        }
        let engine = self.clone();
        self.to_its_end(async move {
            let _turn = engine.shared.token_turn.lock().await;
            if !engine.tokens(|tokens| tokens.is_empty()) {
                return Ok(None);
            }
            engine.make_in_turn(FIRST_NAME).await.map(Some)
        })
        .await
    }

    /// The secret of a token, to be shown to a person who asked for it.
    ///
    /// # Errors
    /// [`EngineError::Token`] for one that is not there or comes from the environment,
    /// [`EngineError::Secrets`] while the keyring is locked or refuses.
    pub async fn reveal_token(&self, id: &str) -> Result<Secret, EngineError> {
        let (token, credential) = self.tokens(|tokens| tokens.credential(id))?;
        let secret = self.shared.secrets.get(&credential).await;
        // One that memory held says nothing of the keyring.
        if secret.is_err() || self.tokens(|tokens| tokens.outlasts(&credential)) {
            self.show_secrets(secret.as_ref().err());
        }
        let secret = secret?;
        self.take_over(&credential, secret.as_ref());
        secret.ok_or_else(|| TokenError::SecretGone { name: token.name }.into())
    }

    /// Gives a token another secret. When this returns, the one before is refused.
    ///
    /// # Errors
    /// Those of [`Engine::reveal_token`], and [`EngineError::Store`]; the secret before then still
    /// holds.
    pub async fn replace_token(&self, id: &str) -> Result<MadeToken, EngineError> {
        let (engine, id) = (self.clone(), id.to_owned());
        self.to_its_end(async move {
            let _turn = engine.shared.token_turn.lock().await;
            engine.tokens(|tokens| tokens.credential(&id))?;
            let before = engine.tokens(|tokens| tokens.before(&id));
            let fresh = Fresh::make()?;
            let lasting = engine.keep_secret(&fresh).await?;
            engine
                .enter(fresh, before, |tokens, fresh| {
                    tokens.replace(&id, fresh, lasting)
                })
                .await
        })
        .await
    }

    /// Takes a token away. It is refused at once, even while the keyring is locked; its secret is
    /// deleted as soon as the keyring can be opened.
    ///
    /// # Errors
    /// [`EngineError::Token`] for one that is not there or comes from the environment,
    /// [`EngineError::Store`]: it is refused, but may come back with the next start.
    pub async fn revoke_token(&self, id: &str) -> Result<(), EngineError> {
        self.tokens(|tokens| tokens.revoke(id))?;
        self.show_tokens();
        let engine = self.clone();
        self.to_its_end(async move {
            let written = engine.write_tokens().await;
            engine.delete_leftover().await;
            written
        })
        .await
    }

    /// Calls a token something else.
    ///
    /// # Errors
    /// [`EngineError::Token`] for a name that cannot be used and for a token that is not there or
    /// comes from the environment, [`EngineError::Store`].
    pub async fn rename_token(&self, id: &str, name: &str) -> Result<(), EngineError> {
        let (engine, id, name) = (self.clone(), id.to_owned(), name.to_owned());
        self.to_its_end(async move {
            let _turn = engine.shared.token_turn.lock().await;
            engine.tokens(|tokens| tokens.rename(&id, &name))?;
            engine.show_tokens();
            engine.write_tokens().await
        })
        .await
    }

    /// The token that what an agent presents belongs to; `None` refuses it.
    ///
    /// Takes microseconds, the same for a right one and a wrong one, and waits for nothing. While
    /// secrets could not be read, all but those of the environment are refused, and reading them
    /// is tried again behind the caller's back.
    pub fn recognise(&self, presented: &str) -> Option<AccessToken> {
        let recognised = self.tokens(|tokens| tokens.recognise(presented));
        match recognised {
            Some(recognised) => {
                if recognised.show {
                    self.show_tokens();
                }
                if recognised.token.variable.is_none() {
                    self.shared.tokens_used.notify_one();
                }
                Some(recognised.token)
            }
            None => {
                if self.tokens(TokenBook::ask_for_unread) {
                    self.shared.tokens_wanted.notify_one();
                }
                None
            }
        }
    }

    /// Carries out `work` to its end even when nobody waits for it any more: a secret that was
    /// kept, but not entered, would stay for ever.
    pub(super) async fn to_its_end<T: Send + 'static>(
        &self,
        work: impl Future<Output = Result<T, EngineError>> + Send + 'static,
    ) -> Result<T, EngineError> {
        if self.shared.stopping.is_cancelled() {
            return Err(EngineError::Closing);
        }
        let task = self.shared.tasks.spawn(work);
        task.await.map_err(|_| EngineError::Closing)?
    }

    async fn make_in_turn(&self, name: &str) -> Result<MadeToken, EngineError> {
        self.tokens(|tokens| {
            tokens.check_name(name, None)?;
            tokens.check_room()
        })?;
        let fresh = Fresh::make()?;
        let lasting = self.keep_secret(&fresh).await?;
        self.enter(fresh, None, |tokens, fresh| {
            tokens.add(name, fresh, lasting)
        })
        .await
    }

    /// Keeps a secret; tells whether it outlasts the engine.
    async fn keep_secret(&self, fresh: &Fresh) -> Result<bool, SecretsError> {
        let kept = self
            .shared
            .secrets
            .set(&fresh.credential, &fresh.secret)
            .await;
        let fault = match &kept {
            Ok(Kept::Lasting) => None,
            Ok(Kept::Now(why)) => Some(why),
            Err(error) => Some(error),
        };
        self.show_secrets(fault);
        kept.map(|kept| kept == Kept::Lasting)
    }

    /// Enters a secret that is kept by now in place of the one before, and writes that down.
    async fn enter(
        &self,
        fresh: Fresh,
        before: Option<Before>,
        enter: impl FnOnce(&mut TokenBook, &Fresh) -> Result<AccessToken, TokenError>,
    ) -> Result<MadeToken, EngineError> {
        let secret = fresh.secret.clone();
        let entered = match self.tokens(|tokens| enter(tokens, &fresh)) {
            Ok(token) => self.write_tokens().await.map(|()| token),
            Err(error) => Err(error.into()),
        };
        if entered.is_err() {
            self.tokens(|tokens| tokens.take_back(fresh, before));
        }
        self.show_tokens();
        self.delete_leftover().await;
        entered.map(|token| MadeToken { token, secret })
    }

    pub(super) fn tokens<T>(&self, work: impl FnOnce(&mut TokenBook) -> T) -> T {
        work(&mut lock(&self.shared.tokens))
    }

    pub(super) fn show_tokens(&self) {
        // Under one lock, so that an older list cannot overtake a newer one.
        let tokens = lock(&self.shared.tokens);
        let listed = tokens.listed();
        self.shared.state.send_if_modified(|state| {
            let changed = state.tokens != listed;
            state.tokens = listed;
            changed
        });
    }
}
