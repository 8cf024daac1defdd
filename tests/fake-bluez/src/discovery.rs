//! Discovery: what is heard behind the fake becomes objects on the bus.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use regie_clock::{Address, Advertisement};
use tokio::time::interval;
use tokio_util::sync::CancellationToken;

use crate::call::{Call, Refusal};
use crate::objects::{ADAPTER, DEVICE, Object};
use crate::world::{Device, World, mac_of};

/// Other devices that advertise.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Crowd {
    pub(crate) devices: u16,
    /// Between two advertisements, of any of them.
    pub(crate) every: Duration,
}

impl World {
    pub(crate) async fn start_discovery(self: &Arc<Self>, call: &Call) {
        self.count(|counts| counts.discoveries += 1);
        let started = {
            let mut state = self.state();
            match state.adapter.as_mut() {
                None => Err(call.unknown_object()),
                Some(adapter) if !adapter.powered => Err(Refusal::named(
                    "org.bluez.Error.NotReady",
                    "Resource Not Ready",
                )),
                Some(adapter) => {
                    if !adapter.discoverers.insert(call.sender()) {
                        Err(Refusal::named(
                            "org.bluez.Error.InProgress",
                            "Operation already in progress",
                        ))
                    } else if adapter.discovery.is_some() {
                        Ok(None)
                    } else {
                        let end = self.end.child_token();
                        adapter.discovery = Some(end.clone());
                        Ok(Some(end))
                    }
                }
            }
        };
        match started {
            Err(refusal) => call.answer::<()>(Err(refusal)).await,
            Ok(new) => {
                call.answer(Ok(())).await;
                if let Some(end) = new {
                    self.say_discovering(true).await;
                    tokio::spawn(Arc::clone(self).discover(end));
                }
            }
        }
    }

    pub(crate) async fn stop_discovery(&self, call: &Call) {
        let known = {
            let mut state = self.state();
            match state.adapter.as_mut() {
                None => Err(call.unknown_object()),
                Some(adapter) => {
                    if adapter.discoverers.remove(&call.sender()) {
                        Ok(adapter.discoverers.is_empty())
                    } else {
                        Err(Refusal::failed("No discovery started"))
                    }
                }
            }
        };
        match known {
            Err(refusal) => call.answer::<()>(Err(refusal)).await,
            Ok(last) => {
                if last {
                    self.end_discovery().await;
                }
                call.answer(Ok(())).await;
            }
        }
    }

    /// Ends the discovery, for whoever asked for it; strengths are not known any more then.
    pub(crate) async fn end_discovery(&self) {
        let (ended, heard) = {
            let mut state = self.state();
            let ended = state.adapter.as_mut().and_then(|adapter| {
                adapter.discoverers.clear();
                adapter.discovery.take()
            });
            let heard: Vec<Address> = state
                .devices
                .iter_mut()
                .filter_map(|(mac, device)| device.rssi.take().map(|_| mac.clone()))
                .collect();
            (ended, heard)
        };
        let Some(ended) = ended else { return };
        ended.cancel();
        for mac in heard {
            self.changed(&Object::Device(mac), DEVICE, HashMap::new(), &["RSSI"])
                .await;
        }
        self.say_discovering(false).await;
    }

    async fn say_discovering(&self, discovering: bool) {
        let values = HashMap::from([("Discovering", discovering.into())]);
        self.changed(&Object::Adapter, ADAPTER, values, &[]).await;
    }

    async fn discover(self: Arc<Self>, end: CancellationToken) {
        let crowd = self.state().crowd;
        if let Some(crowd) = crowd {
            tokio::spawn(Arc::clone(&self).crowd(crowd, end.clone()));
        }
        let Ok(mut scan) = self.behind.scan().await else {
            return;
        };
        loop {
            let heard = tokio::select! {
                () = end.cancelled() => break,
                heard = scan.next() => heard,
            };
            match heard {
                Some(heard) => self.heard(heard).await,
                None => break,
            }
        }
        scan.stop().await;
    }

    async fn heard(&self, heard: Advertisement) {
        let mac = mac_of(&heard.address);
        let rssi = heard.rssi.unwrap_or(-127);
        self.note(mac, Some(heard.address), heard.name, rssi).await;
    }

    /// A device was heard: a new object, or a new strength of a known one.
    async fn note(&self, mac: Address, behind: Option<Address>, name: String, rssi: i16) {
        let new = {
            let mut state = self.state();
            if state.adapter.as_ref().is_none_or(|a| a.discovery.is_none()) {
                return;
            }
            let new = !state.devices.contains_key(&mac);
            let device = state.devices.entry(mac.clone()).or_default();
            device.behind = behind;
            device.name = name;
            device.rssi = Some(rssi);
            new
        };
        let object = Object::Device(mac);
        if new {
            self.added(&object).await;
        } else {
            let values = HashMap::from([("RSSI", rssi.into())]);
            self.changed(&object, DEVICE, values, &[]).await;
        }
    }

    /// Many devices, one after the other.
    async fn crowd(self: Arc<Self>, crowd: Crowd, end: CancellationToken) {
        let mut ticks = interval(crowd.every);
        for turn in 0_u64.. {
            tokio::select! {
                () = end.cancelled() => break,
                _ = ticks.tick() => {}
            }
            let which = turn % u64::from(crowd.devices.max(1));
            let [high, low] = (which as u16).to_be_bytes();
            let mac = Address::new(&format!("E0:00:00:C0:{high:02X}:{low:02X}"));
            let rssi = -60 - (which % 30) as i16;
            self.note(mac, None, format!("Beacon {which}"), rssi).await;
        }
    }

    /// Removes a device from the bus.
    pub(crate) async fn forget(&self, mac: &Address) {
        let device: Option<Device> = self.state().devices.remove(mac);
        if let Some(device) = device {
            if let Some(link) = &device.link {
                link.gone.cancel();
                link.clock.disconnect().await;
            }
            for object in crate::objects::of_services(mac, &device).iter().rev() {
                self.removed(object).await;
            }
            self.removed(&Object::Device(mac.clone())).await;
        }
    }
}
