//! A client that writes its requests byte by byte, so that it can write wrong ones.

use std::time::Duration;

use regie_engine::Reach;
use regie_mcp::{HttpDoor, Listeners, Listening, run};
use serde_json::Value;
use std::sync::Arc;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use crate::trivial::{TOKEN, Waits, door};

/// No answer takes longer, except where a test says so.
const PATIENCE: Duration = Duration::from_secs(20);

/// A running server on loopback.
pub(crate) struct Running {
    pub(crate) port: u16,
    pub(crate) waits: Arc<Waits>,
    pub(crate) shutdown: CancellationToken,
    pub(crate) task: JoinHandle<()>,
}

pub(crate) async fn serve() -> Running {
    let (door, waits) = door();
    serve_door(door, waits).await
}

pub(crate) async fn serve_door(door: Arc<HttpDoor>, waits: Arc<Waits>) -> Running {
    let listening = Listening::new(0, Reach::ThisComputer);
    let listeners = Listeners::bind(listening, door.gatekeeper())
        .await
        .unwrap_or_else(|error| unreachable!("{error}"));
    let port = listeners.port();
    let shutdown = CancellationToken::new();
    let task = tokio::spawn(run(listeners, door, shutdown.clone()));
    Running {
        port,
        waits,
        shutdown,
        task,
    }
}

/// An answer.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(own, _)| own.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.as_str())
    }

    /// The body as JSON; null where it is none.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// The text of a tool's result.
    pub(crate) fn result_text(&self) -> String {
        self.json()["result"]["content"][0]["text"]
            .as_str()
            .unwrap_or_default()
            .to_owned()
    }
}

/// One connection.
pub(crate) struct Client {
    pub(crate) stream: BufReader<TcpStream>,
}

impl Client {
    pub(crate) async fn connect(port: u16) -> Self {
        let stream = TcpStream::connect(("127.0.0.1", port))
            .await
            .unwrap_or_else(|error| unreachable!("{error}"));
        Self {
            stream: BufReader::new(stream),
        }
    }

    pub(crate) async fn send(&mut self, bytes: &[u8]) {
        // The server may hang up in the middle of what it does not take.
        let _ = self.stream.write_all(bytes).await;
    }

    /// The next answer; `None` where the server hung up instead.
    pub(crate) async fn receive(&mut self) -> Option<Answer> {
        timeout(PATIENCE, self.answer()).await.ok().flatten()
    }

    async fn answer(&mut self) -> Option<Answer> {
        let status = self.line().await?;
        let status = status.split(' ').nth(1)?.parse().ok()?;
        let mut headers = Vec::new();
        loop {
            let line = self.line().await?;
            let Some((name, value)) = line.split_once(": ") else {
                break;
            };
            headers.push((name.to_owned(), value.to_owned()));
        }
        let mut answer = Answer {
            status,
            headers,
            body: Vec::new(),
        };
        let length = answer
            .header("content-length")
            .and_then(|length| length.parse::<usize>().ok());
        if let Some(length) = length {
            answer.body = vec![0; length];
            self.stream.read_exact(&mut answer.body).await.ok()?;
        } else if answer.header("transfer-encoding").is_some() {
            loop {
                let size = usize::from_str_radix(&self.line().await?, 16).ok()?;
                let mut chunk = vec![0; size + 2];
                self.stream.read_exact(&mut chunk).await.ok()?;
                if size == 0 {
                    break;
                }
                answer.body.extend_from_slice(&chunk[..size]);
            }
        }
        Some(answer)
    }

    async fn line(&mut self) -> Option<String> {
        let mut line = Vec::new();
        self.stream.read_until(b'\n', &mut line).await.ok()?;
        let line = String::from_utf8(line).ok()?;
        line.strip_suffix("\r\n").map(str::to_owned)
    }
}

/// A request as it is written.
pub(crate) fn request(method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Vec<u8> {
    let mut text = format!("{method} {path} HTTP/1.1\r\n");
    for (name, value) in headers {
        text.push_str(&format!("{name}: {value}\r\n"));
    }
    if !body.is_empty() {
        text.push_str(&format!("Content-Length: {}\r\n", body.len()));
    }
    text.push_str("\r\n");
    text.push_str(body);
    text.into_bytes()
}

impl Running {
    pub(crate) fn host(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    /// One request on a connection of its own.
    pub(crate) async fn ask(&self, bytes: &[u8]) -> Option<Answer> {
        let mut client = Client::connect(self.port).await;
        client.send(bytes).await;
        client.receive().await
    }

    /// A POST with nothing but a token, and what else is given.
    pub(crate) fn post(&self, path: &str, more: &[(&str, &str)], body: &str) -> Vec<u8> {
        let host = self.host();
        let bearer = format!("Bearer {TOKEN}");
        let mut headers = vec![("Host", host.as_str()), ("Authorization", bearer.as_str())];
        headers.extend_from_slice(more);
        request("POST", path, &headers, body)
    }

    /// The answer to such a POST at `/mcp`.
    pub(crate) async fn call(&self, more: &[(&str, &str)], body: &str) -> Answer {
        let answer = self.ask(&self.post("/mcp", more, body)).await;
        answer.unwrap_or_else(|| unreachable!("no answer to {body}"))
    }
}

/// A call of a tool without arguments.
pub(crate) fn tool(id: &str, name: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"{name}"}}}}"#)
}
