//! The room: ESP32 devices over HTTP, found, trusted, driven and watched.
//!
//! [`Room`] is the way in. It keeps one lane for each device, in which its requests go one at a
//! time and within the limits that its guard keeps, whoever asks. A [`dialect`] knows how a family
//! of firmwares is spoken to, and only a [`Transport`] touches the network.

mod address;
mod answer;
pub mod dialect;
mod discovery;
mod entry;
mod error;
mod exchange;
mod guard;
mod lane;
mod mesh;
mod names;
mod registry;
pub mod request;
mod room;
mod state;
mod token;
mod transport;

pub use address::Address;
pub use answer::{Answer, Done, Outcome, Snapshot};
pub use dialect::Family;
pub use entry::{DeviceEntry, Origin};
pub use error::{ErrorClass, RoomError, TokenFault};
pub use exchange::{Exchange, Method, Reply, Target, Transport, TransportError};
pub use names::{DeviceId, InstanceName};
pub use request::Request;
pub use room::{Room, RoomConfig, Search};
pub use state::{
    Abilities, CameraState, Condition, DeviceState, FoundDevice, Reading, Remark, RoomState,
    Sample, SearchState, TokenState,
};
pub use token::Token;
pub use transport::HttpTransport;
