//! Everything that has to hold, in the order in which it fails fastest.

use std::fs;
use std::time::Instant;

use crate::process::{Failure, command, run, run_in};
use crate::{agents, bindings, checks, front_end, guest, packages, room, root, windows};

type Step = (&'static str, fn() -> Result<(), Failure>);

const STEPS: &[Step] = &[
    ("set up", || packages::install(packages::Purpose::Test)),
    ("dependencies", checks::dependencies),
    ("front end: build", front_end::build),
    ("lint", checks::lint),
    ("bindings", bindings::check),
    ("front end: test", front_end::test),
    ("workspace", workspace),
    ("bluetooth", bluetooth),
    ("keyring", keyring),
    ("agents", || agents::test(&[])),
    ("room", room::test),
    ("window", window),
    ("real BlueZ", guest::test),
    ("windows", windows::test),
];

/// Runs every step and prints how long each took.
pub(crate) fn run_all() -> Result<(), Failure> {
    let mut times = Vec::new();
    for (name, step) in STEPS {
        println!("\n\x1b[1m== {name}\x1b[0m");
        let start = Instant::now();
        step()?;
        times.push((name, start.elapsed()));
    }
    println!();
    for (name, time) in times {
        println!("{name:18} {:6.1} s", time.as_secs_f64());
    }
    Ok(())
}

fn workspace() -> Result<(), Failure> {
    let all = ["test", "--workspace", "--exclude", "regie-fake-bluez"];
    run_in(&root(), "cargo", &all)
}

/// The clock over a fake of the system's Bluetooth. These tests have processes of their own and
/// mostly wait, so that many run at a time, whatever the number of processors.
fn bluetooth() -> Result<(), Failure> {
    let fake = ["test", "-p", "regie-fake-bluez", "--", "--test-threads=12"];
    run_in(&root(), "cargo", &fake)
}

/// Tokens in a real Secret Service on a session bus of its own, locked too. A fresh data home keeps
/// it away from a person's keyring; without a display nobody is asked.
fn keyring() -> Result<(), Failure> {
    if !cfg!(target_os = "linux") {
        println!("The keyring's own tests need Linux.");
        return Ok(());
    }
    let home = root().join("target/keyring-test-home");
    let _gone_before = fs::remove_dir_all(&home);
    let runtime = home.join("runtime");
    fs::create_dir_all(&runtime)
        .map_err(|error| Failure::File(home.display().to_string(), error))?;
    run(command("dbus-run-session")
        .args(["--", "cargo", "test", "-p", "regie-engine"])
        .args(["--test", "secret_service"])
        .env("XDG_DATA_HOME", home.join("data"))
        .env("XDG_RUNTIME_DIR", &runtime)
        .env_remove("DISPLAY")
        .env_remove("WAYLAND_DISPLAY")
        .current_dir(root()))
}

/// The real window under a virtual display, with a window system, a tray and a session bus of
/// its own. A fresh home keeps it away from a person's settings and clocks.
fn window() -> Result<(), Failure> {
    if !cfg!(target_os = "linux") {
        println!("The window's own tests need Linux.");
        return Ok(());
    }
    let home = root().join("target/window-test-home");
    let _gone_before = fs::remove_dir_all(&home);
    fs::create_dir_all(&home).map_err(|error| Failure::File(home.display().to_string(), error))?;
    run(command("dbus-run-session")
        // Without -noreset the server starts anew whenever the last window closes, which it does
        // between two tests, and refuses the next program for a moment.
        .args([
            "--",
            "xvfb-run",
            "-a",
            "-s",
            "-screen 0 1400x1000x24 -noreset",
        ])
        .args(["cargo", "test", "--workspace", "--test", "window"])
        .args(["--", "--test-threads=1", "--nocapture"])
        .env("XDG_CONFIG_HOME", home.join("config"))
        .env("XDG_DATA_HOME", home.join("data"))
        .env("XDG_CACHE_HOME", home.join("cache"))
        // The bus of its own would start a keyring that asks for a password on the display.
        .env("REGIE_SECRETS_FILE", home.join("secrets.json"))
        .env_remove("WAYLAND_DISPLAY")
        .current_dir(root()))
}
