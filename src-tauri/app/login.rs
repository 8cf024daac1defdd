//! Whether the system starts Regie when its person logs in. The system knows; nothing is kept here.

use std::path::Path;

use auto_launch::{AutoLaunch, AutoLaunchBuilder};
use regie_engine::Fault;

use crate::agents::program;

/// What the entry is called, also by the installer.
const NAME: &str = "Regie";

/// Nobody has asked for a window when the system starts it.
const ARGUMENTS: [&str; 1] = ["--hidden"];

/// Whether it does; `None` where the system does not say.
pub(crate) fn starts() -> Option<bool> {
    entry().and_then(|entry| entry.is_enabled()).ok()
}

/// Has it do so, or no more.
///
/// # Errors
/// `login-unchangeable` where the system does not let it.
pub(crate) fn start(on: bool) -> Result<(), Fault> {
    let changed = entry().and_then(|entry| match (on, entry.is_enabled()) {
        (true, _) => entry.enable(),
        (false, Ok(false)) => Ok(()),
        (false, _) => entry.disable(),
    });
    changed.map_err(|error| unchangeable(&error.to_string()))
}

fn entry() -> auto_launch::Result<AutoLaunch> {
    let mut entry = AutoLaunchBuilder::new();
    entry
        .set_app_name(NAME)
        .set_app_path(&quoted(&program()))
        .set_args(&ARGUMENTS);
    #[cfg(windows)]
    entry.set_windows_enable_mode(auto_launch::WindowsEnableMode::CurrentUser);
    entry.build()
}

/// The entry is a command line on Windows and, with the same quotes, on Linux; what needs an escape
/// within them is in no path that an installer makes. On macOS it is a list of words.
fn quoted(program: &Path) -> String {
    if cfg!(target_os = "macos") {
        program.display().to_string()
    } else {
        format!("\"{}\"", program.display())
    }
}

fn unchangeable(detail: &str) -> Fault {
    Fault {
        code: "login-unchangeable".into(),
        agent_code: "INTERNAL".into(),
        message: format!("The system did not take the change ({detail})."),
        hint: "Change it in the system's settings, among the programs that start at login.".into(),
        params: [("detail".to_owned(), detail.to_owned())].into(),
    }
}
