//! What a clock can be told to show by one word.

use std::fmt;
use std::str::FromStr;

use regie_clock::{ClockError, Face};

use crate::error::EngineError;
use crate::state::SLOTS;

/// What the clock shows: a face of its own, or a picture that the host keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// One of the clock's own faces.
    Face(Face),
    /// The picture of a slot, 0..=3.
    Image(u8),
    /// The picture that the clock shows, in black, white and red.
    Tricolor,
    /// The picture that the clock shows, in black and white.
    Mono,
}

impl Mode {
    /// Every mode, in the order in which they are listed.
    pub fn all() -> impl Iterator<Item = Self> {
        // The bare picture face is that of a slot, which says which picture.
        let faces = Face::ALL.into_iter().filter(|&face| face != Face::Picture);
        faces
            .map(Self::Face)
            .chain((0..SLOTS).map(Self::Image))
            .chain([Self::Tricolor, Self::Mono])
    }
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Face(face) => face.fmt(f),
            Self::Image(slot) => write!(f, "image{slot}"),
            Self::Tricolor => f.write_str("tricolor"),
            Self::Mono => f.write_str("mono"),
        }
    }
}

impl FromStr for Mode {
    type Err = EngineError;

    fn from_str(text: &str) -> Result<Self, EngineError> {
        Self::all()
            .find(|mode| mode.to_string() == text)
            .ok_or_else(|| {
                let known: Vec<String> = Self::all().map(|mode| mode.to_string()).collect();
                EngineError::Clock(ClockError::NameUnknown {
                    name: text.to_owned(),
                    known: known.join(", "),
                })
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_mode_is_found_by_its_name() {
        for mode in Mode::all() {
            assert_eq!(mode.to_string().parse::<Mode>().unwrap(), mode);
        }
        assert!("image4".parse::<Mode>().is_err());
        assert!("picture".parse::<Mode>().is_err());
    }
}
