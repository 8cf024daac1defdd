//! Simulated ESP32 devices: real web servers on this computer's loopback interface, one for each
//! family of firmwares, with faults to order and a record of what they did.

mod announcer;
mod board;
mod camera;
mod demo;
mod device;
mod fault;
mod freenove;
mod http;
mod program;
mod server;
mod spec;
mod story_v2;

pub use announcer::{Announcement, Announcer};
pub use board::{Led, LedChange, ServoMove, Sound};
pub use demo::{DemoDevice, SimulatedRoom};
pub use device::{DeviceConfig, DeviceView, SimulatedDevice};
pub use fault::DeviceFault;
pub use freenove::{FreenoveConfig, NodeView};
pub use program::DeviceFirmware;
pub use server::LogEntry;
pub use spec::SpecConfig;
pub use story_v2::StoryV2Config;
