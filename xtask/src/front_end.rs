//! The front end in `ui/`: its packages, its build, its own checks.

use std::fs;
use std::time::SystemTime;

use crate::process::{Failure, run_in};
use crate::root;

/// Installs the packages where the lock file is newer than they are.
pub(crate) fn install() -> Result<(), Failure> {
    let ui = root().join("ui");
    let changed = |path: &str| -> Option<SystemTime> {
        fs::metadata(ui.join(path))
            .and_then(|data| data.modified())
            .ok()
    };
    let installed = changed("node_modules/.package-lock.json");
    if installed.is_some() && installed >= changed("package-lock.json") {
        return Ok(());
    }
    run_in(&ui, "npm", &["ci", "--no-audit", "--no-fund"])
}

/// Builds `ui/dist`, which the app embeds.
pub(crate) fn build() -> Result<(), Failure> {
    install()?;
    run_in(&root().join("ui"), "npm", &["run", "build"])
}

/// Type check and tests, in a browser against the fake host.
pub(crate) fn test() -> Result<(), Failure> {
    let ui = root().join("ui");
    run_in(&ui, "npm", &["run", "check"])?;
    run_in(&ui, "npm", &["test"])
}
