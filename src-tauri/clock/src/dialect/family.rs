//! The families of clocks there are, and how each is told from the others.

use serde::{Deserialize, Serialize};

use super::epd_nrf5::EPD_NRF5_GATT;
use super::pingping::PINGPING_GATT;
use crate::link::Channel;

/// A family of clocks: they share characteristics and talk alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "kebab-case")]
pub enum Family {
    /// The "Pingping" firmware, advertised as `NRF-...`.
    Pingping,
    /// The open EPD-nRF5 firmware, advertised as `NRF_EPD_...`.
    EpdNrf5,
}

impl Family {
    /// Every family.
    pub const ALL: [Self; 2] = [Self::Pingping, Self::EpdNrf5];

    /// Its name, for logs and reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pingping => "pingping",
            Self::EpdNrf5 => "epd-nrf5",
        }
    }

    /// Its characteristics.
    #[must_use]
    pub const fn gatt(self) -> &'static GattTable {
        match self {
            Self::Pingping => &PINGPING_GATT,
            Self::EpdNrf5 => &EPD_NRF5_GATT,
        }
    }

    /// Whether a clock that is given the time draws its own page, over a picture that it shows.
    #[must_use]
    pub const fn time_replaces_picture(self) -> bool {
        match self {
            Self::Pingping => false,
            Self::EpdNrf5 => true,
        }
    }

    /// The family that advertises names like this. Only the characteristics of a connected clock
    /// say for certain.
    #[must_use]
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|family| name.starts_with(family.gatt().name_prefix))
    }
}

/// Where a characteristic is, as 128-bit UUIDs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CharacteristicId {
    /// Its service.
    pub service: u128,
    /// Itself.
    pub characteristic: u128,
}

/// Where a family of clocks keeps its characteristics.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GattTable {
    /// How the advertised name begins.
    pub name_prefix: &'static str,
    /// [`Channel::Main`]: written to, and notifies.
    pub main: CharacteristicId,
    /// [`Channel::Alt`], where there is one.
    pub alt: Option<CharacteristicId>,
    /// One byte to be read, the version of the firmware. It may be absent.
    pub version: Option<CharacteristicId>,
}

impl GattTable {
    /// The characteristic of a channel.
    #[must_use]
    pub const fn of(&self, channel: Channel) -> Option<CharacteristicId> {
        match channel {
            Channel::Main => Some(self.main),
            Channel::Alt => self.alt,
        }
    }

    /// The services of all characteristics that are written to.
    pub fn services(&self) -> impl Iterator<Item = u128> {
        std::iter::once(self.main)
            .chain(self.alt)
            .map(|id| id.service)
    }
}

/// What reading the services of a connected clock has shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Discovered {
    /// Whose characteristics it has.
    pub family: Family,
    /// Its firmware's version, where it keeps one.
    pub version: Option<u8>,
}
