//! A desktop for a test: window system, tray, the app under WebDriver, a hand on the mouse.

pub(crate) mod agent;

use std::net::TcpListener;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use fantoccini::wd::Capabilities;
use fantoccini::{Client, ClientBuilder, Locator};
use serde_json::{Value, json};

/// How long anything in the window may take to come about; generous, since a busy machine is
/// slow, and bounded, since a hang must fail.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// Between two looks at something that is awaited.
const LOOK: Duration = Duration::from_millis(100);

/// The whole desktop; everything in it ends with it.
pub(crate) struct Desktop {
    pub(crate) client: Client,
    _driver: Process,
    _tray: Option<Process>,
    _windows: Process,
    folder: tempfile::TempDir,
}

/// A program that is killed, with all that it started, when the test lets go of it.
pub(crate) struct Process(Child);

impl Process {
    pub(crate) fn start(command: &mut Command) -> Self {
        let child = command
            .stdin(Stdio::null())
            .process_group(0)
            .spawn()
            .unwrap_or_else(|error| panic!("{command:?}: {error}"));
        Self(child)
    }

    /// Whether it ends by itself within the patience of a test, and with which code.
    pub(crate) fn ended(&mut self) -> Option<i32> {
        let start = Instant::now();
        while start.elapsed() < PATIENCE {
            if let Some(status) = self.0.try_wait().unwrap() {
                return status.code();
            }
            std::thread::sleep(LOOK);
        }
        None
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let group = format!("-{}", self.0.id());
        let _ended_before = Command::new("kill")
            .args(["-KILL", "--", &group])
            .stderr(Stdio::null())
            .status();
        let _reaped = self.0.wait();
    }
}

/// Starts the window manager and waits until it answers.
pub(crate) fn window_manager() -> Process {
    let process = Process::start(Command::new("openbox").stderr(Stdio::null()));
    let start = Instant::now();
    let answers = || {
        let mut ask = Command::new("wmctrl");
        ask.arg("-m").stdout(Stdio::null()).stderr(Stdio::null());
        ask.status().unwrap().success()
    };
    while !answers() {
        assert!(start.elapsed() < PATIENCE, "no window manager");
        std::thread::sleep(LOOK);
    }
    process
}

pub(crate) fn tray_host() -> Process {
    Process::start(
        Command::new("trayer")
            .args(["--edge", "top", "--align", "right", "--height", "32"])
            .args(["--widthtype", "request", "--SetDockType", "true"])
            .stderr(Stdio::null()),
    )
}

/// Whether the desktop has a tray.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tray {
    With,
    Without,
}

pub(crate) fn app() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_regie"))
}

impl Desktop {
    /// Starts the desktop and, on it, the app with simulated devices.
    pub(crate) async fn start(tray: Tray, arguments: &[&str]) -> Self {
        Self::start_in(tempfile::tempdir().unwrap(), tray, arguments).await
    }

    /// The same with a data folder that may hold something already.
    pub(crate) async fn start_in(
        folder: tempfile::TempDir,
        tray: Tray,
        arguments: &[&str],
    ) -> Self {
        let windows = window_manager();
        let tray = (tray == Tray::With).then(tray_host);
        let (port, native) = (free_port(), free_port());
        let driver = Process::start(
            Command::new("tauri-driver")
                .args(["--port", &port.to_string()])
                .args(["--native-port", &native.to_string()]),
        );
        let mut all = vec!["--demo", "--data-dir", folder.path().to_str().unwrap()];
        all.extend(arguments);
        let mut capabilities = Capabilities::new();
        capabilities.insert("browserName".into(), json!("wry"));
        capabilities.insert(
            "tauri:options".into(),
            json!({ "application": app(), "args": all }),
        );
        let url = format!("http://127.0.0.1:{port}");
        let start = Instant::now();
        let client = loop {
            let mut builder =
                ClientBuilder::new(hyper_util::client::legacy::connect::HttpConnector::new());
            match builder
                .capabilities(capabilities.clone())
                .connect(&url)
                .await
            {
                Ok(client) => break client,
                Err(error) if start.elapsed() > PATIENCE => panic!("no session: {error}"),
                Err(_) => tokio::time::sleep(LOOK).await,
            }
        };
        Self {
            client,
            _driver: driver,
            _tray: tray,
            _windows: windows,
            folder,
        }
    }

    /// A folder for the test's files; the app's data is in it too.
    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Waits until the window holds an element.
    pub(crate) async fn element(&self, test_id: &str) -> fantoccini::elements::Element {
        let selector = format!("[data-testid='{test_id}']");
        self.client
            .wait()
            .at_most(PATIENCE)
            .for_element(Locator::Css(&selector))
            .await
            .unwrap_or_else(|error| panic!("{test_id}: {error}"))
    }

    pub(crate) async fn click(&self, test_id: &str) {
        self.element(test_id).await.click().await.unwrap();
    }

    /// Chooses a radio button that only its label makes visible.
    pub(crate) async fn choose(&self, test_id: &str) {
        self.until(
            test_id,
            &format!(
                "const choice = document.querySelector(\"[data-testid='{test_id}']\");
                 choice?.closest('label').click();
                 return choice?.checked;"
            ),
        )
        .await;
    }

    /// Waits until a script answers with something other than null or false.
    pub(crate) async fn until(&self, what: &str, script: &str) -> Value {
        let start = Instant::now();
        loop {
            let answer = self.client.execute(script, Vec::new()).await.unwrap();
            if !matches!(answer, Value::Null | Value::Bool(false)) {
                return answer;
            }
            if start.elapsed() > PATIENCE {
                self.screenshot("failed").await;
                panic!("never: {what}");
            }
            tokio::time::sleep(LOOK).await;
        }
    }

    /// Ink of each pixel of a canvas, darkest 0, lightest 1, reddest 2, with its size; whatever
    /// colours the inks are drawn in.
    pub(crate) async fn inks(&self, test_id: &str) -> (u64, u64, Vec<u8>) {
        let script = format!(
            "const canvas = document.querySelector(\"[data-testid='{test_id}']\");
             const {{ width, height }} = canvas;
             const {{ data }} = canvas.getContext('2d').getImageData(0, 0, width, height);
             let inks = '';
             for (let at = 0; at < data.length; at += 4) {{
               const [red, green] = [data[at], data[at + 1]];
               inks += red - green > 60 ? '2' : red > 128 ? '1' : '0';
             }}
             return {{ width, height, inks }};"
        );
        let answer = self.client.execute(&script, Vec::new()).await.unwrap();
        let inks = answer["inks"]
            .as_str()
            .unwrap()
            .bytes()
            .map(|ink| ink - b'0');
        (
            answer["width"].as_u64().unwrap(),
            answer["height"].as_u64().unwrap(),
            inks.collect(),
        )
    }

    /// Keeps a picture of the whole screen for people to look at.
    pub(crate) async fn screenshot(&self, name: &str) {
        let folder = screenshots();
        std::fs::create_dir_all(&folder).unwrap();
        let png = self.client.screenshot().await.unwrap();
        std::fs::write(folder.join(format!("{name}.png")), png).unwrap();
    }

    /// Drags a file from another program's window onto the middle of the app's.
    pub(crate) async fn drop_file(&self, path: &Path) {
        let _source = Process::start(
            // The system's own: the one that its GTK bindings are made for.
            Command::new("/usr/bin/python3")
                .arg(concat!(
                    env!("CARGO_MANIFEST_DIR"),
                    "/tests/desktop/drag_source.py"
                ))
                .arg(path),
        );
        let source = window("drag source").await;
        let target = window("^Regie$").await;
        xdotool(&["windowactivate", "--sync", &target]);
        xdotool(&["windowraise", &source]);
        tokio::time::sleep(Duration::from_millis(500)).await;
        let (from, to) = (centre(&source), centre(&target));
        xdotool(&["mousemove", &from.0.to_string(), &from.1.to_string()]);
        xdotool(&["mousedown", "1"]);
        // A drag begins only after some movement, and its target wants to be told of a few
        // positions before the drop.
        const STEPS: i32 = 12;
        for step in 1..=STEPS {
            let along = |from: i32, to: i32| from + (to - from) * step / STEPS;
            let (x, y) = (along(from.0, to.0), along(from.1, to.1));
            xdotool(&["mousemove", &x.to_string(), &y.to_string()]);
            tokio::time::sleep(Duration::from_millis(60)).await;
        }
        tokio::time::sleep(Duration::from_millis(300)).await;
        xdotool(&["mouseup", "1"]);
        tokio::time::sleep(Duration::from_millis(500)).await;
    }

    /// Ends the app as its driver does.
    pub(crate) async fn end(self) {
        let _gone_before = self.client.close().await;
    }
}

/// Where pictures of the screen are kept.
pub(crate) fn screenshots() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("target/screenshots")
}

/// Waits for a window with a title and gives its number.
pub(crate) async fn window(title: &str) -> String {
    let start = Instant::now();
    loop {
        if let Some(window) = visible_window(title) {
            return window;
        }
        assert!(start.elapsed() < PATIENCE, "no window {title}");
        tokio::time::sleep(LOOK).await;
    }
}

/// Narrower than any window of a test; the icon in the tray is a window with the app's title.
const NARROW: i32 = 100;

/// The title of the icon's window in the tray.
const TRAY_ICON: &str = "^Regie$";

/// The window with a title that is on the screen now.
pub(crate) fn visible_window(title: &str) -> Option<String> {
    windows(title)
        .into_iter()
        .find(|window| area(window).is_some_and(|(_, _, width, _)| width > NARROW))
}

/// Every window with a title that is on the screen now.
fn windows(title: &str) -> Vec<String> {
    let output = Command::new("xdotool")
        .args(["search", "--onlyvisible", "--name", title])
        .stderr(Stdio::null())
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().map(str::to_owned).collect()
}

/// Waits until no window with that title is on the screen.
pub(crate) async fn gone(title: &str) {
    let start = Instant::now();
    while visible_window(title).is_some() {
        assert!(start.elapsed() < PATIENCE, "{title} stays");
        tokio::time::sleep(LOOK).await;
    }
}

pub(crate) fn xdotool(arguments: &[&str]) -> String {
    let output = Command::new("xdotool").args(arguments).output().unwrap();
    assert!(output.status.success(), "xdotool {arguments:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// Asks the window manager to close a window, as its close button does.
pub(crate) fn close_window(title: &str) {
    let status = Command::new("wmctrl").args(["-c", title]).status().unwrap();
    assert!(status.success());
}

/// Chooses the last entry of the tray icon's menu.
pub(crate) async fn choose_last_in_tray() {
    let start = Instant::now();
    let icon = loop {
        let found = windows(TRAY_ICON)
            .into_iter()
            .find(|window| area(window).is_some_and(|(_, _, width, _)| width <= NARROW));
        if let Some(icon) = found {
            break icon;
        }
        assert!(start.elapsed() < PATIENCE, "no icon in the tray");
        tokio::time::sleep(LOOK).await;
    };
    let (x, y) = centre(&icon);
    xdotool(&["mousemove", &x.to_string(), &y.to_string(), "click", "3"]);
    tokio::time::sleep(Duration::from_secs(1)).await;
    xdotool(&["key", "Up"]);
    xdotool(&["key", "Return"]);
}

fn centre(window: &str) -> (i32, i32) {
    let (x, y, width, height) = area(window).unwrap();
    (x + width / 2, y + height / 2)
}

/// Place and size of a window on the screen; none when it is gone.
fn area(window: &str) -> Option<(i32, i32, i32, i32)> {
    let output = Command::new("xdotool")
        .args(["getwindowgeometry", "--shell", window])
        .stderr(Stdio::null())
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let value = |name: &str| -> Option<i32> {
        text.lines()
            .find_map(|line| line.strip_prefix(name)?.strip_prefix('='))?
            .parse()
            .ok()
    };
    Some((value("X")?, value("Y")?, value("WIDTH")?, value("HEIGHT")?))
}

pub(crate) fn free_port() -> u16 {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    listener.local_addr().unwrap().port()
}
