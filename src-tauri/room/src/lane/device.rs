//! What is known of a device, and the way to it.
//!
//! The command in progress, the overrides beside it and the watch share this. They lock it for a
//! moment only, never across a wait.

use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use tokio::sync::{Semaphore, broadcast, watch};
use tokio::time::{Instant, sleep_until};

use crate::address::Address;
use crate::dialect::{Dialect, Refusal};
use crate::error::TokenFault;
use crate::exchange::{Exchange, Reply, Target, Transport, TransportError};
use crate::guard::{Guard, Load};
use crate::names::DeviceId;
use crate::state::{Abilities, Condition, Reading, Sample};

use super::fault::{self, Lost};
use super::remarks::Remarks;
use super::{LaneStart, LaneState, Setting};

/// Most overrides on their way to one device at the same moment: a board has few sockets (ESP-1).
const OVERRIDES: usize = 4;

/// The same picture within this time of the one before may be a frame that the camera kept (ESP-3).
const FRAME_KEPT: Duration = Duration::from_secs(10);

/// The longest that a device is left alone because it asks for it; longer than that it is asked
/// whether it still does.
const MAX_REST: Duration = Duration::from_secs(10);

/// A device.
pub(super) struct Device {
    pub(super) id: DeviceId,
    pub(super) transport: Arc<dyn Transport>,
    pub(super) calls: Arc<Semaphore>,
    pub(super) polls: Arc<Semaphore>,
    pub(super) overrides: Semaphore,
    samples: broadcast::Sender<Sample>,
    known: Mutex<Known>,
    shown: watch::Sender<LaneState>,
}

/// Whether an exchange waits for its turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pass {
    /// As long as it begins by then.
    By(Instant),
    /// No: it is the override.
    Now,
}

/// What was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Asked {
    Status,
    Write,
    Other,
}

/// Where a device is and how it is spoken to, as it was recognised.
#[derive(Clone)]
pub(super) struct Place {
    /// Of the setting that this was found out for; results for an older one are dropped.
    generation: u64,
    pub(super) target: Target,
    pub(super) dialect: &'static dyn Dialect,
}

/// What is known.
struct Known {
    generation: u64,
    setting: Setting,
    place: Option<Place>,
    doubted: bool,
    guard: Guard,
    /// What waits for its turn at the moment, first come first.
    waiting: Option<Load>,
    /// How it was when it was last asked.
    seen: Condition,
    /// How it refused to be written to, while it lets itself be read.
    write_fault: Option<TokenFault>,
    /// It has let itself be read with the token that it has now.
    reads: bool,
    silent: u32,
    reading: Option<Reading>,
    read_at: Option<Instant>,
    /// What its second page said, for readings that were made without it.
    more: Option<Reply>,
    answered_at: Option<u64>,
    round_trip_ms: Option<u32>,
    remarks: Remarks,
    picture: Option<(Instant, u64)>,
    messages: u32,
    busy: bool,
}

/// Milliseconds since 1970 by this computer's clock.
pub(super) fn clock() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| {
        u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
    })
}

impl Device {
    pub(super) fn new(start: LaneStart, setting: Setting, shown: watch::Sender<LaneState>) -> Self {
        let device = Self {
            id: start.id,
            transport: start.transport,
            calls: start.calls,
            polls: start.polls,
            overrides: Semaphore::new(OVERRIDES),
            samples: start.samples,
            known: Mutex::new(Known {
                generation: 0,
                setting,
                place: None,
                doubted: false,
                guard: Guard::default(),
                waiting: None,
                seen: Condition::Unasked,
                write_fault: None,
                reads: false,
                silent: 0,
                reading: None,
                read_at: None,
                more: None,
                answered_at: None,
                round_trip_ms: None,
                remarks: Remarks::default(),
                picture: None,
                // Acknowledgements of messages that were sent before a restart are none of these.
                messages: u32::try_from(clock() / 1_000 % 1_000_000).unwrap_or_default(),
                busy: false,
            }),
            shown,
        };
        device.show();
        device
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Publishes what has changed.
    pub(super) fn show(&self) {
        let state = self.known().state();
        self.shown.send_if_modified(|shown| {
            let changed = *shown != state;
            if changed {
                *shown = state;
            }
            changed
        });
    }

    /// Takes another setting; whether the device has to be found out anew for it.
    pub(super) fn set(&self, setting: Setting) -> bool {
        let mut known = self.known();
        let before = std::mem::replace(&mut known.setting, setting);
        let anew = before.address != known.setting.address
            || before.token != known.setting.token
            || before.via != known.setting.via;
        if anew {
            known.generation += 1;
            known.place = None;
            known.seen = Condition::Unasked;
            known.write_fault = None;
            known.reads = false;
            known.silent = 0;
        }
        drop(known);
        self.show();
        anew
    }

    pub(super) fn setting(&self) -> Setting {
        self.known().setting.clone()
    }

    /// Where it is, unless that is in doubt.
    pub(super) fn place(&self) -> Option<Place> {
        let known = self.known();
        known.place.clone().filter(|_| !known.doubted)
    }

    /// Where it was when it was last recognised, also where that is in doubt.
    pub(super) fn last_place(&self) -> Option<Place> {
        self.known().place.clone()
    }

    /// The address that it is looked for at: the port that answered last comes first.
    pub(super) fn looked_for(&self) -> Option<Address> {
        let known = self.known();
        let address = known.setting.address.as_ref()?;
        let port = known.place.as_ref().map(|place| place.target.port);
        Some(match (address.port(), port) {
            (None, Some(port)) => address.at(port),
            _ => address.clone(),
        })
    }

    /// Makes it be recognised anew, since where and what it is is in doubt.
    pub(super) fn doubt(&self) {
        self.known().doubted = true;
    }

    pub(super) fn last(&self) -> Option<Reading> {
        self.known().reading.clone()
    }

    /// How long ago it was last read.
    pub(super) fn read_ago(&self) -> Option<Duration> {
        self.known().read_at.map(|at| at.elapsed())
    }

    pub(super) fn silent(&self) -> u32 {
        self.known().silent
    }

    pub(super) fn set_busy(&self, busy: bool) {
        let before = std::mem::replace(&mut self.known().busy, busy);
        if before != busy {
            self.show();
        }
    }

    /// Numbers a message.
    pub(super) fn number(&self) -> u32 {
        let mut known = self.known();
        known.messages = known.messages.wrapping_add(1);
        known.messages
    }

    /// What its guard knows, and the load that waits for its turn.
    pub(super) fn guard(&self) -> (Guard, Option<Load>) {
        let known = self.known();
        (known.guard.clone(), known.waiting)
    }

    /// Waits until a request keeps every distance, and notes that it goes out now.
    pub(super) async fn admit(&self, load: Load, pass: Pass) -> Result<(), Lost> {
        self.turn(load, pass, true).await
    }

    /// Waits until a request would keep every distance.
    pub(super) async fn wait_turn(&self, load: Load, pass: Pass) -> Result<(), Lost> {
        self.turn(load, pass, false).await
    }

    async fn turn(&self, load: Load, pass: Pass, goes: bool) -> Result<(), Lost> {
        let _waiting = Waiting(self);
        loop {
            let now = Instant::now();
            let at = {
                let mut known = self.known();
                let at = match pass {
                    Pass::Now => now,
                    Pass::By(_) => known.guard.earliest(load, now),
                };
                if let (Pass::By(by), true) = (pass, at > now) {
                    if at > by {
                        return Err(Lost::Late(at - by));
                    }
                    known.waiting = Some(load);
                } else {
                    if let (Pass::By(_), Some(conflict)) = (pass, known.guard.conflict(load, now)) {
                        return Err(Lost::Conflict(conflict));
                    }
                    if goes {
                        known.guard.record(load, now);
                    }
                    return Ok(());
                }
                at
            };
            sleep_until(at).await;
        }
    }

    /// Sends what was admitted.
    pub(super) async fn exchange(
        &self,
        place: &Place,
        load: Load,
        exchange: &Exchange,
        limit: Duration,
    ) -> Result<Reply, Lost> {
        let on_the_way = OnTheWay::new(self, load);
        let sent = on_the_way.sent;
        let reply = self
            .transport
            .exchange(&place.target, exchange, limit)
            .await;
        drop(on_the_way);
        if reply.is_ok() {
            self.note_answer(place, sent);
        }
        reply.map_err(Lost::Transport)
    }

    /// Notes where and what it was recognised as; `None` where the setting has changed meanwhile.
    pub(super) fn found(
        &self,
        generation: u64,
        target: Target,
        dialect: &'static dyn Dialect,
    ) -> Option<Place> {
        let mut known = self.known();
        if generation != known.generation {
            return None;
        }
        known.guard.space(dialect.write_spacing());
        let place = Place {
            generation,
            target,
            dialect,
        };
        known.place = Some(place.clone());
        known.doubted = false;
        Some(place)
    }

    pub(super) fn generation(&self) -> u64 {
        self.known().generation
    }

    /// Reads what a reply to the question for its state says, and notes it.
    pub(super) fn note_status(
        &self,
        place: &Place,
        reply: &Reply,
        more: Option<Reply>,
    ) -> Result<Reading, Refusal> {
        let read = place.dialect.read(reply).map(|mut reading| {
            if let Some(more) = &more {
                place.dialect.read_more(&mut reading, more);
            }
            reading
        });
        let refusal = match &read {
            Ok(reading) => {
                self.note_reading(place, reading, more);
                return read;
            }
            Err(refusal) => refusal.clone(),
        };
        let sent = place.target.authorization.is_some();
        let refusal = match refusal {
            Refusal::Token(fault) => Refusal::Token(fault::token(fault, sent, false, false)),
            refusal => refusal,
        };
        self.note_refusal(place, &refusal, Asked::Status);
        Err(refusal)
    }

    fn note_reading(&self, place: &Place, reading: &Reading, more: Option<Reply>) {
        let now = Instant::now();
        let mut known = self.known();
        if place.generation != known.generation {
            return;
        }
        known.reads = true;
        known.seen = Condition::Answering;
        if more.is_some() {
            known.more = more;
        }
        let mut shown = reading.clone();
        if let Some(more) = &known.more {
            place.dialect.read_more(&mut shown, more);
        }
        let silent = std::mem::take(&mut known.silent);
        let before = known.reading.take();
        known
            .remarks
            .read(before.as_ref(), &shown, silent, now, clock());
        known.reading = Some(shown);
        known.read_at = Some(now);
        drop(known);
        self.show();
    }

    /// Notes what its second page says.
    pub(super) fn note_more(&self, place: &Place, reply: Reply) {
        let mut known = self.known();
        if place.generation != known.generation {
            return;
        }
        if let Some(reading) = &mut known.reading {
            place.dialect.read_more(reading, &reply);
        }
        known.more = Some(reply);
        drop(known);
        self.show();
    }

    /// Notes that it answered something that was asked at that moment.
    pub(super) fn note_answer(&self, place: &Place, asked: Instant) {
        let mut known = self.known();
        if place.generation == known.generation {
            known.answered_at = Some(clock());
            let taken = u32::try_from(asked.elapsed().as_millis()).unwrap_or(u32::MAX);
            known.round_trip_ms = Some(taken);
        }
    }

    /// Notes that it did what was asked.
    pub(super) fn note_done(&self, place: &Place, load: Load) {
        let mut known = self.known();
        if place.generation != known.generation {
            return;
        }
        known.seen = Condition::Answering;
        if load.writes() {
            known.write_fault = None;
        }
        drop(known);
        self.show();
    }

    /// Notes what a refusal shows of it, and gives it back with what only this lane knows.
    pub(super) fn refusal(&self, place: &Place, load: Load, refusal: Refusal) -> Refusal {
        let reads = self.known().reads;
        let sent = place.target.authorization.is_some();
        let refusal = match refusal {
            Refusal::Token(fault) => {
                Refusal::Token(fault::token(fault, sent, load.writes(), reads))
            }
            refusal => refusal,
        };
        let asked = if load.writes() {
            Asked::Write
        } else {
            Asked::Other
        };
        self.note_refusal(place, &refusal, asked);
        refusal
    }

    fn note_refusal(&self, place: &Place, refusal: &Refusal, asked: Asked) {
        let mut known = self.known();
        if place.generation != known.generation {
            return;
        }
        match refusal {
            Refusal::Token(fault) if asked == Asked::Write => known.write_fault = Some(*fault),
            Refusal::Token(fault) => known.seen = faulty(*fault),
            Refusal::Throttled {
                retry_after: Some(wait),
                ..
            } => {
                let wait = (*wait).min(MAX_REST);
                known.guard.rest(Instant::now() + wait);
                let wait = u64::try_from(wait.as_millis()).unwrap_or(u64::MAX);
                known.seen = Condition::Throttled {
                    until: clock().saturating_add(wait),
                };
            }
            // A command that fails says little about the device; a status that makes no sense does.
            Refusal::Nonsense { detail } | Refusal::Said { detail } if asked == Asked::Status => {
                known.seen = Condition::Garbled {
                    detail: detail.clone(),
                };
            }
            _ => known.seen = Condition::Answering,
        }
        drop(known);
        self.show();
    }

    /// Notes that it did not answer; a poll also counts how often.
    pub(super) fn note_silence(&self, generation: u64, condition: Condition, poll: bool) {
        let mut known = self.known();
        if generation != known.generation {
            return;
        }
        known.seen = condition;
        if poll {
            known.silent = known.silent.saturating_add(1);
        }
        drop(known);
        self.show();
    }

    /// Notes how it is, where only its gateway is asked.
    pub(super) fn note_condition(&self, condition: Condition) {
        self.known().seen = condition;
        self.show();
    }

    pub(super) fn note_moved(&self) {
        self.known().remarks.moved(Instant::now(), clock());
        self.show();
    }

    /// Publishes what a poll has read.
    pub(super) fn sample(&self, answered: bool) {
        let mut known = self.known();
        let reading = known.reading.clone().filter(|_| answered);
        let reading = reading.unwrap_or_default();
        let sample = Sample {
            device: self.id.clone(),
            at: clock(),
            answered,
            restarted: known.remarks.take_restarted(),
            round_trip_ms: known.round_trip_ms.filter(|_| answered),
            rssi: reading.rssi,
            heap_free: reading.heap_free,
            uptime_seconds: reading.uptime_seconds,
            step: reading.step,
            mesh_failed: reading.counters.get("espnow.tx_fail").copied(),
        };
        drop(known);
        // Nobody keeps a history at the moment.
        let _ = self.samples.send(sample);
    }

    /// Whether a picture is the one before, taken a moment ago: cameras keep frames (ESP-3).
    pub(super) fn is_kept_frame(&self, jpeg: &[u8]) -> bool {
        let hash = BuildHasherDefault::<DefaultHasher>::default().hash_one(jpeg);
        let now = Instant::now();
        let before = self.known().picture.replace((now, hash));
        before.is_some_and(|(at, before)| before == hash && at + FRAME_KEPT > now)
    }
}

impl Place {
    pub(super) fn generation(&self) -> u64 {
        self.generation
    }
}

/// Takes back that something waits for its turn, also where its future is dropped.
struct Waiting<'a>(&'a Device);

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.known().waiting = None;
    }
}

fn faulty(fault: TokenFault) -> Condition {
    match fault {
        TokenFault::Missing => Condition::NoToken,
        TokenFault::Refused => Condition::TokenRefused,
        TokenFault::ReadingOnly => Condition::ReadingOnly,
        TokenFault::SetupMode => Condition::SetupMode,
    }
}

impl Known {
    fn state(&mut self) -> LaneState {
        let place = self.place.as_ref();
        let address = place.map(|place| place.target.address.at(place.target.port));
        let condition = match (&self.seen, self.write_fault) {
            (Condition::Answering, Some(fault)) => faulty(fault),
            (seen, _) => seen.clone(),
        };
        LaneState {
            address: address.or_else(|| self.setting.address.clone()),
            family: place.map(|place| place.dialect.family()),
            abilities: match &self.setting.via {
                Some(_) => super::relay::abilities(),
                None => place.map_or_else(Abilities::default, |place| place.dialect.abilities()),
            },
            condition,
            remarks: self.remarks.shown(Instant::now()),
            answered_at: self.answered_at,
            round_trip_ms: self.round_trip_ms,
            reading: self.reading.clone(),
            busy: self.busy,
        }
    }
}

/// What passes every exchange of a search through the guard.
pub(super) struct Guarded {
    pub(super) device: Arc<Device>,
    pub(super) pass: Pass,
}

/// A request that has gone out. Its end counts for the guard wherever it comes, also where it is
/// given up.
pub(super) struct OnTheWay<'a> {
    device: &'a Device,
    load: Load,
    sent: Instant,
}

impl<'a> OnTheWay<'a> {
    /// For a request that was admitted just now.
    pub(super) fn new(device: &'a Device, load: Load) -> Self {
        Self {
            device,
            load,
            sent: Instant::now(),
        }
    }
}

impl Drop for OnTheWay<'_> {
    fn drop(&mut self) {
        let mut known = self.device.known();
        known.guard.ended(self.load, self.sent, Instant::now());
    }
}

#[async_trait::async_trait]
impl Transport for Guarded {
    async fn exchange(
        &self,
        target: &Target,
        exchange: &Exchange,
        deadline: Duration,
    ) -> Result<Reply, TransportError> {
        let end = Instant::now() + deadline;
        let pass = match self.pass {
            Pass::By(by) => Pass::By(by.min(end)),
            Pass::Now => Pass::Now,
        };
        if self.device.admit(Load::READ, pass).await.is_err() {
            return Err(TransportError::TimedOut { after: deadline });
        }
        let _on_the_way = OnTheWay::new(&self.device, Load::READ);
        let left = end.saturating_duration_since(Instant::now());
        self.device.transport.exchange(target, exchange, left).await
    }
}
