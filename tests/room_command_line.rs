//! The room on the command line: the real program against simulated devices on loopback.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use regie_sim::room::{DeviceConfig, DeviceFault, SimulatedDevice};
use serde_json::{Value, json};

/// A device's token that nothing may show.
const TOKEN: &str = "never-to-be-seen-4711";

struct Desk {
    folder: tempfile::TempDir,
    devices: String,
}

impl Desk {
    /// With one simulated device, named by the environment.
    fn with(device: &SimulatedDevice, token: Option<&str>) -> Self {
        let at = device.address();
        let devices = json!([{
            "id": "zacus-main", "host": at.ip().to_string(), "port": at.port(), "token": token,
        }]);
        Self {
            folder: tempfile::tempdir().unwrap(),
            devices: devices.to_string(),
        }
    }

    fn bare() -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
            devices: String::new(),
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn program(&self, arguments: &[&str]) -> Command {
        let mut program = Command::new(env!("CARGO_BIN_EXE_regie"));
        program
            .args(["--data-dir", self.folder.path().to_str().unwrap(), "room"])
            .args(arguments)
            .env("ZACUS_DEVICES", &self.devices)
            .env("REGIE_SECRETS_FILE", self.path("secrets"))
            .env_remove("DISPLAY")
            .env_remove("WAYLAND_DISPLAY");
        program
    }

    fn regie(&self, arguments: &[&str]) -> Output {
        self.program(arguments).output().unwrap()
    }

    fn told(&self, input: &str, arguments: &[&str]) -> Output {
        let mut program = self.program(arguments);
        program
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut running = program.spawn().unwrap();
        let mut stream = running.stdin.take().unwrap();
        stream.write_all(input.as_bytes()).unwrap();
        drop(stream);
        running.wait_with_output().unwrap()
    }

    /// The data of a JSON answer.
    fn data(&self, arguments: &[&str]) -> Value {
        let mut with = arguments.to_vec();
        with.push("--json");
        let output = self.regie(&with);
        assert!(output.status.success(), "{}", said(&output));
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(answer["ok"], true);
        answer["data"].clone()
    }
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn device() -> SimulatedDevice {
    let runtime = RUNTIME.get_or_init(|| tokio::runtime::Runtime::new().unwrap());
    runtime
        .block_on(SimulatedDevice::start(DeviceConfig::spec("zacus-main")))
        .unwrap()
}

static RUNTIME: std::sync::OnceLock<tokio::runtime::Runtime> = std::sync::OnceLock::new();

/// Every file below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    entries
        .flat_map(|path| {
            if path.is_dir() {
                files(&path)
            } else {
                vec![path]
            }
        })
        .collect()
}

#[test]
fn a_device_of_the_environment_does_what_each_command_asks() {
    let device = device();
    let desk = Desk::with(&device, device.token());
    let listed = desk.data(&["list", "--wait", "2"]);
    assert_eq!(listed["devices"][0]["id"], "zacus-main");
    assert_eq!(listed["devices"][0]["condition"]["state"], "answering");

    let lit = desk.data(&[
        "led",
        "zacus-main",
        "--zone",
        "puzzle",
        "--color",
        "#00ff00",
    ]);
    assert_eq!(lit["device_id"], "zacus-main");
    assert_eq!(device.state().led.rgb, [0, 255, 0]);

    let open = desk.data(&["puzzle", "zacus-main", "PUZZLE_COFFRE", "unlocked"]);
    assert_eq!(open["outcome"], "confirmed");
    assert_eq!(device.state().puzzles["PUZZLE_COFFRE"], "unlocked");

    desk.data(&[
        "audio",
        "zacus-main",
        "play",
        "/audio/hint.mp3",
        "--volume",
        "30",
    ]);
    assert_eq!(device.state().sound.unwrap().source, "/audio/hint.mp3");
    desk.data(&["audio", "zacus-main", "stop"]);
    assert!(device.state().sound.is_none());

    let file = desk.path("shot.jpg");
    let name = file.to_str().unwrap();
    let shot = desk.data(&[
        "camera",
        "zacus-main",
        "--out",
        name,
        "--resolution",
        "QQVGA",
    ]);
    assert_eq!(shot["picture"]["width"], 160);
    assert!(fs::read(&file).unwrap().starts_with(&[0xFF, 0xD8]));

    desk.data(&["override", "zacus-main", "--to", "STEP_FINAL_WIN"]);
    assert_eq!(device.state().step.as_deref(), Some("STEP_FINAL_WIN"));
    let status = desk.data(&["status", "zacus-main"]);
    assert_eq!(status["reply"]["step"], "STEP_FINAL_WIN");
}

#[test]
fn what_is_wrong_is_said_with_a_next_step_and_an_exit_code() {
    let device = device();
    let desk = Desk::with(&device, Some("another"));
    for (arguments, code, words) in [
        (
            &["led", "nobody", "--color", "red"][..],
            1,
            "no device called nobody",
        ),
        (
            &["led", "zacus-main", "--color", "red"],
            1,
            "refuses this token",
        ),
        (
            &["led", "zacus-main", "--color", "reddish"],
            2,
            "not a colour",
        ),
        (
            &["led", "zacus-main", "--color", "red", "--zone", "moon"],
            2,
            "ambient",
        ),
        (
            &["led", "zacus-main", "--color", "red", "--brightness", "256"],
            2,
            "0 to 255",
        ),
        (
            &["puzzle", "zacus-main", "PUZZLE_COFFRE", "ajar"],
            2,
            "unlocked",
        ),
        (&["audio", "zacus-main", "play"], 2, "SOURCE"),
        (
            &["add", "piano", "8.8.8.8"],
            2,
            "not an address of this network",
        ),
        (&["remove", "zacus-main"], 1, "ZACUS_DEVICES"),
    ] {
        let output = desk.regie(arguments);
        assert_eq!(
            output.status.code(),
            Some(code),
            "{arguments:?}: {}",
            said(&output)
        );
        assert!(
            said(&output).contains(words),
            "{arguments:?}: {}",
            said(&output)
        );
    }
    device.order_times(DeviceFault::Refuse, u32::MAX);
    let output = desk.regie(&["status", "zacus-main", "--json"]);
    assert_eq!(output.status.code(), Some(1));
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(answer["ok"], false);
}

#[test]
fn a_device_is_added_with_a_token_that_is_kept_with_the_secrets_and_nowhere_else() {
    // KEY-2
    let device = device();
    let desk = Desk::bare();
    let address = device.address().to_string();
    let added = desk.regie(&[
        "add", "piano", &address, "--name", "Piano", "--room", "salle 1",
    ]);
    assert!(added.status.success(), "{}", said(&added));
    let again = desk.regie(&["add", "piano", &address]);
    assert_eq!(again.status.code(), Some(1));
    assert!(said(&again).contains("already"), "{}", said(&again));

    let kept = desk.told(&format!("{TOKEN}\n"), &["token", "piano"]);
    assert!(kept.status.success(), "{}", said(&kept));
    assert!(!said(&kept).contains(TOKEN));
    let refused = desk.regie(&["led", "piano", "--color", "red"]);
    assert!(
        said(&refused).contains("refuses this token"),
        "{}",
        said(&refused)
    );
    for file in files(desk.folder.path()) {
        let holds = fs::read(&file)
            .unwrap()
            .windows(TOKEN.len())
            .any(|part| part == TOKEN.as_bytes());
        assert_eq!(holds, file == desk.path("secrets"), "{}", file.display());
    }

    let right = device.token().unwrap();
    assert!(desk.told(right, &["token", "piano"]).status.success());
    desk.data(&["led", "piano", "--color", "blue"]);
    assert_eq!(device.state().led.rgb, [0, 0, 255]);

    assert!(desk.regie(&["remove", "piano"]).status.success());
    let secrets = fs::read_to_string(desk.path("secrets")).unwrap_or_default();
    assert!(!secrets.contains(right));
    let gone = desk.regie(&["status", "piano"]);
    assert!(said(&gone).contains("no device called piano"));
}

#[test]
fn a_broken_variable_is_a_warning_that_shows_no_token() {
    let mut desk = Desk::bare();
    desk.devices = format!(r#"[{{"id":"a b","host":"10.0.0.1","token":"{TOKEN}"}}]"#);
    let output = desk.regie(&["list", "--wait", "1"]);
    assert!(output.status.success());
    assert!(said(&output).contains("ZACUS_DEVICES"), "{}", said(&output));
    assert!(!said(&output).contains(TOKEN));
}
