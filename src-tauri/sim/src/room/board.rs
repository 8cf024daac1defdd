//! What hangs on a simulated board whatever its firmware: LEDs, servos, a speaker, a camera, a
//! radio; and a record of what they did.

use std::collections::VecDeque;
use std::net::IpAddr;
use std::time::Duration;

use tokio::time::Instant;

use super::camera::Shot;

/// Entries of each record; the oldest go first. An hour at the ten requests a second that a device
/// may be asked at most.
pub(crate) const RECORD: usize = 36_000;

/// Free memory that a board has about, in bytes.
const HEAP: i64 = 176_000;
/// How far its free memory wanders from that, in bytes.
const HEAP_SPAN: i64 = 14_000;
/// How long free memory takes from one value to the next.
const HEAP_PERIOD: Duration = Duration::from_secs(20);
/// How far the signal strength wanders, in dB.
const RSSI_SPAN: i64 = 5;
/// How long the signal strength takes from one value to the next.
const RSSI_PERIOD: Duration = Duration::from_secs(30);

/// How LEDs look.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Led {
    /// Red, green and blue.
    pub rgb: [u8; 3],
    /// Brightness, 0..=255.
    pub brightness: u8,
    /// How it changes, in the firmware's words.
    pub pattern: String,
}

/// LEDs that were told to look otherwise.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LedChange {
    /// When.
    pub at: Instant,
    /// Which, in the firmware's words.
    pub zone: String,
    /// How they look from then on.
    pub led: Led,
}

/// A servo that was driven.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServoMove {
    /// When.
    pub at: Instant,
    /// Of which puzzle.
    pub puzzle: String,
    /// Open afterwards.
    pub open: bool,
}

/// What is heard.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sound {
    /// File or address.
    pub source: String,
    /// Again and again.
    pub looped: bool,
    /// Held.
    pub paused: bool,
}

/// A list that keeps only its newest entries.
#[derive(Debug)]
pub(crate) struct Record<T>(VecDeque<T>);

impl<T> Default for Record<T> {
    fn default() -> Self {
        Self(VecDeque::new())
    }
}

impl<T: Clone> Record<T> {
    pub(crate) fn push(&mut self, entry: T) {
        if self.0.len() == RECORD {
            self.0.pop_front();
        }
        self.0.push_back(entry);
    }

    pub(crate) fn to_vec(&self) -> Vec<T> {
        self.0.iter().cloned().collect()
    }

    pub(crate) fn find_last(&mut self, matches: impl Fn(&T) -> bool) -> Option<&mut T> {
        self.0.iter_mut().rev().find(|entry| matches(entry))
    }
}

/// What hangs on a board.
#[derive(Debug)]
pub(crate) struct Board {
    pub(crate) led: Led,
    pub(crate) led_changes: Record<LedChange>,
    pub(crate) servo_moves: Record<ServoMove>,
    pub(crate) sound: Option<Sound>,
    /// Loudness on the firmware's own scale.
    pub(crate) volume: u8,
    pub(crate) shots: u32,
    pub(crate) restarts: u32,
    pub(crate) wifi_drops: u32,
    led_off_at: Option<Instant>,
    on_since: Instant,
    /// How long it ran before the simulation began.
    ran_before: Duration,
    rssi: i16,
    seed: u64,
    /// Where it listens.
    pub(crate) ip: IpAddr,
}

impl Board {
    pub(crate) fn new(
        seed: u64,
        rssi: i16,
        ran_before: Duration,
        ip: IpAddr,
        now: Instant,
    ) -> Self {
        Self {
            led: dark(),
            led_changes: Record::default(),
            servo_moves: Record::default(),
            sound: None,
            volume: 0,
            shots: 0,
            restarts: 0,
            wifi_drops: 0,
            led_off_at: None,
            on_since: now,
            ran_before,
            rssi,
            seed,
            ip,
        }
    }

    /// Off and on again: what is recorded stays.
    pub(crate) fn restart(&mut self, now: Instant) {
        self.led = dark();
        self.led_off_at = None;
        self.sound = None;
        self.shots = 0;
        self.restarts += 1;
        self.on_since = now;
        self.ran_before = Duration::ZERO;
    }

    pub(crate) fn uptime(&self, now: Instant) -> Duration {
        self.ran_before + now.saturating_duration_since(self.on_since)
    }

    /// Signal strength in dBm.
    pub(crate) fn rssi(&self, now: Instant) -> i64 {
        i64::from(self.rssi) + wander(self.seed, self.uptime(now), RSSI_PERIOD, RSSI_SPAN)
    }

    /// Free memory in bytes.
    pub(crate) fn heap_free(&self, now: Instant) -> i64 {
        HEAP + wander(!self.seed, self.uptime(now), HEAP_PERIOD, HEAP_SPAN)
    }

    pub(crate) fn set_led(&mut self, now: Instant, zone: &str, led: Led, lasts: Option<Duration>) {
        self.settle(now);
        self.led_off_at = lasts.map(|time| now + time);
        self.change_led(now, zone, led);
    }

    /// Makes happen what was due by now: LEDs that were to go dark.
    pub(crate) fn settle(&mut self, now: Instant) {
        if let Some(at) = self.led_off_at.take_if(|at| *at <= now) {
            self.change_led(at, "all", dark());
        }
    }

    fn change_led(&mut self, at: Instant, zone: &str, led: Led) {
        self.led = led.clone();
        self.led_changes.push(LedChange {
            at,
            zone: zone.to_owned(),
            led,
        });
    }

    pub(crate) fn drive_servo(&mut self, at: Instant, puzzle: &str, open: bool) {
        self.servo_moves.push(ServoMove {
            at,
            puzzle: puzzle.to_owned(),
            open,
        });
    }

    /// Takes a picture of this size and quality.
    pub(crate) fn shoot(&mut self, (width, height): (u16, u16), quality: u8) -> Shot {
        self.shots += 1;
        Shot {
            number: self.shots,
            width,
            height,
            quality,
            seed: self.seed,
        }
    }
}

fn dark() -> Led {
    Led {
        rgb: [0; 3],
        brightness: 0,
        pattern: "off".to_owned(),
    }
}

/// A number between `-span` and `span` that moves steadily from one value to the next in each
/// period; the same for the same seed and time.
fn wander(seed: u64, time: Duration, period: Duration, span: i64) -> i64 {
    let period = i64::try_from(period.as_millis()).unwrap_or(i64::MAX).max(1);
    let millis = i64::try_from(time.as_millis()).unwrap_or(i64::MAX);
    let (index, within) = (millis / period, millis % period);
    let value = |index: i64| {
        let width = u64::try_from(2 * span + 1).unwrap_or(1);
        i64::try_from(scramble(seed ^ index.unsigned_abs()) % width).unwrap_or(0) - span
    };
    let (from, to) = (value(index), value(index.saturating_add(1)));
    from + (to - from) * within / period
}

/// SplitMix64's output function (Steele, Lea, Flood: Fast Splittable Pseudorandom Number
/// Generators, 2014).
pub(crate) fn scramble(seed: u64) -> u64 {
    let mut z = seed.wrapping_add(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}
