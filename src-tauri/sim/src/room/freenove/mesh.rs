//! Boards that hear a Freenove board by ESP-NOW. Nothing is addressed: what is sent, all hear.

use std::collections::VecDeque;
use std::net::Ipv4Addr;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::Instant;

use super::machine::{Machine, Refusal};
use crate::room::board::{Board, Led, Sound};

/// Most bytes that are sent at once.
const MAX_SENT: usize = 240;
/// Most bytes that a board takes in; longer ones are cut off on arrival.
const MAX_HEARD: usize = 175;
/// Until the answer of a board that has heard is there, and then that of the next one.
const ANSWER_TIME: Duration = Duration::from_millis(25);
/// Commands of each board that are remembered.
const HEARD: usize = 256;

/// A board that hears another one.
#[derive(Debug)]
struct Node {
    name: String,
    mac: String,
    deaf: bool,
    machine: Machine,
    board: Board,
    heard: VecDeque<(Instant, String)>,
}

/// How a board that hears another one is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NodeView {
    /// What it is called.
    pub name: String,
    /// Its address on the radio.
    pub mac: String,
    /// The step of its scenario.
    pub step: Option<String>,
    /// Its LEDs.
    pub led: Led,
    /// What it plays.
    pub sound: Option<Sound>,
    /// Commands that it has carried out or refused, oldest first, with the time.
    pub heard: Vec<(Instant, String)>,
}

/// An answer of a board, and when it is there.
#[derive(Debug)]
struct Answer {
    at: Instant,
    mac: String,
    msg_id: String,
    seq: i64,
    payload: String,
}

/// The radio.
#[derive(Debug)]
pub(crate) struct Mesh {
    nodes: Vec<Node>,
    answers: VecDeque<Answer>,
    last: Option<Answer>,
    tx_ok: u32,
    tx_fail: u32,
    rx_count: u32,
}

impl Mesh {
    pub(crate) fn new(names: &[String], now: Instant) -> Self {
        let nodes = names
            .iter()
            .zip(1_u8..)
            .map(|(name, number)| {
                let mut board = Board::new(
                    u64::from(number),
                    -60,
                    Duration::ZERO,
                    Ipv4Addr::UNSPECIFIED.into(),
                    now,
                );
                Node {
                    name: name.clone(),
                    mac: format!("02:00:00:00:00:{number:02X}"),
                    deaf: false,
                    machine: Machine::new(true, &mut board, now),
                    board,
                    heard: VecDeque::new(),
                }
            })
            .collect();
        Self {
            nodes,
            answers: VecDeque::new(),
            last: None,
            tx_ok: 0,
            tx_fail: 0,
            rx_count: 0,
        }
    }

    pub(crate) fn restart(&mut self) {
        self.answers.clear();
        self.last = None;
        (self.tx_ok, self.tx_fail, self.rx_count) = (0, 0, 0);
    }

    pub(crate) fn deafen(&mut self, name: &str, deaf: bool) {
        for node in self.nodes.iter_mut().filter(|node| node.name == name) {
            node.deaf = deaf;
        }
    }

    /// Sends to all; `false` where it is too long.
    pub(crate) fn send(&mut self, payload: &Value, now: Instant) -> bool {
        // A text is sent with its quotes, as the firmware does.
        let sent = payload.to_string();
        if sent.len() > MAX_SENT {
            return false;
        }
        let mut answer_at = now;
        let mut heard = false;
        for node in self.nodes.iter_mut().filter(|node| !node.deaf) {
            heard = true;
            answer_at += ANSWER_TIME;
            if sent.len() <= MAX_HEARD
                && let Some(answer) = node.hear(payload, now, answer_at)
            {
                self.answers.push_back(answer);
            }
        }
        if heard {
            self.tx_ok += 1;
        } else {
            self.tx_fail += 1;
        }
        true
    }

    fn receive(&mut self, now: Instant) {
        while self.answers.front().is_some_and(|answer| answer.at <= now) {
            self.rx_count += 1;
            self.last = self.answers.pop_front();
        }
    }

    /// The `espnow` object.
    pub(crate) fn status(&mut self, name: &str, now: Instant) -> Value {
        self.receive(now);
        let peers: Vec<&str> = self.nodes.iter().map(|node| node.mac.as_str()).collect();
        let last = self.last.as_ref();
        json!({
            "ready": true,
            "peer_count": peers.len(),
            "tx_ok": self.tx_ok,
            "tx_fail": self.tx_fail,
            "rx_count": self.rx_count,
            "last_rx_mac": last.map_or("", |answer| &answer.mac),
            "last_msg_id": last.map_or("", |answer| &answer.msg_id),
            "last_seq": last.map_or(0, |answer| answer.seq),
            "last_type": last.map_or("", |_| "ack"),
            "last_ack": last.is_some(),
            "last_payload": last.map_or("", |answer| &answer.payload),
            "device_name": name,
            "send_mode": "broadcast",
            "discovery": true,
            "discovery_runtime": true,
            "discovery_interval_ms": 1000,
            "peers": peers,
        })
    }

    pub(crate) fn macs(&self) -> Vec<&str> {
        self.nodes.iter().map(|node| node.mac.as_str()).collect()
    }

    pub(crate) fn views(&self) -> Vec<NodeView> {
        self.nodes
            .iter()
            .map(|node| NodeView {
                name: node.name.clone(),
                mac: node.mac.clone(),
                step: node.machine.story.step().map(str::to_owned),
                led: node.board.led.clone(),
                sound: node.board.sound.clone(),
                heard: node.heard.iter().cloned().collect(),
            })
            .collect()
    }
}

impl Node {
    /// Carries out a command in an envelope; `None` where it is none or wants no answer.
    fn hear(&mut self, envelope: &Value, now: Instant, answer_at: Instant) -> Option<Answer> {
        if envelope.get("type")?.as_str()? != "command" {
            return None;
        }
        let payload = envelope.get("payload")?;
        let line = command_line(payload.get("cmd")?.as_str()?, payload.get("args"));
        if self.heard.len() == HEARD {
            self.heard.pop_front();
        }
        self.heard.push_back((now, line.clone()));
        let done = self.machine.run(&line, &mut self.board, now);
        if envelope.get("ack")?.as_bool()? {
            let (ok, error) = match &done {
                Ok(()) => (true, ""),
                Err(Refusal(error)) => (false, *error),
            };
            let code = line.split(' ').next().unwrap_or_default();
            return Some(Answer {
                at: answer_at,
                mac: self.mac.clone(),
                msg_id: envelope.get("msg_id")?.as_str()?.to_owned(),
                seq: envelope.get("seq").and_then(Value::as_i64).unwrap_or(0),
                payload: json!({ "ok": ok, "code": code, "error": error }).to_string(),
            });
        }
        None
    }
}

/// A command with its arguments as a line, as for the web server's control route.
fn command_line(command: &str, args: Option<&Value>) -> String {
    let keys: &[&str] = match command {
        "SC_EVENT" => &["event_type", "event_name"],
        "HW_LED_SET" => &["r", "g", "b", "brightness", "pulse"],
        _ => &[],
    };
    let words: Vec<String> = match args {
        Some(Value::Object(args)) if keys.is_empty() => args.values().map(word).collect(),
        Some(Value::Object(args)) => keys
            .iter()
            .filter_map(|key| args.get(*key))
            .map(word)
            .collect(),
        Some(Value::Array(args)) => args.iter().map(word).collect(),
        Some(Value::Null) | None => Vec::new(),
        Some(other) => vec![word(other)],
    };
    let mut line = command.to_owned();
    for word in words {
        line.push(' ');
        line.push_str(&word);
    }
    line
}

fn word(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}
