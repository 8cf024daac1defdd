//! What black, white and red dots can mix, and the nearest mixture to any colour.
//!
//! In linear light the mixtures are a triangle: `w` white and `r` red (the rest black) look like
//! `(w + r, w, w)`. A pixel is moved onto it at its own lightness; along the line of that
//! lightness, the red share is chosen for the smallest difference in CIELAB's a* and b*
//! (ISO/CIE 11664-4), made linear around the grey of that lightness: the scale factor of the cube
//! roots is common to both and falls out, which leaves a linear formula.

use crate::frame::Frame;
use crate::{Ink, Palette, Panel};

/// Full scale of lightness and red share.
pub(super) const ONE: i32 = crate::light::ONE as i32;

/// Luminance of sRGB's primaries (IEC 61966-2-1), in 65536ths; together exactly one.
const LUMA: [i64; 3] = [13_938, 46_868, 4_730];

/// Light of 8-bit sRGB 253: from here on it is white.
const NEARLY_WHITE: i32 = (ONE as i64 * 982 / 1000) as i32;
/// Light of 8-bit sRGB 2: up to here it is black.
const NEARLY_BLACK: i32 = (ONE as i64 * 7 / 10_000) as i32;

/// Luminance of the red ink.
pub(super) const RED_LUMA: i32 = luma([crate::light::ONE, 0, 0]);

const fn luma([r, g, b]: [u16; 3]) -> i32 {
    ((LUMA[0] * r as i64 + LUMA[1] * g as i64 + LUMA[2] * b as i64 + 32_768) >> 16) as i32
}

/// Lightness and red share of every pixel, as the inks can show them.
#[derive(Clone)]
pub(crate) struct Targets {
    pub(crate) panel: Panel,
    pub(super) palette: Palette,
    /// Linear luminance, 0..=[`ONE`].
    pub(super) luma: Vec<i32>,
    /// Share of red ink, 0..=[`ONE`].
    pub(super) red: Vec<i32>,
    /// 0 where the pixel is exactly an ink and stays it, -1 elsewhere: a mask for the error.
    pub(super) free: Vec<i32>,
}

/// Linear XYZ over the white's, from linear sRGB (IEC 61966-2-1).
const X: [f32; 3] = [0.433_953, 0.376_219, 0.189_828];
const Z: [f32; 3] = [0.017_758, 0.109_477, 0.872_766];
const Y: [f32; 3] = [0.212_673, 0.715_152, 0.072_175];

impl Targets {
    pub(crate) fn project(frame: &Frame, palette: Palette) -> Self {
        let pixels = frame.panel.pixels();
        let mut targets = Self {
            panel: frame.panel,
            palette,
            luma: Vec::with_capacity(pixels),
            red: Vec::with_capacity(pixels),
            free: Vec::with_capacity(pixels),
        };
        let channels = || frame.red.iter().zip(&frame.green).zip(&frame.blue);
        targets.luma.extend(channels().map(|((&r, &g), &b)| {
            let luma = luma([r, g, b]);
            // Paper that a JPEG left at 253 or 254 must not get a sprinkle of dots.
            if luma >= NEARLY_WHITE {
                ONE
            } else if luma <= NEARLY_BLACK {
                0
            } else {
                luma
            }
        }));
        match palette {
            Palette::BlackWhite => {
                targets.red.resize(pixels, 0);
                targets.free.extend(
                    targets
                        .luma
                        .iter()
                        .map(|&luma| -i32::from(luma != 0 && luma != ONE)),
                );
            }
            Palette::BlackWhiteRed => {
                targets.red.extend(
                    channels()
                        .zip(&targets.luma)
                        .map(|(((&r, &g), &b), &luma)| {
                            let certain = luma == 0 || luma == ONE;
                            if certain { 0 } else { red_share([r, g, b]) }
                        }),
                );
                targets
                    .free
                    .extend(targets.luma.iter().zip(&targets.red).map(|(&luma, &red)| {
                        let white = luma == ONE;
                        let black = luma == 0;
                        let pure_red = red == ONE && luma == RED_LUMA;
                        -i32::from(!(white | black | pure_red))
                    }));
            }
        }
        targets
    }

    pub(super) fn width(&self) -> usize {
        usize::from(self.panel.width)
    }

    /// The share of white ink: what the red leaves of the lightness.
    pub(super) fn white(luma: i32, red: i32) -> i32 {
        luma - ((i64::from(red) * i64::from(RED_LUMA)) / i64::from(ONE)) as i32
    }

    /// Lightness and red share of an ink.
    pub(super) const fn of(ink: Ink) -> (i32, i32) {
        match ink {
            Ink::Black => (0, 0),
            Ink::White => (ONE, 0),
            Ink::Red => (RED_LUMA, ONE),
        }
    }
}

/// The best red share, 0..=[`ONE`].
fn red_share([r, g, b]: [u16; 3]) -> i32 {
    // Squared weights of the differences in a* and b*. CIELAB has 500 and 200, that is 25 to 4;
    // far from grey the cube root of Z is the steeper one, and 25 to 8 comes closer.
    const A: f32 = 25.0;
    const B: f32 = 8.0;
    // How far a full share of red moves X/Xn and Z/Zn from Y.
    const X_PER_RED: f32 = X[0] - Y[0];
    const Z_PER_RED: f32 = Y[0] - Z[0];
    const NORM: f32 = A * X_PER_RED * X_PER_RED + B * Z_PER_RED * Z_PER_RED;
    const X_GAIN: f32 = A * X_PER_RED / NORM;
    const Z_GAIN: f32 = B * Z_PER_RED / NORM;
    const SHARE: [f32; 3] = [
        X_GAIN * (X[0] - Y[0]) + Z_GAIN * (Y[0] - Z[0]),
        X_GAIN * (X[1] - Y[1]) + Z_GAIN * (Y[1] - Z[1]),
        X_GAIN * (X[2] - Y[2]) + Z_GAIN * (Y[2] - Z[2]),
    ];
    let full = ONE as f32;
    let [r, g, b] = [r, g, b].map(f32::from);
    let luma = Y[0] * r + Y[1] * g + Y[2] * b;
    // Neither white nor black may become negative.
    let most = (luma * (1.0 / Y[0])).min((full - luma) * (1.0 / (1.0 - Y[0])));
    let share = SHARE[0] * r + SHARE[1] * g + SHARE[2] * b;
    // A hint of colour is no reason for red dots: up to about 4 steps of 8-bit sRGB between the
    // channels count as grey. A step of the encoded value is in light about the square root wide.
    if share < NEUTRAL * (luma * full).sqrt() {
        return 0;
    }
    (share.min(most.max(0.0)) + 0.5) as i32
}

/// Red share, over the square root of the lightness, up to which a pixel counts as grey.
const NEUTRAL: f32 = 0.038;

#[cfg(test)]
mod tests {
    use super::*;

    fn project(pixels: &[[u16; 3]]) -> Targets {
        let panel = Panel {
            width: pixels.len() as u16,
            height: 1,
        };
        let channel = |at: usize| pixels.iter().map(|pixel| pixel[at]).collect();
        let frame = Frame {
            panel,
            red: channel(0),
            green: channel(1),
            blue: channel(2),
        };
        Targets::project(&frame, Palette::BlackWhiteRed)
    }

    /// What the inks can mix is wanted as it is.
    #[test]
    fn mixtures_of_the_inks_stay_where_they_are() {
        for white in (0..=10).map(|tenths| tenths * ONE / 10) {
            for red in (1..=10)
                .map(|tenths| tenths * ONE / 10)
                .filter(|red| white + red <= ONE)
            {
                let targets = project(&[[(white + red) as u16, white as u16, white as u16]]);
                assert!(
                    (targets.red[0] - red).abs() < 200,
                    "{white} {red}: {}",
                    targets.red[0]
                );
                assert!((Targets::white(targets.luma[0], targets.red[0]) - white).abs() < 200);
            }
        }
    }

    #[test]
    fn no_share_of_an_ink_is_ever_negative() {
        let steps = || (0..=8).map(|step| (step * 65_535 / 8) as u16);
        let pixels: Vec<_> = steps()
            .flat_map(|r| steps().flat_map(move |g| steps().map(move |b| [r, g, b])))
            .collect();
        let targets = project(&pixels);
        for (&luma, &red) in targets.luma.iter().zip(&targets.red) {
            let white = Targets::white(luma, red);
            assert!(
                red >= 0 && white >= -2 && white + red <= ONE + 2,
                "{luma} {red}"
            );
        }
    }

    #[test]
    fn only_the_inks_themselves_are_pinned() {
        let one = u16::MAX;
        let targets = project(&[
            [0; 3],
            [one; 3],
            [one, 0, 0],
            [one, 300, 0],
            [30_000; 3],
            [0, one, 0],
            [0, 0, one],
        ]);
        assert_eq!(targets.free, [0, 0, 0, -1, -1, -1, -1]);
    }

    /// DI-6: paper that a JPEG left a little grey.
    #[test]
    fn nearly_white_is_white_and_nearly_black_is_black() {
        let light = |code: usize| [crate::light::LINEAR_OF_8[code]; 3];
        let targets = project(&[
            light(253),
            light(254),
            light(1),
            light(2),
            light(250),
            light(5),
        ]);
        assert_eq!(targets.free, [0, 0, 0, 0, -1, -1]);
    }
}
