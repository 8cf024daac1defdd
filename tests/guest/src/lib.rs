//! The clock's code against a real BlueZ and kernel, in a virtual machine.
//!
//! A [`machine`] boots a small guest that sees this computer's files read only. In it run a
//! Bluetooth adapter and a clock that are emulated (`peripheral.py`), the kernel's Bluetooth,
//! BlueZ, and the driver (`guest-driver`), which plays a [`scene`] over the real adapter and
//! session. The clock keeps a [`record`] of what reached it.

pub mod drive;
pub mod figures;
pub mod machine;
pub mod panics;
pub mod program;
pub mod record;
pub mod scene;
pub mod trouble;
