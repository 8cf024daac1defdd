//! Codes that nobody has published, supplied by whoever knows them.
//!
//! ```toml
//! [clock2]
//! channel = "alt"
//! bytes = "e1 05"
//! refresh = true      # send the redraw command 300 ms later
//! ```

use std::collections::BTreeMap;

use serde::Deserialize;

use super::pingping::guarded;
use super::raw_step;
use crate::ClockError;
use crate::link::Channel;
use crate::request::{Face, Raw, RawPolicy, Toggle};

/// One command of a profile.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProfileEntry {
    /// Where to and what.
    pub command: Raw,
    /// Whether the redraw command follows.
    pub refresh: bool,
}

/// Commands by the name of the face or toggle; empty by default.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Profile {
    entries: BTreeMap<String, ProfileEntry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct EntryText {
    channel: Channel,
    bytes: String,
    #[serde(default)]
    refresh: bool,
}

impl Profile {
    /// Most bytes a profile file may have: a hundred times what it needs.
    pub const MAX_FILE_BYTES: usize = 64 * 1024;

    /// Reads the text of a profile file.
    ///
    /// # Errors
    /// [`ClockError::ProfileInvalid`] with what is wrong; also for an entry whose name is no face
    /// or toggle, and for a command that is guarded.
    pub fn parse(text: &str) -> Result<Self, ClockError> {
        let invalid = |detail: String| ClockError::ProfileInvalid { detail };
        if text.len() > Self::MAX_FILE_BYTES {
            return Err(invalid("the file is too large".to_owned()));
        }
        let table: BTreeMap<String, EntryText> = toml::from_str(text)
            .map_err(|error| invalid(error.message().trim_end_matches('.').to_owned()))?;
        let mut entries = BTreeMap::new();
        for (name, entry) in table {
            let known = name.parse::<Face>().is_ok() || name.parse::<Toggle>().is_ok();
            if !known {
                return Err(invalid(format!("\"{name}\" is no face and no toggle")));
            }
            let bytes = parse_hex(&entry.bytes)
                .ok_or_else(|| invalid(format!("the bytes of \"{name}\" are not hexadecimal")))?;
            let command = Raw::new(entry.channel, bytes, RawPolicy::Guarded)
                .and_then(|raw| raw_step(&raw, guarded(raw.channel())).map(|_| raw))
                .map_err(|error| invalid(format!("\"{name}\": {}", error.code())))?;
            entries.insert(
                name,
                ProfileEntry {
                    command,
                    refresh: entry.refresh,
                },
            );
        }
        Ok(Self { entries })
    }

    /// The entry of that name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&ProfileEntry> {
        self.entries.get(name)
    }

    /// Names of all entries, sorted.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.entries.keys().map(String::as_str)
    }
}

/// Bytes of hexadecimal text; spaces are allowed between bytes.
fn parse_hex(text: &str) -> Option<Vec<u8>> {
    let digits: Vec<u8> = text
        .chars()
        .filter(|c| !c.is_whitespace())
        .map(|c| c.to_digit(16).and_then(|d| u8::try_from(d).ok()))
        .collect::<Option<_>>()?;
    if !digits.len().is_multiple_of(2) {
        return None;
    }
    Some(
        digits
            .chunks_exact(2)
            .map(|pair| (pair[0] << 4) | pair[1])
            .collect(),
    )
}
