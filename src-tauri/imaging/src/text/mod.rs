//! Words as inks: shaping, line breaking and fitting of text on a 1-bit panel.
//!
//! Glyphs are hinted for black and white and thresholded, never dithered, so that a stem is as
//! black as the panel can be. Chinese in sizes where outlines clog is set in a pixel font.
//!
//! A [`Typesetter`] has fonts of its own for Latin, Greek, Cyrillic, Arabic, Hebrew and common
//! Chinese; the fonts of the system are looked up when a text first needs another script.

mod block;
mod cells;
mod fonts;
mod glyphs;
mod month;
mod normal;
mod set_line;
mod sheet;
mod size;
mod style;
mod typesetter;
mod words;

pub use block::{Block, Line};
pub(crate) use cells::listed;
pub use cells::{CellLine, CellSize};
pub use month::MonthPage;
pub use sheet::Sheet;
pub use size::TypeSize;
pub use style::{Align, Face, Fit, Style, Weight};
pub use typesetter::Typesetter;
pub use words::Words;
