//! Which of the system's adapters is used, and for how long.

use btleplug::api::{Central as _, CentralState, Manager as _};
use btleplug::platform::{Adapter, Manager};
use tokio::sync::Mutex;

use super::adapter::in_time;
use super::native;
use crate::ClockError;
use crate::link::Unavailable;

/// On Windows and macOS a device is known only to the adapter's object that has heard it, and each
/// list of adapters is made of new objects; with a new one, every clock would have been "forgotten"
/// by the time it is to be connected. On Linux the objects are names on the bus.
const DEVICES_STAY_WITH_THEIR_ADAPTER: bool = !cfg!(target_os = "linux");

/// The adapter in use.
#[derive(Debug, Default)]
pub(super) struct Chosen {
    kept: Mutex<Kept>,
}

#[derive(Debug, Default)]
struct Kept {
    /// Each one opens a connection to the system's Bluetooth service.
    manager: Option<Manager>,
    adapter: Option<Adapter>,
}

impl Chosen {
    /// The adapter to use: the first that is switched on, from then on the same.
    pub(super) async fn powered(&self) -> Result<Adapter, ClockError> {
        let mut kept = self.kept.lock().await;
        if let Some(reason) = in_time("Bluetooth", native::available()).await? {
            // What comes back is another object.
            kept.adapter = None;
            return Err(unavailable(reason));
        }
        if let Some(adapter) = kept.adapter.clone() {
            if is_on(&adapter).await? {
                return Ok(adapter);
            }
            kept.adapter = None;
        }
        let manager = match kept.manager.take() {
            Some(manager) => manager,
            None => in_time("Bluetooth", Manager::new()).await?,
        };
        // A manager that fails is not kept: its connection to the service may be gone.
        let adapters = in_time("the adapter list", manager.adapters()).await?;
        kept.manager = Some(manager);
        if adapters.is_empty() {
            return Err(unavailable(Unavailable::NoAdapter));
        }
        for adapter in adapters {
            if is_on(&adapter).await? {
                if DEVICES_STAY_WITH_THEIR_ADAPTER {
                    kept.adapter = Some(adapter.clone());
                }
                return Ok(adapter);
            }
        }
        Err(unavailable(Unavailable::RadioOff))
    }

    /// Chooses anew the next time: this one has failed.
    pub(super) async fn forget(&self) {
        self.kept.lock().await.adapter = None;
    }
}

/// A state that is not known yet is worth a try.
async fn is_on(adapter: &Adapter) -> Result<bool, ClockError> {
    let state = in_time("the adapter", adapter.adapter_state()).await?;
    Ok(state != CentralState::PoweredOff)
}

fn unavailable(reason: Unavailable) -> ClockError {
    ClockError::BluetoothUnavailable { reason }
}
