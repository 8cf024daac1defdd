//! A picture's way from bytes to the bit planes of an e-ink panel.
//!
//! ```text
//! bytes -> decode -> orient -> fit -> adjust -> project -> dither -> pack -> planes
//! ```
//!
//! [`decode`] is the one door for picture bytes: it knows the formats, the limits and the colour
//! conversions, and its [`Picture`] is already in linear light. A [`Pipeline`] holds one picture
//! and turns it into [`Planes`] for any [`Options`], keeping the result of each stage so that a
//! slider redoes only what follows it. A preview is drawn from the packed planes
//! ([`preview_png`]), so it cannot differ from what the panel gets.

mod adjust;
mod canvas;
mod decode;
mod dither;
mod error;
mod fit;
mod frame;
mod ink;
mod light;
mod note;
mod options;
mod panel;
mod picture;
mod pipeline;
mod planes;
mod preview;
mod raster;
mod sniff;
mod source;
pub mod template;
pub mod text;
mod tone;

pub use adjust::{Adjust, AdjustKey, Background, Bounded, Fit, Gamma, Level, Rotate, Share, Size};
pub use decode::{Limits, decode};
pub use dither::{Algorithm, Kind, Palette};
pub use error::ImagingError;
pub use ink::{Ink, InkMap, Inks};
pub use note::Note;
pub use options::Options;
pub use panel::Panel;
pub use picture::Picture;
pub use pipeline::{Pipeline, Rendered, Rgb8};
pub use planes::Planes;
pub use preview::{preview_png, preview_rgba};
pub use sniff::Format;
pub use source::Source;
