//! Each tool of the room, called by a client of the protocol's own library against simulated
//! devices, and every way in which one fails.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod desk;

use std::time::Duration;

use desk::web::Web;
use desk::{Desk, connection, entry};
use regie_engine::{JournalEntry, JournalOutcome};
use regie_mcp::{CallOutcome, Toolset};
use regie_sim::room::{DeviceConfig, DeviceFault, SimulatedDevice};
use rmcp::model::{CallToolRequestParams, ClientRequest, Request};
use rmcp::service::PeerRequestOptions;
use serde_json::{Value, json};

const LED: &str = "/api/led";

fn with_device(mut arguments: Value) -> Value {
    arguments["device_id"] = json!("main-console");
    arguments
}

fn unlocked() -> Value {
    with_device(json!({ "puzzle_id": "PUZZLE_COFFRE", "state": "unlocked" }))
}

/// The example of each tool is one that works, and what it answers is as its output schema says.
#[tokio::test]
async fn the_example_of_every_tool_is_done_and_answers_as_its_schema_says() {
    let (desk, _device) = Desk::with_room().await;
    let mut connection = connection();
    connection.toolset = Toolset::Room;
    let agent = desk.agent_with(connection).await;
    for tool in agent.peer().list_all_tools().await.unwrap() {
        let schema = Value::Object((*tool.input_schema).clone());
        let arguments = &schema["examples"][0];
        jsonschema::validate(&schema, arguments).unwrap();
        let (text, answer) = agent.answered(&tool.name, arguments.clone()).await;
        assert!(!text.is_empty());
        assert_eq!(answer["device_id"], "main-console");
        let schema = Value::Object((*tool.output_schema.unwrap()).clone());
        jsonschema::validate(&schema, &answer)
            .unwrap_or_else(|error| panic!("{}: {error} in {answer}", tool.name));
    }
}

/// The sentences of a success are those of the contract; a model that reads nothing else knows
/// what was done, and where.
#[tokio::test]
async fn a_success_is_told_in_one_sentence() {
    let (desk, device) = Desk::with_room().await;
    let agent = desk.agent().await;
    for (tool, arguments, said) in [
        (
            "led_set",
            json!({ "zone": "puzzle", "color": "#00FF00", "pattern": "pulse", "brightness": 200 }),
            "LED zone 'puzzle' set to #00FF00 pulse at brightness 200 on device main-console",
        ),
        (
            "led_set",
            json!({ "zone": "all", "color": "off", "duration_ms": 1500 }),
            "LED zone 'all' set to off solid at brightness 128 for 1500 ms on device main-console",
        ),
        (
            "puzzle_set_state",
            json!({ "puzzle_id": "PUZZLE_COFFRE", "state": "unlocked" }),
            "Puzzle PUZZLE_COFFRE set to unlocked with effects on device main-console",
        ),
        (
            "audio_play",
            json!({ "source": "/audio/hint_01.mp3", "loop": true }),
            "Audio /audio/hint_01.mp3 played at volume 70 in a loop on device main-console",
        ),
        (
            "audio_play",
            json!({ "source": "/audio/hint_01.mp3", "action": "stop" }),
            "Audio /audio/hint_01.mp3 stopped on device main-console",
        ),
        (
            "scenario_advance",
            json!({ "event_type": "manual", "event_name": "MANUAL_ADVANCE", "target_step_id": "STEP_QR_DETECTOR" }),
            "Scenario event manual MANUAL_ADVANCE sent to device main-console with the step STEP_QR_DETECTOR as its target",
        ),
    ] {
        let (text, answer) = agent.answered(tool, with_device(arguments)).await;
        assert_eq!(text, said);
        let outcome = answer["outcome"].as_str().unwrap();
        assert!(["accepted", "confirmed"].contains(&outcome), "{answer}");
        assert!(answer["reply"].is_object());
    }
    assert_eq!(device.state().step.as_deref(), Some("STEP_QR_DETECTOR"));
}

/// What its state shows is confirmed, and not only accepted.
#[tokio::test]
async fn what_the_state_of_a_device_shows_is_confirmed() {
    let (desk, _device) = Desk::with_room().await;
    let agent = desk.agent().await;
    let (_, answer) = agent.answered("puzzle_set_state", unlocked()).await;
    assert_eq!(answer["outcome"], "confirmed", "{answer}");
    assert_eq!(answer["change_seen"], true);
}

/// Harmless mistakes of models are put right.
#[tokio::test]
async fn arguments_are_read_with_good_will() {
    let (desk, device) = Desk::with_room().await;
    let agent = desk.agent().await;
    let arguments = with_device(json!({
        "zone": "PUZZLE",
        "color": "00ff7b",
        "pattern": "Pulse",
        "brightness": "200",
        "duration_ms": null,
    }));
    agent.answered("led_set", arguments).await;
    let led = device.state().led;
    assert_eq!((led.rgb, led.brightness), ([0, 0xFF, 0x7B], 200));
    assert_eq!(led.pattern, "pulse");
    let arguments = with_device(json!({ "zone": "all", "color": " Red" }));
    agent.answered("led_set", arguments).await;
    assert_eq!(device.state().led.rgb, [255, 0, 0]);
    let arguments = with_device(json!({
        "event_type": "Manual",
        "event_name": "MANUAL_ADVANCE",
        "target_step_id": "STEP_QR_DETECTOR",
    }));
    agent.answered("scenario_advance", arguments).await;
    assert_eq!(device.state().step.as_deref(), Some("STEP_QR_DETECTOR"));
}

/// Every argument of every tool, missing, wrong, and far too long: each is named, nothing reaches
/// the device, and the answer stays small.
#[tokio::test]
async fn every_argument_that_is_wrong_is_refused_by_name() {
    let (desk, device) = Desk::with_room().await;
    let mut connection = connection();
    connection.toolset = Toolset::Room;
    let agent = desk.agent_with(connection).await;
    let mebibytes = "x".repeat(5 << 20);
    let kibibytes = "x".repeat(100 << 10);
    let before = device.log().len();
    for tool in agent.peer().list_all_tools().await.unwrap() {
        let schema = Value::Object((*tool.input_schema).clone());
        let example = &schema["examples"][0];
        for (name, property) in schema["properties"].as_object().unwrap() {
            // Enough for one text that is free and one that is not; they take a second each.
            let huge = match name.as_str() {
                "color" | "puzzle_id" => &mebibytes,
                _ => &kibibytes,
            };
            let wrong = match property["type"].as_str().unwrap() {
                "string" => vec![json!([]), json!({}), json!(true), json!(huge)],
                "integer" => vec![json!(-1), json!(1e300), json!(1.5), json!("x"), json!(huge)],
                "boolean" => vec![json!(2), json!("perhaps"), json!(huge)],
                other => panic!("{other}"),
            };
            let missing = schema["required"]
                .as_array()
                .unwrap()
                .contains(&json!(name))
                .then_some(Value::Null);
            for value in wrong.into_iter().chain(missing) {
                let mut arguments = example.clone();
                arguments[name] = value;
                let error = agent.erred(&tool.name, arguments).await;
                assert_eq!(error.code.0, -32602, "{}.{name}: {error:?}", tool.name);
                assert!(error.message.contains(name.as_str()), "{}", error.message);
                assert!(error.message.len() < 1000, "{}.{name}", tool.name);
                let data = error.data.unwrap();
                assert!(
                    data["detail"]
                        .as_str()
                        .is_some_and(|detail| !detail.is_empty())
                );
                assert!(data.to_string().len() < 2000, "{}.{name}", tool.name);
                if name != "device_id" {
                    assert_eq!(data["device_id"], "main-console");
                }
            }
        }
        let error = agent
            .erred(&tool.name, with_device(json!({ "devise": 1 })))
            .await;
        assert!(
            error.message.contains("did you mean \"device_id\"?"),
            "{}",
            error.message
        );
    }
    let asked = device.log();
    let asked = asked.iter().skip(before);
    assert!(
        asked.clone().all(|entry| entry.path == "/api/status"),
        "{asked:?}"
    );
}

#[tokio::test]
async fn the_nearest_valid_value_is_named() {
    let (desk, _device) = Desk::with_room().await;
    let agent = desk.agent().await;
    for (tool, arguments, said) in [
        (
            "led_set",
            json!({ "zone": "puzle", "color": "red" }),
            "The nearest is \"puzzle\".",
        ),
        (
            "led_set",
            json!({ "zone": "all", "color": "orang" }),
            "The nearest is \"orange\".",
        ),
        (
            "led_set",
            json!({ "zone": "all", "color": "red", "brightness": 300 }),
            "must be 0 to 255, not 300; the nearest is 255.",
        ),
        (
            "puzzle_set_state",
            json!({ "puzzle_id": "COFRE", "state": "unlocked" }),
            "It takes: PUZZLE_FIOLE",
        ),
        (
            "led_set",
            json!({ "zone": "all", "color": "red", "duration_ms": 90_000_000 }),
            "0 to 86400000",
        ),
    ] {
        let error = agent.erred(tool, with_device(arguments)).await;
        assert!(error.message.contains(said), "{}", error.message);
    }
}

/// A device that there is not is refused with those there are, so that a model needs no second
/// guess.
#[tokio::test]
async fn an_unknown_device_is_refused_with_those_that_are_known() {
    let (desk, _device) = Desk::with_room().await;
    let agent = desk.agent().await;
    let error = agent
        .erred("device_status", json!({ "device_id": "main-consol" }))
        .await;
    assert_eq!(error.code.0, -32602);
    assert!(
        error.message.contains("Did you mean main-console?"),
        "{}",
        error.message
    );
    let data = error.data.unwrap();
    assert_eq!(data["known"], json!(["main-console"]));
    assert_eq!(data["device_id"], "main-consol");
    assert_eq!(data["code"], "device-unknown");
}

/// Each code of the contract's table with what it carries.
#[tokio::test]
async fn every_code_of_the_contract_comes_with_its_data() {
    let (desk, device) = Desk::with_room().await;
    let agent = desk.agent().await;
    let led = || with_device(json!({ "zone": "all", "color": "red" }));
    for (fault, code, meaning) in [
        (
            DeviceFault::status(401, "unauthorized"),
            -32002,
            "Auth failed: ",
        ),
        (
            DeviceFault::status(403, "forbidden"),
            -32002,
            "Auth failed: ",
        ),
        (
            DeviceFault::status(429, "too_many_requests"),
            -32001,
            "Device busy: ",
        ),
        (
            DeviceFault::status(503, "starting"),
            -32001,
            "Device busy: ",
        ),
        (DeviceFault::status(409, "busy"), -32001, "Device busy: "),
        (
            DeviceFault::status(500, "broken"),
            -32603,
            "Internal error: ",
        ),
        (
            DeviceFault::status(200, "said no"),
            -32603,
            "Internal error: ",
        ),
        (DeviceFault::WrongType, -32603, "Internal error: "),
    ] {
        device.mend();
        device.order_for(LED, fault.clone(), 2);
        let error = agent.erred("led_set", led()).await;
        assert_eq!(error.code.0, code, "{fault:?}: {error:?}");
        assert!(error.message.starts_with(meaning), "{}", error.message);
        let data = error.data.unwrap();
        assert_eq!(data["device_id"], "main-console");
        for part in ["detail", "code", "hint"] {
            let text = data[part].as_str().unwrap();
            assert!(!text.is_empty(), "{part} of {data}");
        }
        if code == -32001 {
            assert!(data["retry_after_ms"].is_u64(), "{fault:?}: {data}");
            let wait = Duration::from_millis(data["retry_after_ms"].as_u64().unwrap());
            tokio::time::sleep(wait).await;
        }
    }
    device.mend();
    device.hold_puzzle("PUZZLE_COFFRE", true);
    let error = agent.erred("puzzle_set_state", unlocked()).await;
    assert_eq!(error.code.0, -32003, "{error:?}");
    assert!(error.message.starts_with("Puzzle state conflict: "));
}

/// The code of a token that is refused is the same for every version of the protocol.
#[tokio::test]
async fn a_refused_token_has_its_own_code_for_callers_without_a_handshake_too() {
    let (desk, device) = Desk::with_room().await;
    let web = Web::serve(&desk).await;
    let version = "2026-07-28";
    device.order_times(DeviceFault::status(401, "unauthorized"), u32::MAX);
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
        "name": "device_status",
        "arguments": { "device_id": "main-console" },
        "_meta": {
            "io.modelcontextprotocol/protocolVersion": version,
            "io.modelcontextprotocol/clientInfo": { "name": "Agent", "version": "9" },
            "io.modelcontextprotocol/clientCapabilities": {},
        },
    }});
    for accept in ["application/json", "application/json, text/event-stream"] {
        let headers = [
            ("Accept", accept),
            ("MCP-Protocol-Version", version),
            ("Mcp-Method", "tools/call"),
            ("Mcp-Name", "device_status"),
        ];
        let (status, answer) = web
            .post_with("/mcp/room", &headers, &body.to_string())
            .await;
        assert_eq!(status, 200);
        assert_eq!(answer["error"]["code"], -32002, "{answer}");
        assert_eq!(answer["error"]["data"]["device_id"], "main-console");
    }
}

/// Two changes of one puzzle against each other within a second are a conflict, and the second
/// one is told when to come back.
#[tokio::test]
async fn changes_of_a_puzzle_against_each_other_are_told_when_to_try_again() {
    let (desk, device) = Desk::with_room().await;
    let agent = desk.agent().await;
    agent.answered("puzzle_set_state", unlocked()).await;
    let locked = with_device(json!({ "puzzle_id": "PUZZLE_COFFRE", "state": "locked" }));
    let error = agent.erred("puzzle_set_state", locked.clone()).await;
    assert_eq!(error.code.0, -32003, "{error:?}");
    let data = error.data.unwrap();
    let wait = data["retry_after_ms"].as_u64().unwrap();
    assert!((1..=1100).contains(&wait), "{data}");
    tokio::time::sleep(Duration::from_millis(wait)).await;
    agent.answered("puzzle_set_state", locked).await;
    assert_eq!(device.state().puzzles["PUZZLE_COFFRE"], "locked");
}

/// What a board cannot do is said, and nothing is sent.
#[tokio::test]
async fn what_a_firmware_cannot_do_is_32602_and_says_which_part() {
    let device = SimulatedDevice::start(DeviceConfig::freenove("piano"))
        .await
        .unwrap();
    let desk = Desk::with_devices(vec![entry(&device)]).await;
    let agent = desk.agent().await;
    agent
        .answered("device_status", json!({ "device_id": "piano" }))
        .await;
    let arguments = json!({ "device_id": "piano", "puzzle_id": "PUZZLE_FIOLE", "state": "locked" });
    let error = agent.erred("puzzle_set_state", arguments).await;
    assert_eq!(error.code.0, -32602, "{error:?}");
    assert_eq!(error.data.unwrap()["code"], "device-cannot-do");
}

/// Among all tools, one status answers for both kinds of device.
#[tokio::test]
async fn the_status_among_all_tools_is_of_a_device_or_of_the_clock() {
    let (desk, _device) = Desk::with_room().await;
    let agent = desk.agent().await;
    let (_, answer) = agent
        .answered("device_status", json!({ "device_id": "main-console" }))
        .await;
    assert!(answer["reply"]["step"].is_string());
    let schema = agent.peer().list_all_tools().await.unwrap();
    let schema = schema.iter().find(|tool| tool.name == "device_status");
    let schema = Value::Object((*schema.unwrap().output_schema.clone().unwrap()).clone());
    jsonschema::validate(&schema, &answer).unwrap();
    agent.done("clear_screen", json!({})).await;
    let status = agent.done("device_status", json!({})).await;
    assert_eq!(status["link"], "connected");
    let address = desk.clock.address().to_string();
    let named = agent.done("device_status", json!({ "mac": address })).await;
    assert_eq!(named["mac"], address);
    // The list of devices calls both an id.
    let named = agent
        .done("device_status", json!({ "device_id": address }))
        .await;
    assert_eq!(named["mac"], address);
    let both = json!({ "device_id": "main-console", "mac": address });
    let error = agent.erred("device_status", both).await;
    assert_eq!(error.code.0, -32602);
    let wrong = agent.refused("device_status", json!({ "mac": [] })).await;
    assert_eq!(wrong["code"], "INVALID_PARAM");
}

#[tokio::test]
async fn the_list_of_devices_has_those_of_the_room() {
    let (desk, _device) = Desk::with_room().await;
    let agent = desk.agent().await;
    agent
        .answered("device_status", json!({ "device_id": "main-console" }))
        .await;
    // What a device answered is published in a moment.
    let answering = async {
        loop {
            let listed = agent.done("list_devices", json!({})).await;
            let devices = listed["devices"].as_array().unwrap().clone();
            let device = devices.into_iter().find(|device| device["kind"] == "room");
            match device {
                Some(device) if device["state"] != "unasked" => break device,
                _ => tokio::time::sleep(Duration::from_millis(10)).await,
            }
        }
    };
    let device = tokio::time::timeout(Duration::from_secs(5), answering)
        .await
        .expect("the device is listed as it answers");
    assert_eq!(device["id"], "main-console");
    assert_eq!(device["room"], "Salle 1");
    assert_eq!(device["state"], "answering");
    assert!(device["age_seconds"].as_u64().unwrap() < 60);
    assert_eq!(device["simulated"], true);
}

/// The entries of the journal that are of the room's LEDs.
async fn journal(desk: &Desk) -> Vec<JournalEntry> {
    // Calls are gathered for a moment before they are written.
    tokio::time::sleep(Duration::from_millis(500)).await;
    let entries = desk.engine.journal(50).await.unwrap();
    let of_leds = |entry: &JournalEntry| format!("{entry:?}").contains("led");
    entries.into_iter().filter(of_leds).collect()
}

/// JRN: one call is one entry, whether it was done or not, and both the record of calls and the
/// journal say why it was not.
#[tokio::test]
async fn a_call_is_journalled_once_and_a_failed_one_says_why() {
    let (desk, device) = Desk::with_room().await;
    let agent = desk.agent().await;
    let led = with_device(json!({ "zone": "all", "color": "red" }));
    agent.answered("led_set", led.clone()).await;
    let entries = journal(&desk).await;
    assert_eq!(entries.len(), 1, "{entries:?}");
    assert_eq!(entries[0].outcome, JournalOutcome::Done);

    device.order_for(LED, DeviceFault::status(500, "broken"), 2);
    let error = agent.erred("led_set", led).await;
    let entries = journal(&desk).await;
    assert_eq!(entries.len(), 2, "{entries:?}");
    let newest = &entries[0];
    assert_eq!(newest.outcome, JournalOutcome::Failed, "{newest:?}");
    let detail = error.data.unwrap()["detail"].as_str().unwrap().to_owned();
    let fault = newest.fault.as_ref().map(|fault| fault.message.clone());
    assert_eq!(fault.as_deref(), Some(detail.as_str()));

    let record = desk.host.agents().borrow().calls.clone();
    assert_eq!(record[0].outcome, CallOutcome::Failed);
    assert_eq!(record[0].code.as_deref(), Some("-32603"));
    assert_eq!(record[0].summary, detail);

    let error = agent.erred("led_set", with_device(json!({}))).await;
    let entries = journal(&desk).await;
    assert_eq!(entries.len(), 3, "{entries:?}");
    let record = desk.host.agents().borrow().calls.clone();
    assert_eq!(record[0].code.as_deref(), Some("-32602"));
    assert!(error.message.contains(&record[0].summary));
}

/// A call that its caller ends is over at once; what was sent stays sent, and the record says that
/// the caller ended it.
#[tokio::test]
async fn a_cancelled_call_ends_and_what_was_sent_is_not_undone() {
    let (desk, device) = Desk::with_room().await;
    let agent = desk.agent().await;
    device.order_for(LED, DeviceFault::Slow(Duration::from_secs(4)), 1);
    let Value::Object(arguments) = with_device(json!({ "zone": "all", "color": "red" })) else {
        unreachable!()
    };
    let params = CallToolRequestParams::new("led_set").with_arguments(arguments);
    let request = ClientRequest::CallToolRequest(Request::new(params));
    let handle = agent
        .peer()
        .send_cancellable_request(request, PeerRequestOptions::no_options())
        .await
        .unwrap();
    let sent = async {
        while device.state().led.rgb != [255, 0, 0] {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(3), sent)
        .await
        .expect("the device is asked");
    handle.cancel(None).await.unwrap();
    let mut agents = desk.host.agents();
    let ended = agents.wait_for(|state| state.calls[0].outcome != CallOutcome::Running);
    let record = tokio::time::timeout(Duration::from_secs(1), ended)
        .await
        .expect("the call ends at once")
        .unwrap()
        .calls[0]
        .clone();
    assert_eq!(record.outcome, CallOutcome::Cancelled);
    assert_eq!(device.state().led.rgb, [255, 0, 0]);
}
