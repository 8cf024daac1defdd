//! What a simulated panel shows.

use thiserror::Error;

/// A black pixel of a [`Screen`].
pub const BLACK: u8 = 0;
/// A white pixel of a [`Screen`].
pub const WHITE: u8 = 1;
/// A red pixel of a [`Screen`].
pub const RED: u8 = 2;

/// A picture of a panel, one byte a pixel, rows from the top, pixels from the left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Screen {
    /// Pixels in a row.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// [`BLACK`], [`WHITE`] or [`RED`], `width * height` of them.
    pub inks: Vec<u8>,
}

/// A picture file could not be made.
#[derive(Debug, Error)]
#[error("The picture of the simulated screen could not be made ({0}).")]
pub struct ScreenError(#[from] png::EncodingError);

impl Screen {
    pub(crate) fn white(width: usize, height: usize) -> Self {
        Self {
            width,
            height,
            inks: vec![WHITE; width * height],
        }
    }

    /// Neither black nor white: every other pixel.
    pub(crate) fn grey(width: usize, height: usize) -> Self {
        let inks = (0..width * height)
            .map(|pixel| {
                if (pixel % width + pixel / width).is_multiple_of(2) {
                    BLACK
                } else {
                    WHITE
                }
            })
            .collect();
        Self {
            width,
            height,
            inks,
        }
    }

    /// From planes of a bit a pixel, most significant bit leftmost: 1 is white in the first and
    /// red in the second, and red wins. Bytes that are missing count as white.
    pub(crate) fn from_planes(width: usize, height: usize, bw: &[u8], red: &[u8]) -> Self {
        let bit = |plane: &[u8], pixel: usize| {
            plane
                .get(pixel / 8)
                .map(|byte| byte >> (7 - pixel % 8) & 1 == 1)
        };
        let inks = (0..width * height)
            .map(|pixel| match (bit(red, pixel), bit(bw, pixel)) {
                (Some(true), _) => RED,
                (_, Some(false)) => BLACK,
                _ => WHITE,
            })
            .collect();
        Self {
            width,
            height,
            inks,
        }
    }

    pub(crate) fn fill(&mut self, left: usize, top: usize, width: usize, height: usize, ink: u8) {
        for y in top..(top + height).min(self.height) {
            for x in left..(left + width).min(self.width) {
                self.inks[y * self.width + x] = ink;
            }
        }
    }

    pub(crate) fn paste(&mut self, other: &Self, left: usize, top: usize) {
        for y in 0..other.height.min(self.height.saturating_sub(top)) {
            for x in 0..other.width.min(self.width.saturating_sub(left)) {
                self.inks[(top + y) * self.width + left + x] = other.inks[y * other.width + x];
            }
        }
    }

    pub(crate) fn invert(&mut self) {
        for ink in &mut self.inks {
            *ink = match *ink {
                BLACK => WHITE,
                WHITE => BLACK,
                other => other,
            };
        }
    }

    pub(crate) fn rotate180(&mut self) {
        self.inks.reverse();
    }

    /// The screen as a PNG file with three colours.
    ///
    /// # Errors
    /// [`ScreenError`].
    pub fn png(&self) -> Result<Vec<u8>, ScreenError> {
        let mut file = Vec::new();
        // Panels are a few hundred pixels wide.
        let mut encoder = png::Encoder::new(&mut file, self.width as u32, self.height as u32);
        encoder.set_color(png::ColorType::Indexed);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_palette(vec![0, 0, 0, 255, 255, 255, 255, 0, 0]);
        let mut writer = encoder.write_header()?;
        writer.write_image_data(&self.inks)?;
        writer.finish()?;
        Ok(file)
    }
}
