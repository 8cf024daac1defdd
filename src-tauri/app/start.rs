//! The desktop app: engine, window and tray put together.

use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use regie_engine::{Engine, EngineConfig, EngineError, Locale};
use tauri::{AppHandle, Emitter as _, Manager as _, RunEvent, Runtime, WindowEvent};
use tauri_plugin_dialog::{DialogExt as _, MessageDialogKind};

use crate::arguments::Arguments;
use crate::devices::Devices;
use crate::tray::Tray;
use crate::{cli, folders, ipc, window};

/// The event that carries each new state to the window.
const STATE_EVENT: &str = "state";

/// How long letting go of the clock may take at the end: a write under way has its deadline of ten
/// seconds, then BlueZ takes two to three.
const STOP_WAIT: Duration = Duration::from_secs(12);

/// The engine's configuration for a start with these arguments.
///
/// # Errors
/// [`EngineError::FolderUnusable`] when there is no folder for settings and data.
pub(crate) fn config(arguments: &Arguments) -> Result<EngineConfig, EngineError> {
    let locale = sys_locale::get_locale().unwrap_or_default();
    Ok(EngineConfig {
        folders: folders::folders(arguments.data_dir.as_deref())?,
        version: env!("CARGO_PKG_VERSION").into(),
        system_locale: Locale::of_system(&locale),
        demo: arguments.demo,
        clock: None,
    })
}

/// Runs the app until it is quit.
///
/// # Errors
/// No display, or what the engine or the window system says.
pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, cli::Failure> {
    need_display()?;
    let config = config(arguments)?;
    let hidden = arguments.hidden;
    let devices = Devices::default();
    let app = tauri::Builder::default()
        // The first plugin, so that a second start ends before anything else happens in it.
        .plugin(tauri_plugin_single_instance::init(|app, _, _| {
            window::show(app);
        }))
        .plugin(tauri_plugin_dialog::init())
        .plugin(tauri_plugin_notification::init())
        .plugin(
            tauri_plugin_window_state::Builder::new()
                // A window that was hidden in the tray must not stay hidden at the next start.
                .with_state_flags(
                    tauri_plugin_window_state::StateFlags::all()
                        - tauri_plugin_window_state::StateFlags::VISIBLE,
                )
                .build(),
        )
        .manage(devices.clone())
        .invoke_handler(ipc::handler())
        .on_window_event(|window, event| {
            if let WindowEvent::CloseRequested { api, .. } = event {
                api.prevent_close();
                window::close(window);
            }
        })
        .setup(move |app| {
            let handle = app.handle();
            match tauri::async_runtime::block_on(Engine::start(config, Arc::new(devices))) {
                Ok(engine) => open(handle, engine, hidden)?,
                Err(error) => give_up(handle, &error),
            }
            Ok(())
        })
        .build(tauri::generate_context!("tauri.conf.json"))
        .map_err(cli::Failure::window)?;
    let code = app.run_return(|app, event| match event {
        // No exit code: the last window went away, which is no reason to leave the tray (UI-4).
        RunEvent::ExitRequested {
            api, code: None, ..
        } => api.prevent_exit(),
        RunEvent::Exit => {
            if let Some(engine) = app.try_state::<Engine>() {
                // Within the runtime, which the timer needs.
                let stopped = tauri::async_runtime::block_on(async {
                    tokio::time::timeout(STOP_WAIT, engine.stop()).await
                });
                if stopped.is_err() {
                    tracing::warn!("the clock could not be let go in time");
                }
            }
        }
        _ => {}
    });
    Ok(ExitCode::from(u8::try_from(code).unwrap_or(u8::MAX)))
}

/// Puts window and tray on the engine.
fn open<R: Runtime>(app: &AppHandle<R>, engine: Engine, hidden: bool) -> tauri::Result<()> {
    app.manage(engine.clone());
    let state = engine.state().borrow().clone();
    window::build(app, hidden || state.settings.start_hidden)?;
    let tray = Tray::build(app, &state)
        .inspect_err(|error| tracing::warn!(%error, "there is no tray"))
        .ok();
    tauri::async_runtime::spawn(follow(app.clone(), engine, tray));
    Ok(())
}

/// Says why there is no engine, and ends when that was read.
fn give_up<R: Runtime>(app: &AppHandle<R>, error: &EngineError) {
    let text = format!("{error} {}", error.hint());
    tracing::error!("{text}");
    let ending = app.clone();
    app.dialog()
        .message(text)
        .title("Regie")
        .kind(MessageDialogKind::Error)
        .show(move |_| ending.exit(1));
}

/// Tells window and tray of every change, until the engine ends.
async fn follow<R: Runtime>(app: AppHandle<R>, engine: Engine, mut tray: Option<Tray<R>>) {
    let mut changes = engine.state();
    engine.keep_time();
    while changes.changed().await.is_ok() {
        let state = changes.borrow_and_update().clone();
        if let Err(error) = app.emit(STATE_EVENT, &state) {
            tracing::warn!(%error, "the window was not told of a change");
        }
        if let Some(tray) = &mut tray
            && let Err(error) = tray.update(&app, &state)
        {
            tracing::warn!(%error, "the tray was not told of a change");
        }
    }
}

fn need_display() -> Result<(), cli::Failure> {
    let set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    if cfg!(target_os = "linux") && !set("DISPLAY") && !set("WAYLAND_DISPLAY") {
        return Err(cli::Failure::no_display());
    }
    Ok(())
}
