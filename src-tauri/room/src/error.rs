//! What can go wrong with a device, in words an operator understands.

use std::time::Duration;

use thiserror::Error;

use crate::dialect::Family;
use crate::names::DeviceId;

/// The kinds of failure that the contract's error codes tell apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorClass {
    /// The request is wrong, or asks for what the device cannot do.
    Invalid,
    /// The device does not answer, or it is unknown whether it did what was asked.
    Unreachable,
    /// The device or its guard has no time now.
    Busy,
    /// The device does not accept the token.
    Auth,
    /// Another change of the same puzzle stands against it.
    Conflict,
    /// The device answered with an error or with nonsense.
    Internal,
}

/// What is the matter with a device's token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenFault {
    /// It asks for one, and none is known.
    Missing,
    /// It refuses the one that is known.
    Refused,
    /// It takes the token for reading and refuses it for writing.
    ReadingOnly,
    /// It has no token itself yet, or is in setup mode, and lets nobody in.
    SetupMode,
}

/// Everything that can go wrong between a request and a device.
///
/// `Display` is a whole English sentence. [`code`](Self::code) is stable and, with
/// [`params`](Self::params), enough to build the same sentence in another language.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum RoomError {
    /// Text that is no identifier of a device.
    #[error("\"{id}\" cannot be the name of a device.")]
    IdInvalid {
        /// What was given.
        id: String,
    },
    /// An identifier that another device has.
    #[error("There is a device called {id} already.")]
    IdTaken {
        /// It.
        id: DeviceId,
    },
    /// A device that nobody has set.
    #[error("There is no device called {id}.")]
    DeviceUnknown {
        /// What was given.
        id: String,
        /// Those there are.
        known: Vec<DeviceId>,
    },
    /// Text that is no address.
    #[error("\"{address}\" is not an address of a device.")]
    AddressInvalid {
        /// What was given.
        address: String,
    },
    /// An address outside one's own networks.
    #[error("{address} is not an address of this network.")]
    AddressNotPrivate {
        /// What was given.
        address: String,
    },
    /// More devices than the room takes.
    #[error("There are {limit} devices already.")]
    TooManyDevices {
        /// Most there may be.
        limit: usize,
    },
    /// A device that a relay cannot go through.
    #[error("{gateway} cannot relay to other devices.")]
    GatewayInvalid {
        /// The device that was to relay.
        gateway: DeviceId,
    },
    /// A name that is none of those there are.
    #[error("The {what} \"{given}\" is none of: {known}.")]
    NameUnknown {
        /// What it is a name of.
        what: &'static str,
        /// What was given.
        given: String,
        /// The names there are, separated by commas.
        known: String,
    },
    /// A colour that is none.
    #[error("\"{colour}\" is not a colour.")]
    ColourInvalid {
        /// What was given.
        colour: String,
    },
    /// A number outside its range.
    #[error("The {what} {given} is outside {least} to {most}.")]
    OutOfRange {
        /// What the number is.
        what: &'static str,
        /// What was given.
        given: i64,
        /// The least it may be.
        least: i64,
        /// The most it may be.
        most: i64,
    },
    /// A text that is empty, too long, or holds control characters.
    #[error("The {what} must have 1 to {most} characters, none of them a control character.")]
    TextInvalid {
        /// What the text is.
        what: &'static str,
        /// Most characters it may have.
        most: usize,
    },
    /// The device does not answer.
    #[error("{device} does not answer: {detail}.")]
    Unreachable {
        /// Which.
        device: DeviceId,
        /// What was tried and what came of it.
        detail: String,
    },
    /// The answer to something that must not be done twice was lost.
    #[error("It is unknown whether {device} did this: {detail}.")]
    OutcomeUnknown {
        /// Which.
        device: DeviceId,
        /// What was seen.
        detail: String,
    },
    /// The guard has no place for this request in time.
    #[error("{device} is busy with other requests.")]
    Busy {
        /// Which.
        device: DeviceId,
        /// When to try again.
        retry_after: Duration,
    },
    /// The device itself has no time.
    #[error("{device} asks to be left alone for a moment: {detail}.")]
    Throttled {
        /// Which.
        device: DeviceId,
        /// What it said.
        detail: String,
        /// When to try again.
        retry_after: Duration,
    },
    /// The device's camera may not be used now.
    #[error("The camera of {device} is not available now: {detail}.")]
    CameraBlocked {
        /// Which.
        device: DeviceId,
        /// What it said.
        detail: String,
        /// When to try again.
        retry_after: Duration,
    },
    /// The device does not accept the token.
    #[error("{}", token_sentence(device, *fault))]
    Token {
        /// Which.
        device: DeviceId,
        /// What is the matter with it.
        fault: TokenFault,
    },
    /// A change against another one within the last second.
    #[error("{device} was asked to set {puzzle} to {other} a moment ago.")]
    PuzzleConflict {
        /// Which.
        device: DeviceId,
        /// The puzzle.
        puzzle: String,
        /// What it was set to.
        other: String,
        /// When this change may be asked for again.
        retry_after: Duration,
    },
    /// The device says that its state stands against the change.
    #[error("{device} refuses the change as it is now: {detail}.")]
    StateConflict {
        /// Which.
        device: DeviceId,
        /// What it said.
        detail: String,
    },
    /// Something that the board's firmware cannot do.
    #[error("{device} ({family}) cannot do this part: {part}.")]
    CannotDo {
        /// Which.
        device: DeviceId,
        /// What it speaks.
        family: Family,
        /// The part of the request.
        part: String,
    },
    /// The device said no.
    #[error("{device} refused: {detail}.")]
    Refused {
        /// Which.
        device: DeviceId,
        /// What it said.
        detail: String,
    },
    /// The device failed, or answered with something that is no answer.
    #[error("{device} answered with something unexpected: {detail}.")]
    Nonsense {
        /// Which.
        device: DeviceId,
        /// What came.
        detail: String,
    },
    /// The search for devices cannot run.
    #[error("Devices cannot be searched for on this network: {detail}.")]
    SearchUnavailable {
        /// What the system said.
        detail: String,
    },
    /// The network cannot be used at all.
    #[error("The network cannot be used: {detail}.")]
    NetworkUnusable {
        /// What the system said.
        detail: String,
    },
    /// The room was closed.
    #[error("Regie is closing.")]
    Closed,
}

fn token_sentence(device: &DeviceId, fault: TokenFault) -> String {
    match fault {
        TokenFault::Missing => format!("{device} asks for a token."),
        TokenFault::Refused => format!("{device} refuses this token."),
        TokenFault::ReadingOnly => format!("{device} accepts this token for reading only."),
        TokenFault::SetupMode => format!("{device} is not set up yet and lets nobody in."),
    }
}

impl RoomError {
    /// The stable name of this failure.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::IdInvalid { .. } => "device-id-invalid",
            Self::IdTaken { .. } => "device-id-taken",
            Self::DeviceUnknown { .. } => "device-unknown",
            Self::AddressInvalid { .. } => "device-address-invalid",
            Self::AddressNotPrivate { .. } => "device-address-not-private",
            Self::TooManyDevices { .. } => "too-many-devices",
            Self::GatewayInvalid { .. } => "gateway-invalid",
            Self::NameUnknown { .. } => "room-name-unknown",
            Self::ColourInvalid { .. } => "colour-invalid",
            Self::OutOfRange { .. } => "room-out-of-range",
            Self::TextInvalid { .. } => "room-text-invalid",
            Self::Unreachable { .. } => "device-unreachable",
            Self::OutcomeUnknown { .. } => "device-outcome-unknown",
            Self::Busy { .. } => "device-busy",
            Self::Throttled { .. } => "device-throttled",
            Self::CameraBlocked { .. } => "camera-blocked",
            Self::Token { fault, .. } => match fault {
                TokenFault::Missing => "device-token-missing",
                TokenFault::Refused => "device-token-refused",
                TokenFault::ReadingOnly => "device-token-reading-only",
                TokenFault::SetupMode => "device-setup-mode",
            },
            Self::PuzzleConflict { .. } => "puzzle-conflict",
            Self::StateConflict { .. } => "device-state-conflict",
            Self::CannotDo { .. } => "device-cannot-do",
            Self::Refused { .. } => "device-refused",
            Self::Nonsense { .. } => "device-nonsense",
            Self::SearchUnavailable { .. } => "search-unavailable",
            Self::NetworkUnusable { .. } => "network-unusable",
            Self::Closed => "closing",
        }
    }

    /// The kind of failure, as the contract's error codes tell them apart.
    #[must_use]
    pub fn class(&self) -> ErrorClass {
        match self {
            Self::IdInvalid { .. }
            | Self::IdTaken { .. }
            | Self::DeviceUnknown { .. }
            | Self::AddressInvalid { .. }
            | Self::AddressNotPrivate { .. }
            | Self::TooManyDevices { .. }
            | Self::GatewayInvalid { .. }
            | Self::NameUnknown { .. }
            | Self::ColourInvalid { .. }
            | Self::OutOfRange { .. }
            | Self::TextInvalid { .. }
            | Self::CannotDo { .. } => ErrorClass::Invalid,
            Self::Unreachable { .. } | Self::OutcomeUnknown { .. } => ErrorClass::Unreachable,
            Self::Busy { .. } | Self::Throttled { .. } | Self::CameraBlocked { .. } => {
                ErrorClass::Busy
            }
            Self::Token { .. } => ErrorClass::Auth,
            Self::PuzzleConflict { .. } | Self::StateConflict { .. } => ErrorClass::Conflict,
            Self::Refused { .. }
            | Self::Nonsense { .. }
            | Self::SearchUnavailable { .. }
            | Self::NetworkUnusable { .. }
            | Self::Closed => ErrorClass::Internal,
        }
    }

    /// What to do next.
    #[must_use]
    pub fn hint(&self) -> &'static str {
        match self {
            Self::IdInvalid { .. } => {
                "Use 1 to 64 letters without accents, digits, hyphens, underscores and full stops."
            }
            Self::IdTaken { .. } => "Choose another name.",
            Self::DeviceUnknown { .. } => {
                "Use one of the devices that are listed, or add it first."
            }
            Self::AddressInvalid { .. } => {
                "Give an address such as 192.168.0.50 or 192.168.0.50:8080, or a name such as zacus.local."
            }
            Self::AddressNotPrivate { .. } => {
                "Devices are only driven on networks of one's own, such as 192.168.x.x or 10.x.x.x."
            }
            Self::TooManyDevices { .. } => "Remove devices that are not used any more.",
            Self::GatewayInvalid { .. } => {
                "Choose a device that is reached directly and speaks ESP-NOW."
            }
            Self::NameUnknown { .. } | Self::OutOfRange { .. } | Self::TextInvalid { .. } => {
                "Correct it and try again."
            }
            Self::ColourInvalid { .. } => {
                "Use #RRGGBB or one of red, green, blue, white, off, warm, cold, purple, orange."
            }
            Self::Unreachable { .. } => {
                "Check that it has power and is on this network, then try again."
            }
            Self::OutcomeUnknown { .. } => {
                "Look at the device or read its status before asking again."
            }
            Self::Busy { .. } | Self::Throttled { .. } => "Try again in a moment.",
            Self::CameraBlocked { .. } => {
                "Its camera rests while the board draws or records; try again in a moment, or in another scene."
            }
            Self::Token { fault, .. } => match fault {
                TokenFault::Missing => "Give the device's token in the Room view.",
                TokenFault::Refused => {
                    "Give another token; the board prints its own on the serial line when it starts."
                }
                TokenFault::ReadingOnly => {
                    "Give the token for writing; this firmware has two, and prints both on the serial line when it starts."
                }
                TokenFault::SetupMode => {
                    "Join its setup network and give it the Wi-Fi of this room, or set its token over the serial line."
                }
            },
            Self::PuzzleConflict { .. } => "Wait a second, or use the override.",
            Self::StateConflict { .. } => "Read its status; a reset or the override may be needed.",
            Self::CannotDo { .. } => {
                "Leave this part out, or use what the device's card says it can do."
            }
            Self::Refused { .. } => "Check that what was asked for exists on the device.",
            Self::Nonsense { .. } => {
                "Check that this is the right device at the right address, and restart it if it stays."
            }
            Self::SearchUnavailable { .. } => "Add devices by their address instead.",
            Self::NetworkUnusable { .. } => "Check the network of this computer.",
            Self::Closed => "Start Regie again.",
        }
    }

    /// The values in the sentence, for a translated one.
    #[must_use]
    pub fn params(&self) -> Vec<(&'static str, String)> {
        let device = |device: &DeviceId| ("device", device.to_string());
        let detail = |detail: &String| ("detail", detail.clone());
        let wait = |wait: &Duration| ("seconds", format!("{:.1}", wait.as_secs_f64()));
        match self {
            Self::IdInvalid { id } => vec![("id", id.clone())],
            Self::IdTaken { id } => vec![("id", id.to_string())],
            Self::DeviceUnknown { id, known } => {
                let known: Vec<_> = known.iter().map(DeviceId::as_str).collect();
                vec![("id", id.clone()), ("known", known.join(", "))]
            }
            Self::AddressInvalid { address } | Self::AddressNotPrivate { address } => {
                vec![("address", address.clone())]
            }
            Self::TooManyDevices { limit } => vec![("limit", limit.to_string())],
            Self::GatewayInvalid { gateway } => vec![("gateway", gateway.to_string())],
            Self::NameUnknown { what, given, known } => vec![
                ("what", (*what).to_owned()),
                ("given", given.clone()),
                ("known", known.clone()),
            ],
            Self::ColourInvalid { colour } => vec![("colour", colour.clone())],
            Self::OutOfRange {
                what,
                given,
                least,
                most,
            } => vec![
                ("what", (*what).to_owned()),
                ("given", given.to_string()),
                ("least", least.to_string()),
                ("most", most.to_string()),
            ],
            Self::TextInvalid { what, most } => {
                vec![("what", (*what).to_owned()), ("most", most.to_string())]
            }
            Self::Unreachable {
                device: at,
                detail: said,
            }
            | Self::OutcomeUnknown {
                device: at,
                detail: said,
            }
            | Self::StateConflict {
                device: at,
                detail: said,
            }
            | Self::Refused {
                device: at,
                detail: said,
            }
            | Self::Nonsense {
                device: at,
                detail: said,
            } => vec![device(at), detail(said)],
            Self::Throttled {
                device: at,
                detail: said,
                retry_after,
            }
            | Self::CameraBlocked {
                device: at,
                detail: said,
                retry_after,
            } => vec![device(at), detail(said), wait(retry_after)],
            Self::Busy {
                device: at,
                retry_after,
            } => vec![device(at), wait(retry_after)],
            Self::Token { device: at, .. } => vec![device(at)],
            Self::PuzzleConflict {
                device: at,
                puzzle,
                other,
                retry_after,
            } => vec![
                device(at),
                ("puzzle", puzzle.clone()),
                ("other", other.clone()),
                wait(retry_after),
            ],
            Self::CannotDo {
                device: at,
                family,
                part,
            } => vec![
                device(at),
                ("family", family.to_string()),
                ("part", part.clone()),
            ],
            Self::SearchUnavailable { detail: said } | Self::NetworkUnusable { detail: said } => {
                vec![detail(said)]
            }
            Self::Closed => Vec::new(),
        }
    }

    /// When to try again, where that is known.
    #[must_use]
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::Busy { retry_after, .. }
            | Self::Throttled { retry_after, .. }
            | Self::CameraBlocked { retry_after, .. }
            | Self::PuzzleConflict { retry_after, .. } => Some(*retry_after),
            _ => None,
        }
    }
}
