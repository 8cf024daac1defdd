#![allow(missing_docs)]
use std::time::Instant;
fn main() {
    let bytes = std::fs::read(std::env::args().nth(1).unwrap()).unwrap();
    for _ in 0..6 {
        let t = Instant::now();
        let mut d = zune_jpeg::JpegDecoder::new_with_options(
            zune_core::bytestream::ZCursor::new(&bytes),
            zune_core::options::DecoderOptions::default()
                .jpeg_set_out_colorspace(zune_core::colorspace::ColorSpace::RGB),
        );
        let p = d.decode().unwrap();
        let a = t.elapsed();
        let mut d = zune_jpeg::JpegDecoder::new_with_options(
            zune_core::bytestream::ZCursor::new(&bytes),
            zune_core::options::DecoderOptions::default()
                .jpeg_set_out_colorspace(zune_core::colorspace::ColorSpace::Luma),
        );
        let t = Instant::now();
        let p2 = d.decode().unwrap();
        let b = t.elapsed();
        let t = Instant::now();
        let pic = regie_imaging::decode(&bytes, &regie_imaging::Limits::DEFAULT).unwrap();
        let c = t.elapsed();
        println!(
            "zune rgb {a:?} luma {b:?} ours {c:?} {} {} {:?}",
            p.len(),
            p2.len(),
            pic.dimensions()
        );
    }
}
