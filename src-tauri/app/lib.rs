//! Regie's window, tray and command line: thin doors onto the engine.

mod arguments;
mod catalogue;
mod cli;
mod devices;
mod folders;
mod ipc;
mod logging;
mod start;
mod tray;
mod tray_host;
mod tray_menu;
mod window;

use std::process::ExitCode;

pub use arguments::Arguments;

/// Does what the arguments ask; the exit code is 0 only when it was done.
pub fn run(arguments: Arguments) -> ExitCode {
    logging::start();
    let outcome = match arguments.command {
        Some(ref command) => cli::run(&arguments, command).map(|()| ExitCode::SUCCESS),
        None => start::run(&arguments),
    };
    outcome.unwrap_or_else(|failure| {
        cli::report(&failure);
        ExitCode::FAILURE
    })
}
