//! What is asked is done once, and what became of it is told as it is.

use super::board::{End, fate};
use super::*;
use crate::answer::Outcome;

#[tokio::test(start_paused = true)]
async fn an_event_whose_answer_was_lost_is_found_to_be_done_and_not_sent_again() {
    // ESP-2
    let stage = Stage::new();
    let lane = stage.lane(1);
    found(&lane).await;
    stage.boards.at(1, |board| {
        board.acts.push_back(fate(End::Silent { done: true }))
    });
    let done = lane.ask(event(EventType::Button, "NEXT")).await.unwrap();
    assert_eq!(done.outcome, Outcome::Confirmed);
    assert_eq!(stage.boards.acted(1).len(), 1);
}

#[tokio::test(start_paused = true)]
async fn an_event_that_did_not_arrive_is_sent_again_once() {
    let stage = Stage::new();
    let lane = stage.lane(1);
    found(&lane).await;
    stage.boards.at(1, |board| {
        board.acts.push_back(fate(End::Silent { done: false }))
    });
    let done = lane.ask(event(EventType::Button, "NEXT")).await.unwrap();
    assert!(done.sent_again);
    assert_eq!(stage.boards.acted(1).len(), 2);
    assert_eq!(stage.boards.at(1, |board| board.done.len()), 1);
}

#[tokio::test(start_paused = true)]
async fn an_event_on_a_board_that_went_silent_is_unknown_and_not_repeated() {
    let stage = Stage::new();
    let lane = stage.lane(1);
    found(&lane).await;
    stage.boards.at(1, |board| {
        board.acts.push_back(fate(End::Broken { done: true }));
        board.always = fate(End::Silent { done: false });
    });
    let ended = lane.ask(event(EventType::Button, "NEXT")).await;
    assert_eq!(code(&ended), "device-outcome-unknown");
    assert_eq!(stage.boards.at(1, |board| board.done.len()), 1);
}

#[tokio::test(start_paused = true)]
async fn light_is_sent_again_after_two_seconds_and_once_only() {
    let stage = Stage::new();
    let lane = stage.lane(1);
    found(&lane).await;
    stage
        .boards
        .at(1, |board| board.always = fate(End::Refused));
    let ended = lane.ask(led([1, 2, 3])).await;
    assert_eq!(code(&ended), "device-unreachable");
    let sent = stage.boards.acted(1);
    assert_eq!(sent.len(), 2);
    assert!(sent[1].at - sent[0].at >= Duration::from_secs(2));
}

#[tokio::test(start_paused = true)]
async fn a_step_that_does_not_move_is_no_change_seen() {
    let stage = Stage::new();
    let lane = stage.lane(1);
    found(&lane).await;
    stage.boards.at(1, |board| board.stuck = true);
    let done = lane.ask(event(EventType::Button, "NEXT")).await.unwrap();
    assert_eq!(done.outcome, Outcome::NoChangeSeen);
}

#[tokio::test(start_paused = true)]
async fn a_change_against_one_of_a_moment_ago_is_refused_with_the_time_left() {
    let stage = Stage::new();
    let lane = stage.lane(1);
    found(&lane).await;
    lane.ask(puzzle(Puzzle::Coffre, PuzzleState::Unlocked))
        .await
        .unwrap();
    let ended = lane.ask(puzzle(Puzzle::Coffre, PuzzleState::Locked)).await;
    assert_eq!(code(&ended), "puzzle-conflict");
    let left = ended.unwrap_err().retry_after().unwrap();
    tokio::time::sleep(left).await;
    lane.ask(puzzle(Puzzle::Coffre, PuzzleState::Locked))
        .await
        .unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_wait_of_more_than_five_seconds_is_refused_with_the_time_to_try_again() {
    let stage = Stage::new();
    let lane = stage.lane(1);
    found(&lane).await;
    let mut asks = tokio::task::JoinSet::new();
    for _ in 0..20 {
        let lane = lane.clone();
        asks.spawn(async move { lane.ask(puzzle(Puzzle::Fiole, PuzzleState::Reset)).await });
    }
    let (mut done, mut busy) = (0, 0);
    while let Some(ended) = asks.join_next().await {
        match ended.unwrap() {
            Ok(_) => done += 1,
            Err(error) => {
                assert_eq!(error.code(), "device-busy");
                assert!(error.retry_after().is_some());
                busy += 1;
            }
        }
    }
    // One each half second, for five seconds.
    assert!((9..=11).contains(&done), "{done} done, {busy} refused");
}

#[tokio::test(start_paused = true)]
async fn sound_is_no_louder_than_the_device_may_be() {
    let stage = Stage::new();
    let quiet = Setting {
        volume_limit: Volume::try_from(30).unwrap(),
        ..setting(1)
    };
    let lane = stage.lane_with(1, quiet);
    found(&lane).await;
    lane.ask(audio(AudioAction::Play, 100)).await.unwrap();
    assert_eq!(stage.boards.acted(1)[0].body["vol"], 30);
}
