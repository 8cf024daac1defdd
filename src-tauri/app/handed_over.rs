//! A picture that Regie was started with: typed after its name, chosen by *Open with*, or given to a
//! second start.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use tauri::{AppHandle, Emitter as _, Manager as _, Runtime};

/// The event that tells the window to ask for it.
const EVENT: &str = "handed-over";

/// The newest one, until the window takes it.
#[derive(Debug, Default)]
pub(crate) struct HandedOver(Mutex<Option<PathBuf>>);

impl HandedOver {
    /// Takes it; the next one asks in vain.
    pub(crate) fn take(&self) -> Option<PathBuf> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Whether there is one.
    pub(crate) fn is_some(&self) -> bool {
        let picture = self.0.lock();
        picture.unwrap_or_else(PoisonError::into_inner).is_some()
    }

    fn put(&self, picture: PathBuf) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(picture);
    }
}

/// Hands a picture over to the window; `folder` is where its path begins, where that is a relative
/// one.
pub(crate) fn hand_over<R: Runtime>(app: &AppHandle<R>, picture: &Path, folder: &Path) {
    app.state::<HandedOver>().put(folder.join(picture));
    // A window that is not there yet asks when it is.
    if let Err(error) = app.emit(EVENT, ()) {
        tracing::warn!(%error, "the window was not told of a picture");
    }
}
