//! IMG-16: picture bytes come in through `regie_imaging::decode` and nowhere else.
#![allow(clippy::expect_used, reason = "a test fails by panicking")]

use std::fs;
use std::path::{Path, PathBuf};

/// Ways around the limits; written in halves so that this file does not match itself.
const FORBIDDEN: [&str; 6] = [
    concat!("image::", "open("),
    concat!("image::", "load_from_memory"),
    concat!("ImageReader::", "open("),
    concat!("image::", "load("),
    concat!("usvg::Tree::", "from_data("),
    concat!("Pixmap::", "load_png("),
];

fn rust_files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("readable").flatten() {
        let path = entry.path();
        if path.is_dir() {
            let name = entry.file_name();
            // Tests and benches make and compare pictures of their own.
            if !["target", "tests", "benches", "node_modules", "gen"]
                .iter()
                .any(|skipped| name == *skipped)
            {
                rust_files(&path, found);
            }
        } else if path.extension().is_some_and(|kind| kind == "rs") {
            found.push(path);
        }
    }
}

#[test]
fn nothing_decodes_pictures_beside_the_one_decode_function() {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("the folder of all crates");
    let mut files = Vec::new();
    rust_files(sources, &mut files);
    assert!(files.len() > 10, "looked in the wrong folder");
    for file in files {
        let text = fs::read_to_string(&file).expect("UTF-8");
        for forbidden in FORBIDDEN {
            assert!(
                !text.contains(forbidden),
                "{} uses {forbidden}",
                file.display()
            );
        }
    }
}
