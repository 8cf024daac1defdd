//! Why the fake could not be set up.

use thiserror::Error;

/// Why a private bus, or the fake on it, could not be set up or asked.
#[derive(Debug, Error)]
pub enum FakeError {
    /// The program that carries the bus is not installed.
    #[error("dbus-daemon cannot be started ({0}); Debian has it in the package dbus.")]
    DaemonMissing(#[source] std::io::Error),
    /// It did not say where it listens.
    #[error("dbus-daemon did not start ({0}).")]
    DaemonSilent(String),
    /// Its folder could not be made.
    #[error("The private bus could not be set up ({0}).")]
    Folder(#[from] std::io::Error),
    /// The bus refused something.
    #[error("The private bus refused ({0}).")]
    Bus(#[from] zbus::Error),
    /// A task of the fake broke off.
    #[error("The fake BlueZ broke off ({0}).")]
    Task(#[from] tokio::task::JoinError),
    /// The simulated clock could not be connected.
    #[error("The simulated clock could not be connected ({0}).")]
    Clock(#[from] regie_clock::ClockError),
    /// There is no such device.
    #[error("There is no device {0} on the bus.")]
    NoDevice(String),
}
