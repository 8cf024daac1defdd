//! Simulated devices that announce themselves on this computer: found, adopted, driven, followed.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::{Duration, Instant};

use regie_room::request::{Brightness, LedChange, Volume};
use regie_room::{
    Condition, DeviceEntry, DeviceState, FoundDevice, HttpTransport, Origin, Outcome, Remark,
    Request, Room, RoomConfig, RoomState, Search, SearchState,
};
use regie_sim::room::{Announcement, Announcer, DeviceConfig, SimulatedDevice};
use tokio::time::timeout;

/// Far longer than anything here takes on a busy machine.
const LONG: Duration = Duration::from_secs(40);

type Failure = Box<dyn std::error::Error>;

/// A name that no other test of this computer announces.
fn name_of(what: &str) -> String {
    format!("Salle {what} {}", std::process::id())
}

fn room() -> Result<Room, Failure> {
    Ok(Room::start(RoomConfig {
        devices: Vec::new(),
        transport: Arc::new(HttpTransport::new()?),
        search: Search::Loopback,
    }))
}

async fn until(
    room: &Room,
    what: &str,
    like: impl Fn(&RoomState) -> bool,
) -> Result<RoomState, Failure> {
    let mut state = room.state();
    let seen = timeout(LONG, state.wait_for(like)).await;
    match seen {
        Ok(Ok(state)) => Ok(state.clone()),
        _ => Err(format!("never {what}: {:#?}", room.state().borrow()).into()),
    }
}

fn found<'a>(state: &'a RoomState, name: &str) -> Option<&'a FoundDevice> {
    state.found.iter().find(|found| found.name == name)
}

fn main_device(state: &RoomState) -> Option<&DeviceState> {
    state
        .devices
        .iter()
        .find(|device| device.id.as_str() == "main")
}

fn answers_at(state: &RoomState, address: SocketAddr) -> bool {
    main_device(state).is_some_and(|device| {
        device.condition == Condition::Answering
            && device.address.as_deref() == Some(&*address.to_string())
    })
}

#[tokio::test]
async fn a_device_is_found_adopted_driven_and_followed() -> Result<(), Failure> {
    let name = name_of("n.2 (é)");
    let announcer = Announcer::start()?;
    let room = room()?;
    until(&room, "searching", |state| {
        matches!(state.search, SearchState::Running { .. })
    })
    .await?;
    let device = SimulatedDevice::start(DeviceConfig::spec(&name)).await?;
    let start = Instant::now();
    let with = Announcement {
        room: Some("salle2".into()),
        version: Some("3.1".into()),
        ..Announcement::default()
    };
    device.announce(&announcer, with)?;
    let state = until(&room, "found", |state| found(state, &name).is_some()).await?;
    println!("found after {} ms", start.elapsed().as_millis());
    let heard = found(&state, &name).ok_or("found")?;
    assert_eq!(heard.room.as_deref(), Some("salle2"));
    assert_eq!(heard.address, device.address().to_string());

    let entry = DeviceEntry {
        id: "main".parse()?,
        name: "Main".into(),
        room: None,
        address: Some(heard.address.parse()?),
        found_as: heard.instance.clone(),
        via: None,
        volume_limit: Volume::default(),
        origin: Origin::Settings,
    };
    room.set_devices(vec![entry]).await?;
    if let Some(token) = device.token() {
        let id = "main".parse()?;
        room.set_token(&id, Some(token.to_owned().into())).await?;
    }
    let state = until(&room, "answering", |state| {
        answers_at(state, device.address())
    })
    .await?;
    assert_eq!(found(&state, &name), None);

    let led = LedChange {
        zone: "all".parse()?,
        color: "#00FF00".parse()?,
        pattern: "solid".parse()?,
        brightness: Brightness::default(),
        duration_ms: Default::default(),
    };
    let done = room.ask("main", Request::Led(led)).await?;
    assert!(matches!(
        done.outcome,
        Outcome::Accepted | Outcome::Confirmed
    ));

    let elsewhere = SocketAddr::from((Ipv4Addr::new(127, 0, 77, 9), 0));
    let elsewhere = device.move_to(elsewhere).await?;
    let start = Instant::now();
    let state = until(&room, "followed", |state| answers_at(state, elsewhere)).await?;
    println!("followed after {} ms", start.elapsed().as_millis());
    let moved = |remark: &Remark| matches!(remark, Remark::Moved { .. });
    assert!(main_device(&state).is_some_and(|main| main.remarks.iter().any(moved)));

    // Whoever was adopted stays, whatever it says of itself (NET-6).
    device.withdraw();
    tokio::time::sleep(Duration::from_secs(2)).await;
    let state = room.state().borrow().clone();
    assert!(answers_at(&state, elsewhere));
    assert_eq!(found(&state, &name), None);
    room.stop().await;
    Ok(())
}

#[tokio::test]
async fn a_device_that_is_renamed_goes_and_returns() -> Result<(), Failure> {
    let (before, after) = (name_of("before"), name_of("after"));
    let announcer = Announcer::start()?;
    let room = room()?;
    let device = SimulatedDevice::start(DeviceConfig::spec(&before)).await?;
    device.announce(&announcer, Announcement::default())?;
    until(&room, "found", |state| found(state, &before).is_some()).await?;
    device.rename(&after)?;
    until(&room, "renamed", |state| {
        found(state, &after).is_some() && found(state, &before).is_none()
    })
    .await?;
    let address = device.address();
    device.stop().await;
    until(&room, "gone", |state| found(state, &after).is_none()).await?;

    let config = DeviceConfig {
        address,
        ..DeviceConfig::spec(&after)
    };
    let device = SimulatedDevice::start(config).await?;
    device.announce(&announcer, Announcement::default())?;
    until(&room, "back", |state| found(state, &after).is_some()).await?;
    room.stop().await;
    Ok(())
}
