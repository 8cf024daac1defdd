//! What a call of a room's tool costs beside the device's own time: the whole stack over HTTP on
//! loopback against simulated devices, and the same devices asked directly, in turns.
//!
//! `cargo bench -p regie-mcp --bench room_calls`.

#![allow(missing_docs, clippy::unwrap_used, clippy::print_stdout)]

#[path = "../tests/desk/mod.rs"]
mod desk;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use regie_engine::{Caller, Door, Reach};
use regie_mcp::{
    AgentService, Connection, HttpDoor, Listeners, Listening, Protocol, Transport, run,
};
use regie_sim::room::SimulatedRoom;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use self::desk::{Desk, entry};

/// Enough devices that none is asked so often that its guard makes a call wait.
const DEVICES: u16 = 50;

/// Calls of each kind.
const CALLS: usize = 2_000;

/// Between two calls: with 50 devices, each is asked less than four times a second.
const PAUSE: Duration = Duration::from_millis(6);

/// Sends a request on a connection of its own, as boards are asked, and reads the answer to its end.
async fn asked(at: SocketAddr, request: &str) -> Duration {
    let began = Instant::now();
    let mut stream = TcpStream::connect(at).await.unwrap();
    stream.set_nodelay(true).unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await.unwrap();
    let taken = began.elapsed();
    let text = String::from_utf8_lossy(&answer);
    assert!(text.starts_with("HTTP/1.1 200"), "{text}");
    assert!(!text.contains("\"error\""), "{text}");
    taken
}

fn post(host: SocketAddr, path: &str, token: &str, body: &str) -> String {
    format!(
        "POST {path} HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {token}\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    )
}

fn get(host: SocketAddr, path: &str, token: &str) -> String {
    format!(
        "GET {path} HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {token}\r\n\
         Connection: close\r\n\r\n"
    )
}

fn at(times: &[Duration], share: usize) -> f64 {
    let mut times = times.to_vec();
    times.sort_unstable();
    times[times.len() * share / 100].as_secs_f64() * 1e3
}

async fn measure(room: &SimulatedRoom, port: u16, token: &str, tool: &str) {
    let server = SocketAddr::from(([127, 0, 0, 1], port));
    let (mut through, mut direct) = (Vec::new(), Vec::new());
    for turn in 0..CALLS {
        let device = &room.devices()[turn % usize::from(DEVICES)];
        let id = device.name();
        let key = device.token().unwrap_or_default();
        let (arguments, own) = match tool {
            "device_status" => (
                format!(r#"{{"device_id":"{id}"}}"#),
                get(device.address(), "/api/status", key),
            ),
            _ => (
                format!(r#"{{"device_id":"{id}","zone":"all","color":"red"}}"#),
                post(
                    device.address(),
                    "/api/led",
                    key,
                    r#"{"zone":"all","color":"red","pattern":"solid","bright":128}"#,
                ),
            ),
        };
        let call = format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"{tool}","arguments":{arguments}}}}}"#
        );
        through.push(asked(server, &post(server, "/mcp/room", token, &call)).await);
        sleep(PAUSE).await;
        // Beside the guard, and so at another time.
        direct.push(asked(device.address(), &own).await);
        sleep(PAUSE).await;
    }
    println!(
        "{tool:14} through Regie p50 {:.3} ms, p99 {:.3} ms; the device alone p50 {:.3} ms, p99 {:.3} ms; more at p50: {:.3} ms",
        at(&through, 50),
        at(&through, 99),
        at(&direct, 50),
        at(&direct, 99),
        at(&through, 50) - at(&direct, 50),
    );
}

fn main() {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let room = SimulatedRoom::many(DEVICES).await.unwrap();
        let devices = room.devices().iter().map(entry).collect();
        let desk = Desk::with_devices(devices).await;
        desk.engine.open_room().await;
        let made = desk.engine.make_token("Bench").await.unwrap();
        let token = made.secret.expose().to_owned();
        let host = desk.host.clone();
        let tools = Protocol::new(move |toolset| {
            let caller = Caller::from(Door::Agent);
            let mut connection = Connection::new(caller, Transport::Http, Reach::ThisComputer);
            connection.toolset = toolset;
            AgentService::new(host.clone(), connection)
        });
        let door = Arc::new(HttpDoor::new(Arc::new(desk.engine.clone()), tools));
        let listeners = Listeners::bind(Listening::new(0, Reach::ThisComputer), &desk.engine)
            .await
            .unwrap();
        let port = listeners.port();
        tokio::spawn(run(listeners, door, CancellationToken::new()));
        let answering = |state: &regie_engine::rooms::RoomState| {
            let answers = |device: &regie_engine::rooms::DeviceState| {
                device.condition == regie_engine::rooms::Condition::Answering
            };
            state.devices.len() == usize::from(DEVICES) && state.devices.iter().all(answers)
        };
        let mut state = desk.engine.room_state();
        drop(state.wait_for(answering).await.unwrap());
        for tool in ["device_status", "led_set"] {
            measure(&room, port, &token, tool).await;
        }
        desk.engine.stop().await;
    });
}
