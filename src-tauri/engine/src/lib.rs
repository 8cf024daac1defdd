//! The facade: everything the product can do is a method of [`Engine`], and every door (window,
//! command line, later agents and a dashboard) is a thin layer over it.
//!
//! The engine composes the clock and the picture pipeline, and adds what lasts: settings, the
//! journal, picture slots, what is known of the clock. [`AppState`] is the whole state as one
//! plain value, published on every change.

mod composition;
mod convert;
mod desk;
mod diagnosis;
mod engine;
mod error;
mod fault;
mod frame;
mod memory;
mod mode;
mod no_adapter;
mod opening;
mod profile_file;
mod settings;
mod small_file;
mod state;
mod store;
mod studio;
mod zones;

pub use composition::{
    Alignment, Composition, CountdownPlan, Lesson, TemplateInfo, TemplatePage, TextPage,
};
pub use desk::Submitted;
pub use diagnosis::{Diagnosis, DiagnosisStep, Verdict};
pub use engine::templates;
pub use engine::{DeviceSource, Engine, EngineConfig, Folders};
pub use error::EngineError;
pub use fault::{Fault, Note};
pub use frame::{Frame, FrameHeader};
pub use mode::Mode;
pub use settings::{Devices, InkLook, Language, Locale, Settings, Theme};
pub use small_file::{read_small_text, read_small_text_from};
pub use state::{
    AppState, ClockState, Door, Estimate, JournalEntry, JournalOutcome, KnownClock, Lack, LinkView,
    NearbyClock, Operation, OperationKind, Outcome, PictureInfo, Progress, QuietHoursSet, Report,
    SLOTS, Slot, TimeSet, Unsupported,
};
pub use studio::{Rendering, Thumbnails};
pub use zones::zones;

// What doors need of the crates below, so that they depend on the engine alone.
pub use regie_clock::{Channel, CountdownStyle, Face, Stage, Toggle};
pub use regie_imaging::{ImagingError, Options};
