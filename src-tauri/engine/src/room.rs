//! What doors say and are told of the room's devices.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use regie_room::request::{AudioAction, Volume};
use regie_room::{
    Address, Answer, DeviceEntry, DeviceId, Done, Outcome, Request, RoomError, Token,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A device as a person fills it in; it replaces the one of the same identifier.
#[derive(Clone, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
pub struct DeviceForm {
    /// The identifier it is to have.
    pub id: DeviceId,
    /// The device this changes; `None`: a new one.
    pub replaces: Option<DeviceId>,
    /// The found device this is, by its key; what it was found as is then kept.
    pub found: Option<String>,
    /// What people call it; empty: its identifier.
    pub name: String,
    /// The room it stands in; empty: none.
    pub room: String,
    /// Where it answers.
    pub address: Option<Address>,
    /// The device that relays to it.
    pub via: Option<DeviceId>,
    /// The loudest it may be asked to play.
    pub volume_limit: Volume,
    /// A token for it; `None`: the one there is stays.
    pub token: Option<String>,
}

impl fmt::Debug for DeviceForm {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        // All but the token.
        out.debug_struct("DeviceForm")
            .field("id", &self.id)
            .field("replaces", &self.replaces)
            .field("found", &self.found)
            .field("name", &self.name)
            .field("room", &self.room)
            .field("address", &self.address)
            .field("via", &self.via)
            .field("volume_limit", &self.volume_limit)
            .finish_non_exhaustive()
    }
}

/// What came of asking a device for something.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
pub struct DeviceAnswer {
    /// What is known about it.
    pub outcome: Outcome,
    /// What the device said, as JSON; `null` where it said nothing readable.
    #[cfg_attr(feature = "ts", ts(type = "unknown"))]
    pub reply: Value,
    /// The picture, for a camera.
    pub picture: Option<DevicePicture>,
    /// The request had to be sent a second time.
    pub sent_again: bool,
    /// It went to every device that hears the gateway, without proof that one got it.
    pub broadcast: bool,
    /// What the device could not do exactly; English sentences.
    pub remarks: Vec<String>,
    /// From the request's turn to its end, in milliseconds.
    pub device_ms: u32,
}

/// A picture of a device's camera.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
pub struct DevicePicture {
    /// The JPEG in base64.
    pub jpeg: String,
    /// Width in pixels.
    pub width: u16,
    /// Height in pixels.
    pub height: u16,
}

/// Where the room's devices are: the app knows the network and the simulation.
pub struct RoomSource {
    /// What carries requests.
    pub transport: std::sync::Arc<dyn regie_room::Transport>,
    /// How devices are searched for.
    pub search: regie_room::Search,
    /// Devices that are there without being set, with their tokens: those of a simulation.
    pub devices: Vec<(regie_room::DeviceEntry, Option<regie_room::Token>)>,
}

impl fmt::Debug for RoomSource {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("RoomSource")
            .field("search", &self.search)
            .field("devices", &self.devices)
            .finish_non_exhaustive()
    }
}

impl From<Done> for DeviceAnswer {
    fn from(done: Done) -> Self {
        let (reply, picture) = match done.answer {
            Answer::Json(reply) => (reply, None),
            Answer::Picture(shot) => {
                let picture = DevicePicture {
                    jpeg: STANDARD.encode(&shot.jpeg),
                    width: shot.width,
                    height: shot.height,
                };
                (Value::Null, Some(picture))
            }
        };
        Self {
            outcome: done.outcome,
            reply,
            picture,
            sent_again: done.sent_again,
            broadcast: done.broadcast,
            remarks: done.remarks,
            device_ms: u32::try_from(done.device_time.as_millis()).unwrap_or(u32::MAX),
        }
    }
}

/// A device together with its token.
pub(crate) type Trusted = (DeviceEntry, Option<Token>);

/// What exactly was asked, in the words of the wire, as the journal has it.
pub(crate) fn in_short(request: &Request) -> String {
    match request {
        Request::Puzzle(change) => {
            let silent = if change.effects { "" } else { ", no effects" };
            format!("{} {}{silent}", change.puzzle, change.state)
        }
        Request::Audio(change) => match change.action {
            AudioAction::Play => {
                let looped = if change.looped { ", loop" } else { "" };
                let volume = change.volume.get();
                format!("play {} at {volume} %{looped}", change.source)
            }
            other => format!("{other} {}", change.source),
        },
        Request::Led(change) => format!(
            "{} {} {} {}",
            change.zone,
            change.color,
            change.pattern,
            change.brightness.get()
        ),
        Request::Camera(capture) => {
            format!("{} {}", capture.resolution, capture.quality.get())
        }
        Request::Scenario(advance) => {
            let target = advance.target.as_ref();
            let target = target.map(|step| format!(" to {step}")).unwrap_or_default();
            format!("{} {}{target}", advance.event, advance.name)
        }
        Request::Status => String::new(),
    }
}

/// No room at all, for a source of clocks alone.
pub(crate) fn no_room() -> RoomError {
    RoomError::NetworkUnusable {
        detail: "there is no network behind this engine".into(),
    }
}
