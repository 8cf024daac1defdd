//! What the host remembers of a clock between two runs.

use regie_clock::Address;
use serde::{Deserialize, Serialize};

use crate::settings::Devices;
use crate::state::{KnownClock, QuietHoursSet, TimeSet};

/// What is known of the clock in use. Simulated and real clocks are remembered apart.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct ClockMemory {
    pub(crate) chosen: Option<KnownClock>,
    pub(crate) shown_slot: Option<u8>,
    pub(crate) time_set: Option<TimeSet>,
    pub(crate) quiet_hours: Option<QuietHoursSet>,
    /// How long sending a full picture took the last time.
    pub(crate) send_seconds: Option<u32>,
}

impl ClockMemory {
    /// The key it is stored under.
    pub(crate) fn key(devices: Devices) -> &'static str {
        match devices {
            Devices::Bluetooth => "clock.bluetooth",
            Devices::Simulated => "clock.simulated",
        }
    }

    /// What is known of a clock of which only the address is.
    pub(crate) fn of(address: &Address, simulated: bool) -> Self {
        let chosen = KnownClock {
            address: address.to_string(),
            name: address.to_string(),
            family: None,
            simulated,
        };
        Self {
            chosen: Some(chosen),
            ..Self::default()
        }
    }

    /// Whether it is about the clock with that address.
    pub(crate) fn is_of(&self, address: &Address) -> bool {
        self.chosen
            .as_ref()
            .is_some_and(|clock| clock.address == address.as_str())
    }
}
