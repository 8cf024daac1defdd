//! An operation's way from request to outcome: journalled before it starts, followed while it
//! runs, learned from when it ends.

use std::time::Duration;

use jiff::Timestamp;
use regie_clock::{Address, Face, Job, Stage};
use tokio::sync::oneshot;
use tokio::time::Instant;

use super::{ClockMemory, Engine};
use crate::convert;
use crate::desk::{Learned, Plan, Submitted};
use crate::error::EngineError;
use crate::state::{Door, JournalOutcome, KnownClock, Outcome, TimeSet};
use crate::store::NewEntry;

/// What an operation ended with, in the clock's own terms and in those of the doors.
struct End {
    clock: regie_clock::Outcome,
    shown: Outcome,
    /// How long it was sending.
    sending: Duration,
}

impl Engine {
    /// Queues an operation on the chosen clock.
    pub(super) async fn submit(&self, door: Door, plan: Plan) -> Result<Submitted, EngineError> {
        let chosen = self.shared.state.borrow().clock.chosen.clone();
        let entry = NewEntry {
            at: Timestamp::now().to_string(),
            door,
            action: plan.kind,
            target: name(chosen.as_ref()),
            detail: plan.detail,
        };
        let row = self
            .shared
            .store
            .run(move |store| store.begin(&entry))
            .await?;
        // The clock that is chosen now, even if another one is chosen before its turn comes.
        let target = chosen.as_ref().map(|clock| Address::new(&clock.address));
        let mut job = Job::new(plan.first).on(target);
        if let Some(request) = plan.then {
            job = job.then(request);
        }
        let current = self.current();
        let handle = current.session.submit(job);
        let progress = convert::progress(&handle.progress().borrow());
        let slot = plan.learned.slot();
        let id = self.desk().add(plan.kind, slot, progress, handle.clone());
        self.show_current();
        let (ended, outcome) = oneshot::channel();
        let engine = self.clone();
        self.shared.tasks.spawn(async move {
            let end = engine.follow(id, &handle).await;
            engine.learn(current.number, &end, &plan.learned).await;
            let target = end.clock.report().clock.as_ref();
            let target = target.map_or_else(|| name(chosen.as_ref()), |clock| clock.name.clone());
            engine.close(row, id, target, &end.shown).await;
            // A door that does not wait is told by the state.
            let _unread = ended.send(end.shown);
        });
        Ok(Submitted { id, ended: outcome })
    }

    /// Shows an operation's progress until it has an outcome.
    async fn follow(&self, id: u32, handle: &regie_clock::Operation) -> End {
        let mut progress = handle.progress();
        let (mut sending, mut sent, mut refreshed) = (None, Duration::ZERO, false);
        let ended = handle.outcome();
        tokio::pin!(ended);
        let clock = loop {
            tokio::select! {
                outcome = &mut ended => break outcome,
                changed = progress.changed() => {
                    if changed.is_err() {
                        break ended.await;
                    }
                    let progress = convert::progress(&progress.borrow_and_update());
                    // The picture is over when the panel redraws; small commands follow.
                    refreshed |= progress.stage == Stage::Refreshing;
                    if progress.stage == Stage::Sending && !refreshed {
                        sent = sending.get_or_insert_with(Instant::now).elapsed();
                    }
                    self.desk().advance(id, progress);
                    self.show_current();
                }
            }
        };
        End {
            shown: convert::outcome(&clock),
            clock,
            sending: sent,
        }
    }

    /// Takes over what an operation of a session taught about its clock.
    async fn learn(&self, session: u32, end: &End, learned: &Learned) {
        let Some(clock) = &end.clock.report().clock else {
            // No clock was reached, so nothing about one has changed.
            return;
        };
        let reached = KnownClock {
            address: clock.address.to_string(),
            name: clock.name.clone(),
            family: clock.family,
            simulated: clock.simulated,
        };
        let kept = self
            .update_memory(Some(session), |memory| {
                let chosen = memory.chosen.get_or_insert_with(|| reached.clone());
                if chosen.address == reached.address {
                    // Its name may have been unknown when it was chosen.
                    *chosen = reached;
                    self.take(memory, end, learned);
                }
            })
            .await;
        if let Err(error) = kept {
            tracing::warn!(%error, "what was learned of the clock is not kept");
        }
    }

    /// Writes the outcome down and shows it.
    async fn close(&self, row: i64, id: u32, target: String, outcome: &Outcome) {
        let (word, fault) = (journal_outcome(outcome), outcome.fault().cloned());
        let duration = outcome.report().duration_ms;
        let written = self
            .shared
            .store
            .run(move |store| store.end(row, &target, word, fault.as_ref(), duration))
            .await;
        if let Err(error) = written {
            tracing::error!(%error, "an outcome could not be written to the journal");
        }
        self.desk().end(id, outcome.clone());
        self.show_current();
    }

    fn take(&self, memory: &mut ClockMemory, end: &End, learned: &Learned) {
        if !end.clock.is_done() {
            // Where nothing was sent, the screen shows what it showed.
            if learned.changes_screen() && end.clock.report().packets > 0 {
                memory.shown_slot = None;
            }
            return;
        }
        match learned {
            Learned::Nothing => {}
            Learned::Shows(held) => {
                // The slot may have been filled anew meanwhile.
                let is_held = self.held(held.slot).as_ref() == Some(held);
                memory.shown_slot = is_held.then_some(held.slot);
                memory.send_seconds = u32::try_from(end.sending.as_secs()).ok();
            }
            // The picture mode shows again what was sent last, and what that was is known
            // already.
            Learned::Face(Face::Picture) => {}
            Learned::ShowsNoSlot | Learned::Face(_) => memory.shown_slot = None,
            Learned::QuietHours(hours) => memory.quiet_hours = Some(*hours),
            Learned::Time(zone) => {
                memory.time_set = Some(TimeSet {
                    at: Timestamp::now().to_string(),
                    zone: zone.to_string(),
                });
            }
        }
    }
}

fn name(clock: Option<&KnownClock>) -> String {
    clock.map(|clock| clock.name.clone()).unwrap_or_default()
}

fn journal_outcome(outcome: &Outcome) -> JournalOutcome {
    match outcome {
        Outcome::Done { .. } => JournalOutcome::Done,
        Outcome::Failed { .. } => JournalOutcome::Failed,
        Outcome::Unknown { .. } => JournalOutcome::Unknown,
        Outcome::Cancelled { .. } => JournalOutcome::Cancelled,
    }
}
