//! The devices behind the engine: this machine's Bluetooth and network, or simulated clocks and rooms
//! in the process.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use regie_clock::bluetooth::BluetoothAdapter;
use regie_clock::{Adapter, ClockError, ClockTime, Zone};
use regie_engine::rooms::request::Volume;
use regie_engine::rooms::{Address, DeviceEntry, HttpTransport, Origin, RoomError, Search, Token};
use regie_engine::{DeviceSource, Devices as Kind, Frame, FrameHeader, KnownClock, RoomSource};
use regie_sim::room::{DemoDevice, SimulatedRoom};
use regie_sim::{Screen, SimulatedAdapter};

use crate::arguments::Arguments;

/// How long the clocks of a rehearsal are tried: they never sleep and connect at once, so one that
/// is not heard by then is not there.
const REHEARSAL_LIMIT: Duration = Duration::from_secs(3);

/// Makes adapters for the engine and keeps hold of the simulated one, so that a person can look
/// at a simulated clock's screen.
#[derive(Clone, Default)]
pub(crate) struct Devices {
    simulated: Arc<Mutex<Option<SimulatedAdapter>>>,
    /// Its devices run as long as it is kept.
    room: Arc<Mutex<Option<SimulatedRoom>>>,
    rehearsal: bool,
}

impl Devices {
    /// The devices that the arguments ask for.
    pub(crate) fn asked(arguments: &Arguments) -> Self {
        Self {
            rehearsal: arguments.rehearsal,
            ..Self::default()
        }
    }

    /// What a simulated clock shows now: the chosen one, else the nearest. `None` while devices
    /// are real.
    pub(crate) fn simulated_screen(&self, chosen: Option<&KnownClock>) -> Option<Screen> {
        let clocks = self
            .simulated
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .as_ref()?
            .clocks();
        let is_chosen = |address: &str| chosen.is_some_and(|clock| clock.address == address);
        clocks
            .iter()
            .find(|clock| is_chosen(clock.address().as_str()))
            .or_else(|| clocks.first())
            .map(regie_sim::SimulatedClock::screen)
    }

    fn keep_room(&self, room: Option<SimulatedRoom>) {
        *self.room.lock().unwrap_or_else(PoisonError::into_inner) = room;
    }

    fn keep(&self, adapter: Option<SimulatedAdapter>) {
        *self
            .simulated
            .lock()
            .unwrap_or_else(PoisonError::into_inner) = adapter;
    }
}

#[async_trait]
impl DeviceSource for Devices {
    fn begin_anew(&self, kind: Kind) -> bool {
        kind == Kind::Simulated
    }

    async fn room(&self, kind: Kind) -> Result<RoomSource, RoomError> {
        let transport = Arc::new(HttpTransport::new()?);
        match kind {
            Kind::Bluetooth => {
                self.keep_room(None);
                Ok(RoomSource {
                    transport,
                    search: Search::Network,
                    devices: Vec::new(),
                })
            }
            Kind::Simulated => {
                // Those of before go first, so that their addresses are free.
                self.keep_room(None);
                let room = SimulatedRoom::demo().await.map_err(unusable)?;
                let set = room.entries().iter().filter(|device| device.set);
                let devices = set.map(set_device).collect::<Result<_, _>>()?;
                self.keep_room(Some(room));
                Ok(RoomSource {
                    transport,
                    search: Search::Loopback,
                    devices,
                })
            }
        }
    }

    fn connect_limit(&self, kind: Kind) -> Option<Duration> {
        (self.rehearsal && kind == Kind::Simulated).then_some(REHEARSAL_LIMIT)
    }

    fn adapter(&self, kind: Kind) -> Result<Arc<dyn Adapter>, ClockError> {
        match kind {
            Kind::Bluetooth => {
                self.keep(None);
                Ok(Arc::new(BluetoothAdapter::new()?))
            }
            Kind::Simulated => {
                let now = ClockTime::now(&Zone::system())?.shifted_epoch();
                let adapter = if self.rehearsal {
                    SimulatedAdapter::rehearsal(now)
                } else {
                    SimulatedAdapter::demo(now)
                };
                self.keep(Some(adapter.clone()));
                Ok(Arc::new(adapter))
            }
        }
    }
}

fn unusable(error: io::Error) -> RoomError {
    RoomError::NetworkUnusable {
        detail: error.to_string(),
    }
}

/// A simulated device as the room takes it.
fn set_device(device: &DemoDevice) -> Result<(DeviceEntry, Option<Token>), RoomError> {
    let address = device.address;
    let address = address.map(|at| Address::of_ip(at.ip(), Some(at.port())));
    let entry = DeviceEntry {
        id: device.id.parse()?,
        name: device.name.clone(),
        room: Some(device.room.clone()),
        address: address.transpose()?,
        found_as: device.found_as.as_deref().map(str::parse).transpose()?,
        via: device.via.as_deref().map(str::parse).transpose()?,
        volume_limit: Volume::try_from(Volume::MOST)?,
        origin: Origin::Simulated,
    };
    Ok((entry, device.token.clone().map(Token::from)))
}

/// A simulated clock's screen as the window draws pictures.
pub(crate) fn screen_frame(screen: &Screen) -> Frame {
    let pixels = |length: usize| u32::try_from(length).unwrap_or(u32::MAX);
    Frame {
        header: FrameHeader {
            width: pixels(screen.width),
            height: pixels(screen.height),
            notes: Vec::new(),
            algorithms: Vec::new(),
        },
        payload: screen.inks.clone(),
    }
}
