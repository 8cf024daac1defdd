//! `regie room`: the room's jobs without a window.

use std::fmt::Write as _;
use std::io::{self, BufRead as _, IsTerminal as _, Read as _};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use regie_engine::rooms::request::{
    Advance, AudioChange, Capture, EventType, LedChange, PuzzleChange, Volume,
};
use regie_engine::rooms::{
    Answer as Said, Condition, DeviceId, DeviceState, Done, FoundDevice, Outcome, Request,
    RoomState, SearchState, Snapshot,
};
use regie_engine::{DeviceForm, Door, Engine, EngineError, SecretsState};
use serde_json::{Value, json};
use tokio::time::{sleep, timeout};

use super::output_file::OutputFile;
use super::{Answer, Failure};
use crate::arguments::{Arguments, RoomAction, RoomArguments};
use crate::devices::Devices;
use crate::owning::{self, Stay};
use crate::start::config;

/// Bytes of a token that are read; one that is longer is refused further on.
const MAX_TOKEN: u64 = 4_096;

/// How long a change of the room's devices may take to show.
const SHOWN: Duration = Duration::from_secs(2);

pub(super) fn run(arguments: &Arguments, room: &RoomArguments) -> Result<ExitCode, Failure> {
    let tool = tool(&room.action);
    let runtime = super::runtime()?;
    runtime
        .block_on(act(arguments, room))
        .map_err(|failure| failure.told(tool, room.json))
}

/// The tool's name in the output contract.
fn tool(action: &RoomAction) -> &'static str {
    match action {
        RoomAction::List { .. } => "list_devices",
        RoomAction::Status { .. } => "device_status",
        RoomAction::Led { .. } => "led_set",
        RoomAction::Audio { .. } => "audio_play",
        RoomAction::Puzzle { .. } => "puzzle_set_state",
        RoomAction::Camera { .. } => "camera_capture",
        RoomAction::Advance { .. } | RoomAction::Override { .. } => "scenario_advance",
        RoomAction::Add { .. } => "device_add",
        RoomAction::Token { .. } => "device_token",
        RoomAction::Remove { .. } => "device_remove",
    }
}

async fn act(arguments: &Arguments, room: &RoomArguments) -> Result<ExitCode, Failure> {
    // Before an engine is started: nobody waits for a person who types.
    let token = match &room.action {
        RoomAction::Token { .. } => Some(typed_token()?),
        _ => None,
    };
    let picture = match &room.action {
        RoomAction::Camera { out, .. } => OutputFile::wanted(Some(out))?,
        _ => None,
    };
    let source = Arc::new(Devices::asked(arguments));
    let engine = owning::start_engine(config(arguments)?, source, Stay::Brief).await?;
    engine.open_room().await;
    for warning in &engine.state().borrow().warnings {
        super::complain(&format!("{} {}", warning.message, warning.hint));
    }
    let answer = perform(&engine, &room.action, token, picture).await;
    engine.stop().await;
    let answer = answer?;
    answer.print(room.json)?;
    Ok(answer.exit_code())
}

async fn perform(
    engine: &Engine,
    action: &RoomAction,
    token: Option<String>,
    picture: Option<OutputFile>,
) -> Result<Answer, Failure> {
    let tool = tool(action);
    if let Some((device, request)) = asked(action) {
        let done = engine.ask_device(Door::Cli, device, request).await?;
        return told(tool, device, done, picture);
    }
    match action {
        RoomAction::List { wait } => Ok(list(engine, *wait).await),
        RoomAction::Add {
            device,
            address,
            name,
            room,
        } => {
            let form = DeviceForm {
                id: device.clone(),
                replaces: None,
                found: None,
                name: name.clone(),
                room: room.clone(),
                address: Some(address.clone()),
                via: None,
                volume_limit: Volume::try_from(Volume::MOST).map_err(EngineError::from)?,
                token: None,
            };
            engine.save_device(form).await?;
            let text = format!("{device} is in the room now. Its token: regie room token {device}");
            Ok(answer(tool, text, json!({ "device_id": device })))
        }
        RoomAction::Remove { device } => {
            engine.remove_device(device).await?;
            let text = format!("{device} is not in the room any more.");
            Ok(answer(tool, text, json!({ "device_id": device })))
        }
        RoomAction::Token { device } => keep_token(engine, tool, device, token).await,
        _ => Err(EngineError::Closing.into()),
    }
}

/// What an action asks of a device, where it asks one.
fn asked(action: &RoomAction) -> Option<(&str, Request)> {
    match action {
        RoomAction::Status { device } => Some((device, Request::Status)),
        RoomAction::Led {
            device,
            zone,
            color,
            pattern,
            brightness,
            duration_ms,
        } => {
            let change = LedChange {
                zone: *zone,
                color: *color,
                pattern: *pattern,
                brightness: brightness.unwrap_or_default(),
                duration_ms: duration_ms.unwrap_or_default(),
            };
            Some((device, Request::Led(change)))
        }
        RoomAction::Audio {
            device,
            action,
            source,
            volume,
            looped,
        } => {
            let change = AudioChange {
                action: *action,
                source: source.clone(),
                volume: volume.unwrap_or_default(),
                looped: *looped,
            };
            Some((device, Request::Audio(change)))
        }
        RoomAction::Puzzle {
            device,
            puzzle,
            state,
            no_effects,
        } => {
            let change = PuzzleChange {
                puzzle: *puzzle,
                state: *state,
                effects: !no_effects,
            };
            Some((device, Request::Puzzle(change)))
        }
        RoomAction::Camera {
            device,
            resolution,
            quality,
            ..
        } => {
            let capture = Capture {
                resolution: *resolution,
                quality: quality.unwrap_or_default(),
            };
            Some((device, Request::Camera(capture)))
        }
        RoomAction::Advance {
            device,
            event,
            name,
            to,
        } => {
            let advance = Advance {
                event: *event,
                name: name.clone(),
                target: to.clone(),
            };
            Some((device, Request::Scenario(advance)))
        }
        RoomAction::Override { device, name, to } => {
            let advance = Advance {
                event: EventType::Manual,
                name: name.clone(),
                target: to.clone(),
            };
            Some((device, Request::Scenario(advance)))
        }
        RoomAction::List { .. }
        | RoomAction::Add { .. }
        | RoomAction::Token { .. }
        | RoomAction::Remove { .. } => None,
    }
}

fn answer(tool: &'static str, text: String, data: Value) -> Answer {
    Answer {
        ok: true,
        tool,
        text,
        data,
        unwritten: None,
    }
}

/// What became of a request, for a person and as data.
fn told(
    tool: &'static str,
    device: &str,
    done: Done,
    picture: Option<OutputFile>,
) -> Result<Answer, Failure> {
    let mut data = json!({
        "device_id": device,
        "outcome": done.outcome,
        "sent_again": done.sent_again,
        "broadcast": done.broadcast,
        "remarks": done.remarks,
    });
    let mut text = match &done.answer {
        Said::Picture(Snapshot {
            jpeg,
            width,
            height,
        }) => {
            data["picture"] = json!({ "width": width, "height": height, "bytes": jpeg.len() });
            let mut text = format!("{width}x{height} pixels, {} bytes", jpeg.len());
            if let Some(file) = picture {
                let path = file.path().display().to_string();
                file.write(jpeg)?;
                // Writing to a string does not fail.
                let _written = write!(text, ": {path}");
            }
            text
        }
        Said::Json(reply) if tool == "device_status" => {
            data["reply"] = reply.clone();
            serde_json::to_string_pretty(reply).unwrap_or_default()
        }
        Said::Json(reply) => {
            data["reply"] = reply.clone();
            match done.outcome {
                Outcome::Confirmed => format!("Done: {device} shows it."),
                Outcome::Accepted => format!("{device} said yes; nothing it tells shows more."),
                Outcome::NoChangeSeen => {
                    format!("{device} said yes, but its state is what it was. Look at it.")
                }
            }
        }
    };
    if done.broadcast {
        text.push_str(" It went to every device that hears the gateway.");
    }
    for remark in &done.remarks {
        text.push('\n');
        text.push_str(remark);
    }
    Ok(answer(tool, text, data))
}

/// Keeps a device's token where it outlasts this command.
async fn keep_token(
    engine: &Engine,
    tool: &'static str,
    device: &DeviceId,
    token: Option<String>,
) -> Result<Answer, Failure> {
    let given = token.filter(|token| !token.is_empty());
    let has = given.is_some();
    engine.set_device_token(device, given).await?;
    if has && let SecretsState::Memory { fault } = &engine.state().borrow().secrets {
        // It is forgotten with this command.
        return Err(fault.clone().into());
    }
    let text = match has {
        true => format!("The token of {device} is kept."),
        false => format!("{device} has no token any more."),
    };
    Ok(answer(
        tool,
        text,
        json!({ "device_id": device, "token": has }),
    ))
}

/// A token from the standard input: its first line.
fn typed_token() -> Result<String, Failure> {
    let input = io::stdin().lock();
    if input.is_terminal() {
        super::complain("Type or paste the token, then press Enter; it is shown as you type.");
    }
    let mut token = String::new();
    input
        .take(MAX_TOKEN)
        .read_line(&mut token)
        .map_err(|error| {
            Failure::argument(
                format!("The token cannot be read: {error}."),
                "Write it to the standard input: regie room token zacus-main < token",
            )
        })?;
    Ok(token.trim().to_owned())
}

/// The devices, once those that answer have answered or the time is up.
async fn list(engine: &Engine, wait: u32) -> Answer {
    let mut state = engine.room_state();
    let limit = Duration::from_secs(wait.into());
    // Set devices show within a moment; found ones and slow ones get the whole time.
    let known = state.wait_for(|state| !state.devices.is_empty());
    drop(timeout(SHOWN.min(limit), known).await);
    let asked = |state: &RoomState| {
        let unasked = |device: &DeviceState| device.condition == Condition::Unasked;
        !state.devices.iter().any(unasked)
    };
    if engine.state().borrow().settings.room.search {
        sleep(limit).await;
    } else {
        drop(timeout(limit, state.wait_for(asked)).await);
    }
    let state = state.borrow().clone();
    let data = serde_json::to_value(&state).unwrap_or_default();
    answer("list_devices", table(&state), data)
}

/// The room as a person reads it.
fn table(state: &RoomState) -> String {
    if state.devices.is_empty() && state.found.is_empty() {
        return match &state.search {
            SearchState::Unavailable { detail } => {
                format!("There is no device, and none can be searched for: {detail}")
            }
            SearchState::Off | SearchState::Running { .. } => {
                "There is no device. regie room add zacus-main 192.168.0.50 adds one.".to_owned()
            }
        };
    }
    let width = state
        .devices
        .iter()
        .map(|device| device.id.as_str().len())
        .max()
        .unwrap_or_default()
        .max(6);
    let mut lines = vec![format!(
        "{:width$}  {:14}  {:22}  {:9}  {:>8}  STATE",
        "DEVICE", "ROOM", "ADDRESS", "SPEAKS", "SIGNAL"
    )];
    for device in &state.devices {
        let reading = device.reading.as_ref();
        let signal = reading.and_then(|reading| reading.rssi);
        lines.push(format!(
            "{:width$}  {:14}  {:22}  {:9}  {:>8}  {}",
            device.id.as_str(),
            device.room.as_deref().unwrap_or("-"),
            place(device),
            device
                .family
                .map_or_else(|| "-".into(), |family| family.to_string()),
            signal.map_or_else(|| "-".into(), |rssi| format!("{rssi} dBm")),
            condition(device),
        ));
    }
    lines.extend(state.found.iter().map(found));
    lines.join("\n")
}

fn place(device: &DeviceState) -> String {
    match (&device.via, &device.address) {
        (Some(gateway), _) => format!("via {gateway}"),
        (None, Some(address)) => address.clone(),
        (None, None) => "-".to_owned(),
    }
}

fn condition(device: &DeviceState) -> String {
    let age = || match (
        device.answered_at,
        SystemTime::now().duration_since(UNIX_EPOCH),
    ) {
        (Some(at), Ok(now)) => {
            let now = u64::try_from(now.as_millis()).unwrap_or(u64::MAX);
            format!(", {} s ago", now.saturating_sub(at) / 1_000)
        }
        _ => String::new(),
    };
    match &device.condition {
        Condition::Unasked => "not asked yet".to_owned(),
        Condition::Answering => format!("answering{}", age()),
        Condition::Unreachable { detail } => format!("silent: {detail}"),
        Condition::NoToken => "asks for a token".to_owned(),
        Condition::TokenRefused => "refuses its token".to_owned(),
        Condition::ReadingOnly => "takes its token for reading only".to_owned(),
        Condition::SetupMode => "in setup mode".to_owned(),
        Condition::Throttled { .. } => "asks to be left alone for a moment".to_owned(),
        Condition::Garbled { detail } => format!("unreadable: {detail}"),
        Condition::Relayed => "only its gateway can be asked".to_owned(),
    }
}

fn found(found: &FoundDevice) -> String {
    let family = found
        .family
        .map_or_else(|| "unknown".into(), |family| family.to_string());
    format!(
        "new: \"{}\" at {} ({family}); regie room add {} {}",
        found.name, found.address, found.suggested_id, found.address
    )
}
