//! What one life of the fake service knows: the adapter, the devices, their links.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use regie_clock::{Adapter, Address, ClockLink};
use tokio_util::sync::CancellationToken;
use zbus::zvariant::Value;

use crate::fault::Faults;
use crate::gatt::{Characteristic, Service};
use crate::objects::Object;
use crate::service::Counts;
use crate::timing::BusTiming;

/// The address on the bus of a clock: its own where that is a MAC address, and one that looks real
/// for a simulated clock, whose `SIM` becomes the first byte of a static random address.
#[must_use]
pub fn mac_of(address: &Address) -> Address {
    match address.as_str().strip_prefix(Address::SIMULATED) {
        Some(rest) => Address::new(&format!("D5:{rest}")),
        None => address.clone(),
    }
}

pub(crate) struct World {
    pub(crate) connection: zbus::Connection,
    pub(crate) behind: Arc<dyn Adapter>,
    pub(crate) faults: Arc<Faults>,
    pub(crate) timing: BusTiming,
    pub(crate) counts: Arc<Mutex<Counts>>,
    /// The end of this life.
    pub(crate) end: CancellationToken,
    state: Mutex<State>,
}

#[derive(Default)]
pub(crate) struct State {
    /// None while there is no adapter.
    pub(crate) adapter: Option<AdapterState>,
    pub(crate) devices: BTreeMap<Address, Device>,
    /// Other devices around: how many, for [`crate::discovery`].
    pub(crate) crowd: Option<crate::discovery::Crowd>,
}

#[derive(Debug)]
pub(crate) struct AdapterState {
    pub(crate) powered: bool,
    /// Clients that asked for discovery.
    pub(crate) discoverers: BTreeSet<String>,
    /// Ends the discovery under way.
    pub(crate) discovery: Option<CancellationToken>,
}

#[derive(Default)]
pub(crate) struct Device {
    /// Its address behind the fake; none for one of the crowd.
    pub(crate) behind: Option<Address>,
    pub(crate) name: String,
    pub(crate) rssi: Option<i16>,
    pub(crate) resolved: bool,
    pub(crate) services: Vec<Service>,
    /// The link in use.
    pub(crate) link: Option<Link>,
    /// An attempt to connect under way, and how to end it.
    pub(crate) attempt: Option<CancellationToken>,
    /// Links and attempts so far.
    pub(crate) contacts: u64,
}

#[derive(Clone)]
pub(crate) struct Link {
    pub(crate) clock: Arc<dyn ClockLink>,
    /// Cancelled when it is lost.
    pub(crate) gone: CancellationToken,
    pub(crate) doubled: bool,
    pub(crate) subscribers: BTreeSet<String>,
    /// Handles of the characteristics with a write under way.
    pub(crate) writing: BTreeSet<u16>,
}

impl World {
    pub(crate) fn new(
        connection: zbus::Connection,
        behind: Arc<dyn Adapter>,
        faults: Arc<Faults>,
        timing: BusTiming,
        counts: Arc<Mutex<Counts>>,
    ) -> Self {
        Self {
            connection,
            behind,
            faults,
            timing,
            counts,
            end: CancellationToken::new(),
            state: Mutex::default(),
        }
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        // A poisoned lock means that a test has failed already.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn count(&self, what: impl FnOnce(&mut Counts)) {
        what(&mut self.counts.lock().unwrap_or_else(PoisonError::into_inner));
    }

    /// Says that properties of an object have other values, or none any more.
    pub(crate) async fn changed(
        &self,
        object: &Object,
        interface: &str,
        values: HashMap<&str, Value<'_>>,
        invalidated: &[&str],
    ) {
        let body = (interface, values, invalidated);
        self.emit(
            &object.path(),
            "org.freedesktop.DBus.Properties",
            "PropertiesChanged",
            &body,
        )
        .await;
    }

    /// Says that an object has come.
    pub(crate) async fn added(&self, object: &Object) {
        let interfaces = self.state().interfaces(object);
        if let Some(interfaces) = interfaces {
            let body = (object.object_path(), interfaces);
            self.emit(
                "/",
                "org.freedesktop.DBus.ObjectManager",
                "InterfacesAdded",
                &body,
            )
            .await;
        }
    }

    /// Says that an object has gone.
    pub(crate) async fn removed(&self, object: &Object) {
        let body = (object.object_path(), object.interface_names());
        self.emit(
            "/",
            "org.freedesktop.DBus.ObjectManager",
            "InterfacesRemoved",
            &body,
        )
        .await;
    }

    async fn emit<B>(&self, path: &str, interface: &str, member: &str, body: &B)
    where
        B: serde::Serialize + zbus::zvariant::DynamicType,
    {
        // A bus that is gone hears nothing.
        let _ = self
            .connection
            .emit_signal(None::<&str>, path, interface, member, body)
            .await;
    }
}

impl Device {
    /// A characteristic, by its service's handle and its own.
    pub(crate) fn characteristic(&self, service: u16, own: u16) -> Option<&Characteristic> {
        let service = self.services.iter().find(|known| known.handle == service)?;
        service
            .characteristics
            .iter()
            .find(|known| known.handle == own)
    }
}
