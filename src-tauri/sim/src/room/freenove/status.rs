//! What a Freenove board tells of itself.

use serde_json::{Value, json};
use tokio::time::Instant;

use super::machine::{Machine, Profile};
use super::{DEVICE_NAME, Freenove};
use crate::room::board::Board;
use crate::room::http::Reply;

/// Bytes of a member in ArduinoJson's memory pool on a 32-bit processor.
const SLOT: usize = 16;
/// How many bytes of the status do not fit into the pool. The real one has 4,096 bytes for a status
/// of 4.7 to 5.3 kB, with members that are not simulated; so much is taken here that the same
/// sections are gone: `resource`, `apps` and a part of `media`.
const OVERFLOW: usize = 400;
/// Stands for a text that was gone by the time it was written out.
const LOST: &str = "\u{E000}";
/// What is written instead of it; no UTF-8.
const GARBAGE: [u8; 5] = [0xFD, b'?', 0xC8, 0xF0, b'\''];

impl Freenove {
    pub(super) fn status(&mut self, board: &Board, now: Instant) -> Reply {
        let text = self.status_text(board, now);
        Reply::bytes(200, "application/json", text)
    }

    /// The status as text: its sections in the firmware's order.
    pub(super) fn status_text(&mut self, board: &Board, now: Instant) -> Vec<u8> {
        let mut sections = vec![
            ("network", self.network(board, now)),
            ("wifi", self.wifi(board, now)),
            ("espnow", self.mesh.status(DEVICE_NAME, now)),
            ("story", story(&self.machine)),
            ("audio", audio(board)),
            ("hardware", self.hardware(board)),
            ("camera", self.camera(board)),
            ("media", self.media(board)),
            ("apps", apps(&self.machine)),
            ("resource", resource(&self.machine)),
        ];
        if self.config.overflows {
            let whole: usize = sections.iter().map(|(_, section)| cost(section)).sum();
            let mut room = whole.saturating_sub(OVERFLOW);
            for (name, section) in &mut sections {
                if matches!(*name, "camera" | "media" | "apps") {
                    lose_texts(section);
                }
                fit(section, &mut room);
            }
            sections.retain(|(_, section)| !section.is_null());
        }
        let sections: Vec<String> = sections
            .iter()
            .map(|(name, section)| format!("\"{name}\":{section}"))
            .collect();
        let text = format!("{{{}}}", sections.join(","));
        let mut parts = text.split(LOST);
        let mut bytes = parts.next().unwrap_or_default().as_bytes().to_vec();
        for part in parts {
            bytes.extend(GARBAGE);
            bytes.extend_from_slice(part.as_bytes());
        }
        bytes
    }

    fn network(&self, board: &Board, now: Instant) -> Value {
        let setup = self.config.setup_mode;
        json!({
            "state": if setup { "ap" } else { "connected" },
            "mode": if setup { "AP" } else { "STA" },
            "sta_connected": !setup,
            "sta_connecting": false,
            "fallback_ap": false,
            "sta_ssid": if setup { "" } else { "EscapeRoom-Net" },
            "ap_ssid": "Freenove-Setup",
            "local_target": "EscapeRoom-Net",
            "local_match": !setup,
            "ap_clients": 0,
            "local_retry_paused": false,
            "ip": board.ip,
            "rssi": board.rssi(now),
        })
    }

    pub(super) fn wifi(&self, board: &Board, now: Instant) -> Value {
        let setup = self.config.setup_mode;
        json!({
            "connected": !setup,
            "has_credentials": !setup,
            "setup_mode": setup,
            "auth_required": true,
            "token_set": self.config.web_token.is_some(),
            "ssid": if setup { "" } else { "EscapeRoom-Net" },
            "ip": board.ip,
            "rssi": board.rssi(now),
            "state": if setup { "ap" } else { "connected" },
            "ap_active": setup,
            "ap_ssid": "Freenove-Setup",
            "ap_ip": "",
            "ap_clients": 0,
            "local_retry_paused": false,
            "mode": if setup { "AP" } else { "STA" },
        })
    }

    pub(super) fn provision(&self) -> Value {
        let setup = self.config.setup_mode;
        json!({
            "setup_mode": setup,
            "auth_required": true,
            "token_set": self.config.web_token.is_some(),
            "provisioned": !setup,
            "has_credentials": !setup,
        })
    }

    pub(super) fn hardware(&self, board: &Board) -> Value {
        let [r, g, b] = board.led.rgb;
        let machine = &self.machine;
        json!({
            "ready": true,
            "enabled_on_boot": true,
            "led_auto_from_scene": machine.led_follows_scene,
            "telemetry_period_ms": 2500,
            "ws2812_ready": true,
            "mic_ready": true,
            "battery_ready": false,
            "led_manual": machine.led_manual,
            "backlight_level": 200,
            "backlight_mode": "auto",
            "led": {
                "r": r,
                "g": g,
                "b": b,
                "mode": board.led.pattern,
                "one_led_at_a_time": false,
            },
            "led_brightness": board.led.brightness,
            "mic_enabled": true,
            "mic_threshold_pct": 72,
            "mic_level_pct": 3,
            "mic_peak": 120,
            "mic_noise_floor": 40,
            "mic_gain_pct": 100,
            "mic_freq_hz": 0,
            "mic_pitch_cents": 0,
            "mic_pitch_confidence": 0,
            "la_trigger": {
                "enabled": machine.story.listens_for_tone(),
                "target_hz": 440,
                "tolerance_hz": 10,
                "stable_ms": 3000,
                "locked": false,
                "stable_pct": 0,
                "event_name": "SERIAL:BTN_NEXT",
            },
            "battery_enabled": true,
            "battery_low_pct": 20,
            "battery_pct": 0,
            "battery_mv": 0,
            "charging": false,
            "last_button": 0,
            "scene_id": machine.story.screen(),
        })
    }

    pub(super) fn camera(&self, board: &Board) -> Value {
        json!({
            "supported": true,
            "enabled": board.shots > 0,
            "initialized": board.shots > 0,
            "enabled_on_boot": false,
            "frame_size": "VGA",
            "jpeg_quality": 12,
            "fb_count": 1,
            "xclk_hz": 20_000_000,
            "snapshot_dir": "/picture",
            "capture_count": board.shots,
            "fail_count": 0,
            "last_capture_ms": 0,
            "last_file": "",
            "last_error": "",
            "scene_active": false,
            "ui_ready": false,
            "ui_visible": false,
        })
    }

    pub(super) fn media(&self, board: &Board) -> Value {
        let (playing, path) = sound(board);
        json!({
            "ready": true,
            "playing": playing,
            "playing_path": path,
            "recording": false,
            "record_limit_seconds": 30,
            "record_elapsed_seconds": 0,
            "record_file": "",
            "record_simulated": false,
            "music_dir": "/music",
            "picture_dir": "/picture",
            "record_dir": "/recorder",
            "last_ok": self.machine.media_error.is_empty(),
            "last_error": self.machine.media_error,
        })
    }

    /// The runtime of the apps, the only place that tells of free memory.
    pub(super) fn runtime(&self, board: &Board, now: Instant) -> Value {
        let uptime = board.uptime(now).as_millis();
        json!({
            "running_id": self.machine.app.as_deref().unwrap_or(""),
            "state": if self.machine.app.is_some() { "running" } else { "idle" },
            "mode": "default",
            "source": "api",
            "last_error": self.machine.app_error,
            "last_event": "",
            "tick_count": u64::try_from(uptime / 20).unwrap_or(u64::MAX),
            "last_tick_ms": u64::try_from(uptime).unwrap_or(u64::MAX),
            "missing_cap_mask": 0,
            "heap_free": board.heap_free(now),
            "psram_free": 6_200_000,
        })
    }
}

fn story(machine: &Machine) -> Value {
    let step = machine.story.step();
    json!({
        "scenario": if step.is_some() { "DEFAULT" } else { "n/a" },
        "step": step.unwrap_or("n/a"),
        "screen": machine.story.screen(),
        "audio_pack": machine.story.audio_pack(),
    })
}

/// Whether something plays, and what.
fn sound(board: &Board) -> (bool, &str) {
    match &board.sound {
        Some(sound) if !sound.paused => (true, &sound.source),
        _ => (false, ""),
    }
}

fn audio(board: &Board) -> Value {
    let (playing, track) = sound(board);
    json!({
        "playing": playing,
        "track": track,
        "codec": if playing { "mp3" } else { "none" },
        "bitrate_kbps": if playing { 128 } else { 0 },
        "fx": 0,
        "fx_label": "OFF",
        "profile": 0,
        "volume": board.volume,
    })
}

fn apps(machine: &Machine) -> Value {
    json!({
        "running_id": machine.app.as_deref().unwrap_or(""),
        "state": if machine.app.is_some() { "running" } else { "idle" },
        "last_error": machine.app_error,
        "last_event": "",
        "missing_cap_mask": 0,
    })
}

fn resource(machine: &Machine) -> Value {
    let profile = machine.profile();
    json!({
        "profile": profile.name(),
        "profile_auto": machine.profile_is_auto(),
        "graphics_pressure": false,
        "mic_should_run": profile == Profile::Microphone,
        "mic_force_on": false,
        "allow_camera_ops": profile == Profile::Camera,
        "camera_allowed_ops": machine.camera_allowed,
        "camera_blocked_ops": machine.camera_blocked,
        "fx_fps": 24,
    })
}

/// Bytes of a value in the pool.
fn cost(value: &Value) -> usize {
    match value {
        Value::Object(members) => members.values().map(|value| SLOT + cost(value)).sum(),
        Value::Array(values) => values.iter().map(|value| SLOT + cost(value)).sum(),
        Value::String(text) => text.len() + 1,
        _ => 0,
    }
}

/// Takes out what there is no room for; a section without members becomes null.
fn fit(section: &mut Value, room: &mut usize) {
    if let Value::Object(members) = section {
        members.retain(|_, value| {
            let needs = SLOT + cost(value);
            let fits = needs <= *room;
            if fits {
                *room -= needs;
            } else {
                *room = 0;
            }
            fits
        });
        if members.is_empty() {
            *section = Value::Null;
        }
    }
}

/// Puts garbage in the place of empty and short-lived texts.
fn lose_texts(section: &mut Value) {
    if let Value::Object(members) = section {
        for (name, value) in members.iter_mut() {
            if value.is_string() && (name.starts_with("last_") || name.ends_with("_path")) {
                *value = Value::String(LOST.to_owned());
            }
        }
    }
}
