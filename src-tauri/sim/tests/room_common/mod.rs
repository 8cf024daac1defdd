//! A bare HTTP client, so that nothing between a test and a simulated device tidies up.

#![allow(dead_code, reason = "each test file uses a part of it")]

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use regie_sim::room::SimulatedDevice;
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::{sleep, timeout};

/// An answer.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    /// Its body as JSON; null where it is none.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }
}

/// Sends a request and reads until the device closes.
pub(crate) async fn send(
    address: SocketAddr,
    method: &str,
    target: &str,
    authorization: Option<&str>,
    body: &str,
) -> io::Result<Answer> {
    let mut stream = TcpStream::connect(address).await?;
    let authorization = authorization
        .map(|value| format!("Authorization: {value}\r\n"))
        .unwrap_or_default();
    let request = format!(
        "{method} {target} HTTP/1.1\r\nHost: {address}\r\n{authorization}\
         Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(request.as_bytes()).await?;
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).await?;
    let end = bytes
        .windows(4)
        .position(|four| four == b"\r\n\r\n")
        .ok_or_else(|| io::Error::other("no answer"))?;
    let body = bytes.split_off(end + 4);
    let head = String::from_utf8_lossy(&bytes).into_owned();
    let status = head
        .split(' ')
        .nth(1)
        .and_then(|text| text.parse().ok())
        .ok_or_else(|| io::Error::other("no status"))?;
    Ok(Answer { status, head, body })
}

/// What a device's own token is sent as.
pub(crate) fn authorization(device: &SimulatedDevice) -> Option<String> {
    device.token().map(|token| {
        if token.contains(':') {
            format!("Basic {}", BASE64_STANDARD.encode(token))
        } else {
            format!("Bearer {token}")
        }
    })
}

pub(crate) async fn get(device: &SimulatedDevice, target: &str) -> io::Result<Answer> {
    let authorization = authorization(device);
    send(
        device.address(),
        "GET",
        target,
        authorization.as_deref(),
        "",
    )
    .await
}

pub(crate) async fn post(device: &SimulatedDevice, target: &str, body: &str) -> io::Result<Answer> {
    let authorization = authorization(device);
    send(
        device.address(),
        "POST",
        target,
        authorization.as_deref(),
        body,
    )
    .await
}

/// Asks until it answers, since nobody can say how long a busy machine takes.
pub(crate) async fn get_when_back(device: &SimulatedDevice, target: &str) -> io::Result<Answer> {
    let asking = async {
        loop {
            if let Ok(answer) = get(device, target).await {
                return answer;
            }
            sleep(Duration::from_millis(20)).await;
        }
    };
    Ok(timeout(Duration::from_secs(20), asking).await?)
}
