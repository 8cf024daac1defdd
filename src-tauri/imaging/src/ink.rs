use serde::{Deserialize, Serialize};

use crate::Panel;

/// What one pixel of the panel shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[repr(u8)]
pub enum Ink {
    /// Black particles up.
    Black = 0,
    /// White particles up.
    #[default]
    White = 1,
    /// Red particles up.
    Red = 2,
}

impl Ink {
    /// Its name as written.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Black => "black",
            Self::White => "white",
            Self::Red => "red",
        }
    }
}

/// One ink for each pixel of a panel, row by row from the top left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InkMap {
    panel: Panel,
    inks: Vec<Ink>,
}

impl InkMap {
    /// A map of the given inks; `None` when their number is not that of the panel's pixels.
    #[must_use]
    pub fn new(panel: Panel, inks: Vec<Ink>) -> Option<Self> {
        (inks.len() == panel.pixels()).then_some(Self { panel, inks })
    }

    /// A map of one ink all over.
    #[must_use]
    pub fn filled(panel: Panel, ink: Ink) -> Self {
        Self {
            panel,
            inks: vec![ink; panel.pixels()],
        }
    }

    /// The panel's size.
    #[must_use]
    pub const fn panel(&self) -> Panel {
        self.panel
    }

    /// The inks, row by row.
    #[must_use]
    pub fn inks(&self) -> &[Ink] {
        &self.inks
    }

    /// The same, to draw on.
    pub fn inks_mut(&mut self) -> &mut [Ink] {
        &mut self.inks
    }

    /// The rows, from the top. Empty for a panel without width.
    pub fn rows(&self) -> impl Iterator<Item = &[Ink]> {
        self.inks.chunks_exact(usize::from(self.panel.width).max(1))
    }
}

/// The colours (8-bit sRGB) that stand for the inks on a screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Inks {
    /// Colour of [`Ink::Black`].
    pub black: [u8; 3],
    /// Colour of [`Ink::White`].
    pub white: [u8; 3],
    /// Colour of [`Ink::Red`].
    pub red: [u8; 3],
}

impl Inks {
    /// Pure black, white and red: what a panel of perfect inks would show.
    pub const IDEAL: Self = Self {
        black: [0, 0, 0],
        white: [255, 255, 255],
        red: [255, 0, 0],
    };
    /// About what the panel looks like in daylight: warm grey paper, dark grey ink, brick red.
    pub const PANEL: Self = Self {
        black: [0x2b, 0x29, 0x26],
        white: [0xde, 0xdb, 0xd0],
        red: [0xa8, 0x28, 0x1e],
    };

    /// The colour of one ink.
    #[must_use]
    pub const fn colour(&self, ink: Ink) -> [u8; 3] {
        match ink {
            Ink::Black => self.black,
            Ink::White => self.white,
            Ink::Red => self.red,
        }
    }
}
