//! The engine with a clock of the EPD-nRF5 family beside one of the other.
//!
//! Such a clock's link is kept for half a minute after each change, so that time is paused here.

// The helpers below end a test as an assertion does.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use regie_clock::{Adapter, Channel, ClockError, Family, Zone};
use regie_engine::{
    DeviceSource, Devices, Door, Engine, EngineConfig, Face, Folders, Frame, GivenDevices, Lack,
    Locale, Options, Outcome, SecretsPlace, Submitted, Toggle,
};
use regie_sim::{
    ClockSpec, EpdBuild, FirmwareKind, Mode, SimulatedAdapter, SimulatedClock, Timing,
};
use tokio::time::sleep;

struct Source(SimulatedAdapter);

impl DeviceSource for Source {
    fn adapter(&self, _: Devices) -> Result<Arc<dyn Adapter>, ClockError> {
        Ok(Arc::new(self.0.clone()))
    }
}

struct Desk {
    folder: tempfile::TempDir,
    epd: SimulatedClock,
    pingping: SimulatedClock,
    engine: Engine,
}

async fn start(folder: &Path, clocks: &[&SimulatedClock]) -> Engine {
    let clocks = clocks.iter().copied().cloned().collect();
    let config = EngineConfig {
        folders: Folders {
            settings: folder.join("settings"),
            data: folder.join("data"),
        },
        version: "0".into(),
        system_locale: Locale::En,
        demo: true,
        clock: None,
        secrets: SecretsPlace::Memory,
        given_tokens: Vec::new(),
        given_devices: GivenDevices::default(),
    };
    let source = Source(SimulatedAdapter::new(clocks));
    Engine::start(config, Arc::new(source)).await.unwrap()
}

impl Desk {
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
        let epd = clock(1, FirmwareKind::EpdNrf5(EpdBuild::newer()));
        let pingping = clock(2, FirmwareKind::Pingping);
        let engine = start(folder.path(), &[&epd, &pingping]).await;
        engine.scan().await.unwrap();
        Self {
            folder,
            epd,
            pingping,
            engine,
        }
    }

    async fn choose(&self, clock: &SimulatedClock) {
        let address = clock.address().to_string();
        self.engine.choose_clock(Some(&address)).await.unwrap();
    }
}

async fn done(submitted: Submitted) {
    let outcome = submitted.ended.await.unwrap();
    assert!(matches!(outcome, Outcome::Done { .. }), "{outcome:?}");
}

fn picture() -> Vec<u8> {
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, 40, 30);
    encoder.set_color(png::ColorType::Rgb);
    let mut writer = encoder.write_header().unwrap();
    let pixels: Vec<u8> = (0..30_u8)
        .flat_map(|y| (0..40_u8).flat_map(move |x| [x * 6, y * 8, 20]))
        .collect();
    writer.write_image_data(&pixels).unwrap();
    writer.finish().unwrap();
    file
}

#[tokio::test(start_paused = true)]
async fn what_the_chosen_clock_lacks_is_known_before_it_is_connected() {
    let desk = Desk::new().await;
    let unsupported = || desk.engine.state().borrow().clock.unsupported.clone();
    let family = || {
        let chosen = desk.engine.state().borrow().clock.chosen.clone();
        chosen.and_then(|clock| clock.family)
    };
    desk.choose(&desk.epd).await;
    assert_eq!(family(), Some(Family::EpdNrf5));
    let lacks = unsupported();
    assert_eq!(lacks.reason, Some(Lack::Firmware));
    assert_eq!(lacks.toggles, Toggle::ALL);
    assert!(lacks.quiet_hours);
    assert!(!lacks.faces.contains(&Face::Clock1) && !lacks.faces.contains(&Face::Calendar1));
    // A picture is shown from a slot; the clock keeps none to return to.
    assert!(lacks.faces.contains(&Face::Clock2) && lacks.faces.contains(&Face::Picture));

    desk.choose(&desk.pingping).await;
    let lacks = unsupported();
    assert_eq!(lacks.reason, Some(Lack::Code));
    assert!(!lacks.toggles.contains(&Toggle::Invert) && !lacks.faces.contains(&Face::Picture));
    assert!(!lacks.quiet_hours);
    assert_eq!(desk.epd.links_made() + desk.pingping.links_made(), 0);
}

#[tokio::test(start_paused = true)]
async fn the_time_a_face_and_a_picture_work_on_either_clock() {
    let desk = Desk::new().await;
    let engine = &desk.engine;
    let picture = engine
        .open_bytes("picture.png".into(), picture())
        .await
        .unwrap();
    let preview = engine.render(picture.id, Options::default()).await.unwrap();
    let preview = Frame::from(preview).payload;
    let shown_slot = || engine.state().borrow().clock.shown_slot;
    for clock in [&desk.epd, &desk.pingping, &desk.epd] {
        desk.choose(clock).await;
        done(engine.set_face(Door::Window, Face::Clock1).await.unwrap()).await;
        assert_eq!(clock.mode(), Mode::Clock);
        let set = engine.set_time(Door::Window, Some("Asia/Kathmandu")).await;
        done(set.unwrap()).await;
        assert_eq!(clock.mode(), Mode::Clock);
        let now = jiff::Timestamp::now().as_second() + 345 * 60;
        let off = i64::try_from(clock.local_epoch()).unwrap() - now;
        assert!((-60..=60).contains(&off), "{off} s off");
        let show = engine.show(Door::Window, picture.id, Options::default(), 1);
        done(show.await.unwrap()).await;
        assert!(clock.screen().inks == preview);
        assert_eq!(clock.mode(), Mode::Picture);
        assert_eq!(shown_slot(), Some(1));
    }
}

/// A new time draws a page on such a clock, so that the slot is not claimed to be shown any more.
#[tokio::test(start_paused = true)]
async fn a_picture_that_a_new_time_has_replaced_is_not_claimed_to_be_shown() {
    let desk = Desk::new().await;
    let engine = &desk.engine;
    let picture = engine
        .open_bytes("picture.png".into(), picture())
        .await
        .unwrap();
    for (clock, kept) in [(&desk.epd, None), (&desk.pingping, Some(2))] {
        desk.choose(clock).await;
        let show = engine.show(Door::Window, picture.id, Options::default(), 2);
        done(show.await.unwrap()).await;
        assert_eq!(engine.state().borrow().clock.shown_slot, Some(2));
        done(engine.set_time(Door::Window, None).await.unwrap()).await;
        assert_eq!(engine.state().borrow().clock.shown_slot, kept);
    }
}

/// TZ-3: nobody asked for the picture to go; a clock or a calendar is set again by itself.
#[tokio::test(start_paused = true)]
async fn a_change_of_summer_time_takes_no_picture_off_the_screen() {
    const LONG: Duration = Duration::from_secs(8 * 60 * 60);
    let desk = Desk::new().await;
    desk.choose(&desk.epd).await;
    let engine = &desk.engine;
    let set = engine.set_time(Door::Window, Some("Europe/Paris")).await;
    done(set.unwrap()).await;
    done(engine.clear(Door::Window).await.unwrap()).await;
    let set_at = |engine: &Engine| engine.state().borrow().clock.time_set.clone().unwrap().at;
    let at = set_at(engine);
    engine.stop().await;

    // As if it had been set when Paris had another offset.
    let paris: Zone = "Europe/Paris".parse().unwrap();
    let offset = |at: Timestamp| paris.offset_seconds_at(at.as_second()).unwrap();
    let other = ["2026-01-15T12:00:00Z", "2026-07-15T12:00:00Z"]
        .into_iter()
        .find(|day| offset(day.parse().unwrap()) != offset(Timestamp::now()))
        .unwrap();
    let file = desk.folder.path().join("data/regie.db");
    let change = "UPDATE memory SET value = replace(value, ?1, ?2)";
    let database = rusqlite::Connection::open(file).unwrap();
    assert!(database.execute(change, [at.as_str(), other]).unwrap() > 0);
    drop(database);

    let engine = start(desk.folder.path(), &[&desk.epd]).await;
    engine.keep_time();
    let refreshes = desk.epd.refreshes();
    sleep(LONG).await;
    assert_eq!(desk.epd.refreshes(), refreshes);
    assert_eq!(set_at(&engine), other);

    done(engine.set_face(Door::Window, Face::Clock1).await.unwrap()).await;
    sleep(LONG).await;
    assert_ne!(set_at(&engine), other);
    assert_eq!(desk.epd.mode(), Mode::Clock);
    engine.stop().await;
}

/// What can harm a clock depends on its family, and is refused before anything is journalled.
#[tokio::test(start_paused = true)]
async fn raw_bytes_are_guarded_for_the_chosen_clock() {
    let desk = Desk::new().await;
    let raw = |channel, byte| desk.engine.raw(Door::Cli, channel, vec![byte, 1]);
    let code = |error: regie_engine::EngineError| error.code();
    desk.choose(&desk.epd).await;
    let denied = raw(Channel::Main, 0x91).await.map_err(code).unwrap_err();
    assert_eq!(denied, "raw-denied");
    let denied = raw(Channel::Alt, 0xE2).await.map_err(code).unwrap_err();
    assert_eq!(denied, "not-supported");
    desk.choose(&desk.pingping).await;
    let denied = raw(Channel::Alt, 0xAA).await.map_err(code).unwrap_err();
    assert_eq!(denied, "raw-denied");
    assert!(desk.engine.journal(10).await.unwrap().is_empty());
}
