use super::{Block, Style, TypeSize, Typesetter, Weight};
use crate::canvas::{Area, Canvas};
use crate::guard::guarded;
use crate::{ImagingError, Ink, Panel};

/// The square cells of a line that a clock keeps beside its countdown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CellSize {
    /// 16 pixels, at most 8 cells.
    Sixteen,
    /// 24 pixels, at most 4 cells.
    TwentyFour,
}

impl CellSize {
    /// Side of a cell in pixels.
    #[must_use]
    pub const fn pixels(self) -> usize {
        match self {
            Self::Sixteen => 16,
            Self::TwentyFour => 24,
        }
    }

    /// Most cells in a line.
    #[must_use]
    pub const fn most(self) -> usize {
        match self {
            Self::Sixteen => 8,
            Self::TwentyFour => 4,
        }
    }

    /// The type that fills a cell: pixel type as it is, outlines with a little air.
    const fn type_size(self) -> TypeSize {
        TypeSize::of(match self {
            Self::Sixteen => 16,
            Self::TwentyFour => 22,
        })
    }
}

/// A line of characters in square cells as a bitmap: row by row over the whole line, most
/// significant bit leftmost, 1 = paper and 0 = ink.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CellLine {
    size: CellSize,
    cells: usize,
    bits: Vec<u8>,
}

impl CellLine {
    /// Draws a text, one character in each cell; combining marks go with their letter.
    ///
    /// # Errors
    /// [`ImagingError::CellCount`] for an empty text or too many characters,
    /// [`ImagingError::CharactersMissing`] for characters that no font has.
    pub fn draw(
        typesetter: &mut Typesetter,
        text: &str,
        size: CellSize,
    ) -> Result<Self, ImagingError> {
        guarded(|| Self::drawn(typesetter, text, size))
    }

    fn drawn(
        typesetter: &mut Typesetter,
        text: &str,
        size: CellSize,
    ) -> Result<Self, ImagingError> {
        let words = typesetter.read(text);
        if !words.omitted().is_empty() {
            return Err(ImagingError::CharactersMissing {
                characters: listed(words.omitted()),
            });
        }
        if words.is_blank() {
            return Err(ImagingError::MissingField {
                field: "text".into(),
                allowed: "words".into(),
            });
        }
        let clusters = clusters(words.text());
        let cells = clusters.len();
        if !(1..=size.most()).contains(&cells) {
            return Err(ImagingError::CellCount {
                cells,
                limit: size.most(),
            });
        }
        let side = size.pixels();
        let panel = Panel {
            width: (cells * side) as u16,
            height: side as u16,
        };
        let mut canvas = Canvas::new(panel, Ink::White);
        let style = Style {
            weight: match size {
                CellSize::Sixteen => Weight::Regular,
                CellSize::TwentyFour => Weight::Bold,
            },
            ..Style::REGULAR
        };
        for (place, cluster) in clusters.into_iter().enumerate() {
            let cell = Area::new((place * side) as i32, 0, side as i32, side as i32);
            let one = typesetter.read(&cluster);
            let block = typesetter.set(&one, style, size.type_size(), None);
            canvas.text(
                &block,
                cell.x + (cell.width - block.width()) / 2,
                top_in(cell, size, &block),
                Ink::Black,
            );
        }
        let map = canvas.into_map();
        let bits = map
            .inks()
            .chunks(8)
            .map(|eight| {
                eight.iter().enumerate().fold(0_u8, |byte, (place, &ink)| {
                    byte | (u8::from(ink == Ink::White) << (7 - place))
                })
            })
            .collect();
        Ok(Self { size, cells, bits })
    }

    /// The size of the cells.
    #[must_use]
    pub const fn size(&self) -> CellSize {
        self.size
    }

    /// Number of cells.
    #[must_use]
    pub const fn cells(&self) -> usize {
        self.cells
    }

    /// The bitmap: `pixels / 8 * cells * pixels` bytes.
    #[must_use]
    pub fn bits(&self) -> &[u8] {
        &self.bits
    }
}

/// Share of a cell above the line on which letters stand.
const BASELINE: f32 = 0.86;

/// The top of a text so that it stands on the line of its cell and nothing is cut off where the
/// cell has room.
fn top_in(cell: Area, size: CellSize, block: &Block) -> i32 {
    let line = (size.pixels() as f32 * BASELINE).round() as i32;
    let top = block
        .lines()
        .first()
        .map_or(0, |first| line - first.baseline);
    match block.ink_rows() {
        Some((_, bottom)) if top + bottom > cell.height => cell.height - bottom,
        Some((first, _)) if top + first < 0 => -first,
        _ => top,
    }
}

/// Letters with the marks that belong to them; a space is a cell of its own.
fn clusters(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for c in text.chars().filter(|&c| c != '\n') {
        match found.last_mut() {
            Some(last) if is_mark(c) => last.push(c),
            _ => found.push(c.into()),
        }
    }
    found
}

/// Combining marks of the scripts that the bundled fonts have.
fn is_mark(c: char) -> bool {
    matches!(
        u32::from(c),
        0x0300..=0x036F | 0x0483..=0x0489 | 0x0591..=0x05BD | 0x05BF | 0x05C1..=0x05C2
            | 0x064B..=0x065F | 0x0670 | 0x3099..=0x309A | 0x200B..=0x200F
    )
}

/// Characters for a sentence: apart, so that each can be seen.
pub(crate) fn listed(characters: &[char]) -> String {
    characters
        .iter()
        .map(char::to_string)
        .collect::<Vec<_>>()
        .join(" ")
}
