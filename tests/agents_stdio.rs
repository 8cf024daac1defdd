//! `regie mcp` as an agent's program meets it: the real program, with simulated clocks.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// How long anything here may take: many times what it needs.
const LIMIT: Duration = Duration::from_secs(60);

/// An agent's program: one `regie mcp` and its pipes.
struct Agent {
    program: Child,
    to: Option<ChildStdin>,
    from: Receiver<String>,
}

fn regie(folder: &Path, arguments: &[&str]) -> Command {
    let mut program = undecided(folder, arguments);
    program.arg("--demo");
    program
}

/// The program without a word on which clocks.
fn undecided(folder: &Path, arguments: &[&str]) -> Command {
    let mut program = Command::new(env!("CARGO_BIN_EXE_regie"));
    program
        .arg("--data-dir")
        .arg(folder)
        .args(arguments)
        .env_remove("DISPLAY")
        .env_remove("WAYLAND_DISPLAY")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    program
}

impl Agent {
    fn start(folder: &Path, arguments: &[&str]) -> Self {
        Self::of(regie(folder, &["mcp"]).args(arguments))
    }

    fn of(program: &mut Command) -> Self {
        let mut program = program.spawn().unwrap();
        let mut output = BufReader::new(program.stdout.take().unwrap());
        let (lines, from) = channel();
        std::thread::spawn(move || {
            loop {
                let mut line = String::new();
                if output.read_line(&mut line).unwrap_or(0) == 0 || lines.send(line).is_err() {
                    return;
                }
            }
        });
        Self {
            to: program.stdin.take(),
            program,
            from,
        }
    }

    /// Starts and says what every client says first.
    fn ready(folder: &Path, arguments: &[&str]) -> Self {
        Self::start(folder, arguments).greeted()
    }

    fn greeted(mut self) -> Self {
        let agent = &mut self;
        let params = json!({
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": { "name": "test", "version": "1" },
        });
        let answer = agent.ask(0, "initialize", params);
        assert_eq!(answer["result"]["serverInfo"]["name"], "regie", "{answer}");
        agent.say(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        self
    }

    fn say(&mut self, message: &Value) {
        let to = self.to.as_mut().unwrap();
        writeln!(to, "{message}").unwrap();
    }

    fn request(&mut self, id: u32, method: &str, params: Value) {
        self.say(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
    }

    /// The next line, which is JSON-RPC like every one.
    fn hear(&self) -> Value {
        let line = self.from.recv_timeout(LIMIT).expect("no answer");
        assert!(line.ends_with('\n') && !line.ends_with("\r\n"), "{line:?}");
        let message: Value = serde_json::from_str(&line).unwrap();
        assert_eq!(message["jsonrpc"], "2.0", "{line}");
        message
    }

    fn ask(&mut self, id: u32, method: &str, params: Value) -> Value {
        self.request(id, method, params);
        let answer = self.hear();
        assert_eq!(answer["id"], id, "{answer}");
        answer
    }

    /// The object of the contract that a tool answers.
    fn call(&mut self, id: u32, tool: &str, arguments: Value) -> Value {
        let params = json!({ "name": tool, "arguments": arguments });
        let answer = self.ask(id, "tools/call", params);
        answer["result"]["structuredContent"].clone()
    }

    /// Closes the pipe and waits for the end; what was said on the error stream.
    fn quit(mut self) -> String {
        self.to = None;
        let status = self.end();
        assert!(status.success(), "{status}");
        let rest: Vec<String> = self.from.iter().collect();
        assert_eq!(rest, [""; 0], "more than the answers on stdout");
        self.complaints()
    }

    fn end(&mut self) -> ExitStatus {
        let deadline = Instant::now() + LIMIT;
        loop {
            if let Some(status) = self.program.try_wait().unwrap() {
                return status;
            }
            assert!(Instant::now() < deadline, "it hangs");
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    fn complaints(&mut self) -> String {
        let mut text = String::new();
        let mut stream = self.program.stderr.take().unwrap();
        stream.read_to_string(&mut text).unwrap();
        assert!(!text.contains("panicked"), "{text}");
        text
    }
}

impl Drop for Agent {
    fn drop(&mut self) {
        // One that has ended needs no end.
        let _ended = self.program.kill();
        let _gone = self.program.wait();
    }
}

fn picture(folder: &Path) -> PathBuf {
    let path = folder.join("picture.png");
    image::RgbImage::from_fn(400, 300, |x, y| {
        image::Rgb([(x / 2) as u8, (y / 2) as u8, 90])
    })
    .save(&path)
    .unwrap();
    path
}

#[test]
fn stdout_carries_the_protocol_and_nothing_else_from_start_to_end() {
    // IO-1, IO-3
    let folder = tempfile::tempdir().unwrap();
    let mut agent = Agent::ready(folder.path(), &[]);
    let tools = agent.ask(1, "tools/list", json!({}));
    let tools = tools["result"]["tools"].as_array().unwrap();
    assert!(tools.iter().any(|tool| tool["name"] == "upload_image"));
    let status = agent.call(2, "device_status", json!({}));
    assert_eq!(status["ok"], true, "{status}");
    let refused = agent.call(3, "set_mode", json!({ "mode": "disco" }));
    assert_eq!(refused["error"]["code"], "INVALID_PARAM", "{refused}");
    assert_eq!(agent.quit(), "");
}

#[test]
fn the_tools_offered_are_those_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let mut clock = Agent::ready(folder.path(), &["--tools", "clock"]);
    let tools = clock.ask(1, "tools/list", json!({}));
    assert_eq!(tools["result"]["tools"].as_array().unwrap().len(), 13);
    let mut room = Agent::ready(folder.path(), &["--tools", "room", "--idle-timeout", "5"]);
    let tools = room.ask(1, "tools/list", json!({}));
    assert_eq!(tools["result"]["tools"].as_array().unwrap().len(), 6);
    let said = room.quit();
    assert!(said.contains("--idle-timeout means nothing"), "{said}");
    clock.quit();
}

#[test]
fn a_folder_with_spaces_and_any_letters_serves_two_agents_with_one_engine() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().join("données de l'horloge 时钟");
    std::fs::create_dir(&folder).unwrap();
    let mut first = Agent::ready(&folder, &[]);
    let mut second = Agent::ready(&folder, &[]);
    let set = first.call(1, "set_time", json!({ "tz": "Europe/Paris" }));
    assert_eq!(set["ok"], true, "{set}");
    // The second one sees what the first one's engine has just done.
    let clock = second.call(1, "device_status", json!({}));
    assert_eq!(clock["data"]["connected"], true, "{clock}");
    second.quit();
    first.quit();
}

#[test]
fn an_agent_goes_on_when_the_process_with_the_engine_was_killed() {
    let folder = tempfile::tempdir().unwrap();
    let mut first = Agent::ready(folder.path(), &[]);
    let mut second = Agent::ready(folder.path(), &[]);
    assert_eq!(second.call(1, "device_status", json!({}))["ok"], true);
    first.program.kill().unwrap();
    first.program.wait().unwrap();
    assert_eq!(second.call(2, "device_status", json!({}))["ok"], true);
    let mut third = Agent::ready(folder.path(), &[]);
    assert_eq!(third.call(1, "device_status", json!({}))["ok"], true);
    third.quit();
    second.quit();
}

#[test]
fn a_pipe_that_closes_during_a_call_ends_the_program_and_frees_the_folder() {
    let folder = tempfile::tempdir().unwrap();
    let path = picture(folder.path());
    let mut agent = Agent::ready(folder.path(), &[]);
    agent.request(
        1,
        "tools/call",
        json!({ "name": "upload_image", "arguments": { "source": path } }),
    );
    let begun = Instant::now();
    agent.to = None;
    assert!(agent.end().success());
    assert!(begun.elapsed() < Duration::from_secs(30));
    for line in agent.from.iter() {
        let _message: Value = serde_json::from_str(&line).unwrap();
    }
    assert!(!folder.path().join("regie.sock").exists());
    Agent::ready(folder.path(), &[]).quit();
}

#[cfg(unix)]
#[test]
fn a_signal_ends_the_program_well_during_a_call() {
    let folder = tempfile::tempdir().unwrap();
    let path = picture(folder.path());
    let mut agent = Agent::ready(folder.path(), &[]);
    agent.request(
        1,
        "tools/call",
        json!({ "name": "upload_image", "arguments": { "source": path } }),
    );
    std::thread::sleep(Duration::from_millis(500));
    let process = agent.program.id().to_string();
    let sent = Command::new("kill").args(["-TERM", &process]).status();
    assert!(sent.unwrap().success());
    assert!(agent.end().success());
    assert!(!folder.path().join("regie.sock").exists());
}

#[test]
fn while_another_command_uses_the_folder_calls_fail_and_the_rest_is_answered() {
    let folder = tempfile::tempdir().unwrap();
    let path = picture(folder.path());
    let showing = regie(folder.path(), &["clock", "show"])
        .arg(path)
        .spawn()
        .unwrap();
    let deadline = Instant::now() + LIMIT;
    while !folder.path().join("regie.lock").exists() {
        assert!(Instant::now() < deadline);
        std::thread::sleep(Duration::from_millis(10));
    }
    let begun = Instant::now();
    let mut agent = Agent::ready(folder.path(), &[]);
    let tools = agent.ask(1, "tools/list", json!({}));
    assert!(tools["result"]["tools"].as_array().unwrap().len() > 12);
    assert!(begun.elapsed() < Duration::from_secs(6), "{begun:?}");
    let refused = agent.call(2, "device_status", json!({}));
    assert_eq!(refused["error"]["code"], "INTERNAL", "{refused}");
    let hint = refused["error"]["hint"].as_str().unwrap();
    assert!(hint.contains("another command"), "{hint}");
    assert!(showing.wait_with_output().unwrap().status.success());
    // Nobody starts the agent again: it finds the engine by itself.
    let served = (3..).find(|id| {
        assert!(begun.elapsed() < LIMIT);
        std::thread::sleep(Duration::from_millis(100));
        agent.call(*id, "device_status", json!({}))["ok"] == true
    });
    assert!(served.is_some());
    agent.quit();
}

#[test]
fn a_command_has_the_clock_of_an_agents_process_for_a_while() {
    let folder = tempfile::tempdir().unwrap();
    let mut agent = Agent::ready(folder.path(), &[]);
    assert_eq!(agent.call(1, "device_status", json!({}))["ok"], true);
    let begun = Instant::now();
    for command in [["clock", "status"], ["clock", "scan"]] {
        let done = regie(folder.path(), &command).output().unwrap();
        let said = String::from_utf8_lossy(&done.stderr);
        assert!(done.status.success(), "{said}");
    }
    // Nobody starts the agent again, and it does not wait for a window that does not come.
    let commands = begun.elapsed();
    let served = (2..).find(|id| {
        assert!(begun.elapsed() < LIMIT);
        agent.call(*id, "device_status", json!({}))["ok"] == true
    });
    assert!(served.is_some());
    let waited = begun.elapsed() - commands;
    assert!(waited < Duration::from_secs(10), "{waited:?}");
    agent.quit();
}

#[test]
fn simulated_clocks_are_not_had_beside_real_bluetooth() {
    let folder = tempfile::tempdir().unwrap();
    let owner = Agent::of(&mut undecided(folder.path(), &["mcp"])).greeted();
    let mut refused = Agent::start(folder.path(), &[]);
    assert_eq!(refused.end().code(), Some(1));
    assert_eq!(refused.from.iter().count(), 0);
    let said = refused.complaints();
    assert!(said.contains("--demo cannot be had here"), "{said}");
    assert!(said.contains("--data-dir"), "{said}");
    // Who asks for none in particular is let in, and these are not called simulated.
    let second = Agent::of(&mut undecided(folder.path(), &["mcp"])).greeted();
    let said = second.quit();
    assert!(!said.contains("simulated"), "{said}");
    drop(owner);
}

#[test]
fn an_agent_that_meets_simulated_clocks_unasked_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let owner = Agent::ready(folder.path(), &[]);
    let second = Agent::of(&mut undecided(folder.path(), &["mcp"])).greeted();
    let said = second.quit();
    assert!(said.contains("These are simulated clocks."), "{said}");
    let asked = Agent::ready(folder.path(), &[]).quit();
    assert_eq!(asked, "");
    owner.quit();
}

#[test]
fn what_an_agent_calls_wrongly_is_answered_and_not_logged() {
    let folder = tempfile::tempdir().unwrap();
    let mut agent = Agent::ready(folder.path(), &[]);
    let answer = agent.ask(1, "tools/call", json!({ "name": "make_coffee" }));
    assert!(answer["error"].is_object(), "{answer}");
    assert_eq!(agent.quit(), "");
}

#[test]
fn an_address_that_is_none_is_refused_before_anything_is_served() {
    let folder = tempfile::tempdir().unwrap();
    let refused = regie(folder.path(), &["mcp", "--mac", "kitchen"])
        .output()
        .unwrap();
    assert_eq!(refused.status.code(), Some(1));
    assert!(refused.stdout.is_empty());
    assert!(!refused.stderr.is_empty());
}
