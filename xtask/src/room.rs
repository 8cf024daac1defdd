//! The test of how devices are found, on a network of its own with responders that others wrote:
//! gets them, and runs it.

use std::process::Command;

use crate::kept::Kept;
use crate::process::{Failure, command, output, run, run_in};
use crate::{packages, root};

/// Runs the test, and builds what it needs before.
///
/// # Errors
/// What cannot be had, and how to get it; or the test's failure.
pub(crate) fn test() -> Result<(), Failure> {
    if !cfg!(target_os = "linux") {
        println!("The test on a network of its own needs Linux.");
        return Ok(());
    }
    packages::install(packages::Purpose::Room)?;
    let folder = root().join("tests/room-network");
    let python = Kept::named("room-network")?;
    let options = ["--only-binary", ":all:"];
    let list = folder.join("requirements.txt");
    python.python(&list, &options, "the responder in Python")?;
    let build = ["build", "-p", "regie-room", "--example", "watch_room"];
    run_in(&root(), "cargo", &build)?;
    let mut test = as_root(&python.at("venv/bin/python").display().to_string());
    test.arg(folder.join("run.py"))
        .arg(root().join("target/debug/examples/watch_room"));
    run(&mut test).map_err(|failure| match failure {
        Failure::NotStarted(program, _) if program == "sudo" => Failure::Missing(
            "the test of how devices are found makes networks of its own, which only root may. \
             Run it as root, in a container or a virtual machine: cargo xtask room"
                .into(),
        ),
        other => other,
    })
}

/// A program, run by root.
fn as_root(program: &str) -> Command {
    if output("id", &["-u"]).is_some_and(|id| id == "0") {
        return command(program);
    }
    let mut sudo = command("sudo");
    sudo.arg(program);
    sudo
}
