//! The commands of the Freenove board, which it takes by HTTP and by ESP-NOW alike.

use crate::request::{
    Advance, AudioAction, AudioChange, Colour, EventType, LedChange, NamedColour, Pattern,
    PuzzleChange, PuzzleState, Request, Zone,
};
use crate::state::Reading;

use super::{Lack, colour, lack};

/// One command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Command {
    /// An event for the scenario.
    Event {
        /// Its type, one of the board's.
        kind: &'static str,
        /// Its name, upper case.
        name: String,
    },
    /// To the first step that shows this scene.
    Goto(String),
    /// On to the next step, as with the board's button.
    Next,
    /// A colour for all LEDs.
    Led {
        /// Red, green and blue.
        rgb: [u8; 3],
        /// 0..=255.
        brightness: u8,
        /// Up and down rather than still.
        pulse: bool,
    },
    /// A file to play.
    Play(String),
    /// Silence.
    Stop,
}

/// A command with what it does not do exactly.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Told {
    /// The command.
    pub(crate) command: Command,
    /// English sentences.
    pub(crate) remarks: Vec<String>,
}

impl Command {
    /// The command's name and its arguments as the board's own lines have them.
    pub(crate) fn words(&self) -> (&'static str, String) {
        match self {
            Self::Event { kind, name } => ("SC_EVENT", format!("{kind} {name}")),
            Self::Goto(scene) => ("SCENE_GOTO", scene.clone()),
            Self::Next => ("NEXT", String::new()),
            Self::Led {
                rgb: [red, green, blue],
                brightness,
                pulse,
            } => (
                "HW_LED_SET",
                format!("{red} {green} {blue} {brightness} {}", u8::from(*pulse)),
            ),
            Self::Play(path) => ("MEDIA_PLAY", path.clone()),
            Self::Stop => ("MEDIA_STOP", String::new()),
        }
    }
}

/// The command that a request comes to.
///
/// # Errors
/// The part that the board cannot do.
pub(crate) fn command(request: &Request, last: Option<&Reading>) -> Result<Told, Lack> {
    match request {
        Request::Puzzle(change) => puzzle(change),
        Request::Audio(change) => audio(change),
        Request::Led(change) => led(change),
        Request::Scenario(advance) => scenario(advance, last),
        Request::Camera(_) | Request::Status => Err(Lack::whole(request.tool())),
    }
}

/// `UNLOCK_COFFRE` for `PUZZLE_COFFRE`: the board knows no puzzles, only events that unlock, and the
/// contract names the event of that puzzle so.
pub(crate) fn unlocking(change: &PuzzleChange) -> String {
    let name = change.puzzle.name();
    format!("UNLOCK_{}", name.strip_prefix("PUZZLE_").unwrap_or(name))
}

fn puzzle(change: &PuzzleChange) -> Result<Told, Lack> {
    match change.state {
        PuzzleState::Unlocked => {}
        PuzzleState::Locked => {
            return Err(Lack::of(
                lack::PUZZLE_LOCK,
                "locking a puzzle (its firmware only unlocks)",
            ));
        }
        PuzzleState::Reset => {
            return Err(Lack::of(
                lack::PUZZLE_RESET,
                "resetting a puzzle (its firmware only unlocks)",
            ));
        }
    }
    // To unlock with light and sound where silence was asked for would give a game away.
    if !change.effects {
        return Err(Lack::of(
            lack::PUZZLE_EFFECTS,
            "unlocking without effects (its scenario decides on light and sound)",
        ));
    }
    let name = unlocking(change);
    Ok(Told {
        remarks: vec![format!(
            "It was told the event \"unlock {name}\"; its scenario decides what follows."
        )],
        command: Command::Event {
            kind: EventType::Unlock.name(),
            name,
        },
    })
}

fn audio(change: &AudioChange) -> Result<Told, Lack> {
    let source = change.source.as_str();
    let command = match change.action {
        AudioAction::Play if is_url(source) => {
            return Err(Lack::of(
                lack::AUDIO_URL,
                "sound from a URL (it plays its own files only)",
            ));
        }
        AudioAction::Play if change.looped => {
            return Err(Lack::of(lack::AUDIO_LOOP, "looping (it plays a file once)"));
        }
        AudioAction::Play => Command::Play(source.to_owned()),
        AudioAction::Stop => Command::Stop,
        AudioAction::Pause | AudioAction::Resume => {
            return Err(Lack::of(
                lack::TOOL,
                format!("{} (there is no such command)", change.action),
            ));
        }
    };
    Ok(Told {
        command,
        remarks: Vec::new(),
    })
}

fn is_url(source: &str) -> bool {
    let starts = |scheme: &str| {
        source
            .get(..scheme.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(scheme))
    };
    starts("http://") || starts("https://")
}

/// All LEDs of the board have one colour. A zone is done all the same, since every cue that was
/// written for the contract names one and light on all four LEDs is what it is after; the remark
/// says so.
fn led(change: &LedChange) -> Result<Told, Lack> {
    if change.duration_ms.get() > 0 {
        return Err(Lack::of(
            lack::LED_DURATION,
            "going dark after a time (its LEDs stay as they are set)",
        ));
    }
    let pulse = match change.pattern {
        Pattern::Solid | Pattern::Off => false,
        Pattern::Pulse | Pattern::Breathe => true,
        Pattern::Chase | Pattern::Rainbow => {
            return Err(Lack::of(
                lack::LED_PATTERN,
                format!(
                    "the pattern \"{}\" (its LEDs are still or pulse)",
                    change.pattern
                ),
            ));
        }
    };
    let mut remarks = Vec::new();
    if change.zone != Zone::All {
        remarks.push(format!(
            "Its LEDs have one colour: all of them follow, not only the zone \"{}\".",
            change.zone
        ));
    }
    if change.pattern == Pattern::Breathe {
        remarks.push("It pulses instead of breathing.".to_owned());
    }
    let rgb = colour::shown(change);
    let named_off = change.color == Colour::Named(NamedColour::Off);
    let dark = change.pattern == Pattern::Off || named_off;
    let brightness = if dark { 0 } else { change.brightness.get() };
    Ok(Told {
        command: Command::Led {
            rgb,
            brightness,
            pulse: pulse && !dark,
        },
        remarks,
    })
}

/// Names of the override that mean "on to the next step".
const NEXT: [&str; 8] = [
    "NEXT",
    "ADVANCE",
    "SKIP",
    "CONTINUE",
    "MANUAL_ADVANCE",
    "MANUAL_NEXT",
    "MANUAL_SKIP",
    "BTN_NEXT",
];

/// A target wins over any event, as it does in the contract: it is a jump. Without one, an event
/// of the board's types goes as it is.
///
/// `manual`, the game master's override, is no event of the board, so that its name decides: names
/// such as `MANUAL_ADVANCE` press the button for the next step; `UNLOCK...` unlocks, by the way
/// that also works while a step listens to its microphone; anything else goes as a `serial` event,
/// the type under which scenarios keep the steps that their authors force, and which the board
/// refuses if no step takes it.
fn scenario(advance: &Advance, last: Option<&Reading>) -> Result<Told, Lack> {
    if let Some(target) = &advance.target {
        return jump(target.as_str(), last);
    }
    let name = event_name(advance)?;
    if advance.event != EventType::Manual {
        return Ok(Told {
            command: Command::Event {
                kind: advance.event.name(),
                name,
            },
            remarks: Vec::new(),
        });
    }
    if NEXT.contains(&name.as_str()) {
        return Ok(Told {
            command: Command::Next,
            remarks: vec![
                "It was told to go on, as with its own button: it has no other override."
                    .to_owned(),
            ],
        });
    }
    let kind = if name == "UNLOCK" || name.starts_with("UNLOCK_") {
        EventType::Unlock
    } else {
        EventType::Serial
    };
    Ok(Told {
        remarks: vec![format!(
            "It was told the event \"{kind} {name}\": it has no manual events."
        )],
        command: Command::Event {
            kind: kind.name(),
            name,
        },
    })
}

fn jump(target: &str, last: Option<&Reading>) -> Result<Told, Lack> {
    let scene = scene(target, last);
    if !is_word(scene) {
        return Err(Lack::of(
            lack::SCENARIO_TARGET,
            format!("a jump to \"{target}\" (its scenes have no such names)"),
        ));
    }
    let remark = if scene == target {
        format!("It jumps to scenes, not to steps: \"{scene}\" was taken as a scene.")
    } else {
        format!("It jumps to scenes, not to steps: \"{target}\" is the scene \"{scene}\".")
    };
    Ok(Told {
        command: Command::Goto(scene.to_owned()),
        remarks: vec![remark],
    })
}

/// Steps of the scenario `DEFAULT` (version 2) whose scene has another name, as its file says.
const SCENES_OF_DEFAULT: [(&str, &str); 6] = [
    ("RTC_ESP_ETAPE1", "SCENE_WIN_ETAPE"),
    ("WIN_ETAPE1", "SCENE_WIN_ETAPE1"),
    ("SCENE_CREDIT", "SCENE_CREDITS"),
    ("STEP_WARNING", "SCENE_WARNING"),
    ("RTC_ESP_ETAPE2", "SCENE_WIN_ETAPE2"),
    ("STEP_MEDIA_MANAGER", "SCENE_MEDIA_MANAGER"),
];

/// The scene of a step, where another scenario is not known to run.
pub(crate) fn scene<'a>(target: &'a str, last: Option<&Reading>) -> &'a str {
    let scenario = last.and_then(|reading| reading.scenario.as_deref());
    if scenario.is_some_and(|scenario| scenario != "DEFAULT") {
        return target;
    }
    SCENES_OF_DEFAULT
        .iter()
        .find(|(step, _)| *step == target)
        .map_or(target, |(_, scene)| scene)
}

/// The name of an event as scenarios have them, in `A-Z0-9_`.
fn event_name(advance: &Advance) -> Result<String, Lack> {
    let name: String = advance
        .name
        .as_str()
        .chars()
        .map(|character| match character {
            character if character.is_ascii_alphanumeric() => character.to_ascii_uppercase(),
            _ => '_',
        })
        .collect();
    if name.bytes().all(|byte| byte == b'_') {
        let code = match advance.event {
            EventType::Manual => lack::SCENARIO_MANUAL,
            _ => lack::SCENARIO_EVENT,
        };
        return Err(Lack::of(
            code,
            format!(
                "the event \"{}\" (its events have names of letters and digits)",
                advance.name
            ),
        ));
    }
    Ok(name)
}

/// Whether a name stays one word in a line of the board.
fn is_word(name: &str) -> bool {
    name.bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b':' | b'.'))
}
