//! The facade: everything the product can do is a method of [`Engine`], and every door (window,
//! command line, later agents and a dashboard) is a thin layer over it.
//!
//! The engine composes the clock and the picture pipeline, and adds what lasts: settings, the
//! journal, picture slots, what is known of the clock. [`AppState`] is the whole state as one
//! plain value, published on every change.

mod calls;
mod composition;
mod convert;
mod desk;
mod diagnosis;
mod engine;
mod error;
mod fault;
mod frame;
mod given_devices;
mod memory;
mod mode;
mod no_adapter;
mod opening;
mod order;
mod permitted;
mod profile_file;
mod room;
mod secrets;
mod settings;
mod small_file;
mod state;
mod store;
mod studio;
mod tokens;
mod zones;

pub use calls::JournalledCall;
pub use composition::{
    Alignment, Composition, CountdownPlan, Lesson, TemplateInfo, TemplatePage, TextPage,
};
pub use desk::Submitted;
pub use diagnosis::{Diagnosis, DiagnosisStep, Verdict};
pub use engine::templates;
pub use engine::{ClockStatus, DeviceSource, Engine, EngineConfig, Folders};
pub use error::EngineError;
pub use fault::{Fault, Note};
pub use frame::{Frame, FrameHeader};
pub use given_devices::GivenDevices;
pub use mode::Mode;
pub use order::{Caller, Order};
pub use room::{DeviceAnswer, DeviceForm, DevicePicture, RoomSource};
pub use secrets::{
    Keyring, SECRETS_FILE_VARIABLE, Secret, SecretStore, SecretsError, SecretsPlace,
};
pub use settings::{
    AgentSettings, DeviceSettings, Devices, InkLook, Language, Locale, Reach, RoomSettings,
    Settings, Theme,
};
pub use small_file::{read_small_text, read_small_text_from};
pub use state::{
    AccessToken, Action, AppState, ClockState, Door, Estimate, JournalEntry, JournalOutcome,
    KnownClock, Lack, LinkView, NearbyClock, Operation, OperationKind, Outcome, PictureInfo,
    Progress, QuietHoursSet, Report, SLOTS, SecretsState, Sizes, Slot, TimeSet, Unsupported,
};
pub use studio::{Rendering, Thumbnails};
pub use tokens::{GivenToken, MAX_TOKEN_NAME, MAX_TOKENS, MadeToken, TokenError};
pub use zones::zones;

// What doors need of the crates below, so that they depend on the engine alone.
pub use regie_clock::{Channel, CountdownStyle, Face, Stage, Toggle};
pub use regie_imaging::{
    Adjust, Algorithm, ImagingError, Inks, Options, Palette, Panel, Planes, preview_png,
};
pub use regie_room as rooms;
