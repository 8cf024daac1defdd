//! What is sent for a request, and what shows that it was done.

use std::time::Duration;

use tokio::time::Instant;

use crate::dialect::{Dialect, Evidence, Family, Lack, Script};
use crate::exchange::Reply;
use crate::guard::Load;
use crate::mesh;
use crate::request::{AudioAction, Request};
use crate::state::Reading;

use super::device::{Device, Pass, Place};
use super::fault::Lost;
use super::relay::Relay;
use super::remarks::has_restarted;

/// What a lane does for one request.
#[derive(Clone, Debug)]
pub(super) enum Action {
    /// Its own device does it.
    Own(Request),
    /// Its device passes it on.
    Relay(Relay),
}

impl Action {
    pub(super) fn request(&self) -> &Request {
        match self {
            Self::Own(request) => request,
            Self::Relay(relay) => &relay.request,
        }
    }

    /// The exchanges that do it, after what the device said last.
    ///
    /// # Errors
    /// The part that it cannot do.
    pub(super) fn script(
        &self,
        dialect: &dyn Dialect,
        last: Option<&Reading>,
    ) -> Result<Script, Lack> {
        match self {
            Self::Own(request) => dialect.script(request, last),
            Self::Relay(relay) => Ok(relay.script()),
        }
    }

    /// What the exchange costs the device that does it. A gateway itself moves nothing.
    pub(super) fn load(&self) -> Load {
        match self {
            Self::Own(request) => Load::of(request),
            Self::Relay(_) => Load::PREPARE,
        }
    }

    /// Whether it may be sent a second time without a look at the device.
    pub(super) fn is_repeatable(&self, family: Family) -> bool {
        let request = self.request();
        // Its player has one button, which ends what it began.
        let toggles = family == Family::StoryV2 && matches!(request, Request::Audio(_));
        request.is_idempotent() && !toggles
    }

    /// Whether a state has to be read shortly before, so that one read afterwards can tell whether
    /// it was done.
    pub(super) fn is_compared(&self, dialect: &dyn Dialect) -> bool {
        let Self::Own(request) = self else {
            return false;
        };
        let compared = match request {
            Request::Scenario(_) | Request::Puzzle(_) => true,
            Request::Audio(change) => {
                change.action != AudioAction::Stop || dialect.family() == Family::StoryV2
            }
            Request::Led(_) | Request::Camera(_) | Request::Status => false,
        };
        compared && dialect.shows(request)
    }

    /// Whether anything can show that it was done.
    pub(super) fn is_shown(&self, dialect: &dyn Dialect) -> bool {
        match self {
            Self::Own(request) => dialect.shows(request),
            Self::Relay(_) => true,
        }
    }

    /// Looks at the device for what has become of it.
    ///
    /// # Errors
    /// [`Lost`], or nothing that could be read.
    pub(super) async fn evidence(
        &self,
        device: &Device,
        place: &Place,
        before: Option<&Reading>,
        by: Instant,
    ) -> Result<Evidence, Option<Lost>> {
        match self {
            Self::Own(request) => {
                let after = read_state(device, place, by).await?;
                if before.is_some_and(|before| has_restarted(before, &after)) {
                    // It has forgotten what it did.
                    return Ok(Evidence::Silent);
                }
                Ok(place.dialect.evidence(request, before, &after))
            }
            Self::Relay(relay) => {
                let heard = ask(device, place, &mesh::watch(), by).await?;
                Ok(match mesh::acknowledged(&heard, &relay.msg_id) {
                    Some(true) => Evidence::Shown,
                    Some(false) => Evidence::NotShown,
                    None => Evidence::Silent,
                })
            }
        }
    }
}

/// Reads what a device says of itself, in time for `by`.
///
/// # Errors
/// [`Lost`], or nothing that could be read.
pub(super) async fn read_state(
    device: &Device,
    place: &Place,
    by: Instant,
) -> Result<Reading, Option<Lost>> {
    let reply = ask(device, place, &place.dialect.status(), by).await?;
    let tells_step = || {
        place
            .dialect
            .read(&reply)
            .is_ok_and(|read| read.step.is_some())
    };
    // The second page is only worth a request where it has what is looked at.
    let more = match place.dialect.more_status() {
        Some(more) if place.dialect.family() == Family::StoryV2 && !tells_step() => {
            ask(device, place, &more, by).await.ok()
        }
        _ => None,
    };
    device.note_status(place, &reply, more).map_err(|_| None)
}

/// One exchange that reads.
pub(super) async fn ask(
    device: &Device,
    place: &Place,
    exchange: &crate::exchange::Exchange,
    by: Instant,
) -> Result<Reply, Option<Lost>> {
    device.admit(Load::READ, Pass::By(by)).await?;
    let left: Duration = by.saturating_duration_since(Instant::now());
    Ok(device.exchange(place, Load::READ, exchange, left).await?)
}
