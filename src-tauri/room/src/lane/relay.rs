//! Devices that only a gateway reaches.

use std::sync::Arc;

use tokio::time::Instant;

use crate::answer::Done;
use crate::dialect::{self, Family, Script};
use crate::error::RoomError;
use crate::exchange::Exchange;
use crate::guard::Load;
use crate::mesh;
use crate::request::Request;
use crate::state::{Abilities, Condition};

use super::device::{Device, OnTheWay, Pass};
use super::{COMMAND_TIME, Lane, LaneState, Work, fault};

/// Tools that a relayed device knows something of.
const TOOLS: [&str; 4] = [
    "puzzle_set_state",
    "audio_play",
    "led_set",
    "scenario_advance",
];

/// A message on its way through a gateway.
#[derive(Clone, Debug)]
pub(super) struct Relay {
    pub(super) request: Request,
    pub(super) msg_id: String,
    exchange: Exchange,
    remarks: Vec<String>,
}

impl Relay {
    /// The message for a request, numbered by the gateway.
    ///
    /// # Errors
    /// [`RoomError::CannotDo`].
    pub(super) fn new(gateway: &Device, request: Request) -> Result<Self, RoomError> {
        let relayed = mesh::relay(&request, gateway.number())
            .map_err(|lack| fault::lacking(&gateway.id, Family::Freenove, lack))?;
        Ok(Self {
            request,
            msg_id: relayed.msg_id,
            exchange: relayed.exchange,
            remarks: relayed.remarks,
        })
    }

    pub(super) fn script(&self) -> Script {
        Script {
            exchanges: vec![self.exchange.clone()],
            remarks: self.remarks.clone(),
        }
    }
}

/// What a relayed device can do: messages are in the words of the board that relays them.
pub(super) fn abilities() -> Abilities {
    let lacks = dialect::of(Family::Freenove).abilities().lacks;
    Abilities {
        tools: TOOLS.to_vec(),
        lacks: lacks
            .into_iter()
            .filter(|lack| !lack.starts_with("camera"))
            .collect(),
    }
}

/// How a relayed device is, as far as its gateway tells.
pub(super) fn condition(gateway: &LaneState) -> Condition {
    match &gateway.condition {
        Condition::Unreachable { detail } => Condition::Unreachable {
            detail: format!("its gateway does not answer: {detail}"),
        },
        _ => Condition::Relayed,
    }
}

/// Carries a request out through a gateway, within the limits of both.
///
/// # Errors
/// See [`RoomError`].
pub(super) async fn carry_out(
    device: Arc<Device>,
    gateway: Lane,
    request: Request,
    pass: Pass,
) -> Result<Done, RoomError> {
    mesh::relay(&request, 0).map_err(|lack| fault::lacking(&device.id, Family::Freenove, lack))?;
    let load = Load::of(&request);
    device
        .admit(load, pass)
        .await
        .map_err(|lost| lost.error(&device.id))?;
    let by = match pass {
        Pass::By(by) => by,
        Pass::Now => Instant::now() + COMMAND_TIME,
    };
    let on_the_way = OnTheWay::new(&device, load);
    let done = gateway.take(Work::Relay(request), by).await;
    drop(on_the_way);
    done.map_err(|error| for_device(&device, error))
}

/// A gateway's failure as that of the device behind it; what is the matter with the gateway's token
/// stays its own.
fn for_device(device: &Device, error: RoomError) -> RoomError {
    let behind = device.id.clone();
    match error {
        RoomError::Unreachable { device, detail } => RoomError::Unreachable {
            device: behind,
            detail: format!("its gateway {device} does not answer: {detail}"),
        },
        RoomError::OutcomeUnknown { device, detail } => RoomError::OutcomeUnknown {
            device: behind,
            detail: format!("its gateway {device} did not answer: {detail}"),
        },
        RoomError::Refused { detail, .. } => RoomError::Refused {
            device: behind,
            detail,
        },
        error => error,
    }
}
