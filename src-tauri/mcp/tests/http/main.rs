//! The agents' door over HTTP, asked as clients ask and as attackers would.

#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod admission;
mod client;
mod nonsense;
mod protocol;
mod serving;
mod trivial;
