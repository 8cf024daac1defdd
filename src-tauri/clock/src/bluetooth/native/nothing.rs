//! The answers of systems of which nothing needs to be asked beside btleplug.

use btleplug::api::BDAddr;

use crate::link::Unavailable;

/// Whether btleplug reads services as the system has stored them, instead of from the device.
pub(in crate::bluetooth) const SERVICES_ARE_STORED: bool = false;

/// btleplug's own word is enough.
pub(in crate::bluetooth) async fn available() -> btleplug::Result<Option<Unavailable>> {
    Ok(None)
}

/// Whether a person has forbidden Bluetooth to this program: not known beforehand.
pub(in crate::bluetooth) fn forbidden() -> Option<bool> {
    None
}

/// btleplug knows the names of connected devices.
pub(in crate::bluetooth) async fn name_of(_: BDAddr) -> Option<String> {
    None
}

/// What btleplug reads is what the device answers.
pub(in crate::bluetooth) async fn read_anew(_: BDAddr) -> btleplug::Result<()> {
    Ok(())
}

/// A link is kept until it is let go.
pub(in crate::bluetooth) struct Kept;

impl Kept {
    /// Nothing needs to be held.
    pub(in crate::bluetooth) async fn hold(_: BDAddr) -> Option<Self> {
        None
    }
}
