//! `docs/tools.md` says what the definitions say, with answers that the tools gave.
//!
//! `REGIE_UPDATE_DOCS=1 cargo test -p regie-mcp --test tools_documented` writes it anew.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod desk;

use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;

use desk::{Agent, Desk, object};
use rmcp::model::Tool;
use serde_json::{Map, Value, json};

/// Calls of a tool until the panel is left alone.
const TRIES: u32 = 10;

/// Longer than the simulated panel redraws.
const REDRAWN: Duration = Duration::from_secs(1);

/// What clocks differ in from run to run.
const EXAMPLE_MILLISECONDS: u32 = 41_730;

const EXAMPLE_DEVICE_MILLISECONDS: u32 = 38;

#[tokio::test]
async fn the_page_on_tools_is_what_the_definitions_say() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/tools.md");
    let page = page().await;
    if std::env::var_os("REGIE_UPDATE_DOCS").is_some() {
        std::fs::write(&path, page).unwrap();
        return;
    }
    let kept = std::fs::read_to_string(&path)
        .expect("the page")
        .replace("\r\n", "\n");
    assert!(
        kept == page,
        "docs/tools.md is out of date; this file says how it is written anew"
    );
}

async fn page() -> String {
    let (desk, _device) = Desk::with_room().await;
    let agent = desk.agent().await;
    let mut page = String::from(
        "# Tools for agents\n\nWhat an agent can ask of Regie over MCP. `/mcp` and `regie mcp` offer all of them; `/mcp/room` and `--tools room` the six of the escape room: `puzzle_set_state`, `audio_play`, `led_set`, `camera_capture`, `scenario_advance` and `device_status`; `/mcp/clock` and `--tools clock` those of the clock alone, which are the others but for `list_devices`, `list_templates` and `preview_image`, and a `device_status` of its own.\n\n## The form of answers\n\nA tool of the room, which is one that takes a `device_id`, answers a sentence and an object; a failure is an error of JSON-RPC. Its codes, and what its `data` has, are told in [mcp.md](mcp.md#the-room).\n\nEvery answer of the other tools is one JSON object, as text and as `structuredContent`: `{\"ok\": true, \"tool\", \"data\"}`, or `{\"ok\": false, \"tool\", \"error\": {\"code\", \"message\", \"hint\"}}` with `isError`. An outcome that is not known, because the link was lost at the wrong moment, is an error whose message says so.\n\n| code | when |\n|---|---|\n| `INVALID_PARAM` | an argument is missing, unknown or out of range; the message names it and the nearest that is valid |\n| `DEVICE_NOT_FOUND` | no clock was heard within 90 s: they sleep, and wake every 30 to 60 s |\n| `CONNECT_TIMEOUT` | the clock was heard but could not be connected |\n| `BLE_ERROR` | Bluetooth is off or refused something |\n| `DEVICE_DISCONNECTED` | the link was lost, and again when it was tried once more |\n| `INTERNAL` | the call was cancelled, there are too many at once, or Regie is closing |\n\nA tool that there is not, and arguments that are no object, are errors of the protocol (-32602).\n\nArguments are read with good will: `\"2\"` is the number 2, `\"true\"` is true, null is nothing given, an object may come as its JSON text, and words are taken in any case and with or without hyphens. A device is named exactly.\n\nA call that reaches a clock takes as long as the clock sleeps, up to 90 s, and some 15 s for a redraw. With a progress token it tells of its stages; it can be cancelled at any time. The same request, sent again within 30 s by a client that keeps a session, is carried out once.\n",
    );
    let tools = agent.peer().list_all_tools().await.unwrap();
    for tool in tools {
        let schema = Value::Object((*tool.input_schema).clone());
        let example = schema["examples"][0].clone();
        let mut arguments = example.clone();
        let is_of_a_device = example.get("device_id").is_some();
        if !is_of_a_device && arguments.get("source").is_some() {
            arguments["source"] = json!(desk.picture());
        }
        write_tool(&mut page, &tool, &schema);
        let answer = if is_of_a_device {
            agent.answered(&tool.name, arguments).await.1
        } else {
            undisturbed(&agent, &tool.name, &arguments).await
        };
        write_call(&mut page, &example, "it answers", answer);
        if tool.name == "device_status" {
            let example = json!({ "device_id": "main-console" });
            let (_, answer) = agent.answered(&tool.name, example.clone()).await;
            write_call(&mut page, &example, "it answers", answer);
        }
        if tool.name == "led_set" {
            let example = json!({ "device_id": "main-consol", "zone": "all", "color": "red" });
            let error = agent.erred(&tool.name, example.clone()).await;
            let error = serde_json::to_value(error).unwrap();
            write_call(&mut page, &example, "its error is", error);
        }
    }
    page
}

/// The answer of a call in which the panel, still redrawing what came before, refused no packet:
/// how many it refuses depends on the moment.
async fn undisturbed(agent: &Agent, tool: &str, arguments: &Value) -> Value {
    for _ in 0..TRIES {
        let answer = object(tool, &agent.call(tool, arguments.clone()).await);
        let resent = &answer["data"]["packets_resent"];
        if resent.as_u64().is_none_or(|resent| resent == 0) {
            return answer;
        }
        tokio::time::sleep(REDRAWN).await;
    }
    panic!("{tool}: the panel refuses packets again and again");
}

/// Takes out what differs from run to run.
fn settle(answer: &mut Value) {
    match answer {
        Value::Object(object) => {
            for (name, value) in object {
                match name.as_str() {
                    "duration_ms" => *value = json!(EXAMPLE_MILLISECONDS),
                    "idle_seconds" => *value = json!(12),
                    "device_ms" => *value = json!(EXAMPLE_DEVICE_MILLISECONDS),
                    "age_seconds" => *value = json!(2),
                    "uptime" => *value = json!(5025),
                    "free_heap" => *value = json!(143_210),
                    "rssi" | "wifi_rssi" => *value = json!(-58),
                    "at" => *value = json!("2026-03-01T08:15:00Z"),
                    "reconnects" | "packets_resent" => *value = json!(0),
                    _ => settle(value),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(settle),
        _ => {}
    }
}

fn write_tool(page: &mut String, tool: &Tool, schema: &Value) {
    let hints = tool.annotations.as_ref().unwrap();
    let nature = match (hints.read_only_hint, hints.destructive_hint) {
        (Some(true), _) => "Changes nothing.",
        (_, Some(true)) => "Replaces what was there.",
        _ if schema["properties"].get("device_id").is_some() => "Changes the device.",
        _ => "Changes the clock.",
    };
    let again = match hints.idempotent_hint {
        Some(true) => "Twice is the same as once.",
        _ => "Twice is not the same as once.",
    };
    let _ = write!(
        page,
        "\n## `{}`: {}\n\n{}\n\n{nature} {again}\n",
        tool.name,
        tool.title.as_deref().unwrap(),
        tool.description.as_deref().unwrap()
    );
    let properties = schema["properties"].as_object().unwrap();
    if properties.is_empty() {
        page.push_str("\nIt takes no arguments.\n");
    } else {
        page.push_str("\n| argument | what | values | default |\n|---|---|---|---|\n");
        rows(page, schema, "");
    }
}

fn write_call(page: &mut String, example: &Value, answers: &str, mut answer: Value) {
    settle(&mut answer);
    let example = serde_json::to_string_pretty(example).unwrap();
    let answer = serde_json::to_string_pretty(&answer).unwrap();
    let _ = write!(
        page,
        "\nCalled with\n\n```json\n{example}\n```\n\n{answers}\n\n```json\n{answer}\n```\n"
    );
}

fn rows(page: &mut String, schema: &Value, parent: &str) {
    let required = |name: &str| {
        let names = schema["required"].as_array();
        names.is_some_and(|names| names.contains(&json!(name)))
    };
    for (name, property) in schema["properties"].as_object().unwrap() {
        let property = property.as_object().unwrap();
        let about = property["description"].as_str().unwrap().replace('\n', " ");
        let default = match property.get("default") {
            _ if required(name) => "required".into(),
            Some(Value::Object(_)) | None => String::new(),
            Some(default) => format!("`{default}`"),
        };
        let _ = writeln!(
            page,
            "| `{parent}{name}` | {about} | {} | {default} |",
            values(property)
        );
        if property.contains_key("properties") {
            rows(
                page,
                &Value::Object(property.clone()),
                &format!("{parent}{name}."),
            );
        }
    }
}

fn values(property: &Map<String, Value>) -> String {
    if let Some(values) = property.get("enum").and_then(Value::as_array) {
        let listed: Vec<String> = values
            .iter()
            .map(|value| match value {
                Value::String(word) => format!("`{word}`"),
                other => format!("`{other}`"),
            })
            .collect();
        return listed.join(", ");
    }
    let kind = property["type"].as_str().unwrap();
    match (property.get("minimum"), property.get("maximum")) {
        (Some(least), Some(most)) => format!("{kind}, {least} to {most}"),
        _ => kind.into(),
    }
}
