//! The fake as a program of its own.
#![cfg(target_os = "linux")]
// Helpers end a test as an assertion does.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::io::{BufRead, BufReader};
use std::os::unix::net::UnixStream;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// For the program to end when it is told to.
const END: Duration = Duration::from_secs(20);

#[test]
fn it_says_where_its_bus_is_and_ends_with_its_input() {
    let mut program = Command::new(env!("CARGO_BIN_EXE_fake-bluez"))
        .args(["--fault", "connect-fails", "--seconds", "60"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(program.stdout.take().unwrap()).lines();
    let bus = lines.next().unwrap().unwrap();
    let clock = lines.next().unwrap().unwrap();
    assert_eq!(clock, "CLOCK=D5:00:00:00:00:01");
    let socket = bus
        .strip_prefix("DBUS_SYSTEM_BUS_ADDRESS=unix:path=")
        .and_then(|rest| rest.split(',').next())
        .expect("an address")
        .to_owned();
    UnixStream::connect(&socket).expect("a bus that answers");
    drop(program.stdin.take());
    let end = Instant::now() + END;
    let status = loop {
        if let Some(status) = program.try_wait().unwrap() {
            break status;
        }
        assert!(Instant::now() < end, "it does not end");
        std::thread::sleep(Duration::from_millis(20));
    };
    assert!(status.success());
    assert!(
        UnixStream::connect(&socket).is_err(),
        "the bus is left behind"
    );
}

#[test]
fn a_fault_that_does_not_exist_is_refused_with_those_that_do() {
    let refused = Command::new(env!("CARGO_BIN_EXE_fake-bluez"))
        .args(["--fault", "nonsense"])
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert!(!refused.status.success());
    let said = String::from_utf8_lossy(&refused.stderr);
    assert!(said.contains("write-unanswered"), "{said}");
}
