//! `regie doctor`: what of this machine keeps Regie from working. Nothing is changed.

use std::io;
use std::net::{Ipv4Addr, TcpListener};
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use regie_clock::Adapter as _;
use regie_clock::bluetooth::BluetoothAdapter;
use regie_engine::{AgentSettings, Folders, Keyring, Secret, SecretStore as _, SecretsPlace};
use regie_mcp::{Hello, LocalError, Place, attach};
use serde::Serialize;
use serde_json::json;
use tokio::time::timeout;

use super::{Answer, Failure, line, runtime};
use crate::arguments::{Arguments, CheckupArguments};
use crate::{agents, folders, login, tray_host};

/// The tool's name in the output contract.
const TOOL: &str = "doctor";

/// How long one check may take: a keyring may ask a person, a driver may hang.
const PATIENCE: Duration = Duration::from_secs(10);

/// What is kept in the keyring for a moment; not a name that a token has.
const PROBE: &str = "doctor-probe";

/// `ERROR_ACCESS_DENIED` of sockets on Windows: the system has set the port aside (PORT-1).
const RESERVED: i32 = 10013;

/// How one check ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Verdict {
    /// As it should be.
    Good,
    /// Something that a person may want to know.
    Noted,
    /// A part of Regie does not work.
    Bad,
}

/// One thing that was looked at.
#[derive(Debug, Serialize)]
struct Check {
    what: &'static str,
    verdict: Verdict,
    /// What was found, as a sentence.
    found: String,
    /// What to do, where there is something.
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<String>,
}

impl Check {
    fn good(what: &'static str, found: impl Into<String>) -> Self {
        Self {
            what,
            verdict: Verdict::Good,
            found: found.into(),
            hint: None,
        }
    }

    fn noted(what: &'static str, found: impl Into<String>, hint: impl Into<String>) -> Self {
        Self {
            what,
            verdict: Verdict::Noted,
            found: found.into(),
            hint: Some(hint.into()),
        }
    }

    fn bad(what: &'static str, found: impl Into<String>, hint: impl Into<String>) -> Self {
        Self {
            verdict: Verdict::Bad,
            ..Self::noted(what, found, hint)
        }
    }

    fn lines(&self) -> String {
        let mark = match self.verdict {
            Verdict::Good => "ok  ",
            Verdict::Noted => "note",
            Verdict::Bad => "BAD ",
        };
        let hint = self.hint.as_ref();
        let hint = hint.map_or(String::new(), |hint| format!("\n{:17}{hint}", ""));
        format!("{mark} {:11} {}{hint}", self.what, self.found)
    }
}

pub(super) fn run(arguments: &Arguments, checkup: &CheckupArguments) -> Result<ExitCode, Failure> {
    let folders = folders::folders(arguments.data_dir.as_deref())?;
    let runtime = runtime()?;
    let checks = runtime.block_on(all(&folders, checkup.json));
    // A driver that hangs is not waited for.
    runtime.shutdown_background();
    let checks = checks?;
    let ok = checks.iter().all(|check| check.verdict != Verdict::Bad);
    let text = if ok {
        "\nEverything that Regie needs is here."
    } else {
        "\nSomething is missing: see BAD above."
    };
    let answer = Answer {
        ok,
        tool: TOOL,
        text: text.to_owned(),
        data: json!({ "checks": checks }),
        unwritten: None,
    };
    answer.print(checkup.json)?;
    Ok(answer.exit_code())
}

/// Makes every check, and says each as it is made unless the answer is one object.
async fn all(folders: &Folders, as_json: bool) -> Result<Vec<Check>, Failure> {
    let mut checks = Vec::new();
    let mut note = |check: Check| {
        let told = if as_json {
            Ok(())
        } else {
            line(&check.lines())
        };
        checks.push(check);
        told
    };
    note(program())?;
    note(writable("settings", &folders.settings))?;
    note(writable("data", &folders.data))?;
    note(running(folders).await)?;
    note(web_view())?;
    note(tray().await)?;
    note(at_login())?;
    note(in_time("keyring", off_the_runtime(keyring)).await)?;
    note(port())?;
    note(in_time("bluetooth", bluetooth()).await)?;
    Ok(checks)
}

async fn in_time(what: &'static str, check: impl Future<Output = Check>) -> Check {
    timeout(PATIENCE, check).await.unwrap_or_else(|_| {
        Check::bad(
            what,
            format!("It did not answer in {} s.", PATIENCE.as_secs()),
            "Log out and in again, or restart the computer.",
        )
    })
}

async fn off_the_runtime(check: fn() -> Check) -> Check {
    let made = tokio::task::spawn_blocking(check).await;
    made.unwrap_or_else(|_| Check::bad("keyring", "The check broke down.", "Report this as a bug."))
}

fn program() -> Check {
    let found = format!(
        "Regie {} for {} on {}, at {}.",
        env!("CARGO_PKG_VERSION"),
        std::env::consts::OS,
        std::env::consts::ARCH,
        agents::program().display()
    );
    Check::good("program", found)
}

fn writable(what: &'static str, folder: &Path) -> Check {
    let tried = std::fs::create_dir_all(folder).and_then(|()| tempfile::tempfile_in(folder));
    match tried {
        Ok(_) => Check::good(what, format!("{} can be written.", folder.display())),
        Err(error) => Check::bad(
            what,
            format!("{} cannot be written: {error}.", folder.display()),
            "Check the folder, the disk's free space and your rights.",
        ),
    }
}

async fn running(folders: &Folders) -> Check {
    match attach(&Place::of(&folders.data), Hello::default()).await {
        Ok(_) => Check::good(
            "running",
            "Regie runs, and answers programs of this computer.",
        ),
        Err(LocalError::Nobody) => Check::good("running", "No Regie runs with this data folder."),
        Err(error) => Check::bad("running", error.to_string(), error.hint()),
    }
}

fn web_view() -> Check {
    match tauri::webview_version() {
        Ok(version) => Check::good(
            "window",
            format!("The web view is there, version {version}."),
        ),
        Err(error) => Check::bad(
            "window",
            format!("The web view, which draws the window, is missing ({error})."),
            if cfg!(windows) {
                "Get the WebView2 Runtime: https://developer.microsoft.com/microsoft-edge/webview2"
            } else {
                "Install WebKitGTK 4.1."
            },
        ),
    }
}

async fn tray() -> Check {
    if tray_host::present().await {
        return Check::good("tray", "Something shows tray icons.");
    }
    Check::noted(
        "tray",
        "Nothing shows tray icons, so that a closed window cannot be reached.",
        "Regie asks before it closes then. GNOME needs the extension AppIndicator.",
    )
}

fn at_login() -> Check {
    match login::starts() {
        Some(true) => Check::good("login", "Regie starts at login."),
        Some(false) => Check::good(
            "login",
            "Regie does not start at login; Settings changes that.",
        ),
        None => Check::noted(
            "login",
            "The system does not say whether Regie starts at login.",
            "Look at its own settings.",
        ),
    }
}

/// Keeps a secret for a moment, and reads it back.
fn keyring() -> Check {
    if let SecretsPlace::File(path) = SecretsPlace::of_environment() {
        return Check::good("keyring", format!("Tokens are kept in {}.", path.display()));
    }
    let keyring = Keyring::of_system();
    let secret = Secret::from(PROBE.to_owned());
    let kept = keyring
        .set(PROBE, &secret)
        .and_then(|()| keyring.get(PROBE))
        .and_then(|read| keyring.delete(PROBE).map(|()| read));
    match kept {
        Ok(Some(read)) if read.expose() == secret.expose() => {
            Check::good("keyring", "The system's keyring keeps tokens.")
        }
        Ok(_) => Check::bad(
            "keyring",
            "The system's keyring does not give back what it was given.",
            "Log out and in again, or keep tokens in a file: REGIE_SECRETS_FILE.",
        ),
        Err(error) => Check::bad("keyring", error.to_string(), error.hint()),
    }
}

fn port() -> Check {
    let port = agents::port(&AgentSettings::default());
    match TcpListener::bind((Ipv4Addr::LOCALHOST, port)) {
        Ok(_) => Check::good("port", format!("Port {port} is free for agents.")),
        Err(error) if error.kind() == io::ErrorKind::AddrInUse => Check::noted(
            "port",
            format!("Port {port} is in use."),
            "That is as it should be while Regie serves agents; otherwise choose another in Agents.",
        ),
        Err(error) if error.raw_os_error() == Some(RESERVED) => Check::noted(
            "port",
            format!("Windows has set port {port} aside."),
            "Choose another in Agents.",
        ),
        Err(error) => Check::noted(
            "port",
            format!("Port {port} cannot be used: {error}."),
            "Choose another in Agents.",
        ),
    }
}

async fn bluetooth() -> Check {
    let checked = match BluetoothAdapter::new() {
        Ok(adapter) => adapter.check().await,
        Err(error) => Err(error),
    };
    match checked {
        Ok(()) => Check::good("bluetooth", "There is an adapter, and it is switched on."),
        Err(error) => Check::bad("bluetooth", error.to_string(), error.hint()),
    }
}
