//! Payloads of templates: the schema tells what is right, the errors what is wrong.
#![allow(clippy::expect_used, reason = "a test fails by panicking")]

use std::collections::BTreeSet;

use proptest::prelude::*;
use regie_imaging::template::Template;
use regie_imaging::text::Typesetter;
use regie_imaging::{ImagingError, Palette, Panel, Rendered, preview_rgba};
use serde_json::{Map, Value, json};

fn render(template: &str, payload: &Value) -> Result<Rendered, ImagingError> {
    Template::named(template)?.render(
        &mut Typesetter::bundled_only(),
        payload,
        Palette::BlackWhiteRed,
    )
}

fn refusal(template: &str, payload: &Value) -> ImagingError {
    render(template, payload).expect_err("refused")
}

#[test]
fn names_are_unique_and_a_wrong_one_names_the_nearest() {
    let names: BTreeSet<_> = Template::ALL
        .iter()
        .map(|template| template.name())
        .collect();
    assert_eq!(
        names,
        BTreeSet::from(["metric", "notice", "qr", "quote", "todo", "weather"])
    );
    assert_eq!(
        Template::named("notise").expect_err("unknown"),
        ImagingError::UnknownTemplate {
            name: "notise".into(),
            nearest: "notice",
            known: "notice, todo, weather, quote, metric, qr".into(),
        }
    );
}

/// What a form is made from.
#[test]
fn every_property_of_every_schema_has_order_label_kind_and_title() {
    fn check(schema: &Value, label: &str) {
        let properties = schema["properties"].as_object().expect("properties");
        let mut orders: Vec<u64> = Vec::new();
        for (key, property) in properties {
            let form = &property["x-form"];
            let own = format!("{label}.{key}");
            assert_eq!(form["label"], json!(own));
            assert!(property["title"].is_string(), "{own}");
            orders.push(form["order"].as_u64().expect("a place"));
            match form["kind"].as_str().expect("a kind") {
                "line" | "paragraph" | "secret" => assert!(property["maxLength"].is_u64(), "{own}"),
                "choice" => assert!(property["enum"].is_array(), "{own}"),
                "group" => check(property, &own),
                "list" => {
                    let items = &property["items"];
                    let group = items["anyOf"].as_array().map_or(items, |kinds| &kinds[1]);
                    check(group, &own);
                }
                "figure" | "numbers" | "flag" => {}
                other => unreachable!("a new kind of control: {other}"),
            }
        }
        orders.sort_unstable();
        assert_eq!(orders, (0..properties.len() as u64).collect::<Vec<_>>());
        assert_eq!(schema["additionalProperties"], json!(false));
    }
    for template in Template::ALL {
        let schema = template.schema();
        check(&schema, &format!("template.{}", template.name()));
        assert_eq!(schema["examples"], json!([template.example()]));
        assert!(template.example().is_object(), "{}", template.name());
    }
}

#[test]
fn what_is_missing_is_named_with_what_is_wanted() {
    for (template, payload, field) in [
        ("notice", json!({}), "title"),
        ("notice", json!({"title": "  "}), "title"),
        ("notice", Value::Null, "title"),
        ("todo", json!({"title": "x"}), "items"),
        (
            "todo",
            json!({"items": [{"text": "a"}, {"done": true}]}),
            "items[1].text",
        ),
        ("weather", json!({"days": []}), "place"),
        (
            "weather",
            json!({"place": "x", "days": [{"sky": "rain"}]}),
            "days[0].day",
        ),
        ("metric", json!({"label": "x"}), "value"),
        ("qr", json!({"caption": "x"}), "data"),
        ("qr", json!({"wifi": {"password": "x"}}), "wifi.ssid"),
    ] {
        let error = refusal(template, &payload);
        let ImagingError::MissingField {
            field: named,
            allowed,
        } = &error
        else {
            unreachable!("{template} {payload}: {error}");
        };
        assert_eq!((named.as_str(), allowed.is_empty()), (field, false));
    }
}

#[test]
fn what_is_wrong_is_named_with_what_is_allowed() {
    let long = "x".repeat(81);
    for (template, payload, field, allowed) in [
        (
            "notice",
            json!({"title": long}),
            "title",
            "a text of at most 80 characters",
        ),
        (
            "notice",
            json!({"title": 5}),
            "title",
            "a text of at most 80 characters",
        ),
        (
            "notice",
            json!("Closed"),
            "payload",
            "an object with title, body, footer",
        ),
        (
            "todo",
            json!({"items": "milk"}),
            "items",
            "a list of 1 to 8 entries",
        ),
        (
            "todo",
            json!({"items": []}),
            "items",
            "a list of 1 to 8 entries",
        ),
        (
            "todo",
            json!({"items": [{"text": "a", "done": "yes"}]}),
            "items[0].done",
            "true or false",
        ),
        (
            "todo",
            json!({"items": [7]}),
            "items[0]",
            "an object with text, done",
        ),
        (
            "weather",
            json!({"place": "x", "now": {"sky": "sunny", "temperature": 1}}),
            "now.sky",
            "clear, partly-cloudy, cloudy, rain, thunderstorm, snow, fog, wind, clear-night",
        ),
        (
            "metric",
            json!({"value": 1, "sparkline": [1, "2"]}),
            "sparkline",
            "a list of at most 120 numbers",
        ),
        (
            "metric",
            json!({"value": [1]}),
            "value",
            "a number or a text of at most 14 characters",
        ),
        (
            "qr",
            json!({"data": "x", "url": "y"}),
            "payload",
            "only one of data, url and wifi",
        ),
    ] {
        let error = refusal(template, &payload);
        let ImagingError::InvalidField {
            field: named,
            allowed: listed,
            ..
        } = &error
        else {
            unreachable!("{template} {payload}: {error}");
        };
        assert_eq!((named.as_str(), listed.as_str()), (field, allowed));
    }
}

#[test]
fn a_field_that_does_not_exist_names_the_nearest() {
    assert_eq!(
        refusal(
            "weather",
            &json!({"place": "x", "days": [{"day": "Tue", "hihg": 3}]})
        ),
        ImagingError::UnknownField {
            field: "days[0].hihg".into(),
            nearest: "high",
            known: "day, sky, high, low".into(),
        }
    );
}

#[test]
fn a_text_that_does_not_fit_names_its_field() {
    let payload = json!({"title": "x", "body": "W".repeat(400)});
    assert_eq!(
        refusal("notice", &payload),
        ImagingError::TextTooLong {
            field: "body".into()
        }
    );
}

/// A phone reads what the code says: a text, an address, a network.
#[test]
fn qr_codes_are_read_back() {
    for (payload, wanted) in [
        (json!({"data": "今日菜单 42"}), "今日菜单 42"),
        (
            json!({"url": "example.org/menu", "caption": "Menu"}),
            "https://example.org/menu",
        ),
        (
            json!({"wifi": {"ssid": "Café; 2", "password": "a:b\\c"}, "caption": "Wi-Fi"}),
            "WIFI:T:WPA;S:Café\\; 2;P:a\\:b\\\\c;;",
        ),
        (json!({"data": "x".repeat(600)}), &"x".repeat(600)),
    ] {
        let rendered = render("qr", &payload).expect("renders");
        let pixels = preview_rgba(&rendered.planes, &regie_imaging::Inks::IDEAL);
        let Panel { width, height } = rendered.planes.panel();
        let mut image = rqrr::PreparedImage::prepare_from_greyscale(
            usize::from(width),
            usize::from(height),
            |x, y| pixels[(y * usize::from(width) + x) * 4 + 1],
        );
        let grids = image.detect_grids();
        let (_, content) = grids.first().expect("a code").decode().expect("readable");
        assert_eq!(content, wanted);
    }
}

/// Any JSON, often with the keys that templates know.
fn payload() -> impl Strategy<Value = Value> {
    let text = prop_oneof![
        any::<String>(),
        "[a-zA-Z ]{0,90}",
        "[一-龥，。]{0,60}",
        "[ا-ي ]{0,60}",
        "[\\x00-\\x20\u{200B}-\u{200F}\u{202A}-\u{202E}\u{FE0F}א-ת🎉👨‍👩‍👧👍🏽é́̂]{0,40}",
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        text.prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 40, 8, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..9).prop_map(Value::from),
            prop::collection::btree_map(key(), inner, 0..6)
                .prop_map(|map| Value::Object(map.into_iter().collect::<Map<_, _>>())),
        ]
    })
}

fn key() -> impl Strategy<Value = String> {
    prop::sample::select(vec![
        "title",
        "body",
        "footer",
        "items",
        "text",
        "done",
        "place",
        "now",
        "days",
        "day",
        "sky",
        "high",
        "low",
        "temperature",
        "warning",
        "author",
        "label",
        "value",
        "unit",
        "change",
        "tone",
        "sparkline",
        "data",
        "url",
        "wifi",
        "ssid",
        "password",
        "security",
        "caption",
        "nothing",
    ])
    .prop_map(str::to_owned)
}

/// A payload of the right shape with texts of any kind.
fn likely(template: &'static Template) -> impl Strategy<Value = Value> {
    fn filled(schema: &Value, texts: &mut impl Iterator<Item = Value>) -> Value {
        let properties = schema["properties"].as_object().expect("properties");
        let fields = properties.iter().filter_map(|(key, property)| {
            let value = match property["x-form"]["kind"].as_str()? {
                "group" => filled(property, texts),
                "list" => {
                    let items = &property["items"];
                    let group = items["anyOf"].as_array().map_or(items, |kinds| &kinds[1]);
                    let most = property["maxItems"].as_u64()? as usize;
                    Value::from((0..most).map(|_| filled(group, texts)).collect::<Vec<_>>())
                }
                "choice" => property["enum"][0].clone(),
                "flag" => json!(true),
                "numbers" => json!([1.0, -1e308, 1e308]),
                _ => texts.next()?,
            };
            Some((key.clone(), value))
        });
        let fields: Vec<_> = fields.collect();
        Value::Object(
            fields
                .into_iter()
                .filter(|(key, _)| key != "url" && key != "wifi")
                .collect(),
        )
    }
    prop::collection::vec(payload(), 40).prop_map(move |texts| {
        let mut texts = texts
            .into_iter()
            .filter(Value::is_string)
            .chain([json!("x")])
            .cycle();
        filled(&template.schema(), &mut texts)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Whatever comes in, a page or a reason comes out.
    #[test]
    fn no_payload_makes_a_template_panic(payload in payload()) {
        let mut typesetter = Typesetter::bundled_only();
        for template in Template::ALL {
            let result = template.render(&mut typesetter, &payload, Palette::BlackWhiteRed);
            prop_assert_ne!(result.as_ref().err(), Some(&ImagingError::TypeFailed));
        }
    }

    #[test]
    fn no_text_makes_a_template_panic(
        payloads in Template::ALL.map(likely)
    ) {
        let mut typesetter = Typesetter::bundled_only();
        for (template, payload) in Template::ALL.into_iter().zip(payloads) {
            let result = template.render(&mut typesetter, &payload, Palette::BlackWhiteRed);
            prop_assert_ne!(result.as_ref().err(), Some(&ImagingError::TypeFailed), "{}", payload);
        }
    }
}
