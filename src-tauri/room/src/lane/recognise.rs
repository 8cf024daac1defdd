//! Finding out where a device answers and what it speaks.

use std::sync::Arc;

use tokio::time::Instant;

use crate::dialect::{self, Family, recognise::recognise};
use crate::error::RoomError;
use crate::exchange::Target;
use crate::state::Condition;

use super::COMMAND_TIME;
use super::device::{Device, Guarded, Pass, Place};

/// Where the device is: as it is known, or as it is recognised now. The override waits for no
/// doubt to be cleared: it goes where the device was last.
///
/// # Errors
/// [`RoomError::Unreachable`], [`RoomError::Nonsense`].
pub(super) async fn place(device: &Arc<Device>, pass: Pass) -> Result<Place, RoomError> {
    let known = match pass {
        Pass::By(_) => device.place(),
        Pass::Now => device.last_place(),
    };
    match known {
        Some(place) => Ok(place),
        None => anew(device, pass, false).await,
    }
}

/// Recognises the device anew and notes what it says of itself. Where it is a poll that asks, a
/// failure counts as silence.
///
/// # Errors
/// [`RoomError::Unreachable`], [`RoomError::Nonsense`].
pub(super) async fn anew(device: &Arc<Device>, pass: Pass, poll: bool) -> Result<Place, RoomError> {
    let generation = device.generation();
    let unreachable = |detail: String| RoomError::Unreachable {
        device: device.id.clone(),
        detail,
    };
    let Some(address) = device.looked_for() else {
        return Err(unreachable("its address is not known yet".to_owned()));
    };
    let token = device.setting().token;
    let guarded = Guarded {
        device: Arc::clone(device),
        pass,
    };
    let asked = Instant::now();
    let found = recognise(&guarded, &address, token.as_ref(), COMMAND_TIME).await;
    let found = match found {
        Ok(found) => found,
        Err(nothing) => {
            let detail = nothing.detail.clone();
            let (condition, error) = if nothing.connected {
                (
                    Condition::Garbled { detail },
                    RoomError::Nonsense {
                        device: device.id.clone(),
                        detail: nothing.detail,
                    },
                )
            } else {
                (
                    Condition::Unreachable { detail },
                    unreachable(nothing.detail),
                )
            };
            device.note_silence(generation, condition, poll);
            return Err(error);
        }
    };
    let dialect = dialect::of(found.family);
    // Something that nobody knows is only shown a token where it asks for one.
    let shown = token.filter(|_| found.family != Family::Unknown || found.asks_for_token);
    let target = Target {
        address: address.at(found.port),
        port: found.port,
        authorization: shown.map(|token| dialect.authorization(&token)),
    };
    let place = device
        .found(generation, target, dialect)
        .ok_or_else(|| unreachable("its address has just been changed".to_owned()))?;
    device.note_answer(&place, asked);
    match &found.reply {
        // What it said is noted; that it refuses to be read is a condition, and no failure to find it.
        Some(reply) => drop(device.note_status(&place, reply, None)),
        None => device.note_done(&place, crate::guard::Load::READ),
    }
    Ok(place)
}
