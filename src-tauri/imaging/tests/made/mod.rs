//! Pictures for the tests, made with encoders that the library does not use to read them.
#![allow(dead_code, reason = "each test binary uses some of them")]

use std::io::Cursor;

use image::codecs::gif::GifEncoder;
use image::codecs::webp::WebPEncoder;
use image::{
    Delay, DynamicImage, ExtendedColorType, Frame, ImageFormat, RgbImage, Rgba, RgbaImage,
};
use jpeg_encoder::{ColorType, Encoder};
use regie_imaging::{Adjust, Algorithm, Ink, Limits, Note, Options, Panel, Pipeline, decode};

/// What a panel of exactly the picture's size shows.
pub(crate) struct Shown {
    pub(crate) width: usize,
    pub(crate) inks: Vec<Ink>,
    pub(crate) notes: Vec<Note>,
}

impl Shown {
    /// Top left, top right, bottom left, bottom right.
    pub(crate) fn corners(&self) -> [Ink; 4] {
        let last = self.inks.len() - 1;
        [
            self.inks[0],
            self.inks[self.width - 1],
            self.inks[last + 1 - self.width],
            self.inks[last],
        ]
    }
}

pub(crate) fn shown(bytes: &[u8], width: u16, height: u16) -> Shown {
    shown_with(bytes, width, height, Adjust::default())
}

pub(crate) fn shown_with(bytes: &[u8], width: u16, height: u16, adjust: Adjust) -> Shown {
    let picture = decode(bytes, &Limits::DEFAULT).expect("decodes");
    let options = Options {
        algorithm: Algorithm::None,
        adjust,
        ..Options::default()
    };
    let rendered = Pipeline::new(picture)
        .render_for(&options, Panel { width, height })
        .expect("renders");
    Shown {
        width: width.into(),
        inks: rendered.planes.unpack().inks().to_vec(),
        notes: rendered.notes,
    }
}

/// Black, white, red and light grey, from the top left.
pub(crate) fn quadrants(width: u32, height: u32) -> RgbImage {
    RgbImage::from_fn(width, height, |x, y| {
        image::Rgb(match (x < width / 2, y < height / 2) {
            (true, true) => [0, 0, 0],
            (false, true) => [255, 255, 255],
            (true, false) => [255, 0, 0],
            (false, false) => [200, 200, 200],
        })
    })
}

pub(crate) fn encoded(picture: &DynamicImage, format: ImageFormat) -> Vec<u8> {
    let mut bytes = Vec::new();
    picture
        .write_to(&mut Cursor::new(&mut bytes), format)
        .expect("encodes");
    bytes
}

pub(crate) fn jpeg(pixels: &[u8], width: u16, height: u16, kind: ColorType) -> Vec<u8> {
    jpeg_with(pixels, width, height, kind, |_| {})
}

pub(crate) fn jpeg_with(
    pixels: &[u8],
    width: u16,
    height: u16,
    kind: ColorType,
    set: impl FnOnce(&mut Encoder<&mut Vec<u8>>),
) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = Encoder::new(&mut bytes, 98);
    set(&mut encoder);
    encoder
        .encode(pixels, width, height, kind)
        .expect("encodes");
    bytes
}

/// A TIFF block with one entry: orientation.
pub(crate) fn exif_orientation(orientation: u8) -> Vec<u8> {
    let mut exif = b"II\x2a\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0".to_vec();
    exif.extend([orientation, 0, 0, 0, 0, 0, 0, 0]);
    exif
}

/// Left half transparent, right half black, by a palette with tRNS.
pub(crate) fn indexed_png_with_transparency(width: u32, height: u32) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, width, height);
    encoder.set_color(png::ColorType::Indexed);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_palette(vec![0, 0, 0, 0, 0, 0]);
    encoder.set_trns(vec![0, 255]);
    let mut writer = encoder.write_header().expect("writes");
    let pixels: Vec<u8> = (0..width * height)
        .map(|at| u8::from(at % width >= width / 2))
        .collect();
    writer.write_image_data(&pixels).expect("writes");
    writer.finish().expect("writes");
    bytes
}

fn colour_of_frame(at: u32) -> [u8; 4] {
    if at == 0 {
        [255, 0, 0, 255]
    } else {
        [0, 0, 0, 255]
    }
}

/// The first frame red, the others black.
pub(crate) fn animated_gif(width: u32, height: u32, frames: u32) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = GifEncoder::new(&mut bytes);
    for at in 0..frames {
        let picture = RgbaImage::from_pixel(width, height, Rgba(colour_of_frame(at)));
        let frame = Frame::from_parts(picture, 0, 0, Delay::from_numer_denom_ms(100, 1));
        encoder.encode_frame(frame).expect("encodes");
    }
    drop(encoder);
    bytes
}

pub(crate) fn animated_png(width: u32, height: u32, frames: u32) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, width, height);
    encoder.set_color(png::ColorType::Rgba);
    encoder.set_animated(frames, 0).expect("some frames");
    let mut writer = encoder.write_header().expect("writes");
    for at in 0..frames {
        writer
            .write_image_data(&colour_of_frame(at).repeat((width * height) as usize))
            .expect("writes");
    }
    writer.finish().expect("writes");
    bytes
}

/// WebP container specification, "Animation": VP8X, ANIM, and an ANMF around each frame's VP8L.
pub(crate) fn animated_webp(width: u32, height: u32, frames: u32) -> Vec<u8> {
    let chunk = |name: &[u8; 4], body: &[u8]| {
        let mut chunk = name.to_vec();
        chunk.extend((body.len() as u32).to_le_bytes());
        chunk.extend(body);
        chunk.extend(vec![0; body.len() % 2]);
        chunk
    };
    let three = |value: u32| value.to_le_bytes()[..3].to_vec();
    let mut body = b"WEBP".to_vec();
    body.extend(chunk(
        b"VP8X",
        &[vec![0b10, 0, 0, 0], three(width - 1), three(height - 1)].concat(),
    ));
    body.extend(chunk(b"ANIM", &[0; 6]));
    for at in 0..frames {
        let mut still = Vec::new();
        let pixels = colour_of_frame(at).repeat((width * height) as usize);
        WebPEncoder::new_lossless(&mut still)
            .encode(&pixels, width, height, ExtendedColorType::Rgba8)
            .expect("encodes");
        let header = [
            three(0),
            three(0),
            three(width - 1),
            three(height - 1),
            three(100),
            vec![0],
        ]
        .concat();
        body.extend(chunk(b"ANMF", &[&header, &still[12..]].concat()));
    }
    let mut file = b"RIFF".to_vec();
    file.extend((body.len() as u32).to_le_bytes());
    file.extend(body);
    file
}
