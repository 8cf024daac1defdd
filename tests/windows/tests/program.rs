//! The program for Windows, run by wine and driven from here.

#![allow(clippy::unwrap_used, clippy::panic)]

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{ChildStdin, ChildStdout, Command, Output, Stdio};
use std::time::Duration;

use regie_sim::room::{Announcement, Announcer, DeviceConfig, SimulatedDevice};
use regie_windows_test::{Machine, Running, Server, TOKEN, until};
use serde_json::{Value, json};

/// How soon something is there that is waited for.
const SOON: Duration = Duration::from_secs(30);

/// A data folder whose name has what names have: blanks, an apostrophe of print, other scripts.
const FOLDER: &str = r"C:\Données de l’horloge 时钟";

struct Regie {
    machine: Machine,
    program: PathBuf,
}

impl Regie {
    fn given() -> Self {
        Self {
            machine: Machine::given().unwrap(),
            program: Machine::programs().unwrap().join("regie.exe"),
        }
    }

    /// With simulated devices and a data folder that nothing is in.
    fn with_simulated_devices(folder: &str) -> (Self, Vec<String>) {
        let regie = Self::given();
        let _gone_before = fs::remove_dir_all(regie.machine.path(&folder[2..]));
        let words = ["--demo", "--rehearsal", "--data-dir", folder];
        (regie, words.map(str::to_owned).to_vec())
    }

    fn command(&self, words: &[impl AsRef<str>]) -> Command {
        let mut command = self.machine.command(&self.program);
        command.args(words.iter().map(AsRef::as_ref));
        command
    }

    fn says(&self, words: &[impl AsRef<str>]) -> Output {
        Machine::output(&mut self.command(words)).unwrap()
    }
}

/// An agent on the standard streams.
struct Agent {
    running: Running,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Agent {
    fn start(mut command: Command) -> Self {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let (input, output) = (child.stdin.take(), child.stdout.take().unwrap());
        let mut agent = Self {
            running: Running(child),
            input,
            output: BufReader::new(output),
        };
        let hello = agent.ask(
            &json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"}}}),
        );
        assert_eq!(hello["result"]["serverInfo"]["name"], "regie", "{hello}");
        agent.tell(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        agent
    }

    fn tell(&mut self, message: &Value) {
        let input = self.input.as_mut().unwrap();
        writeln!(input, "{message}").unwrap();
        input.flush().unwrap();
    }

    fn ask(&mut self, message: &Value) -> Value {
        self.tell(message);
        let mut line = Vec::new();
        self.output.read_until(b'\n', &mut line).unwrap();
        assert!(
            !line.contains(&b'\r'),
            "a carriage return before the line's end"
        );
        serde_json::from_slice(&line).unwrap()
    }

    fn call(&mut self, tool: &str, arguments: &Value) -> Value {
        self.ask(&json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call",
            "params": {"name": tool, "arguments": arguments}}))
    }

    /// Closes its input, which ends it.
    fn end(mut self) {
        self.input = None;
        assert!(self.running.wait(SOON).unwrap().success());
    }
}

/// A request of MCP from Linux, with nothing but a token; status and body.
fn post(address: &str, token: Option<&str>, message: &Value) -> (u16, String) {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(SOON)).unwrap();
    let body = message.to_string();
    let authorization = token.map_or(String::new(), |token| {
        format!("Authorization: Bearer {token}\r\n")
    });
    write!(
        stream,
        "POST /mcp HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\n\
         Accept: application/json, text/event-stream\r\n{authorization}\
         Content-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    )
    .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let status = answer.split(' ').nth(1).unwrap().parse().unwrap();
    (status, answer)
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn the_program_carries_icon_version_and_manifest() {
    let program = Machine::programs().unwrap();
    assert!(program.join("WebView2Loader.dll").exists());
    let bytes = fs::read(program.join("regie.exe")).unwrap();
    let holds = |wanted: &[u8]| bytes.windows(wanted.len()).any(|part| part == wanted);
    for wanted in ["permonitorv2", "longPathAware", "asInvoker"] {
        assert!(holds(wanted.as_bytes()), "{wanted}");
    }
    let wide = |text: &str| {
        text.encode_utf16()
            .flat_map(u16::to_le_bytes)
            .collect::<Vec<u8>>()
    };
    for wanted in ["VS_VERSION_INFO", "ProductVersion"] {
        assert!(holds(&wide(wanted)), "{wanted}");
    }
    // The largest picture of the icon is kept as a PNG.
    let icon = fs::read(program.join("icon.ico")).unwrap();
    let png = icon
        .windows(8)
        .position(|part| part == b"\x89PNG\r\n\x1a\n")
        .unwrap();
    assert!(holds(&icon[png..png + 64]));
}

#[test]
fn what_it_prints_has_line_feeds_only_and_exit_codes_pass_through_the_console_program() {
    let regie = Regie::given();
    let version = regie.says(&["--version"]);
    assert!(version.status.success());
    assert_eq!(
        text(&version.stdout),
        format!("regie {}\n", env!("CARGO_PKG_VERSION"))
    );
    let console = Machine::programs().unwrap().join("regie.com");
    for (words, code) in [(&["--version"][..], 0), (&["clock", "dance"], 2)] {
        let said = Machine::output(regie.machine.command(&console).args(words)).unwrap();
        assert_eq!(said.status.code(), Some(code), "{words:?} {said:?}");
    }
}

#[test]
fn an_agent_on_pipes_has_every_tool_and_ends_with_its_input() {
    let (regie, mut words) = Regie::with_simulated_devices(FOLDER);
    words.push("mcp".into());
    let mut agent = Agent::start(regie.command(&words));
    let listed = agent.ask(&json!({"jsonrpc": "2.0", "id": 3, "method": "tools/list"}));
    let tools = listed["result"]["tools"].as_array().unwrap();
    for wanted in ["upload_image", "set_time", "led_set", "audio_play"] {
        assert!(tools.iter().any(|tool| tool["name"] == wanted), "{wanted}");
    }
    let done = agent.call("set_time", &json!({}));
    assert_eq!(done["result"]["isError"], json!(false), "{done}");
    agent.end();
    assert!(
        regie
            .machine
            .path(&format!(r"{}\regie.db", &FOLDER[2..]))
            .exists()
    );
}

#[test]
fn a_client_of_linux_uses_the_server_and_one_on_pipes_joins_it() {
    let (regie, words) = Regie::with_simulated_devices(r"C:\served");
    let mut server =
        Server::start(Server::command(&regie.machine, &regie.program, &words, 0)).unwrap();
    let address = &server.address;
    let list = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": {"name": "list_devices", "arguments": {}}});
    assert_eq!(post(address, None, &list).0, 401);
    // The simulated room opens beside the server.
    until("the room's devices are listed", SOON, || {
        let (status, answer) = post(address, Some(TOKEN), &list);
        assert_eq!(status, 200, "{answer}");
        answer.contains("main-console")
    })
    .unwrap();

    // The data folder has one owner, so that this one answers through the named pipe.
    let mut joining = words.clone();
    joining.push("mcp".into());
    let mut agent = Agent::start(regie.command(&joining));
    let done = agent.call(
        "led_set",
        &json!({"device_id": "main-console", "zone": "all", "color": "#00FF00"}),
    );
    assert!(done["result"].is_object(), "{done}");
    agent.end();
    assert!(
        server.running.0.try_wait().unwrap().is_none(),
        "the server goes on"
    );

    let mut quitting = words.clone();
    quitting.push("quit".into());
    assert!(regie.says(&quitting).status.success());
    assert!(
        server.running.wait(SOON).unwrap().success(),
        "it was asked to end"
    );
    assert!(
        regie.says(&quitting).status.success(),
        "nobody is left to quit"
    );
}

#[test]
fn a_port_that_is_taken_is_said_in_words() {
    let (regie, words) = Regie::with_simulated_devices(r"C:\taken");
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port();
    let mut command = Server::command(&regie.machine, &regie.program, &words, port);
    let said = Machine::output(&mut command).unwrap();
    assert_eq!(said.status.code(), Some(1), "{said:?}");
    assert!(text(&said.stderr).contains(&port.to_string()), "{said:?}");
}

#[test]
fn without_bluetooth_a_scan_ends_with_a_sentence() {
    let regie = Regie::given();
    let words = [
        "--data-dir",
        r"C:\no radio",
        "clock",
        "scan",
        "--timeout",
        "2",
        "--json",
    ];
    let said = regie.says(&words);
    assert_eq!(said.status.code(), Some(1), "{said:?}");
    let answer: Value = serde_json::from_slice(&said.stdout).unwrap();
    // wine has no Bluetooth at all, as a Windows without its service.
    assert_eq!(answer["ok"], false, "{answer}");
    for part in ["message", "hint"] {
        assert!(
            answer["error"][part].as_str().unwrap().ends_with('.'),
            "{answer}"
        );
    }
    let lines = text(&said.stderr);
    assert!(!lines.contains("panic"), "{lines}");
    assert!(lines.lines().count() <= 3, "{lines}");
}

#[test]
fn settings_and_data_are_where_windows_programs_keep_them_and_tokens_in_its_credentials() {
    let regie = Regie::given();
    let secret = text(&regie.says(&["mcp", "token", "--new", "kitchen"]).stdout);
    let secret = secret.trim();
    assert!(secret.len() > 20, "{secret}");
    let shown = regie.says(&["mcp", "token", "--show", "kitchen"]);
    assert_eq!(
        text(&shown.stdout).trim(),
        secret,
        "another process reads it"
    );

    let local = regie.machine.variable("LOCALAPPDATA").unwrap();
    let data = regie.machine.path(&format!(r"{}\Regie", &local[2..]));
    assert!(data.join("regie.db").exists());
    let holds = |bytes: &[u8], what: &str| {
        bytes
            .windows(what.len())
            .any(|part| part == what.as_bytes())
    };
    for entry in fs::read_dir(&data).unwrap() {
        let file = entry.unwrap().path();
        let bytes = fs::read(&file).unwrap_or_default();
        assert!(!holds(&bytes, secret), "{}", file.display());
    }

    let roaming = regie.machine.variable("APPDATA").unwrap();
    let settings = regie.machine.path(&format!(r"{}\Regie", &roaming[2..]));
    let asked = regie.says(&["erase"]);
    assert!(text(&asked.stdout).contains("Regie"), "{asked:?}");
    assert!(data.exists(), "it only says what would go");
    let erased = regie.says(&["erase", "--yes"]);
    assert!(erased.status.success(), "{erased:?}");
    assert!(!data.exists() && !settings.exists());
    let gone = regie.says(&["mcp", "token", "--show", "kitchen"]);
    assert_eq!(gone.status.code(), Some(1), "{gone:?}");
    assert!(regie.says(&["erase", "--yes"]).status.success());
}

#[test]
fn a_picture_is_drawn_from_and_to_paths_with_blanks_and_other_scripts() {
    let regie = Regie::given();
    let folder = regie.machine.path(r"\Bilder für 钟");
    fs::create_dir_all(&folder).unwrap();
    let icon = concat!(env!("CARGO_MANIFEST_DIR"), "/../../icons/128x128.png");
    fs::copy(icon, folder.join("l’été 1.png")).unwrap();
    let said = regie.says(&[
        "image",
        r"C:\Bilder für 钟\l’été 1.png",
        "--preview",
        r"C:\Bilder für 钟\aperçu.png",
    ]);
    assert!(said.status.success(), "{said:?}");
    let preview = fs::read(folder.join("aperçu.png")).unwrap();
    assert!(preview.starts_with(b"\x89PNG"));
}

#[tokio::test]
async fn a_device_that_linux_announces_is_found_and_read() {
    let machine = Machine::given().unwrap();
    let watcher = Machine::programs().unwrap().join("watch_room.exe");
    let device = SimulatedDevice::start(DeviceConfig::spec("zacus-wine"))
        .await
        .unwrap();
    let announcer = Announcer::start().unwrap();
    device
        .announce(&announcer, Announcement::default())
        .unwrap();
    let mut child = machine
        .command(&watcher)
        .arg("--loopback")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let input = child.stdin.take();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut running = Running(child);
    let (tell, told) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        for line in lines.map_while(Result::ok) {
            if tell.send(line).is_err() {
                return;
            }
        }
    });
    let port = device.address().port().to_string();
    until("the device is found", SOON, || {
        told.try_iter()
            .any(|line| line.contains("zacus-wine") && line.contains(&port))
    })
    .unwrap();
    drop(input);
    running.wait(SOON).unwrap();
    device.stop().await;
}
