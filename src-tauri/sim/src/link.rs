//! A link to a simulated clock.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use regie_clock::dialect::{Delivery, Discovered};
use regie_clock::link::WriteError;
use regie_clock::{Channel, ClockError, ClockLink};
use tokio::time::{Instant, sleep, sleep_until};

use crate::clock::{SimulatedClock, Verdict};
use crate::fault::Fault;
use crate::radio::Events;
use crate::timing::LinkModel;

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
    air: Mutex<Air>,
    unanswered: Arc<Unanswered>,
}

/// What carries the writes.
#[derive(Debug)]
enum Air {
    Fixed(Duration),
    Radio(Events, usize),
}

/// Writes without response on their way.
struct Unanswered {
    clock: SimulatedClock,
    link: u64,
    /// When each is there, in order.
    waiting: Mutex<VecDeque<(Instant, Channel, Vec<u8>)>>,
}

impl Unanswered {
    fn waiting(&self) -> MutexGuard<'_, VecDeque<(Instant, Channel, Vec<u8>)>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Hands what has arrived by now to the clock; returns when the next one will.
    fn deliver(&self, now: Instant) -> Option<Instant> {
        let mut waiting = self.waiting();
        loop {
            match waiting.front() {
                Some((arrives, _, _)) if *arrives > now => return Some(*arrives),
                None => return None,
                Some(_) => {}
            }
            if let Some((_, channel, bytes)) = waiting.pop_front() {
                // Nobody hears what becomes of it.
                let delivery = Delivery::Unanswered;
                self.clock.take_write(self.link, channel, &bytes, delivery);
            }
        }
    }
}

impl SimulatedLink {
    pub(crate) fn new(clock: SimulatedClock, link: u64) -> Self {
        let air = match clock.lock().spec.timing.link {
            LinkModel::Fixed(duration) => Air::Fixed(duration),
            LinkModel::Radio(radio) => Air::Radio(
                Events::new(radio, Instant::now()),
                usize::from(radio.buffers).max(1),
            ),
        };
        let unanswered = Arc::new(Unanswered {
            clock: clock.clone(),
            link,
            waiting: Mutex::default(),
        });
        Self {
            unanswered,
            clock,
            link,
            air: Mutex::new(air),
            occupied: Mutex::new(Occupied::No),
        }
    }

    /// When a write that begins now is answered. What the clock makes of it is seen then, too.
    fn answered_at(&self, payload: usize) -> Instant {
        let now = Instant::now();
        match &mut *self.air.lock().unwrap_or_else(PoisonError::into_inner) {
            Air::Fixed(duration) => now + *duration,
            Air::Radio(events, _) => events.request(now, payload).answered,
        }
    }

    /// Puts a write without response into the controller, or says when there is room for it. None
    /// when the link knows no such thing.
    fn enqueue(&self, channel: Channel, bytes: &[u8]) -> Option<Result<(), Instant>> {
        let mut air = self.air.lock().unwrap_or_else(PoisonError::into_inner);
        let Air::Radio(events, buffers) = &mut *air else {
            return None;
        };
        let now = Instant::now();
        let mut waiting = self.unanswered.waiting();
        if let Some(full) = waiting.len().checked_sub(*buffers) {
            let (room_at, _, _) = waiting.get(full)?;
            return Some(Err(*room_at));
        }
        let arrives = events.command(now, bytes.len());
        let idle = waiting.is_empty();
        waiting.push_back((arrives, channel, bytes.to_vec()));
        if idle {
            let unanswered = Arc::clone(&self.unanswered);
            tokio::spawn(async move {
                let mut next = Some(arrives);
                while let Some(at) = next {
                    sleep_until(at).await;
                    next = unanswered.deliver(Instant::now());
                }
            });
        }
        Some(Ok(()))
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
            state.hang_up();
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
                None => state.take_fault(|f| match f {
                    Fault::DiscoveryIncomplete | Fault::DiscoveryEmpty => Some(*f),
                    _ => None,
                }),
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
        match incomplete {
            Some(Fault::DiscoveryEmpty) => return Err(ClockError::ServicesUnread { address }),
            Some(_) => {
                let missing = "command characteristic".to_owned();
                return Err(ClockError::CharacteristicsMissing { address, missing });
            }
            None => {}
        }
        Ok(self.clock.subscribe())
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
        delivery: Delivery,
    ) -> Result<(), WriteError> {
        if self.is_lost() {
            return Err(WriteError::NotSent("not connected".to_owned()));
        }
        if self.is_occupied() {
            return Err(WriteError::NotSent("another write is under way".to_owned()));
        }
        if delivery == Delivery::Unanswered {
            while let Some(put) = self.enqueue(channel, bytes) {
                match put {
                    Ok(()) => return Ok(()),
                    Err(room_at) => sleep_until(room_at).await,
                }
                // The task that hands them on may be a moment later than this one.
                self.unanswered.deliver(Instant::now());
            }
        }
        let answered = self.answered_at(bytes.len());
        self.occupy(Occupied::Until(answered));
        sleep_until(answered).await;
        // What went before is there before.
        self.unanswered.deliver(answered);
        match self.clock.take_write(self.link, channel, bytes, delivery) {
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
