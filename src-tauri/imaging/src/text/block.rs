use std::sync::Arc;

use super::TypeSize;
use super::glyphs::Bitmap;

/// A text laid out in lines, ready to be drawn. Positions are in pixels from its top left.
#[derive(Clone, Debug)]
pub struct Block {
    pub(super) width: i32,
    pub(super) height: i32,
    pub(super) size: TypeSize,
    pub(super) lines: Vec<Line>,
    pub(super) glyphs: Vec<Placed>,
}

/// One line of a [`Block`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line {
    /// Left end of its text.
    pub left: i32,
    /// Length of its text.
    pub width: i32,
    /// Where its letters stand.
    pub baseline: i32,
}

/// One glyph: the left end of its pen movement, and its baseline.
#[derive(Clone, Debug)]
pub(crate) struct Placed {
    pub(crate) bitmap: Arc<Bitmap>,
    pub(crate) x: i32,
    pub(crate) y: i32,
}

impl Block {
    /// Pixels of the widest line.
    #[must_use]
    pub const fn width(&self) -> i32 {
        self.width
    }

    /// Pixels from the top of the first line to the bottom of the last.
    #[must_use]
    pub const fn height(&self) -> i32 {
        self.height
    }

    /// The type size it is set in.
    #[must_use]
    pub const fn size(&self) -> TypeSize {
        self.size
    }

    /// The lines from the top.
    #[must_use]
    pub fn lines(&self) -> &[Line] {
        &self.lines
    }

    /// The first and the last row (exclusive) that has ink; `None` when nothing has.
    #[must_use]
    pub fn ink_rows(&self) -> Option<(i32, i32)> {
        self.glyphs
            .iter()
            .filter(|placed| !placed.bitmap.bits.is_empty())
            .map(|placed| {
                let top = placed.y + placed.bitmap.top;
                (top, top + placed.bitmap.height() as i32)
            })
            .reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)))
    }

    pub(crate) fn glyphs(&self) -> &[Placed] {
        &self.glyphs
    }
}
