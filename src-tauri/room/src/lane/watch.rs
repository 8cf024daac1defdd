//! Looking at a device while nothing is asked of it.

use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};
use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use crate::dialect::Refusal;
use crate::names::DeviceId;
use crate::state::Condition;

use super::COMMAND_TIME;
use super::action::ask;
use super::device::{Device, Pass, Place};
use super::fault::Lost;
use super::recognise;

/// How long after a poll comes the next one, the longer the more of them had no answer.
const INTERVALS: [Duration; 5] = [
    Duration::from_secs(5),
    Duration::from_secs(5),
    Duration::from_secs(10),
    Duration::from_secs(20),
    Duration::from_secs(30),
];

/// By how much of itself an interval is longer or shorter, so that many devices do not fall
/// together: a tenth.
const SPREAD: u32 = 10;

/// After so many polls without an answer it is looked for at its other ports, too.
const DOUBT: u32 = 3;

/// When a device is looked at again, after the poll with this number.
pub(super) fn interval(id: &DeviceId, round: u64, silent: u32) -> Duration {
    let step = usize::try_from(silent).unwrap_or(usize::MAX);
    let interval = INTERVALS
        .get(step)
        .or(INTERVALS.last())
        .copied()
        .unwrap_or_default();
    let hash = BuildHasherDefault::<DefaultHasher>::default().hash_one((id, round));
    // 0 to 2000 thousandths of the spread.
    let part = u32::try_from(hash % 2_001).unwrap_or_default();
    let spread = interval / SPREAD;
    interval - spread + spread * part / 1_000
}

/// Looks at a device once and publishes a sample.
pub(super) async fn poll(device: Arc<Device>) {
    let Ok(_permit) = device.polls.acquire().await else {
        return;
    };
    let by = Instant::now() + COMMAND_TIME;
    let Some(place) = device.place() else {
        let found = recognise::anew(&device, Pass::By(by), true).await;
        if let Ok(place) = &found {
            look_closer(&device, place, by).await;
        }
        device.sample(found.is_ok());
        return;
    };
    let lost = match ask(&device, &place, &place.dialect.status(), by).await {
        Ok(reply) => {
            match device.note_status(&place, &reply, None) {
                Ok(_) => look_closer(&device, &place, by).await,
                // Something else may have taken its place.
                Err(Refusal::Nonsense { .. } | Refusal::Said { .. }) => device.doubt(),
                Err(_) => {}
            }
            device.sample(true);
            return;
        }
        // It was given no turn, which says nothing about the device.
        Err(None | Some(Lost::Late(_) | Lost::Conflict(_))) => return,
        Err(Some(lost)) => lost,
    };
    let condition = Condition::Unreachable {
        detail: lost.detail(),
    };
    device.note_silence(place.generation(), condition, true);
    if device.silent() >= DOUBT {
        device.doubt();
    }
    device.sample(false);
}

/// Reads the second page of its state, where it has one.
async fn look_closer(device: &Device, place: &Place, by: Instant) {
    if let Some(more) = place.dialect.more_status()
        && let Ok(reply) = ask(device, place, &more, by).await
    {
        device.note_more(place, reply);
    }
}
