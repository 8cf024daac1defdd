//! Calls that take long: told of while they run, ended early, asked for twice, and taken down.
//!
//! Pictures are drawn on a thread that a paused clock does not wait for, so that what shows one
//! takes its time here.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod desk;

use std::time::{Duration, Instant};

use desk::{Agent, Desk, PATIENCE, connection, object};
use regie_mcp::{CallOutcome, Cancellation, Host};
use regie_sim::Timing;
use rmcp::model::{CallToolRequest, CallToolRequestParams, ClientRequest, ServerResult};
use rmcp::service::{PeerRequestOptions, RequestHandle, RoleClient};
use serde_json::{Value, json};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

async fn begin(agent: &Agent, tool: &str, arguments: Value) -> RequestHandle<RoleClient> {
    let arguments = arguments.as_object().unwrap().clone();
    let params = CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments);
    let request = ClientRequest::CallToolRequest(CallToolRequest::new(params));
    let options = PeerRequestOptions::no_options();
    let sent = agent.peer().send_cancellable_request(request, options);
    sent.await.unwrap()
}

async fn until(host: &Host, holds: impl Fn(&regie_mcp::AgentsState) -> bool) {
    let mut agents = host.agents();
    let held = timeout(PATIENCE, agents.wait_for(holds)).await;
    held.expect("it never holds").unwrap();
}

async fn connected(desk: &Desk) {
    let mut state = desk.engine.state();
    let operation = |state: &regie_engine::AppState| state.clock.operation.is_some();
    timeout(PATIENCE, state.wait_for(operation))
        .await
        .expect("no operation")
        .unwrap();
}

#[tokio::test]
async fn progress_grows_to_a_hundred_and_says_what_is_done() {
    let desk = Desk::with(Timing::rehearsal()).await;
    let agent = desk.agent().await;
    let request = begin(&agent, "upload_image", json!({ "source": desk.picture() })).await;
    let answer = timeout(PATIENCE, request.await_response()).await.unwrap();
    assert!(matches!(answer, Ok(ServerResult::CallToolResult(_))));
    let heard = agent.heard();
    assert!(heard.len() > 5, "{heard:?}");
    for two in heard.windows(2) {
        assert!(two[1].progress > two[0].progress, "{two:?}");
    }
    assert!(heard.iter().all(|notice| notice.total == Some(100.0)));
    let words: Vec<String> = heard.into_iter().filter_map(|n| n.message).collect();
    for stage in [
        "Listening for the clock, ",
        "Sending, ",
        "The panel redraws",
    ] {
        let said = words.iter().any(|words| words.starts_with(stage));
        assert!(said, "{stage}: {words:?}");
    }
    let mut after = words
        .iter()
        .skip_while(|words| !words.starts_with("The panel redraws"));
    let back = after.find(|words| {
        ["Sending", "Everything is sent"]
            .iter()
            .any(|earlier| words.starts_with(earlier))
    });
    assert_eq!(back, None, "{words:?}");
}

#[tokio::test(start_paused = true)]
async fn a_caller_that_cannot_hear_it_is_told_no_progress() {
    let desk = Desk::with(Timing::realistic()).await;
    let mut connection = connection();
    connection.hears_progress = false;
    let agent = desk.agent_with(connection).await;
    agent.done("clear_screen", json!({})).await;
    assert!(agent.heard().is_empty());
}

#[tokio::test]
async fn a_cancelled_upload_leaves_the_clock_usable() {
    let desk = Desk::with(Timing::rehearsal()).await;
    let agent = desk.agent().await;
    let request = begin(&agent, "upload_image", json!({ "source": desk.picture() })).await;
    until(&desk.host, |agents| !agents.calls.is_empty()).await;
    connected(&desk).await;
    request.cancel(None).await.unwrap();
    until(&desk.host, |agents| {
        agents.calls[0].outcome == CallOutcome::Cancelled
    })
    .await;
    agent.done("clear_screen", json!({})).await;
}

/// A client that goes away in the middle ends its call where its protocol says so.
#[tokio::test]
async fn a_call_whose_client_has_gone_leaves_the_clock_usable() {
    let desk = Desk::with(Timing::rehearsal()).await;
    let agent = desk.agent().await;
    let request = begin(&agent, "upload_image", json!({ "source": desk.picture() })).await;
    connected(&desk).await;
    drop(request);
    agent.client.cancel().await.unwrap();
    until(&desk.host, |agents| {
        agents
            .calls
            .first()
            .is_some_and(|call| call.outcome != CallOutcome::Running)
    })
    .await;
    let other = desk.agent().await;
    other.done("clear_screen", json!({})).await;
}

#[tokio::test(start_paused = true)]
async fn a_notice_alone_ends_the_call_of_a_caller_whose_connection_says_nothing() {
    let desk = Desk::with(Timing::realistic()).await;
    let token = CancellationToken::new();
    let mut connection = connection();
    connection.cancellation = Cancellation::Notice(token.clone());
    let agent = desk.agent_with(connection).await;
    let call = agent.call("clear_screen", json!({}));
    let ends = async {
        connected(&desk).await;
        token.cancel();
    };
    let (result, ()) = tokio::join!(call, ends);
    let answer = object("clear_screen", &result);
    assert_eq!(answer["error"]["code"], "INTERNAL");
    let message = answer["error"]["message"].as_str().unwrap();
    assert!(message.starts_with("Cancelled"), "{message}");
}

/// SES-4: a client that was cut off sends its request again, over a new connection.
#[tokio::test]
async fn a_request_that_comes_twice_is_carried_out_once() {
    let desk = Desk::new().await;
    let mut connection = connection();
    connection.session = Some("a session".into());
    connection.cancellation = Cancellation::Notice(CancellationToken::new());
    // Both clients count their requests from the same number.
    let first = desk.agent_with(connection.clone()).await;
    let second = desk.agent_with(connection).await;
    let flip = json!({ "name": "invert" });
    let (one, other) = tokio::join!(
        first.done("toggle", flip.clone()),
        second.done("toggle", flip.clone())
    );
    assert_eq!(one, other);
    assert!(desk.clock.is_inverted());
    // What asks for something else is another request.
    first.done("toggle", flip).await;
    assert!(!desk.clock.is_inverted());
}

#[tokio::test]
async fn calls_are_taken_down_with_their_caller_and_without_pictures() {
    let desk = Desk::new().await;
    let agent = desk.agent().await;
    agent.done("device_status", json!({})).await;
    let long = "A".repeat(100_000);
    agent
        .refused("preview_image", json!({ "source": long }))
        .await;
    let wifi = json!({ "name": "qr", "payload": { "password": "hush" } });
    agent.refused("render_template", wifi).await;
    until(&desk.host, |agents| agents.calls.len() == 3).await;
    let agents = desk.host.agents().borrow().clone();
    let [third, second, first] = agents.calls.as_slice() else {
        panic!("{agents:?}");
    };
    assert_eq!(first.tool, "device_status");
    assert_eq!(first.outcome, CallOutcome::Done);
    assert_eq!(second.outcome, CallOutcome::Failed);
    assert_eq!(second.code.as_deref(), Some("INVALID_PARAM"));
    assert!(second.arguments.len() < 300, "{}", second.arguments);
    assert!(!third.arguments.contains("hush"), "{}", third.arguments);
    assert_eq!(agents.connected.len(), 1);
    assert_eq!(agents.connected[0].calls, 3);
    assert!(agents.connected[0].name.starts_with("rmcp"));
}

/// The feed costs those who watch no more for an agent that polls.
#[tokio::test]
async fn many_calls_are_published_together() {
    let desk = Desk::new().await;
    let agent = desk.agent().await;
    let mut agents = desk.host.agents();
    let watching = tokio::spawn(async move {
        let mut published = 0_u32;
        while let Ok(Ok(())) = timeout(Duration::from_millis(500), agents.changed()).await {
            agents.borrow_and_update();
            published += 1;
        }
        published
    });
    let began = Instant::now();
    for _ in 0..300 {
        agent.done("device_status", json!({})).await;
    }
    // Ten a second, with the first and the last.
    let allowed = began.elapsed().as_millis() / 100 + 2;
    let published = watching.await.unwrap();
    assert!(u128::from(published) <= allowed, "{published}, {allowed}");
    let agents = desk.host.agents().borrow().clone();
    assert_eq!(agents.calls.len(), 200);
    assert_eq!(agents.connected[0].calls, 300);
}

/// All of the progress may have been told before the outcome is there; the answer comes all the
/// same.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn the_end_of_progress_does_not_swallow_the_answer() {
    let desk = Desk::new().await;
    let agent = desk.agent().await;
    for _ in 0..60 {
        let request = begin(&agent, "set_time", json!({ "tz": "8" })).await;
        let answer = timeout(Duration::from_secs(20), request.await_response()).await;
        let answer = answer.expect("no answer came");
        assert!(matches!(answer, Ok(ServerResult::CallToolResult(_))));
    }
}
