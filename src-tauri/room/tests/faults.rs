//! Every fault of a simulated board, over real connections, against everything that can be asked:
//! the right kind of failure in time, nothing done twice, nothing stuck.

use std::sync::Arc;
use std::time::{Duration, Instant};

use regie_room::request::{
    Advance, AudioAction, AudioChange, Capture, Colour, EventType, LedChange, Pattern, Puzzle,
    PuzzleChange, PuzzleState, Resolution, Volume, Zone,
};
use regie_room::{
    Address, Condition, DeviceEntry, ErrorClass, HttpTransport, Origin, Outcome, Request, Room,
    RoomConfig, Search, Token,
};
use regie_sim::room::{DeviceConfig, DeviceFault, SimulatedDevice};

type Failure = Box<dyn std::error::Error + Send + Sync>;

/// Two tries of five seconds with two in between, a look before and one after each, and what a busy
/// machine takes.
const IN_TIME: Duration = Duration::from_secs(25);

/// Always, until it is mended.
const ALWAYS: u32 = u32::MAX;

const KINDS: [&str; 6] = ["status", "led", "audio", "puzzle", "camera", "scenario"];

fn request(kind: &str) -> Result<Request, Failure> {
    Ok(match kind {
        "status" => Request::Status,
        "led" => Request::Led(LedChange {
            zone: Zone::All,
            color: Colour::Rgb([1, 2, 3]),
            pattern: Pattern::Solid,
            brightness: Default::default(),
            duration_ms: Default::default(),
        }),
        "audio" => Request::Audio(AudioChange {
            action: AudioAction::Play,
            source: "/audio/hint.mp3".parse()?,
            volume: Volume::default(),
            looped: false,
        }),
        "puzzle" => Request::Puzzle(PuzzleChange {
            puzzle: Puzzle::Coffre,
            state: PuzzleState::Unlocked,
            effects: true,
        }),
        "camera" => Request::Camera(Capture {
            resolution: Resolution::Qqvga,
            quality: Default::default(),
        }),
        _ => Request::Scenario(Advance {
            event: EventType::Serial,
            name: "BTN_NEXT".parse()?,
            target: None,
        }),
    })
}

fn path(kind: &str) -> &'static str {
    match kind {
        "status" => "/api/status",
        "led" => "/api/led",
        "audio" => "/api/audio",
        "puzzle" => "/api/puzzle",
        "camera" => "/api/camera",
        _ => "/api/scenario/transition",
    }
}

/// What may come of a fault that stays.
#[derive(Clone, Copy, Debug)]
struct May {
    fail: &'static [ErrorClass],
    /// Only where the state showed that it was done, or nothing was lost.
    succeed: bool,
}

fn may(fault: &DeviceFault, kind: &str) -> May {
    use ErrorClass::{Auth, Busy, Conflict, Internal, Unreachable};
    let fails = |fail| May {
        fail,
        succeed: false,
    };
    match fault {
        DeviceFault::Refuse | DeviceFault::Reset | DeviceFault::Reboot { applied: false, .. } => {
            fails(&[Unreachable])
        }
        DeviceFault::AppliedButSilent
        | DeviceFault::Slow(_)
        | DeviceFault::SlowBody(_)
        | DeviceFault::Reboot { .. } => May {
            fail: &[Unreachable],
            succeed: true,
        },
        DeviceFault::CutBody(_) => May {
            fail: &[Internal, Unreachable],
            succeed: true,
        },
        DeviceFault::HugeBody | DeviceFault::WrongType => fails(&[Internal]),
        DeviceFault::InvalidUtf8 | DeviceFault::StaleFrame => May {
            fail: if kind == "camera" { &[Internal] } else { &[] },
            succeed: true,
        },
        DeviceFault::Status { status, .. } => match status {
            401 | 403 => fails(&[Auth]),
            409 if kind == "puzzle" => fails(&[Conflict]),
            409 | 429 | 503 => fails(&[Busy]),
            _ => fails(&[Internal]),
        },
    }
}

fn faults() -> Vec<DeviceFault> {
    let mut faults = vec![
        DeviceFault::Refuse,
        DeviceFault::Reset,
        DeviceFault::Slow(Duration::from_secs(6)),
        DeviceFault::SlowBody(Duration::from_secs(8)),
        DeviceFault::CutBody(3),
        DeviceFault::HugeBody,
        DeviceFault::WrongType,
        DeviceFault::InvalidUtf8,
        DeviceFault::AppliedButSilent,
        DeviceFault::StaleFrame,
    ];
    let down = Duration::from_millis(200);
    faults.extend([true, false].map(|applied| DeviceFault::Reboot { applied, down }));
    let statuses = [401, 403, 409, 429, 500, 503];
    faults.extend(statuses.map(|status| DeviceFault::status(status, "ordered")));
    faults
}

/// A room with one board in it, which answers.
async fn room_of(device: &SimulatedDevice) -> Result<Room, Failure> {
    let at = device.address();
    let entry = DeviceEntry {
        id: "board".parse()?,
        name: "Board".to_owned(),
        room: None,
        address: Some(Address::of_ip(at.ip(), Some(at.port()))?),
        found_as: None,
        via: None,
        volume_limit: Volume::try_from(Volume::MOST)?,
        origin: Origin::Simulated,
    };
    let room = Room::start(RoomConfig {
        devices: vec![entry],
        transport: Arc::new(HttpTransport::new()?),
        search: Search::Off,
    });
    let token = device.token().map(|token| Token::from(token.to_owned()));
    room.set_token(&"board".parse()?, token).await?;
    let answering = |state: &regie_room::RoomState| {
        let answers = |device: &regie_room::DeviceState| device.condition == Condition::Answering;
        state.devices.iter().any(answers)
    };
    let mut state = room.state();
    drop(tokio::time::timeout(IN_TIME, state.wait_for(answering)).await??);
    Ok(room)
}

async fn tried(kind: &'static str, fault: DeviceFault) -> Result<(), Failure> {
    let device = SimulatedDevice::start(DeviceConfig::spec("board")).await?;
    let room = room_of(&device).await?;
    if matches!(fault, DeviceFault::StaleFrame) {
        // Of the first picture there is none before.
        room.ask("board", request("camera")?).await?;
    }
    let before = device.log().len();
    device.order_for(path(kind), fault.clone(), ALWAYS);
    let began = Instant::now();
    let ended = room.ask("board", request(kind)?).await;
    let took = began.elapsed();
    let may = may(&fault, kind);
    let what = format!("{kind} with {fault:?}: {ended:?} after {took:?}");
    match &ended {
        Ok(done) => {
            let fine = may.succeed && done.outcome != Outcome::NoChangeSeen;
            assert!(fine, "{what}");
        }
        Err(error) => assert!(may.fail.contains(&error.class()), "{what}"),
    }
    assert!(took < IN_TIME, "{what}");
    let sent: Vec<_> = device.log().split_off(before);
    let acted = sent.iter().filter(|entry| entry.path == path(kind)).count();
    let applies = matches!(
        fault,
        DeviceFault::AppliedButSilent
            | DeviceFault::Slow(_)
            | DeviceFault::SlowBody(_)
            | DeviceFault::CutBody(_)
            | DeviceFault::Reboot { applied: true, .. }
    );
    let once = matches!(kind, "audio" | "scenario") && applies;
    assert!(
        acted <= if once { 1 } else { 2 } || kind == "status",
        "{acted} times: {what}"
    );
    // Nothing is stuck: the next one works, and the override did all along.
    device.mend();
    tokio::time::sleep(Duration::from_millis(1_200)).await;
    let step = "STEP_FINAL_WIN";
    let manual = Request::Scenario(Advance {
        event: EventType::Manual,
        name: "MANUAL".parse()?,
        target: Some(step.parse()?),
    });
    room.ask("board", manual)
        .await
        .map_err(|error| format!("then {error}: {what}"))?;
    assert_eq!(device.state().step.as_deref(), Some(step), "{what}");
    let next = room.ask("board", request("led")?).await;
    next.map_err(|error| format!("then {error}: {what}"))?;
    room.stop().await;
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn every_fault_ends_in_time_as_what_it_is_and_leaves_nothing_stuck() {
    // ESP-1, ESP-2
    let mut cases = tokio::task::JoinSet::new();
    for kind in KINDS {
        for fault in faults() {
            cases.spawn(async move {
                let case = format!("{kind} with {fault:?}");
                tried(kind, fault)
                    .await
                    .map_err(|error| format!("{case}: {error}"))
            });
        }
    }
    let mut wrong = Vec::new();
    while let Some(ended) = cases.join_next().await {
        match ended {
            Ok(Ok(())) => {}
            Ok(Err(error)) => wrong.push(error),
            Err(panic) => wrong.push(panic.to_string()),
        }
    }
    assert!(wrong.is_empty(), "{}: {wrong:#?}", wrong.len());
}
