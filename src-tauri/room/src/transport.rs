//! HTTP to devices.
//!
//! Boards have few sockets (ESP-1), so that every exchange has a connection of its own that ends
//! with it. A name is resolved here and checked, and the request goes to the address that was
//! checked: a second resolution could say something else.

use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use async_trait::async_trait;
use reqwest::header::{AUTHORIZATION, CONNECTION, CONTENT_TYPE, HOST, HeaderMap, HeaderValue};
use reqwest::header::{RETRY_AFTER, WWW_AUTHENTICATE};
use tokio::time::{Instant, timeout_at};

use crate::address::is_private;
use crate::error::RoomError;
use crate::exchange::{Exchange, Method, Reply, Target, Transport, TransportError};

/// The time a connection may take, less than any command has: a device without power is then known
/// not to have got anything.
const CONNECT: Duration = Duration::from_secs(3);

/// Most headers of an answer; boards send about ten.
const MAX_HEADERS: usize = 64;

/// What announces this program.
const USER_AGENT: &str = concat!("regie/", env!("CARGO_PKG_VERSION"));

/// Carries exchanges over the network.
#[derive(Clone, Debug)]
pub struct HttpTransport {
    client: reqwest::Client,
}

impl HttpTransport {
    /// A transport without proxies, cookies, redirects or kept connections.
    ///
    /// # Errors
    /// [`RoomError::NetworkUnusable`].
    pub fn new() -> Result<Self, RoomError> {
        let client = reqwest::Client::builder()
            .user_agent(USER_AGENT)
            .no_proxy()
            .redirect(reqwest::redirect::Policy::none())
            .retry(reqwest::retry::never())
            .referer(false)
            .http1_only()
            .http1_max_headers(MAX_HEADERS)
            .pool_max_idle_per_host(0)
            .tcp_nodelay(true)
            .connect_timeout(CONNECT)
            .build()
            .map_err(|error| RoomError::NetworkUnusable {
                detail: cause(&error),
            })?;
        Ok(Self { client })
    }

    fn request(
        &self,
        at: SocketAddr,
        target: &Target,
        exchange: &Exchange,
    ) -> reqwest::RequestBuilder {
        let method = match exchange.method {
            Method::Get => reqwest::Method::GET,
            Method::Post => reqwest::Method::POST,
        };
        let request = self
            .client
            .request(method, format!("http://{at}{}", exchange.path))
            .header(HOST, format!("{}:{}", target.address.host(), target.port))
            .header(CONNECTION, HeaderValue::from_static("close"));
        let request = match &target.authorization {
            Some(authorization) => match HeaderValue::from_str(&authorization.0) {
                Ok(mut value) => {
                    value.set_sensitive(true);
                    request.header(AUTHORIZATION, value)
                }
                // No header can carry such a token: the device asks for one, and refuses.
                Err(_) => request,
            },
            None => request,
        };
        match &exchange.body {
            Some(body) => request
                .header(CONTENT_TYPE, HeaderValue::from_static("application/json"))
                .body(body.clone()),
            None => request,
        }
    }
}

#[async_trait]
impl Transport for HttpTransport {
    async fn exchange(
        &self,
        target: &Target,
        exchange: &Exchange,
        deadline: Duration,
    ) -> Result<Reply, TransportError> {
        let end = Instant::now() + deadline;
        let late = TransportError::TimedOut { after: deadline };
        let unresolved = TransportError::NotConnected {
            detail: "its name was not resolved in time".to_owned(),
        };
        let ip = timeout_at(end, resolve(target))
            .await
            .unwrap_or(Err(unresolved))?;
        let request = self.request(SocketAddr::new(ip, target.port), target, exchange);
        let mut response = match timeout_at(end, request.send()).await {
            Ok(Ok(response)) => response,
            Ok(Err(error)) => return Err(failure(&error)),
            Err(_) => return Err(late),
        };
        let mut reply = head(response.status().as_u16(), response.headers());
        loop {
            match timeout_at(end, response.chunk()).await {
                Ok(Ok(Some(chunk))) => {
                    let room = exchange.body_limit - reply.body.len();
                    reply.body.extend(chunk.iter().take(room));
                    if chunk.len() > room {
                        reply.cut = true;
                        return Ok(reply);
                    }
                }
                Ok(Ok(None)) => return Ok(reply),
                Ok(Err(_)) => {
                    reply.unfinished = true;
                    return Ok(reply);
                }
                Err(_) => {
                    reply.unfinished = true;
                    reply.late = true;
                    return Ok(reply);
                }
            }
        }
    }
}

/// The private address that a target's host is or means; IPv4 where there are both, since boards
/// announce addresses of IPv6 and do not listen there.
async fn resolve(target: &Target) -> Result<IpAddr, TransportError> {
    let ip = match target.address.ip() {
        Some(ip) => ip,
        None => {
            let host = target.address.host();
            let found = tokio::net::lookup_host((host.as_str(), target.port)).await;
            let mut found: Vec<IpAddr> = found
                .map_err(|error| TransportError::NotConnected {
                    detail: format!("the name {host} is not known ({error})"),
                })?
                .map(|at| at.ip())
                .collect();
            found.sort_by_key(IpAddr::is_ipv6);
            let private = found.iter().find(|ip| is_private(**ip));
            *private
                .or(found.first())
                .ok_or_else(|| TransportError::NotConnected {
                    detail: format!("the name {host} has no address"),
                })?
        }
    };
    if !is_private(ip) {
        return Err(TransportError::NotPrivate {
            address: ip.to_string(),
        });
    }
    Ok(ip)
}

fn head(status: u16, headers: &HeaderMap) -> Reply {
    let text = |name| {
        headers.get(name).map(|value: &HeaderValue| {
            String::from_utf8_lossy(value.as_bytes())
                .trim()
                .to_ascii_lowercase()
        })
    };
    let first = |text: String, end: char| {
        let word = text.split(end).next().unwrap_or_default().trim().to_owned();
        (!word.is_empty()).then_some(word)
    };
    Reply {
        status,
        content_type: text(CONTENT_TYPE).and_then(|value| first(value, ';')),
        asks_for: text(WWW_AUTHENTICATE).and_then(|value| first(value, ' ')),
        retry_after: text(RETRY_AFTER).and_then(|value| value.parse().ok()),
        ..Reply::default()
    }
}

/// Why there is no reply. A connection that was never made has carried nothing.
fn failure(error: &reqwest::Error) -> TransportError {
    let detail = cause(error);
    if !error.is_connect() && !error.is_builder() {
        return TransportError::Broken { detail };
    }
    TransportError::NotConnected {
        detail: if error.is_timeout() {
            format!("no connection in {} s", CONNECT.as_secs())
        } else {
            detail
        },
    }
}

/// What the system said, without what was wrapped around it.
fn cause(error: &dyn std::error::Error) -> String {
    let mut innermost = error;
    while let Some(source) = innermost.source() {
        innermost = source;
    }
    let text = innermost.to_string();
    // "Connection refused (os error 111)": the number says nothing to a person.
    match text.split_once(" (os error") {
        Some((said, _)) => said.to_lowercase(),
        None => text,
    }
}
