//! The Freenove all-in-one board, and its older relative that has one token and no apps.
//!
//! It often says yes without having done anything, so that a yes is never more than accepted; what
//! it did shows in its state. Its documents are cut to fit its memory: whole sections are missing.

use std::time::Duration;

use serde_json::Value;

use crate::answer::Answer;
use crate::error::TokenFault;
use crate::exchange::{Authorization, Exchange, Reply};
use crate::request::{AudioAction, AudioChange, Request};
use crate::state::{Abilities, CameraState, Reading};
use crate::token::Token;

use super::command::{self, Command};
use super::{
    Body, Dialect, Evidence, Family, Lack, Refusal, Script, Verdict, colour, evidence, fields,
    lack, reply,
};

/// The Freenove board.
pub(super) struct Freenove;

/// Least time between two writes, as its limiter measures it. It says 429 before.
const LIMITER: Duration = Duration::from_millis(100);

/// What is kept beyond the limiter's time, for two clocks that do not tick alike and a network
/// that delays one request more than the next.
const CLOCKS: Duration = Duration::from_millis(10);

/// Most bytes of a line for `/api/control`.
const MAX_LINE: usize = 64;

/// Its loudest; its scale begins at 0.
const LOUDEST: u32 = 21;

/// A picture of 640x480 at its best quality has about 100 KiB.
const PICTURE_LIMIT: usize = 1024 * 1024;

/// The application through which sound is paused and its loudness set.
const PLAYER: &str = "audio_player";

const COUNTERS: &[&str] = &[
    "espnow.rx_count",
    "espnow.tx_ok",
    "espnow.tx_fail",
    "camera.capture_count",
    "camera.fail_count",
];

impl Dialect for Freenove {
    fn family(&self) -> Family {
        Family::Freenove
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
            lacks: vec![
                lack::PUZZLE_LOCK,
                lack::PUZZLE_RESET,
                lack::PUZZLE_EFFECTS,
                lack::AUDIO_LOOP,
                lack::AUDIO_URL,
                lack::LED_ZONE,
                lack::LED_PATTERN,
                lack::LED_DURATION,
                lack::CAMERA_SIZE,
            ],
        }
    }

    fn write_spacing(&self) -> Duration {
        LIMITER + CLOCKS
    }

    fn authorization(&self, token: &Token) -> Authorization {
        reply::bearer(token)
    }

    fn status(&self) -> Exchange {
        Exchange::get("/api/status")
    }

    fn read(&self, reply: &Reply) -> Result<Reading, Refusal> {
        if let Some(refusal) = refusal(&Request::Status, reply) {
            return Err(refusal);
        }
        reply::state(reply).map(|state| reading(&state))
    }

    fn more_status(&self) -> Option<Exchange> {
        Some(Exchange::get("/api/apps/status"))
    }

    fn read_more(&self, reading: &mut Reading, reply: &Reply) {
        if let Ok(more) = reply::state(reply) {
            reading.heap_free = fields::count(&more, &["runtime.heap_free"]).or(reading.heap_free);
        }
    }

    fn script(&self, request: &Request, last: Option<&Reading>) -> Result<Script, Lack> {
        match request {
            Request::Status => Ok(Script {
                exchanges: vec![self.status()],
                remarks: Vec::new(),
            }),
            Request::Camera(_) => Ok(Script {
                exchanges: vec![Exchange {
                    body_limit: PICTURE_LIMIT,
                    ..Exchange::get("/api/camera/snapshot.jpg")
                }],
                remarks: vec![
                    "Its camera has the size and quality that its own settings say.".to_owned(),
                ],
            }),
            Request::Audio(change)
                if matches!(change.action, AudioAction::Pause | AudioAction::Resume) =>
            {
                Ok(hold(change.action))
            }
            Request::Audio(_) | Request::Led(_) | Request::Puzzle(_) | Request::Scenario(_) => {
                let told = command::command(request, last)?;
                let mut script = Script {
                    exchanges: Vec::new(),
                    remarks: told.remarks,
                };
                if let (Request::Audio(change), Command::Play(_)) = (request, &told.command) {
                    loudness(change, last, &mut script);
                }
                script.exchanges.push(exchange(&told.command)?);
                Ok(script)
            }
        }
    }

    fn judge(&self, request: &Request, reply: &Reply) -> Verdict {
        if let Some(refusal) = refusal(request, reply) {
            return Verdict::Refused(refusal);
        }
        match request {
            Request::Camera(_) => reply::photographed(request, reply),
            Request::Status => match reply::state(reply) {
                Ok(state) => Verdict::Confirmed(Answer::Json(state)),
                Err(refusal) => Verdict::Refused(refusal),
            },
            // It says no where nothing plays that could be stopped, which is what was asked for.
            Request::Audio(change) if change.action == AudioAction::Stop && said_no(reply) => {
                Verdict::Accepted(Answer::Json(
                    reply::json(reply).map_or(Value::Null, |decoded| decoded.value),
                ))
            }
            _ if said_no(reply) => Verdict::Refused(Refusal::Said {
                detail: no(request).to_owned(),
            }),
            _ => reply::accepted(request, reply),
        }
    }

    fn shows(&self, request: &Request) -> bool {
        !matches!(request, Request::Camera(_) | Request::Status)
    }

    fn evidence(&self, request: &Request, before: Option<&Reading>, after: &Reading) -> Evidence {
        let step = |reading: &Reading| reading.step.clone();
        let step_before = before.and_then(step);
        let step_after = step(after);
        match request {
            Request::Puzzle(_) => evidence::moved(step_before.as_deref(), step_after.as_deref()),
            Request::Scenario(advance) => match &advance.target {
                // A scene that no step uses is shown on its screen, and the step stays.
                Some(target) => {
                    let scene = command::scene(target.as_str(), Some(after));
                    let there = [target.as_str(), scene]
                        .contains(&step_after.as_deref().unwrap_or_default());
                    if there {
                        Evidence::Shown
                    } else {
                        evidence::moved(step_before.as_deref(), step_after.as_deref())
                    }
                }
                None => evidence::moved(step_before.as_deref(), step_after.as_deref()),
            },
            Request::Audio(change) => heard(change, before, after),
            Request::Led(change) => evidence::reached(
                before.and_then(|before| before.led.as_deref()),
                after.led.as_deref(),
                &colour::hex(colour::shown(change)),
            ),
            Request::Camera(_) | Request::Status => Evidence::Silent,
        }
    }
}

/// The exchange that carries a command.
fn exchange(command: &Command) -> Result<Exchange, Lack> {
    let (path, body) = match command {
        Command::Led {
            rgb: [red, green, blue],
            brightness,
            pulse,
        } => (
            "/api/hardware/led",
            Some(
                Body::new()
                    .number("r", *red)
                    .number("g", *green)
                    .number("b", *blue)
                    .number("brightness", *brightness)
                    // It pulses where nothing is said.
                    .flag("pulse", *pulse),
            ),
        ),
        Command::Play(path) => ("/api/media/play", Some(Body::new().text("path", path))),
        Command::Stop => ("/api/media/stop", None),
        Command::Next => ("/api/scenario/next", None),
        Command::Event { .. } | Command::Goto(_) => {
            let (name, arguments) = command.words();
            let line = format!("{name} {arguments}");
            if line.len() > MAX_LINE {
                let code = match command {
                    Command::Goto(_) => lack::SCENARIO_TARGET,
                    _ => lack::SCENARIO_EVENT,
                };
                return Err(Lack::of(
                    code,
                    format!(
                        "a name as long as \"{arguments}\" (its lines have {MAX_LINE} characters)"
                    ),
                ));
            }
            ("/api/control", Some(Body::new().text("action", &line)))
        }
    };
    Ok(Exchange::post(path, body.map(|body| body.finish())))
}

/// A percentage on its scale.
fn scaled(percent: u8) -> u32 {
    (u32::from(percent) * LOUDEST + 50) / 100
}

/// Loudness is set by the player only, and only where it is not what it should be already.
fn loudness(change: &AudioChange, last: Option<&Reading>, script: &mut Script) {
    let wanted = scaled(change.volume.get());
    let now = last.and_then(|last| last.volume);
    if now.map(scaled) == Some(wanted) {
        return;
    }
    if last.is_some_and(|last| last.fixed_volume) {
        let at = now.map_or(String::new(), |now| format!(", {now} %"));
        script.remarks.push(format!(
            "It plays at its own loudness{at}: it cannot be set."
        ));
        return;
    }
    script.exchanges.push(open());
    script
        .exchanges
        .push(act("set_volume", Some(&wanted.to_string())));
    script.remarks.push(format!(
        "Its loudness has {LOUDEST} steps: {} % is step {wanted}.",
        change.volume.get()
    ));
}

/// Pause and resume. The player stays open after a pause and remembers the sound; to open it anew
/// would make it forget.
fn hold(action: AudioAction) -> Script {
    let act = act(action.name(), None);
    Script {
        exchanges: match action {
            AudioAction::Resume => vec![act],
            _ => vec![open(), act],
        },
        remarks: Vec::new(),
    }
}

fn open() -> Exchange {
    Exchange::post(
        "/api/apps/open",
        Some(Body::new().text("id", PLAYER).finish()),
    )
}

fn act(action: &str, payload: Option<&str>) -> Exchange {
    let body = Body::new().text("id", PLAYER).text("action", action);
    let body = match payload {
        Some(payload) => body.text("payload", payload),
        None => body,
    };
    Exchange::post("/api/apps/action", Some(body.finish()))
}

/// What is to be heard of a change. Its player says yes to a loudness that it did not take, so that
/// a sound at another one shows nothing.
fn heard(change: &AudioChange, before: Option<&Reading>, after: &Reading) -> Evidence {
    let playing = after.playing.as_deref();
    match change.action {
        AudioAction::Stop | AudioAction::Pause => evidence::sounds(playing, false),
        AudioAction::Resume => evidence::sounds(playing, true),
        AudioAction::Play => {
            let volume = after.volume.filter(|_| !after.fixed_volume).map(scaled);
            let wrong = volume.is_some_and(|volume| volume != scaled(change.volume.get()));
            let before = before.and_then(|before| before.playing.as_deref());
            match evidence::plays(before, playing, change.source.as_str()) {
                Evidence::Shown if wrong => Evidence::Silent,
                evidence => evidence,
            }
        }
    }
}

/// Its own ways to say no, told apart by the body; `None` where HTTP says it all.
fn refusal(request: &Request, reply: &Reply) -> Option<Refusal> {
    let body = reply::json(reply)
        .map(|decoded| decoded.value)
        .unwrap_or_default();
    let said = reply::said(&body)?;
    Some(match (reply.status, said.as_str()) {
        (403, "setup_mode_restricted") | (503, "auth_token_missing") => {
            Refusal::Token(TokenFault::SetupMode)
        }
        // The gate before writes has a token of its own, and says no with another body than the
        // gate before everything.
        (401, "unauthorized") if body.get("ok").is_none() && writes(request) => {
            Refusal::Token(TokenFault::ReadingOnly)
        }
        (429, "too_many_requests") => Refusal::Throttled {
            detail: "two requests within 100 ms".to_owned(),
            retry_after: Some(LIMITER),
        },
        (429, "camera_blocked_by_resource_profile") => Refusal::CameraBlocked {
            detail: "it needs its memory for what it shows or hears".to_owned(),
        },
        (409, "camera_busy_recorder_owner") => Refusal::Busy {
            detail: "its recorder uses the camera".to_owned(),
        },
        _ => return None,
    })
}

fn writes(request: &Request) -> bool {
    !matches!(request, Request::Camera(_) | Request::Status)
}

/// Whether it said no without a reason.
fn said_no(reply: &Reply) -> bool {
    let no = |value: &Value| {
        value.get("ok") == Some(&Value::Bool(false)) && reply::said(value).is_none()
    };
    matches!(reply.status, 200 | 400) && reply::json(reply).is_some_and(|body| no(&body.value))
}

/// What it means that it said no.
fn no(request: &Request) -> &'static str {
    match request {
        Request::Audio(_) => "the sound is not on it, or its player is busy",
        Request::Led(_) => "its LEDs are not ready",
        Request::Scenario(_) | Request::Puzzle(_) => {
            "its step takes no such event, or listens to its microphone"
        }
        Request::Camera(_) | Request::Status => "it says that it did not work",
    }
}

fn reading(state: &Value) -> Reading {
    let battery_ready = fields::flag(state, &["hardware.battery_ready"]).unwrap_or(false);
    let network = fields::text(state, &["network.state", "wifi.state"]);
    let volume = fields::count(state, &["audio.volume"]).filter(|volume| *volume <= LOUDEST.into());
    let runtime = ["runtime3", "story.runtime_contract"];
    Reading {
        scenario: fields::text(state, &["story.scenario"]),
        step: fields::text(state, &["story.step"]),
        screen: fields::text(state, &["story.screen"]),
        rssi: fields::rssi(state, &["wifi.rssi", "network.rssi"]),
        playing: fields::playing(
            state,
            &["audio.playing", "media.playing"],
            &["audio.track", "media.playing_path"],
        ),
        volume: volume.and_then(|volume| {
            let loudest = u64::from(LOUDEST);
            u8::try_from((volume * 100 + loudest / 2) / loudest).ok()
        }),
        fixed_volume: runtime.iter().any(|path| fields::at(state, path).is_some()),
        led: fields::led(state, &[], &["hardware.led"]),
        battery: fields::percent(state, &["hardware.battery_pct"]).filter(|_| battery_ready),
        own_address: fields::text(state, &["network.ip", "wifi.ip"]),
        own_access_point: fields::flag(state, &["network.fallback_ap"]) == Some(true)
            || fields::flag(state, &["wifi.ap_active"]) == Some(true)
            || matches!(network.as_deref(), Some("ap" | "ap_fallback")),
        camera: camera(state),
        counters: fields::counters(state, COUNTERS),
        ..Reading::default()
    }
}

/// Its camera; the section that says whether it may be used is the first that is left out.
fn camera(state: &Value) -> Option<CameraState> {
    let supported = fields::flag(state, &["camera.supported"]);
    match (
        supported,
        fields::flag(state, &["resource.allow_camera_ops"]),
    ) {
        (Some(false), _) | (None, None) => None,
        (_, Some(false)) => Some(CameraState::Blocked),
        _ => Some(CameraState::Ready),
    }
}
