//! The simulated clock by itself, driven with bytes written out by hand.

// The helpers below end a test as an assertion does.
#![allow(clippy::unwrap_used)]

use std::time::Duration;

use regie_clock::dialect::Delivery;
use regie_clock::link::{Connection, WriteError};
use regie_clock::{Adapter, Channel};
use regie_sim::{
    BLACK, ClockSpec, LinkModel, Mode, RED, Radio, Screen, SimulatedAdapter, SimulatedClock,
    Timing, WHITE,
};
use tokio::time::{Instant, sleep, timeout};

/// 2026-08-09 12:34:00, a Sunday, in local seconds.
const NOON: u32 = 0x6A78_73B8;

async fn connected(spec: ClockSpec) -> (SimulatedClock, Connection) {
    let clock = SimulatedClock::new(spec);
    let adapter = SimulatedAdapter::new(vec![clock.clone()]);
    let connection = adapter.connect(&clock.address()).await.unwrap();
    connection.link.discover().await.unwrap();
    (clock, connection)
}

async fn write(connection: &Connection, channel: Channel, bytes: &[u8]) {
    connection
        .link
        .write(channel, bytes, Delivery::Answered)
        .await
        .unwrap();
}

async fn send_plane(connection: &Connection, opcode: u8, plane: u8, bytes: &[u8]) {
    for (index, chunk) in bytes.chunks(240).enumerate() {
        let offset = (index * 240) as u16;
        let [high, low] = offset.to_be_bytes();
        let packet = [&[opcode, plane, high, low], chunk].concat();
        write(connection, Channel::Main, &packet).await;
    }
}

fn count(screen: &Screen, ink: u8) -> usize {
    screen.inks.iter().filter(|seen| **seen == ink).count()
}

/// R15: the length is echoed, 0000 while busy, FFFF at the end.
#[tokio::test(start_paused = true)]
async fn packets_are_answered_as_the_real_clock_answers() {
    let (_clock, mut connection) = connected(ClockSpec::default()).await;
    let packet = |bytes: usize| [&[0x03, 0xFF, 0x00, 0x00][..], &vec![0xAA; bytes]].concat();
    write(&connection, Channel::Main, &packet(240)).await;
    assert_eq!(
        connection.notifications.recv().await,
        Some(vec![0x00, 0xF4])
    );
    write(&connection, Channel::Main, &packet(120)).await;
    assert_eq!(
        connection.notifications.recv().await,
        Some(vec![0x00, 0x7C])
    );
    // Beyond the plane.
    write(&connection, Channel::Main, &[0x03, 0xFF, 0x3A, 0x98, 0x00]).await;
    assert_eq!(
        connection.notifications.recv().await,
        Some(vec![0x00, 0x00])
    );
    write(&connection, Channel::Main, &[0x01]).await;
    let began = Instant::now();
    write(&connection, Channel::Main, &packet(240)).await;
    assert_eq!(
        connection.notifications.recv().await,
        Some(vec![0x00, 0x00])
    );
    assert_eq!(
        connection.notifications.recv().await,
        Some(vec![0xFF, 0xFF])
    );
    assert_eq!(began.elapsed(), Timing::realistic().refresh);
}

/// IMG-8: polarity and order of the planes, read by an own unpacking.
#[tokio::test(start_paused = true)]
async fn planes_become_inks_after_the_redraw() {
    let (clock, connection) = connected(ClockSpec::default()).await;
    let mut black_white = vec![0xFF; 15_000];
    let mut red = vec![0x00; 15_000];
    black_white[0] = 0b0111_1111;
    red[1] = 0b0000_0001;
    // Red wins over black and over white.
    black_white[1] = 0b1111_1110;
    red[2] = 0b1000_0000;
    send_plane(&connection, 0x03, 0xFF, &black_white).await;
    send_plane(&connection, 0x03, 0x00, &red).await;
    write(&connection, Channel::Main, &[0x01]).await;
    let before = clock.screen();
    sleep(Duration::from_secs(14)).await;
    assert_eq!(clock.screen(), before);
    sleep(Duration::from_secs(2)).await;
    let screen = clock.screen();
    assert_eq!((screen.width, screen.height), (400, 300));
    assert_eq!((screen.inks[0], screen.inks[1]), (BLACK, WHITE));
    assert_eq!(
        (screen.inks[15], screen.inks[16], screen.inks[17]),
        (RED, RED, WHITE)
    );
    assert_eq!((count(&screen, BLACK), count(&screen, RED)), (1, 2));
    assert_eq!(clock.planes(), (black_white, red));
}

/// A picture sent in clock mode is drawn over at the next minute; E1 00 keeps it.
#[tokio::test(start_paused = true)]
async fn a_picture_stays_only_in_picture_mode() {
    let (clock, connection) = connected(ClockSpec {
        local_epoch: NOON,
        ..ClockSpec::default()
    })
    .await;
    let face = clock.screen();
    send_plane(&connection, 0x03, 0xFF, &[0x00; 15_000]).await;
    write(&connection, Channel::Main, &[0x01]).await;
    sleep(Duration::from_secs(16)).await;
    assert_eq!(count(&clock.screen(), BLACK), 120_000);
    sleep(Duration::from_secs(60)).await;
    assert!(count(&clock.screen(), BLACK) < 40_000);
    assert_ne!(clock.screen(), face);
    write(&connection, Channel::Alt, &[0xE1, 0x00]).await;
    assert_eq!(clock.mode(), Mode::Picture);
    sleep(Duration::from_secs(3600)).await;
    assert_eq!(count(&clock.screen(), BLACK), 120_000);
}

#[tokio::test(start_paused = true)]
async fn flips_turn_and_swap_the_screen() {
    let (clock, connection) = connected(ClockSpec {
        local_epoch: NOON,
        ..ClockSpec::default()
    })
    .await;
    let upright = clock.screen();
    write(&connection, Channel::Alt, &[0xE5]).await;
    let turned = clock.screen();
    assert!(turned.inks.iter().eq(upright.inks.iter().rev()));
    write(&connection, Channel::Alt, &[0xE3]).await;
    let swapped = clock.screen();
    assert_eq!(count(&swapped, BLACK), count(&upright, WHITE));
    write(&connection, Channel::Alt, &[0xE4]).await;
    assert!(count(&clock.screen(), RED) > 1000);
    for command in [0xE3, 0xE4, 0xE5] {
        write(&connection, Channel::Alt, &[command]).await;
    }
    assert_eq!(clock.screen(), upright);
}

#[tokio::test(start_paused = true)]
async fn the_time_runs_and_the_screen_rests_in_quiet_hours() {
    let (clock, connection) = connected(ClockSpec::default()).await;
    let [a, b, c, d] = NOON.to_be_bytes();
    write(
        &connection,
        Channel::Alt,
        &[0xDD, a, b, c, d, 0x07, 0xEA, 8, 9, 7],
    )
    .await;
    sleep(Duration::from_secs(90)).await;
    assert_eq!(clock.local_epoch(), u64::from(NOON) + 90);
    assert_eq!(clock.weekday(), Some(7));
    let shown = clock.screen();
    sleep(Duration::from_secs(60)).await;
    assert_ne!(clock.screen(), shown);
    write(&connection, Channel::Alt, &[0xFB, 1, 0x12, 0x13]).await;
    assert_eq!(clock.quiet_hours(), Some((12, 13)));
    assert_eq!(count(&clock.screen(), WHITE), 120_000);
    sleep(Duration::from_secs(3600)).await;
    assert!(count(&clock.screen(), BLACK) > 1000);
    // Hours that are no decimal digits switch nothing on.
    write(&connection, Channel::Alt, &[0xFB, 1, 0x1F, 0x13]).await;
    assert_eq!(clock.quiet_hours(), None);
}

#[tokio::test(start_paused = true)]
async fn the_small_picture_is_part_of_the_calendar() {
    let (clock, connection) = connected(ClockSpec {
        local_epoch: NOON,
        ..ClockSpec::default()
    })
    .await;
    send_plane(&connection, 0x04, 0xFF, &[0x00; 3500]).await;
    send_plane(&connection, 0x04, 0x00, &[0xFF; 3500]).await;
    write(&connection, Channel::Main, &[0xAA]).await;
    write(&connection, Channel::Alt, &[0xE1, 0x01]).await;
    write(&connection, Channel::Alt, &[0xE2]).await;
    sleep(Duration::from_secs(40)).await;
    assert_eq!(clock.mode(), Mode::Calendar);
    assert!(count(&clock.screen(), RED) >= 28_000);
}

#[tokio::test(start_paused = true)]
async fn the_command_characteristic_takes_128_bytes() {
    let (clock, connection) = connected(ClockSpec::default()).await;
    let refused = connection
        .link
        .write(Channel::Alt, &[0x01; 129], Delivery::Answered)
        .await;
    assert_eq!(
        refused,
        Err(WriteError::Refused("Invalid Length".to_owned()))
    );
    write(
        &connection,
        Channel::Alt,
        &[&[0x04][..], &[0x55; 127]].concat(),
    )
    .await;
    assert_eq!(clock.countdown_text().0, 4);
    let refused = connection
        .link
        .write(Channel::Main, &[0x03; 245], Delivery::Answered)
        .await;
    assert!(matches!(refused, Err(WriteError::Refused(_))));
    assert_eq!(clock.long_writes(), 1);
}

#[tokio::test(start_paused = true)]
async fn it_advertises_in_windows_and_not_while_connected() {
    let clock = SimulatedClock::new(ClockSpec::default());
    let adapter = SimulatedAdapter::new(vec![clock.clone()]);
    let mut scan = adapter.scan().await.unwrap();
    let began = Instant::now();
    let mut heard = Vec::new();
    while let Ok(Some(advertisement)) = timeout(Duration::from_secs(40), scan.next()).await {
        assert!(advertisement.simulated);
        assert!(advertisement.address.as_str().starts_with("SIM:"));
        heard.push(began.elapsed().as_secs());
        if heard.len() == 60 {
            break;
        }
    }
    assert!(heard.iter().all(|second| second % 60 <= 30), "{heard:?}");
    scan.stop().await;
    let _connection = adapter.connect(&clock.address()).await.unwrap();
    let mut scan = adapter.scan().await.unwrap();
    assert!(
        timeout(Duration::from_secs(200), scan.next())
            .await
            .is_err()
    );
}

/// A clock's screen can be looked at: set `REGIE_SCREENS` to a folder to keep the pictures.
#[tokio::test(start_paused = true)]
async fn screens_can_be_looked_at() {
    let (clock, connection) = connected(ClockSpec {
        local_epoch: NOON,
        ..ClockSpec::default()
    })
    .await;
    write(
        &connection,
        Channel::Alt,
        &[&[0x02][..], &[0x0F; 63]].concat(),
    )
    .await;
    write(
        &connection,
        Channel::Alt,
        &[0xFF, 0x00, 0x20, 0x26, 0x12, 0x31],
    )
    .await;
    let mut pictures = vec![("clock", clock.screen_png().unwrap())];
    write(&connection, Channel::Alt, &[0xE1, 0x01]).await;
    write(&connection, Channel::Alt, &[0xE2]).await;
    sleep(Duration::from_secs(16)).await;
    pictures.push(("calendar", clock.screen_png().unwrap()));
    for (name, png) in pictures {
        assert!(png.starts_with(b"\x89PNG\r\n"));
        if let Ok(folder) = std::env::var("REGIE_SCREENS") {
            std::fs::write(format!("{folder}/{name}.png"), png).unwrap();
        }
    }
}

/// As many as the controller has room for go at once; the next one waits, and all arrive in order.
#[tokio::test(start_paused = true)]
async fn writes_without_response_wait_for_room_in_the_controller() {
    let interval = Duration::from_millis(30);
    let spec = ClockSpec {
        timing: Timing {
            link: LinkModel::Radio(Radio::of_interval(interval)),
            ..Timing::realistic()
        },
        ..ClockSpec::default()
    };
    let (clock, connection) = connected(spec).await;
    let packet = |fill: u8| [&[0x03, 0xFF, 0x00, 0x00][..], &[fill; 240]].concat();
    let unanswered = async |fill| {
        connection
            .link
            .write(Channel::Main, &packet(fill), Delivery::Unanswered)
            .await
            .unwrap();
    };
    let began = Instant::now();
    for fill in 0..8 {
        unanswered(fill).await;
    }
    assert_eq!(began.elapsed(), Duration::ZERO);
    assert_eq!(clock.planes().0[0], 0xFF);
    unanswered(8).await;
    assert!(began.elapsed() > Duration::ZERO);
    assert!(began.elapsed() <= interval + Duration::from_millis(4));
    write(&connection, Channel::Main, &[0x03, 0xFF, 0x00, 0x00, 9]).await;
    let (black_white, _) = clock.planes();
    assert_eq!(black_white[..2], [9, 8]);
    assert!(began.elapsed() < 5 * interval);
}
