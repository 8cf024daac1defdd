//! The devices behind the engine: this machine's Bluetooth, or simulated clocks in the process.

use std::sync::{Arc, Mutex, PoisonError};

use regie_clock::bluetooth::BluetoothAdapter;
use regie_clock::{Adapter, ClockError, ClockTime, Zone};
use regie_engine::{DeviceSource, Devices as Kind, Frame, FrameHeader, KnownClock};
use regie_sim::{Screen, SimulatedAdapter};

/// Makes adapters for the engine and keeps hold of the simulated one, so that a person can look
/// at a simulated clock's screen.
#[derive(Clone, Default)]
pub(crate) struct Devices {
    simulated: Arc<Mutex<Option<SimulatedAdapter>>>,
}

impl Devices {
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

    fn keep(&self, adapter: Option<SimulatedAdapter>) {
        *self
            .simulated
            .lock()
            .unwrap_or_else(PoisonError::into_inner) = adapter;
    }
}

impl DeviceSource for Devices {
    fn begin_anew(&self, kind: Kind) -> bool {
        kind == Kind::Simulated
    }

    fn adapter(&self, kind: Kind) -> Result<Arc<dyn Adapter>, ClockError> {
        match kind {
            Kind::Bluetooth => {
                self.keep(None);
                Ok(Arc::new(BluetoothAdapter::new()?))
            }
            Kind::Simulated => {
                let now = ClockTime::now(&Zone::system())?.shifted_epoch();
                let adapter = SimulatedAdapter::demo(now);
                self.keep(Some(adapter.clone()));
                Ok(Arc::new(adapter))
            }
        }
    }
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
