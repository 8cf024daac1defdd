//! The tray's menu as a pure function of the state.

use regie_engine::{AppState, LinkView};
use regie_mcp::ServerState;

use crate::catalogue::Catalogue;

/// What a menu entry does when chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    /// Sets the clock to this computer's time.
    SetTime,
    /// Switches the agents' server on or off.
    SwitchServer,
    /// Shows the window.
    Open,
    /// Ends Regie.
    Quit,
}

impl Action {
    /// Every action.
    pub(crate) const ALL: [Self; 4] = [Self::SetTime, Self::SwitchServer, Self::Open, Self::Quit];

    /// The stable name of the entry.
    pub(crate) fn id(self) -> &'static str {
        match self {
            Self::SetTime => "set-time",
            Self::SwitchServer => "switch-server",
            Self::Open => "open",
            Self::Quit => "quit",
        }
    }

    /// The action of an entry's name.
    pub(crate) fn of_id(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|action| action.id() == id)
    }
}

/// One line of the menu.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Entry {
    /// A line that only tells.
    Status(String),
    /// A line that does something.
    Item {
        /// What it does.
        action: Action,
        /// What it says.
        text: String,
        /// Whether it can be chosen now.
        enabled: bool,
    },
    /// A line that is on or off.
    Switch {
        /// What it does.
        action: Action,
        /// What it says.
        text: String,
        /// Whether it is on.
        on: bool,
    },
    /// A rule between groups.
    Separator,
}

/// The menu for a state.
pub(crate) fn menu(state: &AppState, server: &ServerState, catalogue: &Catalogue) -> Vec<Entry> {
    let item = |action, key, enabled| Entry::Item {
        action,
        text: catalogue.text(key),
        enabled,
    };
    let mut entries = vec![Entry::Status(status(state, catalogue))];
    if state.simulated {
        entries.push(Entry::Status(catalogue.text("tray.simulated")));
    }
    entries.extend([
        Entry::Separator,
        item(Action::SetTime, "tray.set_time", can_set_time(state)),
        Entry::Switch {
            action: Action::SwitchServer,
            text: server_text(server, catalogue),
            on: is_on(server),
        },
        item(Action::Open, "tray.open", true),
        Entry::Separator,
        item(Action::Quit, "tray.quit", true),
    ]);
    entries
}

/// The icon's tooltip.
pub(crate) fn tooltip(state: &AppState, catalogue: &Catalogue) -> String {
    format!("Regie: {}", status(state, catalogue))
}

/// The one line that says how the clock is.
fn status(state: &AppState, catalogue: &Catalogue) -> String {
    catalogue.text(match &state.clock.link {
        LinkView::Unavailable { .. } => "tray.status.unavailable",
        LinkView::Asleep => "tray.status.asleep",
        LinkView::Listening { .. } => "tray.status.listening",
        LinkView::Connecting => "tray.status.connecting",
        LinkView::Connected => "tray.status.connected",
        LinkView::Sending => "tray.status.sending",
        LinkView::Refreshing { .. } => "tray.status.refreshing",
    })
}

/// What the switch of the agents' server says: where it listens, or that it could not.
fn server_text(server: &ServerState, catalogue: &Catalogue) -> String {
    match server {
        ServerState::On { addresses } => match addresses.first() {
            Some(address) => catalogue
                .text("tray.agents.on")
                .replace("{address}", address),
            None => catalogue.text("tray.agents"),
        },
        ServerState::Failed { .. } => catalogue.text("tray.agents.failed"),
        ServerState::Off | ServerState::Starting | ServerState::Stopping => {
            catalogue.text("tray.agents")
        }
    }
}

/// Whether the server is on, or is about to be.
pub(crate) fn is_on(server: &ServerState) -> bool {
    matches!(server, ServerState::On { .. } | ServerState::Starting)
}

/// Not before the person has said which devices there are, nor while the clock is busy.
fn can_set_time(state: &AppState) -> bool {
    let chosen = state.demo_forced || state.settings.devices.is_some();
    let busy = state
        .clock
        .operation
        .as_ref()
        .is_some_and(|operation| operation.outcome.is_none());
    chosen && !busy
}

#[cfg(test)]
mod tests {
    use regie_engine::{
        ClockState, Devices, Estimate, Locale, Operation, OperationKind, Progress, SecretsState,
        Settings, Stage, Unsupported,
    };

    use super::*;

    fn state() -> AppState {
        AppState {
            version: "0".into(),
            locale: Locale::En,
            zone: "UTC".into(),
            simulated: false,
            demo_forced: false,
            clock: ClockState {
                chosen: None,
                link: LinkView::Asleep,
                operation: None,
                scanning: false,
                nearby: Vec::new(),
                shown_slot: None,
                host_calendar: None,
                time_set: None,
                quiet_hours: None,
                unsupported: Unsupported::default(),
                estimate: Estimate {
                    send_seconds: 8,
                    refresh_seconds: 25,
                },
            },
            slots: vec![None; 4],
            settings: Settings {
                devices: Some(Devices::Bluetooth),
                ..Settings::default()
            },
            warnings: Vec::new(),
            tokens: Vec::new(),
            secrets: SecretsState::Keyring,
        }
    }

    fn enabled(state: &AppState, wanted: Action) -> bool {
        let entries = menu(state, &ServerState::Off, Catalogue::of(state.locale));
        entries.iter().any(
            |entry| matches!(entry, Entry::Item { action, enabled: true, .. } if *action == wanted),
        )
    }

    #[test]
    fn every_action_is_offered_once_in_every_language_with_a_text_of_its_own() {
        for locale in [Locale::En, Locale::Fr, Locale::Zh] {
            let entries = menu(&state(), &ServerState::Off, Catalogue::of(locale));
            for wanted in Action::ALL {
                let texts: Vec<_> = entries
                    .iter()
                    .filter_map(|entry| match entry {
                        Entry::Item { action, text, .. } | Entry::Switch { action, text, .. }
                            if *action == wanted =>
                        {
                            Some(text)
                        }
                        _ => None,
                    })
                    .collect();
                assert_eq!(texts.len(), 1, "{wanted:?}");
                assert!(
                    !texts[0].starts_with("tray."),
                    "{} is untranslated",
                    texts[0]
                );
                assert_eq!(Action::of_id(wanted.id()), Some(wanted));
            }
        }
    }

    #[test]
    fn simulated_devices_are_named_in_the_menu() {
        let real = menu(&state(), &ServerState::Off, Catalogue::of(Locale::En));
        let simulated = AppState {
            simulated: true,
            ..state()
        };
        let entries = menu(&simulated, &ServerState::Off, Catalogue::of(Locale::En));
        assert_eq!(entries.len(), real.len() + 1);
        assert!(entries.contains(&Entry::Status("Simulated devices".into())));
    }

    #[test]
    fn the_time_can_be_set_only_when_devices_are_chosen_and_the_clock_is_free() {
        let mut state = state();
        assert!(enabled(&state, Action::SetTime));
        state.settings.devices = None;
        assert!(!enabled(&state, Action::SetTime));
        state.demo_forced = true;
        assert!(enabled(&state, Action::SetTime));
        state.clock.operation = Some(Operation {
            id: 1,
            kind: OperationKind::Show,
            slot: Some(0),
            progress: Progress {
                stage: Stage::Sending,
                packets_done: 63,
                packets_total: 127,
                bytes_per_second: None,
                seconds_left: None,
            },
            outcome: None,
        });
        assert!(!enabled(&state, Action::SetTime));
        // UI-4: whatever happens, Regie can be quit.
        assert!(enabled(&state, Action::Quit));
    }

    #[test]
    fn the_switch_of_the_server_shows_what_it_is_and_where() {
        let fault = regie_engine::Fault::from(regie_engine::EngineError::Closing);
        let addresses = vec!["http://127.0.0.1:8790/mcp".to_owned()];
        for (server, on) in [
            (ServerState::Off, false),
            (ServerState::Starting, true),
            (ServerState::On { addresses }, true),
            (ServerState::Stopping, false),
            (ServerState::Failed { fault }, false),
        ] {
            for locale in [Locale::En, Locale::Fr, Locale::Zh] {
                let entries = menu(&state(), &server, Catalogue::of(locale));
                let switch = entries.iter().find_map(|entry| match entry {
                    Entry::Switch { text, on, .. } => Some((text, *on)),
                    _ => None,
                });
                let (text, shown) = switch.unwrap();
                assert_eq!(shown, on, "{server:?}");
                assert!(
                    !text.contains(['{', '}']) && !text.starts_with("tray."),
                    "{text}"
                );
                if let ServerState::On { addresses } = &server {
                    assert!(text.contains(&addresses[0]), "{text}");
                }
            }
        }
    }
}
