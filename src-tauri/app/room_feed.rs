//! Tells the window how the room stands.

use std::time::Duration;

use regie_engine::Engine;
use tauri::{AppHandle, Emitter as _, Manager as _, Runtime};
use tokio::time::sleep;

use crate::window;

/// The event that carries each new state of the room to the window.
const ROOM_EVENT: &str = "room";

/// The least time between two of them: a person sees no more than ten changes a second, and a room
/// of fifty devices has more.
const PAUSE: Duration = Duration::from_millis(100);

/// How often it is looked whether a hidden window is shown again.
const HIDDEN_PAUSE: Duration = Duration::from_millis(300);

/// Follows the room until the engine ends.
pub(crate) async fn follow<R: Runtime>(app: AppHandle<R>, engine: Engine) {
    let mut state = engine.room_state();
    engine.open_room().await;
    loop {
        while hidden(&app) {
            sleep(HIDDEN_PAUSE).await;
            if app.get_webview_window(window::LABEL).is_none() {
                return;
            }
        }
        let told = app.emit(ROOM_EVENT, &*state.borrow_and_update());
        if let Err(error) = told {
            tracing::warn!(%error, "the window was not told of the room");
        }
        sleep(PAUSE).await;
        if state.changed().await.is_err() {
            return;
        }
    }
}

fn hidden<R: Runtime>(app: &AppHandle<R>) -> bool {
    app.get_webview_window(window::LABEL)
        .is_some_and(|window| !window.is_visible().unwrap_or(true))
}
