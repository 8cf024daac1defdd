//! What the command line says when it could not do its job.

use std::fmt;
use std::path::Path;

use regie_engine::{EngineError, Fault, ImagingError, Outcome};
use regie_mcp::LocalError;
use serde_json::{Value, json};

use crate::owning::NoEngine;

/// A failure and where it is to be told.
#[derive(Debug)]
pub(crate) struct Failure {
    fault: Box<Fault>,
    /// The tool's name, where the answer was asked for as JSON.
    tool: Option<&'static str>,
}

impl Failure {
    fn own(code: &str, message: String, hint: &str) -> Self {
        Self::from(Fault {
            code: code.into(),
            agent_code: "INTERNAL".into(),
            message,
            hint: hint.into(),
            params: Default::default(),
        })
    }

    /// A window cannot be shown here.
    pub(crate) fn no_display() -> Self {
        Self::own(
            "no-display",
            "This machine has no display, so no window can be shown.".into(),
            "Start it from a desktop session, or under a virtual display: xvfb-run -a regie. \
             The command line needs none: regie image --help, regie clock --help.",
        )
    }

    /// The first word is neither a command nor a picture.
    pub(crate) fn no_such_thing(word: &Path) -> Self {
        Self::argument(
            format!(
                "\"{}\" is neither a command of Regie nor a file that is there.",
                word.display()
            ),
            "regie --help lists the commands.",
        )
    }

    /// The window system failed.
    #[allow(clippy::needless_pass_by_value, reason = "the form map_err asks for")]
    pub(crate) fn window(error: tauri::Error) -> Self {
        Self::own(
            "window-failed",
            format!("The window could not be made: {error}."),
            "On Linux, check that WebKitGTK 4.1 is installed; on Windows, WebView2.",
        )
    }

    /// A result could not be written.
    pub(crate) fn unwritable(path: &Path, error: &std::io::Error) -> Self {
        Self::own(
            "file-unwritable",
            format!("{} could not be written: {error}.", path.display()),
            "Check the folder, the disk's free space and your rights.",
        )
    }

    /// What was to be erased is still there.
    pub(super) fn unremovable(path: &Path, error: &std::io::Error) -> Self {
        Self::own(
            "folder-unremovable",
            format!("{} could not be removed: {error}.", path.display()),
            "Close what uses files in it, and try again.",
        )
    }

    /// A result was to be written to a pipe, a device or a folder.
    pub(super) fn no_plain_file(path: &Path) -> Self {
        let mut failure = Self::own(
            "file-unwritable",
            format!(
                "\"{}\" is not a plain file, so nothing is written to it.",
                path.display()
            ),
            "Name a new file, or one that may be replaced.",
        );
        failure.fault.agent_code = "INVALID_PARAM".into();
        failure
    }

    /// The simulated clock's screen could not be made into a picture.
    #[allow(clippy::needless_pass_by_value, reason = "the form map_err asks for")]
    pub(crate) fn screen(error: regie_sim::ScreenError) -> Self {
        Self::own(
            "screen-failed",
            error.to_string(),
            "Try again without --screen.",
        )
    }

    /// A diagnosis that a person broke off.
    pub(crate) fn interrupted() -> Self {
        Self::own(
            "cancelled",
            "Stopped.".into(),
            "Nothing on the clock was changed.",
        )
    }

    /// Another process has the engine and cannot be talked to.
    pub(super) fn local(error: &LocalError) -> Self {
        Self::own(error.code(), error.to_string(), error.hint())
    }

    /// Agents of the network would be let in by nothing.
    pub(super) fn no_token() -> Self {
        Self::own(
            "no-token",
            "There is no token yet, so that agents on the network cannot be let in.".into(),
            "Make one with regie mcp token --new kitchen (without a keyring: \
             REGIE_SECRETS_FILE=FILE regie mcp token --new kitchen, and the same variable here), or \
             start this with PPCLOCK_MCP_TOKEN set.",
        )
    }

    /// A token that was made for the server is forgotten with it, so that no agent can be set up.
    pub(super) fn no_lasting_token() -> Self {
        Self::own(
            "no-token",
            "There is no token that an agent could show, and no keyring to keep one in.".into(),
            "Keep one in a file of your own, which is made where there is none: \
             REGIE_SECRETS_FILE=FILE regie mcp token --new kitchen, then start this with the same \
             REGIE_SECRETS_FILE. Or start it with PPCLOCK_MCP_TOKEN set and give the same to your \
             agents.",
        )
    }

    /// The window has the engine, and with it the server.
    pub(super) fn server_in_window() -> Self {
        Self::own(
            "does-not-yield",
            "Regie's window is open with this data folder.".into(),
            "Switch the server on there, in Agents or in the tray, or quit Regie first.",
        )
    }

    /// Each engine that was talked to went at once.
    pub(super) fn no_engine_stays() -> Self {
        Self::own(
            "engine-goes",
            "Every attempt to talk to Regie's engine ended at once.".into(),
            "Start Regie's window, and this again; REGIE_LOG=debug says more.",
        )
    }

    /// An argument that no type could refuse.
    pub(crate) fn argument(message: String, hint: &str) -> Self {
        let mut failure = Self::own("argument", message, hint);
        failure.fault.agent_code = "INVALID_PARAM".into();
        failure
    }

    /// An operation that was not done.
    pub(crate) fn of_outcome(outcome: &Outcome) -> Option<Self> {
        match outcome {
            Outcome::Done { .. } => None,
            Outcome::Failed { fault, .. } | Outcome::Unknown { fault, .. } => {
                Some(Self::from(fault.clone()))
            }
            Outcome::Cancelled { .. } => Some(Self::own(
                "cancelled",
                "Stopped.".into(),
                "The clock keeps what it showed, or part of the picture until the next one.",
            )),
        }
    }

    /// The same failure, told as the JSON object of `tool` where `as_json`.
    #[must_use]
    pub(crate) fn told(mut self, tool: &'static str, as_json: bool) -> Self {
        self.tool = as_json.then_some(tool);
        self
    }

    /// The object of the clock tools' output contract, where it was asked for.
    pub(crate) fn as_json(&self) -> Option<Value> {
        self.tool.map(|tool| {
            json!({
                "ok": false,
                "tool": tool,
                "error": {
                    "code": self.fault.agent_code,
                    "message": self.fault.message,
                    "hint": self.fault.hint,
                },
            })
        })
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} {}", self.fault.message, self.fault.hint)
    }
}

impl From<Fault> for Failure {
    fn from(fault: Fault) -> Self {
        Self {
            fault: Box::new(fault),
            tool: None,
        }
    }
}

impl From<EngineError> for Failure {
    fn from(error: EngineError) -> Self {
        Self::from(Fault::from(error))
    }
}

impl From<NoEngine> for Failure {
    fn from(error: NoEngine) -> Self {
        match error {
            NoEngine::Engine(error) => error.into(),
            NoEngine::Kept(error) => Self::local(&error),
        }
    }
}

impl From<ImagingError> for Failure {
    fn from(error: ImagingError) -> Self {
        Self::from(Fault::from(error))
    }
}
