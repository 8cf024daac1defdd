//! A link to a simulated clock.

use std::sync::{Mutex, PoisonError};

use async_trait::async_trait;
use regie_clock::dialect::{Delivery, Discovered, Family};
use regie_clock::link::WriteError;
use regie_clock::{Channel, ClockError, ClockLink};
use tokio::time::{Instant, sleep};

use crate::clock::{SimulatedClock, Verdict};
use crate::fault::Fault;

/// A write under way occupies its characteristic.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Occupied {
    No,
    Until(Instant),
    Forever,
}

pub(crate) struct SimulatedLink {
    clock: SimulatedClock,
    link: u64,
    occupied: Mutex<Occupied>,
}

impl SimulatedLink {
    pub(crate) fn new(clock: SimulatedClock, link: u64) -> Self {
        Self {
            clock,
            link,
            occupied: Mutex::new(Occupied::No),
        }
    }

    fn occupy(&self, with: Occupied) {
        *self.occupied.lock().unwrap_or_else(PoisonError::into_inner) = with;
    }

    fn is_occupied(&self) -> bool {
        match *self.occupied.lock().unwrap_or_else(PoisonError::into_inner) {
            Occupied::No => false,
            Occupied::Until(end) => Instant::now() < end,
            Occupied::Forever => true,
        }
    }

    fn close(&self) {
        let mut state = self.clock.lock();
        if state
            .central
            .as_ref()
            .is_some_and(|central| central.link == self.link)
        {
            state.central = None;
        }
    }
}

#[async_trait]
impl ClockLink for SimulatedLink {
    async fn discover(&self) -> Result<Discovered, ClockError> {
        let (delay, address, hangs, incomplete) = {
            let mut state = self.clock.lock();
            let hangs = state.take_fault(|f| (*f == Fault::DiscoveryHangs).then_some(()));
            let incomplete = match hangs {
                Some(()) => None,
                None => state.take_fault(|f| (*f == Fault::DiscoveryIncomplete).then_some(())),
            };
            (
                state.spec.timing.discover,
                state.address(),
                hangs,
                incomplete,
            )
        };
        if hangs.is_some() {
            std::future::pending::<()>().await;
        }
        sleep(delay).await;
        if self.is_lost() {
            return Err(ClockError::LinkLost {
                detail: "while reading the services".to_owned(),
            });
        }
        if incomplete.is_some() {
            let missing = "command characteristic".to_owned();
            return Err(ClockError::CharacteristicsMissing { address, missing });
        }
        Ok(Discovered {
            family: Family::Pingping,
            version: None,
        })
    }

    fn mtu(&self) -> u16 {
        let state = self.clock.lock();
        state
            .central
            .as_ref()
            .filter(|c| c.link == self.link)
            .map_or(23, |central| central.mtu)
    }

    async fn write(
        &self,
        channel: Channel,
        bytes: &[u8],
        _delivery: Delivery,
    ) -> Result<(), WriteError> {
        if self.is_lost() {
            return Err(WriteError::NotSent("not connected".to_owned()));
        }
        if self.is_occupied() {
            return Err(WriteError::NotSent("another write is under way".to_owned()));
        }
        let delay = self.clock.lock().spec.timing.write;
        self.occupy(Occupied::Until(Instant::now() + delay));
        sleep(delay).await;
        match self.clock.take_write(self.link, channel, bytes) {
            Verdict::Answered => Ok(()),
            Verdict::Refused(detail) => Err(WriteError::Refused(detail.to_owned())),
            Verdict::LostUnanswered => Err(WriteError::AnswerLost("ATT error: 0x0e".to_owned())),
            Verdict::NotSent => Err(WriteError::AnswerLost("the link was lost".to_owned())),
            Verdict::Hangs => {
                self.occupy(Occupied::Forever);
                std::future::pending().await
            }
        }
    }

    fn is_lost(&self) -> bool {
        let state = self.clock.lock();
        state
            .central
            .as_ref()
            .is_none_or(|central| central.link != self.link)
    }

    async fn disconnect(&self) {
        self.close();
    }
}

impl Drop for SimulatedLink {
    fn drop(&mut self) {
        self.close();
    }
}
