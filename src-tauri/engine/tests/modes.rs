//! What the clock is told to show by one word.

// The helpers below end a test as an assertion does.
#![allow(clippy::unwrap_used)]

mod common;

use common::{Desk, ended, opened};
use regie_engine::{Door, Engine, EngineError, Mode, Options, Outcome};

async fn shown_in_slot(engine: &Engine, slot: u8) {
    let picture = opened(engine).await;
    let shown = engine.show(Door::Window, picture, Options::default(), slot);
    ended(shown.await.unwrap()).await;
}

/// Sets a mode; returns the bytes that were sent for it.
async fn set(engine: &Engine, mode: Mode) -> u32 {
    let outcome = ended(engine.set_mode(Door::Cli, mode).await.unwrap()).await;
    let Outcome::Done { report } = outcome else {
        unreachable!("{outcome:?}");
    };
    report.bytes
}

/// A command or two, against 30,000 bytes of picture.
const COMMANDS: u32 = 100;

#[tokio::test(flavor = "multi_thread")]
async fn a_picture_that_the_clock_is_known_to_show_is_not_sent_again() {
    let desk = Desk::new();
    let engine = desk.engine().await;
    shown_in_slot(&engine, 1).await;
    let planes = desk.clock.planes();
    assert!(set(&engine, Mode::Image(1)).await < COMMANDS);
    assert_eq!(desk.clock.planes(), planes);
    assert_eq!(engine.state().borrow().clock.shown_slot, Some(1));

    // Once it shows something else, it is.
    set(&engine, "clock1".parse().unwrap()).await;
    assert!(set(&engine, Mode::Image(1)).await > 30_000);
    assert_eq!(desk.clock.planes(), planes);
}

#[tokio::test(flavor = "multi_thread")]
async fn mono_takes_the_red_out_of_the_picture_shown_and_tricolor_brings_it_back() {
    let desk = Desk::new();
    let engine = desk.engine().await;
    shown_in_slot(&engine, 0).await;
    let (black_white, red) = desk.clock.planes();
    assert!(
        red.iter().any(|&byte| byte != 0),
        "the picture has red in it"
    );

    assert!(set(&engine, Mode::Mono).await > 30_000);
    let (mono, without_red) = desk.clock.planes();
    assert!(without_red.iter().all(|&byte| byte == 0));
    assert_eq!(mono, black_white);
    assert_eq!(engine.state().borrow().clock.shown_slot, Some(0));
    assert!(set(&engine, Mode::Mono).await < COMMANDS);

    assert!(set(&engine, Mode::Tricolor).await > 30_000);
    assert_eq!(desk.clock.planes(), (black_white, red));
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_picture_known_to_be_shown_its_colours_cannot_be_changed() {
    let desk = Desk::new();
    let engine = desk.engine().await;
    for mode in [Mode::Mono, Mode::Tricolor] {
        let refused = engine.set_mode(Door::Cli, mode).await;
        assert!(matches!(refused, Err(EngineError::ShownUnknown)));
    }
    let refused = engine.set_mode(Door::Cli, Mode::Image(2)).await;
    assert!(matches!(refused, Err(EngineError::SlotEmpty { slot: 2 })));
}
