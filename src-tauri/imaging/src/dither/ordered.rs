//! Comparison with a mask: the same dots at the same places in every picture.

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

pub(super) fn blue_noise(targets: &Targets, diffusion: Share) -> Vec<Ink> {
    masked(targets, &BAYER, BAYER_SIDE, diffusion)
}

/// The mask holds each rank from 0 once. A pixel is white where its white share exceeds the
/// threshold, red where white and red together do, black elsewhere, so that over the mask each ink
/// gets its share. Less diffusion mixes towards the nearest ink.
fn masked(targets: &Targets, mask: &[u16], side: usize, diffusion: Share) -> Vec<Ink> {
    let ranks = mask.len() as i32;
    let thresholds: Vec<i32> = mask
        .iter()
        .map(|&rank| ((2 * i64::from(rank) + 1) * i64::from(ONE) / i64::from(2 * ranks)) as i32)
        .collect();
    let width = targets.width();
    let mut inks = Vec::with_capacity(targets.panel.pixels());
    let strength = i32::from(diffusion.get());
    let rows = targets
        .luma
        .chunks_exact(width.max(1))
        .zip(targets.red.chunks_exact(width.max(1)));
    for ((luma, red), mask_row) in rows.zip(thresholds.chunks_exact(side).cycle()) {
        for ((&luma, &red), &threshold) in luma.iter().zip(red).zip(mask_row.iter().cycle()) {
            let ink = if strength == 100 {
                ink_at(luma, red, threshold)
            } else {
                // Between the pure corner it is nearest to and its true mixture.
                let (corner_luma, corner_red) = Targets::of(nearest_ink(luma, red));
                let mixed = |corner: i32, value: i32| corner + (value - corner) / 100 * strength;
                ink_at(mixed(corner_luma, luma), mixed(corner_red, red), threshold)
            };
            inks.push(ink);
        }
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
