//! Each tool, called by a client of the protocol's own library against a simulated clock.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod desk;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use desk::{Desk, connection, object, png};
use regie_clock::Unavailable;
use regie_engine::Reach;
use regie_mcp::Toolset;
use regie_sim::{Fault, Moment, Timing, WriteFault};
use rmcp::model::{ClientRequest, CustomRequest};
use rmcp::service::ServiceError;
use serde_json::{Value, json};

#[tokio::test]
async fn the_clock_is_found_and_its_status_is_told() {
    let desk = Desk::new().await;
    let agent = desk.agent().await;
    let heard = agent.done("scan_devices", json!({ "timeout": 0.2 })).await;
    let address = desk.clock.address().to_string();
    assert_eq!(heard["devices"][0]["address"], address);
    let status = agent.done("device_status", json!({})).await;
    assert_eq!(status["connected"], false);
    assert_eq!(status["link"], "asleep");
    agent.done("clear_screen", json!({ "mac": address })).await;
    let status = agent.done("device_status", json!({ "mac": address })).await;
    assert_eq!(status["connected"], true);
    assert_eq!(status["mac"], address);
    let listed = agent.done("list_devices", json!({})).await;
    assert_eq!(listed["devices"][0]["id"], address);
}

const OF_THE_ROOM: [&str; 5] = [
    "audio_play",
    "camera_capture",
    "led_set",
    "puzzle_set_state",
    "scenario_advance",
];

/// The example of each tool is one that works, and what it answers is as its output schema says.
#[tokio::test]
async fn the_example_of_every_tool_is_done_and_answers_as_its_schema_says() {
    let desk = Desk::new().await;
    let agent = desk.agent().await;
    let tools = agent.peer().list_all_tools().await.unwrap();
    // Those of the room are called where there is a room.
    let of_the_room = |name: &str| OF_THE_ROOM.contains(&name);
    for tool in tools.into_iter().filter(|tool| !of_the_room(&tool.name)) {
        let schema = Value::Object((*tool.input_schema).clone());
        let arguments = &schema["examples"][0];
        jsonschema::validate(&schema, arguments).unwrap();
        let mut arguments = arguments.clone();
        if arguments.get("source").is_some() {
            arguments["source"] = json!(desk.picture());
        }
        let result = agent.call(&tool.name, arguments).await;
        let answer = object(&tool.name, &result);
        assert_eq!(answer["ok"], true, "{}: {answer}", tool.name);
        let schema = Value::Object((*tool.output_schema.unwrap()).clone());
        jsonschema::validate(&schema, &answer)
            .unwrap_or_else(|error| panic!("{}: {error} in {answer}", tool.name));
    }
}

#[tokio::test]
async fn what_is_called_happens_on_the_clock() {
    let desk = Desk::new().await;
    let agent = desk.agent().await;
    agent.done("set_time", json!({ "tz": 8.0 })).await;
    let shown = agent
        .done("set_mode", json!({ "mode": "Calendar-1" }))
        .await;
    assert_eq!(shown["mode"], "calendar1");
    agent.done("toggle", json!({ "name": "invert" })).await;
    assert!(desk.clock.is_inverted());
    let hours = json!({ "on": "true", "start_h": "23", "end_h": 7.0 });
    agent.done("set_sleep", hours).await;
    assert_eq!(desk.clock.quiet_hours(), Some((23, 7)));
    let data = json!({ "date": "2099-12-24", "prefix": "Xmas", "mode": null });
    agent.done("countdown", data).await;
    assert!(desk.clock.countdown().is_some());
    agent.done("countdown_off", json!({})).await;
    assert!(desk.clock.countdown().is_none());
}

/// IO-11: a path, base64 and a data URI are told apart; what is answered is what the design says.
#[tokio::test]
async fn a_picture_comes_as_path_as_base64_or_as_data_uri() {
    let desk = Desk::new().await;
    let agent = desk.agent().await;
    let encoded = STANDARD.encode(desk::picture());
    for source in [
        desk.picture(),
        encoded.clone(),
        format!("data:image/png;base64,{encoded}"),
    ] {
        let data = agent
            .done("upload_image", json!({ "source": source, "slot": 2 }))
            .await;
        assert_eq!(data["bytes_bw"], 15_000);
        assert_eq!(data["bytes_red"], 15_000);
        assert_eq!(data["small"], false);
        assert_eq!(data["slot"], 2);
        assert!(data["duration_ms"].is_u64());
    }
    let status = agent.done("device_status", json!({})).await;
    assert_eq!(status["shown_slot"], 2);
}

/// The design writes the adjustments as keyword arguments; an object holds them too.
#[tokio::test]
async fn adjustments_are_taken_within_their_object_and_beside_it() {
    let desk = Desk::new().await;
    let agent = desk.agent().await;
    let source = desk.picture();
    let mut seen = Vec::new();
    for arguments in [
        json!({ "source": source, "adjust": { "size": "small", "rotate": 90 } }),
        json!({ "source": source, "size": "small", "rotate": "90" }),
        json!({ "source": source, "adjust": "{\"size\": \"small\"}", "rotate": 90 }),
    ] {
        let result = agent.call("preview_image", arguments).await;
        let answer = object("preview_image", &result);
        assert_eq!(answer["data"]["width"], 280, "{answer}");
        seen.push(result.content[1].as_image().unwrap().data.clone());
    }
    assert!(seen.iter().all(|png| *png == seen[0]));
    let twice = json!({ "source": source, "adjust": { "rotate": 90 }, "rotate": 180 });
    let error = agent.refused("preview_image", twice).await;
    assert_eq!(error["code"], "INVALID_PARAM");
}

/// IO-10: the right type and padded base64; and never more than a client takes.
#[tokio::test]
async fn the_preview_of_the_noisiest_picture_is_64_kb_or_less() {
    let desk = Desk::new().await;
    let agent = desk.agent().await;
    let mut noise = 0x2545_f491_4f6c_dd1d_u64;
    let pixels: Vec<u8> = (0..400 * 300 * 3)
        .map(|_| {
            noise ^= noise << 13;
            noise ^= noise >> 7;
            noise ^= noise << 17;
            noise.to_le_bytes()[0]
        })
        .collect();
    let path = desk.folder.path().join("noise.png");
    std::fs::write(&path, png(400, 300, &pixels)).unwrap();
    for algo in ["none", "atkinson", "floyd-steinberg", "blue-noise"] {
        let arguments = json!({ "source": path, "algo": algo });
        let result = agent.call("preview_image", arguments).await;
        let image = result.content[1].as_image().unwrap();
        assert_eq!(image.mime_type, "image/png");
        let bytes = STANDARD.decode(&image.data).unwrap();
        assert!(bytes.starts_with(b"\x89PNG"));
        assert!(image.data.len() <= 64_000, "{algo}: {}", image.data.len());
    }
    assert_eq!(desk.clock.links_made(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_clock_that_is_not_heard_is_device_not_found() {
    let desk = Desk::with_clocks(Timing::realistic(), false).await;
    let error = desk.agent().await.refused("clear_screen", json!({})).await;
    assert_eq!(error["code"], "DEVICE_NOT_FOUND");
    assert!(error["hint"].as_str().unwrap().contains("sleep"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn a_clock_that_refuses_connections_is_connect_timeout() {
    let desk = Desk::with(Timing::realistic()).await;
    desk.clock.order_times(Fault::ConnectFails, 6);
    let agent = desk.agent().await;
    let error = agent.refused("clear_screen", json!({})).await;
    assert_eq!(error["code"], "CONNECT_TIMEOUT");
    agent.done("clear_screen", json!({})).await;
}

#[tokio::test(start_paused = true)]
async fn a_radio_that_is_off_is_ble_error() {
    let desk = Desk::with(Timing::realistic()).await;
    desk.adapter
        .set_unavailable(Some(Unavailable::ServiceMissing));
    let error = desk.agent().await.refused("clear_screen", json!({})).await;
    assert_eq!(error["code"], "BLE_ERROR");
}

// Not in paused time, which would pass while the picture is read on a thread of its own.
#[tokio::test]
async fn a_link_lost_again_and_again_is_device_disconnected() {
    let desk = Desk::new().await;
    let lost = Fault::Write {
        at: Moment::Percent(50),
        how: WriteFault::LostBefore,
    };
    desk.clock.order_times(lost, 2);
    let arguments = json!({ "source": desk.picture() });
    let error = desk.agent().await.refused("upload_image", arguments).await;
    assert_eq!(error["code"], "DEVICE_DISCONNECTED");
}

#[tokio::test]
async fn an_engine_that_was_stopped_is_internal() {
    let desk = Desk::new().await;
    let agent = desk.agent().await;
    desk.engine.stop().await;
    let error = agent.refused("clear_screen", json!({})).await;
    assert_eq!(error["code"], "INTERNAL");
}

/// From another computer, no path of this one is opened.
#[tokio::test]
async fn a_caller_on_the_network_sends_pictures_and_no_paths() {
    let desk = Desk::new().await;
    let mut connection = connection();
    connection.reach = Reach::ThisNetwork;
    let agent = desk.agent_with(connection).await;
    let path = json!({ "source": desk.picture() });
    let error = agent.refused("preview_image", path).await;
    assert_eq!(error["code"], "INVALID_PARAM");
    let encoded = json!({ "source": STANDARD.encode(desk::picture()) });
    agent.done("preview_image", encoded).await;
}

#[tokio::test]
async fn arguments_that_are_wrong_are_named_with_the_nearest_that_is_valid() {
    let desk = Desk::new().await;
    let agent = desk.agent().await;
    let source = "/none.png";
    for (tool, arguments, said) in [
        (
            "upload_image",
            json!({ "source": source, "algorithm": "best" }),
            "\"algorithm\" is no argument of upload_image; did you mean \"algo\"?",
        ),
        (
            "upload_image",
            json!({ "source": source, "algo": "atkinsen" }),
            "The nearest is \"atkinson\".",
        ),
        (
            "upload_image",
            json!({ "source": source, "slot": 7 }),
            "\"slot\" of upload_image must be 0 to 3, not 7; the nearest is 3.",
        ),
        (
            "upload_image",
            json!({ "source": source, "adjust": { "contrast": 101 } }),
            "\"contrast\" of adjust of upload_image must be -100 to 100",
        ),
        (
            "upload_image",
            json!({ "source": source, "rotate": 100 }),
            "the nearest is 90.",
        ),
        (
            "upload_image",
            json!({}),
            "\"source\" of upload_image is missing.",
        ),
        (
            "set_mode",
            json!({ "mode": "clok1" }),
            "The nearest is \"clock1\".",
        ),
        (
            "set_sleep",
            json!({ "on": 5, "start_h": 1, "end_h": 2 }),
            "must be true or false, not 5.",
        ),
        (
            "set_sleep",
            json!({ "on": true, "start_h": 1.5, "end_h": 2 }),
            "must be a whole number, not 1.5.",
        ),
        ("set_time", json!({ "tz": "Mars/Base" }), "Mars/Base"),
        ("raw_send", json!({ "data_hex": "E" }), "hexadecimal"),
        ("countdown", json!({ "date": "2026-02-30" }), "2026-02-30"),
        (
            "render_template",
            json!({ "name": "qr", "payload": [] }),
            "must be an object",
        ),
        (
            "scan_devices",
            json!({ "timeout": 0 }),
            "must be 0.1 to 120",
        ),
    ] {
        let error = agent.refused(tool, arguments).await;
        assert_eq!(error["code"], "INVALID_PARAM", "{tool}: {error}");
        let message = error["message"].as_str().unwrap();
        assert!(message.contains(said), "{tool}: {message}");
    }
    assert_eq!(desk.clock.links_made(), 0);
}

/// A call that names no tool, or whose arguments are no object, is an error of the protocol.
#[tokio::test]
async fn a_call_that_is_none_is_told_as_such() {
    let desk = Desk::new().await;
    let mut connection = connection();
    connection.toolset = Toolset::Clock;
    let agent = desk.agent_with(connection).await;
    for (method, params, code, said) in [
        (
            "tools/call",
            json!({ "name": "uplod_image" }),
            -32602,
            "Did you mean upload_image?",
        ),
        (
            "tools/call",
            json!({ "name": "preview_image" }),
            -32602,
            "no tool",
        ),
        (
            "tools/call",
            json!({ "arguments": {} }),
            -32602,
            "\"name\" is missing",
        ),
        (
            "tools/call",
            json!({ "name": "toggle", "arguments": [1] }),
            -32602,
            "\"arguments\" must be an object.",
        ),
        ("tools/cal", json!({}), -32601, "no method"),
    ] {
        let request = CustomRequest::new(method, Some(params));
        let sent = agent
            .peer()
            .send_request(ClientRequest::CustomRequest(request));
        match sent.await {
            Err(ServiceError::McpError(error)) => {
                assert_eq!(error.code.0, code, "{error:?}");
                assert!(error.message.contains(said), "{error:?}");
            }
            other => panic!("{method}: {other:?}"),
        }
    }
}

/// What a caller sends, however long, comes back neither in an answer nor in the journal.
#[tokio::test]
async fn an_argument_of_any_length_is_refused_in_few_words() {
    let desk = Desk::new().await;
    let agent = desk.agent().await;
    let long = "x".repeat(5_000_000);
    let tools = agent.peer().list_all_tools().await.unwrap();
    // Those of the room, and the status of a device of it, have a contract of their own.
    let of_the_room = |name: &str| OF_THE_ROOM.contains(&name);
    for tool in tools.into_iter().filter(|tool| !of_the_room(&tool.name)) {
        for (name, property) in tool.input_schema["properties"].as_object().unwrap() {
            if property["type"] != "string" || name == "source" || name == "device_id" {
                continue;
            }
            let mut arguments = tool.input_schema["examples"][0].clone();
            arguments[name] = json!(long);
            let error = agent.refused(&tool.name, arguments).await;
            assert_eq!(error["code"], "INVALID_PARAM", "{} {name}", tool.name);
            let length = error.to_string().len();
            assert!(length < 1500, "{} {name}: {length}", tool.name);
        }
    }
    let order = regie_engine::Order {
        clock: Some(long),
        ..regie_engine::Door::Agent.into()
    };
    let refused = desk.engine.clear(order).await.unwrap_err().to_string();
    assert!(refused.len() < 300, "{}", refused.len());
}
