//! Times of the pipeline beside plain baselines measured in the same run.
//!
//! `cargo bench -p regie-imaging` prints one table; `photo` pictures are made here.
#![allow(
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a program for the console"
)]

use std::hint::black_box;
use std::io::Cursor;
use std::time::{Duration, Instant};

use image::{DynamicImage, ImageFormat, RgbImage, imageops::FilterType};
use jpeg_encoder::{ColorType, Encoder, SamplingFactor};
use regie_imaging::{
    Adjust, Algorithm, Inks, Level, Limits, Options, Palette, Panel, Picture, Pipeline, decode,
    preview_png, preview_rgba,
};

const WIDTH: u32 = 400;
const HEIGHT: u32 = 300;
const PHOTO_WIDTH: u32 = 4000;
const PHOTO_HEIGHT: u32 = 3000;
const WARM_UP: usize = 3;
const ROUNDS: usize = 31;
const LONG_ROUNDS: usize = 9;

fn main() {
    let small = photo(WIDTH, HEIGHT);
    let small_png = png(&small);
    let jpeg = jpeg(&photo(PHOTO_WIDTH, PHOTO_HEIGHT));

    println!(
        "fastest of {ROUNDS} ({LONG_ROUNDS} for 12 megapixels); ratios are to the baseline of each block"
    );

    let pixels = small.as_raw().clone();
    let textbook = fastest(ROUNDS, || {
        textbook_floyd_steinberg(&pixels, WIDTH as usize, HEIGHT as usize)
    });
    heading("dithering 400 x 300 to packed planes, three inks");
    baseline("textbook Floyd-Steinberg, f64, sRGB", textbook);
    let mut pipeline = Pipeline::new(picture(&small_png));
    for algorithm in Algorithm::ALL {
        row(
            algorithm.name(),
            method(&mut pipeline, algorithm, Palette::BlackWhiteRed),
            textbook,
        );
    }
    for algorithm in [Algorithm::FloydSteinberg, Algorithm::Atkinson] {
        let name = format!("{}, black and white", algorithm.name());
        row(
            &name,
            method(&mut pipeline, algorithm, Palette::BlackWhite),
            textbook,
        );
    }

    heading("a slider moves: new preview pixels, Atkinson");
    baseline("textbook Floyd-Steinberg, f64, sRGB", textbook);
    row(
        "brightness",
        slider(&mut pipeline, |adjust, step| {
            adjust.brightness = level(step)
        }),
        textbook,
    );
    row(
        "saturation",
        slider(&mut pipeline, |adjust, step| {
            adjust.saturation = level(step)
        }),
        textbook,
    );
    let sharpen = |adjust: &mut Adjust, step: i16| {
        adjust
            .set("sharpen", &(step + 50).into())
            .expect("in range")
    };
    row("sharpen", slider(&mut pipeline, sharpen), textbook);
    let everything = |adjust: &mut Adjust, step: i16| {
        adjust.brightness = level(step);
        adjust.contrast = level(step);
        adjust.saturation = level(step);
        adjust
            .set("sharpen", &(step + 50).into())
            .expect("in range");
    };
    row("all at once", slider(&mut pipeline, everything), textbook);
    let planes = pipeline
        .render(&Options::default())
        .expect("renders")
        .planes;
    row(
        "preview PNG alone",
        fastest(ROUNDS, || preview_png(&planes, &Inks::IDEAL)),
        textbook,
    );

    heading(&format!(
        "JPEG of 12 megapixels ({} kB, 4:2:0) to planes, Atkinson",
        jpeg.len() / 1000
    ));
    let reference = fastest(LONG_ROUNDS, || {
        let decoded =
            image::load_from_memory_with_format(&jpeg, ImageFormat::Jpeg).expect("decodes");
        let fitted = decoded
            .resize_to_fill(WIDTH, HEIGHT, FilterType::Lanczos3)
            .to_rgb8();
        textbook_floyd_steinberg(fitted.as_raw(), WIDTH as usize, HEIGHT as usize)
    });
    baseline("image crate: decode, resize, textbook dither", reference);
    let whole = fastest(LONG_ROUNDS, || {
        let mut pipeline = Pipeline::new(decode(&jpeg, &Limits::DEFAULT).expect("decodes"));
        pipeline.render(&Options::default()).expect("renders")
    });
    row("bytes to planes", whole, reference);
    row(
        "  of it: decode",
        fastest(LONG_ROUNDS, || decode(&jpeg, &Limits::DEFAULT)),
        reference,
    );
    let mut fitted = Pipeline::new(decode(&jpeg, &Limits::DEFAULT).expect("decodes"));
    let mut width = 400;
    let fit = fastest(LONG_ROUNDS, || {
        // Another size each time, so that nothing is cached.
        width = if width == 400 { 399 } else { 400 };
        fitted.render_for(&Options::default(), Panel { width, height: 300 })
    });
    row("  of it: fit and dither", fit, reference);
}

fn picture(bytes: &[u8]) -> Picture {
    decode(bytes, &Limits::DEFAULT).expect("decodes")
}

/// Time from cached targets to planes. Between two rounds another method runs, untimed.
fn method(pipeline: &mut Pipeline, algorithm: Algorithm, palette: Palette) -> Duration {
    let options = |algorithm| Options {
        algorithm,
        palette,
        ..Options::default()
    };
    let other = if algorithm == Algorithm::None {
        Algorithm::Bayer
    } else {
        Algorithm::None
    };
    let mut times = Vec::new();
    for _ in 0..ROUNDS + WARM_UP {
        pipeline.render(&options(other)).expect("renders");
        let start = Instant::now();
        black_box(pipeline.render(&options(algorithm)).expect("renders"));
        times.push(start.elapsed());
    }
    least(times)
}

fn slider(pipeline: &mut Pipeline, set: impl Fn(&mut Adjust, i16)) -> Duration {
    let mut step = 0;
    fastest(ROUNDS, || {
        step = if step >= 40 { -40 } else { step + 1 };
        let mut options = Options::default();
        set(&mut options.adjust, step);
        preview_rgba(
            &pipeline.render(&options).expect("renders").planes,
            &Inks::PANEL,
        )
    })
}

fn level(step: i16) -> Level {
    Level::new(step).expect("in range")
}

fn fastest<T>(rounds: usize, mut work: impl FnMut() -> T) -> Duration {
    let times = (0..rounds + WARM_UP).map(|_| {
        let start = Instant::now();
        black_box(work());
        start.elapsed()
    });
    least(times.collect())
}

/// The fastest, since all that other programs on the machine can do is to slow a round down.
fn least(mut times: Vec<Duration>) -> Duration {
    times.drain(..WARM_UP);
    times.into_iter().min().unwrap_or_default()
}

fn heading(text: &str) {
    println!("\n{text}");
}

fn baseline(name: &str, time: Duration) {
    println!("  {name:<44} {:>9.3} ms", time.as_secs_f64() * 1e3);
}

fn row(name: &str, time: Duration, baseline: Duration) {
    let ratio = baseline.as_secs_f64() / time.as_secs_f64();
    println!(
        "  {name:<44} {:>9.3} ms  {ratio:>6.1} x",
        time.as_secs_f64() * 1e3
    );
}

/// Smooth shapes, texture of several scales and hard edges, in colours with much red.
fn photo(width: u32, height: u32) -> RgbImage {
    let noise = |x: u32, y: u32, seed: u32| {
        let mut h = x.wrapping_mul(0x9e37_79b1)
            ^ y.wrapping_mul(0x85eb_ca6b)
            ^ seed.wrapping_mul(0xc2b2_ae35);
        h ^= h >> 15;
        h = h.wrapping_mul(0x2c1b_3c6d);
        h ^= h >> 12;
        (h & 0xffff) as f32 / 65_535.0
    };
    let smooth = |x: f32, y: f32, seed: u32| {
        let (x0, y0) = (x.floor(), y.floor());
        let ease = |t: f32| t * t * (3.0 - 2.0 * t);
        let (tx, ty) = (ease(x - x0), ease(y - y0));
        let at = |dx: u32, dy: u32| noise(x0 as u32 + dx, y0 as u32 + dy, seed);
        let top = at(0, 0) * (1.0 - tx) + at(1, 0) * tx;
        let bottom = at(0, 1) * (1.0 - tx) + at(1, 1) * tx;
        top * (1.0 - ty) + bottom * ty
    };
    RgbImage::from_fn(width, height, |x, y| {
        let (u, v) = (x as f32 / width as f32, y as f32 / height as f32);
        let mut tone = 0.0;
        let mut amplitude = 0.5;
        let mut scale = 4.0;
        for octave in 0..8 {
            tone += amplitude * smooth(u * scale, v * scale * 0.75, octave);
            amplitude *= 0.55;
            scale *= 2.0;
        }
        let edge = if (u - 0.6).hypot((v - 0.5) * 0.75) < 0.22 {
            0.45
        } else {
            0.0
        };
        let grain = (noise(x, y, 99) - 0.5) * 0.04;
        let tone = (tone * 0.75 + edge * (1.0 - v) + grain).clamp(0.0, 1.0);
        let warm = smooth(u * 6.0, v * 4.0, 77);
        let channel = |gain: f32| ((tone * gain).clamp(0.0, 1.0) * 255.0) as u8;
        image::Rgb([
            channel(1.1),
            channel(1.1 - 0.7 * warm),
            channel(1.0 - 0.8 * warm),
        ])
    })
}

fn jpeg(photo: &RgbImage) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = Encoder::new(&mut bytes, 85);
    encoder.set_sampling_factor(SamplingFactor::R_4_2_0);
    encoder
        .encode(
            photo.as_raw(),
            photo.width() as u16,
            photo.height() as u16,
            ColorType::Rgb,
        )
        .expect("encodes");
    bytes
}

fn png(photo: &RgbImage) -> Vec<u8> {
    let mut bytes = Vec::new();
    DynamicImage::from(photo.clone())
        .write_to(&mut Cursor::new(&mut bytes), ImageFormat::Png)
        .expect("encodes");
    bytes
}

/// As in any textbook: nearest colour in RGB, errors of all three channels passed on at once.
fn textbook_floyd_steinberg(pixels: &[u8], width: usize, height: usize) -> Vec<u8> {
    const PALETTE: [[f64; 3]; 3] = [[0.0; 3], [255.0; 3], [255.0, 0.0, 0.0]];
    let mut image: Vec<[f64; 3]> = pixels
        .chunks_exact(3)
        .map(|p| [f64::from(p[0]), f64::from(p[1]), f64::from(p[2])])
        .collect();
    let mut result = vec![0; width * height];
    for y in 0..height {
        for x in 0..width {
            let old = image[y * width + x];
            let distance = |ink: &[f64; 3]| -> f64 {
                old.iter().zip(ink).map(|(a, b)| (a - b) * (a - b)).sum()
            };
            let best = (0..3)
                .min_by(|&a, &b| distance(&PALETTE[a]).total_cmp(&distance(&PALETTE[b])))
                .unwrap_or(0);
            result[y * width + x] = best as u8;
            for (dx, dy, weight) in [(1_isize, 0, 7.0), (-1, 1, 3.0), (0, 1, 5.0), (1, 1, 1.0)] {
                let (nx, ny) = (x as isize + dx, y + dy);
                if nx >= 0 && (nx as usize) < width && ny < height {
                    for channel in 0..3 {
                        let error = old[channel] - PALETTE[best][channel];
                        image[ny * width + nx as usize][channel] += error * weight / 16.0;
                    }
                }
            }
        }
    }
    result
}
