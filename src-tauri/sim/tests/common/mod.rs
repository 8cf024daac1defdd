//! A session with one simulated clock, for the tests beside this folder.

// Each test file uses a part of this, and a failure here fails the test.
#![allow(dead_code, clippy::unwrap_used, clippy::panic)]

use std::sync::Arc;
use std::time::Duration;

use regie_clock::{
    ClockTime, Dialects, Face, Job, Outcome, Picture, PictureSize, Profile, Request, Session,
    SessionConfig,
};
use regie_sim::{ClockSpec, SimulatedAdapter, SimulatedClock, Timing};

pub(crate) struct Bench {
    pub(crate) clock: SimulatedClock,
    pub(crate) adapter: SimulatedAdapter,
    pub(crate) session: Session,
}

pub(crate) fn bench() -> Bench {
    bench_with(ClockSpec::default(), SessionConfig::default())
}

pub(crate) fn bench_with(spec: ClockSpec, config: SessionConfig) -> Bench {
    let clock = SimulatedClock::new(spec);
    let adapter = SimulatedAdapter::new(vec![clock.clone()]);
    let session = session_on(&adapter, config);
    Bench {
        clock,
        adapter,
        session,
    }
}

pub(crate) fn session_on(adapter: &SimulatedAdapter, config: SessionConfig) -> Session {
    Session::spawn(
        Arc::new(adapter.clone()),
        Dialects::new(Profile::default()),
        config,
    )
}

/// Always awake, otherwise as real ones are.
pub(crate) fn awake() -> ClockSpec {
    let period = Duration::from_secs(1);
    let timing = Timing {
        awake: period,
        period,
        ..Timing::realistic()
    };
    ClockSpec {
        timing,
        ..ClockSpec::default()
    }
}

/// A picture whose bytes all differ from their neighbours.
pub(crate) fn picture(size: PictureSize, seed: u8) -> Picture {
    let bytes = size.plane_bytes();
    let plane = |salt: usize| {
        (0..bytes)
            .map(|i| (i * 31 + i / 251 + salt * 97 + usize::from(seed)) as u8)
            .collect()
    };
    Picture::new(size, plane(1), plane(2)).unwrap()
}

impl Bench {
    pub(crate) async fn run(&self, request: Request) -> Outcome {
        self.session.submit(Job::new(request)).outcome().await
    }

    /// Shows that the clock is usable: a picture sent now arrives whole and is shown.
    pub(crate) async fn assert_usable(&self) {
        self.clock.clear_faults();
        self.adapter.set_unavailable(None);
        let sent = picture(PictureSize::Full, 77);
        let outcome = self.run(Request::Picture(sent.clone())).await;
        assert!(outcome.is_done(), "the clock is not usable: {outcome:?}");
        // A clock that does not confirm its redraws may not have finished yet.
        while self.clock.is_refreshing() {
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
        self.assert_shows(&sent);
        assert_eq!(self.clock.long_writes(), 0);
    }

    /// Compares the clock's screen with the planes, unpacked here.
    pub(crate) fn assert_shows(&self, sent: &Picture) {
        let shown = self.clock.screen();
        // Not assert_eq, which would print 120000 pixels.
        assert!(unpack(sent) == shown.inks, "the clock shows something else");
    }
}

/// Inks of a full picture: 0 black, 1 white, 2 red.
pub(crate) fn unpack(picture: &Picture) -> Vec<u8> {
    let bw = picture.plane(regie_clock::Plane::BlackWhite);
    let red = picture.plane(regie_clock::Plane::Red);
    (0..picture.size().width() * picture.size().height())
        .map(|i| {
            let bit = |plane: &[u8]| plane[i / 8] & (0x80 >> (i % 8)) != 0;
            if bit(red) { 2 } else { u8::from(bit(bw)) }
        })
        .collect()
}

/// The request for a face, at some time.
pub(crate) fn set_face(face: Face) -> Request {
    Request::SetFace(
        face,
        ClockTime::at(1_786_250_096, &"8".parse().unwrap()).unwrap(),
    )
}
