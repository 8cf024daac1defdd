use super::{Fit, Style, Typesetter, listed};
use crate::canvas::{Area, Canvas};
use crate::{ImagingError, Ink, Note, Panel, Planes, Rendered};

/// A panel with nothing but words, as large as they fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sheet {
    /// The panel.
    pub panel: Panel,
    /// The ink of the letters.
    pub ink: Ink,
    /// The ink under them.
    pub paper: Ink,
    /// The look of the letters.
    pub style: Style,
    /// The largest type size in pixels, 12 to 200.
    pub largest: u16,
}

impl Default for Sheet {
    fn default() -> Self {
        Self {
            panel: Panel::FULL,
            ink: Ink::Black,
            paper: Ink::White,
            style: Style::BOLD.aligned(super::Align::Centre),
            largest: 200,
        }
    }
}

/// White space around the words, as a share of the panel's height.
const MARGIN_SHARE: i32 = 14;
/// Most lines: more could not be read.
const MAX_LINES: u16 = 16;

impl Sheet {
    /// Draws a text in the middle of the panel.
    ///
    /// # Errors
    /// [`ImagingError::InvalidField`] when ink and paper are the same,
    /// [`ImagingError::MissingField`] for an empty text, [`ImagingError::TextTooLong`] for one
    /// that does not fit even in 12 pixels, [`ImagingError::CharactersMissing`] when no font has
    /// any of its characters, [`ImagingError::NoPixels`] for a panel without pixels.
    pub fn render(
        &self,
        typesetter: &mut Typesetter,
        text: &str,
    ) -> Result<Rendered, ImagingError> {
        if self.panel.pixels() == 0 {
            return Err(ImagingError::NoPixels);
        }
        if self.ink == self.paper {
            return Err(ImagingError::InvalidField {
                field: "paper".into(),
                value: self.paper.name().into(),
                allowed: "another colour than the letters".into(),
            });
        }
        let words = typesetter.read(text);
        if words.is_blank() {
            return Err(if words.omitted().is_empty() {
                ImagingError::MissingField {
                    field: "text".into(),
                    allowed: "words".into(),
                }
            } else {
                ImagingError::CharactersMissing {
                    characters: listed(words.omitted()),
                }
            });
        }
        let mut canvas = Canvas::new(self.panel, self.paper);
        let margin = (canvas.height() / MARGIN_SHARE).max(2);
        let area = Area::new(
            margin,
            margin,
            canvas.width() - 2 * margin,
            canvas.height() - 2 * margin,
        );
        let block = typesetter
            .fit(
                &words,
                self.style,
                area.size(),
                Fit::new(self.largest, 12, MAX_LINES),
            )
            .ok_or_else(|| ImagingError::TextTooLong {
                field: "text".into(),
            })?;
        canvas.text_in(&block, area, self.ink);
        let notes = if words.omitted().is_empty() {
            Vec::new()
        } else {
            vec![Note::CharactersOmitted {
                characters: listed(words.omitted()),
            }]
        };
        Ok(Rendered {
            planes: Planes::pack(&canvas.into_map()),
            notes,
        })
    }
}
