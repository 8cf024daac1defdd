//! Devices that the environment names, in the form that the servers before Regie took.

use regie_room::request::Volume;
use regie_room::{Address, DeviceEntry, DeviceId, Origin, RoomError, Token};
use serde::Deserialize;
use serde_json::Value;

use crate::room::Trusted;

/// The variable that is looked at.
const VARIABLE: &str = "ZACUS_DEVICES";

/// Bytes of the variable that are read: 200 devices with every member, and room to spare.
const MAX_BYTES: usize = 128 * 1_024;

/// A device as the variable writes it. What else is there is left alone.
#[derive(Deserialize)]
struct Written {
    id: String,
    host: Option<String>,
    port: Option<u16>,
    token: Option<String>,
    name: Option<String>,
    room: Option<String>,
    via: Option<String>,
}

/// The devices of `ZACUS_DEVICES`. No message of its faults holds a token.
#[derive(Clone, Debug, Default)]
pub struct GivenDevices {
    pub(crate) devices: Vec<Trusted>,
    /// What is wrong with the rest.
    pub(crate) faults: Vec<String>,
}

impl GivenDevices {
    /// Those of the environment; none where the variable is not set or blank.
    pub fn of_environment() -> Self {
        match std::env::var_os(VARIABLE) {
            Some(text) => Self::read(&text.to_string_lossy()),
            None => Self::default(),
        }
    }

    /// Those of a text: a JSON array of objects with `id`, `host` and, where they are known,
    /// `port`, `token`, `name`, `room`, `via`.
    pub fn read(text: &str) -> Self {
        let mut given = Self::default();
        if text.trim().is_empty() {
            return given;
        }
        if text.len() > MAX_BYTES {
            given.fault(format!("it is longer than {MAX_BYTES} bytes"));
            return given;
        }
        let items: Vec<Value> = match serde_json::from_str(text) {
            Ok(items) => items,
            Err(error) => {
                // The library's own words may repeat what is written there.
                let (line, column) = (error.line(), error.column());
                given.fault(format!(
                    "it is no JSON array (line {line}, column {column})"
                ));
                return given;
            }
        };
        for (index, item) in items.into_iter().enumerate() {
            match entry(item) {
                Ok((entry, _)) if given.has(&entry.id) => {
                    given.fault(format!("{} is there twice", entry.id));
                }
                Ok(trusted) => given.devices.push(trusted),
                Err(detail) => given.fault(format!("device {}: {detail}", index + 1)),
            }
        }
        given
    }

    fn has(&self, id: &DeviceId) -> bool {
        self.devices.iter().any(|(device, _)| device.id == *id)
    }

    fn fault(&mut self, detail: String) {
        self.faults.push(detail);
    }
}

fn entry(item: Value) -> Result<Trusted, String> {
    let written: Written = serde_json::from_value(item)
        .map_err(|_| "it needs the texts \"id\" and \"host\", and a \"port\" of 1 to 65535")?;
    let said = |error: RoomError| error.to_string();
    let id: DeviceId = written.id.parse().map_err(said)?;
    let via: Option<DeviceId> = written
        .via
        .map(|via| via.parse())
        .transpose()
        .map_err(said)?;
    let address = match written.host {
        Some(host) => {
            let address: Address = host.parse().map_err(said)?;
            Some(match written.port {
                Some(0) => return Err("there is no port 0".into()),
                Some(port) => address.at(port),
                None => address,
            })
        }
        None if via.is_some() => None,
        None => return Err("\"host\" is missing".into()),
    };
    let text = |text: Option<String>| text.filter(|text| !text.trim().is_empty());
    let entry = DeviceEntry {
        name: text(written.name).unwrap_or_else(|| id.to_string()),
        id,
        room: text(written.room),
        address,
        found_as: None,
        via,
        volume_limit: loudest(),
        origin: Origin::Environment,
    };
    Ok((entry, text(written.token).map(Token::from)))
}

/// No limit of Regie's own.
pub(crate) fn loudest() -> Volume {
    Volume::try_from(Volume::MOST).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_form_of_the_contract_is_read() {
        let given = GivenDevices::read(
            r#"[{"id":"zacus-main","host":"192.168.0.50","port":8080,"token":"s3cret-token"}]"#,
        );
        let [(entry, token)] = &given.devices[..] else {
            panic!("{given:?}");
        };
        assert_eq!(entry.id.as_str(), "zacus-main");
        let address = entry.address.as_ref().map(ToString::to_string);
        assert_eq!(address.as_deref(), Some("192.168.0.50:8080"));
        assert_eq!(token.as_ref().map(Token::expose), Some("s3cret-token"));
        assert!(given.faults.is_empty());
    }

    #[test]
    fn what_is_wrong_is_named_without_a_token_and_the_rest_is_taken() {
        let given = GivenDevices::read(
            r#"[
                {"id":"a","host":"10.0.0.1","token":"s3cret-token"},
                {"id":"a","host":"10.0.0.2","token":"s3cret-token"},
                {"id":"b","host":"8.8.8.8","token":"s3cret-token"},
                {"id":"c d","host":"10.0.0.3","token":"s3cret-token"},
                {"id":"e","token":"s3cret-token"},
                {"id":"f","host":"10.0.0.4","port":"s3cret-token"},
                "s3cret-token",
                {"id":"g","host":"10.0.0.5","token":null,"colour":1}
            ]"#,
        );
        let ids: Vec<_> = given
            .devices
            .iter()
            .map(|(entry, _)| entry.id.as_str())
            .collect();
        assert_eq!(ids, ["a", "g"]);
        assert_eq!(given.faults.len(), 6);
        for fault in &given.faults {
            assert!(!fault.contains("s3cret"), "{fault}");
        }
        for broken in ["{", "{}", "[[[", "\"s3cret-token\"", &"[".repeat(200_000)] {
            let given = GivenDevices::read(broken);
            assert_eq!(
                (given.devices.len(), given.faults.len()),
                (0, 1),
                "{given:?}"
            );
            assert!(!format!("{:?}", given.faults).contains("s3cret"));
        }
        assert!(GivenDevices::read("  ").faults.is_empty());
    }
}
