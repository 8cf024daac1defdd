//! The override: at once, and never refused by a guard.

use super::board::{End, fate};
use super::*;

#[tokio::test(start_paused = true)]
async fn an_override_passes_a_board_that_hangs_and_a_full_queue() {
    let stage = Stage::new();
    let lane = stage.lane(1);
    found(&lane).await;
    stage.boards.at(1, |board| {
        board.acts.push_back(fate(End::Silent { done: false }))
    });
    let mut asks = tokio::task::JoinSet::new();
    for _ in 0..30 {
        let lane = lane.clone();
        asks.spawn(async move { lane.ask(led([9, 9, 9])).await });
    }
    tokio::time::sleep(Duration::from_millis(500)).await;
    let asked = tokio::time::Instant::now();
    lane.ask(manual("STEP_FINAL")).await.unwrap();
    let sent = stage.boards.acted(1);
    let first = sent.iter().find(|sent| sent.is_override()).unwrap();
    assert_eq!(first.at, asked);
    assert_eq!(stage.boards.at(1, |board| board.step.clone()), "STEP_FINAL");
    asks.shutdown().await;
}

/// A board whose lane is in doubt of what it is, since its state made no sense.
async fn in_doubt(stage: &Stage) -> Lane {
    let lane = stage.lane(1);
    found(&lane).await;
    stage.boards.at(1, |board| {
        board.reads.push_back(fate(End::Says(200, "?")));
        board
            .reads
            .extend(std::iter::repeat_n(fate(End::Silent { done: false }), 20));
    });
    until(&lane, |state| {
        matches!(state.condition, Condition::Garbled { .. })
    })
    .await;
    lane
}

#[tokio::test(start_paused = true)]
async fn an_override_waits_for_no_doubt_of_what_the_device_is() {
    let stage = Stage::new();
    let lane = in_doubt(&stage).await;
    let asked = tokio::time::Instant::now();
    lane.ask(manual("STEP_FINAL")).await.unwrap();
    let sent = stage.boards.acted(1);
    assert_eq!(sent.first().map(|sent| sent.at), Some(asked));
    assert_eq!(stage.boards.at(1, |board| board.step.clone()), "STEP_FINAL");
}

#[tokio::test(start_paused = true)]
async fn an_override_goes_after_a_device_that_is_no_longer_where_it_was() {
    let stage = Stage::new();
    let anywhere = Setting {
        address: Some("192.168.0.1".parse().unwrap()),
        ..setting(1)
    };
    stage.boards.at(1, |board| board.port = 8080);
    let lane = stage.lane_with(1, anywhere);
    found(&lane).await;
    stage.boards.at(1, |board| board.port = 80);
    let silent = |state: &LaneState| matches!(state.condition, Condition::Unreachable { .. });
    until(&lane, silent).await;
    lane.ask(manual("STEP_FINAL")).await.unwrap();
    assert_eq!(stage.boards.at(1, |board| board.step.clone()), "STEP_FINAL");
}

#[tokio::test(start_paused = true)]
async fn an_override_that_the_device_has_no_time_for_is_pressed_again() {
    let stage = Stage::new();
    let lane = stage.lane(1);
    found(&lane).await;
    let throttled = End::Says(429, r#"{"error":"too_many_requests"}"#);
    stage.boards.at(1, |board| {
        board
            .acts
            .extend([fate(throttled.clone()), fate(throttled)])
    });
    lane.ask(manual("STEP_FINAL")).await.unwrap();
    assert_eq!(stage.boards.acted(1).len(), 3);
    assert_eq!(stage.boards.at(1, |board| board.done.len()), 1);
}

#[tokio::test(start_paused = true)]
async fn an_override_is_told_that_the_token_is_refused() {
    let stage = Stage::new();
    stage
        .boards
        .at(1, |board| board.write_token = Some("the-other".to_owned()));
    let reading = Setting {
        token: token("reads-only"),
        ..setting(1)
    };
    let lane = stage.lane_with(1, reading);
    found(&lane).await;
    let ended = lane.ask(manual("STEP_FINAL")).await;
    assert!(code(&ended).starts_with("device-token"), "{ended:?}");
}
