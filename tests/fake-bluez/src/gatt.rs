//! The services of a clock as BlueZ shows them.

use regie_clock::Channel;
use regie_clock::dialect::GattTable;
use uuid::Uuid;

/// A service, by the handle that is part of its object's path.
#[derive(Debug, Clone)]
pub(crate) struct Service {
    pub(crate) handle: u16,
    pub(crate) uuid: Uuid,
    pub(crate) characteristic: Characteristic,
}

/// The one characteristic of a service that matters.
#[derive(Debug, Clone)]
pub(crate) struct Characteristic {
    pub(crate) handle: u16,
    pub(crate) uuid: Uuid,
    pub(crate) channel: Channel,
    pub(crate) flags: &'static [&'static str],
}

/// The services of a clock with these characteristics; without the command characteristic if it
/// is not `complete`.
pub(crate) fn services(gatt: &GattTable, complete: bool) -> Vec<Service> {
    let main = Service {
        handle: 0x000a,
        uuid: Uuid::from_u128(gatt.main_service),
        characteristic: Characteristic {
            handle: 0x000b,
            uuid: Uuid::from_u128(gatt.main_characteristic),
            channel: Channel::Main,
            flags: &["write", "notify"],
        },
    };
    let alt = Service {
        handle: 0x0010,
        uuid: Uuid::from_u128(gatt.alt_service),
        characteristic: Characteristic {
            handle: 0x0011,
            uuid: Uuid::from_u128(gatt.alt_characteristic),
            channel: Channel::Alt,
            flags: &["write"],
        },
    };
    if complete { vec![main, alt] } else { vec![main] }
}
