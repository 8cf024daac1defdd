//! Golden vectors: what goes out byte by byte, and what comes of each reply.

#![allow(clippy::unwrap_used, clippy::panic)]

mod abilities;
mod freenove;
mod lenient;
mod picture;
mod recognise;
mod samples;
mod simulated;
mod spec;
mod story_v2;
mod unknown;

use crate::exchange::{Method, Reply};
use crate::request::{Advance, AudioChange, Capture, EventType, LedChange, PuzzleChange, Request};
use crate::state::Reading;

use super::{Family, Lack, Script, of};

/// A request with exactly what is given; numbers as the contract counts them.
pub(super) fn puzzle(puzzle: &str, state: &str, effects: bool) -> Request {
    Request::Puzzle(PuzzleChange {
        puzzle: puzzle.parse().unwrap(),
        state: state.parse().unwrap(),
        effects,
    })
}

pub(super) fn audio(action: &str, source: &str, volume: i64, looped: bool) -> Request {
    Request::Audio(AudioChange {
        action: action.parse().unwrap(),
        source: source.parse().unwrap(),
        volume: volume.try_into().unwrap(),
        looped,
    })
}

pub(super) fn led(zone: &str, color: &str, pattern: &str, bright: i64, duration: i64) -> Request {
    Request::Led(LedChange {
        zone: zone.parse().unwrap(),
        color: color.parse().unwrap(),
        pattern: pattern.parse().unwrap(),
        brightness: bright.try_into().unwrap(),
        duration_ms: duration.try_into().unwrap(),
    })
}

pub(super) fn camera(resolution: &str, quality: i64) -> Request {
    Request::Camera(Capture {
        resolution: resolution.parse().unwrap(),
        quality: quality.try_into().unwrap(),
    })
}

pub(super) fn scenario(event: &str, name: &str, target: Option<&str>) -> Request {
    Request::Scenario(Advance {
        event: event.parse::<EventType>().unwrap(),
        name: name.parse().unwrap(),
        target: target.map(|target| target.parse().unwrap()),
    })
}

/// A script as lines such as `POST /api/puzzle {"id":...}`.
fn lines(script: &Script) -> Vec<String> {
    let line = |exchange: &crate::exchange::Exchange| {
        let method = match exchange.method {
            Method::Get => "GET",
            Method::Post => "POST",
        };
        match &exchange.body {
            Some(body) => format!("{method} {} {body}", exchange.path),
            None => format!("{method} {}", exchange.path),
        }
    };
    script.exchanges.iter().map(line).collect()
}

fn wire(family: Family, request: &Request, last: Option<&Reading>) -> Vec<String> {
    lines(&of(family).script(request, last).unwrap())
}

fn remarks(family: Family, request: &Request, last: Option<&Reading>) -> Vec<String> {
    of(family).script(request, last).unwrap().remarks
}

fn lack(family: Family, request: &Request) -> Lack {
    of(family).script(request, None).unwrap_err()
}

pub(super) fn reply(status: u16, body: &str) -> Reply {
    Reply {
        status,
        body: body.as_bytes().to_vec(),
        ..Reply::default()
    }
}
