//! A Windows machine as wine makes it, for the program and its installer.

mod machine;
mod server;

pub use machine::{Machine, Running, until};
pub use server::{Server, TOKEN};
