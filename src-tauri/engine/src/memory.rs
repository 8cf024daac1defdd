//! What the host remembers of a clock between two runs.

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use regie_clock::{Address, ClockError, ClockTime, Face, Family, Zone};
use serde::{Deserialize, Serialize};

use crate::error::EngineError;
use crate::settings::Devices;
use crate::state::{HostCalendar, KnownClock, QuietHoursSet, Slot, TimeSet};
use crate::store::Store;

/// What is known of one clock. Which clock was chosen is remembered for simulated and real ones
/// apart.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct ClockMemory {
    pub(crate) chosen: Option<KnownClock>,
    pub(crate) shown: Option<Shown>,
    /// The face that it was last given, a picture being one.
    pub(crate) face: Option<Face>,
    pub(crate) time_set: Option<TimeSet>,
    pub(crate) quiet_hours: Option<QuietHoursSet>,
    /// How long sending a full picture took the last time.
    pub(crate) send_seconds: Option<u32>,
}

/// A picture of the host's that a clock shows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Shown {
    /// What a slot held at that time.
    Slot {
        held: Slot,
        /// In black and white only.
        mono: bool,
    },
    /// A page of the host's calendar.
    Calendar(HostCalendar),
}

impl ClockMemory {
    /// The key that the chosen clock is stored under.
    fn key_of_choice(devices: Devices) -> &'static str {
        match devices {
            Devices::Bluetooth => "clock.bluetooth",
            Devices::Simulated => "clock.simulated",
        }
    }

    /// How the keys of clocks begin, chosen or not.
    const KEYS_OF_CLOCKS: &str = "clock.of.";

    fn key_of(address: &str) -> String {
        format!("{}{address}", Self::KEYS_OF_CLOCKS)
    }

    /// What is remembered of the chosen clock. Which one it is, the key of the choice says; the
    /// rest is what is remembered of that clock, whoever used it last.
    pub(crate) fn recall_choice(store: &Store, devices: Devices) -> Result<Self, EngineError> {
        let choice: Option<Self> = store.recall(Self::key_of_choice(devices))?;
        match choice.and_then(|choice| choice.chosen) {
            Some(clock) => Self::recall(store, clock),
            None => Ok(Self::default()),
        }
    }

    /// Forgets what any clock shows.
    pub(crate) fn forget_shown(store: &Store) -> Result<(), EngineError> {
        Self::change_all(store, |memory| (memory.shown, memory.face) = (None, None))
    }

    /// Forgets which pictures simulated clocks show.
    pub(crate) fn forget_simulated(store: &Store) -> Result<(), EngineError> {
        Self::change_all(store, |memory| {
            if memory.chosen.as_ref().is_some_and(|clock| clock.simulated) {
                memory.shown = None;
            }
        })
    }

    fn change_all(store: &Store, change: impl Fn(&mut Self)) -> Result<(), EngineError> {
        for (key, mut memory) in store.recall_all::<Self>(Self::KEYS_OF_CLOCKS)? {
            change(&mut memory);
            store.remember(&key, Some(&memory))?;
        }
        Ok(())
    }

    /// What is remembered of a clock, called as it is called now.
    pub(crate) fn recall(store: &Store, now: KnownClock) -> Result<Self, EngineError> {
        let remembered: Option<Self> = store.recall(&Self::key_of(&now.address))?;
        let mut memory = remembered.unwrap_or_default();
        memory.chosen = Some(match memory.chosen.take() {
            // Of a clock that was not heard, nothing but its address is known now.
            Some(before) if now.name == now.address => before,
            before => KnownClock {
                family: now.family.or(before.and_then(|clock| clock.family)),
                ..now
            },
        });
        Ok(memory)
    }

    /// Writes it down: for its clock and, where it is that of the next start, as the choice.
    pub(crate) fn keep(&self, store: &Store, choice: Option<Devices>) -> Result<(), EngineError> {
        if let Some(clock) = &self.chosen {
            store.remember(&Self::key_of(&clock.address), Some(self))?;
        }
        match choice {
            Some(devices) => store.remember(Self::key_of_choice(devices), Some(self)),
            None => Ok(()),
        }
    }

    /// The slot that the clock is known to show; none when the slot holds something else by now.
    pub(crate) fn shown_slot(&self, slots: &[Option<Slot>]) -> Option<u8> {
        let Some(Shown::Slot { held: shown, .. }) = &self.shown else {
            return None;
        };
        let held = slots.get(usize::from(shown.slot))?.as_ref();
        (held == Some(shown)).then_some(shown.slot)
    }

    /// The page of the host's calendar that it is known to show.
    pub(crate) fn host_calendar(&self) -> Option<&HostCalendar> {
        match &self.shown {
            Some(Shown::Calendar(calendar)) => Some(calendar),
            _ => None,
        }
    }

    /// The family of the clock. Of one that is not known yet, what most of them are.
    pub(crate) fn family(&self) -> Family {
        let known = self.chosen.as_ref().and_then(|clock| clock.family);
        known.unwrap_or(Family::Pingping)
    }

    /// Whether a new time would take a picture off its screen, or might.
    pub(crate) fn time_replaces_picture(&self) -> bool {
        self.family().time_replaces_picture() && self.face.is_none_or(|face| face == Face::Picture)
    }

    /// The zone that the clock is on: the one it was set to, or this computer's where it was to
    /// follow that or was never set.
    pub(crate) fn zone(&self) -> Zone {
        let set = self.time_set.as_ref().filter(|set| !set.follows_host);
        set.and_then(|set| set.zone.parse().ok())
            .unwrap_or_else(Zone::system)
    }

    /// The date where the clock is.
    pub(crate) fn today(&self) -> Result<Date, EngineError> {
        let now = ClockTime::now(&self.zone())?;
        let local = Timestamp::from_second(now.shifted_epoch().into());
        // The clock's seconds are local already, which reads as UTC.
        let local = local.map_err(|_| ClockError::TimeOutOfRange)?;
        Ok(local.to_zoned(TimeZone::UTC).date())
    }

    /// Whether it is about the clock with that address.
    pub(crate) fn is_of(&self, address: &Address) -> bool {
        self.chosen
            .as_ref()
            .is_some_and(|clock| clock.address == address.as_str())
    }
}
