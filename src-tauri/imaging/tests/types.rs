//! The types of the front end say what serde writes.
#![cfg(feature = "ts")]

use regie_imaging::{Adjust, Algorithm, Fit, Note, Options, Palette, Rotate};
use ts_rs::TS;

fn inline<T: TS>() -> String {
    T::inline(&ts_rs::Config::default())
}

#[test]
fn names_are_those_of_the_json() {
    let algorithms = inline::<Algorithm>();
    for algorithm in Algorithm::ALL {
        assert!(
            algorithms.contains(&format!("\"{}\"", algorithm.name())),
            "{algorithms}"
        );
    }
    assert!(inline::<Palette>().contains("black-white-red"));
    assert!(inline::<Fit>().contains("\"cover\""));
    assert_eq!(inline::<Rotate>(), "0 | 90 | 180 | 270");
    let adjust = inline::<Adjust>();
    assert!(
        adjust.contains("brightness: number") && adjust.contains("gamma: number"),
        "{adjust}"
    );
    let note = inline::<Note>();
    assert!(
        note.contains("\"code\": \"first-frame\"") && note.contains("frames: number"),
        "{note}"
    );
    let options = inline::<Options>();
    assert!(
        options.contains("algorithm: Algorithm") && options.contains("adjust: Adjust"),
        "{options}"
    );
}
