//! What is worth knowing of a device beside its condition, as its readings tell it.

use std::time::Duration;

use tokio::time::Instant;

use crate::state::{Reading, Remark};

/// Most remarks on one device: each kind once.
const MOST: usize = 6;

/// How long something that happened is told.
const TOLD: Duration = Duration::from_secs(10 * 60);

/// Below so many percent a battery is low.
const BATTERY_LOW: u8 = 20;

/// From so many polls without an answer on, a device that answers again has been away.
const AWAY: u32 = 2;

/// How much a clock of seconds may seem to go back: it is cut to whole seconds, and an answer may
/// overtake another.
const UPTIME_SLACK: u64 = 2;

/// Counters of failed messages and of lost Wi-Fi, as readings name them.
const MESH_FAILED: &str = "espnow.tx_fail";
const DISCONNECTS: &[&str] = &["wifi.disconnects", "wifi.disconnect_count"];

/// The remarks on one device.
#[derive(Clone, Debug, Default)]
pub(super) struct Remarks {
    /// Newest first.
    happened: Vec<(Instant, Remark)>,
    standing: Vec<Remark>,
    mesh_failed: u64,
    /// It has restarted since the last sample.
    restarted: bool,
}

impl Remarks {
    /// What is to be shown at `now`.
    pub(super) fn shown(&mut self, now: Instant) -> Vec<Remark> {
        self.happened.retain(|(at, _)| *at + TOLD > now);
        let happened = self.happened.iter().map(|(_, remark)| remark.clone());
        happened
            .chain(self.standing.iter().cloned())
            .take(MOST)
            .collect()
    }

    /// Whether it has restarted since this was last asked.
    pub(super) fn take_restarted(&mut self) -> bool {
        std::mem::take(&mut self.restarted)
    }

    /// Notes that it was found elsewhere.
    pub(super) fn moved(&mut self, now: Instant, at: u64) {
        self.add(now, Remark::Moved { at });
    }

    /// Notes a reading; `silent` polls had no answer before it.
    pub(super) fn read(
        &mut self,
        before: Option<&Reading>,
        after: &Reading,
        silent: u32,
        now: Instant,
        at: u64,
    ) {
        if let Some(before) = before {
            let failed = risen(before, after, &[MESH_FAILED]);
            if failed > 0 {
                self.mesh_failed += failed;
                let failed = u32::try_from(self.mesh_failed).unwrap_or(u32::MAX);
                self.add(now, Remark::MeshFailing { failed });
            }
            if has_restarted(before, after) {
                self.restarted = true;
                self.add(now, Remark::Restarted { at });
            } else if silent >= AWAY || risen(before, after, DISCONNECTS) > 0 {
                self.add(now, Remark::WifiDropped { at });
            }
        }
        let battery = after.battery.filter(|percent| *percent < BATTERY_LOW);
        self.standing = [
            after.own_access_point.then_some(Remark::OwnAccessPoint),
            battery.map(|percent| Remark::BatteryLow { percent }),
        ]
        .into_iter()
        .flatten()
        .collect();
    }

    fn add(&mut self, now: Instant, remark: Remark) {
        let kind = std::mem::discriminant(&remark);
        self.happened
            .retain(|(_, other)| std::mem::discriminant(other) != kind);
        self.happened.insert(0, (now, remark));
    }
}

/// By how much counters have risen between two readings.
fn risen(before: &Reading, after: &Reading, names: &[&str]) -> u64 {
    names
        .iter()
        .filter_map(|name| {
            let after = after.counters.get(*name)?;
            let before = before.counters.get(*name)?;
            Some(after.saturating_sub(*before))
        })
        .sum()
}

/// Whether the time since its start, or a counter that only rises, went back.
pub(super) fn has_restarted(before: &Reading, after: &Reading) -> bool {
    let uptime = match (before.uptime_seconds, after.uptime_seconds) {
        (Some(before), Some(after)) => after + UPTIME_SLACK < before,
        _ => false,
    };
    let counters = after.counters.iter().any(|(name, after)| {
        before
            .counters
            .get(name)
            .is_some_and(|before| after < before)
    });
    uptime || counters
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reading(uptime: Option<u64>, counters: &[(&str, u64)]) -> Reading {
        Reading {
            uptime_seconds: uptime,
            counters: counters
                .iter()
                .map(|(name, count)| ((*name).to_owned(), *count))
                .collect(),
            ..Reading::default()
        }
    }

    fn after(before: &Reading, reading: &Reading, silent: u32) -> Vec<Remark> {
        let mut remarks = Remarks::default();
        let now = Instant::now();
        remarks.read(Some(before), reading, silent, now, 7);
        remarks.shown(now)
    }

    #[test]
    fn a_clock_that_goes_back_is_a_restart() {
        let seen = after(&reading(Some(900), &[]), &reading(Some(4), &[]), 0);
        assert_eq!(seen, [Remark::Restarted { at: 7 }]);
    }

    #[test]
    fn a_clock_that_is_cut_to_seconds_is_none() {
        assert!(after(&reading(Some(900), &[]), &reading(Some(899), &[]), 0).is_empty());
    }

    #[test]
    fn a_board_without_a_clock_restarts_by_its_counters() {
        let before = reading(None, &[("espnow.rx_count", 40)]);
        let seen = after(&before, &reading(None, &[("espnow.rx_count", 1)]), 3);
        assert_eq!(seen, [Remark::Restarted { at: 7 }]);
    }

    #[test]
    fn a_counter_that_is_left_out_says_nothing() {
        let before = reading(None, &[("espnow.rx_count", 40)]);
        assert!(after(&before, &reading(None, &[]), 1).is_empty());
    }

    #[test]
    fn two_polls_of_silence_are_a_lost_wifi() {
        let before = reading(Some(10), &[]);
        let later = reading(Some(30), &[]);
        assert!(after(&before, &later, 1).is_empty());
        assert_eq!(after(&before, &later, 2), [Remark::WifiDropped { at: 7 }]);
    }

    #[test]
    fn failed_messages_are_counted_from_the_first_reading_on() {
        let mut remarks = Remarks::default();
        let now = Instant::now();
        let at = |count| reading(None, &[(MESH_FAILED, count)]);
        remarks.read(None, &at(100), 0, now, 1);
        remarks.read(Some(&at(100)), &at(103), 0, now, 2);
        remarks.read(Some(&at(103)), &at(104), 0, now, 3);
        assert_eq!(remarks.shown(now), [Remark::MeshFailing { failed: 4 }]);
    }

    #[test]
    fn what_happened_is_forgotten_after_ten_minutes_and_a_low_battery_is_not() {
        let mut remarks = Remarks::default();
        let now = Instant::now();
        remarks.moved(now, 1);
        let low = Reading {
            battery: Some(12),
            ..Reading::default()
        };
        remarks.read(None, &low, 0, now, 2);
        assert_eq!(remarks.shown(now).len(), 2);
        let later = now + TOLD;
        assert_eq!(remarks.shown(later), [Remark::BatteryLow { percent: 12 }]);
    }
}
