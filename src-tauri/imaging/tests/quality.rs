//! How much of a difference the eye sees between a picture and its dots.
//!
//! The measure is S-CIELAB (Zhang and Wandell 1997) for 33 pixels a degree, without the widest
//! filter, which is flat over pictures of this size.
#![allow(clippy::expect_used, reason = "a test fails by panicking")]

mod made;

use image::{DynamicImage, ImageFormat, Rgb, RgbImage};
use made::encoded;
use regie_imaging::{
    Algorithm, Ink, Inks, Kind, Limits, Options, Palette, Panel, Pipeline, decode,
};

const WIDTH: u32 = 160;
const HEIGHT: u32 = 120;
const PIXELS_PER_DEGREE: f64 = 33.0;

const XYZ: [[f64; 3]; 3] = [
    [0.412_456_4, 0.357_576_1, 0.180_437_5],
    [0.212_672_9, 0.715_152_2, 0.072_175],
    [0.019_333_9, 0.119_192, 0.950_304_1],
];
const OPPONENT: [[f64; 3]; 3] = [
    [0.278_733_6, 0.721_803_1, -0.106_552],
    [-0.448_773_6, 0.289_805_6, 0.077_156_9],
    [0.085_951_3, -0.589_985_9, 0.501_108_9],
];
/// Full width at half maximum in degrees, and weight.
const FILTERS: [&[(f64, f64)]; 3] = [
    &[(0.05, 1.003_27), (0.225, 0.114_416)],
    &[(0.0685, 0.616_725), (0.826, 0.383_275)],
    &[(0.0920, 0.567_885), (0.6451, 0.432_115)],
];

fn linear(code: u8) -> f64 {
    let value = f64::from(code) / 255.0;
    if value <= 0.04045 {
        value / 12.92
    } else {
        ((value + 0.055) / 1.055).powf(2.4)
    }
}

fn times(matrix: &[[f64; 3]; 3], vector: [f64; 3]) -> [f64; 3] {
    matrix.map(|row| row.iter().zip(vector).map(|(a, b)| a * b).sum())
}

fn inverse(m: &[[f64; 3]; 3]) -> [[f64; 3]; 3] {
    let minor = |r: usize, c: usize| {
        let (r1, r2, c1, c2) = ((r + 1) % 3, (r + 2) % 3, (c + 1) % 3, (c + 2) % 3);
        m[r1][c1] * m[r2][c2] - m[r1][c2] * m[r2][c1]
    };
    let determinant: f64 = (0..3).map(|c| m[0][c] * minor(0, c)).sum();
    std::array::from_fn(|r| std::array::from_fn(|c| minor(c, r) / determinant))
}

/// A Gaussian blur whose borders are mirrored.
fn blurred(plane: &[f64], sigma: f64) -> Vec<f64> {
    let (width, height) = (WIDTH as usize, HEIGHT as usize);
    let reach = (4.0 * sigma).ceil() as isize;
    let mut kernel: Vec<f64> = (-reach..=reach)
        .map(|d| (-((d * d) as f64) / (2.0 * sigma * sigma)).exp())
        .collect();
    let sum: f64 = kernel.iter().sum();
    kernel.iter_mut().for_each(|weight| *weight /= sum);
    let mirrored = |at: isize, length: usize| {
        let period = 2 * (length as isize - 1);
        let at = at.rem_euclid(period);
        at.min(period - at) as usize
    };
    let along = |plane: &[f64], step: (isize, isize)| -> Vec<f64> {
        (0..width * height)
            .map(|at| {
                let (x, y) = ((at % width) as isize, (at / width) as isize);
                let taps = kernel.iter().zip(-reach..=reach);
                taps.map(|(weight, d)| {
                    weight
                        * plane[mirrored(y + d * step.1, height) * width
                            + mirrored(x + d * step.0, width)]
                })
                .sum()
            })
            .collect()
    };
    along(&along(plane, (1, 0)), (0, 1))
}

/// CIELAB as seen from a distance.
fn seen(picture: &RgbImage) -> Vec<[f64; 3]> {
    let opponent: Vec<[f64; 3]> = picture
        .pixels()
        .map(|pixel| times(&OPPONENT, times(&XYZ, pixel.0.map(linear))))
        .collect();
    let planes: Vec<Vec<f64>> = (0..3)
        .map(|channel| {
            let plane: Vec<f64> = opponent.iter().map(|values| values[channel]).collect();
            let total: f64 = FILTERS[channel].iter().map(|(_, weight)| weight).sum();
            let mut filtered = vec![0.0; plane.len()];
            for (fwhm, weight) in FILTERS[channel] {
                let blur = blurred(&plane, fwhm * PIXELS_PER_DEGREE / 2.3548);
                filtered
                    .iter_mut()
                    .zip(blur)
                    .for_each(|(sum, value)| *sum += weight / total * value);
            }
            filtered
        })
        .collect();
    let back = inverse(&OPPONENT);
    let white: [f64; 3] = XYZ.map(|row| row.iter().sum());
    (0..planes[0].len())
        .map(|at| {
            let xyz = times(&back, [planes[0][at], planes[1][at], planes[2][at]]);
            let f = |axis: usize| {
                let t: f64 = xyz[axis] / white[axis];
                if t > 0.008_856 {
                    t.cbrt()
                } else {
                    7.787 * t + 16.0 / 116.0
                }
            };
            [
                116.0 * f(1) - 16.0,
                500.0 * (f(0) - f(1)),
                200.0 * (f(1) - f(2)),
            ]
        })
        .collect()
}

fn mean_difference(a: &[[f64; 3]], b: &[[f64; 3]]) -> f64 {
    let total: f64 = a
        .iter()
        .zip(b)
        .map(|(a, b)| {
            a.iter()
                .zip(b)
                .map(|(a, b)| (a - b) * (a - b))
                .sum::<f64>()
                .sqrt()
        })
        .sum();
    total / a.len() as f64
}

fn dithered(picture: &RgbImage, options: &Options) -> RgbImage {
    let bytes = encoded(&DynamicImage::from(picture.clone()), ImageFormat::Png);
    let mut pipeline = Pipeline::new(decode(&bytes, &Limits::DEFAULT).expect("decodes"));
    let panel = Panel {
        width: WIDTH as u16,
        height: HEIGHT as u16,
    };
    let map = pipeline
        .render_for(options, panel)
        .expect("renders")
        .planes
        .unpack();
    let colours = map
        .inks()
        .iter()
        .flat_map(|&ink| Inks::IDEAL.colour(ink))
        .collect();
    RgbImage::from_raw(WIDTH, HEIGHT, colours).expect("fits")
}

/// A ramp of greys, a ramp to red, a shaded ball on a striped ground, and a field of many hues.
fn pictures() -> Vec<RgbImage> {
    let share = |x: u32, of: u32| x as f64 / (of - 1) as f64;
    let code = |value: f64| (value.clamp(0.0, 1.0) * 255.0).round() as u8;
    let ramp = RgbImage::from_fn(WIDTH, HEIGHT, |x, _| Rgb([code(share(x, WIDTH)); 3]));
    let to_red = RgbImage::from_fn(WIDTH, HEIGHT, |x, y| {
        let (u, v) = (share(x, WIDTH), share(y, HEIGHT));
        Rgb([code(v), code(v * (1.0 - u)), code(v * (1.0 - u))])
    });
    let ball = RgbImage::from_fn(WIDTH, HEIGHT, |x, y| {
        let (dx, dy) = (f64::from(x) - 80.0, f64::from(y) - 55.0);
        let inside = 1.0 - (dx * dx + dy * dy) / 1600.0;
        if inside > 0.0 {
            let light = 0.15 + 0.8 * (inside.sqrt() * 0.7 - dx / 160.0 - dy / 160.0).max(0.0);
            Rgb([code(light), code(light * 0.45), code(light * 0.35)])
        } else {
            let stripe = if (x / 9 + y / 14) % 2 == 0 { 0.75 } else { 0.4 };
            Rgb([code(stripe * (0.6 + share(y, HEIGHT) * 0.4)); 3])
        }
    });
    let hues = RgbImage::from_fn(WIDTH, HEIGHT, |x, y| {
        let wave = |shift: f64| 0.5 + 0.5 * (share(x, WIDTH) * 6.3 + shift).cos();
        let light = 0.3 + 0.7 * share(y, HEIGHT);
        Rgb([
            code(wave(0.0) * light),
            code(wave(2.1) * light),
            code(wave(4.2) * light),
        ])
    });
    vec![ramp, to_red, ball, hues]
}

fn grey(picture: &RgbImage) -> RgbImage {
    RgbImage::from_fn(WIDTH, HEIGHT, |x, y| {
        let light = times(&XYZ, picture.get_pixel(x, y).0.map(linear))[1];
        let code = (0..=255_u8).min_by(|&a, &b| {
            (linear(a) - light)
                .abs()
                .total_cmp(&(linear(b) - light).abs())
        });
        Rgb([code.unwrap_or_default(); 3])
    })
}

#[test]
fn best_looks_at_least_as_good_as_the_best_diffusion() {
    for palette in [Palette::BlackWhiteRed, Palette::BlackWhite] {
        for (at, picture) in pictures().into_iter().enumerate() {
            // Colour that black and white cannot show would only hide what they do with light.
            let picture = if palette == Palette::BlackWhite {
                grey(&picture)
            } else {
                picture
            };
            let original = seen(&picture);
            let difference = |algorithm| {
                let options = Options {
                    algorithm,
                    palette,
                    ..Options::default()
                };
                mean_difference(&original, &seen(&dithered(&picture, &options)))
            };
            let best = difference(Algorithm::Best);
            for algorithm in Algorithm::ALL
                .into_iter()
                .filter(|algorithm| algorithm.kind() == Kind::Diffusion)
            {
                let other = difference(algorithm);
                assert!(
                    best <= other,
                    "picture {at}, {palette:?}: {best:.2}, {} {other:.2}",
                    algorithm.name()
                );
            }
        }
    }
}

/// Neutral pictures stay neutral: no red stands in for grey under any method.
#[test]
fn grey_pictures_show_no_red() {
    let grey = pictures().swap_remove(0);
    for algorithm in Algorithm::ALL {
        let shown = dithered(
            &grey,
            &Options {
                algorithm,
                ..Options::default()
            },
        );
        assert!(
            shown
                .pixels()
                .all(|pixel| pixel.0 != Inks::IDEAL.colour(Ink::Red)),
            "{}",
            algorithm.name()
        );
    }
}
