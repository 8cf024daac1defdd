//! The paths, and what stands before them.

use std::fmt;
use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::State;
use axum::middleware::{self, Next};
use axum::routing::{MethodRouter, get, post};
use bytes::Bytes;
use http::request::Parts;
use http::{Request, Response, StatusCode};
use tokio_util::sync::CancellationToken;

use super::bearer::{self, Admitted, Gatekeeper};
use super::body::{self, Memory};
use super::calls::Calls;
use super::guard::{Ends, Names};
use super::post as one_post;
use super::protocol::Protocol;
use super::reply::{Refusal, json_response};
use super::slowdown::Slowdown;
use crate::toolset::Toolset;

/// Where clients look for ways of logging in; there are none, and they must hear so without one.
const WELL_KNOWN: &str = "/.well-known/";

const HEALTH: &str = "/health";

/// The agents' door over HTTP: what lasts while the server is switched off and on.
pub struct HttpDoor {
    pub(super) protocol: Protocol,
    gatekeeper: Arc<dyn Gatekeeper>,
    pub(super) calls: Calls,
    slowdown: Slowdown,
    pub(super) memory: Memory,
    /// What `/mcp` offers.
    offered: Toolset,
    pub(super) clock: Option<String>,
}

impl HttpDoor {
    /// A door that `gatekeeper` lets callers through, to what `protocol` answers.
    pub fn new(gatekeeper: Arc<dyn Gatekeeper>, protocol: Protocol) -> Self {
        Self {
            protocol,
            gatekeeper,
            calls: Calls::default(),
            slowdown: Slowdown::new(),
            memory: Memory::new(),
            offered: Toolset::All,
            clock: None,
        }
    }

    /// The same with `/mcp` offering `tools` only, and calls that name no clock meant for `clock`;
    /// `None`: the chosen one.
    #[must_use]
    pub fn offering(mut self, tools: Toolset, clock: Option<String>) -> Self {
        self.offered = tools;
        self.clock = clock;
        self
    }

    /// The tools of a path that is made for `toolset`.
    fn narrowed(&self, toolset: Toolset) -> Toolset {
        match toolset {
            Toolset::All => self.offered,
            part => part,
        }
    }

    /// Who knows the tokens.
    pub fn gatekeeper(&self) -> &dyn Gatekeeper {
        &*self.gatekeeper
    }
}

impl fmt::Debug for HttpDoor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpDoor").finish_non_exhaustive()
    }
}

/// The door as it stands in one run of the server.
pub(super) struct Site {
    pub(super) door: Arc<HttpDoor>,
    pub(super) names: Names,
    /// The calls of this run are over.
    pub(super) ended: CancellationToken,
}

/// The routes of one run. Each request must carry its [`Ends`].
pub(super) fn router(site: Arc<Site>) -> Router {
    Router::new()
        .route("/mcp", tools(Toolset::All))
        .route("/mcp/clock", tools(Toolset::Clock))
        .route("/mcp/room", tools(Toolset::Room))
        .route(HEALTH, get(health).fallback(async || wrong_method("GET")))
        .fallback(async || Refusal::NoSuchPath.response(None))
        .layer(middleware::from_fn_with_state(site.clone(), guard))
        .with_state(site)
}

fn tools(toolset: Toolset) -> MethodRouter<Arc<Site>> {
    post(
        async move |State(site): State<Arc<Site>>, mut request: Request<Body>| {
            let (admitted, ends) = (
                request.extensions_mut().remove::<Admitted>(),
                request.extensions().get::<Ends>().copied(),
            );
            match admitted.zip(ends) {
                Some((admitted, ends)) => {
                    let offered = site.door.narrowed(toolset);
                    one_post::post(&site, offered, admitted, ends, request).await
                }
                None => Refusal::NoToken.response(None),
            }
        },
    )
    .fallback(async || wrong_method("POST"))
}

async fn health() -> Response<Body> {
    json_response(StatusCode::OK, Bytes::from_static(b"{\"status\":\"ok\"}"))
}

fn wrong_method(allow: &'static str) -> Response<Body> {
    Refusal::WrongMethod { allow }.response(None)
}

async fn guard(
    State(site): State<Arc<Site>>,
    request: Request<Body>,
    next: Next,
) -> Response<Body> {
    let (mut parts, sent) = request.into_parts();
    match site.admit(&parts).await {
        Ok(admitted) => {
            if let Some(admitted) = admitted {
                parts.extensions.insert(admitted);
            }
            next.run(Request::from_parts(parts, sent)).await
        }
        Err(refusal) => {
            body::discard(&parts.headers, sent).await;
            refusal.response(None)
        }
    }
}

impl Site {
    /// Whom a request comes from; `None` where that does not matter.
    async fn admit(&self, request: &Parts) -> Result<Option<Admitted>, Refusal> {
        let ends = request
            .extensions
            .get::<Ends>()
            .ok_or(Refusal::ForeignHost)?;
        self.names.check(&request.uri, &request.headers, ends)?;
        let path = request.uri.path();
        if path == HEALTH || path.starts_with(WELL_KNOWN) {
            return Ok(None);
        }
        bearer::admit(
            &*self.door.gatekeeper,
            &self.door.slowdown,
            &request.headers,
            ends,
        )
        .await
        .map(Some)
    }
}
