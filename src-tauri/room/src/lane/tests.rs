//! Lanes against boards that are played in memory, in paused time.

mod board;
mod limits;
mod orders;
mod overrides;
mod watched;

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Semaphore, broadcast};

use crate::address::Address;
use crate::error::RoomError;
use crate::request::{
    Advance, AudioAction, AudioChange, Capture, Colour, EventType, LedChange, Pattern, Puzzle,
    PuzzleChange, PuzzleState, Request, Volume, Zone,
};
use crate::state::{Condition, Sample};
use crate::token::Token;

use super::{Lane, LaneStart, LaneState, Setting};
use board::Boards;

/// A room of lanes over boards.
struct Stage {
    boards: Arc<Boards>,
    calls: Arc<Semaphore>,
    polls: Arc<Semaphore>,
    samples: broadcast::Sender<Sample>,
}

impl Stage {
    fn new() -> Self {
        Self {
            boards: Arc::new(Boards::default()),
            calls: Arc::new(Semaphore::new(3)),
            polls: Arc::new(Semaphore::new(16)),
            samples: broadcast::channel(1_000).0,
        }
    }

    fn lane(&self, host: u8) -> Lane {
        self.lane_with(host, setting(host))
    }

    fn lane_with(&self, host: u8, setting: Setting) -> Lane {
        let start = LaneStart {
            id: format!("board-{host}").parse().unwrap(),
            transport: Arc::clone(&self.boards) as _,
            calls: Arc::clone(&self.calls),
            polls: Arc::clone(&self.polls),
            samples: self.samples.clone(),
        };
        Lane::start(start, setting)
    }
}

fn address(host: u8) -> Address {
    format!("192.168.0.{host}:80").parse().unwrap()
}

fn setting(host: u8) -> Setting {
    Setting {
        address: Some(address(host)),
        token: None,
        volume_limit: Volume::try_from(100).unwrap(),
        via: None,
    }
}

fn token(text: &str) -> Option<Token> {
    Some(Token::from(text.to_owned()))
}

/// Waits until a lane is like that.
async fn until(lane: &Lane, like: impl FnMut(&LaneState) -> bool) -> LaneState {
    let mut state = lane.state();
    let state = tokio::time::timeout(Duration::from_secs(300), state.wait_for(like)).await;
    state.unwrap().unwrap().clone()
}

/// Waits until a lane has found its board.
async fn found(lane: &Lane) -> LaneState {
    until(lane, |state| state.condition == Condition::Answering).await
}

fn puzzle(puzzle: Puzzle, state: PuzzleState) -> Request {
    Request::Puzzle(PuzzleChange {
        puzzle,
        state,
        effects: false,
    })
}

fn led(colour: [u8; 3]) -> Request {
    Request::Led(LedChange {
        zone: Zone::All,
        color: Colour::Rgb(colour),
        pattern: Pattern::Solid,
        brightness: Default::default(),
        duration_ms: Default::default(),
    })
}

fn audio(action: AudioAction, volume: i64) -> Request {
    Request::Audio(AudioChange {
        action,
        source: "/music/placeholder.mp3".parse().unwrap(),
        volume: Volume::try_from(volume).unwrap(),
        looped: false,
    })
}

fn camera() -> Request {
    Request::Camera(Capture {
        resolution: crate::request::Resolution::Qvga,
        quality: Default::default(),
    })
}

fn event(event: EventType, name: &str) -> Request {
    Request::Scenario(Advance {
        event,
        name: name.parse().unwrap(),
        target: None,
    })
}

/// The game master's override.
fn manual(step: &str) -> Request {
    Request::Scenario(Advance {
        event: EventType::Manual,
        name: "MANUAL_ADVANCE".parse().unwrap(),
        target: Some(step.parse().unwrap()),
    })
}

/// The failure of a request that was to fail.
fn code(result: &Result<crate::answer::Done, RoomError>) -> &'static str {
    result.as_ref().unwrap_err().code()
}
