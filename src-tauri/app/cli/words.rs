//! Words on the command line, as the engine takes them.

use std::io;
use std::path::Path;

use regie_engine::{
    Alignment, Composition, TemplatePage, TextPage, read_small_text, read_small_text_from,
};
use regie_imaging::{Ink, Palette};
use serde_json::Value;

use super::Failure;
use crate::arguments::ClockAction;

/// The page that an action asks for.
pub(super) fn composition(action: &ClockAction) -> Result<Composition, Failure> {
    match action {
        ClockAction::Text {
            text,
            ink,
            paper,
            align,
            thin,
            size,
            ..
        } => Ok(Composition::Text(TextPage {
            text: lines(text),
            ink: self::ink(ink),
            paper: self::ink(paper),
            align: match align.as_str() {
                "start" => Alignment::Start,
                "end" => Alignment::End,
                _ => Alignment::Centre,
            },
            bold: !thin,
            size: *size,
        })),
        ClockAction::Template {
            name,
            payload: given,
            mono,
            ..
        } => Ok(Composition::Template(TemplatePage {
            template: name.clone(),
            payload: payload(name, given.as_deref())?,
            palette: if *mono {
                Palette::BlackWhite
            } else {
                Palette::BlackWhiteRed
            },
        })),
        _ => Err(Failure::argument("That is no page of words.".into(), "")),
    }
}

fn ink(name: &str) -> Ink {
    match name {
        "white" => Ink::White,
        "red" => Ink::Red,
        _ => Ink::Black,
    }
}

/// The words of an argument; `\n` in them begins a new line, since few shells let one type that.
pub(super) fn lines(words: &str) -> String {
    words.replace("\\n", "\n")
}

/// What stands for the standard input where a file can be named.
const STANDARD_INPUT: &str = "-";

/// JSON as given, or from a file of that name or the standard input; the template's example where
/// nothing is given.
fn payload(template: &str, given: Option<&str>) -> Result<Value, Failure> {
    let Some(given) = given else {
        let example = regie_engine::templates()
            .into_iter()
            .find(|known| known.name.eq_ignore_ascii_case(template.trim()))
            .map(|known| known.example);
        return Ok(example.unwrap_or_default());
    };
    // A number or `null` is JSON too, while 2026-menu.json is the name of a file.
    let whole = serde_json::from_str(given);
    if whole.is_ok() || given.trim_start().starts_with(['{', '[', '"']) {
        return whole.map_err(|error| no_json(&error));
    }
    let text = if given == STANDARD_INPUT {
        read_small_text_from(io::stdin().lock())
    } else {
        read_small_text(Path::new(given))
    };
    let text = text.map_err(|error| {
        Failure::argument(
            format!("\"{given}\" cannot be read: {error}."),
            "Give the payload as JSON that begins with {, a plain file of at most 256 KB with JSON \
             in it, or - to read it from the standard input.",
        )
    })?;
    // Windows' editors may put a byte order mark before UTF-8.
    serde_json::from_str(text.trim_start_matches('\u{FEFF}')).map_err(|error| no_json(&error))
}

fn no_json(error: &serde_json::Error) -> Failure {
    Failure::argument(
        format!("The payload is no JSON: {error}."),
        "Compare it with the template's example in --help.",
    )
}
