//! What is logged, at its most talkative, while tokens are made, shown and used: never a secret.
//!
//! The log belongs to the process, hence the one test of this file.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod desk;

use std::io::{self, Write};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use desk::{Desk, connection};
use regie_engine::{Reach, Secret};
use regie_mcp::{AgentService, HttpDoor, Listeners, Listening, Protocol, run};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tracing_subscriber::fmt::MakeWriter;

/// No answer takes longer.
const PATIENCE: Duration = Duration::from_secs(20);

/// Characters in a row that would already tell too much of a secret.
const TELLING: usize = 8;

/// How the secrets of tokens begin, which is no secret.
const PREFIX: &str = "regie_";

const CALLS: [&str; 2] = [
    r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}"#,
    r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"clear_screen","arguments":{}}}"#,
];

/// Everything that was logged.
#[derive(Clone, Debug, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl MakeWriter<'_> for Log {
    type Writer = Self;

    fn make_writer(&self) -> Self {
        self.clone()
    }
}

impl Log {
    fn text(&self) -> String {
        String::from_utf8_lossy(&self.0.lock().unwrap()).into_owned()
    }
}

/// A server of the engine's tools, and its port.
async fn serve(desk: &Desk) -> (u16, CancellationToken) {
    let host = desk.host.clone();
    let protocol = Protocol::new(move |_| AgentService::new(host.clone(), connection()));
    let door = HttpDoor::new(Arc::new(desk.engine.clone()), protocol);
    let listening = Listening::new(0, Reach::ThisComputer);
    let listeners = Listeners::bind(listening, &desk.engine).await.unwrap();
    let port = listeners.port();
    let ending = CancellationToken::new();
    tokio::spawn(run(listeners, Arc::new(door), ending.clone()));
    (port, ending)
}

/// The status that a request with that token is answered with.
async fn asked(port: u16, authorization: &str, path: &str, body: &str) -> String {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
    let request = format!(
        "POST {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: {authorization}\r\n\
         Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n\
         Connection: close\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    timeout(PATIENCE, stream.read_to_end(&mut answer))
        .await
        .expect("no answer")
        .unwrap();
    let answer = String::from_utf8_lossy(&answer).into_owned();
    answer.split(' ').nth(1).unwrap_or_default().to_owned()
}

/// Asks with a secret that lets in, in every way that clients and people get it right and wrong.
async fn used(port: u16, secret: &Secret) {
    let secret = secret.expose();
    let bearer = format!("Bearer {secret}");
    for call in CALLS {
        assert_eq!(asked(port, &bearer, "/mcp", call).await, "200");
    }
    for authorization in [secret.to_owned(), format!("Basic {secret}")] {
        assert_eq!(asked(port, &authorization, "/mcp", CALLS[0]).await, "401");
    }
    assert_eq!(asked(port, &bearer, "/nowhere", CALLS[0]).await, "404");
    assert_eq!(asked(port, &bearer, "/mcp", "no JSON").await, "400");
}

/// Asks with a secret that does not let in; once, as more often is answered ever later.
async fn refused(port: u16, secret: &Secret) {
    let bearer = format!("Bearer {}", secret.expose());
    assert_eq!(asked(port, &bearer, "/mcp", CALLS[1]).await, "401");
}

fn assert_unsaid(log: &str, secret: &str) {
    let telling = secret.strip_prefix(PREFIX).unwrap_or(secret);
    let letters: Vec<char> = telling.chars().collect();
    for part in letters.windows(TELLING) {
        let part: String = part.iter().collect();
        let line = log.lines().find(|line| line.contains(&part));
        assert_eq!(line, None, "a secret is in the log");
    }
}

/// SEC-3.
#[tokio::test]
async fn no_log_tells_a_secret_of_a_token_whatever_is_done_with_it() {
    let log = Log::default();
    tracing_subscriber::fmt()
        .with_max_level(tracing::Level::TRACE)
        .with_ansi(false)
        .with_writer(log.clone())
        .init();
    let desk = Desk::new().await;
    let engine = &desk.engine;
    let (port, ending) = serve(&desk).await;

    let first = engine.first_token().await.unwrap().unwrap();
    let made = engine.make_token("Claude").await.unwrap();
    let id = made.token.id.clone();
    let shown = engine.reveal_token(&id).await.unwrap();
    assert_eq!(shown.expose(), made.secret.expose());
    used(port, &first.secret).await;
    used(port, &made.secret).await;
    let other = engine.replace_token(&id).await.unwrap();
    refused(port, &made.secret).await;
    used(port, &other.secret).await;
    engine.revoke_token(&id).await.unwrap();
    refused(port, &other.secret).await;
    let wrong = Secret::from(format!("{PREFIX}wrongwrongWRONGwrong0123456789"));
    refused(port, &wrong).await;
    tracing::trace!(?made, ?other, "as a careless line would have it");
    ending.cancel();
    engine.stop().await;

    let log = log.text();
    assert!(log.contains("as a careless line would have it"));
    assert!(log.contains("rmcp"), "the libraries say nothing");
    for secret in [first.secret, made.secret, other.secret, wrong] {
        assert_unsaid(&log, secret.expose());
    }
}
