//! Making the checks, one after the other.

use std::collections::HashSet;
use std::time::Duration;

use tokio::sync::mpsc;
use tokio::time::{Instant, sleep, sleep_until, timeout};

use super::{Check, Concern, Finding, Search, Step, Verdict};
use crate::ClockError;
use crate::dialect::{Dialects, Discovered, Family, Write};
use crate::link::{
    Adapter, AdapterFacts, Address, Advertisement, Connection, Unavailable, WriteError,
};
use crate::session::connect::discover;
use crate::session::limits::{
    CHECK_LIMIT, CONNECT_ATTEMPT_LIMIT, CONNECT_BACKOFF, DISCONNECT_LIMIT, MTU_POLL, MTU_SETTLE,
    SCAN_START_LIMIT, SCAN_STOP_LIMIT, WRITE_LIMIT,
};

/// The least time to listen, so that the count of devices means something: an ordinary device
/// advertises at least every two seconds.
const LISTEN_LEAST: Duration = Duration::from_secs(3);
/// Devices counted; more are "very many".
const DEVICES_LIMIT: usize = 512;
/// Attempts to connect. Two tell an unlucky moment from a clock that does not accept.
const CONNECT_TRIES: u32 = 2;
/// Writes whose answers are timed; the first may have to wait for the clock's latency.
const WRITES: u32 = 3;

/// Makes every check and tells each as soon as it is made, in the order of [`Check::ALL`]; `steps`
/// has room for them all. The link that is made is let go in the end, also when the future is dropped.
pub async fn examine(
    adapter: &dyn Adapter,
    dialects: &Dialects,
    search: &Search,
    steps: &mpsc::Sender<Step>,
) {
    let mut record = Record {
        steps,
        next: 0,
        since: Instant::now(),
    };
    // A failed check ends it; what was not reached is said all the same.
    let _ended_early = through(adapter, dialects, search, &mut record).await;
    while record.next < Check::ALL.len() {
        record.tell(Verdict::NotReached);
    }
}

/// Nothing that comes after can be looked at.
struct Ended;

/// The checks made so far.
struct Record<'a> {
    steps: &'a mpsc::Sender<Step>,
    next: usize,
    since: Instant,
}

impl Record<'_> {
    fn tell(&mut self, verdict: Verdict) {
        let Some(&check) = Check::ALL.get(self.next) else {
            return;
        };
        let took = self.since.elapsed();
        tracing::info!(%check, ?verdict, "checked");
        // Nobody listening means that nobody wants to know.
        let _ = self.steps.try_send(Step {
            check,
            verdict,
            took,
        });
        self.next += 1;
        self.since = Instant::now();
    }

    fn fine(&mut self, finding: Finding, concern: Option<Concern>) {
        self.tell(match concern {
            Some(concern) => Verdict::Warning(finding, concern),
            None => Verdict::Fine(finding),
        });
    }

    fn failed(&mut self, error: ClockError, found: Option<Finding>) -> Ended {
        self.tell(Verdict::Failed(error, found));
        Ended
    }

    fn not_reached_until(&mut self, check: Check) {
        while Check::ALL.get(self.next).is_some_and(|next| *next < check) {
            self.tell(Verdict::NotReached);
        }
    }
}

async fn through(
    adapter: &dyn Adapter,
    dialects: &Dialects,
    search: &Search,
    record: &mut Record<'_>,
) -> Result<(), Ended> {
    look_at_adapter(adapter, record).await?;
    let clock = listen(adapter, search, record).await?;
    let connection = connect(adapter, &clock, record).await?;
    let talked = talk(&connection, dialects, &clock, record).await;
    record.not_reached_until(Check::LetGo);
    let_go(&connection, record).await;
    talked
}

/// Service, permission, adapter and radio. The system answers one question, and its answer says how
/// far it came.
async fn look_at_adapter(adapter: &dyn Adapter, record: &mut Record<'_>) -> Result<(), Ended> {
    let state = timeout(CHECK_LIMIT, adapter.check())
        .await
        .unwrap_or_else(|_| {
            Err(ClockError::Bluetooth {
                detail: "the adapter does not answer".to_owned(),
            })
        });
    let reason = match &state {
        Ok(()) => None,
        Err(ClockError::BluetoothUnavailable { reason }) => Some(*reason),
        Err(_) => Some(Unavailable::ServiceMissing),
    };
    let facts = timeout(CHECK_LIMIT, adapter.facts())
        .await
        .unwrap_or_default();
    let AdapterFacts {
        name,
        address,
        forbidden,
    } = facts;
    let forbidden = (forbidden == Some(true)).then_some(Concern::Forbidden);
    let stages = [
        (Unavailable::ServiceMissing, Finding::ServiceAnswers, None),
        (Unavailable::PermissionDenied, Finding::Permitted, forbidden),
        (
            Unavailable::NoAdapter,
            Finding::Adapter { name, address },
            None,
        ),
        (Unavailable::RadioOff, Finding::RadioOn, None),
    ];
    for (stage, finding, concern) in stages {
        match &state {
            Err(error) if reason == Some(stage) => {
                return Err(record.failed(error.clone(), None));
            }
            _ => record.fine(finding, concern),
        }
    }
    Ok(())
}

/// Listens until the wanted clock is heard, and long enough to count what else there is.
async fn listen(
    adapter: &dyn Adapter,
    search: &Search,
    record: &mut Record<'_>,
) -> Result<Advertisement, Ended> {
    let target = search.target.as_ref();
    let started = timeout(SCAN_START_LIMIT, adapter.scan())
        .await
        .unwrap_or_else(|_| {
            Err(ClockError::Bluetooth {
                detail: "the scan did not start".to_owned(),
            })
        });
    let mut scan = match started {
        Ok(scan) => scan,
        Err(error) => return Err(record.failed(error, None)),
    };
    let begun = Instant::now();
    let most = begun + search.listen;
    let least = most.min(begun + LISTEN_LEAST);
    let mut heard = Heard::new(target);
    let broke_off = loop {
        let end = if heard.wanted().is_some() {
            least
        } else {
            most
        };
        tokio::select! {
            advertisement = scan.next() => match advertisement {
                Some(advertisement) => heard.note(advertisement),
                None => break true,
            },
            () = sleep_until(end) => break false,
        }
        // A flood of other devices must not keep the end from being seen.
        if Instant::now() >= end {
            break false;
        }
    };
    // One that does not stop in time only makes connecting slower.
    let _ = timeout(SCAN_STOP_LIMIT, scan.stop()).await;
    let seconds = begun.elapsed().as_secs();
    let wanted = heard.wanted().cloned();
    let finding = heard.finding(begun.elapsed());
    match wanted {
        Some(clock) => {
            let concern = if clock.connected {
                Some(Concern::HeldAlready)
            } else {
                Concern::about_signal(clock.rssi)
            };
            record.fine(finding, concern);
            Ok(clock)
        }
        None => {
            let error = silence(adapter, target, heard.devices.len(), broke_off, seconds).await;
            Err(record.failed(error, Some(finding)))
        }
    }
}

/// Why the wanted clock was not heard.
async fn silence(
    adapter: &dyn Adapter,
    target: Option<&Address>,
    devices: usize,
    broke_off: bool,
    seconds: u64,
) -> ClockError {
    if let Ok(Err(error @ ClockError::BluetoothUnavailable { .. })) =
        timeout(CHECK_LIMIT, adapter.check()).await
    {
        return error;
    }
    match target {
        _ if broke_off => ClockError::Bluetooth {
            detail: "the scan broke off".to_owned(),
        },
        _ if devices == 0 => ClockError::NothingHeard { seconds },
        Some(address) => ClockError::TargetNotHeard {
            address: address.clone(),
            seconds,
        },
        None => ClockError::NotFound { seconds },
    }
}

/// What was heard so far.
struct Heard<'a> {
    target: Option<&'a Address>,
    devices: HashSet<Address>,
    clocks: Vec<Advertisement>,
}

impl<'a> Heard<'a> {
    fn new(target: Option<&'a Address>) -> Self {
        Self {
            target,
            devices: HashSet::new(),
            clocks: Vec::new(),
        }
    }

    fn note(&mut self, mut heard: Advertisement) {
        if self.devices.len() < DEVICES_LIMIT {
            self.devices.insert(heard.address.clone());
        }
        if let Some(index) = self.clocks.iter().position(|c| c.address == heard.address) {
            let known = self.clocks.swap_remove(index);
            if heard.name.is_empty() {
                heard.name = known.name;
            }
            heard.rssi = heard.rssi.or(known.rssi);
        } else if self.clocks.len() >= DEVICES_LIMIT || !self.is_clock(&heard) {
            return;
        }
        self.clocks.push(heard);
        self.clocks
            .sort_by(|a, b| b.rssi.cmp(&a.rssi).then_with(|| a.address.cmp(&b.address)));
    }

    fn is_clock(&self, heard: &Advertisement) -> bool {
        self.target == Some(&heard.address) || Family::of_name(&heard.name).is_some()
    }

    fn wanted(&self) -> Option<&Advertisement> {
        match self.target {
            Some(target) => self.clocks.iter().find(|clock| clock.address == *target),
            None => self.clocks.first(),
        }
    }

    fn finding(&self, listened: Duration) -> Finding {
        Finding::Heard {
            devices: self.devices.len(),
            clocks: self.clocks.clone(),
            listened,
        }
    }
}

async fn connect(
    adapter: &dyn Adapter,
    clock: &Advertisement,
    record: &mut Record<'_>,
) -> Result<Connection, Ended> {
    let mut before: Option<ClockError> = None;
    for attempt in 1..=CONNECT_TRIES {
        let begun = Instant::now();
        let connected = timeout(CONNECT_ATTEMPT_LIMIT, adapter.connect(&clock.address))
            .await
            .unwrap_or_else(|_| {
                let seconds = CONNECT_ATTEMPT_LIMIT.as_secs();
                Err(ClockError::ConnectFailed {
                    address: clock.address.clone(),
                    detail: format!("no answer within {seconds} s"),
                })
            });
        match connected {
            Ok(connection) => {
                let name = match clock.name.as_str() {
                    "" => clock.address.to_string(),
                    name => name.to_owned(),
                };
                let late = before.map(|error| Concern::ConnectedLate {
                    attempt,
                    detail: reason(error),
                });
                let took = begun.elapsed();
                record.fine(Finding::Connected { name, took }, late);
                return Ok(connection);
            }
            Err(error) => before = Some(error),
        }
        if attempt < CONNECT_TRIES {
            sleep(CONNECT_BACKOFF.1).await;
        }
    }
    let error = before.unwrap_or_else(|| ClockError::ConnectFailed {
        address: clock.address.clone(),
        detail: "no attempt was made".to_owned(),
    });
    Err(record.failed(error, None))
}

/// What an error says beside what its place says already.
fn reason(error: ClockError) -> String {
    match error {
        ClockError::ConnectFailed { detail, .. } => detail,
        other => other.to_string(),
    }
}

/// Services, MTU and a write.
async fn talk(
    connection: &Connection,
    dialects: &Dialects,
    clock: &Advertisement,
    record: &mut Record<'_>,
) -> Result<(), Ended> {
    let Discovered { family, version } = match discover(connection, &clock.address).await {
        Ok(discovered) => discovered,
        Err(error) => return Err(record.failed(error, None)),
    };
    record.fine(Finding::Services { family, version }, None);

    let mtu = settled_mtu(connection).await;
    if connection.link.is_lost() {
        return Err(record.failed(lost("while the packet size was read"), None));
    }
    let least = (mtu <= LEAST_MTU).then_some(Concern::LeastMtu);
    record.fine(Finding::Mtu { mtu }, least);

    let Some(write) = dialects.of(family).probe() else {
        record.fine(Finding::NoHarmlessWrite, None);
        return Ok(());
    };
    match answers(connection, &write).await {
        Ok((fastest, slowest)) => {
            let slow = Concern::about_answers(fastest);
            record.fine(Finding::Answered { fastest, slowest }, slow);
            Ok(())
        }
        Err(error) => Err(record.failed(error, None)),
    }
}

/// Bluetooth Core Specification, Vol 3, Part G, 5.2.1.
const LEAST_MTU: u16 = 23;

/// The MTU, once it is more than the least that some systems report for a moment (BLE-7).
async fn settled_mtu(connection: &Connection) -> u16 {
    let settled = Instant::now() + MTU_SETTLE;
    loop {
        let mtu = connection.link.mtu();
        if mtu > LEAST_MTU || Instant::now() >= settled {
            return mtu;
        }
        sleep(MTU_POLL).await;
    }
}

/// Writes a few times; the quickest and the slowest answer.
async fn answers(
    connection: &Connection,
    write: &Write,
) -> Result<(Duration, Duration), ClockError> {
    let (mut fastest, mut slowest) = (Duration::MAX, Duration::ZERO);
    for _ in 0..WRITES {
        let begun = Instant::now();
        let writing = connection
            .link
            .write(write.channel, &write.bytes, write.delivery);
        match timeout(WRITE_LIMIT, writing).await {
            Ok(Ok(())) => {
                let took = begun.elapsed();
                fastest = fastest.min(took);
                slowest = slowest.max(took);
            }
            Ok(Err(WriteError::Refused(detail))) => {
                return Err(ClockError::WriteRefused { detail });
            }
            Ok(Err(error)) => return Err(lost(&error.to_string())),
            Err(_) => {
                let seconds = WRITE_LIMIT.as_secs();
                return Err(ClockError::WriteUnanswered { seconds });
            }
        }
    }
    Ok((fastest, slowest))
}

async fn let_go(connection: &Connection, record: &mut Record<'_>) {
    let ended = timeout(DISCONNECT_LIMIT, connection.link.disconnect()).await;
    let seconds = DISCONNECT_LIMIT.as_secs();
    let stays = ended.is_err().then_some(Concern::LinkStays { seconds });
    record.fine(Finding::LetGo, stays);
}

fn lost(detail: &str) -> ClockError {
    ClockError::LinkLost {
        detail: detail.to_owned(),
    }
}
