//! Pictures that come with a request, as a path or in base64: decoded, drawn and let go, so that
//! no other picture has to make room.

use std::path::{Path, PathBuf};

use regie_imaging::{Format, Limits, Options, Panel, Picture, Source};

use super::{Engine, checked};
use crate::desk::Submitted;
use crate::error::EngineError;
use crate::order::Order;
use crate::permitted::PermittedFolders;
use crate::settings::Reach;
use crate::state::Sizes;
use crate::studio::Rendering;

impl Engine {
    /// Keeps a picture in a slot and shows it: a path on this machine, a data URI or bare base64.
    ///
    /// # Errors
    /// [`EngineError::NoSuchSlot`], and as [`Engine::preview_source`].
    pub async fn show_source(
        &self,
        order: impl Into<Order>,
        source: &str,
        reach: Reach,
        options: Options,
        slot: u8,
    ) -> Result<(Submitted, Sizes), EngineError> {
        let slot = checked(slot)?;
        let errand = self.errand(order.into()).await?;
        let (name, Rendering { planes, notes }) = self.drawn(source, reach, options).await?;
        let sizes = Sizes {
            bytes_bw: planes.black_white().len(),
            bytes_red: planes.red().len(),
            small: planes.panel() == Panel::SMALL,
        };
        let submitted = self.keep_and_show(errand, slot, name, planes).await?;
        Ok((Submitted { notes, ..submitted }, sizes))
    }

    /// What the clock would show of a picture: a path on this machine, a data URI or bare base64.
    ///
    /// # Errors
    /// [`EngineError::PictureFolder`] for a path that may not be read,
    /// [`EngineError::Imaging`] says what is wrong with the picture.
    pub async fn preview_source(
        &self,
        source: &str,
        reach: Reach,
        options: Options,
    ) -> Result<Rendering, EngineError> {
        Ok(self.drawn(source, reach, options).await?.1)
    }

    /// The name and the planes of a picture.
    async fn drawn(
        &self,
        source: &str,
        reach: Reach,
        options: Options,
    ) -> Result<(String, Rendering), EngineError> {
        let source = source.to_owned();
        let folders = {
            let state = self.shared.state.borrow();
            PermittedFolders::new(&state.settings.agents.picture_folders, reach)
        };
        let open = move || opened(&source, &folders);
        self.shared.brought.render_once(open, options).await
    }
}

fn opened(source: &str, folders: &PermittedFolders) -> Result<(String, Picture), EngineError> {
    let limits = Limits::default();
    let source = Source::parse(source, &limits)?;
    let (name, source) = match source {
        Source::Path(path) => {
            let path = folders.permit(&path)?;
            (file_name(&path), Source::Path(path))
        }
        Source::Bytes(bytes) => (name_of(&bytes), Source::Bytes(bytes)),
    };
    Ok((name, source.load(&limits)?))
}

fn file_name(path: &Path) -> String {
    path.file_name()
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default()
}

/// What bytes without a name are called, as if they had been a file.
fn name_of(bytes: &[u8]) -> String {
    let extension = Format::sniff(bytes).map_or("", Format::name);
    let name = PathBuf::from("picture").with_extension(extension.to_ascii_lowercase());
    file_name(&name)
}
