//! As much of a JSON-RPC message as a relay needs to know.

use std::borrow::Cow;

use rmcp::model::{ErrorCode, ErrorData, RequestId};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::lines::Cut;

/// The byte order mark that some Windows tools put before UTF-8.
const MARK: &[u8] = b"\xEF\xBB\xBF";

/// A message's envelope; what is in it stays where it is.
#[derive(Deserialize)]
pub(super) struct Message<'line> {
    #[serde(borrow, default)]
    id: Option<&'line RawValue>,
    #[serde(borrow, default)]
    method: Option<Cow<'line, str>>,
    #[serde(borrow, default)]
    params: Option<&'line RawValue>,
}

#[derive(Deserialize)]
struct Named<'line> {
    #[serde(borrow)]
    name: Cow<'line, str>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Cancels {
    request_id: RequestId,
}

/// What a message is, as far as a relay minds.
pub(super) enum Kind {
    /// A request with the number it was given.
    Request {
        /// The number.
        id: RequestId,
        /// What is asked.
        method: String,
        /// Of which tool.
        tool: Option<String>,
    },
    /// A notification.
    Notification {
        /// Of what.
        method: String,
        /// The request that is not waited for any more.
        cancels: Option<RequestId>,
    },
    /// An answer to the request of this number.
    Answer(RequestId),
    /// Anything else, for the other end to judge.
    Other,
}

/// Takes the byte order mark from a line, where there is one.
pub(super) fn unmarked(line: &mut Vec<u8>) -> &[u8] {
    if line.starts_with(MARK) {
        line.drain(..MARK.len());
    }
    line
}

/// Reads a message's envelope.
pub(super) fn kind(line: &[u8]) -> Kind {
    let Ok(message) = serde_json::from_slice::<Message<'_>>(line) else {
        return Kind::Other;
    };
    let id = message
        .id
        .and_then(|id| serde_json::from_str::<RequestId>(id.get()).ok());
    match (id, message.method) {
        (Some(id), Some(method)) => Kind::Request {
            id,
            tool: (method == "tools/call")
                .then(|| tool(message.params))
                .flatten(),
            method: method.into_owned(),
        },
        (Some(id), None) => Kind::Answer(id),
        (None, Some(method)) => Kind::Notification {
            cancels: (method == "notifications/cancelled")
                .then(|| cancels(message.params))
                .flatten(),
            method: method.into_owned(),
        },
        (None, None) => Kind::Other,
    }
}

fn tool(params: Option<&RawValue>) -> Option<String> {
    let named: Named<'_> = serde_json::from_str(params?.get()).ok()?;
    Some(named.name.into_owned())
}

fn cancels(params: Option<&RawValue>) -> Option<RequestId> {
    let cancels: Cancels = serde_json::from_str(params?.get()).ok()?;
    Some(cancels.request_id)
}

/// The number in what is left of a request. Clients write it before the arguments or behind them;
/// elsewhere in a line it may be part of the arguments.
pub(super) fn id_of(cut: &Cut) -> Option<RequestId> {
    const KEY: &str = "\"id\"";
    let head = String::from_utf8_lossy(&cut.head);
    let before = head.split("\"params\"").next().unwrap_or_default();
    let number = |text: &str| {
        let rest = text.trim_start().strip_prefix(':')?;
        let mut values = serde_json::Deserializer::from_str(rest).into_iter::<RequestId>();
        let id = values.next()?.ok()?;
        Some((id, rest.get(values.byte_offset()..)?.trim().to_owned()))
    };
    if let Some((_, rest)) = before.split_once(KEY)
        && before != head
    {
        return number(rest).map(|(id, _)| id);
    }
    let tail = String::from_utf8_lossy(&cut.tail);
    let (_, rest) = tail.rsplit_once(KEY)?;
    let (id, rest) = number(rest)?;
    let envelope_ends = rest == "}" || rest.starts_with(",\"jsonrpc\"");
    envelope_ends.then_some(id)
}

/// A notice that a request is not waited for any more.
pub(super) fn cancelled(id: &RequestId, reason: &str) -> Vec<u8> {
    line(&json!({
        "jsonrpc": "2.0",
        "method": "notifications/cancelled",
        "params": { "requestId": id, "reason": reason },
    }))
}

/// The answer to a line that is too long to be read.
pub(super) fn too_long(cut: &Cut, limit: usize) -> Vec<u8> {
    let error = ErrorData::new(
        ErrorCode::INVALID_REQUEST,
        format!("The message is larger than {limit} bytes, so it was not read."),
        Some(json!({
            "hint": "Name a picture by its path instead of sending its bytes, or make it smaller.",
        })),
    );
    failed(id_of(cut).as_ref(), &error)
}

/// The answer to a request with the number of another one that is under way.
pub(super) fn number_taken(id: &RequestId) -> Vec<u8> {
    let error = ErrorData::invalid_request(
        "Another request of this number is under way, so this one was not carried out.",
        Some(json!({ "hint": "Give each request a number of its own." })),
    );
    failed(Some(id), &error)
}

/// The answer to a request that was lost on its way, in the form its caller expects: that of the
/// clock's tools for a call, else an error of the protocol. `typed` where the protocol has results
/// say of what type they are.
pub(super) fn lost(id: &RequestId, tool: Option<&str>, typed: bool) -> Vec<u8> {
    const MESSAGE: &str = "Regie ended while this was under way.";
    let Some(tool) = tool else {
        let error = ErrorData::internal_error(MESSAGE, Some(json!({ "hint": "Ask again." })));
        return failed(Some(id), &error);
    };
    let outcome = json!({
        "ok": false,
        "tool": tool,
        "error": {
            "code": "INTERNAL",
            "message": format!("{MESSAGE} It is unknown whether it was applied."),
            "hint": "Ask for device_status, then call again if it is needed.",
        },
    });
    let mut result = json!({
        "content": [{ "type": "text", "text": outcome.to_string() }],
        "structuredContent": outcome,
        "isError": true,
    });
    if typed && let Some(result) = result.as_object_mut() {
        result.insert("resultType".into(), "complete".into());
    }
    line(&json!({ "jsonrpc": "2.0", "id": id, "result": result }))
}

/// The answer to a request that failed, or to what was to be one.
pub(super) fn failed<Id: Serialize + ?Sized>(id: Option<&Id>, error: &ErrorData) -> Vec<u8> {
    #[derive(Serialize)]
    struct Failed<'a, Id: ?Sized> {
        jsonrpc: &'static str,
        id: Option<&'a Id>,
        error: &'a ErrorData,
    }
    let failed = Failed {
        jsonrpc: "2.0",
        id,
        error,
    };
    // Texts and numbers alone: there is nothing that could not be written.
    serde_json::to_vec(&failed).unwrap_or_default()
}

fn line(message: &Value) -> Vec<u8> {
    message.to_string().into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(head: &str, tail: &str) -> Cut {
        Cut {
            head: head.into(),
            tail: tail.into(),
        }
    }

    #[test]
    fn the_number_of_a_request_too_long_to_read_is_found_before_and_behind_its_arguments() {
        let before = cut(
            r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"source":"aa"#,
            r#"aa"}}"#,
        );
        assert_eq!(id_of(&before), Some(RequestId::Number(7)));
        let behind = cut(
            r#"{"method":"tools/call","params":{"source":"aa"#,
            r#"aa"}},"jsonrpc":"2.0","id":"x-1"}"#,
        );
        assert_eq!(id_of(&behind), Some(RequestId::String("x-1".into())));
        let within = cut(
            r#"{"method":"tools/call","params":{"id":3,"source":"aa"#,
            r#"aa","id":4}}}"#,
        );
        assert_eq!(id_of(&within), None);
        assert_eq!(id_of(&cut("aaaa", "aaaa")), None);
    }

    #[test]
    fn an_envelope_is_read_whatever_it_holds() {
        let request = br#"{"jsonrpc":"2.0","id":"a\"b","method":"tools/call","params":{"name":"toggle","arguments":{}}}"#;
        let Kind::Request { id, method, tool } = kind(request) else {
            panic!("no request");
        };
        assert_eq!(id, RequestId::String("a\"b".into()));
        assert_eq!(method, "tools/call");
        assert_eq!(tool.as_deref(), Some("toggle"));
        assert!(matches!(
            kind(br#"{"id":1,"method":"ping","params":[1,2]}"#),
            Kind::Request { .. }
        ));
        assert!(matches!(
            kind(br#"{"jsonrpc":"2.0","id":3,"result":{}}"#),
            Kind::Answer(RequestId::Number(3))
        ));
        assert!(matches!(
            kind(br#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#),
            Kind::Notification { .. }
        ));
        for other in [&b"nonsense"[..], b"[]", b"{\"id\":null}", b"\xff\xfe"] {
            assert!(matches!(kind(other), Kind::Other));
        }
    }
}
