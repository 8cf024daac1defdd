//! What a check has found, in words.

use std::fmt;
use std::time::Duration;

use crate::dialect::Family;
use crate::link::{Address, Advertisement};

/// What a check has found. `Display` is an English sentence; [`code`](Self::code) and
/// [`params`](Self::params) are enough to say it in another language.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Finding {
    /// The system's Bluetooth service answers.
    ServiceAnswers,
    /// Nothing speaks against using Bluetooth.
    Permitted,
    /// An adapter.
    Adapter {
        /// What the system calls it.
        name: Option<String>,
        /// Its address, where the system tells.
        address: Option<Address>,
    },
    /// The radio is on.
    RadioOn,
    /// What was heard.
    Heard {
        /// Devices of any kind.
        devices: usize,
        /// The clocks among them, strongest first.
        clocks: Vec<Advertisement>,
        /// How long was listened.
        listened: Duration,
    },
    /// A connection.
    Connected {
        /// The clock's name, or its address.
        name: String,
        /// How long it took, the reading of services not included.
        took: Duration,
    },
    /// A clock's services.
    Services {
        /// Whose.
        family: Family,
        /// The firmware's version, where it keeps one.
        version: Option<u8>,
    },
    /// The ATT MTU.
    Mtu {
        /// 23..=517 bytes.
        mtu: u16,
    },
    /// The clock has answered writes.
    Answered {
        /// The quickest answer.
        fastest: Duration,
        /// The slowest answer.
        slowest: Duration,
    },
    /// No write is known that is surely harmless to this family.
    NoHarmlessWrite,
    /// The link is gone.
    LetGo,
}

impl Finding {
    /// Its stable name, kebab-case.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::ServiceAnswers => "doctor-service",
            Self::Permitted => "doctor-permitted",
            Self::Adapter {
                address: Some(_), ..
            } => "doctor-adapter",
            Self::Adapter { address: None, .. } => "doctor-adapter-unnamed",
            Self::RadioOn => "doctor-radio",
            Self::Heard { clocks, .. } => match clocks.is_empty() {
                true => "doctor-heard-no-clock",
                false => "doctor-heard",
            },
            Self::Connected { .. } => "doctor-connected",
            Self::Services { .. } => "doctor-services",
            Self::Mtu { .. } => "doctor-mtu",
            Self::Answered { .. } => "doctor-answered",
            Self::NoHarmlessWrite => "doctor-no-harmless-write",
            Self::LetGo => "doctor-let-go",
        }
    }

    /// The values in the sentence, by name.
    #[must_use]
    pub fn params(&self) -> Vec<(&'static str, String)> {
        match self {
            Self::ServiceAnswers
            | Self::Permitted
            | Self::RadioOn
            | Self::NoHarmlessWrite
            | Self::LetGo => Vec::new(),
            Self::Adapter { name, address } => {
                let mut params = vec![("name", named(name))];
                params.extend(address.iter().map(|own| ("address", own.to_string())));
                params
            }
            Self::Heard {
                devices,
                clocks,
                listened,
            } => {
                let mut params = vec![
                    ("devices", devices.to_string()),
                    ("seconds", listened.as_secs().to_string()),
                ];
                if !clocks.is_empty() {
                    params.push(("count", clocks.len().to_string()));
                    params.push(("clocks", list(clocks)));
                }
                params
            }
            Self::Connected { name, took } => {
                vec![("name", name.clone()), ("seconds", tenths(*took))]
            }
            Self::Services { family, .. } => {
                vec![("family", family.name().to_owned())]
            }
            Self::Mtu { mtu } => vec![
                ("mtu", mtu.to_string()),
                ("payload", mtu.saturating_sub(3).to_string()),
            ],
            Self::Answered { fastest, slowest } => vec![
                ("fastest", fastest.as_millis().to_string()),
                ("slowest", slowest.as_millis().to_string()),
            ],
        }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ServiceAnswers => f.write_str("The system's Bluetooth service answers."),
            Self::Permitted => f.write_str("Nothing keeps this program from using Bluetooth."),
            Self::Adapter {
                name,
                address: Some(address),
            } => write!(
                f,
                "There is an adapter: {}, address {address}.",
                named(name)
            ),
            Self::Adapter {
                name,
                address: None,
            } => write!(f, "There is an adapter: {}.", named(name)),
            Self::RadioOn => f.write_str("Its radio is on."),
            Self::Heard {
                devices,
                clocks,
                listened,
            } => {
                let seconds = listened.as_secs();
                write!(f, "Bluetooth devices heard in {seconds} s: {devices}. ")?;
                if clocks.is_empty() {
                    f.write_str("Clocks among them: none.")
                } else {
                    let count = clocks.len();
                    write!(f, "Clocks among them: {count}, {}.", list(clocks))
                }
            }
            Self::Connected { name, took } => {
                write!(f, "Connected to {name} in {} s.", tenths(*took))
            }
            Self::Services { family, .. } => {
                write!(
                    f,
                    "It offers what a clock of the family {} offers.",
                    family.name()
                )
            }
            Self::Mtu { mtu } => write!(
                f,
                "The link carries {} bytes at a time (ATT MTU {mtu}).",
                mtu.saturating_sub(3)
            ),
            Self::Answered { fastest, slowest } => write!(
                f,
                "The clock answers a write in {} to {} ms.",
                fastest.as_millis(),
                slowest.as_millis()
            ),
            Self::NoHarmlessWrite => f.write_str(
                "Nothing was written: for this family no write is known to be surely harmless.",
            ),
            Self::LetGo => f.write_str("The link was let go."),
        }
    }
}

fn named(name: &Option<String>) -> String {
    name.clone().unwrap_or_else(|| "Bluetooth".to_owned())
}

fn tenths(time: Duration) -> String {
    format!("{:.1}", time.as_secs_f64())
}

/// Clocks as one phrase, such as `NRF-7D8E9F (-48 dBm), NRF-000102 (connected)`.
fn list(clocks: &[Advertisement]) -> String {
    let phrases = clocks.iter().map(|clock| {
        let name = match clock.name.as_str() {
            "" => clock.address.as_str(),
            name => name,
        };
        match clock.rssi {
            Some(rssi) => format!("{name} ({rssi} dBm)"),
            None => format!("{name} (connected)"),
        }
    });
    phrases.collect::<Vec<_>>().join(", ")
}
