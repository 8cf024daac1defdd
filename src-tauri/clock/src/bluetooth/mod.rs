//! The link over a real radio.

mod adapter;
#[cfg(target_os = "linux")]
mod bluez;
mod failure;
mod hearing;
mod link;
mod runtime;
mod watching;

pub use adapter::BluetoothAdapter;
