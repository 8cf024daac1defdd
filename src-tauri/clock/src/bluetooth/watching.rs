//! What comes from a connected device.

pub(super) use self::system::Watching;

/// What a watch yields.
pub(super) enum Seen {
    /// A value of the characteristic with this UUID.
    Value(uuid::Uuid, Vec<u8>),
    /// The link is gone.
    Gone,
}

#[cfg(target_os = "linux")]
mod system {
    use std::collections::HashMap;

    use btleplug::platform::{Adapter, Peripheral};
    use uuid::Uuid;

    use super::Seen;
    use crate::ClockError;
    use crate::bluetooth::adapter::in_time;
    use crate::bluetooth::bluez::{Bus, News, path_of};

    /// What comes, from news of the bus.
    pub(in crate::bluetooth) struct Watching {
        bus: Bus,
        device: String,
        /// The UUIDs of characteristics, by path; none of one that does not tell.
        characteristics: HashMap<String, Option<Uuid>>,
        /// A value whose characteristic is being asked for.
        pending: Option<(String, Vec<u8>)>,
    }

    impl Watching {
        pub(in crate::bluetooth) async fn open(
            _adapter: &Adapter,
            peripheral: &Peripheral,
        ) -> Result<Self, ClockError> {
            let bus = in_time("the bus", Bus::open()).await?;
            let device = path_of(peripheral);
            in_time("the bus", bus.listen(&device)).await?;
            Ok(Self {
                bus,
                device,
                characteristics: HashMap::new(),
                pending: None,
            })
        }

        /// May be given up at any time.
        pub(in crate::bluetooth) async fn next(&mut self) -> Seen {
            loop {
                if let Some((path, _)) = &self.pending {
                    if !self.characteristics.contains_key(path) {
                        let uuid = in_time("a characteristic", self.bus.uuid(path)).await;
                        let uuid = uuid.ok().and_then(|text| Uuid::parse_str(&text).ok());
                        self.characteristics.insert(path.clone(), uuid);
                    }
                    let uuid = self.characteristics.get(path).copied().flatten();
                    if let (Some((_, value)), Some(uuid)) = (self.pending.take(), uuid) {
                        return Seen::Value(uuid, value);
                    }
                }
                match self.bus.next().await {
                    None | Some(News::Off | News::ServiceEnded) => return Seen::Gone,
                    Some(News::Disconnected { path } | News::Removed { path }) => {
                        // The adapter takes its devices with it.
                        if self.device.starts_with(&path) {
                            return Seen::Gone;
                        }
                    }
                    Some(News::Value { path, value }) => self.pending = Some((path, value)),
                    Some(News::Device { .. }) => {}
                }
            }
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    use std::pin::Pin;

    use btleplug::api::{Central as _, CentralEvent, Peripheral as _, ValueNotification};
    use btleplug::platform::{Adapter, Peripheral, PeripheralId};
    use futures::{Stream, StreamExt};

    use super::Seen;
    use crate::ClockError;
    use crate::bluetooth::adapter::in_time;

    /// What comes, from the system's events. Their end says nothing about the link.
    pub(in crate::bluetooth) struct Watching {
        device: PeripheralId,
        events: Pin<Box<dyn Stream<Item = CentralEvent> + Send>>,
        events_open: bool,
        values: Pin<Box<dyn Stream<Item = ValueNotification> + Send>>,
        values_open: bool,
    }

    impl Watching {
        pub(in crate::bluetooth) async fn open(
            adapter: &Adapter,
            peripheral: &Peripheral,
        ) -> Result<Self, ClockError> {
            Ok(Self {
                device: peripheral.id(),
                events: in_time("the adapter's events", adapter.events()).await?,
                events_open: true,
                values: in_time("notifications", peripheral.notifications()).await?,
                values_open: true,
            })
        }

        /// May be given up at any time.
        pub(in crate::bluetooth) async fn next(&mut self) -> Seen {
            loop {
                tokio::select! {
                    value = self.values.next(), if self.values_open => match value {
                        Some(value) => return Seen::Value(value.uuid, value.value),
                        None => self.values_open = false,
                    },
                    event = self.events.next(), if self.events_open => match event {
                        Some(CentralEvent::DeviceDisconnected(gone)) if gone == self.device => {
                            return Seen::Gone;
                        }
                        Some(_) => {}
                        None => self.events_open = false,
                    },
                    else => std::future::pending().await,
                }
            }
        }
    }
}
