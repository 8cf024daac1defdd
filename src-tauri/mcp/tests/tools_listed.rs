//! What agents are offered.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod desk;

use desk::{Desk, connection};
use regie_mcp::Toolset;
use rmcp::model::Tool;
use serde_json::{Map, Value, json};

const OF_THE_CLOCK: [&str; 13] = [
    "calendar_text",
    "clear_screen",
    "countdown",
    "countdown_off",
    "device_status",
    "raw_send",
    "render_template",
    "scan_devices",
    "set_mode",
    "set_sleep",
    "set_time",
    "toggle",
    "upload_image",
];

const OF_THE_ROOM: [&str; 6] = [
    "audio_play",
    "camera_capture",
    "device_status",
    "led_set",
    "puzzle_set_state",
    "scenario_advance",
];

async fn listed(toolset: Toolset) -> Vec<Tool> {
    let desk = Desk::new().await;
    let mut connection = connection();
    connection.toolset = toolset;
    let agent = desk.agent_with(connection).await;
    agent.peer().list_all_tools().await.unwrap()
}

fn names(tools: &[Tool]) -> Vec<String> {
    tools.iter().map(|tool| tool.name.to_string()).collect()
}

#[tokio::test]
async fn each_toolset_has_its_tools_in_order() {
    assert_eq!(names(&listed(Toolset::Clock).await), OF_THE_CLOCK);
    let all = names(&listed(Toolset::All).await);
    let extra = ["list_devices", "list_templates", "preview_image"];
    let both = OF_THE_CLOCK.iter().chain(&OF_THE_ROOM);
    let mut expected: Vec<&str> = both.chain(&extra).copied().collect();
    expected.sort_unstable();
    // Both have a status of a device; among all there is one for both.
    expected.dedup();
    assert_eq!(all, expected);
    assert_eq!(names(&listed(Toolset::Room).await), OF_THE_ROOM);
}

/// Names, descriptions, arguments, ranges, defaults and what is required are those of the room's
/// contract, word for word. What may be added: a length, that nothing else is taken, an example,
/// and a description where the contract has none.
#[tokio::test]
async fn the_rooms_tools_are_those_of_its_contract_word_for_word() {
    let contract = include_str!("data/room_tools.json");
    let contract: Vec<Value> = serde_json::from_str(contract).unwrap();
    let tools = listed(Toolset::Room).await;
    assert_eq!(tools.len(), contract.len());
    for wanted in contract {
        let name = wanted["name"].as_str().unwrap();
        let tool = tools.iter().find(|tool| tool.name == name).unwrap();
        assert_eq!(tool.description.as_deref(), wanted["description"].as_str());
        let mut schema = Value::Object((*tool.input_schema).clone());
        let added = schema.as_object_mut().unwrap();
        assert_eq!(added.remove("additionalProperties"), Some(json!(false)));
        assert!(added.remove("examples").is_some());
        added.remove("description");
        let wanted = &wanted["inputSchema"];
        for (argument, property) in schema["properties"].as_object_mut().unwrap() {
            let property = property.as_object_mut().unwrap();
            property.remove("maxLength");
            if wanted["properties"][argument].get("description").is_none() {
                property.remove("description");
            }
        }
        assert_eq!(sorted(schema), sorted(wanted.clone()), "{name}");
    }
}

/// A schema with what it requires in the order of letters, for that order says nothing.
fn sorted(mut schema: Value) -> Value {
    let required = schema["required"].as_array_mut().unwrap();
    required.sort_by_key(|name| name.as_str().map(str::to_owned));
    schema
}

/// `device_status` stands in both contracts: each path has its own, and the one for all takes both
/// a device of the room and a clock, and needs neither.
#[tokio::test]
async fn each_toolset_has_its_own_status_of_a_device() {
    for (toolset, takes, required) in [
        (Toolset::Clock, vec!["mac"], None),
        (Toolset::Room, vec!["device_id"], Some(json!(["device_id"]))),
        (Toolset::All, vec!["device_id", "mac"], None),
    ] {
        let tools = listed(toolset).await;
        let named: Vec<_> = tools
            .iter()
            .filter(|tool| tool.name == "device_status")
            .collect();
        assert_eq!(named.len(), 1, "{toolset}");
        let schema = &named[0].input_schema;
        let properties = schema["properties"].as_object().unwrap();
        assert_eq!(properties.keys().collect::<Vec<_>>(), takes, "{toolset}");
        assert_eq!(schema.get("required").cloned(), required, "{toolset}");
    }
}

/// IO-5: one name that a client does not take hides all tools. IO-13: clients decide by hints.
#[tokio::test]
async fn every_tool_says_what_it_is() {
    for tool in listed(Toolset::All).await {
        let name = &tool.name;
        assert!(name.len() <= 40, "{name}");
        let allowed = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        assert!(name.chars().all(allowed), "{name}");
        assert!(tool.title.as_deref().is_some_and(|title| title.len() > 3));
        let about = tool.description.as_deref().unwrap_or_default();
        // Those of the room's contract are in its words.
        let least = if OF_THE_ROOM.contains(&&**name) {
            70
        } else {
            80
        };
        assert!(
            (least..=1600).contains(&about.len()),
            "{name}: {}",
            about.len()
        );
        let hints = tool.annotations.expect("annotations");
        for hint in [
            hints.read_only_hint,
            hints.destructive_hint,
            hints.idempotent_hint,
            hints.open_world_hint,
        ] {
            assert!(hint.is_some(), "{name}");
        }
        assert_eq!(hints.title, tool.title);
    }
}

/// IO-5: what VS Code, Claude and OpenAI refuse in a schema.
#[tokio::test]
async fn every_schema_is_one_that_every_client_takes() {
    for tool in listed(Toolset::All).await {
        for schema in [Some(&tool.input_schema), tool.output_schema.as_ref()] {
            let schema = schema.expect("a schema");
            assert_eq!(schema.get("type"), Some(&json!("object")), "{}", tool.name);
            assert!(schema.contains_key("properties"), "{}", tool.name);
            lint(&tool.name, schema);
            let value = Value::Object((**schema).clone());
            jsonschema::meta::validate(&value).unwrap();
        }
        assert_eq!(
            tool.input_schema.get("additionalProperties"),
            Some(&json!(false)),
            "{}",
            tool.name
        );
        described(&tool.name, &tool.input_schema);
    }
}

fn lint(place: &str, schema: &Map<String, Value>) {
    for word in schema.keys() {
        let refused = [
            "$ref",
            "$defs",
            "definitions",
            "$schema",
            "anyOf",
            "oneOf",
            "allOf",
            "not",
            "if",
            "then",
            "else",
            "nullable",
            "format",
            "const",
            "patternProperties",
            "prefixItems",
        ];
        assert!(!refused.contains(&word.as_str()), "{place}: {word}");
    }
    let kind = schema.get("type").and_then(Value::as_str);
    let kind = kind.unwrap_or_else(|| panic!("{place}: no single type in {schema:?}"));
    assert_ne!(schema.get("default"), Some(&Value::Null), "{place}");
    if kind == "array" {
        assert!(schema.contains_key("items"), "{place}: no items");
    }
    if let Some(values) = schema.get("enum") {
        let values = values.as_array().unwrap();
        assert!(!values.is_empty(), "{place}");
        let fits = |value: &Value| match kind {
            "string" => value.is_string(),
            "integer" => value.is_i64(),
            _ => false,
        };
        assert!(values.iter().all(fits), "{place}");
    }
    let properties = schema.get("properties").and_then(Value::as_object);
    for (name, property) in properties.into_iter().flatten() {
        let place = format!("{place}.{name}");
        lint(
            &place,
            property.as_object().unwrap_or_else(|| panic!("{place}")),
        );
    }
    if let Some(items) = schema.get("items") {
        lint(&format!("{place}[]"), items.as_object().unwrap());
    }
    for required in schema
        .get("required")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
    {
        let name = required.as_str().unwrap();
        assert!(properties.is_some_and(|properties| properties.contains_key(name)));
    }
}

/// A model knows of an argument what its description says.
fn described(place: &str, schema: &Map<String, Value>) {
    let properties = schema.get("properties").and_then(Value::as_object);
    for (name, property) in properties.into_iter().flatten() {
        let about = property["description"].as_str().unwrap_or_default();
        assert!(about.len() > 10, "{place}.{name} is not described");
        described(&format!("{place}.{name}"), property.as_object().unwrap());
    }
}

/// The defaults of the arguments are those that the design of the tools names, and the zone is
/// this computer's (TZ-6).
#[tokio::test]
async fn the_defaults_are_those_of_the_design() {
    let tools = listed(Toolset::Clock).await;
    let property = |tool: &str, name: &str| {
        let tool = tools.iter().find(|listed| listed.name == tool).unwrap();
        tool.input_schema["properties"][name].clone()
    };
    assert_eq!(property("scan_devices", "timeout")["default"], json!(5.0));
    assert_eq!(property("upload_image", "slot")["default"], 0);
    assert_eq!(property("upload_image", "algo")["default"], "atkinson");
    assert_eq!(property("upload_image", "mono")["default"], false);
    assert_eq!(property("render_template", "slot")["default"], 0);
    assert_eq!(property("render_template", "algo")["default"], "atkinson");
    assert_eq!(property("countdown", "mode")["default"], "clock");
    assert_eq!(property("raw_send", "channel")["default"], "alt");
    assert_eq!(property("set_time", "tz").get("default"), None);
    for tool in &tools {
        let takes_mac = tool.input_schema["properties"].get("mac").is_some();
        assert_eq!(takes_mac, tool.name != "scan_devices", "{}", tool.name);
    }
}
