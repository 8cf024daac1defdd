//! What BlueZ and D-Bus say. The name of a D-Bus error, which is what tells it from others, is only
//! in its long form; so these read all that an error says, in small letters.

use super::{Effect, says};
use crate::link::Unavailable;

/// Why Bluetooth cannot be used, if an error says so.
pub(super) fn unavailable(evidence: &str) -> Option<Unavailable> {
    if says(evidence, NO_SERVICE) {
        Some(Unavailable::ServiceMissing)
    } else if says(evidence, ACCESS_DENIED) {
        Some(Unavailable::PermissionDenied)
    } else if says(evidence, RADIO_OFF) {
        Some(Unavailable::RadioOff)
    } else {
        None
    }
}

/// Whether what was asked for is there no more, and the link to it neither.
pub(super) fn gone(evidence: &str) -> bool {
    says(evidence, NO_SERVICE) || says(evidence, NO_OBJECT)
}

/// Whether the same is under way already.
pub(super) fn under_way(evidence: &str) -> bool {
    says(evidence, IN_PROGRESS)
}

/// Whether the connection to the bus is of no use any more.
pub(super) fn cut_off(evidence: &str) -> bool {
    says(evidence, CUT_OFF)
}

/// What is known about the effect of a write that ended so.
pub(super) fn effect(evidence: &str) -> Option<Effect> {
    if [NOT_CONNECTED, IN_PROGRESS, NO_OBJECT, NO_SERVICE, RADIO_OFF]
        .iter()
        .any(|kind| says(evidence, kind))
    {
        Some(Effect::NotSent)
    } else if says(evidence, UNLIKELY) {
        // BlueZ gives this to the write under way when the link goes.
        Some(Effect::Unknown)
    } else if says(evidence, REFUSED) {
        Some(Effect::Refused)
    } else {
        None
    }
}

const NO_SERVICE: &[&str] = &[
    "org.freedesktop.dbus.error.serviceunknown",
    "org.freedesktop.dbus.error.namehasnoowner",
    "org.freedesktop.dbus.error.filenotfound",
    "org.freedesktop.dbus.error.spawn",
    "the name org.bluez was not provided",
    "the name is not activatable",
    "failed to connect to socket",
];
const ACCESS_DENIED: &[&str] = &["org.freedesktop.dbus.error.accessdenied"];
/// What BlueZ answers while the adapter is switched off.
const RADIO_OFF: &[&str] = &["org.bluez.error.notready"];
const NOT_CONNECTED: &[&str] = &["not connected", "notconnected"];
const IN_PROGRESS: &[&str] = &["in progress", "inprogress"];
/// Also what btleplug itself says of services that went with the link.
const NO_OBJECT: &[&str] = &[
    "org.freedesktop.dbus.error.unknownobject",
    "org.freedesktop.dbus.error.unknownmethod",
    "service with uuid",
    "characteristic with uuid",
];
const CUT_OFF: &[&str] = &[
    "org.freedesktop.dbus.error.disconnected",
    "failed to send message",
    "connection is closed",
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
