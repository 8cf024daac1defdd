use std::ops::Range;

use parley::OverflowWrap;

use super::fonts::Fonts;
use super::glyphs::Drawing;
use super::normal::{is_dense, is_inkless, normal};
use super::typesetter::coordinates;
use super::{Style, TypeSize, Typesetter};

/// Most characters of one text: far more than a panel can show, little enough to shape at once.
const MAX_CHARACTERS: usize = 2000;
/// The size at which fonts are asked for glyphs.
const PROBE: TypeSize = TypeSize::of(32);

/// A text that has been read: what can be drawn of it, and what cannot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Words {
    pub(super) text: String,
    /// Bytes that only the pixel font can draw.
    pub(super) pixel: Vec<Range<usize>>,
    /// Bytes that look better in the pixel font in small sizes.
    pub(super) dense: Vec<Range<usize>>,
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

impl Typesetter {
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
}

/// Adds a range to a list in order, joining it to the last where they touch.
fn extend(ranges: &mut Vec<Range<usize>>, range: Range<usize>) {
    match ranges.last_mut() {
        Some(last) if last.end == range.start => last.end = range.end,
        _ => ranges.push(range),
    }
}
