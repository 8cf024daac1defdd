//! Agents of the window's tests: one that posts JSON-RPC, one on the pipes of `regie mcp`.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

use super::app;

/// How long an answer may take: the simulated clock needs some seconds for a picture.
const ANSWER: Duration = Duration::from_secs(60);

/// Posts one message and returns the answer's body.
pub(crate) fn post(port: u16, authorization: &str, body: &Value) -> Value {
    let body = body.to_string();
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    stream.set_read_timeout(Some(ANSWER)).unwrap();
    write!(
        stream,
        "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: {authorization}\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    )
    .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    assert!(head.starts_with("HTTP/1.1 200"), "{head}");
    serde_json::from_str(body).unwrap()
}

/// An agent that has started `regie mcp` and talks to it over its pipes.
pub(crate) struct Piped {
    process: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
    last: u64,
}

impl Piped {
    pub(crate) fn start(data: &Path) -> Self {
        let mut process = Command::new(app())
            .args(["--demo", "--data-dir"])
            .arg(data)
            .arg("mcp")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let to = process.stdin.take().unwrap();
        let from = BufReader::new(process.stdout.take().unwrap());
        let mut agent = Self {
            process,
            to,
            from,
            last: 0,
        };
        agent.ask(
            "initialize",
            &json!({
                "protocolVersion": "2025-11-25",
                "capabilities": {},
                "clientInfo": { "name": "piped", "version": "1" },
            }),
        );
        agent.say(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        agent
    }

    /// Calls a tool and returns its result.
    pub(crate) fn call(&mut self, tool: &str, arguments: &Value) -> Value {
        self.ask(
            "tools/call",
            &json!({ "name": tool, "arguments": arguments }),
        )
    }

    fn ask(&mut self, method: &str, params: &Value) -> Value {
        self.last += 1;
        let id = self.last;
        self.say(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        loop {
            let mut line = String::new();
            let read = self.from.read_line(&mut line).unwrap();
            assert_ne!(read, 0, "regie mcp ended");
            let mut message: Value = serde_json::from_str(&line).unwrap();
            if message["id"] == id {
                return message["result"].take();
            }
        }
    }

    fn say(&mut self, message: &Value) {
        writeln!(self.to, "{message}").unwrap();
        self.to.flush().unwrap();
    }
}

impl Drop for Piped {
    fn drop(&mut self) {
        // What has ended needs no ending.
        let _ended = self.process.kill();
        let _reaped = self.process.wait();
    }
}
