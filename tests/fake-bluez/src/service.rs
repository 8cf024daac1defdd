//! The fake as a whole: its lives, its calls, and what can be done to it.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures::StreamExt;
use regie_clock::{Adapter, Address};
use tokio::runtime::{Builder, Runtime};
use zbus::zvariant::{OwnedValue, Value};
use zbus::{MessageStream, connection, message};

use crate::FakeError;
use crate::call::{Call, Refusal};
use crate::discovery::Crowd;
use crate::fault::{BusFault, Faults};
use crate::objects::{ADAPTER, CHARACTERISTIC, DEVICE, Object};
use crate::timing::BusTiming;
use crate::world::{AdapterState, World, mac_of};

/// What was asked of the fake so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// `StartDiscovery` calls.
    pub discoveries: u32,
    /// `Connect` calls.
    pub connects: u32,
    /// Links that came about.
    pub links: u32,
    /// `Disconnect` calls.
    pub disconnects: u32,
    /// `WriteValue` calls.
    pub writes: u32,
}

/// A fake BlueZ. It has a thread of its own and ends when dropped.
pub struct FakeBluez {
    /// Taken only by `drop`.
    runtime: Option<Runtime>,
    fake: Arc<Fake>,
}

struct Fake {
    bus: String,
    behind: Arc<dyn Adapter>,
    timing: BusTiming,
    faults: Arc<Faults>,
    counts: Arc<Mutex<Counts>>,
    crowd: Mutex<Option<Crowd>>,
    /// None while the service is down.
    life: Mutex<Option<Arc<World>>>,
}

impl FakeBluez {
    /// Starts a fake on the bus at this address, with one adapter that is switched on.
    ///
    /// # Errors
    /// [`FakeError::Bus`] when the bus does not take it.
    pub async fn start(
        bus: &str,
        behind: Arc<dyn Adapter>,
        timing: BusTiming,
    ) -> Result<Self, FakeError> {
        let runtime = Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("fake-bluez")
            .enable_all()
            .build()?;
        let fake = Arc::new(Fake {
            bus: bus.to_owned(),
            behind,
            timing,
            faults: Arc::default(),
            counts: Arc::default(),
            crowd: Mutex::default(),
            life: Mutex::default(),
        });
        let this = Self {
            runtime: Some(runtime),
            fake,
        };
        this.start_service().await?;
        Ok(this)
    }

    /// Orders a fault, to be shown once.
    pub fn order(&self, fault: BusFault) {
        self.order_times(fault, 1);
    }

    /// Orders a fault, to be shown this many times.
    pub fn order_times(&self, fault: BusFault, times: u32) {
        self.fake.faults.order(fault, times);
    }

    /// Withdraws the faults that were not shown yet.
    pub fn clear_faults(&self) {
        self.fake.faults.clear();
    }

    /// What was asked of it so far.
    #[must_use]
    pub fn counts(&self) -> Counts {
        *lock(&self.fake.counts)
    }

    /// Whether a client has it discover.
    #[must_use]
    pub fn is_discovering(&self) -> bool {
        self.world().is_some_and(|world| {
            let state = world.state();
            state
                .adapter
                .as_ref()
                .is_some_and(|a| a.discovery.is_some())
        })
    }

    /// Whether its adapter is there and switched on.
    #[must_use]
    pub fn is_powered(&self) -> bool {
        self.world().is_some_and(|world| {
            let state = world.state();
            state.adapter.as_ref().is_some_and(|a| a.powered)
        })
    }

    /// Whether it holds a link to this clock, or tries to make one.
    #[must_use]
    pub fn is_in_contact(&self, clock: &Address) -> bool {
        self.world().is_some_and(|world| {
            let state = world.state();
            let device = state.devices.get(&mac_of(clock));
            device.is_some_and(|device| device.link.is_some() || device.attempt.is_some())
        })
    }

    /// Whether it knows this clock.
    #[must_use]
    pub fn knows(&self, clock: &Address) -> bool {
        self.world()
            .is_some_and(|world| world.state().devices.contains_key(&mac_of(clock)))
    }

    /// From the next discovery on, this many other devices advertise, one after the other with
    /// this time between two advertisements. Zero sends them away.
    pub fn set_crowd(&self, devices: u16, every: Duration) {
        let crowd = (devices > 0).then_some(Crowd { devices, every });
        *lock(&self.fake.crowd) = crowd;
        if let Some(world) = self.world() {
            world.state().crowd = crowd;
        }
    }

    /// Switches the adapter on or off, as a person does in the system's settings. Links are lost
    /// and discoveries end when it goes off.
    ///
    /// # Errors
    /// [`FakeError::Task`].
    pub async fn set_powered(&self, powered: bool) -> Result<(), FakeError> {
        self.with_world(move |world| async move { world.power(powered).await })
            .await
    }

    /// Pulls the adapter out. Everything that hangs on it leaves the bus.
    ///
    /// # Errors
    /// [`FakeError::Task`].
    pub async fn remove_adapter(&self) -> Result<(), FakeError> {
        self.with_world(|world| async move { world.remove_adapter().await })
            .await
    }

    /// Plugs it in again, switched on.
    ///
    /// # Errors
    /// [`FakeError::Task`].
    pub async fn insert_adapter(&self) -> Result<(), FakeError> {
        self.with_world(|world| async move { world.insert_adapter().await })
            .await
    }

    /// Takes a device off the bus, as BlueZ does with one that has been quiet for long.
    ///
    /// # Errors
    /// [`FakeError::Task`].
    pub async fn forget(&self, clock: &Address) -> Result<(), FakeError> {
        let mac = mac_of(clock);
        self.with_world(move |world| async move { world.forget(&mac).await })
            .await
    }

    /// Has another program of this computer connect a clock.
    ///
    /// # Errors
    /// [`FakeError::Clock`], [`FakeError::Task`].
    pub async fn hold(&self, clock: &Address) -> Result<(), FakeError> {
        let clock = clock.clone();
        match self.world() {
            Some(world) => Ok(self
                .on_own_thread(async move { world.hold(&clock).await })
                .await??),
            None => Ok(()),
        }
    }

    /// Ends the service: its name and objects leave the bus at once, and calls under way are never
    /// answered by it.
    ///
    /// # Errors
    /// [`FakeError::Task`].
    pub async fn stop_service(&self) -> Result<(), FakeError> {
        let world = lock(&self.fake.life).take();
        if let Some(world) = world {
            self.on_own_thread(async move { world.end_life().await })
                .await?;
        }
        Ok(())
    }

    /// Starts it again, knowing no device.
    ///
    /// # Errors
    /// [`FakeError::Bus`], [`FakeError::Task`].
    pub async fn start_service(&self) -> Result<(), FakeError> {
        let fake = Arc::clone(&self.fake);
        self.on_own_thread(async move { fake.begin_life().await })
            .await?
    }

    /// The match rules that all clients of the bus have together.
    ///
    /// # Errors
    /// [`FakeError::Bus`] when the daemon does not tell.
    pub async fn match_rules(&self) -> Result<usize, FakeError> {
        let Some(world) = self.world() else {
            return Ok(0);
        };
        let answer = world
            .connection
            .call_method(
                Some("org.freedesktop.DBus"),
                "/org/freedesktop/DBus",
                Some("org.freedesktop.DBus.Debug.Stats"),
                "GetAllMatchRules",
                &(),
            )
            .await?;
        let rules: HashMap<String, Vec<String>> = answer.body().deserialize()?;
        Ok(rules.values().map(Vec::len).sum())
    }

    fn world(&self) -> Option<Arc<World>> {
        lock(&self.fake.life).clone()
    }

    async fn with_world<Done>(&self, what: impl FnOnce(Arc<World>) -> Done) -> Result<(), FakeError>
    where
        Done: Future<Output = ()> + Send + 'static,
    {
        if let Some(world) = self.world() {
            self.on_own_thread(what(world)).await?;
        }
        Ok(())
    }

    /// The simulated clocks need the fake's own runtime, whoever calls.
    async fn on_own_thread<T: Send + 'static>(
        &self,
        what: impl Future<Output = T> + Send + 'static,
    ) -> Result<T, FakeError> {
        match &self.runtime {
            Some(runtime) => Ok(runtime.spawn(what).await?),
            None => Ok(what.await),
        }
    }
}

impl Drop for FakeBluez {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Fake {
    async fn begin_life(&self) -> Result<(), FakeError> {
        let connection = connection::Builder::address(self.bus.as_str())?
            .build()
            .await?;
        let calls = MessageStream::from(&connection);
        let world = Arc::new(World::new(
            connection.clone(),
            Arc::clone(&self.behind),
            Arc::clone(&self.faults),
            self.timing,
            Arc::clone(&self.counts),
        ));
        {
            let mut state = world.state();
            state.adapter = Some(AdapterState::switched(true));
            state.crowd = *lock(&self.crowd);
        }
        tokio::spawn(answer_calls(Arc::clone(&world), calls));
        connection.request_name("org.bluez").await?;
        *lock(&self.life) = Some(world);
        Ok(())
    }
}

impl AdapterState {
    fn switched(powered: bool) -> Self {
        Self {
            powered,
            discoverers: BTreeSet::new(),
            discovery: None,
        }
    }
}

async fn answer_calls(world: Arc<World>, mut calls: MessageStream) {
    loop {
        let message = tokio::select! {
            () = world.end.cancelled() => break,
            message = calls.next() => message,
        };
        let Some(Ok(message)) = message else { break };
        if message.message_type() == message::Type::MethodCall {
            let call = Call::new(message, world.connection.clone());
            Arc::clone(&world).dispatch(call).await;
        }
    }
}

impl World {
    /// Answers a call; what takes time goes on by itself.
    async fn dispatch(self: Arc<Self>, call: Call) {
        let (interface, member) = call.method();
        let object = call.object();
        match (interface.as_str(), member.as_str(), object) {
            ("org.freedesktop.DBus.Introspectable", "Introspect", _) => {
                let xml = self.state().introspection(&call.path());
                call.answer(xml.ok_or_else(|| call.unknown_object())).await;
            }
            ("org.freedesktop.DBus.ObjectManager", "GetManagedObjects", Some(Object::Root)) => {
                let all: HashMap<_, _> = {
                    let state = self.state();
                    state
                        .objects()
                        .into_iter()
                        .filter_map(|object| {
                            Some((object.object_path(), state.interfaces(&object)?))
                        })
                        .collect()
                };
                call.answer(Ok(all)).await;
            }
            ("org.freedesktop.DBus.Properties", _, Some(object)) => {
                self.properties(&call, &member, object).await;
            }
            (ADAPTER, "SetDiscoveryFilter", Some(Object::Adapter)) => {
                let there = self.state().adapter.is_some();
                call.answer(there.then_some(()).ok_or_else(|| call.unknown_object()))
                    .await;
            }
            (ADAPTER, "StartDiscovery", Some(Object::Adapter)) => {
                self.start_discovery(&call).await;
            }
            (ADAPTER, "StopDiscovery", Some(Object::Adapter)) => self.stop_discovery(&call).await,
            (DEVICE, "Connect", Some(Object::Device(mac))) => {
                tokio::spawn(self.connect(call, mac));
            }
            (DEVICE, "Disconnect", Some(Object::Device(mac))) => {
                tokio::spawn(self.disconnect(call, mac));
            }
            (CHARACTERISTIC, "WriteValue", Some(Object::Characteristic(mac, service, own))) => {
                tokio::spawn(self.write(call, (mac, service, own)));
            }
            (CHARACTERISTIC, "ReadValue", Some(Object::Characteristic(mac, service, own))) => {
                self.read(&call, (mac, service, own)).await;
            }
            (CHARACTERISTIC, "StartNotify", Some(Object::Characteristic(mac, service, own))) => {
                self.subscribe(&call, (mac, service, own), true).await;
            }
            (CHARACTERISTIC, "StopNotify", Some(Object::Characteristic(mac, service, own))) => {
                self.subscribe(&call, (mac, service, own), false).await;
            }
            (_, _, Some(object)) if self.state().interfaces(&object).is_some() => {
                call.answer::<()>(Err(call.unknown_method())).await;
            }
            _ => call.answer::<()>(Err(call.unknown_object())).await,
        }
    }

    async fn properties(&self, call: &Call, member: &str, object: Object) {
        let interfaces = self.state().interfaces(&object);
        let Some(interfaces) = interfaces else {
            return call.answer::<()>(Err(call.unknown_object())).await;
        };
        let unknown = |what: &str| {
            Refusal::named(
                "org.freedesktop.DBus.Error.InvalidArgs",
                &format!("No such property '{what}'"),
            )
        };
        match member {
            "GetAll" => {
                let answer = call.arguments::<String>().and_then(|interface| {
                    let found = interfaces.get(interface.as_str());
                    found.ok_or_else(|| unknown(&interface))
                });
                call.answer(answer).await;
            }
            "Get" => {
                let answer = call
                    .arguments::<(String, String)>()
                    .and_then(|(interface, name)| {
                        let found = interfaces
                            .get(interface.as_str())
                            .and_then(|properties| properties.get(name.as_str()));
                        found.ok_or_else(|| unknown(&name))
                    });
                call.answer(answer).await;
            }
            "Set" if object == Object::Adapter => {
                match call.arguments::<(String, String, OwnedValue)>() {
                    Ok((_, name, value)) => match (name.as_str(), bool::try_from(value)) {
                        ("Powered", Ok(powered)) => {
                            self.power(powered).await;
                            call.answer(Ok(())).await;
                        }
                        _ => call.answer::<()>(Err(unknown(&name))).await,
                    },
                    Err(refusal) => call.answer::<()>(Err(refusal)).await,
                }
            }
            _ => call.answer::<()>(Err(call.unknown_method())).await,
        }
    }

    async fn power(&self, powered: bool) {
        let changed = match self.state().adapter.as_mut() {
            Some(adapter) => std::mem::replace(&mut adapter.powered, powered) != powered,
            None => false,
        };
        if !changed {
            return;
        }
        if !powered {
            self.end_discovery().await;
            self.cut_links().await;
        }
        let values = HashMap::from([("Powered", Value::from(powered))]);
        self.changed(&Object::Adapter, ADAPTER, values, &[]).await;
    }

    async fn cut_links(&self) {
        let cut: Vec<_> = {
            let mut state = self.state();
            state
                .devices
                .values_mut()
                .filter_map(|device| {
                    if let Some(attempt) = device.attempt.take() {
                        attempt.cancel();
                    }
                    device.link.clone()
                })
                .collect()
        };
        for link in cut {
            // The end of its notifications does the rest.
            link.clock.disconnect().await;
        }
    }

    async fn remove_adapter(&self) {
        self.end_discovery().await;
        let devices: Vec<Address> = self.state().devices.keys().cloned().collect();
        for mac in devices {
            self.forget(&mac).await;
        }
        self.state().adapter = None;
        self.removed(&Object::Adapter).await;
    }

    async fn insert_adapter(&self) {
        self.state().adapter = Some(AdapterState::switched(true));
        self.added(&Object::Adapter).await;
    }

    async fn end_life(&self) {
        self.end.cancel();
        // The controller is reset when the service ends.
        self.cut_links().await;
        // It may be gone already.
        let _ = self.connection.clone().close().await;
    }
}
