//! What a diagnosis found, in the form that doors show and reports hold.

mod private;
mod program;
mod report;

use regie_clock::ClockError;
use regie_clock::diagnosis::{self, Concern, Finding, Step};
use serde::Serialize;

pub(crate) use program::Program;

use crate::fault::{Fault, Note};

/// How a check ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// It works.
    Ok,
    /// It works, but something about it may explain trouble.
    Warning,
    /// It does not work.
    Failed,
    /// What it depends on does not work.
    NotReached,
}

/// One check, made.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DiagnosisStep {
    /// Its stable name, kebab-case: `program`, then those of
    /// [`Check`](regie_clock::diagnosis::Check), in order.
    pub check: &'static str,
    /// How it ended.
    pub verdict: Verdict,
    /// What was found.
    pub found: Option<Note>,
    /// What is wrong and what to do, for a warning or a failure.
    pub fault: Option<Fault>,
    /// How long it took, in milliseconds.
    pub took_ms: u64,
}

impl DiagnosisStep {
    pub(crate) fn of_program(program: &Program) -> Self {
        let concern = program.concern();
        Self {
            check: "program",
            verdict: match concern {
                Some(_) => Verdict::Warning,
                None => Verdict::Ok,
            },
            found: Some(program.note()),
            fault: concern.as_ref().map(of_concern),
            took_ms: 0,
        }
    }
}

impl From<&Step> for DiagnosisStep {
    fn from(step: &Step) -> Self {
        use diagnosis::Verdict as Found;

        let (verdict, found, fault) = match &step.verdict {
            Found::Fine(found) => (Verdict::Ok, Some(found), None),
            Found::Warning(found, concern) => {
                (Verdict::Warning, Some(found), Some(of_concern(concern)))
            }
            Found::Failed(error, found) => (Verdict::Failed, found.as_ref(), Some(of_error(error))),
            Found::NotReached => (Verdict::NotReached, None, None),
        };
        Self {
            check: step.check.name(),
            verdict,
            found: found.map(note),
            fault,
            took_ms: u64::try_from(step.took.as_millis()).unwrap_or(u64::MAX),
        }
    }
}

fn note(finding: &Finding) -> Note {
    Note {
        code: finding.code().into(),
        message: finding.to_string(),
        params: crate::fault::named(finding.params()),
    }
}

fn of_error(error: &ClockError) -> Fault {
    error.clone().into()
}

fn of_concern(concern: &Concern) -> Fault {
    Fault {
        code: concern.code().into(),
        agent_code: "BLE_ERROR".into(),
        message: concern.to_string(),
        hint: concern.hint().into(),
        params: crate::fault::named(concern.params()),
    }
}

/// A diagnosis, finished.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Diagnosis {
    /// When it was made, RFC 3339.
    pub at: String,
    /// Every check, in order.
    pub steps: Vec<DiagnosisStep>,
    /// What else may matter, by name.
    pub details: Vec<(String, String)>,
}

impl Diagnosis {
    /// The first check that failed, which the rest depends on.
    #[must_use]
    pub fn failure(&self) -> Option<&DiagnosisStep> {
        self.steps
            .iter()
            .find(|step| step.verdict == Verdict::Failed)
    }

    /// Whether everything works, warnings or not.
    #[must_use]
    pub fn is_healthy(&self) -> bool {
        self.failure().is_none()
    }
}
