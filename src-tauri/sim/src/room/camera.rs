//! Pictures of a simulated camera.

use image::codecs::jpeg::JpegEncoder;
use image::{ExtendedColorType, ImageResult};

use super::board::scramble;
use crate::screen::{BLACK, Screen};
use crate::segments::{Size, draw_centred};

/// A picture that was taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Shot {
    /// Which picture since the board started, from 1.
    pub(crate) number: u32,
    pub(crate) width: u16,
    pub(crate) height: u16,
    /// As cameras count it, 10..=63, lower is better.
    pub(crate) quality: u8,
    /// What the wall before the camera looks like.
    pub(crate) seed: u64,
}

impl Shot {
    /// The JPEG: a dim wall with the picture's number on it, so that two of them tell apart.
    pub(crate) fn jpeg(self) -> ImageResult<Vec<u8>> {
        let (width, height) = (usize::from(self.width), usize::from(self.height));
        let mut number = Screen::white(width, height);
        let size = Size {
            width: width / 8,
            height: height / 3,
            stroke: (width / 40).max(1),
        };
        draw_centred(
            &mut number,
            &self.number.to_string(),
            height / 3,
            size,
            BLACK,
        );
        let mut pixels = Vec::with_capacity(width * height * 3);
        for y in 0..height {
            for x in 0..width {
                let ink = number.inks.get(y * width + x) == Some(&BLACK);
                pixels.extend(if ink {
                    [250, 240, 200]
                } else {
                    self.wall(x, y, width, height)
                });
            }
        }
        let mut file = Vec::new();
        // From the camera's scale to the encoder's, 1..=100: 10 is 90, 63 is 37.
        let quality = 100_u8.saturating_sub(self.quality).clamp(1, 100);
        JpegEncoder::new_with_quality(&mut file, quality).encode(
            &pixels,
            self.width.into(),
            self.height.into(),
            ExtendedColorType::Rgb8,
        )?;
        Ok(file)
    }

    /// A wall lit from one side, with bricks and the noise of a cheap sensor.
    fn wall(self, x: usize, y: usize, width: usize, height: usize) -> [u8; 3] {
        let noise = scramble(
            u64::from(self.number) << 40 ^ u64::try_from(y * width + x).unwrap_or_default(),
        ) % 13;
        let light = 40 + 90 * x / width.max(1) + 30 * y / height.max(1);
        let row = y * 12 / height.max(1);
        let joint =
            (y * 12) % height.max(1) < 12 || (x * 16 + row % 2 * width / 2) % width.max(1) < 16;
        let value = light + usize::try_from(noise).unwrap_or_default();
        let value = if joint { value / 2 } else { value };
        let channel = |part: usize| u8::try_from(value * part / 10).unwrap_or(u8::MAX);
        // Each room has its own paint.
        let mut colour = [channel(10), channel(7), channel(5)];
        colour.rotate_right(usize::try_from(self.seed % 3).unwrap_or(0));
        colour
    }
}
