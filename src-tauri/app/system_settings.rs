//! The system's own settings, opened where a fault of Bluetooth is mended (BLE-8).

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use regie_clock::{ClockError, System, Unavailable};
use regie_engine::Fault;

/// A program and what it is told, to open a page of the settings.
#[derive(Debug, PartialEq, Eq)]
struct Opening {
    program: PathBuf,
    argument: &'static str,
}

/// The reasons that a person mends in the settings.
const MENDED_THERE: [Unavailable; 2] = [Unavailable::RadioOff, Unavailable::PermissionDenied];

/// Programs with a Bluetooth page on Linux desktops, and what opens it. Each desktop has one.
const LINUX: [(&str, &str); 4] = [
    ("gnome-control-center", "bluetooth"),
    ("systemsettings", "kcm_bluetooth"),
    ("blueman-manager", ""),
    ("blueberry", ""),
];

/// The codes of the faults for which [`open`] opens something here.
pub(crate) fn reachable() -> Vec<&'static str> {
    MENDED_THERE
        .into_iter()
        .filter(|&reason| opening(reason, System::HERE, &installed).is_some())
        .map(code)
        .collect()
}

/// Opens the page for the fault with this code.
///
/// # Errors
/// `settings-unopenable` where there is none or it does not start.
pub(crate) fn open(fault: &str) -> Result<(), Fault> {
    let opening = MENDED_THERE
        .into_iter()
        .find(|&reason| code(reason) == fault)
        .and_then(|reason| opening(reason, System::HERE, &installed))
        .ok_or_else(|| unopenable("no program for it was found"))?;
    let mut command = Command::new(&opening.program);
    if !opening.argument.is_empty() {
        command.arg(opening.argument);
    }
    let mut started = command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| unopenable(&error.to_string()))?;
    // It outlives this call; somebody has to take its exit code when it ends.
    std::thread::spawn(move || started.wait());
    Ok(())
}

fn code(reason: Unavailable) -> &'static str {
    ClockError::BluetoothUnavailable { reason }.code()
}

fn unopenable(detail: &str) -> Fault {
    Fault {
        code: "settings-unopenable".into(),
        agent_code: "INTERNAL".into(),
        message: format!("The system's settings could not be opened ({detail})."),
        hint: "Open them yourself, at the Bluetooth page.".into(),
        params: [("detail".to_owned(), detail.to_owned())].into(),
    }
}

/// How a page is opened on that system; `installed` finds a program.
fn opening(
    reason: Unavailable,
    system: System,
    installed: &dyn Fn(&str) -> Option<PathBuf>,
) -> Option<Opening> {
    let (program, argument) = match (system, reason) {
        // Addresses of pages: Microsoft's list "Launch Windows Settings".
        (System::Windows, Unavailable::RadioOff) => (explorer(), "ms-settings:bluetooth"),
        (System::Windows, Unavailable::PermissionDenied) => {
            (explorer(), "ms-settings:privacy-radios")
        }
        (System::MacOs, Unavailable::RadioOff) => (
            PathBuf::from("/usr/bin/open"),
            "x-apple.systempreferences:com.apple.BluetoothSettings",
        ),
        (System::MacOs, Unavailable::PermissionDenied) => (
            PathBuf::from("/usr/bin/open"),
            "x-apple.systempreferences:com.apple.preference.security?Privacy_Bluetooth",
        ),
        (System::Linux, Unavailable::RadioOff) => LINUX
            .into_iter()
            .find_map(|(program, argument)| Some((installed(program)?, argument)))?,
        _ => return None,
    };
    Some(Opening { program, argument })
}

/// By its whole path, so that no file of that name beside the program is started instead.
fn explorer() -> PathBuf {
    let windows = std::env::var_os("SystemRoot").unwrap_or_else(|| r"C:\Windows".into());
    Path::new(&windows).join("explorer.exe")
}

/// Where a program is on the search path.
fn installed(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path)
        .map(|folder| folder.join(program))
        .find(|file| file.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ble_8_radio_and_permission_have_pages_of_their_own_on_windows_and_macos() {
        let nothing = |_: &str| None;
        for system in [System::Windows, System::MacOs] {
            let pages: Vec<_> = MENDED_THERE
                .into_iter()
                .map(|reason| opening(reason, system, &nothing).unwrap().argument)
                .collect();
            assert_ne!(pages[0], pages[1], "{system:?}");
            assert!(opening(Unavailable::NoAdapter, system, &nothing).is_none());
        }
        let page = opening(Unavailable::RadioOff, System::Windows, &nothing).unwrap();
        assert_eq!(page.argument, "ms-settings:bluetooth");
        assert!(page.program.ends_with("explorer.exe"), "{page:?}");
    }

    #[test]
    fn on_linux_a_page_is_offered_only_where_a_known_program_is_installed() {
        let open = |has: &'static str| {
            opening(Unavailable::RadioOff, System::Linux, &move |program| {
                (program == has).then(|| PathBuf::from("/usr/bin").join(program))
            })
        };
        assert_eq!(open("nothing"), None);
        for (program, argument) in LINUX {
            let opening = open(program).unwrap();
            assert_eq!(opening.argument, argument);
            assert!(opening.program.ends_with(program));
        }
    }

    #[test]
    fn a_fault_that_is_not_mended_in_the_settings_opens_nothing() {
        for code in ["bluetooth-no-adapter", "link-lost", ""] {
            assert_eq!(open(code).unwrap_err().code, "settings-unopenable");
        }
    }
}
