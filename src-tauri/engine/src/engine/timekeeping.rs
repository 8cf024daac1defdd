//! What Regie does by itself. The clock knows no zones, so that it is an hour off when summer time
//! begins or ends, or when this computer travels: it is set again. A calendar that the host draws
//! is drawn again when the day changes.

use std::time::Duration;

use jiff::Timestamp;
use regie_clock::{LinkState, Task, Zone};
use tokio::time::{Instant, MissedTickBehavior, interval};

use super::{ClockMemory, Engine, lock};
use crate::desk::{Learned, Plan};
use crate::error::EngineError;
use crate::state::{OperationKind, Outcome, TimeSet};

/// How often it is looked at. Not every system reports a change of zone or a waking computer; a
/// minute is what a clock drifts in a month.
const LOOK: Duration = Duration::from_secs(60);

/// First and longest pause after an attempt that failed: each one listens for a minute and more,
/// and is written to the journal.
const RETRY: (Duration, Duration) = (
    Duration::from_secs(15 * 60),
    Duration::from_secs(6 * 60 * 60),
);

/// When to try again.
#[derive(Debug, Clone, Copy)]
struct Retry {
    at: Instant,
    pause: Duration,
}

impl Retry {
    fn now() -> Self {
        Self {
            at: Instant::now(),
            pause: RETRY.0,
        }
    }

    fn later(self) -> Self {
        Self {
            at: Instant::now() + self.pause,
            pause: (self.pause * 2).min(RETRY.1),
        }
    }
}

impl Engine {
    /// From now on until the engine stops, keeps the zone of this computer shown, and sets the
    /// clock again when the offset of its zone has changed: at once while it is connected,
    /// otherwise now and then until it is reached. Only for a clock that was set before; any
    /// other operation goes first.
    pub fn keep_time(&self) {
        let engine = self.clone();
        self.shared.tasks.spawn(async move {
            let stopping = engine.shared.stopping.clone();
            let mut look = interval(LOOK);
            look.set_missed_tick_behavior(MissedTickBehavior::Delay);
            let mut retry = Retry::now();
            loop {
                tokio::select! {
                    () = stopping.cancelled() => return,
                    _ = look.tick() => {}
                }
                retry = engine.look_at_time(retry).await;
            }
        });
    }

    async fn look_at_time(&self, retry: Retry) -> Retry {
        let host = Zone::known_system().ok();
        if let Some(host) = &host {
            self.shared.state.send_if_modified(|state| {
                let zone = host.to_string();
                let changed = state.zone != zone;
                state.zone = zone;
                changed
            });
        }
        let memory = lock(&self.shared.memory).clone();
        let due = match self.due_now(&memory, host.as_ref()) {
            Ok(Some(due)) => due,
            Ok(None) => return Retry::now(),
            Err(error) => {
                tracing::warn!(%error, "what is due cannot be told");
                return retry.later();
            }
        };
        let linked = match &*self.current().session.state().borrow() {
            LinkState::Connected { clock, .. } => memory.is_of(&clock.address),
            _ => false,
        };
        let operation = self.shared.state.borrow().clock.operation.clone();
        let busy = operation.is_some_and(|operation| operation.outcome.is_none());
        if busy || (!linked && Instant::now() < retry.at) {
            return retry;
        }
        match self.carry_out_due(due, &memory).await {
            Ok(Some(Outcome::Done { .. })) => Retry::now(),
            Ok(Some(_)) => retry.later(),
            // Somebody else is at the clock, or the engine is ending.
            Ok(None) | Err(EngineError::Closing) => retry,
            Err(error) => {
                tracing::warn!(%error, "what was due could not be done");
                retry.later()
            }
        }
    }

    /// What is to be done without having been asked for: the time first, since the day of the
    /// calendar goes by it.
    fn due_now(
        &self,
        memory: &ClockMemory,
        host: Option<&Zone>,
    ) -> Result<Option<Due>, EngineError> {
        // Nobody asked for a picture to go. The next face takes the time along.
        let wanted = !memory.time_replaces_picture();
        let set = memory.time_set.as_ref().filter(|_| wanted);
        let now = Timestamp::now().as_second();
        if let Some(time) = set.and_then(|set| due(set, host, now)) {
            return Ok(Some(Due::Time(time)));
        }
        match memory.host_calendar() {
            Some(page) if page.day != memory.today()?.to_string() => Ok(Some(Due::Calendar {
                text: page.text.clone(),
            })),
            _ => Ok(None),
        }
    }

    /// Does it on the clock that this is the memory of.
    async fn carry_out_due(
        &self,
        due: Due,
        memory: &ClockMemory,
    ) -> Result<Option<Outcome>, EngineError> {
        let plan = match due {
            Due::Time(DueTime { zone, follows_host }) => Plan {
                kind: OperationKind::SetTime,
                detail: zone.to_string(),
                first: Task::SetTime(zone.clone()),
                then: None,
                learned: Learned::Time { zone, follows_host },
            },
            Due::Calendar { text } => self.calendar_plan(memory, text).await?.0,
        };
        tracing::info!(kind = ?plan.kind, detail = plan.detail, "due by itself");
        self.carry_out_unasked(plan, memory).await
    }
}

/// What is to be done without having been asked for.
#[derive(Debug)]
enum Due {
    /// The clock is to be set again.
    Time(DueTime),
    /// The page of the host's calendar is of another day.
    Calendar {
        /// Words over it.
        text: Option<String>,
    },
}

/// A time to be set again.
#[derive(Debug, PartialEq, Eq)]
struct DueTime {
    zone: Zone,
    follows_host: bool,
}

/// Whether the clock, set at that time, is off by now (seconds since 1970) because of an offset
/// that has changed since.
fn due(set: &TimeSet, host: Option<&Zone>, now: i64) -> Option<DueTime> {
    let then: Timestamp = set.at.parse().ok()?;
    let before: Zone = set.zone.parse().ok()?;
    // Where this computer is may not be known.
    let zone = if set.follows_host { host? } else { &before };
    let shown = before.offset_seconds_at(then.as_second()).ok()?;
    let right = zone.offset_seconds_at(now).ok()?;
    (shown != right).then(|| DueTime {
        zone: zone.clone(),
        follows_host: set.follows_host,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2026-10-25 01:00:00 UTC, the end of summer time in Paris.
    const CHANGE: i64 = 1_792_890_000;

    fn set(zone: &str, at: i64, follows_host: bool) -> TimeSet {
        TimeSet {
            at: Timestamp::from_second(at).unwrap().to_string(),
            zone: zone.to_owned(),
            follows_host,
        }
    }

    fn zone(name: &str) -> Zone {
        name.parse().unwrap()
    }

    /// TZ-3: to the second, both ways.
    #[test]
    fn a_change_of_summer_time_makes_the_clock_due_at_its_second() {
        let paris = zone("Europe/Paris");
        let before = set("Europe/Paris", CHANGE - 100, false);
        assert_eq!(due(&before, Some(&paris), CHANGE - 1), None);
        let found = due(&before, Some(&paris), CHANGE).unwrap();
        assert_eq!(found.zone, paris);
        let after = set("Europe/Paris", CHANGE, false);
        assert_eq!(due(&after, Some(&paris), CHANGE + 86_400), None);
        // 2027-03-28 01:00:00 UTC.
        assert!(due(&after, Some(&paris), 1_806_195_600).is_some());
    }

    /// TZ-10: a clock on this computer's time travels with it; one on another zone does not.
    #[test]
    fn only_a_clock_on_this_computers_time_follows_it_to_another_zone() {
        let tokyo = zone("Asia/Tokyo");
        let follows = set("Europe/Paris", CHANGE, true);
        assert_eq!(
            due(&follows, Some(&tokyo), CHANGE + 60).unwrap().zone,
            tokyo
        );
        let stays = set("Europe/Paris", CHANGE, false);
        assert_eq!(due(&stays, Some(&tokyo), CHANGE + 60), None);
    }

    /// Another name of the same time is no reason to wake the clock.
    #[test]
    fn another_zone_of_the_same_offset_is_none_to_set() {
        let follows = set("Europe/Paris", CHANGE, true);
        assert_eq!(
            due(&follows, Some(&zone("Europe/Berlin")), CHANGE + 60),
            None
        );
        let fixed = set("+05:45", CHANGE - 60, false);
        assert_eq!(due(&fixed, Some(&zone("Asia/Tokyo")), CHANGE + 60), None);
    }
}
