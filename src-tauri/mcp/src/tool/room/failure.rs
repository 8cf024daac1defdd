//! Failures of the room's tools: errors of the protocol, with the codes of the room's contract.

use std::time::Duration;

use regie_engine::rooms::{ErrorClass, Request, RoomError};
use regie_engine::{EngineError, Fault};
use rmcp::ErrorData;
use rmcp::model::ErrorCode;
use serde_json::{Map, Value, json};

use crate::tool::answer::{self, AGENTS_BUSY, Told};
use crate::tool::nearest::nearest;

/// When a caller may try again where too many calls are under way.
const AGENTS_BUSY_FOR: Duration = Duration::from_secs(1);

/// How messages of that class begin.
pub(crate) const AUTH_FAILED: &str = "Auth failed";

/// The device does not accept its token.
pub(crate) const AUTH_FAILED_CODE: ErrorCode = ErrorCode(-32002);

/// Why a tool of the room did not do what it was asked.
#[derive(Debug)]
pub(in crate::tool) struct Failure {
    class: ErrorClass,
    fault: Box<Fault>,
    cancelled: bool,
    retry_after: Option<Duration>,
    /// The devices there are, where the one that was asked for is none of them.
    known: Option<Vec<String>>,
}

impl Failure {
    /// Arguments that a tool does not take.
    pub(in crate::tool) fn of_argument(
        message: impl Into<String>,
        hint: impl Into<String>,
    ) -> Self {
        answer::Failure::of_argument(message, hint).into()
    }

    /// The caller wished it to end.
    pub(super) fn cancelled(request: &Request) -> Self {
        answer::Failure::cancelled(match request {
            Request::Status => "Nothing was changed.",
            _ => "What was sent to the device is not undone; read its status before the next call.",
        })
        .into()
    }
}

impl From<answer::Failure> for Failure {
    fn from(failure: answer::Failure) -> Self {
        let (fault, cancelled) = failure.into_parts();
        let is_busy = fault.code == AGENTS_BUSY;
        let class = match fault.agent_code.as_str() {
            "INVALID_PARAM" => ErrorClass::Invalid,
            _ if is_busy => ErrorClass::Busy,
            _ => ErrorClass::Internal,
        };
        Self {
            class,
            fault: Box::new(fault),
            cancelled,
            retry_after: is_busy.then_some(AGENTS_BUSY_FOR),
            known: None,
        }
    }
}

impl From<EngineError> for Failure {
    fn from(error: EngineError) -> Self {
        let mut fault = Fault::from(&error);
        let (class, retry_after) = match &error {
            EngineError::Room(error) => (error.class(), error.retry_after()),
            _ => (ErrorClass::Internal, None),
        };
        let known = match error {
            EngineError::Room(RoomError::DeviceUnknown { id, known }) => {
                let known: Vec<String> = known.into_iter().map(String::from).collect();
                fault.hint = meant(&id, &known);
                Some(known)
            }
            _ => None,
        };
        Self {
            class,
            fault: Box::new(fault),
            cancelled: false,
            retry_after,
            known,
        }
    }
}

/// What to do where there is no such device.
fn meant(id: &str, known: &[String]) -> String {
    if known.is_empty() {
        return "No device is set; add one in the Room view or in ZACUS_DEVICES.".into();
    }
    let there_are = format!("There are: {}.", known.join(", "));
    match nearest(id, known.iter().map(String::as_str)) {
        Some(meant) => format!("Did you mean {meant}? {there_are}"),
        None => there_are,
    }
}

/// The code of a class of failures, and its meaning in the contract's words.
fn code(class: ErrorClass) -> (ErrorCode, &'static str) {
    match class {
        ErrorClass::Invalid => (ErrorCode::INVALID_PARAMS, "Invalid params"),
        ErrorClass::Unreachable => (ErrorCode(-32000), "Device unreachable"),
        ErrorClass::Busy => (ErrorCode(-32001), "Device busy"),
        ErrorClass::Auth => (AUTH_FAILED_CODE, AUTH_FAILED),
        ErrorClass::Conflict => (ErrorCode(-32003), "Puzzle state conflict"),
        ErrorClass::Internal => (ErrorCode::INTERNAL_ERROR, "Internal error"),
    }
}

/// A failure in the form of the contract. Models are often shown the message alone, so it says
/// what happened and what to do as well.
pub(in crate::tool) fn refused(device: Option<String>, failure: Failure) -> Told {
    let (code, meaning) = code(failure.class);
    let Fault { message, hint, .. } = &*failure.fault;
    let mut data = Map::new();
    if let Some(device) = device {
        data.insert("device_id".into(), device.into());
    }
    data.insert("detail".into(), message.as_str().into());
    data.insert("code".into(), failure.fault.code.as_str().into());
    data.insert("hint".into(), hint.as_str().into());
    if let Some(wait) = failure.retry_after {
        // Whoever comes at the millisecond that was cut off is too early.
        let wait = wait.as_micros().div_ceil(1000);
        data.insert("retry_after_ms".into(), json!(u64::try_from(wait).ok()));
    }
    if let Some(known) = failure.known {
        data.insert("known".into(), known.into());
    }
    let error = ErrorData::new(
        code,
        format!("{meaning}: {message} {hint}"),
        Some(Value::Object(data)),
    );
    Told {
        result: Err(error),
        summary: message.clone(),
        cancelled: failure.cancelled,
        fault: Some(Fault {
            agent_code: code.0.to_string(),
            ..*failure.fault
        }),
    }
}
