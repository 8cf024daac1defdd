//! Accepting connections, until it is told to stop.

use std::convert::Infallible;
use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tower_service::Service;

use super::body::SMALL;
use super::guard::Ends;
use super::listen::Listeners;
use super::routes::{HttpDoor, Site, router};

/// Connections at once: an agent keeps one or two.
const CONNECTIONS: usize = 256;

/// How long a connection may be silent before its next request, and take to send its headers.
const HEADERS_WITHIN: Duration = Duration::from_secs(60);

/// The largest request head, in bytes.
const HEAD_LIMIT: usize = 32 * 1024;

/// Headers of a request.
const HEADER_COUNT: usize = 64;

/// Calls may take this long to end when the server is switched off.
const DRAIN: Duration = Duration::from_millis(750);

/// After which those that are left are told, and their connections are cut this much later: all
/// is over within a second.
const FAREWELL: Duration = Duration::from_millis(100);

/// The system is short of something, most often of file descriptors: trying at once is no use.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// Serves until `shutdown`, then lets calls in flight end; returns within a second of it, with
/// no connection left.
pub async fn run(listeners: Listeners, door: Arc<HttpDoor>, shutdown: CancellationToken) {
    let ended = CancellationToken::new();
    let house = House {
        router: router(Arc::new(Site {
            door,
            names: listeners.names,
            ended: ended.clone(),
        })),
        places: Arc::new(Semaphore::new(CONNECTIONS)),
        connections: TaskTracker::new(),
        shutdown,
        cut: CancellationToken::new(),
    };
    // What this future started ends with it, also where it is dropped.
    let _cut = house.cut.clone().drop_guard();
    let accepting = TaskTracker::new();
    for socket in listeners.sockets {
        accepting.spawn(house.clone().accept(socket));
    }
    accepting.close();
    accepting.wait().await;

    house.connections.close();
    if timeout(DRAIN, house.connections.wait()).await.is_err() {
        ended.cancel();
        let _ = timeout(FAREWELL, house.connections.wait()).await;
    }
    // Calls whose caller has gone already.
    ended.cancel();
    house.cut.cancel();
    house.connections.wait().await;
}

/// One run of the server.
#[derive(Clone)]
struct House {
    router: Router,
    places: Arc<Semaphore>,
    connections: TaskTracker,
    /// No more connections.
    shutdown: CancellationToken,
    /// Those that are left are cut.
    cut: CancellationToken,
}

impl House {
    async fn accept(self, socket: TcpListener) {
        loop {
            let place = tokio::select! {
                biased;
                () = self.shutdown.cancelled() => return,
                () = self.cut.cancelled() => return,
                place = self.places.clone().acquire_owned() => place,
            };
            let accepted = tokio::select! {
                biased;
                () = self.shutdown.cancelled() => return,
                () = self.cut.cancelled() => return,
                accepted = socket.accept() => accepted,
            };
            let (Ok(place), Ok((stream, peer))) = (place, accepted) else {
                sleep(ACCEPT_PAUSE).await;
                continue;
            };
            let house = self.clone();
            self.connections.spawn(async move {
                let _place = place;
                let Ok(local) = stream.local_addr() else {
                    return;
                };
                if let Err(error) = house.converse(stream, Ends { peer, local }).await {
                    tracing::debug!(%error, "a connection ended early");
                }
            });
        }
    }

    async fn converse(self, stream: TcpStream, ends: Ends) -> Result<(), ConnectionError> {
        // Answers are written whole: waiting for more to send only makes them late.
        stream.set_nodelay(true)?;
        let router = self.router;
        let service = service_fn(move |mut request: http::Request<Incoming>| {
            request.extensions_mut().insert(ends);
            let mut router = router.clone();
            async move {
                let response = router.call(request.map(Body::new)).await;
                Ok::<_, Infallible>(response.unwrap_or_else(|never| match never {}))
            }
        });
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(HEADERS_WITHIN)
            .max_header_size(HEAD_LIMIT)
            .max_headers(HEADER_COUNT)
            // What a connection reads ahead; the rest waits with its sender.
            .max_buf_size(SMALL)
            .serve_connection(TokioIo::new(stream), service);
        let mut connection = pin!(connection);
        tokio::select! {
            ended = connection.as_mut() => return Ok(ended?),
            () = self.cut.cancelled() => return Ok(()),
            () = self.shutdown.cancelled() => {}
        }
        connection.as_mut().graceful_shutdown();
        tokio::select! {
            ended = connection => Ok(ended?),
            () = self.cut.cancelled() => Ok(()),
        }
    }
}

#[derive(Debug, thiserror::Error)]
enum ConnectionError {
    #[error(transparent)]
    Io(#[from] io::Error),
    #[error(transparent)]
    Http(#[from] hyper::Error),
}
