//! Regie's window, tray and command line: thin doors onto the engine.

mod arguments;
mod catalogue;
mod cli;
mod devices;
mod folders;
mod ipc;
mod logging;
mod start;
mod system_settings;
mod tray;
mod tray_host;
mod tray_menu;
mod window;

use std::process::ExitCode;

pub use arguments::Arguments;

/// Does what the arguments ask; the exit code is 0 only when it was done and, of a diagnosis, when
/// everything works.
pub fn run(arguments: Arguments) -> ExitCode {
    logging::start();
    let outcome = match arguments.command {
        Some(ref command) => cli::run(&arguments, command),
        None => start::run(&arguments),
    };
    outcome.unwrap_or_else(|failure| {
        cli::report(&failure);
        ExitCode::FAILURE
    })
}
