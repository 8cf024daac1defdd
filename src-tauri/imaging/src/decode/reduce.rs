//! From decoded samples to a linear-light raster, averaging whole blocks where there is far more
//! than a panel can show.

use fast_image_resize::pixels::{U16x3, U16x4};

use crate::ImagingError;
use crate::decode::colour::Conversion;
use crate::light::{LINEAR_OF_8, LINEAR_OF_16, ONE};
use crate::raster::{Pixels, Raster};

/// The shorter side keeps at least this many pixels: more than twice that of the larger panel, so
/// that the final filter still decides what is seen.
const WORKING_SIDE: u32 = 720;
/// Most pixels of a raster (8 bytes each): bounds what a long thin picture keeps.
const MAX_RASTER: u64 = 16_000_000;
/// Source pixels from which a second thread pays.
const PARALLEL_PIXELS: u64 = 1_000_000;
/// Threads at most: reading memory, not arithmetic, is the limit beyond.
const MAX_THREADS: usize = 4;

/// Interleaved samples as a decoder gave them.
pub(super) struct Samples<'a> {
    pub(super) width: u32,
    pub(super) height: u32,
    /// Bytes of one pixel in `bytes`.
    pub(super) pixel_bytes: usize,
    /// Rows of `width * pixel_bytes`, samples of 16 bits in the machine's byte order.
    pub(super) bytes: &'a [u8],
}

/// How the pixels lie after the colour conversion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Layout {
    pub(super) channels: Channels,
    pub(super) depth: Depth,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Channels {
    Grey,
    GreyAlpha,
    Rgb,
    Rgba,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Depth {
    Eight,
    Sixteen,
}

pub(super) fn reduce(
    samples: &Samples<'_>,
    conversion: &Conversion,
) -> Result<Raster, ImagingError> {
    let narrow = &*LINEAR_OF_8;
    let eight = |code: u8| u32::from(narrow[usize::from(code)]);
    let eight_alpha = |alpha: u8| u32::from(alpha) * 257;
    let sixteen =
        |high: u8, low: u8| u32::from(LINEAR_OF_16[usize::from(u16::from_ne_bytes([high, low]))]);
    let sixteen_alpha = |high: u8, low: u8| u32::from(u16::from_ne_bytes([high, low]));

    let Layout { channels, depth } = conversion.output;
    let pixels = match (channels, depth) {
        (Channels::Rgb, Depth::Eight) => opaque(samples, conversion, |&[r, g, b]| {
            [eight(r), eight(g), eight(b)]
        }),
        (Channels::Grey, Depth::Eight) => opaque(samples, conversion, |&[grey]| [eight(grey); 3]),
        (Channels::Grey, Depth::Sixteen) => {
            opaque(samples, conversion, |&[a, b]| [sixteen(a, b); 3])
        }
        (Channels::Rgb, Depth::Sixteen) => opaque(samples, conversion, |&[a, b, c, d, e, f]| {
            [sixteen(a, b), sixteen(c, d), sixteen(e, f)]
        }),
        (Channels::GreyAlpha, Depth::Eight) => {
            translucent(samples, conversion, |&[grey, alpha]| {
                premultiplied([eight(grey); 3], eight_alpha(alpha))
            })
        }
        (Channels::GreyAlpha, Depth::Sixteen) => {
            translucent(samples, conversion, |&[a, b, c, d]| {
                premultiplied([sixteen(a, b); 3], sixteen_alpha(c, d))
            })
        }
        (Channels::Rgba, Depth::Eight) => translucent(samples, conversion, |&[r, g, b, alpha]| {
            premultiplied([eight(r), eight(g), eight(b)], eight_alpha(alpha))
        }),
        (Channels::Rgba, Depth::Sixteen) => {
            translucent(samples, conversion, |&[a, b, c, d, e, f, g, h]| {
                premultiplied(
                    [sixteen(a, b), sixteen(c, d), sixteen(e, f)],
                    sixteen_alpha(g, h),
                )
            })
        }
    };
    let block = Block::of(samples.width, samples.height);
    Ok(Raster {
        width: samples.width / block.width,
        height: samples.height / block.height,
        source_width: samples.width,
        source_height: samples.height,
        pixels,
    })
}

/// The pixels that are averaged to one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Block {
    width: u32,
    height: u32,
}

impl Block {
    /// Square where the picture allows; a long thin one is shortened along its length only, so
    /// that no side comes to nothing.
    fn of(width: u32, height: u32) -> Self {
        let side = (width.min(height) / WORKING_SIDE).max(1);
        let mut block = Self {
            width: side,
            height: side,
        };
        loop {
            let (columns, rows) = (width / block.width, height / block.height);
            if u64::from(columns) * u64::from(rows) <= MAX_RASTER {
                return block;
            }
            if columns >= rows {
                block.width += 1;
            } else {
                block.height += 1;
            }
        }
    }
}

fn premultiplied(rgb: [u32; 3], alpha: u32) -> [u32; 4] {
    let one = u32::from(ONE);
    let [r, g, b] = rgb.map(|value| (value * alpha + one / 2) / one);
    [r, g, b, alpha]
}

fn opaque<const BYTES: usize>(
    samples: &Samples<'_>,
    conversion: &Conversion,
    linear: impl Fn(&[u8; BYTES]) -> [u32; 3] + Sync,
) -> Pixels {
    Pixels::Opaque(averaged(samples, conversion, &linear, &U16x3::new))
}

fn translucent<const BYTES: usize>(
    samples: &Samples<'_>,
    conversion: &Conversion,
    linear: impl Fn(&[u8; BYTES]) -> [u32; 4] + Sync,
) -> Pixels {
    let pixels = averaged(samples, conversion, &linear, &U16x4::new);
    // Most files with an alpha channel make no use of it.
    if pixels.iter().all(|pixel| pixel.0[3] == ONE) {
        return Pixels::Opaque(
            pixels
                .iter()
                .map(
                    |&U16x4 {
                         0: [r, g, b, _], ..
                     }| U16x3::new([r, g, b]),
                )
                .collect(),
        );
    }
    Pixels::Translucent(pixels)
}

/// Averages blocks of `linear` pixels; bands of rows go to separate threads.
fn averaged<const BYTES: usize, const N: usize, P: Copy + Default + Send>(
    samples: &Samples<'_>,
    conversion: &Conversion,
    linear: &(impl Fn(&[u8; BYTES]) -> [u32; N] + Sync),
    pixel: &(impl Fn([u16; N]) -> P + Sync),
) -> Vec<P> {
    let block = Block::of(samples.width, samples.height);
    let (block_width, block_height) = (block.width as usize, block.height as usize);
    let (width, height) = (
        samples.width as usize / block_width,
        samples.height as usize / block_height,
    );
    let source_row = samples.width as usize * samples.pixel_bytes;
    let mut result = vec![P::default(); width * height];

    let band = |rows: &mut [P], source: &[u8]| {
        let area = block.width * block.height;
        let mut sums = vec![[0_u32; N]; width];
        let mut converted = Vec::new();
        for (target, block_rows) in rows
            .chunks_exact_mut(width)
            .zip(source.chunks_exact(source_row * block_height))
        {
            sums.fill([0; N]);
            for row in block_rows.chunks_exact(source_row) {
                let row = conversion.convert(row, &mut converted);
                let (row, _) = row.as_chunks::<BYTES>();
                for (sum, block) in sums.iter_mut().zip(row.chunks_exact(block_width)) {
                    for source in block {
                        let value = linear(source);
                        for (sum, value) in sum.iter_mut().zip(value) {
                            *sum += value;
                        }
                    }
                }
            }
            for (target, sum) in target.iter_mut().zip(&sums) {
                *target = pixel(sum.map(|sum| ((sum + area / 2) / area) as u16));
            }
        }
    };

    let parallel = u64::from(samples.width) * u64::from(samples.height) >= PARALLEL_PIXELS;
    let threads = if parallel {
        std::thread::available_parallelism().map_or(1, |n| n.get().min(MAX_THREADS))
    } else {
        1
    };
    let band_rows = height.div_ceil(threads).max(1);
    if threads == 1 {
        band(&mut result, samples.bytes);
    } else {
        std::thread::scope(|scope| {
            let bands = result
                .chunks_mut(band_rows * width)
                .zip(samples.bytes.chunks(band_rows * block_height * source_row));
            for (rows, source) in bands {
                scope.spawn(|| band(rows, source));
            }
        });
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_side_of_a_long_thin_picture_comes_to_nothing() {
        for long in [1, 1_000, 16_000_000, 17_000_000, 33_000_000, 100_000_000] {
            for (width, height) in [(long, 1), (1, long), (long / 3, 3), (2, long / 2)] {
                if width == 0 || height == 0 {
                    continue;
                }
                let block = Block::of(width, height);
                let (columns, rows) = (width / block.width, height / block.height);
                assert!(columns > 0 && rows > 0, "{width}x{height}: {block:?}");
                assert!(u64::from(columns) * u64::from(rows) <= MAX_RASTER);
            }
        }
    }
}
