//! Arguments as they come, brought to what a tool's schema asks for: what models get wrong without
//! meaning anything else is put right, and what cannot be is refused by name, with what is valid.

use std::fmt::Write as _;

use serde_json::{Map, Number, Value};

use super::answer::Failure;
use super::nearest::{bare, nearest};

/// Complaints told at once; whoever has more wrong reads the description first.
const MAX_COMPLAINTS: usize = 3;

/// Characters shown of a value that is refused.
const SHOWN: usize = 40;

/// Brings arguments to a schema.
///
/// `spread` names the property whose own properties may be given beside it.
///
/// # Errors
/// `INVALID_PARAM`, naming each argument and the nearest that is valid.
pub(super) fn fit(
    tool: &str,
    schema: &Map<String, Value>,
    spread: Option<&str>,
    mut given: Map<String, Value>,
) -> Result<Map<String, Value>, Failure> {
    let mut complaints = Vec::new();
    if let Some(within) = spread {
        gather(schema, within, &mut given, &mut complaints);
    }
    let fitted = fit_object(schema, &format!("of {tool}"), given, &mut complaints);
    if complaints.is_empty() {
        return Ok(fitted);
    }
    let more = complaints.len().saturating_sub(MAX_COMPLAINTS);
    complaints.truncate(MAX_COMPLAINTS);
    let mut message = complaints.join(" ");
    if more > 0 {
        let _infallible = write!(message, " {more} more are wrong.");
    }
    let properties = properties(schema).map(|(name, _)| name);
    let known: Vec<&str> = properties.collect();
    let hint = format!("The arguments of {tool} are: {}.", known.join(", "));
    Err(Failure::of_argument(message, hint))
}

fn properties(schema: &Map<String, Value>) -> impl Iterator<Item = (&str, &Map<String, Value>)> {
    let properties = schema.get("properties").and_then(Value::as_object);
    properties
        .into_iter()
        .flatten()
        .filter_map(|(name, schema)| Some((name.as_str(), schema.as_object()?)))
}

fn property<'a>(schema: &'a Map<String, Value>, name: &str) -> Option<&'a Map<String, Value>> {
    schema.get("properties")?.get(name)?.as_object()
}

/// Puts what was given beside a property into it.
fn gather(
    schema: &Map<String, Value>,
    within: &str,
    given: &mut Map<String, Value>,
    complaints: &mut Vec<String>,
) {
    let Some(inner) = property(schema, within) else {
        return;
    };
    let names: Vec<String> = given
        .keys()
        .filter(|name| property(schema, name).is_none() && property(inner, name).is_some())
        .cloned()
        .collect();
    if names.is_empty() {
        return;
    }
    let mut gathered = match given.remove(within).map(as_object) {
        Some(Ok(object)) => object,
        Some(Err(other)) if !other.is_null() => {
            // Refused further on, as what it is.
            given.insert(within.into(), other);
            Map::new()
        }
        _ => Map::new(),
    };
    for name in names {
        let Some(value) = given.remove(&name) else {
            continue;
        };
        if gathered.contains_key(&name) {
            complaints.push(format!(
                "\"{name}\" is given twice, within \"{within}\" and beside it."
            ));
        } else {
            gathered.insert(name, value);
        }
    }
    given
        .entry(within)
        .or_insert_with(|| Value::Object(gathered));
}

fn fit_object(
    schema: &Map<String, Value>,
    place: &str,
    given: Map<String, Value>,
    complaints: &mut Vec<String>,
) -> Map<String, Value> {
    let required = |name: &str| {
        let required = schema.get("required").and_then(Value::as_array);
        required.is_some_and(|names| names.iter().any(|required| required == name))
    };
    let mut fitted = Map::new();
    for (name, value) in given {
        let Some(wanted) = property(schema, &name) else {
            let meant = nearest(&name, properties(schema).map(|(name, _)| name))
                .map(|meant| format!("; did you mean \"{meant}\"?"));
            complaints.push(format!(
                "\"{}\" is no argument {place}{}",
                shortened(&name),
                meant.unwrap_or_else(|| ".".into())
            ));
            continue;
        };
        if value.is_null() {
            // Absent, in the words of some callers.
            continue;
        }
        match fit_value(wanted, &name, place, value, complaints) {
            Ok(value) => {
                fitted.insert(name, value);
            }
            Err(complaint) => {
                complaints.push(format!("\"{name}\" {place} {complaint}"));
                // Not missing as well.
                fitted.insert(name, Value::Null);
            }
        }
    }
    for (name, _) in properties(schema) {
        if required(name) && !fitted.contains_key(name) {
            complaints.push(format!("\"{name}\" {place} is missing."));
        }
    }
    fitted
}

fn fit_value(
    schema: &Map<String, Value>,
    name: &str,
    place: &str,
    value: Value,
    complaints: &mut Vec<String>,
) -> Result<Value, String> {
    match schema.get("type").and_then(Value::as_str) {
        Some("string") => fit_text(schema, value).map(Value::String),
        Some("integer") => {
            let whole = number(&value).filter(|number| number.fract() == 0.0);
            let whole = whole.ok_or_else(|| expected("a whole number", &value))?;
            within(schema, whole)?;
            // Within a range of the schema, each far within that of an i64.
            Ok(Value::from(whole as i64))
        }
        Some("number") => {
            let number = number(&value).ok_or_else(|| expected("a number", &value))?;
            within(schema, number)?;
            Ok(Number::from_f64(number).map_or(Value::Null, Value::Number))
        }
        Some("boolean") => flag(&value)
            .map(Value::Bool)
            .ok_or_else(|| expected("true or false", &value)),
        Some("object") => {
            let object = as_object(value).map_err(|value| expected("an object", &value))?;
            if schema.contains_key("properties") {
                let place = format!("of {name} {place}");
                Ok(fit_object(schema, &place, object, complaints).into())
            } else {
                Ok(object.into())
            }
        }
        _ => Ok(value),
    }
}

fn fit_text(schema: &Map<String, Value>, value: Value) -> Result<String, String> {
    let text = match value {
        Value::String(text) => text,
        Value::Number(number) => number.to_string(),
        other => return Err(expected("a text", &other)),
    };
    if let Some(most) = schema.get("maxLength").and_then(Value::as_u64) {
        let length = text.chars().count() as u64;
        if length > most {
            return Err(format!(
                "has {length} characters; {most} are the most it takes."
            ));
        }
    }
    let Some(words) = schema.get("enum").and_then(Value::as_array) else {
        return Ok(text);
    };
    let known: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
    let wanted = bare(&text);
    if let Some(word) = known.iter().find(|word| bare(word) == wanted) {
        return Ok((*word).to_owned());
    }
    let meant = nearest(&text, known.iter().copied())
        .map(|meant| format!(" The nearest is \"{meant}\"."))
        .unwrap_or_default();
    Err(format!(
        "cannot be \"{}\".{meant} It takes: {}.",
        shortened(&text),
        known.join(", ")
    ))
}

/// Whether a number is one of those, or within the range, that the schema names.
fn within(schema: &Map<String, Value>, number: f64) -> Result<(), String> {
    if let Some(values) = schema.get("enum").and_then(Value::as_array) {
        let known: Vec<f64> = values.iter().filter_map(Value::as_f64).collect();
        if known.contains(&number) {
            return Ok(());
        }
        let nearest = known
            .iter()
            .copied()
            .min_by(|a, b| (a - number).abs().total_cmp(&(b - number).abs()))
            .unwrap_or_default();
        let listed: Vec<String> = known.iter().map(f64::to_string).collect();
        return Err(format!(
            "cannot be {number}; the nearest is {nearest}. It takes: {}.",
            listed.join(", ")
        ));
    }
    let bound = |word| schema.get(word).and_then(Value::as_f64);
    let (least, most) = (bound("minimum"), bound("maximum"));
    let nearest = if least.is_some_and(|least| number < least) {
        least
    } else if most.is_some_and(|most| number > most) {
        most
    } else {
        return Ok(());
    };
    let range = match (least, most) {
        (Some(least), Some(most)) => format!("{least} to {most}"),
        (Some(least), None) => format!("{least} or more"),
        (_, most) => format!("{} or less", most.unwrap_or_default()),
    };
    Err(format!(
        "must be {range}, not {number}; the nearest is {}.",
        nearest.unwrap_or_default()
    ))
}

fn number(value: &Value) -> Option<f64> {
    let number = match value {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    };
    number.filter(|number| number.is_finite())
}

fn flag(value: &Value) -> Option<bool> {
    match value {
        Value::Bool(flag) => Some(*flag),
        Value::String(text) => match text.trim().to_ascii_lowercase().as_str() {
            "true" | "on" | "yes" => Some(true),
            "false" | "off" | "no" => Some(false),
            _ => None,
        },
        _ => None,
    }
}

/// An object, given as one or as its JSON text.
fn as_object(value: Value) -> Result<Map<String, Value>, Value> {
    match value {
        Value::Object(object) => Ok(object),
        Value::String(text) => match serde_json::from_str(&text) {
            Ok(Value::Object(object)) => Ok(object),
            _ => Err(Value::String(text)),
        },
        other => Err(other),
    }
}

fn expected(what: &str, value: &Value) -> String {
    let given = match value {
        Value::Null => "nothing".into(),
        Value::Bool(flag) => flag.to_string(),
        Value::Number(number) => number.to_string(),
        Value::String(text) => format!("the text \"{}\"", shortened(text)),
        Value::Array(_) => "a list".into(),
        Value::Object(_) => "an object".into(),
    };
    format!("must be {what}, not {given}.")
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}...", text.get(..end).unwrap_or_default()),
    }
}

#[cfg(test)]
#[allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]
mod tests;
