//! What the engine itself can fail at; faults of the clock and of pictures pass through it.

use std::path::PathBuf;

use regie_clock::ClockError;
use regie_imaging::ImagingError;
use regie_room::{DeviceId, ErrorClass, RoomError};
use rusqlite::ErrorCode;
use thiserror::Error;

use crate::secrets::SecretsError;
use crate::tokens::TokenError;

/// A failure of the engine.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum EngineError {
    /// Another process owns the data folder.
    #[error("Regie is already running.")]
    AlreadyRunning {
        /// The folder that is in use.
        folder: PathBuf,
    },
    /// The folder for settings or data cannot be made or used.
    #[error("The folder {path} cannot be used: {detail}.")]
    FolderUnusable {
        /// The folder.
        path: PathBuf,
        /// What the system said.
        detail: String,
    },
    /// `settings.toml` is not what it should be.
    #[error("The settings file {path} cannot be read: {detail}")]
    SettingsUnreadable {
        /// The file.
        path: PathBuf,
        /// What is wrong, and where.
        detail: String,
    },
    /// `settings.toml` cannot be written.
    #[error("The settings file {path} cannot be written: {detail}.")]
    SettingsUnwritable {
        /// The file.
        path: PathBuf,
        /// What the system said.
        detail: String,
    },
    /// The database failed.
    #[error("Regie's database failed: {detail}.")]
    Store {
        /// What SQLite said.
        detail: String,
    },
    /// Another program keeps the database to itself, such as a viewer or a backup.
    #[error("Another program is using Regie's database.")]
    StoreBusy,
    /// The database was written by a newer version.
    #[error("Regie's database was written by a newer version of Regie.")]
    StoreNewer,
    /// A picture that was never opened, or was closed since.
    #[error("That picture is not open any more.")]
    PictureNotOpen,
    /// A picture file in a folder that agents may not read.
    #[error("Agents may not read pictures from the folder {folder}.")]
    PictureFolder {
        /// The folder as it was asked for.
        folder: String,
    },
    /// A path that depends on where a program was started, which an agent cannot know.
    #[error("\"{path}\" is neither a whole path nor a picture as base64.")]
    PicturePathPartial {
        /// What was given.
        path: String,
    },
    /// The work on a picture broke down.
    #[error("Something went wrong with that picture.")]
    PictureLost,
    /// A slot outside 0..=3.
    #[error("There is no slot {slot}.")]
    NoSuchSlot {
        /// The slot asked for.
        slot: u8,
    },
    /// A slot that holds nothing.
    #[error("Slot {slot} is empty.")]
    SlotEmpty {
        /// The slot asked for.
        slot: u8,
    },
    /// What the clock shows is not known.
    #[error("Which picture the clock shows is not known.")]
    ShownUnknown,
    /// Planes of a size that the clock has no panel for.
    #[error("The clock has no panel of {width}x{height} pixels.")]
    PanelUnknown {
        /// Width in pixels.
        width: u16,
        /// Height in pixels.
        height: u16,
    },
    /// A simulated clock's screen was asked for while devices are real.
    #[error("The clock is a real one: its screen cannot be read back.")]
    NotSimulated,
    /// The engine was stopped.
    #[error("Regie is closing.")]
    Closing,
    /// A token that cannot be made, changed or shown.
    #[error(transparent)]
    Token(#[from] TokenError),
    /// Secrets that cannot be kept or read.
    #[error(transparent)]
    Secrets(#[from] SecretsError),
    /// A failure of the clock.
    #[error(transparent)]
    Clock(#[from] ClockError),
    /// A device of `ZACUS_DEVICES` that cannot be used.
    #[error("The variable ZACUS_DEVICES cannot be read: {detail}.")]
    GivenDevices {
        /// What is wrong; no token is in it.
        detail: String,
    },
    /// A device of the environment was to be changed.
    #[error("{id} comes from the variable ZACUS_DEVICES, and Regie cannot change it.")]
    GivenDevice {
        /// Which.
        id: DeviceId,
    },
    /// A failure of a device of the room.
    #[error(transparent)]
    Room(#[from] RoomError),
    /// A picture that cannot be used.
    #[error(transparent)]
    Imaging(#[from] ImagingError),
}

impl EngineError {
    /// The stable name of this failure.
    pub fn code(&self) -> &'static str {
        match self {
            Self::AlreadyRunning { .. } => "already-running",
            Self::FolderUnusable { .. } => "folder-unusable",
            Self::SettingsUnreadable { .. } => "settings-unreadable",
            Self::SettingsUnwritable { .. } => "settings-unwritable",
            Self::Store { .. } => "store-failed",
            Self::StoreBusy => "store-busy",
            Self::StoreNewer => "store-newer",
            Self::PictureNotOpen => "picture-not-open",
            Self::PictureFolder { .. } => "picture-folder",
            Self::PicturePathPartial { .. } => "picture-path-partial",
            Self::PictureLost => "picture-lost",
            Self::NoSuchSlot { .. } => "no-such-slot",
            Self::SlotEmpty { .. } => "slot-empty",
            Self::ShownUnknown => "shown-unknown",
            Self::PanelUnknown { .. } => "panel-unknown",
            Self::NotSimulated => "not-simulated",
            Self::Closing => "closing",
            Self::Token(error) => error.code(),
            Self::Secrets(error) => error.code(),
            Self::Clock(error) => error.code(),
            Self::Imaging(error) => error.code(),
            Self::GivenDevices { .. } => "given-devices",
            Self::GivenDevice { .. } => "given-device",
            Self::Room(error) => error.code(),
        }
    }

    /// What to do next.
    pub fn hint(&self) -> String {
        match self {
            Self::AlreadyRunning { .. } => {
                "Use its window, which the tray opens, or quit it first; if it is another command, wait for its end.".into()
            }
            Self::FolderUnusable { .. } | Self::SettingsUnwritable { .. } => {
                "Check that the disk is not full and that you may write there.".into()
            }
            Self::SettingsUnreadable { .. } => {
                "Correct the file, or delete it to start from the defaults.".into()
            }
            Self::Store { .. } => {
                "Check that the disk is not full and start Regie again. If it stays, keep a copy of regie.db elsewhere and remove it: pictures in slots and the journal are in it.".into()
            }
            Self::StoreBusy => {
                "Close what has regie.db open, such as a viewer, or wait for the end of a backup, and try again.".into()
            }
            Self::StoreNewer => "Update Regie, or use another data folder.".into(),
            Self::PictureNotOpen => "Open the picture again.".into(),
            Self::PictureFolder { .. } => {
                "Add the folder in the Agents view or to picture_folders in settings.toml, or send the picture as base64.".into()
            }
            Self::PicturePathPartial { .. } => {
                "Give the whole path, such as /home/ana/cat.jpg; ~ and paths from a folder are not followed.".into()
            }
            Self::PictureLost => "Open it again; if that does not help, save it as PNG in another program first.".into(),
            Self::NoSuchSlot { .. } => "Slots are numbered 0 to 3.".into(),
            Self::SlotEmpty { .. } => "Show a picture in this slot first.".into(),
            Self::ShownUnknown => "Show a picture of a slot first.".into(),
            Self::PanelUnknown { .. } => "Prepare the picture as full or small.".into(),
            Self::NotSimulated => "Look at the clock itself.".into(),
            Self::Closing => "Start Regie again.".into(),
            Self::Token(error) => error.hint().into(),
            Self::Secrets(error) => error.hint().into(),
            Self::Clock(error) => error.hint().to_string(),
            Self::Imaging(error) => error.hint().to_string(),
            Self::GivenDevices { .. } => {
                "Write it as [{\"id\": \"zacus-main\", \"host\": \"192.168.0.50\", \"port\": 8080, \"token\": \"...\"}] and start Regie again.".into()
            }
            Self::GivenDevice { .. } => {
                "Change or remove it in the variable, where Regie is started, and start Regie again.".into()
            }
            Self::Room(error) => error.hint().into(),
        }
    }

    /// The values in the sentence, for a translated one.
    pub fn params(&self) -> Vec<(&'static str, String)> {
        let path = |path: &PathBuf| ("path", path.display().to_string());
        match self {
            Self::FolderUnusable { path: at, detail }
            | Self::SettingsUnreadable { path: at, detail }
            | Self::SettingsUnwritable { path: at, detail } => {
                vec![path(at), ("detail", detail.clone())]
            }
            Self::AlreadyRunning { folder } => vec![path(folder)],
            Self::PictureFolder { folder } => vec![("folder", folder.clone())],
            Self::PicturePathPartial { path } => vec![("path", path.clone())],
            Self::Store { detail } => vec![("detail", detail.clone())],
            Self::NoSuchSlot { slot } | Self::SlotEmpty { slot } => {
                vec![("slot", slot.to_string())]
            }
            Self::PanelUnknown { width, height } => {
                vec![("width", width.to_string()), ("height", height.to_string())]
            }
            Self::StoreBusy
            | Self::StoreNewer
            | Self::PictureLost
            | Self::PictureNotOpen
            | Self::ShownUnknown
            | Self::NotSimulated
            | Self::Closing => Vec::new(),
            Self::Token(error) => error.params(),
            Self::Secrets(error) => error.params(),
            Self::Clock(error) => error.params(),
            Self::Imaging(error) => error.params(),
            Self::GivenDevices { detail } => vec![("detail", detail.clone())],
            Self::GivenDevice { id } => vec![("id", id.to_string())],
            Self::Room(error) => error.params(),
        }
    }

    /// The code an agent is given: one of the small set of the clock tools' contract.
    pub fn agent_code(&self) -> &'static str {
        match self {
            Self::NoSuchSlot { .. }
            | Self::SlotEmpty { .. }
            | Self::PictureNotOpen
            | Self::PictureFolder { .. }
            | Self::PicturePathPartial { .. }
            | Self::ShownUnknown
            | Self::PanelUnknown { .. }
            | Self::Imaging(_) => "INVALID_PARAM",
            Self::Clock(error) => error.agent_code().as_str(),
            Self::Room(error) => match error.class() {
                ErrorClass::Invalid => "INVALID_PARAM",
                ErrorClass::Unreachable => "DEVICE_NOT_FOUND",
                ErrorClass::Busy
                | ErrorClass::Auth
                | ErrorClass::Conflict
                | ErrorClass::Internal => "INTERNAL",
            },
            _ => "INTERNAL",
        }
    }
}

impl From<rusqlite::Error> for EngineError {
    fn from(error: rusqlite::Error) -> Self {
        match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Self::StoreBusy,
            _ => Self::Store {
                detail: error.to_string(),
            },
        }
    }
}
