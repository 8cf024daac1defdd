//! Dithers every PNG of a folder, for looking at or for grading.
//!
//! usage: dither_folder FROM TO ALGORITHM [KEY=VALUE...]

use std::path::Path;

use regie_imaging::{Adjust, Algorithm, Inks, Limits, Options, Picture, Pipeline, preview_png};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [from, to, algorithm, pairs @ ..] = arguments.as_slice() else {
        return Err("usage: dither_folder FROM TO ALGORITHM [KEY=VALUE...]".into());
    };
    let options = Options {
        algorithm: Algorithm::parse(algorithm)?,
        adjust: Adjust::from_pairs(pairs.iter().filter_map(|pair| pair.split_once('=')))?,
        ..Options::default()
    };
    std::fs::create_dir_all(to)?;
    for entry in std::fs::read_dir(from)? {
        let path = entry?.path();
        let Some(name) = path
            .file_name()
            .filter(|_| path.extension().is_some_and(|kind| kind == "png"))
        else {
            continue;
        };
        let mut pipeline = Pipeline::new(Picture::open(&path, &Limits::DEFAULT)?);
        let rendered = pipeline.render(&options)?;
        std::fs::write(
            Path::new(to).join(name),
            preview_png(&rendered.planes, &Inks::IDEAL)?,
        )?;
    }
    Ok(())
}
