//! What a device is shown to let a request in.

use std::fmt;

use zeroize::Zeroizing;

/// A device's token, or `user:password` where its firmware asks for those. No log, error or state
/// shows it; its memory is cleared when it goes.
#[derive(Clone, PartialEq, Eq)]
pub struct Token(Zeroizing<String>);

impl Token {
    /// The text, for the request that carries it.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl From<String> for Token {
    fn from(text: String) -> Self {
        Self(Zeroizing::new(text))
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Token(…)")
    }
}
