//! The front end's types, written from the Rust ones.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::process::{Failure, command, run};
use crate::root;

/// Writes `ui/src/bindings` anew.
pub(crate) fn write() -> Result<(), Failure> {
    let folder = folder();
    let _gone_before = fs::remove_dir_all(&folder);
    run(command("cargo")
        .args([
            "test",
            "--quiet",
            "--package",
            "regie-mcp",
            "--package",
            "regie-engine",
            "--package",
            "regie-room",
            "--features",
            "ts",
        ])
        .args(["--lib", "export_bindings"])
        .env("TS_RS_EXPORT_DIR", &folder)
        .current_dir(root()))?;
    if folder.is_dir() {
        return Ok(());
    }
    Err(Failure::Missing(
        "no type is exported to the front end any more".into(),
    ))
}

/// Fails when the committed types are not what the Rust ones give.
pub(crate) fn check() -> Result<(), Failure> {
    let before = read(&folder())?;
    write()?;
    if read(&folder())? == before {
        return Ok(());
    }
    Err(Failure::Missing(
        "ui/src/bindings was out of date; it has been written anew, commit it".into(),
    ))
}

fn folder() -> PathBuf {
    root().join("ui/src/bindings")
}

fn read(folder: &Path) -> Result<BTreeMap<PathBuf, String>, Failure> {
    let failed = |error: io::Error| Failure::File(folder.display().to_string(), error);
    fs::read_dir(folder)
        .map_err(failed)?
        .map(|entry| {
            let path = entry.map_err(failed)?.path();
            let text = fs::read_to_string(&path).map_err(failed)?;
            Ok((path, text))
        })
        .collect()
}
