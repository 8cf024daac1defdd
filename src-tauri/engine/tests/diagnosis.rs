//! A diagnosis as a door asks for it: every check with a verdict, a report without addresses, and
//! no link left behind.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::path::Path;
use std::sync::Arc;

use regie_clock::{Adapter, ClockError, Unavailable};
use regie_engine::{
    DeviceSource, Devices, Diagnosis, Engine, EngineConfig, Folders, GivenDevices, Locale,
    SecretsPlace, Verdict,
};
use regie_sim::{ClockSpec, Fault, SimulatedAdapter, SimulatedClock, Timing};

struct Source(Result<SimulatedAdapter, Unavailable>);

impl DeviceSource for Source {
    fn adapter(&self, _: Devices) -> Result<Arc<dyn Adapter>, ClockError> {
        match &self.0 {
            Ok(adapter) => Ok(Arc::new(adapter.clone())),
            Err(reason) => Err(ClockError::BluetoothUnavailable { reason: *reason }),
        }
    }
}

async fn engine(folder: &Path, source: Source) -> Engine {
    let config = EngineConfig {
        folders: Folders {
            settings: folder.join("settings"),
            data: folder.join("data"),
        },
        version: "1.2.3".into(),
        system_locale: Locale::En,
        demo: true,
        clock: None,
        secrets: SecretsPlace::Memory,
        given_tokens: Vec::new(),
        given_devices: GivenDevices::default(),
    };
    Engine::start(config, Arc::new(source)).await.unwrap()
}

fn clock() -> SimulatedClock {
    SimulatedClock::new(ClockSpec {
        timing: Timing::instant(),
        ..ClockSpec::default()
    })
}

/// The diagnosis, checked to have told each step as it was made.
async fn diagnosed(engine: &Engine) -> Diagnosis {
    let mut told = Vec::new();
    let diagnosis = engine
        .diagnose(None, None, |step| told.push(step.clone()))
        .await
        .unwrap();
    assert_eq!(told, diagnosis.steps);
    diagnosis
}

#[tokio::test(flavor = "multi_thread")]
async fn a_clock_that_works_is_found_so_and_let_go() {
    let (folder, clock) = (tempfile::tempdir().unwrap(), clock());
    let adapter = SimulatedAdapter::new(vec![clock.clone()]);
    let engine = engine(folder.path(), Source(Ok(adapter))).await;
    let diagnosis = diagnosed(&engine).await;
    assert!(diagnosis.is_healthy(), "{diagnosis:?}");
    for step in &diagnosis.steps {
        assert_eq!(step.verdict, Verdict::Ok, "{step:?}");
        let found = step.found.as_ref().expect("a sentence");
        assert!(found.message.ends_with('.'), "{found:?}");
    }
    assert!(!clock.is_connected());
    // BLE-12: the architecture is in it.
    let report = diagnosis.report(&["one line of the log".into()], None);
    for part in [
        "1.2.3",
        std::env::consts::ARCH,
        "btleplug",
        "battery: not known",
        "one line of the log",
        &clock.name(),
    ] {
        assert!(report.contains(part), "{part} is not in:\n{report}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_machine_without_bluetooth_is_told_so_with_the_next_step() {
    for (reason, check) in [
        (Unavailable::ServiceMissing, "service"),
        (Unavailable::NoAdapter, "adapter"),
        (Unavailable::RadioOff, "radio"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let engine = engine(folder.path(), Source(Err(reason))).await;
        let diagnosis = diagnosed(&engine).await;
        let failure = diagnosis.failure().expect("a failure");
        assert_eq!(failure.check, check);
        let fault = failure.fault.as_ref().unwrap();
        assert!(fault.message.ends_with('.') && fault.hint.ends_with('.'));
        let last = diagnosis.steps.last().unwrap();
        assert_eq!((last.check, last.verdict), ("let-go", Verdict::NotReached));
        let report = diagnosis.report(&[], None);
        assert!(report.contains(&fault.code), "{report}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_report_names_the_fault_and_no_whole_address() {
    let (folder, clock) = (tempfile::tempdir().unwrap(), clock());
    clock.order_times(Fault::HeldByAnother, 2);
    let adapter = SimulatedAdapter::new(vec![clock.clone()]);
    let engine = engine(folder.path(), Source(Ok(adapter))).await;
    let diagnosis = diagnosed(&engine).await;
    assert_eq!(diagnosis.failure().map(|step| step.check), Some("connect"));
    let log = ["connecting 4A:5B:6C:7D:8E:9F failed".to_owned()];
    let home = folder.path().to_str().unwrap();
    let report = diagnosis.report(&log, Some(home));
    assert!(report.contains("clock-connect-failed"), "{report}");
    assert!(report.contains("xx:xx:xx:xx:8E:9F"), "{report}");
    assert!(!report.contains("4A:5B"), "{report}");
    assert!(!report.contains(home), "{report}");
    assert!(!clock.is_connected());
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_address_is_refused_before_anything_is_looked_at() {
    let folder = tempfile::tempdir().unwrap();
    let adapter = SimulatedAdapter::new(vec![clock()]);
    let engine = engine(folder.path(), Source(Ok(adapter))).await;
    let refused = engine
        .diagnose(Some("typo"), None, |step| panic!("{step:?}"))
        .await;
    assert_eq!(refused.unwrap_err().code(), "address-invalid");
}
