//! Members of a status, by the paths that firmwares write them under.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::request::Colour;

use super::colour;

/// Most characters of a text that is kept; the longest that firmwares send is a file's path.
const MAX_TEXT: usize = 128;

/// Most puzzles that are kept.
const MAX_PUZZLES: usize = 32;

/// What boards write where they have nothing to say.
const NOTHING: [&str; 3] = ["n/a", "none", "null"];

/// The member under a path such as `wifi.rssi`.
pub(super) fn at<'a>(value: &'a Value, path: &str) -> Option<&'a Value> {
    path.split('.').try_fold(value, |value, key| value.get(key))
}

/// The first text that is not empty.
pub(super) fn text(value: &Value, paths: &[&str]) -> Option<String> {
    paths
        .iter()
        .filter_map(|path| at(value, path))
        .find_map(plain)
}

/// A text without what a terminal or a window would act on; `None` where nothing remains.
fn plain(value: &Value) -> Option<String> {
    let text = match value {
        Value::String(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        _ => return None,
    };
    let text: String = text
        .chars()
        .filter(|character| !character.is_control())
        .take(MAX_TEXT)
        .collect();
    let text = text.trim();
    let nothing = NOTHING.iter().any(|word| text.eq_ignore_ascii_case(word));
    (!text.is_empty() && !nothing).then(|| text.to_owned())
}

/// The first number, rounded.
pub(super) fn number(value: &Value, paths: &[&str]) -> Option<i64> {
    paths
        .iter()
        .filter_map(|path| at(value, path))
        .find_map(|value| match value {
            Value::Number(number) => number
                .as_i64()
                .or_else(|| number.as_f64().and_then(rounded)),
            Value::String(text) => text.trim().parse().ok(),
            _ => None,
        })
}

/// A number without its fraction, where it is one that counts anything on a board.
fn rounded(number: f64) -> Option<i64> {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    #[expect(
        clippy::cast_possible_truncation,
        reason = "its magnitude is below 2^53"
    )]
    (number.abs() < EXACT).then(|| number.round() as i64)
}

/// The first count.
pub(super) fn count(value: &Value, paths: &[&str]) -> Option<u64> {
    number(value, paths).and_then(|number| u64::try_from(number).ok())
}

/// The first yes or no.
pub(super) fn flag(value: &Value, paths: &[&str]) -> Option<bool> {
    paths
        .iter()
        .filter_map(|path| at(value, path))
        .find_map(|value| match value {
            Value::Bool(flag) => Some(*flag),
            Value::Number(number) => number.as_u64().map(|number| number != 0),
            _ => None,
        })
}

/// A signal strength in dBm. 0 and 31 are what a radio without a connection says.
pub(super) fn rssi(value: &Value, paths: &[&str]) -> Option<i16> {
    let dbm = number(value, paths)?;
    i16::try_from(dbm)
        .ok()
        .filter(|dbm| (-127..0).contains(dbm))
}

/// A share of a hundred.
pub(super) fn percent(value: &Value, paths: &[&str]) -> Option<u8> {
    let percent = number(value, paths)?;
    u8::try_from(percent).ok().filter(|percent| *percent <= 100)
}

/// What plays: empty where nothing does. A sound without a name is called `?`.
pub(super) fn playing(value: &Value, flags: &[&str], names: &[&str]) -> Option<String> {
    if !flag(value, flags)? {
        return Some(String::new());
    }
    Some(text(value, names).unwrap_or_else(|| "?".to_owned()))
}

/// The colour of LEDs as `#RRGGBB`, from one text or from three numbers.
pub(super) fn led(value: &Value, texts: &[&str], objects: &[&str]) -> Option<String> {
    let from_text = || {
        let colour: Colour = text(value, texts)?.parse().ok()?;
        Some(colour::hex(colour::rgb(colour)))
    };
    let from_numbers = |led: &Value| {
        let part = |key| u8::try_from(number(led, &[key])?).ok();
        Some(colour::hex([part("r")?, part("g")?, part("b")?]))
    };
    from_text().or_else(|| {
        objects
            .iter()
            .filter_map(|path| at(value, path))
            .find_map(from_numbers)
    })
}

/// Puzzles with their states: an object of states or of objects that have one, or a list of
/// objects that have a name too.
pub(super) fn puzzles(value: &Value) -> BTreeMap<String, String> {
    let state = |value: &Value| match value {
        Value::Object(_) => text(value, &["state", "status"]),
        _ => plain(value),
    };
    match value.get("puzzles") {
        Some(Value::Object(puzzles)) => puzzles
            .iter()
            .filter_map(|(name, value)| Some((plain(&Value::from(name.as_str()))?, state(value)?)))
            .take(MAX_PUZZLES)
            .collect(),
        Some(Value::Array(puzzles)) => puzzles
            .iter()
            .filter_map(|puzzle| {
                Some((text(puzzle, &["id", "name", "puzzle_id"])?, state(puzzle)?))
            })
            .take(MAX_PUZZLES)
            .collect(),
        _ => BTreeMap::new(),
    }
}

/// Counters by their paths, those that are there.
pub(super) fn counters(value: &Value, paths: &[&str]) -> BTreeMap<String, u64> {
    paths
        .iter()
        .filter_map(|path| Some(((*path).to_owned(), count(value, &[path])?)))
        .collect()
}
