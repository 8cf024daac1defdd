//! What is checked without running anything of Regie: form, lints, licences.

use crate::process::{Failure, command, run, run_in};
use crate::root;

/// rustfmt and clippy over the whole workspace, every warning a failure.
pub(crate) fn lint() -> Result<(), Failure> {
    run_in(&root(), "cargo", &["fmt", "--all", "--check"])?;
    // These tests run only where they are named, and are linted only there too.
    for targets in [
        &["--all-targets"][..],
        &["--test", "window"],
        &["--test", "guest"],
        &["--test", "secret_service"],
        &["--test", "program"],
        &["--test", "installer"],
    ] {
        let call = [
            &["clippy", "--workspace"],
            targets,
            &["--", "-D", "warnings"],
        ]
        .concat();
        run_in(&root(), "cargo", &call)?;
    }
    Ok(())
}

/// Licences, bans and sources of every dependency; advisories too where their database is to
/// be had, which needs a network that reaches it.
pub(crate) fn dependencies() -> Result<(), Failure> {
    run_in(
        &root(),
        "cargo",
        &["deny", "check", "licenses", "bans", "sources"],
    )?;
    let fetched = run(command("cargo")
        .args(["deny", "fetch", "db"])
        .current_dir(root()));
    if fetched.is_err() {
        println!("The advisory database cannot be reached from here; advisories are not checked.");
        return Ok(());
    }
    run_in(
        &root(),
        "cargo",
        &["deny", "check", "--disable-fetch", "advisories"],
    )
}
