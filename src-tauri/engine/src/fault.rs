//! Failures and remarks in the form every door shows them: code, sentence, hint, values.

use std::collections::BTreeMap;

use regie_clock::ClockError;
use regie_imaging::ImagingError;
use serde::{Deserialize, Serialize};

use crate::error::EngineError;

/// A failure as a person, a log or an agent is told it.
///
/// `message` and `hint` are English; a catalogue translates by `code` and fills in `params`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
pub struct Fault {
    /// Stable name of the failure, kebab-case.
    pub code: String,
    /// The code of the clock tools' contract, such as `CONNECT_TIMEOUT`.
    pub agent_code: String,
    /// What happened, a sentence.
    pub message: String,
    /// What to do next, a sentence.
    pub hint: String,
    /// Values of the sentence's placeholders.
    pub params: BTreeMap<String, String>,
}

impl From<&EngineError> for Fault {
    fn from(error: &EngineError) -> Self {
        Self {
            code: error.code().into(),
            agent_code: error.agent_code().into(),
            message: error.to_string(),
            hint: error.hint(),
            params: named(error.params()),
        }
    }
}

impl From<EngineError> for Fault {
    fn from(error: EngineError) -> Self {
        Self::from(&error)
    }
}

impl From<ClockError> for Fault {
    fn from(error: ClockError) -> Self {
        EngineError::from(error).into()
    }
}

impl From<ImagingError> for Fault {
    fn from(error: ImagingError) -> Self {
        EngineError::from(error).into()
    }
}

/// Something worth knowing about a result: "Turned by EXIF".
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
pub struct Note {
    /// Stable name of the remark, kebab-case.
    pub code: String,
    /// The remark in English.
    pub message: String,
    /// Values of the remark's placeholders.
    pub params: BTreeMap<String, String>,
}

impl From<&regie_imaging::Note> for Note {
    fn from(note: &regie_imaging::Note) -> Self {
        Self {
            code: note.code().into(),
            message: note.to_string(),
            params: named(note.params()),
        }
    }
}

pub(crate) fn named(params: Vec<(&'static str, String)>) -> BTreeMap<String, String> {
    params
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value))
        .collect()
}
