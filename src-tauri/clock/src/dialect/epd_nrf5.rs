//! The open EPD-nRF5 firmware: clocks advertised as `NRF_EPD_...`.
//!
//! The bytes were read in the firmware's public sources (tsl0922/EPD-nRF5 and mj8724/EPD-nRF5).

use super::family::{CharacteristicId, GattTable};
use super::{Answer, Dialect, Family, Script, Terms};
use crate::ClockError;
use crate::request::Request;

/// The service of the family; its characteristics differ in the second group of digits only.
const SERVICE: u128 = 0x62750001_d828_918d_fb46_b6c11c675aec;

/// The characteristics of the family.
pub(super) const EPD_NRF5_GATT: GattTable = GattTable {
    name_prefix: "NRF_EPD_",
    main: CharacteristicId {
        service: SERVICE,
        characteristic: 0x62750002_d828_918d_fb46_b6c11c675aec,
    },
    alt: None,
    version: Some(CharacteristicId {
        service: SERVICE,
        characteristic: 0x62750003_d828_918d_fb46_b6c11c675aec,
    }),
};

/// The dialect.
#[derive(Debug, Clone, Copy, Default)]
pub struct EpdNrf5;

impl Dialect for EpdNrf5 {
    fn family(&self) -> Family {
        Family::EpdNrf5
    }

    fn script(&self, request: &Request, _terms: Terms) -> Result<Script, ClockError> {
        Err(ClockError::NotSupported {
            request: request.name().to_owned(),
        })
    }

    fn interpret(&self, _notification: &[u8]) -> Answer {
        Answer::Other
    }
}
