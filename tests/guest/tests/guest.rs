//! The clock's code against a real BlueZ and kernel.

// The helpers below end a test as an assertion does.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout)]

use std::path::{Path, PathBuf};
use std::time::Duration;

use regie_clock::dialect::{Dialect, Pingping, Terms};
use regie_clock::{Channel, Request};
use regie_guest_test::machine::{Machine, Run};
use regie_guest_test::record::Link;
use regie_guest_test::scene::{LAST_PACKET, MTU, Scene};

/// The bound on a run in CI. It takes about a minute on an idle machine without hardware help.
const LIMIT: Duration = Duration::from_secs(240);
/// Ends of links, as HCI tells them (Bluetooth Core Specification, Vol 1, Part F, 2).
const TIMED_OUT: u8 = 0x08;
const ENDED_BY_REMOTE_USER: u8 = 0x13;

/// The pieces that `cargo xtask guest` has prepared.
fn pieces() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.canonicalize().unwrap().join("target/guest")
}

fn run(name: &str, arguments: &[&str]) -> Run {
    let machine = Machine::new(&pieces()).unwrap_or_else(|error| panic!("{error}"));
    let driver = Path::new(env!("CARGO_BIN_EXE_guest-driver"));
    let run = machine.run(name, driver, arguments, LIMIT);
    let run = run.unwrap_or_else(|error| panic!("{error}"));
    print!("{}", run.console);
    run
}

/// The writes of a request as text, at the link's MTU.
fn writes(request: &Request) -> Vec<String> {
    let script = Pingping::default().script(request, Terms::of_mtu(MTU));
    let writes = script.unwrap();
    let writes = writes.writes().map(|write| {
        let bytes = write.bytes.clone();
        (write.channel, bytes)
    });
    let link = Link {
        writes: writes.collect(),
        end: None,
    };
    link.text()
}

/// BLE-2, BLE-9, BLE-22, UP-3, UP-4, UP-5: found by its scan response's name, connected, and told
/// everything exactly once; what the lost link left half done comes whole over the next one.
#[test]
fn a_clock_takes_the_golden_bytes_over_real_bluez_and_again_after_a_lost_link() {
    let run = run("play", &["play"]);
    let record = run.record;
    assert_eq!(record.refused, [""; 0]);
    let [before, after] = record.links.as_slice() else {
        panic!("{} links instead of two", record.links.len());
    };
    assert_eq!(before.end, Some(TIMED_OUT));
    assert_eq!(after.end, Some(ENDED_BY_REMOTE_USER));

    // Packet for packet what the dialect makes of the scene.
    let scene = Scene::new().unwrap();
    let picture = writes(&scene.picture);
    let interrupted = writes(&scene.interrupted);
    let whole = [picture.clone(), writes(&scene.time), writes(&scene.face)].concat();
    let broken_off = &interrupted[..LAST_PACKET];
    assert_eq!(before.text(), [&whole, broken_off].concat());
    assert_eq!(after.text(), interrupted);

    // And what the vendor's page sends, independently of the dialect.
    let sent = before.text();
    let begins = |index: usize, start: &str, length: usize| {
        let (channel, bytes) = &before.writes[index];
        assert_eq!(*channel, Channel::Main);
        assert_eq!(bytes.len(), length, "packet {index}");
        assert!(sent[index].starts_with(start), "{}", &sent[index][..20]);
    };
    begins(0, "main 03ff0000", 244);
    begins(62, "main 03ff3a20", 124);
    begins(63, "main 03000000", 244);
    begins(125, "main 03003a20", 124);
    let commands = [
        "main 01",
        "alt dd6a7873f007ea080907",
        "alt e2",
        "alt e102",
        "alt e2",
    ];
    assert_eq!(sent[126..131], commands);
}
