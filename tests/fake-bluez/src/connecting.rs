//! Links: how they come, and how they go.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use std::time::Duration;

use regie_clock::dialect::{Discovered, Family};
use regie_clock::link::Connection;
use regie_clock::{Address, Channel, ClockError};
use tokio::sync::mpsc;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

use crate::call::{Call, Refusal};
use crate::fault::BusFault;
use crate::gatt::{Purpose, Service, services};
use crate::objects::{CHARACTERISTIC, DEVICE, Object, of_services};
use crate::world::{Link, World};

/// BlueZ gives up on a device that does not answer after this time.
const CONNECT_LIMIT: Duration = Duration::from_secs(40);
/// An attempt that fails at once does so after this time.
const FAILURE_DELAY: Duration = Duration::from_millis(50);

impl World {
    pub(crate) async fn connect(self: Arc<Self>, call: Call, mac: Address) {
        self.count(|counts| counts.connects += 1);
        if self.faults.shows(BusFault::DeviceVanishes) {
            self.forget(&mac).await;
        }
        let attempt = self.end.child_token();
        let behind = {
            let mut state = self.state();
            let powered = state.adapter.as_ref().is_some_and(|a| a.powered);
            match state.devices.get_mut(&mac) {
                None => Err(call.unknown_object()),
                Some(device) if device.link.is_some() => Ok(None),
                Some(device) if device.attempt.is_some() => Err(Refusal::named(
                    "org.bluez.Error.InProgress",
                    "Operation already in progress",
                )),
                Some(_) if !powered => Err(Refusal::named(
                    "org.bluez.Error.NotReady",
                    "Resource Not Ready",
                )),
                Some(device) => {
                    device.attempt = Some(attempt.clone());
                    device.contacts += 1;
                    Ok(Some(device.behind.clone()))
                }
            }
        };
        let behind = match behind {
            Ok(Some(behind)) => behind,
            Ok(None) => return call.answer(Ok(())).await,
            Err(refusal) => return call.answer::<()>(Err(refusal)).await,
        };
        if self.faults.shows(BusFault::ConnectSaysYesOnly) {
            self.attempt_over(&mac);
            return call.answer(Ok(())).await;
        }
        let result = tokio::select! {
            () = attempt.cancelled() => Err(Refusal::failed("le-connection-abort-by-local")),
            result = self.reach(behind) => result,
        };
        match result {
            Ok(connection) => {
                let watch = self.link_up(&mac, connection).await;
                call.answer(Ok(())).await;
                if let Some(watch) = watch {
                    tokio::spawn(Arc::clone(&self).resolve(mac, watch));
                }
            }
            Err(refusal) => {
                self.attempt_over(&mac);
                call.answer::<()>(Err(refusal)).await;
                self.forget_later(&mac);
            }
        }
    }

    /// Connects what is behind the fake.
    async fn reach(&self, behind: Option<Address>) -> Result<Connection, Refusal> {
        let aborted = || Refusal::failed("le-connection-abort-by-local");
        if self.faults.shows(BusFault::ConnectFails) {
            sleep(FAILURE_DELAY).await;
            return Err(aborted());
        }
        let hangs = self.faults.shows(BusFault::ConnectHangs);
        match (behind, hangs) {
            (Some(address), false) => timeout(CONNECT_LIMIT, self.behind.connect(&address))
                .await
                .map_err(|_| aborted())?
                .map_err(|_| aborted()),
            _ => {
                sleep(CONNECT_LIMIT).await;
                Err(aborted())
            }
        }
    }

    fn attempt_over(&self, mac: &Address) {
        if let Some(device) = self.state().devices.get_mut(mac) {
            device.attempt = None;
        }
    }

    /// A link has come about; returns what comes from it, unless the device has gone meanwhile.
    async fn link_up(self: &Arc<Self>, mac: &Address, connection: Connection) -> Option<Watch> {
        let gone = self.end.child_token();
        let doubled = self.faults.shows(BusFault::NotificationsDoubled);
        {
            let mut state = self.state();
            let device = state.devices.get_mut(mac)?;
            device.attempt = None;
            device.rssi = None;
            device.link = Some(Link {
                clock: connection.link,
                gone: gone.clone(),
                doubled,
                subscribers: BTreeSet::new(),
                writing: BTreeSet::new(),
            });
        }
        self.count(|counts| counts.links += 1);
        if let Some(every) = self.faults.take(|fault| match fault {
            BusFault::Chatter { every } => Some(*every),
            _ => None,
        }) {
            tokio::spawn(Arc::clone(self).chatter(mac.clone(), every, gone.clone()));
        }
        let values = HashMap::from([("Connected", true.into())]);
        self.changed(&Object::Device(mac.clone()), DEVICE, values, &["RSSI"])
            .await;
        Some(Watch {
            notifications: connection.notifications,
            gone,
        })
    }

    async fn chatter(self: Arc<Self>, mac: Address, every: Duration, gone: CancellationToken) {
        let device = Object::Device(mac);
        let mut power = 0_i16;
        loop {
            tokio::select! {
                () = gone.cancelled() => return,
                () = sleep(every) => {}
            }
            power = (power + 1) % 20;
            let values = HashMap::from([("TxPower", power.into())]);
            self.changed(&device, DEVICE, values, &[]).await;
        }
    }

    /// Reads the services, then hands notifications on until the link is lost.
    async fn resolve(self: Arc<Self>, mac: Address, watch: Watch) {
        let Watch {
            notifications,
            gone,
        } = watch;
        let watching = tokio::spawn(Arc::clone(&self).hand_on(mac.clone(), notifications, gone));
        let link = self
            .state()
            .devices
            .get(&mac)
            .and_then(|device| device.link.clone());
        let Some(link) = link else { return };
        if self.faults.shows(BusFault::ServicesNeverResolve) {
            return;
        }
        let found = tokio::select! {
            () = link.gone.cancelled() => return,
            found = link.clock.discover() => found,
        };
        let (found, complete) = match found {
            Ok(found) => (found, !self.faults.shows(BusFault::ServicesIncomplete)),
            Err(ClockError::CharacteristicsMissing { .. }) => {
                let family = Family::Pingping;
                let version = None;
                (Discovered { family, version }, false)
            }
            Err(_) => return,
        };
        self.show_services(&mac, services(found, complete)).await;
        drop(watching);
    }

    async fn show_services(&self, mac: &Address, services: Vec<Service>) {
        let uuids: Vec<String> = services
            .iter()
            .map(|known| known.uuid.to_string())
            .collect();
        let objects = {
            let mut state = self.state();
            let Some(device) = state.devices.get_mut(mac) else {
                return;
            };
            device.services = services;
            device.resolved = true;
            of_services(mac, device)
        };
        for object in &objects {
            self.added(object).await;
        }
        let device = Object::Device(mac.clone());
        let values = HashMap::from([("UUIDs", uuids.into())]);
        self.changed(&device, DEVICE, values, &[]).await;
        let values = HashMap::from([("ServicesResolved", true.into())]);
        self.changed(&device, DEVICE, values, &[]).await;
    }

    async fn hand_on(
        self: Arc<Self>,
        mac: Address,
        mut notifications: mpsc::Receiver<Vec<u8>>,
        gone: CancellationToken,
    ) {
        loop {
            let value = tokio::select! {
                () = gone.cancelled() => return,
                value = notifications.recv() => value,
            };
            let Some(value) = value else { break };
            self.notify(&mac, &value).await;
        }
        if !gone.is_cancelled() {
            self.link_down(&mac).await;
        }
    }

    async fn notify(&self, mac: &Address, value: &[u8]) {
        let (object, times) = {
            let state = self.state();
            let Some(device) = state.devices.get(mac) else {
                return;
            };
            let link = device.link.as_ref();
            let main = device.services.iter().find_map(|service| {
                let main = Purpose::Write(Channel::Main);
                let mut all = service.characteristics.iter();
                let own = all.find(|known| known.purpose == main)?.handle;
                Some(Object::Characteristic(mac.clone(), service.handle, own))
            });
            let (Some(link), Some(object)) = (link, main) else {
                return;
            };
            if link.subscribers.is_empty() {
                return;
            }
            (object, if link.doubled { 2 } else { 1 })
        };
        for _ in 0..times {
            let values = HashMap::from([("Value", value.to_vec().into())]);
            self.changed(&object, CHARACTERISTIC, values, &[]).await;
        }
    }

    /// The link is gone: services leave the bus, and so does the device after a while.
    pub(crate) async fn link_down(self: &Arc<Self>, mac: &Address) {
        let (link, objects) = {
            let mut state = self.state();
            let Some(device) = state.devices.get_mut(mac) else {
                return;
            };
            let Some(link) = device.link.take() else {
                return;
            };
            let objects = of_services(mac, device);
            device.services.clear();
            device.resolved = false;
            (link, objects)
        };
        link.gone.cancel();
        link.clock.disconnect().await;
        for object in objects.iter().rev() {
            self.removed(object).await;
        }
        let values = HashMap::from([
            ("ServicesResolved", false.into()),
            ("Connected", false.into()),
        ]);
        self.changed(&Object::Device(mac.clone()), DEVICE, values, &[])
            .await;
        self.forget_later(mac);
    }

    /// An unpaired device leaves the bus a while after its last contact.
    fn forget_later(self: &Arc<Self>, mac: &Address) {
        let contacts = self.state().devices.get(mac).map(|device| device.contacts);
        let (world, mac) = (Arc::clone(self), mac.clone());
        tokio::spawn(async move {
            tokio::select! {
                () = world.end.cancelled() => return,
                () = sleep(world.timing.forget) => {}
            }
            let unused = world.state().devices.get(&mac).is_some_and(|device| {
                Some(device.contacts) == contacts
                    && device.link.is_none()
                    && device.attempt.is_none()
            });
            if unused {
                world.forget(&mac).await;
            }
        });
    }

    pub(crate) async fn disconnect(self: Arc<Self>, call: Call, mac: Address) {
        self.count(|counts| counts.disconnects += 1);
        let known = {
            let mut state = self.state();
            match state.devices.get_mut(&mac) {
                None => Err(call.unknown_object()),
                Some(device) => match (device.attempt.take(), &device.link) {
                    (Some(attempt), _) => {
                        attempt.cancel();
                        Ok(false)
                    }
                    (None, Some(_)) => Ok(true),
                    (None, None) => Err(Refusal::named(
                        "org.bluez.Error.NotConnected",
                        "Not Connected",
                    )),
                },
            }
        };
        match known {
            Err(refusal) => call.answer::<()>(Err(refusal)).await,
            Ok(linked) => {
                if linked {
                    sleep(self.timing.disconnect).await;
                    self.link_down(&mac).await;
                }
                call.answer(Ok(())).await;
            }
        }
    }

    /// The name that a clock advertises; none when it is not heard.
    async fn name_of(&self, address: &Address) -> Result<String, ClockError> {
        let mut scan = self.behind.scan().await?;
        let listening = async {
            while let Some(heard) = scan.next().await {
                if heard.address == *address {
                    return heard.name;
                }
            }
            String::new()
        };
        Ok(timeout(CONNECT_LIMIT, listening).await.unwrap_or_default())
    }

    /// Another program of this computer connects a device.
    pub(crate) async fn hold(self: Arc<Self>, address: &Address) -> Result<(), ClockError> {
        let mac = crate::mac_of(address);
        let name = self.name_of(address).await?;
        let connection = self.behind.connect(address).await?;
        let new = {
            let mut state = self.state();
            let new = !state.devices.contains_key(&mac);
            let device = state.devices.entry(mac.clone()).or_default();
            device.behind = Some(address.clone());
            device.name = name;
            device.contacts += 1;
            new
        };
        if new {
            self.added(&Object::Device(mac.clone())).await;
        }
        if let Some(watch) = self.link_up(&mac, connection).await {
            self.resolve(mac, watch).await;
        }
        Ok(())
    }
}

/// What comes from a link.
struct Watch {
    notifications: mpsc::Receiver<Vec<u8>>,
    gone: CancellationToken,
}
