//! What is shown of the room.

use std::collections::BTreeSet;

use tokio::time::Instant;

use super::found::{self, Entry, Key, Seen};
use super::place::{self, Role};
use super::{Device, MAX_FOUND, Registry, is_ignored, naming, wall};
use crate::address::Address;
use crate::names::DeviceId;
use crate::state::{DeviceState, FoundDevice, RoomState};

impl Registry {
    /// The room as it is.
    pub(super) fn view(&self, now: Instant) -> RoomState {
        let mut devices: Vec<DeviceState> = self.devices.values().map(Device::state).collect();
        // Those that stand in no room come last.
        devices.sort_by(|one, other| order(one).cmp(&order(other)));
        RoomState {
            devices,
            found: self.offered(now),
            search: self.search.clone(),
        }
    }

    /// The devices that were found and that nobody has set or ignored.
    fn offered(&self, now: Instant) -> Vec<FoundDevice> {
        let standings: Vec<_> = self.devices.values().map(Device::standing).collect();
        let mut offered: Vec<(String, &Key, &Entry)> = self
            .found
            .iter()
            .filter(|(key, entry)| match place::role(&standings, key, entry) {
                Role::New => !is_ignored(&self.ignored, key, entry),
                Role::Namesake { new_from } => {
                    now >= new_from && !is_ignored(&self.ignored, key, entry)
                }
                Role::Settled => false,
            })
            .map(|(key, entry)| (found::name(key), key, entry))
            .collect();
        offered.sort_by(|(one, one_key, _), (other, other_key, _)| {
            (one, one_key).cmp(&(other, other_key))
        });
        offered.truncate(MAX_FOUND);
        let mut taken: BTreeSet<DeviceId> = self.devices.keys().cloned().collect();
        offered
            .into_iter()
            .filter_map(|(name, key, entry)| {
                let suggested_id = naming::free_id(&name, |id| taken.contains(id))?;
                taken.insert(suggested_id.clone());
                let address = Address::of_ip(key.ip, Some(entry.best_port())).ok()?;
                Some(FoundDevice {
                    key: key.text(),
                    instance: Some(key.instance.clone()),
                    name,
                    room: entry.room.clone(),
                    version: entry.version.clone(),
                    address: address.to_string(),
                    suggested_id,
                    family: entry.seen.map(|seen| seen.family),
                    asks_for_token: entry.seen.is_some_and(|seen| seen.asks_for_token),
                    found_at: entry.found_at,
                })
            })
            .collect()
    }
}

fn order(device: &DeviceState) -> (bool, Option<&str>, &str, &DeviceId) {
    let room = device.room.as_deref();
    (room.is_none(), room, &device.name, &device.id)
}

/// What was seen at an address, as a device that was found there.
pub(super) fn found_at(address: &Address, seen: Seen, taken: &RoomState) -> Option<FoundDevice> {
    let host = address.host();
    let suggested_id = naming::free_id(&host, |id| {
        taken.devices.iter().any(|device| device.id == *id)
            || taken.found.iter().any(|found| found.suggested_id == *id)
    })?;
    let address = address.at(seen.port).to_string();
    Some(FoundDevice {
        key: address.clone(),
        instance: None,
        name: host,
        room: None,
        version: None,
        address,
        suggested_id,
        family: Some(seen.family),
        asks_for_token: seen.asks_for_token,
        found_at: wall(),
    })
}
