//! Rooms of simulated devices, and what of them is found by mDNS.

mod room_common;

use std::collections::HashSet;
use std::net::SocketAddr;
use std::time::Duration;

use mdns_sd::{IfKind, Receiver, ServiceDaemon, ServiceEvent};
use regie_sim::room::{Announcement, Announcer, DeviceConfig, SimulatedDevice, SimulatedRoom};
use room_common::get;
use tokio::time::timeout;

type Tested = Result<(), Box<dyn std::error::Error>>;

const SERVICE: &str = "_zacus._tcp.local.";
/// How long it may take until something that happened is seen.
const SEEN_WITHIN: Duration = Duration::from_secs(3);

struct Watch {
    daemon: ServiceDaemon,
    events: Receiver<ServiceEvent>,
}

impl Drop for Watch {
    fn drop(&mut self) {
        let _ = self.daemon.shutdown();
    }
}

/// What was found under a name.
#[derive(Debug, PartialEq, Eq)]
struct Seen {
    addresses: HashSet<String>,
    port: u16,
    room: Option<String>,
    version: Option<String>,
}

impl Watch {
    /// Returns when it listens: what is announced before that is seen a second later.
    async fn start() -> Result<Self, Box<dyn std::error::Error>> {
        let daemon = ServiceDaemon::new()?;
        daemon.disable_interface(IfKind::All)?;
        daemon.enable_interface(IfKind::LoopbackV4)?;
        let events = daemon.browse(SERVICE)?;
        let started = async {
            loop {
                if let ServiceEvent::SearchStarted(_) = events.recv_async().await? {
                    return Ok::<_, Box<dyn std::error::Error>>(());
                }
            }
        };
        timeout(SEEN_WITHIN, started).await??;
        Ok(Self { daemon, events })
    }

    async fn found(&self, name: &str) -> Result<Seen, Box<dyn std::error::Error>> {
        let full = format!("{name}.{SERVICE}");
        let wait = async {
            loop {
                if let ServiceEvent::ServiceResolved(service) = self.events.recv_async().await?
                    && service.get_fullname() == full
                {
                    let text = |key: &str| service.get_property_val_str(key).map(str::to_owned);
                    return Ok(Seen {
                        addresses: service
                            .get_addresses_v4()
                            .iter()
                            .map(ToString::to_string)
                            .collect(),
                        port: service.get_port(),
                        room: text("room"),
                        version: text("version"),
                    });
                }
            }
        };
        timeout(SEEN_WITHIN, wait).await?
    }

    async fn gone(&self, name: &str) -> Tested {
        let full = format!("{name}.{SERVICE}");
        let wait = async {
            loop {
                if let ServiceEvent::ServiceRemoved(_, removed) = self.events.recv_async().await?
                    && removed == full
                {
                    return Ok(());
                }
            }
        };
        timeout(SEEN_WITHIN, wait).await?
    }
}

fn at(address: SocketAddr) -> HashSet<String> {
    HashSet::from([address.ip().to_string()])
}

/// A name that no other test, nor another run of this one, uses.
fn own(name: &str) -> String {
    format!("{name}-{}", std::process::id())
}

#[tokio::test]
async fn a_device_is_found_and_its_renaming_goodbye_and_return_are_seen() -> Tested {
    let watch = Watch::start().await?;
    let announcer = Announcer::start()?;
    let name = own("zacus-salle2");
    let device = SimulatedDevice::start(DeviceConfig::spec(&name)).await?;
    let with = Announcement {
        room: Some("salle2".to_owned()),
        version: Some("3.1".to_owned()),
        ..Announcement::default()
    };
    device.announce(&announcer, with)?;
    let seen = watch.found(&name).await?;
    assert_eq!(seen.addresses, at(device.address()));
    assert_eq!(seen.port, device.address().port());
    assert_eq!(
        (seen.room.as_deref(), seen.version.as_deref()),
        (Some("salle2"), Some("3.1"))
    );
    assert_eq!(device.service_name(), Some(format!("{name}.{SERVICE}")));

    let renamed = own("zacus-renamed");
    device.rename(&renamed)?;
    // Goodbyes take effect a second later, so the new name is seen first.
    assert_eq!(watch.found(&renamed).await?.port, device.address().port());
    watch.gone(&name).await?;

    device.withdraw();
    watch.gone(&renamed).await?;
    device.announce(&announcer, Announcement::default())?;
    let seen = watch.found(&name).await?;
    assert_eq!((seen.room, seen.version), (None, None));

    drop(device);
    watch.gone(&name).await?;
    Ok(())
}

#[tokio::test]
async fn a_device_that_moves_is_found_at_its_new_address() -> Tested {
    let watch = Watch::start().await?;
    let announcer = Announcer::start()?;
    let name = own("zacus-moving");
    let device = SimulatedDevice::start(DeviceConfig::spec(&name)).await?;
    device.announce(&announcer, Announcement::default())?;
    assert_eq!(watch.found(&name).await?.addresses, at(device.address()));
    let elsewhere = if cfg!(target_os = "linux") {
        [127, 0, 0, 98]
    } else {
        [127, 0, 0, 1]
    };
    let address = device.move_to(SocketAddr::from((elsewhere, 0))).await?;
    let seen = loop {
        let seen = watch.found(&name).await?;
        if seen.port == address.port() {
            break seen;
        }
    };
    assert_eq!(seen.addresses, at(address));
    Ok(())
}

#[tokio::test]
async fn the_announcer_says_goodbye_for_all_when_it_ends() -> Tested {
    let watch = Watch::start().await?;
    let announcer = Announcer::start()?;
    let name = own("zacus-last");
    let device = SimulatedDevice::start(DeviceConfig::spec(&name)).await?;
    device.announce(&announcer, Announcement::default())?;
    watch.found(&name).await?;
    drop((announcer, device));
    watch.gone(&name).await
}

#[tokio::test]
async fn the_demonstration_has_three_rooms_and_all_of_it_answers() -> Tested {
    let room = SimulatedRoom::demo().await?;
    let rooms: HashSet<_> = room
        .entries()
        .iter()
        .map(|entry| entry.room.as_str())
        .collect();
    assert_eq!(rooms, HashSet::from(["Salle 1", "Salle 2", "Salle 3"]));
    let ids: HashSet<_> = room
        .entries()
        .iter()
        .map(|entry| entry.id.as_str())
        .collect();
    assert_eq!(ids.len(), room.entries().len());
    for device in room.devices() {
        assert_eq!(get(device, "/api/status").await?.status, 200, "{device:?}");
    }
    let set = room.entries().iter().filter(|entry| entry.set).count();
    assert_eq!((set, room.entries().len()), (6, 8));
    let node = room
        .entries()
        .iter()
        .find(|entry| entry.address.is_none())
        .ok_or("no node")?;
    let gateway = node
        .via
        .as_deref()
        .and_then(|via| room.device(via))
        .ok_or("no gateway")?;
    assert_eq!(gateway.nodes().len(), 1);
    assert_eq!(gateway.nodes()[0].name, node.id);
    Ok(())
}

/// The Freenove boards announce a port where nothing listens, with neither room nor version.
#[tokio::test]
async fn a_board_may_announce_another_name_and_port_than_its_own() -> Tested {
    let watch = Watch::start().await?;
    let announcer = Announcer::start()?;
    let device = SimulatedDevice::start(DeviceConfig::freenove("piano")).await?;
    let name = own("U_SON");
    let with = Announcement {
        name: Some(name.clone()),
        port: Some(8081),
        ..Announcement::default()
    };
    device.announce(&announcer, with)?;
    let seen = watch.found(&name).await?;
    assert_eq!((seen.port, seen.room), (8081, None));
    assert_eq!(seen.addresses, at(device.address()));
    Ok(())
}

#[tokio::test]
async fn two_demonstrations_stand_beside_each_other() -> Tested {
    let (one, other) = (SimulatedRoom::demo().await?, SimulatedRoom::demo().await?);
    let addresses: HashSet<_> = [&one, &other]
        .iter()
        .flat_map(|room| room.devices())
        .map(SimulatedDevice::address)
        .collect();
    assert_eq!(addresses.len(), one.devices().len() + other.devices().len());
    Ok(())
}

#[tokio::test]
async fn fifty_devices_start_at_once_and_answer() -> Tested {
    let room = SimulatedRoom::many(50).await?;
    for device in room.devices() {
        assert_eq!(get(device, "/api/status").await?.status, 200);
    }
    Ok(())
}
