use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::super::Tool;
use super::fit;
use crate::toolset::Toolset;

fn schema(tool: &Tool) -> Value {
    Value::Object((*tool.definition.input_schema).clone())
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(object) => object,
        other => panic!("{other} is no object"),
    }
}

/// What is wrong with each argument of each tool is said with its name.
#[test]
fn every_argument_of_every_tool_refuses_what_it_is_not() {
    for tool in Tool::of(Toolset::All) {
        let schema = schema(tool);
        let example = object(schema["examples"][0].clone());
        let words = &tool.definition.input_schema;
        fit(tool.name, words, tool.spread, example.clone()).unwrap();
        for (name, property) in schema["properties"].as_object().unwrap() {
            let mut given = example.clone();
            let wrong = match property["type"].as_str().unwrap() {
                "object" => json!(5),
                _ => json!([]),
            };
            given.insert(name.clone(), wrong);
            let refused = fit(tool.name, words, tool.spread, given).unwrap_err();
            let refused = format!("{refused:?}");
            assert!(refused.contains("INVALID_PARAM"), "{refused}");
            assert!(refused.contains(name.as_str()), "{name}: {refused}");
        }
        let required = schema["required"].as_array().into_iter().flatten();
        for name in required.filter_map(Value::as_str) {
            for missing in [None, Some(Value::Null)] {
                let mut given = example.clone();
                given.remove(name);
                given.extend(missing.map(|null| (name.to_owned(), null)));
                let refused = fit(tool.name, words, tool.spread, given).unwrap_err();
                assert!(format!("{refused:?}").contains("is missing"));
            }
        }
        let mut given = example;
        given.insert("zzqx".into(), json!(1));
        let refused = fit(tool.name, words, tool.spread, given).unwrap_err();
        assert!(format!("{refused:?}").contains("no argument"));
    }
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        (-10_i64..300).prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        ".{0,60}".prop_map(Value::from),
        prop_oneof![
            Just("clock1"),
            Just("best"),
            Just("true"),
            Just("2"),
            Just("{\"size\": \"small\"}"),
            Just("2099-12-24"),
        ]
        .prop_map(Value::from),
    ];
    leaf.prop_recursive(2, 8, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            proptest::collection::btree_map(name(), inner, 0..4)
                .prop_map(|object| Value::Object(object.into_iter().collect())),
        ]
    })
}

fn name() -> impl Strategy<Value = String> {
    let known: Vec<String> = Tool::of(Toolset::All)
        .flat_map(|tool| {
            let properties = schema(tool)["properties"].clone();
            object(properties).into_iter().map(|(name, _)| name)
        })
        .chain(["contrast", "rotate", "algorithm"].map(String::from))
        .collect();
    prop_oneof![
        4 => proptest::sample::select(known),
        1 => ".{0,20}",
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    /// Whatever comes is refused as the contract says, or fits the schema.
    #[test]
    fn any_arguments_fit_or_are_refused(
        which in any::<proptest::sample::Index>(),
        given in proptest::collection::btree_map(name(), value(), 0..6),
    ) {
        let tools: Vec<&Tool> = Tool::of(Toolset::All).collect();
        let tool = which.get(&tools);
        let given: Map<String, Value> = given.into_iter().collect();
        match fit(tool.name, &tool.definition.input_schema, tool.spread, given) {
            Ok(fitted) => {
                let fitted = Value::Object(fitted);
                prop_assert!(jsonschema::is_valid(&schema(tool), &fitted), "{fitted}");
            }
            Err(failure) => {
                let failure = format!("{failure:?}");
                prop_assert!(failure.contains("INVALID_PARAM"), "{failure}");
            }
        }
    }
}
