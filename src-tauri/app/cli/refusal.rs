//! Arguments that the grammar refuses.

use std::ffi::OsString;
use std::process::ExitCode;

use clap::error::ErrorKind;

use super::{Failure, report};

/// The tool's name in the output contract where no tool was understood.
const TOOL: &str = "regie";

/// Says why arguments are not taken, or the help that was asked for, and gives the exit code.
pub(crate) fn refuse(refusal: &clap::Error, given: &[OsString]) -> ExitCode {
    if refusal.use_stderr() && asks_for_json(given) {
        report(&failure(refusal).told(TOOL, true));
    } else {
        // A stream that has been closed leaves nobody to tell.
        let _unread = refusal.print();
    }
    u8::try_from(refusal.exit_code()).map_or(ExitCode::FAILURE, ExitCode::from)
}

/// Whether `--json` is among the arguments; after `--` it is a word like others.
fn asks_for_json(given: &[OsString]) -> bool {
    given
        .iter()
        .take_while(|argument| *argument != "--")
        .any(|argument| argument == "--json")
}

/// clap's sentence, without its colours, its label and the usage below it.
fn failure(refusal: &clap::Error) -> Failure {
    let text = refusal.to_string();
    let sentence = match refusal.kind() {
        // clap tells the whole help, or every command there is.
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand | ErrorKind::MissingSubcommand => {
            "a command is missing"
        }
        _ => {
            let first = text.split("\n\n").next().unwrap_or_default();
            first.strip_prefix("error: ").unwrap_or(first)
        }
    };
    let words: Vec<&str> = sentence.split_whitespace().collect();
    Failure::argument(
        format!("The arguments are not understood: {}.", words.join(" ")),
        "--help after a command tells what can be written there.",
    )
}
