//! The test of the agents' server with clients that others wrote: gets them, and runs it.

use std::fs;
use std::path::{Path, PathBuf};

use crate::kept::{Kept, failed};
use crate::process::{Failure, command, run, run_in};
use crate::{front_end, packages, root};

/// Builds what the test needs, too, then runs it.
///
/// # Errors
/// As [`test`].
pub(crate) fn build_and_test(words: &[String]) -> Result<(), Failure> {
    packages::install(packages::Purpose::Build)?;
    front_end::build()?;
    // With the same packages as in the whole run, so that nothing is built twice.
    let packages = ["test", "--workspace", "--exclude", "regie-fake-bluez"];
    let only_build = ["--no-run", "--test", "command_line"];
    run_in(&root(), "cargo", &[&packages[..], &only_build].concat())?;
    test(words)
}

/// Runs the test, for which regie is built already, or only the groups whose names hold one of the
/// words.
///
/// # Errors
/// What cannot be had, and how to get it; or the test's failure.
pub(crate) fn test(words: &[String]) -> Result<(), Failure> {
    if !cfg!(all(target_os = "linux", target_arch = "x86_64")) {
        println!("The test with others' clients needs Linux on x86-64.");
        return Ok(());
    }
    packages::install(packages::Purpose::Agents)?;
    let clients = Clients(Kept::named("agents")?);
    clients.node()?;
    clients.python()?;
    let data = clients.0.at("data");
    let _gone_before = fs::remove_dir_all(&data);
    run(command("node")
        .arg(root().join("tests/agents/run.mjs"))
        .args(words)
        .env("REGIE_PROGRAM", root().join("target/debug/regie"))
        .env("REGIE_AGENTS_PACKAGES", clients.0.folder())
        .env("REGIE_AGENTS_PYTHON", clients.0.at("venv/bin/python"))
        .env("REGIE_AGENTS_FOLDER", &data))
}

/// The clients, each with the version that is known to work. They are only fetched anew when the
/// list that names them has changed.
struct Clients(Kept);

impl Clients {
    /// What is written in JavaScript.
    fn node(&self) -> Result<(), Failure> {
        let lock = read(&source("package-lock.json"))?;
        if self.0.has("node_modules.lock", &lock) && self.0.at("node_modules").exists() {
            return Ok(());
        }
        for name in ["package.json", "package-lock.json"] {
            let from = source(name);
            fs::copy(&from, self.0.at(name)).map_err(failed(&from))?;
        }
        // One of them asks for a newer Node than others here, and is run with that.
        let quiet = ["ci", "--no-audit", "--no-fund", "--loglevel", "error"];
        run_in(self.0.folder(), "npm", &quiet).map_err(|_| {
            Failure::Missing(format!(
                "the clients could not be installed from npm: {}",
                source("package.json").display()
            ))
        })?;
        self.0.note("node_modules.lock", &lock)
    }

    /// What is written in Python.
    fn python(&self) -> Result<(), Failure> {
        let list = source("requirements.txt");
        self.0
            .python(&list, &["--only-binary", ":all:"], "the Python client")
    }
}

fn source(name: &str) -> PathBuf {
    root().join("tests/agents").join(name)
}

fn read(path: &Path) -> Result<String, Failure> {
    fs::read_to_string(path).map_err(failed(path))
}
