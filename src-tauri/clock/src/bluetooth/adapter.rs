//! The computer's Bluetooth adapter.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use btleplug::api::{
    Central, CentralState, Peripheral as _, RetrievePeripheralsOptions, ScanFilter,
};
use btleplug::platform::{self, Peripheral, PeripheralId};
use tokio::sync::OwnedMutexGuard;
use tokio::sync::mpsc::error::TrySendError;
use tokio::time::{Instant, MissedTickBehavior, interval, sleep, timeout};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::chosen::Chosen;
use super::hearing::{Heard, Hearing};
use super::link::BluetoothLink;
use super::runtime::BluetoothRuntime;
use super::{failure, link, native, services};
use crate::ClockError;
use crate::dialect::Family;
use crate::link::{Adapter, AdapterFacts, Address, Advertisement, Connection, Scan, ScanFeed};

/// For a question the system answers from memory.
pub(super) const QUESTION: Duration = Duration::from_secs(5);
/// For the list of connected devices. For Windows, btleplug reads the services of each and waits
/// 5 s for one that has gone.
const CONNECTED: Duration = Duration::from_secs(8);
/// For a connection. BlueZ itself gives up after 40 s, btleplug after 30 s; the session, which
/// has a shorter limit, abandons the attempt before.
const CONNECT: Duration = Duration::from_secs(30);
/// For letting go; BlueZ takes 2 to 3 s.
pub(super) const DISCONNECT: Duration = Duration::from_secs(5);
/// How often a scan under way is looked after: not every system says when it has ended, or when
/// the adapter has gone.
const SCAN_CHECK: Duration = Duration::from_secs(3);
/// How often an attempt is asked whether the clock is connected and only says nothing.
const CONNECT_CHECK: Duration = Duration::from_secs(1);
/// Windows makes a link to a clock only while something listens for it (BLE-10). BlueZ takes 11 s
/// instead of 2 s with the scan on.
const SCAN_WHILE_CONNECTING: bool = cfg!(windows);
/// Devices remembered by address; a busy place has a few hundred within earshot.
const KNOWN_LIMIT: usize = 512;

/// The adapter of this computer. It has threads of its own.
#[derive(Debug)]
pub struct BluetoothAdapter {
    runtime: Arc<BluetoothRuntime>,
    radio: Arc<Radio>,
}

/// What the tasks on the Bluetooth threads share.
#[derive(Debug)]
struct Radio {
    chosen: Chosen,
    /// What was heard, by address.
    known: Mutex<HashMap<Address, PeripheralId>>,
    /// Connecting and cleaning up after it, one at a time.
    connecting: tokio::sync::Mutex<()>,
    /// Held from before the radio is told to scan until it has stopped: the end of an abandoned
    /// scan would end the next one, too.
    scanning: Arc<tokio::sync::Mutex<()>>,
}

impl BluetoothAdapter {
    /// The adapter. Nothing is asked of the system yet.
    ///
    /// # Errors
    /// [`ClockError::Bluetooth`] when no threads can be started.
    pub fn new() -> Result<Self, ClockError> {
        let radio = Radio {
            chosen: Chosen::default(),
            known: Mutex::new(HashMap::new()),
            connecting: tokio::sync::Mutex::new(()),
            scanning: Arc::default(),
        };
        Ok(Self {
            runtime: Arc::new(BluetoothRuntime::start()?),
            radio: Arc::new(radio),
        })
    }

    /// Tasks on the Bluetooth threads: what watches the system, a scan and a link, and what is
    /// under way. It must not grow with use.
    #[must_use]
    pub fn tasks(&self) -> usize {
        self.runtime.handle().metrics().num_alive_tasks()
    }
}

#[async_trait]
impl Adapter for BluetoothAdapter {
    async fn check(&self) -> Result<(), ClockError> {
        let radio = Arc::clone(&self.radio);
        self.runtime
            .run(|_| async move { radio.chosen.powered().await.map(|_| ()) })
            .await
    }

    async fn facts(&self) -> AdapterFacts {
        let radio = Arc::clone(&self.radio);
        let facts = self
            .runtime
            .run(|_| async move { Ok(radio.facts().await) })
            .await;
        // The only error is that the task broke off.
        facts.unwrap_or_default()
    }

    async fn scan(&self) -> Result<Scan, ClockError> {
        let radio = Arc::clone(&self.radio);
        self.runtime
            .run(|abandoned| async move { radio.scan(abandoned).await })
            .await
    }

    async fn connect(&self, address: &Address) -> Result<Connection, ClockError> {
        let (radio, runtime) = (Arc::clone(&self.radio), Arc::clone(&self.runtime));
        let address = address.clone();
        self.runtime
            .run(|abandoned| async move { radio.connect(address, runtime, abandoned).await })
            .await
    }
}

impl Radio {
    async fn facts(&self) -> AdapterFacts {
        let forbidden = native::forbidden();
        let Ok(adapter) = self.chosen.powered().await else {
            return AdapterFacts {
                forbidden,
                ..AdapterFacts::default()
            };
        };
        let name = in_time("the adapter", adapter.adapter_info()).await.ok();
        let address = in_time("the adapter", adapter.adapter_address()).await.ok();
        AdapterFacts {
            name,
            address: address.flatten().map(|mac| Address::new(&mac.to_string())),
            forbidden,
        }
    }

    async fn scan(self: Arc<Self>, abandoned: CancellationToken) -> Result<Scan, ClockError> {
        let turn = turn(&self.scanning, &abandoned).await?;
        let adapter = self.chosen.powered().await?;
        let hearing = Hearing::open(&adapter).await?;
        let started = in_time("the scan", adapter.start_scan(ScanFilter::default())).await;
        if let Err(error) = started {
            // One that did not answer may still have begun.
            stop(&adapter).await;
            self.chosen.forget().await;
            return Err(error);
        }
        let (feed, scan) = Scan::new();
        if abandoned.is_cancelled() {
            feed.end.cancel();
        }
        tokio::spawn(self.listen(adapter, hearing, feed, turn));
        Ok(scan)
    }

    /// Hands on what is heard until the scan shall end.
    async fn listen(
        self: Arc<Self>,
        adapter: platform::Adapter,
        mut hearing: Hearing,
        feed: ScanFeed,
        turn: OwnedMutexGuard<()>,
    ) {
        let ScanFeed { heard, end, ended } = feed;
        let hand_on = |advertisement| match heard.try_send(advertisement) {
            // What does not fit is heard again.
            Ok(()) | Err(TrySendError::Full(_)) => true,
            Err(TrySendError::Closed(_)) => false,
        };
        let (already, mut asking) = (self.connected(&adapter), true);
        tokio::pin!(already);
        let mut listening = true;
        let mut checks = interval(SCAN_CHECK);
        checks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        checks.reset();
        while listening {
            let heard = tokio::select! {
                biased;
                () = end.cancelled() => break,
                clocks = &mut already, if asking => {
                    asking = false;
                    listening = clocks.into_iter().all(hand_on);
                    continue;
                }
                _ = checks.tick() => {
                    if still_scans(&adapter).await { continue } else { break }
                }
                heard = hearing.next() => heard,
            };
            let device = match heard {
                Heard::Device(device) => device,
                Heard::Nothing => continue,
                Heard::End => break,
            };
            let advertisement = tokio::select! {
                () = end.cancelled() => break,
                advertisement = self.describe(&device, false) => advertisement,
            };
            if let Some(advertisement) = advertisement {
                listening = hand_on(advertisement);
            }
        }
        stop(&adapter).await;
        drop(turn);
        // Nobody may wait for it any more.
        let _ = ended.send(());
    }

    /// Clocks that the system holds a connection to: they do not advertise.
    async fn connected(&self, adapter: &platform::Adapter) -> Vec<Advertisement> {
        let options = RetrievePeripheralsOptions {
            identifiers: None,
            services: Some(
                Family::ALL
                    .into_iter()
                    .flat_map(|family| family.gatt().services())
                    .map(Uuid::from_u128)
                    .collect(),
            ),
        };
        let question = adapter.retrieve_peripherals(options);
        let found = within(CONNECTED, "connected devices", question).await;
        let mut clocks = Vec::new();
        // Not every system can be asked for this.
        for peripheral in found.unwrap_or_default() {
            // On Windows and macOS, `is_connected` means a connection of this program, and the name
            // is that of an advertisement; this device is connected to something else.
            let held = !cfg!(target_os = "linux");
            if let Some(mut clock) = self.describe(&peripheral, held).await
                && clock.connected
            {
                if clock.name.is_empty() {
                    let name = timeout(QUESTION, native::name_of(peripheral.address())).await;
                    clock.name = name.ok().flatten().unwrap_or_default();
                }
                clocks.push(clock);
            }
        }
        clocks
    }

    /// A device as it was heard; none when the system only remembers it. One that is `held` is
    /// known to be connected.
    async fn describe(&self, peripheral: &Peripheral, held: bool) -> Option<Advertisement> {
        let properties = in_time("a device", peripheral.properties()).await.ok()??;
        let connected = match properties.rssi {
            _ if held => true,
            Some(_) => false,
            None => in_time("a device", peripheral.is_connected())
                .await
                .unwrap_or(false),
        };
        if properties.rssi.is_none() && !connected {
            return None;
        }
        // The alias of a device without a name is its address on some systems.
        let name = properties
            .advertisement_name
            .or(properties.local_name)
            .unwrap_or_default();
        let address = address_of(peripheral);
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= KNOWN_LIMIT && !known.contains_key(&address) {
            known.clear();
        }
        known.insert(address.clone(), peripheral.id());
        drop(known);
        Some(Advertisement {
            address,
            name,
            rssi: properties.rssi,
            connected,
            simulated: false,
        })
    }

    async fn connect(
        self: Arc<Self>,
        address: Address,
        runtime: Arc<BluetoothRuntime>,
        abandoned: CancellationToken,
    ) -> Result<Connection, ClockError> {
        let failed = |detail: &str| ClockError::ConnectFailed {
            address: address.clone(),
            detail: detail.to_owned(),
        };
        let _one_at_a_time = tokio::select! {
            guard = self.connecting.lock() => guard,
            () = abandoned.cancelled() => return Err(failed("given up")),
        };
        let adapter = self.chosen.powered().await?;
        let id = self
            .known
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .get(&address)
            .cloned();
        let Some(id) = id else {
            return Err(failed("it was not heard"));
        };
        let peripheral = match in_time("the clock", adapter.peripheral(&id)).await {
            Ok(peripheral) => peripheral,
            // For Windows, btleplug drops a device with its link, but can make it anew.
            Err(_) => in_time("the clock", adapter.add_peripheral(&id))
                .await
                .map_err(|_| failed("it was forgotten"))?,
        };
        let ears = if SCAN_WHILE_CONNECTING {
            self.keep_listening(&adapter, &abandoned).await
        } else {
            None
        };
        let attempt = tokio::select! {
            attempt = timeout(CONNECT, reach(&peripheral)) => match attempt {
                Ok(attempt) => attempt.map_err(|error| failure::connecting(&address, &error)),
                Err(_) => Err(failed("no answer")),
            },
            () = silence(&peripheral) => Err(ClockError::DiscoveryTimeout {
                address: address.clone(),
                seconds: services::DISCOVER.as_secs(),
            }),
            () = abandoned.cancelled() => Err(failed("given up")),
        };
        if let Some(turn) = ears {
            stop(&adapter).await;
            drop(turn);
        }
        let link = match attempt {
            Ok(()) => link::establish(&adapter, peripheral.clone(), address, runtime).await,
            Err(error) => Err(error),
        };
        if link.is_err() || abandoned.is_cancelled() {
            // Neither an error nor a dropped future ends the attempt, and a half-open link keeps
            // everybody else out.
            let_go(&peripheral).await;
        }
        let (link, notifications): (BluetoothLink, _) = link?;
        Ok(Connection {
            link: Arc::new(link),
            notifications,
        })
    }
}

impl Radio {
    /// Scans, for nobody to hear, until the returned turn is given back; none when that cannot be,
    /// since a connection may come about all the same.
    async fn keep_listening(
        &self,
        adapter: &platform::Adapter,
        abandoned: &CancellationToken,
    ) -> Option<OwnedMutexGuard<()>> {
        let turn = turn(&self.scanning, abandoned).await.ok()?;
        match in_time("the scan", adapter.start_scan(ScanFilter::default())).await {
            Ok(()) => Some(turn),
            Err(error) => {
                tracing::debug!(%error, "connecting without a scan");
                stop(adapter).await;
                None
            }
        }
    }
}

/// Waits until no scan is under way any more, within a bound and no longer than anybody wants it.
async fn turn(
    scanning: &Arc<tokio::sync::Mutex<()>>,
    abandoned: &CancellationToken,
) -> Result<OwnedMutexGuard<()>, ClockError> {
    let failed = |detail: &str| ClockError::Bluetooth {
        detail: detail.to_owned(),
    };
    tokio::select! {
        biased;
        () = abandoned.cancelled() => Err(failed("given up")),
        turn = timeout(QUESTION, Arc::clone(scanning).lock_owned()) => {
            turn.map_err(|_| failed("the scan before did not stop"))
        }
    }
}

/// Connects a device and has its services read.
async fn reach(peripheral: &Peripheral) -> btleplug::Result<()> {
    #[cfg(target_os = "linux")]
    return super::bluez::connect(peripheral).await;
    #[cfg(not(target_os = "linux"))]
    peripheral.connect().await
}

/// Whether a scan goes on. On Linux one that ended with the Bluetooth service is begun anew, which
/// is refused while it goes on.
async fn still_scans(adapter: &platform::Adapter) -> bool {
    let state = in_time("the adapter", adapter.adapter_state()).await;
    if !matches!(state, Ok(CentralState::PoweredOn | CentralState::Unknown)) {
        return false;
    }
    if !cfg!(target_os = "linux") {
        return true;
    }
    match timeout(QUESTION, adapter.start_scan(ScanFilter::default())).await {
        Ok(Ok(())) => {
            tracing::info!("the scan had ended; listening anew");
            true
        }
        Ok(Err(error)) => failure::under_way(&error),
        Err(_) => false,
    }
}

/// Returns when a device has been connected for as long as it may take to tell its services, all
/// the while an attempt to connect it goes on.
async fn silence(peripheral: &Peripheral) {
    let mut since = None;
    loop {
        sleep(CONNECT_CHECK).await;
        match in_time("the link", peripheral.is_connected()).await {
            Ok(true) => {
                let since = *since.get_or_insert_with(Instant::now);
                if since.elapsed() >= services::DISCOVER {
                    return;
                }
            }
            _ => since = None,
        }
    }
}

/// Stops scanning, within a bound.
async fn stop(adapter: &platform::Adapter) {
    if let Err(error) = in_time("stopping the scan", adapter.stop_scan()).await {
        tracing::debug!(%error, "the scan did not stop");
    }
}

/// Disconnects, within a bound. Harmless when there is no link.
pub(super) async fn let_go(peripheral: &Peripheral) {
    match timeout(DISCONNECT, peripheral.disconnect()).await {
        Ok(Ok(())) => {}
        Ok(Err(error)) => tracing::debug!(%error, "disconnecting failed"),
        Err(_) => tracing::warn!("disconnecting took too long"),
    }
}

/// Waits for an answer of the system, within a bound.
pub(super) async fn in_time<T>(
    what: &str,
    question: impl Future<Output = btleplug::Result<T>>,
) -> Result<T, ClockError> {
    within(QUESTION, what, question).await
}

async fn within<T>(
    limit: Duration,
    what: &str,
    question: impl Future<Output = btleplug::Result<T>>,
) -> Result<T, ClockError> {
    match timeout(limit, question).await {
        Ok(answer) => answer.map_err(|error| failure::general(&error)),
        Err(_) => Err(no_answer(what)),
    }
}

pub(super) fn no_answer(what: &str) -> ClockError {
    ClockError::Bluetooth {
        detail: format!("no answer about {what}"),
    }
}

/// The MAC address, or the system's own identifier where it hides the address.
fn address_of(peripheral: &Peripheral) -> Address {
    let mac = peripheral.address();
    if mac == btleplug::api::BDAddr::default() {
        Address::new(&peripheral.id().to_string())
    } else {
        Address::new(&mac.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_scan_waits_until_the_one_before_has_stopped() {
        let scanning = Arc::default();
        let wanted = CancellationToken::new();
        let before = turn(&scanning, &wanted).await.unwrap();
        let stopping = tokio::spawn(async move {
            sleep(QUESTION / 2).await;
            drop(before);
        });
        let asked = Instant::now();
        let next = turn(&scanning, &wanted).await.unwrap();
        assert_eq!(asked.elapsed(), QUESTION / 2);
        stopping.await.unwrap();
        // One that never stops is an error in the end.
        assert!(turn(&scanning, &wanted).await.is_err());
        assert_eq!(asked.elapsed(), QUESTION / 2 + QUESTION);
        // Nobody waits for a scan that nobody wants.
        let abandon = wanted.clone().drop_guard();
        tokio::spawn(async move {
            sleep(QUESTION / 4).await;
            drop(abandon);
        });
        let asked = Instant::now();
        assert!(turn(&scanning, &wanted).await.is_err());
        assert_eq!(asked.elapsed(), QUESTION / 4);
        drop(next);
        assert!(turn(&scanning, &wanted).await.is_err());
        assert!(turn(&scanning, &CancellationToken::new()).await.is_ok());
    }
}
