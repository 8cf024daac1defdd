//! Faults of BlueZ that the fake shows when they are ordered.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// One fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BusFault {
    /// `Connect` is answered with `le-connection-abort-by-local`.
    ConnectFails,
    /// `Connect` is not answered, and others meanwhile with `Operation already in progress`, until
    /// `Disconnect` cancels it.
    ConnectHangs,
    /// `Connect` is answered with success, but there is no connection.
    ConnectSaysYesOnly,
    /// The device leaves the bus just before `Connect`.
    DeviceVanishes,
    /// A connection comes about, but its services never show up.
    ServicesNeverResolve,
    /// They show up without the command characteristic.
    ServicesIncomplete,
    /// Subscribing is refused.
    NotifyRefused,
    /// The next link's notifications come twice each.
    NotificationsDoubled,
    /// Properties of the device change all the time while the next link lasts.
    Chatter {
        /// Between two changes.
        every: Duration,
    },
    /// Something goes wrong with a write.
    Write {
        /// Writes that go well before.
        after: u32,
        /// What goes wrong.
        how: BusWriteFault,
    },
}

/// What goes wrong with a write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BusWriteFault {
    /// Refused with this ATT error.
    AttError(u8),
    /// Refused as too long.
    InvalidLength,
    /// Refused as not permitted.
    NotPermitted,
    /// Taken, but late.
    Slow(Duration),
    /// Never answered; writes to the same characteristic meanwhile with `In Progress`.
    Unanswered,
}

/// The faults ordered and not shown yet.
#[derive(Debug, Default)]
pub(crate) struct Faults(Mutex<Vec<(BusFault, u32)>>);

impl Faults {
    pub(crate) fn order(&self, fault: BusFault, times: u32) {
        if times > 0 {
            self.lock().push((fault, times));
        }
    }

    pub(crate) fn clear(&self) {
        self.lock().clear();
    }

    /// Takes the first fault that is wanted.
    pub(crate) fn take<T>(&self, pick: impl Fn(&BusFault) -> Option<T>) -> Option<T> {
        let mut faults = self.lock();
        let (index, found) = faults
            .iter()
            .enumerate()
            .find_map(|(index, (fault, _))| Some((index, pick(fault)?)))?;
        faults[index].1 -= 1;
        if faults[index].1 == 0 {
            faults.remove(index);
        }
        Some(found)
    }

    /// Whether this fault is ordered; takes it then.
    pub(crate) fn shows(&self, wanted: BusFault) -> bool {
        self.take(|fault| (*fault == wanted).then_some(()))
            .is_some()
    }

    /// What goes wrong with the write that comes now.
    pub(crate) fn of_write(&self) -> Option<BusWriteFault> {
        let found = self.take(|fault| match fault {
            BusFault::Write { after: 0, how } => Some(*how),
            _ => None,
        });
        if found.is_none() {
            for (fault, _) in self.lock().iter_mut() {
                if let BusFault::Write { after, .. } = fault {
                    *after = after.saturating_sub(1);
                }
            }
        }
        found
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<(BusFault, u32)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
