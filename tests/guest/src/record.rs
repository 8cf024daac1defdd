//! What the emulated clock took down about its links and writes.

use regie_clock::Channel;
use thiserror::Error;

/// One link to the clock, from its beginning to its end.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Link {
    /// The writes that were taken, in order.
    pub writes: Vec<(Channel, Vec<u8>)>,
    /// Why it ended, as HCI tells it (Bluetooth Core Specification, Vol 1, Part F); none while it
    /// is up.
    pub end: Option<u8>,
}

impl Link {
    /// The writes as text: `main 03ff0000...`.
    #[must_use]
    pub fn text(&self) -> Vec<String> {
        let hex = |bytes: &[u8]| -> String { bytes.iter().map(|b| format!("{b:02x}")).collect() };
        self.writes
            .iter()
            .map(|(channel, bytes)| format!("{channel} {}", hex(bytes)))
            .collect()
    }
}

/// The clock's record.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Record {
    /// Its links, in order.
    pub links: Vec<Link>,
    /// What it refused, line by line.
    pub refused: Vec<String>,
}

/// A line that says nothing known, or comes where it cannot.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("line {line} of the clock's record makes no sense: {text:?}")]
pub struct Nonsense {
    line: usize,
    text: String,
}

impl Record {
    /// Reads a record, whose form `peripheral.py` describes.
    ///
    /// # Errors
    /// [`Nonsense`].
    pub fn parse(text: &str) -> Result<Self, Nonsense> {
        let mut record = Self::default();
        for (index, line) in text.lines().enumerate() {
            record.take(line).ok_or_else(|| Nonsense {
                line: index + 1,
                text: line.chars().take(80).collect(),
            })?;
        }
        Ok(record)
    }

    fn take(&mut self, line: &str) -> Option<()> {
        let words: Vec<&str> = line.split(' ').collect();
        match words.as_slice() {
            ["ready" | "asleep"] => {}
            ["up"] => self.links.push(Link::default()),
            ["down", reason] => {
                let reason = u8::from_str_radix(reason.strip_prefix("0x")?, 16).ok()?;
                self.open()?.end = Some(reason);
            }
            ["W", channel, hex] => {
                let channel = match *channel {
                    "main" => Channel::Main,
                    "alt" => Channel::Alt,
                    _ => return None,
                };
                let write = (channel, bytes(hex)?);
                self.open()?.writes.push(write);
            }
            ["E", ..] => self.refused.push(line.to_owned()),
            _ => return None,
        }
        Some(())
    }

    /// The link that is up.
    fn open(&mut self) -> Option<&mut Link> {
        self.links.last_mut().filter(|link| link.end.is_none())
    }
}

fn bytes(hex: &str) -> Option<Vec<u8>> {
    if !hex.len().is_multiple_of(2) || !hex.is_ascii() {
        return None;
    }
    (0..hex.len())
        .step_by(2)
        .map(|at| u8::from_str_radix(&hex[at..at + 2], 16).ok())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_read_link_by_link() {
        let text = "ready\nup\nW main 03ff0000aa\ndown 0x08\nup\nW alt e2\nE alt 00\n";
        let record = Record::parse(text).unwrap();
        let texts: Vec<_> = record.links.iter().map(Link::text).collect();
        assert_eq!(texts, [["main 03ff0000aa"], ["alt e2"]]);
        assert_eq!(record.links[0].end, Some(0x08));
        assert_eq!(record.links[1].end, None);
        assert_eq!(record.refused, ["E alt 00"]);
    }

    #[test]
    fn a_line_that_makes_no_sense_is_an_error() {
        for text in [
            "W main 03",
            "up\nW other 03",
            "up\nW main 3",
            "down 0x13",
            "?",
        ] {
            assert!(Record::parse(text).is_err(), "{text}");
        }
    }
}
