//! What this door must know of a message, read without unpacking its arguments.

use std::borrow::Cow;

use rmcp::model::RequestId;
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use super::reply::Refusal;

/// The byte order mark that some Windows tools put before UTF-8.
const BOM: &[u8] = b"\xEF\xBB\xBF";

/// Where clients of 2026-07-28 and later say who they are.
const CLIENT_INFO: &str = "io.modelcontextprotocol/clientInfo";

/// Messages that one POST may hold.
pub(super) const BATCH_LIMIT: usize = 32;

/// The messages of one POST.
#[derive(Debug)]
pub(super) enum Post<'a> {
    /// One, as nearly always.
    One(&'a RawValue),
    /// A batch of JSON-RPC.
    Batch(Vec<&'a RawValue>),
}

impl<'a> Post<'a> {
    pub(super) fn parse(body: &'a [u8]) -> Result<Self, Refusal> {
        let body = body.strip_prefix(BOM).unwrap_or(body);
        let whole: &RawValue =
            serde_json::from_slice(body).map_err(|error| Refusal::NotJson(error.to_string()))?;
        if !whole.get().starts_with('[') {
            return Ok(Self::One(whole));
        }
        let messages: Vec<&RawValue> = serde_json::from_str(whole.get())
            .map_err(|error| Refusal::NotJson(error.to_string()))?;
        match messages.len() {
            0 => Err(Refusal::NotARequest("the batch is empty".into())),
            1..=BATCH_LIMIT => Ok(Self::Batch(messages)),
            _ => Err(Refusal::NotARequest(format!(
                "a batch holds {BATCH_LIMIT} messages at most"
            ))),
        }
    }
}

/// A message, its arguments still packed.
#[derive(Debug, Deserialize)]
pub(super) struct Envelope<'a> {
    #[serde(borrow, default)]
    jsonrpc: Cow<'a, str>,
    #[serde(borrow, default, deserialize_with = "present")]
    id: Option<&'a RawValue>,
    #[serde(borrow, default)]
    method: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    params: Option<&'a RawValue>,
}

/// What a message is.
#[derive(Debug)]
pub(super) enum Message<'a> {
    /// It wants an answer.
    Request {
        /// As it was sent.
        raw_id: &'a RawValue,
        /// The same, understood.
        id: RequestId,
        /// What is asked.
        method: Cow<'a, str>,
        /// With what.
        params: Option<&'a RawValue>,
    },
    /// It wants none.
    Notification {
        /// What is said.
        method: Cow<'a, str>,
        /// With what.
        params: Option<&'a RawValue>,
    },
    /// An answer to a question that this server never asked.
    Answer,
}

/// The id of a message that is none, where it can be told.
pub(super) type Rejected<'a> = (Refusal, Option<&'a RawValue>);

impl<'a> Message<'a> {
    pub(super) fn parse(raw: &'a RawValue) -> Result<Self, Rejected<'a>> {
        let invalid = |detail: &str| Refusal::NotARequest(detail.to_owned());
        // A sequence would be taken for the members of an envelope in their order.
        if !raw.get().starts_with('{') {
            return Err((invalid("a message is a JSON object"), None));
        }
        let envelope: Envelope<'a> = serde_json::from_str(raw.get())
            .map_err(|error| (Refusal::NotARequest(error.to_string()), None))?;
        let id = match envelope.id {
            None => None,
            Some(raw_id) => match serde_json::from_str::<RequestId>(raw_id.get()) {
                Ok(id) => Some((raw_id, id)),
                Err(_) if envelope.method.is_none() => None,
                Err(_) => return Err((invalid("an id is a string or a whole number"), None)),
            },
        };
        let raw_id = id.as_ref().map(|(raw_id, _)| *raw_id);
        if envelope.jsonrpc != "2.0" {
            return Err((invalid("\"jsonrpc\" is not \"2.0\""), raw_id));
        }
        match (envelope.method, id) {
            (Some(method), Some((raw_id, id))) => Ok(Self::Request {
                raw_id,
                id,
                method,
                params: envelope.params,
            }),
            (Some(method), None) => Ok(Self::Notification {
                method,
                params: envelope.params,
            }),
            (None, _) if raw.get().contains("\"result\"") || raw.get().contains("\"error\"") => {
                Ok(Self::Answer)
            }
            (None, _) => Err((invalid("\"method\" is missing"), raw_id)),
        }
    }
}

/// `null` is there, other than for an option of serde's own.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<&'de RawValue>, D::Error> {
    <&RawValue>::deserialize(deserializer).map(Some)
}

/// What a client says of itself.
#[derive(Debug, Deserialize)]
pub(super) struct ClientInfo<'a> {
    #[serde(borrow, default)]
    pub(super) name: Cow<'a, str>,
    #[serde(borrow, default)]
    pub(super) version: Cow<'a, str>,
}

/// Who sends an `initialize`.
pub(super) fn client_of_initialize(params: &RawValue) -> Option<ClientInfo<'_>> {
    #[derive(Deserialize)]
    struct Params<'a> {
        #[serde(borrow, rename = "clientInfo")]
        client_info: ClientInfo<'a>,
    }
    serde_json::from_str::<Params<'_>>(params.get())
        .ok()
        .map(|params| params.client_info)
}

/// Who sends a request of 2026-07-28 or later.
pub(super) fn client_of_request(params: &RawValue) -> Option<ClientInfo<'_>> {
    #[derive(Deserialize)]
    struct Params<'a> {
        #[serde(borrow, rename = "_meta")]
        meta: Meta<'a>,
    }
    #[derive(Deserialize)]
    struct Meta<'a> {
        #[serde(borrow, rename = "io.modelcontextprotocol/clientInfo")]
        client_info: ClientInfo<'a>,
    }
    // Looked for first: most bodies are large because of their arguments.
    params
        .get()
        .contains(CLIENT_INFO)
        .then(|| serde_json::from_str::<Params<'_>>(params.get()).ok())
        .flatten()
        .map(|params| params.meta.client_info)
}

/// Which request a `notifications/cancelled` means.
pub(super) fn cancelled_request(params: &RawValue) -> Option<RequestId> {
    #[derive(Deserialize)]
    struct Params {
        #[serde(rename = "requestId")]
        request_id: RequestId,
    }
    serde_json::from_str::<Params>(params.get())
        .ok()
        .map(|params| params.request_id)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(text: &str) -> Result<String, String> {
        let raw: &RawValue = serde_json::from_str(text).map_err(|error| error.to_string())?;
        match Message::parse(raw) {
            Ok(Message::Request { raw_id, method, .. }) => Ok(format!("{method} {raw_id}")),
            Ok(Message::Notification { method, .. }) => Ok(method.into_owned()),
            Ok(Message::Answer) => Ok("answer".into()),
            Err((refusal, id)) => Err(format!("{refusal:?} {id:?}")),
        }
    }

    #[test]
    fn ids_are_kept_as_they_were_written() {
        for (id, kept) in [
            ("7", "7"),
            ("\"req-001\"", "\"req-001\""),
            ("\"\\u0041\"", "\"\\u0041\""),
            ("-1", "-1"),
        ] {
            let text = format!("{{\"jsonrpc\":\"2.0\",\"method\":\"ping\",\"id\":{id}}}");
            assert_eq!(message(&text), Ok(format!("ping {kept}")));
        }
    }

    #[test]
    fn what_is_no_request_is_said_to_be_none() {
        for text in [
            "1",
            "null",
            "\"x\"",
            "{}",
            r#"["2.0",1,"ping"]"#,
            r#"{"jsonrpc":"1.0","method":"ping","id":1}"#,
            r#"{"method":"ping","id":1}"#,
            r#"{"jsonrpc":"2.0","method":"ping","id":null}"#,
            r#"{"jsonrpc":"2.0","method":"ping","id":1.5}"#,
            r#"{"jsonrpc":"2.0","method":"ping","id":{}}"#,
            r#"{"jsonrpc":"2.0","method":1,"id":1}"#,
            r#"{"jsonrpc":"2.0","id":1}"#,
        ] {
            assert!(
                message(text).is_err_and(|error| error.contains("NotARequest")),
                "{text}"
            );
        }
    }

    #[test]
    fn a_message_without_id_is_a_notification() {
        let text = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
        assert_eq!(message(text), Ok("notifications/initialized".into()));
    }

    #[test]
    fn batches_are_bounded() {
        let batch = |count: usize| format!("[{}]", vec!["1"; count].join(","));
        assert!(Post::parse(batch(BATCH_LIMIT).as_bytes()).is_ok());
        assert!(Post::parse(batch(BATCH_LIMIT + 1).as_bytes()).is_err());
        assert!(Post::parse(b" [] ").is_err());
    }

    #[test]
    fn a_byte_order_mark_is_passed_over() {
        assert!(Post::parse(b"\xEF\xBB\xBF{}").is_ok());
    }

    #[test]
    fn a_client_of_2026_07_28_is_known_by_its_meta() {
        let params = r#"{"name":"x","_meta":{"io.modelcontextprotocol/clientInfo":{"name":"Agent","version":"2.1"}}}"#;
        let raw: Result<&RawValue, _> = serde_json::from_str(params);
        let client = raw.ok().and_then(client_of_request);
        assert_eq!(
            client.map(|client| (client.name, client.version)),
            Some(("Agent".into(), "2.1".into()))
        );
    }
}
