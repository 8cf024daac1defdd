//! The objects on the bus, their paths and their properties.

use std::collections::HashMap;
use std::fmt::Write as _;

use regie_clock::Address;
use zbus::zvariant::{ObjectPath, OwnedObjectPath, Value};

use crate::world::{AdapterState, Device, State};

pub(crate) const ADAPTER: &str = "org.bluez.Adapter1";
pub(crate) const DEVICE: &str = "org.bluez.Device1";
pub(crate) const SERVICE: &str = "org.bluez.GattService1";
pub(crate) const CHARACTERISTIC: &str = "org.bluez.GattCharacteristic1";

/// The one adapter's path.
const ADAPTER_PATH: &str = "/org/bluez/hci0";

/// An object that can be called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Object {
    /// `/`, with the object manager.
    Root,
    Adapter,
    Device(Address),
    /// Of a device, by handle.
    Service(Address, u16),
    /// Of a device, by the service's handle and its own.
    Characteristic(Address, u16, u16),
}

/// An object's interfaces with their properties.
pub(crate) type Interfaces = HashMap<&'static str, Properties>;
pub(crate) type Properties = HashMap<&'static str, Value<'static>>;

impl Object {
    /// The object of a path, whether it is there or not.
    pub(crate) fn parse(path: &str) -> Option<Self> {
        if path == "/" {
            return Some(Self::Root);
        }
        let rest = path.strip_prefix(ADAPTER_PATH)?;
        let mut parts = rest.split('/').skip(1);
        let Some(device) = parts.next() else {
            return Some(Self::Adapter);
        };
        let mac = Address::new(&device.strip_prefix("dev_")?.replace('_', ":"));
        let handle = |part: &str, kind| u16::from_str_radix(part.strip_prefix(kind)?, 16).ok();
        let Some(service) = parts.next() else {
            return Some(Self::Device(mac));
        };
        let service = handle(service, "service")?;
        match parts.next() {
            None => Some(Self::Service(mac, service)),
            Some(part) => Some(Self::Characteristic(mac, service, handle(part, "char")?)),
        }
    }

    pub(crate) fn path(&self) -> String {
        match self {
            Self::Root => "/".to_owned(),
            Self::Adapter => ADAPTER_PATH.to_owned(),
            Self::Device(mac) => {
                format!("{ADAPTER_PATH}/dev_{}", mac.as_str().replace(':', "_"))
            }
            Self::Service(mac, service) => {
                format!("{}/service{service:04x}", Self::Device(mac.clone()).path())
            }
            Self::Characteristic(mac, service, own) => {
                format!(
                    "{}/char{own:04x}",
                    Self::Service(mac.clone(), *service).path()
                )
            }
        }
    }

    pub(crate) fn object_path(&self) -> OwnedObjectPath {
        ObjectPath::from_string_unchecked(self.path()).into()
    }

    pub(crate) fn interface_names(&self) -> &'static [&'static str] {
        match self {
            Self::Root => &["org.freedesktop.DBus.ObjectManager"],
            Self::Adapter => &[ADAPTER],
            Self::Device(_) => &[DEVICE],
            Self::Service(..) => &[SERVICE],
            Self::Characteristic(..) => &[CHARACTERISTIC],
        }
    }
}

impl State {
    /// The interfaces of an object; none when it is not there.
    pub(crate) fn interfaces(&self, object: &Object) -> Option<Interfaces> {
        let (name, properties) = match object {
            Object::Root => return Some(HashMap::new()),
            Object::Adapter => (ADAPTER, of_adapter(self.adapter.as_ref()?)),
            Object::Device(mac) => (DEVICE, of_device(mac, self.devices.get(mac)?)),
            Object::Service(mac, handle) => {
                let device = self.devices.get(mac)?;
                let service = device.services.iter().find(|s| s.handle == *handle)?;
                let properties = HashMap::from([
                    ("UUID", Value::from(service.uuid.to_string())),
                    ("Primary", true.into()),
                    (
                        "Device",
                        Value::from(Object::Device(mac.clone()).object_path()),
                    ),
                ]);
                (SERVICE, properties)
            }
            Object::Characteristic(mac, service, handle) => {
                let device = self.devices.get(mac)?;
                let found = device.characteristic(*service, *handle)?;
                let link = device.link.as_ref();
                let flags: Vec<String> = found.flags.iter().map(ToString::to_string).collect();
                let notifies = flags.iter().any(|flag| flag == "notify");
                let mut properties = HashMap::from([
                    ("UUID", Value::from(found.uuid.to_string())),
                    (
                        "Service",
                        Value::from(Object::Service(mac.clone(), *service).object_path()),
                    ),
                    ("Value", Value::from(Vec::<u8>::new())),
                    ("Flags", Value::from(flags)),
                    ("MTU", Value::from(link.map_or(23, |link| link.clock.mtu()))),
                ]);
                if notifies {
                    let notifying = link.is_some_and(|link| !link.subscribers.is_empty());
                    properties.insert("Notifying", notifying.into());
                }
                (CHARACTERISTIC, properties)
            }
        };
        Some(HashMap::from([(name, properties)]))
    }

    /// Everything that is there, but for the root.
    pub(crate) fn objects(&self) -> Vec<Object> {
        let mut objects = Vec::new();
        if self.adapter.is_none() {
            return objects;
        }
        objects.push(Object::Adapter);
        for (mac, device) in &self.devices {
            objects.push(Object::Device(mac.clone()));
            objects.extend(of_services(mac, device));
        }
        objects
    }

    /// The introspection of a path: its interfaces and the nodes below it; none when there is
    /// nothing at it.
    pub(crate) fn introspection(&self, path: &str) -> Option<String> {
        let below = if path == "/" {
            "/"
        } else {
            &format!("{path}/")
        };
        let mut nodes: Vec<String> = self
            .objects()
            .iter()
            .filter_map(|object| {
                let path = object.path();
                let rest = path.strip_prefix(below)?;
                Some(rest.split('/').next().unwrap_or_default().to_owned())
            })
            .collect();
        nodes.sort();
        nodes.dedup();
        let here = Object::parse(path)
            .filter(|object| self.interfaces(object).is_some())
            .map(|object| object.interface_names());
        if here.is_none() && nodes.is_empty() {
            return None;
        }
        let mut xml = String::from("<node>");
        for interface in here.unwrap_or_default() {
            // Writing to a string cannot fail.
            let _ = write!(xml, r#"<interface name="{interface}"></interface>"#);
        }
        for node in nodes {
            let _ = write!(xml, r#"<node name="{node}"/>"#);
        }
        xml.push_str("</node>");
        Some(xml)
    }
}

/// A device's services and characteristics.
pub(crate) fn of_services(mac: &Address, device: &Device) -> Vec<Object> {
    let mut objects = Vec::new();
    for service in &device.services {
        objects.push(Object::Service(mac.clone(), service.handle));
        for characteristic in &service.characteristics {
            let own = characteristic.handle;
            objects.push(Object::Characteristic(mac.clone(), service.handle, own));
        }
    }
    objects
}

fn of_adapter(adapter: &AdapterState) -> Properties {
    HashMap::from([
        ("Address", Value::from("00:1A:7D:DA:71:13")),
        ("AddressType", "public".into()),
        ("Name", "fake".into()),
        ("Alias", "fake".into()),
        ("Class", 0x007c_0104_u32.into()),
        ("Powered", adapter.powered.into()),
        ("Discoverable", false.into()),
        ("Pairable", true.into()),
        ("Discovering", adapter.discovery.is_some().into()),
        ("Modalias", "usb:v1D6Bp0246d0542".into()),
    ])
}

fn of_device(mac: &Address, device: &Device) -> Properties {
    let alias = if device.name.is_empty() {
        mac.as_str().replace(':', "-")
    } else {
        device.name.clone()
    };
    let uuids: Vec<String> = device
        .services
        .iter()
        .map(|service| service.uuid.to_string())
        .collect();
    let mut properties = HashMap::from([
        ("Address", Value::from(mac.as_str().to_owned())),
        ("AddressType", "random".into()),
        ("Alias", alias.into()),
        ("Paired", false.into()),
        ("Trusted", false.into()),
        ("Blocked", false.into()),
        ("LegacyPairing", false.into()),
        ("Connected", device.link.is_some().into()),
        ("ServicesResolved", device.resolved.into()),
        ("UUIDs", uuids.into()),
        ("Adapter", Value::from(Object::Adapter.object_path())),
    ]);
    if !device.name.is_empty() {
        properties.insert("Name", device.name.clone().into());
    }
    if let Some(rssi) = device.rssi {
        properties.insert("RSSI", rssi.into());
    }
    properties
}
