//! An order on its way to becoming an operation: who asks, and what is remembered of the clock it
//! is for.

use regie_clock::Address;

use super::{ClockMemory, Engine, lock};
use crate::error::EngineError;
use crate::order::{Caller, Order};

/// An order with what is remembered of its clock, as of when it was asked for.
#[derive(Clone, Debug)]
pub(super) struct Errand {
    pub(super) caller: Caller,
    /// What is remembered of the clock that it goes to, even if another one is chosen before its
    /// turn comes.
    pub(super) memory: ClockMemory,
    /// It names its clock, which is therefore not a choice to be remembered.
    pub(super) addressed: bool,
}

impl Engine {
    /// Looks up which clock an order is for.
    ///
    /// # Errors
    /// [`EngineError::Clock`] for what is no address, [`EngineError::Store`].
    pub(super) async fn errand(&self, order: Order) -> Result<Errand, EngineError> {
        let Order { caller, clock } = order;
        Ok(Errand {
            caller,
            addressed: clock.is_some(),
            memory: self.memory_of(clock.as_deref()).await?,
        })
    }

    /// What is remembered of the clock with that address; `None`: of the chosen one.
    ///
    /// # Errors
    /// [`EngineError::Clock`] for what is no address, [`EngineError::Store`].
    pub(super) async fn memory_of(&self, clock: Option<&str>) -> Result<ClockMemory, EngineError> {
        let chosen = lock(&self.shared.memory).clone();
        let Some(address) = clock.map(Address::parse).transpose()? else {
            return Ok(chosen);
        };
        if chosen.is_of(&address) {
            return Ok(chosen);
        }
        let clock = self.known(&address);
        self.shared
            .store
            .run(move |store| ClockMemory::recall(store, clock))
            .await
    }
}
