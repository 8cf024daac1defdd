use std::ops::Range;
use std::sync::Arc;

use parley::{
    FontWeight, Layout, LayoutContext, LineHeight, OverflowWrap, StyleProperty, layout::Run,
};

use super::block::Placed;
use super::fonts::{Fonts, families, pixel_families};
use super::glyphs::{Drawing, Glyphs, PIXEL_CELL};
use super::normal::{is_dense, is_inkless, normal};
use super::{Align, Block, Fit, Line, Style, TypeSize, Weight};

/// Chinese and kana are set in pixel type below this size: outlines clog there (DI-15).
const PIXEL_BELOW: u16 = 20;
/// Most characters of one text: far more than a panel can show, little enough to shape at once.
const MAX_CHARACTERS: usize = 2000;
/// Room above the baseline, as a share of the size, where no glyph asks for more.
const ASCENT: f32 = 0.78;
/// Room below the baseline.
const DESCENT: f32 = 0.22;
/// From baseline to baseline.
const PITCH: f32 = 1.22;
/// The same for Chinese, which has no white of its own between the lines.
const DENSE_PITCH: f32 = 1.36;
/// A text is set in one line down to this share of its largest size, before it may take more.
const COMFORTABLE: f32 = 0.62;
/// Type that can be read from two metres; smaller is only for what does not fit otherwise.
const EASY: TypeSize = TypeSize::of(18);
/// Up to this many lines are made about equally long: short texts look torn otherwise.
const BALANCED_LINES: usize = 4;
/// Tries to narrow the lines until whole-pixel advances keep within the width.
const MAX_NARROWINGS: usize = 3;
/// The size at which fonts are asked for glyphs.
const PROBE: TypeSize = TypeSize::of(32);

/// A text that has been read: what can be drawn of it, and what cannot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Words {
    text: String,
    /// Bytes that only the pixel font can draw.
    pixel: Vec<Range<usize>>,
    /// Bytes that look better in the pixel font in small sizes.
    dense: Vec<Range<usize>>,
    omitted: Vec<char>,
}

impl Words {
    /// The characters that no font has, each once, in the order they were met.
    #[must_use]
    pub fn omitted(&self) -> &[char] {
        &self.omitted
    }

    /// What will be drawn.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether it reads from the right: whether its first letter with a direction does.
    #[must_use]
    pub fn is_rtl(&self) -> bool {
        self.text
            .chars()
            .find(|c| c.is_alphabetic())
            .is_some_and(|c| {
                matches!(
                    u32::from(c),
                    0x0590..=0x08FF | 0xFB1D..=0xFDFF | 0xFE70..=0xFEFF | 0x10800..=0x10FFF
                        | 0x1E800..=0x1EFFF
                )
            })
    }

    /// Whether nothing will be seen.
    #[must_use]
    pub fn is_blank(&self) -> bool {
        self.text.chars().all(is_inkless)
    }
}

/// Sets text in type. It keeps fonts and glyphs: have one and use it again.
pub struct Typesetter {
    fonts: Fonts,
    layouts: LayoutContext<()>,
    glyphs: Glyphs,
}

impl Default for Typesetter {
    fn default() -> Self {
        Self::new()
    }
}

impl Typesetter {
    /// With the bundled fonts; those of the system are looked up when a text first needs them.
    #[must_use]
    pub fn new() -> Self {
        Self::with(Fonts::new(true))
    }

    /// With the bundled fonts alone: the same pixels on every computer.
    #[must_use]
    pub fn bundled_only() -> Self {
        Self::with(Fonts::new(false))
    }

    fn with(fonts: Fonts) -> Self {
        Self {
            fonts,
            layouts: LayoutContext::new(),
            glyphs: Glyphs::default(),
        }
    }

    /// Reads a text: tells what can be drawn of it. At most 2,000 characters are taken.
    pub fn read(&mut self, text: &str) -> Words {
        let text: String = normal(text).chars().take(MAX_CHARACTERS).collect();
        let coverage = |fonts: &Fonts, c: char| {
            let coverage = fonts.coverage(c);
            (coverage.outline || is_inkless(c), coverage.pixel)
        };
        // Symbols are good in pixels; letters are better in a font of the system.
        let wants_system = text.chars().any(|c| {
            let (outline, pixel) = coverage(&self.fonts, c);
            !outline && (!pixel || c.is_alphabetic())
        });
        let whole = Words {
            text,
            pixel: Vec::new(),
            dense: Vec::new(),
            omitted: Vec::new(),
        };
        let unknown = if wants_system && self.fonts.load_system() {
            Some(self.undrawable(&whole))
        } else {
            None
        };
        let mut words = Words {
            text: String::with_capacity(whole.text.len()),
            ..whole.clone()
        };
        for c in whole.text.chars() {
            let (outline, pixel) = coverage(&self.fonts, c);
            let by_system = unknown
                .as_ref()
                .is_some_and(|unknown| !unknown.contains(&c) && (!pixel || c.is_alphabetic()));
            let start = words.text.len();
            let range = start..start + c.len_utf8();
            if outline || by_system {
                if pixel && is_dense(c) {
                    extend(&mut words.dense, range);
                }
            } else if pixel {
                extend(&mut words.pixel, range);
            } else {
                if !words.omitted.contains(&c) {
                    words.omitted.push(c);
                }
                continue;
            }
            words.text.push(c);
        }
        // Letters of two kinds side by side look like a mistake.
        if words
            .pixel
            .iter()
            .filter_map(|range| words.text.get(range.clone()))
            .any(|text| text.chars().any(char::is_alphabetic))
        {
            words.pixel.append(&mut words.dense);
            words.pixel.sort_unstable_by_key(|range| range.start);
            words.dense = words.pixel.clone();
        }
        words
    }

    /// Sets a text in one size, in lines no wider than a width in pixels; without a width, in one
    /// line for each line of the text. A word wider than that sticks out.
    pub fn set(
        &mut self,
        words: &Words,
        style: Style,
        size: TypeSize,
        width: Option<i32>,
    ) -> Block {
        let mut layout = self.shape(words, style, size, OverflowWrap::Normal);
        self.compose(&mut layout, words, style, size, width)
    }

    /// Sets a text as large as fits into an area of pixels: first smaller, then in more lines,
    /// at last with its words broken. `None` when it does not fit even so.
    pub fn fit(
        &mut self,
        words: &Words,
        style: Style,
        (width, height): (i32, i32),
        fit: Fit,
    ) -> Option<Block> {
        let fits = |block: &Block, lines: u16| {
            block.lines.len() <= usize::from(lines)
                && block.width <= width
                && block.height <= height
        };
        let comfortable = TypeSize::of(fit.largest.share(COMFORTABLE) as u16)
            .max(EASY)
            .min(fit.largest)
            .max(fit.smallest);
        let stages = [(1, comfortable), (fit.lines, fit.smallest)];
        for (lines, smallest) in stages {
            let ladder = TypeSize::ladder(smallest.min(fit.largest), fit.largest);
            let mut best = None;
            let (mut low, mut high) = (0, ladder.len());
            while let Some(&size) = ladder.get((low + high) / 2).filter(|_| low < high) {
                let middle = (low + high) / 2;
                let block = self.set(words, style, size, Some(width));
                if fits(&block, lines) {
                    best = Some(block);
                    low = middle + 1;
                } else {
                    high = middle;
                }
            }
            if let Some(block) = best {
                return Some(if (2..=BALANCED_LINES).contains(&block.lines.len()) {
                    self.balanced(words, style, width, block)
                } else {
                    block
                });
            }
        }
        let mut layout = self.shape(words, style, fit.smallest, OverflowWrap::Anywhere);
        let block = self.compose(&mut layout, words, style, fit.smallest, Some(width));
        fits(&block, fit.lines).then_some(block)
    }

    /// The same lines, as equally long as they can be.
    fn balanced(&mut self, words: &Words, style: Style, width: i32, block: Block) -> Block {
        let lines = block.lines.len();
        let mut layout = self.shape(words, style, block.size, OverflowWrap::Normal);
        let (mut low, mut high) = (block.width / 2, width);
        while high - low > 4 {
            let middle = (low + high) / 2;
            layout.break_all_lines(Some(middle as f32));
            let too_wide = layout.width() > middle as f32;
            if layout.len() > lines || too_wide {
                low = middle;
            } else {
                high = middle;
            }
        }
        let narrow = self.place(&mut layout, words, style, block.size, high, Some(width));
        if narrow.lines.len() == lines && narrow.width <= width && narrow.height <= block.height {
            narrow
        } else {
            block
        }
    }

    /// The characters of a text that no outline font has ink for, the system's included.
    fn undrawable(&mut self, words: &Words) -> Vec<char> {
        let mut layout = self.shape(words, Style::REGULAR, PROBE, OverflowWrap::Normal);
        layout.break_all_lines(None);
        let mut found = Vec::new();
        for run in layout.lines().flat_map(|line| line.runs()) {
            for cluster in run.visual_clusters() {
                let text = words.text.get(cluster.text_range()).unwrap_or_default();
                let inked = cluster.glyphs().all(|glyph| {
                    glyph.id != 0
                        && (text.chars().all(is_inkless)
                            || !self
                                .glyphs
                                .bitmap(
                                    run.font(),
                                    &coordinates(&run),
                                    Drawing {
                                        glyph: glyph.id,
                                        size: PROBE.pixels(),
                                        embolden: 0,
                                    },
                                )
                                .bits
                                .is_empty())
                });
                if !inked {
                    found.extend(text.chars().filter(|&c| !is_inkless(c)));
                }
            }
        }
        found
    }

    fn shape(
        &mut self,
        words: &Words,
        style: Style,
        size: TypeSize,
        wrap: OverflowWrap,
    ) -> Layout<()> {
        let mut builder =
            self.layouts
                .ranged_builder(&mut self.fonts.context, &words.text, 1.0, false);
        builder.push_default(StyleProperty::FontSize(f32::from(size.pixels())));
        builder.push_default(StyleProperty::FontFamily(families(style.face)));
        builder.push_default(StyleProperty::LineHeight(LineHeight::FontSizeRelative(
            PITCH,
        )));
        builder.push_default(StyleProperty::OverflowWrap(wrap));
        if style.weight == Weight::Bold {
            builder.push_default(StyleProperty::FontWeight(FontWeight::BOLD));
        }
        for range in &words.pixel {
            builder.push(StyleProperty::FontFamily(pixel_families()), range.clone());
        }
        if size.pixels() < PIXEL_BELOW {
            for range in &words.dense {
                builder.push(StyleProperty::FontFamily(pixel_families()), range.clone());
            }
        }
        builder.build(&words.text)
    }

    /// Breaks lines within the width and places the glyphs.
    fn compose(
        &mut self,
        layout: &mut Layout<()>,
        words: &Words,
        style: Style,
        size: TypeSize,
        width: Option<i32>,
    ) -> Block {
        let Some(width) = width else {
            layout.break_all_lines(None);
            return self.glyphs_of(layout, words, style, size, None);
        };
        self.place(layout, words, style, size, width, Some(width))
    }

    /// Breaks lines within one width and aligns them in another.
    fn place(
        &mut self,
        layout: &mut Layout<()>,
        words: &Words,
        style: Style,
        size: TypeSize,
        break_at: i32,
        width: Option<i32>,
    ) -> Block {
        let mut limit = break_at;
        layout.break_all_lines(Some(limit as f32));
        let mut block = self.glyphs_of(layout, words, style, size, width);
        // Whole-pixel advances may be a little longer than the shaper's.
        for _ in 0..MAX_NARROWINGS {
            let excess = block.width - break_at;
            if excess <= 0 {
                break;
            }
            limit = (limit - excess).max(1);
            layout.break_all_lines(Some(limit as f32));
            let narrower = self.glyphs_of(layout, words, style, size, width);
            if narrower.width >= block.width {
                break;
            }
            block = narrower;
        }
        block
    }

    fn glyphs_of(
        &mut self,
        layout: &Layout<()>,
        words: &Words,
        style: Style,
        size: TypeSize,
        width: Option<i32>,
    ) -> Block {
        let rtl = layout.is_rtl();
        let mut set_lines: Vec<SetLine> = layout
            .lines()
            .map(|line| {
                let mut set = SetLine::default();
                for run in line.runs() {
                    self.run(&run, words, style, size, &mut set);
                }
                set.trim(rtl);
                set
            })
            .collect();
        // A text that ends in a line break has no line after it.
        while set_lines.len() > 1 && set_lines.last().is_some_and(|line| line.pieces.is_empty()) {
            set_lines.pop();
        }

        let widest = set_lines.iter().map(SetLine::width).max().unwrap_or(0);
        let area = width.unwrap_or(widest);
        let pitch = size.share(if words.dense.is_empty() {
            PITCH
        } else {
            DENSE_PITCH
        });
        let mut block = Block {
            width: widest,
            height: 0,
            size,
            lines: Vec::with_capacity(set_lines.len()),
            glyphs: Vec::new(),
        };
        let mut bottom = None;
        for line in set_lines {
            let (above, below) = line.reach();
            let ascent = above.max(size.share(ASCENT));
            let baseline = match (block.lines.last(), bottom) {
                (Some(last), Some(bottom)) => (last.baseline + pitch).max(bottom + above + 1),
                _ => ascent,
            };
            let length = line.width();
            let left = match (style.align, rtl) {
                (Align::Start, false) | (Align::End, true) | (Align::Left, _) => 0,
                (Align::Centre, _) => (area - length) / 2,
                _ => area - length,
            };
            let mut pen = left;
            for piece in line.pieces {
                block
                    .glyphs
                    .extend(piece.glyphs.into_iter().map(|mut placed| {
                        placed.x += pen;
                        placed.y += baseline;
                        placed
                    }));
                pen += piece.advance;
            }
            block.lines.push(Line {
                left,
                width: length,
                baseline,
            });
            bottom = Some(baseline + below);
            block.height = baseline + below.max(size.share(DESCENT));
        }
        block
    }

    fn run(
        &mut self,
        run: &Run<'_, ()>,
        words: &Words,
        style: Style,
        size: TypeSize,
        line: &mut SetLine,
    ) {
        let pixel = self.fonts.is_pixel(run.font().data.id());
        let scale = (size.pixels() / PIXEL_CELL).max(1);
        let bold = style.weight == Weight::Bold && run.synthesis().embolden();
        let (drawn, embolden) = match (pixel, bold) {
            // A dot more on strokes of one dot would fill what is between them.
            (true, true) => (PIXEL_CELL * scale, scale / 2),
            (true, false) => (PIXEL_CELL * scale, 0),
            (false, true) => (size.pixels(), (size.pixels() / 20).max(1)),
            (false, false) => (size.pixels(), 0),
        };
        // Pixel type keeps whole multiples of its pixels, in the middle of its place.
        let room = f32::from(size.pixels()) - f32::from(drawn);
        let drop = if pixel {
            let rise = 0.875 * f32::from(drawn) - 0.875 * f32::from(size.pixels());
            (rise + room / 2.0).round() as i32
        } else {
            0
        };
        let coordinates = coordinates(run);
        for cluster in run.visual_clusters() {
            let text = words.text.get(cluster.text_range()).unwrap_or_default();
            let mut piece = Piece {
                advance: 0,
                blank: text.chars().all(char::is_whitespace),
                glyphs: Vec::new(),
            };
            for glyph in cluster.glyphs() {
                let advance = glyph.advance.round() as i32;
                let inset = if pixel {
                    (glyph.advance - glyph.advance * f32::from(drawn) / f32::from(size.pixels()))
                        / 2.0
                } else {
                    0.0
                };
                if !piece.blank && glyph.id != 0 {
                    let bitmap = self.glyphs.bitmap(
                        run.font(),
                        &coordinates,
                        Drawing {
                            glyph: glyph.id,
                            size: drawn,
                            embolden,
                        },
                    );
                    piece.glyphs.push(Placed {
                        x: piece.advance + (glyph.x + inset).round() as i32 + bitmap.left,
                        y: glyph.y.round() as i32 + drop,
                        bitmap,
                    });
                }
                piece.advance += advance;
            }
            line.pieces.push(piece);
        }
    }
}

fn coordinates(run: &Run<'_, ()>) -> Vec<i16> {
    run.normalized_coords()
        .iter()
        .map(|value| value.to_bits())
        .collect()
}

/// Adds a range to a list in order, joining it to the last where they touch.
fn extend(ranges: &mut Vec<Range<usize>>, range: Range<usize>) {
    match ranges.last_mut() {
        Some(last) if last.end == range.start => last.end = range.end,
        _ => ranges.push(range),
    }
}

/// A line whose place is not known yet.
#[derive(Default)]
struct SetLine {
    /// From the left.
    pieces: Vec<Piece>,
}

/// What moves the pen once: a letter with its marks.
struct Piece {
    advance: i32,
    blank: bool,
    glyphs: Vec<Placed>,
}

impl SetLine {
    fn width(&self) -> i32 {
        self.pieces.iter().map(|piece| piece.advance).sum()
    }

    /// Drops the spaces where the line ends.
    fn trim(&mut self, rtl: bool) {
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
    fn reach(&self) -> (i32, i32) {
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

// Work is handed to a thread of its own.
const _: fn() = || {
    fn is_send<T: Send>() {}
    is_send::<Typesetter>();
    is_send::<Arc<Block>>();
};
