//! Agents over HTTP: who may ask, what a request holds, and how it reaches the protocol.
//!
//! A request passes, in this order: Host and Origin ([`guard`]), the token ([`bearer`]), the limits
//! of its body ([`body`]), and then the protocol ([`post`]), which is rmcp's, without sessions.
//! Every answer is JSON, the refusals too ([`reply`]).

mod bearer;
mod body;
mod calls;
mod envelope;
mod gate;
mod guard;
mod holder;
mod label;
mod listen;
mod post;
mod protocol;
mod reply;
mod routes;
mod serve;
mod slowdown;

pub use bearer::Gatekeeper;
pub use body::BODY_LIMIT;
pub use listen::{Listeners, Listening, ServeError};
pub use protocol::Protocol;
pub use routes::HttpDoor;
pub use serve::run;
