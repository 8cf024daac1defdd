//! Sets up, runs and tests Regie: `cargo xtask run`, `cargo xtask test`.

mod agents;
mod bindings;
mod checks;
mod front_end;
mod guest;
mod kept;
mod packages;
mod process;
mod release;
mod room;
mod tests;
mod windows;

use std::env;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use process::{Failure, run_in};

const USAGE: &str = "\
usage: cargo xtask COMMAND

  run [ARGUMENTS]   set up, build and start Regie with simulated devices;
                    `run --real` uses this machine's Bluetooth instead,
                    other arguments go to Regie itself
  test              set up, then every check and test there is
  guest             only the test of the clock's code against real BlueZ, in a
                    virtual machine
  agents [WORDS]    only the test of the agents' server with clients that others
                    wrote, or those of its groups whose names hold one of the words
  room              only the test of how devices are found, on a network of its own
                    (as root)
  windows [--from-source]
                    only Regie for Windows: built here, and tried with wine; the
                    standard library is rustup's, or built from Debian's source
  setup             only install or check what building and testing need
  release           what people install, for Linux and Windows, with checksums and
                    a list of what is in it, into target/release-artefacts
  bindings          write the front end's types from the Rust ones
  bench             the benchmarks: the picture pipeline, uploads in real time
                    (five minutes), and agents' calls (on one core with
                    `taskset -c 0` before it)";

fn main() -> ExitCode {
    let mut arguments = env::args().skip(1);
    let command = arguments.next().unwrap_or_default();
    let rest: Vec<String> = arguments.collect();
    let outcome = match command.as_str() {
        "run" => run(rest),
        "test" => tests::run_all(),
        "agents" => agents::build_and_test(&rest),
        "guest" => guest::build_and_test(),
        "room" => room::test(),
        "windows" => windows::build_and_test(&rest),
        "setup" => packages::install(packages::Purpose::Test),
        "bindings" => bindings::write(),
        "release" => release::make(),
        "bench" => run_in(&root(), "cargo", &["bench"]),
        _ => {
            eprintln!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("\nxtask: {failure}");
            ExitCode::FAILURE
        }
    }
}

/// The folder of the workspace.
fn root() -> PathBuf {
    let xtask = Path::new(env!("CARGO_MANIFEST_DIR"));
    xtask.parent().unwrap_or(xtask).to_owned()
}

fn run(mut arguments: Vec<String>) -> Result<(), Failure> {
    let real = arguments.iter().position(|argument| argument == "--real");
    match real {
        Some(at) => {
            arguments.remove(at);
        }
        None => arguments.insert(0, "--demo".into()),
    }
    need_display()?;
    packages::install(packages::Purpose::Build)?;
    front_end::build()?;
    let mut call = vec!["run", "--package", "regie", "--"];
    call.extend(arguments.iter().map(String::as_str));
    run_in(&root(), "cargo", &call)
}

/// Says so before a long build, rather than after it, when no window can be shown.
fn need_display() -> Result<(), Failure> {
    let set = |name| env::var_os(name).is_some_and(|value| !value.is_empty());
    if cfg!(target_os = "linux") && !set("DISPLAY") && !set("WAYLAND_DISPLAY") {
        return Err(Failure::Missing(
            "this machine has no display (neither DISPLAY nor WAYLAND_DISPLAY is set), so no window can be shown.\n\
             Start it from a desktop session, or with a virtual display:\n\
             \x20 sudo apt-get install xvfb && xvfb-run -a cargo xtask run\n\
             The command line needs no display:\n\
             \x20 cargo run -- image PICTURE --preview preview.png\n\
             \x20 cargo run -- --demo clock show PICTURE"
                .into(),
        ));
    }
    Ok(())
}
