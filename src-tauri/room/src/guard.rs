//! What keeps a device from being asked too much: the limits of the contract, for one device.
//!
//! Pure: it is told the time. The override is recorded, so that everything else gives way to it,
//! and asks for nothing.

use std::collections::VecDeque;
use std::time::Duration;

use tokio::time::Instant;

use crate::request::{EventType, Puzzle, PuzzleState, Request};

/// Most requests in any [`WINDOW`].
const MOST: usize = 10;

/// Most pictures in any [`WINDOW`].
const MOST_PICTURES: usize = 2;

/// The time that requests are counted over.
const WINDOW: Duration = Duration::from_secs(1);

/// What every distance is longer by: two requests do not travel equally long, and it is the device
/// that is spared.
const JITTER: Duration = Duration::from_millis(10);

/// Least time between two movements of a servo.
const SERVO: Duration = Duration::from_millis(500);

/// Least time between two changes of LEDs.
const LEDS: Duration = Duration::from_millis(100);

/// How long a change of a puzzle stands against another one of the same puzzle.
const PUZZLE: Duration = Duration::from_secs(1);

/// What one request to a device costs it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Load {
    write: bool,
    servo: bool,
    leds: bool,
    picture: bool,
    puzzle: Option<(Puzzle, PuzzleState)>,
}

impl Load {
    /// Reading.
    pub(crate) const READ: Self = Self {
        write: false,
        servo: false,
        leds: false,
        picture: false,
        puzzle: None,
    };

    /// Preparing what a later request does.
    pub(crate) const PREPARE: Self = Self {
        write: true,
        ..Self::READ
    };

    /// Whether it changes anything on the device.
    pub(crate) fn writes(self) -> bool {
        self.write
    }

    /// What the request costs that does the thing itself.
    pub(crate) fn of(request: &Request) -> Self {
        match request {
            Request::Puzzle(change) => Self {
                servo: true,
                leds: change.effects,
                puzzle: Some((change.puzzle, change.state)),
                ..Self::PREPARE
            },
            Request::Led(_) => Self {
                leds: true,
                ..Self::PREPARE
            },
            // The override may open something, too.
            Request::Scenario(advance) => Self {
                servo: matches!(advance.event, EventType::Unlock | EventType::Manual),
                ..Self::PREPARE
            },
            Request::Audio(_) => Self::PREPARE,
            Request::Camera(_) => Self {
                picture: true,
                ..Self::READ
            },
            Request::Status => Self::READ,
        }
    }
}

/// A change of a puzzle that stands against another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Conflict {
    /// The puzzle.
    pub(crate) puzzle: Puzzle,
    /// What it was set to.
    pub(crate) other: PuzzleState,
    /// How long that still stands against it.
    pub(crate) retry_after: Duration,
}

/// What is known of the requests of the last moments.
#[derive(Clone, Debug, Default)]
pub(crate) struct Guard {
    spacing: Duration,
    requests: VecDeque<Instant>,
    pictures: VecDeque<Instant>,
    write: Option<Instant>,
    servo: Option<Instant>,
    leds: Option<Instant>,
    puzzles: Vec<(Puzzle, PuzzleState, Instant)>,
    rest: Option<Instant>,
}

impl Guard {
    /// Sets the least time between two writes that the device itself asks for.
    pub(crate) fn space(&mut self, spacing: Duration) {
        self.spacing = spacing;
    }

    /// Lets the device alone until then.
    pub(crate) fn rest(&mut self, until: Instant) {
        self.rest = self.rest.max(Some(until));
    }

    /// The first moment from `now` on at which a request keeps every distance.
    pub(crate) fn earliest(&self, load: Load, now: Instant) -> Instant {
        let after = |last: Option<Instant>, distance: Duration| last.map(|last| last + distance);
        let window = WINDOW + JITTER;
        let full = |sent: &VecDeque<Instant>, most: usize| {
            let first = sent.len().checked_sub(most)?;
            sent.get(first).map(|sent| *sent + window)
        };
        [
            full(&self.requests, MOST),
            full(&self.pictures, MOST_PICTURES).filter(|_| load.picture),
            after(self.write, self.spacing).filter(|_| load.write),
            after(self.servo, SERVO + JITTER).filter(|_| load.servo),
            after(self.leds, LEDS + JITTER).filter(|_| load.leds),
            self.rest,
        ]
        .into_iter()
        .flatten()
        .fold(now, Instant::max)
    }

    /// The change that stands against a request at `now`.
    pub(crate) fn conflict(&self, load: Load, now: Instant) -> Option<Conflict> {
        let (puzzle, state) = load.puzzle?;
        self.puzzles
            .iter()
            .filter(|(of, other, _)| *of == puzzle && *other != state)
            .filter_map(|(puzzle, other, at)| {
                let left = (*at + PUZZLE + JITTER).saturating_duration_since(now);
                (!left.is_zero()).then_some(Conflict {
                    puzzle: *puzzle,
                    other: *other,
                    retry_after: left,
                })
            })
            .max_by_key(|conflict| conflict.retry_after)
    }

    /// Notes a request that goes out at `now`.
    pub(crate) fn record(&mut self, load: Load, now: Instant) {
        push(&mut self.requests, now, MOST);
        if load.picture {
            push(&mut self.pictures, now, MOST_PICTURES);
        }
        self.mark(load, now);
    }

    /// Notes that the request which went out at `sent` has come to an end: it may have reached the
    /// device only now, and moved something only now. Distances count from here on, since they are
    /// the device's, and requests do not travel equally long.
    pub(crate) fn ended(&mut self, load: Load, sent: Instant, now: Instant) {
        postpone(&mut self.requests, sent, now);
        if load.picture {
            postpone(&mut self.pictures, sent, now);
        }
        self.mark(load, now);
    }

    fn mark(&mut self, load: Load, now: Instant) {
        let mark = |last: &mut Option<Instant>, marked: bool| {
            if marked {
                *last = (*last).max(Some(now));
            }
        };
        mark(&mut self.write, load.write);
        mark(&mut self.servo, load.servo);
        mark(&mut self.leds, load.leds);
        if let Some((puzzle, state)) = load.puzzle {
            self.puzzles.retain(|(of, to, at)| {
                (*of, *to) != (puzzle, state) && *at + PUZZLE + JITTER > now
            });
            self.puzzles.push((puzzle, state, now));
        }
    }
}

/// Makes the last moment that is not after `from` be `to`, in order; where only later ones are kept,
/// the first of them.
fn postpone(moments: &mut VecDeque<Instant>, from: Instant, to: Instant) {
    let index = moments.iter().rposition(|moment| *moment <= from);
    moments.remove(index.unwrap_or_default());
    let place = moments.partition_point(|moment| *moment <= to);
    moments.insert(place, to);
}

/// Keeps the last `most` moments.
fn push(moments: &mut VecDeque<Instant>, now: Instant, most: usize) {
    if moments.len() >= most {
        moments.pop_front();
    }
    moments.push_back(now);
}
