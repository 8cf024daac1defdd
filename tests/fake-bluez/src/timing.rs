//! How long the fake takes.

use std::time::Duration;

/// Durations of the fake, on top of those of the simulated clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BusTiming {
    /// For letting a link go.
    pub disconnect: Duration,
    /// From the end of a link, or of a failed attempt, until an unpaired device leaves the bus.
    pub forget: Duration,
}

impl BusTiming {
    /// As seen with BlueZ 5.66.
    #[must_use]
    pub const fn realistic() -> Self {
        Self {
            disconnect: Duration::from_millis(2200),
            forget: Duration::from_secs(30),
        }
    }

    /// For tests: no waiting, devices stay.
    #[must_use]
    pub const fn instant() -> Self {
        Self {
            disconnect: Duration::from_millis(10),
            forget: Duration::from_secs(30),
        }
    }
}
