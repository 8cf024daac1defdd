//! As much of HTTP/1.1 as the web server of an ESP32 speaks: one request a connection.

use std::io;
use std::net::SocketAddr;

use percent_encoding::percent_decode_str;
use serde_json::{Map, Value, json};
use tokio::io::{AsyncRead, AsyncReadExt};

use super::camera::Shot;

/// Most bytes of a request's first line and headers.
const MAX_HEAD: usize = 8 * 1024;
/// Most bytes of a request's body; an ESP32 has no more memory to spare for one.
const MAX_BODY: usize = 64 * 1024;

/// A request as it came.
#[derive(Debug)]
pub(crate) struct HttpRequest {
    pub(crate) method: String,
    pub(crate) path: String,
    pub(crate) query: String,
    pub(crate) body: Vec<u8>,
    pub(crate) client: SocketAddr,
    authorization: Option<String>,
    content_type: Option<String>,
}

impl HttpRequest {
    /// Reads one; `None` where what came is none.
    pub(crate) async fn read(
        stream: &mut (impl AsyncRead + Unpin),
        client: SocketAddr,
    ) -> io::Result<Option<Self>> {
        let mut bytes = Vec::with_capacity(1024);
        let end = loop {
            if let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
                break end;
            }
            if bytes.len() > MAX_HEAD || stream.read_buf(&mut bytes).await? == 0 {
                return Ok(None);
            }
        };
        let mut body = bytes.split_off(end + 4);
        let head = String::from_utf8_lossy(&bytes).into_owned();
        let mut lines = head.lines();
        let mut first = lines.next().unwrap_or_default().split(' ');
        let (Some(method), Some(target)) = (first.next(), first.next()) else {
            return Ok(None);
        };
        let header = |name: &str| {
            lines.clone().find_map(|line| {
                let (key, value) = line.split_once(':')?;
                key.eq_ignore_ascii_case(name)
                    .then(|| value.trim().to_owned())
            })
        };
        let length = header("content-length").map_or(Ok(0), |text| text.parse::<usize>());
        let Ok(length @ 0..=MAX_BODY) = length else {
            return Ok(None);
        };
        while body.len() < length {
            if stream.read_buf(&mut body).await? == 0 {
                return Ok(None);
            }
        }
        body.truncate(length);
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        Ok(Some(Self {
            method: method.to_owned(),
            path: path.to_owned(),
            query: query.to_owned(),
            body,
            client,
            authorization: header("authorization"),
            content_type: header("content-type"),
        }))
    }

    /// Whether its `Authorization` header is this scheme with these credentials.
    pub(crate) fn authorized(&self, scheme: &str, credentials: &str) -> bool {
        self.authorization.as_deref().is_some_and(|header| {
            header
                .split_once(' ')
                .is_some_and(|(given, rest)| given == scheme && rest.trim() == credentials)
        })
    }

    /// Its parameters: those of the query, and those of a form or of a JSON object in the body.
    /// JSON that cannot be read has none.
    pub(crate) fn fields(&self) -> Fields {
        let mut fields = Map::new();
        form(&self.query, &mut fields);
        let is_form = self
            .content_type
            .as_deref()
            .is_some_and(|kind| kind.starts_with("application/x-www-form-urlencoded"));
        if is_form {
            form(&String::from_utf8_lossy(&self.body), &mut fields);
        } else if let Ok(Value::Object(object)) = serde_json::from_slice(&self.body) {
            fields.extend(object);
        }
        Fields(fields)
    }
}

fn form(text: &str, fields: &mut Map<String, Value>) {
    for pair in text.split('&').filter(|pair| !pair.is_empty()) {
        let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
        fields.insert(decoded(key), Value::String(decoded(value)));
    }
}

fn decoded(text: &str) -> String {
    let spaced = text.replace('+', " ");
    percent_decode_str(&spaced).decode_utf8_lossy().into_owned()
}

/// Parameters of a request.
#[derive(Debug)]
pub(crate) struct Fields(Map<String, Value>);

impl Fields {
    pub(crate) fn value(&self, name: &str) -> Option<&Value> {
        self.0.get(name)
    }

    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.0.get(name)?.as_str()
    }

    /// A whole number, also one in a text.
    pub(crate) fn number(&self, name: &str) -> Option<i64> {
        let value = self.0.get(name)?;
        value.as_i64().or_else(|| value.as_str()?.parse().ok())
    }

    /// A truth value, also one in a text.
    pub(crate) fn truth(&self, name: &str) -> Option<bool> {
        match self.0.get(name)? {
            Value::Bool(truth) => Some(*truth),
            Value::Number(number) => Some(number.as_i64() != Some(0)),
            Value::String(text) => truth(text),
            _ => None,
        }
    }
}

/// Reads a truth value as the firmwares do.
pub(crate) fn truth(text: &str) -> Option<bool> {
    match text.to_ascii_lowercase().as_str() {
        "1" | "true" | "on" | "yes" => Some(true),
        "0" | "false" | "off" | "no" => Some(false),
        _ => None,
    }
}

/// What is answered.
#[derive(Debug, Clone)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) content_type: &'static str,
    pub(crate) headers: Vec<(&'static str, String)>,
    pub(crate) body: Body,
}

/// The body of an answer.
#[derive(Debug, Clone)]
pub(crate) enum Body {
    Bytes(Vec<u8>),
    /// A picture, which is drawn when it is sent.
    Picture(Shot),
}

impl Reply {
    pub(crate) fn json(status: u16, value: &Value) -> Self {
        Self::bytes(status, "application/json", value.to_string().into_bytes())
    }

    pub(crate) fn bytes(status: u16, content_type: &'static str, bytes: Vec<u8>) -> Self {
        Self {
            status,
            content_type,
            headers: Vec::new(),
            body: Body::Bytes(bytes),
        }
    }

    pub(crate) fn picture(shot: Shot) -> Self {
        Self {
            status: 200,
            content_type: "image/jpeg",
            headers: Vec::new(),
            body: Body::Picture(shot),
        }
    }

    /// `{"ok":false,"error":…}`.
    pub(crate) fn error(status: u16, error: &str) -> Self {
        Self::json(status, &json!({ "ok": false, "error": error }))
    }

    pub(crate) fn with(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }

    /// The first line and the headers for a body of this many bytes.
    pub(crate) fn head(&self, length: usize) -> String {
        let mut head = format!(
            "HTTP/1.1 {} {}\r\nContent-Type: {}\r\nContent-Length: {length}\r\n",
            self.status,
            reason(self.status),
            self.content_type
        );
        for (name, value) in &self.headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        head.push_str("Connection: close\r\n\r\n");
        head
    }
}

fn reason(status: u16) -> &'static str {
    match status {
        200..=299 => "OK",
        300..=399 => "Found",
        400 => "Bad Request",
        401 => "Unauthorized",
        403 => "Forbidden",
        404 => "Not Found",
        409 => "Conflict",
        412 => "Precondition Failed",
        429 => "Too Many Requests",
        503 => "Service Unavailable",
        _ => "Error",
    }
}
