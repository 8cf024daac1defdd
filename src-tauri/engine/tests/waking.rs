//! What is done after the computer has slept.

// The helpers below end a test as an assertion does.
#![allow(clippy::unwrap_used)]

use regie_engine::{Door, LinkView, Outcome};

mod common;

use common::{Desk, ended, until};

#[tokio::test(flavor = "multi_thread")]
async fn after_a_sleep_an_unused_link_is_let_go_and_the_next_operation_makes_another() {
    let desk = Desk::new();
    let engine = desk.engine().await;
    for _ in 0..2 {
        let set = engine.set_time(Door::Window, Some("Europe/Paris")).await;
        let outcome = ended(set.unwrap()).await;
        assert!(matches!(outcome, Outcome::Done { .. }), "{outcome:?}");
        let link =
            |wanted: LinkView| move |state: &regie_engine::AppState| state.clock.link == wanted;
        until(&engine, "the link is kept", link(LinkView::Connected)).await;
        engine.wake().await;
        until(&engine, "the link is let go", link(LinkView::Asleep)).await;
    }
    engine.stop().await;
}
