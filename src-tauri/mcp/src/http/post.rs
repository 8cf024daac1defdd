//! One POST: full MCP of every version, and plain JSON-RPC, on the same path.

use std::sync::Arc;

use axum::body::Body;
use bytes::{BufMut, Bytes, BytesMut};
use http::header::{ACCEPT, AUTHORIZATION, CONTENT_ENCODING, CONTENT_TYPE};
use http::request::Parts;
use http::{HeaderMap, HeaderName, HeaderValue, Request, Response, StatusCode};
use http_body_util::Full;
use regie_engine::{Caller, Door, Reach};
use rmcp::model::RequestId;
use serde_json::value::RawValue;

use super::bearer::Admitted;
use super::body::{self, Whole};
use super::calls::Speaker;
use super::envelope::{self, Message, Post};
use super::guard::Ends;
use super::label;
use super::protocol::{self, Written};
use super::reply::{Refusal, accepted, json_response};
use super::routes::Site;
use crate::agents::Transport;
use crate::connection::{Cancellation, Connection};
use crate::toolset::Toolset;

const VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");

/// From this version on the end of a connection means that the caller has changed its mind.
const CLOSING_CANCELS: &str = "2026-07-28";

/// What rmcp asks of every request, and plain callers do not send.
const BOTH_TYPES: HeaderValue = HeaderValue::from_static("application/json, text/event-stream");
const JSON: HeaderValue = HeaderValue::from_static("application/json");

/// Who sends a POST, and how.
struct Sender<'a> {
    site: &'a Site,
    toolset: Toolset,
    parts: &'a Parts,
    token: Arc<str>,
    session: Option<Arc<str>>,
    ends: Ends,
    /// Whether it reads a stream of events.
    streams: bool,
    /// Whether it speaks [`CLOSING_CANCELS`] or later.
    modern: bool,
}

/// Answers a POST of an admitted caller.
pub(super) async fn post(
    site: &Site,
    toolset: Toolset,
    admitted: Admitted,
    ends: Ends,
    request: Request<Body>,
) -> Response<Body> {
    let (mut parts, mut sent) = request.into_parts();
    let read = if is_encoded(&parts.headers) {
        Err(Refusal::Encoded)
    } else {
        site.door.memory.read(&parts.headers, &mut sent).await
    };
    let Whole { bytes: whole, room } = match read {
        Ok(whole) => whole,
        Err(refusal) => {
            body::discard(&parts.headers, sent).await;
            return refusal.response(None);
        }
    };
    let streams = reads_events(&parts.headers);
    // No handler, and so no log of one, sees the token.
    parts.headers.remove(AUTHORIZATION);
    // A call keeps what it was sent until it ends.
    if let Some(room) = room {
        parts.extensions.insert(room);
    }
    parts.headers.insert(ACCEPT, BOTH_TYPES);
    parts.headers.insert(CONTENT_TYPE, JSON);
    let sender = Sender {
        site,
        toolset,
        token: admitted.token,
        session: label::of(&parts.headers),
        ends,
        streams,
        modern: is_modern(&parts.headers),
        parts: &parts,
    };
    match Post::parse(&whole) {
        Err(refusal) => refusal.response(None),
        Ok(Post::One(message)) => sender.one(&whole, message).await,
        Ok(Post::Batch(messages)) => {
            // One answer holds them all, so none can be told of on the way.
            let sender = Sender {
                streams: false,
                ..sender
            };
            sender.batch(&whole, &messages).await
        }
    }
}

impl Sender<'_> {
    async fn batch(&self, whole: &Bytes, messages: &[&RawValue]) -> Response<Body> {
        let mut answers = BytesMut::new();
        for message in messages {
            let response = self.one(whole, message).await;
            if response.status() == StatusCode::ACCEPTED {
                continue;
            }
            answers.put_u8(if answers.is_empty() { b'[' } else { b',' });
            answers.put(protocol::whole(response).await);
        }
        if answers.is_empty() {
            return accepted();
        }
        answers.put_u8(b']');
        json_response(StatusCode::OK, answers.freeze())
    }

    async fn one(&self, whole: &Bytes, message: &RawValue) -> Response<Body> {
        match Message::parse(message) {
            Err((refusal, id)) => refusal.response(id),
            Ok(Message::Answer) => accepted(),
            Ok(Message::Notification { method, params }) => {
                self.notice(&method, params);
                accepted()
            }
            Ok(Message::Request {
                raw_id,
                id,
                method,
                params,
            }) => {
                let message = whole.slice_ref(message.get().as_bytes());
                tokio::select! {
                    biased;
                    response = self.request(message, raw_id, id, &method, params) => response,
                    () = self.site.ended.cancelled() => Refusal::SwitchedOff.response(Some(raw_id)),
                }
            }
        }
    }

    fn notice(&self, method: &str, params: Option<&RawValue>) {
        if method == "notifications/cancelled"
            && let Some(id) = params.and_then(envelope::cancelled_request)
        {
            self.site.door.calls.cancel(self.speaker(), id);
        }
    }

    async fn request(
        &self,
        message: Bytes,
        raw_id: &RawValue,
        id: RequestId,
        method: &str,
        params: Option<&RawValue>,
    ) -> Response<Body> {
        let mut parts = self.parts.clone();
        let cancellation = if self.modern {
            Cancellation::Context
        } else {
            let token = self.site.ended.child_token();
            if method == "tools/call" {
                let under_way = self
                    .site
                    .door
                    .calls
                    .begin(self.speaker(), id, token.clone());
                // Handed to the handler, so that it lasts as long as the call does.
                parts.extensions.insert(under_way);
            }
            Cancellation::Notice(token)
        };
        parts
            .extensions
            .insert(self.connection(params, cancellation));
        let request = Request::from_parts(parts, Full::new(message));
        let response = self.site.door.protocol.answer(self.toolset, request).await;
        let mut response = match protocol::written(response.headers()) {
            Written::Json if self.modern && method == "tools/call" => {
                protocol::with_own_code(response).await
            }
            Written::Json => response,
            Written::Events if self.streams => response,
            Written::Events => protocol::last_event(response).await,
            Written::Otherwise if response.status() == StatusCode::ACCEPTED => response,
            Written::Otherwise => protocol::refusal(response).await.response(Some(raw_id)),
        };
        if method == "initialize" && response.status() == StatusCode::OK {
            let client = params.and_then(envelope::client_of_initialize);
            if let Some(label) = label::make(client.as_ref()) {
                response.headers_mut().insert(label::SESSION, label);
            }
        }
        response
    }

    fn connection(&self, params: Option<&RawValue>, cancellation: Cancellation) -> Connection {
        Connection {
            caller: Caller {
                door: Door::Agent,
                name: Some(self.name(params)),
            },
            transport: Transport::Http,
            reach: if self.ends.same_computer() {
                Reach::ThisComputer
            } else {
                Reach::ThisNetwork
            },
            toolset: self.toolset,
            clock: self.site.door.clock.clone(),
            hears_progress: self.streams,
            cancellation,
            // Without a label nothing tells a repeated request 1 from another program's.
            session: self
                .session
                .as_ref()
                .map(|session| format!("{}\n{session}", self.token).into()),
            token: Some(self.token.as_ref().to_owned()),
            address: Some(self.ends.peer.ip().to_canonical().to_string()),
        }
    }

    /// What the caller calls itself; its token's name where it does not say.
    fn name(&self, params: Option<&RawValue>) -> String {
        let own = match &self.session {
            Some(session) => label::name(session),
            None if self.modern => params
                .and_then(envelope::client_of_request)
                .and_then(|client| label::display(&client)),
            None => None,
        };
        own.unwrap_or_else(|| self.token.as_ref().to_owned())
    }

    fn speaker(&self) -> Speaker {
        Speaker {
            token: self.token.clone(),
            session: self.session.clone(),
        }
    }
}

fn is_encoded(headers: &HeaderMap) -> bool {
    headers
        .get_all(CONTENT_ENCODING)
        .iter()
        .any(|value| !value.as_bytes().eq_ignore_ascii_case(b"identity"))
}

fn reads_events(headers: &HeaderMap) -> bool {
    headers
        .get_all(ACCEPT)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .any(|range| {
            let essence = range.split(';').next().unwrap_or(range);
            essence.trim().eq_ignore_ascii_case("text/event-stream")
        })
}

fn is_modern(headers: &HeaderMap) -> bool {
    headers
        .get(VERSION)
        .and_then(|version| version.to_str().ok())
        // Versions are dates, written so that their order is that of their letters.
        .is_some_and(|version| version >= CLOSING_CANCELS)
}
