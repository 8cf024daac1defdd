//! Both kinds of caller on one path.

use std::sync::atomic::Ordering;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::sleep;

use crate::client::{Client, Running, serve, tool};

/// What full MCP clients send.
const MCP: [(&str, &str); 2] = [
    ("Accept", "application/json, text/event-stream"),
    ("Content-Type", "application/json"),
];

const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"claude-code","version":"2.1"}}}"#;

fn with<'a>(more: &[(&'a str, &'a str)]) -> Vec<(&'a str, &'a str)> {
    [&MCP[..], more].concat()
}

async fn initialize(server: &Running) -> String {
    let answer = server.call(&MCP, INITIALIZE).await;
    assert_eq!(answer.status, 200, "{}", answer.text());
    answer.header("mcp-session-id").unwrap().to_owned()
}

#[tokio::test]
async fn every_earlier_version_is_initialized_lists_and_calls() {
    let server = serve().await;
    for version in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        let body = INITIALIZE.replace("2025-06-18", version);
        let answer = server.call(&MCP, &body).await;
        assert_eq!(
            answer.json()["result"]["protocolVersion"],
            version,
            "{}",
            answer.text()
        );
        let session = answer.header("mcp-session-id").unwrap();
        let headers = with(&[
            ("Mcp-Session-Id", session),
            ("MCP-Protocol-Version", version),
        ]);
        let ready = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
        assert_eq!(server.call(&headers, ready).await.status, 202);
        let list = server
            .call(
                &headers,
                r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#,
            )
            .await;
        assert_eq!(list.json()["result"]["tools"][0]["name"], "echo_all");
        let who = server.call(&headers, &tool("2", "who")).await;
        assert_eq!(
            who.result_text(),
            "claude-code 2.1, ThisComputer, hears true"
        );
    }
}

#[tokio::test]
async fn the_stateless_version_is_answered_and_its_client_is_known() {
    let server = serve().await;
    let version = "2026-07-28";
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "who", "_meta": {
        "io.modelcontextprotocol/protocolVersion": version,
        "io.modelcontextprotocol/clientInfo": {"name": "Agent", "version": "9"},
        "io.modelcontextprotocol/clientCapabilities": {}}}});
    // Spaces around a header's value are none of it.
    for name in ["who", "  who  "] {
        let headers = with(&[
            ("MCP-Protocol-Version", version),
            ("Mcp-Method", "tools/call"),
            ("Mcp-Name", name),
        ]);
        let answer = server.call(&headers, &body.to_string()).await;
        assert_eq!(
            answer.result_text(),
            "Agent 9, ThisComputer, hears true",
            "{}",
            answer.text()
        );
        assert_eq!(answer.header("mcp-session-id"), None);
    }
}

#[tokio::test]
async fn a_plain_call_with_nothing_but_a_token_is_answered_as_plain_json() {
    let server = serve().await;
    let answer = server.call(&[], &tool("\"req-001\"", "who")).await;
    assert_eq!(answer.status, 200);
    assert_eq!(answer.header("content-type"), Some("application/json"));
    assert_eq!(answer.json()["id"], "req-001");
    assert_eq!(answer.result_text(), "Agents, ThisComputer, hears false");
    for headers in [
        [
            ("Accept", "*/*"),
            ("Content-Type", "application/x-www-form-urlencoded"),
        ],
        [
            ("Accept", "application/json"),
            ("Content-Type", "application/json; charset=utf-8"),
        ],
        [("Accept", "text/html"), ("Content-Type", "text/plain")],
    ] {
        assert_eq!(server.call(&headers, &tool("1", "echo")).await.status, 200);
    }
}

#[tokio::test]
async fn a_plain_caller_gets_the_result_alone_where_others_hear_of_progress() {
    let server = serve().await;
    let body = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"progress","_meta":{"progressToken":"p"}}}"#;
    let heard = server.call(&MCP, body).await;
    assert_eq!(heard.header("content-type"), Some("text/event-stream"));
    assert!(heard.text().contains("notifications/progress") && heard.text().contains("done"));
    let plain = server.call(&[], body).await;
    assert_eq!(plain.header("content-type"), Some("application/json"));
    assert_eq!(plain.result_text(), "done");
}

#[tokio::test]
async fn each_path_offers_its_own_tools() {
    let server = serve().await;
    let list = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;
    for (path, name) in [
        ("/mcp", "echo_all"),
        ("/mcp/clock", "echo_clock"),
        ("/mcp/room", "echo_room"),
    ] {
        let answer = server.ask(&server.post(path, &[], list)).await.unwrap();
        assert_eq!(answer.json()["result"]["tools"][0]["name"], name);
    }
}

#[tokio::test]
async fn what_is_wrong_with_a_request_is_said_in_json_rpc() {
    let server = serve().await;
    let cases = [
        ("{", 400, -32700, Value::Null),
        ("", 400, -32700, Value::Null),
        ("\u{0}", 400, -32700, Value::Null),
        ("[]", 400, -32600, Value::Null),
        ("1", 400, -32600, Value::Null),
        (r#"{"id":7,"method":"ping"}"#, 400, -32600, json!(7)),
        (
            r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#,
            400,
            -32600,
            Value::Null,
        ),
        (
            r#"{"jsonrpc":"2.0","id":"x","method":"tools/fly"}"#,
            200,
            -32601,
            json!("x"),
        ),
        (
            r#"{"jsonrpc":"2.0","id":8,"method":"initialize","params":{}}"#,
            200,
            -32601,
            json!(8),
        ),
    ];
    for (body, status, code, id) in cases {
        let answer = server.call(&[], body).await;
        let error = answer.json();
        assert_eq!(
            (answer.status, &error["error"]["code"], &error["id"]),
            (status, &json!(code), &id),
            "{body}: {}",
            answer.text()
        );
        assert_eq!(error["jsonrpc"], "2.0");
    }
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let answer = server.call(&[], &deep).await;
    assert_eq!(answer.json()[0]["error"]["code"], -32600);
    let deep = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"ping","params":{{"a":{deep}}}}}"#);
    let answer = server.call(&[], &deep).await;
    assert_eq!(
        (answer.status, answer.json()["id"].clone()),
        (400, json!(1)),
        "{}",
        answer.text()
    );
}

#[tokio::test]
async fn the_library_s_own_refusals_are_json_too() {
    let server = serve().await;
    let answer = server
        .call(
            &with(&[("MCP-Protocol-Version", "1999-01-01")]),
            &tool("1", "who"),
        )
        .await;
    assert_eq!(answer.status, 400);
    assert_eq!(answer.json()["error"]["code"], -32600);
    assert_eq!(answer.json()["id"], 1);
    let answer = server
        .call(&[("Content-Encoding", "gzip")], &tool("1", "who"))
        .await;
    assert_eq!(answer.status, 415);
    assert_eq!(answer.json()["error"]["code"], -32600);
}

#[tokio::test]
async fn a_batch_is_answered_as_one_and_in_order() {
    let server = serve().await;
    let batch = format!(
        "[{}, {}, 5, {}]",
        tool("1", "who"),
        r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
        tool("\"b\"", "nothing")
    );
    let answer = server.call(&MCP, &batch).await;
    let answers = answer.json();
    let seen: Vec<_> = answers
        .as_array()
        .unwrap()
        .iter()
        .map(|answer| (answer["id"].clone(), answer["error"]["code"].clone()))
        .collect();
    assert_eq!(
        seen,
        [
            (json!(1), Value::Null),
            (Value::Null, json!(-32600)),
            (json!("b"), json!(-32602))
        ]
    );
    let notices = r#"[{"jsonrpc":"2.0","method":"notifications/initialized"}]"#;
    assert_eq!(server.call(&MCP, notices).await.status, 202);
    let many = format!("[{}]", vec!["1"; 33].join(","));
    assert_eq!(server.call(&MCP, &many).await.status, 400);
}

#[tokio::test]
async fn there_is_no_stream_of_its_own_and_no_session_to_end() {
    let server = serve().await;
    for method in ["GET", "DELETE", "PUT", "HEAD", "OPTIONS", "PATCH"] {
        let bytes = String::from_utf8(server.post("/mcp", &MCP, "")).unwrap();
        let mut client = Client::connect(server.port).await;
        client.send(bytes.replace("POST", method).as_bytes()).await;
        if method == "HEAD" {
            continue;
        }
        let answer = client.receive().await.unwrap();
        assert_eq!(
            (answer.status, answer.header("allow")),
            (405, Some("POST")),
            "{method}"
        );
        assert_eq!(answer.json()["jsonrpc"], "2.0");
    }
}

#[tokio::test]
async fn a_client_keeps_its_session_through_a_restart() {
    // SES-1, SES-2.
    let session = initialize(&serve().await).await;
    let other = serve().await;
    let answer = other
        .call(&with(&[("Mcp-Session-Id", &session)]), &tool("1", "who"))
        .await;
    assert_eq!(
        answer.result_text(),
        "claude-code 2.1, ThisComputer, hears true"
    );
    let strange = other
        .call(&with(&[("Mcp-Session-Id", "made-up")]), &tool("1", "who"))
        .await;
    assert_eq!(strange.result_text(), "Agents, ThisComputer, hears true");
}

#[tokio::test]
async fn no_handler_sees_the_token() {
    let server = serve().await;
    let headers = server.call(&[], &tool("1", "headers")).await.result_text();
    assert!(headers.contains("host"), "{headers}");
    assert!(!headers.contains(crate::trivial::TOKEN), "{headers}");
}

async fn until(what: impl Fn() -> bool) {
    for _ in 0..500 {
        if what() {
            return;
        }
        sleep(Duration::from_millis(10)).await;
    }
    unreachable!("it never came");
}

#[tokio::test]
async fn a_notice_cancels_the_call_of_its_own_session_only() {
    let server = serve().await;
    let (mine, other) = (initialize(&server).await, initialize(&server).await);
    let mut waiting = Client::connect(server.port).await;
    let session = with(&[("Mcp-Session-Id", &mine)]);
    waiting
        .send(&server.post("/mcp", &session, &tool("5", "wait")))
        .await;
    until(|| server.waits.begun.load(Ordering::SeqCst) == 1).await;

    let notice = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}}"#;
    let stranger = with(&[("Mcp-Session-Id", &other)]);
    assert_eq!(server.call(&stranger, notice).await.status, 202);
    sleep(Duration::from_millis(50)).await;
    assert_eq!(server.waits.cancelled.load(Ordering::SeqCst), 0);

    assert_eq!(server.call(&session, notice).await.status, 202);
    assert_eq!(waiting.receive().await.unwrap().result_text(), "cancelled");
}

#[tokio::test]
async fn a_lost_connection_cancels_nothing_for_earlier_versions_and_a_notice_still_does() {
    let server = serve().await;
    let mut lost = Client::connect(server.port).await;
    lost.send(&server.post("/mcp", &[], &tool("5", "wait")))
        .await;
    until(|| server.waits.begun.load(Ordering::SeqCst) == 1).await;
    drop(lost);
    sleep(Duration::from_millis(100)).await;
    assert_eq!(server.waits.cancelled.load(Ordering::SeqCst), 0);
    let notice = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}}"#;
    server.call(&[], notice).await;
    until(|| server.waits.cancelled.load(Ordering::SeqCst) == 1).await;
}

#[tokio::test]
async fn closing_the_connection_cancels_a_call_of_the_stateless_version() {
    let server = serve().await;
    let version = "2026-07-28";
    let headers = with(&[
        ("MCP-Protocol-Version", version),
        ("Mcp-Method", "tools/call"),
        ("Mcp-Name", "wait"),
    ]);
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "wait", "_meta": {
        "io.modelcontextprotocol/protocolVersion": version,
        "io.modelcontextprotocol/clientInfo": {"name": "Agent", "version": "9"},
        "io.modelcontextprotocol/clientCapabilities": {}}}});
    let mut client = Client::connect(server.port).await;
    client
        .send(&server.post("/mcp", &headers, &body.to_string()))
        .await;
    until(|| server.waits.begun.load(Ordering::SeqCst) == 1).await;
    drop(client);
    until(|| server.waits.context_cancelled.load(Ordering::SeqCst) == 1).await;
}
