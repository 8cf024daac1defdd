//! Taking ports, and letting them go.

use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use regie_engine::{Fault, Reach};
use regie_mcp::{Gatekeeper, HttpDoor, Listeners, Listening, McpServer, Protocol, ServerState};
use tokio::sync::watch;
use tokio::time::{sleep, timeout};

use crate::client::{Client, serve, tool};
use crate::trivial::{Keys, Trivial, door};

async fn becomes(
    state: &mut watch::Receiver<ServerState>,
    wanted: impl FnMut(&ServerState) -> bool,
) -> ServerState {
    timeout(Duration::from_secs(5), state.wait_for(wanted))
        .await
        .unwrap()
        .unwrap()
        .clone()
}

fn is_on(state: &ServerState) -> bool {
    matches!(state, ServerState::On { .. })
}

fn is_off(state: &ServerState) -> bool {
    *state == ServerState::Off
}

#[tokio::test]
async fn a_call_in_flight_is_ended_and_told_and_all_is_over_within_a_second() {
    let server = serve().await;
    let mut waiting = Client::connect(server.port).await;
    waiting
        .send(&server.post("/mcp", &[], &tool("5", "wait")))
        .await;
    let idle = Client::connect(server.port).await;
    while server.waits.begun.load(Ordering::SeqCst) == 0 {
        sleep(Duration::from_millis(5)).await;
    }
    let began = Instant::now();
    server.shutdown.cancel();
    let answer = waiting.receive().await.unwrap();
    assert!(answer.json()["id"] == 5, "{}", answer.text());
    server.task.await.unwrap();
    assert!(
        began.elapsed() < Duration::from_secs(1),
        "{:?}",
        began.elapsed()
    );
    assert!(
        began.elapsed() > Duration::from_millis(500),
        "{:?}",
        began.elapsed()
    );
    sleep(Duration::from_millis(50)).await;
    assert_eq!(server.waits.cancelled.load(Ordering::SeqCst), 1);
    drop(idle);
}

#[tokio::test]
async fn both_loopback_addresses_answer_on_one_port() {
    let server = serve().await;
    if TcpListener::bind("[::1]:0").is_err() {
        return;
    }
    assert!(
        tokio::net::TcpStream::connect(("::1", server.port))
            .await
            .is_ok()
    );
    assert!(
        tokio::net::TcpStream::connect(("127.0.0.1", server.port))
            .await
            .is_ok()
    );
}

#[tokio::test]
async fn a_taken_port_names_its_holder_and_stays_the_one_that_is_wanted() {
    // PORT-1, PORT-3, PORT-5.
    let other = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = other.local_addr().unwrap().port();
    let (door, _) = door();
    let server = McpServer::new(door, Listening::new(port, Reach::ThisComputer));
    let mut state = server.state();
    server.switch(true);
    let failed = becomes(&mut state, |state| {
        matches!(state, ServerState::Failed { .. })
    })
    .await;
    let ServerState::Failed {
        fault:
            Fault {
                code,
                message,
                hint,
                ..
            },
    } = failed
    else {
        unreachable!();
    };
    assert!(message.contains(&port.to_string()) && !hint.is_empty());
    if cfg!(target_os = "linux") {
        assert_eq!(code, "port-taken-by");
        assert!(
            message.contains(&std::process::id().to_string()),
            "{message}"
        );
    } else {
        assert_eq!(code, "port-taken");
    }
    drop(other);
    server.switch(true);
    let on = becomes(&mut state, is_on).await;
    let address = format!("http://127.0.0.1:{port}/mcp");
    assert_eq!(
        on,
        ServerState::On {
            addresses: vec![address]
        }
    );
}

#[tokio::test]
async fn the_network_is_not_listened_on_without_a_token() {
    // SEC-3.
    struct NoKeys;
    impl Gatekeeper for NoKeys {
        fn recognise(&self, _: &str) -> Option<Arc<str>> {
            None
        }
        fn has_tokens(&self) -> bool {
            false
        }
    }
    let refused = Listeners::bind(Listening::new(0, Reach::ThisNetwork), &NoKeys).await;
    assert_eq!(refused.map(|_| ()).unwrap_err().code(), "no-token");
    let mut given = Listening::new(0, Reach::ThisComputer);
    given.host = "0.0.0.0".parse().ok();
    let refused = Listeners::bind(given, &NoKeys).await;
    assert_eq!(refused.map(|_| ()).unwrap_err().code(), "no-token");
    assert!(
        Listeners::bind(Listening::new(0, Reach::ThisComputer), &NoKeys)
            .await
            .is_ok()
    );
    assert!(
        Listeners::bind(Listening::new(0, Reach::ThisNetwork), &Keys)
            .await
            .is_ok()
    );
}

#[tokio::test]
async fn an_address_of_another_computer_is_refused_with_its_reason() {
    let mut listening = Listening::new(0, Reach::ThisComputer);
    listening.host = "192.0.2.7".parse().ok();
    let refused = Listeners::bind(listening, &Keys)
        .await
        .map(|_| ())
        .unwrap_err();
    assert_eq!(refused.code(), "address-unusable");
    assert!(refused.to_string().contains("192.0.2.7"), "{refused}");
}

/// Open files and sockets of this process.
fn open_files() -> usize {
    std::fs::read_dir("/proc/self/fd").map_or(0, Iterator::count)
}

#[tokio::test]
async fn a_thousand_toggles_leave_nothing_behind() {
    let (door, _) = door();
    let server = McpServer::new(door, Listening::new(0, Reach::ThisComputer));
    let mut state = server.state();
    let tasks = || {
        tokio::runtime::Handle::current()
            .metrics()
            .num_alive_tasks()
    };
    let mut before = (0, 0);
    let mut taken = Vec::new();
    let began = Instant::now();
    for round in 0..1_000 {
        let switched = Instant::now();
        server.switch(true);
        becomes(&mut state, is_on).await;
        taken.push(switched.elapsed());
        server.switch(false);
        becomes(&mut state, is_off).await;
        if round == 10 {
            before = (tasks(), open_files());
        }
    }
    assert!(
        began.elapsed() < Duration::from_secs(30),
        "{:?}",
        began.elapsed()
    );
    // A busy machine may be late now and then.
    taken.sort_unstable();
    assert!(taken[950] < Duration::from_millis(100), "{taken:?}");
    tokio::task::yield_now().await;
    let after = (tasks(), open_files());
    assert!(
        after.0 <= before.0 && after.1 <= before.1 + 4,
        "{before:?} {after:?}"
    );
    server.stop().await;
}

#[tokio::test]
async fn toggled_faster_than_it_can_follow_it_ends_as_last_wanted() {
    let (door, _) = door();
    let server = McpServer::new(door, Listening::new(0, Reach::ThisComputer));
    let mut state = server.state();
    for round in 0..1_001 {
        server.switch(round % 2 == 0);
        if round % 7 == 0 {
            tokio::task::yield_now().await;
        }
    }
    becomes(&mut state, is_on).await;
    sleep(Duration::from_millis(50)).await;
    assert!(is_on(&state.borrow()));
    server.switch(false);
    becomes(&mut state, is_off).await;
}

#[tokio::test]
async fn it_moves_to_another_port_while_connections_are_open() {
    let (door, _) = door();
    let server = McpServer::new(door, Listening::new(0, Reach::ThisComputer));
    let mut state = server.state();
    server.switch(true);
    let ServerState::On { addresses } = becomes(&mut state, is_on).await else {
        unreachable!();
    };
    let port: u16 = addresses[0]
        .split([':', '/'])
        .nth(4)
        .unwrap()
        .parse()
        .unwrap();
    let mut idle = Client::connect(port).await;
    let free = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port();
    server.listen(Listening::new(free, Reach::ThisComputer));
    becomes(&mut state, |state| {
        matches!(state, ServerState::On { addresses } if addresses[0].contains(&format!(":{free}/")))
    })
    .await;
    assert!(idle.receive().await.is_none());
    // Back at once, while the closed connection still lingers in the system.
    server.listen(Listening::new(port, Reach::ThisComputer));
    becomes(&mut state, |state| {
        matches!(state, ServerState::On { addresses } if addresses[0].contains(&format!(":{port}/")))
    })
    .await;
}

#[tokio::test]
async fn a_port_is_taken_again_while_its_old_connections_linger() {
    let server = serve().await;
    let mut client = Client::connect(server.port).await;
    client
        .send(&server.post("/mcp", &[], &tool("1", "echo")))
        .await;
    assert_eq!(client.receive().await.unwrap().status, 200);
    server.shutdown.cancel();
    server.task.await.unwrap();
    // The side that hung up first keeps the connection for a minute: the server's.
    assert!(client.receive().await.is_none());
    drop(client);
    let again = Listeners::bind(Listening::new(server.port, Reach::ThisComputer), &Keys).await;
    assert_eq!(again.map(|again| again.port()), Ok(server.port));
}

#[tokio::test]
async fn dropping_the_switch_switches_off() {
    let (door, _) = door();
    let server = McpServer::new(door, Listening::new(0, Reach::ThisComputer));
    let mut state = server.state();
    server.switch(true);
    becomes(&mut state, is_on).await;
    drop(server);
    timeout(Duration::from_secs(2), state.wait_for(is_off))
        .await
        .unwrap()
        .unwrap();
}

#[tokio::test]
async fn a_door_is_made_of_any_service() {
    let protocol = Protocol::new(|toolset| Trivial {
        toolset,
        waits: Arc::default(),
    });
    let door = HttpDoor::new(Arc::new(Keys), protocol);
    assert!(door.gatekeeper().has_tokens());
}
