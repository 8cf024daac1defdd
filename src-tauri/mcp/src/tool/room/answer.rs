//! What the room's tools answer: a sentence, and what is known as an object.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use regie_engine::rooms::request::AudioAction;
use regie_engine::rooms::{Answer, Done, Outcome, Request, Snapshot};
use rmcp::model::{CallToolResult, ContentBlock};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::failure::Failure;
use crate::tool::answer::{self, Told};

/// What came of asking a device.
#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::tool) struct Answered {
    /// The device.
    device_id: String,
    /// accepted: the device said yes. confirmed: its state, read again, shows it.
    #[schemars(schema_with = "outcomes")]
    outcome: &'static str,
    /// Whether its state, read again, shows it; absent where it could not show that.
    #[serde(skip_serializing_if = "Option::is_none")]
    change_seen: Option<bool>,
    /// It had to be sent a second time.
    sent_again: bool,
    /// It went to every device that hears the gateway, without proof that one got it.
    broadcast: bool,
    /// What the device could not do exactly.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    remarks: Vec<String>,
    /// How long the device took, in milliseconds, without the wait for its turn.
    device_ms: u32,
    /// What the device answered; for a picture its type, size in bytes, width and height.
    reply: Map<String, Value>,
}

fn outcomes(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "string", "enum": ["accepted", "confirmed"] })
}

/// What a request has come to, in the form of the contract.
pub(super) fn told(device: String, request: &Request, done: Done) -> Result<Told, Failure> {
    let remarks = sentences(&done);
    let (reply, mut content, summary) = match done.answer {
        Answer::Picture(picture) => {
            let words = with(&picture_words(&picture, &device), &remarks);
            let image = ContentBlock::image(STANDARD.encode(&picture.jpeg), "image/jpeg");
            (
                picture_facts(&picture),
                vec![image, ContentBlock::text(words.clone())],
                words,
            )
        }
        Answer::Json(reply) => {
            let reply = object(reply);
            let words = if *request == Request::Status {
                status_words(&reply)
            } else {
                with(&words(request, &device), &remarks)
            };
            let summary = if *request == Request::Status {
                remarks.join(" ")
            } else {
                words.clone()
            };
            (reply, vec![ContentBlock::text(words)], summary)
        }
    };
    if *request == Request::Status && !remarks.is_empty() {
        content.push(ContentBlock::text(remarks.join(" ")));
    }
    let (outcome, change_seen) = match done.outcome {
        Outcome::Accepted => ("accepted", None),
        Outcome::Confirmed => ("confirmed", Some(true)),
        Outcome::NoChangeSeen => ("accepted", Some(false)),
    };
    let answered = Answered {
        device_id: device,
        outcome,
        change_seen,
        sent_again: done.sent_again,
        broadcast: done.broadcast,
        remarks: done.remarks,
        device_ms: u32::try_from(done.device_time.as_millis()).unwrap_or(u32::MAX),
        reply,
    };
    let answered = serde_json::to_value(answered).map_err(answer::Failure::unwritable)?;
    let mut result = CallToolResult::success(content);
    result.structured_content = Some(answered);
    Ok(Told {
        result: Ok(result),
        fault: None,
        summary,
        cancelled: false,
    })
}

/// A reply as an object, whatever the device said.
fn object(reply: Value) -> Map<String, Value> {
    match reply {
        Value::Object(object) => object,
        Value::Null => Map::new(),
        other => Map::from_iter([("value".to_owned(), other)]),
    }
}

fn picture_facts(picture: &Snapshot) -> Map<String, Value> {
    object(json!({
        "content_type": "image/jpeg",
        "bytes": picture.jpeg.len(),
        "width": picture.width,
        "height": picture.height,
    }))
}

fn picture_words(picture: &Snapshot, device: &str) -> String {
    let Snapshot {
        jpeg,
        width,
        height,
    } = picture;
    format!(
        "JPEG of {width}x{height} pixels, {} bytes, taken by device {device}",
        jpeg.len()
    )
}

fn status_words(reply: &Map<String, Value>) -> String {
    serde_json::to_string_pretty(reply).unwrap_or_default()
}

/// What was done, in the words of the contract.
fn words(request: &Request, device: &str) -> String {
    match request {
        Request::Puzzle(change) => {
            let effects = if change.effects { "with" } else { "without" };
            format!(
                "Puzzle {} set to {} {effects} effects on device {device}",
                change.puzzle, change.state
            )
        }
        Request::Audio(change) => {
            let source = &change.source;
            match change.action {
                AudioAction::Play => format!(
                    "Audio {source} played at volume {}{} on device {device}",
                    change.volume.get(),
                    if change.looped { " in a loop" } else { "" }
                ),
                AudioAction::Stop => format!("Audio {source} stopped on device {device}"),
                AudioAction::Pause => format!("Audio {source} paused on device {device}"),
                AudioAction::Resume => format!("Audio {source} resumed on device {device}"),
            }
        }
        Request::Led(change) => {
            let for_a_while = match change.duration_ms.get() {
                0 => String::new(),
                milliseconds => format!(" for {milliseconds} ms"),
            };
            format!(
                "LED zone '{}' set to {} {} at brightness {}{for_a_while} on device {device}",
                change.zone,
                change.color,
                change.pattern,
                change.brightness.get()
            )
        }
        Request::Scenario(advance) => {
            let to_step = match &advance.target {
                Some(step) => format!(" with the step {step} as its target"),
                None => String::new(),
            };
            format!(
                "Scenario event {} {} sent to device {device}{to_step}",
                advance.event, advance.name
            )
        }
        Request::Camera(_) => format!("Picture asked of device {device}"),
        Request::Status => format!("Status of device {device}"),
    }
}

/// What else a caller has to know.
fn sentences(done: &Done) -> Vec<String> {
    let mut said = Vec::new();
    if done.outcome == Outcome::NoChangeSeen {
        said.push(
            "The device said yes, but its state, read again, is what it was: look at it.".into(),
        );
    }
    if done.sent_again {
        said.push("It had to be sent a second time.".into());
    }
    if done.broadcast {
        said.push(
            "It went to every device that hears the gateway; nothing proves that one got it."
                .into(),
        );
    }
    said.extend(done.remarks.iter().cloned());
    said
}

fn with(words: &str, remarks: &[String]) -> String {
    if remarks.is_empty() {
        words.to_owned()
    } else {
        format!("{words}. {}", remarks.join(" "))
    }
}
