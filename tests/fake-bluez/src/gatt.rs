//! The services of a clock as BlueZ shows them.

use regie_clock::Channel;
use regie_clock::dialect::{CharacteristicId, Discovered, Family};
use uuid::Uuid;

/// A service, by the handle that is part of its object's path.
#[derive(Debug, Clone)]
pub(crate) struct Service {
    pub(crate) handle: u16,
    pub(crate) uuid: Uuid,
    pub(crate) characteristics: Vec<Characteristic>,
}

/// A characteristic of it.
#[derive(Debug, Clone)]
pub(crate) struct Characteristic {
    pub(crate) handle: u16,
    pub(crate) uuid: Uuid,
    pub(crate) purpose: Purpose,
    pub(crate) flags: &'static [&'static str],
}

/// What a characteristic is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// It is written to.
    Write(Channel),
    /// It holds this version.
    Version(u8),
}

/// First handle of the first service; those of the generic services come before.
const FIRST_HANDLE: u16 = 0x000a;
/// Handles from one service to the next, and from one characteristic to the next.
const SERVICE_HANDLES: u16 = 0x0010;
const CHARACTERISTIC_HANDLES: u16 = 3;

/// The services of a clock; without the command characteristic (or the only one that is written
/// to) if the list is not `complete`.
pub(crate) fn services(found: Discovered, complete: bool) -> Vec<Service> {
    let gatt = found.family.gatt();
    let main_flags: &[&str] = match found.family {
        Family::Pingping => &["write", "notify"],
        Family::EpdNrf5 => &["write-without-response", "write", "notify"],
    };
    let main = (gatt.main, Purpose::Write(Channel::Main), main_flags);
    let alt = gatt
        .alt
        .map(|id| (id, Purpose::Write(Channel::Alt), &["write"][..]));
    let version = gatt
        .version
        .zip(found.version)
        .map(|(id, version)| (id, Purpose::Version(version), &["read"][..]));
    let last = alt.unwrap_or(main).0;
    let mut services: Vec<Service> = Vec::new();
    for (id, purpose, flags) in [Some(main), alt, version].into_iter().flatten() {
        if complete || id != last {
            add(&mut services, id, purpose, flags);
        }
    }
    services
}

fn add(
    services: &mut Vec<Service>,
    id: CharacteristicId,
    purpose: Purpose,
    flags: &'static [&'static str],
) {
    let uuid = Uuid::from_u128(id.service);
    let index = services.iter().position(|service| service.uuid == uuid);
    let index = index.unwrap_or_else(|| {
        let before = services.last().map(|service| service.handle);
        services.push(Service {
            handle: before.map_or(FIRST_HANDLE, |handle| handle + SERVICE_HANDLES),
            uuid,
            characteristics: Vec::new(),
        });
        services.len() - 1
    });
    if let Some(service) = services.get_mut(index) {
        let before = service.characteristics.last().map(|known| known.handle);
        service.characteristics.push(Characteristic {
            handle: before.map_or(service.handle + 1, |handle| handle + CHARACTERISTIC_HANDLES),
            uuid: Uuid::from_u128(id.characteristic),
            purpose,
            flags,
        });
    }
}
