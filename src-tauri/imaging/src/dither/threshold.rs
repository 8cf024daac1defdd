//! The nearest ink, pixel by pixel.

use crate::Ink;
use crate::dither::gamut::{ONE, Targets};

/// Luminance of CIE lightness 50, half way between black and white for the eye (0.1842).
const MIDDLE: i32 = (ONE as i64 * 1842 / 10_000) as i32;

/// Red where there is more red than black and white in the mixture, else by lightness.
pub(super) fn nearest(targets: &Targets) -> Vec<Ink> {
    targets
        .luma
        .iter()
        .zip(&targets.red)
        .map(|(&luma, &red)| nearest_ink(luma, red))
        .collect()
}

pub(super) fn nearest_ink(luma: i32, red: i32) -> Ink {
    let white = Targets::white(luma, red);
    if red > white && red > ONE / 4 {
        Ink::Red
    } else if luma > MIDDLE {
        Ink::White
    } else {
        Ink::Black
    }
}
