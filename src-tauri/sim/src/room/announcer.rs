//! Announcements of simulated devices by mDNS, on this computer alone.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use mdns_sd::{IfKind, ServiceDaemon, ServiceInfo};

/// What the devices announce themselves as.
const SERVICE: &str = "_zacus._tcp.local.";

/// Announces devices on the loopback interface; clones share it. Once all of them and all devices
/// that it announces are gone, so is it.
#[derive(Clone)]
pub struct Announcer(Arc<Daemon>);

struct Daemon(ServiceDaemon);

/// Counts host names, so that the late goodbye of one never takes the address of its successor.
static HOSTS: AtomicU32 = AtomicU32::new(0);

impl Drop for Daemon {
    fn drop(&mut self) {
        // One that has ended by itself needs no end.
        let _ = self.0.shutdown();
    }
}

impl std::fmt::Debug for Announcer {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("Announcer")
    }
}

impl Announcer {
    /// Starts one.
    ///
    /// # Errors
    /// When this computer's mDNS port cannot be used.
    pub fn start() -> std::io::Result<Self> {
        let daemon = ServiceDaemon::new().map_err(std::io::Error::other)?;
        let started = Self(Arc::new(Daemon(daemon)));
        let daemon = &started.0.0;
        daemon
            .disable_interface(IfKind::All)
            .and_then(|()| daemon.enable_interface(IfKind::LoopbackV4))
            .map_err(std::io::Error::other)?;
        Ok(started)
    }
}

/// What a device says of itself in its announcement.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Announcement {
    /// A name instead of the device's own.
    pub name: Option<String>,
    /// The room it says it stands in.
    pub room: Option<String>,
    /// The version it says it has.
    pub version: Option<String>,
    /// A port that it names instead of the one where it listens.
    pub port: Option<u16>,
}

/// A device that is announced; goodbye is said when this is dropped.
#[derive(Debug)]
pub(crate) struct Announced {
    announcer: Announcer,
    name: String,
    address: SocketAddr,
    with: Announcement,
    service: String,
}

impl Announced {
    pub(crate) fn start(
        announcer: &Announcer,
        name: &str,
        address: SocketAddr,
        with: Announcement,
    ) -> Result<Self, mdns_sd::Error> {
        let mut announced = Self {
            announcer: announcer.clone(),
            name: with.name.clone().unwrap_or_else(|| name.to_owned()),
            address,
            with,
            service: String::new(),
        };
        announced.register()?;
        Ok(announced)
    }

    pub(crate) fn service_name(&self) -> String {
        self.service.clone()
    }

    pub(crate) fn rename(&mut self, name: &str) -> Result<(), mdns_sd::Error> {
        self.goodbye();
        self.name = name.to_owned();
        self.register()
    }

    pub(crate) fn move_to(&mut self, address: SocketAddr) -> Result<(), mdns_sd::Error> {
        self.address = address;
        self.register()
    }

    fn register(&mut self) -> Result<(), mdns_sd::Error> {
        let mut properties = Vec::new();
        for (key, value) in [("room", &self.with.room), ("version", &self.with.version)] {
            if let Some(value) = value {
                properties.push((key, value.as_str()));
            }
        }
        let IpAddr::V4(ip) = self.address.ip() else {
            return Err(mdns_sd::Error::Msg("only IPv4 is simulated".to_owned()));
        };
        // Real boards of one kind share a host name; here they share a network interface as well,
        // and one name would have all their addresses.
        let port = self.address.port();
        let process = std::process::id();
        let host = format!(
            "sim-{process}-{}.local.",
            HOSTS.fetch_add(1, Ordering::Relaxed)
        );
        let mut service = ServiceInfo::new(
            SERVICE,
            &self.name,
            &host,
            IpAddr::V4(ip),
            self.with.port.unwrap_or(port),
            properties.as_slice(),
        )?;
        service.set_interfaces(vec![IfKind::LoopbackV4]);
        // Names are chosen so that they do not clash, and asking around takes most of a second.
        service.set_requires_probe(false);
        self.service = service.get_fullname().to_owned();
        self.announcer.0.0.register(service)
    }

    fn goodbye(&self) {
        // An announcer that has ended has said goodbye for all.
        let _ = self.announcer.0.0.unregister(&self.service);
    }
}

impl Drop for Announced {
    fn drop(&mut self) {
        self.goodbye();
    }
}
