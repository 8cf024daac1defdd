//! A clock, a fake BlueZ in front of it, and a session over the system's Bluetooth.

use std::sync::Arc;
use std::time::Duration;

use regie_clock::{
    Address, BluetoothAdapter, ClockError, Dialects, Job, LinkState, Operation, Outcome, Picture,
    PictureSize, Plane, Profile, Report, Request, Session, SessionConfig,
};
use regie_fake_bluez::{BusTiming, FakeBluez, mac_of};
use regie_sim::{ClockSpec, LinkModel, SimulatedAdapter, SimulatedClock, Timing};
use tokio::time::{Instant, sleep};

/// For a state to come about that surely does.
const SOON: Duration = Duration::from_secs(15);
/// How often is looked.
const POLL: Duration = Duration::from_millis(5);

pub(crate) struct Bench {
    pub(crate) fake: FakeBluez,
    pub(crate) around: SimulatedAdapter,
    pub(crate) clock: SimulatedClock,
    pub(crate) bluetooth: Arc<BluetoothAdapter>,
    pub(crate) session: Session,
}

/// A quick clock that is always awake.
pub(crate) fn spec() -> ClockSpec {
    ClockSpec {
        timing: Timing::instant(),
        ..ClockSpec::default()
    }
}

/// Gives up early, where giving up is what is tested.
pub(crate) fn impatient(seconds: u64) -> SessionConfig {
    SessionConfig {
        connect_limit: Duration::from_secs(seconds),
        ..SessionConfig::default()
    }
}

/// Everything at once, everything right.
pub(crate) async fn bench(bus: &str) -> Bench {
    bench_with(bus, spec(), BusTiming::instant(), SessionConfig::default()).await
}

/// The same with a session that gives up on connecting after so many seconds.
pub(crate) async fn impatient_bench(bus: &str, seconds: u64) -> Bench {
    bench_with(bus, spec(), BusTiming::instant(), impatient(seconds)).await
}

/// A clock that takes its time for each write, so that something can happen meanwhile.
pub(crate) async fn slow_bench(bus: &str) -> Bench {
    let timing = Timing {
        link: LinkModel::Fixed(Duration::from_millis(5)),
        ..Timing::instant()
    };
    let spec = ClockSpec { timing, ..spec() };
    bench_with(bus, spec, BusTiming::instant(), SessionConfig::default()).await
}

pub(crate) async fn bench_with(
    bus: &str,
    spec: ClockSpec,
    timing: BusTiming,
    config: SessionConfig,
) -> Bench {
    let clock = SimulatedClock::new(spec);
    let around = SimulatedAdapter::new(vec![clock.clone()]);
    let fake = FakeBluez::start(bus, Arc::new(around.clone()), timing)
        .await
        .unwrap();
    let bluetooth = Arc::new(BluetoothAdapter::new().unwrap());
    let session = Session::spawn(bluetooth.clone(), Dialects::new(Profile::default()), config);
    Bench {
        fake,
        around,
        clock,
        bluetooth,
        session,
    }
}

/// A picture with all its bytes depending on a seed.
pub(crate) fn picture(seed: usize) -> Picture {
    let plane = |salt: usize| -> Vec<u8> {
        (0..PictureSize::Full.plane_bytes())
            .map(|i| (i * 31 + i / 251 + seed * 17 + salt * 97) as u8)
            .collect()
    };
    Picture::new(PictureSize::Full, plane(1), plane(2)).unwrap()
}

impl Bench {
    /// The clock's address as the system gives it.
    pub(crate) fn address(&self) -> Address {
        mac_of(&self.clock.address())
    }

    pub(crate) async fn show(&self, sent: &Picture) -> Outcome {
        let job = Job::new(Request::Picture(sent.clone()));
        self.session.submit(job).outcome().await
    }

    /// The error that showing a picture ends with.
    pub(crate) async fn error(&self) -> ClockError {
        match self.show(&picture(1)).await {
            Outcome::Failed { error, .. } => error,
            other => panic!("not failed: {other:?}"),
        }
    }

    /// Compares the panel with the planes sent.
    pub(crate) fn assert_shows(&self, sent: &Picture) {
        let (bw, red) = self.clock.planes();
        // Not assert_eq, which would print 30000 bytes.
        assert!(
            bw == sent.plane(Plane::BlackWhite),
            "black and white differ"
        );
        assert!(red == sent.plane(Plane::Red), "red differs");
        let inks = unpack(sent);
        assert!(self.clock.screen().inks == inks, "the panel differs");
        assert_eq!(self.clock.long_writes(), 0);
    }

    /// Shows that everything works again, with nobody doing anything about it: a picture sent now
    /// arrives whole, and the link is let go in the end.
    pub(crate) async fn assert_usable(self) {
        self.fake.clear_faults();
        self.clock.clear_faults();
        let sent = picture(77);
        let outcome = self.show(&sent).await;
        assert!(outcome.is_done(), "the clock is not usable: {outcome:?}");
        self.assert_shows(&sent);
        self.assert_lets_go().await;
    }

    /// Ends the session; nothing is held, nothing is sought.
    pub(crate) async fn assert_lets_go(self) {
        self.session.shutdown(Duration::from_secs(5)).await;
        self.soon("the link is let go", || !self.is_in_contact())
            .await;
        assert!(!self.fake.is_discovering(), "it still discovers");
        assert_eq!(*self.session.state().borrow(), LinkState::Closed);
    }

    pub(crate) fn is_in_contact(&self) -> bool {
        self.fake.is_in_contact(&self.clock.address())
    }

    /// Waits until something is so.
    pub(crate) async fn soon(&self, what: &str, is_so: impl Fn() -> bool) {
        let end = Instant::now() + SOON;
        while !is_so() {
            assert!(Instant::now() < end, "never: {what}");
            sleep(POLL).await;
        }
    }

    /// Starts to show a picture and waits until so many packets have gone.
    pub(crate) async fn show_in_part(&self, sent: &Picture, packets: u32) -> Operation {
        let job = Job::new(Request::Picture(sent.clone()));
        let operation = self.session.submit(job);
        let progress = operation.progress();
        self.soon("packets go", || progress.borrow().packets_done >= packets)
            .await;
        operation
    }

    /// Waits until the link's state is so.
    pub(crate) async fn state(&self, what: &str, is_so: impl Fn(&LinkState) -> bool) {
        let states = self.session.state();
        self.soon(what, || is_so(&states.borrow())).await;
    }
}

/// Inks of a picture: 0 black, 1 white, 2 red.
fn unpack(picture: &Picture) -> Vec<u8> {
    let bw = picture.plane(Plane::BlackWhite);
    let red = picture.plane(Plane::Red);
    (0..picture.size().width() * picture.size().height())
        .map(|i| {
            let bit = |plane: &[u8]| plane[i / 8] & (0x80 >> (i % 8)) != 0;
            if bit(red) { 2 } else { u8::from(bit(bw)) }
        })
        .collect()
}

/// The report of something done.
pub(crate) fn done(outcome: Outcome) -> Report {
    match outcome {
        Outcome::Done(report) => report,
        other => panic!("not done: {other:?}"),
    }
}
