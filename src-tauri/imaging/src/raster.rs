use fast_image_resize::pixels::{U16x3, U16x4};
use image::metadata::Orientation;

use crate::Rotate;

/// A decoded picture in linear light, 0..=65535 a channel, row by row.
///
/// It may have fewer pixels than the file: whole blocks of the source are averaged while decoding
/// where it has far more than a panel can show.
#[derive(Clone, Debug)]
pub(crate) struct Raster {
    pub(crate) width: u32,
    pub(crate) height: u32,
    /// Width of the file's picture, turned as this raster is.
    pub(crate) source_width: u32,
    /// Height of the file's picture, turned as this raster is.
    pub(crate) source_height: u32,
    pub(crate) pixels: Pixels,
}

#[derive(Clone, Debug)]
pub(crate) enum Pixels {
    Opaque(Vec<U16x3>),
    /// Red, green and blue are premultiplied with alpha.
    Translucent(Vec<U16x4>),
}

impl Raster {
    pub(crate) const fn is_transparent(&self) -> bool {
        matches!(self.pixels, Pixels::Translucent(_))
    }

    /// Turned or mirrored as an EXIF orientation asks for.
    pub(crate) fn oriented(self, orientation: Orientation) -> Self {
        let steps = match orientation {
            Orientation::NoTransforms => return self,
            Orientation::Rotate180 => Walk {
                swap: false,
                flip_x: true,
                flip_y: true,
            },
            Orientation::FlipHorizontal => Walk {
                swap: false,
                flip_x: true,
                flip_y: false,
            },
            Orientation::FlipVertical => Walk {
                swap: false,
                flip_x: false,
                flip_y: true,
            },
            Orientation::Rotate90 => Walk {
                swap: true,
                flip_x: false,
                flip_y: true,
            },
            Orientation::Rotate270 => Walk {
                swap: true,
                flip_x: true,
                flip_y: false,
            },
            Orientation::Rotate90FlipH => Walk {
                swap: true,
                flip_x: false,
                flip_y: false,
            },
            Orientation::Rotate270FlipH => Walk {
                swap: true,
                flip_x: true,
                flip_y: true,
            },
        };
        self.walked(steps)
    }

    /// Turned clockwise.
    pub(crate) fn rotated(&self, rotate: Rotate) -> Self {
        let orientation = match rotate {
            Rotate::None => Orientation::NoTransforms,
            Rotate::Quarter => Orientation::Rotate90,
            Rotate::Half => Orientation::Rotate180,
            Rotate::ThreeQuarters => Orientation::Rotate270,
        };
        self.clone().oriented(orientation)
    }

    fn walked(&self, walk: Walk) -> Self {
        let (width, height) = (self.width as usize, self.height as usize);
        let pixels = match &self.pixels {
            Pixels::Opaque(pixels) => Pixels::Opaque(walk.collect(pixels, width, height)),
            Pixels::Translucent(pixels) => Pixels::Translucent(walk.collect(pixels, width, height)),
        };
        let turned = |a, b| if walk.swap { (b, a) } else { (a, b) };
        let (width, height) = turned(self.width, self.height);
        let (source_width, source_height) = turned(self.source_width, self.source_height);
        Self {
            width,
            height,
            source_width,
            source_height,
            pixels,
        }
    }
}

/// In which order the source's pixels make the result: with `swap` its columns become rows; the
/// flips run through the source's x or y backwards.
#[derive(Clone, Copy)]
struct Walk {
    swap: bool,
    flip_x: bool,
    flip_y: bool,
}

impl Walk {
    fn collect<P: Copy>(self, source: &[P], width: usize, height: usize) -> Vec<P> {
        let at = |x: usize, y: usize| {
            let x = if self.flip_x { width - 1 - x } else { x };
            let y = if self.flip_y { height - 1 - y } else { y };
            source[y * width + x]
        };
        let mut result = Vec::with_capacity(source.len());
        if self.swap {
            for x in 0..width {
                result.extend((0..height).map(|y| at(x, y)));
            }
        } else {
            for y in 0..height {
                result.extend((0..width).map(|x| at(x, y)));
            }
        }
        result
    }
}
