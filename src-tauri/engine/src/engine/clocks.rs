//! Which clock: the scan, the choice, and the session that serves one kind of device at a time.

use std::sync::Arc;
use std::time::Duration;

use regie_clock::{Address, Dialects, Family, LinkState, Session, SessionConfig};

use super::{ClockMemory, DeviceSource, Engine, STOP_GRACE, lock};
use crate::convert;
use crate::error::EngineError;
use crate::no_adapter::NoAdapter;
use crate::settings::{Devices, Settings};
use crate::state::{KnownClock, NearbyClock};
use crate::store::Store;

/// How long a door's scan listens. A clock advertises about once a second while it is awake.
const SCAN_TIME: Duration = Duration::from_secs(10);

/// The session in use. Each gets a number, so that what comes late from an earlier one is known
/// as such.
#[derive(Clone)]
pub(super) struct Current {
    pub(super) number: u32,
    pub(super) devices: Devices,
    pub(super) session: Session,
}

impl Current {
    /// Starts a session on that kind of device.
    pub(super) fn start(
        number: u32,
        source: &dyn DeviceSource,
        dialects: &Dialects,
        devices: Devices,
        settings: &Settings,
        memory: &ClockMemory,
    ) -> Self {
        let adapter = source
            .adapter(devices)
            .unwrap_or_else(|error| Arc::new(NoAdapter(error)));
        let usual = SessionConfig::default();
        let config = SessionConfig {
            default_target: address(memory),
            connect_limit: source.connect_limit(devices).unwrap_or(usual.connect_limit),
            idle_timeout: Duration::from_secs(settings.idle_seconds.into()),
            skip_unchanged: settings.skip_unchanged,
            ..usual
        };
        Self {
            number,
            devices,
            session: Session::spawn(adapter, dialects.clone(), config),
        }
    }
}

fn address(memory: &ClockMemory) -> Option<Address> {
    memory
        .chosen
        .as_ref()
        .map(|clock| Address::new(&clock.address))
}

/// Ends [`ClockState::scanning`](crate::ClockState::scanning) however the scan ends.
struct Scanning<'a>(&'a Engine);

impl Drop for Scanning<'_> {
    fn drop(&mut self) {
        self.0.change(|state| state.clock.scanning = false);
    }
}

impl Engine {
    /// Listens for clocks for a while; [`ClockState::nearby`](crate::ClockState::nearby) shows
    /// them as they are heard. A scan under way serves this caller too.
    ///
    /// # Errors
    /// [`EngineError::Clock`] when Bluetooth cannot be used.
    pub async fn scan(&self) -> Result<(), EngineError> {
        if !self.shared.state.borrow().clock.scanning {
            self.scan_for(SCAN_TIME).await?;
        }
        Ok(())
    }

    /// Listens for clocks for that long and returns them, strongest first.
    ///
    /// # Errors
    /// [`EngineError::Clock`] when Bluetooth cannot be used.
    pub async fn scan_for(&self, duration: Duration) -> Result<Vec<NearbyClock>, EngineError> {
        self.change(|state| state.clock.scanning = true);
        let _scanning = Scanning(self);
        let heard = self.current().session.scan(duration).await?;
        Ok(heard.iter().map(convert::nearby).collect())
    }

    /// Chooses the clock that operations go to from now on; `None` takes the first one heard.
    ///
    /// # Errors
    /// [`EngineError::Clock`] for what is no address, [`EngineError::Store`].
    pub async fn choose_clock(&self, address: Option<&str>) -> Result<(), EngineError> {
        let address = address.map(Address::parse).transpose()?;
        let _turn = self.shared.learning.lock().await;
        let fresh = match address.map(|address| self.known(&address)) {
            Some(clock) => {
                let recall = move |store: &Store| ClockMemory::recall(store, clock);
                self.shared.store.run(recall).await?
            }
            None => ClockMemory::default(),
        };
        self.update_memory(None, |memory| {
            let address = |memory: &ClockMemory| memory.chosen.as_ref().map(|c| c.address.clone());
            if address(memory) != address(&fresh) {
                *memory = fresh;
            }
        })
        .await
    }

    pub(super) fn known(&self, address: &Address) -> KnownClock {
        let state = self.shared.state.borrow();
        let heard = state
            .clock
            .nearby
            .iter()
            .find(|clock| clock.address == address.as_str());
        KnownClock {
            address: address.to_string(),
            name: heard.map_or_else(|| address.to_string(), |clock| clock.name.clone()),
            family: heard.and_then(|clock| Family::of_name(&clock.name)),
            simulated: state.simulated,
        }
    }

    /// Changes what is remembered of the clock, shows it and keeps it. With the number of a
    /// session, only while that session is in use.
    pub(super) async fn update_memory(
        &self,
        session: Option<u32>,
        change: impl FnOnce(&mut ClockMemory),
    ) -> Result<(), EngineError> {
        {
            // Wherever both locks are held, this one is taken first.
            let current = lock(&self.shared.current);
            if session.is_some_and(|number| number != current.number) {
                return Ok(());
            }
            let mut memory = lock(&self.shared.memory);
            change(&mut memory);
            current.session.set_default_target(address(&memory));
            self.show_memory(&memory);
        }
        let engine = self.clone();
        self.shared
            .store
            .run(move |store| {
                // As it is by now: of two changes, the later one must be the one that stays.
                let (devices, memory) = {
                    let current = lock(&engine.shared.current);
                    let memory = lock(&engine.shared.memory).clone();
                    (current.devices, memory)
                };
                memory.keep(store, engine.shared.keeps_choice.then_some(devices))
            })
            .await
    }

    /// Ends the session on the old devices and starts one on the new.
    pub(super) async fn switch(&self, devices: Devices) -> Result<(), EngineError> {
        let anew = self.shared.source.begin_anew(devices);
        let recall = move |store: &Store| {
            if anew {
                ClockMemory::forget_simulated(store)?;
            }
            ClockMemory::recall_choice(store, devices)
        };
        let memory = self.shared.store.run(recall).await?;
        let settings = self.shared.state.borrow().settings.clone();
        let fresh = {
            let mut current = lock(&self.shared.current);
            let fresh = Current::start(
                current.number + 1,
                &*self.shared.source,
                &self.dialects(),
                devices,
                &settings,
                &memory,
            );
            let old = std::mem::replace(&mut *current, fresh.clone());
            lock(&self.shared.memory).clone_from(&memory);
            self.change(|state| {
                state.simulated = devices == Devices::Simulated;
                state.clock.nearby.clear();
                state.clock.scanning = false;
            });
            self.show_memory(&memory);
            self.shared
                .tasks
                .spawn(async move { old.session.shutdown(STOP_GRACE).await });
            fresh
        };
        self.follow_session(fresh);
        Ok(())
    }

    /// Shows a session's link and what it hears, until another session takes its place.
    pub(super) fn follow_session(&self, followed: Current) {
        let (mut link, mut heard) = (followed.session.state(), followed.session.heard());
        let engine = self.clone();
        self.shared.tasks.spawn(async move {
            loop {
                let view = convert::link(&link.borrow_and_update());
                let nearby = heard
                    .borrow_and_update()
                    .iter()
                    .map(convert::nearby)
                    .collect();
                {
                    let current = lock(&engine.shared.current);
                    if current.number != followed.number {
                        return;
                    }
                    engine.change(|state| {
                        state.clock.link = view;
                        state.clock.nearby = nearby;
                    });
                }
                // It may have closed before this began to follow it.
                if matches!(*link.borrow(), LinkState::Closed) {
                    return;
                }
                let open = tokio::select! {
                    changed = link.changed() => changed.is_ok(),
                    changed = heard.changed() => changed.is_ok(),
                };
                if !open || matches!(*link.borrow(), LinkState::Closed) {
                    return;
                }
            }
        });
    }
}
