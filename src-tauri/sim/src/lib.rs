//! Simulated devices, byte-faithful to the real ones and with faults to order.
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
mod screen;
mod segments;
mod timing;

pub use adapter::SimulatedAdapter;
pub use clock::{ClockSpec, PictureBuffer, SimulatedClock};
pub use fault::{Fault, Moment, NotificationFault, NotificationKind, WriteFault};
pub use firmware::{EpdBuild, FirmwareKind, Mode};
pub use radio::{AnswerEvent, Radio};
pub use screen::{BLACK, RED, Screen, ScreenError, WHITE};
pub use timing::{LinkModel, Timing};
