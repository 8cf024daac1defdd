//! How fast a simulated clock is.

use std::time::Duration;

use crate::radio::Radio;

/// How long writes take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinkModel {
    /// Each is answered after this time.
    Fixed(Duration),
    /// As long as the connection events of a radio need.
    Radio(Radio),
}

/// Durations of a simulated clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timing {
    /// How long it advertises in each period.
    pub awake: Duration,
    /// From the beginning of one advertising window to that of the next.
    pub period: Duration,
    /// Between two advertisements.
    pub advertise_every: Duration,
    /// For a connection to come about.
    pub connect: Duration,
    /// For its services to be read.
    pub discover: Duration,
    /// For writes to be answered.
    pub link: LinkModel,
    /// For the panel to be redrawn.
    pub refresh: Duration,
}

impl Timing {
    /// As the real ones are reported to be: awake half of each minute, a three-colour refresh of
    /// 15 s.
    #[must_use]
    pub const fn realistic() -> Self {
        Self {
            awake: Duration::from_secs(30),
            period: Duration::from_secs(60),
            advertise_every: Duration::from_secs(1),
            connect: Duration::from_millis(800),
            discover: Duration::from_millis(700),
            link: LinkModel::Fixed(Duration::from_millis(30)),
            refresh: Duration::from_secs(15),
        }
    }

    /// For trying things out: nearly always awake, an upload that takes 4 s so that it can be
    /// watched, a short refresh.
    #[must_use]
    pub const fn demo() -> Self {
        Self {
            awake: Duration::from_secs(27),
            period: Duration::from_secs(30),
            advertise_every: Duration::from_millis(500),
            connect: Duration::from_millis(400),
            discover: Duration::from_millis(300),
            link: LinkModel::Fixed(Duration::from_millis(30)),
            refresh: Duration::from_secs(3),
        }
    }

    /// For trying other programs against: always awake, an upload that takes a second and a half, so
    /// that it can be watched and broken off.
    #[must_use]
    pub const fn rehearsal() -> Self {
        Self {
            awake: Duration::from_secs(1),
            period: Duration::from_secs(1),
            advertise_every: Duration::from_millis(100),
            connect: Duration::from_millis(50),
            discover: Duration::from_millis(50),
            link: LinkModel::Fixed(Duration::from_millis(12)),
            refresh: Duration::from_millis(200),
        }
    }

    /// For tests against the real time: always awake, everything at once.
    #[must_use]
    pub const fn instant() -> Self {
        Self {
            awake: Duration::from_secs(1),
            period: Duration::from_secs(1),
            advertise_every: Duration::from_millis(10),
            connect: Duration::from_millis(1),
            discover: Duration::from_millis(1),
            link: LinkModel::Fixed(Duration::ZERO),
            refresh: Duration::from_millis(20),
        }
    }
}
