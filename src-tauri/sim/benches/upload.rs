//! How long a picture takes, beside what the link allows.
//!
//! `cargo bench -p regie-sim --bench upload` uploads 400x300 in three colours with the real session
//! over simulated connection events, in real time: about five minutes. `-- --quick` sends the small
//! picture of 280x100 instead, `-- --full` adds the slow cells that are left out otherwise.
//!
//! *Allowed* is the fewest connection events that the packets need, from the link model itself; a
//! host that needs longer than the rest of an event misses the next one, which is what makes its
//! own work visible. *Busy* is allowed over taken. *Late* is how often the session let more time
//! pass after an answer than the event had left; what is lost besides is lost by the simulation's
//! own timers on a machine that is busy with something else.
#![allow(
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a program for the console"
)]

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use regie_clock::dialect::{Delivery, Discovered, Role, Terms};
use regie_clock::link::{Connection, Scan, WriteError};
use regie_clock::{
    Adapter, Address, Channel, ClockError, ClockLink, Dialect, Dialects, Job, Outcome, Picture,
    PictureSize, Pingping, Profile, Request, Session, SessionConfig,
};
use regie_sim::{
    AnswerEvent, ClockSpec, LinkModel, Radio, SimulatedAdapter, SimulatedClock, Timing,
};
use tokio::runtime::{Builder, Handle, Runtime};

/// Connection intervals: the least there is, and what the systems agree to.
const INTERVALS: [Duration; 4] = [
    Duration::from_micros(7_500),
    Duration::from_millis(15),
    Duration::from_millis(30),
    Duration::from_millis(45),
];
/// The least ATT MTU, a usual one, and the one that holds a whole packet.
const MTUS: [u16; 3] = [23, 185, 247];
/// Share of the events that a session must use, in percent.
const TARGET: f64 = 90.0;
/// Calls whose cost is averaged.
const HOPS: u32 = 20_000;
/// Threads of a runtime, as in the app.
const THREADS: usize = 2;

fn main() {
    let asked = |flag: &str| std::env::args().any(|argument| argument == flag);
    let size = if asked("--quick") {
        PictureSize::Small
    } else {
        PictureSize::Full
    };
    let runtime = runtime("session");
    let bluetooth = self::runtime("bluetooth");
    let mut least = f64::INFINITY;

    heading("the clock answers in the event that brings the write", size);
    for interval in INTERVALS {
        for mtu in MTUS {
            let cell = Cell::new(interval, mtu, AnswerEvent::Same, size);
            least = least.min(cell.run(&runtime, None).print());
        }
    }
    heading("the clock answers in the next event", size);
    for interval in INTERVALS {
        for mtu in MTUS {
            if mtu == MTUS[0] && !asked("--full") {
                continue;
            }
            let cell = Cell::new(interval, mtu, AnswerEvent::Next, size);
            least = least.min(cell.run(&runtime, None).print());
        }
    }
    heading(
        "each write as a task of another runtime, as over Bluetooth",
        size,
    );
    for mtu in [MTUS[1], MTUS[2]] {
        let cell = Cell::new(INTERVALS[0], mtu, AnswerEvent::Same, size);
        let other = Some(bluetooth.handle().clone());
        least = least.min(cell.run(&runtime, other).print());
    }
    let hop = runtime.block_on(hop(bluetooth.handle()));
    println!(
        "\none hop to the other runtime and back: {:.1} us",
        hop.as_secs_f64() * 1e6
    );
    let verdict = if least >= TARGET { "met" } else { "MISSED" };
    println!("busy in the worst cell: {least:.1} %, target {TARGET} % {verdict}");
}

fn runtime(name: &str) -> Runtime {
    Builder::new_multi_thread()
        .worker_threads(THREADS)
        .thread_name(name)
        .enable_time()
        .build()
        .expect("a runtime")
}

fn heading(what: &str, size: PictureSize) {
    println!(
        "\n{what}; {}x{}, three colours",
        size.width(),
        size.height()
    );
    println!(
        "{:>8} {:>5} {:>8} {:>10} {:>9} {:>7} {:>5}   host between answer and next write, us: median, 99 %, most",
        "interval", "MTU", "packets", "allowed s", "taken s", "busy %", "late"
    );
}

/// One upload.
struct Cell {
    radio: Radio,
    mtu: u16,
    picture: Picture,
}

struct Measured {
    interval: Duration,
    mtu: u16,
    packets: usize,
    allowed: Duration,
    taken: Duration,
    /// Between the answer to a whole packet and the next event.
    slack: Duration,
    /// Between an answer and the next write, sorted.
    gaps: Vec<Duration>,
}

impl Cell {
    fn new(interval: Duration, mtu: u16, answer: AnswerEvent, size: PictureSize) -> Self {
        let plane = |salt: usize| {
            (0..size.plane_bytes())
                .map(|i| (i * 31 + i / 251 + salt) as u8)
                .collect()
        };
        Self {
            radio: Radio {
                answer,
                ..Radio::of_interval(interval)
            },
            mtu,
            picture: Picture::new(size, plane(1), plane(2)).expect("planes of this size"),
        }
    }

    fn run(self, runtime: &Runtime, hop: Option<Handle>) -> Measured {
        let request = Request::Picture(self.picture.clone());
        let script = Pingping::default()
            .script(&request, Terms::of_mtu(self.mtu))
            .expect("a script");
        let payloads: Vec<usize> = script
            .writes()
            .filter(|write| matches!(write.role, Role::Data { .. }))
            .map(|write| write.bytes.len())
            .collect();
        let log = Arc::new(Mutex::new(Vec::new()));
        let outcome = runtime.block_on(upload(&self, request, hop, Arc::clone(&log)));
        assert!(outcome.is_done(), "{outcome:?}");
        let log = log.lock().unwrap_or_else(PoisonError::into_inner);
        assert_eq!(log.len(), payloads.len(), "packets were repeated");
        let mut gaps: Vec<_> = log
            .windows(2)
            .map(|pair| pair[1].begun - pair[0].answered)
            .collect();
        gaps.sort_unstable();
        let interval = self.radio.interval;
        let one = self.radio.least_time(payloads.iter().copied().max());
        let into_event = one.as_nanos() % interval.as_nanos();
        Measured {
            interval,
            slack: interval - Duration::from_nanos(u64::try_from(into_event).unwrap_or(0)),
            mtu: self.mtu,
            packets: payloads.len(),
            allowed: self.radio.least_time(payloads),
            taken: match (log.first(), log.last()) {
                (Some(first), Some(last)) => last.answered - first.begun,
                _ => Duration::ZERO,
            },
            gaps,
        }
    }
}

impl Measured {
    /// Prints a row; returns how busy the link was, in percent.
    fn print(&self) -> f64 {
        let busy = 100.0 * self.allowed.as_secs_f64() / self.taken.as_secs_f64();
        let late = self.gaps.iter().filter(|gap| **gap > self.slack).count();
        let gap = |percent: usize| {
            let index = (self.gaps.len() * percent / 100).min(self.gaps.len().saturating_sub(1));
            self.gaps.get(index).map_or(0, Duration::as_micros)
        };
        println!(
            "{:>5.1} ms {:>5} {:>8} {:>10.2} {:>9.2} {busy:>7.1} {late:>5}   {}, {}, {}",
            self.interval.as_secs_f64() * 1e3,
            self.mtu,
            self.packets,
            self.allowed.as_secs_f64(),
            self.taken.as_secs_f64(),
            gap(50),
            gap(99),
            gap(100),
        );
        busy
    }
}

/// Uploads with a session of its own; the log gets the picture packets.
async fn upload(
    cell: &Cell,
    request: Request,
    hop: Option<Handle>,
    log: Arc<Mutex<Vec<Entry>>>,
) -> Outcome {
    let clock = SimulatedClock::new(ClockSpec {
        mtu: cell.mtu,
        timing: Timing {
            link: LinkModel::Radio(cell.radio),
            ..Timing::instant()
        },
        ..ClockSpec::default()
    });
    let adapter = Watched {
        inner: SimulatedAdapter::new(vec![clock]),
        hop,
        log,
    };
    let config = SessionConfig::default();
    let session = Session::spawn(Arc::new(adapter), Dialects::new(Profile::default()), config);
    // Somebody watches, as the window does.
    let mut state = session.state();
    let watcher = tokio::spawn(async move { while state.changed().await.is_ok() {} });
    let outcome = session.submit(Job::new(request)).outcome().await;
    session.shutdown(Duration::from_secs(5)).await;
    watcher.abort();
    outcome
}

/// What a task on another runtime costs when its end is waited for.
async fn hop(other: &Handle) -> Duration {
    let other = other.clone();
    let measured = tokio::spawn(async move {
        let began = Instant::now();
        for _ in 0..HOPS {
            other.spawn(std::future::ready(())).await.expect("a task");
        }
        began.elapsed() / HOPS
    });
    measured.await.expect("a task")
}

/// One picture packet.
struct Entry {
    begun: Instant,
    answered: Instant,
}

/// An adapter whose links note when picture packets begin and are answered.
struct Watched {
    inner: SimulatedAdapter,
    hop: Option<Handle>,
    log: Arc<Mutex<Vec<Entry>>>,
}

struct WatchedLink {
    inner: Arc<dyn ClockLink>,
    hop: Option<Handle>,
    log: Arc<Mutex<Vec<Entry>>>,
}

#[async_trait]
impl Adapter for Watched {
    async fn check(&self) -> Result<(), ClockError> {
        self.inner.check().await
    }

    async fn scan(&self) -> Result<Scan, ClockError> {
        self.inner.scan().await
    }

    async fn connect(&self, address: &Address) -> Result<Connection, ClockError> {
        let Connection {
            link,
            notifications,
        } = self.inner.connect(address).await?;
        let link = Arc::new(WatchedLink {
            inner: link,
            hop: self.hop.clone(),
            log: Arc::clone(&self.log),
        });
        Ok(Connection {
            link,
            notifications,
        })
    }
}

#[async_trait]
impl ClockLink for WatchedLink {
    async fn discover(&self) -> Result<Discovered, ClockError> {
        self.inner.discover().await
    }

    fn mtu(&self) -> u16 {
        self.inner.mtu()
    }

    async fn write(
        &self,
        channel: Channel,
        bytes: &[u8],
        delivery: Delivery,
    ) -> Result<(), WriteError> {
        let begun = Instant::now();
        match &self.hop {
            Some(other) => {
                let (link, bytes) = (Arc::clone(&self.inner), bytes.to_vec());
                let task = other.spawn(async move { link.write(channel, &bytes, delivery).await });
                task.await.expect("a task")?;
            }
            None => self.inner.write(channel, bytes, delivery).await?,
        }
        // The trigger is one byte.
        if channel == Channel::Main && bytes.len() > 1 {
            let answered = Instant::now();
            let mut log = self.log.lock().unwrap_or_else(PoisonError::into_inner);
            log.push(Entry { begun, answered });
        }
        Ok(())
    }

    fn is_lost(&self) -> bool {
        self.inner.is_lost()
    }

    async fn disconnect(&self) {
        self.inner.disconnect().await;
    }
}
