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
    let block = block_side(samples.width, samples.height);
    Ok(Raster {
        width: samples.width / block,
        height: samples.height / block,
        source_width: samples.width,
        source_height: samples.height,
        pixels,
    })
}

/// Side of the blocks that are averaged to one pixel.
fn block_side(width: u32, height: u32) -> u32 {
    let mut side = (width.min(height) / WORKING_SIDE).max(1);
    while u64::from(width / side) * u64::from(height / side) > MAX_RASTER {
        side += 1;
    }
    side
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
    let side = block_side(samples.width, samples.height) as usize;
    let (width, height) = (
        samples.width as usize / side,
        samples.height as usize / side,
    );
    let source_row = samples.width as usize * samples.pixel_bytes;
    let mut result = vec![P::default(); width * height];

    let band = |rows: &mut [P], source: &[u8]| {
        let area = (side * side) as u32;
        let mut sums = vec![[0_u32; N]; width];
        let mut converted = Vec::new();
        for (target, block_rows) in rows
            .chunks_exact_mut(width)
            .zip(source.chunks_exact(source_row * side))
        {
            sums.fill([0; N]);
            for row in block_rows.chunks_exact(source_row) {
                let row = conversion.convert(row, &mut converted);
                let (row, _) = row.as_chunks::<BYTES>();
                for (sum, block) in sums.iter_mut().zip(row.chunks_exact(side)) {
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
                .zip(samples.bytes.chunks(band_rows * side * source_row));
            for (rows, source) in bands {
                scope.spawn(|| band(rows, source));
            }
        });
    }
    result
}
