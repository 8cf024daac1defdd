//! Host and Origin: a page on the web must not reach this server, whatever its name resolves to.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use http::header::{HOST, ORIGIN};
use http::uri::Uri;
use http::{HeaderMap, HeaderName};

use super::reply::Refusal;

/// The port that a URL of scheme `http` does not write.
const HTTP_PORT: u16 = 80;

/// The two ends of a connection.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ends {
    /// Who calls.
    pub(super) peer: SocketAddr,
    /// The address that was called.
    pub(super) local: SocketAddr,
}

impl Ends {
    /// Whether the caller is on this very computer.
    pub(super) fn same_computer(&self) -> bool {
        let peer = self.peer.ip().to_canonical();
        peer.is_loopback() || peer == self.local.ip().to_canonical()
    }
}

/// The names this server is known by, beyond loopback and the address that was called.
#[derive(Clone, Debug, Default)]
pub(super) struct Names(Vec<String>);

impl Names {
    pub(super) fn new(names: impl IntoIterator<Item = String>) -> Self {
        Self(names.into_iter().collect())
    }

    /// Lets a request pass that was sent to this server, and by no foreign page.
    pub(super) fn check(&self, uri: &Uri, headers: &HeaderMap, ends: &Ends) -> Result<(), Refusal> {
        let host = only(headers, HOST)
            .map_err(|_| Refusal::ForeignHost)?
            .ok_or(Refusal::ForeignHost)?;
        let stated = Authority::parse(host).ok_or(Refusal::ForeignHost)?;
        if !self.knows(&stated, ends) || !port_fits(stated.port, ends) {
            return Err(Refusal::ForeignHost);
        }
        if let Some(authority) = uri.authority()
            && authority.as_str() != host
        {
            return Err(Refusal::ForeignHost);
        }
        match only(headers, ORIGIN).map_err(|_| Refusal::ForeignOrigin)? {
            Some(origin) if !self.is_own(origin, ends) => Err(Refusal::ForeignOrigin),
            _ => Ok(()),
        }
    }

    fn knows(&self, authority: &Authority<'_>, ends: &Ends) -> bool {
        match authority.host {
            Host::Address(address) => {
                address == IpAddr::V4(Ipv4Addr::LOCALHOST)
                    || address == IpAddr::V6(Ipv6Addr::LOCALHOST)
                    || address == ends.local.ip().to_canonical()
            }
            Host::Name(name) => {
                name.eq_ignore_ascii_case("localhost")
                    || self.0.iter().any(|own| own.eq_ignore_ascii_case(name))
            }
        }
    }

    fn is_own(&self, origin: &str, ends: &Ends) -> bool {
        origin
            .strip_prefix("http://")
            .and_then(Authority::parse)
            .is_some_and(|origin| {
                self.knows(&origin, ends) && origin.port.unwrap_or(HTTP_PORT) == ends.local.port()
            })
    }
}

/// A client that connects to a port names it, or leaves it out as it would the default.
fn port_fits(port: Option<u16>, ends: &Ends) -> bool {
    port.is_none_or(|port| port == ends.local.port())
}

/// The one value of a header; an error where it has several, or one that is no text.
fn only(headers: &HeaderMap, name: HeaderName) -> Result<Option<&str>, ()> {
    let mut values = headers.get_all(name).iter();
    match (values.next(), values.next()) {
        (None, _) => Ok(None),
        (Some(value), None) => value.to_str().map(Some).map_err(|_| ()),
        (Some(_), Some(_)) => Err(()),
    }
}

#[derive(Debug, PartialEq, Eq)]
enum Host<'a> {
    Address(IpAddr),
    Name(&'a str),
}

#[derive(Debug, PartialEq, Eq)]
struct Authority<'a> {
    host: Host<'a>,
    port: Option<u16>,
}

impl<'a> Authority<'a> {
    /// Reads `host[:port]` to the letter: no user, no path, no spelling that a resolver would
    /// bend into an address.
    fn parse(text: &'a str) -> Option<Self> {
        let (host, rest) = if let Some(bracketed) = text.strip_prefix('[') {
            let (address, rest) = bracketed.split_once(']')?;
            (Host::Address(IpAddr::V6(address.parse().ok()?)), rest)
        } else {
            let end = text.find(':').unwrap_or(text.len());
            let (name, rest) = text.split_at_checked(end)?;
            (named(name)?, rest)
        };
        let port = match rest.strip_prefix(':') {
            Some(digits) => Some(port(digits)?),
            None if rest.is_empty() => None,
            None => return None,
        };
        Some(Self { host, port })
    }
}

fn named(name: &str) -> Option<Host<'_>> {
    if let Ok(address) = name.parse::<Ipv4Addr>() {
        return Some(Host::Address(IpAddr::V4(address)));
    }
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_');
    (!name.is_empty() && name.bytes().all(plain)).then_some(Host::Name(name))
}

fn port(digits: &str) -> Option<u16> {
    digits
        .bytes()
        .all(|byte| byte.is_ascii_digit())
        .then(|| digits.parse().ok())
        .flatten()
}
