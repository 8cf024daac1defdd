//! JSON as boards send it: with members left out, texts that are no UTF-8, and ends cut off.
//!
//! What is whole is kept. Where a document breaks off or stops making sense, its open objects and
//! arrays are closed after their last whole member.

use serde_json::{Map, Number, Value};

/// How deep structures may lie within each other; firmwares go to six.
const MAX_DEPTH: usize = 32;

/// Most values in a damaged document; a board's whole status has about two hundred.
const MAX_VALUES: usize = 8_192;

/// What could be read.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Decoded {
    /// The value.
    pub(crate) value: Value,
    /// Nothing was missing.
    pub(crate) whole: bool,
}

/// Reads as much as can be read; `None` where there is no object, array or other JSON at all.
pub(crate) fn decode(bytes: &[u8]) -> Option<Decoded> {
    let text = String::from_utf8_lossy(bytes);
    let text = text.trim_start_matches(['\u{feff}', '\0']).trim();
    if let Ok(value) = serde_json::from_str(text) {
        return Some(Decoded { value, whole: true });
    }
    if !text.starts_with(['{', '[']) {
        return None;
    }
    let mut scanner = Scanner {
        rest: text,
        values: 0,
    };
    scanner
        .value(0)
        .map(|(value, whole)| Decoded { value, whole })
}

/// Reads on from a place in a document.
struct Scanner<'a> {
    rest: &'a str,
    values: usize,
}

impl<'a> Scanner<'a> {
    /// A value, and whether it is whole; `None` where nothing of it can be kept.
    fn value(&mut self, depth: usize) -> Option<(Value, bool)> {
        self.values += 1;
        if depth > MAX_DEPTH || self.values > MAX_VALUES {
            return None;
        }
        self.blanks();
        match self.rest.chars().next()? {
            '{' => Some(self.object(depth)),
            '[' => Some(self.array(depth)),
            '"' => self.text().map(|text| (Value::String(text), true)),
            '-' | '0'..='9' => self.number().map(|number| (Value::Number(number), true)),
            _ => self.word().map(|value| (value, true)),
        }
    }

    fn object(&mut self, depth: usize) -> (Value, bool) {
        let mut members = Map::new();
        self.rest = self.rest.get(1..).unwrap_or_default();
        let whole = loop {
            self.blanks();
            if self.take('}') {
                break true;
            }
            if !members.is_empty() && !self.take(',') {
                break false;
            }
            self.blanks();
            let Some(key) = self.text() else { break false };
            self.blanks();
            if !self.take(':') {
                break false;
            }
            let Some((value, whole)) = self.value(depth + 1) else {
                break false;
            };
            members.insert(key, value);
            if !whole {
                break false;
            }
        };
        (Value::Object(members), whole)
    }

    fn array(&mut self, depth: usize) -> (Value, bool) {
        let mut items = Vec::new();
        self.rest = self.rest.get(1..).unwrap_or_default();
        let whole = loop {
            self.blanks();
            if self.take(']') {
                break true;
            }
            if !items.is_empty() && !self.take(',') {
                break false;
            }
            let Some((value, whole)) = self.value(depth + 1) else {
                break false;
            };
            items.push(value);
            if !whole {
                break false;
            }
        };
        (Value::Array(items), whole)
    }

    /// A text with its quotes. Control characters, which JSON forbids and boards send, become
    /// replacement characters.
    fn text(&mut self) -> Option<String> {
        let mut escaped = false;
        let inner = self.rest.strip_prefix('"')?;
        let end = inner.find(|character| {
            let ends = character == '"' && !escaped;
            escaped = character == '\\' && !escaped;
            ends
        })?;
        let (inside, rest) = (inner.get(..end)?, inner.get(end + 1..)?);
        self.rest = rest;
        let harmless: String = inside
            .chars()
            .map(|character| match character {
                character if character.is_control() => char::REPLACEMENT_CHARACTER,
                character => character,
            })
            .collect();
        serde_json::from_str(&format!("\"{harmless}\""))
            .ok()
            .or(Some(harmless))
    }

    /// A number that something follows: at the end of what came, digits may be missing.
    fn number(&mut self) -> Option<Number> {
        let part = |character: char| !matches!(character, '0'..='9' | '-' | '+' | '.' | 'e' | 'E');
        let end = self.rest.find(part)?;
        let (digits, rest) = self.rest.split_at_checked(end)?;
        self.rest = rest;
        serde_json::from_str(digits).ok()
    }

    fn word(&mut self) -> Option<Value> {
        let words = [
            ("true", Value::Bool(true)),
            ("false", Value::Bool(false)),
            ("null", Value::Null),
        ];
        words.into_iter().find_map(|(word, value)| {
            self.rest = self.rest.strip_prefix(word)?;
            Some(value)
        })
    }

    fn blanks(&mut self) {
        self.rest = self.rest.trim_start();
    }

    fn take(&mut self, character: char) -> bool {
        match self.rest.strip_prefix(character) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }
}
