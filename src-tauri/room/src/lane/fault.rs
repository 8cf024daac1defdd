//! What a refusal or a lost exchange is to whoever asked.

use std::time::Duration;

use crate::dialect::{Family, Lack, Refusal};
use crate::error::{RoomError, TokenFault};
use crate::exchange::TransportError;
use crate::guard::Conflict;
use crate::names::DeviceId;

/// When to try again, where nothing says when.
pub(super) const AGAIN: Duration = Duration::from_secs(1);

/// Why an exchange has no reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Lost {
    /// Its turn would come too late, by this much.
    Late(Duration),
    /// Another change of the puzzle stands against it.
    Conflict(Conflict),
    /// The transport.
    Transport(TransportError),
    /// Its answer broke off before it meant anything.
    BrokeOff(String),
}

impl Lost {
    /// Whether the device has certainly not got it.
    pub(super) fn is_unsent(&self) -> bool {
        match self {
            Self::Late(_) | Self::Conflict(_) => true,
            Self::BrokeOff(_) => false,
            Self::Transport(error) => matches!(
                error,
                TransportError::NotConnected { .. } | TransportError::NotPrivate { .. }
            ),
        }
    }

    /// Whether it makes sense to send it again.
    pub(super) fn may_pass(&self) -> bool {
        matches!(
            self,
            Self::BrokeOff(_)
                | Self::Transport(
                    TransportError::NotConnected { .. }
                        | TransportError::TimedOut { .. }
                        | TransportError::Broken { .. }
                )
        )
    }

    /// What happened, as an English phrase.
    pub(super) fn detail(&self) -> String {
        match self {
            Self::Late(_) => "its turn came too late".to_owned(),
            Self::Conflict(conflict) => format!("{} is being changed", conflict.puzzle),
            Self::BrokeOff(detail) => detail.clone(),
            Self::Transport(TransportError::NotConnected { detail }) => {
                format!("it cannot be reached ({detail})")
            }
            Self::Transport(TransportError::TimedOut { after }) => {
                format!("no answer in {:.1} s", after.as_secs_f64())
            }
            Self::Transport(TransportError::Broken { detail }) => {
                format!("the connection broke ({detail})")
            }
            Self::Transport(TransportError::NotPrivate { address }) => {
                format!("its name means {address}, which is not an address of this network")
            }
        }
    }

    /// The failure of a request that ended so.
    pub(super) fn error(&self, device: &DeviceId) -> RoomError {
        let device = device.clone();
        match self {
            Self::Late(by) => RoomError::Busy {
                device,
                retry_after: (*by).max(Duration::from_millis(1)),
            },
            Self::Conflict(conflict) => conflicting(device, *conflict),
            Self::Transport(TransportError::NotPrivate { address }) => {
                RoomError::AddressNotPrivate {
                    address: address.clone(),
                }
            }
            Self::BrokeOff(detail) => RoomError::Nonsense {
                device,
                detail: detail.clone(),
            },
            Self::Transport(_) => RoomError::Unreachable {
                device,
                detail: self.detail(),
            },
        }
    }
}

pub(super) fn conflicting(device: DeviceId, conflict: Conflict) -> RoomError {
    RoomError::PuzzleConflict {
        device,
        puzzle: conflict.puzzle.to_string(),
        other: conflict.other.to_string(),
        retry_after: conflict.retry_after,
    }
}

/// A part that the device's firmware cannot do.
pub(super) fn lacking(device: &DeviceId, family: Family, lack: Lack) -> RoomError {
    RoomError::CannotDo {
        device: device.clone(),
        family,
        part: lack.part,
    }
}

/// The failure of a request that a device refused.
pub(super) fn refused(device: &DeviceId, refusal: Refusal) -> RoomError {
    let device = device.clone();
    match refusal {
        Refusal::Token(fault) => RoomError::Token { device, fault },
        Refusal::Throttled {
            detail,
            retry_after,
        } => RoomError::Throttled {
            device,
            detail,
            retry_after: retry_after.unwrap_or(AGAIN),
        },
        Refusal::CameraBlocked { detail } => RoomError::CameraBlocked {
            device,
            detail,
            retry_after: AGAIN,
        },
        Refusal::Busy { detail } => RoomError::Throttled {
            device,
            detail,
            retry_after: AGAIN,
        },
        Refusal::Conflict { detail } => RoomError::StateConflict { device, detail },
        Refusal::Said { detail } => RoomError::Refused { device, detail },
        Refusal::Nonsense { detail } => RoomError::Nonsense { device, detail },
    }
}

/// What is the matter with a token that was refused: dialects cannot know whether one was sent, nor
/// whether the same one lets reading through.
pub(super) fn token(fault: TokenFault, sent: bool, write: bool, reads: bool) -> TokenFault {
    match fault {
        TokenFault::Refused if !sent => TokenFault::Missing,
        TokenFault::Refused if write && reads => TokenFault::ReadingOnly,
        fault => fault,
    }
}
