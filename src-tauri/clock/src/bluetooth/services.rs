//! Reading what a connected device offers.
//!
//! On Windows, success proves nothing here. btleplug 0.13.5 reads the list that Windows has stored,
//! answers "done" with an empty list when Windows could not read it, and keeps a service whose
//! characteristics could not be read as one that has none, for as long as the connection lives. So
//! what came is looked at, the device itself is asked past what is stored, and where that does not
//! help either, the error is one after which the session connects anew.

use std::collections::BTreeSet;
use std::time::Duration;

use btleplug::api::{CharPropFlags, Characteristic, Peripheral as _, Service};
use btleplug::platform::Peripheral;
use tokio::time::timeout;
use uuid::Uuid;

use super::adapter::in_time;
use super::{failure, native};
use crate::ClockError;
use crate::dialect::{CharacteristicId, Discovered, Family};
use crate::link::Address;

/// For reading the services.
pub(super) const DISCOVER: Duration = Duration::from_secs(10);

/// Where a clock is written to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Characteristics {
    pub(super) main: Characteristic,
    pub(super) alt: Option<Characteristic>,
}

/// What became of a question for the services.
enum Reading {
    Whole(Family, Characteristics),
    /// The device has answered, and is no clock.
    Lacks(&'static str),
    /// What came is not what the device has.
    Unread,
}

/// Reads the services, and subscribes to what the clock says.
pub(super) async fn discover(
    peripheral: &Peripheral,
    address: Address,
) -> Result<(Discovered, Characteristics), ClockError> {
    let mut reading = read(peripheral, &address).await;
    if native::SERVICES_ARE_STORED && !matches!(reading, Ok(Reading::Whole(..))) {
        tracing::debug!("asking the device itself for its services");
        match in_time("its services", native::read_anew(peripheral.address())).await {
            Ok(()) => reading = read(peripheral, &address).await,
            Err(error) => tracing::debug!(%error, "it did not give them"),
        }
    }
    let (family, found) = match reading? {
        Reading::Whole(family, found) => (family, found),
        Reading::Lacks(missing) => {
            let missing = missing.to_owned();
            return Err(ClockError::CharacteristicsMissing { address, missing });
        }
        Reading::Unread => return Err(ClockError::ServicesUnread { address }),
    };
    if found.main.properties.contains(CharPropFlags::NOTIFY) {
        // Notifications are optional, so a clock that refuses them is still of use.
        if let Err(error) = in_time("notifications", peripheral.subscribe(&found.main)).await {
            tracing::warn!(%error, "no notifications from this clock");
        }
    }
    let version = match family
        .gatt()
        .version
        .and_then(|id| find(&peripheral.services(), id))
    {
        // Old firmwares have none, so that one which cannot be read is none either.
        Some(characteristic) => in_time("the version", peripheral.read(&characteristic))
            .await
            .ok()
            .and_then(|value| value.first().copied()),
        None => None,
    };
    Ok((Discovered { family, version }, found))
}

async fn read(peripheral: &Peripheral, address: &Address) -> Result<Reading, ClockError> {
    match timeout(DISCOVER, peripheral.discover_services()).await {
        Ok(Ok(())) => Ok(look(&peripheral.services())),
        Ok(Err(error)) => Err(failure::general(&error)),
        Err(_) => Err(ClockError::DiscoveryTimeout {
            address: address.clone(),
            seconds: DISCOVER.as_secs(),
        }),
    }
}

/// What a list of services is.
fn look(services: &BTreeSet<Service>) -> Reading {
    let whole = Family::ALL.into_iter().find_map(|family| {
        let gatt = family.gatt();
        let main = find(services, gatt.main)?;
        let alt = match gatt.alt {
            Some(id) => Some(find(services, id)?),
            None => None,
        };
        Some(Reading::Whole(family, Characteristics { main, alt }))
    });
    whole.unwrap_or_else(|| {
        if is_unread(services) {
            Reading::Unread
        } else {
            Reading::Lacks(missing(|id| find(services, id).is_some()))
        }
    })
}

/// No device has no services, and no service of a clock is empty.
fn is_unread(services: &BTreeSet<Service>) -> bool {
    let of_a_clock = |service: &Service| {
        Family::ALL
            .into_iter()
            .flat_map(|family| family.gatt().services())
            .any(|uuid| service.uuid == Uuid::from_u128(uuid))
    };
    services.is_empty()
        || services
            .iter()
            .any(|service| service.characteristics.is_empty() && of_a_clock(service))
}

fn find(services: &BTreeSet<Service>, id: CharacteristicId) -> Option<Characteristic> {
    services
        .iter()
        .filter(|service| service.uuid == Uuid::from_u128(id.service))
        .flat_map(|service| &service.characteristics)
        .find(|found| found.uuid == Uuid::from_u128(id.characteristic))
        .cloned()
}

/// What is missing of a clock that has the characteristics of no family whole.
fn missing(has: impl Fn(CharacteristicId) -> bool) -> &'static str {
    let tables = Family::ALL.map(Family::gatt);
    if tables.iter().any(|gatt| has(gatt.main)) {
        "command characteristic"
    } else if tables.iter().filter_map(|gatt| gatt.alt).any(&has) {
        "picture characteristic"
    } else {
        "picture and command characteristics"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn service(uuid: u128, characteristics: &[u128]) -> Service {
        let service_uuid = Uuid::from_u128(uuid);
        Service {
            uuid: service_uuid,
            primary: true,
            characteristics: characteristics
                .iter()
                .map(|&uuid| Characteristic {
                    uuid: Uuid::from_u128(uuid),
                    service_uuid,
                    properties: CharPropFlags::WRITE,
                    descriptors: BTreeSet::new(),
                })
                .collect(),
        }
    }

    /// A list as a clock of this family gives it, each service with its characteristics or, as
    /// Windows does, without.
    fn list(family: Family, main: bool, alt: bool) -> BTreeSet<Service> {
        let of = |id: CharacteristicId, read: bool| {
            let characteristics = [id.characteristic];
            service(id.service, if read { &characteristics } else { &[] })
        };
        let gatt = family.gatt();
        std::iter::once(of(gatt.main, main))
            .chain(gatt.alt.map(|id| of(id, alt)))
            .collect()
    }

    #[test]
    fn a_whole_list_says_whose_it_is() {
        for family in Family::ALL {
            let Reading::Whole(found, characteristics) = look(&list(family, true, true)) else {
                panic!("{family:?} is not whole");
            };
            assert_eq!(found, family);
            assert_eq!(
                characteristics.main.uuid,
                Uuid::from_u128(family.gatt().main.characteristic)
            );
        }
    }

    #[test]
    fn ble_11_success_without_services_or_with_empty_ones_counts_as_not_read() {
        assert!(matches!(look(&BTreeSet::new()), Reading::Unread));
        for (main, alt) in [(false, true), (true, false), (false, false)] {
            let list = list(Family::Pingping, main, alt);
            assert!(matches!(look(&list), Reading::Unread), "{main} {alt}");
        }
    }

    #[test]
    fn a_device_that_has_answered_and_is_no_clock_is_not_asked_for_ever() {
        let battery = service(0x0000_180F_0000_1000_8000_0080_5F9B_34FB, &[1]);
        let empty = service(2, &[]);
        let list: BTreeSet<_> = [battery, empty].into();
        assert!(matches!(
            look(&list),
            Reading::Lacks("picture and command characteristics")
        ));
        let gatt = Family::Pingping.gatt();
        let half: BTreeSet<_> = [service(gatt.main.service, &[gatt.main.characteristic])].into();
        assert!(matches!(
            look(&half),
            Reading::Lacks("command characteristic")
        ));
    }
}
