//! Fifty simulated devices, watched and asked as fast as the guards let through, over real
//! connections on this computer. Prints what the devices saw, and what it cost; ends with an error
//! when one of them saw a limit broken.
//!
//! `cargo bench -p regie-room --bench load`, with `-- 10` for ten seconds instead of sixty. The
//! devices run in the same process: their work is in the figures.
#![allow(
    missing_docs,
    clippy::print_stdout,
    reason = "a bench tells on the console"
)]

use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use regie_room::request::{
    Advance, Capture, Colour, EventType, LedChange, Pattern, Puzzle, PuzzleChange, PuzzleState,
    Resolution, Volume, Zone,
};
use regie_room::{
    Address, Condition, DeviceEntry, HttpTransport, Origin, Request, Room, RoomConfig, Search,
    Token,
};
use regie_sim::room::{LogEntry, SimulatedDevice, SimulatedRoom};
use tokio::time::Instant;

type Failure = Box<dyn std::error::Error>;

const DEVICES: u16 = 50;

/// Callers a device: more than one, so that each always has something to do.
const CALLERS: usize = 3;

fn main() -> ExitCode {
    let seconds = std::env::args().filter_map(|word| word.parse().ok()).next();
    let time = Duration::from_secs(seconds.unwrap_or(60));
    let runtime = match tokio::runtime::Runtime::new() {
        Ok(runtime) => runtime,
        Err(error) => {
            println!("{error}");
            return ExitCode::FAILURE;
        }
    };
    match runtime.block_on(load(time)) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            println!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn entry(number: usize, device: &SimulatedDevice) -> Result<DeviceEntry, Failure> {
    let at = device.address();
    Ok(DeviceEntry {
        id: format!("device-{number}").parse()?,
        name: format!("Device {number}"),
        room: None,
        address: Some(Address::of_ip(at.ip(), Some(at.port()))?),
        found_as: None,
        via: None,
        volume_limit: Volume::try_from(Volume::MOST)?,
        origin: Origin::Simulated,
    })
}

fn request(turn: usize) -> Result<Request, Failure> {
    Ok(match turn % 8 {
        0 => Request::Puzzle(PuzzleChange {
            puzzle: Puzzle::Coffre,
            state: PuzzleState::Unlocked,
            effects: false,
        }),
        1 => Request::Camera(Capture {
            resolution: Resolution::Qqvga,
            quality: Default::default(),
        }),
        2 => Request::Scenario(Advance {
            event: EventType::Button,
            name: "ANY".parse()?,
            target: None,
        }),
        3 => Request::Status,
        _ => Request::Led(LedChange {
            zone: Zone::All,
            color: Colour::Rgb([u8::try_from(turn % 256)?, 1, 2]),
            pattern: Pattern::Solid,
            brightness: Default::default(),
            duration_ms: Default::default(),
        }),
    })
}

async fn load(time: Duration) -> Result<bool, Failure> {
    let simulated = SimulatedRoom::many(DEVICES).await?;
    let devices = simulated.devices();
    let entries: Result<Vec<_>, _> = devices
        .iter()
        .enumerate()
        .map(|(number, device)| entry(number, device))
        .collect();
    let entries = entries?;
    let room = Room::start(RoomConfig {
        devices: entries.clone(),
        transport: Arc::new(HttpTransport::new()?),
        search: Search::Off,
    });
    for (entry, device) in entries.iter().zip(devices) {
        let token = device.token().map(|token| Token::from(token.to_owned()));
        room.set_token(&entry.id, token).await?;
    }
    let answering = |state: &regie_room::RoomState| {
        let answers = |device: &regie_room::DeviceState| device.condition == Condition::Answering;
        state.devices.len() == usize::from(DEVICES) && state.devices.iter().all(answers)
    };
    let mut state = room.state();
    drop(tokio::time::timeout(Duration::from_secs(30), state.wait_for(answering)).await?);
    let before = Cost::now();
    let (asked, failed) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0)));
    let end = Instant::now() + time;
    let mut callers = tokio::task::JoinSet::new();
    for (number, entry) in entries.iter().enumerate() {
        for caller in 0..CALLERS {
            let (room, id) = (room.clone(), entry.id.to_string());
            let (asked, failed) = (Arc::clone(&asked), Arc::clone(&failed));
            callers.spawn(async move {
                let mut turn = number + caller * 3;
                while Instant::now() < end {
                    turn += 1;
                    let Ok(request) = request(turn) else { return };
                    asked.fetch_add(1, Ordering::Relaxed);
                    if room.ask(&id, request).await.is_err() {
                        failed.fetch_add(1, Ordering::Relaxed);
                    }
                }
            });
        }
    }
    while callers.join_next().await.is_some() {}
    let after = Cost::now();
    room.stop().await;
    let asked = asked.load(Ordering::Relaxed);
    let failed = failed.load(Ordering::Relaxed);
    println!(
        "{DEVICES} devices for {} s, {CALLERS} callers each",
        time.as_secs()
    );
    println!("asked {asked}, of which {failed} were refused or failed (three at a time in all)");
    after.print_since(&before, time);
    Ok(seen(devices))
}

/// Prints what the devices saw; whether every limit held.
fn seen(devices: &[SimulatedDevice]) -> bool {
    let logs: Vec<Vec<LogEntry>> = devices.iter().map(SimulatedDevice::log).collect();
    let of = |wanted: fn(&LogEntry) -> bool| {
        let moments = logs.iter().map(move |log| {
            let wanted = log.iter().filter(|entry| wanted(entry));
            wanted.map(|entry| entry.at).collect::<Vec<_>>()
        });
        moments.collect::<Vec<_>>()
    };
    let total: usize = logs.iter().map(Vec::len).sum();
    println!("requests that the devices had: {total}");
    let mut held = true;
    let mut told = |what: &str, value: String, good: bool| {
        println!(
            "{what:44} {value:>10} {}",
            if good { "held" } else { "BROKEN" }
        );
        held &= good;
    };
    let most = |moments: &[Vec<Instant>]| {
        let fullest = moments.iter().map(|moments| fullest_second(moments));
        fullest.max().unwrap_or_default()
    };
    let nearest = |moments: &[Vec<Instant>]| {
        let pairs = moments.iter().flat_map(|moments| moments.windows(2));
        let apart = pairs.map(|pair| pair[1] - pair[0]);
        apart.min().unwrap_or(Duration::MAX)
    };
    let requests = most(&of(|_| true));
    told(
        "most requests in any second (10)",
        requests.to_string(),
        requests <= 10,
    );
    let pictures = most(&of(|entry| entry.path == "/api/camera"));
    told(
        "most pictures in any second (2)",
        pictures.to_string(),
        pictures <= 2,
    );
    let servo = nearest(&of(|entry| entry.path == "/api/puzzle"));
    told(
        "nearest two movements (500 ms)",
        format!("{servo:.0?}"),
        servo >= Duration::from_millis(500),
    );
    let leds = nearest(&of(|entry| entry.path == "/api/led"));
    told(
        "nearest two changes of light (100 ms)",
        format!("{leds:.0?}"),
        leds >= Duration::from_millis(100),
    );
    let connections = devices
        .iter()
        .map(|device| device.state().most_connections)
        .max();
    let connections = connections.unwrap_or_default();
    told(
        "most connections of a device at once (2)",
        connections.to_string(),
        connections <= 2,
    );
    held
}

fn fullest_second(moments: &[Instant]) -> usize {
    let mut first = 0;
    let mut most = 0;
    for (last, at) in moments.iter().enumerate() {
        while *at - moments[first] >= Duration::from_secs(1) {
            first += 1;
        }
        most = most.max(last - first + 1);
    }
    most
}

/// Processor time and memory of this process, where the system tells.
struct Cost {
    ticks: Option<u64>,
    resident_kb: Option<u64>,
}

impl Cost {
    fn now() -> Self {
        let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
        // After the name in brackets: user and system time are the 12th and 13th from there.
        let fields: Vec<&str> = stat
            .rsplit_once(')')
            .map_or_else(Vec::new, |(_, rest)| rest.split_whitespace().collect());
        let field = |index: usize| {
            fields
                .get(index)
                .and_then(|field| field.parse::<u64>().ok())
        };
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let resident = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        Self {
            ticks: field(11).zip(field(12)).map(|(user, system)| user + system),
            resident_kb: resident
                .and_then(|line| line.split_whitespace().next())
                .and_then(|kb| kb.parse().ok()),
        }
    }

    fn print_since(&self, before: &Self, time: Duration) {
        if let (Some(after), Some(before)) = (self.ticks, before.ticks) {
            // The kernel counts hundredths of a second.
            let seconds = f64::from(u32::try_from(after - before).unwrap_or(u32::MAX)) / 100.0;
            let share = seconds / time.as_secs_f64() * 100.0;
            println!("processor time {seconds:.1} s ({share:.0} % of one core), devices included");
        }
        if let (Some(after), Some(before)) = (self.resident_kb, before.resident_kb) {
            println!(
                "resident memory {before} kB before, {after} kB after, devices' logs included"
            );
        }
    }
}
