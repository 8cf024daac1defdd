//! The clock: what can be asked of it, the dialects that turn a request into a script of writes
//! and pauses, the link that carries them, and the session that connects on demand.
//!
//! [`Session`] is the way in: it owns an [`Adapter`] and plays the scripts of a [`Dialect`].

pub mod bluetooth;
pub mod countdown;
pub mod diagnosis;
pub mod dialect;
mod error;
pub mod link;
pub mod picture;
pub mod request;
pub mod session;
mod system;
pub mod time;
mod unavailable;

pub use bluetooth::BluetoothAdapter;
pub use countdown::{Countdown, CountdownDate, CountdownStyle, TextBitmap};
pub use dialect::{CalendarForm, Dialect, Dialects, Family, Pingping, Profile};
pub use error::{AgentCode, ClockError};
pub use link::{Adapter, Address, Advertisement, Channel, ClockLink, Unavailable};
pub use picture::{Picture, PictureSize, Plane};
pub use request::{Face, QuietHours, Raw, RawPolicy, Request, Toggle};
pub use session::{
    Job, LinkState, Operation, Outcome, Progress, Report, Session, SessionConfig, Stage, Task,
};
pub use system::System;
pub use time::{ClockTime, Zone};
