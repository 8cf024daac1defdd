//! Reading options from command lines and from JSON.
#![allow(clippy::expect_used, reason = "a test fails by panicking")]

use proptest::prelude::*;
use regie_imaging::{
    Adjust, AdjustKey, Algorithm, Background, Fit, ImagingError, Options, Palette, Panel, Rotate,
    Size,
};
use serde_json::{Value, json};

fn from_json(value: &Value) -> Result<Adjust, ImagingError> {
    Adjust::from_json(value.as_object().expect("an object"))
}

#[test]
fn the_defaults_are_the_documented_ones() {
    let options = Options::default();
    assert_eq!(options.algorithm, Algorithm::Atkinson);
    assert_eq!(options.palette, Palette::BlackWhiteRed);
    assert_eq!(options.panel(), Panel::FULL);
    let expected = json!({
        "brightness": 0, "contrast": 0, "saturation": 0, "gamma": 1.0, "sharpen": 0, "diffusion": 100,
        "fit": "cover", "background": "white", "rotate": 0, "size": "full",
    });
    assert_eq!(
        serde_json::to_value(options.adjust).expect("serialises"),
        expected
    );
    assert_eq!(
        serde_json::from_value::<Options>(json!({})).expect("all optional"),
        options
    );
}

#[test]
fn the_command_line_and_json_read_alike() {
    let pairs = [
        ("brightness", "-20"),
        ("gamma", "1.5"),
        ("fit", "Contain"),
        ("background", "red"),
        ("rotate", "270"),
        ("size", "small"),
        ("sharpen", "100"),
    ];
    let typed = Adjust::from_pairs(pairs).expect("all in range");
    let object = json!({
        "brightness": -20, "gamma": 1.5, "fit": "contain", "background": "red", "rotate": 270, "size": "small",
        "sharpen": "100",
    });
    assert_eq!(typed, from_json(&object).expect("all in range"));
    assert_eq!(typed.fit, Fit::Contain);
    assert_eq!(typed.background, Background::Red);
    assert_eq!(typed.rotate, Rotate::ThreeQuarters);
    assert_eq!(typed.size, Size::Small);
    let written = serde_json::to_value(typed).expect("serialises");
    assert_eq!(
        serde_json::from_value::<Adjust>(written).expect("reads its own output"),
        typed
    );
}

#[test]
fn a_misspelt_key_gets_the_nearest_known_one() {
    for (typed, nearest) in [
        ("brigthness", "brightness"),
        ("contrats", "contrast"),
        ("Satur", "saturation"),
        ("rotation", "rotate"),
    ] {
        let error = Adjust::from_pairs([(typed, "1")]).expect_err("unknown");
        assert_eq!(error.code(), "unknown-option");
        assert!(
            error.params().contains(&("nearest", nearest.into())),
            "{error}"
        );
        assert!(error.to_string().contains(nearest));
    }
}

#[test]
fn a_value_out_of_range_is_refused_with_key_value_and_range() {
    let wrong = [
        ("brightness", json!(101)),
        ("contrast", json!(-101)),
        ("saturation", json!("lots")),
        ("gamma", json!(0.1)),
        ("gamma", json!("NaN")),
        ("sharpen", json!(-1)),
        ("diffusion", json!(1e300)),
        ("fit", json!("crop")),
        ("background", json!("blue")),
        ("rotate", json!(45)),
        ("size", json!(3)),
        ("brightness", json!(null)),
        ("brightness", json!([1])),
        ("contrast", json!(true)),
    ];
    for (key, value) in wrong {
        let error = from_json(&json!({ key: value })).expect_err(key);
        assert_eq!(error.code(), "invalid-option");
        let params = error.params();
        assert!(params.contains(&("key", key.into())), "{params:?}");
        assert!(
            params
                .iter()
                .any(|(name, range)| *name == "range" && !range.is_empty())
        );
        assert!(error.to_string().starts_with(key), "{error}");
    }
}

#[test]
fn methods_are_known_by_any_spelling_of_their_name() {
    for algorithm in Algorithm::ALL {
        for name in [
            algorithm.name().to_owned(),
            algorithm.name().replace('-', ""),
            algorithm.name().to_uppercase(),
        ] {
            assert_eq!(Algorithm::parse(&name).expect("known"), algorithm);
        }
        let written = serde_json::to_value(algorithm).expect("serialises");
        assert_eq!(written, json!(algorithm.name()));
        assert_eq!(
            serde_json::from_value::<Algorithm>(written).expect("reads"),
            algorithm
        );
    }
    let error = Algorithm::parse("floyd").expect_err("half a name");
    assert!(error.to_string().contains("floyd-steinberg"), "{error}");
}

#[test]
fn every_key_has_a_name_and_a_range() {
    for key in AdjustKey::ALL {
        assert!(!key.name().is_empty() && !key.range().is_empty());
    }
}

proptest! {
    #[test]
    fn no_input_panics(key in ".{0,60}", value in ".{0,60}") {
        let _ = Adjust::from_pairs([(key.as_str(), value.as_str())]);
        let _ = Algorithm::parse(&value);
    }
}
