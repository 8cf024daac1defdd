//! What can be asked of a device: the six requests of the room's contract, with its names, ranges
//! and defaults.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::error::RoomError;

/// One thing asked of a device.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "request", rename_all = "kebab-case")]
#[cfg_attr(
    feature = "ts",
    derive(ts_rs::TS),
    ts(export, rename = "DeviceRequest")
)]
pub enum Request {
    /// Lock, unlock or reset a puzzle.
    Puzzle(PuzzleChange),
    /// Play or stop sound.
    Audio(AudioChange),
    /// Colour its LEDs.
    Led(LedChange),
    /// Take a picture.
    Camera(Capture),
    /// Send an event to its scenario.
    Scenario(Advance),
    /// Read its state.
    Status,
}

impl Request {
    /// The name of the tool that asks for it, such as `led_set`.
    #[must_use]
    pub fn tool(&self) -> &'static str {
        match self {
            Self::Puzzle(_) => "puzzle_set_state",
            Self::Audio(_) => "audio_play",
            Self::Led(_) => "led_set",
            Self::Camera(_) => "camera_capture",
            Self::Scenario(_) => "scenario_advance",
            Self::Status => "device_status",
        }
    }

    /// Whether this is the game master's override, which no guard holds up.
    #[must_use]
    pub fn is_override(&self) -> bool {
        matches!(self, Self::Scenario(advance) if advance.event == EventType::Manual)
    }

    /// Whether twice comes to the same as once.
    #[must_use]
    pub fn is_idempotent(&self) -> bool {
        match self {
            Self::Puzzle(_) | Self::Led(_) | Self::Camera(_) | Self::Status => true,
            Self::Audio(audio) => audio.action == AudioAction::Stop,
            Self::Scenario(_) => false,
        }
    }
}

/// Makes an enum of names: each variant with its name on the wire, once.
macro_rules! named {
    ($(#[$about:meta])* $what:literal $type:ident { $($(#[$of:meta])* $variant:ident = $name:literal,)* }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
        #[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
        pub enum $type {
            $($(#[$of])* #[serde(rename = $name)] $variant,)*
        }

        impl $type {
            /// Every one, in the order of the contract.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// Its name on the wire.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                }
            }
        }

        impl FromStr for $type {
            type Err = RoomError;

            fn from_str(text: &str) -> Result<Self, RoomError> {
                Self::ALL
                    .iter()
                    .find(|value| value.name() == text)
                    .copied()
                    .ok_or_else(|| RoomError::NameUnknown {
                        what: $what,
                        given: text.chars().take(64).collect(),
                        known: Self::ALL.iter().map(|value| value.name()).collect::<Vec<_>>().join(", "),
                    })
            }
        }

        impl fmt::Display for $type {
            fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str(self.name())
            }
        }
    };
}

named! {
    /// The puzzles of the contract.
    "puzzle" Puzzle {
        /// The vial.
        Fiole = "PUZZLE_FIOLE",
        /// The safe.
        Coffre = "PUZZLE_COFFRE",
        /// The mirror.
        Miroir = "PUZZLE_MIROIR",
        /// The gears.
        Engrenage = "PUZZLE_ENGRENAGE",
        /// The crystal.
        Crystal = "PUZZLE_CRYSTAL",
        /// The compass.
        Boussole = "PUZZLE_BOUSSOLE",
    }
}

named! {
    /// What a puzzle is set to.
    "state" PuzzleState {
        /// Closed.
        Locked = "locked",
        /// Open.
        Unlocked = "unlocked",
        /// As before the game.
        Reset = "reset",
    }
}

named! {
    /// What is done with sound.
    "action" AudioAction {
        /// Play from the start.
        Play = "play",
        /// End.
        Stop = "stop",
        /// Hold.
        Pause = "pause",
        /// Go on.
        Resume = "resume",
    }
}

named! {
    /// LEDs of a device.
    "zone" Zone {
        /// The room's light.
        Ambient = "ambient",
        /// At the puzzle.
        Puzzle = "puzzle",
        /// Warning lights.
        Alert = "alert",
        /// All of them.
        All = "all",
    }
}

named! {
    /// How LEDs change over time.
    "pattern" Pattern {
        /// They do not.
        Solid = "solid",
        /// Slowly up and down.
        Breathe = "breathe",
        /// One after the other.
        Chase = "chase",
        /// Through all colours.
        Rainbow = "rainbow",
        /// Quickly up and down.
        Pulse = "pulse",
        /// Dark.
        Off = "off",
    }
}

named! {
    /// The contract's named colours.
    "colour" NamedColour {
        /// Red.
        Red = "red",
        /// Green.
        Green = "green",
        /// Blue.
        Blue = "blue",
        /// White.
        White = "white",
        /// Dark.
        Off = "off",
        /// Warm white.
        Warm = "warm",
        /// Cold white.
        Cold = "cold",
        /// Purple.
        Purple = "purple",
        /// Orange.
        Orange = "orange",
    }
}

named! {
    /// How large a picture is.
    "resolution" Resolution {
        /// 160x120.
        Qqvga = "QQVGA",
        /// 320x240.
        Qvga = "QVGA",
        /// 640x480.
        Vga = "VGA",
    }
}

named! {
    /// Types of scenario events.
    "event type" EventType {
        /// A button.
        Button = "button",
        /// The serial line.
        Serial = "serial",
        /// A timer.
        Timer = "timer",
        /// A sound has ended.
        AudioDone = "audio_done",
        /// Something was unlocked.
        Unlock = "unlock",
        /// A message by ESP-NOW.
        Espnow = "espnow",
        /// An action of the scenario.
        Action = "action",
        /// The game master's override.
        Manual = "manual",
    }
}

/// A colour: `#RRGGBB` or one of the contract's names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export, type = "string"))]
pub enum Colour {
    /// Red, green and blue.
    Rgb([u8; 3]),
    /// A name.
    Named(NamedColour),
}

impl FromStr for Colour {
    type Err = RoomError;

    fn from_str(text: &str) -> Result<Self, RoomError> {
        let invalid = || RoomError::ColourInvalid {
            colour: text.chars().take(32).collect(),
        };
        let Some(digits) = text.strip_prefix('#') else {
            return text.parse().map(Self::Named).map_err(|_| invalid());
        };
        if digits.len() != 6 || !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(invalid());
        }
        let value = u32::from_str_radix(digits, 16).map_err(|_| invalid())?;
        let [_, red, green, blue] = value.to_be_bytes();
        Ok(Self::Rgb([red, green, blue]))
    }
}

impl TryFrom<String> for Colour {
    type Error = RoomError;

    fn try_from(text: String) -> Result<Self, RoomError> {
        text.parse()
    }
}

impl From<Colour> for String {
    fn from(colour: Colour) -> Self {
        colour.to_string()
    }
}

impl fmt::Display for Colour {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rgb([red, green, blue]) => write!(out, "#{red:02X}{green:02X}{blue:02X}"),
            Self::Named(name) => out.write_str(name.name()),
        }
    }
}

/// Makes a number within bounds.
macro_rules! bounded {
    ($(#[$about:meta])* $what:literal $type:ident($inner:ident: $least:literal..=$most:literal) = $default:literal) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(try_from = "i64", into = "i64")]
        #[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export, type = "number"))]
        pub struct $type($inner);

        impl $type {
            /// The least there is.
            pub const LEAST: i64 = $least;
            /// The most there is.
            pub const MOST: i64 = $most;

            /// The number.
            #[must_use]
            pub fn get(self) -> $inner {
                self.0
            }
        }

        impl Default for $type {
            fn default() -> Self {
                Self($default)
            }
        }

        impl TryFrom<i64> for $type {
            type Error = RoomError;

            fn try_from(value: i64) -> Result<Self, RoomError> {
                if !(Self::LEAST..=Self::MOST).contains(&value) {
                    return Err(RoomError::OutOfRange {
                        what: $what,
                        given: value,
                        least: Self::LEAST,
                        most: Self::MOST,
                    });
                }
                $inner::try_from(value).map(Self).map_err(|_| RoomError::OutOfRange {
                    what: $what,
                    given: value,
                    least: Self::LEAST,
                    most: Self::MOST,
                })
            }
        }

        impl From<$type> for i64 {
            fn from(value: $type) -> i64 {
                value.0.into()
            }
        }
    };
}

bounded! {
    /// Loudness in percent, 0..=100; 70 where nothing is said.
    "volume" Volume(u8: 0..=100) = 70
}

bounded! {
    /// Brightness, 0..=255; 128 where nothing is said.
    "brightness" Brightness(u8: 0..=255) = 128
}

bounded! {
    /// JPEG quality as cameras count it, 10..=63, lower is better; 20 where nothing is said.
    "quality" Quality(u8: 10..=63) = 20
}

bounded! {
    /// Milliseconds after which LEDs go dark by themselves, up to a day; 0, the default, is never.
    "duration_ms" LedDuration(u32: 0..=86_400_000) = 0
}

/// Makes a text within bounds.
macro_rules! text {
    ($(#[$about:meta])* $what:literal $type:ident($most:literal)) => {
        $(#[$about])*
        #[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "String")]
        #[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export, type = "string"))]
        pub struct $type(String);

        impl $type {
            /// Most characters.
            pub const MOST: usize = $most;

            /// The text.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl FromStr for $type {
            type Err = RoomError;

            fn from_str(text: &str) -> Result<Self, RoomError> {
                let length = text.chars().count();
                if length == 0 || length > Self::MOST || text.chars().any(char::is_control) {
                    return Err(RoomError::TextInvalid { what: $what, most: Self::MOST });
                }
                Ok(Self(text.to_owned()))
            }
        }

        impl TryFrom<String> for $type {
            type Error = RoomError;

            fn try_from(text: String) -> Result<Self, RoomError> {
                text.parse()
            }
        }

        impl From<$type> for String {
            fn from(text: $type) -> Self {
                text.0
            }
        }

        impl fmt::Display for $type {
            fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str(&self.0)
            }
        }
    };
}

text! {
    /// A file on the device such as `/audio/hint_01.mp3`, or an HTTP URL; 1..=512 characters.
    "source" AudioSource(512)
}

text! {
    /// The name of a scenario event, such as `UNLOCK_COFFRE`; 1..=64 characters.
    "event_name" EventName(64)
}

text! {
    /// A step of a scenario; 1..=64 characters.
    "target_step_id" StepId(64)
}

/// A puzzle and what it is set to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
pub struct PuzzleChange {
    /// Which.
    pub puzzle: Puzzle,
    /// To what.
    pub state: PuzzleState,
    /// Play the light and sound that go with it.
    pub effects: bool,
}

/// What is to be heard.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
pub struct AudioChange {
    /// What is done.
    pub action: AudioAction,
    /// Which sound.
    pub source: AudioSource,
    /// How loud.
    pub volume: Volume,
    /// Again and again.
    #[serde(rename = "loop")]
    pub looped: bool,
}

/// What LEDs are to show.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
pub struct LedChange {
    /// Which LEDs.
    pub zone: Zone,
    /// In which colour.
    pub color: Colour,
    /// How it changes.
    pub pattern: Pattern,
    /// How bright.
    pub brightness: Brightness,
    /// For how long.
    pub duration_ms: LedDuration,
}

/// A picture to take.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
pub struct Capture {
    /// How large.
    pub resolution: Resolution,
    /// How good.
    pub quality: Quality,
}

/// An event for a scenario.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
pub struct Advance {
    /// Its type.
    pub event: EventType,
    /// Its name.
    pub name: EventName,
    /// The step to go to, whatever the scenario says.
    pub target: Option<StepId>,
}
