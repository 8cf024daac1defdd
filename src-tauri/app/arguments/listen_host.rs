//! Where a server is to listen.

use std::net::IpAddr;
use std::str::FromStr;

/// Where the server without a window listens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListenHost {
    /// On this computer, by IPv4 and IPv6.
    Localhost,
    /// On one address.
    Address(IpAddr),
}

impl ListenHost {
    /// The one address; `None`: both of this computer's own.
    pub(crate) fn address(self) -> Option<IpAddr> {
        match self {
            Self::Localhost => None,
            Self::Address(address) => Some(address),
        }
    }
}

/// What is said of another name, which may mean anything.
const NO_ADDRESS: &str = "Give an IP address, such as 0.0.0.0 for the whole network.";

impl FromStr for ListenHost {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text.eq_ignore_ascii_case("localhost") {
            return Ok(Self::Localhost);
        }
        text.parse().map(Self::Address).map_err(|_| NO_ADDRESS)
    }
}
