//! The command line: the same jobs without a window.

mod clock;
mod failure;
mod image;

use std::io::Write as _;
use std::path::Path;

use serde_json::{Value, json};

pub(crate) use failure::Failure;

use crate::arguments::{Arguments, Command};

/// Does what a command asks and prints the answer.
///
/// # Errors
/// What went wrong, to be shown by [`report`].
pub(crate) fn run(arguments: &Arguments, command: &Command) -> Result<(), Failure> {
    match command {
        Command::Image(image) => image::run(image),
        Command::Clock(clock) => clock::run(arguments, clock),
    }
}

/// What a command has to say: for a person, and as data.
pub(crate) struct Answer {
    tool: &'static str,
    text: String,
    data: Value,
}

impl Answer {
    fn print(&self, as_json: bool) -> Result<(), Failure> {
        if as_json {
            line(&json!({ "ok": true, "tool": self.tool, "data": self.data }).to_string())
        } else {
            line(&self.text)
        }
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

/// Tells a person that something is wrong. File names come from anywhere: what would drive a
/// terminal in them does not reach it.
fn complain(text: &str) {
    let shown: String = text
        .chars()
        .map(|c| {
            let harmless = !c.is_control() || c == '\n';
            if harmless {
                c
            } else {
                char::REPLACEMENT_CHARACTER
            }
        })
        .collect();
    // A closed error stream leaves nobody to tell.
    let _unread = writeln!(std::io::stderr().lock(), "regie: {shown}");
}

/// Writes a line of the answer. A reader that went away, as `head` does, is no failure.
fn line(text: &str) -> Result<(), Failure> {
    let mut stream = std::io::stdout().lock();
    match writeln!(stream, "{text}").and_then(|()| stream.flush()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(Failure::unwritable(Path::new("The answer"), &error))
        }
        _ => Ok(()),
    }
}
