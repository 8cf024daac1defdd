//! Regie for Windows, made and tried on Linux: built for `x86_64-pc-windows-gnu`, run by wine.

mod machine;
mod toolchain;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::kept::{Kept, failed};
use crate::process::{Failure, command, run};
use crate::{front_end, packages, root};

use self::machine::Machine;
use self::toolchain::Toolchain;

/// What the program is built for.
pub(crate) const TARGET: &str = "x86_64-pc-windows-gnu";

/// Packages whose tests run for Windows: all but what needs BlueZ or is only for development.
const TESTED: &[&str] = &[
    "regie-imaging",
    "regie-clock",
    "regie-room",
    "regie-sim",
    "regie-engine",
    "regie-mcp",
    "regie",
    "regie-console",
];

/// Builds what the test needs, too, then runs it. `from_source` makes the standard library from its
/// source even where it could be had ready.
///
/// # Errors
/// As [`test`].
pub(crate) fn build_and_test(words: &[String]) -> Result<(), Failure> {
    packages::install(packages::Purpose::Build)?;
    front_end::build()?;
    tried(words.iter().any(|word| word == "--from-source"))
}

/// Checks, builds and tries everything for Windows; the front end is built already.
///
/// # Errors
/// What cannot be had, and how to get it; or the test's failure.
pub(crate) fn test() -> Result<(), Failure> {
    tried(false)
}

fn tried(from_source: bool) -> Result<(), Failure> {
    if !cfg!(all(target_os = "linux", target_arch = "x86_64")) {
        println!("The test of Regie for Windows needs Linux on x86-64.");
        return Ok(());
    }
    packages::install(packages::Purpose::Windows)?;
    let kept = Kept::named("windows")?;
    let toolchain = Toolchain::ready(&kept, from_source)?;
    let machine = Machine::fresh(&kept)?;
    test_crates(&toolchain, &machine)?;
    let programs = programs(&toolchain, &kept, Profile::Dev)?;
    let installer = installer(&programs, &kept, Profile::Dev)?;
    try_programs(&machine, &programs, &installer)
}

/// How the program is built.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Profile {
    /// Quickly.
    Dev,
    /// Small, as it is given to people.
    Release,
}

impl Profile {
    fn folder(self) -> &'static str {
        match self {
            Self::Dev => "debug",
            Self::Release => "release",
        }
    }
}

/// The toolchain alone, for a release.
pub(crate) fn toolchain(kept: &Kept) -> Result<Toolchain, Failure> {
    packages::install(packages::Purpose::Windows)?;
    Toolchain::ready(kept, false)
}

/// The unit and integration tests of every crate, run by wine.
fn test_crates(toolchain: &Toolchain, machine: &Machine) -> Result<(), Failure> {
    let mut call = toolchain.cargo("test");
    for package in TESTED {
        call.args(["--package", package]);
    }
    machine.prepare(&mut call);
    run(&mut call)
}

/// Builds the program and lays it out as it is installed; the folder.
pub(crate) fn programs(
    toolchain: &Toolchain,
    kept: &Kept,
    profile: Profile,
) -> Result<PathBuf, Failure> {
    let mut call = toolchain.cargo("build");
    call.args(["--package", "regie", "--package", "regie-console"]);
    if profile == Profile::Release {
        call.arg("--release");
    }
    run(&mut call)?;
    let built = root().join("target").join(TARGET).join(profile.folder());
    let laid_out = kept.at(profile.folder());
    fs::create_dir_all(&laid_out).map_err(failed(&laid_out))?;
    let loader = newest_loader(&built)?;
    let mut parts = vec![
        (built.join("regie.exe"), "regie.exe"),
        (built.join("regie-console.exe"), "regie.com"),
        (loader, "WebView2Loader.dll"),
        (root().join("LICENSE"), "LICENSE"),
        (root().join("icons/icon.ico"), "icon.ico"),
    ];
    if profile == Profile::Dev {
        // Tries how devices are found.
        parts.push((built.join("examples/watch_room.exe"), "watch_room.exe"));
    }
    for (from, name) in parts {
        fs::copy(&from, laid_out.join(name)).map_err(failed(&from))?;
    }
    if profile == Profile::Dev {
        // Without its symbols it is packed and unpacked in a third of the time.
        for name in ["regie.exe", "watch_room.exe"] {
            run(command("x86_64-w64-mingw32-strip").arg(laid_out.join(name)))?;
        }
    }
    Ok(laid_out)
}

/// The part of WebView2 that a program brings itself, as its library unpacked it.
fn newest_loader(built: &Path) -> Result<PathBuf, Failure> {
    let beside = built.join("WebView2Loader.dll");
    if beside.exists() {
        return Ok(beside);
    }
    Err(Failure::Missing(format!(
        "{} is missing, which the build puts there",
        beside.display()
    )))
}

/// Makes the installer of programs that are laid out.
pub(crate) fn installer(
    programs: &Path,
    kept: &Kept,
    profile: Profile,
) -> Result<PathBuf, Failure> {
    let version = env!("CARGO_PKG_VERSION");
    let installer = kept.at(&format!("Regie-{version}-setup.exe"));
    let mut call = command("makensis");
    call.args(["-V2", "-INPUTCHARSET", "UTF8"]);
    if profile == Profile::Dev {
        call.arg("-DQUICK");
    }
    run(call
        .arg(format!("-DVERSION={version}"))
        .arg(format!("-DFILES={}", programs.display()))
        .arg(format!("-DOUTFILE={}", installer.display()))
        .arg(root().join("packaging/windows/regie.nsi")))?;
    Ok(installer)
}

/// Runs the program and its installer as a person or a client would.
fn try_programs(machine: &Machine, programs: &Path, installer: &Path) -> Result<(), Failure> {
    for test in ["program", "installer"] {
        let mut call = Command::new("cargo");
        call.args(["test", "--package", "regie-windows-test", "--test", test])
            .args(["--", "--test-threads=1", "--nocapture"])
            .env("REGIE_WINDOWS_PREFIX", machine.prefix())
            .env("REGIE_WINDOWS_WINE", machine::WINE)
            .env("REGIE_WINDOWS_PROGRAMS", programs)
            .env("REGIE_WINDOWS_INSTALLER", installer)
            .current_dir(root());
        run(&mut call)?;
    }
    Ok(())
}
