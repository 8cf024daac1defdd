//! The devices that were set: each with its lane.

use std::collections::{BTreeMap, BTreeSet};

use tokio::task::AbortHandle;
use tokio::time::Instant;

use super::MAX_DEVICES;
use super::place::Standing;
use crate::address::Address;
use crate::entry::{DeviceEntry, Origin};
use crate::error::RoomError;
use crate::lane::{Lane, LaneState, Setting};
use crate::names::DeviceId;
use crate::state::{Condition, DeviceState, TokenState};
use crate::token::Token;

/// A device that was set.
#[derive(Debug)]
pub(super) struct Device {
    /// As it was set.
    pub(super) entry: DeviceEntry,
    /// What it is shown to let a request in.
    pub(super) token: Option<Token>,
    /// Where it is asked: where it was set to be, or was followed to since.
    pub(super) address: Option<Address>,
    /// Its lane.
    pub(super) lane: Lane,
    /// What the lane last said.
    pub(super) said: LaneState,
    /// Since when it does not answer.
    pub(super) silent_since: Option<Instant>,
    /// How the lane was set last.
    pub(super) set: Setting,
    /// The task that tells of changes.
    pub(super) telling: AbortHandle,
}

impl Drop for Device {
    fn drop(&mut self) {
        self.telling.abort();
    }
}

impl Device {
    /// Sets the lane anew, if that changes anything.
    pub(super) fn apply(&mut self, via: Option<Lane>) {
        let setting = Setting {
            address: self.address.clone(),
            token: self.token.clone(),
            volume_limit: self.entry.volume_limit,
            via,
        };
        if setting != self.set {
            self.lane.set(setting.clone());
            self.set = setting;
        }
    }

    /// Takes in what the lane says now.
    pub(super) fn listen(&mut self, now: Instant) {
        self.said = self.lane.state().borrow().clone();
        let silent = matches!(
            self.said.condition,
            Condition::Unreachable { .. } | Condition::Garbled { .. }
        );
        self.silent_since = silent.then(|| self.silent_since.unwrap_or(now));
    }

    /// Where it stands. A relayed device is nowhere on this network.
    pub(super) fn standing(&self) -> Standing<'_> {
        let direct = self.entry.via.is_none();
        Standing {
            id: &self.entry.id,
            found_as: self.entry.found_as.as_ref().filter(|_| direct),
            address: self.address.as_ref().filter(|_| direct),
            family: self.said.family,
            silent_since: self.silent_since,
        }
    }

    /// What is shown of it.
    pub(super) fn state(&self) -> DeviceState {
        let said = &self.said;
        let asked = said.address.as_ref().or(self.address.as_ref());
        DeviceState {
            id: self.entry.id.clone(),
            name: self.entry.name.clone(),
            room: self.entry.room.clone(),
            origin: self.entry.origin,
            address: asked.map(ToString::to_string),
            via: self.entry.via.clone(),
            volume_limit: self.entry.volume_limit,
            family: said.family,
            abilities: said.abilities.clone(),
            token: match (&self.token, self.entry.origin) {
                (None, _) => TokenState::None,
                (Some(_), Origin::Environment) => TokenState::Given,
                (Some(_), Origin::Settings | Origin::Simulated) => TokenState::Kept,
            },
            condition: said.condition.clone(),
            remarks: said.remarks.clone(),
            answered_at: said.answered_at,
            round_trip_ms: said.round_trip_ms,
            reading: said.reading.clone(),
            busy: said.busy,
        }
    }
}

/// Whether these can all be devices of one room.
///
/// # Errors
/// [`RoomError::TooManyDevices`], [`RoomError::IdTaken`], [`RoomError::GatewayInvalid`].
pub(super) fn check(entries: &[DeviceEntry]) -> Result<(), RoomError> {
    if entries.len() > MAX_DEVICES {
        return Err(RoomError::TooManyDevices { limit: MAX_DEVICES });
    }
    let mut ids = BTreeSet::new();
    if let Some(twice) = entries.iter().find(|entry| !ids.insert(&entry.id)) {
        return Err(RoomError::IdTaken {
            id: twice.id.clone(),
        });
    }
    // A gateway that is relayed to itself, as any in a circle is, relays to nobody.
    let direct: BTreeMap<&DeviceId, bool> = entries
        .iter()
        .map(|entry| (&entry.id, entry.via.is_none()))
        .collect();
    let lost = entries
        .iter()
        .filter_map(|entry| entry.via.as_ref())
        .find(|gateway| direct.get(gateway) != Some(&true));
    match lost {
        Some(gateway) => Err(RoomError::GatewayInvalid {
            gateway: gateway.clone(),
        }),
        None => Ok(()),
    }
}

/// Those of the devices that a room can be started with, in their order.
pub(super) fn acceptable(entries: Vec<DeviceEntry>) -> Vec<DeviceEntry> {
    let mut taken: Vec<DeviceEntry> = Vec::new();
    let (direct, relayed): (Vec<_>, Vec<_>) =
        entries.into_iter().partition(|entry| entry.via.is_none());
    for entry in direct.into_iter().chain(relayed) {
        let id = entry.id.clone();
        taken.push(entry);
        if let Err(error) = check(&taken) {
            tracing::warn!(%id, %error, "a device is left out");
            taken.pop();
        }
    }
    taken
}
