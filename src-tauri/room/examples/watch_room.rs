//! Prints the room as one line of JSON whenever it changes, until standard input ends:
//! `watch_room [--loopback] [ID=ADDRESS | ID@NAME]...` with devices by their address, or by the
//! name that they tell by mDNS.

use std::io::{self, Write};
use std::process::ExitCode;
use std::sync::Arc;

use regie_room::request::Volume;
use regie_room::{DeviceEntry, HttpTransport, Origin, Room, RoomConfig, RoomError, Search};
use tokio::io::AsyncReadExt;

#[tokio::main]
async fn main() -> ExitCode {
    let mut search = Search::Network;
    let mut devices = Vec::new();
    for word in std::env::args().skip(1) {
        match word.as_str() {
            "--loopback" => search = Search::Loopback,
            word => match device(word) {
                Ok(device) => devices.push(device),
                Err(error) => return failed(&error.to_string()),
            },
        }
    }
    let transport = match HttpTransport::new() {
        Ok(transport) => Arc::new(transport),
        Err(error) => return failed(&error.to_string()),
    };
    let room = Room::start(RoomConfig {
        devices,
        transport,
        search,
    });
    let outcome = print(&room).await;
    room.stop().await;
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => failed(&error.to_string()),
    }
}

async fn print(room: &Room) -> io::Result<()> {
    let mut state = room.state();
    let mut input = tokio::io::stdin();
    let mut byte = [0];
    loop {
        let line = serde_json::to_string(&*state.borrow_and_update())?;
        let mut out = io::stdout();
        writeln!(out, "{line}")?;
        out.flush()?;
        tokio::select! {
            changed = state.changed() => if changed.is_err() { return Ok(()) },
            read = input.read(&mut byte) => if read? == 0 { return Ok(()) },
        }
    }
}

fn device(word: &str) -> Result<DeviceEntry, RoomError> {
    let (id, address, found_as) = if let Some((id, address)) = word.split_once('=') {
        (id, Some(address.parse()?), None)
    } else {
        let (id, name) = word.split_once('@').unwrap_or((word, word));
        let instance = format!("{name}._zacus._tcp.local.");
        (id, None, Some(instance.parse()?))
    };
    Ok(DeviceEntry {
        id: id.parse()?,
        name: id.to_owned(),
        room: None,
        address,
        found_as,
        via: None,
        volume_limit: Volume::default(),
        origin: Origin::Settings,
    })
}

fn failed(why: &str) -> ExitCode {
    // Nobody is left to be told if standard error is closed.
    let _closed = writeln!(io::stderr(), "watch_room: {why}");
    ExitCode::FAILURE
}
