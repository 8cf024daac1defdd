//! The devices behind the engine: this machine's Bluetooth, or a simulated clock in the process.

use std::sync::{Arc, Mutex, PoisonError};

use regie_clock::bluetooth::BluetoothAdapter;
use regie_clock::{Adapter, ClockError};
use regie_engine::{DeviceSource, Devices as Kind, Frame, FrameHeader};
use regie_sim::{Screen, SimulatedAdapter, SimulatedClock};

/// Makes adapters for the engine and keeps hold of the simulated clock, so that a person can
/// look at its screen.
#[derive(Clone, Default)]
pub struct Devices {
    simulated: Arc<Mutex<Option<SimulatedClock>>>,
}

impl Devices {
    /// What the simulated clock shows now; `None` while devices are real.
    pub fn simulated_screen(&self) -> Option<Screen> {
        let clock = self
            .simulated
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        clock.map(|clock| clock.screen())
    }

    fn keep(&self, clock: Option<SimulatedClock>) {
        *self
            .simulated
            .lock()
            .unwrap_or_else(PoisonError::into_inner) = clock;
    }
}

impl DeviceSource for Devices {
    fn adapter(&self, kind: Kind) -> Result<Arc<dyn Adapter>, ClockError> {
        match kind {
            Kind::Bluetooth => {
                self.keep(None);
                Ok(Arc::new(BluetoothAdapter::start()?))
            }
            Kind::Simulated => {
                let clock = SimulatedClock::demo();
                self.keep(Some(clock.clone()));
                Ok(Arc::new(SimulatedAdapter::new([clock])))
            }
        }
    }
}

/// A simulated clock's screen as the window draws pictures.
pub fn screen_frame(screen: &Screen) -> Frame {
    Frame {
        header: FrameHeader {
            width: screen.width.into(),
            height: screen.height.into(),
            notes: Vec::new(),
            algorithms: Vec::new(),
        },
        payload: screen.inks.clone(),
    }
}
