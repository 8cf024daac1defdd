//! The task that owns the room's devices: those that were set, each with its lane, and those that
//! were heard of.

mod device;
mod found;
mod naming;
mod place;
#[cfg(test)]
mod tests;
mod view;

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use tokio::sync::{Notify, Semaphore, broadcast, mpsc, oneshot, watch};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep_until, timeout};

use crate::address::Address;
use crate::dialect::recognise::recognise;
use crate::discovery::{Advert, Event};
use crate::entry::DeviceEntry;
use crate::error::RoomError;
use crate::exchange::Transport;
use crate::lane::{Lane, LaneStart, Setting};
use crate::names::DeviceId;
use crate::state::{FoundDevice, RoomState, Sample, SearchState};
use crate::token::Token;

use device::Device;
pub(crate) use found::MAX_FOUND;
use found::{Due, Entry, Found, Key, Seen};
use place::Role;

/// Most devices of a room: several times what the largest escape rooms have.
pub(crate) const MAX_DEVICES: usize = 200;

/// Most names and addresses of devices that are not to be shown.
const MAX_IGNORED: usize = 1_000;

/// How many calls run at a time, whoever makes them (section 9 of the contract).
const CALLS: usize = 3;

/// How many devices are asked for their state at a time: enough for fifty devices that are silent,
/// few enough to leave the network to calls.
const POLLS: usize = 16;

/// How many devices that were heard of are looked at at a time.
const LOOKS: usize = 16;

/// How many addresses that a person names are looked at at a time; they do not wait for the others.
const ASKED_LOOKS: usize = 4;

/// How long one look may take: the ports that firmwares use, one after the other.
const LOOK_TIME: Duration = Duration::from_secs(9);

/// The least time between two published states: what a window can show.
const PUBLISH: Duration = Duration::from_millis(50);

/// How long the end of requests under way is waited for at the end.
const STOP: Duration = Duration::from_millis(900);

/// How many commands wait.
const COMMANDS: usize = 32;

/// The lanes of the devices that were set.
pub(crate) type Lanes = Arc<BTreeMap<DeviceId, Lane>>;

/// What the registry is told to do.
pub(crate) enum Command {
    /// Make the devices be those.
    SetDevices(Vec<DeviceEntry>, oneshot::Sender<Result<(), RoomError>>),
    /// Give a device its token, or take it away.
    SetToken(
        DeviceId,
        Option<Token>,
        oneshot::Sender<Result<(), RoomError>>,
    ),
    /// Do not show these devices that were found.
    SetIgnored(Vec<String>, oneshot::Sender<()>),
    /// End.
    Stop(oneshot::Sender<()>),
}

/// What the registry is started with.
pub(crate) struct Start {
    /// The devices that were set.
    pub(crate) devices: Vec<DeviceEntry>,
    /// What carries requests.
    pub(crate) transport: Arc<dyn Transport>,
    /// What is heard on the network.
    pub(crate) events: mpsc::Receiver<Event>,
    /// Where readings go.
    pub(crate) samples: broadcast::Sender<Sample>,
}

/// What the registry is reached by.
#[derive(Clone)]
pub(crate) struct Handle {
    /// Tells it what to do.
    pub(crate) commands: mpsc::Sender<Command>,
    /// The lanes of the devices that were set; closed with the room.
    pub(crate) lanes: watch::Receiver<Lanes>,
    /// What is shown of the room.
    pub(crate) state: watch::Receiver<RoomState>,
    /// How many more devices can be looked at now.
    pub(crate) looks: Arc<Semaphore>,
}

/// Starts the registry on the current runtime. It ends when it is told to, or when nobody can tell
/// it anything any more.
pub(crate) fn start(start: Start) -> Handle {
    let (commands, receiver) = mpsc::channel(COMMANDS);
    let (lanes, lanes_shown) = watch::channel(Lanes::default());
    let (state, state_shown) = watch::channel(RoomState::default());
    let mut registry = Registry {
        transport: start.transport,
        samples: start.samples,
        calls: Arc::new(Semaphore::new(CALLS)),
        polls: Arc::new(Semaphore::new(POLLS)),
        looks: Arc::new(Semaphore::new(LOOKS)),
        devices: BTreeMap::new(),
        found: Found::default(),
        ignored: HashSet::new(),
        search: SearchState::Off,
        changed: Arc::new(Notify::new()),
        looking: JoinSet::new(),
        leaving: JoinSet::new(),
        lanes,
        state,
    };
    registry.reconcile(device::acceptable(start.devices));
    registry.publish(Instant::now());
    tokio::spawn(registry.run(receiver, start.events));
    Handle {
        commands,
        lanes: lanes_shown,
        state: state_shown,
        looks: Arc::new(Semaphore::new(ASKED_LOOKS)),
    }
}

struct Registry {
    transport: Arc<dyn Transport>,
    samples: broadcast::Sender<Sample>,
    calls: Arc<Semaphore>,
    polls: Arc<Semaphore>,
    looks: Arc<Semaphore>,
    devices: BTreeMap<DeviceId, Device>,
    found: Found,
    ignored: HashSet<String>,
    search: SearchState,
    /// A lane says something new.
    changed: Arc<Notify>,
    /// Looks under way.
    looking: JoinSet<(Due, Option<Seen>)>,
    /// Lanes of devices that were let go.
    leaving: JoinSet<()>,
    lanes: watch::Sender<Lanes>,
    state: watch::Sender<RoomState>,
}

impl Registry {
    async fn run(mut self, mut commands: mpsc::Receiver<Command>, events: mpsc::Receiver<Event>) {
        let mut events = Some(events);
        let mut published = Instant::now();
        let mut publish_at = None;
        let stopped = loop {
            let wake = self.next_wake().into_iter().chain(publish_at).min();
            tokio::select! {
                command = commands.recv() => match command {
                    Some(Command::Stop(done)) => break Some(done),
                    Some(command) => self.obey(command),
                    None => break None,
                },
                () = self.changed.notified() => {}
                Some(looked) = self.looking.join_next() => {
                    if let Ok((due, seen)) = looked {
                        self.found.looked(&due, seen, Instant::now());
                    }
                }
                event = next(&mut events) => self.hear(event),
                () = sleep_until_some(wake) => {}
                Some(_) = self.leaving.join_next() => continue,
            }
            let now = Instant::now();
            self.settle(now);
            if now >= published + PUBLISH {
                self.publish(now);
                (published, publish_at) = (now, None);
            } else {
                publish_at = Some(published + PUBLISH);
            }
        };
        self.end().await;
        if let Some(done) = stopped {
            // Whoever wanted to know may have gone.
            let _gone = done.send(());
        }
    }

    fn obey(&mut self, command: Command) {
        // Whoever asked may have gone meanwhile; it is done all the same.
        match command {
            Command::SetDevices(entries, done) => {
                let outcome = device::check(&entries);
                if outcome.is_ok() {
                    self.reconcile(entries);
                }
                let _gone = done.send(outcome);
            }
            Command::SetToken(id, token, done) => {
                let _gone = done.send(self.set_token(&id, token));
            }
            Command::SetIgnored(ignored, done) => {
                self.ignored = ignored.into_iter().take(MAX_IGNORED).collect();
                let _gone = done.send(());
            }
            Command::Stop(done) => {
                let _gone = done.send(());
            }
        }
    }

    /// Makes the devices be those, which were checked. Gateways come first, so that those that
    /// they relay to find their lanes.
    fn reconcile(&mut self, entries: Vec<DeviceEntry>) {
        let wanted: BTreeSet<DeviceId> = entries.iter().map(|entry| entry.id.clone()).collect();
        let (stay, leave) = std::mem::take(&mut self.devices)
            .into_iter()
            .partition(|(id, _)| wanted.contains(id));
        self.devices = stay;
        for (_, device) in leave {
            let lane = device.lane.clone();
            self.leaving.spawn(async move { lane.stop().await });
        }
        let (direct, relayed): (Vec<_>, Vec<_>) =
            entries.into_iter().partition(|entry| entry.via.is_none());
        for entry in direct.into_iter().chain(relayed) {
            let via = self.gateway(entry.via.as_ref());
            match self.devices.get_mut(&entry.id) {
                Some(device) => {
                    if device.entry.address != entry.address {
                        device.address.clone_from(&entry.address);
                    }
                    device.entry = entry;
                    device.apply(via);
                }
                None => self.take_in(entry, via),
            }
        }
        let lanes = self
            .devices
            .iter()
            .map(|(id, device)| (id.clone(), device.lane.clone()))
            .collect();
        self.lanes.send_replace(Arc::new(lanes));
    }

    fn gateway(&self, via: Option<&DeviceId>) -> Option<Lane> {
        via.and_then(|gateway| self.devices.get(gateway))
            .map(|gateway| gateway.lane.clone())
    }

    fn take_in(&mut self, entry: DeviceEntry, via: Option<Lane>) {
        let set = Setting {
            address: entry.address.clone(),
            token: None,
            volume_limit: entry.volume_limit,
            via,
        };
        let start = LaneStart {
            id: entry.id.clone(),
            transport: self.transport.clone(),
            calls: self.calls.clone(),
            polls: self.polls.clone(),
            samples: self.samples.clone(),
        };
        let lane = Lane::start(start, set.clone());
        let mut said = lane.state();
        let changed = self.changed.clone();
        let first = said.borrow_and_update().clone();
        let telling = tokio::spawn(async move {
            while said.changed().await.is_ok() {
                changed.notify_one();
            }
        });
        let device = Device {
            address: entry.address.clone(),
            token: None,
            lane,
            said: first,
            silent_since: None,
            set,
            telling: telling.abort_handle(),
            entry,
        };
        self.devices.insert(device.entry.id.clone(), device);
    }

    fn set_token(&mut self, id: &DeviceId, token: Option<Token>) -> Result<(), RoomError> {
        let known = || self.devices.keys().cloned().collect();
        let Some(device) = self.devices.get(id) else {
            return Err(RoomError::DeviceUnknown {
                id: id.to_string(),
                known: known(),
            });
        };
        let via = self.gateway(device.entry.via.as_ref());
        if let Some(device) = self.devices.get_mut(id) {
            device.token = token;
            device.apply(via);
        }
        Ok(())
    }

    fn hear(&mut self, event: Event) {
        let now = Instant::now();
        match event {
            Event::Heard(advert) => {
                let awaited = self.awaited_by(&advert);
                self.found.heard(&advert, !awaited.is_empty(), now, wall());
                // Whether it has left its place is to be known soon.
                let fresh = |ip| {
                    let key = Key {
                        instance: advert.instance.clone(),
                        ip,
                    };
                    self.found.get(&key).is_some_and(|entry| entry.since == now)
                };
                if advert.addresses.iter().copied().any(fresh) {
                    for lane in awaited {
                        lane.try_now();
                    }
                }
            }
            Event::Gone(instance) => self.found.gone(&instance, now),
            Event::Search(search) => self.search = search,
        }
    }

    /// The devices that were set under the name of one that was heard.
    fn awaited_by(&self, advert: &Advert) -> Vec<Lane> {
        self.devices
            .values()
            .filter(|device| device.standing().found_as == Some(&advert.instance))
            .map(|device| device.lane.clone())
            .collect()
    }

    /// Draws the conclusions of whatever has happened.
    fn settle(&mut self, now: Instant) {
        for device in self.devices.values_mut() {
            device.listen(now);
        }
        let standings: Vec<_> = self.devices.values().map(Device::standing).collect();
        let moves = place::moves(&standings, &self.found, now);
        for place::Move { device: id, to } in moves {
            self.follow(&id, to);
        }
        let standings: Vec<_> = self.devices.values().map(Device::standing).collect();
        let ignored = &self.ignored;
        let of_interest = |key: &Key, entry: &Entry| {
            !is_ignored(ignored, key, entry) && place::role(&standings, key, entry) != Role::Settled
        };
        self.found
            .retain(|key, entry| entry.advertised || of_interest(key, entry));
        for due in self.found.due(now, of_interest) {
            let transport = self.transport.clone();
            let looks = self.looks.clone();
            self.looking.spawn(async move {
                let seen = look(&*transport, &looks, &due.address).await.ok();
                (due, seen)
            });
        }
    }

    /// Asks a device elsewhere from now on.
    fn follow(&mut self, id: &DeviceId, to: Address) {
        let Some(device) = self.devices.get_mut(id) else {
            return;
        };
        let before = device.address.replace(to);
        device.silent_since = None;
        // A device that is followed is relayed by nobody.
        device.apply(None);
        if before.is_some() {
            device.lane.moved();
        }
    }

    /// When something is to be done though nothing happens.
    fn next_wake(&self) -> Option<Instant> {
        let standings: Vec<_> = self.devices.values().map(Device::standing).collect();
        let look = self.found.next_look(|key, entry| {
            !is_ignored(&self.ignored, key, entry)
                && place::role(&standings, key, entry) != Role::Settled
        });
        let change = place::next_change(&standings, &self.found, Instant::now());
        look.into_iter().chain(change).min()
    }

    fn publish(&self, now: Instant) {
        let state = self.view(now);
        self.state.send_if_modified(|shown| {
            let differs = *shown != state;
            if differs {
                *shown = state;
            }
            differs
        });
    }

    /// Ends every lane, or gives it up.
    async fn end(mut self) {
        self.lanes.send_replace(Lanes::default());
        self.looking.abort_all();
        for device in self.devices.values() {
            let lane = device.lane.clone();
            self.leaving.spawn(async move { lane.stop().await });
        }
        let all = async { while self.leaving.join_next().await.is_some() {} };
        if timeout(STOP, all).await.is_err() {
            tracing::debug!("requests under way were given up");
        }
    }
}

/// What answers at an address, as a device that was found there.
///
/// # Errors
/// What was tried and what came of it.
pub(crate) async fn examine(
    transport: &dyn Transport,
    handle: &Handle,
    address: &Address,
) -> Result<FoundDevice, String> {
    let seen = look(transport, &handle.looks, address).await?;
    view::found_at(address, seen, &handle.state.borrow())
        .ok_or_else(|| "no name is left for it".to_owned())
}

/// What answers at an address, without a token.
async fn look(
    transport: &dyn Transport,
    looks: &Semaphore,
    address: &Address,
) -> Result<Seen, String> {
    let Ok(_turn) = looks.acquire().await else {
        return Err("the room is closed".to_owned());
    };
    match recognise(transport, address, None, LOOK_TIME).await {
        Ok(recognised) => Ok(Seen {
            port: recognised.port,
            family: recognised.family,
            asks_for_token: recognised.asks_for_token,
        }),
        Err(unrecognised) => Err(unrecognised.detail),
    }
}

/// What a device at an address is called that has no name yet.
pub(crate) fn id_of(address: &Address) -> Result<DeviceId, RoomError> {
    naming::slug(&address.host()).parse()
}

fn is_ignored(ignored: &HashSet<String>, key: &Key, entry: &Entry) -> bool {
    !ignored.is_empty()
        && (ignored.contains(key.instance.as_str())
            || ignored.contains(&key.ip.to_string())
            || ignored.contains(&key.text())
            || ignored.contains(&format!("{}:{}", key.ip, entry.best_port())))
}

/// The next event; never, where nothing is searched for.
async fn next(events: &mut Option<mpsc::Receiver<Event>>) -> Event {
    if let Some(open) = events {
        if let Some(event) = open.recv().await {
            return event;
        }
        *events = None;
    }
    std::future::pending().await
}

async fn sleep_until_some(at: Option<Instant>) {
    match at {
        Some(at) => sleep_until(at).await,
        None => std::future::pending().await,
    }
}

/// Milliseconds since 1970.
fn wall() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| {
        u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
    })
}
