//! The adapter of a machine whose Bluetooth could not even be asked: it says why, each time.

use async_trait::async_trait;
use regie_clock::link::{Connection, Scan};
use regie_clock::{Adapter, Address, ClockError};

/// Answers every request with the error it holds.
pub(crate) struct NoAdapter(pub(crate) ClockError);

#[async_trait]
impl Adapter for NoAdapter {
    async fn check(&self) -> Result<(), ClockError> {
        Err(self.0.clone())
    }

    async fn scan(&self) -> Result<Scan, ClockError> {
        Err(self.0.clone())
    }

    async fn connect(&self, _: &Address) -> Result<Connection, ClockError> {
        Err(self.0.clone())
    }
}
