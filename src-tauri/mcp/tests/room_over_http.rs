//! What callers of the room's first server are used to, over HTTP: each of its published promises,
//! kept by this one with a device that answers.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod desk;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use desk::web::Web;
use desk::{Desk, entry};
use regie_engine::rooms::Token;
use regie_sim::room::{DeviceConfig, DeviceFault, SimulatedDevice};
use serde_json::{Value, json};

const TOOLS: [&str; 6] = [
    "audio_play",
    "camera_capture",
    "device_status",
    "led_set",
    "puzzle_set_state",
    "scenario_advance",
];

async fn room() -> (Desk, SimulatedDevice, Web) {
    let (desk, device) = Desk::with_room().await;
    let web = Web::serve(&desk).await;
    (desk, device, web)
}

/// The body of the last request for a path that came to a device.
fn sent(device: &SimulatedDevice, path: &str) -> Value {
    let log = device.log();
    let entry = log.iter().rfind(|entry| entry.path == path).unwrap();
    serde_json::from_str(&entry.body).unwrap()
}

fn initialize() -> Value {
    json!({
        "protocolVersion": "2024-11-05",
        "capabilities": {},
        "clientInfo": { "name": "mascarade", "version": "1" },
    })
}

#[tokio::test]
async fn initialize_answers_the_version_that_was_asked_for() {
    let (_desk, _device, web) = room().await;
    let answer = web.ask("initialize", initialize()).await;
    assert_eq!(answer["result"]["protocolVersion"], "2024-11-05");
    assert!(answer["result"]["capabilities"]["tools"].is_object());
    let told = answer["result"]["instructions"].as_str().unwrap();
    assert!(told.contains("escape room") && !told.contains("e-ink"));
}

#[tokio::test]
async fn a_notification_that_all_is_initialized_is_not_answered() {
    let (_desk, _device, web) = room().await;
    let notice = r#"{"jsonrpc": "2.0", "method": "notifications/initialized"}"#;
    assert_eq!(web.post("/mcp/room", notice).await, (202, Value::Null));
}

#[tokio::test]
async fn all_six_tools_are_listed_each_with_its_schema() {
    let (_desk, _device, web) = room().await;
    let answer = web.ask("tools/list", json!({})).await;
    let tools = answer["result"]["tools"].as_array().unwrap();
    let names: Vec<_> = tools.iter().map(|tool| tool["name"].as_str()).collect();
    assert_eq!(names, TOOLS.map(Some));
    for tool in tools {
        assert_eq!(tool["inputSchema"]["type"], "object", "{tool}");
    }
}

#[tokio::test]
async fn the_status_of_a_device_is_told() {
    let (_desk, _device, web) = room().await;
    let answer = web
        .call("device_status", json!({ "device_id": "main-console" }))
        .await;
    let result = &answer["result"];
    let reply = &result["structuredContent"]["reply"];
    assert!(reply["free_heap"].is_u64(), "{answer}");
    let text = result["content"][0]["text"].as_str().unwrap();
    assert_eq!(&serde_json::from_str::<Value>(text).unwrap(), reply);
}

#[tokio::test]
async fn a_device_that_is_not_there_is_32000() {
    let (_desk, device, web) = room().await;
    device.stop().await;
    let answer = web
        .call("device_status", json!({ "device_id": "main-console" }))
        .await;
    let error = &answer["error"];
    assert_eq!(error["code"], -32000, "{answer}");
    assert!(
        error["message"]
            .as_str()
            .unwrap()
            .starts_with("Device unreachable")
    );
    assert_eq!(error["data"]["device_id"], "main-console");
    assert!(
        error["data"]["detail"]
            .as_str()
            .is_some_and(|detail| !detail.is_empty())
    );
}

#[tokio::test]
async fn a_device_that_refuses_its_token_is_32002() {
    let device = SimulatedDevice::start(DeviceConfig::spec("main-console"))
        .await
        .unwrap();
    let (set, _) = entry(&device);
    let wrong = Some(Token::from("wrong".to_owned()));
    let desk = Desk::with_devices(vec![(set, wrong)]).await;
    let web = Web::serve(&desk).await;
    let answer = web
        .call("device_status", json!({ "device_id": "main-console" }))
        .await;
    assert_eq!(answer["error"]["code"], -32002, "{answer}");
    assert_eq!(answer["error"]["data"]["code"], "device-token-refused");
}

#[tokio::test]
async fn leds_are_set_with_the_body_of_the_contract() {
    let (_desk, device, web) = room().await;
    let arguments = json!({
        "device_id": "main-console",
        "zone": "puzzle",
        "color": "#00FF00",
        "pattern": "pulse",
        "brightness": 200,
    });
    let answer = web.call("led_set", arguments).await;
    assert_eq!(
        answer["result"]["content"][0]["text"],
        "LED zone 'puzzle' set to #00FF00 pulse at brightness 200 on device main-console",
        "{answer}"
    );
    let body = sent(&device, "/api/led");
    assert_eq!(body["zone"], "puzzle");
    assert_eq!(body["color"], "#00FF00");
    assert_eq!(body["pattern"], "pulse");
    assert_eq!(body["bright"], 200);
    assert_eq!(device.state().led.rgb, [0, 255, 0]);
}

#[tokio::test]
async fn leds_without_a_zone_are_32602() {
    let (_desk, device, web) = room().await;
    let answer = web
        .call(
            "led_set",
            json!({ "device_id": "main-console", "color": "red" }),
        )
        .await;
    assert_eq!(answer["error"]["code"], -32602, "{answer}");
    assert!(
        answer["error"]["message"]
            .as_str()
            .unwrap()
            .contains("\"zone\"")
    );
    assert!(!device.log().iter().any(|entry| entry.path == "/api/led"));
}

#[tokio::test]
async fn a_puzzle_is_unlocked() {
    let (_desk, device, web) = room().await;
    let arguments = json!({
        "device_id": "main-console",
        "puzzle_id": "PUZZLE_COFFRE",
        "state": "unlocked",
    });
    let answer = web.call("puzzle_set_state", arguments).await;
    let text = answer["result"]["content"][0]["text"].as_str();
    assert!(
        text.is_some_and(|text| text.contains("PUZZLE_COFFRE")),
        "{answer}"
    );
    assert_eq!(
        sent(&device, "/api/puzzle"),
        json!({ "id": "PUZZLE_COFFRE", "state": "unlocked", "effects": true })
    );
    assert_eq!(device.state().puzzles["PUZZLE_COFFRE"], "unlocked");
}

#[tokio::test]
async fn a_state_that_no_puzzle_has_is_32602() {
    let (_desk, _device, web) = room().await;
    let arguments = json!({
        "device_id": "main-console",
        "puzzle_id": "PUZZLE_COFFRE",
        "state": "exploded",
    });
    let answer = web.call("puzzle_set_state", arguments).await;
    assert_eq!(answer["error"]["code"], -32602, "{answer}");
}

#[tokio::test]
async fn what_is_no_json_is_32700() {
    let (_desk, _device, web) = room().await;
    let (_, answer) = web.post("/mcp/room", "{not json").await;
    assert_eq!(answer["error"]["code"], -32700, "{answer}");
}

#[tokio::test]
async fn a_message_that_names_no_version_of_json_rpc_is_32600() {
    let (_desk, _device, web) = room().await;
    let (_, answer) = web
        .post("/mcp/room", r#"{"id": 1, "method": "tools/list"}"#)
        .await;
    assert_eq!(answer["error"]["code"], -32600, "{answer}");
}

#[tokio::test]
async fn a_method_that_there_is_not_is_32601() {
    let (_desk, _device, web) = room().await;
    let answer = web.ask("tools/forget", json!({})).await;
    assert_eq!(answer["error"]["code"], -32601, "{answer}");
}

/// The protocol has -32602 for this.
#[tokio::test]
async fn a_tool_that_there_is_not_is_an_error_that_names_those_there_are() {
    let (_desk, _device, web) = room().await;
    let answer = web.call("led_get", json!({})).await;
    assert_eq!(answer["error"]["code"], -32602, "{answer}");
    assert_eq!(answer["error"]["data"]["known"], json!(TOOLS));
}

#[tokio::test]
async fn a_call_without_parameters_is_32602() {
    let (_desk, _device, web) = room().await;
    let (_, answer) = web
        .post(
            "/mcp/room",
            r#"{"jsonrpc": "2.0", "id": 1, "method": "tools/call"}"#,
        )
        .await;
    assert_eq!(answer["error"]["code"], -32602, "{answer}");
}

#[tokio::test]
async fn the_camera_answers_an_image_in_base64() {
    let (_desk, _device, web) = room().await;
    let arguments = json!({ "device_id": "main-console", "resolution": "QQVGA" });
    let answer = web.call("camera_capture", arguments).await;
    let content = answer["result"]["content"].as_array().unwrap();
    assert_eq!(content[0]["type"], "image", "{answer}");
    assert_eq!(content[0]["mimeType"], "image/jpeg");
    let file = STANDARD
        .decode(content[0]["data"].as_str().unwrap())
        .unwrap();
    assert!(file.starts_with(&[0xFF, 0xD8]));
    let text = content[1]["text"].as_str().unwrap();
    assert!(text.contains("160x120") && text.contains(&file.len().to_string()));
    let reply = &answer["result"]["structuredContent"]["reply"];
    assert_eq!(
        (&reply["width"], &reply["height"]),
        (&json!(160), &json!(120))
    );
}

#[tokio::test]
async fn the_scenario_is_advanced_to_a_step_by_the_game_master() {
    let (_desk, device, web) = room().await;
    let done = DeviceFault::Status {
        status: 200,
        body: r#"{"ok": true, "step": "step_05"}"#.into(),
        retry_after: None,
    };
    device.order_for("/api/scenario/transition", done, 1);
    let arguments = json!({
        "device_id": "main-console",
        "event_type": "manual",
        "event_name": "MANUAL_ADVANCE",
        "target_step_id": "step_05",
    });
    let answer = web.call("scenario_advance", arguments).await;
    assert!(answer["result"].is_object(), "{answer}");
    assert_eq!(
        sent(&device, "/api/scenario/transition"),
        json!({ "event_type": "manual", "event_name": "MANUAL_ADVANCE", "target": "step_05" })
    );
}

/// A registry that knows no handshake posts one call to `/mcp`, where all tools are.
#[tokio::test]
async fn a_plain_call_without_a_handshake_is_answered_at_the_path_of_all_tools() {
    let (_desk, device, web) = room().await;
    let body = r#"{"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": "led_set", "arguments": {"device_id": "main-console", "zone": "all", "color": "purple"}}}"#;
    let (status, answer) = web.post("/mcp", body).await;
    assert_eq!(status, 200);
    assert_eq!(answer["id"], 7);
    assert_eq!(
        answer["result"]["structuredContent"]["device_id"], "main-console",
        "{answer}"
    );
    assert_eq!(sent(&device, "/api/led")["color"], "purple");
    let (_, clock) = web
        .post("/mcp/clock", &body.replace("led_set", "device_status"))
        .await;
    assert_eq!(clock["result"]["isError"], true, "{clock}");
}
