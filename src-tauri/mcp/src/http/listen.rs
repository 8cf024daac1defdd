//! The addresses the server takes, and why it cannot.

use std::io::{self, ErrorKind};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};

use regie_engine::{Fault, Reach};
use socket2::{Domain, Protocol, Socket, Type};
use thiserror::Error;
use tokio::net::TcpListener;

use super::bearer::Gatekeeper;
use super::guard::Names;
use super::holder;

/// Connections that wait to be accepted.
const BACKLOG: i32 = 128;

/// Ports tried where any will do, until one is free for IPv4 and IPv6 alike.
const ANY_PORT_TRIES: u32 = 8;

/// An address of the range kept for documentation: nothing is sent to it.
const ELSEWHERE: (Ipv4Addr, u16) = (Ipv4Addr::new(192, 0, 2, 1), 9);

/// Windows' answer for a port in a range that it reserves.
const WSAEACCES: i32 = 10013;

/// Where to listen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listening {
    /// The TCP port; 0: any that is free.
    pub port: u16,
    /// From where agents reach it.
    pub reach: Reach,
    /// This address only, instead of those that `reach` means.
    pub host: Option<IpAddr>,
    /// Further names this computer is known by.
    pub names: Vec<String>,
}

impl Listening {
    /// On that port, for that reach.
    pub fn new(port: u16, reach: Reach) -> Self {
        Self {
            port,
            reach,
            host: None,
            names: Vec::new(),
        }
    }

    fn on_network(&self) -> bool {
        match self.host {
            Some(host) => !host.to_canonical().is_loopback(),
            None => self.reach == Reach::ThisNetwork,
        }
    }

    fn addresses(&self) -> Vec<IpAddr> {
        match self.host {
            Some(host) => vec![host],
            None if self.on_network() => {
                vec![Ipv4Addr::UNSPECIFIED.into(), Ipv6Addr::UNSPECIFIED.into()]
            }
            None => vec![Ipv4Addr::LOCALHOST.into(), Ipv6Addr::LOCALHOST.into()],
        }
    }
}

/// Why the server does not listen.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ServeError {
    /// Another program listens there.
    #[error("Port {port} is used by another program.")]
    PortTaken {
        /// The port.
        port: u16,
    },
    /// Another program listens there, and its name is known.
    #[error("Port {port} is used by {holder}.")]
    PortTakenBy {
        /// The port.
        port: u16,
        /// The program, with its process number.
        holder: String,
    },
    /// The system keeps the port for itself.
    #[error("The system does not give out port {port}.")]
    PortReserved {
        /// The port.
        port: u16,
    },
    /// The network was asked for, and no token protects the server.
    #[error("There is no token yet, so agents on the network cannot be let in.")]
    NoToken,
    /// The address is not one of this computer, or failed otherwise.
    #[error("{address} cannot be listened on: {detail}.")]
    AddressUnusable {
        /// The address.
        address: SocketAddr,
        /// What the system said.
        detail: String,
    },
}

impl ServeError {
    /// The stable name of this failure.
    pub fn code(&self) -> &'static str {
        match self {
            Self::PortTaken { .. } => "port-taken",
            Self::PortTakenBy { .. } => "port-taken-by",
            Self::PortReserved { .. } => "port-reserved",
            Self::NoToken => "no-token",
            Self::AddressUnusable { .. } => "address-unusable",
        }
    }

    /// What to do next.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::PortTaken { .. } | Self::PortTakenBy { .. } => {
                "Quit that program, or choose another port in the Agents view (without a window: with --port), and tell your agents."
            }
            Self::PortReserved { .. } => {
                "Choose another port in the Agents view (without a window: with --port), and tell your agents; one between 1024 and 49151 is mostly free."
            }
            Self::NoToken => {
                "Make a token in the Agents view, or with regie mcp token --new NAME, first."
            }
            Self::AddressUnusable { .. } => "Use an address of this computer.",
        }
    }

    /// The values in the sentence, for a translated one.
    pub fn params(&self) -> Vec<(&'static str, String)> {
        match self {
            Self::PortTaken { port } | Self::PortReserved { port } => {
                vec![("port", port.to_string())]
            }
            Self::PortTakenBy { port, holder } => {
                vec![("port", port.to_string()), ("holder", holder.clone())]
            }
            Self::NoToken => Vec::new(),
            Self::AddressUnusable { address, detail } => {
                vec![("address", address.to_string()), ("detail", detail.clone())]
            }
        }
    }
}

impl From<&ServeError> for Fault {
    fn from(error: &ServeError) -> Self {
        Self {
            code: error.code().into(),
            agent_code: "INTERNAL".into(),
            message: error.to_string(),
            hint: error.hint().into(),
            params: error
                .params()
                .into_iter()
                .map(|(name, value)| (name.to_owned(), value))
                .collect(),
        }
    }
}

/// The sockets the server listens on.
#[derive(Debug)]
pub struct Listeners {
    pub(super) sockets: Vec<TcpListener>,
    pub(super) names: Names,
    port: u16,
    addresses: Vec<String>,
}

impl Listeners {
    /// Takes the addresses; those of the network only where `gatekeeper` has a token.
    ///
    /// # Errors
    /// See [`ServeError`].
    pub async fn bind(
        listening: Listening,
        gatekeeper: &dyn Gatekeeper,
    ) -> Result<Self, ServeError> {
        if listening.on_network() && !gatekeeper.has_tokens() {
            return Err(ServeError::NoToken);
        }
        let port = listening.port;
        // Finding out who holds a port reads hundreds of small files.
        tokio::task::spawn_blocking(move || Self::take(&listening))
            .await
            .unwrap_or(Err(ServeError::PortTaken { port }))
    }

    fn take(listening: &Listening) -> Result<Self, ServeError> {
        let mut tries = if listening.port == 0 {
            ANY_PORT_TRIES
        } else {
            1
        };
        let (sockets, port) = loop {
            tries -= 1;
            match bind_all(listening) {
                Err(ServeError::PortTaken { .. } | ServeError::PortTakenBy { .. }) if tries > 0 => {
                }
                ended => break ended?,
            }
        };
        Ok(Self {
            sockets,
            port,
            names: Names::new(names(listening)),
            addresses: addresses(listening, port),
        })
    }

    /// The port they listen on.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Where agents find the server, the address for this computer first.
    pub fn addresses(&self) -> &[String] {
        &self.addresses
    }
}

fn bind_all(listening: &Listening) -> Result<(Vec<TcpListener>, u16), ServeError> {
    let mut sockets: Vec<TcpListener> = Vec::new();
    let mut port = listening.port;
    let addresses = listening.addresses();
    for ip in &addresses {
        let address = SocketAddr::new(*ip, port);
        match bind(address) {
            Ok(socket) => {
                port = socket
                    .local_addr()
                    .map_err(|error| refused(address, &error))?
                    .port();
                sockets.push(socket);
            }
            // A computer without IPv6 has one address less, and is none the worse.
            Err(error) if addresses.len() > 1 && ip.is_ipv6() && is_missing(&error) => {}
            Err(error) => return Err(refused(address, &error)),
        }
    }
    Ok((sockets, port))
}

fn bind(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = Socket::new(
        Domain::for_address(address),
        Type::STREAM,
        Some(Protocol::TCP),
    )?;
    if address.is_ipv6() {
        // IPv4 has its own socket.
        socket.set_only_v6(true)?;
    }
    // On Unix it lets a server start again while old connections still end. On Windows that
    // needs nothing, and the option would let two programs listen on one port.
    #[cfg(unix)]
    socket.set_reuse_address(true)?;
    socket.set_nonblocking(true)?;
    socket.bind(&address.into())?;
    socket.listen(BACKLOG)?;
    TcpListener::from_std(socket.into())
}

fn is_missing(error: &io::Error) -> bool {
    #[cfg(unix)]
    const NO_FAMILY: &[i32] = &[
        97, // EAFNOSUPPORT on Linux
        47, // on macOS
    ];
    #[cfg(not(unix))]
    const NO_FAMILY: &[i32] = &[10047];
    error.kind() == ErrorKind::AddrNotAvailable
        || error
            .raw_os_error()
            .is_some_and(|code| NO_FAMILY.contains(&code))
}

fn refused(address: SocketAddr, error: &io::Error) -> ServeError {
    let port = address.port();
    match error.kind() {
        ErrorKind::AddrInUse => match holder::of(port) {
            Some(holder) => ServeError::PortTakenBy { port, holder },
            None => ServeError::PortTaken { port },
        },
        ErrorKind::PermissionDenied => ServeError::PortReserved { port },
        _ if error.raw_os_error() == Some(WSAEACCES) => ServeError::PortReserved { port },
        _ => ServeError::AddressUnusable {
            address,
            detail: error.to_string(),
        },
    }
}

/// The names a caller on the network may use for this computer.
fn names(listening: &Listening) -> Vec<String> {
    let mut names = listening.names.clone();
    if listening.on_network()
        && let Some(own) = own_name()
    {
        names.push(format!("{own}.local"));
        names.push(own);
    }
    names
}

fn own_name() -> Option<String> {
    let name = gethostname::gethostname().into_string().ok()?;
    // A computer named so would be one more name for every computer.
    (!name.is_empty() && !name.eq_ignore_ascii_case("localhost")).then_some(name)
}

fn addresses(listening: &Listening, port: u16) -> Vec<String> {
    let url = |host: &str| format!("http://{host}:{port}/mcp");
    let literal = |ip: IpAddr| match ip {
        IpAddr::V4(ip) => url(&ip.to_string()),
        IpAddr::V6(ip) => url(&format!("[{ip}]")),
    };
    match listening.host {
        Some(host) if !host.is_unspecified() => vec![literal(host)],
        _ => {
            let mut addresses = vec![url("127.0.0.1")];
            if listening.on_network() {
                addresses.extend(network_address().map(literal));
                addresses.extend(own_name().map(|name| url(&name)));
            }
            addresses
        }
    }
}

/// The address by which others on the network reach this computer: the one it would send from.
fn network_address() -> Option<IpAddr> {
    let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0)).ok()?;
    socket.connect(ELSEWHERE).ok()?;
    let ip = socket.local_addr().ok()?.ip();
    (!ip.is_unspecified() && !ip.is_loopback()).then_some(ip)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_written_as_the_part_of_a_url_that_it_is() {
        for (host, url) in [
            ("192.0.2.7", "http://192.0.2.7:8770/mcp"),
            ("::1", "http://[::1]:8770/mcp"),
            ("fd00:0:0:1::", "http://[fd00:0:0:1::]:8770/mcp"),
            (
                "2001:db8:0:0:1:0:0:5",
                "http://[2001:db8::1:0:0:5]:8770/mcp",
            ),
        ] {
            let mut listening = Listening::new(8770, Reach::ThisNetwork);
            listening.host = host.parse().ok();
            assert_eq!(addresses(&listening, 8770), [url]);
        }
    }
}
