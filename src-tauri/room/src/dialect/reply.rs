//! What HTTP replies mean, whatever the firmware.

use std::time::Duration;

use serde_json::Value;
use zeroize::Zeroizing;

use crate::answer::Answer;
use crate::error::TokenFault;
use crate::exchange::{Authorization, Reply};
use crate::request::Request;
use crate::token::Token;

use super::lenient::{self, Decoded};
use super::{Refusal, Verdict, fields, picture};

/// The longest that a device is left alone because it says so.
const MAX_WAIT: Duration = Duration::from_secs(60);

/// Most characters of what a device said, in a sentence.
const MAX_SAID: usize = 120;

/// `Authorization: Bearer <token>`.
pub(super) fn bearer(token: &Token) -> Authorization {
    Authorization(Zeroizing::new(format!("Bearer {}", token.expose())))
}

/// The JSON of a reply, where there is any. Its content type is not looked at: boards lie.
pub(super) fn json(reply: &Reply) -> Option<Decoded> {
    lenient::decode(&reply.body)
}

/// What a device took, as JSON; `Null` where it said nothing.
///
/// # Errors
/// Why it did not take it.
pub(super) fn taken(request: &Request, reply: &Reply) -> Result<Value, Refusal> {
    if !(200..300).contains(&reply.status) {
        return Err(refused(request, reply));
    }
    if reply.body.iter().all(u8::is_ascii_whitespace) && !reply.unfinished {
        return Ok(Value::Null);
    }
    let Some(Decoded { value, whole }) = json(reply) else {
        return Err(nonsense(reply));
    };
    if let Some(detail) = failure(&value) {
        return Err(Refusal::Said { detail });
    }
    if !whole {
        return Err(Refusal::Nonsense {
            detail: "its answer is cut off".to_owned(),
        });
    }
    Ok(value)
}

/// The state that a reply to a status tells, as far as it came.
///
/// # Errors
/// The refusal, where it tells none.
pub(super) fn state(reply: &Reply) -> Result<Value, Refusal> {
    if !(200..300).contains(&reply.status) {
        return Err(refused(&Request::Status, reply));
    }
    match json(reply).map(|decoded| (decoded.value, decoded.whole)) {
        Some((Value::Object(members), whole)) if whole || !members.is_empty() => {
            let state = Value::Object(members);
            match failure(&state) {
                None => Ok(state),
                Some(detail) => Err(Refusal::Said { detail }),
            }
        }
        _ => Err(nonsense(reply)),
    }
}

/// The verdict on a camera's reply.
pub(super) fn photographed(request: &Request, reply: &Reply) -> Verdict {
    if !(200..300).contains(&reply.status) {
        return Verdict::Refused(refused(request, reply));
    }
    let failure = json(reply).and_then(|decoded| failure(&decoded.value));
    if let Some(detail) = failure {
        return Verdict::Refused(Refusal::Said { detail });
    }
    if reply.cut || reply.unfinished {
        return Verdict::Refused(Refusal::Nonsense {
            detail: "the picture is cut off".to_owned(),
        });
    }
    match picture::read(&reply.body) {
        Ok(picture) => Verdict::Confirmed(Answer::Picture(picture)),
        Err(detail) => Verdict::Refused(Refusal::Nonsense { detail }),
    }
}

/// What a status outside 2xx means.
pub(super) fn refused(request: &Request, reply: &Reply) -> Refusal {
    let said = json(reply).and_then(|decoded| said(&decoded.value));
    let detail = match &said {
        Some(said) => format!("it says \"{said}\" (HTTP {})", reply.status),
        None => format!("HTTP {}", reply.status),
    };
    match reply.status {
        401 | 403 => Refusal::Token(TokenFault::Refused),
        404 | 405 | 501 if said.is_none() || said.as_deref() == Some("not_found") => {
            Refusal::Said {
                detail: format!("it has no such function (HTTP {})", reply.status),
            }
        }
        409 if matches!(request, Request::Puzzle(_)) => Refusal::Conflict { detail },
        409 | 423 => Refusal::Busy { detail },
        429 | 503 => Refusal::Throttled {
            detail,
            retry_after: wait(reply),
        },
        300..=399 => Refusal::Nonsense {
            detail: format!("it sends on to another page (HTTP {})", reply.status),
        },
        400..=499 => Refusal::Said { detail },
        _ => Refusal::Nonsense { detail },
    }
}

/// When a device wants to be asked again: its header, or a member of its body.
fn wait(reply: &Reply) -> Option<Duration> {
    let header = || Some(Duration::from_secs(reply.retry_after?.into()));
    let body = || {
        let milliseconds = fields::count(&json(reply)?.value, &["retry_after_ms"])?;
        Some(Duration::from_millis(milliseconds))
    };
    header().or_else(body).map(|wait| wait.min(MAX_WAIT))
}

/// What came instead of an answer.
pub(super) fn nonsense(reply: &Reply) -> Refusal {
    let start = String::from_utf8_lossy(reply.body.get(..16).unwrap_or(&reply.body));
    let page = start.trim_start().starts_with('<');
    Refusal::Nonsense {
        detail: match (page, reply.cut || reply.unfinished) {
            (true, _) => "a web page came where JSON was due",
            (false, true) => "its answer is cut off",
            (false, false) => "what came is no JSON",
        }
        .to_owned(),
    }
}

/// Why an answer with a status of success is none: `ok` is false, or it has an `error`.
pub(super) fn failure(value: &Value) -> Option<String> {
    let not_ok = value.get("ok") == Some(&Value::Bool(false));
    let error = value.get("error").filter(|error| match error {
        Value::Null | Value::Bool(false) => false,
        Value::String(text) => !text.is_empty(),
        _ => true,
    });
    if !not_ok && error.is_none() {
        return None;
    }
    Some(match said(value) {
        Some(said) => format!("it says \"{said}\""),
        None => "it says that it did not work".to_owned(),
    })
}

/// The words of an error: a text, or an object with a message.
pub(super) fn said(value: &Value) -> Option<String> {
    let said = fields::text(
        value,
        &[
            "error",
            "error.message",
            "error.details",
            "message",
            "detail",
        ],
    )?;
    Some(said.chars().take(MAX_SAID).collect())
}

/// The verdict on a reply that only tells whether it was taken.
pub(super) fn accepted(request: &Request, reply: &Reply) -> Verdict {
    match taken(request, reply) {
        Ok(value) => Verdict::Accepted(Answer::Json(value)),
        Err(refusal) => Verdict::Refused(refusal),
    }
}
