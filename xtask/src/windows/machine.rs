//! The Windows machine that wine makes.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::kept::{Kept, failed};
use crate::process::{Failure, command, run};
use crate::root;
use crate::windows::TARGET;

/// The program that starts others for 64-bit Windows; Debian keeps it off the search path.
pub(crate) const WINE: &str = "/usr/lib/wine/wine64";

/// What wine 8 lacks and Rust's standard library imports: random bytes under their newer name.
const RANDOM: &str = "\
#include <windows.h>
#include <ntsecapi.h>
__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE data, SIZE_T size) {
    return RtlGenRandom(data, (ULONG)size);
}
";

/// A drive and a registry of its own.
pub(crate) struct Machine {
    prefix: PathBuf,
}

impl Machine {
    /// A machine on which nothing was installed yet.
    pub(crate) fn fresh(kept: &Kept) -> Result<Self, Failure> {
        let machine = Self {
            prefix: kept.at("prefix"),
        };
        // One that still runs would write into the new one.
        let _none_runs = machine.wine_program("wineserver").arg("-k").status();
        let _gone_before = fs::remove_dir_all(&machine.prefix);
        run(machine.wine_program("wineboot").arg("-i"))?;
        let source = kept.at("bcryptprimitives.c");
        fs::write(&source, RANDOM).map_err(failed(&source))?;
        let library = machine
            .prefix
            .join("drive_c/windows/system32/bcryptprimitives.dll");
        run(command("x86_64-w64-mingw32-gcc")
            .args(["-shared", "-O2", "-o"])
            .arg(&library)
            .arg(&source)
            .arg("-ladvapi32"))?;
        // It says Windows 7 otherwise, which Regie does not run on.
        run(machine.wine_program(WINE).args([
            "reg",
            "add",
            r"HKCU\Software\Wine",
            "/v",
            "Version",
            "/d",
            "win10",
            "/f",
        ]))?;
        Ok(machine)
    }

    pub(crate) fn prefix(&self) -> &Path {
        &self.prefix
    }

    /// Has cargo run what it builds for Windows on this machine.
    pub(crate) fn prepare(&self, call: &mut Command) {
        let runner = format!(
            "CARGO_TARGET_{}_RUNNER",
            TARGET.replace('-', "_").to_uppercase()
        );
        // Where the tests' programs find what the app's has beside it.
        let beside = root().join("target").join(TARGET).join("debug");
        let beside = format!("Z:{}", beside.display().to_string().replace('/', "\\"));
        call.env(runner, WINE).env("WINEPATH", beside);
        self.environment(call);
    }

    fn wine_program(&self, program: &str) -> Command {
        let mut call = command(program);
        self.environment(&mut call);
        call
    }

    fn environment(&self, call: &mut Command) {
        call.env("WINEPREFIX", &self.prefix)
            .env("WINEDEBUG", "-all")
            // Neither the .NET nor the HTML engine, which wine would offer to fetch.
            .env("WINEDLLOVERRIDES", "mscoree,mshtml=")
            .env_remove("DISPLAY")
            .env_remove("WAYLAND_DISPLAY");
    }
}
