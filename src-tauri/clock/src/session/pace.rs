//! How fast picture packets follow each other: at once, unless the clock or the radio has shown
//! that it cannot keep up.

use std::time::Duration;

use super::limits::{PACE_LIMIT, PACE_PROBE, PACE_STEP};

/// The gap between two packets. It grows step by step with each refusal or stall, and shrinks
/// again when packets are taken; each vain attempt to go faster makes the next one wait longer.
#[derive(Debug)]
pub(super) struct Pace {
    gap: Duration,
    /// Refusals and stalls without enough packets taken in between.
    in_a_row: u32,
    /// Packets taken since the gap was changed.
    taken: u32,
    /// Packets to be taken before the gap is made smaller.
    probe_after: u32,
    /// The gap was made smaller, and nothing was refused since.
    lowered: bool,
}

impl Default for Pace {
    fn default() -> Self {
        Self {
            gap: Duration::ZERO,
            in_a_row: 0,
            taken: 0,
            probe_after: PACE_PROBE.0,
            lowered: false,
        }
    }
}

impl Pace {
    /// What to wait before the next packet.
    pub(super) fn gap(&self) -> Duration {
        self.gap
    }

    /// A packet was refused for having come too soon, or has stalled.
    pub(super) fn slow_down(&mut self) {
        if self.lowered {
            self.probe_after = (self.probe_after * 2).min(PACE_PROBE.1);
            self.lowered = false;
        }
        self.taken = 0;
        self.in_a_row += 1;
        self.gap = (self.gap + PACE_STEP * self.in_a_row).min(PACE_LIMIT);
        tracing::debug!(gap = ?self.gap, "packets go slower");
    }

    /// A packet was taken.
    pub(super) fn packet_taken(&mut self) {
        if self.gap.is_zero() {
            return;
        }
        self.taken += 1;
        if self.taken < self.probe_after {
            return;
        }
        if self.lowered {
            self.probe_after = (self.probe_after / 2).max(PACE_PROBE.0);
        }
        self.taken = 0;
        self.in_a_row = 0;
        self.lowered = true;
        self.gap = self.gap.saturating_sub(PACE_STEP);
        tracing::debug!(gap = ?self.gap, "packets go faster");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn take(pace: &mut Pace, packets: u32) {
        for _ in 0..packets {
            pace.packet_taken();
        }
    }

    #[test]
    fn there_is_no_gap_before_the_first_refusal() {
        let mut pace = Pace::default();
        take(&mut pace, 5_000);
        assert_eq!(pace.gap(), Duration::ZERO);
    }

    /// BLE-19: from nothing to 10 ms, and on in growing steps to a bound.
    #[test]
    fn the_gap_grows_with_each_refusal_up_to_a_bound() {
        let mut pace = Pace::default();
        let gaps: Vec<_> = (0..6)
            .map(|_| {
                pace.slow_down();
                pace.gap().as_millis()
            })
            .collect();
        assert_eq!(gaps, [10, 30, 60, 100, 100, 100]);
    }

    #[test]
    fn the_gap_goes_once_packets_are_taken() {
        let mut pace = Pace::default();
        for _ in 0..4 {
            pace.slow_down();
        }
        take(&mut pace, 10 * PACE_PROBE.0);
        assert_eq!(pace.gap(), Duration::ZERO);
    }

    #[test]
    fn going_faster_is_tried_less_and_less_often_in_vain() {
        let mut pace = Pace::default();
        pace.slow_down();
        let mut tries = 0;
        for _ in 0..10_000 {
            pace.packet_taken();
            if pace.gap().is_zero() {
                tries += 1;
                pace.slow_down();
            }
        }
        assert!((8..20).contains(&tries), "{tries}");
        // It is not slow for ever all the same.
        take(&mut pace, PACE_PROBE.1);
        assert_eq!(pace.gap(), Duration::ZERO);
    }
}
