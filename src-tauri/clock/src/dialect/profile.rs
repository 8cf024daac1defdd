//! Codes that nobody has published, supplied by whoever knows them.
//!
//! ```toml
//! calendar_text = "picture"   # or "cells" or "page"
//!
//! [clock2]
//! channel = "alt"
//! bytes = "e1 05"
//! refresh = true      # send the redraw command 300 ms later
//! ```

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

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

impl ProfileEntry {
    /// An entry from the text of a person: the name of a face or toggle, and hexadecimal bytes.
    ///
    /// # Errors
    /// [`ClockError::ProfileInvalid`] with what is wrong; also for a command that is guarded.
    pub fn parse(
        name: &str,
        channel: Channel,
        bytes: &str,
        refresh: bool,
    ) -> Result<Self, ClockError> {
        let known = name.parse::<Face>().is_ok() || name.parse::<Toggle>().is_ok();
        if !known {
            return Err(invalid(format!("\"{name}\" is no face and no toggle")));
        }
        let bytes = parse_hex(bytes)
            .ok_or_else(|| invalid(format!("the bytes of \"{name}\" are not hexadecimal")))?;
        let command = Raw::new(channel, bytes, RawPolicy::Guarded)
            .and_then(|raw| raw_step(&raw, guarded(raw.channel())).map(|_| raw))
            .map_err(|error| invalid(format!("\"{name}\": {}", error.code())))?;
        Ok(Self { command, refresh })
    }
}

/// How a short text gets into the calendar. Which of them a firmware takes is not published.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CalendarForm {
    /// As the small picture of the calendar face.
    #[default]
    Picture,
    /// As the calendar's line of 24-pixel cells, at most four characters.
    Cells,
    /// As a picture of the whole panel, calendar included, drawn by the host.
    Page,
}

/// Commands by the name of the face or toggle, and the form of a calendar's text; empty by
/// default.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Profile {
    entries: BTreeMap<String, ProfileEntry>,
    calendar_text: CalendarForm,
}

#[derive(Deserialize)]
struct FileText {
    #[serde(default)]
    calendar_text: CalendarForm,
    #[serde(flatten)]
    entries: BTreeMap<String, EntryText>,
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
        if text.len() > Self::MAX_FILE_BYTES {
            return Err(invalid("the file is too large".to_owned()));
        }
        let file: FileText = toml::from_str(text).map_err(|error| {
            let what = error.message().trim_end_matches('.');
            let before = error.span().and_then(|span| text.get(..span.start));
            invalid(match before {
                Some(before) => format!("line {}: {what}", before.matches('\n').count() + 1),
                None => what.to_owned(),
            })
        })?;
        let mut entries = BTreeMap::new();
        for (name, entry) in file.entries {
            let parsed = ProfileEntry::parse(&name, entry.channel, &entry.bytes, entry.refresh)?;
            entries.insert(name, parsed);
        }
        Ok(Self {
            entries,
            calendar_text: file.calendar_text,
        })
    }

    /// How a short text gets into the calendar.
    #[must_use]
    pub fn calendar_text(&self) -> CalendarForm {
        self.calendar_text
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

fn invalid(detail: String) -> ClockError {
    ClockError::ProfileInvalid { detail }
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
