//! Error diffusion in whole numbers.
//!
//! A row is done in two passes: what the rows above pass on is summed for the whole row at once,
//! which vectorises; only the taps within the row have to be followed pixel by pixel.

use crate::dither::gamut::{ONE, RED_LUMA, Targets};
use crate::{Ink, Palette, Share};

/// Weights are in 1024ths.
const WEIGHT_BITS: u32 = 10;
/// Columns beside an error row that stay zero: the widest kernel reaches two pixels.
const MARGIN: usize = 2;

/// Which shares of a pixel's error go where, in 1024ths, for a row done from left to right.
pub(super) trait Kernel {
    /// One and two to the right.
    const HERE: [i32; 2];
    /// The next row, from two left to two right.
    const NEXT: [i32; 5];
    /// The row after it, likewise.
    const AFTER: [i32; 5] = [0; 5];
}

/// 1024ths of sevenths and the like, rounded so that the whole is 1024.
macro_rules! kernel {
    ($(#[$meta:meta])* $name:ident: $here:expr, $next:expr, $after:expr) => {
        $(#[$meta])*
        pub(super) struct $name;
        impl Kernel for $name {
            const HERE: [i32; 2] = $here;
            const NEXT: [i32; 5] = $next;
            const AFTER: [i32; 5] = $after;
        }
    };
}

kernel!(/// 7; 3 5 1, of 16.
    FloydSteinberg: [448, 0], [0, 192, 320, 64, 0], [0; 5]);
kernel!(/// 1 1; 1 1 1; 1, of 8: a quarter is dropped.
    Atkinson: [128, 128], [0, 128, 128, 128, 0], [0, 0, 128, 0, 0]);
kernel!(/// 7 5; 3 5 7 5 3; 1 3 5 3 1, of 48.
    Jarvis: [149, 107], [64, 107, 149, 107, 64], [21, 64, 107, 64, 21]);
kernel!(/// 8 4; 2 4 8 4 2; 1 2 4 2 1, of 42.
    Stucki: [195, 98], [49, 97, 195, 97, 49], [24, 49, 98, 49, 24]);
kernel!(/// 8 4; 2 4 8 4 2, of 32.
    Burkes: [256, 128], [64, 128, 256, 128, 64], [0; 5]);
kernel!(/// 5 3; 2 4 5 4 2; 2 3 2, of 32.
    Sierra: [160, 96], [64, 128, 160, 128, 64], [0, 64, 96, 64, 0]);
kernel!(/// 2; 1 1, of 4.
    SierraLite: [512, 0], [0, 256, 256, 0, 0], [0; 5]);

/// The errors of a row, with [`MARGIN`] zeros on both sides.
struct ErrorRow {
    luma: Vec<i32>,
    red: Vec<i32>,
}

impl ErrorRow {
    fn new(width: usize) -> Self {
        Self {
            luma: vec![0; width + 2 * MARGIN],
            red: vec![0; width + 2 * MARGIN],
        }
    }
}

/// Error diffusion in a serpentine: every other row from right to left, which breaks up the
/// diagonal streaks of going one way only.
pub(super) fn diffuse<K: Kernel>(targets: &Targets, diffusion: Share) -> Vec<Ink> {
    // 256ths of the error that are passed on.
    let strength = (i32::from(diffusion.get()) * 256 + 50) / 100;
    match (targets.palette, strength == 256) {
        (Palette::BlackWhiteRed, true) => rows::<K, false, true>(targets, strength),
        (Palette::BlackWhiteRed, false) => rows::<K, false, false>(targets, strength),
        (Palette::BlackWhite, true) => rows::<K, true, true>(targets, strength),
        (Palette::BlackWhite, false) => rows::<K, true, false>(targets, strength),
    }
}

fn rows<K: Kernel, const MONO: bool, const FULL: bool>(
    targets: &Targets,
    strength: i32,
) -> Vec<Ink> {
    let width = targets.width();
    let mut inks = vec![Ink::Black; targets.panel.pixels()];
    if inks.is_empty() {
        return inks;
    }
    let [mut errors, mut above, mut higher] = [(); 3].map(|()| ErrorRow::new(width));
    let mut luma_carry = vec![0_i32; width];
    let mut red_carry = vec![0_i32; width];

    let planes = targets
        .luma
        .chunks_exact(width)
        .zip(targets.red.chunks_exact(width));
    let planes = planes
        .zip(targets.free.chunks_exact(width))
        .zip(inks.chunks_exact_mut(width));
    for (y, (((luma, red), free), inks)) in planes.enumerate() {
        let backwards = y % 2 == 1;
        carry::<K>(&mut luma_carry, &above.luma, &higher.luma, backwards);
        if !MONO {
            carry::<K>(&mut red_carry, &above.red, &higher.red, backwards);
        }
        let row = Row {
            luma,
            red,
            free,
            luma_carry: &luma_carry,
            red_carry: &red_carry,
        };
        if backwards {
            row.diffuse::<K, MONO, FULL, true>(&mut errors, inks, strength);
        } else {
            row.diffuse::<K, MONO, FULL, false>(&mut errors, inks, strength);
        }
        std::mem::swap(&mut higher, &mut above);
        std::mem::swap(&mut above, &mut errors);
    }
    inks
}

/// Sums what the two rows above pass on to each pixel. The row above ran the other way.
fn carry<K: Kernel>(sums: &mut [i32], above: &[i32], higher: &[i32], backwards: bool) {
    // A tap `dx` to the right of its source, in the source's own direction, is read from here at
    // `-dx` for a row done forwards and at `+dx` for one done backwards.
    let mirrored = |taps: [i32; 5], mirror: bool| {
        if mirror {
            [taps[4], taps[3], taps[2], taps[1], taps[0]]
        } else {
            taps
        }
    };
    let near = mirrored(K::NEXT, backwards);
    let far = mirrored(K::AFTER, !backwards);
    if K::AFTER == [0; 5] {
        for (sum, window) in sums.iter_mut().zip(above.windows(5)) {
            *sum = near
                .iter()
                .zip(window)
                .map(|(weight, error)| weight * error)
                .sum();
        }
    } else {
        for ((sum, window), distant) in sums.iter_mut().zip(above.windows(5)).zip(higher.windows(5))
        {
            let first: i32 = near
                .iter()
                .zip(window)
                .map(|(weight, error)| weight * error)
                .sum();
            let second: i32 = far
                .iter()
                .zip(distant)
                .map(|(weight, error)| weight * error)
                .sum();
            *sum = first + second;
        }
    }
}

struct Row<'a> {
    luma: &'a [i32],
    red: &'a [i32],
    free: &'a [i32],
    luma_carry: &'a [i32],
    red_carry: &'a [i32],
}

impl Row<'_> {
    fn diffuse<K: Kernel, const MONO: bool, const FULL: bool, const BACKWARDS: bool>(
        &self,
        errors: &mut ErrorRow,
        inks: &mut [Ink],
        strength: i32,
    ) {
        let width = inks.len();
        let luma = &self.luma[..width];
        let red = &self.red[..width];
        let free = &self.free[..width];
        let luma_carry = &self.luma_carry[..width];
        let red_carry = &self.red_carry[..width];
        let luma_errors = &mut errors.luma[MARGIN..MARGIN + width];
        let red_errors = &mut errors.red[MARGIN..MARGIN + width];

        let (mut luma_1, mut luma_2, mut red_1, mut red_2) = (0_i32, 0_i32, 0_i32, 0_i32);
        for step in 0..width {
            let x = if BACKWARDS { width - 1 - step } else { step };
            let passed = |carry: i32, one: i32, two: i32| {
                ((carry + K::HERE[0] * one + K::HERE[1] * two) >> WEIGHT_BITS) & free[x]
            };
            let light = luma[x] + passed(luma_carry[x], luma_1, luma_2);
            let (ink, light_error, red_error);
            if MONO {
                let white = -i32::from(light > (WHITE_FROM * ONE as f64) as i32);
                ink = (white & 1) as usize;
                light_error = light - (white & ONE);
                red_error = 0;
            } else {
                // A neutral pixel neither takes up red nor passes it on: no red specks beside a
                // coloured edge.
                let red_allowed = -i32::from(red[x] > 0);
                let share = red[x] + (passed(red_carry[x], red_1, red_2) & red_allowed);
                let (white, is_red) = nearest(light, share, red_allowed);
                ink = ((white & 1) | (is_red & 2)) as usize;
                light_error = light - ((white & ONE) | (is_red & RED_LUMA));
                red_error = share - (is_red & ONE);
            }
            let scaled = |error: i32| if FULL { error } else { (error * strength) >> 8 };
            (luma_2, luma_1) = (luma_1, scaled(light_error));
            luma_errors[x] = luma_1;
            if !MONO {
                (red_2, red_1) = (red_1, scaled(red_error));
                red_errors[x] = red_1;
            }
            inks[x] = INKS[ink];
        }
    }
}

const INKS: [Ink; 4] = [Ink::Black, Ink::White, Ink::Red, Ink::Red];

/// Squared weight of the red share against lightness in the choice of an ink. Less lets red stand
/// in for a lightness between black and white, which smooths them but frays the edges of red.
const RED_WEIGHT: f64 = 0.14;
/// Lightness from which white is nearer than black. A little under the middle: white dots then
/// come a little earlier, and the first rows of dark areas lose less light.
const WHITE_FROM: f64 = 0.4;

/// Masks (0 or -1) for white and for red of the ink nearest to a mixture; red only where allowed.
///
/// Squared distances to the three corners, less that to black: linear in both coordinates, and
/// here in 256ths.
#[inline(always)]
fn nearest(light: i32, share: i32, red_allowed: i32) -> (i32, i32) {
    const RED: f64 = RED_LUMA as f64 / ONE as f64;
    const PER_LIGHT: i32 = (2.0 * RED * 256.0) as i32;
    const PER_SHARE: i32 = (2.0 * RED_WEIGHT * 256.0) as i32;
    const RED_OFFSET: i32 = ((RED * RED + RED_WEIGHT) * 256.0 * ONE as f64) as i32;
    const WHITE_OFFSET: i32 = (WHITE_FROM * 512.0 * ONE as f64) as i32;
    let white_gain = 512 * light - WHITE_OFFSET;
    let red_gain = PER_LIGHT * light + PER_SHARE * share - RED_OFFSET;
    let red = -i32::from(red_gain > white_gain.max(0)) & red_allowed;
    let white = -i32::from(white_gain > 0) & !red;
    (white, red)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn passed_on<K: Kernel>() -> i32 {
        K::HERE.iter().chain(&K::NEXT).chain(&K::AFTER).sum()
    }

    #[test]
    fn all_kernels_but_atkinsons_pass_on_the_whole_error() {
        let whole = 1 << WEIGHT_BITS;
        assert_eq!(passed_on::<FloydSteinberg>(), whole);
        assert_eq!(passed_on::<Jarvis>(), whole);
        assert_eq!(passed_on::<Stucki>(), whole);
        assert_eq!(passed_on::<Burkes>(), whole);
        assert_eq!(passed_on::<Sierra>(), whole);
        assert_eq!(passed_on::<SierraLite>(), whole);
        assert_eq!(passed_on::<Atkinson>(), whole * 3 / 4);
    }

    #[test]
    fn the_inks_themselves_are_nearest_to_themselves() {
        assert_eq!(nearest(0, 0, -1), (0, 0));
        assert_eq!(nearest(ONE, 0, -1), (-1, 0));
        assert_eq!(nearest(RED_LUMA, ONE, -1), (0, -1));
    }
}
