//! The protocol itself, which is rmcp's: one request in, its answer out, nothing kept between.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use axum::body::Body;
use bytes::Bytes;
use http::header::CONTENT_TYPE;
use http::{HeaderMap, Request, Response, StatusCode};
use http_body_util::{BodyExt, Full, Limited};
use rmcp::ServerHandler;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};

use super::body::BODY_LIMIT;
use super::reply::{Refusal, json_response};
use crate::own_codes;
use crate::toolset::Toolset;

/// What is read of an answer that must be put into other words, in bytes: the largest result is a
/// preview of 64 kB with its texts.
const ANSWER_LIMIT: usize = 8 * 1024 * 1024;

/// The protocol, for each toolset.
#[derive(Clone)]
pub struct Protocol {
    all: Arc<dyn Answers>,
    clock: Arc<dyn Answers>,
    room: Arc<dyn Answers>,
}

type Answer<'a> = Pin<Box<dyn Future<Output = Response<Body>> + Send + 'a>>;

trait Answers: Send + Sync {
    fn answer(&self, request: Request<Full<Bytes>>) -> Answer<'_>;
}

impl<S: ServerHandler> Answers for StreamableHttpService<S, NeverSessionManager> {
    fn answer(&self, request: Request<Full<Bytes>>) -> Answer<'_> {
        Box::pin(async { self.handle(request).await.map(Body::new) })
    }
}

impl Protocol {
    /// The protocol spoken by what `make` gives for a toolset; it is called for each request.
    ///
    /// A handler finds its [`crate::Connection`] in the extensions of the
    /// [`http::request::Parts`] that its request carries.
    pub fn new<S: ServerHandler>(
        make: impl Fn(Toolset) -> S + Clone + Send + Sync + 'static,
    ) -> Self {
        let of = |toolset| -> Arc<dyn Answers> {
            let make = make.clone();
            Arc::new(StreamableHttpService::new(
                move || Ok(make(toolset)),
                Arc::new(NeverSessionManager::default()),
                // Hosts and origins are looked at before, and more closely.
                StreamableHttpServerConfig::default()
                    .with_legacy_session_mode(false)
                    .with_json_response(true)
                    .with_max_request_body_bytes(BODY_LIMIT)
                    .disable_allowed_hosts(),
            ))
        };
        Self {
            all: of(Toolset::All),
            clock: of(Toolset::Clock),
            room: of(Toolset::Room),
        }
    }

    /// The answer to one message.
    pub(super) async fn answer(
        &self,
        toolset: Toolset,
        request: Request<Full<Bytes>>,
    ) -> Response<Body> {
        match toolset {
            Toolset::All => &self.all,
            Toolset::Clock => &self.clock,
            Toolset::Room => &self.room,
        }
        .answer(request)
        .await
    }
}

/// How an answer is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Written {
    Json,
    Events,
    Otherwise,
}

pub(super) fn written(headers: &HeaderMap) -> Written {
    match headers.get(CONTENT_TYPE).map(http::HeaderValue::as_bytes) {
        Some(b"application/json") => Written::Json,
        Some(b"text/event-stream") => Written::Events,
        _ => Written::Otherwise,
    }
}

/// The last event of a stream as JSON: the result, after what was said on the way.
pub(super) async fn last_event(response: Response<Body>) -> Response<Body> {
    let text = text(response).await;
    let last = text
        .lines()
        .filter_map(|line| line.strip_prefix("data:"))
        .map(str::trim_start)
        .rfind(|data| data.starts_with('{'));
    match last {
        Some(data) => json_response(StatusCode::OK, Bytes::copy_from_slice(data.as_bytes())),
        None => Refusal::Protocol {
            status: StatusCode::INTERNAL_SERVER_ERROR,
            detail: "No answer came.".into(),
        }
        .response(None),
    }
}

/// An answer with the code that its tool gave.
pub(super) async fn with_own_code(response: Response<Body>) -> Response<Body> {
    let (head, body) = response.into_parts();
    // It was made in this process and is in memory already.
    let body = whole(Response::new(body)).await;
    match own_codes::restored(&body) {
        Some(restored) => json_response(head.status, restored),
        None => Response::from_parts(head, Body::from(body)),
    }
}

/// An answer in rmcp's plain words, as a refusal.
pub(super) async fn refusal(response: Response<Body>) -> Refusal {
    Refusal::Protocol {
        status: response.status(),
        detail: text(response).await,
    }
}

/// The whole body of an answer, where it is within bounds.
pub(super) async fn whole(response: Response<Body>) -> Bytes {
    Limited::new(response.into_body(), ANSWER_LIMIT)
        .collect()
        .await
        .map(http_body_util::Collected::to_bytes)
        .unwrap_or_default()
}

async fn text(response: Response<Body>) -> String {
    String::from_utf8_lossy(&whole(response).await).into_owned()
}
