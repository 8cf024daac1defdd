//! The contract's own mapping: one route for each tool, with a bearer token.

use serde_json::Value;

use crate::answer::Answer;
use crate::exchange::{Authorization, Exchange, Reply};
use crate::request::{
    Advance, AudioAction, AudioChange, Capture, LedChange, PuzzleChange, Request,
};
use crate::state::{Abilities, CameraState, Reading};
use crate::token::Token;

use super::{
    Body, Dialect, Evidence, Family, Lack, Refusal, Script, Verdict, colour, evidence, fields,
    reply,
};

/// A board that does what the contract says.
pub(super) struct Spec;

/// A picture of 640x480 at its best quality has about 100 KiB.
const PICTURE_LIMIT: usize = 1024 * 1024;

/// Members that only a status of this family has at its top.
pub(super) const TELLING: &[&str] = &[
    "step",
    "current_step",
    "scenario",
    "uptime",
    "uptime_s",
    "uptime_ms",
    "free_heap",
    "heap_free",
    "wifi_rssi",
    "rssi",
    "puzzles",
    "sensors",
    "device_id",
    "id",
    "version",
];

const COUNTERS: &[&str] = &["espnow.rx_count", "espnow.tx_ok", "espnow.tx_fail"];

impl Dialect for Spec {
    fn family(&self) -> Family {
        Family::Spec
    }

    fn abilities(&self) -> Abilities {
        Abilities {
            tools: vec![
                "puzzle_set_state",
                "audio_play",
                "led_set",
                "camera_capture",
                "scenario_advance",
                "device_status",
            ],
            lacks: Vec::new(),
        }
    }

    fn authorization(&self, token: &Token) -> Authorization {
        reply::bearer(token)
    }

    fn status(&self) -> Exchange {
        Exchange::get("/api/status")
    }

    fn read(&self, reply: &Reply) -> Result<Reading, Refusal> {
        reply::state(reply).map(|state| reading(&state))
    }

    fn script(&self, request: &Request, _last: Option<&Reading>) -> Result<Script, Lack> {
        let exchange = match request {
            Request::Puzzle(change) => Exchange::post("/api/puzzle", Some(puzzle(change).finish())),
            Request::Audio(change) => Exchange::post("/api/audio", Some(audio(change).finish())),
            Request::Led(change) => Exchange::post("/api/led", Some(led(change).finish())),
            Request::Camera(capture) => camera(capture),
            Request::Scenario(advance) => Exchange::post(
                "/api/scenario/transition",
                Some(transition(advance).finish()),
            ),
            Request::Status => self.status(),
        };
        Ok(Script {
            exchanges: vec![exchange],
            remarks: Vec::new(),
        })
    }

    fn judge(&self, request: &Request, reply: &Reply) -> Verdict {
        if matches!(request, Request::Camera(_)) {
            return reply::photographed(request, reply);
        }
        let taken = match request {
            Request::Status => reply::state(reply),
            _ => reply::taken(request, reply),
        };
        match taken {
            Err(refusal) => Verdict::Refused(refusal),
            Ok(value) if says(request, &value) => Verdict::Confirmed(Answer::Json(value)),
            Ok(value) => Verdict::Accepted(Answer::Json(value)),
        }
    }

    fn shows(&self, request: &Request) -> bool {
        !matches!(request, Request::Camera(_) | Request::Status)
    }

    fn evidence(&self, request: &Request, before: Option<&Reading>, after: &Reading) -> Evidence {
        let of = |read: fn(&Reading) -> Option<&str>| (before.and_then(read), read(after));
        match request {
            Request::Puzzle(change) => {
                let state =
                    |reading: &'_ Reading| reading.puzzles.get(change.puzzle.name()).cloned();
                evidence::reached(
                    before.and_then(state).as_deref(),
                    state(after).as_deref(),
                    change.state.name(),
                )
            }
            Request::Scenario(advance) => {
                let (before, after) = of(|reading| reading.step.as_deref());
                match &advance.target {
                    Some(target) => evidence::reached(before, after, target.as_str()),
                    None => evidence::moved(before, after),
                }
            }
            Request::Audio(change) => {
                let (before, after) = of(|reading| reading.playing.as_deref());
                match change.action {
                    AudioAction::Play => evidence::plays(before, after, change.source.as_str()),
                    AudioAction::Stop | AudioAction::Pause => evidence::sounds(after, false),
                    AudioAction::Resume => evidence::sounds(after, true),
                }
            }
            Request::Led(change) => {
                let (before, after) = of(|reading| reading.led.as_deref());
                evidence::reached(before, after, &colour::hex(colour::shown(change)))
            }
            Request::Camera(_) | Request::Status => Evidence::Silent,
        }
    }
}

fn puzzle(change: &PuzzleChange) -> Body {
    Body::new()
        .text("id", change.puzzle.name())
        .text("state", change.state.name())
        .flag("effects", change.effects)
}

fn audio(change: &AudioChange) -> Body {
    Body::new()
        .text("src", change.source.as_str())
        .number("vol", change.volume.get())
        .flag("loop", change.looped)
        .text("action", change.action.name())
}

fn led(change: &LedChange) -> Body {
    let body = Body::new()
        .text("zone", change.zone.name())
        .text("color", &change.color.to_string())
        .text("pattern", change.pattern.name())
        .number("bright", change.brightness.get());
    match change.duration_ms.get() {
        0 => body,
        duration => body.number("duration_ms", duration),
    }
}

fn camera(capture: &Capture) -> Exchange {
    Exchange {
        body_limit: PICTURE_LIMIT,
        ..Exchange::get(format!(
            "/api/camera?res={}&q={}",
            capture.resolution.name(),
            capture.quality.get()
        ))
    }
}

fn transition(advance: &Advance) -> Body {
    let body = Body::new()
        .text("event_type", advance.event.name())
        .text("event_name", advance.name.as_str());
    match &advance.target {
        Some(target) => body.text("target", target.as_str()),
        None => body,
    }
}

/// Whether an answer tells the state that was asked for, not only that the request was taken.
fn says(request: &Request, value: &Value) -> bool {
    let text = |paths: &[&str]| fields::text(value, paths);
    let same = |said: Option<String>, asked: &str| {
        said.is_some_and(|said| said.eq_ignore_ascii_case(asked))
    };
    match request {
        Request::Puzzle(change) => {
            let other = text(&["id", "puzzle_id"]).is_some_and(|id| id != change.puzzle.name());
            !other && same(text(&["state"]), change.state.name())
        }
        Request::Audio(change) => {
            let playing = fields::flag(value, &["playing"]);
            let state = text(&["state"]);
            match change.action {
                AudioAction::Play => {
                    let sounds = playing == Some(true) || same(state, "playing");
                    sounds && same(text(&["src", "source"]), change.source.as_str())
                }
                AudioAction::Resume => playing == Some(true) || same(state, "playing"),
                AudioAction::Stop => playing == Some(false) || same(state, "stopped"),
                AudioAction::Pause => playing == Some(false) || same(state, "paused"),
            }
        }
        Request::Led(change) => {
            same(text(&["zone"]), change.zone.name())
                && same(text(&["color"]), &change.color.to_string())
                && same(text(&["pattern"]), change.pattern.name())
        }
        Request::Scenario(advance) => {
            let now = text(&["current_step", "step"]);
            match &advance.target {
                Some(target) => same(now, target.as_str()),
                None => {
                    let before = text(&["previous_step", "previous"]);
                    now.is_some() && before.is_some() && now != before
                }
            }
        }
        Request::Camera(_) => false,
        Request::Status => true,
    }
}

/// A state of this family, flat or in sections: what it has to contain is nowhere laid down.
pub(super) fn reading(state: &Value) -> Reading {
    let uptime = || Some(fields::count(state, &["uptime_ms", "system.uptime_ms"])? / 1_000);
    Reading {
        scenario: fields::text(
            state,
            &["scenario", "scenario_id", "story.scenario", "scenario.id"],
        ),
        step: fields::text(
            state,
            &[
                "step",
                "current_step",
                "step_id",
                "story.step",
                "scenario.step",
                "scenario.current_step",
            ],
        ),
        screen: fields::text(state, &["screen", "scene", "story.screen", "active_scene"]),
        puzzles: fields::puzzles(state),
        rssi: fields::rssi(state, &["wifi_rssi", "rssi", "wifi.rssi", "network.rssi"]),
        heap_free: fields::count(
            state,
            &[
                "free_heap",
                "heap_free",
                "free_memory",
                "memory.free",
                "memory.heap_free",
                "system.free_heap",
                "rtos.heap_free",
            ],
        ),
        uptime_seconds: fields::count(
            state,
            &["uptime", "uptime_s", "uptime_seconds", "system.uptime"],
        )
        .or_else(uptime),
        playing: fields::playing(
            state,
            &["playing", "audio.playing", "audio_playing"],
            &["track", "audio.track", "audio.src", "audio.source"],
        )
        .or_else(|| fields::text(state, &["playing"])),
        volume: fields::percent(state, &["volume", "audio.volume", "audio.vol"]),
        led: fields::led(
            state,
            &["led.color", "leds.color", "led"],
            &["led", "hardware.led"],
        ),
        battery: fields::percent(
            state,
            &["battery", "battery_pct", "battery.pct", "battery.percent"],
        ),
        version: fields::text(
            state,
            &[
                "version",
                "firmware_version",
                "firmware.version",
                "firmware",
            ],
        ),
        own_address: fields::text(state, &["ip", "wifi.ip", "network.ip"]),
        own_access_point: fields::flag(
            state,
            &["wifi.ap_active", "wifi.ap", "network.fallback_ap"],
        ) == Some(true),
        camera: fields::flag(state, &["camera", "camera.ready", "camera.available"]).map(|ready| {
            if ready {
                CameraState::Ready
            } else {
                CameraState::Blocked
            }
        }),
        counters: fields::counters(state, COUNTERS),
        ..Reading::default()
    }
}
