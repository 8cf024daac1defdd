//! The door as a Unix socket. Each end asks the system whose the other is, so that neither a
//! folder that others may write to nor a stranger's socket in it lets anybody in.

use std::fs::{self, DirBuilder, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio::net::{UnixListener, UnixStream};
use tokio::time::timeout;

use super::{LocalError, Place, Stream};

/// How often to look whether the socket's file is still there: whoever comes without it waits for
/// this long, and looking costs next to nothing.
const LOOK: Duration = Duration::from_secs(5);

/// Listens at a place; the socket's file goes with it.
pub(super) struct Listener {
    listener: UnixListener,
    path: PathBuf,
    owner: u32,
}

impl Listener {
    /// Listens. What a process left there that ended without cleaning up is replaced, so that only
    /// the owner of the data folder may ask for this.
    pub(super) async fn bind(place: &Place) -> Result<Self, LocalError> {
        let path = place.path();
        if UnixStream::connect(path).await.is_ok() {
            return Err(LocalError::Taken {
                place: place.to_string(),
            });
        }
        bind(path).map_err(|source| LocalError::Unusable {
            place: place.to_string(),
            source,
        })
    }

    /// The next one who comes and is the owner. A file that somebody removed, such as a program
    /// that tidies up folders, is made anew: without it nobody can come.
    pub(super) async fn accept(&mut self) -> io::Result<Stream> {
        loop {
            let Ok(came) = timeout(LOOK, self.listener.accept()).await else {
                self.mend();
                continue;
            };
            let (stream, _) = came?;
            if stream.peer_cred()?.uid() == self.owner {
                return Ok(Box::new(stream));
            }
            tracing::warn!("another user of this computer was sent away");
        }
    }

    fn mend(&mut self) {
        let seen = fs::symlink_metadata(&self.path);
        if !seen.is_err_and(|error| error.kind() == io::ErrorKind::NotFound) {
            return;
        }
        match listen(&self.path) {
            Ok(listener) => {
                tracing::info!("the local door's file had been removed, and was made anew");
                self.listener = listener;
            }
            Err(error) => tracing::debug!(%error, "the local door's file cannot be made anew"),
        }
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        // One that cannot be removed is replaced by the next owner.
        let _left = fs::remove_file(&self.path);
    }
}

fn bind(path: &Path) -> io::Result<Listener> {
    let owner = this_user()?;
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    Ok(Listener {
        listener: listen(path)?,
        path: path.to_owned(),
        owner,
    })
}

/// Listens at a path where nothing is.
fn listen(path: &Path) -> io::Result<UnixListener> {
    if let Some(folder) = path.parent()
        && !folder.exists()
    {
        DirBuilder::new().mode(0o700).create(folder)?;
    }
    let listener = UnixListener::bind(path)?;
    fs::set_permissions(path, Permissions::from_mode(0o600))?;
    Ok(listener)
}

/// Connects to whoever listens at a place, if that is the same user.
pub(super) async fn connect(place: &Place) -> Result<Stream, LocalError> {
    let unusable = |source| LocalError::Unusable {
        place: place.to_string(),
        source,
    };
    let stream = match UnixStream::connect(place.path()).await {
        Ok(stream) => stream,
        Err(error) => {
            return Err(match error.kind() {
                io::ErrorKind::NotFound | io::ErrorKind::ConnectionRefused => LocalError::Nobody,
                _ => unusable(error),
            });
        }
    };
    let listens = stream.peer_cred().map_err(unusable)?.uid();
    if listens != this_user().map_err(unusable)? {
        return Err(unusable(io::ErrorKind::PermissionDenied.into()));
    }
    Ok(Box::new(stream))
}

/// The user this process runs as, as the system tells the other end of a connection.
fn this_user() -> io::Result<u32> {
    let (stream, _other) = UnixStream::pair()?;
    Ok(stream.peer_cred()?.uid())
}
