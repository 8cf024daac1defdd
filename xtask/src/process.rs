//! Runs other programs, saying which.

use std::env;
use std::fmt;
use std::io;
use std::path::Path;
use std::process::{Command, Stdio};

/// Why a command could not do its job.
#[derive(Debug)]
pub(crate) enum Failure {
    /// A program ended with an error.
    Ended(String),
    /// A program could not be started.
    NotStarted(String, io::Error),
    /// Something has to be installed or put right by a person.
    Missing(String),
    /// A file could not be read or written.
    File(String, io::Error),
}

impl fmt::Display for Failure {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ended(call) => write!(out, "failed: {call}"),
            Self::NotStarted(program, error) => write!(out, "cannot start {program}: {error}"),
            Self::Missing(what) => write!(out, "{what}"),
            Self::File(path, error) => write!(out, "{path}: {error}"),
        }
    }
}

/// A command of `program`; npm is a script on Windows, which only its full name starts.
///
/// On a clean clone of a CI server nothing is compiled twice: what makes a second build quick there
/// only takes half of the disk.
pub(crate) fn command(program: &str) -> Command {
    let mut command = if cfg!(windows) && program == "npm" {
        Command::new("npm.cmd")
    } else {
        Command::new(program)
    };
    if env::var_os("CI").is_some_and(|value| !value.is_empty()) {
        command.env("CARGO_INCREMENTAL", "0");
    }
    command
}

/// Runs a program in `folder`, with its output shown.
pub(crate) fn run_in(folder: &Path, program: &str, arguments: &[&str]) -> Result<(), Failure> {
    let mut call = command(program);
    call.args(arguments).current_dir(folder);
    run(&mut call)
}

/// Runs a prepared program, with its output shown.
pub(crate) fn run(call: &mut Command) -> Result<(), Failure> {
    let program = call.get_program().to_string_lossy().into_owned();
    let words: Vec<_> = call.get_args().map(|word| word.to_string_lossy()).collect();
    let shown = format!("{program} {}", words.join(" "));
    println!("\x1b[1m> {shown}\x1b[0m");
    match call.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(_) => Err(Failure::Ended(shown)),
        Err(error) => Err(Failure::NotStarted(program, error)),
    }
}

/// What a program prints, `None` when it is missing or fails.
pub(crate) fn output(program: &str, arguments: &[&str]) -> Option<String> {
    let output = command(program)
        .args(arguments)
        .stderr(Stdio::null())
        .output()
        .ok()?;
    output
        .status
        .success()
        .then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}
