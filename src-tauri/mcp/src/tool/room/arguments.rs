//! The arguments of the room's tools. Descriptions, names, ranges and defaults are the contract's
//! own words; only what it leaves undescribed is described here.

use regie_engine::rooms::request::{
    Advance, AudioAction, AudioChange, AudioSource, Brightness, Capture, Colour, EventName,
    EventType, LedChange, LedDuration, NamedColour, Pattern, Puzzle, PuzzleChange, PuzzleState,
    Quality, Request, Resolution, StepId, Volume, Zone,
};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;

use super::{Asked, Failure};
use crate::tool::nearest::nearest;
use crate::tool::{Effect, RoomTool};
use crate::toolset::Toolset;

/// Makes the schema of an enum of names.
macro_rules! names {
    ($($function:ident: $type:ident,)*) => {
        $(fn $function(_: &mut SchemaGenerator) -> Schema {
            let names: Vec<&str> = $type::ALL.iter().map(|value| value.name()).collect();
            json_schema!({ "type": "string", "enum": names })
        })*
    };
}

names! {
    puzzles: Puzzle,
    puzzle_states: PuzzleState,
    audio_actions: AudioAction,
    zones: Zone,
    patterns: Pattern,
    resolutions: Resolution,
    event_types: EventType,
}

/// Makes the schema of a number within bounds.
macro_rules! ranges {
    ($($function:ident: $type:ident,)*) => {
        $(fn $function(_: &mut SchemaGenerator) -> Schema {
            json_schema!({ "type": "integer", "minimum": $type::LEAST, "maximum": $type::MOST })
        })*
    };
}

ranges! {
    volumes: Volume,
    brightnesses: Brightness,
    qualities: Quality,
}

/// Makes the schema of a text within bounds.
macro_rules! texts {
    ($($function:ident: $type:ident,)*) => {
        $(fn $function(_: &mut SchemaGenerator) -> Schema {
            json_schema!({ "type": "string", "maxLength": $type::MOST })
        })*
    };
}

texts! {
    sources: AudioSource,
    event_names: EventName,
    steps: StepId,
}

/// The contract names no bounds, so that none are told; what is beyond a day is refused.
fn durations(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "integer" })
}

fn colours(_: &mut SchemaGenerator) -> Schema {
    let names: Vec<&str> = NamedColour::ALL.iter().map(|name| name.name()).collect();
    let pattern = format!("^(#[0-9a-fA-F]{{6}}|{})$", names.join("|"));
    json_schema!({ "type": "string", "pattern": pattern })
}

/// Set a puzzle.
#[derive(Debug, Deserialize, JsonSchema)]
pub(in crate::tool) struct PuzzleSetState {
    /// Target ESP32 device identifier
    #[schemars(length(max = 64))]
    device_id: String,
    /// Puzzle identifier from scenario runtime
    #[schemars(schema_with = "puzzles")]
    puzzle_id: Puzzle,
    /// Target state
    #[schemars(schema_with = "puzzle_states")]
    state: PuzzleState,
    /// Play associated LED/audio effects on state change
    #[serde(default = "yes")]
    effects: bool,
}

fn yes() -> bool {
    true
}

impl RoomTool for PuzzleSetState {
    const NAME: &'static str = "puzzle_set_state";
    const TITLE: &'static str = "Set a puzzle";
    const ABOUT: &'static str = "Set the state of a puzzle element (lock, unlock, reset). Triggers associated LED and audio effects.";
    // A reset takes what the players had done.
    const EFFECT: Effect = Effect::REPLACES;
    const EXAMPLE: &'static str =
        r#"{"device_id": "main-console", "puzzle_id": "PUZZLE_COFFRE", "state": "unlocked"}"#;

    fn asked(self) -> Result<Asked, Failure> {
        Ok(Asked {
            device: self.device_id,
            request: Request::Puzzle(PuzzleChange {
                puzzle: self.puzzle_id,
                state: self.state,
                effects: self.effects,
            }),
        })
    }
}

/// Play or stop sound.
#[derive(Debug, Deserialize, JsonSchema)]
pub(in crate::tool) struct AudioPlay {
    /// Target ESP32 device identifier
    #[schemars(length(max = 64))]
    device_id: String,
    /// Audio source: LittleFS path (/audio/hint_01.mp3) or HTTP URL
    #[schemars(schema_with = "sources")]
    source: AudioSource,
    /// Playback volume (0-100)
    #[serde(default)]
    #[schemars(schema_with = "volumes")]
    volume: Volume,
    /// Loop playback continuously
    #[serde(default, rename = "loop")]
    looped: bool,
    /// What to do with the source
    #[serde(default = "play")]
    #[schemars(schema_with = "audio_actions")]
    action: AudioAction,
}

fn play() -> AudioAction {
    AudioAction::Play
}

impl RoomTool for AudioPlay {
    const NAME: &'static str = "audio_play";
    const TITLE: &'static str = "Play or stop sound";
    const ABOUT: &'static str = "Play an audio file or stream on the ESP32 speaker. Supports local files (LittleFS) and HTTP URLs.";
    const EFFECT: Effect = Effect::FLIPS;
    const EXAMPLE: &'static str =
        r#"{"device_id": "main-console", "source": "/audio/hint_01.mp3", "volume": 60}"#;

    fn asked(self) -> Result<Asked, Failure> {
        Ok(Asked {
            device: self.device_id,
            request: Request::Audio(AudioChange {
                action: self.action,
                source: self.source,
                volume: self.volume,
                looped: self.looped,
            }),
        })
    }
}

/// Colour LEDs.
#[derive(Debug, Deserialize, JsonSchema)]
pub(in crate::tool) struct LedSet {
    /// Target ESP32 device identifier
    #[schemars(length(max = 64))]
    device_id: String,
    /// LED zone identifier
    #[schemars(schema_with = "zones")]
    zone: Zone,
    /// Hex color (#RRGGBB) or named color
    #[schemars(schema_with = "colours")]
    color: String,
    /// How the color changes over time
    #[serde(default = "solid")]
    #[schemars(schema_with = "patterns")]
    pattern: Pattern,
    /// Brightness of the LEDs (0-255)
    #[serde(default)]
    #[schemars(schema_with = "brightnesses")]
    brightness: Brightness,
    /// Auto-off after duration (0 = indefinite)
    #[serde(default)]
    #[schemars(schema_with = "durations")]
    duration_ms: LedDuration,
}

fn solid() -> Pattern {
    Pattern::Solid
}

impl RoomTool for LedSet {
    const NAME: &'static str = "led_set";
    const TITLE: &'static str = "Colour the LEDs";
    const ABOUT: &'static str =
        "Control LED strips: set color, pattern, brightness. Supports WS2812B addressable LEDs.";
    const EFFECT: Effect = Effect::SETS;
    const EXAMPLE: &'static str = r##"{"device_id": "main-console", "zone": "puzzle", "color": "#00FF00", "pattern": "pulse", "brightness": 200}"##;

    fn asked(self) -> Result<Asked, Failure> {
        Ok(Asked {
            device: self.device_id,
            request: Request::Led(LedChange {
                zone: self.zone,
                color: colour(&self.color)?,
                pattern: self.pattern,
                brightness: self.brightness,
                duration_ms: self.duration_ms,
            }),
        })
    }
}

/// A colour as callers write it: in any case, and digits without their `#`.
fn colour(text: &str) -> Result<Colour, Failure> {
    let lower = text.trim().to_ascii_lowercase();
    let hexadecimal = || format!("#{lower}").parse::<Colour>();
    lower.parse().or_else(|_| hexadecimal()).map_err(|_| {
        let names = NamedColour::ALL.iter().map(|name| name.name());
        let known: Vec<&str> = names.collect();
        let meant = nearest(&lower, known.iter().copied())
            .map(|meant| format!(" The nearest is \"{meant}\"."))
            .unwrap_or_default();
        let shown: String = text.chars().take(SHOWN).collect();
        Failure::of_argument(
            format!("\"color\" of led_set cannot be \"{shown}\".{meant}"),
            format!("It takes #RRGGBB or one of: {}.", known.join(", ")),
        )
    })
}

/// Characters shown of a colour that is refused.
const SHOWN: usize = 40;

/// Take a picture.
#[derive(Debug, Deserialize, JsonSchema)]
pub(in crate::tool) struct CameraCapture {
    /// Target ESP32 device identifier
    #[schemars(length(max = 64))]
    device_id: String,
    /// Capture resolution (160x120, 320x240, 640x480)
    #[serde(default = "qvga")]
    #[schemars(schema_with = "resolutions")]
    resolution: Resolution,
    /// JPEG quality (lower = better, 10-63)
    #[serde(default)]
    #[schemars(schema_with = "qualities")]
    quality: Quality,
}

fn qvga() -> Resolution {
    Resolution::Qvga
}

impl RoomTool for CameraCapture {
    const NAME: &'static str = "camera_capture";
    const TITLE: &'static str = "Take a picture";
    const ABOUT: &'static str =
        "Capture a JPEG snapshot from the ESP32 camera. Returns base64-encoded image.";
    // Boards keep a file of each picture and may tell their scenario of it.
    const EFFECT: Effect = Effect::SETS;
    const EXAMPLE: &'static str = r#"{"device_id": "main-console", "resolution": "QVGA"}"#;

    fn asked(self) -> Result<Asked, Failure> {
        Ok(Asked {
            device: self.device_id,
            request: Request::Camera(Capture {
                resolution: self.resolution,
                quality: self.quality,
            }),
        })
    }
}

/// Send an event to a scenario.
#[derive(Debug, Deserialize, JsonSchema)]
pub(in crate::tool) struct ScenarioAdvance {
    /// Target ESP32 device identifier
    #[schemars(length(max = 64))]
    device_id: String,
    /// Event type per Runtime 3 transition model
    #[schemars(schema_with = "event_types")]
    event_type: EventType,
    /// Event name token (e.g., UNLOCK_COFFRE, MANUAL_ADVANCE)
    #[schemars(schema_with = "event_names")]
    event_name: EventName,
    /// Optional: force transition to specific step (game master override)
    #[serde(default)]
    #[schemars(schema_with = "steps")]
    target_step_id: Option<StepId>,
}

impl RoomTool for ScenarioAdvance {
    const NAME: &'static str = "scenario_advance";
    const TITLE: &'static str = "Advance the scenario";
    const ABOUT: &'static str = "Trigger a Runtime 3 scenario transition. Used by game masters to manually advance or reset the game.";
    const EFFECT: Effect = Effect::ANYTHING;
    const EXAMPLE: &'static str = r#"{"device_id": "main-console", "event_type": "manual", "event_name": "MANUAL_ADVANCE", "target_step_id": "STEP_QR_DETECTOR"}"#;

    fn asked(self) -> Result<Asked, Failure> {
        Ok(Asked {
            device: self.device_id,
            request: Request::Scenario(Advance {
                event: self.event_type,
                name: self.event_name,
                target: self.target_step_id,
            }),
        })
    }
}

/// Read a device's state.
#[derive(Debug, Deserialize, JsonSchema)]
pub(in crate::tool) struct RoomDeviceStatus {
    /// Target ESP32 device identifier
    #[schemars(length(max = 64))]
    device_id: String,
}

impl RoomTool for RoomDeviceStatus {
    const NAME: &'static str = "device_status";
    const TITLE: &'static str = "Status of a device";
    const ABOUT: &'static str = "Get current device status: free memory, current scenario step, uptime, WiFi RSSI, sensor readings.";
    const EFFECT: Effect = Effect::READS;
    // Among all tools, one of both kinds of device has its name.
    const TOOLSETS: &'static [Toolset] = &[Toolset::Room];
    const EXAMPLE: &'static str = r#"{"device_id": "main-console"}"#;

    fn asked(self) -> Result<Asked, Failure> {
        Ok(Asked {
            device: self.device_id,
            request: Request::Status,
        })
    }
}
