//! Comparison with a mask: the same dots at the same places in every picture.

use std::borrow::Cow;
use std::sync::LazyLock;

use crate::dither::gamut::{ONE, Targets};
use crate::dither::threshold::nearest_ink;
use crate::{Ink, Share};

const BAYER_SIDE: usize = 8;
/// Bayer's matrix of order 8: the bits of x^y and y, interleaved, lowest first.
static BAYER: [u16; BAYER_SIDE * BAYER_SIDE] = bayer_matrix();

const fn bayer_matrix() -> [u16; BAYER_SIDE * BAYER_SIDE] {
    let mut matrix = [0; BAYER_SIDE * BAYER_SIDE];
    let mut at = 0;
    while at < matrix.len() {
        let (x, y) = (at % BAYER_SIDE, at / BAYER_SIDE);
        let mut bit = 0;
        while bit < 3 {
            let (diagonal, vertical) = ((x ^ y) >> bit & 1, y >> bit & 1);
            matrix[at] |= ((diagonal << (5 - 2 * bit)) | (vertical << (4 - 2 * bit))) as u16;
            bit += 1;
        }
        at += 1;
    }
    matrix
}

pub(super) fn bayer(targets: &Targets, diffusion: Share) -> Vec<Ink> {
    masked(targets, &BAYER, BAYER_SIDE, diffusion)
}

/// Side of the blue-noise mask: large enough that its repetition is not seen.
const BLUE_NOISE_SIDE: usize = 64;
/// Ranks of 16 bits, low byte first, as `cargo run -p regie-imaging --example blue_noise_mask`
/// makes them.
static BLUE_NOISE: LazyLock<Vec<u16>> = LazyLock::new(|| {
    let (ranks, _) = include_bytes!("blue_noise_64.bin").as_chunks();
    ranks.iter().map(|&rank| u16::from_le_bytes(rank)).collect()
});

pub(super) fn blue_noise(targets: &Targets, diffusion: Share) -> Vec<Ink> {
    masked(targets, &BLUE_NOISE, BLUE_NOISE_SIDE, diffusion)
}

/// The targets moved towards the inks nearest to them: all the way without diffusion.
pub(super) fn towards_nearest(targets: &Targets, diffusion: Share) -> Cow<'_, Targets> {
    if diffusion == Share::FULL {
        return Cow::Borrowed(targets);
    }
    let strength = i32::from(diffusion.get());
    let mut moved = targets.clone();
    for (luma, red) in moved.luma.iter_mut().zip(&mut moved.red) {
        let (corner_luma, corner_red) = Targets::of(nearest_ink(*luma, *red));
        // 100 times full scale fits well into 32 bits.
        *luma = corner_luma + (*luma - corner_luma) * strength / 100;
        *red = corner_red + (*red - corner_red) * strength / 100;
    }
    Cow::Owned(moved)
}

/// The mask holds each rank from 0 once. A pixel is white where its white share exceeds the
/// threshold, red where white and red together do, black elsewhere, so that over the mask each ink
/// gets its share.
fn masked(targets: &Targets, mask: &[u16], side: usize, diffusion: Share) -> Vec<Ink> {
    let targets = towards_nearest(targets, diffusion);
    let ranks = mask.len() as i64;
    let thresholds: Vec<i32> = mask
        .iter()
        .map(|&rank| ((2 * i64::from(rank) + 1) * i64::from(ONE) / (2 * ranks)) as i32)
        .collect();
    let width = targets.width().max(1);
    let mut inks = Vec::with_capacity(targets.panel.pixels());
    let rows = targets
        .luma
        .chunks_exact(width)
        .zip(targets.red.chunks_exact(width));
    for ((luma, red), mask_row) in rows.zip(thresholds.chunks_exact(side).cycle()) {
        let pixels = luma.iter().zip(red).zip(mask_row.iter().cycle());
        inks.extend(pixels.map(|((&luma, &red), &threshold)| ink_at(luma, red, threshold)));
    }
    inks
}

fn ink_at(luma: i32, red: i32, threshold: i32) -> Ink {
    let white = Targets::white(luma, red);
    if white > threshold {
        Ink::White
    } else if white + red > threshold {
        Ink::Red
    } else {
        Ink::Black
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_mask_holds_every_rank_once() {
        for mask in [&BAYER[..], &BLUE_NOISE[..]] {
            let mut ranks = mask.to_vec();
            ranks.sort_unstable();
            assert!(ranks.iter().copied().eq(0..mask.len() as u16));
        }
        assert_eq!(BLUE_NOISE.len(), BLUE_NOISE_SIDE * BLUE_NOISE_SIDE);
    }

    /// The first rows as Bayer printed them.
    #[test]
    fn the_bayer_matrix_is_bayers() {
        assert_eq!(BAYER[..8], [0, 32, 8, 40, 2, 34, 10, 42]);
        assert_eq!(BAYER[8..16], [48, 16, 56, 24, 50, 18, 58, 26]);
    }
}
