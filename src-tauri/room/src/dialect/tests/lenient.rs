//! Damaged documents.

use std::sync::LazyLock;

use proptest::prelude::*;
use serde_json::{Value, json};

use crate::dialect::lenient::decode;
use crate::dialect::{Family, of};
use crate::exchange::Reply;
use crate::request::Request;

use super::samples::{FREENOVE, SPEC, STORY_V2};

fn value(text: &str) -> Value {
    decode(text.as_bytes()).unwrap().value
}

#[test]
fn what_is_open_is_closed_after_its_last_whole_member() {
    assert_eq!(value(r#"{"a":{"b":1,"c":2"#), json!({"a":{"b":1}}));
    assert_eq!(value(r#"{"a":{"b":1,"c":2,"#), json!({"a":{"b":1,"c":2}}));
    assert_eq!(value(r#"{"a":[1,2,{"b":tr"#), json!({"a":[1,2,{}]}));
    assert_eq!(value(r#"{"a":"whole","b":"ha"#), json!({"a":"whole"}));
    assert_eq!(value(r#"{"a":1}trailing"#), json!({"a":1}));
    assert!(!decode(br#"{"a":1"#).unwrap().whole);
    assert!(decode(br#"{"a":1}"#).unwrap().whole);
}

/// -5 is where -58 was cut.
#[test]
fn a_number_at_the_end_is_not_trusted() {
    assert_eq!(value(r#"{"tx":3,"rssi":-5"#), json!({"tx":3}));
}

#[test]
fn texts_that_are_none_do_not_end_the_reading() {
    let bytes = b"{\"a\":\"x\xFF\xC3y\",\"b\":\"line\x01\x02\nbreak\",\"c\":\"\\q\",\"d\":4}";
    assert_eq!(
        decode(bytes).unwrap().value,
        json!({"a":"x\u{fffd}\u{fffd}y","b":"line\u{fffd}\u{fffd}\u{fffd}break","c":"\\q","d":4})
    );
}

#[test]
fn what_is_no_json_is_nothing() {
    for text in ["", "   ", "<html>", "OK", "\u{feff}", "tru"] {
        assert_eq!(decode(text.as_bytes()), None, "{text}");
    }
}

#[test]
fn depth_and_number_are_bounded() {
    let deep = "[".repeat(100_000);
    assert!(decode(deep.as_bytes()).is_some());
    let many = format!("[{}", "1,".repeat(100_000));
    let Value::Array(items) = value(&many) else {
        panic!("an array")
    };
    assert!(items.len() < 10_000);
}

/// Every reader of bytes from a device, on the same bytes.
fn read_all(body: &[u8]) {
    for family in [
        Family::Spec,
        Family::Freenove,
        Family::StoryV2,
        Family::Unknown,
    ] {
        for status in [200, 401, 429] {
            let reply = Reply {
                status,
                body: body.to_vec(),
                ..Reply::default()
            };
            let dialect = of(family);
            if let Ok(mut reading) = dialect.read(&reply) {
                dialect.read_more(&mut reading, &reply);
            }
            let _ = dialect.judge(&Request::Status, &reply);
            let _ = dialect.judge(&super::scenario("manual", "NEXT", None), &reply);
            let _ = dialect.judge(&super::camera("VGA", 10), &reply);
            let _ = crate::dialect::recognise::look(&reply);
            let _ = crate::mesh::acknowledged(&reply, "regie-12");
        }
    }
}

/// The sections of a document with where each of them ends.
fn sections(document: &str) -> Vec<(String, usize, Value)> {
    let Value::Object(whole) = value(document) else {
        panic!("an object")
    };
    whole
        .into_iter()
        .filter(|(_, section)| section.is_object())
        .map(|(name, section)| {
            let start = document.find(&format!("\"{name}\":{{")).unwrap();
            let length = document
                .get(start..)
                .unwrap()
                .char_indices()
                .scan(0, |depth, (at, c)| {
                    *depth += i32::from(c == '{') - i32::from(c == '}');
                    Some((at, *depth, c))
                });
            let end = length
                .filter(|(_, depth, c)| *depth == 0 && *c == '}')
                .map(|(at, ..)| at)
                .next()
                .unwrap();
            (name, start + end + 1, section)
        })
        .collect()
}

static SECTIONS: LazyLock<Vec<(String, usize, Value)>> = LazyLock::new(|| sections(FREENOVE));

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn a_prefix_yields_every_section_that_is_whole_in_it(end in 0..=FREENOVE.len()) {
        let prefix = FREENOVE.get(..end).unwrap();
        let read = decode(prefix.as_bytes()).map(|decoded| decoded.value);
        for (name, whole_from, section) in SECTIONS.iter() {
            if end >= *whole_from {
                prop_assert_eq!(read.as_ref().and_then(|read| read.get(name)), Some(section));
            }
        }
        read_all(prefix.as_bytes());
    }

    #[test]
    fn damage_does_not_reach_the_sections_before_it(
        at in 0..FREENOVE.len(), bytes in prop::collection::vec(0x80_u8..=0xFF, 1..6),
    ) {
        let mut damaged = FREENOVE.as_bytes().to_vec();
        for (place, byte) in damaged.iter_mut().skip(at).zip(bytes) {
            *place = byte;
        }
        let read = decode(&damaged).map(|decoded| decoded.value);
        for (name, whole_from, section) in SECTIONS.iter() {
            if at >= *whole_from {
                prop_assert_eq!(read.as_ref().and_then(|read| read.get(name)), Some(section));
            }
        }
    }

    #[test]
    fn no_damage_is_trouble(
        which in 0..3_usize, damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..12),
        cut in any::<prop::sample::Index>(),
    ) {
        let mut bytes = [FREENOVE, SPEC, STORY_V2].get(which).unwrap().as_bytes().to_vec();
        for (index, byte) in damage {
            let at = index.index(bytes.len());
            *bytes.get_mut(at).unwrap() = byte;
        }
        bytes.truncate(cut.index(bytes.len()) + 1);
        read_all(&bytes);
    }

    #[test]
    fn no_bytes_are_trouble(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        read_all(&bytes);
    }

    #[test]
    fn what_json_says_is_what_is_read(text in "\\PC{0,20}", number in any::<i64>(), flag in any::<bool>()) {
        let document = json!({"text": text, "number": number, "nested": {"flag": flag, "list": [text, null]}});
        let decoded = decode(document.to_string().as_bytes()).unwrap();
        prop_assert!(decoded.whole);
        prop_assert_eq!(&decoded.value, &document);
        // Something after the end makes it take the other way.
        let other = decode(format!("{document}\u{0}").as_bytes()).unwrap();
        prop_assert_eq!(&other.value, &document);
    }
}
