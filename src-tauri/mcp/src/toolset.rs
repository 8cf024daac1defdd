//! Which tools a connection offers.

use std::fmt;
use std::str::FromStr;

/// A part of the table of tools.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Toolset {
    /// Every tool, those that no seed names too.
    #[default]
    All,
    /// The clock's.
    Clock,
    /// The room's.
    Room,
}

impl Toolset {
    /// Every toolset.
    pub const ALL: [Self; 3] = [Self::All, Self::Clock, Self::Room];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::Clock => "clock",
            Self::Room => "room",
        }
    }
}

impl fmt::Display for Toolset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The name of no toolset.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("\"{0}\" is no toolset; there are all, room and clock")]
pub struct UnknownToolset(String);

impl FromStr for Toolset {
    type Err = UnknownToolset;

    fn from_str(text: &str) -> Result<Self, UnknownToolset> {
        Self::ALL
            .into_iter()
            .find(|toolset| toolset.name() == text)
            .ok_or_else(|| UnknownToolset(text.to_owned()))
    }
}
