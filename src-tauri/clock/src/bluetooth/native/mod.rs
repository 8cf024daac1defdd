//! What btleplug leaves to be asked of the system itself. Only Windows needs it: elsewhere each
//! question has an answer that changes nothing.

#[cfg_attr(windows, path = "winrt.rs")]
#[cfg_attr(not(windows), path = "nothing.rs")]
mod system;

pub(super) use system::{Kept, SERVICES_ARE_STORED, available, forbidden, name_of, read_anew};
