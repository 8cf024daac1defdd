//! What BlueZ and D-Bus say, which they tell apart by text only.

use super::{Effect, says};
use crate::link::Unavailable;

/// Why Bluetooth cannot be used, if the text says so.
pub(super) fn unavailable(detail: &str) -> Option<Unavailable> {
    if says(detail, NO_SERVICE) {
        Some(Unavailable::ServiceMissing)
    } else if says(detail, ACCESS_DENIED) {
        Some(Unavailable::PermissionDenied)
    } else if says(detail, NOT_READY) {
        // BlueZ answers `org.bluez.Error.NotReady` while the adapter is switched off.
        Some(Unavailable::RadioOff)
    } else {
        None
    }
}

/// What is known about the effect of a write that ended with this text.
pub(super) fn effect(detail: &str) -> Option<Effect> {
    if says(detail, NOT_SENT) {
        Some(Effect::NotSent)
    } else if says(detail, UNLIKELY) {
        // BlueZ gives this to the write under way when the link goes.
        Some(Effect::Unknown)
    } else if says(detail, REFUSED) {
        Some(Effect::Refused)
    } else {
        None
    }
}

const NO_SERVICE: &[&str] = &[
    "org.freedesktop.dbus.error.serviceunknown",
    "the name org.bluez was not provided",
    "org.freedesktop.dbus.error.filenotfound",
    "failed to connect to socket",
    "namehasnoowner",
];
const ACCESS_DENIED: &[&str] = &["org.freedesktop.dbus.error.accessdenied"];
const NOT_READY: &[&str] = &["org.bluez.error.notready", "resource not ready"];
const NOT_SENT: &[&str] = &[
    "not connected",
    "notconnected",
    "in progress",
    "inprogress",
    "unknownobject",
    "does not exist",
];
const UNLIKELY: &[&str] = &["att error: 0x0e"];
const REFUSED: &[&str] = &[
    "invalid length",
    "invalidvaluelength",
    "notpermitted",
    "not permitted",
    "notauthorized",
    "not authorized",
    "notsupported",
    "att error: 0x",
];
