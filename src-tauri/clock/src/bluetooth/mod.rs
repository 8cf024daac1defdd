//! The link over a real radio.

mod adapter;
mod apartment;
mod failure;
mod link;
mod native;
mod runtime;

pub use adapter::BluetoothAdapter;
