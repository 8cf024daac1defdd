//! The registry in paused time: events come from the test, and boards answer where the test says.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use tokio::sync::mpsc;
use tokio::time::{sleep, timeout};

use crate::discovery::{Advert, Event};
use crate::entry::{DeviceEntry, Origin};
use crate::error::RoomError;
use crate::exchange::{Exchange, Reply, Target, Transport, TransportError};
use crate::names::DeviceId;
use crate::request::{Request, Volume};
use crate::room::{Room, RoomConfig, Search};
use crate::state::{
    Condition, DeviceState, FoundDevice, Remark, RoomState, SearchState, TokenState,
};
use crate::token::Token;

const SPEC: &str = r#"{"id":"x","step":"INTRO","scenario":"DEFAULT","uptime":5,"version":"3.1"}"#;
const STORY: &str = r#"{"rtos":{"heap":1},"player":{},"wifi":{}}"#;

/// Boards by where they answer.
#[derive(Default)]
struct Network {
    boards: Mutex<HashMap<String, &'static str>>,
    asked: Mutex<Vec<(String, bool)>>,
}

impl Network {
    fn put(&self, place: &str, status: &'static str) {
        self.boards.lock().unwrap().insert(place.into(), status);
    }

    fn take(&self, place: &str) {
        self.boards.lock().unwrap().remove(place);
    }

    /// How often was asked there, and how often with a token.
    fn asked(&self, place: &str) -> (usize, usize) {
        let asked = self.asked.lock().unwrap();
        let there = asked.iter().filter(|(at, _)| at == place);
        (
            there.clone().count(),
            there.filter(|(_, token)| *token).count(),
        )
    }
}

#[async_trait]
impl Transport for Network {
    async fn exchange(
        &self,
        target: &Target,
        exchange: &Exchange,
        deadline: Duration,
    ) -> Result<Reply, TransportError> {
        let place = format!("{}:{}", target.address.host(), target.port);
        let known = self.boards.lock().unwrap().get(&place).copied();
        let token = target.authorization.is_some();
        self.asked.lock().unwrap().push((place, token));
        sleep(Duration::from_millis(20)).await;
        match known {
            Some("silent") => {
                sleep(deadline).await;
                Err(TransportError::TimedOut { after: deadline })
            }
            Some("asks") if !token => Ok(Reply {
                status: 401,
                asks_for: Some("bearer".into()),
                ..Reply::default()
            }),
            Some(status) if exchange.path.starts_with("/api/status") => Ok(Reply {
                status: 200,
                content_type: Some("application/json".into()),
                body: if status == "asks" { SPEC } else { status }.into(),
                ..Reply::default()
            }),
            Some(_) => Ok(Reply {
                status: 404,
                ..Reply::default()
            }),
            None => Err(TransportError::NotConnected {
                detail: "refused".into(),
            }),
        }
    }
}

struct Fixture {
    room: Room,
    network: Arc<Network>,
    events: mpsc::Sender<Event>,
}

impl Fixture {
    fn new(devices: Vec<DeviceEntry>) -> Self {
        Self::on(Arc::new(Network::default()), devices)
    }

    fn on(network: Arc<Network>, devices: Vec<DeviceEntry>) -> Self {
        let (events, heard) = mpsc::channel(64);
        let config = RoomConfig {
            devices,
            transport: network.clone(),
            search: Search::Off,
        };
        Self {
            room: Room::hearing(config, heard),
            network,
            events,
        }
    }

    async fn hear(&self, label: &str, addresses: &[&str], port: u16) {
        self.events
            .send(Event::Heard(advert(label, addresses, port)))
            .await
            .unwrap();
    }

    async fn gone(&self, label: &str) {
        let instance = instance(label).parse().unwrap();
        self.events.send(Event::Gone(instance)).await.unwrap();
    }

    /// The state as soon as it is like that.
    async fn until(&self, what: &str, like: impl Fn(&RoomState) -> bool) -> RoomState {
        let mut state = self.room.state();
        let seen = timeout(Duration::from_secs(300), state.wait_for(like)).await;
        match seen {
            Ok(state) => state.unwrap().clone(),
            Err(_) => {
                let now = self.room.state().borrow().clone();
                panic!("never {what}: {now:#?}")
            }
        }
    }

    /// That the state is not like that for so many seconds.
    async fn never(&self, seconds: u64, what: &str, like: impl Fn(&RoomState) -> bool) {
        let mut state = self.room.state();
        let wait = timeout(Duration::from_secs(seconds), state.wait_for(like)).await;
        assert!(wait.is_err(), "{what}: {:#?}", self.room.state().borrow());
    }
}

fn instance(label: &str) -> String {
    format!("{label}._zacus._tcp.local.")
}

fn advert(label: &str, addresses: &[&str], port: u16) -> Advert {
    Advert {
        instance: instance(label).parse().unwrap(),
        hostname: format!("{}.local", label.to_lowercase()),
        addresses: addresses.iter().map(|ip| ip.parse().unwrap()).collect(),
        port,
        room: Some("salle2".into()),
        version: Some("3.1".into()),
    }
}

fn device(id: &str, address: Option<&str>, found_as: Option<&str>) -> DeviceEntry {
    DeviceEntry {
        id: id.parse().unwrap(),
        name: id.to_uppercase(),
        room: None,
        address: address.map(|address| address.parse().unwrap()),
        found_as: found_as.map(|label| instance(label).parse().unwrap()),
        via: None,
        volume_limit: Volume::default(),
        origin: Origin::Settings,
    }
}

fn relayed(id: &str, gateway: &str) -> DeviceEntry {
    DeviceEntry {
        via: Some(gateway.parse().unwrap()),
        ..device(id, None, None)
    }
}

fn of<'a>(state: &'a RoomState, id: &str) -> &'a DeviceState {
    state
        .devices
        .iter()
        .find(|device| device.id.as_str() == id)
        .unwrap()
}

fn answers_at(state: &RoomState, id: &str, place: &str) -> bool {
    let device = of(state, id);
    device.condition == Condition::Answering && device.address.as_deref() == Some(place)
}

fn found<'a>(state: &'a RoomState, place: &str) -> Option<&'a FoundDevice> {
    state.found.iter().find(|found| found.address == place)
}

#[tokio::test(start_paused = true)]
async fn a_device_is_shown_before_it_was_looked_at() {
    let room = Fixture::new(Vec::new());
    room.network.put("192.168.0.50:8080", "silent");
    room.network.put("192.168.0.50:80", "asks");
    let start = tokio::time::Instant::now();
    room.hear("Zacus Master Voice Hook", &["192.168.0.50"], 8080)
        .await;
    let state = room.until("found", |state| !state.found.is_empty()).await;
    assert!(start.elapsed() < Duration::from_millis(100));
    let found = &state.found[0];
    assert_eq!(found.name, "Zacus Master Voice Hook");
    assert_eq!(found.room.as_deref(), Some("salle2"));
    assert_eq!(found.suggested_id.as_str(), "zacus-master-voice-hook");
    assert_eq!(
        (found.address.as_str(), found.family),
        ("192.168.0.50:8080", None)
    );

    let state = room
        .until("recognised", |state| state.found[0].family.is_some())
        .await;
    assert_eq!(state.found[0].address, "192.168.0.50:80");
    assert!(state.found[0].asks_for_token);
}

#[tokio::test(start_paused = true)]
async fn no_token_is_sent_to_a_device_that_nobody_adopted() {
    let set = device("main", Some("192.168.0.50:80"), Some("Main"));
    let room = Fixture::new(vec![set]);
    let token = Some(Token::from("secret".to_owned()));
    let main: DeviceId = "main".parse().unwrap();
    room.room.set_token(&main, token).await.unwrap();
    room.network.put("192.168.0.50:80", "asks");
    room.network.put("192.168.0.51:80", "asks");
    room.hear("Main", &["192.168.0.50", "192.168.0.51"], 80)
        .await;
    room.hear("Other", &["192.168.0.51"], 80).await;
    sleep(Duration::from_secs(120)).await;
    let (asked, with_token) = room.network.asked("192.168.0.51:80");
    assert!(asked > 0);
    assert_eq!(with_token, 0);
    let state = room.room.state().borrow().clone();
    assert_eq!(of(&state, "main").token, TokenState::Kept);
}

#[tokio::test(start_paused = true)]
async fn one_that_says_goodbye_goes_and_returns() {
    let room = Fixture::new(Vec::new());
    room.network.put("192.168.0.50:80", SPEC);
    room.hear("a", &["192.168.0.50"], 80).await;
    room.until("found", |state| found(state, "192.168.0.50:80").is_some())
        .await;
    room.network.take("192.168.0.50:80");
    room.gone("a").await;
    room.until("gone", |state| state.found.is_empty()).await;
    room.network.put("192.168.0.50:80", SPEC);
    room.hear("a", &["192.168.0.50"], 80).await;
    room.until("back", |state| found(state, "192.168.0.50:80").is_some())
        .await;
}

#[tokio::test(start_paused = true)]
async fn net_6_a_device_whose_responder_falls_silent_stays_while_it_answers() {
    let set = device("main", Some("192.168.0.50:80"), Some("Main"));
    let network = Arc::new(Network::default());
    network.put("192.168.0.50:80", SPEC);
    network.put("192.168.0.51:80", SPEC);
    let room = Fixture::on(network, vec![set]);
    room.hear("Main", &["192.168.0.50"], 80).await;
    room.hear("New", &["192.168.0.51"], 80).await;
    room.until("found", |state| {
        state.found.iter().any(|found| found.family.is_some())
    })
    .await;
    room.gone("Main").await;
    room.gone("New").await;
    room.never(200, "gone", |state| {
        state.found.len() != 1
            || matches!(of(state, "main").condition, Condition::Unreachable { .. })
    })
    .await;
    room.network.take("192.168.0.51:80");
    room.until("gone", |state| state.found.is_empty()).await;
}

#[tokio::test(start_paused = true)]
async fn one_that_changes_its_name_is_there_once() {
    let room = Fixture::new(Vec::new());
    room.network.put("192.168.0.50:80", SPEC);
    room.hear("before", &["192.168.0.50"], 80).await;
    room.until("found", |state| !state.found.is_empty()).await;
    room.gone("before").await;
    room.hear("after", &["192.168.0.50"], 80).await;
    let state = room
        .until("renamed", |state| {
            state.found.iter().any(|found| found.name == "after")
        })
        .await;
    assert_eq!(state.found.len(), 1);
}

#[tokio::test(start_paused = true)]
async fn two_boards_with_one_name_stay_two() {
    let room = Fixture::new(Vec::new());
    room.network.put("192.168.0.50:80", SPEC);
    room.network.put("192.168.0.51:80", STORY);
    room.hear("zacus", &["192.168.0.50", "192.168.0.51"], 80)
        .await;
    let both = |state: &RoomState| {
        state.found.len() == 2 && state.found.iter().all(|found| found.family.is_some())
    };
    let state = room.until("two", both).await;
    let [one, other] = &state.found[..] else {
        panic!()
    };
    assert_ne!(one.key, other.key);
    assert_ne!(one.suggested_id, other.suggested_id);
    // Each of their announcements wipes the other's address out of the library's memory.
    for at in ["192.168.0.50", "192.168.0.51", "192.168.0.50"] {
        room.hear("zacus", &[at], 80).await;
        room.never(20, "one", |state| state.found.len() != 2).await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_set_device_is_not_offered_and_is_followed_to_another_address() {
    let set = device("main", Some("192.168.0.50:80"), Some("Main"));
    let network = Arc::new(Network::default());
    network.put("192.168.0.50:80", SPEC);
    let room = Fixture::on(network, vec![set]);
    room.until("there", |state| {
        answers_at(state, "main", "192.168.0.50:80")
    })
    .await;
    room.hear("Main", &["192.168.0.50"], 80).await;
    room.never(30, "offered", |state| !state.found.is_empty())
        .await;

    room.network.take("192.168.0.50:80");
    room.network.put("192.168.0.77:80", SPEC);
    room.hear("Main", &["192.168.0.77"], 80).await;
    let start = tokio::time::Instant::now();
    let state = room
        .until("followed", |state| {
            answers_at(state, "main", "192.168.0.77:80")
        })
        .await;
    assert!(
        start.elapsed() < Duration::from_secs(10),
        "{:?}",
        start.elapsed()
    );
    let moved = |remark: &Remark| matches!(remark, Remark::Moved { .. });
    assert!(of(&state, "main").remarks.iter().any(moved));
    room.never(60, "offered", |state| !state.found.is_empty())
        .await;

    // Other settings of it do not take it back to the address in its entry.
    let mut entry = device("main", Some("192.168.0.50:80"), Some("Main"));
    entry.name = "Renamed".into();
    room.room.set_devices(vec![entry]).await.unwrap();
    room.never(30, "taken back", |state| {
        of(state, "main").address.as_deref() != Some("192.168.0.77:80")
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_device_of_which_only_the_name_is_known_is_taken_where_it_is_found() {
    let room = Fixture::new(vec![device("main", None, Some("Main"))]);
    room.network.put("192.168.0.50:80", SPEC);
    room.hear("Main", &["192.168.0.50"], 8081).await;
    let state = room
        .until("taken", |state| {
            answers_at(state, "main", "192.168.0.50:80")
        })
        .await;
    assert!(of(&state, "main").remarks.is_empty());
}

#[tokio::test(start_paused = true)]
async fn another_board_never_takes_the_place_of_one_that_answers() {
    let set = device("main", Some("192.168.0.50:80"), Some("Main"));
    let network = Arc::new(Network::default());
    network.put("192.168.0.50:80", SPEC);
    network.put("192.168.0.51:80", SPEC);
    let room = Fixture::on(network, vec![set]);
    room.until("there", |state| {
        answers_at(state, "main", "192.168.0.50:80")
    })
    .await;
    room.hear("Main", &["192.168.0.50", "192.168.0.51"], 80)
        .await;
    let state = room
        .until("offered", |state| found(state, "192.168.0.51:80").is_some())
        .await;
    assert_eq!(state.found[0].suggested_id.as_str(), "main-2");
    for at in ["192.168.0.51", "192.168.0.50", "192.168.0.51"] {
        room.hear("Main", &[at], 80).await;
        room.never(30, "taken", |state| {
            !answers_at(state, "main", "192.168.0.50:80")
        })
        .await;
    }
    // A moment of silence is not enough to take one for the other.
    room.network.take("192.168.0.50:80");
    room.until("silent", |state| {
        matches!(of(state, "main").condition, Condition::Unreachable { .. })
    })
    .await;
    room.network.put("192.168.0.50:80", SPEC);
    room.never(90, "taken", |state| {
        of(state, "main").address.as_deref() != Some("192.168.0.50:80")
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_board_of_another_family_never_takes_the_place_of_one() {
    let set = device("main", Some("192.168.0.50:80"), Some("Main"));
    let network = Arc::new(Network::default());
    network.put("192.168.0.50:80", SPEC);
    let room = Fixture::on(network, vec![set]);
    room.until("there", |state| {
        answers_at(state, "main", "192.168.0.50:80")
    })
    .await;
    room.network.take("192.168.0.50:80");
    room.network.put("192.168.0.51:80", STORY);
    room.hear("Main", &["192.168.0.51"], 80).await;
    room.until("offered", |state| found(state, "192.168.0.51:80").is_some())
        .await;
    room.never(120, "taken", |state| {
        of(state, "main").address.as_deref() != Some("192.168.0.50:80")
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn two_devices_that_swapped_their_addresses_are_told_apart() {
    let network = Arc::new(Network::default());
    network.put("192.168.0.50:80", SPEC);
    network.put("192.168.0.51:80", SPEC);
    let room = Fixture::on(
        network,
        vec![
            device("one", Some("192.168.0.50:80"), Some("One")),
            device("two", Some("192.168.0.51:80"), Some("Two")),
        ],
    );
    room.hear("One", &["192.168.0.50"], 80).await;
    room.hear("Two", &["192.168.0.51"], 80).await;
    room.until("there", |state| {
        answers_at(state, "one", "192.168.0.50:80") && answers_at(state, "two", "192.168.0.51:80")
    })
    .await;
    room.hear("One", &["192.168.0.51"], 80).await;
    room.hear("Two", &["192.168.0.50"], 80).await;
    room.until("swapped", |state| {
        answers_at(state, "one", "192.168.0.51:80") && answers_at(state, "two", "192.168.0.50:80")
    })
    .await;
    room.never(60, "offered or swapped back", |state| {
        !state.found.is_empty() || of(state, "one").address.as_deref() != Some("192.168.0.51:80")
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_device_set_by_its_address_or_host_name_is_not_offered() {
    let room = Fixture::new(vec![
        device("one", Some("192.168.0.50"), None),
        device("two", Some("two.local:8080"), None),
    ]);
    room.network.put("192.168.0.50:80", SPEC);
    room.hear("One", &["192.168.0.50"], 80).await;
    room.hear("Two", &["192.168.0.51"], 80).await;
    room.never(60, "offered", |state| !state.found.is_empty())
        .await;
}

#[tokio::test(start_paused = true)]
async fn simulated_devices_of_one_address_are_told_apart_by_their_ports() {
    let set = device("one", Some("127.0.0.1:4001"), None);
    let room = Fixture::new(vec![set]);
    room.network.put("127.0.0.1:4001", SPEC);
    room.network.put("127.0.0.1:4002", SPEC);
    room.hear("One", &["127.0.0.1"], 4001).await;
    room.hear("Two", &["127.0.0.1"], 4002).await;
    let state = room.until("found", |state| !state.found.is_empty()).await;
    assert_eq!(state.found.len(), 1);
    assert_eq!(state.found[0].name, "Two");
}

#[tokio::test(start_paused = true)]
async fn ignored_devices_are_not_offered_until_they_are_not_ignored() {
    let room = Fixture::new(Vec::new());
    for (label, address) in [("a", "10.0.0.1"), ("b", "10.0.0.2"), ("c", "10.0.0.3")] {
        room.network.put(&format!("{address}:80"), SPEC);
        room.hear(label, &[address], 80).await;
    }
    room.until("found", |state| state.found.len() == 3).await;
    let ignored = vec![instance("a"), "10.0.0.2".to_owned()];
    room.room.set_ignored(ignored).await.unwrap();
    let state = room.until("fewer", |state| state.found.len() == 1).await;
    assert_eq!(state.found[0].name, "c");
    room.room.set_ignored(Vec::new()).await.unwrap();
    room.until("all", |state| state.found.len() == 3).await;
}

#[tokio::test(start_paused = true)]
async fn a_flood_of_announcements_stays_bounded_and_hides_no_set_device() {
    let room = Fixture::new(vec![device("main", None, Some("Main"))]);
    for number in 0..1_000_u32 {
        let address = format!("10.0.{}.{}", number / 250, number % 250 + 1);
        room.hear(&format!("flood {number}"), &[&address], 80).await;
    }
    let state = room
        .until("full", |state| state.found.len() >= super::MAX_FOUND)
        .await;
    assert_eq!(state.found.len(), super::MAX_FOUND);
    room.network.put("192.168.0.50:80", SPEC);
    room.hear("Main", &["192.168.0.50"], 80).await;
    room.until("taken", |state| {
        answers_at(state, "main", "192.168.0.50:80")
    })
    .await;
    // Those that answer nothing make room for one that does.
    room.network.put("192.168.0.51:80", SPEC);
    room.hear("real", &["192.168.0.51"], 80).await;
    room.until("found", |state| {
        state.found.iter().any(|found| found.name == "real")
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn the_state_is_sorted_and_says_whether_is_searched() {
    let mut far = device("b", None, None);
    far.room = Some("salle 2".into());
    let mut near = device("a", None, None);
    near.room = Some("salle 1".into());
    let room = Fixture::new(vec![device("c", None, None), far, near]);
    let search = SearchState::Running {
        interfaces: vec!["eth0".into()],
    };
    room.events
        .send(Event::Search(search.clone()))
        .await
        .unwrap();
    let state = room
        .until("searching", |state| state.search == search)
        .await;
    let ids: Vec<&str> = state
        .devices
        .iter()
        .map(|device| device.id.as_str())
        .collect();
    assert_eq!(ids, ["a", "b", "c"]);
}

#[tokio::test(start_paused = true)]
async fn devices_that_cannot_be_in_one_room_change_nothing() {
    let room = Fixture::new(vec![device("main", None, None)]);
    let gateway_invalid = |result| matches!(result, Err(RoomError::GatewayInvalid { .. }));
    let set = |devices| room.room.set_devices(devices);
    assert!(gateway_invalid(set(vec![relayed("a", "nobody")]).await));
    assert!(gateway_invalid(set(vec![relayed("a", "a")]).await));
    assert!(gateway_invalid(
        set(vec![relayed("a", "b"), relayed("b", "a")]).await
    ));
    let many = (0..=super::MAX_DEVICES).map(|number| device(&format!("d{number}"), None, None));
    assert_eq!(
        set(many.collect()).await,
        Err(RoomError::TooManyDevices {
            limit: super::MAX_DEVICES
        })
    );
    let twice = vec![device("a", None, None), device("a", None, None)];
    assert!(matches!(set(twice).await, Err(RoomError::IdTaken { .. })));
    assert_eq!(room.room.state().borrow().devices.len(), 1);

    set(vec![relayed("a", "main"), device("main", None, None)])
        .await
        .unwrap();
    let state = room.until("set", |state| state.devices.len() == 2).await;
    assert_eq!(of(&state, "a").via, Some("main".parse().unwrap()));
}

#[tokio::test(start_paused = true)]
async fn an_unknown_device_is_named_with_those_there_are() {
    let room = Fixture::new(vec![device("main", None, None)]);
    let main: DeviceId = "main".parse().unwrap();
    let nobody: DeviceId = "nobody".parse().unwrap();
    let expected = Err(RoomError::DeviceUnknown {
        id: "nobody".into(),
        known: vec![main],
    });
    assert_eq!(
        room.room.ask("nobody", Request::Status).await.map(|_| ()),
        expected
    );
    assert_eq!(room.room.try_now(&nobody), expected);
    assert_eq!(room.room.set_token(&nobody, None).await, expected);
    let odd = room.room.ask("not a name", Request::Status).await;
    assert!(matches!(odd, Err(RoomError::DeviceUnknown { .. })));
}

#[tokio::test(start_paused = true)]
async fn an_address_is_looked_at_without_being_taken_in() {
    let room = Fixture::new(Vec::new());
    room.network.put("192.168.0.50:8081", SPEC);
    let found = room
        .room
        .look("192.168.0.50".parse().unwrap())
        .await
        .unwrap();
    assert_eq!(found.address, "192.168.0.50:8081");
    assert_eq!(found.suggested_id.as_str(), "192-168-0-50");
    assert_eq!(found.instance, None);
    assert!(room.room.state().borrow().found.is_empty());
    let none = room.room.look("192.168.0.51".parse().unwrap()).await;
    assert!(
        matches!(none, Err(RoomError::Unreachable { .. })),
        "{none:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn a_room_that_was_stopped_is_closed_within_a_second() {
    let network = Arc::new(Network::default());
    network.put("192.168.0.50:80", "silent");
    let room = Fixture::on(network, vec![device("main", Some("192.168.0.50:80"), None)]);
    sleep(Duration::from_millis(500)).await;
    let start = tokio::time::Instant::now();
    room.room.stop().await;
    assert!(
        start.elapsed() <= Duration::from_secs(1),
        "{:?}",
        start.elapsed()
    );
    let asked = room.room.ask("main", Request::Status).await;
    assert_eq!(asked.map(|_| ()), Err(RoomError::Closed));
    assert_eq!(
        room.room.set_devices(Vec::new()).await,
        Err(RoomError::Closed)
    );
    room.room.stop().await;
}
