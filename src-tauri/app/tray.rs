//! The tray icon: shows what [`tray_menu`](crate::tray_menu) says and does what is chosen.

use regie_engine::{AppState, Door, Engine};
use regie_mcp::ServerState;
use tauri::menu::{CheckMenuItemBuilder, Menu, MenuBuilder, MenuItemBuilder, PredefinedMenuItem};
use tauri::tray::{MouseButton, MouseButtonState, TrayIcon, TrayIconBuilder, TrayIconEvent};
use tauri::{AppHandle, Manager as _, Runtime};

use crate::agents::Agents;
use crate::catalogue::Catalogue;
use crate::tray_menu::{self, Action, Entry};
use crate::window;

/// The icon's name within the app.
const ID: &str = "regie";

/// The icon, and what it shows now, so that it is touched only when that changes.
pub(crate) struct Tray<R: Runtime> {
    icon: TrayIcon<R>,
    shown: Vec<Entry>,
}

impl<R: Runtime> Tray<R> {
    /// Puts the icon into the tray.
    ///
    /// # Errors
    /// What the system's tray says.
    pub(crate) fn build(
        app: &AppHandle<R>,
        state: &AppState,
        server: &ServerState,
    ) -> tauri::Result<Self> {
        let catalogue = Catalogue::of(state.locale);
        let shown = tray_menu::menu(state, server, catalogue);
        let mut builder = TrayIconBuilder::with_id(ID)
            .menu(&native(app, &shown)?)
            .show_menu_on_left_click(false)
            .tooltip(tray_menu::tooltip(state, catalogue))
            .on_menu_event(|app, event| {
                if let Some(action) = Action::of_id(event.id().as_ref()) {
                    perform(app, action);
                }
            })
            .on_tray_icon_event(|icon, event| {
                if let TrayIconEvent::Click {
                    button: MouseButton::Left,
                    button_state: MouseButtonState::Up,
                    ..
                } = event
                {
                    window::show(icon.app_handle());
                }
            });
        if let Some(icon) = app.default_window_icon() {
            builder = builder.icon(icon.clone());
        }
        Ok(Self {
            icon: builder.build(app)?,
            shown,
        })
    }

    /// Makes the icon show a new state.
    ///
    /// # Errors
    /// What the system's tray says.
    pub(crate) fn update(
        &mut self,
        app: &AppHandle<R>,
        state: &AppState,
        server: &ServerState,
    ) -> tauri::Result<()> {
        let catalogue = Catalogue::of(state.locale);
        let entries = tray_menu::menu(state, server, catalogue);
        if entries == self.shown {
            return Ok(());
        }
        self.icon.set_menu(Some(native(app, &entries)?))?;
        self.icon
            .set_tooltip(Some(tray_menu::tooltip(state, catalogue)))?;
        self.shown = entries;
        Ok(())
    }
}

fn native<R: Runtime>(app: &AppHandle<R>, entries: &[Entry]) -> tauri::Result<Menu<R>> {
    let mut menu = MenuBuilder::new(app);
    for entry in entries {
        menu = match entry {
            Entry::Status(text) => {
                menu.item(&MenuItemBuilder::new(text).enabled(false).build(app)?)
            }
            Entry::Item {
                action,
                text,
                enabled,
            } => menu.item(
                &MenuItemBuilder::with_id(action.id(), text)
                    .enabled(*enabled)
                    .build(app)?,
            ),
            Entry::Switch { action, text, on } => menu.item(
                &CheckMenuItemBuilder::with_id(action.id(), text)
                    .checked(*on)
                    .build(app)?,
            ),
            Entry::Separator => menu.item(&PredefinedMenuItem::separator(app)?),
        };
    }
    menu.build()
}

fn perform<R: Runtime>(app: &AppHandle<R>, action: Action) {
    match action {
        Action::Open => window::show(app),
        Action::Quit => app.exit(0),
        Action::SwitchServer => {
            let app = app.clone();
            tauri::async_runtime::spawn(async move {
                let agents = app.state::<Agents>();
                let on = !tray_menu::is_on(&agents.state().borrow().server);
                if let Err(error) = agents.switch(on).await {
                    tracing::warn!(%error, "the agents' server could not be switched");
                    // The window says why, and what to do.
                    window::show(&app);
                }
            });
        }
        Action::SetTime => {
            let engine = app.state::<Engine>().inner().clone();
            tauri::async_runtime::spawn(async move {
                if let Err(error) = engine.set_time(Door::Tray, None).await {
                    tracing::warn!(%error, "the clock could not be set");
                }
            });
        }
    }
}
