//! Brightness, contrast, gamma, saturation and sharpness of a fitted frame.

use crate::Adjust;
use crate::frame::Frame;
use crate::light::{CODE_MAX, CODE_OF_LINEAR, ONE, to_linear};

/// Full brightness moves a tone by this share of the scale.
const BRIGHTNESS_SPAN: f32 = 0.5;
/// Slope of the steepest contrast; a finite one, so that the last step still leaves tones.
const MAX_CONTRAST_SLOPE: f32 = 16.0;
/// Full saturation trebles a colour's distance from grey.
const SATURATION_GAIN: f32 = 2.0;
/// Full sharpness adds this multiple of the local detail.
const SHARPEN_GAIN: f32 = 2.0;

/// Applies the tone options; a neutral [`Adjust`] leaves every value as it is.
pub(crate) fn adjust(frame: &mut Frame, adjust: &Adjust) {
    let detail = (adjust.sharpen.get() > 0).then(|| local_detail(frame, adjust.sharpen.fraction()));
    let curve = curve(adjust);
    if detail.is_some() || curve.is_some() {
        let curve = curve.unwrap_or_else(|| curve_table(|tone| tone));
        let codes = &**CODE_OF_LINEAR;
        for plane in frame.planes_mut() {
            match &detail {
                Some(detail) => {
                    for (value, &detail) in plane.iter_mut().zip(detail) {
                        let code = i32::from(codes[usize::from(*value)]) + i32::from(detail);
                        *value = curve[code.clamp(0, i32::from(CODE_MAX)) as usize];
                    }
                }
                None => {
                    for value in plane.iter_mut() {
                        *value = curve[usize::from(codes[usize::from(*value)])];
                    }
                }
            }
        }
    }
    if adjust.saturation.get() != 0 {
        saturate(frame, adjust.saturation.fraction());
    }
}

/// The tone curve of brightness, contrast and gamma, from 12-bit sRGB to linear light.
fn curve(adjust: &Adjust) -> Option<Vec<u16>> {
    let neutral = adjust.brightness.get() == 0
        && adjust.contrast.get() == 0
        && adjust.gamma == crate::Gamma::NEUTRAL;
    if neutral {
        return None;
    }
    let exponent = 1.0 / adjust.gamma.get();
    let shift = adjust.brightness.fraction() * BRIGHTNESS_SPAN;
    let contrast = adjust.contrast.fraction();
    let slope = if contrast < 0.0 {
        1.0 + contrast
    } else {
        MAX_CONTRAST_SLOPE.powf(contrast)
    };
    Some(curve_table(|tone| {
        (tone.powf(exponent) + shift - 0.5) * slope + 0.5
    }))
}

fn curve_table(tone: impl Fn(f32) -> f32) -> Vec<u16> {
    (0..=CODE_MAX)
        .map(|code| {
            let toned = tone(f32::from(code) / f32::from(CODE_MAX)).clamp(0.0, 1.0);
            (to_linear(f64::from(toned)) * f64::from(ONE)).round() as u16
        })
        .collect()
}

fn saturate(frame: &mut Frame, amount: f32) {
    let gain = if amount < 0.0 {
        1.0 + amount
    } else {
        1.0 + amount * SATURATION_GAIN
    };
    let pixels = frame
        .red
        .iter_mut()
        .zip(&mut frame.green)
        .zip(&mut frame.blue);
    for ((red, green), blue) in pixels {
        let [r, g, b] = [f32::from(*red), f32::from(*green), f32::from(*blue)];
        let luma = 0.2126 * r + 0.7152 * g + 0.0722 * b;
        let mixed = |channel: f32| {
            (luma + gain * (channel - luma))
                .round()
                .clamp(0.0, f32::from(ONE)) as u16
        };
        (*red, *green, *blue) = (mixed(r), mixed(g), mixed(b));
    }
}

/// What to add to the 12-bit code of each pixel: its lightness less the mean (binomial 3 x 3) of
/// its surroundings, times the gain. Borders repeat.
fn local_detail(frame: &Frame, amount: f32) -> Vec<i16> {
    let codes = &**CODE_OF_LINEAR;
    let width = usize::from(frame.panel.width).max(1);
    let lightness: Vec<i32> = frame
        .red
        .iter()
        .zip(&frame.green)
        .zip(&frame.blue)
        .map(|((&r, &g), &b)| {
            let luma = (13_933 * u32::from(r) + 46_871 * u32::from(g) + 4_732 * u32::from(b)) >> 16;
            i32::from(codes[luma as usize])
        })
        .collect();
    let rows: Vec<&[i32]> = lightness.chunks_exact(width).collect();
    let mut detail = Vec::with_capacity(lightness.len());
    let mut column_sums = vec![0_i32; width];
    for (y, row) in rows.iter().enumerate() {
        let above = rows[y.saturating_sub(1)];
        let below = rows[(y + 1).min(rows.len() - 1)];
        for (((sum, &above), &here), &below) in
            column_sums.iter_mut().zip(above).zip(*row).zip(below)
        {
            *sum = above + 2 * here + below;
        }
        for x in 0..width {
            let left = column_sums[x.saturating_sub(1)];
            let right = column_sums[(x + 1).min(width - 1)];
            let mean = (left + 2 * column_sums[x] + right) as f32 / 16.0;
            detail.push(((row[x] as f32 - mean) * amount * SHARPEN_GAIN).round() as i16);
        }
    }
    detail
}
