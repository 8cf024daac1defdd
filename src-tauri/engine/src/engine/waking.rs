//! A computer that sleeps says goodbye to nobody: its links are gone without a word, and what was
//! known of devices is old.

use std::time::{Duration, SystemTime};

use regie_clock::LinkState;
use tokio::time::{MissedTickBehavior, interval};

use super::Engine;

/// How often the time is looked at. Not every system tells that it woke.
const LOOK: Duration = Duration::from_secs(5);

/// By how much longer than that a look must have taken to have been a sleep: longer than a busy
/// computer lets anybody wait. A clock that was set forward by as much counts, too, which does no
/// harm.
const SLEEP: Duration = Duration::from_secs(25);

/// When the computer was last seen awake, by its own clock: others stand still while it sleeps.
struct Awake(SystemTime);

impl Awake {
    /// Whether it has slept since it was last seen.
    fn has_slept(&mut self, now: SystemTime) -> bool {
        let before = std::mem::replace(&mut self.0, now);
        now.duration_since(before)
            .is_ok_and(|passed| passed > LOOK + SLEEP)
    }
}

impl Engine {
    /// From now on until the engine stops, looks after what a sleep of the computer has broken.
    pub fn look_after_sleep(&self) {
        let engine = self.clone();
        self.shared.tasks.spawn(async move {
            let stopping = engine.shared.stopping.clone();
            let mut look = interval(LOOK);
            look.set_missed_tick_behavior(MissedTickBehavior::Delay);
            let mut awake = Awake(SystemTime::now());
            loop {
                tokio::select! {
                    () = stopping.cancelled() => return,
                    _ = look.tick() => {}
                }
                if awake.has_slept(SystemTime::now()) {
                    engine.wake().await;
                }
            }
        });
    }

    /// The computer has slept: an unused link to the clock, which may be gone, is let go, and every
    /// device of the room is looked at now. An operation under way ends by its own deadlines.
    pub async fn wake(&self) {
        tracing::info!("the computer has slept");
        let session = self.current().session;
        let operation = self.shared.state.borrow().clock.operation.clone();
        let busy = operation.is_some_and(|operation| operation.outcome.is_none());
        let linked = matches!(&*session.state().borrow(), LinkState::Connected { .. });
        if linked
            && !busy
            && let Err(error) = session.disconnect().await
        {
            tracing::warn!(%error, "the link was not let go after a sleep");
        }
        let devices = self.room_state().borrow().devices.clone();
        for device in devices {
            // One that has just been taken out.
            let _gone = self.try_device_now(&device.id);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sleep_is_told_from_a_busy_computer_and_from_a_clock_set_back() {
        let start = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000);
        let mut awake = Awake(start);
        let mut now = start;
        for (seconds, slept) in [
            (5, false),
            (20, false),
            (31, true),
            (5, false),
            (7200, true),
        ] {
            now += Duration::from_secs(seconds);
            assert_eq!(awake.has_slept(now), slept, "{seconds} s");
        }
        now -= Duration::from_secs(3600);
        assert!(!awake.has_slept(now));
        now += LOOK;
        assert!(!awake.has_slept(now));
    }
}
