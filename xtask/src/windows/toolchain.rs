//! A Rust toolchain with the standard library for Windows: rustup's, where it can be had, else one
//! whose library is built from the source that Debian has of the same version.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::kept::{Kept, failed};
use crate::process::{Failure, command, output, run};
use crate::root;
use crate::windows::TARGET;

/// Where Debian keeps newer versions of Rust for its stable release.
const SUITE: &str = "trixie-backports";

/// What apt checks the package lists of that suite with.
const KEYRING: &str = "/usr/share/keyrings/debian-archive-keyring.gpg";

/// A crate that needs all of the standard library.
const TINY: &str =
    "[package]\nname = \"tiny\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[workspace]\n";

/// A toolchain that builds for Windows.
pub(crate) struct Toolchain {
    /// Its folder, where it is not the one that runs this.
    copy: Option<PathBuf>,
}

impl Toolchain {
    /// Gets what is missing.
    ///
    /// # Errors
    /// What cannot be had, and how to get it.
    pub(crate) fn ready(kept: &Kept, from_source: bool) -> Result<Self, Failure> {
        let sysroot = asked(&["--print", "sysroot"])?;
        let there = library(Path::new(&sysroot)).exists();
        if !from_source && (there || rustup_has_it()) {
            return Ok(Self { copy: None });
        }
        let copy = kept.at("toolchain");
        let version = asked(&["--version"])?;
        if !kept.has("toolchain.version", &version) || !library(&copy).exists() {
            build(kept, Path::new(&sysroot), &copy)?;
            kept.note("toolchain.version", &version)?;
        }
        Ok(Self { copy: Some(copy) })
    }

    /// A command of cargo for Windows, in the workspace. What is built is linted on the way, every
    /// warning a failure: for `cargo clippy`, all that it depends on would be checked once more.
    pub(crate) fn cargo(&self, what: &str) -> Command {
        let mut call = match &self.copy {
            Some(copy) => with(copy),
            None => command("cargo"),
        };
        let deny = format!("target.{TARGET}.rustflags=[\"-Dwarnings\"]");
        call.args([what, "--target", TARGET, "--config", &deny])
            .env("RUSTC_WORKSPACE_WRAPPER", "clippy-driver")
            // Linking what is only run here takes twice as long with it.
            .env("CARGO_PROFILE_DEV_DEBUG", "false")
            .current_dir(root());
        call
    }
}

/// The cargo of a toolchain that rustup does not know.
fn with(toolchain: &Path) -> Command {
    let bin = toolchain.join("bin");
    let mut call = command(&bin.join("cargo").display().to_string());
    // Programs that cargo starts, such as clippy, are found before those of rustup.
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::iter::once(bin.clone()).chain(std::env::split_paths(&path));
    if let Ok(path) = std::env::join_paths(folders) {
        call.env("PATH", path);
    }
    call.env("RUSTC", bin.join("rustc"));
    // The cargo that started this has set it to its own toolchain, where rustc would then look.
    call.env_remove("LD_LIBRARY_PATH");
    call
}

fn library(sysroot: &Path) -> PathBuf {
    sysroot.join("lib/rustlib").join(TARGET).join("lib")
}

fn asked(words: &[&str]) -> Result<String, Failure> {
    output("rustc", words).ok_or_else(|| Failure::Missing("rustc does not answer".into()))
}

/// Whether rustup gets the library; it says itself why not.
fn rustup_has_it() -> bool {
    output("rustup", &["--version"]).is_some()
        && run(command("rustup").args(["target", "add", TARGET])).is_ok()
}

/// Copies the toolchain and builds the standard library into the copy.
fn build(kept: &Kept, sysroot: &Path, copy: &Path) -> Result<(), Failure> {
    let source = source(kept)?;
    let _gone_before = fs::remove_dir_all(copy);
    // Links are as good as copies: nothing in it is changed. rustc finds its own folder from its
    // library, so that a link to the folder would not do.
    let linked = run(command("cp").arg("-al").arg(sysroot).arg(copy));
    if linked.is_err() {
        let _half = fs::remove_dir_all(copy);
        run(command("cp").arg("-a").arg(sysroot).arg(copy))?;
    }
    let place = copy.join("lib/rustlib/src");
    fs::create_dir_all(&place).map_err(failed(&place))?;
    let _gone_before = fs::remove_dir_all(place.join("rust"));
    std::os::unix::fs::symlink(&source, place.join("rust")).map_err(failed(&place))?;
    let tiny = kept.at("tiny");
    let main = tiny.join("src/main.rs");
    fs::create_dir_all(tiny.join("src")).map_err(failed(&tiny))?;
    fs::write(tiny.join("Cargo.toml"), TINY).map_err(failed(&tiny))?;
    fs::write(&main, "fn main() {}\n").map_err(failed(&main))?;
    run(with(copy)
        .args(["build", "--release", "-Zbuild-std", "--target", TARGET])
        // Only for this one build: nothing of Regie is built with what is not stable.
        .env("RUSTC_BOOTSTRAP", "1")
        .env("CARGO_TARGET_DIR", tiny.join("target"))
        .current_dir(&tiny))?;
    let library = library(copy);
    let _another_one = fs::remove_dir_all(&library);
    fs::create_dir_all(&library).map_err(failed(&library))?;
    let built = tiny.join("target").join(TARGET).join("release/deps");
    for entry in fs::read_dir(&built).map_err(failed(&built))? {
        let file = entry.map_err(failed(&built))?.path();
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        if name.starts_with("lib") && name.ends_with(".rlib") {
            fs::copy(&file, library.join(&*name)).map_err(failed(&file))?;
        }
    }
    Ok(())
}

/// The source of the standard library, of exactly the compiler's version.
fn source(kept: &Kept) -> Result<PathBuf, Failure> {
    let version = asked(&["--version"])?;
    let number = version.split(' ').nth(1).unwrap_or_default().to_owned();
    let unpacked = kept.at("rust-src");
    let folder = unpacked.join(format!("usr/src/rustc-{number}"));
    if folder.exists() {
        return Ok(folder);
    }
    let missing = || {
        Failure::Missing(format!(
            "the standard library of Rust {number} for Windows cannot be had here: rustup did not get \
             it, and Debian's {SUITE} has no rust-src {number}.\n\
             With a network that reaches rustup's server: rustup target add {TARGET}"
        ))
    };
    let apt = Apt::new(kept).ok_or_else(missing)?;
    run(apt.call("apt-get").arg("update"))?;
    let shown = apt.call("apt-cache").args(["madison", "rust-src"]).output();
    let shown = shown.map_err(|error| Failure::NotStarted("apt-cache".into(), error))?;
    let listed = String::from_utf8_lossy(&shown.stdout).into_owned();
    let package = listed
        .lines()
        .filter_map(|line| line.split('|').nth(1).map(str::trim))
        .find(|package| package.split(['+', '-']).next() == Some(&number))
        .ok_or_else(missing)?;
    let _gone_before = fs::remove_dir_all(&unpacked);
    fs::create_dir_all(&unpacked).map_err(failed(&unpacked))?;
    run(apt
        .call("apt-get")
        .args(["download", &format!("rust-src={package}")])
        .current_dir(&unpacked))?;
    for entry in fs::read_dir(&unpacked).map_err(failed(&unpacked))? {
        let file = entry.map_err(failed(&unpacked))?.path();
        if file.extension().is_some_and(|end| end == "deb") {
            run(command("dpkg-deb").arg("-x").arg(&file).arg(&unpacked))?;
            fs::remove_file(&file).map_err(failed(&file))?;
        }
    }
    if folder.exists() {
        Ok(folder)
    } else {
        Err(missing())
    }
}

/// An apt with one source and folders of its own, so that the machine's packages stay what they are.
struct Apt {
    options: Vec<String>,
}

impl Apt {
    /// With the server that the machine's own packages come from.
    fn new(kept: &Kept) -> Option<Self> {
        let sites = output(
            "apt-get",
            &[
                "indextargets",
                "--format",
                "$(REPO_URI)",
                "Created-By: Packages",
            ],
        )?;
        let server = sites
            .lines()
            .find(|site| site.trim_end_matches('/').ends_with("/debian"))?;
        let folder = kept.at("apt");
        for part in ["lists/partial", "cache/archives/partial", "parts"] {
            fs::create_dir_all(folder.join(part)).ok()?;
        }
        let list = folder.join("sources.list");
        fs::write(
            &list,
            format!("deb [signed-by={KEYRING}] {server} {SUITE} main\n"),
        )
        .ok()?;
        let option = |name: &str, part: &Path| format!("{name}={}", part.display());
        Some(Self {
            options: vec![
                option("Dir::Etc::SourceList", &list),
                option("Dir::Etc::SourceParts", &folder.join("parts")),
                option("Dir::State::Lists", &folder.join("lists")),
                option("Dir::Cache", &folder.join("cache")),
            ],
        })
    }

    fn call(&self, program: &str) -> Command {
        let mut call = command(program);
        for option in &self.options {
            call.args(["-o", option]);
        }
        call
    }
}
