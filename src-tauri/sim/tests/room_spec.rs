//! A simulated device with the contract's routes.

mod room_common;

use std::time::Duration;

use regie_sim::room::{DeviceConfig, SimulatedDevice};
use room_common::{get, post, send};
use serde_json::json;

type Tested = Result<(), Box<dyn std::error::Error>>;

async fn device() -> std::io::Result<SimulatedDevice> {
    SimulatedDevice::start(DeviceConfig::spec("zacus-main")).await
}

#[tokio::test]
async fn its_status_has_what_the_contract_names_at_the_top() -> Tested {
    let device = device().await?;
    let status = get(&device, "/api/status").await?;
    assert_eq!(status.status, 200);
    let status = status.json();
    assert_eq!(status["id"], "zacus-main");
    assert_eq!(status["version"], "3.1");
    assert_eq!(status["step"], "STEP_U_SON_PROTO");
    let uptime = status["uptime"].as_u64();
    assert!((Some(3600)..Some(3660)).contains(&uptime), "{uptime:?}");
    assert_eq!(status["puzzles"]["PUZZLE_COFFRE"], "locked");
    let rssi = status["wifi_rssi"].as_i64();
    assert!(
        rssi.is_some_and(|rssi| (-63..=-53).contains(&rssi)),
        "{rssi:?}"
    );
    let heap = status["free_heap"].as_i64();
    assert!(
        heap.is_some_and(|heap| (160_000..=192_000).contains(&heap)),
        "{heap:?}"
    );
    Ok(())
}

#[tokio::test]
async fn it_answers_nobody_without_its_token() -> Tested {
    let device = device().await?;
    for authorization in [None, Some("Bearer wrong"), Some("Basic spec-token")] {
        let answer = send(device.address(), "GET", "/api/status", authorization, "").await?;
        assert_eq!(answer.status, 401, "{authorization:?}");
        assert!(answer.head.contains("WWW-Authenticate: Bearer"));
    }
    assert!(device.log().iter().all(|entry| entry.status == Some(401)));
    Ok(())
}

#[tokio::test]
async fn unlocking_a_puzzle_drives_its_servo_and_lights_it() -> Tested {
    let device = device().await?;
    let body = r#"{"id":"PUZZLE_COFFRE","state":"unlocked","effects":true}"#;
    let answer = post(&device, "/api/puzzle", body).await?.json();
    assert_eq!(answer["state"], "unlocked");
    assert_eq!(answer["effects_played"], true);
    let state = device.state();
    assert_eq!(state.puzzles["PUZZLE_COFFRE"], "unlocked");
    assert_eq!(state.servo_moves.len(), 1);
    assert!(state.servo_moves[0].open);
    assert_eq!(state.led_changes.len(), 1);
    assert_eq!(state.led.rgb, [0, 255, 0]);
    Ok(())
}

#[tokio::test]
async fn a_puzzle_that_is_held_answers_a_conflict_and_stays() -> Tested {
    let device = device().await?;
    device.hold_puzzle("PUZZLE_MIROIR", true);
    let body = r#"{"id":"PUZZLE_MIROIR","state":"unlocked","effects":false}"#;
    let answer = post(&device, "/api/puzzle", body).await?;
    assert_eq!(
        (answer.status, &answer.json()["error"]),
        (409, &json!("puzzle_state_conflict"))
    );
    assert_eq!(device.state().puzzles["PUZZLE_MIROIR"], "locked");
    assert!(device.state().servo_moves.is_empty());
    device.hold_puzzle("PUZZLE_MIROIR", false);
    assert_eq!(post(&device, "/api/puzzle", body).await?.status, 200);
    Ok(())
}

#[tokio::test]
async fn sound_is_never_louder_than_the_device_allows() -> Tested {
    let device = device().await?;
    let body = r#"{"src":"/audio/hint_01.mp3","vol":100,"loop":true,"action":"play"}"#;
    assert_eq!(post(&device, "/api/audio", body).await?.json()["vol"], 90);
    let sound = device.state().sound;
    assert!(sound.is_some_and(|sound| sound.looped && sound.source == "/audio/hint_01.mp3"));
    let body = r#"{"src":"/audio/hint_01.mp3","vol":70,"loop":false,"action":"stop"}"#;
    assert_eq!(
        post(&device, "/api/audio", body).await?.json()["playing"],
        false
    );
    assert_eq!(device.state().sound, None);
    Ok(())
}

#[tokio::test]
async fn leds_go_dark_by_themselves_where_that_was_asked() -> Tested {
    let device = device().await?;
    let body = r##"{"zone":"ambient","color":"#7B00FF","pattern":"pulse","bright":200,"duration_ms":600}"##;
    assert_eq!(post(&device, "/api/led", body).await?.status, 200);
    assert_eq!(device.state().led.rgb, [0x7B, 0, 0xFF]);
    tokio::time::sleep(Duration::from_millis(620)).await;
    let state = device.state();
    assert_eq!(state.led.rgb, [0; 3]);
    let [on, off] = state.led_changes.as_slice() else {
        return Err("two changes".into());
    };
    assert_eq!(off.at - on.at, Duration::from_millis(600));
    Ok(())
}

#[tokio::test]
async fn pictures_have_the_size_that_was_asked_and_differ() -> Tested {
    let device = device().await?;
    let mut before = Vec::new();
    for (name, width, height) in [("QQVGA", 160, 120), ("QVGA", 320, 240), ("QVGA", 320, 240)] {
        let answer = get(&device, &format!("/api/camera?res={name}&q=20")).await?;
        assert!(
            answer.head.contains("Content-Type: image/jpeg"),
            "{}",
            answer.head
        );
        assert_eq!(answer.body.first_chunk(), Some(&[0xFF, 0xD8, 0xFF]));
        assert!(answer.body.ends_with(&[0xFF, 0xD9]));
        assert_eq!(size(&answer.body), Some((width, height)));
        assert_ne!(answer.body, before);
        before = answer.body;
    }
    assert!(
        (8_000..40_000).contains(&before.len()),
        "{} bytes",
        before.len()
    );
    Ok(())
}

/// Width and height in a JPEG's frame header.
fn size(jpeg: &[u8]) -> Option<(u16, u16)> {
    let at = jpeg.windows(2).position(|two| two == [0xFF, 0xC0])?;
    let number = |from: usize| Some(u16::from_be_bytes(*jpeg.get(at + from..)?.first_chunk()?));
    Some((number(7)?, number(5)?))
}

#[tokio::test]
async fn its_scenario_goes_on_by_the_right_event_by_force_and_by_the_game_master() -> Tested {
    let device = device().await?;
    let wrong = r#"{"event_type":"unlock","event_name":"UNLOCK_COFFRE"}"#;
    let answer = post(&device, "/api/scenario/transition", wrong).await?;
    assert_eq!((answer.status, &answer.json()["ok"]), (200, &json!(false)));
    let right = r#"{"event_type":"serial","event_name":"BTN_NEXT"}"#;
    let answer = post(&device, "/api/scenario/transition", right)
        .await?
        .json();
    assert_eq!(answer["previous"], "STEP_U_SON_PROTO");
    assert_eq!(answer["step"], "STEP_LA_DETECTOR");
    let manual = r#"{"event_type":"manual","event_name":"MANUAL_ADVANCE"}"#;
    post(&device, "/api/scenario/transition", manual).await?;
    assert_eq!(device.state().step.as_deref(), Some("STEP_RTC_ESP_ETAPE1"));
    let forced = r#"{"event_type":"manual","event_name":"GO","target":"STEP_FINAL_WIN"}"#;
    post(&device, "/api/scenario/transition", forced).await?;
    assert_eq!(device.state().step.as_deref(), Some("STEP_FINAL_WIN"));
    Ok(())
}

#[tokio::test]
async fn what_does_not_keep_to_the_contract_is_refused_and_does_nothing() -> Tested {
    let device = device().await?;
    let before = device.state();
    for (path, body) in [
        (
            "/api/puzzle",
            r#"{"id":"PUZZLE_MOON","state":"locked","effects":true}"#,
        ),
        (
            "/api/puzzle",
            r#"{"id":"PUZZLE_COFFRE","state":"ajar","effects":true}"#,
        ),
        ("/api/puzzle", "{\"id\":"),
        (
            "/api/audio",
            r#"{"src":"hint.mp3","vol":70,"loop":false,"action":"play"}"#,
        ),
        (
            "/api/audio",
            r#"{"src":"/a.mp3","vol":101,"loop":false,"action":"play"}"#,
        ),
        (
            "/api/led",
            r#"{"zone":"moon","color":"red","pattern":"solid","bright":1}"#,
        ),
        (
            "/api/led",
            r##"{"zone":"all","color":"#12345","pattern":"solid","bright":1}"##,
        ),
        (
            "/api/led",
            r#"{"zone":"all","color":"red","pattern":"solid","bright":256}"#,
        ),
        (
            "/api/scenario/transition",
            r#"{"event_type":"magic","event_name":"X"}"#,
        ),
        (
            "/api/scenario/transition",
            r#"{"event_type":"manual","event_name":"X","target":"NO"}"#,
        ),
    ] {
        let answer = post(&device, path, body).await?;
        assert_eq!(answer.status, 400, "{path} {body}");
    }
    assert_eq!(get(&device, "/api/camera?res=SVGA&q=20").await?.status, 400);
    assert_eq!(get(&device, "/api/camera?res=QVGA&q=9").await?.status, 400);
    assert_eq!(get(&device, "/api/nothing").await?.status, 404);
    let after = device.state();
    assert_eq!(after.led_changes, before.led_changes);
    assert_eq!(
        (after.puzzles, after.sound, after.step),
        (before.puzzles, before.sound, before.step)
    );
    Ok(())
}
