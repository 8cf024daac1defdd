//! The link over a real radio.

mod adapter;
mod apartment;
mod chosen;
mod failure;
mod link;
mod native;
mod runtime;
mod services;

pub use adapter::BluetoothAdapter;
