//! One HTTP exchange with a device, and what carries it.

use std::time::Duration;

use async_trait::async_trait;

use crate::address::Address;

/// The methods that devices know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Reads.
    Get,
    /// Does something.
    Post,
}

/// One HTTP request, as a dialect makes it.
#[derive(Clone, Debug, PartialEq)]
pub struct Exchange {
    /// The method.
    pub method: Method,
    /// Path and query, percent-encoded, from the first `/` on.
    pub path: String,
    /// The body, JSON text, sent as it is with the type `application/json`.
    pub body: Option<String>,
    /// Most bytes of an answer that make sense; more is cut off and counts as nonsense.
    pub body_limit: usize,
}

/// Most bytes of a status: the largest that a board is known to send is a tenth of it.
const STATUS_LIMIT: usize = 64 * 1024;

/// Most bytes of what a device says to a request that writes.
const REPLY_LIMIT: usize = 16 * 1024;

impl Exchange {
    /// One that reads a page of JSON.
    pub(crate) fn get(path: impl Into<String>) -> Self {
        Self {
            method: Method::Get,
            path: path.into(),
            body: None,
            body_limit: STATUS_LIMIT,
        }
    }

    /// One that does something.
    pub(crate) fn post(path: impl Into<String>, body: Option<String>) -> Self {
        Self {
            method: Method::Post,
            path: path.into(),
            body,
            body_limit: REPLY_LIMIT,
        }
    }
}

/// Whom an exchange goes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// Where.
    pub address: Address,
    /// The port there.
    pub port: u16,
    /// The `Authorization` header.
    pub authorization: Option<Authorization>,
}

/// The `Authorization` header of a request.
#[derive(Clone, PartialEq, Eq)]
pub struct Authorization(pub(crate) zeroize::Zeroizing<String>);

impl std::fmt::Debug for Authorization {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("Authorization(…)")
    }
}

/// What a device answered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reply {
    /// HTTP status.
    pub status: u16,
    /// `Content-Type`, lower case, without parameters.
    pub content_type: Option<String>,
    /// The first word of `WWW-Authenticate`, lower case: `basic`, `bearer`.
    pub asks_for: Option<String>,
    /// `Retry-After` in seconds.
    pub retry_after: Option<u32>,
    /// The body, at most as long as was asked for.
    pub body: Vec<u8>,
    /// The body was longer than the limit.
    pub cut: bool,
    /// The connection ended before the body that was announced; what came is in `body`.
    pub unfinished: bool,
    /// The time was up before the body was there; what came is in `body`.
    pub late: bool,
}

/// Why there is no reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TransportError {
    /// No connection, so that nothing was sent: refused, no route, no such name.
    NotConnected {
        /// What the system said.
        detail: String,
    },
    /// No answer in time; the request may have arrived.
    TimedOut {
        /// The time it was given.
        after: Duration,
    },
    /// The connection broke after the request had gone out; it may have arrived.
    Broken {
        /// What the system said.
        detail: String,
    },
    /// A name that resolves to an address outside one's own networks.
    NotPrivate {
        /// That address.
        address: String,
    },
}

/// What carries exchanges: the network, or a test.
#[async_trait]
pub trait Transport: Send + Sync + 'static {
    /// Sends a request and reads its answer, within `deadline` from the call on. Redirects are not
    /// followed.
    ///
    /// # Errors
    /// See [`TransportError`].
    async fn exchange(
        &self,
        target: &Target,
        exchange: &Exchange,
        deadline: Duration,
    ) -> Result<Reply, TransportError>;
}
