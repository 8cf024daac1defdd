//! A text that must not be seen by chance.

use std::fmt;

use zeroize::Zeroizing;

/// A text that no log, error or state shows; its memory is cleared when it goes.
#[derive(Clone)]
pub struct Secret(Zeroizing<String>);

impl Secret {
    /// The text, for the one who asked for it.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// Length in bytes.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }
}

impl From<String> for Secret {
    fn from(text: String) -> Self {
        Self(Zeroizing::new(text))
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Secret(…)")
    }
}

impl fmt::Display for Secret {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("…")
    }
}
