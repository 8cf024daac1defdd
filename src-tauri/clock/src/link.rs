//! The seam between the session and whatever carries bytes to a clock: a real radio or a
//! simulation.

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use thiserror::Error;
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

use crate::ClockError;
use crate::dialect::{Delivery, Discovered};
use crate::error::quoted;

/// The characteristics of a clock that are written to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "kebab-case")]
pub enum Channel {
    /// The picture characteristic, which also notifies.
    Main,
    /// The command characteristic, where a family has one of its own.
    Alt,
}

impl Channel {
    /// Longest value the characteristic takes, in bytes.
    #[must_use]
    pub const fn max_bytes(self) -> usize {
        match self {
            Self::Main => 500,
            Self::Alt => 128,
        }
    }
}

impl fmt::Display for Channel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Main => "main",
            Self::Alt => "alt",
        })
    }
}

/// What tells one clock from another: a MAC address where the system gives it (in capitals with
/// colons), an opaque identifier where it does not (macOS).
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(from = "String")]
pub struct Address(String);

impl Address {
    /// An address as the system gives it; letters are compared without regard to case, and `-`
    /// counts as `:` in a MAC. For one that a person gives there is [`Address::parse`].
    #[must_use]
    pub fn new(text: &str) -> Self {
        let text = text.trim().to_ascii_uppercase();
        let mac = is_hexadecimal(&text, &['-', ':'], &[2; 6]);
        Self(if mac { text.replace('-', ":") } else { text })
    }

    /// An address that a person gives: a MAC, that of a simulated clock, or an identifier of macOS,
    /// which is a UUID.
    ///
    /// # Errors
    /// [`ClockError::AddressInvalid`].
    pub fn parse(text: &str) -> Result<Self, ClockError> {
        let address = Self::new(text);
        let known = match address.0.strip_prefix(Self::SIMULATED) {
            Some(rest) => is_hexadecimal(rest, &[':'], &[2; 5]),
            None => {
                is_hexadecimal(&address.0, &[':'], &[2; 6])
                    || is_hexadecimal(&address.0, &['-'], &[8, 4, 4, 4, 12])
            }
        };
        if known {
            Ok(address)
        } else {
            let input = quoted(text.trim());
            Err(ClockError::AddressInvalid { input })
        }
    }

    /// How the address of a simulated clock begins.
    pub const SIMULATED: &str = "SIM:";

    /// The address as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Whether a text is groups of hexadecimal digits of these lengths between separators.
fn is_hexadecimal(text: &str, separators: &[char], lengths: &[usize]) -> bool {
    text.split(separators)
        .map(str::len)
        .eq(lengths.iter().copied())
        && text
            .split(separators)
            .all(|group| group.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

impl From<String> for Address {
    fn from(text: String) -> Self {
        Self::new(&text)
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A clock as it was heard.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Advertisement {
    /// Which clock.
    pub address: Address,
    /// The name it advertises; empty when none was received yet.
    pub name: String,
    /// Received signal strength in dBm (about -30 near by, -95 hardly heard); none when the system
    /// lists the clock without having heard it now, as it does for one that is connected.
    pub rssi: Option<i16>,
    /// The system holds a connection to it already.
    pub connected: bool,
    /// It is a simulation, not a device.
    pub simulated: bool,
}

/// Why Bluetooth cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "kebab-case")]
pub enum Unavailable {
    /// There is no adapter.
    NoAdapter,
    /// It is switched off.
    RadioOff,
    /// The system does not let this program use it.
    PermissionDenied,
    /// The system's Bluetooth service does not answer.
    ServiceMissing,
}

/// What the system says of its adapter.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AdapterFacts {
    /// What the system calls it, such as `hci0`.
    pub name: Option<String>,
    /// Its own address, where the system tells.
    pub address: Option<Address>,
    /// Whether a person has forbidden Bluetooth to this program, where the system tells.
    pub forbidden: Option<bool>,
}

/// What a Bluetooth adapter must do.
#[async_trait]
pub trait Adapter: Send + Sync + 'static {
    /// Whether Bluetooth can be used now.
    ///
    /// # Errors
    /// [`ClockError::BluetoothUnavailable`] when not, [`ClockError::Bluetooth`] when it cannot be
    /// told.
    async fn check(&self) -> Result<(), ClockError>;

    /// What the system says of it, as far as that can be had within a few seconds.
    async fn facts(&self) -> AdapterFacts {
        AdapterFacts::default()
    }

    /// Starts listening for clocks. Each advertisement is handed on as it is heard, the same clock
    /// any number of times. At most one scan runs at a time.
    ///
    /// # Errors
    /// As [`Adapter::check`].
    async fn scan(&self) -> Result<Scan, ClockError>;

    /// Connects to a clock that was heard. A failed or abandoned attempt (its future dropped)
    /// leaves no link behind.
    ///
    /// # Errors
    /// [`ClockError::ConnectFailed`] or [`ClockError::BluetoothUnavailable`].
    async fn connect(&self, address: &Address) -> Result<Connection, ClockError>;
}

/// A scan under way; it ends when dropped.
#[derive(Debug)]
pub struct Scan {
    heard: mpsc::Receiver<Advertisement>,
    end: CancellationToken,
    ended: oneshot::Receiver<()>,
}

/// The other end of a [`Scan`], held by the adapter.
#[derive(Debug)]
pub struct ScanFeed {
    /// Where advertisements go; bounded, so use `try_send`: one that is lost is heard again.
    pub heard: mpsc::Sender<Advertisement>,
    /// Cancelled when the scan shall end.
    pub end: CancellationToken,
    /// To be dropped or sent when the radio has stopped scanning.
    pub ended: oneshot::Sender<()>,
}

/// Advertisements that may wait in a scan; a clock repeats itself every second, so little is lost
/// by a bound.
const SCAN_BACKLOG: usize = 64;

impl Scan {
    /// A scan and the end that feeds it.
    #[must_use]
    pub fn new() -> (ScanFeed, Self) {
        let (sender, heard) = mpsc::channel(SCAN_BACKLOG);
        let (ended_sender, ended) = oneshot::channel();
        let end = CancellationToken::new();
        let feed = ScanFeed {
            heard: sender,
            end: end.clone(),
            ended: ended_sender,
        };
        (feed, Self { heard, end, ended })
    }

    /// The next advertisement; none when the scan broke off.
    pub async fn next(&mut self) -> Option<Advertisement> {
        self.heard.recv().await
    }

    /// Ends the scan and waits until the radio has stopped: on Linux a connection comes about much
    /// faster then. An adapter that connects only while it listens sees to that itself.
    pub async fn stop(mut self) {
        self.end.cancel();
        // An error means that the feed is gone, which is as good as stopped.
        let _ = (&mut self.ended).await;
    }
}

impl Drop for Scan {
    fn drop(&mut self) {
        self.end.cancel();
    }
}

/// A link and what comes from it.
pub struct Connection {
    /// The link.
    pub link: Arc<dyn ClockLink>,
    /// Values notified by [`Channel::Main`], each possibly lost, doubled or late. The channel
    /// closes when the link is lost.
    pub notifications: mpsc::Receiver<Vec<u8>>,
}

/// Notifications that may wait on a link. The session takes them between writes; more than a
/// handful means that something is wrong, and all of them are optional.
pub const NOTIFICATION_BACKLOG: usize = 256;

/// Why a write did not succeed, by what is known about its effect.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum WriteError {
    /// Nothing left this computer.
    #[error("not sent: {0}")]
    NotSent(String),
    /// The clock answered with an error, so it did not take the bytes.
    #[error("refused: {0}")]
    Refused(String),
    /// No answer came; the clock may or may not have taken the bytes.
    #[error("no answer: {0}")]
    AnswerLost(String),
}

/// An established link to one clock.
#[async_trait]
pub trait ClockLink: Send + Sync {
    /// Finds out whose characteristics the clock has and subscribes to [`Channel::Main`].
    ///
    /// # Errors
    /// [`ClockError::CharacteristicsMissing`] when the list that came holds those of no family
    /// whole (asking again may help), [`ClockError::LinkLost`], [`ClockError::Bluetooth`].
    async fn discover(&self) -> Result<Discovered, ClockError>;

    /// The ATT MTU now, 23..=517. It may change while the link lives.
    fn mtu(&self) -> u16;

    /// Writes a value. One write at a time. One that is [`Delivery::Unanswered`] returns when it
    /// is on its way, which may take as long as the link is busy.
    ///
    /// # Errors
    /// [`WriteError`].
    async fn write(
        &self,
        channel: Channel,
        bytes: &[u8],
        delivery: Delivery,
    ) -> Result<(), WriteError>;

    /// Whether the link is known to be gone.
    fn is_lost(&self) -> bool;

    /// Lets the link go. Harmless when it is gone already.
    async fn disconnect(&self);
}
