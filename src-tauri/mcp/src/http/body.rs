//! The body of a request, within its limits of size, time and the memory that all take together.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use bytes::{Bytes, BytesMut};
use http::HeaderMap;
use http::header::{CONTENT_LENGTH, EXPECT};
use http_body_util::BodyExt;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use super::reply::Refusal;

/// The largest body, in bytes: a photo of 12 MB in base64.
pub const BODY_LIMIT: usize = 16 * 1024 * 1024;

/// A body of [`BODY_LIMIT`] takes this long on a link of 2 Mbit/s.
const ARRIVAL: Duration = Duration::from_secs(60);

/// What is read of a refused body, so that a caller that sends before it listens hears why.
const DISCARD_LIMIT: usize = 4 * BODY_LIMIT;

/// For how long.
const DISCARD_TIME: Duration = Duration::from_secs(5);

/// Bodies up to this size, in bytes, are read whatever else is: as many as there can be
/// connections make 16 MiB.
pub(super) const SMALL: usize = 64 * 1024;

/// What larger bodies take of memory at once, in bytes: eight of the largest, or forty photos.
const MEMORY: usize = 8 * BODY_LIMIT;

/// A body waits this long for others to make room: as long as one of them may take to arrive.
const ROOM_WITHIN: Duration = ARRIVAL;

/// What a caller for whom there was no room is told to wait, in seconds: most calls are over by
/// then.
const RETRY_IN: u64 = 15;

/// The memory for bodies; clones share it.
#[derive(Clone, Debug)]
pub(super) struct Memory(Arc<Semaphore>);

/// The room that a large body takes, until the last clone of it is gone.
#[derive(Clone, Debug)]
pub(super) struct Room {
    _taken: Arc<OwnedSemaphorePermit>,
}

/// A body that is there.
#[derive(Debug)]
pub(super) struct Whole {
    pub(super) bytes: Bytes,
    /// What it takes of memory, where that counts.
    pub(super) room: Option<Room>,
}

impl Memory {
    pub(super) fn new() -> Self {
        Self(Arc::new(Semaphore::new(MEMORY)))
    }

    /// The whole body, once there is room for it.
    pub(super) async fn read(
        &self,
        headers: &HeaderMap,
        body: &mut Body,
    ) -> Result<Whole, Refusal> {
        let announced = announced(headers);
        if announced > Some(BODY_LIMIT) {
            return Err(Refusal::TooLarge);
        }
        let mut arriving = Arriving::default();
        let mut room = None;
        if !arriving.reach(body, SMALL).await? {
            // Asked for once and whole: bodies that each had a part of it could wait for each
            // other. An announcement alone takes nothing.
            let size = announced.unwrap_or(BODY_LIMIT);
            room = Some(self.room(size).await?);
            arriving.expect(size);
            if !arriving.reach(body, BODY_LIMIT).await? {
                return Err(Refusal::TooLarge);
            }
        }
        Ok(Whole {
            bytes: arriving.whole(),
            room,
        })
    }

    async fn room(&self, size: usize) -> Result<Room, Refusal> {
        let full = Refusal::NoRoom {
            retry_after: RETRY_IN,
        };
        let Ok(size) = u32::try_from(size) else {
            return Err(Refusal::TooLarge);
        };
        match timeout(ROOM_WITHIN, self.0.clone().acquire_many_owned(size)).await {
            Ok(Ok(taken)) => Ok(Room {
                _taken: Arc::new(taken),
            }),
            Ok(Err(_)) | Err(_) => Err(full),
        }
    }
}

/// A body of which some is there.
#[derive(Debug, Default)]
struct Arriving {
    /// The first part, as long as there is no other: small bodies are not copied.
    first: Option<Bytes>,
    /// All parts, once there are several.
    joined: BytesMut,
    length: usize,
}

impl Arriving {
    /// Reads on until the body has ended, or is larger than `limit` and has not; tells which.
    async fn reach(&mut self, body: &mut Body, limit: usize) -> Result<bool, Refusal> {
        let arrive = async {
            while self.length <= limit {
                let Some(frame) = body.frame().await else {
                    return Ok(true);
                };
                if let Ok(data) = frame.map_err(|_| Refusal::Broken)?.into_data() {
                    self.take(data);
                }
            }
            Ok(false)
        };
        timeout(ARRIVAL, arrive)
            .await
            .unwrap_or(Err(Refusal::TooSlow))
    }

    fn take(&mut self, data: Bytes) {
        self.length += data.len();
        if self.length == data.len() {
            self.first = Some(data);
            return;
        }
        if let Some(first) = self.first.take() {
            self.joined.extend_from_slice(&first);
        }
        self.joined.extend_from_slice(&data);
    }

    /// Sets memory aside for a body of that size.
    fn expect(&mut self, size: usize) {
        self.joined.reserve(size.saturating_sub(self.joined.len()));
    }

    fn whole(self) -> Bytes {
        self.first.unwrap_or_else(|| self.joined.freeze())
    }
}

/// Reads what a refused request still sends, within bounds.
pub(super) async fn discard(headers: &HeaderMap, mut body: Body) {
    // Who asks before sending has sent nothing.
    if headers.contains_key(EXPECT) {
        return;
    }
    let mut length = 0;
    let drain = async {
        while let Some(Ok(frame)) = body.frame().await {
            length += frame.data_ref().map_or(0, Bytes::len);
            if length > DISCARD_LIMIT {
                break;
            }
        }
    };
    let _ = timeout(DISCARD_TIME, drain).await;
}

fn announced(headers: &HeaderMap) -> Option<usize> {
    headers.get(CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use http::StatusCode;
    use http::header::RETRY_AFTER;
    use http_body_util::Full;

    use super::*;

    async fn read(memory: &Memory, size: usize, announce: bool) -> Result<Whole, Refusal> {
        let mut headers = HeaderMap::new();
        if announce {
            headers.insert(CONTENT_LENGTH, size.into());
        }
        let mut body = Body::new(Full::new(Bytes::from(vec![b' '; size])));
        memory.read(&headers, &mut body).await
    }

    #[tokio::test(start_paused = true)]
    async fn large_bodies_wait_for_room_and_small_ones_do_not() {
        for announce in [true, false] {
            let memory = Memory::new();
            let mut held = Vec::new();
            for _ in 0..MEMORY / BODY_LIMIT {
                held.push(
                    read(&memory, BODY_LIMIT, announce)
                        .await
                        .map(|whole| whole.room),
                );
            }
            assert!(held.iter().all(|room| matches!(room, Ok(Some(_)))));
            let small = read(&memory, SMALL, announce).await;
            assert!(matches!(small, Ok(Whole { room: None, .. })), "{small:?}");

            let refusal = read(&memory, SMALL + 1, announce).await.map(|_| ());
            let answer = refusal.map_err(|refusal| refusal.response(None));
            let answer = answer.err().unwrap_or_default();
            assert_eq!(answer.status(), StatusCode::SERVICE_UNAVAILABLE);
            assert!(answer.headers().contains_key(RETRY_AFTER));

            let later = tokio::spawn(async move { read(&memory, BODY_LIMIT, announce).await });
            tokio::time::sleep(ROOM_WITHIN / 2).await;
            assert!(!later.is_finished());
            held.pop();
            let whole = later.await.ok().and_then(Result::ok);
            assert_eq!(whole.map(|whole| whole.bytes.len()), Some(BODY_LIMIT));
        }
    }

    #[tokio::test(start_paused = true)]
    async fn an_announcement_takes_no_room() {
        let memory = Memory::new();
        let headers = HeaderMap::from_iter([(CONTENT_LENGTH, BODY_LIMIT.into())]);
        for _ in 0..1_000 {
            let mut body = Body::empty();
            assert!(memory.read(&headers, &mut body).await.is_ok());
        }
        assert_eq!(memory.0.available_permits(), MEMORY);
    }
}
