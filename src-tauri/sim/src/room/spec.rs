//! A firmware that has the contract's routes, as one that checks what it is sent would answer.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::Instant;

use super::board::{Board, Led, Sound};
use super::http::{Fields, HttpRequest, Reply};
use super::program::Program;

const PUZZLES: [&str; 6] = [
    "PUZZLE_FIOLE",
    "PUZZLE_COFFRE",
    "PUZZLE_MIROIR",
    "PUZZLE_ENGRENAGE",
    "PUZZLE_CRYSTAL",
    "PUZZLE_BOUSSOLE",
];
const ZONES: [&str; 4] = ["ambient", "puzzle", "alert", "all"];
const PATTERNS: [&str; 6] = ["solid", "breathe", "chase", "rainbow", "pulse", "off"];
const EVENT_TYPES: [&str; 8] = [
    "button",
    "serial",
    "timer",
    "audio_done",
    "unlock",
    "espnow",
    "action",
    "manual",
];
const COLOURS: [(&str, [u8; 3]); 9] = [
    ("red", [255, 0, 0]),
    ("green", [0, 255, 0]),
    ("blue", [0, 0, 255]),
    ("white", [255, 255, 255]),
    ("off", [0, 0, 0]),
    ("warm", [255, 180, 107]),
    ("cold", [201, 226, 255]),
    ("purple", [128, 0, 128]),
    ("orange", [255, 165, 0]),
];

/// The scenario: step, and the event that leads on.
const STEPS: [(&str, &str, &str); 9] = [
    ("STEP_U_SON_PROTO", "serial", "BTN_NEXT"),
    ("STEP_LA_DETECTOR", "unlock", "UNLOCK_LA_440"),
    ("STEP_RTC_ESP_ETAPE1", "espnow", "ACK_WIN1"),
    ("STEP_WIN_ETAPE1", "audio_done", "AUDIO_DONE"),
    ("STEP_WARNING", "serial", "BTN_NEXT"),
    ("STEP_LEFOU_DETECTOR", "unlock", "UNLOCK_PIANO_LEFOU"),
    ("STEP_RTC_ESP_ETAPE2", "espnow", "ACK_WIN2"),
    ("STEP_QR_DETECTOR", "unlock", "UNLOCK_QR"),
    ("STEP_FINAL_WIN", "", ""),
];

/// What is set in a firmware with the contract's routes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpecConfig {
    /// The token that it asks for.
    pub token: Option<String>,
    /// The version it says it has.
    pub version: String,
    /// The loudest it plays, in percent, whatever it is asked.
    pub volume_limit: u8,
}

impl Default for SpecConfig {
    fn default() -> Self {
        Self {
            token: Some("spec-token".to_owned()),
            version: "3.1".to_owned(),
            volume_limit: 90,
        }
    }
}

/// The firmware.
pub(crate) struct Spec {
    config: SpecConfig,
    id: String,
    /// Index of the step.
    step: usize,
    /// The six, in order, with their state.
    puzzles: [&'static str; 6],
    held: BTreeSet<String>,
}

/// A request that is not answered with 200.
struct Refused(u16, &'static str);

type Answered = Result<Reply, Refused>;

impl Spec {
    pub(crate) fn new(config: SpecConfig, name: &str, board: &mut Board) -> Self {
        board.volume = 70.min(config.volume_limit);
        Self {
            config,
            id: name.to_owned(),
            step: 0,
            puzzles: ["locked"; 6],
            held: BTreeSet::new(),
        }
    }

    fn route(&mut self, board: &mut Board, request: &HttpRequest, now: Instant) -> Answered {
        if let Some(token) = &self.config.token
            && !request.authorized("Bearer", token)
        {
            return Err(Refused(401, "unauthorized"));
        }
        let fields = request.fields();
        match (request.method.as_str(), request.path.as_str()) {
            ("GET", "/api/status") => Ok(self.status(board, now)),
            ("GET", "/api/camera") => camera(board, &fields),
            ("POST", "/api/puzzle") => self.puzzle(board, &fields, now),
            ("POST", "/api/audio") => self.audio(board, &fields),
            ("POST", "/api/led") => led(board, &fields, now),
            ("POST", "/api/scenario/transition") => self.transition(&fields),
            _ => Err(Refused(404, "not_found")),
        }
    }

    fn status(&self, board: &Board, now: Instant) -> Reply {
        Reply::json(
            200,
            &json!({
                "id": self.id,
                "version": self.config.version,
                "scenario": "ZACUS_V2",
                "step": self.step_id(),
                "uptime": board.uptime(now).as_secs(),
                "free_heap": board.heap_free(now),
                "wifi_rssi": board.rssi(now),
                "puzzles": self.puzzles(),
            }),
        )
    }

    fn puzzle(&mut self, board: &mut Board, fields: &Fields, now: Instant) -> Answered {
        let id = fields.text("id").unwrap_or_default();
        let index = PUZZLES
            .iter()
            .position(|known| *known == id)
            .ok_or(Refused(400, "invalid_puzzle"))?;
        let state = one_of(fields, "state", &["locked", "unlocked", "reset"])?;
        let effects = truth(fields, "effects")?;
        if self.held.contains(id) {
            return Err(Refused(409, "puzzle_state_conflict"));
        }
        if let Some(puzzle) = self.puzzles.get_mut(index) {
            *puzzle = state;
        }
        board.drive_servo(now, id, state == "unlocked");
        if effects {
            let rgb = if state == "unlocked" {
                [0, 255, 0]
            } else {
                [255, 96, 22]
            };
            let led = Led {
                rgb,
                brightness: 128,
                pattern: "solid".to_owned(),
            };
            board.set_led(now, "puzzle", led, None);
        }
        Ok(Reply::json(
            200,
            &json!({ "ok": true, "id": id, "state": state, "effects_played": effects }),
        ))
    }

    fn audio(&self, board: &mut Board, fields: &Fields) -> Answered {
        let action = one_of(fields, "action", &["play", "stop", "pause", "resume"])?;
        let source = fields.text("src").unwrap_or_default();
        let volume = within(fields, "vol", 0, 100)?;
        let looped = truth(fields, "loop")?;
        match action {
            "play" => {
                if !["/", "http://", "https://"]
                    .iter()
                    .any(|start| source.starts_with(start))
                {
                    return Err(Refused(400, "invalid_src"));
                }
                board.volume = u8::try_from(volume)
                    .unwrap_or(0)
                    .min(self.config.volume_limit);
                board.sound = Some(Sound {
                    source: source.to_owned(),
                    looped,
                    paused: false,
                });
            }
            "stop" => board.sound = None,
            held => {
                if let Some(sound) = &mut board.sound {
                    sound.paused = held == "pause";
                }
            }
        }
        let playing = board.sound.as_ref().filter(|sound| !sound.paused);
        Ok(Reply::json(
            200,
            &json!({
                "ok": true,
                "action": action,
                "playing": playing.is_some(),
                "src": board.sound.as_ref().map(|sound| sound.source.as_str()),
                "vol": board.volume,
            }),
        ))
    }

    fn transition(&mut self, fields: &Fields) -> Answered {
        let event_type = one_of(fields, "event_type", &EVENT_TYPES)?;
        let name = fields.text("event_name").unwrap_or_default();
        if name.is_empty() {
            return Err(Refused(400, "invalid_event_name"));
        }
        let before = self.step_id();
        let next = match fields.text("target") {
            Some(target) => STEPS
                .iter()
                .position(|(id, ..)| *id == target)
                .ok_or(Refused(400, "unknown_step"))?,
            None if event_type == "manual" => (self.step + 1).min(STEPS.len() - 1),
            None => {
                let leads_on = STEPS
                    .get(self.step)
                    .is_some_and(|(_, by, called)| *by == event_type && *called == name);
                if !leads_on {
                    return Ok(Reply::json(
                        200,
                        &json!({ "ok": false, "error": "no_transition", "step": before }),
                    ));
                }
                self.step + 1
            }
        };
        self.step = next;
        Ok(Reply::json(
            200,
            &json!({ "ok": true, "previous": before, "step": self.step_id() }),
        ))
    }

    fn step_id(&self) -> &'static str {
        STEPS.get(self.step).map_or("", |(id, ..)| id)
    }
}

impl Program for Spec {
    fn answer(&mut self, board: &mut Board, request: &HttpRequest, now: Instant) -> Reply {
        self.route(board, request, now)
            .unwrap_or_else(|Refused(status, error)| {
                let reply = Reply::error(status, error);
                if status == 401 {
                    reply.with("WWW-Authenticate", "Bearer")
                } else {
                    reply
                }
            })
    }

    fn restart(&mut self, board: &mut Board, _now: Instant) {
        self.step = 0;
        self.puzzles = ["locked"; 6];
        board.volume = 70.min(self.config.volume_limit);
    }

    fn step(&self) -> Option<String> {
        Some(self.step_id().to_owned())
    }

    fn puzzles(&self) -> BTreeMap<String, String> {
        PUZZLES
            .iter()
            .zip(self.puzzles)
            .map(|(id, state)| ((*id).to_owned(), state.to_owned()))
            .collect()
    }

    fn hold(&mut self, puzzle: &str, held: bool) {
        if held {
            self.held.insert(puzzle.to_owned());
        } else {
            self.held.remove(puzzle);
        }
    }
}

fn led(board: &mut Board, fields: &Fields, now: Instant) -> Answered {
    let zone = one_of(fields, "zone", &ZONES)?;
    let color = fields.text("color").unwrap_or_default();
    let rgb = colour(color).ok_or(Refused(400, "invalid_color"))?;
    let pattern = one_of(fields, "pattern", &PATTERNS)?;
    let brightness = within(fields, "bright", 0, 255)?;
    let lasts = match fields.value("duration_ms") {
        None => 0,
        Some(_) => within(fields, "duration_ms", 0, 86_400_000)?,
    };
    let led = Led {
        rgb,
        brightness: u8::try_from(brightness).unwrap_or(u8::MAX),
        pattern: pattern.to_owned(),
    };
    let lasts = u64::try_from(lasts)
        .ok()
        .filter(|millis| *millis > 0)
        .map(Duration::from_millis);
    board.set_led(now, zone, led, lasts);
    Ok(Reply::json(
        200,
        &json!({ "ok": true, "zone": zone, "color": color, "pattern": pattern, "bright": brightness }),
    ))
}

fn camera(board: &mut Board, fields: &Fields) -> Answered {
    let size = match fields.text("res") {
        Some("QQVGA") => (160, 120),
        Some("QVGA") => (320, 240),
        Some("VGA") => (640, 480),
        _ => return Err(Refused(400, "invalid_res")),
    };
    let quality = within(fields, "q", 10, 63)?;
    let quality = u8::try_from(quality).unwrap_or(63);
    Ok(Reply::picture(board.shoot(size, quality)))
}

fn colour(text: &str) -> Option<[u8; 3]> {
    let Some(digits) = text.strip_prefix('#') else {
        return COLOURS
            .iter()
            .find(|(name, _)| *name == text)
            .map(|(_, rgb)| *rgb);
    };
    if digits.len() != 6 || !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    let [_, red, green, blue] = u32::from_str_radix(digits, 16).ok()?.to_be_bytes();
    Some([red, green, blue])
}

/// A text that is one of those.
fn one_of(fields: &Fields, name: &str, known: &[&'static str]) -> Result<&'static str, Refused> {
    let given = fields.text(name).unwrap_or_default();
    known
        .iter()
        .find(|value| **value == given)
        .copied()
        .ok_or(Refused(400, "invalid_value"))
}

/// A whole number in a range.
fn within(fields: &Fields, name: &str, least: i64, most: i64) -> Result<i64, Refused> {
    fields
        .number(name)
        .filter(|number| (least..=most).contains(number))
        .ok_or(Refused(400, "out_of_range"))
}

/// A JSON truth value.
fn truth(fields: &Fields, name: &str) -> Result<bool, Refused> {
    fields
        .value(name)
        .and_then(Value::as_bool)
        .ok_or(Refused(400, "invalid_value"))
}
