//! A simulated Freenove all-in-one: its gates, and answers that promise more than they keep.

mod room_common;

use std::time::Duration;

use regie_sim::room::{DeviceConfig, DeviceFirmware, FreenoveConfig, SimulatedDevice};
use room_common::{Answer, get, post, send};
use serde_json::{Value, json};
use tokio::time::sleep;

type Tested = Result<(), Box<dyn std::error::Error>>;

/// Longer than between two writes.
const PAUSE: Duration = Duration::from_millis(110);

async fn device(config: FreenoveConfig) -> std::io::Result<SimulatedDevice> {
    SimulatedDevice::start(DeviceConfig::new("piano", DeviceFirmware::Freenove(config))).await
}

/// Writes after the pause that the device asks for.
async fn write(device: &SimulatedDevice, path: &str, body: &Value) -> std::io::Result<Answer> {
    sleep(PAUSE).await;
    post(device, path, &body.to_string()).await
}

async fn control(device: &SimulatedDevice, action: &str) -> std::io::Result<Answer> {
    write(device, "/api/control", &json!({ "action": action })).await
}

async fn status(device: &SimulatedDevice) -> std::io::Result<Value> {
    Ok(get(device, "/api/status").await?.json())
}

#[tokio::test]
async fn gates_are_passed_in_the_firmwares_order() -> Tested {
    let setup = FreenoveConfig {
        setup_mode: true,
        web_token: None,
        ..FreenoveConfig::default()
    };
    let answer = get(&device(setup).await?, "/api/status").await?;
    assert_eq!(
        (answer.status, answer.json()["error"].as_str()),
        (403, Some("setup_mode_restricted"))
    );

    let tokenless = FreenoveConfig {
        web_token: None,
        ..FreenoveConfig::default()
    };
    let answer = get(&device(tokenless).await?, "/api/status").await?;
    assert_eq!(
        (answer.status, answer.json()["error"].as_str()),
        (503, Some("auth_token_missing"))
    );

    let reading_only = device(FreenoveConfig::reading_only()).await?;
    let answer = send(
        reading_only.address(),
        "GET",
        "/api/status",
        Some("Bearer x"),
        "",
    )
    .await?;
    assert_eq!(
        (answer.status, answer.json()),
        (401, json!({ "ok": false, "error": "unauthorized" }))
    );
    assert_eq!(get(&reading_only, "/api/status").await?.status, 200);
    // Twice without a pause: the limiter comes after the second token.
    for _ in 0..2 {
        let answer = post(&reading_only, "/api/scenario/next", "").await?;
        assert_eq!(
            (answer.status, answer.json()),
            (401, json!({ "error": "unauthorized" }))
        );
    }
    Ok(())
}

#[tokio::test]
async fn two_writes_within_a_tenth_of_a_second_are_one_too_many_on_any_routes() -> Tested {
    let device = device(FreenoveConfig::default()).await?;
    // A busy machine may put more than that between two requests that follow one another.
    let mut refused = None;
    for _ in 0..10 {
        let led = r#"{"r":1,"g":2,"b":3}"#;
        write(&device, "/api/hardware/led", &serde_json::from_str(led)?).await?;
        let answer = post(&device, "/api/media/play", r#"{"path":"sonar_hint.mp3"}"#).await?;
        if let [.., first, second] = device.log().as_slice()
            && second.at - first.at < Duration::from_millis(100)
        {
            refused = Some(answer);
            break;
        }
    }
    let refused = refused.ok_or("never two writes in a row")?;
    assert_eq!(
        (refused.status, refused.json()),
        (429, json!({ "error": "too_many_requests" }))
    );
    assert!(!refused.head.contains("Retry-After"));
    // Reading is never limited.
    for _ in 0..3 {
        assert_eq!(get(&device, "/api/status").await?.status, 200);
    }
    let played = write(
        &device,
        "/api/media/play",
        &json!({ "path": "sonar_hint.mp3" }),
    )
    .await?;
    assert_eq!(played.json(), json!({ "action": "MEDIA_PLAY", "ok": true }));
    assert_eq!(
        status(&device).await?["audio"]["track"],
        "/music/sonar_hint.mp3"
    );
    Ok(())
}

#[tokio::test]
async fn colours_are_cut_to_eight_bits_and_brightness_is_clamped() -> Tested {
    let device = device(FreenoveConfig::default()).await?;
    let body = json!({ "r": 256, "g": -1, "b": 40, "brightness": 900, "pulse": false });
    write(&device, "/api/hardware/led", &body).await?;
    let state = device.state();
    assert_eq!((state.led.rgb, state.led.brightness), ([0, 255, 40], 255));
    assert_eq!(state.led.pattern, "solid");
    // A form does as well, and what it does not say is as the firmware has it.
    sleep(PAUSE).await;
    post(&device, "/api/hardware/led?r=9&g=8&b=7", "").await?;
    let led = device.state().led;
    assert_eq!(
        (led.rgb, led.brightness, led.pattern.as_str()),
        ([9, 8, 7], 36, "pulse")
    );
    assert_eq!(status(&device).await?["hardware"]["led_manual"], true);
    write(
        &device,
        "/api/hardware/led/auto",
        &json!({ "enabled": true }),
    )
    .await?;
    assert_eq!(device.state().led.rgb, [245, 205, 62], "the scene's colour");
    Ok(())
}

#[tokio::test]
async fn ok_is_said_of_unlocks_that_change_nothing() -> Tested {
    let device = device(FreenoveConfig::default()).await?;
    for _ in 0..2 {
        let answer = control(&device, "SC_EVENT unlock UNLOCK_COFFRE").await?;
        assert_eq!(answer.json()["ok"], true);
        assert_eq!(device.state().step.as_deref(), Some("RTC_ESP_ETAPE1"));
    }
    let answer = write(&device, "/api/scenario/unlock", &json!({})).await?;
    assert_eq!(answer.json(), json!({ "action": "UNLOCK", "ok": true }));
    assert_eq!(device.state().step.as_deref(), Some("RTC_ESP_ETAPE1"));

    let boot = FreenoveConfig {
        scenario_loaded: false,
        ..FreenoveConfig::default()
    };
    let boot =
        SimulatedDevice::start(DeviceConfig::new("boot", DeviceFirmware::Freenove(boot))).await?;
    assert_eq!(status(&boot).await?["story"]["step"], "n/a");
    assert_eq!(control(&boot, "UNLOCK").await?.json()["ok"], true);
    assert_eq!(status(&boot).await?["story"]["step"], "n/a");
    Ok(())
}

#[tokio::test]
async fn an_unlock_by_a_wrong_name_counts_as_a_plain_one() -> Tested {
    let device = device(FreenoveConfig::default()).await?;
    control(&device, "SCENE_GOTO SCENE_FINAL_WIN").await?;
    control(&device, "SC_EVENT unlock UNLOCK_NOTHING").await?;
    assert_eq!(device.state().step.as_deref(), Some("STEP_MEDIA_MANAGER"));
    Ok(())
}

#[tokio::test]
async fn other_events_are_ok_only_where_a_transition_takes_them() -> Tested {
    let device = device(FreenoveConfig::default()).await?;
    assert_eq!(
        control(&device, "SC_EVENT serial BTN_NEXT").await?.status,
        400
    );
    assert_eq!(
        control(&device, "SC_EVENT audio_done AUDIO_DONE")
            .await?
            .status,
        200
    );
    let manual = control(&device, "SC_EVENT manual GO").await?;
    assert_eq!(
        (manual.status, &manual.json()["error"]),
        (400, &Value::Null)
    );
    assert_eq!(control(&device, "SC_EVENT btn ANYTHING").await?.status, 200);
    assert_eq!(device.state().step.as_deref(), Some("WIN_ETAPE1"));
    Ok(())
}

#[tokio::test]
async fn a_jump_takes_scenes_and_may_change_only_the_screen() -> Tested {
    let device = device(FreenoveConfig::default()).await?;
    assert_eq!(
        control(&device, "SCENE_GOTO").await?.json()["error"],
        "scene_goto_arg"
    );
    // Ids of steps are none of scenes.
    assert_eq!(
        control(&device, "SCENE_GOTO STEP_WARNING").await?.json()["error"],
        "scene_not_found"
    );
    assert_eq!(
        control(&device, "SCENE_GOTO SCENE_WARNING").await?.json()["ok"],
        true
    );
    assert_eq!(device.state().step.as_deref(), Some("STEP_WARNING"));
    assert_eq!(
        control(&device, "SCENE_GOTO SCENE_LOCKED").await?.json()["ok"],
        true
    );
    let story = status(&device).await?["story"].clone();
    assert_eq!(
        (&story["step"], &story["screen"]),
        (&json!("STEP_WARNING"), &json!("SCENE_LOCKED"))
    );
    Ok(())
}

#[tokio::test]
async fn while_it_listens_for_a_tone_unlock_and_next_are_refused() -> Tested {
    let device = device(FreenoveConfig::default()).await?;
    control(&device, "SCENE_GOTO SCENE_LA_DETECTOR").await?;
    assert_eq!(
        write(&device, "/api/scenario/unlock", &json!({}))
            .await?
            .status,
        400
    );
    assert_eq!(
        write(&device, "/api/scenario/next", &json!({}))
            .await?
            .status,
        400
    );
    assert_eq!(control(&device, "SC_EVENT unlock ANY").await?.status, 200);
    assert_eq!(device.state().step.as_deref(), Some("SCENE_LA_DETECTOR"));
    Ok(())
}

#[tokio::test]
async fn an_action_has_at_most_64_characters() -> Tested {
    let device = device(FreenoveConfig::default()).await?;
    let long = format!("SC_EVENT unlock {}", "X".repeat(49));
    let answer = control(&device, &long).await?;
    assert_eq!(
        (answer.status, answer.json()),
        (400, json!({ "error": "invalid_input" }))
    );
    assert_eq!(control(&device, &long[..64]).await?.status, 200);
    Ok(())
}

#[tokio::test]
async fn volume_is_set_through_the_app_on_a_scale_of_21() -> Tested {
    let device = device(FreenoveConfig::default()).await?;
    let set = json!({ "action": "set_volume", "payload": "70" });
    assert_eq!(
        write(&device, "/api/apps/action", &set).await?.json()["error"],
        "no_app_running"
    );
    let unknown = write(&device, "/api/apps/open", &json!({ "id": "moon" })).await?;
    assert_eq!(
        (unknown.status, &unknown.json()["error"]),
        (409, &json!("app_not_found"))
    );
    write(&device, "/api/apps/open", &json!({ "id": "audio_player" })).await?;
    assert_eq!(
        write(&device, "/api/apps/action", &set).await?.json()["ok"],
        true
    );
    assert_eq!(status(&device).await?["audio"]["volume"], 21);
    let set = json!({ "action": "set_volume", "payload": "7" });
    write(&device, "/api/apps/action", &set).await?;
    assert_eq!(status(&device).await?["audio"]["volume"], 7);
    // A failure that only the last error shows.
    let play = json!({ "action": "play", "payload": "/music/none.mp3" });
    assert_eq!(
        write(&device, "/api/apps/action", &play).await?.json()["ok"],
        true
    );
    let runtime = get(&device, "/api/apps/status").await?.json()["runtime"].clone();
    assert_eq!(runtime["last_error"], "action_failed");
    assert!(runtime["heap_free"].is_u64());
    Ok(())
}

#[tokio::test]
async fn the_camera_needs_its_profile_and_a_rest() -> Tested {
    let device = device(FreenoveConfig::default()).await?;
    let blocked = json!({ "ok": false, "error": "camera_blocked_by_resource_profile" });
    let answer = get(&device, "/api/camera/snapshot.jpg").await?;
    assert_eq!(
        (answer.status, answer.json()),
        (429, blocked.clone()),
        "in a WIN_ETAPE scene"
    );
    control(&device, "RESOURCE_PROFILE gfx_plus_cam_snapshot").await?;
    let picture = get(&device, "/api/camera/snapshot.jpg").await?;
    assert_eq!(picture.status, 200);
    assert!(picture.body.starts_with(&[0xFF, 0xD8]));
    let answer = get(&device, "/api/camera/snapshot.jpg").await?;
    assert_eq!((answer.status, answer.json()), (429, blocked));
    sleep(Duration::from_millis(910)).await;
    assert_eq!(get(&device, "/api/camera/snapshot.jpg").await?.status, 200);
    let resource = status(&device).await?["resource"].clone();
    assert_eq!(
        (
            &resource["camera_allowed_ops"],
            &resource["camera_blocked_ops"]
        ),
        (&json!(2), &json!(2))
    );
    Ok(())
}

#[tokio::test]
async fn a_status_that_overflows_lacks_its_end_and_has_garbage_in_it() -> Tested {
    let device = device(FreenoveConfig {
        overflows: true,
        ..FreenoveConfig::default()
    })
    .await?;
    let answer = get(&device, "/api/status").await?;
    assert!(std::str::from_utf8(&answer.body).is_err());
    let status: Value = serde_json::from_str(&answer.text())?;
    assert_eq!(status["story"]["step"], "RTC_ESP_ETAPE1");
    assert!(status["media"].is_object());
    assert_eq!(
        (&status["apps"], &status["resource"]),
        (&Value::Null, &Value::Null)
    );
    assert_eq!(
        (&status["uptime"], &status["free_heap"]),
        (&Value::Null, &Value::Null)
    );
    let whole = FreenoveConfig::default();
    let whole =
        SimulatedDevice::start(DeviceConfig::new("w", DeviceFirmware::Freenove(whole))).await?;
    let whole = get(&whole, "/api/status").await?.json();
    assert_eq!(whole.as_object().map(serde_json::Map::len), Some(10));
    assert_eq!(whole["resource"]["profile"], "gfx_focus");
    Ok(())
}

fn envelope(number: u32, command: &str, args: &Value) -> Value {
    json!({ "payload": {
        "msg_id": format!("zk-{number}"), "seq": number, "type": "command", "ack": true,
        "payload": { "cmd": command, "args": args },
    }})
}

#[tokio::test]
async fn what_is_relayed_all_boards_hear_and_only_the_last_answer_shows() -> Tested {
    let nodes = vec!["lantern".to_owned(), "chest".to_owned()];
    let device = device(FreenoveConfig {
        nodes,
        ..FreenoveConfig::default()
    })
    .await?;
    let args = json!({ "event_type": "button", "event_name": "ANY" });
    let sent = write(
        &device,
        "/api/network/espnow/send",
        &envelope(17, "SC_EVENT", &args),
    )
    .await?;
    assert_eq!(sent.json(), json!({ "action": "ESPNOW_SEND", "ok": true }));
    assert!(
        device
            .nodes()
            .iter()
            .all(|node| node.step.as_deref() == Some("WIN_ETAPE1"))
    );
    assert_eq!(
        device.state().step.as_deref(),
        Some("RTC_ESP_ETAPE1"),
        "it does not hear itself"
    );
    sleep(Duration::from_millis(60)).await;
    let espnow = get(&device, "/api/network/espnow").await?.json();
    assert_eq!(
        (&espnow["last_type"], &espnow["last_msg_id"]),
        (&json!("ack"), &json!("zk-17"))
    );
    assert_eq!(
        (&espnow["rx_count"], &espnow["tx_ok"]),
        (&json!(2), &json!(1))
    );
    assert!(
        espnow["last_payload"]
            .as_str()
            .is_some_and(|text| text.contains("\"ok\":true"))
    );

    device.deafen("chest", true);
    let led = json!({ "r": 1, "g": 2, "b": 3, "brightness": 50, "pulse": 0 });
    write(
        &device,
        "/api/network/espnow/send",
        &envelope(18, "HW_LED_SET", &led),
    )
    .await?;
    let rgb: Vec<_> = device.nodes().iter().map(|node| node.led.rgb).collect();
    assert_eq!(rgb, [[1, 2, 3], [245, 205, 62]]);
    Ok(())
}

#[tokio::test]
async fn what_is_too_long_for_the_radio_is_accepted_and_not_heard_or_refused() -> Tested {
    let device = device(FreenoveConfig {
        nodes: vec!["lantern".to_owned()],
        ..FreenoveConfig::default()
    })
    .await?;
    let args = json!({ "event_type": "unlock", "event_name": "X".repeat(90) });
    let sent = write(
        &device,
        "/api/network/espnow/send",
        &envelope(1, "SC_EVENT", &args),
    )
    .await?;
    assert_eq!(sent.status, 200);
    let args = json!({ "event_type": "unlock", "event_name": "X".repeat(200) });
    let sent = write(
        &device,
        "/api/network/espnow/send",
        &envelope(2, "SC_EVENT", &args),
    )
    .await?;
    assert_eq!(sent.status, 400);
    // A text goes out with its quotes, and is no command.
    let text = envelope(3, "NEXT", &json!({}))["payload"].to_string();
    write(
        &device,
        "/api/network/espnow/send",
        &json!({ "payload": text }),
    )
    .await?;
    sleep(Duration::from_millis(40)).await;
    assert!(device.nodes()[0].heard.is_empty());
    let espnow = get(&device, "/api/network/espnow").await?.json();
    assert_eq!(
        (&espnow["tx_ok"], &espnow["rx_count"]),
        (&json!(2), &json!(0))
    );
    Ok(())
}

#[tokio::test]
async fn with_nobody_listening_sending_fails_only_in_a_counter() -> Tested {
    let device = device(FreenoveConfig::default()).await?;
    let sent = write(
        &device,
        "/api/espnow/send",
        &envelope(1, "NEXT", &json!({})),
    )
    .await?;
    assert_eq!(sent.json()["ok"], true);
    assert_eq!(
        get(&device, "/api/network/espnow").await?.json()["tx_fail"],
        1
    );
    Ok(())
}

#[tokio::test]
async fn unknown_paths_and_wrong_methods_are_not_found() -> Tested {
    let device = device(FreenoveConfig::default()).await?;
    for (method, path) in [
        ("GET", "/api/led"),
        ("PUT", "/api/status"),
        ("GET", "/health"),
    ] {
        let authorization = room_common::authorization(&device);
        let answer = send(device.address(), method, path, authorization.as_deref(), "").await?;
        assert_eq!(
            (answer.status, answer.json()["error"].as_str()),
            (404, Some("not_found")),
            "{path}"
        );
    }
    assert_eq!(write(&device, "/api/led", &json!({})).await?.status, 404);
    Ok(())
}
