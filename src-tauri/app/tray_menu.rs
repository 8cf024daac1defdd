//! The tray's menu as a pure function of the state.

use regie_engine::{AppState, LinkView, Stage};

use crate::catalogue::Catalogue;

/// What a menu entry does when chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Sets the clock to this computer's time.
    SetTime,
    /// Shows the window.
    Open,
    /// Ends Regie.
    Quit,
}

impl Action {
    /// Every action.
    pub const ALL: [Self; 3] = [Self::SetTime, Self::Open, Self::Quit];

    /// The stable name of the entry.
    pub fn id(self) -> &'static str {
        match self {
            Self::SetTime => "set-time",
            Self::Open => "open",
            Self::Quit => "quit",
        }
    }

    /// The action of an entry's name.
    pub fn of_id(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|action| action.id() == id)
    }
}

/// One line of the menu.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Entry {
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
    /// A rule between groups.
    Separator,
}

/// The menu for a state.
pub fn menu(state: &AppState, catalogue: &Catalogue) -> Vec<Entry> {
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
        item(Action::Open, "tray.open", true),
        Entry::Separator,
        item(Action::Quit, "tray.quit", true),
    ]);
    entries
}

/// The one line that says how the clock is.
pub fn status(state: &AppState, catalogue: &Catalogue) -> String {
    let key = match &state.clock.link {
        LinkView::Unavailable { .. } => "tray.status.unavailable",
        LinkView::Asleep => "tray.status.asleep",
        LinkView::Listening { .. } => "tray.status.listening",
        LinkView::Connecting => "tray.status.connecting",
        LinkView::Connected => "tray.status.connected",
        LinkView::Sending => "tray.status.sending",
        LinkView::Refreshing { .. } => "tray.status.refreshing",
    };
    let (done, total) = state
        .clock
        .operation
        .as_ref()
        .filter(|operation| operation.progress.stage == Stage::Sending)
        .map_or((0, 0), |operation| {
            (
                operation.progress.packets_done,
                operation.progress.packets_total,
            )
        });
    catalogue.filled(
        key,
        &[("done", &done.to_string()), ("total", &total.to_string())],
    )
}

fn can_set_time(state: &AppState) -> bool {
    let busy = state
        .clock
        .operation
        .as_ref()
        .is_some_and(|operation| operation.outcome.is_none());
    state.settings.devices.is_some() && !busy
        || state.demo_forced && !busy
}
