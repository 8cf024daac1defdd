//! Every kind of picture that is read, made here and looked at through the whole pipeline.
#![allow(clippy::expect_used, reason = "a test fails by panicking")]

mod made;

use image::{DynamicImage, ImageFormat};
use jpeg_encoder::ColorType;
use made::{encoded, exif_orientation, jpeg, jpeg_with, quadrants, shown, shown_with};
use regie_imaging::{Adjust, Background, Format, Ink, Limits, Note, Options, Pipeline, decode};

const K: Ink = Ink::Black;
const W: Ink = Ink::White;
const R: Ink = Ink::Red;

fn codes(bytes: &[u8]) -> Vec<&'static str> {
    decode(bytes, &Limits::DEFAULT)
        .expect("decodes")
        .notes()
        .iter()
        .map(Note::code)
        .collect()
}

#[test]
fn every_lossless_format_shows_the_same_picture() {
    let picture = DynamicImage::from(quadrants(24, 16));
    for (format, kind) in [
        (ImageFormat::Png, Format::Png),
        (ImageFormat::Bmp, Format::Bmp),
        (ImageFormat::Tiff, Format::Tiff),
        (ImageFormat::WebP, Format::WebP),
        (ImageFormat::Gif, Format::Gif),
    ] {
        let bytes = encoded(&picture, format);
        let decoded = decode(&bytes, &Limits::DEFAULT).expect("decodes");
        assert_eq!(decoded.format(), kind);
        assert_eq!(decoded.dimensions(), (24, 16));
        assert!(decoded.notes().is_empty(), "{:?}", decoded.notes());
        assert_eq!(shown(&bytes, 24, 16).corners(), [K, W, R, W], "{format:?}");
    }
}

/// IMG-14
#[test]
fn baseline_and_progressive_jpeg_show_the_same() {
    let pixels = quadrants(32, 48).into_raw();
    for progressive in [false, true] {
        let bytes = jpeg_with(&pixels, 32, 48, ColorType::Rgb, |encoder| {
            encoder.set_progressive(progressive)
        });
        assert_eq!(
            shown(&bytes, 32, 48).corners(),
            [K, W, R, W],
            "progressive {progressive}"
        );
    }
}

#[test]
fn jpegs_of_all_samplings_restarts_and_odd_sizes_are_whole() {
    use jpeg_encoder::SamplingFactor::{R_4_1_1, R_4_2_0, R_4_2_2, R_4_4_0, R_4_4_4};
    let pixels = quadrants(67, 45).into_raw();
    for sampling in [R_4_4_4, R_4_2_2, R_4_2_0, R_4_4_0, R_4_1_1] {
        for progressive in [false, true] {
            for restart in [0, 3] {
                let bytes = jpeg_with(&pixels, 67, 45, ColorType::Rgb, |encoder| {
                    encoder.set_sampling_factor(sampling);
                    encoder.set_progressive(progressive);
                    if restart > 0 {
                        encoder.set_restart_interval(restart);
                    }
                });
                let corners = shown(&bytes, 67, 45).corners();
                assert_eq!(
                    corners,
                    [K, W, R, W],
                    "{sampling:?}, progressive {progressive}, restart {restart}"
                );
            }
        }
    }
}

#[test]
fn a_grey_jpeg_shows_grey() {
    let pixels: Vec<u8> = (0..32 * 32)
        .map(|at| if at % 32 < 16 { 0 } else { 255 })
        .collect();
    assert_eq!(
        shown(&jpeg(&pixels, 32, 32, ColorType::Luma), 32, 32).corners(),
        [K, W, K, W]
    );
}

#[test]
fn cmyk_and_ycck_jpegs_show_their_inks() {
    // Quadrants in ink: full black, none, magenta and yellow, none; Adobe's way is inverted.
    let ink = |x: usize, y: usize| match (x < 16, y < 16) {
        (true, true) => [0, 0, 0, 255],
        (true, false) => [0, 255, 255, 0],
        _ => [0_u8; 4],
    };
    let plain: Vec<u8> = (0..32 * 32).flat_map(|at| ink(at % 32, at / 32)).collect();
    let inverted: Vec<u8> = plain.iter().map(|value| 255 - value).collect();
    let mut seen = 0;
    for kind in [ColorType::Cmyk, ColorType::CmykAsYcck] {
        for pixels in [&plain, &inverted] {
            let bytes = jpeg(pixels, 32, 32, kind);
            assert!(codes(&bytes).contains(&"cmyk-converted"));
            // The encoder decides which of the two it writes with Adobe's marker.
            seen += usize::from(shown(&bytes, 32, 32).corners() == [K, W, R, W]);
        }
    }
    assert_eq!(seen, 2, "one of the two polarities for each kind");
}

#[test]
fn a_cmyk_tiff_shows_its_inks() {
    let ink = |x: u32, y: u32| match (x < 8, y < 8) {
        (true, true) => [0, 0, 0, 255],
        (true, false) => [0, 255, 255, 0],
        _ => [0_u8; 4],
    };
    let pixels: Vec<u8> = (0..256).flat_map(|at| ink(at % 16, at / 16)).collect();
    let mut bytes = std::io::Cursor::new(Vec::new());
    let mut encoder = tiff::encoder::TiffEncoder::new(&mut bytes).expect("starts");
    for _page in 0..2 {
        encoder
            .write_image::<tiff::encoder::colortype::CMYK8>(16, 16, &pixels)
            .expect("encodes");
    }
    let bytes = bytes.into_inner();
    assert_eq!(shown(&bytes, 16, 16).corners(), [K, W, R, W]);
    assert_eq!(codes(&bytes), ["first-page", "cmyk-converted"]);
}

/// IMG-3: the eight orientations of EXIF (CIPA DC-008, 4.6.4.1, tag 274).
#[test]
fn exif_orientation_turns_the_picture_upright() {
    let pixels = quadrants(32, 48).into_raw();
    // Stored: black, white / red, grey.
    let expected = [
        [K, W, R, W],
        [W, K, W, R],
        [W, R, W, K],
        [R, W, K, W],
        [K, R, W, W],
        [R, K, W, W],
        [W, W, R, K],
        [W, W, K, R],
    ];
    for (orientation, corners) in (1..=8).zip(expected) {
        let exif = exif_orientation(orientation);
        let bytes = jpeg_with(&pixels, 32, 48, ColorType::Rgb, |encoder| {
            encoder.add_exif_metadata(&exif).expect("small enough");
        });
        let upright = if orientation < 5 { (32, 48) } else { (48, 32) };
        assert_eq!(
            decode(&bytes, &Limits::DEFAULT)
                .expect("decodes")
                .dimensions(),
            upright
        );
        assert_eq!(
            shown(&bytes, upright.0 as u16, upright.1 as u16).corners(),
            corners,
            "orientation {orientation}"
        );
        assert_eq!(codes(&bytes).contains(&"turned-by-exif"), orientation != 1);
    }
}

/// IMG-1: RGBA, grey with alpha, palette with tRNS, GIF, WebP.
#[test]
fn transparency_lies_on_the_background_in_every_format() {
    let clear = image::RgbaImage::from_fn(16, 16, |x, _| {
        image::Rgba(if x < 8 { [0, 0, 0, 0] } else { [0, 0, 0, 255] })
    });
    let rgba = DynamicImage::from(clear.clone());
    let grey = DynamicImage::from(image::GrayAlphaImage::from_fn(16, 16, |x, _| {
        image::LumaA(if x < 8 { [0, 0] } else { [0, 255] })
    }));
    let wide = DynamicImage::from(rgba.to_rgba16());
    let files = [
        encoded(&rgba, ImageFormat::Png),
        encoded(&grey, ImageFormat::Png),
        encoded(&wide, ImageFormat::Png),
        made::indexed_png_with_transparency(16, 16),
        encoded(&rgba, ImageFormat::Gif),
        encoded(&rgba, ImageFormat::WebP),
        encoded(&rgba, ImageFormat::Tiff),
    ];
    for (at, bytes) in files.iter().enumerate() {
        for (background, ink) in [
            (Background::White, W),
            (Background::Black, K),
            (Background::Red, R),
        ] {
            let adjust = Adjust {
                background,
                ..Adjust::default()
            };
            let shown = shown_with(bytes, 16, 16, adjust);
            assert_eq!(
                shown.corners(),
                [ink, K, ink, K],
                "file {at} on {background:?}"
            );
            assert!(
                shown
                    .notes
                    .contains(&Note::TransparencyFlattened { background }),
                "file {at}"
            );
        }
    }
}

#[test]
fn half_transparency_mixes_in_linear_light() {
    // Half of black over white is light 0.5, that is sRGB 188, not 128.
    let half = image::RgbaImage::from_pixel(400, 300, image::Rgba([0, 0, 0, 128]));
    let decoded = decode(
        &encoded(&DynamicImage::from(half), ImageFormat::Png),
        &Limits::DEFAULT,
    )
    .expect("decodes");
    let original = regie_imaging::Pipeline::new(decoded)
        .original(&Default::default())
        .expect("has pixels");
    assert!(
        original
            .bytes
            .iter()
            .all(|&value| value == 187 || value == 188),
        "{:?}",
        &original.bytes[..3]
    );
}

#[test]
fn an_alpha_channel_without_transparency_is_not_reported() {
    let opaque = image::RgbaImage::from_pixel(16, 16, image::Rgba([255, 0, 0, 255]));
    let shown = shown(
        &encoded(&DynamicImage::from(opaque), ImageFormat::Png),
        16,
        16,
    );
    assert_eq!(shown.corners(), [R; 4]);
    assert!(shown.notes.is_empty(), "{:?}", shown.notes);
}

#[test]
fn sixteen_bits_a_channel_are_read_and_reported() {
    let picture = DynamicImage::from(DynamicImage::from(quadrants(16, 16)).to_rgb16());
    for format in [ImageFormat::Png, ImageFormat::Tiff] {
        let bytes = encoded(&picture, format);
        assert_eq!(shown(&bytes, 16, 16).corners(), [K, W, R, W]);
        assert_eq!(codes(&bytes), ["depth-reduced"]);
    }
}

#[test]
fn of_an_animation_the_first_frame_is_shown_and_the_frames_are_counted() {
    let gif = made::animated_gif(16, 16, 12);
    assert_eq!(shown(&gif, 16, 16).corners(), [R; 4]);
    let decoded = decode(&gif, &Limits::DEFAULT).expect("decodes");
    assert_eq!(decoded.notes(), [Note::FirstFrame { frames: 12 }]);
    assert_eq!(
        decoded.notes()[0].to_string(),
        "Shows the first of 12 frames."
    );

    let apng = made::animated_png(16, 16, 3);
    assert_eq!(shown(&apng, 16, 16).corners(), [R; 4]);
    assert_eq!(
        decode(&apng, &Limits::DEFAULT).expect("decodes").notes(),
        [Note::FirstFrame { frames: 3 }]
    );

    let webp = made::animated_webp(16, 16, 5);
    assert_eq!(shown(&webp, 16, 16).corners(), [R; 4]);
    assert_eq!(
        decode(&webp, &Limits::DEFAULT).expect("decodes").notes(),
        [Note::FirstFrame { frames: 5 }]
    );
}

#[test]
fn a_profile_is_converted_and_srgb_under_another_name_is_not_mentioned() {
    let pixels: Vec<u8> = [234, 51, 35].repeat(16 * 16);
    let with = |profile: &moxcms::ColorProfile| {
        let profile = profile.encode().expect("encodes");
        jpeg_with(&pixels, 16, 16, ColorType::Rgb, |encoder| {
            encoder.add_icc_profile(&profile).expect("small enough")
        })
    };
    assert!(codes(&with(&moxcms::ColorProfile::new_srgb())).is_empty());
    let p3 = with(&moxcms::ColorProfile::new_display_p3());
    assert_eq!(codes(&p3), ["profile-converted"]);
    // This Display P3 value is pure sRGB red.
    let decoded = decode(&p3, &Limits::DEFAULT).expect("decodes");
    let original = regie_imaging::Pipeline::new(decoded)
        .original(&Default::default())
        .expect("has pixels");
    let [r, g, b] = [original.bytes[0], original.bytes[1], original.bytes[2]];
    assert!(r >= 252 && g <= 12 && b <= 12, "{r} {g} {b}");
    let broken = jpeg_with(&pixels, 16, 16, ColorType::Rgb, |encoder| {
        encoder
            .add_icc_profile(b"no profile at all")
            .expect("small enough");
    });
    assert_eq!(codes(&broken), ["profile-ignored"]);
}

#[test]
fn an_svg_is_drawn_at_the_size_of_the_panel() {
    let svg = br##"<?xml version="1.0"?><!-- a comment --><svg xmlns="http://www.w3.org/2000/svg" width="4" height="3">
        <rect width="4" height="3"/><rect width="2" height="3" fill="#f00"/></svg>"##;
    let shown = shown(svg, 400, 300);
    assert_eq!(shown.corners(), [R, K, R, K]);
    assert!(shown.notes.is_empty(), "{:?}", shown.notes);
    // Nothing is painted between the two halves.
    assert!(shown.inks[..400].iter().filter(|&&ink| ink == W).count() <= 2);
}

#[test]
fn an_svg_reads_no_file_and_no_address() {
    let picture = encoded(&DynamicImage::from(quadrants(8, 8)), ImageFormat::Png);
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("secret.png");
    std::fs::write(&file, picture).expect("written");
    for address in [
        file.display().to_string(),
        "https://example.org/a.png".into(),
        "../../etc/passwd".into(),
    ] {
        let svg = format!(
            r##"<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="8" height="8">
            <image xlink:href="{address}" width="8" height="8"/></svg>"##
        );
        let shown = shown(svg.as_bytes(), 8, 8);
        assert_eq!(shown.corners(), [W; 4], "{address}");
        assert!(shown.notes.contains(&Note::ExternalImagesOmitted));
    }
}

#[test]
fn an_svg_may_carry_a_picture_inside() {
    use base64::Engine as _;
    let picture = encoded(
        &DynamicImage::from(image::RgbImage::from_pixel(8, 8, image::Rgb([255, 0, 0]))),
        ImageFormat::Png,
    );
    let text = base64::engine::general_purpose::STANDARD.encode(picture);
    let svg = format!(
        r##"<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8">
        <image href="data:image/png;base64,{text}" width="8" height="8"/></svg>"##
    );
    assert_eq!(shown(svg.as_bytes(), 8, 8).corners(), [R; 4]);
}

#[test]
fn a_black_thread_of_a_picture_stays_black() {
    // More pixels in a row than the working raster has in all.
    let thread = image::GrayImage::from_pixel(17_000_000, 1, image::Luma([0]));
    let mut file = std::io::Cursor::new(Vec::new());
    thread
        .write_to(&mut file, ImageFormat::Png)
        .expect("encoded");
    let picture = decode(file.get_ref(), &Limits::DEFAULT).expect("decoded");
    let options = Options {
        adjust: Adjust::from_pairs([("fit", "stretch")]).expect("options"),
        ..Options::default()
    };
    let rendered = Pipeline::new(picture).render(&options).expect("rendered");
    let inks = rendered.planes.unpack();
    assert!(inks.inks().iter().all(|&ink| ink == Ink::Black));
}
