//! The one window: made at start, hidden when closed, shown again on request.

use regie_engine::Engine;
use tauri::{AppHandle, Manager as _, Runtime, WebviewUrl, WebviewWindowBuilder, Window};
use tauri_plugin_dialog::{DialogExt as _, MessageDialogButtons};
use tauri_plugin_notification::NotificationExt as _;

use crate::catalogue::Catalogue;
use crate::tray_host;

/// The window's label; the capability file names it too.
pub(crate) const LABEL: &str = "main";

/// First size, in logical pixels: the panel fits twice its size beside the controls.
const SIZE: (f64, f64) = (1280.0, 860.0);

/// Smallest size, in logical pixels: the panel at its own size beside the controls.
const MIN_SIZE: (f64, f64) = (900.0, 600.0);

/// Makes the window.
///
/// # Errors
/// What the window system says.
pub(crate) fn build<R: Runtime>(app: &AppHandle<R>, hidden: bool) -> tauri::Result<()> {
    WebviewWindowBuilder::new(app, LABEL, WebviewUrl::default())
        .title("Regie")
        .inner_size(SIZE.0, SIZE.1)
        .min_inner_size(MIN_SIZE.0, MIN_SIZE.1)
        .center()
        .visible(!hidden)
        .build()?;
    Ok(())
}

/// Brings the window to the front.
pub(crate) fn show<R: Runtime>(app: &AppHandle<R>) {
    let Some(window) = app.get_webview_window(LABEL) else {
        return;
    };
    let shown = window
        .show()
        .and_then(|()| window.unminimize())
        .and_then(|()| window.set_focus());
    if let Err(error) = shown {
        tracing::warn!(%error, "the window could not be shown");
    }
}

/// What closing the window does: with a tray it hides, and says so the first time; without one
/// Regie could not be reached any more, so it asks.
pub(crate) fn close<R: Runtime>(window: &Window<R>) {
    let app = window.app_handle().clone();
    let window = window.clone();
    tauri::async_runtime::spawn(async move {
        if tray_host::present().await {
            if let Err(error) = window.hide() {
                tracing::warn!(%error, "the window could not be hidden");
            }
            say_once(&app).await;
        } else {
            ask(&app);
        }
    });
}

async fn say_once<R: Runtime>(app: &AppHandle<R>) {
    let engine = app.state::<Engine>();
    if engine.said_hidden_to_tray().await {
        return;
    }
    let catalogue = Catalogue::of(engine.state().borrow().locale);
    let shown = app
        .notification()
        .builder()
        .title(catalogue.text("window.hidden_to_tray.title"))
        .body(catalogue.text("window.hidden_to_tray.body"))
        .show();
    if let Err(error) = shown {
        tracing::info!(%error, "no notification could be shown");
    }
}

fn ask<R: Runtime>(app: &AppHandle<R>) {
    let catalogue = Catalogue::of(app.state::<Engine>().state().borrow().locale);
    let quit = app.clone();
    app.dialog()
        .message(catalogue.text("window.no_tray.body"))
        .title(catalogue.text("window.no_tray.title"))
        .buttons(MessageDialogButtons::OkCancelCustom(
            catalogue.text("window.no_tray.quit"),
            catalogue.text("window.no_tray.keep"),
        ))
        .show(move |chosen| {
            if chosen {
                quit.exit(0);
            }
        });
}
