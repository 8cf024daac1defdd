//! Words on the command line, as the engine takes them.

use std::fs;

use regie_engine::{Alignment, Composition, TemplatePage, TextPage};
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
            text: text.replace("\\n", "\n"),
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

/// JSON as given, or from a file of that name; the template's example where nothing is given.
fn payload(template: &str, given: Option<&str>) -> Result<Value, Failure> {
    let Some(given) = given else {
        let example = regie_engine::templates()
            .into_iter()
            .find(|known| known.name == template)
            .map(|known| known.example);
        return Ok(example.unwrap_or_default());
    };
    let text = if given.trim_start().starts_with('{') {
        given.to_owned()
    } else {
        fs::read_to_string(given).map_err(|error| {
            Failure::argument(
                format!("\"{given}\" cannot be read: {error}."),
                "Give the payload as JSON that begins with {, or a file with JSON in it.",
            )
        })?
    };
    serde_json::from_str(&text).map_err(|error| {
        Failure::argument(
            format!("The payload is no JSON: {error}."),
            "Compare it with the template's example in --help.",
        )
    })
}
