//! What people install: the packages, what is in them, and their checksums.

use std::fs;
use std::path::{Path, PathBuf};

use crate::kept::{Kept, failed};
use crate::process::{Failure, command, output, run, run_in};
use crate::{front_end, packages, root, windows};

/// The program that packs `.deb` and `.rpm`, and its version that is known to work.
const BUNDLER: &str = "@tauri-apps/cli@2.12.5";

/// The program that lists what is built in, and its version that is known to work.
const INVENTORY: (&str, &str) = ("cargo-cyclonedx", "^0.5");

/// Names a program that signs the file it is given, for what runs on Windows: `regie.exe`,
/// `regie.com` and the installer.
const SIGN_WINDOWS: &str = "REGIE_SIGN_WINDOWS";

/// Names a program that signs the file it is given, for the list of checksums.
const SIGN_CHECKSUMS: &str = "REGIE_SIGN_CHECKSUMS";

/// The most that the installer may weigh: 12 MB.
const MOST_INSTALLER: u64 = 12_000_000;

/// Makes everything into `target/release-artefacts` and prints its sizes.
///
/// # Errors
/// What cannot be had, and how to get it; or what failed.
pub(crate) fn make() -> Result<(), Failure> {
    if !cfg!(all(target_os = "linux", target_arch = "x86_64")) {
        return Err(Failure::Missing(
            "the release is made on Linux on x86-64, which builds for Windows, too".into(),
        ));
    }
    packages::install(packages::Purpose::Build)?;
    packages::install(packages::Purpose::Release)?;
    front_end::build()?;
    let folder = root().join("target/release-artefacts");
    let _gone_before = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).map_err(failed(&folder))?;
    for package in linux_packages()? {
        take(&package, &folder)?;
    }
    take(&windows_installer()?, &folder)?;
    inventory(&folder)?;
    checksums(&folder)?;
    sizes(&folder)
}

/// `.deb` and `.rpm`.
fn linux_packages() -> Result<Vec<PathBuf>, Failure> {
    run_in(
        &root(),
        "cargo",
        &["build", "--release", "--package", "regie"],
    )?;
    let pack = ["exec", "--yes", "--package", BUNDLER, "--"];
    let bundle = ["tauri", "bundle", "--bundles", "deb,rpm"];
    run_in(&root(), "npm", &[&pack[..], &bundle].concat())?;
    let mut packages = Vec::new();
    for kind in ["deb", "rpm"] {
        let folder = root().join("target/release/bundle").join(kind);
        for entry in fs::read_dir(&folder).map_err(failed(&folder))? {
            let file = entry.map_err(failed(&folder))?.path();
            let of_this_version = file.to_string_lossy().contains(env!("CARGO_PKG_VERSION"));
            if of_this_version && file.extension().is_some_and(|end| end == kind) {
                packages.push(file);
            }
        }
    }
    Ok(packages)
}

fn windows_installer() -> Result<PathBuf, Failure> {
    let kept = Kept::named("windows")?;
    let toolchain = windows::toolchain(&kept)?;
    let programs = windows::programs(&toolchain, &kept, windows::Profile::Release)?;
    for name in ["regie.exe", "regie.com"] {
        sign(SIGN_WINDOWS, &programs.join(name))?;
    }
    let installer = windows::installer(&programs, &kept, windows::Profile::Release)?;
    sign(SIGN_WINDOWS, &installer)?;
    let size = fs::metadata(&installer).map_err(failed(&installer))?.len();
    if size > MOST_INSTALLER {
        return Err(Failure::Missing(format!(
            "the installer weighs {size} bytes, more than {MOST_INSTALLER}"
        )));
    }
    Ok(installer)
}

/// Every package that is built in, with its version and licence, for each system (CycloneDX).
fn inventory(folder: &Path) -> Result<(), Failure> {
    let (program, version) = INVENTORY;
    packages::install_cargo_program(program, version)?;
    for (target, system) in [
        ("x86_64-unknown-linux-gnu", "linux"),
        (windows::TARGET, "windows"),
    ] {
        let name = format!("regie-{}-{system}.cdx", env!("CARGO_PKG_VERSION"));
        run(command("cargo")
            .args(["cyclonedx", "--format", "json", "--target", target])
            .args(["--override-filename", &name])
            .current_dir(root()))?;
        let file = format!("{name}.json");
        let made = root().join(&file);
        let listed = fs::read_to_string(&made).map_err(failed(&made))?;
        // Where it was built is nobody's business.
        let listed = listed.replace(&root().display().to_string(), "");
        fs::write(folder.join(&file), listed).map_err(failed(&made))?;
        fs::remove_file(&made).map_err(failed(&made))?;
        // It writes one for each member of the workspace; the program's has all.
        for member in members()? {
            let _none_there = fs::remove_file(member.join(&file));
        }
    }
    Ok(())
}

/// The folders of the workspace's packages.
fn members() -> Result<Vec<PathBuf>, Failure> {
    let listed = output(
        "cargo",
        &[
            "metadata",
            "--no-deps",
            "--format-version",
            "1",
            "--offline",
        ],
    )
    .ok_or_else(|| Failure::Missing("cargo metadata does not answer".into()))?;
    let paths = listed.split("\"manifest_path\":\"").skip(1);
    Ok(paths
        .filter_map(|rest| rest.split('"').next())
        .filter_map(|path| Path::new(path).parent().map(Path::to_owned))
        .collect())
}

/// `SHA256SUMS`, as `sha256sum --check` reads it.
fn checksums(folder: &Path) -> Result<(), Failure> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder).map_err(failed(folder))? {
        let name = entry.map_err(failed(folder))?.file_name();
        names.push(name.to_string_lossy().into_owned());
    }
    names.sort();
    let summed = command("sha256sum")
        .args(&names)
        .current_dir(folder)
        .output()
        .map_err(|error| Failure::NotStarted("sha256sum".into(), error))?;
    let file = folder.join("SHA256SUMS");
    fs::write(&file, summed.stdout).map_err(failed(&file))?;
    sign(SIGN_CHECKSUMS, &file)
}

/// Has a file signed by the program that a variable names; without one nothing is signed.
fn sign(variable: &str, file: &Path) -> Result<(), Failure> {
    match std::env::var_os(variable) {
        Some(program) if !program.is_empty() => run(command(&program.to_string_lossy()).arg(file)),
        _ => Ok(()),
    }
}

fn take(file: &Path, folder: &Path) -> Result<(), Failure> {
    let name = file.file_name().unwrap_or_default();
    fs::copy(file, folder.join(name)).map_err(failed(file))?;
    Ok(())
}

fn sizes(folder: &Path) -> Result<(), Failure> {
    let programs = [
        root().join("target/release/regie"),
        root()
            .join("target")
            .join(windows::TARGET)
            .join("release/regie.exe"),
    ];
    let mut files = programs.to_vec();
    for entry in fs::read_dir(folder).map_err(failed(folder))? {
        files.push(entry.map_err(failed(folder))?.path());
    }
    println!();
    for file in files {
        let size = fs::metadata(&file).map_err(failed(&file))?.len();
        println!("{:>11}  {}", size, file.display());
    }
    Ok(())
}
