//! The door as a named pipe.

use std::io;
use std::time::Duration;

use tokio::net::windows::named_pipe::{ClientOptions, NamedPipeServer, ServerOptions};
use tokio::time::{sleep, timeout};

use super::{LocalError, Place, Stream};

/// `ERROR_PIPE_BUSY`: every instance is taken, and the next one is being made.
const BUSY: i32 = 231;

/// The pause before a busy pipe is tried again.
const PAUSE: Duration = Duration::from_millis(20);

/// How long a pipe may be busy: whoever listens makes an instance as soon as one is taken.
const PATIENCE: Duration = Duration::from_secs(2);

/// Listens at a place. The system's own rules for pipes let only the same user, administrators and
/// the system write to it, and no greeting can be said without writing.
pub(super) struct Listener {
    place: Place,
    /// Waits for the next one who comes.
    free: NamedPipeServer,
}

impl Listener {
    /// Listens; nobody else may be listening there.
    pub(super) async fn bind(place: &Place) -> Result<Self, LocalError> {
        let free = instance(place, true).map_err(|source| match source.kind() {
            io::ErrorKind::PermissionDenied => LocalError::Taken {
                place: place.to_string(),
            },
            _ => LocalError::Unusable {
                place: place.to_string(),
                source,
            },
        })?;
        Ok(Self {
            place: place.clone(),
            free,
        })
    }

    /// The next one who comes.
    pub(super) async fn accept(&mut self) -> io::Result<Stream> {
        self.free.connect().await?;
        let next = instance(&self.place, false)?;
        Ok(Box::new(std::mem::replace(&mut self.free, next)))
    }
}

fn instance(place: &Place, first: bool) -> io::Result<NamedPipeServer> {
    ServerOptions::new()
        .first_pipe_instance(first)
        .reject_remote_clients(true)
        .create(place.path())
}

/// Connects to whoever listens at a place.
pub(super) async fn connect(place: &Place) -> Result<Stream, LocalError> {
    let opening = async {
        loop {
            match ClientOptions::new().open(place.path()) {
                Err(error) if error.raw_os_error() == Some(BUSY) => sleep(PAUSE).await,
                opened => return opened,
            }
        }
    };
    match timeout(PATIENCE, opening).await {
        Ok(Ok(pipe)) => Ok(Box::new(pipe)),
        Ok(Err(error)) if error.kind() == io::ErrorKind::NotFound => Err(LocalError::Nobody),
        Ok(Err(source)) => Err(LocalError::Unusable {
            place: place.to_string(),
            source,
        }),
        Err(_) => Err(LocalError::Unusable {
            place: place.to_string(),
            source: io::ErrorKind::TimedOut.into(),
        }),
    }
}
