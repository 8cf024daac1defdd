//! What devices are called.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::error::RoomError;

/// Most characters of a device's identifier.
const MAX_ID: usize = 64;

/// Most bytes of an mDNS instance name: a label of 63 bytes, escaped, and the service's type.
const MAX_INSTANCE: usize = 300;

/// The identifier that agents, cues and the command line name a device by, such as `zacus-main`:
/// 1 to 64 ASCII letters, digits, `-`, `_` and `.`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export, type = "string"))]
pub struct DeviceId(String);

impl DeviceId {
    /// The identifier as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for DeviceId {
    type Err = RoomError;

    fn from_str(text: &str) -> Result<Self, RoomError> {
        let allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
        if text.is_empty() || text.len() > MAX_ID || !text.bytes().all(allowed) {
            return Err(RoomError::IdInvalid {
                id: text.chars().take(MAX_ID).collect(),
            });
        }
        Ok(Self(text.to_owned()))
    }
}

impl TryFrom<String> for DeviceId {
    type Error = RoomError;

    fn try_from(text: String) -> Result<Self, RoomError> {
        text.parse()
    }
}

impl From<DeviceId> for String {
    fn from(id: DeviceId) -> Self {
        id.0
    }
}

impl fmt::Display for DeviceId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

/// The full name of a service that was found, such as `zacus-main._zacus._tcp.local.`; at most 300
/// bytes, without control characters.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export, type = "string"))]
pub struct InstanceName(String);

impl InstanceName {
    /// The name as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for InstanceName {
    type Err = RoomError;

    fn from_str(text: &str) -> Result<Self, RoomError> {
        if text.is_empty() || text.len() > MAX_INSTANCE || text.chars().any(char::is_control) {
            return Err(RoomError::IdInvalid {
                id: text.chars().take(MAX_ID).collect(),
            });
        }
        Ok(Self(text.to_owned()))
    }
}

impl TryFrom<String> for InstanceName {
    type Error = RoomError;

    fn try_from(text: String) -> Result<Self, RoomError> {
        text.parse()
    }
}

impl From<InstanceName> for String {
    fn from(name: InstanceName) -> Self {
        name.0
    }
}

impl fmt::Display for InstanceName {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}
