use crate::{Ink, InkMap, Panel};

/// Two bit planes as the clock takes them.
///
/// Both are row-major from the top, 8 pixels a byte with the most significant bit leftmost, each
/// row padded to whole bytes with zero bits. In `black_white` 1 is white and 0 is black or red; in
/// `red` 1 is red.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Planes {
    panel: Panel,
    black_white: Vec<u8>,
    red: Vec<u8>,
}

impl Planes {
    /// Planes from stored bytes; `None` unless each has [`Panel::plane_bytes`] bytes.
    #[must_use]
    pub fn from_bytes(panel: Panel, black_white: Vec<u8>, red: Vec<u8>) -> Option<Self> {
        let bytes = panel.plane_bytes();
        (black_white.len() == bytes && red.len() == bytes).then_some(Self {
            panel,
            black_white,
            red,
        })
    }

    /// Packs a map of inks.
    #[must_use]
    pub fn pack(map: &InkMap) -> Self {
        let panel = map.panel();
        let mut black_white = Vec::with_capacity(panel.plane_bytes());
        let mut red = Vec::with_capacity(panel.plane_bytes());
        for row in map.rows() {
            for eight in row.chunks(8) {
                let (mut white_bits, mut red_bits) = (0_u8, 0_u8);
                for (place, &ink) in eight.iter().enumerate() {
                    white_bits |= u8::from(ink == Ink::White) << (7 - place);
                    red_bits |= u8::from(ink == Ink::Red) << (7 - place);
                }
                black_white.push(white_bits);
                red.push(red_bits);
            }
        }
        Self {
            panel,
            black_white,
            red,
        }
    }

    /// The inks these planes show. Where both planes have a bit set, red wins, as on the panel.
    #[must_use]
    pub fn unpack(&self) -> InkMap {
        let panel = self.panel;
        let mut map = InkMap::filled(panel, Ink::Black);
        if panel.pixels() == 0 {
            return map;
        }
        let rows = map.inks_mut().chunks_exact_mut(usize::from(panel.width));
        let white_rows = self.black_white.chunks_exact(panel.row_bytes());
        let red_rows = self.red.chunks_exact(panel.row_bytes());
        for ((row, white_row), red_row) in rows.zip(white_rows).zip(red_rows) {
            for ((eight, &white_bits), &red_bits) in row.chunks_mut(8).zip(white_row).zip(red_row) {
                for (place, ink) in eight.iter_mut().enumerate() {
                    let mask = 0x80_u8 >> place;
                    *ink = if red_bits & mask != 0 {
                        Ink::Red
                    } else if white_bits & mask != 0 {
                        Ink::White
                    } else {
                        Ink::Black
                    };
                }
            }
        }
        map
    }

    /// The same picture without red: what was red is black.
    #[must_use]
    pub fn mono(&self) -> Self {
        let black_white = self.black_white.iter().zip(&self.red);
        Self {
            panel: self.panel,
            black_white: black_white.map(|(white, red)| white & !red).collect(),
            red: vec![0; self.red.len()],
        }
    }

    /// The panel's size.
    #[must_use]
    pub const fn panel(&self) -> Panel {
        self.panel
    }

    /// The black and white plane: 1 is white.
    #[must_use]
    pub fn black_white(&self) -> &[u8] {
        &self.black_white
    }

    /// The red plane: 1 is red.
    #[must_use]
    pub fn red(&self) -> &[u8] {
        &self.red
    }
}
