//! Orders that name their clock, and pictures that come with an order.

// The helpers below end a test as an assertion does.
#![allow(clippy::unwrap_used, clippy::panic, clippy::expect_used)]

mod common;

use std::fs;
use std::sync::Arc;

use common::{PATIENCE, Source, config, ended, opened, picture};
use regie_engine::{
    Action, Caller, Channel, Door, Engine, EngineError, Face, JournalOutcome, JournalledCall,
    LinkView, Mode, Options, Order, Outcome, Reach, Stage, Submitted,
};
use regie_sim::{ClockSpec, EpdBuild, FirmwareKind, SimulatedAdapter, SimulatedClock, Timing};

/// Two clocks of one family and one of the other.
struct Room {
    folder: tempfile::TempDir,
    clocks: Vec<SimulatedClock>,
    engine: Engine,
}

impl Room {
    async fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let clock = |tail, firmware| {
            SimulatedClock::new(ClockSpec {
                tail,
                firmware,
                timing: Timing::instant(),
                ..ClockSpec::default()
            })
        };
        let clocks = vec![
            clock(1, FirmwareKind::Pingping),
            clock(2, FirmwareKind::Pingping),
            clock(3, FirmwareKind::EpdNrf5(EpdBuild::newer())),
        ];
        let source = Arc::new(Source(SimulatedAdapter::new(clocks.clone())));
        let engine = Engine::start(config(folder.path()), source).await.unwrap();
        Self {
            folder,
            clocks,
            engine,
        }
    }

    fn address(&self, clock: usize) -> String {
        self.clocks[clock].address().to_string()
    }

    fn to(&self, clock: usize) -> Order {
        Order {
            clock: Some(self.address(clock)),
            ..agent().into()
        }
    }

    fn chosen(&self) -> Option<String> {
        let chosen = self.engine.state().borrow().clock.chosen.clone();
        chosen.map(|clock| clock.address)
    }
}

fn agent() -> Caller {
    Caller {
        door: Door::Agent,
        name: Some("curator".into()),
    }
}

async fn done(submitted: Result<Submitted, EngineError>) -> u32 {
    match ended(submitted.unwrap()).await {
        Outcome::Done { report } => report.bytes,
        outcome => panic!("{outcome:?}"),
    }
}

#[tokio::test(start_paused = true)]
async fn two_orders_to_two_clocks_each_teach_about_their_own() {
    let room = Room::new().await;
    let engine = &room.engine;
    engine.choose_clock(Some(&room.address(0))).await.unwrap();
    let png = opened(engine).await;
    let first = engine.show(room.to(0), png, Options::default(), 1).await;
    let second = engine.show(room.to(1), png, Options::default(), 2).await;
    let third = engine.set_time(room.to(1), Some("Asia/Tokyo")).await;
    let fourth = engine.set_time(Door::Window, Some("Europe/Paris")).await;
    for submitted in [first, second, third, fourth] {
        done(submitted).await;
    }

    assert_eq!(room.chosen(), Some(room.address(0)));
    let window = engine.state().borrow().clock.clone();
    assert_eq!(window.shown_slot, Some(1));
    for (clock, slot, zone) in [(0, 1, "Europe/Paris"), (1, 2, "Asia/Tokyo")] {
        let address = room.address(clock);
        let status = engine.clock_status(Some(&address)).await.unwrap();
        assert_eq!(status.mac, Some(address));
        assert_eq!(status.name, Some(room.clocks[clock].name()));
        assert_eq!(status.shown_slot, Some(slot));
        assert_eq!(status.time_set.unwrap().zone, zone);
    }
    // What the second one shows already is not sent to it again; the first one shows another.
    assert!(done(engine.set_mode(room.to(1), Mode::Image(2)).await).await < 100);
    assert!(done(engine.set_mode(room.to(0), Mode::Image(2)).await).await > 30_000);
    engine.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_clock_that_is_named_is_not_thereby_chosen() {
    let room = Room::new().await;
    done(room.engine.set_face(room.to(1), Face::Calendar1).await).await;
    assert_eq!(room.chosen(), None);
    assert_eq!(room.clocks[0].links_made(), 0);
    room.engine.stop().await;
}

#[tokio::test(start_paused = true)]
async fn an_order_is_planned_for_the_family_of_its_clock() {
    let room = Room::new().await;
    let engine = &room.engine;
    engine.choose_clock(Some(&room.address(0))).await.unwrap();
    done(engine.set_face(room.to(2), Face::Clock1).await).await;
    let raw = |order, byte| engine.raw(order, Channel::Main, vec![byte, 1]);
    let denied = raw(room.to(2), 0x91).await.unwrap_err();
    assert_eq!(denied.code(), "raw-denied");
    engine.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_clock_that_nobody_hears_is_given_up_and_what_is_no_address_refused() {
    let room = Room::new().await;
    let order = |clock: &str| Order {
        clock: Some(clock.into()),
        ..agent().into()
    };
    let submitted = room
        .engine
        .clear(order("SIM:00:00:00:09:99"))
        .await
        .unwrap();
    let outcome = submitted.ended.await.unwrap();
    assert_eq!(outcome.fault().unwrap().agent_code, "DEVICE_NOT_FOUND");
    let refused = room.engine.clear(order("the one on the left")).await;
    assert_eq!(refused.unwrap_err().agent_code(), "INVALID_PARAM");
    room.engine.stop().await;
}

#[tokio::test(start_paused = true)]
async fn whoever_asked_can_follow_their_own_operation_to_its_end() {
    let room = Room::new().await;
    let png = opened(&room.engine).await;
    let first = room.engine.set_face(Door::Window, Face::Clock1).await;
    let show = room.engine.show(agent(), png, Options::default(), 0).await;
    let Submitted {
        mut progress,
        ended,
        ..
    } = show.unwrap();
    let mut furthest = 0;
    while progress.changed().await.is_ok() {
        furthest = furthest.max(progress.borrow_and_update().packets_done);
    }
    assert_eq!(progress.borrow().stage, Stage::Ended);
    assert!(matches!(ended.await.unwrap(), Outcome::Done { .. }));
    assert!(furthest >= 127, "{furthest}");
    done(first).await;
    room.engine.stop().await;
}

#[tokio::test(start_paused = true)]
async fn the_journal_names_the_agent_of_an_operation_and_of_a_call() {
    let room = Room::new().await;
    let engine = &room.engine;
    done(engine.set_face(agent(), Face::Clock1).await).await;
    let call = |tool: &str| JournalledCall {
        tool: tool.into(),
        detail: "mode clock1".into(),
        outcome: JournalOutcome::Done,
        fault: None,
        duration_ms: 1500,
    };
    engine.journal_call(&agent(), call("set_mode"));
    // Stopped at once: what was taken in is written all the same.
    engine.stop().await;
    engine.journal_call(&agent(), call("too_late"));
    let journal = engine.journal(10).await.unwrap();
    assert_eq!(journal.len(), 2);
    for entry in &journal {
        assert_eq!(entry.door, Door::Agent);
        assert_eq!(entry.caller.as_deref(), Some("curator"));
    }
    let tool = "set_mode".to_owned();
    assert_eq!(journal[0].action, Action::Call { tool });
    assert_eq!(journal[0].duration_ms, Some(1500));
}

#[tokio::test(start_paused = true)]
async fn asking_how_a_clock_is_makes_no_link() {
    let room = Room::new().await;
    let status = room.engine.clock_status(None).await.unwrap();
    assert_eq!((status.mac, status.connected), (None, false));
    let address = room.address(1);
    let unknown = room.engine.clock_status(Some(&address)).await.unwrap();
    assert_eq!(unknown.mac.as_ref(), Some(&address));
    assert_eq!(room.clocks[1].links_made(), 0);

    done(room.engine.set_face(room.to(1), Face::Clock1).await).await;
    let linked = room.engine.clock_status(Some(&address)).await.unwrap();
    assert!(linked.connected && linked.simulated);
    assert_eq!(linked.link, LinkView::Connected);
    tokio::time::advance(std::time::Duration::from_secs(5)).await;
    let linked = room.engine.clock_status(Some(&address)).await.unwrap();
    assert!(linked.idle_seconds.unwrap() >= 5, "{linked:?}");
    let other = room.engine.clock_status(Some(&room.address(0))).await;
    assert_eq!(other.unwrap().link, LinkView::Asleep);
    room.engine.stop().await;
}

fn data_uri() -> String {
    use std::fmt::Write as _;
    picture()
        .iter()
        .fold("data:image/png,".into(), |mut uri, byte| {
            write!(uri, "%{byte:02X}").unwrap();
            uri
        })
}

/// IO-11: paths and bytes in one argument; twenty of them at once leave the window's picture open.
#[tokio::test(flavor = "multi_thread")]
async fn pictures_that_come_with_orders_leave_those_that_are_open() {
    let room = Room::new().await;
    let engine = &room.engine;
    let window = opened(engine).await;
    let same = engine.render(window, Options::default()).await.unwrap();
    let uri = data_uri();
    let file = room.folder.path().join("été 夏.png");
    fs::write(&file, picture()).unwrap();
    let path = file.display().to_string();
    let mut calls = tokio::task::JoinSet::new();
    for call in 0..20 {
        let engine = engine.clone();
        let source = if call % 2 == 0 {
            uri.clone()
        } else {
            path.clone()
        };
        calls.spawn(async move {
            let options = Options::default();
            engine
                .preview_source(&source, Reach::ThisComputer, options)
                .await
        });
    }
    for drawn in tokio::time::timeout(PATIENCE, calls.join_all())
        .await
        .unwrap()
    {
        assert_eq!(drawn.unwrap().planes, same.planes);
    }
    engine.render(window, Options::default()).await.unwrap();

    let (submitted, sizes) = engine
        .show_source(agent(), &uri, Reach::ThisNetwork, Options::default(), 3)
        .await
        .unwrap();
    assert_eq!((sizes.bytes_bw, sizes.bytes_red), (15_000, 15_000));
    assert!(!sizes.small);
    ended(submitted).await;
    let name = engine.state().borrow().slots[3].clone().unwrap().name;
    assert_eq!(name, "picture.png");
    engine.stop().await;
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_picture_file_is_refused_without_waiting_for_it() {
    let room = Room::new().await;
    let pipe = room.folder.path().join("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    let pipe = pipe.display().to_string();
    let folder = room.folder.path().display().to_string();
    for (source, code) in [
        (pipe.as_str(), "not-a-file"),
        ("/dev/zero", "not-a-file"),
        (folder.as_str(), "is-a-folder"),
        ("/nowhere/at all.png", "not-found"),
        ("https://example.org/a.png", "url-refused"),
        ("", "empty"),
    ] {
        let preview = room
            .engine
            .preview_source(source, Reach::ThisComputer, Options::default());
        let error = tokio::time::timeout(PATIENCE, preview).await.unwrap();
        let error = error.unwrap_err();
        assert_eq!(error.code(), code, "{source}");
        assert_eq!(error.agent_code(), "INVALID_PARAM");
    }
    // SEC-5: from the network, no file at all where no folder was set.
    for source in [pipe.as_str(), "/nowhere/at all.png"] {
        let preview = room
            .engine
            .preview_source(source, Reach::ThisNetwork, Options::default());
        let error = preview.await.unwrap_err();
        assert_eq!(error.code(), "picture-folder");
        assert_eq!(error.agent_code(), "INVALID_PARAM");
    }
    room.engine.stop().await;
}
