//! Which network interfaces are searched: those behind which devices can be (NET-1, NET-2).

use std::net::IpAddr;

use if_addrs::get_if_addrs;

/// Beginnings of the names of interfaces that are surely virtual, lower case: tunnels of VPNs,
/// switches of virtual machines and containers, and Apple's own radio links. An interface of a
/// container itself (`veth`, `eth0`) is one that reaches others.
const VIRTUAL: &[&str] = &[
    "tun",
    "tap",
    "wg",
    "tailscale",
    "zt",
    "utun",
    "ipsec",
    "ppp",
    "docker",
    "br-",
    "virbr",
    "vmnet",
    "vboxnet",
    "vethernet",
    "vmware network adapter",
    "virtualbox",
    "loopback pseudo-interface",
    "awdl",
    "llw",
    "anpi",
    "bluetooth network connection",
];

/// Where is searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scope {
    /// On every interface that reaches other devices.
    Network,
    /// On this computer alone.
    Loopback,
}

impl Scope {
    /// Whether an interface with this name and address is searched. Only IPv4 ones are: every
    /// known board has an IPv4 address, and asking twice only doubles the traffic.
    pub(super) fn includes(self, name: &str, ip: IpAddr) -> bool {
        let IpAddr::V4(ip) = ip else { return false };
        match self {
            Self::Loopback => ip.is_loopback(),
            Self::Network if ip.is_loopback() || is_virtual(name) => false,
            // An address of its own making is what an interface without a network has, or a whole
            // network without a router; the latter only counts where there is nothing better.
            Self::Network if ip.is_link_local() => !better_than_link_local(),
            Self::Network => true,
        }
    }

    /// Whether a device that is searched for here can have this address. One that was heard on the
    /// network has no say about what runs on this computer.
    pub(super) fn may_hold(self, ip: IpAddr) -> bool {
        match (self, ip) {
            (Self::Loopback, ip) => ip.is_loopback(),
            (Self::Network, IpAddr::V4(ip)) => !ip.is_loopback(),
            // A link-local one means nothing without its interface.
            (Self::Network, IpAddr::V6(ip)) => !ip.is_loopback() && !ip.is_unicast_link_local(),
        }
    }

    /// The names of the interfaces that are searched now; blocks for a moment.
    ///
    /// # Errors
    /// What the system said.
    pub(super) fn names(self) -> std::io::Result<Vec<String>> {
        let mut names: Vec<String> = get_if_addrs()?
            .into_iter()
            // As the library does.
            .filter(|interface| interface.is_oper_up() && !interface.is_p2p())
            .filter(|interface| self.includes(&interface.name, interface.ip()))
            .map(|interface| interface.name)
            .collect();
        names.sort_unstable();
        names.dedup();
        Ok(names)
    }
}

fn is_virtual(name: &str) -> bool {
    let name = name.to_lowercase();
    VIRTUAL.iter().any(|start| name.starts_with(start))
}

/// Whether any interface that would be searched has an address that a network has given it.
fn better_than_link_local() -> bool {
    get_if_addrs().is_ok_and(|all| {
        all.iter().any(|interface| match interface.ip() {
            IpAddr::V4(ip) => {
                !ip.is_loopback() && !ip.is_link_local() && !is_virtual(&interface.name)
            }
            IpAddr::V6(_) => false,
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn on_network(name: &str, ip: &str) -> bool {
        Scope::Network.includes(name, ip.parse().unwrap())
    }

    #[test]
    fn cards_of_the_computer_are_searched() {
        for name in [
            "eth0",
            "enp3s0",
            "wlan0",
            "en0",
            "veth12",
            "va",
            "Wi-Fi",
            "Ethernet 2",
        ] {
            assert!(on_network(name, "192.168.1.7"), "{name}");
        }
    }

    #[test]
    fn net_2_switches_and_tunnels_are_not() {
        let names = [
            "vEthernet (WSL)",
            "VMware Network Adapter VMnet8",
            "docker0",
            "br-4f1d",
            "virbr0",
            "tun0",
            "tap1",
            "wg0",
            "utun4",
            "vboxnet0",
            "tailscale0",
            "awdl0",
        ];
        for name in names {
            assert!(!on_network(name, "172.17.0.1"), "{name}");
        }
        assert!(!on_network("lo", "127.0.0.1"));
        assert!(!on_network("eth0", "fe80::1"));
    }

    #[test]
    fn the_search_for_simulated_devices_stays_on_this_computer() {
        assert!(Scope::Loopback.includes("lo", "127.0.0.1".parse().unwrap()));
        assert!(!Scope::Loopback.includes("eth0", "192.168.1.7".parse().unwrap()));
        assert!(!Scope::Loopback.includes("lo", "::1".parse().unwrap()));
    }
}
