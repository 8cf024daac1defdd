//! The room's tools, as the room's contract has them word for word.

mod answer;
mod arguments;
mod failure;

use regie_engine::EngineError;
use regie_engine::rooms::request::EventType;
use regie_engine::rooms::{Request, RoomError};
use serde_json::{Map, Value};

pub(super) use self::answer::Answered;
pub(super) use self::arguments::{
    AudioPlay, CameraCapture, LedSet, PuzzleSetState, RoomDeviceStatus, ScenarioAdvance,
};
pub(crate) use self::failure::{AUTH_FAILED, AUTH_FAILED_CODE};
pub(super) use self::failure::{Failure, refused};
use super::answer::Told;
use super::call::Call;
use super::nearest::bare;

/// Most characters of a device's identifier.
const MAX_ID: usize = 64;

/// Of which device something is asked.
pub(super) struct Asked {
    pub(super) device: String,
    pub(super) request: Request,
}

/// The device that a call names, whether there is one or not; cut to what an identifier may have.
pub(super) fn device_named(arguments: &Map<String, Value>) -> Option<String> {
    let named = arguments.get("device_id")?.as_str()?;
    Some(named.chars().take(MAX_ID).collect())
}

/// Whether the arguments of `scenario_advance` are those of the game master's override.
pub(super) fn is_override(arguments: &Map<String, Value>) -> bool {
    let event = arguments.get("event_type").and_then(Value::as_str);
    event
        .is_some_and(|event| event.len() <= MAX_ID && bare(event) == bare(EventType::Manual.name()))
}

/// Asks a device and tells what came of it; `device` is named where the arguments are wrong.
pub(super) async fn carry_out(
    call: &Call,
    device: Option<String>,
    asked: Result<Asked, Failure>,
) -> Told {
    match ask(call, asked).await {
        Ok(told) => told,
        Err(failure) => refused(device, failure),
    }
}

async fn ask(call: &Call, asked: Result<Asked, Failure>) -> Result<Told, Failure> {
    let Asked { device, request } = asked?;
    let asking = call
        .engine
        .ask_device(call.caller.clone(), &device, request.clone());
    let done = tokio::select! {
        done = asking => done,
        () = call.stop.cancelled() => {
            // It goes on without anybody who waits for it.
            mark_journalled(call, &request);
            return Err(Failure::cancelled(&request));
        }
    };
    if !matches!(done, Err(EngineError::Room(RoomError::Closed))) {
        mark_journalled(call, &request);
    }
    answer::told(device, &request, done?)
}

/// The engine writes down what is more than a look.
fn mark_journalled(call: &Call, request: &Request) {
    if *request != Request::Status {
        call.mark_journalled();
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_override_is_known_as_models_write_it() {
        for (event, is_one) in [
            (json!("manual"), true),
            (json!("Manual"), true),
            (json!("button"), false),
            (json!("manual".repeat(100)), false),
            (json!(1), false),
        ] {
            let arguments = Map::from_iter([("event_type".to_owned(), event)]);
            assert_eq!(is_override(&arguments), is_one, "{arguments:?}");
        }
    }
}
