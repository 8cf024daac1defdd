//! Starts Regie: the window without a command, else the command line.

#![cfg_attr(all(windows, not(debug_assertions)), windows_subsystem = "windows")]

use std::process::ExitCode;

use clap::Parser as _;

fn main() -> ExitCode {
    regie_app::run(regie_app::Arguments::parse())
}
