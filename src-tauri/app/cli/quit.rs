//! `regie quit`: ends the Regie that runs, for whoever is about to replace or remove the program.

use std::process::ExitCode;
use std::time::Duration;

use regie_mcp::{LocalError, Place, ask_to_quit};

use super::{Failure, runtime};
use crate::arguments::Arguments;
use crate::folders;

/// How long the other process may take: what agents still do ends within nine seconds, then its
/// clock is let go, in twelve at most.
const PATIENCE: Duration = Duration::from_secs(30);

pub(super) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let place = Place::of(&folders::folders(arguments.data_dir.as_deref())?.data);
    match runtime()?.block_on(ask_to_quit(&place, PATIENCE)) {
        Ok(()) | Err(LocalError::Nobody) => Ok(ExitCode::SUCCESS),
        Err(error) => Err(Failure::local(&error)),
    }
}
