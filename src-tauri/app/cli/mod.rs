//! The command line: the same jobs without a window.

mod checkup;
mod clock;
mod doctor;
mod erase;
mod failure;
mod image;
mod interruption;
mod mcp;
mod output_file;
mod quit;
mod refusal;
mod room;
mod words;

use std::io::Write as _;
use std::path::Path;
use std::process::ExitCode;

use serde_json::{Value, json};
use tokio::runtime::Runtime;

pub(crate) use failure::Failure;
pub(crate) use refusal::refuse;

use crate::arguments::{Arguments, Command};

/// Does what a command asks and prints the answer. The exit code says more than "done" only for a
/// command whose help says so.
///
/// # Errors
/// What went wrong, to be shown by [`report`].
pub(crate) fn run(arguments: &Arguments, command: &Command) -> Result<ExitCode, Failure> {
    match command {
        Command::Image(image) => image::run(image).map(|()| ExitCode::SUCCESS),
        Command::Clock(clock) => clock::run(arguments, clock),
        Command::Room(room) => room::run(arguments, room),
        Command::Mcp(mcp) => mcp::run(arguments, mcp),
        Command::Doctor(checkup) => checkup::run(arguments, checkup),
        Command::Quit => quit::run(arguments),
        Command::Erase(erase) => erase::run(arguments, erase),
    }
}

/// What commands that wait for something run on.
fn runtime() -> Result<Runtime, Failure> {
    tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::argument(format!("The runtime failed: {error}."), ""))
}

/// What a command has to say: for a person, and as data.
pub(crate) struct Answer {
    /// What was looked at is as it should be.
    ok: bool,
    tool: &'static str,
    text: String,
    data: Value,
    /// Why a file that was wanted besides is not there; the answer holds all the same.
    unwritten: Option<Failure>,
}

impl Answer {
    /// 0 when all is well, 3 when what was looked at is not: neither that of a failure (1), such as
    /// a file that could not be written, nor of wrong arguments (2).
    fn exit_code(&self) -> ExitCode {
        match (self.ok, &self.unwritten) {
            (false, _) => ExitCode::from(3),
            (true, Some(_)) => ExitCode::FAILURE,
            (true, None) => ExitCode::SUCCESS,
        }
    }

    fn print(&self, as_json: bool) -> Result<(), Failure> {
        if as_json {
            line(&json!({ "ok": self.ok, "tool": self.tool, "data": self.data }).to_string())?;
        } else {
            line(&self.text)?;
        }
        // There is one answer; what is wrong besides goes where people are told.
        if let Some(failure) = &self.unwritten {
            complain(&failure.to_string());
        }
        Ok(())
    }
}

/// Shows a failure: a sentence and a hint, or the JSON object where that was asked for.
pub(crate) fn report(failure: &Failure) {
    match failure.as_json() {
        Some(object) => {
            if let Err(unwritable) = line(&object.to_string()) {
                complain(&unwritable.to_string());
            }
        }
        None => complain(&failure.to_string()),
    }
}

/// Tells a person that something is wrong.
fn complain(text: &str) {
    // A closed error stream leaves nobody to tell.
    let _unread = writeln!(std::io::stderr().lock(), "regie: {}", harmless(text));
}

/// File names and the names of clocks come from anywhere: what would drive a terminal in them does
/// not reach it.
fn harmless(text: &str) -> String {
    text.chars()
        .map(|c| {
            let harmless = !c.is_control() || c == '\n';
            if harmless {
                c
            } else {
                char::REPLACEMENT_CHARACTER
            }
        })
        .collect()
}

/// Writes a line of the answer. A reader that went away, as `head` does, is no failure.
fn line(text: &str) -> Result<(), Failure> {
    let mut stream = std::io::stdout().lock();
    match writeln!(stream, "{}", harmless(text)).and_then(|()| stream.flush()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(Failure::unwritable(Path::new("The answer"), &error))
        }
        _ => Ok(()),
    }
}
