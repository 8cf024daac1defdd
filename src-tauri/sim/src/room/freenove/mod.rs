//! The firmware of the Freenove all-in-one: its gates, its routes, and answers that promise more
//! than they keep. Routes for sharing files, recording and changing the network are not simulated.

mod machine;
mod mesh;
mod status;
mod story;

use std::collections::HashMap;
use std::net::IpAddr;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::Instant;

use super::board::Board;
use super::http::{Fields, HttpRequest, Reply};
use super::program::Program;
use machine::{BRIGHTNESS, MAX_VOLUME, MUSIC, Machine, Refusal};
use mesh::Mesh;
pub use mesh::NodeView;

/// Between two writes of a client, at least.
const WRITE_INTERVAL: Duration = Duration::from_millis(100);
/// Clients whose last write is remembered.
const CLIENTS: usize = 32;
/// Most characters of an action for the control route.
const MAX_ACTION: usize = 64;
/// The app that plays sound.
const AUDIO_PLAYER: &str = "audio_player";
/// The routes that are open in setup mode.
const SETUP_ROUTES: [&str; 3] = [
    "/api/provision/status",
    "/api/wifi/connect",
    "/api/network/wifi/connect",
];

/// What is set in a Freenove all-in-one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FreenoveConfig {
    /// The token that every route asks for.
    pub web_token: Option<String>,
    /// The token that writing routes ask for as well, with the same header; a board straight from
    /// the factory has another one than the first.
    pub write_token: String,
    /// It knows no Wi-Fi yet.
    pub setup_mode: bool,
    /// A scenario is loaded; straight after the start none is.
    pub scenario_loaded: bool,
    /// Its status does not fit into its memory: the last members are missing, and some texts are
    /// garbage.
    pub overflows: bool,
    /// Boards that hear it by ESP-NOW.
    pub nodes: Vec<String>,
}

impl Default for FreenoveConfig {
    fn default() -> Self {
        Self {
            web_token: Some("0123456789abcdef0123456789abcdef".to_owned()),
            write_token: "0123456789abcdef0123456789abcdef".to_owned(),
            setup_mode: false,
            scenario_loaded: true,
            overflows: false,
            nodes: Vec::new(),
        }
    }
}

impl FreenoveConfig {
    /// One whose tokens were never made the same: what it shows may be read, and nothing else.
    #[must_use]
    pub fn reading_only() -> Self {
        Self {
            write_token: "fedcba9876543210fedcba9876543210".to_owned(),
            ..Self::default()
        }
    }
}

/// The firmware.
pub(crate) struct Freenove {
    config: FreenoveConfig,
    machine: Machine,
    mesh: Mesh,
    last_write: HashMap<IpAddr, Instant>,
}

impl Freenove {
    pub(crate) fn new(config: FreenoveConfig, board: &mut Board, now: Instant) -> Self {
        Self {
            machine: Machine::new(config.scenario_loaded, board, now),
            mesh: Mesh::new(&config.nodes, now),
            config,
            last_write: HashMap::new(),
        }
    }

    /// The gates that every route has, in the firmware's order.
    fn gate(&self, request: &HttpRequest) -> Result<(), Reply> {
        if self.config.setup_mode && !SETUP_ROUTES.contains(&request.path.as_str()) {
            return Err(Reply::error(403, "setup_mode_restricted"));
        }
        let Some(token) = &self.config.web_token else {
            return Err(Reply::error(503, "auth_token_missing"));
        };
        if !request.authorized("Bearer", token) {
            return Err(Reply::error(401, "unauthorized"));
        }
        Ok(())
    }

    /// The gates that writing routes have as well.
    fn write_gate(&mut self, request: &HttpRequest, now: Instant) -> Result<(), Reply> {
        if !request.authorized("Bearer", &self.config.write_token) {
            return Err(Reply::json(401, &json!({ "error": "unauthorized" })));
        }
        let client = request.client.ip();
        let too_soon = self
            .last_write
            .get(&client)
            .is_some_and(|last| now.saturating_duration_since(*last) < WRITE_INTERVAL);
        if too_soon {
            return Err(Reply::json(429, &json!({ "error": "too_many_requests" })));
        }
        if self.last_write.len() >= CLIENTS && !self.last_write.contains_key(&client) {
            self.last_write.clear();
        }
        self.last_write.insert(client, now);
        Ok(())
    }

    fn read(
        &mut self,
        board: &mut Board,
        path: &str,
        fields: &Fields,
        now: Instant,
    ) -> Option<Reply> {
        let json = |value: Value| Some(Reply::json(200, &value));
        match path {
            "/api/status" => Some(self.status(board, now)),
            "/api/stream" => {
                let status = self.status_text(board, now);
                let mut events = b"event: status\ndata: ".to_vec();
                events.extend(status);
                events.extend_from_slice(b"\n\nevent: done\ndata: 1\n\n");
                Some(Reply::bytes(200, "text/event-stream", events))
            }
            "/api/provision/status" | "/api/auth/status" => json(self.provision()),
            "/api/hardware" => json(self.hardware(board)),
            "/api/camera/status" => json(self.camera(board)),
            "/api/camera/snapshot.jpg" => Some(self.snapshot(board, now)),
            "/api/media/record/status" => json(self.media(board)),
            "/api/media/files" => Some(match fields.text("kind").unwrap_or("music") {
                kind @ ("music" | "audio") => {
                    Reply::json(200, &json!({ "ok": true, "kind": kind, "files": MUSIC }))
                }
                kind @ ("picture" | "pictures" | "recorder" | "record" | "records") => {
                    Reply::json(200, &json!({ "ok": true, "kind": kind, "files": [] }))
                }
                kind => Reply::json(
                    400,
                    &json!({ "ok": false, "kind": kind, "error": "invalid_kind" }),
                ),
            }),
            "/api/apps" => json(json!({
                "ok": true,
                "apps": [{ "id": AUDIO_PLAYER, "title": "Audio player", "enabled": true }],
            })),
            "/api/apps/status" => json(json!({ "ok": true, "runtime": self.runtime(board, now) })),
            "/api/network/wifi" => json(self.wifi(board, now)),
            "/api/network/espnow" => json(self.mesh.status(DEVICE_NAME, now)),
            "/api/network/espnow/peer" => json(json!(self.mesh.macs())),
            "/api/voice/status" => {
                json(json!({ "connected": false, "state": 0, "has_audio": false }))
            }
            _ => None,
        }
    }

    fn write(
        &mut self,
        board: &mut Board,
        path: &str,
        fields: &Fields,
        now: Instant,
    ) -> Option<Reply> {
        let machine = &mut self.machine;
        Some(match path {
            "/api/hardware/led" => {
                let number = |name: &str| fields.number(name).unwrap_or(0);
                machine.set_led(
                    [number("r"), number("g"), number("b")],
                    fields.number("brightness").or(Some(i64::from(BRIGHTNESS))),
                    fields.truth("pulse").unwrap_or(true),
                    board,
                    now,
                );
                acted("HW_LED_SET", Ok(()))
            }
            "/api/hardware/led/auto" => {
                let on = fields.truth("enabled").or_else(|| fields.truth("value"));
                let done = on.map(|on| machine.set_led_auto(on, board, now));
                acted("HW_LED_AUTO", done.ok_or(Refusal("")))
            }
            "/api/camera/on" => match machine.use_camera(now) {
                Ok(()) => acted("CAM_ON", Ok(())),
                Err(_) => camera_blocked(),
            },
            "/api/camera/off" => acted("CAM_OFF", Ok(())),
            "/api/media/play" => {
                let path = fields.text("path").or_else(|| fields.text("file"));
                let done = path
                    .ok_or(Refusal(""))
                    .and_then(|path| machine.play(path, board));
                acted("MEDIA_PLAY", done)
            }
            "/api/media/stop" => acted("MEDIA_STOP", machine.stop(board)),
            "/api/apps/open" => self.open_app(fields),
            "/api/apps/close" => {
                let was_open = machine.app.take();
                let status = if was_open.is_some() { 200 } else { 400 };
                Reply::json(
                    status,
                    &json!({ "ok": was_open.is_some(), "id": was_open, "reason": "api" }),
                )
            }
            "/api/apps/action" => self.act_in_app(board, fields),
            "/api/wifi/connect" | "/api/network/wifi/connect" => {
                let known = fields.text("ssid").is_some_and(|ssid| !ssid.is_empty());
                let persist = fields.truth("persist").unwrap_or(false);
                if known && persist {
                    self.config.setup_mode = false;
                }
                let status = if known { 200 } else { 400 };
                Reply::json(
                    status,
                    &json!({ "ok": known, "action": "WIFI_CONNECT", "persist": persist, "connect_started": known }),
                )
            }
            "/api/espnow/send" | "/api/network/espnow/send" => {
                let payload = fields.value("payload").filter(|payload| !payload.is_null());
                let sent = payload.is_some_and(|payload| self.mesh.send(payload, now));
                acted("ESPNOW_SEND", if sent { Ok(()) } else { Err(Refusal("")) })
            }
            "/api/network/espnow/on" => acted("ESPNOW_ON", Ok(())),
            "/api/network/espnow/off" => acted("ESPNOW_OFF", Ok(())),
            "/api/network/espnow/peer" => {
                let given = fields.text("mac").is_some_and(|mac| !mac.is_empty());
                acted(
                    "ESPNOW_PEER_ADD",
                    if given { Ok(()) } else { Err(Refusal("")) },
                )
            }
            "/api/story/refresh-sd" => acted(
                "STORY_REFRESH_SD",
                machine.run("STORY_REFRESH_SD", board, now),
            ),
            "/api/scenario/unlock" => acted("UNLOCK", machine.unlock(board, now)),
            "/api/scenario/next" => acted("NEXT", machine.next(board, now)),
            "/api/control" => control(machine, board, fields, now),
            "/api/voice/query" => match fields.text("text") {
                Some(text) if !text.is_empty() => {
                    Reply::json(503, &json!({ "error": "not_connected" }))
                }
                _ => Reply::json(400, &json!({ "error": "missing text" })),
            },
            "/api/analytics/puzzle/start" if fields.text("puzzle_id").is_none() => {
                Reply::json(400, &json!({ "error": "missing puzzle_id" }))
            }
            "/api/analytics/puzzle/start"
            | "/api/analytics/puzzle/attempt"
            | "/api/analytics/puzzle/hint"
            | "/api/analytics/puzzle/solved"
            | "/api/analytics/reset" => Reply::json(200, &json!({ "status": "ok" })),
            _ => return None,
        })
    }

    /// A picture of the size that its memory allows, whatever is asked.
    fn snapshot(&mut self, board: &mut Board, now: Instant) -> Reply {
        if self.machine.use_camera(now).is_err() {
            return camera_blocked();
        }
        self.machine.story.event("serial", "CAMERA_CAPTURED");
        Reply::picture(board.shoot((640, 480), 12))
    }

    fn open_app(&mut self, fields: &Fields) -> Reply {
        let Some(id) = fields.text("id").or_else(|| fields.text("app_id")) else {
            return Reply::error(400, "missing_app_id");
        };
        if id != AUDIO_PLAYER {
            return Reply::json(
                409,
                &json!({ "ok": false, "id": id, "error": "app_not_found" }),
            );
        }
        self.machine.app = Some(id.to_owned());
        self.machine.app_error = "";
        Reply::json(
            200,
            &json!({ "ok": true, "id": id, "mode": "default", "source": "api" }),
        )
    }

    /// Answers `ok` even where the app could not do it; only its last error shows that.
    fn act_in_app(&mut self, board: &mut Board, fields: &Fields) -> Reply {
        let Some(action) = fields.text("action").or_else(|| fields.text("name")) else {
            return Reply::error(400, "missing_action");
        };
        let Some(running) = self.machine.app.clone() else {
            return Reply::error(409, "no_app_running");
        };
        if fields.text("id").is_some_and(|id| id != running) {
            return Reply::error(409, "app_id_mismatch");
        }
        let payload = fields.value("payload");
        let text = payload.and_then(Value::as_str);
        let done = match action {
            "play" => text.is_some_and(|path| self.machine.play(path, board).is_ok()),
            "stop" => self.machine.stop(board).is_ok(),
            "pause" | "resume" => board.sound.as_mut().is_some_and(|sound| {
                sound.paused = action == "pause";
                true
            }),
            "set_volume" => {
                let volume = payload
                    .and_then(|payload| payload.as_i64().or_else(|| text?.trim().parse().ok()));
                volume.is_some_and(|volume| {
                    let volume = volume.clamp(0, i64::from(MAX_VOLUME));
                    board.volume = u8::try_from(volume).unwrap_or(MAX_VOLUME);
                    true
                })
            }
            _ => false,
        };
        self.machine.app_error = if done { "" } else { "action_failed" };
        Reply::json(
            200,
            &json!({ "ok": true, "id": running, "action": action, "content_type": "text/plain" }),
        )
    }
}

/// The name that every one of these boards has until somebody changes it.
const DEVICE_NAME: &str = "U_SON";

impl Program for Freenove {
    fn answer(&mut self, board: &mut Board, request: &HttpRequest, now: Instant) -> Reply {
        if !request.path.starts_with("/api/") {
            return match request.path.as_str() {
                "/" => Reply::bytes(
                    200,
                    "text/html",
                    b"<!DOCTYPE html><title>Zacus</title>".to_vec(),
                ),
                _ => Reply::error(404, "not_found"),
            };
        }
        if let Err(refused) = self.gate(request) {
            return refused;
        }
        let fields = request.fields();
        let answer = match request.method.as_str() {
            "GET" => self.read(board, &request.path, &fields, now),
            "POST" | "DELETE" => match self.write_gate(request, now) {
                Ok(()) => self.write(board, &request.path, &fields, now),
                Err(refused) => return refused,
            },
            _ => None,
        };
        answer.unwrap_or_else(|| Reply::error(404, "not_found"))
    }

    fn restart(&mut self, board: &mut Board, now: Instant) {
        self.machine = Machine::new(self.config.scenario_loaded, board, now);
        self.mesh.restart();
        self.last_write.clear();
    }

    fn step(&self) -> Option<String> {
        self.machine.story.step().map(str::to_owned)
    }

    fn nodes(&mut self, _now: Instant) -> Vec<NodeView> {
        self.mesh.views()
    }

    fn deafen(&mut self, node: &str, deaf: bool) {
        self.mesh.deafen(node, deaf);
    }
}

/// The general answer of a write.
fn acted(action: &str, done: Result<(), Refusal>) -> Reply {
    let status = if done.is_ok() { 200 } else { 400 };
    Reply::json(status, &json!({ "action": action, "ok": done.is_ok() }))
}

fn camera_blocked() -> Reply {
    Reply::error(429, "camera_blocked_by_resource_profile")
}

fn control(machine: &mut Machine, board: &mut Board, fields: &Fields, now: Instant) -> Reply {
    let action = fields.text("action").unwrap_or_default();
    let length = action.chars().count();
    if length == 0 || length > MAX_ACTION || action.chars().any(char::is_control) {
        return Reply::json(400, &json!({ "error": "invalid_input" }));
    }
    match machine.run(action, board, now) {
        Ok(()) => Reply::json(200, &json!({ "ok": true, "action": action })),
        Err(Refusal("")) => Reply::json(400, &json!({ "ok": false, "action": action })),
        Err(Refusal(error)) => Reply::json(
            400,
            &json!({ "ok": false, "action": action, "error": error }),
        ),
    }
}
