//! What every method promises, and how well it does.
#![allow(clippy::expect_used, reason = "a test fails by panicking")]

mod made;

use image::{DynamicImage, ImageFormat, RgbImage};
use made::encoded;
use proptest::prelude::*;
use regie_imaging::{
    Adjust, Algorithm, Background, Fit, Ink, Inks, Kind, Limits, Note, Options, Palette, Panel,
    Picture, Pipeline, Rotate, Share, decode,
};

fn picture(image: &RgbImage) -> Picture {
    decode(
        &encoded(&DynamicImage::from(image.clone()), ImageFormat::Png),
        &Limits::DEFAULT,
    )
    .expect("decodes")
}

fn inks(image: &RgbImage, options: &Options) -> Vec<Ink> {
    let panel = Panel {
        width: image.width() as u16,
        height: image.height() as u16,
    };
    inks_on(image, options, panel)
}

fn inks_on(image: &RgbImage, options: &Options, panel: Panel) -> Vec<Ink> {
    Pipeline::new(picture(image))
        .render_for(options, panel)
        .expect("renders")
        .planes
        .unpack()
        .inks()
        .to_vec()
}

fn with(algorithm: Algorithm) -> Options {
    Options {
        algorithm,
        ..Options::default()
    }
}

fn any_options() -> impl Strategy<Value = Options> {
    (prop::sample::select(&Algorithm::ALL[..]), 0_i16..=100).prop_map(|(algorithm, diffusion)| {
        Options {
            algorithm,
            adjust: Adjust {
                diffusion: Share::new(diffusion).expect("in range"),
                ..Adjust::default()
            },
            ..Options::default()
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// DI-6: pure pixels stay what they are, whatever surrounds them.
    #[test]
    fn pure_inks_are_fixed_under_every_method(
        options in any_options(),
        width in 1_u32..40,
        pixels in prop::collection::vec((0_u8..5, any::<[u8; 3]>()), 40..200),
    ) {
        let height = pixels.len() as u32 / width;
        prop_assume!(height > 0);
        let image = RgbImage::from_fn(width, height, |x, y| {
            let (kind, other) = pixels[(y * width + x) as usize];
            image::Rgb(match kind {
                0 => [0, 0, 0],
                1 => [255, 255, 255],
                2 => [255, 0, 0],
                _ => other,
            })
        });
        for (pixel, ink) in image.pixels().zip(inks(&image, &options)) {
            match pixel.0 {
                [0, 0, 0] => prop_assert_eq!(ink, Ink::Black),
                [255, 255, 255] => prop_assert_eq!(ink, Ink::White),
                [255, 0, 0] => prop_assert_eq!(ink, Ink::Red),
                _ => {}
            }
        }
    }

    /// IMG-5
    #[test]
    fn turning_four_times_is_no_turn(width in 1_u32..30, height in 1_u32..30, seed: u32) {
        let image = noise(width, height, seed);
        let panel = |turned: bool| {
            if turned { Panel { width: height as u16, height: width as u16 } } else { Panel { width: width as u16, height: height as u16 } }
        };
        let mut turned = image.clone();
        for step in 1..=4 {
            let options = Options { adjust: Adjust { rotate: Rotate::Quarter, ..Adjust::default() }, ..with(Algorithm::None) };
            let size = panel(step % 2 == 1);
            let map = inks_on(&turned, &options, size);
            let colours = map.iter().flat_map(|&ink| Inks::IDEAL.colour(ink)).collect();
            turned = RgbImage::from_raw(size.width.into(), size.height.into(), colours).expect("fits");
        }
        let once: Vec<u8> = inks(&image, &with(Algorithm::None)).iter().flat_map(|&ink| Inks::IDEAL.colour(ink)).collect();
        prop_assert_eq!(turned.into_raw(), once);
    }

    #[test]
    fn any_panel_and_any_option_renders(
        width in 1_u16..60, height in 1_u16..60, panel_width in 1_u16..60, panel_height in 1_u16..60,
        fit in prop::sample::select(vec![Fit::Cover, Fit::Contain, Fit::Stretch]),
        rotate in prop::sample::select(&Rotate::ALL[..]),
        options in any_options(), seed: u32,
    ) {
        let image = noise(width.into(), height.into(), seed);
        let options = Options { adjust: Adjust { fit, rotate, ..options.adjust }, ..options };
        let panel = Panel { width: panel_width, height: panel_height };
        prop_assert_eq!(inks_on(&image, &options, panel).len(), panel.pixels());
    }
}

fn noise(width: u32, height: u32, seed: u32) -> RgbImage {
    let mut state = seed | 1;
    RgbImage::from_fn(width, height, |_, _| {
        image::Rgb([(); 3].map(|()| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 24) as u8
        }))
    })
}

/// DI-2, DI-12
#[test]
fn flat_mid_grey_uses_two_inks_in_every_method_but_none() {
    let grey = RgbImage::from_pixel(40, 40, image::Rgb([128; 3]));
    for palette in [Palette::BlackWhiteRed, Palette::BlackWhite] {
        for algorithm in Algorithm::ALL {
            let inks = inks(
                &grey,
                &Options {
                    palette,
                    ..with(algorithm)
                },
            );
            let whites = inks.iter().filter(|&&ink| ink == Ink::White).count();
            assert!(
                !inks.contains(&Ink::Red),
                "{}: neutral grey has no red",
                algorithm.name()
            );
            if algorithm.kind() == Kind::Threshold {
                assert!(whites == 0 || whites == inks.len());
            } else {
                assert!(whites > 0 && whites < inks.len(), "{}", algorithm.name());
            }
        }
    }
}

/// The share of white dots is the light of the grey, not its code: 128 of 255 is 21.6 % of light.
#[test]
fn tones_are_kept_in_linear_light() {
    for code in [32_u8, 64, 96, 128, 160, 192, 224] {
        let light = f64::from(code) / 255.0;
        let light = if light <= 0.04045 {
            light / 12.92
        } else {
            ((light + 0.055) / 1.055).powf(2.4)
        };
        let grey = RgbImage::from_pixel(160, 120, image::Rgb([code; 3]));
        for algorithm in Algorithm::ALL {
            // Atkinson's drops a quarter of the error on purpose.
            if matches!(algorithm, Algorithm::None | Algorithm::Atkinson) {
                continue;
            }
            let inks = inks(&grey, &with(algorithm));
            let share =
                inks.iter().filter(|&&ink| ink == Ink::White).count() as f64 / inks.len() as f64;
            assert!(
                (share - light).abs() < 0.02,
                "{} at {code}: {share:.3}, wanted {light:.3}",
                algorithm.name()
            );
        }
    }
}

#[test]
fn without_diffusion_every_method_takes_the_nearest_ink() {
    let flat = RgbImage::from_pixel(40, 40, image::Rgb([120, 120, 120]));
    for algorithm in Algorithm::ALL {
        let adjust = Adjust {
            diffusion: Share::new(0).expect("in range"),
            ..Adjust::default()
        };
        let inks = inks(
            &flat,
            &Options {
                adjust,
                ..with(algorithm)
            },
        );
        assert!(
            inks.iter().all(|&ink| ink == inks[0]),
            "{}",
            algorithm.name()
        );
    }
}

/// IMG-19, DI-1
#[test]
fn the_black_and_white_palette_never_shows_red() {
    let image = noise(60, 40, 7);
    for algorithm in Algorithm::ALL {
        let inks = inks(
            &image,
            &Options {
                palette: Palette::BlackWhite,
                ..with(algorithm)
            },
        );
        assert!(!inks.contains(&Ink::Red), "{}", algorithm.name());
    }
}

/// IMG-5: what is turned is turned first and fitted then.
#[test]
fn a_turned_picture_fills_the_panel_upright() {
    let tall = RgbImage::from_fn(300, 400, |_, y| {
        image::Rgb(if y < 200 { [0; 3] } else { [255; 3] })
    });
    let adjust = Adjust {
        rotate: Rotate::Quarter,
        ..Adjust::default()
    };
    let inks = inks_on(
        &tall,
        &Options {
            adjust,
            ..with(Algorithm::None)
        },
        Panel::FULL,
    );
    // Top becomes right.
    assert!(
        inks.chunks(400)
            .all(|row| row[..200].iter().all(|&ink| ink == Ink::White))
    );
    assert!(
        inks.chunks(400)
            .all(|row| row[200..].iter().all(|&ink| ink == Ink::Black))
    );
}

#[test]
fn a_contained_picture_is_whole_and_the_rest_is_background() {
    let wide = RgbImage::from_pixel(400, 100, image::Rgb([0; 3]));
    let adjust = Adjust {
        fit: Fit::Contain,
        background: Background::Red,
        ..Adjust::default()
    };
    let inks = inks_on(
        &wide,
        &Options {
            adjust,
            ..with(Algorithm::FloydSteinberg)
        },
        Panel::FULL,
    );
    let row = |y: usize| &inks[y * 400..(y + 1) * 400];
    assert!(row(0).iter().all(|&ink| ink == Ink::Red));
    assert!(row(99).iter().all(|&ink| ink == Ink::Red));
    assert!(row(100).iter().all(|&ink| ink == Ink::Black));
    assert!(row(199).iter().all(|&ink| ink == Ink::Black));
    assert!(row(200).iter().all(|&ink| ink == Ink::Red));
}

#[test]
fn a_picture_smaller_than_the_panel_is_reported_as_enlarged() {
    let mut small = Pipeline::new(picture(&noise(40, 30, 1)));
    let notes = small.render(&Options::default()).expect("renders").notes;
    assert_eq!(
        notes,
        [Note::Enlarged {
            width: 40,
            height: 30
        }]
    );
    let mut exact = Pipeline::new(picture(&noise(400, 300, 1)));
    assert!(
        exact
            .render(&Options::default())
            .expect("renders")
            .notes
            .is_empty()
    );
}

/// Fine black and white lines average to their light, without beats.
#[test]
fn shrinking_averages_light_and_makes_no_moire() {
    let lines = RgbImage::from_fn(3996, 2997, |x, _| {
        image::Rgb(if x % 2 == 0 { [0; 3] } else { [255; 3] })
    });
    let original = Pipeline::new(picture(&lines))
        .original(&Options::default())
        .expect("has pixels");
    // Half the light is sRGB 188. The outermost columns see the border.
    for row in original.bytes.chunks(1200) {
        assert!(
            row[30..1170]
                .iter()
                .all(|&code| (180..=196).contains(&code)),
            "{:?}",
            &row[30..60]
        );
    }
}

#[test]
fn a_picture_of_exactly_the_panels_size_is_not_resampled() {
    let image = noise(400, 300, 3);
    let original = Pipeline::new(picture(&image))
        .original(&Options::default())
        .expect("has pixels");
    assert_eq!(original.bytes, image.into_raw());
}

/// A cached pipeline answers as a fresh one, in whatever order options change.
#[test]
fn cached_stages_never_leak_into_other_options() {
    let image = noise(120, 90, 5);
    let mut cached = Pipeline::new(picture(&image));
    let changes: [&[(&str, &str)]; 8] = [
        &[],
        &[("brightness", "30")],
        &[("brightness", "30"), ("rotate", "90")],
        &[("fit", "contain")],
        &[("gamma", "2")],
        &[("diffusion", "50")],
        &[("size", "small")],
        &[],
    ];
    for pairs in changes {
        for algorithm in [Algorithm::Atkinson, Algorithm::Bayer] {
            for palette in [Palette::BlackWhiteRed, Palette::BlackWhite] {
                let adjust = Adjust::from_pairs(pairs.iter().copied()).expect("in range");
                let options = Options {
                    algorithm,
                    palette,
                    adjust,
                };
                let _ = cached.thumbnails(&options, 20, 15);
                let fresh = Pipeline::new(picture(&image))
                    .render(&options)
                    .expect("renders");
                let again = cached.render(&options).expect("renders");
                assert_eq!(again.planes, fresh.planes, "{pairs:?}");
                assert_eq!(again.notes, fresh.notes);
            }
        }
    }
}

#[test]
fn there_is_a_thumbnail_of_each_method() {
    let thumbnails =
        Pipeline::new(picture(&noise(120, 90, 5))).thumbnails(&Options::default(), 80, 60);
    assert_eq!(
        thumbnails
            .iter()
            .map(|(algorithm, _)| *algorithm)
            .collect::<Vec<_>>(),
        Algorithm::ALL
    );
    assert!(thumbnails.iter().all(|(_, map)| map.panel()
        == Panel {
            width: 80,
            height: 60
        }));
}

#[test]
fn a_pipeline_can_move_to_another_thread() {
    fn assert_send<T: Send>() {}
    assert_send::<Pipeline>();
}

#[test]
fn a_picture_of_any_height_is_scaled_to_any_other() {
    // The library's own two passes fail for a few of these.
    let none = with(Algorithm::None);
    for height in 1..=48 {
        let image = noise(2, height, height);
        for panel in 1..=48 {
            let size = Panel {
                width: 6,
                height: panel,
            };
            assert_eq!(inks_on(&image, &none, size).len(), 6 * usize::from(panel));
        }
    }
}
