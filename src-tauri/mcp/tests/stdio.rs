//! An agent's pipes and the local door: what an agent sees of it, with a small server behind it.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use regie_engine::Fault;
use regie_mcp::{
    Asked, Backends, Connection, Hello, LocalError, LocalServer, Place, Policy, RelayError, Talk,
    Toolset, ask_to_yield, attach, relay, stand_in,
};
use rmcp::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ListToolsResult,
    PaginatedRequestParams, Tool,
};
use rmcp::service::{RequestContext, RoleServer};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream};
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

/// How long anything here may take: many times what it needs.
const LIMIT: Duration = Duration::from_secs(20);

/// What a test server counts.
#[derive(Clone, Default)]
struct Counts {
    started: Arc<AtomicU32>,
    cancelled: Arc<AtomicU32>,
}

/// A server with two tools: `echo`, which says who called and how many bytes came, and `wait`,
/// which goes on until it is cancelled or its milliseconds have passed.
struct Server {
    connection: Connection,
    counts: Counts,
}

impl ServerHandler for Server {
    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, rmcp::ErrorData> {
        let schema = Arc::new(serde_json::from_value(json!({ "type": "object" })).unwrap());
        let tool = |name: &'static str| Tool::new(name, "A test's.", Arc::clone(&schema));
        Ok(ListToolsResult::with_all_items(vec![
            tool("echo"),
            tool("wait"),
        ]))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, rmcp::ErrorData> {
        self.counts.started.fetch_add(1, Ordering::SeqCst);
        let arguments = Value::Object(request.arguments.unwrap_or_default());
        if request.name == "wait" {
            let most = Duration::from_millis(arguments["ms"].as_u64().unwrap_or(60_000));
            tokio::select! {
                () = context.ct.cancelled() => {
                    self.counts.cancelled.fetch_add(1, Ordering::SeqCst);
                }
                () = tokio::time::sleep(most) => {}
            }
        }
        let told = json!({
            "bytes": arguments["source"].as_str().map_or(0, str::len),
            "tools": self.connection.toolset.name(),
            "mac": self.connection.clock,
        });
        Ok(CallToolResult::success(vec![ContentBlock::text(told.to_string())]).into())
    }
}

type Made = Box<dyn Fn(Connection) -> Server + Send + Sync>;

/// A process that owns the engine, as far as the door is concerned.
struct Owner {
    server: LocalServer<Made>,
    open: JoinHandle<Option<Asked>>,
    counts: Counts,
}

impl Owner {
    async fn open(folder: &Path, policy: Policy) -> Self {
        let counts = Counts::default();
        let counting = counts.clone();
        let made: Made = Box::new(move |connection| Server {
            connection,
            counts: counting.clone(),
        });
        let server = LocalServer::new("0.0.0", policy, made);
        let open = tokio::spawn(server.open(&Place::of(folder)).await.unwrap());
        Self {
            server,
            open,
            counts,
        }
    }

    async fn close(self) {
        self.server.close().await;
        assert!(self.open.await.unwrap().is_none());
    }
}

/// Attaches to whoever owns a folder, waiting for them.
struct Attaching {
    place: Place,
    hello: Hello,
}

impl Attaching {
    fn of(folder: &Path, hello: Hello) -> Self {
        Self {
            place: Place::of(folder),
            hello,
        }
    }
}

impl Backends for Attaching {
    type Error = LocalError;

    async fn next(&mut self) -> Result<Talk, LocalError> {
        let deadline = tokio::time::Instant::now() + LIMIT;
        loop {
            match attach(&self.place, self.hello.clone()).await {
                Err(error) if tokio::time::Instant::now() > deadline => return Err(error),
                Err(_) => tokio::time::sleep(Duration::from_millis(10)).await,
                Ok(talk) => return Ok(talk),
            }
        }
    }
}

/// A client at the pipes of a relay.
struct Agent {
    to: Option<DuplexStream>,
    from: BufReader<DuplexStream>,
    relay: JoinHandle<Result<(), RelayError<LocalError>>>,
    ending: CancellationToken,
}

impl Agent {
    fn start(folder: &Path) -> Self {
        Self::greeting(folder, Hello::default())
    }

    fn greeting(folder: &Path, hello: Hello) -> Self {
        Self::joined(Attaching::of(folder, hello))
    }

    fn joined(mut backends: impl Backends<Error = LocalError> + 'static) -> Self {
        let (to, input) = tokio::io::duplex(256 * 1024);
        let (output, from) = tokio::io::duplex(256 * 1024);
        let ending = CancellationToken::new();
        let ends = ending.clone();
        Self {
            to: Some(to),
            from: BufReader::new(from),
            relay: tokio::spawn(async move { relay(input, output, &mut backends, ends).await }),
            ending,
        }
    }

    async fn raw(&mut self, text: &[u8]) {
        self.to.as_mut().unwrap().write_all(text).await.unwrap();
    }

    async fn say(&mut self, message: Value) {
        self.raw(format!("{message}\n").as_bytes()).await;
    }

    /// The next line, which is JSON-RPC like every one.
    async fn hear(&mut self) -> Value {
        let mut line = String::new();
        let read = timeout(LIMIT, self.from.read_line(&mut line)).await;
        assert!(read.expect("no answer").unwrap() > 0, "the relay has ended");
        assert!(line.ends_with('\n') && !line.ends_with("\r\n"), "{line:?}");
        let message: Value = serde_json::from_str(&line).unwrap();
        assert_eq!(message["jsonrpc"], "2.0", "{line}");
        message
    }

    async fn ask(&mut self, id: u32, method: &str, params: Value) -> Value {
        self.say(json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }))
            .await;
        let answer = self.hear().await;
        assert_eq!(answer["id"], id, "{answer}");
        answer
    }

    async fn call(&mut self, id: u32, tool: &str, arguments: Value) -> Value {
        let params = json!({ "name": tool, "arguments": arguments });
        self.ask(id, "tools/call", params).await
    }

    async fn initialize(&mut self) {
        let params = json!({
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": { "name": "test", "version": "1" },
        });
        let answer = self.ask(0, "initialize", params).await;
        assert!(answer["result"]["protocolVersion"].is_string(), "{answer}");
        self.say(json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))
            .await;
    }

    async fn begin_waiting(&mut self, id: u32, milliseconds: u32, counts: &Counts) {
        let before = counts.started.load(Ordering::SeqCst);
        self.say(json!({
            "jsonrpc": "2.0", "id": id, "method": "tools/call",
            "params": { "name": "wait", "arguments": { "ms": milliseconds } },
        }))
        .await;
        until(|| counts.started.load(Ordering::SeqCst) > before).await;
    }

    fn close_input(&mut self) {
        self.to = None;
    }

    async fn ended(self) {
        timeout(LIMIT, self.relay).await.unwrap().unwrap().unwrap();
    }
}

async fn until(mut holds: impl FnMut() -> bool) {
    let waiting = async {
        while !holds() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    timeout(LIMIT, waiting).await.expect("it never happened");
}

fn echoed(answer: &Value) -> Value {
    let text = answer["result"]["content"][0]["text"].as_str();
    serde_json::from_str(text.unwrap_or_else(|| panic!("{answer}"))).unwrap()
}

#[tokio::test]
async fn an_agent_lists_and_calls_and_what_it_wished_reaches_the_tools() {
    // IO-1, IO-3
    let folder = tempfile::tempdir().unwrap();
    let owner = Owner::open(folder.path(), Policy::Yield).await;
    let hello = Hello {
        tools: Toolset::Clock,
        mac: Some("AA:BB".into()),
        demo: false,
    };
    let mut agent = Agent::greeting(folder.path(), hello);
    agent.initialize().await;
    let tools = agent.ask(1, "tools/list", json!({})).await;
    assert_eq!(tools["result"]["tools"].as_array().unwrap().len(), 2);
    let told = echoed(&agent.call(2, "echo", json!({})).await);
    assert_eq!(
        told,
        json!({ "bytes": 0, "tools": "clock", "mac": "AA:BB" })
    );
    agent.close_input();
    agent.ended().await;
    owner.close().await;
}

#[tokio::test]
async fn a_thousand_requests_at_once_are_all_answered_and_carriage_returns_do_no_harm() {
    let folder = tempfile::tempdir().unwrap();
    let owner = Owner::open(folder.path(), Policy::Yield).await;
    let mut agent = Agent::start(folder.path());
    agent.initialize().await;
    let mut text = String::new();
    for id in 1..=1000 {
        text += &format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"tools/list\"}}\r\n");
    }
    let mut to = agent.to.take().unwrap();
    let writing = tokio::spawn(async move {
        to.write_all(text.as_bytes()).await.unwrap();
        to
    });
    let mut seen = vec![false; 1001];
    for _ in 0..1000 {
        let id = agent.hear().await["id"].as_u64().unwrap();
        assert!(!std::mem::replace(&mut seen[id as usize], true));
    }
    agent.to = Some(writing.await.unwrap());
    agent.close_input();
    agent.ended().await;
    owner.close().await;
}

#[tokio::test]
async fn a_picture_of_ten_megabytes_passes_and_a_larger_message_than_may_be_is_answered() {
    // IO-7, IO-8
    let folder = tempfile::tempdir().unwrap();
    let owner = Owner::open(folder.path(), Policy::Yield).await;
    let mut agent = Agent::start(folder.path());
    agent.initialize().await;
    let ten = 10 * 1024 * 1024;
    let told = echoed(
        &agent
            .call(1, "echo", json!({ "source": "A".repeat(ten) }))
            .await,
    );
    assert_eq!(told["bytes"], ten);
    let answer = agent
        .call(2, "echo", json!({ "source": "A".repeat(2 * ten) }))
        .await;
    assert_eq!(answer["error"]["code"], -32600, "{answer}");
    assert!(answer["error"]["data"]["hint"].is_string());
    assert_eq!(echoed(&agent.call(3, "echo", json!({})).await)["bytes"], 0);
    agent.close_input();
    agent.ended().await;
    owner.close().await;
}

#[tokio::test]
async fn a_call_that_cannot_be_read_is_answered_and_keeps_nobody_at_the_end() {
    // IO-3
    let folder = tempfile::tempdir().unwrap();
    let owner = Owner::open(folder.path(), Policy::Yield).await;
    let mut agent = Agent::start(folder.path());
    agent.initialize().await;
    agent
        .raw(br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"source":"\ud800"}}}"#)
        .await;
    agent.raw(b"\n").await;
    let answer = agent.hear().await;
    assert_eq!(
        (&answer["id"], &answer["error"]["code"]),
        (&json!(1), &json!(-32700))
    );
    assert_eq!(owner.counts.started.load(Ordering::SeqCst), 0);
    let closed = std::time::Instant::now();
    agent.close_input();
    agent.ended().await;
    assert!(
        closed.elapsed() < Duration::from_secs(1),
        "{:?}",
        closed.elapsed()
    );
    owner.close().await;
}

#[tokio::test]
async fn a_closed_pipe_lets_a_call_finish_and_a_last_line_needs_no_end() {
    let folder = tempfile::tempdir().unwrap();
    let owner = Owner::open(folder.path(), Policy::Yield).await;
    let mut agent = Agent::start(folder.path());
    agent.initialize().await;
    agent
        .raw(br#"{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"wait","arguments":{"ms":300}}}"#)
        .await;
    agent.close_input();
    assert_eq!(agent.hear().await["id"], 5);
    agent.ended().await;
    assert_eq!(owner.counts.cancelled.load(Ordering::SeqCst), 0);
    owner.close().await;
}

#[tokio::test]
async fn the_end_of_the_process_cancels_the_call_under_way() {
    let folder = tempfile::tempdir().unwrap();
    let owner = Owner::open(folder.path(), Policy::Yield).await;
    let mut agent = Agent::start(folder.path());
    agent.initialize().await;
    agent.begin_waiting(1, 60_000, &owner.counts).await;
    agent.ending.cancel();
    until(|| owner.counts.cancelled.load(Ordering::SeqCst) == 1).await;
    agent.ended().await;
    owner.close().await;
}

#[tokio::test]
async fn a_client_that_reads_no_more_ends_the_relay() {
    let folder = tempfile::tempdir().unwrap();
    let owner = Owner::open(folder.path(), Policy::Yield).await;
    let mut agent = Agent::start(folder.path());
    agent.initialize().await;
    agent.begin_waiting(1, 60_000, &owner.counts).await;
    let Agent {
        mut to,
        from,
        relay,
        ..
    } = agent;
    drop(from);
    let ping = b"{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"}\n";
    to.as_mut().unwrap().write_all(ping).await.unwrap();
    timeout(LIMIT, relay).await.unwrap().unwrap().unwrap();
    until(|| owner.counts.cancelled.load(Ordering::SeqCst) == 1).await;
    owner.close().await;
}

#[tokio::test]
async fn an_agent_does_not_notice_that_another_process_has_taken_over() {
    let folder = tempfile::tempdir().unwrap();
    let first = Owner::open(folder.path(), Policy::Yield).await;
    let [mut one, mut two] = [Agent::start(folder.path()), Agent::start(folder.path())];
    for agent in [&mut one, &mut two] {
        agent.initialize().await;
        agent.call(1, "echo", json!({})).await;
    }
    // One of them has a call under way that ends in time.
    one.begin_waiting(2, 300, &first.counts).await;
    let place = Place::of(folder.path());
    let asking = tokio::spawn(async move { ask_to_yield(&place, LIMIT).await });
    assert_eq!(one.hear().await["id"], 2);
    let asked = timeout(LIMIT, first.open).await.unwrap().unwrap();
    assert!(asked.is_some() && !asking.is_finished());
    drop(asked);
    asking.await.unwrap().unwrap();
    let second = Owner::open(folder.path(), Policy::Keep).await;
    for agent in [&mut one, &mut two] {
        let answer = agent.call(3, "echo", json!({})).await;
        assert!(answer["result"].is_object(), "{answer}");
    }
    assert_eq!(second.counts.started.load(Ordering::SeqCst), 2);
    one.ending.cancel();
    two.ending.cancel();
    one.ended().await;
    two.ended().await;
    second.close().await;
}

#[tokio::test]
async fn a_call_whose_process_goes_is_answered_and_never_repeated() {
    // SES-4
    let folder = tempfile::tempdir().unwrap();
    let first = Owner::open(folder.path(), Policy::Yield).await;
    let mut agent = Agent::start(folder.path());
    agent.initialize().await;
    agent.begin_waiting(7, 60_000, &first.counts).await;
    first.close().await;
    let second = Owner::open(folder.path(), Policy::Yield).await;
    let answer = agent.hear().await;
    assert_eq!(answer["id"], 7);
    let told = &answer["result"];
    assert_eq!(told["isError"], true, "{answer}");
    agent.ask(8, "tools/list", json!({})).await;
    assert_eq!(second.counts.started.load(Ordering::SeqCst), 0);
    agent.close_input();
    agent.ended().await;
    second.close().await;
}

#[tokio::test]
async fn a_window_keeps_the_folder() {
    let folder = tempfile::tempdir().unwrap();
    let owner = Owner::open(folder.path(), Policy::Keep).await;
    let refused = ask_to_yield(&Place::of(folder.path()), LIMIT).await;
    assert_eq!(refused.unwrap_err().code(), "does-not-yield");
    let mut agent = Agent::start(folder.path());
    agent.initialize().await;
    agent.close_input();
    agent.ended().await;
    owner.close().await;
}

#[tokio::test]
async fn a_server_without_a_window_keeps_the_folder_and_says_which_process_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let owner = Owner::open(folder.path(), Policy::Serve).await;
    let refused = ask_to_yield(&Place::of(folder.path()), LIMIT).await;
    let refused = refused.unwrap_err();
    assert_eq!(refused.code(), "serves-agents");
    let process = format!("(process {})", std::process::id());
    assert!(refused.to_string().contains(&process), "{refused}");
    owner.close().await;
}

#[tokio::test]
async fn an_agent_that_says_nothing_outlasts_any_number_of_stand_ins() {
    /// More than a relay forgives of engines that end without an answer.
    const STAND_INS: u32 = 30;

    struct Late(Attaching, u32);

    impl Backends for Late {
        type Error = LocalError;

        async fn next(&mut self) -> Result<Talk, LocalError> {
            self.1 += 1;
            if self.1 > STAND_INS {
                return self.0.next().await;
            }
            let why = Fault {
                code: "already-running".into(),
                agent_code: "INTERNAL".into(),
                message: "Busy.".into(),
                hint: "Wait.".into(),
                params: Default::default(),
            };
            let short = Duration::from_millis(5);
            Ok(stand_in("0.0.0", Hello::default(), &why, short))
        }
    }

    let folder = tempfile::tempdir().unwrap();
    let owner = Owner::open(folder.path(), Policy::Yield).await;
    let mut agent = Agent::joined(Late(Attaching::of(folder.path(), Hello::default()), 0));
    agent.initialize().await;
    tokio::time::sleep(Duration::from_millis(500)).await;
    assert_eq!(echoed(&agent.call(1, "echo", json!({})).await)["bytes"], 0);
    agent.close_input();
    agent.ended().await;
    owner.close().await;
}

#[tokio::test]
async fn where_nobody_is_that_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let place = Place::of(folder.path());
    let nobody = attach(&place, Hello::default()).await.unwrap_err();
    assert_eq!(nobody.code(), "nobody-running");
    let nobody = ask_to_yield(&place, LIMIT).await.unwrap_err();
    assert_eq!(nobody.code(), "nobody-running");
}

#[cfg(unix)]
mod unix {
    use std::os::unix::fs::PermissionsExt as _;

    use tokio::io::AsyncReadExt as _;
    use tokio::net::UnixStream;

    use super::*;

    #[tokio::test]
    async fn the_socket_is_its_owners_alone_and_goes_with_its_process() {
        let folder = tempfile::tempdir().unwrap();
        let owner = Owner::open(folder.path(), Policy::Yield).await;
        let path = folder.path().join("regie.sock");
        let mode = path.metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        owner.close().await;
        assert!(!path.exists());
    }

    #[tokio::test]
    async fn a_socket_that_somebody_removed_is_made_anew_and_those_within_notice_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let owner = Owner::open(folder.path(), Policy::Yield).await;
        let path = folder.path().join("regie.sock");
        let mut within = Agent::start(folder.path());
        within.initialize().await;
        std::fs::remove_file(&path).unwrap();
        // Nothing is on its way through the system now.
        tokio::time::pause();
        until(|| path.exists()).await;
        tokio::time::resume();
        let mode = path.metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        let mut late = Agent::start(folder.path());
        late.initialize().await;
        for mut agent in [within, late] {
            agent.ask(1, "tools/list", json!({})).await;
            agent.close_input();
            agent.ended().await;
        }
        owner.close().await;
        assert!(!path.exists());
    }

    #[tokio::test]
    async fn what_a_crash_left_is_replaced_and_a_living_socket_is_not() {
        let folder = tempfile::tempdir().unwrap();
        drop(std::os::unix::net::UnixListener::bind(folder.path().join("regie.sock")).unwrap());
        let owner = Owner::open(folder.path(), Policy::Yield).await;
        let taken = owner.server.open(&Place::of(folder.path())).await.err();
        assert_eq!(taken.unwrap().code(), "local-door-taken");
        owner.close().await;
    }

    #[tokio::test]
    async fn a_folder_with_a_long_name_of_any_letters_has_a_socket() {
        let folder = tempfile::tempdir().unwrap();
        let short = folder.path().join("données de l'horloge 时钟");
        let long = folder.path().join("données de l'horloge ".repeat(7));
        for path in [short, long] {
            std::fs::create_dir(&path).unwrap();
            let owner = Owner::open(&path, Policy::Yield).await;
            let mut agent = Agent::start(&path);
            agent.initialize().await;
            agent.close_input();
            agent.ended().await;
            owner.close().await;
        }
    }

    #[tokio::test]
    async fn whoever_says_no_greeting_is_sent_away_and_harms_nobody() {
        let folder = tempfile::tempdir().unwrap();
        let owner = Owner::open(folder.path(), Policy::Yield).await;
        let path = folder.path().join("regie.sock");
        for nonsense in [
            &b"GET / HTTP/1.1\r\n"[..],
            b"\xff\xfe\n",
            &[b'x'; 100_000],
            b"{\"regie\":9,\"wish\":\"mcp\"}\n",
        ] {
            let mut stream = UnixStream::connect(&path).await.unwrap();
            // It may have closed before all of it was said.
            let _written = stream.write_all(nonsense).await;
            let _shut = stream.shutdown().await;
            let mut answer = Vec::new();
            let _read = timeout(LIMIT, stream.read_to_end(&mut answer))
                .await
                .unwrap();
            if !answer.is_empty() {
                let answer: Value = serde_json::from_slice(&answer).unwrap();
                assert_eq!(answer["ok"], false, "{answer}");
                assert!(answer["error"]["hint"].is_string());
            }
        }
        let mut agent = Agent::start(folder.path());
        agent.initialize().await;
        agent.close_input();
        agent.ended().await;
        owner.close().await;
    }

    #[tokio::test]
    async fn more_agents_than_there_may_be_are_told_so() {
        let folder = tempfile::tempdir().unwrap();
        let owner = Owner::open(folder.path(), Policy::Yield).await;
        let place = Place::of(folder.path());
        let mut agents = Vec::new();
        for _ in 0..32 {
            agents.push(attach(&place, Hello::default()).await.unwrap());
        }
        let refused = attach(&place, Hello::default()).await.unwrap_err();
        assert_eq!(refused.code(), "agents-too-many");
        agents.pop();
        let deadline = tokio::time::Instant::now() + LIMIT;
        while attach(&place, Hello::default()).await.is_err() {
            assert!(tokio::time::Instant::now() < deadline);
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        drop(agents);
        owner.close().await;
    }
}
