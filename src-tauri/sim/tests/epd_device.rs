//! The simulated EPD-nRF5 clock by itself, driven with bytes written out by hand.

// The helpers below end a test as an assertion does.
#![allow(clippy::unwrap_used)]

use std::time::Duration;

use regie_clock::dialect::{Delivery, Discovered, Family};
use regie_clock::link::Connection;
use regie_clock::{Adapter, Channel};
use regie_sim::{
    BLACK, ClockSpec, EpdBuild, FirmwareKind, Mode, RED, SimulatedAdapter, SimulatedClock, Timing,
    WHITE,
};
use tokio::time::sleep;

/// Bytes of one plane.
const PLANE: usize = 15_000;
/// Longer than a redraw.
const REDRAW: Duration = Duration::from_secs(16);

struct Bench {
    clock: SimulatedClock,
    adapter: SimulatedAdapter,
    connection: Connection,
}

impl Bench {
    async fn new(build: EpdBuild) -> Self {
        let clock = SimulatedClock::new(ClockSpec {
            firmware: FirmwareKind::EpdNrf5(build),
            timing: Timing {
                awake: Duration::from_secs(1),
                period: Duration::from_secs(1),
                ..Timing::realistic()
            },
            ..ClockSpec::default()
        });
        let adapter = SimulatedAdapter::new(vec![clock.clone()]);
        let connection = adapter.connect(&clock.address()).await.unwrap();
        Self {
            clock,
            adapter,
            connection,
        }
    }

    async fn write(&self, bytes: &[u8]) {
        let link = &self.connection.link;
        let written = link.write(Channel::Main, bytes, Delivery::Unanswered);
        written.await.unwrap();
    }

    async fn said(&mut self) -> Vec<u8> {
        self.connection.notifications.recv().await.unwrap()
    }

    /// Writes a plane in chunks, the first with one flag and the rest with another.
    async fn plane(&self, first: u8, rest: u8, bytes: &[u8]) {
        for (index, chunk) in bytes.chunks(242).enumerate() {
            let flags = if index == 0 { first } else { rest };
            self.write(&[&[0x30, flags], chunk].concat()).await;
        }
    }

    fn count(&self, ink: u8) -> usize {
        let inks = self.clock.screen().inks;
        inks.iter().filter(|shown| **shown == ink).count()
    }
}

#[tokio::test(start_paused = true)]
async fn it_says_what_it_is_once_it_is_listened_to() {
    let mut bench = Bench::new(EpdBuild::newer()).await;
    assert_eq!(bench.clock.name(), "NRF_EPD_0001");
    let discovered = bench.connection.link.discover().await.unwrap();
    let expected = Discovered {
        family: Family::EpdNrf5,
        version: Some(0x1A),
    };
    assert_eq!(discovered, expected);
    let pins_and_model = [0x14, 0x13, 6, 5, 4, 3, 2, 0x02, 0xFF, 0x12, 7];
    let said = bench.said().await;
    assert_eq!(said, [&pins_and_model[..], &[1, 1]].concat());
    // An older build does not say its mode.
    let mut older = Bench::new(EpdBuild {
        says_mode: false,
        version: None,
        ..EpdBuild::legacy()
    })
    .await;
    let discovered = older.connection.link.discover().await.unwrap();
    assert_eq!(discovered.version, None);
    assert_eq!(older.said().await.len(), 11);
}

#[tokio::test(start_paused = true)]
async fn an_initialisation_is_answered_with_two_texts() {
    let mut newer = Bench::new(EpdBuild::newer()).await;
    newer.write(&[0x01]).await;
    assert_eq!(newer.said().await, b"mtu=244 rle=1");
    assert!(newer.said().await.starts_with(b"t="));
    let mut legacy = Bench::new(EpdBuild::legacy()).await;
    legacy.write(&[0x01]).await;
    assert_eq!(legacy.said().await, b"mtu=244");
}

/// Of each plane its first byte is written, in which the flags say which and where it begins.
#[tokio::test(start_paused = true)]
async fn flags_of_both_kinds_fill_the_planes() {
    for (build, black_white, red) in [
        (EpdBuild::legacy(), (0x0F, 0xFF), (0x00, 0xF0)),
        (EpdBuild::newer(), (0x02, 0x00), (0x03, 0x01)),
    ] {
        let bench = Bench::new(build).await;
        let mut first = vec![0xFF; PLANE];
        first[0] = 0b0111_1111;
        first[PLANE - 1] = 0b1111_1110;
        let mut second = vec![0xFF; PLANE];
        second[1] = 0b1111_1110;
        bench.write(&[0x01]).await;
        bench.plane(black_white.0, black_white.1, &first).await;
        bench.plane(red.0, red.1, &second).await;
        let before = bench.clock.screen();
        bench.write(&[0x05]).await;
        assert_eq!(bench.clock.screen(), before);
        sleep(REDRAW).await;
        let inks = bench.clock.screen().inks;
        assert_eq!((inks[0], inks[1], inks[15]), (BLACK, WHITE, RED));
        assert_eq!(inks[119_999], BLACK);
        assert_eq!((bench.count(BLACK), bench.count(RED)), (2, 1));
        assert_eq!(bench.clock.planes(), (first, second));
        assert_eq!(bench.clock.mode(), Mode::Picture);
    }
}

/// From 80 on a repeated byte, below so many bytes as they are.
#[tokio::test(start_paused = true)]
async fn run_lengths_are_read_write_by_write() {
    let bench = Bench::new(EpdBuild::newer()).await;
    bench.write(&[0x01]).await;
    bench
        .write(&[0x30, 0x06, 0x81, 0xAA, 0x01, 0x11, 0x22])
        .await;
    bench.write(&[0x30, 0x04, 0x00, 0x33, 0xFF, 0x44]).await;
    let (plane, _) = bench.clock.planes();
    let expected = [&[0xAA; 4][..], &[0x11, 0x22, 0x33], &[0x44; 130], &[0xFF]].concat();
    assert_eq!(plane[..expected.len()], expected);
}

#[tokio::test(start_paused = true)]
async fn what_concerns_the_panel_needs_an_initialisation() {
    let bench = Bench::new(EpdBuild::newer()).await;
    let face = bench.clock.screen();
    for command in [&[0x30, 0x02, 0x00][..], &[0x05], &[0x02]] {
        bench.write(command).await;
    }
    sleep(REDRAW).await;
    assert_eq!(bench.clock.refreshes(), 0);
    assert_eq!(bench.clock.screen(), face);
    assert_eq!(bench.clock.planes().0, [0xFF; PLANE]);
    bench.write(&[0x01]).await;
    bench.write(&[0x02]).await;
    sleep(REDRAW).await;
    assert_eq!(bench.count(WHITE), 120_000);
}

/// A plane that is broken off leaves an SSD1619 where it was; the initialisation takes it back.
#[tokio::test(start_paused = true)]
async fn some_panels_go_on_where_a_plane_was_broken_off() {
    for (model, place) in [(0x02, 1), (0x03, 0)] {
        let bench = Bench::new(EpdBuild {
            model,
            ..EpdBuild::newer()
        })
        .await;
        bench.write(&[0x01]).await;
        bench.write(&[0x30, 0x02, 0x00]).await;
        bench.write(&[0x30, 0x02, 0x77]).await;
        assert_eq!(bench.clock.planes().0[place], 0x77);
        bench.write(&[0x01]).await;
        bench.write(&[0x30, 0x02, 0x66]).await;
        assert_eq!(bench.clock.planes().0[0], 0x66);
    }
}

#[tokio::test(start_paused = true)]
async fn the_time_comes_with_hours_and_a_mode() {
    let bench = Bench::new(EpdBuild::newer()).await;
    // 2026-08-09 04:34:56 UTC, at +08:00.
    bench.write(&[0x20, 0x6A, 0x78, 0x03, 0x70, 8, 2]).await;
    assert_eq!(bench.clock.local_epoch(), 0x6A78_73F0);
    assert_eq!(bench.clock.mode(), Mode::Clock);
    sleep(REDRAW).await;
    assert!(bench.count(BLACK) > 1000);
    bench.write(&[0x20, 0x6A, 0x78, 0x03, 0x70, 0xFB]).await;
    assert_eq!(bench.clock.local_epoch(), 0x6A78_0370 - 5 * 3600);
    assert_eq!(bench.clock.mode(), Mode::Calendar);
    sleep(REDRAW).await;
    // The page of a picture is empty.
    bench.write(&[0x20, 0x6A, 0x78, 0x03, 0x70, 8, 0]).await;
    sleep(REDRAW).await;
    assert_eq!(bench.count(WHITE), 120_000);
}

#[tokio::test(start_paused = true)]
async fn a_redraw_that_loses_its_link_stops_half_way() {
    let bench = Bench::new(EpdBuild::newer()).await;
    bench.write(&[0x01]).await;
    bench.write(&[0x02]).await;
    sleep(Duration::from_secs(3)).await;
    // It waits for its panel meanwhile and hears nothing.
    bench.write(&[0x20, 0x6A, 0x78, 0x03, 0x70, 8, 2]).await;
    assert_eq!(bench.clock.mode(), Mode::Picture);
    bench.connection.link.disconnect().await;
    assert!(!bench.clock.is_refreshing());
    assert_eq!(bench.count(BLACK), 60_000);
    sleep(REDRAW).await;
    assert_eq!(bench.count(BLACK), 60_000);
    let again = bench.adapter.connect(&bench.clock.address()).await;
    again.unwrap();
}

#[tokio::test(start_paused = true)]
async fn what_it_does_not_know_is_counted() {
    let bench = Bench::new(EpdBuild::newer()).await;
    for command in [&[0xE2][..], &[0x20, 1, 2]] {
        bench.write(command).await;
    }
    assert_eq!(bench.clock.unknown_commands(), 2);
    assert_eq!(bench.clock.refreshes(), 0);
    // A part of a picture without data changes nothing.
    bench.write(&[0x01]).await;
    let planes = bench.clock.planes();
    bench.write(&[0x30, 0x00]).await;
    assert_eq!(bench.clock.planes(), planes);
    assert_eq!(bench.clock.unknown_commands(), 2);
}
