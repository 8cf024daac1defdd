//! Regie's window, tray and command line: thin doors onto the engine.

mod agents;
mod arguments;
mod catalogue;
mod cli;
mod console;
mod devices;
mod folders;
mod handed_over;
mod ipc;
mod logging;
mod login;
mod owning;
mod room_feed;
mod start;
mod system_settings;
mod tray;
mod tray_host;
mod tray_menu;
mod window;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Parser as _;

pub use arguments::Arguments;

/// Reads the arguments, the program's name first.
///
/// # Errors
/// The exit code with which the program ends at once: 0 after the help or the version, 2 after
/// arguments that are refused. What there is to say has been said, as one JSON object where the
/// arguments ask for that.
pub fn parse(given: impl IntoIterator<Item = OsString>) -> Result<Arguments, ExitCode> {
    let given: Vec<OsString> = given.into_iter().collect();
    Arguments::try_parse_from(&given).map_err(|refusal| cli::refuse(&refusal, &given))
}

/// Joins the console that the program was started from, for what a command prints. On Windows only,
/// and before anything is printed.
pub fn join_console() {
    console::join();
}

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
