//! Pictures, from file or bytes to what the clock would show.

use std::path::Path;

use regie_imaging::{Options, Planes, Rgb8};

use super::{Engine, checked};
use crate::error::EngineError;
use crate::state::PictureInfo;
use crate::studio::{Rendering, Thumbnails};

impl Engine {
    /// Opens a picture file.
    ///
    /// # Errors
    /// [`EngineError::Imaging`] says what is wrong with it.
    pub async fn open_path(&self, path: &Path) -> Result<PictureInfo, EngineError> {
        self.shared.studio.open_path(path).await
    }

    /// Opens a picture from its bytes.
    ///
    /// # Errors
    /// [`EngineError::Imaging`] says what is wrong with it.
    pub async fn open_bytes(
        &self,
        name: String,
        bytes: Vec<u8>,
    ) -> Result<PictureInfo, EngineError> {
        self.shared.studio.open_bytes(name, bytes).await
    }

    /// What the clock would show of an open picture.
    ///
    /// # Errors
    /// [`EngineError::PictureNotOpen`], [`EngineError::Imaging`].
    pub async fn render(&self, picture: u32, options: Options) -> Result<Rendering, EngineError> {
        let (_, rendering) = self.shared.studio.render(picture, options).await?;
        Ok(rendering)
    }

    /// An open picture at the panel's size, before dithering.
    ///
    /// # Errors
    /// [`EngineError::PictureNotOpen`], [`EngineError::Imaging`].
    pub async fn original(&self, picture: u32, options: Options) -> Result<Rgb8, EngineError> {
        self.shared.studio.original(picture, options).await
    }

    /// An open picture in each dithering method, small.
    ///
    /// # Errors
    /// [`EngineError::PictureNotOpen`], [`EngineError::Imaging`].
    pub async fn thumbnails(
        &self,
        picture: u32,
        options: Options,
    ) -> Result<Thumbnails, EngineError> {
        self.shared.studio.thumbnails(picture, options).await
    }

    /// The planes a slot holds.
    ///
    /// # Errors
    /// [`EngineError::NoSuchSlot`], [`EngineError::SlotEmpty`].
    pub async fn slot_planes(&self, slot: u8) -> Result<Planes, EngineError> {
        let slot = checked(slot)?;
        self.shared
            .store
            .run(move |store| store.slot_planes(slot))
            .await
    }
}
