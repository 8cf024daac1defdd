//! Lines that no server could read, from end to end of a relay.

use std::convert::Infallible;

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, BufReader, DuplexStream, duplex};
use tokio::task::JoinHandle;
use tokio::time::Instant;

use super::*;

/// What pipes hold here, in bytes: less than the lines that are sent at once.
const PIPE: usize = 4096;

/// A server that fails a test with anything but a `ping`, which it answers.
struct Pings(JoinHandle<()>);

impl Backends for Option<Pings> {
    type Error = Infallible;

    async fn next(&mut self) -> Result<Talk, Infallible> {
        let (ours, theirs) = duplex(PIPE);
        let (from, mut to) = tokio::io::split(theirs);
        let mut lines = BufReader::new(from).lines();
        *self = Some(Pings(tokio::spawn(async move {
            while let Some(line) = lines.next_line().await.unwrap() {
                let asked: Value = serde_json::from_str(&line).unwrap();
                assert_eq!(asked["method"], "ping", "{line}");
                let answer = json!({ "jsonrpc": "2.0", "id": asked["id"], "result": {} });
                let answer = answer.to_string().into_bytes();
                send(&mut to, answer).await.unwrap();
            }
        })));
        Ok(Talk::over(Box::new(ours), LONGEST_MESSAGE))
    }
}

struct Client {
    to: DuplexStream,
    from: BufReader<DuplexStream>,
    relay: JoinHandle<Option<Pings>>,
}

impl Client {
    fn start() -> Self {
        let (to, input) = duplex(PIPE);
        let (output, from) = duplex(PIPE);
        let relay = tokio::spawn(async move {
            let mut backends = None;
            let outcome = relay(input, output, &mut backends, CancellationToken::new()).await;
            outcome.unwrap();
            backends
        });
        Self {
            to,
            from: BufReader::new(from),
            relay,
        }
    }

    async fn say(&mut self, line: impl AsRef<[u8]>) {
        send(&mut self.to, line.as_ref().to_vec()).await.unwrap();
    }

    async fn hear(&mut self) -> Value {
        let mut line = String::new();
        let read = timeout(REPLAY, self.from.read_line(&mut line)).await;
        read.expect("no answer").unwrap();
        serde_json::from_str(&line).unwrap()
    }

    async fn ping(&mut self, id: u32) {
        let line = json!({ "jsonrpc": "2.0", "id": id, "method": "ping" });
        self.say(line.to_string()).await;
        let answer = self.hear().await;
        assert_eq!((&answer["id"], &answer["result"]), (&json!(id), &json!({})));
    }

    /// Says no more, and waits for the end of the relay and of the server behind it.
    async fn leave(self) {
        let Self { to, from, relay } = self;
        drop(to);
        let backends = relay.await.unwrap();
        drop(from);
        backends.unwrap().0.await.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn lines_that_cannot_be_read_are_answered_and_nobody_waits_for_them_at_the_end() {
    let deep = format!(
        r#"{{"jsonrpc":"2.0","id":"d","method":"ping","params":{{"a":{}{}}}}}"#,
        "[".repeat(130),
        "]".repeat(130)
    );
    let cases: [(&[u8], Value, i32); 10] = [
        (
            br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":{"mac":"\ud800"}}}"#,
            json!(1),
            -32700,
        ),
        (
            br#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"x","arguments":{"timeout":1e999}}}"#,
            json!(2),
            -32700,
        ),
        (
            br#"{"jsonrpc":"2.0","id":3,"method":"ping",}"#,
            json!(3),
            -32700,
        ),
        (
            b"{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"\xff\"}",
            json!(4),
            -32700,
        ),
        (deep.as_bytes(), json!("d"), -32700),
        (b"hello", Value::Null, -32700),
        (b"{", Value::Null, -32700),
        (
            br#"{"jsonrpc":"2.0","id":5,"method":"tools/call","params":[]}"#,
            json!(5),
            -32602,
        ),
        (
            br#"[{"jsonrpc":"2.0","id":6,"method":"ping"}]"#,
            Value::Null,
            -32600,
        ),
        (
            br#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#,
            Value::Null,
            -32600,
        ),
    ];
    let began = Instant::now();
    let mut client = Client::start();
    for (line, id, code) in cases {
        let told = String::from_utf8_lossy(line);
        client.say(line).await;
        let answer = client.hear().await;
        assert_eq!(answer.get("id"), Some(&id), "{told}");
        assert_eq!(answer["error"]["code"], code, "{told}");
    }
    client
        .say(r#"{"jsonrpc":"2.0","method":"notifications/progress","params":[]}"#)
        .await;
    client.ping(7).await;
    client.leave().await;
    assert!(began.elapsed() < FAREWELL, "{:?}", began.elapsed());
}

#[tokio::test(start_paused = true)]
async fn more_lines_that_cannot_be_read_than_may_be_pending_stop_nothing() {
    let mut client = Client::start();
    for id in 0..MOST_PENDING + 1000 {
        let line = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping","params":{{"#);
        client.say(line).await;
        assert_eq!(client.hear().await["id"], id);
    }
    client.ping(1).await;
    client.leave().await;
}

#[tokio::test(start_paused = true)]
async fn a_byte_order_mark_before_a_message_is_passed_over() {
    let mut client = Client::start();
    client
        .say(b"\xEF\xBB\xBF{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}")
        .await;
    assert_eq!(client.hear().await["id"], 1);
    client.leave().await;
}
