//! The session id that a client is given: a label which says who it is, and nothing behind it.
//!
//! It is never unknown, so a client keeps working when the server was switched off and on again.

use std::sync::Arc;

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use http::{HeaderMap, HeaderName, HeaderValue};

use super::envelope::ClientInfo;

/// The header that carries it.
pub(super) const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");

/// Characters kept of a client's name.
const NAME_LENGTH: usize = 64;

/// Characters kept of its version.
const VERSION_LENGTH: usize = 24;

/// Bytes of a label: 32 digits, a dot, and 89 characters of four bytes in base64, rounded up.
const LABEL_LENGTH: usize = 512;

/// Makes a label for that client. The number tells two sessions of one client apart; it is no
/// secret, for every request shows a token.
pub(super) fn make(client: Option<&ClientInfo<'_>>) -> Option<HeaderValue> {
    let name = client.and_then(display).unwrap_or_default();
    let label = format!(
        "{:032x}.{}",
        fastrand::u128(..),
        BASE64_URL_SAFE_NO_PAD.encode(name)
    );
    HeaderValue::from_str(&label).ok()
}

/// The label that a request brings back, as it is.
pub(super) fn of(headers: &HeaderMap) -> Option<Arc<str>> {
    let label = headers.get(SESSION)?.to_str().ok()?;
    (label.len() <= LABEL_LENGTH).then(|| label.into())
}

/// The client's name in a label.
pub(super) fn name(label: &str) -> Option<String> {
    let (_, name) = label.split_once('.')?;
    let name = String::from_utf8(BASE64_URL_SAFE_NO_PAD.decode(name).ok()?).ok()?;
    clean(&name, NAME_LENGTH + 1 + VERSION_LENGTH)
}

/// A client's name with its version, fit to be shown.
pub(super) fn display(client: &ClientInfo<'_>) -> Option<String> {
    let name = clean(&client.name, NAME_LENGTH)?;
    Some(match clean(&client.version, VERSION_LENGTH) {
        Some(version) => format!("{name} {version}"),
        None => name,
    })
}

fn clean(text: &str, length: usize) -> Option<String> {
    let text: String = text
        .chars()
        .filter(|character| !character.is_control() && !is_direction(*character))
        .take(length)
        .collect();
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

/// Invisible characters that turn the text around them.
fn is_direction(character: char) -> bool {
    matches!(character, '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2060}'..='\u{2069}' | '\u{FEFF}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(name: &str, version: &str) -> Option<String> {
        let client = ClientInfo {
            name: name.into(),
            version: version.into(),
        };
        let label = make(Some(&client))?;
        assert!(label.len() <= LABEL_LENGTH);
        super::name(label.to_str().ok()?)
    }

    #[test]
    fn a_label_brings_the_client_s_name_back() {
        assert_eq!(shown("claude-code", "2.1"), Some("claude-code 2.1".into()));
        assert_eq!(shown("控制台", ""), Some("控制台".into()));
        assert_eq!(shown("", "1"), None);
    }

    #[test]
    fn names_are_short_and_of_visible_characters() {
        assert_eq!(shown("a\r\n\u{202E}b\0", "1"), Some("ab 1".into()));
        let long = shown(&"𝒳".repeat(10_000), &"9".repeat(10_000));
        assert_eq!(long.map(|name| name.chars().count()), Some(89));
    }

    #[test]
    fn labels_of_others_are_taken_as_they_are() {
        for label in ["", "x", "x.", "x.!!", "x.gICA"] {
            assert_eq!(super::name(label), None);
        }
    }
}
