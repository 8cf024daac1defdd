//! Commands that a person teaches: tried once, then kept in the profile file.

use regie_clock::Request;
use regie_clock::dialect::{Profile, ProfileEntry};

use super::{Engine, lock};
use crate::composition::Lesson;
use crate::desk::{Learned, Plan, Submitted};
use crate::error::EngineError;
use crate::order::Order;
use crate::profile_file;
use crate::state::OperationKind;

impl Engine {
    /// Sends a command once, to see what the clock makes of it.
    ///
    /// # Errors
    /// [`EngineError::Clock`] for a name that is no face or switch, for what is no row of bytes,
    /// and for bytes that can harm a clock.
    pub async fn try_lesson(
        &self,
        order: impl Into<Order>,
        lesson: &Lesson,
    ) -> Result<Submitted, EngineError> {
        let entry = entry(lesson)?;
        let errand = self.errand(order.into()).await?;
        self.submit(
            errand,
            Plan {
                kind: OperationKind::Raw,
                detail: format!("{}: {} {}", lesson.name, lesson.channel, lesson.bytes),
                first: Request::Taught(entry).into(),
                then: None,
                learned: Learned::ShowsNoSlot,
            },
        )
        .await
    }

    /// Keeps a command in the profile file, whose other entries and comments stay, and uses it
    /// from now on.
    ///
    /// # Errors
    /// As [`Engine::try_lesson`], and [`EngineError::SettingsUnwritable`].
    pub async fn teach(&self, lesson: Lesson) -> Result<(), EngineError> {
        entry(&lesson)?;
        // One at a time, so that none is lost.
        let _turn = self.shared.saving.lock().await;
        let folder = self.shared.config.folders.settings.clone();
        let profile: Profile =
            tokio::task::spawn_blocking(move || profile_file::add(&folder, &lesson))
                .await
                .map_err(|_| EngineError::Closing)??;
        *lock(&self.shared.profile) = profile;
        self.current().session.set_dialects(self.dialects());
        let memory = lock(&self.shared.memory).clone();
        self.show_memory(&memory);
        Ok(())
    }
}

fn entry(lesson: &Lesson) -> Result<ProfileEntry, EngineError> {
    Ok(ProfileEntry::parse(
        &lesson.name,
        lesson.channel,
        &lesson.bytes,
        lesson.refresh,
    )?)
}
