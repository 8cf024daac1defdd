//! Simulated devices, byte-faithful to the real ones and with faults to order.
//!
//! Clocks are simulated behind the link of the `clock` crate; the ESP32 devices of [`room`] are real
//! web servers on this computer.
//!
//! A simulated clock is always labelled as such: its advertisement says so, and its address begins
//! with `SIM:`.

mod adapter;
mod clock;
mod face;
mod fault;
mod firmware;
mod link;
mod radio;
pub mod room;
mod screen;
mod segments;
mod timing;

pub use adapter::SimulatedAdapter;
pub use clock::{ClockSpec, PictureBuffer, SimulatedClock};
pub use fault::{Fault, Moment, NotificationFault, NotificationKind, Trouble, WriteFault};
pub use firmware::{EpdBuild, FirmwareKind, Mode};
pub use radio::{AnswerEvent, Radio};
pub use screen::{BLACK, RED, Screen, ScreenError, WHITE};
pub use timing::{LinkModel, Timing};
