//! The agents' door: MCP tools over the engine, by HTTP and by stdio.

mod absence;
mod agents;
pub mod clients;
mod connection;
mod feed;
mod host;
mod http;
mod lines;
mod local;
mod own_codes;
mod places;
mod relay;
mod repeats;
mod service;
mod switch;
mod tool;
mod toolset;

pub use absence::stand_in;
pub use agents::{AgentsState, CallOutcome, CallRecord, ConnectedAgent, ServerState, Transport};
pub use connection::{Cancellation, Connection};
pub use host::Host;
pub use http::{BODY_LIMIT, Gatekeeper, HttpDoor, Listeners, Listening, Protocol, ServeError, run};
pub use local::{
    Asked, Hello, KeptIn, LocalError, LocalServer, Place, Policy, Talk, TokenAnswer, TokenOrder,
    ask_for_a_while, ask_to_quit, ask_to_yield, attach, order_tokens,
};
pub use relay::{Backends, RelayError, relay, standard_streams};
pub use service::AgentService;
pub use switch::McpServer;
pub use toolset::Toolset;
