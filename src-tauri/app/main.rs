//! Starts Regie: the window without a command, else the command line.

#![cfg_attr(all(windows, not(debug_assertions)), windows_subsystem = "windows")]

use std::process::ExitCode;

fn main() -> ExitCode {
    // The window needs none, and would end with it.
    if std::env::args_os().len() > 1 {
        regie_app::join_console();
    }
    match regie_app::parse(std::env::args_os()) {
        Ok(arguments) => regie_app::run(arguments),
        Err(code) => code,
    }
}
