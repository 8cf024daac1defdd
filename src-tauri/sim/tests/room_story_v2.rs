//! A simulated audio board with "Story V2".

mod room_common;

use regie_sim::room::{DeviceConfig, DeviceFirmware, SimulatedDevice, StoryV2Config};
use room_common::{get, post, send};
use serde_json::json;

type Tested = Result<(), Box<dyn std::error::Error>>;

async fn device(config: StoryV2Config) -> std::io::Result<SimulatedDevice> {
    SimulatedDevice::start(DeviceConfig::new(
        "telephone",
        DeviceFirmware::StoryV2(config),
    ))
    .await
}

#[tokio::test]
async fn it_asks_for_user_and_password() -> Tested {
    let device = device(StoryV2Config::default()).await?;
    assert_eq!(device.token(), Some("admin:esp32-A1B2C3"));
    let answer = send(device.address(), "GET", "/api/status", Some("Bearer x"), "").await?;
    assert_eq!(answer.status, 401);
    assert!(answer.head.contains("WWW-Authenticate: Basic realm="));
    let status = get(&device, "/api/status").await?.json();
    for section in ["wifi", "radio", "player", "rtos"] {
        assert!(status[section].is_object(), "{section}");
    }
    assert!(status["rtos"]["heap_free"].is_i64());
    Ok(())
}

#[tokio::test]
async fn with_its_own_wifi_on_it_redirects_what_it_does_not_know() -> Tested {
    let on_its_own = device(StoryV2Config {
        access_point: true,
        ..StoryV2Config::default()
    })
    .await?;
    let answer = get(&on_its_own, "/api/led").await?;
    assert_eq!(answer.status, 302);
    assert!(answer.head.contains("Location: /"));
    let at_home = device(StoryV2Config::default()).await?;
    let answer = get(&at_home, "/api/led").await?;
    assert_eq!(
        (answer.status, answer.json()["error"]["code"].as_i64()),
        (404, Some(404))
    );
    Ok(())
}

#[tokio::test]
async fn skipping_tells_the_step_before_and_after() -> Tested {
    let device = device(StoryV2Config::default()).await?;
    let answer = post(&device, "/api/story/skip", "").await?.json();
    assert_eq!(
        answer,
        json!({ "previous_step": "STEP_WAIT", "current_step": "STEP_RING" })
    );
    let status = get(&device, "/api/story/status").await?.json();
    assert_eq!(
        (&status["current_step"], &status["progress_pct"]),
        (&json!("STEP_RING"), &json!(33))
    );
    assert_eq!(
        post(&device, "/api/story/pause", "").await?.json()["paused_at_step"],
        "STEP_RING"
    );
    let refused = post(&device, "/api/story/skip", "").await?;
    assert_eq!(
        (refused.status, refused.json()["error"]["code"].as_i64()),
        (409, Some(409))
    );
    assert_eq!(
        post(&device, "/api/story/resume", "").await?.json()["status"],
        "running"
    );
    Ok(())
}

#[tokio::test]
async fn a_story_is_chosen_before_it_starts() -> Tested {
    let device = device(StoryV2Config {
        running: false,
        ..StoryV2Config::default()
    })
    .await?;
    assert_eq!(post(&device, "/api/story/start", "").await?.status, 412);
    assert_eq!(
        post(&device, "/api/story/select/NONE", "").await?.status,
        404
    );
    assert_eq!(
        post(&device, "/api/story/select/DEFAULT", "").await?.json()["status"],
        "ready"
    );
    assert_eq!(
        post(&device, "/api/story/start", "").await?.json()["status"],
        "running"
    );
    assert_eq!(post(&device, "/api/story/start", "").await?.status, 409);
    Ok(())
}

#[tokio::test]
async fn its_player_knows_seven_commands() -> Tested {
    let device = device(StoryV2Config::default()).await?;
    assert_eq!(
        post(&device, "/api/player/action?cmd=toggle", "")
            .await?
            .status,
        200
    );
    let player = get(&device, "/api/status").await?.json()["player"].clone();
    assert_eq!(
        (&player["playing"], &player["track"]),
        (&json!(true), &json!("/music/intro.mp3"))
    );
    post(&device, "/api/player/action?cmd=toggle", "").await?;
    post(&device, "/api/player/action?cmd=vol_up", "").await?;
    let player = get(&device, "/api/player").await?.json();
    assert_eq!(
        (&player["paused"], &player["volume"]),
        (&json!(true), &json!(65))
    );
    let refused = post(&device, "/api/player/action?cmd=explode", "").await?;
    assert_eq!(
        (refused.status, &refused.json()["error"]["message"]),
        (400, &json!("bad_cmd"))
    );
    Ok(())
}
