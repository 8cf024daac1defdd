//! What a tool knows of whoever calls it.

use std::sync::Arc;

use regie_engine::{Caller, Reach};
use tokio_util::sync::CancellationToken;

use crate::agents::Transport;
use crate::toolset::Toolset;

/// One caller, for as long as a call or a connection lasts.
///
/// A stdio connection has one for all its calls; over HTTP each request carries its own in the
/// extensions of its [`http::request::Parts`].
#[derive(Clone, Debug)]
pub struct Connection {
    /// Who calls.
    pub caller: Caller,
    /// How.
    pub transport: Transport,
    /// From where.
    pub reach: Reach,
    /// Which tools are offered.
    pub toolset: Toolset,
    /// The clock that calls without an address are for; `None`: the chosen one.
    pub clock: Option<String>,
    /// Whether notifications reach the caller before the answer does.
    pub hears_progress: bool,
    /// What ends a call early.
    pub cancellation: Cancellation,
    /// What tells this caller's requests from those of others, so that one that comes twice is
    /// carried out once; `None`: nothing does.
    pub session: Option<Arc<str>>,
    /// The name of the token it showed.
    pub token: Option<String>,
    /// The address it comes from.
    pub address: Option<String>,
}

impl Connection {
    /// A caller of every tool that hears what is sent to it and shows no token.
    #[must_use]
    pub fn new(caller: Caller, transport: Transport, reach: Reach) -> Self {
        Self {
            caller,
            transport,
            reach,
            toolset: Toolset::All,
            clock: None,
            hears_progress: true,
            cancellation: Cancellation::Context,
            session: None,
            token: None,
            address: None,
        }
    }
}

/// What ends a call early.
#[derive(Clone, Debug)]
pub enum Cancellation {
    /// The protocol's own notice, or the end of the connection.
    Context,
    /// This token only: an earlier protocol over HTTP, in which a lost connection does not mean
    /// that the caller has changed its mind, or a caller that speaks no more than JSON-RPC.
    Notice(CancellationToken),
}
