//! Where a device answers: private addresses only.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::error::RoomError;

/// Most characters of a host name.
const MAX_HOST: usize = 253;

/// Where a device answers: a private IP address, or a name that will have to resolve to one, and
/// the port where it is known. Written `192.168.0.50`, `zacus.local:8080` or `[fe80::1]:80`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export, type = "string"))]
pub struct Address {
    host: Host,
    port: Option<u16>,
}

/// The host of an [`Address`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Host {
    /// A private address.
    Ip(IpAddr),
    /// A name, checked when it is resolved.
    Name(String),
}

impl Address {
    /// The address of a device that was found.
    ///
    /// # Errors
    /// [`RoomError::AddressNotPrivate`].
    pub fn of_ip(ip: IpAddr, port: Option<u16>) -> Result<Self, RoomError> {
        if !is_private(ip) {
            return Err(RoomError::AddressNotPrivate {
                address: ip.to_string(),
            });
        }
        Ok(Self {
            host: Host::Ip(ip),
            port,
        })
    }

    /// The port, where it is known.
    #[must_use]
    pub fn port(&self) -> Option<u16> {
        self.port
    }

    /// The same host at another port.
    #[must_use]
    pub fn at(&self, port: u16) -> Self {
        Self {
            host: self.host.clone(),
            port: Some(port),
        }
    }

    /// The address without its port, as it is written in a URL.
    #[must_use]
    pub fn host(&self) -> String {
        match &self.host {
            Host::Ip(IpAddr::V6(ip)) => format!("[{ip}]"),
            Host::Ip(ip) => ip.to_string(),
            Host::Name(name) => name.clone(),
        }
    }

    /// The IP address, where the host is one.
    #[must_use]
    pub fn ip(&self) -> Option<IpAddr> {
        match &self.host {
            Host::Ip(ip) => Some(*ip),
            Host::Name(_) => None,
        }
    }
}

/// Whether an address is one that only this computer or its own networks can mean: loopback,
/// RFC 1918, shared (RFC 6598), link-local, or unique local (RFC 4193).
#[must_use]
pub(crate) fn is_private(ip: IpAddr) -> bool {
    match ip {
        IpAddr::V4(ip) => is_private_v4(ip),
        IpAddr::V6(ip) => match ip.to_ipv4_mapped() {
            Some(mapped) => is_private_v4(mapped),
            None => is_private_v6(ip),
        },
    }
}

fn is_private_v4(ip: Ipv4Addr) -> bool {
    let [first, second, ..] = ip.octets();
    let shared = first == 100 && (64..128).contains(&second);
    ip.is_loopback() || ip.is_private() || ip.is_link_local() || shared
}

fn is_private_v6(ip: Ipv6Addr) -> bool {
    ip.is_loopback() || ip.is_unicast_link_local() || ip.is_unique_local()
}

impl FromStr for Address {
    type Err = RoomError;

    fn from_str(text: &str) -> Result<Self, RoomError> {
        let invalid = || RoomError::AddressInvalid {
            address: text.chars().take(MAX_HOST).collect(),
        };
        let bare = text.trim();
        let bare = bare.strip_prefix("http://").unwrap_or(bare);
        let bare = bare.strip_suffix('/').unwrap_or(bare);
        if let Ok(ip) = bare.parse::<IpAddr>() {
            return Self::of_ip(ip, None);
        }
        let (host, port) = match bare.rsplit_once(':') {
            Some((host, port)) => {
                let port: u16 = port.parse().map_err(|_| invalid())?;
                (
                    host,
                    Some(port)
                        .filter(|port| *port > 0)
                        .ok_or_else(invalid)?
                        .into(),
                )
            }
            None => (bare, None),
        };
        let unbracketed = host
            .strip_prefix('[')
            .and_then(|host| host.strip_suffix(']'));
        if let Some(ip) = unbracketed {
            return Self::of_ip(ip.parse().map_err(|_| invalid())?, port);
        }
        if let Ok(ip) = host.parse::<IpAddr>() {
            return Self::of_ip(ip, port);
        }
        let label = |label: &str| {
            let allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
            (1..=63).contains(&label.len()) && label.bytes().all(allowed)
        };
        let numeric = host
            .bytes()
            .all(|byte| byte.is_ascii_digit() || byte == b'.');
        if host.len() > MAX_HOST || numeric || !host.trim_end_matches('.').split('.').all(label) {
            return Err(invalid());
        }
        Ok(Self {
            host: Host::Name(host.to_ascii_lowercase()),
            port,
        })
    }
}

impl TryFrom<String> for Address {
    type Error = RoomError;

    fn try_from(text: String) -> Result<Self, RoomError> {
        text.parse()
    }
}

impl From<Address> for String {
    fn from(address: Address) -> Self {
        address.to_string()
    }
}

impl fmt::Display for Address {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.port, &self.host) {
            (Some(port), _) => write!(out, "{}:{port}", self.host()),
            (None, Host::Ip(ip)) => write!(out, "{ip}"),
            (None, Host::Name(name)) => out.write_str(name),
        }
    }
}
