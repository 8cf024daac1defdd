//! Who gets in: Host, Origin, token, body.

use std::time::{Duration, Instant};

use crate::client::{Client, request, serve, tool};
use crate::trivial::TOKEN;

/// How a value of a header is to be met.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Case {
    /// It passes.
    Good,
    /// It is refused.
    Bad,
}
use Case::{Bad, Good};

#[tokio::test]
async fn host_origin_and_token_are_checked_in_this_order() {
    // SEC-1, SEC-2, SEC-3, SEC-5: the whole matrix. PORT stands for the bound port.
    let hosts: &[(&str, Case)] = &[
        ("127.0.0.1:PORT", Good),
        ("localhost:PORT", Good),
        ("LOCALHOST:PORT", Good),
        ("[::1]:PORT", Good),
        ("localhost", Good),
        ("127.0.0.1", Good),
        ("127.0.0.1:1", Bad),
        ("localhost:80", Bad),
        ("localhost.evil.com:PORT", Bad),
        ("127.0.0.1.nip.io:PORT", Bad),
        ("evil.com", Bad),
        ("localhost.:PORT", Bad),
        ("0.0.0.0:PORT", Bad),
        ("127.1:PORT", Bad),
        ("0x7f.0.0.1:PORT", Bad),
        ("2130706433:PORT", Bad),
        ("127.0.0.2:PORT", Bad),
        ("[::ffff:127.0.0.1]:PORT", Bad),
        ("[::]:PORT", Bad),
        ("::1:PORT", Bad),
        ("[::1", Bad),
        ("user@localhost:PORT", Bad),
        ("localhost:PORT@evil.com", Bad),
        ("localhost:PORT/evil", Bad),
        ("localhost:+PORT", Bad),
        ("localhost:", Bad),
        ("", Bad),
    ];
    let origins: &[(Option<&str>, Case)] = &[
        (None, Good),
        (Some("http://localhost:PORT"), Good),
        (Some("http://127.0.0.1:PORT"), Good),
        (Some("http://[::1]:PORT"), Good),
        (Some("null"), Bad),
        (Some(""), Bad),
        (Some("http://localhost"), Bad),
        (Some("http://localhost:3000"), Bad),
        (Some("https://localhost:PORT"), Bad),
        (Some("http://evil.com"), Bad),
        (Some("http://localhost.evil.com:PORT"), Bad),
        (Some("http://127.0.0.1.nip.io:PORT"), Bad),
        (Some("http://localhost:PORT.evil.com"), Bad),
        (Some("http://evil.com/http://localhost:PORT"), Bad),
        (Some("chrome-extension://abcdefgh"), Bad),
        (Some("file://"), Bad),
    ];
    let good = format!("Bearer {TOKEN}");
    let lower = format!("bearer {TOKEN}");
    let tokens: &[(Option<&str>, Case)] = &[
        (Some(&good), Good),
        (Some(&lower), Good),
        (None, Bad),
        (Some("Bearer"), Bad),
        (Some("Bearer "), Bad),
        (Some("Basic YTpi"), Bad),
        (Some(TOKEN), Bad),
    ];
    let server = serve().await;
    let port = server.port.to_string();
    let body = tool("1", "who");
    let mut client = Client::connect(server.port).await;
    for (host, host_is) in hosts {
        for (origin, origin_is) in origins {
            for (token, token_is) in tokens {
                let host = host.replace("PORT", &port);
                let origin = origin.map(|origin| origin.replace("PORT", &port));
                let mut headers = vec![("Host", host.as_str())];
                headers.extend(origin.as_deref().map(|origin| ("Origin", origin)));
                headers.extend(token.map(|token| ("Authorization", token)));
                client.send(&request("POST", "/mcp", &headers, &body)).await;
                let answer = client.receive().await.unwrap();
                let expected = match (host_is, origin_is, token_is) {
                    (Good, Good, Good) => 200,
                    (Good, Good, Bad) => 401,
                    _ => 403,
                };
                assert_eq!(answer.status, expected, "{headers:?} {}", answer.text());
                assert_eq!(answer.json()["jsonrpc"], "2.0", "{headers:?}");
                assert_eq!(
                    answer.header("www-authenticate").is_some(),
                    expected == 401,
                    "{headers:?}"
                );
            }
        }
    }
}

#[tokio::test]
async fn a_request_that_names_two_hosts_is_refused() {
    // SEC-2.
    let server = serve().await;
    let host = server.host();
    let bearer = format!("Bearer {TOKEN}");
    let body = tool("1", "who");
    let token = ("Authorization", bearer.as_str());
    let twice = request(
        "POST",
        "/mcp",
        &[("Host", &host), ("Host", &host), token],
        &body,
    );
    assert_eq!(server.ask(&twice).await.unwrap().status, 403);
    let absolute = request(
        "POST",
        "http://evil.com/mcp",
        &[("Host", &host), token],
        &body,
    );
    assert_eq!(server.ask(&absolute).await.unwrap().status, 403);
    let path = format!("http://{host}/mcp");
    let absolute = request("POST", &path, &[("Host", &host), token], &body);
    assert_eq!(server.ask(&absolute).await.unwrap().status, 200);
    let none = request("POST", "/mcp", &[token], &body);
    assert_eq!(server.ask(&none).await.unwrap().status, 403);
    let tokens = request("POST", "/mcp", &[("Host", &host), token, token], &body);
    assert_eq!(server.ask(&tokens).await.unwrap().status, 401);
}

#[tokio::test]
async fn paths_that_are_not_there_answer_in_json() {
    // SEC-7.
    let server = serve().await;
    let host = server.host();
    let bearer = format!("Bearer {TOKEN}");
    let cases = [
        ("GET", "/health", false, 200),
        ("POST", "/health", false, 405),
        ("GET", "/.well-known/oauth-protected-resource", false, 404),
        (
            "GET",
            "/.well-known/oauth-authorization-server/mcp",
            false,
            404,
        ),
        ("GET", "/", false, 401),
        ("POST", "/register", false, 401),
        ("GET", "/", true, 404),
        ("POST", "/mcp/", true, 404),
        ("POST", "/mcp/nowhere", true, 404),
        ("POST", "/mcp/../health", true, 404),
    ];
    for (method, path, token, status) in cases {
        let mut headers = vec![("Host", host.as_str())];
        if token {
            headers.push(("Authorization", bearer.as_str()));
        }
        let answer = server
            .ask(&request(method, path, &headers, ""))
            .await
            .unwrap();
        assert_eq!(answer.status, status, "{method} {path}");
        assert_eq!(
            answer.header("content-type"),
            Some("application/json"),
            "{path}"
        );
        assert!(answer.json().is_object(), "{method} {path}");
    }
    let health = request("GET", "/health", &[("Host", "evil.com")], "");
    assert_eq!(server.ask(&health).await.unwrap().status, 403);
}

#[tokio::test]
async fn a_body_that_is_too_large_is_refused_with_a_hint_at_once_or_while_it_arrives() {
    // IO-8.
    let server = serve().await;
    let announced = server.post(
        "/mcp",
        &[("Content-Length", "16777217"), ("Expect", "100-continue")],
        "",
    );
    let streamed = {
        let mut bytes = server.post("/mcp", &[("Transfer-Encoding", "chunked")], "");
        for _ in 0..17 {
            bytes.extend_from_slice(b"100000\r\n");
            bytes.extend(vec![b' '; 0x10_0000]);
            bytes.extend_from_slice(b"\r\n");
        }
        bytes.extend_from_slice(b"0\r\n\r\n");
        bytes
    };
    let sent = server.post("/mcp", &[], &" ".repeat(17 * 1024 * 1024));
    for bytes in [announced, streamed, sent] {
        let answer = server.ask(&bytes).await.unwrap();
        assert_eq!(answer.status, 413);
        let hint = answer.json()["error"]["data"]["hint"].to_string();
        assert!(hint.contains("path") && hint.contains("smaller"), "{hint}");
    }
    let large = tool("1", "echo").replace(
        "\"echo\"",
        &format!(
            "\"echo\",\"arguments\":{{\"image\":\"{}\"}}",
            "A".repeat(15 * 1024 * 1024)
        ),
    );
    let answer = server.call(&[], &large).await;
    assert_eq!(answer.status, 200);
    assert!(answer.body.len() > 15 * 1024 * 1024);
}

#[tokio::test]
async fn a_large_body_without_token_hears_of_the_token() {
    let server = serve().await;
    let host = server.host();
    let bytes = request(
        "POST",
        "/mcp",
        &[("Host", &host)],
        &" ".repeat(8 * 1024 * 1024),
    );
    assert_eq!(server.ask(&bytes).await.unwrap().status, 401);
}

#[tokio::test]
async fn unknown_tokens_slow_their_own_answers_and_nobody_else_s() {
    // SEC-3: on loopback all callers share one address.
    let server = serve().await;
    let host = server.host();
    let bad = request(
        "POST",
        "/mcp",
        &[("Host", &host), ("Authorization", "Bearer guess")],
        "",
    );
    let began = Instant::now();
    for _ in 0..7 {
        assert_eq!(server.ask(&bad).await.unwrap().status, 401);
    }
    assert!(
        began.elapsed() >= Duration::from_millis(300),
        "{:?}",
        began.elapsed()
    );

    let mut guessers = Vec::new();
    for _ in 0..30 {
        let mut client = Client::connect(server.port).await;
        client.send(&bad).await;
        guessers.push(client);
    }
    let began = Instant::now();
    assert_eq!(server.call(&[], &tool("1", "who")).await.status, 200);
    assert!(
        began.elapsed() < Duration::from_millis(200),
        "{:?}",
        began.elapsed()
    );
    let mut crowded = 0;
    for mut client in guessers {
        let answer = client.receive().await.unwrap();
        if answer.status == 429 {
            assert!(answer.header("retry-after").is_some());
            crowded += 1;
        } else {
            assert_eq!(answer.status, 401);
        }
    }
    assert!(crowded >= 10, "{crowded}");
}
