//! An engine with one simulated clock, for the tests beside this folder.

// Each test file uses a part of this, and a failure here fails the test.
#![allow(dead_code, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use regie_clock::{Adapter, ClockError, Unavailable};
use regie_engine::{
    AppState, DeviceSource, Devices, Engine, EngineConfig, Folders, GivenDevices, Locale, Outcome,
    SecretsPlace, Submitted,
};
use regie_sim::{ClockSpec, SimulatedAdapter, SimulatedClock, Timing};

/// Longer than anything here takes on a busy machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// A simulated clock for either kind of device, so that switching can be tested without a radio.
pub(crate) struct Desk {
    pub(crate) folder: tempfile::TempDir,
    pub(crate) clock: SimulatedClock,
    pub(crate) adapter: SimulatedAdapter,
}

pub(crate) struct Source(pub(crate) SimulatedAdapter);

impl DeviceSource for Source {
    fn adapter(&self, _: Devices) -> Result<Arc<dyn Adapter>, ClockError> {
        Ok(Arc::new(self.0.clone()))
    }
}

pub(crate) struct NoSource;

impl DeviceSource for NoSource {
    fn adapter(&self, _: Devices) -> Result<Arc<dyn Adapter>, ClockError> {
        Err(ClockError::BluetoothUnavailable {
            reason: Unavailable::ServiceMissing,
        })
    }
}

pub(crate) fn config(folder: &Path) -> EngineConfig {
    EngineConfig {
        folders: Folders {
            settings: folder.join("settings"),
            data: folder.join("data"),
        },
        version: "0".into(),
        system_locale: Locale::Fr,
        demo: true,
        clock: None,
        secrets: SecretsPlace::Memory,
        given_tokens: Vec::new(),
        given_devices: GivenDevices::default(),
    }
}

impl Desk {
    pub(crate) fn new() -> Self {
        Self::with(Timing::instant())
    }

    pub(crate) fn with(timing: Timing) -> Self {
        let clock = SimulatedClock::new(ClockSpec {
            timing,
            ..ClockSpec::default()
        });
        Self {
            folder: tempfile::tempdir().unwrap(),
            adapter: SimulatedAdapter::new(vec![clock.clone()]),
            clock,
        }
    }

    pub(crate) async fn engine(&self) -> Engine {
        let source = Arc::new(Source(self.adapter.clone()));
        Engine::start(config(self.folder.path()), source)
            .await
            .unwrap()
    }
}

/// A picture in which every ink has something to do, as a PNG.
pub(crate) fn picture() -> Vec<u8> {
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, 200, 150);
    encoder.set_color(png::ColorType::Rgb);
    let mut writer = encoder.write_header().unwrap();
    let pixels: Vec<u8> = (0..150_u8)
        .flat_map(|y| (0..200_u8).flat_map(move |x| [x, y, if x > y { 20 } else { 200 }]))
        .collect();
    writer.write_image_data(&pixels).unwrap();
    writer.finish().unwrap();
    file
}

pub(crate) async fn opened(engine: &Engine) -> u32 {
    engine
        .open_bytes("picture.png".into(), picture())
        .await
        .unwrap()
        .id
}

pub(crate) async fn ended(submitted: Submitted) -> Outcome {
    tokio::time::timeout(PATIENCE, submitted.ended)
        .await
        .expect("an operation hangs")
        .unwrap()
}

pub(crate) async fn until(
    engine: &Engine,
    what: &str,
    holds: impl FnMut(&AppState) -> bool,
) -> AppState {
    let mut state = engine.state();
    tokio::time::timeout(PATIENCE, state.wait_for(holds))
        .await
        .unwrap_or_else(|_| panic!("never: {what}"))
        .unwrap()
        .clone()
}
