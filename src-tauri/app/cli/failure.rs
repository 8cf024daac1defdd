//! What the command line says when it could not do its job.

use std::fmt;
use std::path::Path;

use regie_engine::{EngineError, Fault, ImagingError, Outcome};
use serde_json::{Value, json};

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

impl From<ImagingError> for Failure {
    fn from(error: ImagingError) -> Self {
        Self::from(Fault::from(error))
    }
}
