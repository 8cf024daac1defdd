//! The web server of a simulated device: one request at a time, few connections, and faults.

use std::collections::VecDeque;
use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, sleep, sleep_until, timeout};

use super::board::{Board, Record};
use super::fault::{DeviceFault, Orders};
use super::http::{Body, HttpRequest, Reply};
use super::program::Program;

/// Connections that may wait for their turn; a further one is reset, as by a board that has no
/// socket left.
const MAX_WAITING: usize = 4;
/// How long a client may take to send its request (the same on the real boards).
const READ_LIMIT: Duration = Duration::from_secs(5);
/// How long a client may take to take its answer.
const WRITE_LIMIT: Duration = Duration::from_secs(30);
/// Bytes of the answer that is far too long.
const HUGE: usize = 100_000_000;
/// Pieces of a body that comes slowly.
const PIECES: usize = 10;
/// How long the server waits before it tries again to listen where it could not.
const LISTEN_AGAIN: Duration = Duration::from_millis(50);

/// A request that came, and what became of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogEntry {
    /// Counts the requests of a device, from 1.
    pub number: u64,
    /// When it had come.
    pub at: Instant,
    /// Its method.
    pub method: String,
    /// Its path.
    pub path: String,
    /// Its query; empty where it has none.
    pub query: String,
    /// Its body.
    pub body: String,
    /// Who sent it.
    pub client: SocketAddr,
    /// The status it was answered with; `None` where it was not answered.
    pub status: Option<u16>,
}

/// A device's inside, which its server and its handle share.
pub(crate) struct Inside {
    pub(crate) program: Box<dyn Program>,
    pub(crate) board: Board,
    pub(crate) orders: Orders,
    pub(crate) log: Record<LogEntry>,
    pub(crate) requests: u64,
    pub(crate) most_connections: usize,
}

impl Inside {
    fn restart(&mut self) {
        let now = Instant::now();
        self.board.restart(now);
        self.program.restart(&mut self.board, now);
    }
}

/// [`Inside`], shared.
#[derive(Clone)]
pub(crate) struct Shared(Arc<Mutex<Inside>>);

impl Shared {
    pub(crate) fn new(inside: Inside) -> Self {
        Self(Arc::new(Mutex::new(inside)))
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, Inside> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What a handle asks of its server.
pub(crate) enum Command {
    /// No connection is taken for this time.
    Close(Duration),
    /// As after switching it off and, after this time, on again.
    Restart(Duration),
    /// Nothing is answered for this time.
    Silence(Duration),
    /// It listens elsewhere.
    Move(SocketAddr, oneshot::Sender<io::Result<SocketAddr>>),
}

/// What comes after a request.
enum After {
    Next,
    Restart(Duration),
}

type Serving = Pin<Box<dyn Future<Output = After> + Send>>;

/// The server.
pub(crate) struct Server {
    pub(crate) shared: Shared,
    pub(crate) commands: mpsc::Receiver<Command>,
    pub(crate) address: SocketAddr,
    /// From the request to the answer, at least.
    pub(crate) latency: Duration,
}

impl Server {
    /// Serves until the handle is gone.
    pub(crate) async fn run(mut self, listener: TcpListener) {
        let mut listener = Some(listener);
        let mut waiting: VecDeque<(TcpStream, SocketAddr)> = VecDeque::new();
        let mut serving: Option<Serving> = None;
        // Until when it does not listen, or does not answer.
        let mut closed_until: Option<Instant> = None;
        let mut silent_until: Option<Instant> = None;
        loop {
            if serving.is_none()
                && silent_until.is_none()
                && let Some((stream, client)) = waiting.pop_front()
            {
                serving = Some(Box::pin(serve(
                    self.shared.clone(),
                    stream,
                    client,
                    self.latency,
                )));
            }
            tokio::select! {
                command = self.commands.recv() => match command {
                    None => return,
                    Some(Command::Close(down)) => {
                        listener = None;
                        waiting.clear();
                        closed_until = Some(Instant::now() + down);
                    }
                    Some(Command::Restart(down)) => {
                        (listener, serving) = (None, None);
                        waiting.clear();
                        self.shared.lock().restart();
                        closed_until = Some(Instant::now() + down);
                    }
                    Some(Command::Silence(time)) => {
                        serving = None;
                        silent_until = Some(Instant::now() + time);
                    }
                    Some(Command::Move(address, told)) => {
                        let bound = TcpListener::bind(address).await;
                        let bound = bound.and_then(|new| Ok((new.local_addr()?, new)));
                        // Nobody waiting for the answer is no reason to stay.
                        let _ = told.send(bound.map(|(address, new)| {
                            self.address = address;
                            self.shared.lock().board.ip = address.ip();
                            (listener, closed_until) = (Some(new), None);
                            waiting.clear();
                            address
                        }));
                    }
                },
                accepted = accept(listener.as_ref().filter(|_| silent_until.is_none())) => {
                    let Ok((stream, client)) = accepted else {
                        // Out of sockets, say: listens anew a moment later.
                        listener = None;
                        closed_until = Some(Instant::now() + LISTEN_AGAIN);
                        continue;
                    };
                    if waiting.len() >= MAX_WAITING || self.shared.lock().orders.refuses() {
                        reset(&stream);
                        continue;
                    }
                    waiting.push_back((stream, client));
                    let open = waiting.len() + usize::from(serving.is_some());
                    let mut inside = self.shared.lock();
                    inside.most_connections = inside.most_connections.max(open);
                }
                after = turn(serving.as_mut()) => {
                    serving = None;
                    if let After::Restart(down) = after {
                        listener = None;
                        waiting.clear();
                        self.shared.lock().restart();
                        closed_until = Some(Instant::now() + down);
                    }
                }
                () = until(closed_until) => match TcpListener::bind(self.address).await {
                    Ok(new) => (listener, closed_until) = (Some(new), None),
                    Err(_) => closed_until = Some(Instant::now() + LISTEN_AGAIN),
                },
                () = until(silent_until) => {
                    // What was sent in the meantime never arrived.
                    (silent_until, listener) = (None, None);
                    waiting.clear();
                    closed_until = Some(Instant::now());
                }
            }
        }
    }
}

async fn accept(listener: Option<&TcpListener>) -> io::Result<(TcpStream, SocketAddr)> {
    match listener {
        Some(listener) => listener.accept().await,
        None => std::future::pending().await,
    }
}

async fn turn(serving: Option<&mut Serving>) -> After {
    match serving {
        Some(serving) => serving.await,
        None => std::future::pending().await,
    }
}

async fn until(moment: Option<Instant>) {
    match moment {
        Some(moment) => sleep_until(moment).await,
        None => std::future::pending().await,
    }
}

/// Makes the connection end with a reset when it is dropped.
fn reset(stream: &TcpStream) {
    // A connection that is already gone needs none.
    let _ = stream.set_zero_linger();
}

/// Answers the request of a connection, with the fault that is ordered for it.
async fn serve(
    shared: Shared,
    mut stream: TcpStream,
    client: SocketAddr,
    latency: Duration,
) -> After {
    let read = timeout(READ_LIMIT, HttpRequest::read(&mut stream, client)).await;
    let Ok(Ok(Some(request))) = read else {
        return After::Next;
    };
    let (number, fault) = {
        let mut inside = shared.lock();
        inside.requests += 1;
        let number = inside.requests;
        inside.log.push(LogEntry {
            number,
            at: Instant::now(),
            method: request.method.clone(),
            path: request.path.clone(),
            query: request.query.clone(),
            body: String::from_utf8_lossy(&request.body).into_owned(),
            client,
            status: None,
        });
        (number, inside.orders.next(&request.path))
    };
    if !latency.is_zero() {
        sleep(latency).await;
    }
    let act = || {
        let mut inside = shared.lock();
        let Inside { program, board, .. } = &mut *inside;
        let now = Instant::now();
        board.settle(now);
        program.answer(board, &request, now)
    };
    let plain = |reply: Reply| (reply, Manner::Whole);
    let (mut reply, manner) = match fault {
        None => plain(act()),
        // Connections are refused before there is a request.
        Some(DeviceFault::Refuse | DeviceFault::Reset) => {
            reset(&stream);
            return After::Next;
        }
        Some(DeviceFault::Slow(time)) => {
            let reply = act();
            sleep(time).await;
            plain(reply)
        }
        Some(DeviceFault::SlowBody(time)) => (act(), Manner::Slowly(time)),
        Some(DeviceFault::CutBody(bytes)) => (act(), Manner::Cut(bytes)),
        Some(DeviceFault::HugeBody) => {
            act();
            let first = Reply::bytes(200, "application/json", b"{\"padding\":\"".to_vec());
            (first, Manner::Huge)
        }
        Some(DeviceFault::WrongType) => plain(Reply::bytes(
            200,
            "text/html",
            b"<!DOCTYPE html><html><body><h1>Welcome</h1></body></html>".to_vec(),
        )),
        Some(DeviceFault::Status {
            status,
            body,
            retry_after,
        }) => {
            let reply = Reply::bytes(status, "application/json", body.into_bytes());
            plain(match retry_after {
                Some(seconds) => reply.with("Retry-After", seconds.to_string()),
                None => reply,
            })
        }
        Some(DeviceFault::InvalidUtf8) => plain(spoiled(act())),
        Some(DeviceFault::Reboot { applied, down }) => {
            if applied {
                act();
            }
            reset(&stream);
            return After::Restart(down);
        }
        Some(DeviceFault::AppliedButSilent) => {
            act();
            // Until the client has had enough.
            let _ = timeout(WRITE_LIMIT, stream.read(&mut [0; 16])).await;
            return After::Next;
        }
        Some(DeviceFault::StaleFrame) => {
            let mut reply = act();
            if let Body::Picture(shot) = &mut reply.body {
                shot.number = shot.number.saturating_sub(1);
            }
            plain(reply)
        }
    };
    let body = match std::mem::replace(&mut reply.body, Body::Bytes(Vec::new())) {
        Body::Bytes(bytes) => bytes,
        Body::Picture(shot) => match tokio::task::spawn_blocking(move || shot.jpeg()).await {
            Ok(Ok(jpeg)) => jpeg,
            Ok(Err(_)) | Err(_) => {
                reply = Reply::error(500, "camera_snapshot_failed");
                b"{\"ok\":false,\"error\":\"camera_snapshot_failed\"}".to_vec()
            }
        },
    };
    {
        let mut inside = shared.lock();
        if let Some(entry) = inside.log.find_last(|entry| entry.number == number) {
            entry.status = Some(reply.status);
        }
    }
    // A client that is gone has no use for the rest.
    let _ = timeout(WRITE_LIMIT, send(&mut stream, &reply, &body, manner)).await;
    After::Next
}

/// How an answer is sent.
enum Manner {
    Whole,
    Slowly(Duration),
    Cut(usize),
    Huge,
}

async fn send(
    stream: &mut TcpStream,
    reply: &Reply,
    body: &[u8],
    manner: Manner,
) -> io::Result<()> {
    let length = if matches!(manner, Manner::Huge) {
        HUGE
    } else {
        body.len()
    };
    let mut bytes = reply.head(length).into_bytes();
    match manner {
        Manner::Whole => {
            bytes.extend_from_slice(body);
            stream.write_all(&bytes).await?;
        }
        Manner::Cut(at) => {
            bytes.extend_from_slice(body.get(..at).unwrap_or(body));
            stream.write_all(&bytes).await?;
        }
        Manner::Slowly(time) => {
            stream.write_all(&bytes).await?;
            for piece in body.chunks(body.len().div_ceil(PIECES).max(1)) {
                sleep(time / u32::try_from(PIECES).unwrap_or(1)).await;
                stream.write_all(piece).await?;
            }
        }
        Manner::Huge => {
            bytes.extend_from_slice(body);
            stream.write_all(&bytes).await?;
            let padding = [b'x'; 64 * 1024];
            let mut left = HUGE - body.len();
            while left > 0 {
                let piece = padding.get(..left).unwrap_or(&padding);
                stream.write_all(piece).await?;
                left -= piece.len();
            }
        }
    }
    stream.shutdown().await
}

/// The same answer with bytes that are no UTF-8 in its first text.
fn spoiled(mut reply: Reply) -> Reply {
    if let Body::Bytes(bytes) = &mut reply.body
        && let Some(at) = bytes.windows(2).position(|two| two == b":\"")
    {
        bytes.splice(at + 2..at + 2, [0xFF, 0xC3, 0x28, 0x80]);
    }
    reply
}
