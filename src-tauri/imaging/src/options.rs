use serde::{Deserialize, Serialize};

use crate::{Adjust, Algorithm, Palette, Panel};

/// Everything that decides how a picture is turned into planes.
#[derive(Clone, Copy, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename = "PictureOptions"))]
pub struct Options {
    /// The dithering method.
    pub algorithm: Algorithm,
    /// The inks that may be used.
    pub palette: Palette,
    /// Fit, tone and the rest.
    pub adjust: Adjust,
}

impl Options {
    /// The panel these options are for.
    #[must_use]
    pub const fn panel(&self) -> Panel {
        self.adjust.size.panel()
    }
}
