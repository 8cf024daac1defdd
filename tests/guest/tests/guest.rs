//! The clock's code against a real BlueZ and kernel.
//!
//! The guest is booted once; each test looks at a part of what happened in it.

// The helpers below end a test as an assertion does.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout)]

use std::path::Path;
use std::sync::OnceLock;
use std::time::Duration;

use regie_clock::dialect::{Dialect, Pingping, Terms};
use regie_clock::{Channel, Request};
use regie_guest_test::machine::Machine;
use regie_guest_test::record::{Link, Record};
use regie_guest_test::scene::{LAST_PACKET, MTU, Scene};

/// The bound on the whole in CI. Without hardware help it takes two to three minutes on two cores.
const LIMIT: Duration = Duration::from_secs(240);
/// Ends of links, as HCI tells them (Bluetooth Core Specification, Vol 1, Part F, 2).
const TIMED_OUT: u8 = 0x08;
const ENDED_BY_REMOTE_USER: u8 = 0x13;

/// The links to the clock, in order.
const PLAYED: usize = 0;
const PLAYED_ON: usize = 1;
const RESTARTED: usize = 2;
const RESTARTED_ON: usize = 3;
const AFTER_A_KILLED_PROCESS: usize = 4;
const AFTER_A_DOZE: usize = 5;
const PROGRAM_SHOWS: usize = 6;
const PROGRAM_SETS_TIME: usize = 7;
const LINKS: usize = 8;

/// What reached the clock.
fn record() -> &'static Record {
    // Kept also when it is a failure, so that a guest that does not come up is booted once.
    static RECORD: OnceLock<Result<Record, String>> = OnceLock::new();
    let record = RECORD.get_or_init(|| {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let root = root.canonicalize().unwrap();
        let driver = Path::new(env!("CARGO_BIN_EXE_guest-driver"));
        let program = driver.with_file_name("regie");
        if !program.exists() {
            return Err("regie is missing: `cargo xtask guest` builds it".to_owned());
        }
        let picture = root.join("icons/128x128.png");
        let arguments = ["all", text(&program), text(&picture)];
        let run = Machine::new(&root.join("target/guest"))
            .and_then(|machine| machine.run("test", driver, &arguments, LIMIT))
            .map_err(|error| error.to_string())?;
        println!("{}", run.console);
        match run.record.links.len() {
            LINKS => Ok(run.record),
            links => Err(format!("{links} links to the clock instead of {LINKS}")),
        }
    });
    record.as_ref().unwrap_or_else(|error| panic!("{error}"))
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

fn link(index: usize) -> &'static Link {
    &record().links[index]
}

/// The writes of a request as text, at the link's MTU.
fn writes(request: &Request) -> Vec<String> {
    let script = Pingping::default().script(request, Terms::of_mtu(MTU));
    let script = script.unwrap();
    let writes = script
        .writes()
        .map(|write| (write.channel, write.bytes.clone()));
    let writes = writes.collect();
    Link { writes, end: None }.text()
}

/// What the vendor's page sends of a whole picture, up to its trigger.
fn assert_picture(link: &Link) {
    let sent = link.text();
    for (index, start, length) in [
        (0, "main 03ff0000", 244),
        (62, "main 03ff3a20", 124),
        (63, "main 03000000", 244),
        (125, "main 03003a20", 124),
    ] {
        let (channel, bytes) = &link.writes[index];
        assert_eq!((*channel, bytes.len()), (Channel::Main, length));
        assert!(sent[index].starts_with(start), "{}", &sent[index][..20]);
    }
    assert_eq!(sent[126], "main 01");
}

/// BLE-9, UP-4: the clock is found by the name of its scan response, and is told everything once.
#[test]
fn a_picture_the_time_and_a_face_arrive_as_the_golden_bytes() {
    let link = link(PLAYED);
    assert_picture(link);
    let commands = ["alt dd6a7873f007ea080907", "alt e2", "alt e102", "alt e2"];
    assert_eq!(link.text()[127..131], commands);
}

/// UP-1, UP-5: the link goes with a packet, whose answer is lost, and comes back by itself.
#[test]
fn after_a_lost_link_the_picture_comes_whole_over_the_next_one() {
    let scene = Scene::new().unwrap();
    let [picture, time, face] = [&scene.picture, &scene.time, &scene.face].map(writes);
    let interrupted = writes(&scene.interrupted);
    let broken_off = &interrupted[..LAST_PACKET];
    let before = [&picture[..], &time, &face, broken_off].concat();
    assert_eq!(link(PLAYED).text(), before);
    assert_eq!(link(PLAYED).end, Some(TIMED_OUT));
    assert_eq!(link(PLAYED_ON).text(), interrupted);
    assert_eq!(link(PLAYED_ON).end, Some(ENDED_BY_REMOTE_USER));
}

#[test]
fn an_upload_survives_a_restart_of_the_bluetooth_service() {
    let picture = writes(&Scene::new().unwrap().restarted);
    let before = link(RESTARTED).text();
    assert!(before.len() < picture.len() && picture.starts_with(&before));
    assert_eq!(link(RESTARTED_ON).text(), picture);
}

/// BLE-16: the link of a killed process is still up, so that the clock is not to be heard.
#[test]
fn a_link_that_a_killed_process_left_is_used_and_let_go() {
    let link = link(AFTER_A_KILLED_PROCESS);
    assert_eq!(link.text(), ["alt e100", "alt e100"]);
    assert_eq!(link.end, Some(ENDED_BY_REMOTE_USER));
}

/// BLE-1, BLE-4, BLE-22: a clock that was heard falls asleep before it is connected.
#[test]
fn a_clock_that_fell_asleep_is_waited_for() {
    assert_eq!(link(AFTER_A_DOZE).text(), ["alt e100"]);
}

#[test]
fn the_program_shows_a_picture_and_sets_the_time() {
    let shown = link(PROGRAM_SHOWS);
    assert_picture(shown);
    assert_eq!(shown.text()[127..], ["alt e100"]);
    assert_eq!(shown.end, Some(ENDED_BY_REMOTE_USER));
    let set = link(PROGRAM_SETS_TIME);
    let (channel, time) = &set.writes[0];
    assert_eq!((*channel, time.len(), time[0]), (Channel::Alt, 10, 0xDD));
    assert_eq!(set.text()[1..], ["alt e2"]);
    assert_eq!(set.end, Some(ENDED_BY_REMOTE_USER));
}

/// BLE-18: nothing is longer than the characteristic or the link takes, or of a kind that the clock
/// does not permit.
#[test]
fn the_clock_had_nothing_to_refuse() {
    assert_eq!(record().refused, [""; 0]);
}
