//! The token: always asked for, on loopback too.

use std::sync::Arc;

use http::HeaderMap;
use http::header::AUTHORIZATION;

use super::guard::Ends;
use super::reply::Refusal;
use super::slowdown::{Crowded, Slowdown};

/// Longer than any token there is: what is longer is not looked at.
const LONGEST_TOKEN: usize = 512;

/// Who knows the tokens.
pub trait Gatekeeper: Send + Sync + 'static {
    /// The name of that token, where it is one that agents may show. Compares in constant time.
    fn recognise(&self, token: &str) -> Option<Arc<str>>;

    /// Whether there is any token that an agent could show.
    fn has_tokens(&self) -> bool;
}

/// A caller that showed a known token.
#[derive(Clone, Debug)]
pub(super) struct Admitted {
    /// The token's name.
    pub(super) token: Arc<str>,
}

/// Lets callers with a known token pass at once, and answers the others ever later.
pub(super) async fn admit(
    gatekeeper: &dyn Gatekeeper,
    slowdown: &Slowdown,
    headers: &HeaderMap,
    ends: &Ends,
) -> Result<Admitted, Refusal> {
    let token = shown(headers).ok_or(Refusal::NoToken)?;
    if token.len() <= LONGEST_TOKEN
        && let Some(name) = gatekeeper.recognise(token)
    {
        return Ok(Admitted { token: name });
    }
    match slowdown.strike(ends.peer.ip()).await {
        Ok(()) => Err(Refusal::BadToken),
        Err(Crowded { retry_after }) => Err(Refusal::TooManyBadTokens { retry_after }),
    }
}

/// The one token of a request, after the scheme in any case.
fn shown(headers: &HeaderMap) -> Option<&str> {
    let mut values = headers.get_all(AUTHORIZATION).iter();
    let value = values.next()?;
    if values.next().is_some() {
        return None;
    }
    let (scheme, token) = value.to_str().ok()?.split_once(' ')?;
    let token = token.trim_matches(' ');
    (scheme.eq_ignore_ascii_case("Bearer") && !token.is_empty()).then_some(token)
}
