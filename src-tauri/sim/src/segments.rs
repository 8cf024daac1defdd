//! Numbers in seven segments, which need no font.

use crate::screen::Screen;

/// Segments of each digit: top, upper left, upper right, middle, lower left, lower right, bottom.
const DIGITS: [[bool; 7]; 10] = {
    const O: bool = false;
    const I: bool = true;
    [
        [I, I, I, O, I, I, I],
        [O, O, I, O, O, I, O],
        [I, O, I, I, I, O, I],
        [I, O, I, I, O, I, I],
        [O, I, I, I, O, I, O],
        [I, I, O, I, O, I, I],
        [I, I, O, I, I, I, I],
        [I, O, I, O, O, I, O],
        [I, I, I, I, I, I, I],
        [I, I, I, I, O, I, I],
    ]
};

/// Size of a digit.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Size {
    pub(crate) width: usize,
    pub(crate) height: usize,
    pub(crate) stroke: usize,
}

impl Size {
    /// Pixels of a text.
    pub(crate) fn text_width(self, text: &str) -> usize {
        let advance: usize = text.chars().map(|c| self.advance(c)).sum();
        advance.saturating_sub(self.stroke * 2)
    }

    fn advance(self, c: char) -> usize {
        let width = if c == ':' { self.stroke } else { self.width };
        width + self.stroke * 2
    }
}

/// Draws digits, `:` and `-`; anything else is a gap.
pub(crate) fn draw(screen: &mut Screen, text: &str, left: usize, top: usize, size: Size, ink: u8) {
    let Size {
        width: w,
        height: h,
        stroke: s,
    } = size;
    let middle = (h - s) / 2;
    let mut x = left;
    for c in text.chars() {
        if let Some(digit) = c.to_digit(10) {
            let boxes = [
                (0, 0, w, s),
                (0, 0, s, middle + s),
                (w - s, 0, s, middle + s),
                (0, middle, w, s),
                (0, middle, s, h - middle),
                (w - s, middle, s, h - middle),
                (0, h - s, w, s),
            ];
            for ((dx, dy, bw, bh), on) in boxes.into_iter().zip(DIGITS[digit as usize]) {
                if on {
                    screen.fill(x + dx, top + dy, bw, bh, ink);
                }
            }
        } else if c == ':' {
            screen.fill(x, top + h / 3 - s / 2, s, s, ink);
            screen.fill(x, top + h * 2 / 3 - s / 2, s, s, ink);
        } else if c == '-' {
            screen.fill(x, top + middle, w, s, ink);
        }
        x += size.advance(c);
    }
}

/// Draws a text in the middle of a row.
pub(crate) fn draw_centred(screen: &mut Screen, text: &str, top: usize, size: Size, ink: u8) {
    let left = screen.width.saturating_sub(size.text_width(text)) / 2;
    draw(screen, text, left, top, size, ink);
}
