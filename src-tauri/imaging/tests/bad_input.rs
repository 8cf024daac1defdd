//! Broken, foreign, huge and hostile input: a clear sentence each time, never a panic.
#![allow(clippy::expect_used, reason = "a test fails by panicking")]

mod made;

use std::fs;
use std::path::Path;

use image::{DynamicImage, ImageFormat};
use jpeg_encoder::ColorType;
use made::{encoded, jpeg, jpeg_with, quadrants};
use proptest::prelude::*;
use regie_imaging::{Format, ImagingError, Limits, Picture, Source, decode};

fn refusal(bytes: &[u8]) -> ImagingError {
    let error = decode(bytes, &Limits::DEFAULT).expect_err("refused");
    assert!(error.to_string().ends_with('.'), "{error}");
    assert!(error.hint().ends_with('.'), "{}", error.hint());
    error
}

#[test]
fn what_is_no_picture_is_called_by_its_name() {
    for (bytes, name) in [
        (&b"%PDF-1.7\n%\xe2\xe3\xcf\xd3"[..], "PDF"),
        (b"PK\x03\x04\x14\0\x06\0", "ZIP"),
        (b"Dear clock,\nplease show this letter.", "text"),
        ("Liebe Gr\u{fc}\u{df}e \u{65f6}\u{949f}".as_bytes(), "text"),
        (b"<!DOCTYPE html><html><body>", "web page"),
        (b"<?xml version='1.0'?><note/>", "XML"),
        (b"MZ\x90\0\x03\0\0\0", "program"),
        (b"\x7fELF\x02\x01\x01\0", "program"),
        (b"ID3\x04\0\0\0\0", "sound"),
        (&[0; 64], "zeros"),
        (&[0x9c, 0x01, 0xfe, 0x77, 0x12, 0x80, 0xc0, 0x03], "unknown"),
    ] {
        let error = refusal(bytes);
        assert_eq!(error.code(), "not-a-picture");
        assert!(error.to_string().contains(name), "{error}");
    }
}

#[test]
fn pictures_that_are_not_read_here_are_named_with_a_way_out() {
    for (bytes, name) in [
        (&b"\0\0\0\x20ftypavif\0\0\0\0"[..], "AVIF"),
        (b"\0\0\0\x18ftypheic\0\0\0\0", "HEIC"),
        (b"\0\0\0\x18ftypmif1\0\0\0\0", "HEIC"),
        (b"8BPS\0\x01", "Photoshop"),
        (b"\0\0\0\x0cJXL \r\n\x87\n", "JPEG XL"),
        (b"II\x2b\0\x08\0\0\0", "BigTIFF"),
    ] {
        let error = refusal(bytes);
        assert_eq!(error.code(), "unsupported-format");
        assert!(error.to_string().contains(name), "{error}");
        assert!(error.hint().contains("JPEG or PNG"));
    }
}

#[test]
fn nothing_at_all_is_an_empty_file() {
    assert_eq!(refusal(b""), ImagingError::Empty);
}

/// Every length is cut, not only a lucky one.
#[test]
fn a_picture_cut_short_is_never_half_shown() {
    let picture = DynamicImage::from(quadrants(64, 48));
    let pixels = quadrants(64, 48).into_raw();
    let files = [
        ("JPEG", jpeg(&pixels, 64, 48, ColorType::Rgb)),
        (
            "JPEG",
            jpeg_with(&pixels, 64, 48, ColorType::Rgb, |encoder| {
                encoder.set_progressive(true)
            }),
        ),
        ("PNG", encoded(&picture, ImageFormat::Png)),
        ("BMP", encoded(&picture, ImageFormat::Bmp)),
        ("TIFF", encoded(&picture, ImageFormat::Tiff)),
        ("WebP", encoded(&picture, ImageFormat::WebP)),
        ("GIF", encoded(&picture, ImageFormat::Gif)),
    ];
    for (name, bytes) in files {
        for percent in [5, 20, 50, 80, 95] {
            let cut = &bytes[..bytes.len() * percent / 100];
            let error = refusal(cut);
            assert!(
                [
                    "truncated",
                    "damaged",
                    "not-a-picture",
                    "unsupported-feature"
                ]
                .contains(&error.code()),
                "{name} at {percent} %: {error}"
            );
        }
        let half = refusal(&bytes[..bytes.len() / 2]);
        assert_eq!(half.code(), "truncated", "{name}: {half}");
    }
}

/// A camera's thumbnail inside the EXIF block has an end marker of its own.
#[test]
fn the_end_of_a_thumbnail_is_not_the_end_of_the_picture() {
    let pixels = quadrants(64, 48).into_raw();
    let thumbnail = jpeg(&pixels, 64, 48, ColorType::Rgb);
    let bytes = jpeg_with(&pixels, 64, 48, ColorType::Rgb, |encoder| {
        let mut exif = made::exif_orientation(1);
        exif.extend(&thumbnail);
        encoder.add_exif_metadata(&exif).expect("small enough");
    });
    assert!(decode(&bytes, &Limits::DEFAULT).is_ok());
    assert_eq!(refusal(&bytes[..bytes.len() - 40]).code(), "truncated");
}

/// A PNG header of any size, with a correct checksum and nothing behind it.
fn png_header(width: u32, height: u32) -> Vec<u8> {
    let mut chunk = b"IHDR".to_vec();
    chunk.extend(width.to_be_bytes());
    chunk.extend(height.to_be_bytes());
    chunk.extend([8, 6, 0, 0, 0]);
    let crc = chunk.iter().fold(!0_u32, |crc, &byte| {
        (0..8).fold(crc ^ u32::from(byte), |crc, _| {
            if crc & 1 == 1 {
                (crc >> 1) ^ 0xedb8_8320
            } else {
                crc >> 1
            }
        })
    });
    let mut file = b"\x89PNG\r\n\x1a\n\0\0\0\x0d".to_vec();
    file.extend(chunk);
    file.extend((!crc).to_be_bytes());
    file.extend(b"\0\0\0\0IDAT\x35\xaf\x06\x1e\0\0\0\0IEND\xae\x42\x60\x82");
    file
}

fn with_jpeg_size(mut bytes: Vec<u8>, width: u16, height: u16) -> Vec<u8> {
    let at = bytes
        .windows(2)
        .position(|pair| pair == [0xff, 0xc0])
        .expect("a baseline frame");
    bytes[at + 5..at + 7].copy_from_slice(&height.to_be_bytes());
    bytes[at + 7..at + 9].copy_from_slice(&width.to_be_bytes());
    bytes
}

/// IMG-15: the header is enough to refuse.
#[test]
fn a_header_of_60000_by_60000_is_refused_before_decoding() {
    let pixels = quadrants(16, 16).into_raw();
    let mut bmp = encoded(&DynamicImage::from(quadrants(4, 4)), ImageFormat::Bmp);
    bmp[18..22].copy_from_slice(&60_000_u32.to_le_bytes());
    bmp[22..26].copy_from_slice(&60_000_u32.to_le_bytes());
    let mut gif = encoded(&DynamicImage::from(quadrants(4, 4)), ImageFormat::Gif);
    gif[6..10].copy_from_slice(&[0x60, 0xea, 0x60, 0xea]);
    for (name, bytes) in [
        ("PNG", png_header(60_000, 60_000)),
        (
            "JPEG",
            with_jpeg_size(jpeg(&pixels, 16, 16, ColorType::Rgb), 60_000, 60_000),
        ),
        ("BMP", bmp),
        ("GIF", gif),
    ] {
        let error = refusal(&bytes);
        assert!(
            matches!(
                error,
                ImagingError::TooManyPixels {
                    width: 60_000,
                    height: 60_000,
                    limit: 100
                }
            ),
            "{name}: {error}"
        );
    }
}

#[test]
fn a_header_without_pixels_is_refused() {
    let pixels = quadrants(16, 16).into_raw();
    for bytes in [
        png_header(0, 10),
        with_jpeg_size(jpeg(&pixels, 16, 16, ColorType::Rgb), 0, 16),
    ] {
        assert!(["no-pixels", "damaged", "truncated"].contains(&refusal(&bytes).code()));
    }
}

#[test]
fn a_gif_frame_far_outside_its_screen_does_no_harm() {
    let mut gif = encoded(&DynamicImage::from(quadrants(4, 4)), ImageFormat::Gif);
    let frame = gif
        .windows(9)
        .position(|w| w == [0x2c, 0, 0, 0, 0, 4, 0, 4, 0])
        .expect("a frame");
    gif[frame + 5..frame + 9].copy_from_slice(&[0xff, 0xff, 0xff, 0xff]);
    let _ = decode(&gif, &Limits::DEFAULT);
}

#[test]
fn a_drawing_that_is_too_much_is_refused() {
    let deep = format!(
        "<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'>{}{}</svg>",
        "<g>".repeat(50_000),
        "</g>".repeat(50_000)
    );
    assert_eq!(refusal(deep.as_bytes()).code(), "too-complex");
    // Closing tags in comments do not hide the depth.
    let hidden = format!(
        "<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'>{}{}</svg>",
        "<g><!--</g>-->".repeat(50_000),
        "</g>".repeat(50_000)
    );
    assert_eq!(refusal(hidden.as_bytes()).code(), "too-complex");
    // Each element uses the one before it: deep without being nested.
    let chain: String = (1..20_000)
        .map(|at| format!("<g id='a{at}'><use href='#a{}'/></g>", at - 1))
        .collect();
    let chain = format!(
        "<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'><defs><g id='a0'/>{chain}</defs><use href='#a19999'/></svg>"
    );
    assert_eq!(refusal(chain.as_bytes()).code(), "too-complex");
    // Each element uses the one before it twice: 2^60 of them.
    let bomb: String = (1..60)
        .map(|at| {
            format!(
                "<g id='a{at}'><use href='#a{0}'/><use href='#a{0}'/></g>",
                at - 1
            )
        })
        .collect();
    let bomb = format!(
        "<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'><defs><rect id='a0' width='1' height='1'/>{bomb}</defs><use href='#a59'/></svg>"
    );
    assert_eq!(
        refusal(bomb.as_bytes()).code(),
        "too-complex",
        "{}",
        refusal(bomb.as_bytes())
    );
    let laughs = "<!DOCTYPE svg [<!ENTITY a 'ha'><!ENTITY b '&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;'><!ENTITY c '&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;'><!ENTITY d '&c;&c;&c;&c;&c;&c;&c;&c;&c;&c;'>]><svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'><desc>&d;&d;&d;&d;</desc></svg>";
    let _ = decode(laughs.as_bytes(), &Limits::DEFAULT);
}

#[test]
fn filters_that_would_take_for_ever_are_refused() {
    let drawing = |filter: &str, shapes: usize| {
        format!(
            "<svg xmlns='http://www.w3.org/2000/svg' width='400' height='300'><filter id='f'>{filter}</filter>{}</svg>",
            "<rect width='400' height='300' filter='url(#f)'/>".repeat(shapes)
        )
    };
    for (filter, shapes) in [
        (
            "<feTurbulence baseFrequency='0.1' numOctaves='2000000000'/>".to_owned(),
            1,
        ),
        (
            "<feMorphology operator='dilate' radius='2 100000'/>".to_owned(),
            1,
        ),
        (
            format!(
                "<feConvolveMatrix order='300' kernelMatrix='{}'/>",
                "1 ".repeat(90_000)
            ),
            1,
        ),
        ("<feGaussianBlur stdDeviation='30'/>".repeat(3_000), 1),
        ("<feGaussianBlur stdDeviation='30'/>".to_owned(), 5_000),
    ] {
        assert_eq!(
            refusal(drawing(&filter, shapes).as_bytes()).code(),
            "too-complex"
        );
    }
    let shadow = drawing("<feGaussianBlur stdDeviation='2'/><feOffset dx='1'/>", 3);
    assert!(decode(shadow.as_bytes(), &Limits::DEFAULT).is_ok());
}

/// The longest chain that is let through does not exhaust the stack.
#[test]
fn a_long_chain_of_uses_is_drawn_or_refused() {
    let chain: String = (1..1_990)
        .map(|at| format!("<g id='a{at}'><use href='#a{}'/></g>", at - 1))
        .collect();
    let chain = format!(
        "<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'><defs><rect id='a0' width='9' height='9'/>{chain}</defs><use href='#a1989'/></svg>"
    );
    let _ = decode(chain.as_bytes(), &Limits::DEFAULT);
}

#[test]
fn drawings_of_absurd_size_are_drawn_small_or_refused() {
    for (width, height) in [
        ("1e30", "1"),
        ("1", "1e30"),
        ("1e9", "1e9"),
        ("0.0001", "0.0001"),
    ] {
        let svg =
            format!("<svg xmlns='http://www.w3.org/2000/svg' width='{width}' height='{height}'/>");
        if let Ok(picture) = decode(svg.as_bytes(), &Limits::DEFAULT) {
            let (width, height) = picture.dimensions();
            assert!(width <= 4000 && height <= 4000);
        }
    }
    assert_eq!(
        refusal(b"<svg xmlns='http://www.w3.org/2000/svg' width='0' height='5'/>").code(),
        "no-pixels"
    );
    assert_eq!(
        refusal(b"<svg xmlns='http://www.w3.org/2000/svg' width='5' height='5'><g>").code(),
        "truncated"
    );
}

#[test]
fn files_that_cannot_be_read_say_why() {
    let folder = tempfile::tempdir().expect("a folder");
    let open = |path: &Path| Picture::open(path, &Limits::DEFAULT).expect_err("refused");
    assert_eq!(open(folder.path()).code(), "is-a-folder");
    assert_eq!(open(&folder.path().join("nothing.png")).code(), "not-found");
    let empty = folder.path().join("empty.jpg");
    fs::write(&empty, b"").expect("written");
    assert_eq!(open(&empty), ImagingError::Empty);
    // A file of 100 MB is refused by its size; it is sparse, so it costs nothing here.
    let huge = folder.path().join("huge.bmp");
    fs::File::create(&huge)
        .and_then(|file| file.set_len(100_000_000))
        .expect("made");
    let error = open(&huge);
    assert_eq!(
        error,
        ImagingError::FileTooLarge {
            megabytes: 96,
            limit: 64
        }
    );
    // The name's ending is not asked.
    let mislabelled = folder.path().join("photo.jpg");
    fs::write(
        &mislabelled,
        encoded(&DynamicImage::from(quadrants(8, 8)), ImageFormat::Png),
    )
    .expect("written");
    assert_eq!(
        Picture::open(&mislabelled, &Limits::DEFAULT)
            .expect("opens")
            .format(),
        Format::Png
    );
}

#[cfg(unix)]
#[test]
fn a_device_is_not_waited_for() {
    let error = Picture::open(Path::new("/dev/zero"), &Limits::DEFAULT).expect_err("refused");
    assert_eq!(error.code(), "not-a-file");
}

/// IO-11: path, base64 and data URI are told apart. IO-7: cut base64 names the path option.
#[test]
fn a_source_is_a_path_base64_or_a_data_uri() {
    use base64::Engine as _;
    let png = encoded(&DynamicImage::from(quadrants(8, 8)), ImageFormat::Png);
    let text = base64::engine::general_purpose::STANDARD.encode(&png);
    let unpadded = base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(&png);
    let parse = |text: &str| Source::parse(text, &Limits::DEFAULT);
    let bytes = Source::Bytes(png);
    assert_eq!(parse(&text).as_ref(), Ok(&bytes));
    assert_eq!(parse(&unpadded).as_ref(), Ok(&bytes));
    assert_eq!(
        parse(&format!("data:image/png;base64,{text}")).as_ref(),
        Ok(&bytes)
    );
    assert_eq!(
        parse("data:image/svg+xml,%3Csvg/%3E"),
        Ok(Source::Bytes(b"<svg/>".to_vec()))
    );
    for path in [
        "photo.png",
        "/home/me/photo",
        "C:\\Users\\me\\photo.jpg",
        "C://photos/a.jpg",
        "pictures/holidays/of/last/summer/at/the/seaside/one",
    ] {
        assert_eq!(parse(path), Ok(Source::Path(path.into())), "{path}");
    }
    assert_eq!(
        parse("file:///tmp/a%20b.png"),
        Ok(Source::Path("/tmp/a b.png".into()))
    );
    assert_eq!(
        parse("file:///C:/a.png"),
        Ok(Source::Path("C:/a.png".into()))
    );
    for address in ["https://example.org/a.png", "ftp://example.org/a.png"] {
        let error = parse(address).expect_err("refused");
        assert_eq!(error, ImagingError::UrlRefused);
        assert!(error.hint().contains("base64"));
    }
    let error = parse("data:image/png;base64,AAA!").expect_err("refused");
    assert!(error.hint().contains("path"));
    assert_eq!(parse("  "), Err(ImagingError::Empty));
}

/// The limits hold for text as well, before it is decoded.
#[test]
fn base64_of_a_huge_file_is_refused() {
    let limits = Limits {
        max_bytes: 1000,
        ..Limits::DEFAULT
    };
    let error = Source::parse(&"QUFB".repeat(1000), &limits).expect_err("refused");
    assert_eq!(error.code(), "file-too-large");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn flipped_bytes_never_panic(at in 0_usize..2000, value: u8, kind in 0_usize..7) {
        let picture = DynamicImage::from(quadrants(24, 16));
        let mut bytes = match kind {
            0 => jpeg(&quadrants(24, 16).into_raw(), 24, 16, ColorType::Rgb),
            1 => encoded(&picture, ImageFormat::Png),
            2 => encoded(&picture, ImageFormat::Gif),
            3 => encoded(&picture, ImageFormat::WebP),
            4 => encoded(&picture, ImageFormat::Bmp),
            5 => encoded(&picture, ImageFormat::Tiff),
            _ => b"<svg xmlns='http://www.w3.org/2000/svg' width='5' height='5'><rect width='3' height='2'/></svg>".to_vec(),
        };
        let at = at % bytes.len();
        bytes[at] = value;
        let _ = decode(&bytes, &Limits::DEFAULT);
    }

    #[test]
    fn noise_behind_a_known_beginning_never_panics(start in 0_usize..7, noise in prop::collection::vec(any::<u8>(), 0..200)) {
        let beginnings: [&[u8]; 7] = [
            b"\xff\xd8\xff", b"\x89PNG\r\n\x1a\n", b"GIF89a", b"RIFF\0\x01\0\0WEBP", b"BM\0\0\0\0\0\0\0\0", b"II\x2a\0", b"<svg ",
        ];
        let bytes = [beginnings[start], &noise].concat();
        let _ = decode(&bytes, &Limits::DEFAULT);
    }
}
