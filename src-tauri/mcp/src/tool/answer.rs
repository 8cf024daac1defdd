//! The clock tools' output contract: one JSON object for success and failure alike.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use regie_engine::{EngineError, Fault, ImagingError};
use rmcp::ErrorData;
use rmcp::model::{CallToolResult, ContentBlock};
use serde::Serialize;
use serde_json::{Value, json};

/// Every code of a failure.
pub(super) const CODES: [&str; 6] = [
    "INVALID_PARAM",
    "DEVICE_NOT_FOUND",
    "CONNECT_TIMEOUT",
    "BLE_ERROR",
    "DEVICE_DISCONNECTED",
    "INTERNAL",
];

/// The stable name of there being too many calls at once.
pub(super) const AGENTS_BUSY: &str = "agents-busy";

/// What a tool answers when it did what it was asked.
#[derive(Debug)]
pub(crate) struct Reply<T> {
    data: T,
    png: Option<Vec<u8>>,
}

impl<T> Reply<T> {
    /// Data, and a picture to look at.
    pub(super) fn with_picture(data: T, png: Vec<u8>) -> Self {
        Self {
            data,
            png: Some(png),
        }
    }
}

impl<T> From<T> for Reply<T> {
    fn from(data: T) -> Self {
        Self { data, png: None }
    }
}

/// Why a tool did not do what it was asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Failure {
    fault: Box<Fault>,
    cancelled: bool,
}

impl Failure {
    /// Arguments that a tool does not take.
    pub(super) fn of_argument(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::own("argument", "INVALID_PARAM", message, hint)
    }

    /// Too many calls at once.
    pub(crate) fn busy(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::own(AGENTS_BUSY, "INTERNAL", message, hint)
    }

    /// The caller wished it to end.
    pub(super) fn cancelled(hint: &str) -> Self {
        let message = "Cancelled, as the caller asked.";
        Self {
            cancelled: true,
            ..Self::own("cancelled", "INTERNAL", message, hint)
        }
    }

    /// What may or may not have been applied.
    pub(super) fn uncertain(mut fault: Fault) -> Self {
        fault.message = format!("It is unknown whether it was applied. {}", fault.message);
        fault.into()
    }

    /// An answer that there are no words for.
    #[expect(clippy::needless_pass_by_value, reason = "errors are mapped to it")]
    pub(super) fn unwritable(error: serde_json::Error) -> Self {
        Self::own(
            "answer-unwritable",
            "INTERNAL",
            format!("The answer could not be written: {error}."),
            "Report this; it is a fault of Regie.",
        )
    }

    /// What went wrong, and whether the caller wished it so.
    pub(super) fn into_parts(self) -> (Fault, bool) {
        (*self.fault, self.cancelled)
    }

    fn own(
        code: &str,
        agent_code: &str,
        message: impl Into<String>,
        hint: impl Into<String>,
    ) -> Self {
        Self::from(Fault {
            code: code.into(),
            agent_code: agent_code.into(),
            message: message.into(),
            hint: hint.into(),
            params: Default::default(),
        })
    }
}

impl From<Fault> for Failure {
    fn from(fault: Fault) -> Self {
        Self {
            fault: Box::new(fault),
            cancelled: false,
        }
    }
}

impl From<EngineError> for Failure {
    fn from(error: EngineError) -> Self {
        Fault::from(error).into()
    }
}

impl From<ImagingError> for Failure {
    fn from(error: ImagingError) -> Self {
        Fault::from(error).into()
    }
}

/// An answer as it is sent, and what the record of calls says of it.
#[derive(Clone, Debug)]
pub(crate) struct Told {
    /// As it is sent; an error is one of the protocol.
    pub(crate) result: Result<CallToolResult, ErrorData>,
    /// Why it failed.
    pub(crate) fault: Option<Fault>,
    /// What it came to, in words; empty where the outcome says it all.
    pub(crate) summary: String,
    /// Whether the caller ended it.
    pub(crate) cancelled: bool,
}

/// What a tool has come to, in the form of the contract.
pub(super) fn told<T: Serialize>(tool: &str, outcome: Result<Reply<T>, Failure>) -> Told {
    let outcome = outcome.and_then(|reply| match serde_json::to_value(reply.data) {
        Ok(data) => Ok((data, reply.png)),
        Err(error) => Err(Failure::unwritable(error)),
    });
    match outcome {
        Ok((data, png)) => {
            let summary = summary(&data);
            let mut result =
                CallToolResult::structured(json!({ "ok": true, "tool": tool, "data": data }));
            let picture = png.map(|png| ContentBlock::image(STANDARD.encode(png), "image/png"));
            result.content.extend(picture);
            Told {
                result: Ok(result),
                fault: None,
                summary,
                cancelled: false,
            }
        }
        Err(failure) => refused(tool, failure),
    }
}

impl Told {
    /// A call that ended in none of the ways that a tool knows.
    pub(crate) fn broken_down() -> Self {
        let message = "The call broke down; Regie's log says where.";
        Self {
            result: Err(ErrorData::internal_error(message, None)),
            fault: Some(Fault {
                code: "call-broke-down".into(),
                agent_code: "INTERNAL".into(),
                message: message.into(),
                hint: "Report this; it is a fault of Regie.".into(),
                params: Default::default(),
            }),
            summary: message.into(),
            cancelled: false,
        }
    }
}

/// A failure in the form of the contract.
pub(super) fn refused(tool: &str, failure: Failure) -> Told {
    let result = CallToolResult::structured_error(json!({
        "ok": false,
        "tool": tool,
        "error": {
            "code": failure.fault.agent_code,
            "message": failure.fault.message,
            "hint": failure.fault.hint,
        },
    }));
    Told {
        result: Ok(result),
        summary: failure.fault.message.clone(),
        cancelled: failure.cancelled,
        fault: Some(*failure.fault),
    }
}

/// What was sent, where something was.
fn summary(data: &Value) -> String {
    let count = |name: &str| data.get(name).and_then(Value::as_u64);
    match (count("bytes"), count("packets")) {
        (Some(bytes), Some(packets)) => format!("{bytes} bytes in {packets} packets"),
        _ => String::new(),
    }
}
