//! A Windows machine as wine makes it, for the program and its installer.

mod machine;

pub use machine::{Machine, Running, until};
