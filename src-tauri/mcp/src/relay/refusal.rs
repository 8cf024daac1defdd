//! Lines of a client that no server could read. They go no further than the relay: behind it
//! nobody answers them, or nobody says to which of them the answer belongs.

use std::fmt;

use rmcp::model::{ClientJsonRpcMessage, ErrorCode, ErrorData};
use serde::Deserializer as _;
use serde::de::{MapAccess, Visitor};
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value, json};

use super::message;
use crate::lines::Cut;
use crate::service::SERVED;

/// What a line of a client is.
pub(super) enum Judged {
    /// A message, for the server.
    Message,
    /// None, with what the client is answered.
    Refused(Vec<u8>),
    /// None, and nobody waits for an answer to it.
    Unanswered,
}

/// Tells whether a server can read a line.
pub(super) fn judge(line: &[u8]) -> Judged {
    if serde_json::from_slice::<ClientJsonRpcMessage>(line).is_ok() {
        return Judged::Message;
    }
    let text = String::from_utf8_lossy(line);
    let seen = Seen::of(&text);
    let error = match serde_json::from_slice::<Value>(line) {
        Ok(value) => no_request(&value, seen.id.is_some()),
        // Enough of it can be read to know that it is a notification.
        Err(_) if seen.whole && seen.method && !seen.identified => None,
        Err(error) => Some(ErrorData::parse_error(
            format!("The line is not JSON: {error}."),
            Some(json!({ "hint": "Send each message as JSON in UTF-8, in a line of its own." })),
        )),
    };
    let Some(error) = error else {
        return Judged::Unanswered;
    };
    if let Some(id) = seen.id {
        return Judged::Refused(message::failed(Some(id), &error));
    }
    // Behind what is broken there may be one yet.
    let behind = (!seen.whole && !seen.broke_off)
        .then(|| message::id_of(&Cut::of(line)))
        .flatten()
        .and_then(|id| to_raw_value(&id).ok());
    Judged::Refused(message::failed(behind.as_deref(), &error))
}

/// What is wrong with JSON that is no message; nothing where it is for nobody to answer.
fn no_request(value: &Value, identified: bool) -> Option<ErrorData> {
    let invalid = |message: &'static str, hint: &str| {
        Some(ErrorData::invalid_request(
            message,
            Some(json!({ "hint": hint })),
        ))
    };
    let Value::Object(message) = value else {
        return if value.is_array() {
            invalid(
                "Batches are not taken here.",
                "Send each message in a line of its own.",
            )
        } else {
            invalid("A message is a JSON object.", "Send a request of JSON-RPC.")
        };
    };
    let answers = message.contains_key("result") || message.contains_key("error");
    let method = match message.get("method") {
        None if answers => return None,
        None => return invalid("\"method\" is missing.", "Name the method."),
        Some(Value::String(method)) => method,
        Some(_) => return invalid("\"method\" must be a text.", "Name the method."),
    };
    if !message.contains_key("id") {
        return None;
    }
    let number = message.get("id").is_some_and(is_id);
    if !number || !identified {
        return invalid(
            "\"id\" must be a text or a whole number.",
            "Number requests from 1 on.",
        );
    }
    if message.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
        return invalid("\"jsonrpc\" must be \"2.0\".", "Speak JSON-RPC 2.0.");
    }
    if answers {
        return invalid(
            "A request has neither \"result\" nor \"error\".",
            "Leave them away.",
        );
    }
    Some(wrong_parameters(method, message))
}

fn wrong_parameters(method: &str, message: &Map<String, Value>) -> ErrorData {
    if !SERVED.contains(&method) {
        return ErrorData::new(
            ErrorCode::METHOD_NOT_FOUND,
            "There is no such method here.",
            None,
        );
    }
    let wrong = if message.get("params").is_some_and(Value::is_object) {
        "The parameters of this method cannot be read."
    } else {
        "\"params\" must be an object."
    };
    ErrorData::invalid_params(wrong, None)
}

/// Whether the protocol lets a request have this number.
fn is_id(value: &Value) -> bool {
    serde_json::from_value::<rmcp::model::RequestId>(value.clone()).is_ok()
}

/// What could be read of an envelope, up to the first member that could not.
#[derive(Default)]
struct Seen<'line> {
    /// The number of the request as it was written, where it can be told with certainty.
    id: Option<&'line RawValue>,
    /// There is a number, of whatever kind.
    identified: bool,
    /// There is the name of a method.
    method: bool,
    /// The envelope was read to its end.
    whole: bool,
    /// The line ends before the envelope does.
    broke_off: bool,
}

impl<'line> Seen<'line> {
    /// Reads an envelope without minding what its members hold.
    fn of(text: &'line str) -> Self {
        let mut seen = Self::default();
        let mut members = serde_json::Deserializer::from_str(text);
        let read = members.deserialize_map(Members(&mut seen));
        seen.broke_off = read.as_ref().is_err_and(serde_json::Error::is_eof);
        seen.whole = read.is_ok() && members.end().is_ok();
        seen.id = seen.id.filter(|id| {
            let id_bytes = id.get().as_bytes().as_ptr_range();
            let last = id_bytes.end == text.as_bytes().as_ptr_range().end;
            // A number at the end of what there is may have been longer, and what stands for
            // bytes that are no text is not what was sent.
            (!last || id.get().ends_with('"'))
                && !id.get().contains(char::REPLACEMENT_CHARACTER)
                && matches!(
                    serde_json::from_str(id.get()),
                    Ok(Value::String(_) | Value::Number(_))
                )
        });
        seen
    }
}

struct Members<'seen, 'line>(&'seen mut Seen<'line>);

impl<'line> Visitor<'line> for Members<'_, 'line> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a message")
    }

    fn visit_map<A: MapAccess<'line>>(self, mut members: A) -> Result<(), A::Error> {
        while let Some(name) = members.next_key::<String>()? {
            let value: &'line RawValue = members.next_value()?;
            match name.as_str() {
                "id" => {
                    self.0.id = Some(value);
                    self.0.identified = true;
                }
                "method" => self.0.method = value.get().starts_with('"'),
                _ => {}
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PARSE: i32 = -32700;
    const INVALID: i32 = -32600;
    const UNKNOWN: i32 = -32601;
    const PARAMETERS: i32 = -32602;

    /// The code of a refusal, and the number of the request as it is written.
    fn refused(line: impl AsRef<[u8]>) -> (i32, String) {
        let line = line.as_ref();
        let told = String::from_utf8_lossy(line).into_owned();
        let Judged::Refused(answer) = judge(line) else {
            panic!("not refused: {told}");
        };
        let text = String::from_utf8(answer).unwrap();
        let answer: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(answer["jsonrpc"], "2.0");
        assert!(!answer["error"]["message"].as_str().unwrap().is_empty());
        let code = answer["error"]["code"].as_i64().unwrap();
        let (_, id) = text.split_once("\"id\":").unwrap();
        let end = id.find(",\"error\"").unwrap();
        (code.try_into().unwrap(), id[..end].to_owned())
    }

    fn call(arguments: &str) -> String {
        format!(
            r#"{{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{{"name":"toggle","arguments":{arguments}}}}}"#
        )
    }

    #[test]
    fn what_is_no_json_is_answered_with_the_number_where_there_is_one() {
        for arguments in [
            r#"{"mac":"\ud800"}"#,
            r#"{"timeout":1e999}"#,
            r#"{"mac":"AA",}"#,
            "{mac:1}",
            "NaN",
        ] {
            assert_eq!(refused(call(arguments)), (PARSE, "7".into()), "{arguments}");
        }
        let deep = "[".repeat(130) + &"]".repeat(130);
        assert_eq!(refused(call(&deep)), (PARSE, "7".into()));
        let deepest = "[".repeat(1_000_000);
        assert_eq!(refused(call(&deepest)), (PARSE, "7".into()));
        assert_eq!(refused(deepest), (PARSE, "null".into()));
        let mut bytes = call(r#"{"mac":"?"}"#).into_bytes();
        let place = bytes.iter().position(|byte| *byte == b'?').unwrap();
        bytes[place] = 0xff;
        assert_eq!(refused(bytes), (PARSE, "7".into()));
        for (line, id) in [
            ("hello", "null"),
            ("{", "null"),
            ("{}{}", "null"),
            (r#"{"jsonrpc":"2.0","method":"ping","id":3,}"#, "3"),
            (r#"{"jsonrpc":"2.0","id":"a\"b","method":"pi"#, r#""a\"b""#),
            (
                r#"{"id":12345678901234567890123,"#,
                "12345678901234567890123",
            ),
            (r#"{"method":"tools/call","params":{"mac":},"id":9}"#, "9"),
            (
                r#"{"method":"tools/call","params":{"slot":1,"id":9}"#,
                "null",
            ),
            (r#"{"jsonrpc":"2.0","method":"ping","id":31"#, "null"),
            (r#"{"jsonrpc":"2.0","method":"ping","id":"31""#, r#""31""#),
            (r#"{"jsonrpc":"2.0","method":"ping","id":1e999}"#, "null"),
            (r#"{"jsonrpc":"2.0","method":"ping","id":"\ud800"}"#, "null"),
        ] {
            assert_eq!(refused(line), (PARSE, id.into()), "{line}");
        }
        let foreign = b"{\"jsonrpc\":\"2.0\",\"method\":\"ping\",\"id\":\"\xff\"}";
        assert_eq!(refused(foreign), (PARSE, "null".into()));
    }

    #[test]
    fn what_is_json_and_no_request_is_said_to_be_none() {
        for (line, id) in [
            ("1", "null"),
            ("null", "null"),
            ("{}", "null"),
            ("[]", "null"),
            (r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#, "null"),
            (r#"["2.0",1,"ping"]"#, "null"),
            (r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, "null"),
            (r#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#, "null"),
            (r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#, "1.5"),
            (r#"{"jsonrpc":"1.0","id":"x","method":"ping"}"#, r#""x""#),
            (r#"{"id":2,"method":"ping"}"#, "2"),
            (r#"{"jsonrpc":"2.0","id":2}"#, "2"),
            (r#"{"jsonrpc":"2.0","id":2,"method":5}"#, "2"),
            (
                r#"{"jsonrpc":"2.0","id":2,"method":"ping","result":{}}"#,
                "2",
            ),
        ] {
            assert_eq!(refused(line), (INVALID, id.into()), "{line}");
        }
    }

    #[test]
    fn parameters_that_do_not_fit_are_told_from_methods_there_are_not() {
        for method in ["tools/call", "tools/list", "ping", "initialize"] {
            let line = format!(r#"{{"jsonrpc":"2.0","id":7,"method":"{method}","params":[]}}"#);
            assert_eq!(refused(line), (PARAMETERS, "7".into()), "{method}");
        }
        let line = r#"{"jsonrpc":"2.0","id":7,"method":"tools/drop","params":[]}"#;
        assert_eq!(refused(line), (UNKNOWN, "7".into()));
    }

    #[test]
    fn what_nobody_waits_for_is_not_answered() {
        for line in [
            r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"message":"\ud800"}}"#,
            r#"{"jsonrpc":"2.0","method":"notifications/initialized","params":[]}"#,
            r#"{"jsonrpc":"1.0","method":"notifications/initialized"}"#,
            r#"{"id":1,"result":{}}"#,
        ] {
            assert!(
                matches!(judge(line.as_bytes()), Judged::Unanswered),
                "{line}"
            );
        }
    }

    #[test]
    fn what_can_be_read_passes() {
        for line in [
            r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#,
            r#" { "id" : "x" , "method" : "ping" , "jsonrpc" : "2.0" } "#,
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":5}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"no/such"}"#,
            r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
            r#"{"jsonrpc":"2.0","method":"notifications/no_such"}"#,
            r#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
            r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"x"}}"#,
        ] {
            assert!(matches!(judge(line.as_bytes()), Judged::Message), "{line}");
        }
    }
}
