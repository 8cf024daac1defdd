//! Which of the system's adapters is used, and for how long.

use btleplug::api::{Central as _, CentralState, Manager as _};
use btleplug::platform::{Adapter, Manager};
use tokio::runtime::Handle;
use tokio::sync::Mutex;
use tokio::time::timeout;

use super::adapter::{QUESTION, in_time, no_answer};
use super::{failure, native};
use crate::ClockError;
use crate::link::Unavailable;

/// On Windows and macOS a device is known only to the adapter's object that has heard it, and each
/// list of adapters is made of new objects; with a new one, every clock would have been "forgotten"
/// by the time it is to be connected. On Linux the objects are names on the bus.
const DEVICES_STAY_WITH_THEIR_ADAPTER: bool = !cfg!(target_os = "linux");

/// Connections to the system's Bluetooth service that are given up for want of an answer. None can
/// be closed, so that a service that hangs must not cost one each time it is asked.
const RENEWALS: u32 = 16;

/// The adapter in use.
#[derive(Debug, Default)]
pub(super) struct Chosen {
    kept: Mutex<Kept>,
}

#[derive(Debug, Default)]
struct Kept {
    /// Each one opens a connection to the system's Bluetooth service.
    manager: Option<Manager>,
    /// How many were given up for want of an answer.
    renewals: u32,
    adapter: Option<Adapter>,
}

impl Kept {
    async fn adapters(&mut self) -> Result<Vec<Adapter>, ClockError> {
        let manager = match &self.manager {
            Some(manager) => manager.clone(),
            None => self.manager.insert(new_manager().await?).clone(),
        };
        match timeout(QUESTION, manager.adapters()).await {
            Ok(Ok(adapters)) => Ok(adapters),
            Ok(Err(error)) => {
                if failure::cut_off(&error) {
                    self.manager = None;
                }
                Err(failure::general(&error))
            }
            Err(_) => {
                // The connection may be the one that is dead, rather than the service.
                if self.renewals < RENEWALS {
                    self.renewals += 1;
                    self.manager = None;
                }
                Err(no_answer("the adapter list"))
            }
        }
    }
}

impl Chosen {
    /// The adapter to use: the first that is switched on, from then on the same.
    pub(super) async fn powered(&self) -> Result<Adapter, ClockError> {
        let mut kept = self.kept.lock().await;
        let known = match in_time("Bluetooth", native::available()).await {
            Ok(None) => Ok(()),
            Ok(Some(reason)) => Err(unavailable(reason)),
            Err(error @ ClockError::BluetoothUnavailable { .. }) => Err(error),
            Err(error) => {
                // What it does not tell, the use of it will.
                tracing::debug!(%error, "the system does not say whether Bluetooth can be used");
                Ok(())
            }
        };
        if let Err(error) = known {
            // What comes back is another object.
            kept.adapter = None;
            return Err(error);
        }
        if let Some(adapter) = kept.adapter.clone() {
            if is_on(&adapter).await? {
                return Ok(adapter);
            }
            kept.adapter = None;
        }
        let adapters = kept.adapters().await?;
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

/// Connects to the system's Bluetooth service. That may block, which must not keep what else is
/// done here from its deadlines.
async fn new_manager() -> Result<Manager, ClockError> {
    let runtime = Handle::current();
    let connecting = tokio::task::spawn_blocking(move || runtime.block_on(Manager::new()));
    match timeout(QUESTION, connecting).await {
        Ok(Ok(manager)) => manager.map_err(|error| failure::general(&error)),
        Ok(Err(error)) => Err(ClockError::Bluetooth {
            detail: error.to_string(),
        }),
        Err(_) => Err(no_answer("Bluetooth")),
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
