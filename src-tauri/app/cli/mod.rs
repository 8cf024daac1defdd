//! The command line: the same jobs without a window.

mod clock;
mod failure;
mod image;

use std::io::Write as _;

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
    fn print(&self, as_json: bool) {
        if as_json {
            line(&json!({ "ok": true, "tool": self.tool, "data": self.data }).to_string());
        } else {
            line(&self.text);
        }
    }
}

/// Shows a failure: a sentence and a hint, or the JSON object where that was asked for.
pub(crate) fn report(failure: &Failure) {
    match failure.as_json() {
        Some(object) => line(&object.to_string()),
        None => {
            let mut stream = std::io::stderr().lock();
            // A closed error stream leaves nobody to tell.
            let _unread = writeln!(stream, "regie: {failure}");
        }
    }
}

/// Writes a line of the answer. A reader that went away, as `head` does, is no failure.
fn line(text: &str) {
    let mut stream = std::io::stdout().lock();
    let _unread = writeln!(stream, "{text}");
}
