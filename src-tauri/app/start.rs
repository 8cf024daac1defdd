//! The desktop app: engine, window and tray put together.

use std::path::Path;
use std::process::ExitCode;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use clap::Parser as _;
use regie_engine::{
    Engine, EngineConfig, EngineError, GivenDevices, GivenToken, Locale, SecretsPlace,
};
use regie_mcp::Asked;
use tauri::{AppHandle, Emitter as _, Manager as _, RunEvent, Runtime, WindowEvent};
use tauri_plugin_dialog::{DialogExt as _, MessageDialogKind};

use crate::agents::Agents;
use crate::arguments::Arguments;
use crate::devices::Devices;
use crate::handed_over::{HandedOver, hand_over};
use crate::tray::Tray;
use crate::{cli, folders, ipc, owning, room_feed, window};

/// The event that carries each new state to the window.
const STATE_EVENT: &str = "state";

/// The event that carries each new state of the agents to the window.
const AGENTS_EVENT: &str = "agents";

/// How long letting go of the clock may take at the end: a write under way has its deadline of ten
/// seconds, then BlueZ takes two to three.
pub(crate) const STOP_WAIT: Duration = Duration::from_secs(12);

/// Another process that waits for the end of this one.
struct Leaving(#[allow(dead_code, reason = "kept, not used")] Mutex<Asked>);

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
        secrets: SecretsPlace::of_environment(),
        given_tokens: GivenToken::of_environment(),
        given_devices: GivenDevices::of_environment(),
    })
}

/// What another start of the program must be given to reach the same data and devices.
fn again(arguments: &Arguments) -> Vec<String> {
    let mut again = Vec::new();
    if arguments.demo {
        again.push("--demo".into());
    }
    if let Some(folder) = &arguments.data_dir {
        let folder = std::path::absolute(folder).unwrap_or_else(|_| folder.clone());
        again.extend(["--data-dir".into(), folder.display().to_string()]);
    }
    again
}

/// Runs the app until it is quit.
///
/// # Errors
/// No display, or what the engine or the window system says.
pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, cli::Failure> {
    if let Some(missing) = arguments
        .picture
        .as_deref()
        .filter(|picture| !picture.exists())
    {
        return Err(cli::Failure::no_such_thing(missing));
    }
    need_display()?;
    let config = config(arguments)?;
    let picture = arguments.picture.clone();
    // Whoever opens a picture wants to see it.
    let hidden = arguments.hidden && picture.is_none();
    let again = again(arguments);
    let data = config.folders.data.clone();
    let devices = Devices::asked(arguments);
    let app = tauri::Builder::default()
        // The first plugin, so that a second start ends before anything else happens in it.
        .plugin(tauri_plugin_single_instance::init(|app, given, folder| {
            if let Ok(arguments) = Arguments::try_parse_from(given)
                && let Some(picture) = arguments.picture
            {
                hand_over(app, &picture, Path::new(&folder));
            }
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
        .manage(HandedOver::default())
        .invoke_handler(ipc::handler())
        .on_window_event(|window, event| {
            if let WindowEvent::CloseRequested { api, .. } = event {
                api.prevent_close();
                window::close(window);
            }
        })
        .setup(move |app| {
            let handle = app.handle();
            let source = Arc::new(devices);
            let starting = owning::start_engine(config, source, owning::Stay::Lasting);
            match tauri::async_runtime::block_on(starting) {
                Ok(engine) => {
                    if let Some(picture) = picture {
                        let folder = std::env::current_dir().unwrap_or_default();
                        hand_over(handle, &picture, &folder);
                    }
                    open(handle, engine, &data, again, hidden)?;
                }
                Err(error) => give_up(handle, &error.into()),
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
                    if let Some(agents) = app.try_state::<Agents>() {
                        agents.stop().await;
                    }
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
fn open<R: Runtime>(
    app: &AppHandle<R>,
    engine: Engine,
    data: &Path,
    arguments: Vec<String>,
    hidden: bool,
) -> tauri::Result<()> {
    app.manage(engine.clone());
    let state = engine.state().borrow().clone();
    let ending = app.clone();
    let quit = move |asked| {
        // Held until the process is gone, which is what whoever asked waits for.
        ending.manage(Leaving(Mutex::new(asked)));
        ending.exit(0);
    };
    let agents = tauri::async_runtime::block_on(Agents::open(&engine, data, arguments, quit));
    let server = agents.state().borrow().server.clone();
    app.manage(agents);
    let opens = app.state::<HandedOver>().is_some();
    window::build(app, hidden || (state.settings.start_hidden && !opens))?;
    let tray = Tray::build(app, &state, &server)
        .inspect_err(|error| tracing::warn!(%error, "there is no tray"))
        .ok();
    tauri::async_runtime::spawn(room_feed::follow(app.clone(), engine.clone()));
    tauri::async_runtime::spawn(follow(app.clone(), engine, tray));
    if state.settings.agents.at_start {
        let app = app.clone();
        tauri::async_runtime::spawn(async move {
            if let Err(error) = app.state::<Agents>().switch(true).await {
                tracing::warn!(%error, "the agents' server could not be switched on");
            }
        });
    }
    Ok(())
}

/// Says why there is no engine, and ends when that was read.
fn give_up<R: Runtime>(app: &AppHandle<R>, failure: &cli::Failure) {
    let text = failure.to_string();
    tracing::error!("{text}");
    let ending = app.clone();
    app.dialog()
        .message(text)
        .title("Regie")
        .kind(MessageDialogKind::Error)
        .show(move |_| ending.exit(1));
}

/// Tells window, tray and the agents' server of every change, until the engine ends.
async fn follow<R: Runtime>(app: AppHandle<R>, engine: Engine, mut tray: Option<Tray<R>>) {
    let agents = app.state::<Agents>();
    let (mut changes, mut calls) = (engine.state(), agents.state());
    let mut settings = changes.borrow().settings.agents.clone();
    engine.keep_time();
    engine.look_after_sleep();
    loop {
        let told = tokio::select! {
            changed = changes.changed() => changed.map(|()| {
                app.emit(STATE_EVENT, &*changes.borrow_and_update())
            }),
            changed = calls.changed() => changed.map(|()| {
                app.emit(AGENTS_EVENT, &*calls.borrow_and_update())
            }),
        };
        match told {
            Ok(Ok(())) => {}
            Ok(Err(error)) => tracing::warn!(%error, "the window was not told of a change"),
            Err(_) => return,
        }
        let state = changes.borrow().clone();
        if state.settings.agents != settings {
            settings.clone_from(&state.settings.agents);
            agents.take_over(&settings);
        }
        let server = calls.borrow().server.clone();
        if let Some(tray) = &mut tray
            && let Err(error) = tray.update(&app, &state, &server)
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
