//! Boards that are played in memory, and notes of what reached them.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Mutex;
use std::time::Duration;

use async_trait::async_trait;
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use crate::exchange::{Exchange, Method, Reply, Target, Transport, TransportError};

/// What a board does with one exchange.
#[derive(Clone, Debug, Default)]
pub(super) struct Fate {
    /// How long it takes to do it.
    pub(super) after: Duration,
    pub(super) end: End,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(super) enum End {
    #[default]
    Answered,
    /// It is not there.
    Refused,
    /// The connection breaks, before or after it did it.
    Broken { done: bool },
    /// It never answers, and has done it or not.
    Silent { done: bool },
    /// It says something else, and does nothing.
    Says(u16, &'static str),
    /// The answer to what it did breaks off.
    Half,
}

pub(super) fn fate(end: End) -> Fate {
    Fate {
        after: Duration::from_millis(20),
        end,
    }
}

/// One exchange that reached a board.
#[derive(Clone, Debug)]
pub(super) struct Sent {
    pub(super) host: String,
    pub(super) at: Instant,
    /// When it was over for whoever sent it.
    pub(super) until: Option<Instant>,
    pub(super) path: String,
    pub(super) body: Value,
}

impl Sent {
    pub(super) fn acts(&self) -> bool {
        self.body != Value::Null
    }

    pub(super) fn is_override(&self) -> bool {
        self.body["event_type"] == "manual"
    }
}

#[derive(Debug)]
pub(super) struct Board {
    /// Where it listens.
    pub(super) port: u16,
    pub(super) freenove: bool,
    pub(super) step: String,
    pub(super) uptime: u64,
    pub(super) extra: Value,
    /// What was done, in order.
    pub(super) done: Vec<Value>,
    /// Fates of exchanges that read, and of others; then those of all the rest.
    pub(super) reads: VecDeque<Fate>,
    pub(super) acts: VecDeque<Fate>,
    pub(super) always: Fate,
    pub(super) picture: u8,
    /// Steps do not move, whatever it says.
    pub(super) stuck: bool,
    /// Tokens that let in for reading, and for writing.
    pub(super) read_token: Option<String>,
    pub(super) write_token: Option<String>,
    /// What its state says of the last message by ESP-NOW.
    pub(super) heard: Value,
}

impl Default for Board {
    fn default() -> Self {
        Self {
            port: 80,
            freenove: false,
            step: "STEP_ONE".to_owned(),
            uptime: 100,
            extra: json!({}),
            done: Vec::new(),
            reads: VecDeque::new(),
            acts: VecDeque::new(),
            always: fate(End::Answered),
            picture: 0,
            stuck: false,
            read_token: None,
            write_token: None,
            heard: json!({}),
        }
    }
}

/// All boards, by host.
#[derive(Debug, Default)]
pub(super) struct Boards {
    boards: Mutex<BTreeMap<String, Board>>,
    sent: Mutex<Vec<Sent>>,
}

impl Boards {
    /// Changes a board.
    pub(super) fn at<T>(&self, host: u8, change: impl FnOnce(&mut Board) -> T) -> T {
        let mut boards = self.boards.lock().unwrap();
        change(boards.entry(format!("192.168.0.{host}")).or_default())
    }

    pub(super) fn sent(&self) -> Vec<Sent> {
        self.sent.lock().unwrap().clone()
    }

    /// Those that do something, on one board.
    pub(super) fn acted(&self, host: u8) -> Vec<Sent> {
        let host = format!("192.168.0.{host}");
        let mut sent = self.sent();
        sent.retain(|sent| sent.host == host && sent.acts());
        sent
    }

    pub(super) fn forget(&self) {
        self.sent.lock().unwrap().clear();
    }

    fn with<T>(&self, host: &str, change: impl FnOnce(&mut Board) -> T) -> T {
        let mut boards = self.boards.lock().unwrap();
        change(boards.entry(host.to_owned()).or_default())
    }
}

impl Board {
    fn letting_in(&self, token: Option<&str>, acts: bool) -> Option<Reply> {
        let wrong = |wanted: &Option<String>| {
            wanted.is_some()
                && token
                    != wanted
                        .as_ref()
                        .map(|token| format!("Bearer {token}"))
                        .as_deref()
        };
        if wrong(&self.read_token) {
            return Some(said(401, &json!({"ok": false, "error": "unauthorized"})));
        }
        (acts && wrong(&self.write_token)).then(|| said(401, &json!({"error": "unauthorized"})))
    }

    fn answer(&mut self, path: &str, body: &Value) -> Reply {
        let (path, _) = path.split_once('?').unwrap_or((path, ""));
        match path {
            "/api/status" => said(200, &self.state()),
            "/api/apps/status" => {
                said(200, &json!({"ok": true, "runtime": {"heap_free": 123_456}}))
            }
            "/api/network/espnow" => said(200, &self.heard),
            "/api/camera" => self.photographed(),
            _ => {
                self.done.push(body.clone());
                let line = body["action"].as_str().unwrap_or_default();
                let target = body["target"].as_str().or(line.strip_prefix("SCENE_GOTO "));
                let advances = path.ends_with("/transition") || path.ends_with("/control");
                if advances && !self.stuck {
                    self.step = match target {
                        Some(target) => target.to_owned(),
                        None => format!("STEP_{}", self.done.len()),
                    };
                }
                said(200, &json!({"ok": true}))
            }
        }
    }

    fn state(&self) -> Value {
        let mut state = if self.freenove {
            json!({
                "network": {"state": "connected", "ip": "192.168.0.1"},
                "wifi": {"rssi": -60},
                "story": {"scenario": "DEFAULT", "step": self.step},
                "audio": {"playing": false, "track": "", "volume": 21},
            })
        } else {
            json!({"device_id": "board", "step": self.step, "uptime": self.uptime})
        };
        for (key, value) in self.extra.as_object().into_iter().flatten() {
            state[key] = value.clone();
        }
        state
    }

    fn photographed(&self) -> Reply {
        // Start, a frame header of 320x240 with one component, and the end.
        let mut body = vec![
            0xFF, 0xD8, 0xFF, 0xC0, 0, 11, 8, 0, 240, 1, 64, 1, 1, 0x11, 0,
        ];
        body.extend([self.picture, 0xFF, 0xD9]);
        Reply {
            status: 200,
            content_type: Some("image/jpeg".to_owned()),
            body,
            ..Reply::default()
        }
    }
}

pub(super) fn said(status: u16, body: &Value) -> Reply {
    Reply {
        status,
        content_type: Some("application/json".to_owned()),
        body: body.to_string().into_bytes(),
        ..Reply::default()
    }
}

/// What `Boards` shares with what a board does later.
#[async_trait]
impl Transport for Boards {
    async fn exchange(
        &self,
        target: &Target,
        exchange: &Exchange,
        deadline: Duration,
    ) -> Result<Reply, TransportError> {
        let host = target.address.host();
        let acts = exchange.method == Method::Post;
        let body = match &exchange.body {
            Some(body) => serde_json::from_str(body).unwrap(),
            None if acts => json!({}),
            None => Value::Null,
        };
        let token = target
            .authorization
            .as_ref()
            .map(|given| given.0.to_string());
        let index = {
            let mut sent = self.sent.lock().unwrap();
            sent.push(Sent {
                host: host.clone(),
                at: Instant::now(),
                until: None,
                path: exchange.path.clone(),
                body: body.clone(),
            });
            sent.len() - 1
        };
        let _over = Over(self, index);
        if self.with(&host, |board| board.port) != target.port {
            return Err(TransportError::NotConnected {
                detail: "connection refused".to_owned(),
            });
        }
        let fate = self.with(&host, |board| {
            let fates = if acts {
                &mut board.acts
            } else {
                &mut board.reads
            };
            fates.pop_front().unwrap_or_else(|| board.always.clone())
        });
        let Fate { after, end } = fate;
        let deadline_over = after > deadline;
        sleep(after.min(deadline)).await;
        let answer = |board: &mut Board| match board.letting_in(token.as_deref(), acts) {
            Some(refused) => refused,
            None => board.answer(&exchange.path, &body),
        };
        match end {
            End::Refused => Err(TransportError::NotConnected {
                detail: "connection refused".to_owned(),
            }),
            End::Broken { done } => {
                if done {
                    self.with(&host, answer);
                }
                Err(TransportError::Broken {
                    detail: "connection reset".to_owned(),
                })
            }
            End::Says(status, text) => Ok(Reply {
                status,
                body: text.as_bytes().to_vec(),
                ..Reply::default()
            }),
            // It is done within the time that the next try waits for, as a board does it that
            // takes one connection after the other.
            _ if deadline_over => {
                self.with(&host, answer);
                Err(TransportError::TimedOut { after: deadline })
            }
            End::Silent { done } => {
                if done {
                    self.with(&host, answer);
                }
                sleep(deadline.saturating_sub(after)).await;
                Err(TransportError::TimedOut { after: deadline })
            }
            End::Half => {
                let mut reply = self.with(&host, answer);
                reply.body.truncate(3);
                reply.unfinished = true;
                Ok(reply)
            }
            End::Answered => Ok(self.with(&host, answer)),
        }
    }
}

/// Notes the end of an exchange, also of one that was given up.
struct Over<'a>(&'a Boards, usize);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        let mut sent = self.0.sent.lock().unwrap();
        if let Some(sent) = sent.get_mut(self.1) {
            sent.until = Some(Instant::now());
        }
    }
}
