//! The whole clock over the system's Bluetooth, against a fake BlueZ with simulated clocks behind
//! it. Each test has a private bus and a process of its own, and mostly waits: run them with
//! `--test-threads=12`.
#![cfg(target_os = "linux")]
// Helpers end a test as an assertion does; what a test counts is worth seeing.
#![allow(
    clippy::panic,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stdout
)]

mod adapter;
mod bench;
mod connecting;
mod endurance;
mod everyday;
mod isolation;
mod writing;
