//! Rooms full of simulated devices.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use super::announcer::{Announcement, Announcer};
use super::device::{DeviceConfig, SimulatedDevice};
use super::freenove::FreenoveConfig;
use super::program::DeviceFirmware;
use super::story_v2::StoryV2Config;

/// The port on which the demonstration's devices listen where it is free: one that is tried for
/// boards that announce a port where nothing listens.
const PORT: u16 = 8080;
/// The port that the Freenove firmware announces, where nothing listens.
const FREENOVE_ANNOUNCES: u16 = 8081;
/// How long an ESP32 takes to answer.
const LATENCY: Duration = Duration::from_millis(18);

/// Simulated devices that run; they are gone when this is dropped.
#[derive(Debug)]
pub struct SimulatedRoom {
    devices: Vec<SimulatedDevice>,
    entries: Vec<DemoDevice>,
}

/// A device of the demonstration, as somebody would have set it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DemoDevice {
    /// What it is named by.
    pub id: String,
    /// What people call it.
    pub name: String,
    /// The room it stands in.
    pub room: String,
    /// Where it answers; `None` for one that only its gateway reaches.
    pub address: Option<SocketAddr>,
    /// The full name of its service, for one that is announced.
    pub found_as: Option<String>,
    /// Its token.
    pub token: Option<String>,
    /// The device that relays to it.
    pub via: Option<String>,
    /// Somebody has set it; the others are only to be found.
    pub set: bool,
}

/// What a device of the demonstration is like.
struct Plan {
    id: &'static str,
    name: &'static str,
    room: &'static str,
    firmware: DeviceFirmware,
    rssi: i16,
    uptime: Duration,
    announced: Option<Announcement>,
    set: bool,
}

impl SimulatedRoom {
    /// Three rooms to try things out with: six devices that are set, one of them only through
    /// another one, and two that are only to be found. Those that real boards would announce are,
    /// unless this computer's mDNS port cannot be used.
    ///
    /// # Errors
    /// When a device cannot listen on the loopback interface.
    pub async fn demo() -> io::Result<Self> {
        let announcer = Announcer::start().ok();
        let mut room = Self {
            devices: Vec::new(),
            entries: Vec::new(),
        };
        for (plan, number) in plans().into_iter().zip(11_u8..) {
            let Plan {
                id,
                name,
                room: place,
                firmware,
                rssi,
                uptime,
                announced,
                set,
            } = plan;
            let device = start_beside_others(DeviceConfig {
                address: SocketAddr::from((Ipv4Addr::new(127, 0, 0, number), PORT)),
                latency: LATENCY,
                rssi,
                uptime,
                seed: u64::from(number),
                ..DeviceConfig::new(id, firmware)
            })
            .await?;
            if let (Some(announcer), Some(mut with)) = (&announcer, announced) {
                let port = device.address().port();
                if port != PORT {
                    // Another demonstration runs beside this one, and names have to differ. Where
                    // nothing listens at the port that is announced, no other would be tried.
                    with.name = Some(format!("{id}-{port}"));
                    with.port = None;
                }
                device.announce(announcer, with)?;
            }
            room.entries.push(DemoDevice {
                id: id.to_owned(),
                name: name.to_owned(),
                room: place.to_owned(),
                address: Some(device.address()),
                found_as: device.service_name(),
                token: device.token().map(str::to_owned),
                via: None,
                set,
            });
            room.devices.push(device);
        }
        room.entries.push(DemoDevice {
            id: "lantern".to_owned(),
            name: "Lantern".to_owned(),
            room: "Salle 3".to_owned(),
            address: None,
            found_as: None,
            token: None,
            via: Some("piano".to_owned()),
            set: true,
        });
        Ok(room)
    }

    /// So many devices with the contract's routes that answer at once and announce nothing.
    ///
    /// # Errors
    /// When one cannot listen on the loopback interface.
    pub async fn many(count: u16) -> io::Result<Self> {
        let mut room = Self {
            devices: Vec::with_capacity(usize::from(count)),
            entries: Vec::with_capacity(usize::from(count)),
        };
        for number in 1..=count {
            let id = format!("device-{number}");
            let device = SimulatedDevice::start(DeviceConfig {
                seed: u64::from(number),
                ..DeviceConfig::spec(&id)
            })
            .await?;
            room.entries.push(DemoDevice {
                name: id.clone(),
                id,
                room: format!("Salle {}", number.div_ceil(10)),
                address: Some(device.address()),
                found_as: None,
                token: device.token().map(str::to_owned),
                via: None,
                set: true,
            });
            room.devices.push(device);
        }
        Ok(room)
    }

    /// The devices as somebody would have set them.
    #[must_use]
    pub fn entries(&self) -> &[DemoDevice] {
        &self.entries
    }

    /// The devices that run.
    #[must_use]
    pub fn devices(&self) -> &[SimulatedDevice] {
        &self.devices
    }

    /// The device that calls itself so.
    #[must_use]
    pub fn device(&self, id: &str) -> Option<&SimulatedDevice> {
        self.devices.iter().find(|device| device.name() == id)
    }
}

/// Starts a device; where another program, or another room of this one, has its address, on a free
/// port; where the system has only one loopback address, there.
async fn start_beside_others(config: DeviceConfig) -> io::Result<SimulatedDevice> {
    let ip = config.address.ip();
    let elsewhere = [
        config.address,
        SocketAddr::from((ip, 0)),
        SocketAddr::from((Ipv4Addr::LOCALHOST, 0)),
    ];
    let mut last = None;
    for address in elsewhere {
        match SimulatedDevice::start(DeviceConfig {
            address,
            ..config.clone()
        })
        .await
        {
            Ok(device) => return Ok(device),
            Err(error) => last = Some(error),
        }
    }
    Err(last.unwrap_or_else(|| io::Error::other("no address")))
}

fn plans() -> Vec<Plan> {
    let hours = |count: u64| Duration::from_secs(count * 3600);
    let spec = || DeviceConfig::spec("").firmware;
    let announced = |room: &str| {
        Some(Announcement {
            room: Some(room.to_owned()),
            version: Some("3.1".to_owned()),
            ..Announcement::default()
        })
    };
    vec![
        Plan {
            id: "main-console",
            name: "Main console",
            room: "Salle 1",
            firmware: spec(),
            rssi: -52,
            uptime: hours(5),
            announced: announced("Salle 1"),
            set: true,
        },
        Plan {
            id: "piano",
            name: "Piano",
            room: "Salle 1",
            firmware: DeviceFirmware::Freenove(FreenoveConfig {
                nodes: vec!["lantern".to_owned()],
                ..FreenoveConfig::default()
            }),
            rssi: -61,
            uptime: hours(5),
            announced: None,
            set: true,
        },
        Plan {
            id: "mirror",
            name: "Mirror",
            room: "Salle 2",
            firmware: spec(),
            rssi: -84,
            uptime: hours(2),
            announced: announced("Salle 2"),
            set: true,
        },
        Plan {
            id: "telephone",
            name: "Telephone",
            room: "Salle 2",
            firmware: DeviceFirmware::StoryV2(StoryV2Config::default()),
            rssi: -66,
            uptime: hours(31),
            announced: None,
            set: true,
        },
        Plan {
            id: "radio",
            name: "Radio",
            room: "Salle 3",
            firmware: DeviceFirmware::Freenove(FreenoveConfig {
                overflows: true,
                ..FreenoveConfig::reading_only()
            }),
            rssi: -70,
            uptime: hours(9),
            announced: None,
            set: true,
        },
        Plan {
            id: "zacus-chest",
            name: "zacus-chest",
            room: "Salle 3",
            firmware: spec(),
            rssi: -57,
            uptime: hours(1),
            announced: announced("Salle 3"),
            set: false,
        },
        Plan {
            id: "U_SON",
            name: "U_SON",
            room: "Salle 3",
            firmware: DeviceFirmware::Freenove(FreenoveConfig::default()),
            rssi: -63,
            uptime: hours(1),
            announced: Some(Announcement {
                port: Some(FREENOVE_ANNOUNCES),
                ..Announcement::default()
            }),
            set: false,
        },
    ]
}
