//! What two readings show of a request.

use super::Evidence;

/// Whether a value has become what was asked for. One that has changed to something else says
/// nothing: a pulsing light is read at some brightness or other.
pub(super) fn reached(before: Option<&str>, after: Option<&str>, wanted: &str) -> Evidence {
    match after {
        None => Evidence::Silent,
        Some(after) if after.eq_ignore_ascii_case(wanted) => Evidence::Shown,
        Some(after) if before == Some(after) => Evidence::NotShown,
        Some(_) => Evidence::Silent,
    }
}

/// Whether a value has changed at all.
pub(super) fn moved(before: Option<&str>, after: Option<&str>) -> Evidence {
    match (before, after) {
        (Some(before), Some(after)) if before == after => Evidence::NotShown,
        (Some(_), Some(_)) => Evidence::Shown,
        _ => Evidence::Silent,
    }
}

/// Whether a sound plays that was asked for: what plays is named by its whole path or by the
/// file's name alone.
pub(super) fn plays(before: Option<&str>, after: Option<&str>, source: &str) -> Evidence {
    let file = |path: &str| path.rsplit('/').next().unwrap_or(path).to_owned();
    match after {
        None => Evidence::Silent,
        Some(after) if !after.is_empty() && file(after) == file(source) => Evidence::Shown,
        Some(after) if before == Some(after) => Evidence::NotShown,
        Some(_) => Evidence::Silent,
    }
}

/// Whether sound has started or ended, whatever it is.
pub(super) fn sounds(after: Option<&str>, wanted: bool) -> Evidence {
    match after.map(|playing| !playing.is_empty()) {
        None => Evidence::Silent,
        Some(sounds) if sounds == wanted => Evidence::Shown,
        Some(_) => Evidence::NotShown,
    }
}
