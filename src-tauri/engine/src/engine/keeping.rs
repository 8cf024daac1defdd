//! Settings, and what is written down.

use std::sync::Arc;
use std::time::Duration;

use super::Engine;
use crate::error::EngineError;
use crate::settings::Settings;
use crate::state::JournalEntry;

impl Engine {
    /// Takes over new settings and writes them.
    ///
    /// # Errors
    /// [`EngineError::SettingsUnwritable`]; the settings hold until the next start all the same.
    pub async fn save_settings(&self, settings: Settings) -> Result<(), EngineError> {
        // One at a time, so that the file ends up with what was said last.
        let _turn = self.shared.saving.lock().await;
        let before = self.devices();
        self.change(|state| {
            state.locale = settings.language.resolve(self.shared.config.system_locale);
            state.settings = settings.clone();
        });
        let session = self.current().session;
        session.set_idle_timeout(Duration::from_secs(settings.idle_seconds.into()));
        session.set_skip_unchanged(settings.skip_unchanged);
        let after = self.devices();
        if before != after {
            self.switch(after).await?;
        }
        let file = Arc::clone(&self.shared.settings_file);
        tokio::task::spawn_blocking(move || file.write(&settings))
            .await
            .map_err(|_| EngineError::Closing)?
    }

    /// The newest journal entries, newest first.
    ///
    /// # Errors
    /// [`EngineError::Store`].
    pub async fn journal(&self, limit: u32) -> Result<Vec<JournalEntry>, EngineError> {
        self.shared
            .store
            .run(move |store| store.journal(limit))
            .await
    }

    /// Whether the person was told before that closing the window hides it; from now on yes.
    pub async fn said_hidden_to_tray(&self) -> bool {
        const KEY: &str = "said.hidden-to-tray";
        self.shared
            .store
            .run(|store| {
                let said = store.recall::<bool>(KEY)?.unwrap_or(false);
                store.remember(KEY, Some(&true))?;
                Ok(said)
            })
            .await
            .unwrap_or_else(|error| {
                tracing::warn!(%error, "the database cannot be read");
                false
            })
    }
}
