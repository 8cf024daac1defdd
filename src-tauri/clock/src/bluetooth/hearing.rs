//! Devices as the system hears them.

pub(super) use self::system::Hearing;

/// What a hearing yields.
pub(super) enum Heard {
    /// Something was heard of this device.
    Device(btleplug::platform::Peripheral),
    /// Nothing that matters, but time has passed.
    Nothing,
    /// The radio or the system's service has gone.
    End,
}

#[cfg(target_os = "linux")]
mod system {
    use std::collections::{BTreeSet, HashMap};
    use std::time::Duration;

    use btleplug::api::Central as _;
    use btleplug::platform::{Adapter, Peripheral};
    use tokio::time::sleep;

    use super::Heard;
    use crate::ClockError;
    use crate::bluetooth::adapter::in_time;
    use crate::bluetooth::bluez::{Bus, News, path_of};

    /// How long news of unknown devices are gathered: who they are is asked for all of them
    /// together, since the answer tells of every device there is.
    const GATHER: Duration = Duration::from_millis(100);

    /// What is heard, from news of the bus.
    pub(in crate::bluetooth) struct Hearing {
        bus: Bus,
        adapter: Adapter,
        path: String,
        known: HashMap<String, Peripheral>,
        /// Paths of devices with news, each once however often it was heard.
        waiting: BTreeSet<String>,
        ended: bool,
    }

    impl Hearing {
        pub(in crate::bluetooth) async fn open(adapter: &Adapter) -> Result<Self, ClockError> {
            let info = in_time("the adapter", adapter.adapter_info()).await?;
            // Its name in the system, then its make in brackets.
            let name = info.split(' ').next().unwrap_or_default();
            let path = format!("/org/bluez/{name}");
            let bus = in_time("the bus", Bus::open()).await?;
            in_time("the bus", bus.listen(&path)).await?;
            Ok(Self {
                bus,
                adapter: adapter.clone(),
                path,
                known: HashMap::new(),
                waiting: BTreeSet::new(),
                ended: false,
            })
        }

        /// May be given up at any time.
        pub(in crate::bluetooth) async fn next(&mut self) -> Heard {
            if self.waiting.is_empty() && !self.ended {
                match self.bus.next().await {
                    Some(news) => self.note(news),
                    None => self.ended = true,
                }
            }
            while let Some(news) = self.bus.at_hand() {
                self.note(news);
            }
            if self.ended {
                return Heard::End;
            }
            let Some(path) = self.waiting.first().cloned() else {
                return Heard::Nothing;
            };
            if !self.known.contains_key(&path) {
                sleep(GATHER).await;
                let all = in_time("the devices", self.adapter.peripherals()).await;
                let all = all.unwrap_or_default();
                self.known = all.into_iter().map(|p| (path_of(&p), p)).collect();
            }
            self.waiting.remove(&path);
            // One that is not there has gone meanwhile.
            self.known
                .get(&path)
                .map_or(Heard::Nothing, |known| Heard::Device(known.clone()))
        }

        fn note(&mut self, news: News) {
            match news {
                News::Device { path } => {
                    if path.starts_with(&self.path) {
                        self.waiting.insert(path);
                    }
                }
                News::Removed { path } => {
                    self.ended |= path == self.path;
                    self.known.remove(&path);
                    self.waiting.remove(&path);
                }
                News::Off | News::ServiceEnded => self.ended = true,
                News::Disconnected { .. } | News::Value { .. } => {}
            }
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    use std::pin::Pin;

    use btleplug::api::{Central as _, CentralEvent, CentralState};
    use btleplug::platform::{Adapter, PeripheralId};
    use futures::{Stream, StreamExt};

    use super::Heard;
    use crate::ClockError;
    use crate::bluetooth::adapter::in_time;

    /// What is heard, from the system's events.
    pub(in crate::bluetooth) struct Hearing {
        adapter: Adapter,
        events: Pin<Box<dyn Stream<Item = CentralEvent> + Send>>,
    }

    impl Hearing {
        pub(in crate::bluetooth) async fn open(adapter: &Adapter) -> Result<Self, ClockError> {
            let events = in_time("the adapter's events", adapter.events()).await?;
            let adapter = adapter.clone();
            Ok(Self { adapter, events })
        }

        /// May be given up at any time.
        pub(in crate::bluetooth) async fn next(&mut self) -> Heard {
            let id = match self.events.next().await {
                None | Some(CentralEvent::StateUpdate(CentralState::PoweredOff)) => {
                    return Heard::End;
                }
                Some(event) => of_device(event),
            };
            let Some(id) = id else { return Heard::Nothing };
            // A device that has gone meanwhile says nothing.
            in_time("a device", self.adapter.peripheral(&id))
                .await
                .map_or(Heard::Nothing, Heard::Device)
        }
    }

    /// The device that an event says something new about.
    fn of_device(event: CentralEvent) -> Option<PeripheralId> {
        match event {
            CentralEvent::DeviceDiscovered(id)
            | CentralEvent::DeviceUpdated(id)
            | CentralEvent::ManufacturerDataAdvertisement { id, .. }
            | CentralEvent::ServiceDataAdvertisement { id, .. }
            | CentralEvent::ServicesAdvertisement { id, .. }
            | CentralEvent::RssiUpdate { id, .. } => Some(id),
            _ => None,
        }
    }
}
