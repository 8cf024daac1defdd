//! The link over a real radio.

mod adapter;
mod failure;
mod link;
mod runtime;

pub use adapter::BluetoothAdapter;
