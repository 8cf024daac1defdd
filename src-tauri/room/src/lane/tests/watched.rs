//! What is seen of boards that are only looked at.

use super::board::{End, fate};
use super::*;
use crate::state::Remark;

#[tokio::test(start_paused = true)]
async fn a_board_that_counts_from_the_start_again_has_restarted() {
    let stage = Stage::new();
    let lane = stage.lane(1);
    found(&lane).await;
    stage.boards.at(1, |board| board.uptime = 3);
    let restarted = |remark: &Remark| matches!(remark, Remark::Restarted { .. });
    until(&lane, |state| state.remarks.iter().any(restarted)).await;
}

#[tokio::test(start_paused = true)]
async fn a_board_that_was_silent_and_comes_back_has_lost_its_network() {
    let stage = Stage::new();
    let lane = stage.lane(1);
    found(&lane).await;
    stage
        .boards
        .at(1, |board| board.always = fate(End::Refused));
    let silent = |state: &LaneState| matches!(state.condition, Condition::Unreachable { .. });
    until(&lane, silent).await;
    tokio::time::sleep(Duration::from_secs(30)).await;
    stage
        .boards
        .at(1, |board| board.always = fate(End::Answered));
    let state = found(&lane).await;
    let dropped = |remark: &Remark| matches!(remark, Remark::WifiDropped { .. });
    assert!(state.remarks.iter().any(dropped), "{:?}", state.remarks);
}

#[tokio::test(start_paused = true)]
async fn a_board_is_looked_at_every_five_seconds_and_less_often_while_it_is_silent() {
    let stage = Stage::new();
    let lane = stage.lane(1);
    found(&lane).await;
    stage.boards.forget();
    tokio::time::sleep(Duration::from_secs(60)).await;
    let looks = stage.boards.sent().len();
    assert!((10..=14).contains(&looks), "{looks} looks in a minute");
    stage
        .boards
        .at(1, |board| board.always = fate(End::Refused));
    tokio::time::sleep(Duration::from_secs(120)).await;
    stage.boards.forget();
    tokio::time::sleep(Duration::from_secs(300)).await;
    let sent = stage.boards.sent();
    let first_ports = sent
        .iter()
        .filter(|sent| sent.host == "192.168.0.1")
        .count();
    assert!(
        first_ports <= 60,
        "{first_ports} tries in five silent minutes"
    );
}

#[tokio::test(start_paused = true)]
async fn a_token_for_reading_is_told_once_a_write_was_refused() {
    let stage = Stage::new();
    stage.boards.at(1, |board| {
        board.freenove = true;
        board.read_token = Some("reads".to_owned());
        board.write_token = Some("writes".to_owned());
    });
    let lane = stage.lane_with(
        1,
        Setting {
            token: token("reads"),
            ..setting(1)
        },
    );
    found(&lane).await;
    let ended = lane.ask(led([1, 2, 3])).await;
    assert_eq!(code(&ended), "device-token-reading-only");
    let state = until(&lane, |state| state.condition == Condition::ReadingOnly).await;
    assert_eq!(state.condition, Condition::ReadingOnly);
}
