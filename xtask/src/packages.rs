//! What has to be on the machine: installed where that is possible, else named exactly.

use std::fs;

use crate::process::{Failure, command, output, run};

/// What the packages are for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// Building and running the app.
    Build,
    /// Testing it too, in a browser and in a real window.
    Test,
    /// Testing the agents' server with clients that others wrote.
    Agents,
    /// Testing the clock's code against real BlueZ.
    Guest,
    /// Testing how devices are found, on a network of its own.
    Room,
    /// Building for Windows, and trying that.
    Windows,
    /// Packing for Linux.
    Release,
}

/// Debian and Ubuntu packages that building needs.
const BUILD: &[&str] = &[
    "build-essential",
    "libayatana-appindicator3-dev",
    "libdbus-1-dev",
    "librsvg2-dev",
    "libsoup-3.0-dev",
    "libwebkit2gtk-4.1-dev",
    "libxdo-dev",
    "pkg-config",
];

/// Those that the window's tests need on top.
const TEST: &[&str] = &[
    "chromium",
    "dbus",
    "dbus-x11",
    "fonts-dejavu-core",
    "fonts-noto-cjk",
    "gir1.2-gtk-3.0",
    "gnome-keyring",
    "openbox",
    "python3-gi",
    "trayer",
    "webkit2gtk-driver",
    "wmctrl",
    "x11-utils",
    "xauth",
    "xdotool",
    "xvfb",
];

/// Those that the test with others' clients needs.
const AGENTS: &[&str] = &["curl", "python3-venv"];

/// Those that the test against real BlueZ needs: the virtual machine, and what runs in it.
const GUEST: &[&str] = &[
    "bluez",
    "busybox-static",
    "cpio",
    "dbus",
    "kmod",
    "python3-venv",
    "qemu-system-x86",
    "xz-utils",
];

/// Those that the test on a network of its own needs: a responder for mDNS, and its bus.
const ROOM: &[&str] = &[
    "avahi-daemon",
    "avahi-utils",
    "dbus",
    "iproute2",
    "python3-venv",
    "util-linux",
];

/// Those that building for Windows needs, with what runs such programs and makes installers.
const WINDOWS: &[&str] = &[
    "binutils-mingw-w64-x86-64",
    "g++-mingw-w64-x86-64-win32",
    "gcc-mingw-w64-x86-64-win32",
    "mingw-w64-x86-64-dev",
    "nsis",
    "wine",
    "wine64",
];

/// Those that packing for Linux needs.
const RELEASE: &[&str] = &["rpm"];

/// The oldest Node that the front end's tools run on.
const NODE: (u32, u32) = (20, 19);

/// Cargo programs the checks use, each with the version that is known to work.
const CARGO_PROGRAMS: &[(&str, &str)] = &[("cargo-deny", "^0.20"), ("tauri-driver", "^2")];

/// Makes sure that everything is there.
///
/// # Errors
/// Says what is missing and how to get it.
pub(crate) fn install(purpose: Purpose) -> Result<(), Failure> {
    if cfg!(target_os = "linux") {
        install_debian(purpose)?;
    } else if purpose == Purpose::Test {
        println!("The window's own tests need Linux; the others run here.");
    }
    if matches!(
        purpose,
        Purpose::Agents | Purpose::Guest | Purpose::Room | Purpose::Windows | Purpose::Release
    ) {
        return Ok(());
    }
    need_node()?;
    if cfg!(windows) {
        need_webview2()?;
    }
    if purpose == Purpose::Test {
        for (program, version) in CARGO_PROGRAMS {
            if cfg!(target_os = "linux") || *program != "tauri-driver" {
                install_cargo_program(program, version)?;
            }
        }
    }
    Ok(())
}

fn install_debian(purpose: Purpose) -> Result<(), Failure> {
    let besides = match purpose {
        Purpose::Build => &[],
        Purpose::Test => TEST,
        Purpose::Agents => AGENTS,
        Purpose::Guest => GUEST,
        Purpose::Room => ROOM,
        Purpose::Windows => WINDOWS,
        Purpose::Release => RELEASE,
    };
    let wanted = [BUILD, besides].concat();
    if output("dpkg-query", &["--version"]).is_none() {
        println!(
            "This is not Debian or Ubuntu; the build needs the counterparts of: {}",
            wanted.join(" ")
        );
        return Ok(());
    }
    let missing: Vec<&str> = wanted.into_iter().filter(|name| !installed(name)).collect();
    if missing.is_empty() {
        return Ok(());
    }
    println!("Installing: {}", missing.join(" "));
    run(apt().arg("update"))?;
    run(apt()
        .args(["install", "-y", "--no-install-recommends"])
        .args(&missing))
    .map_err(|_| {
        Failure::Missing(format!(
            "these packages are missing and could not be installed:\n  sudo apt-get install {}",
            missing.join(" ")
        ))
    })
}

fn installed(package: &str) -> bool {
    output(
        "dpkg-query",
        &["--show", "--showformat=${db:Status-Status}", package],
    )
    .is_some_and(|status| status == "installed")
}

pub(crate) fn apt() -> std::process::Command {
    let root = output("id", &["-u"]).is_some_and(|id| id == "0");
    let mut call = if root {
        command("apt-get")
    } else {
        let mut sudo = command("sudo");
        sudo.args(["--preserve-env=DEBIAN_FRONTEND", "apt-get"]);
        sudo
    };
    call.env("DEBIAN_FRONTEND", "noninteractive");
    call
}

fn need_node() -> Result<(), Failure> {
    let wanted = format!("Node.js {}.{} or newer with npm", NODE.0, NODE.1);
    let get = "Get it from https://nodejs.org (or your system's packages) and run this again.";
    let Some(version) = output("node", &["--version"]) else {
        return Err(Failure::Missing(format!("{wanted} is missing. {get}")));
    };
    let mut parts = version.trim_start_matches('v').split('.');
    let mut next = || parts.next().and_then(|part| part.parse().ok()).unwrap_or(0);
    let found: (u32, u32) = (next(), next());
    if found < NODE {
        return Err(Failure::Missing(format!(
            "{wanted} is needed, this is {version}. {get}"
        )));
    }
    if output("npm", &["--version"]).is_none() {
        return Err(Failure::Missing(format!("npm is missing. {get}")));
    }
    Ok(())
}

/// The window is drawn by WebView2, part of Windows 11 and of an updated Windows 10. A compiler
/// and linker are there, or this program would not be.
fn need_webview2() -> Result<(), Failure> {
    const CLIENT: &str = r"Microsoft\EdgeUpdate\Clients\{F3017226-FE2A-4295-8BDF-00C3A9A7E4C5}";
    let there = [
        r"HKLM\SOFTWARE\WOW6432Node",
        r"HKLM\SOFTWARE",
        r"HKCU\Software",
    ]
    .into_iter()
    .any(|root| output("reg", &["query", &format!(r"{root}\{CLIENT}"), "/v", "pv"]).is_some());
    if there {
        return Ok(());
    }
    Err(Failure::Missing(
        "the WebView2 Runtime, which draws the window, is missing. Get the Evergreen installer from \
         https://developer.microsoft.com/microsoft-edge/webview2 and run this again."
            .into(),
    ))
}

pub(crate) fn install_cargo_program(program: &str, version: &str) -> Result<(), Failure> {
    let there = match program {
        // Only with a WebDriver beside it does tauri-driver answer anything but an error.
        "tauri-driver" => on_path(program),
        _ => output(program, &["--version"]).is_some(),
    };
    if there {
        return Ok(());
    }
    run(command("cargo").args(["install", "--locked", program, "--version", version]))
}

fn on_path(program: &str) -> bool {
    std::env::var_os("PATH").is_some_and(|path| {
        std::env::split_paths(&path).any(|folder| fs::metadata(folder.join(program)).is_ok())
    })
}
