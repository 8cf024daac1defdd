//! What a device tells of itself by mDNS, read leniently.

use std::net::IpAddr;

use mdns_sd::ResolvedService;

use super::interfaces::Scope;
use crate::address::is_private;
use crate::names::InstanceName;

/// The service type that devices advertise (section 8.2 of the contract).
pub(crate) const SERVICE: &str = "_zacus._tcp.local.";

/// Most addresses of one device that are looked at: a board has one or two.
const MAX_ADDRESSES: usize = 4;

/// Most characters of a room or a version; a TXT entry has at most 255 bytes with its key.
const MAX_TEXT: usize = 64;

/// What a device tells of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Advert {
    /// The service's full name.
    pub(crate) instance: InstanceName,
    /// The device's host name, such as `zacus.local`, lower case and without a full stop at its
    /// end.
    pub(crate) hostname: String,
    /// Where it is, in order; IPv6 only where there is no IPv4.
    pub(crate) addresses: Vec<IpAddr>,
    /// The port it says it answers on.
    pub(crate) port: u16,
    /// The room it says it stands in.
    pub(crate) room: Option<String>,
    /// The version it says it has.
    pub(crate) version: Option<String>,
}

impl Advert {
    /// What can be used of a service that was resolved; `None` where that is nothing: a name that
    /// cannot be kept, or only addresses outside one's own networks.
    pub(super) fn of(service: &ResolvedService, scope: Scope) -> Option<Self> {
        let mut addresses: Vec<IpAddr> = service
            .addresses
            .iter()
            .map(mdns_sd::ScopedIp::to_ip_addr)
            .filter(|ip| is_private(*ip) && scope.may_hold(*ip))
            .collect();
        if addresses.iter().any(IpAddr::is_ipv4) {
            addresses.retain(IpAddr::is_ipv4);
        }
        addresses.sort_unstable();
        addresses.dedup();
        addresses.truncate(MAX_ADDRESSES);
        if addresses.is_empty() {
            return None;
        }
        let text = |key| text(service.get_property_val(key)??);
        Some(Self {
            instance: service.fullname.parse().ok()?,
            hostname: service.host.trim_end_matches('.').to_ascii_lowercase(),
            addresses,
            port: service.port,
            room: text("room"),
            version: text("version"),
        })
    }
}

/// A value of a TXT record: whatever of it can be shown on one line, `None` where that is nothing.
fn text(value: &[u8]) -> Option<String> {
    let shown: String = String::from_utf8_lossy(value)
        .chars()
        .filter(|character| !character.is_control() && *character != char::REPLACEMENT_CHARACTER)
        .take(MAX_TEXT)
        .collect();
    let shown = shown.trim();
    (!shown.is_empty()).then(|| shown.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use mdns_sd::ServiceInfo;

    fn heard(name: &str, addresses: &str, txt: &[(&str, &[u8])]) -> ResolvedService {
        let properties: Vec<mdns_sd::TxtProperty> = txt
            .iter()
            .map(|(key, value)| mdns_sd::TxtProperty::from((*key, *value)))
            .collect();
        ServiceInfo::new(SERVICE, name, "Zacus.local.", addresses, 8080, properties)
            .unwrap()
            .as_resolved_service()
    }

    #[test]
    fn a_device_is_read_with_its_room_and_version() {
        let service = heard(
            "Zacus Master Voice Hook",
            "192.168.0.50",
            &[("room", b"salle2"), ("version", b"3.1")],
        );
        let advert = Advert::of(&service, Scope::Network).unwrap();
        assert_eq!(
            advert.instance.as_str(),
            "Zacus Master Voice Hook._zacus._tcp.local."
        );
        assert_eq!(advert.hostname, "zacus.local");
        assert_eq!(
            advert.addresses,
            ["192.168.0.50".parse::<IpAddr>().unwrap()]
        );
        assert_eq!(advert.port, 8080);
        assert_eq!(advert.room.as_deref(), Some("salle2"));
        assert_eq!(advert.version.as_deref(), Some("3.1"));
    }

    #[test]
    fn a_txt_record_that_is_missing_or_damaged_is_no_hindrance() {
        let none = Advert::of(&heard("a", "10.0.0.1", &[]), Scope::Network).unwrap();
        assert_eq!((none.room, none.version), (None, None));

        let long = [b'x'; 240];
        let odd = heard(
            "a",
            "10.0.0.1",
            &[("room", b"sa\xfflle\n 2\x07"), ("version", &long)],
        );
        let odd = Advert::of(&odd, Scope::Network).unwrap();
        assert_eq!(odd.room.as_deref(), Some("salle 2"));
        assert_eq!(odd.version.map(|version| version.len()), Some(MAX_TEXT));
    }

    #[test]
    fn only_addresses_of_ones_own_networks_are_taken() {
        let addresses = "192.168.0.50,8.8.8.8,127.0.0.1,fd00::5";
        let on_network = Advert::of(&heard("a", addresses, &[]), Scope::Network).unwrap();
        assert_eq!(
            on_network.addresses,
            ["192.168.0.50".parse::<IpAddr>().unwrap()]
        );
        let on_loopback = Advert::of(&heard("a", addresses, &[]), Scope::Loopback).unwrap();
        assert_eq!(
            on_loopback.addresses,
            ["127.0.0.1".parse::<IpAddr>().unwrap()]
        );
        assert_eq!(
            Advert::of(&heard("a", "8.8.8.8", &[]), Scope::Network),
            None
        );
    }
}
