//! What a simulated board runs.

use std::collections::BTreeMap;

use tokio::time::Instant;

use super::board::Board;
use super::freenove::{Freenove, FreenoveConfig, NodeView};
use super::http::{HttpRequest, Reply};
use super::spec::{Spec, SpecConfig};
use super::story_v2::{StoryV2, StoryV2Config};

/// A firmware with what is set in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DeviceFirmware {
    /// One that has the contract's routes.
    Spec(SpecConfig),
    /// The Freenove all-in-one's.
    Freenove(FreenoveConfig),
    /// The audio board's "Story V2".
    StoryV2(StoryV2Config),
}

/// A firmware that runs.
pub(crate) trait Program: Send {
    /// Answers a request.
    fn answer(&mut self, board: &mut Board, request: &HttpRequest, now: Instant) -> Reply;

    /// Begins anew, as after switching it on.
    fn restart(&mut self, board: &mut Board, now: Instant);

    /// The step of its scenario; `None` where none runs.
    fn step(&self) -> Option<String>;

    /// Puzzles with their state, where it keeps any.
    fn puzzles(&self) -> BTreeMap<String, String> {
        BTreeMap::new()
    }

    /// From now on a puzzle's state cannot be changed, or can again.
    fn hold(&mut self, _puzzle: &str, _held: bool) {}

    /// What became of the boards that hear it.
    fn nodes(&mut self, _now: Instant) -> Vec<NodeView> {
        Vec::new()
    }

    /// From now on a board does not hear it, or does again.
    fn deafen(&mut self, _node: &str, _deaf: bool) {}
}

/// Starts a firmware.
pub(crate) fn start(
    firmware: DeviceFirmware,
    name: &str,
    board: &mut Board,
    now: Instant,
) -> Box<dyn Program> {
    match firmware {
        DeviceFirmware::Spec(config) => Box::new(Spec::new(config, name, board)),
        DeviceFirmware::Freenove(config) => Box::new(Freenove::new(config, board, now)),
        DeviceFirmware::StoryV2(config) => Box::new(StoryV2::new(config, board)),
    }
}
