//! The firmware "Story V2" of the audio board.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde_json::json;
use tokio::time::Instant;

use super::board::{Board, Sound};
use super::http::{HttpRequest, Reply};
use super::program::Program;

/// What a step of its volume is, in percent.
const VOLUME_STEP: u8 = 5;
/// Its tracks.
const TRACKS: [&str; 4] = [
    "/music/intro.mp3",
    "/music/indice_1.mp3",
    "/music/indice_2.mp3",
    "/music/final.mp3",
];
/// Its scenarios.
const SCENARIOS: [&str; 2] = ["DEFAULT", "EXAMPLE_UNLOCK_EXPRESS"];
/// The steps of each of them.
const STEPS: [&str; 4] = ["STEP_WAIT", "STEP_RING", "STEP_MESSAGE", "STEP_DONE"];

/// What is set in an audio board.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoryV2Config {
    /// Its user.
    pub user: String,
    /// Their password.
    pub password: String,
    /// It has opened a Wi-Fi of its own, and redirects what it does not know.
    pub access_point: bool,
    /// A scenario runs.
    pub running: bool,
}

impl Default for StoryV2Config {
    fn default() -> Self {
        Self {
            user: "admin".to_owned(),
            password: "esp32-A1B2C3".to_owned(),
            access_point: false,
            running: true,
        }
    }
}

/// How far its scenario is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Play {
    Idle,
    Running(usize),
    Paused(usize),
}

/// The firmware.
pub(crate) struct StoryV2 {
    config: StoryV2Config,
    credentials: String,
    selected: Option<&'static str>,
    play: Play,
    track: usize,
}

impl StoryV2 {
    pub(crate) fn new(config: StoryV2Config, board: &mut Board) -> Self {
        let mut firmware = Self {
            credentials: BASE64_STANDARD.encode(format!("{}:{}", config.user, config.password)),
            config,
            selected: None,
            play: Play::Idle,
            track: 0,
        };
        firmware.begin(board);
        firmware
    }

    fn begin(&mut self, board: &mut Board) {
        board.volume = 60;
        self.track = 0;
        (self.selected, self.play) = if self.config.running {
            (SCENARIOS.first().copied(), Play::Running(0))
        } else {
            (None, Play::Idle)
        };
    }

    fn status(&self, board: &Board, now: Instant) -> Reply {
        let ap = self.config.access_point;
        let playing = board.sound.as_ref().is_some_and(|sound| !sound.paused);
        let paused = board.sound.as_ref().is_some_and(|sound| sound.paused);
        let heap = board.heap_free(now);
        Reply::json(
            200,
            &json!({
                "wifi": {
                    "connected": !ap,
                    "ap": ap,
                    "scanning": false,
                    "mode": if ap { "AP" } else { "STA" },
                    "ssid": if ap { "" } else { "EscapeRoom-Net" },
                    "ip": board.ip,
                    "rssi": board.rssi(now),
                    "disconnect_reason": if board.wifi_drops > 0 { 200 } else { 0 },
                    "disconnect_label": if board.wifi_drops > 0 { "BEACON_TIMEOUT" } else { "" },
                    "disconnect_count": board.wifi_drops,
                    "last_disconnect_ms": 0,
                },
                "radio": {
                    "active": false,
                    "id": 0,
                    "station": "",
                    "state": "idle",
                    "title": "",
                    "codec": "",
                    "bitrate": 0,
                    "buffer": 0,
                },
                "player": self.player(board, playing, paused),
                "rtos": {
                    "tasks": 19,
                    "heap_free": heap,
                    "heap_min": heap - 30_000,
                    "heap_size": 320_000,
                    "stack_min_words": 512,
                    "stack_min_bytes": 2048,
                },
            }),
        )
    }

    fn player(&self, board: &Board, playing: bool, paused: bool) -> serde_json::Value {
        json!({
            "playing": playing,
            "paused": paused,
            "track": board.sound.as_ref().map_or("", |sound| &sound.source),
            "tracks": TRACKS.len(),
            "volume": board.volume,
            "backend": "sd",
            "scan": "idle",
        })
    }

    fn act(&mut self, board: &mut Board, command: &str) -> Reply {
        match command {
            "toggle" => match &mut board.sound {
                Some(sound) => sound.paused = !sound.paused,
                None => self.play_track(board, 0),
            },
            "next" => self.play_track(board, 1),
            "prev" => self.play_track(board, TRACKS.len() - 1),
            "vol_up" => board.volume = board.volume.saturating_add(VOLUME_STEP).min(100),
            "vol_down" => board.volume = board.volume.saturating_sub(VOLUME_STEP),
            "rescan" | "rebuild" => {}
            _ => return envelope(400, "bad_cmd", command),
        }
        Reply::json(200, &json!({ "ok": true, "cmd": command }))
    }

    /// Plays the track that is this far from the last one.
    fn play_track(&mut self, board: &mut Board, further: usize) {
        self.track = (self.track + further) % TRACKS.len();
        board.sound = TRACKS.get(self.track).map(|track| Sound {
            source: (*track).to_owned(),
            looped: false,
            paused: false,
        });
    }

    fn story_status(&self) -> Reply {
        let (status, step) = match self.play {
            Play::Idle => ("idle", None),
            Play::Running(step) => ("running", Some(step)),
            Play::Paused(step) => ("paused", Some(step)),
        };
        Reply::json(
            200,
            &json!({
                "status": status,
                "scenario_id": self.selected.unwrap_or(""),
                "current_step": step.map_or("", step_id),
                "progress_pct": step.map_or(0, |step| 100 * step / (STEPS.len() - 1)),
                "started_at_ms": 0,
                "selected": self.selected.unwrap_or(""),
                "queue_depth": 0,
            }),
        )
    }

    fn story(&mut self, command: &str, now: Instant, board: &Board) -> Reply {
        let millis = u64::try_from(board.uptime(now).as_millis()).unwrap_or(u64::MAX);
        if let Some(id) = command.strip_prefix("select/") {
            return match SCENARIOS.iter().find(|known| **known == id) {
                Some(known) => {
                    self.selected = Some(known);
                    self.play = Play::Idle;
                    Reply::json(200, &json!({ "selected": id, "status": "ready" }))
                }
                None => envelope(404, "scenario_not_found", id),
            };
        }
        match (command, self.play) {
            ("start", Play::Idle) if self.selected.is_none() => {
                envelope(412, "no_scenario_selected", "")
            }
            ("start", Play::Idle) => {
                self.play = Play::Running(0);
                Reply::json(
                    200,
                    &json!({ "status": "running", "current_step": step_id(0), "started_at_ms": millis }),
                )
            }
            ("start", _) => envelope(409, "already_running", ""),
            ("pause", Play::Running(step)) => {
                self.play = Play::Paused(step);
                Reply::json(
                    200,
                    &json!({ "status": "paused", "paused_at_step": step_id(step) }),
                )
            }
            ("resume", Play::Paused(step)) => {
                self.play = Play::Running(step);
                Reply::json(200, &json!({ "status": "running" }))
            }
            ("skip", Play::Running(step)) => {
                let next = (step + 1).min(STEPS.len() - 1);
                self.play = Play::Running(next);
                Reply::json(
                    200,
                    &json!({ "previous_step": step_id(step), "current_step": step_id(next) }),
                )
            }
            ("pause" | "resume" | "skip", _) => envelope(409, "not_applicable", command),
            ("validate", _) => Reply::json(200, &json!({ "valid": true })),
            _ => self.unknown(),
        }
    }

    fn unknown(&self) -> Reply {
        if self.config.access_point {
            Reply::bytes(302, "text/plain", Vec::new()).with("Location", "/")
        } else {
            envelope(404, "not_found", "")
        }
    }
}

impl Program for StoryV2 {
    fn answer(&mut self, board: &mut Board, request: &HttpRequest, now: Instant) -> Reply {
        if !request.authorized("Basic", &self.credentials) {
            return Reply::bytes(401, "text/plain", b"Authentication required".to_vec())
                .with("WWW-Authenticate", "Basic realm=\"esp32\"");
        }
        let playing = board.sound.as_ref().is_some_and(|sound| !sound.paused);
        let paused = board.sound.as_ref().is_some_and(|sound| sound.paused);
        let reply = match (request.method.as_str(), request.path.as_str()) {
            ("GET", "/") => Reply::bytes(
                200,
                "text/html",
                b"<!DOCTYPE html><title>Story</title>".to_vec(),
            ),
            ("GET", "/api/status") => self.status(board, now),
            ("GET", "/api/player") => Reply::json(200, &self.player(board, playing, paused)),
            ("GET", "/api/story/status") => self.story_status(),
            ("GET", "/api/story/list") => {
                let scenarios: Vec<_> = SCENARIOS
                    .iter()
                    .map(|id| json!({ "id": id, "version": 2, "estimated_duration_s": 900 }))
                    .collect();
                Reply::json(200, &json!({ "scenarios": scenarios }))
            }
            ("POST", "/api/player/action") => {
                let fields = request.fields();
                self.act(board, fields.text("cmd").unwrap_or_default())
            }
            ("POST", path) => match path.strip_prefix("/api/story/") {
                Some(command) => self.story(command, now, board),
                None => self.unknown(),
            },
            _ => self.unknown(),
        };
        reply.with("Access-Control-Allow-Origin", "http://localhost")
    }

    fn restart(&mut self, board: &mut Board, _now: Instant) {
        self.begin(board);
    }

    fn step(&self) -> Option<String> {
        match self.play {
            Play::Idle => None,
            Play::Running(step) | Play::Paused(step) => Some(step_id(step).to_owned()),
        }
    }
}

fn step_id(step: usize) -> &'static str {
    STEPS.get(step).copied().unwrap_or("")
}

/// The firmware's errors.
fn envelope(code: u16, message: &str, details: &str) -> Reply {
    Reply::json(
        code,
        &json!({ "error": { "code": code, "message": message, "details": details } }),
    )
}
