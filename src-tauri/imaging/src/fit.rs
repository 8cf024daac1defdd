//! From a picture of any size to a frame of the panel's.

use std::borrow::Cow;

use fast_image_resize::images::{TypedImage, TypedImageRef};
use fast_image_resize::pixels::{InnerPixel, U16x3, U16x4};
use fast_image_resize::{FilterType, PixelTrait, ResizeAlg, ResizeOptions, Resizer};

use crate::frame::Frame;
use crate::light::{LINEAR_OF_8, ONE};
use crate::raster::{Pixels, Raster};
use crate::{Background, Fit, Inks, Panel, Rotate};

/// What decides the result of the stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FitKey {
    pub(crate) panel: Panel,
    pub(crate) fit: Fit,
    pub(crate) background: Background,
    pub(crate) rotate: Rotate,
}

/// A fitted picture.
pub(crate) struct Fitted {
    pub(crate) frame: Frame,
    /// It has fewer pixels than what it covers of the panel.
    pub(crate) enlarged: bool,
}

/// Turns, then scales in linear light, then lays the result on the background.
///
/// A picture that already has its size on the panel is not resampled.
pub(crate) fn fit(raster: &Raster, key: FitKey) -> Fitted {
    let raster = match key.rotate {
        Rotate::None => Cow::Borrowed(raster),
        rotate => Cow::Owned(raster.rotated(rotate)),
    };
    let paper = Inks::IDEAL
        .colour(key.background.ink())
        .map(|code| LINEAR_OF_8[usize::from(code)]);
    let mut frame = Frame::filled(key.panel, paper);
    if key.panel.pixels() == 0 || raster.width == 0 || raster.height == 0 {
        return Fitted {
            frame,
            enlarged: false,
        };
    }
    let place = Placement::of(&raster, key.panel, key.fit);
    match &raster.pixels {
        Pixels::Opaque(pixels) => {
            let scaled = place.scale(pixels, &raster);
            place.lay(&mut frame, &scaled, |pixel: U16x3, _| pixel.0);
        }
        Pixels::Translucent(pixels) => {
            let scaled = place.scale(pixels, &raster);
            place.lay(&mut frame, &scaled, |pixel: U16x4, under| {
                let [red, green, blue, alpha] = pixel.0;
                let over = |value: u16, under: u16| {
                    let shine = (u32::from(under) * u32::from(ONE - alpha) + u32::from(ONE / 2))
                        / u32::from(ONE);
                    // The filter's overshoot may leave a premultiplied value above its alpha.
                    (u32::from(value) + shine).min(u32::from(ONE)) as u16
                };
                [
                    over(red, under[0]),
                    over(green, under[1]),
                    over(blue, under[2]),
                ]
            });
        }
    }
    let scale_x = f64::from(place.width) / place.crop_width;
    let scale_y = f64::from(place.height) / place.crop_height;
    Fitted {
        frame,
        enlarged: scale_x > 1.0 + f64::EPSILON || scale_y > 1.0 + f64::EPSILON,
    }
}

/// Which part of the raster goes where on the panel.
struct Placement {
    crop_left: f64,
    crop_top: f64,
    crop_width: f64,
    crop_height: f64,
    left: usize,
    top: usize,
    width: u32,
    height: u32,
}

impl Placement {
    fn of(raster: &Raster, panel: Panel, fit: Fit) -> Self {
        let (width, height) = (f64::from(raster.width), f64::from(raster.height));
        let (panel_width, panel_height) = (f64::from(panel.width), f64::from(panel.height));
        let whole = Self {
            crop_left: 0.0,
            crop_top: 0.0,
            crop_width: width,
            crop_height: height,
            left: 0,
            top: 0,
            width: u32::from(panel.width),
            height: u32::from(panel.height),
        };
        match fit {
            Fit::Stretch => whole,
            Fit::Cover => {
                let scale = (panel_width / width).max(panel_height / height);
                let crop_width = (panel_width / scale).min(width);
                let crop_height = (panel_height / scale).min(height);
                let (mut crop_left, mut crop_top) =
                    ((width - crop_width) / 2.0, (height - crop_height) / 2.0);
                if scale == 1.0 {
                    // Half a pixel off centre is better than blurring every pixel.
                    (crop_left, crop_top) = (crop_left.floor(), crop_top.floor());
                }
                Self {
                    crop_left,
                    crop_top,
                    crop_width,
                    crop_height,
                    ..whole
                }
            }
            Fit::Contain => {
                let scale = (panel_width / width).min(panel_height / height);
                let shown = |length: f64, most: u16| {
                    ((length * scale).round() as u32).clamp(1, u32::from(most))
                };
                let (shown_width, shown_height) =
                    (shown(width, panel.width), shown(height, panel.height));
                Self {
                    left: (u32::from(panel.width) - shown_width) as usize / 2,
                    top: (u32::from(panel.height) - shown_height) as usize / 2,
                    width: shown_width,
                    height: shown_height,
                    ..whole
                }
            }
        }
    }

    fn scale<P: PixelTrait>(&self, pixels: &[P], raster: &Raster) -> Vec<P> {
        let (width, height) = (self.width as usize, self.height as usize);
        if self.crop_width == f64::from(self.width) && self.crop_height == f64::from(self.height) {
            let (left, top) = (self.crop_left as usize, self.crop_top as usize);
            let rows = pixels
                .chunks_exact(raster.width as usize)
                .skip(top)
                .take(height);
            return rows
                .flat_map(|row| row.iter().skip(left).take(width).copied())
                .collect();
        }
        let shrinks =
            self.crop_width >= f64::from(self.width) && self.crop_height >= f64::from(self.height);
        // Lanczos keeps the moiré of fine patterns away; enlarged, it rings more than Catmull-Rom.
        let filter = if shrinks {
            FilterType::Lanczos3
        } else {
            FilterType::CatmullRom
        };
        let target = (self.width, self.height);
        let across = (self.crop_left, self.crop_width);
        let down = (self.crop_top, self.crop_height);
        if self.crop_height >= f64::from(self.height) {
            return resampled(
                pixels,
                (raster.width, raster.height),
                target,
                across,
                down,
                filter,
            );
        }
        // Of an enlarged picture, the library's two passes in one may take the second row to begin
        // before the first, where a filter's weight is exactly nothing, and fail; one at a time they
        // do not.
        let (wide, tall) = ((raster.width, raster.height), (raster.width, self.height));
        let whole = (0.0, f64::from(raster.width));
        let stretched = resampled(pixels, wide, tall, whole, down, filter);
        let all = (0.0, f64::from(self.height));
        resampled(&stretched, tall, target, across, all, filter)
    }

    fn lay<P: InnerPixel>(
        &self,
        frame: &mut Frame,
        scaled: &[P],
        over: impl Fn(P, [u16; 3]) -> [u16; 3],
    ) {
        let stride = usize::from(frame.panel.width);
        for (y, row) in scaled.chunks_exact(self.width as usize).enumerate() {
            let start = (self.top + y) * stride + self.left;
            let end = start + row.len();
            let red = &mut frame.red[start..end];
            let green = &mut frame.green[start..end];
            let blue = &mut frame.blue[start..end];
            for (((&pixel, red), green), blue) in row.iter().zip(red).zip(green).zip(blue) {
                [*red, *green, *blue] = over(pixel, [*red, *green, *blue]);
            }
        }
    }
}

/// A part of a picture (from and length, across and down, in pixels of the picture) at another size
/// (width and height).
fn resampled<P: PixelTrait>(
    pixels: &[P],
    (width, height): (u32, u32),
    (to_width, to_height): (u32, u32),
    (left, across): (f64, f64),
    (top, down): (f64, f64),
    filter: FilterType,
) -> Vec<P> {
    let options = ResizeOptions::new()
        .resize_alg(ResizeAlg::Convolution(filter))
        .crop(left, top, across, down)
        .use_alpha(false);
    let mut scaled = vec![P::default(); to_width as usize * to_height as usize];
    let source = TypedImageRef::new(width, height, pixels);
    let target = TypedImage::from_pixels_slice(to_width, to_height, &mut scaled);
    if let (Ok(source), Ok(mut target)) = (source, target) {
        // Sizes and crop box are consistent by construction: the only errors there are.
        let resized = Resizer::new().resize_typed(&source, &mut target, &options);
        debug_assert!(resized.is_ok());
    }
    scaled
}
