use crate::raster::Raster;
use crate::{Format, Note};

/// A decoded picture: upright, in linear light, at the resolution that panels can make use of.
#[derive(Clone, Debug)]
pub struct Picture {
    pub(crate) raster: Raster,
    pub(crate) format: Format,
    pub(crate) notes: Vec<Note>,
}

impl Picture {
    /// Width and height in pixels, upright, as in the file.
    #[must_use]
    pub const fn dimensions(&self) -> (u32, u32) {
        (self.raster.source_width, self.raster.source_height)
    }

    /// The format of the file.
    #[must_use]
    pub const fn format(&self) -> Format {
        self.format
    }

    /// What decoding did to it.
    #[must_use]
    pub fn notes(&self) -> &[Note] {
        &self.notes
    }

    /// Whether some of it may be transparent.
    #[must_use]
    pub const fn is_transparent(&self) -> bool {
        self.raster.is_transparent()
    }
}
