//! What is known of a clock, without asking it.

use regie_clock::{LinkState, Session};
use serde::Serialize;

use super::Engine;
use crate::convert;
use crate::error::EngineError;
use crate::state::{LinkView, TimeSet};

/// What is known of a clock. Nothing is sent and no link is made to learn it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ClockStatus {
    /// There is a link to this clock.
    pub connected: bool,
    /// Its address; `None` before a first clock was heard.
    pub mac: Option<String>,
    /// The name it advertises; `None` before that was heard.
    pub name: Option<String>,
    /// An identifier that the clock gives of itself. Always `None`: none of the families answers
    /// such a question, nor do their advertisements carry more than name and address.
    pub device_id: Option<String>,
    /// Seconds for which the link has been unused; `None` without a link or while it is used.
    pub idle_seconds: Option<u32>,
    /// It is simulated, not a device.
    pub simulated: bool,
    /// The slot that it is known to show, 0..=3.
    pub shown_slot: Option<u8>,
    /// When and to which zone it was last set.
    pub time_set: Option<TimeSet>,
    /// The state of the link to this clock.
    pub link: LinkView,
}

impl Engine {
    /// What is known of the clock with that address; `None`: of the chosen one.
    ///
    /// # Errors
    /// [`EngineError::Clock`] for what is no address, [`EngineError::Store`].
    pub async fn clock_status(&self, clock: Option<&str>) -> Result<ClockStatus, EngineError> {
        let memory = self.memory_of(clock).await?;
        let session = self.current().session;
        let link = session.state().borrow().clone();
        let mac = memory.chosen.as_ref().map(|clock| clock.address.clone());
        let link = if is_about(&link, mac.as_deref()) {
            convert::link(&link)
        } else {
            LinkView::Asleep
        };
        let connected = matches!(
            link,
            LinkView::Connected | LinkView::Sending | LinkView::Refreshing { .. }
        );
        let state = self.shared.state.borrow();
        Ok(ClockStatus {
            connected,
            mac,
            device_id: None,
            idle_seconds: idle_seconds(&session).filter(|_| connected),
            simulated: memory
                .chosen
                .as_ref()
                .map_or(state.simulated, |clock| clock.simulated),
            shown_slot: memory.shown_slot(&state.slots),
            name: memory
                .chosen
                .filter(|clock| clock.name != clock.address)
                .map(|clock| clock.name),
            time_set: memory.time_set,
            link,
        })
    }
}

/// Whether the state of a link says something about the clock with that address. Which clock is
/// being listened for, or what keeps Bluetooth from working, is said of each.
fn is_about(link: &LinkState, address: Option<&str>) -> bool {
    match link {
        LinkState::Connecting { clock, .. }
        | LinkState::Discovering { clock }
        | LinkState::Connected { clock, .. }
        | LinkState::Sending { clock, .. }
        | LinkState::Refreshing { clock, .. } => address == Some(clock.address.as_str()),
        LinkState::Unavailable { .. }
        | LinkState::Asleep
        | LinkState::Listening { .. }
        | LinkState::Closed => true,
    }
}

fn idle_seconds(session: &Session) -> Option<u32> {
    let idle = session.idle_for()?;
    Some(u32::try_from(idle.as_secs()).unwrap_or(u32::MAX))
}
