use super::block::Placed;

/// A line whose place is not known yet.
#[derive(Default)]
pub(super) struct SetLine {
    /// From the left.
    pub(super) pieces: Vec<Piece>,
}

/// What moves the pen once: a letter with its marks.
pub(super) struct Piece {
    pub(super) advance: i32,
    pub(super) blank: bool,
    pub(super) glyphs: Vec<Placed>,
}

impl SetLine {
    pub(super) fn width(&self) -> i32 {
        self.pieces.iter().map(|piece| piece.advance).sum()
    }

    /// Drops the spaces where the line ends.
    pub(super) fn trim(&mut self, rtl: bool) {
        if rtl {
            let blank = self.pieces.iter().take_while(|piece| piece.blank).count();
            self.pieces.drain(..blank);
        } else {
            while self.pieces.last().is_some_and(|piece| piece.blank) {
                self.pieces.pop();
            }
        }
    }

    /// Rows of ink above and below the baseline.
    pub(super) fn reach(&self) -> (i32, i32) {
        self.pieces
            .iter()
            .flat_map(|piece| &piece.glyphs)
            .filter(|placed| !placed.bitmap.bits.is_empty())
            .fold((0, 0), |(above, below), placed| {
                let top = placed.y + placed.bitmap.top;
                (
                    above.max(-top),
                    below.max(top + placed.bitmap.height() as i32),
                )
            })
    }
}
