//! How fast calls are answered over HTTP on loopback, and what they leave in memory.
//!
//! `cargo bench -p regie-mcp --bench calls`; with `taskset -c 0` before it, on one core.

#![allow(missing_docs, clippy::unwrap_used, clippy::print_stdout)]

#[path = "../tests/desk/mod.rs"]
mod desk;
#[path = "../tests/http/trivial.rs"]
#[allow(dead_code)]
mod trivial;

use std::sync::Arc;
use std::time::{Duration, Instant};

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use regie_engine::{Caller, Door, Reach};
use regie_mcp::{
    AgentService, BODY_LIMIT, Connection, Gatekeeper, HttpDoor, Listeners, Listening, Protocol,
    Transport, run,
};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ServerCapabilities,
    ServerConfig,
};
use rmcp::service::RequestContext;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use self::desk::Desk;
use self::trivial::{Keys, TOKEN};

/// How long each measurement lasts.
const MEASURE: Duration = Duration::from_secs(3);

/// Calls of each caller before.
const WARM_UP: usize = 200;

/// Connections that send the largest bodies.
const LARGE: usize = 64;

/// The trivial tool of the bare library.
#[derive(Clone)]
struct Bare;

impl ServerHandler for Bare {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }

    async fn call_tool(
        &self,
        _: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        Ok(CallToolResponse::Complete(CallToolResult::success(vec![
            ContentBlock::text("null"),
        ])))
    }
}

async fn serve_bare() -> u16 {
    let socket = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = socket.local_addr().unwrap().port();
    let service = StreamableHttpService::new(
        || Ok(Bare),
        Arc::new(NeverSessionManager::default()),
        StreamableHttpServerConfig::default()
            .with_legacy_session_mode(false)
            .with_json_response(true),
    );
    tokio::spawn(async move {
        loop {
            let (stream, _) = socket.accept().await.unwrap();
            stream.set_nodelay(true).unwrap();
            let service = service.clone();
            tokio::spawn(http1::Builder::new().serve_connection(
                TokioIo::new(stream),
                service_fn(move |request| {
                    let service = service.clone();
                    async move { Ok::<_, std::convert::Infallible>(service.handle(request).await) }
                }),
            ));
        }
    });
    port
}

async fn serve_ours(gatekeeper: Arc<dyn Gatekeeper>, protocol: Protocol) -> u16 {
    let door = Arc::new(HttpDoor::new(gatekeeper, protocol));
    let listeners = Listeners::bind(Listening::new(0, Reach::ThisComputer), &Keys)
        .await
        .unwrap();
    let port = listeners.port();
    tokio::spawn(run(listeners, door, CancellationToken::new()));
    port
}

/// A server to call, and how.
#[derive(Clone)]
struct Called {
    what: &'static str,
    port: u16,
    token: String,
    tool: &'static str,
}

impl Called {
    fn request(&self, body: &str) -> Vec<u8> {
        format!(
            "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nAuthorization: Bearer {}\r\n\
             Accept: application/json, text/event-stream\r\nContent-Type: application/json\r\n\
             Content-Length: {}\r\n\r\n{body}",
            self.port,
            self.token,
            body.len()
        )
        .into_bytes()
    }

    fn call(&self, arguments: &str) -> Vec<u8> {
        let tool = self.tool;
        self.request(&format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"{tool}","arguments":{arguments}}}}}"#
        ))
    }

    async fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(("127.0.0.1", self.port)).await.unwrap();
        stream.set_nodelay(true).unwrap();
        stream
    }
}

/// One exchange on a kept connection.
async fn exchange(stream: &mut TcpStream, request: &[u8], buffer: &mut Vec<u8>) {
    stream.write_all(request).await.unwrap();
    buffer.clear();
    loop {
        assert!(stream.read_buf(buffer).await.unwrap() > 0, "hung up");
        let Some(end) = buffer.windows(4).position(|window| window == b"\r\n\r\n") else {
            continue;
        };
        let head = std::str::from_utf8(&buffer[..end])
            .unwrap()
            .to_ascii_lowercase();
        assert!(
            head.starts_with("http/1.1 200"),
            "{}",
            String::from_utf8_lossy(buffer)
        );
        let length: usize = head
            .lines()
            .find_map(|line| line.strip_prefix("content-length: "))
            .unwrap()
            .parse()
            .unwrap();
        if buffer.len() >= end + 4 + length {
            return;
        }
    }
}

/// Calls a second.
async fn measure(called: &Called, callers: usize) -> f64 {
    let tasks: Vec<_> = (0..callers)
        .map(|_| {
            let called = called.clone();
            tokio::spawn(async move {
                let request = called.call("{}");
                let mut stream = called.connect().await;
                let mut buffer = Vec::with_capacity(8_192);
                for _ in 0..WARM_UP {
                    exchange(&mut stream, &request, &mut buffer).await;
                }
                let mut taken = Vec::new();
                let began = Instant::now();
                while began.elapsed() < MEASURE {
                    let called = Instant::now();
                    exchange(&mut stream, &request, &mut buffer).await;
                    taken.push(called.elapsed());
                }
                taken
            })
        })
        .collect();
    let mut taken = Vec::new();
    for task in tasks {
        taken.extend(task.await.unwrap());
    }
    taken.sort_unstable();
    let at = |share: usize| taken[taken.len() * share / 100].as_secs_f64() * 1e3;
    let rate = taken.len() as f64 / MEASURE.as_secs_f64();
    print!(
        "{:34} {callers:2} callers: p50 {:.3} ms, p99 {:.3} ms, {rate:.0} calls/s",
        called.what,
        at(50),
        at(99)
    );
    rate
}

/// How often those who watch were told something, while agents called.
struct Shown {
    began: Instant,
    told: JoinHandle<(u32, usize)>,
    over: CancellationToken,
}

impl Shown {
    /// Counts what a window would be sent, and how large it is.
    fn count(desk: &Desk) -> Self {
        let (mut agents, mut state) = (desk.host.agents(), desk.engine.state());
        let over = CancellationToken::new();
        let ends = over.clone();
        let told = tokio::spawn(async move {
            let (mut events, mut bytes) = (0, 0);
            loop {
                let text = tokio::select! {
                    () = ends.cancelled() => return (events, bytes),
                    _ = agents.changed() => serde_json::to_string(&*agents.borrow_and_update()),
                    _ = state.changed() => serde_json::to_string(&*state.borrow_and_update()),
                };
                events += 1;
                bytes += text.unwrap().len();
            }
        });
        Self {
            began: Instant::now(),
            told,
            over,
        }
    }

    async fn print(self) {
        self.over.cancel();
        let (events, bytes) = self.told.await.unwrap();
        let seconds = self.began.elapsed().as_secs_f64();
        println!(
            "what a window is told of an agent that polls: {:.1} events/s, {:.0} kB/s",
            f64::from(events) / seconds,
            bytes as f64 / 1e3 / seconds
        );
    }
}

/// Resident memory in kB.
fn resident() -> u64 {
    status("VmRSS:")
}

fn status(name: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    status
        .lines()
        .find_map(|line| line.strip_prefix(name))
        .and_then(|value| value.trim().split(' ').next()?.parse().ok())
        .unwrap_or(0)
}

/// The most memory that was ever resident, in kB.
fn resident_at_most() -> u64 {
    status("VmHWM:")
}

async fn repeat(called: &Called, request: &[u8], count: usize) {
    let mut stream = called.connect().await;
    let mut buffer = Vec::with_capacity(8_192);
    for _ in 0..count {
        exchange(&mut stream, request, &mut buffer).await;
    }
}

async fn memory(called: &Called) {
    let request = called.call("{}");
    repeat(called, &request, 10_000).await;
    let before = resident();
    repeat(called, &request, 100_000).await;
    let after = resident();
    println!(
        "memory, {:26} {before} kB, after 100,000 calls {after} kB",
        called.what
    );
}

async fn abandoned(called: &Called) {
    let initialize = called.request(
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}"#,
    );
    let before = resident();
    for _ in 0..3_000 {
        repeat(called, &initialize, 1).await;
    }
    let after = resident();
    println!("memory, {before} kB, after 3,000 abandoned sessions {after} kB");
}

/// The largest bodies there can be, from many connections at once.
async fn large(called: &Called) {
    let picture = "A".repeat(BODY_LIMIT - 1_024);
    let request: Arc<[u8]> = called.call(&format!(r#"{{"picture":"{picture}"}}"#)).into();
    drop(picture);
    let before = resident();
    let tasks: Vec<_> = (0..LARGE)
        .map(|_| {
            let (called, request) = (called.clone(), request.clone());
            tokio::spawn(async move { repeat(&called, &request, 1).await })
        })
        .collect();
    for task in tasks {
        task.await.unwrap();
    }
    println!(
        "memory, {before} kB, with {LARGE} bodies of {} MiB at once {} kB at most",
        BODY_LIMIT / (1024 * 1024),
        resident_at_most()
    );
}

fn main() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let bare = Called {
            what: "bare library, trivial tool",
            port: serve_bare().await,
            token: TOKEN.into(),
            tool: "who",
        };
        let trivial = Protocol::new(|toolset| trivial::Trivial {
            toolset,
            waits: Arc::default(),
        });
        let ours = Called {
            what: "whole stack, trivial tool",
            port: serve_ours(Arc::new(Keys), trivial).await,
            ..bare.clone()
        };
        let desk = Desk::new().await;
        let made = desk.engine.make_token("Bench").await.unwrap();
        let host = desk.host.clone();
        let tools = Protocol::new(move |toolset| {
            let caller = Caller::from(Door::Agent);
            let mut connection = Connection::new(caller, Transport::Http, Reach::ThisComputer);
            connection.toolset = toolset;
            AgentService::new(host.clone(), connection)
        });
        let clock = Called {
            what: "whole stack, status of the clock",
            port: serve_ours(Arc::new(desk.engine.clone()), tools).await,
            token: made.secret.expose().into(),
            tool: "device_status",
        };
        for callers in [1, 20] {
            let library = measure(&bare, callers).await;
            println!();
            for called in [&ours, &clock] {
                let rate = measure(called, callers).await;
                println!(", {:.2} of the bare library", rate / library);
            }
        }
        let shown = Shown::count(&desk);
        repeat(&clock, &clock.call("{}"), 30_000).await;
        shown.print().await;
        memory(&ours).await;
        memory(&clock).await;
        abandoned(&ours).await;
        large(&ours).await;
        desk.engine.stop().await;
    });
}
