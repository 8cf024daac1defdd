//! Settings, and what is written down.

use std::sync::Arc;
use std::time::Duration;

use super::Engine;
use crate::calls::JournalledCall;
use crate::error::EngineError;
use crate::order::Caller;
use crate::settings::Settings;
use crate::state::JournalEntry;

impl Engine {
    /// Takes over new settings and writes them.
    /// Which devices there are, and which are ignored, stays as it is whatever these say: that has
    /// methods of its own, and settings that a window has held for a while must not undo them.
    ///
    /// # Errors
    /// [`EngineError::SettingsUnwritable`]; the settings hold until the next start all the same.
    pub async fn save_settings(&self, mut settings: Settings) -> Result<(), EngineError> {
        // One at a time, so that the file ends up with what was said last.
        let turn = self.shared.saving.lock().await;
        let before = self.devices();
        let room_before = self.shared.state.borrow().settings.room.clone();
        settings.room.devices.clone_from(&room_before.devices);
        settings.room.ignored.clone_from(&room_before.ignored);
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
        let written = self.write_settings(settings).await;
        drop(turn);
        if before != after || room_before.search != self.searches() {
            self.reopen_room().await;
        }
        written
    }

    /// Writes settings; only while it is one's turn.
    pub(super) async fn write_settings(&self, settings: Settings) -> Result<(), EngineError> {
        let file = Arc::clone(&self.shared.settings_file);
        tokio::task::spawn_blocking(move || file.write(&settings))
            .await
            .map_err(|_| EngineError::Closing)?
    }

    /// Keeps an unused link for that long from now on, whatever the settings say, until they are
    /// saved; zero lets go after each operation.
    pub fn keep_link_for(&self, idle: Duration) {
        self.current().session.set_idle_timeout(idle);
    }

    /// Writes an agent's call into the journal, soon: nobody waits for it. When calls come faster
    /// than they can be written for long, some are left out, which the log says.
    pub fn journal_call(&self, caller: &Caller, call: JournalledCall) {
        self.shared.calls.take(caller, call);
    }

    /// The newest journal entries, newest first: operations up to this number and agents' calls
    /// up to this number, so that many calls hide no operation.
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
