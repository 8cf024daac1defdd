//! A stand-in for BlueZ, Linux's Bluetooth service, on a private D-Bus.
//!
//! Behind it stands any [`Adapter`](regie_clock::Adapter), which is to say simulated clocks, so
//! that the whole way of a picture over the system's Bluetooth can be tested without a radio, and
//! the clocks' own faults travel through D-Bus too. What BlueZ itself does wrong is ordered with
//! [`BusFault`] or done by [`FakeBluez`]'s methods.
//!
//! Interfaces, property names, error names and texts are those of BlueZ 5.66 (its `doc/*-api.txt`).
#![cfg(target_os = "linux")]

mod bus;
mod call;
mod connecting;
mod discovery;
mod error;
mod fault;
mod gatt;
mod objects;
mod service;
mod timing;
mod world;
mod writing;

pub use bus::PrivateBus;
pub use error::FakeError;
pub use fault::{BusFault, BusWriteFault};
pub use service::{Counts, FakeBluez};
pub use timing::BusTiming;
pub use world::mac_of;
