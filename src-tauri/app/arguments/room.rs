//! `regie room`: names, ranges and defaults are those of the room's own definitions.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use regie_engine::rooms::request::{
    AudioAction, AudioSource, Brightness, Colour, EventName, EventType, LedDuration, Pattern,
    Puzzle, PuzzleState, Quality, Resolution, StepId, Volume, Zone,
};
use regie_engine::rooms::{Address, DeviceId, RoomError};

/// What `regie room` takes from its environment, and where tokens go.
const HELP: &str = "\
Environment:
  ZACUS_DEVICES       Devices beside those of the settings, as a JSON array:
                      [{\"id\":\"zacus-main\",\"host\":\"192.168.0.50\",\"port\":8080,\"token\":\"...\"}]
  REGIE_SECRETS_FILE  Keep devices' tokens in this file instead of the system's keyring

Examples:
  regie --demo room list
  regie --demo room led zacus-main --zone all --color '#00FF00' --pattern pulse
  regie room add zacus-salle2 192.168.0.51 --room 'salle 2' && regie room token zacus-salle2 < token";

/// `regie room`.
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub struct RoomArguments {
    /// Answer as one JSON object.
    #[arg(long, global = true)]
    pub json: bool,
    /// What to do.
    #[command(subcommand)]
    pub action: RoomAction,
}

/// What can be asked of the room.
#[derive(Debug, Subcommand)]
pub enum RoomAction {
    /// List the devices, and those that are found on the network.
    List {
        /// How long to listen for answers, 1 to 60.
        #[arg(long, value_name = "SECONDS", default_value_t = 3,
              value_parser = clap::value_parser!(u32).range(1..=60))]
        wait: u32,
    },
    /// Read what a device says of itself.
    Status {
        /// The device, by its identifier.
        device: String,
    },
    /// Colour its LEDs.
    Led {
        /// The device, by its identifier.
        device: String,
        /// Which LEDs: ambient, puzzle, alert or all.
        #[arg(long, default_value = "all")]
        zone: Zone,
        /// #RRGGBB, or red, green, blue, white, off, warm, cold, purple or orange.
        #[arg(long)]
        color: Colour,
        /// solid, breathe, chase, rainbow, pulse or off.
        #[arg(long, default_value = "solid")]
        pattern: Pattern,
        /// 0 to 255; 128 by default.
        #[arg(long, value_parser = bounded::<Brightness>)]
        brightness: Option<Brightness>,
        /// Milliseconds until they go dark again; 0, the default, is never.
        #[arg(long, value_name = "MS", value_parser = bounded::<LedDuration>)]
        duration_ms: Option<LedDuration>,
    },
    /// Play or stop sound.
    Audio {
        /// The device, by its identifier.
        device: String,
        /// play, stop, pause or resume.
        action: AudioAction,
        /// A file on the device such as /audio/hint_01.mp3, or an HTTP URL.
        #[arg(default_value = "/", required_if_eq("action", "play"))]
        source: AudioSource,
        /// 0 to 100; 70 by default.
        #[arg(long, value_parser = bounded::<Volume>)]
        volume: Option<Volume>,
        /// Again and again.
        #[arg(long = "loop")]
        looped: bool,
    },
    /// Lock, unlock or reset a puzzle.
    Puzzle {
        /// The device, by its identifier.
        device: String,
        /// The puzzle, such as PUZZLE_COFFRE.
        puzzle: Puzzle,
        /// locked, unlocked or reset.
        state: PuzzleState,
        /// Without the light and sound that go with it.
        #[arg(long)]
        no_effects: bool,
    },
    /// Take a picture with its camera.
    Camera {
        /// The device, by its identifier.
        device: String,
        /// The file to write the JPEG to.
        #[arg(long, value_name = "JPEG")]
        out: PathBuf,
        /// QQVGA (160x120), QVGA (320x240) or VGA (640x480).
        #[arg(long, default_value = "QVGA")]
        resolution: Resolution,
        /// 10 to 63, lower is better; 20 by default.
        #[arg(long, value_parser = bounded::<Quality>)]
        quality: Option<Quality>,
    },
    /// Send an event to its scenario.
    Advance {
        /// The device, by its identifier.
        device: String,
        /// button, serial, timer, audio_done, unlock, espnow, action or manual.
        event: EventType,
        /// The event's name, such as UNLOCK_COFFRE.
        name: EventName,
        /// The step to go to, whatever the scenario says.
        #[arg(long, value_name = "STEP")]
        to: Option<StepId>,
    },
    /// The game master's override: an event of type manual, which no limit holds up.
    Override {
        /// The device, by its identifier.
        device: String,
        /// The event's name.
        #[arg(default_value = "MANUAL_ADVANCE")]
        name: EventName,
        /// The step to go to, whatever the scenario says.
        #[arg(long, value_name = "STEP")]
        to: Option<StepId>,
    },
    /// Take a device into the room.
    Add {
        /// The identifier it is to have: letters, digits, hyphens, underscores, full stops.
        device: DeviceId,
        /// Where it answers, such as 192.168.0.50 or 192.168.0.50:8080.
        address: Address,
        /// What people call it.
        #[arg(long, default_value = "")]
        name: String,
        /// The room it stands in.
        #[arg(long, default_value = "")]
        room: String,
    },
    /// Give a device its token, read from the standard input; an empty one takes it away.
    Token {
        /// The device, by its identifier.
        device: DeviceId,
    },
    /// Take a device out of the room, with its token and its history.
    Remove {
        /// The device, by its identifier.
        device: DeviceId,
    },
}

/// A number within the bounds of its type.
fn bounded<T: TryFrom<i64, Error = RoomError>>(text: &str) -> Result<T, String> {
    let number: i64 = text.parse().map_err(|_| "it is no whole number")?;
    T::try_from(number).map_err(|error| error.to_string())
}
