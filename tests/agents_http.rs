//! `regie mcp --transport http` and `regie mcp token` as an operator and an agent meet them: the
//! real program, with simulated clocks.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// How long anything here may take: many times what it needs.
const LIMIT: Duration = Duration::from_secs(60);

struct Desk {
    folder: tempfile::TempDir,
    /// A folder within the data folder, which is taken instead.
    inner: &'static str,
}

impl Desk {
    fn new() -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
            inner: "",
        }
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("data").join(self.inner)
    }

    fn secrets(&self) -> PathBuf {
        self.folder.path().join("secrets")
    }

    /// The program, with secrets in a file and no token in its environment.
    fn program(&self, arguments: &[&str]) -> Command {
        let mut program = Command::new(env!("CARGO_BIN_EXE_regie"));
        program
            .args(["--demo", "--data-dir"])
            .arg(self.data())
            .args(arguments)
            .env("REGIE_SECRETS_FILE", self.secrets())
            .env("REGIE_LOG", "debug")
            .env_remove("DISPLAY")
            .env_remove("WAYLAND_DISPLAY")
            .env_remove("MCP_HARDWARE_PORT")
            .env_remove("MASCARADE_API_KEY")
            .env_remove("PPCLOCK_MCP_TOKEN")
            .stdin(Stdio::null());
        program
    }

    fn output(&self, arguments: &[&str]) -> Output {
        self.program(arguments).output().unwrap()
    }

    /// What a command that succeeds prints.
    fn print(&self, arguments: &[&str]) -> String {
        let output = self.output(arguments);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{arguments:?}: {said}");
        String::from_utf8(output.stdout).unwrap()
    }

    fn serve(&self, arguments: &[&str]) -> Server {
        let mut program = self.program(&["mcp", "--transport", "http", "--port", "0"]);
        program.args(arguments);
        Server::start(program)
    }
}

/// A server without a window.
struct Server {
    program: Child,
    /// Lines of its error stream, as they come.
    lines: Receiver<String>,
    said: Vec<String>,
    port: u16,
}

impl Server {
    fn start(mut program: Command) -> Self {
        let mut program = program
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let stream = BufReader::new(program.stderr.take().unwrap());
        let (tell, lines) = channel();
        std::thread::spawn(move || {
            for line in stream.lines().map_while(Result::ok) {
                if tell.send(line).is_err() {
                    return;
                }
            }
        });
        let mut server = Self {
            program,
            lines,
            said: Vec::new(),
            port: 0,
        };
        server.wait_for("Tokens accepted: ");
        let served = server.line("Agents are served at ");
        let port = served.split(':').nth(3).unwrap();
        let digits: String = port.chars().take_while(char::is_ascii_digit).collect();
        server.port = digits.parse().unwrap();
        server
    }

    fn wait_for(&mut self, part: &str) {
        while !self.said.iter().any(|line| line.contains(part)) {
            match self.lines.recv_timeout(LIMIT) {
                Ok(line) => self.said.push(line),
                Err(_) => panic!("{part:?} was not said, but {:?}", self.said),
            }
        }
    }

    fn line(&self, part: &str) -> &str {
        let found = self.said.iter().find(|line| line.contains(part));
        found.unwrap_or_else(|| panic!("{part:?} was not said, but {:?}", self.said))
    }

    /// Sends a request and gives the status and the body of the answer.
    fn send(&self, method: &str, path: &str, headers: &str, body: &str) -> (u16, String) {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(LIMIT)).unwrap();
        self.write(&mut stream, method, path, headers, body);
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let status = answer.split(' ').nth(1).unwrap().parse().unwrap();
        let (_, body) = answer.split_once("\r\n\r\n").unwrap();
        (status, body.to_owned())
    }

    fn write(&self, stream: &mut TcpStream, method: &str, path: &str, headers: &str, body: &str) {
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nConnection: close\r\n\
             Content-Type: application/json\r\nContent-Length: {}\r\n{headers}\r\n{body}",
            self.port,
            body.len()
        )
        .unwrap();
    }

    /// The answer to a request of plain JSON-RPC.
    fn ask(&self, path: &str, token: &str, method: &str, params: Value) -> Value {
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        let (status, answer) = self.send("POST", path, &bearer(token), &body.to_string());
        assert_eq!(status, 200, "{answer}");
        serde_json::from_str(&answer).unwrap()
    }

    fn call(&self, token: &str, tool: &str, arguments: Value) -> Value {
        let params = json!({ "name": tool, "arguments": arguments });
        let answer = self.ask("/mcp", token, "tools/call", params);
        answer["result"]["structuredContent"].clone()
    }

    fn tell(&self, signal: &str) {
        let process = self.program.id().to_string();
        let sent = Command::new("kill").args([signal, &process]).status();
        assert!(sent.unwrap().success());
    }

    /// Waits for the end; all that was said on the error stream.
    fn end(mut self) -> (ExitStatus, String) {
        let deadline = Instant::now() + LIMIT;
        let status = loop {
            if let Some(status) = self.program.try_wait().unwrap() {
                break status;
            }
            assert!(Instant::now() < deadline, "it hangs");
            std::thread::sleep(Duration::from_millis(10));
        };
        let mut output = String::new();
        let mut stream = self.program.stdout.take().unwrap();
        stream.read_to_string(&mut output).unwrap();
        assert_eq!(output, "", "stdout is for answers");
        let mut said = std::mem::take(&mut self.said);
        said.extend(self.lines.iter());
        let said = said.join("\n");
        assert!(!said.contains("panicked"), "{said}");
        (status, said)
    }

    fn quit(self) -> String {
        self.tell("-TERM");
        let (status, said) = self.end();
        assert!(status.success(), "{status}: {said}");
        said
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // One that has ended needs no end.
        let _ended = self.program.kill();
        let _gone = self.program.wait();
    }
}

fn bearer(token: &str) -> String {
    format!("Authorization: Bearer {token}\r\n")
}

/// Everything that is in the files of a folder.
fn contents(folder: &Path) -> Vec<u8> {
    let mut bytes = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            bytes.extend(contents(&path));
        } else if path.is_file() {
            bytes.extend(std::fs::read(path).unwrap());
        }
    }
    bytes
}

fn contains(bytes: &[u8], text: &str) -> bool {
    bytes
        .windows(text.len())
        .any(|part| part == text.as_bytes())
}

#[test]
fn a_first_token_is_made_and_a_plain_call_with_it_works() {
    // SEC-3, SEC-7
    let desk = Desk::new();
    let server = desk.serve(&[]);
    let (status, body) = server.send("GET", "/health", "", "");
    assert_eq!((status, body.as_str()), (200, r#"{"status":"ok"}"#));
    let list = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" }).to_string();
    assert_eq!(server.send("POST", "/mcp", "", &list).0, 401);
    let wrong = server.send("POST", "/mcp", &bearer("regie_guess"), &list);
    assert_eq!(wrong.0, 401);
    assert!(server.line("A first token was made").contains("default"));
    let token = desk.print(&["mcp", "token", "--show", "default"]);
    let token = token.trim();
    let status = server.call(token, "device_status", json!({}));
    assert_eq!(status["ok"], true, "{status}");
    let list = desk.print(&["mcp", "token"]);
    assert!(
        list.contains("default") && !list.contains("never"),
        "{list}"
    );
    server.quit();
    assert!(!desk.data().join("regie.sock").exists());
}

#[test]
fn a_token_is_made_shown_replaced_and_revoked_beside_the_server_that_it_is_for() {
    let desk = Desk::new();
    let made = desk.print(&["mcp", "token", "--new", "kitchen"]);
    let (made, server) = (made.trim().to_owned(), desk.serve(&[]));
    assert!(server.line("Tokens accepted").ends_with(": kitchen."));
    assert_eq!(server.call(&made, "device_status", json!({}))["ok"], true);
    assert_eq!(
        desk.print(&["mcp", "token", "--show", "kitchen"]).trim(),
        made
    );
    let other = desk.print(&["mcp", "token", "--new", "hall"]);
    let fresh = desk.print(&["mcp", "token", "--replace", "kitchen"]);
    let list = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" }).to_string();
    let status = |token: &str| server.send("POST", "/mcp", &bearer(token.trim()), &list).0;
    assert_eq!((status(&other), status(&fresh)), (200, 200));
    assert_eq!(status(&made), 401);
    assert_eq!(desk.print(&["mcp", "token", "--revoke", "hall"]), "");
    assert_eq!(status(&other), 401);
    let unknown = desk.output(&["mcp", "token", "--show", "hall"]);
    assert_eq!(unknown.status.code(), Some(1));
    assert!(unknown.stdout.is_empty());
    let said = String::from_utf8(unknown.stderr).unwrap();
    assert!(said.contains("no token called \"hall\""), "{said}");
    server.quit();
}

#[test]
fn the_network_is_refused_without_a_token_and_served_with_one() {
    // SEC-1, SEC-5
    let desk = Desk::new();
    let anywhere = [
        "mcp",
        "--transport",
        "http",
        "--port",
        "0",
        "--host",
        "0.0.0.0",
    ];
    let refused = desk.output(&anywhere);
    assert_eq!(refused.status.code(), Some(2));
    let said = String::from_utf8(refused.stderr).unwrap();
    assert!(said.contains("There is no token yet"), "{said}");
    assert!(said.contains("--new kitchen"), "{said}");
    let mut given = desk.program(&anywhere);
    given.env("PPCLOCK_MCP_TOKEN", "a-key-that-two-servers-share");
    let server = Server::start(given);
    assert!(
        server
            .line("Tokens accepted")
            .ends_with("PPCLOCK_MCP_TOKEN.")
    );
    let status = server.call("a-key-that-two-servers-share", "device_status", json!({}));
    assert_eq!(status["ok"], true, "{status}");
    assert!(!server.quit().contains("a-key-that-two-servers-share"));
}

#[test]
fn without_a_token_and_a_place_to_keep_one_nothing_is_served() {
    // SEC-3, KEY-4
    const WAY_OUT: &str = "REGIE_SECRETS_FILE=FILE regie mcp token --new kitchen";
    let desk = Desk::new();
    let without_keyring = |arguments: &[&str]| {
        let mut program = desk.program(arguments);
        program
            .env_remove("REGIE_SECRETS_FILE")
            .env_remove("REGIE_LOG")
            .env("HOME", desk.folder.path())
            .env("XDG_RUNTIME_DIR", desk.folder.path())
            .env("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere");
        program.output().unwrap()
    };
    for host in ["127.0.0.1", "0.0.0.0"] {
        let serve = ["mcp", "--transport", "http", "--port", "0", "--host", host];
        let refused = without_keyring(&serve);
        let said = String::from_utf8(refused.stderr).unwrap();
        assert_eq!(refused.status.code(), Some(2), "{said}");
        assert!(said.contains("PPCLOCK_MCP_TOKEN"), "{said}");
        if host == "127.0.0.1" {
            assert!(said.contains(WAY_OUT), "{said}");
        }
        assert!(refused.stdout.is_empty());
    }
    // One that would be forgotten at once is not given out.
    let made = without_keyring(&["mcp", "token", "--new", "kitchen"]);
    assert_eq!(made.status.code(), Some(1));
    assert!(made.stdout.is_empty());
    // The sentence with the way out, and no line of the log before it.
    let said = String::from_utf8(made.stderr).unwrap();
    assert!(said.contains(WAY_OUT), "{said}");
    assert_eq!(said.lines().count(), 1, "{said}");
}

#[test]
fn the_list_of_tokens_says_where_each_is_kept() {
    let desk = Desk::new();
    desk.print(&["mcp", "token", "--new", "kitchen"]);
    // --demo stands before the command here, as it may anywhere.
    let mut listing = desk.program(&["mcp", "--demo", "token"]);
    listing.env("PPCLOCK_MCP_TOKEN", "a-key-that-two-servers-share");
    let output = listing.output().unwrap();
    let list = String::from_utf8(output.stdout).unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    let row = |name: &str| {
        let found = list.lines().find(|line| line.starts_with(name));
        found.unwrap_or_else(|| panic!("no {name}: {list}{said}"))
    };
    assert!(row("NAME").ends_with("  KEPT IN"), "{list}");
    assert!(row("kitchen").ends_with("  file"), "{list}");
    assert!(
        row("PPCLOCK_MCP_TOKEN").ends_with("  environment"),
        "{list}"
    );
    // What only a server has a use for is not passed over.
    let refused = desk.output(&["mcp", "--port", "8790", "token"]);
    assert!(!refused.status.success());
    let said = String::from_utf8(refused.stderr).unwrap();
    assert!(said.contains("--port means nothing"), "{said}");
}

#[test]
fn localhost_is_this_computer_by_both_addresses_and_another_name_is_refused() {
    // SEC-1
    let desk = Desk::new();
    let server = desk.serve(&["--host", "localhost"]);
    let served = server.line("Agents are served at ");
    assert!(served.contains("127.0.0.1"), "{served}");
    server.quit();
    let refused = desk.output(&["mcp", "--transport", "http", "--host", "kitchen.local"]);
    assert_eq!(refused.status.code(), Some(2));
    let said = String::from_utf8(refused.stderr).unwrap();
    let advice = "Give an IP address, such as 0.0.0.0 for the whole network.";
    assert!(said.contains(advice), "{said}");
}

#[test]
fn a_port_in_the_environment_that_is_none_is_said_and_another_one_taken() {
    // PORT-5
    let desk = Desk::new();
    let free = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let port = free.local_addr().unwrap().port();
    drop(free);
    std::fs::create_dir_all(desk.data()).unwrap();
    let settings = desk.data().join("settings.toml");
    std::fs::write(settings, format!("[agents]\nport = {port}\n")).unwrap();
    let mut program = desk.program(&["mcp", "--transport", "http"]);
    program.env("MCP_HARDWARE_PORT", "http");
    let server = Server::start(program);
    let said = server.line("MCP_HARDWARE_PORT is ");
    assert!(
        said.contains("\"http\"") && said.contains(&port.to_string()),
        "{said}"
    );
    server.quit();
}

#[test]
fn a_command_beside_a_server_is_told_who_has_the_clock() {
    let desk = Desk::new();
    let server = desk.serve(&[]);
    let process = format!("(process {})", server.program.id());
    for command in [
        &["clock", "status"][..],
        &["clock", "scan"],
        &["clock", "doctor"],
    ] {
        let refused = desk.output(command);
        assert_eq!(refused.status.code(), Some(1));
        let said = String::from_utf8(refused.stderr).unwrap();
        assert!(said.contains(&process) && said.contains("Ctrl-C"), "{said}");
    }
    server.quit();
}

#[test]
fn a_port_that_is_taken_is_told_with_the_name_of_its_holder() {
    // PORT-5
    let desk = Desk::new();
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let port = listener.local_addr().unwrap().port().to_string();
    let mut program = desk.program(&["mcp", "--transport", "http"]);
    let refused = program.env("MCP_HARDWARE_PORT", &port).output().unwrap();
    assert_eq!(refused.status.code(), Some(1));
    let said = String::from_utf8(refused.stderr).unwrap();
    let holder = format!("(process {})", std::process::id());
    assert!(said.contains(&holder), "{said}");
    // Another one can be asked for.
    desk.serve(&[]).quit();
}

#[test]
fn a_signal_during_a_call_ends_the_server_well() {
    let desk = Desk::new();
    let token = desk.print(&["mcp", "token", "--new", "kitchen"]);
    let server = desk.serve(&[]);
    let picture = desk.folder.path().join("picture.png");
    image::RgbImage::from_fn(400, 300, |x, y| {
        image::Rgb([(x / 2) as u8, (y / 2) as u8, 90])
    })
    .save(&picture)
    .unwrap();
    let upload = json!({
        "jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": { "name": "upload_image", "arguments": { "source": picture } },
    });
    let mut stream = TcpStream::connect(("127.0.0.1", server.port)).unwrap();
    let headers = bearer(token.trim());
    server.write(&mut stream, "POST", "/mcp", &headers, &upload.to_string());
    std::thread::sleep(Duration::from_millis(500));
    let told = Instant::now();
    server.quit();
    assert!(
        told.elapsed() < Duration::from_secs(15),
        "{:?}",
        told.elapsed()
    );
    assert!(!desk.data().join("regie.sock").exists());
    desk.serve(&[]).quit();
}

#[test]
fn an_agent_on_the_standard_streams_shares_the_clock_with_those_over_http() {
    let desk = Desk::new();
    let token = desk.print(&["mcp", "token", "--new", "kitchen"]);
    let server = desk.serve(&["--tools", "clock"]);
    let mut agent = desk.program(&["mcp"]);
    let mut agent = agent
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut to = agent.stdin.take().unwrap();
    let mut from = BufReader::new(agent.stdout.take().unwrap()).lines();
    let mut ask = |message: Value| -> Value {
        writeln!(to, "{message}").unwrap();
        serde_json::from_str(&from.next().unwrap().unwrap()).unwrap()
    };
    ask(json!({
        "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": { "name": "test", "version": "1" },
        },
    }));
    let set = ask(json!({
        "jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": { "name": "set_time", "arguments": { "tz": "Europe/Paris" } },
    }));
    assert_eq!(set["result"]["structuredContent"]["ok"], true, "{set}");
    // The server's engine is the one that has just set it.
    let status = server.call(token.trim(), "device_status", json!({}));
    assert_eq!(status["data"]["connected"], true, "{status}");
    let tools = server.ask("/mcp", token.trim(), "tools/list", json!({}));
    assert_eq!(tools["result"]["tools"].as_array().unwrap().len(), 13);
    drop(to);
    assert!(agent.wait().unwrap().success());
    server.quit();
}

#[test]
fn a_second_server_is_told_of_the_first_one() {
    let desk = Desk::new();
    let server = desk.serve(&[]);
    let second = desk.output(&["mcp", "--transport", "http", "--port", "0"]);
    assert_eq!(second.status.code(), Some(1));
    let said = String::from_utf8(second.stderr).unwrap();
    let process = format!("(process {})", server.program.id());
    assert!(said.contains(&process), "{said}");
    assert!(said.contains("Ctrl-C"), "{said}");
    server.quit();
}

/// Also where the data folder is new and behind a link, so that its name is not its place.
#[test]
fn quit_ends_a_server_and_waits_for_it_and_erase_leaves_nothing() {
    let mut desk = Desk::new();
    let elsewhere = tempfile::tempdir().unwrap();
    let link = desk.folder.path().join("data");
    std::os::unix::fs::symlink(elsewhere.path(), link).unwrap();
    desk.inner = "new";
    let server = desk.serve(&[]);
    assert!(desk.data().join("regie.db").exists());

    // What runs is not erased.
    let kept = desk.output(&["erase", "--yes"]);
    assert_eq!(kept.status.code(), Some(1), "{kept:?}");
    assert!(desk.data().join("regie.db").exists());

    desk.print(&["quit"]);
    let (status, said) = server.end();
    assert!(status.success(), "{status}: {said}");
    desk.print(&["quit"]);

    let secrets = desk.print(&["mcp", "token", "--new", "kitchen"]);
    let secret = secrets.trim();
    assert!(contains(&contents(desk.folder.path()), secret));
    assert!(desk.print(&["erase"]).contains("new"));
    assert!(desk.data().exists(), "it only says what would go");
    desk.print(&["erase", "--yes"]);
    assert!(!desk.data().exists());
    assert!(!contains(&contents(desk.folder.path()), secret));
}

#[test]
fn a_word_that_is_neither_command_nor_picture_is_told() {
    let desk = Desk::new();
    let said = desk.output(&["clok"]);
    assert_eq!(said.status.code(), Some(1));
    let complaint = String::from_utf8_lossy(&said.stderr).into_owned();
    assert!(
        complaint.contains("clok") && complaint.contains("--help"),
        "{complaint}"
    );
    assert!(!desk.data().exists());
}

#[test]
fn doctor_tells_each_part_and_changes_nothing() {
    let desk = Desk::new();
    let said = desk.output(&["doctor", "--json"]);
    let answer: Value = serde_json::from_slice(&said.stdout).unwrap();
    let checks = answer["data"]["checks"].as_array().unwrap();
    let verdict = |what: &str| {
        let check = checks.iter().find(|check| check["what"] == what);
        check.unwrap_or_else(|| panic!("{what}: {answer}"))["verdict"].clone()
    };
    for what in [
        "program", "settings", "data", "running", "window", "keyring", "login",
    ] {
        assert_eq!(verdict(what), "good", "{what}: {answer}");
    }
    let bad = checks.iter().any(|check| check["verdict"] == "bad");
    assert_eq!(said.status.code(), Some(if bad { 3 } else { 0 }));
    assert!(!desk.data().join("regie.db").exists());
    assert!(
        checks
            .iter()
            .all(|check| check["verdict"] == "good" || check["hint"].is_string())
    );
}

#[test]
fn secrets_are_in_their_file_and_nowhere_else() {
    let desk = Desk::new();
    let token = desk.print(&["mcp", "token", "--new", "kitchen"]);
    let token = token.trim();
    let mut program = desk.program(&["mcp", "--transport", "http", "--port", "0"]);
    program
        .env("MASCARADE_API_KEY", "a-key-that-two-servers-share")
        .env("REGIE_LOG", "trace");
    let server = Server::start(program);
    for secret in [token, "a-key-that-two-servers-share"] {
        assert_eq!(server.call(secret, "device_status", json!({}))["ok"], true);
    }
    let list = desk.print(&["mcp", "token", "--list"]);
    assert!(list.contains("MASCARADE_API_KEY"), "{list}");
    let of_variable = desk.output(&["mcp", "token", "--show", "MASCARADE_API_KEY"]);
    assert_eq!(of_variable.status.code(), Some(1));
    let line = std::fs::read(format!("/proc/{}/cmdline", server.program.id()));
    let mut seen = line.unwrap_or_default();
    seen.extend(server.quit().into_bytes());
    seen.extend(list.into_bytes());
    seen.extend(of_variable.stdout);
    seen.extend(of_variable.stderr);
    seen.extend(contents(&desk.data()));
    for secret in [token, "a-key-that-two-servers-share"] {
        assert!(!contains(&seen, secret));
    }
    assert!(contains(&std::fs::read(desk.secrets()).unwrap(), token));
}
