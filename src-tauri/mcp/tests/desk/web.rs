//! The desk's tools over HTTP, asked by a caller that knows JSON-RPC and nothing else.

use std::sync::Arc;
use std::time::Duration;

use regie_engine::{Caller, Door, Reach};
use regie_mcp::{
    AgentService, Connection, HttpDoor, Listeners, Listening, Protocol, Transport, run,
};
use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use super::Desk;

/// No answer takes longer: a device is waited for, and asked once more.
const PATIENCE: Duration = Duration::from_secs(30);

/// A server of the desk's tools; it ends when this is dropped.
pub(crate) struct Web {
    port: u16,
    secret: String,
    ending: CancellationToken,
}

impl Drop for Web {
    fn drop(&mut self) {
        self.ending.cancel();
    }
}

impl Web {
    pub(crate) async fn serve(desk: &Desk) -> Self {
        let host = desk.host.clone();
        let protocol = Protocol::new(move |toolset| {
            let caller = Caller::from(Door::Agent);
            let mut connection = Connection::new(caller, Transport::Http, Reach::ThisComputer);
            connection.toolset = toolset;
            AgentService::new(host.clone(), connection)
        });
        let door = HttpDoor::new(Arc::new(desk.engine.clone()), protocol);
        let made = desk.engine.make_token("tests").await.unwrap();
        let listening = Listening::new(0, Reach::ThisComputer);
        let listeners = Listeners::bind(listening, &desk.engine).await.unwrap();
        let port = listeners.port();
        let ending = CancellationToken::new();
        tokio::spawn(run(listeners, Arc::new(door), ending.clone()));
        Self {
            port,
            secret: made.secret.expose().to_owned(),
            ending,
        }
    }

    /// Status and body of the answer to a POST with no more than a token.
    pub(crate) async fn post(&self, path: &str, body: &str) -> (u16, Value) {
        self.post_with(path, &[], body).await
    }

    /// The same with other headers.
    pub(crate) async fn post_with(
        &self,
        path: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> (u16, Value) {
        let more = headers
            .iter()
            .map(|(name, value)| format!("{name}: {value}\r\n"));
        let more: String = more.collect();
        let Self { port, secret, .. } = self;
        let mut stream = TcpStream::connect(("127.0.0.1", *port)).await.unwrap();
        let head = format!(
            "POST {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {secret}\r\n{more}\
             Content-Type: application/json\r\nConnection: close\r\nContent-Length: {}\r\n\r\n",
            body.len()
        );
        stream.write_all(head.as_bytes()).await.unwrap();
        stream.write_all(body.as_bytes()).await.unwrap();
        let mut answer = Vec::new();
        timeout(PATIENCE, stream.read_to_end(&mut answer))
            .await
            .expect("no answer")
            .unwrap();
        let answer = String::from_utf8(answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").expect("an answer");
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        (status, serde_json::from_str(body).unwrap_or_default())
    }

    /// What a method of `/mcp/room` answers.
    pub(crate) async fn ask(&self, method: &str, params: Value) -> Value {
        let request = serde_json::json!({
            "jsonrpc": "2.0",
            "id": "req-001",
            "method": method,
            "params": params,
        });
        let (_, answer) = self.post("/mcp/room", &request.to_string()).await;
        assert_eq!(answer["id"], "req-001", "{answer}");
        answer
    }

    /// What a tool of `/mcp/room` answers.
    pub(crate) async fn call(&self, tool: &str, arguments: Value) -> Value {
        let params = serde_json::json!({ "name": tool, "arguments": arguments });
        self.ask("tools/call", params).await
    }
}
