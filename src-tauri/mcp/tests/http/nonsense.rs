//! Whatever is sent, the server stays up, answers in JSON, and lets nobody in without a token.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestCaseError, TestRunner};

use crate::client::{Answer, Client, serve, tool};
use crate::trivial::TOKEN;

/// Enough to meet each kind of nonsense many times, in a few seconds.
const CASES: u32 = 400;

fn method() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => Just("POST".to_owned()),
        1 => prop::sample::select(vec!["GET", "DELETE", "PUT", "OPTIONS", "TRACE", "CONNECT"]).prop_map(str::to_owned),
        1 => "[A-Z]{1,12}",
    ]
}

fn path() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => prop::sample::select(vec!["/mcp", "/mcp/clock", "/mcp/room", "/mcp?x=1", "//mcp"]).prop_map(str::to_owned),
        1 => "/[!-~]{0,40}",
        1 => "[!-~]{1,40}",
    ]
}

fn header() -> impl Strategy<Value = (String, String)> {
    let name = prop_oneof![
        4 => prop::sample::select(vec![
            "Accept", "Content-Type", "Origin", "Mcp-Session-Id", "MCP-Protocol-Version",
            "Mcp-Method", "Mcp-Name", "Content-Encoding", "Connection", "Last-Event-Id", "Expect",
        ]).prop_map(str::to_owned),
        1 => "[A-Za-z-]{1,20}".prop_filter("framing and admission are set apart", |name| {
            !["content-length", "transfer-encoding", "host", "authorization"]
                .contains(&name.to_ascii_lowercase().as_str())
        }),
    ];
    let value = prop_oneof![
        2 => prop::sample::select(vec![
            "application/json, text/event-stream", "2025-06-18", "2026-07-28", "tools/call",
            "initialize", "null", "http://evil.com",
        ]).prop_map(str::to_owned),
        1 => "[ -~]{0,60}",
    ];
    (name, value)
}

fn body() -> impl Strategy<Value = Vec<u8>> {
    let fragment = prop::sample::select(vec![
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        "\"jsonrpc\":\"2.0\"",
        "\"id\":1",
        "\"id\":null",
        "\"id\":\"x\"",
        "\"method\":\"tools/call\"",
        "\"method\":\"initialize\"",
        "\"method\":\"notifications/cancelled\"",
        "\"params\":{\"name\":\"echo\"}",
        "\"params\":{\"requestId\":1}",
        "\"params\":null",
        "\"result\":{}",
        "\"error\":1",
        "\\u0000",
        "1e999",
        "\u{FEFF}",
        "\"_meta\":{}",
    ]);
    prop_oneof![
        1 => vec(any::<u8>(), 0..200),
        2 => vec(fragment, 0..12).prop_map(|parts| parts.concat().into_bytes()),
        1 => vec("\"(jsonrpc|id|method|params)\":(1|\"2.0\"|null|\\{\\}|\"ping\")", 0..5)
            .prop_map(|members| format!("{{{}}}", members.join(",")).into_bytes()),
        1 => Just(tool("1", "echo").into_bytes()),
    ]
}

fn in_json(answer: &Answer) -> bool {
    if answer.body.is_empty() {
        // A notification, or a head that is no HTTP: refused before there is a request.
        return answer.status == 202 || matches!(answer.status, 400 | 414 | 431);
    }
    match answer.header("content-type") {
        Some("application/json") => !answer.json().is_null(),
        Some("text/event-stream") => answer.status == 200,
        _ => false,
    }
}

#[test]
fn nonsense_is_answered_in_json_and_lets_nobody_in() {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap();
    let server = runtime.block_on(serve());
    let mut runner = TestRunner::new(Config {
        failure_persistence: None,
        ..Config::with_cases(CASES)
    });
    let request = (method(), path(), vec(header(), 0..6), body(), any::<bool>());
    let outcome = runner.run(&request, |(method, path, headers, body, admitted)| {
        let mut bytes =
            format!("{method} {path} HTTP/1.1\r\nHost: {}\r\n", server.host()).into_bytes();
        if admitted {
            bytes.extend(format!("Authorization: Bearer {TOKEN}\r\n").into_bytes());
        }
        for (name, value) in &headers {
            bytes.extend(format!("{name}: {value}\r\n").into_bytes());
        }
        bytes.extend(format!("Content-Length: {}\r\n\r\n", body.len()).into_bytes());
        bytes.extend_from_slice(&body);
        runtime.block_on(async {
            let answer = server.ask(&bytes).await;
            let answer = answer.ok_or_else(|| TestCaseError::fail("no answer"))?;
            prop_assert!(in_json(&answer), "{:?} {}", answer, answer.text());
            let open = path.contains("health");
            prop_assert!(admitted || open || answer.status >= 400, "{:?}", answer);
            prop_assert!(answer.status != 500, "{}", answer.text());
            Ok(())
        })
    });
    outcome.unwrap();

    let raw = vec(any::<u8>(), 0..300);
    let outcome = runner.run(&raw, |bytes| {
        runtime.block_on(async {
            let mut client = Client::connect(server.port).await;
            client.send(&bytes).await;
            client.send(b"\r\n\r\n").await;
            if let Some(answer) = client.receive().await {
                prop_assert!(answer.status >= 400, "{:?}", answer);
            }
            Ok(())
        })
    });
    outcome.unwrap();
    let alive = runtime.block_on(server.call(&[], &tool("1", "who")));
    assert_eq!(alive.status, 200);
}
