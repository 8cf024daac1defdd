use serde::{Deserialize, Serialize};

/// The size of a panel in pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Panel {
    /// Pixels in a row.
    pub width: u16,
    /// Rows.
    pub height: u16,
}

impl Panel {
    /// The 4.2 inch panel.
    pub const FULL: Self = Self {
        width: 400,
        height: 300,
    };
    /// The wide strip of the small clocks.
    pub const SMALL: Self = Self {
        width: 280,
        height: 100,
    };

    /// Number of pixels.
    #[must_use]
    pub const fn pixels(self) -> usize {
        self.width as usize * self.height as usize
    }

    /// Bytes of one row of a bit plane: 8 pixels a byte, the last byte padded.
    #[must_use]
    pub const fn row_bytes(self) -> usize {
        (self.width as usize).div_ceil(8)
    }

    /// Bytes of a whole bit plane.
    #[must_use]
    pub const fn plane_bytes(self) -> usize {
        self.row_bytes() * self.height as usize
    }
}
