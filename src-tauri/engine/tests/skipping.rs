//! Sending only what has changed, where a person asks for it.

// The helpers below end a test as an assertion does.
#![allow(clippy::unwrap_used)]

mod common;

use common::{Desk, ended, opened};
use regie_engine::{Door, Engine, Options, Outcome, Settings};

/// Shows the same picture; returns the bytes that were sent for it.
async fn shown(engine: &Engine) -> u32 {
    let picture = opened(engine).await;
    let submitted = engine.show(Door::Window, picture, Options::default(), 0);
    match ended(submitted.await.unwrap()).await {
        Outcome::Done { report } => report.bytes,
        outcome => unreachable!("{outcome:?}"),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn only_what_has_changed_is_sent_where_that_was_asked_for() {
    let desk = Desk::new();
    let engine = desk.engine().await;
    assert!(shown(&engine).await > 30_000);
    let planes = desk.clock.planes();
    assert!(
        shown(&engine).await > 30_000,
        "it is off unless switched on"
    );

    let settings = Settings {
        skip_unchanged: true,
        ..engine.state().borrow().settings.clone()
    };
    engine.save_settings(settings).await.unwrap();
    // What was sent before the switch is not taken for known.
    shown(&engine).await;
    assert!(shown(&engine).await < 100);
    assert_eq!(desk.clock.planes(), planes);
}
