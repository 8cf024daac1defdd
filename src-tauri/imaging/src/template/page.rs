use super::field::Text;
use super::record::Record;
use crate::canvas::{Area, Canvas};
use crate::text::{Block, Fit, Style, Typesetter, Words, listed};
use crate::{ImagingError, Ink, InkMap, Palette, Panel};

/// White space around everything, in pixels.
pub(super) const MARGIN: i32 = 24;
/// Thickness of rules that part a page.
pub(super) const RULE: i32 = 2;

/// The panel while a template draws on it.
pub(super) struct Page<'a> {
    pub(super) canvas: Canvas,
    typesetter: &'a mut Typesetter,
    /// Red, or black on a panel that shall show no red.
    pub(super) accent: Ink,
    omitted: Vec<char>,
}

impl<'a> Page<'a> {
    pub(super) fn new(typesetter: &'a mut Typesetter, palette: Palette) -> Self {
        Self {
            canvas: Canvas::new(Panel::FULL, Ink::White),
            typesetter,
            accent: match palette {
                Palette::BlackWhiteRed => Ink::Red,
                Palette::BlackWhite => Ink::Black,
            },
            omitted: Vec::new(),
        }
    }

    /// The panel within its margins.
    pub(super) fn inside(&self) -> Area {
        Area::new(
            MARGIN,
            MARGIN,
            self.canvas.width() - 2 * MARGIN,
            self.canvas.height() - 2 * MARGIN,
        )
    }

    /// The drawing, and the characters that are not in it.
    pub(super) fn finish(self) -> (InkMap, Vec<char>) {
        (self.canvas.into_map(), self.omitted)
    }

    /// Reads the text of a field; characters that no font has are left out and kept in mind.
    pub(super) fn read(&mut self, text: &str) -> Result<Words, ImagingError> {
        let words = self.typesetter.read(text);
        if words.is_blank() && !words.omitted().is_empty() {
            return Err(ImagingError::CharactersMissing {
                characters: listed(words.omitted()),
            });
        }
        for &c in words.omitted() {
            if !self.omitted.contains(&c) {
                self.omitted.push(c);
            }
        }
        Ok(words)
    }

    /// [`read`](Self::read) of a record's field.
    pub(super) fn read_field(
        &mut self,
        record: &Record<'_>,
        field: &Text,
    ) -> Result<Words, ImagingError> {
        self.read(&record.text(field)?)
    }

    /// Sets words as large as they fit; the field is named when they do not.
    pub(super) fn fit(
        &mut self,
        field: &str,
        words: &Words,
        style: Style,
        size: (i32, i32),
        fit: Fit,
    ) -> Result<Block, ImagingError> {
        self.typesetter
            .fit(words, style, size, fit)
            .ok_or_else(|| ImagingError::TextTooLong {
                field: field.into(),
            })
    }

    /// [`read`](Self::read) and [`fit`](Self::fit) in one.
    pub(super) fn set(
        &mut self,
        field: &str,
        text: &str,
        style: Style,
        size: (i32, i32),
        fit: Fit,
    ) -> Result<Block, ImagingError> {
        let words = self.read(text)?;
        self.fit(field, &words, style, size, fit)
    }

    /// Draws a block with its ink in the middle of an area's height.
    pub(super) fn middle(&mut self, block: &Block, area: Area, ink: Ink) {
        self.canvas.text_in(block, area, ink);
    }
}
