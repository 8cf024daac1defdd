//! An operation's way from request to outcome: journalled before it starts, followed while it
//! runs, learned from when it ends.

use std::time::Duration;

use jiff::Timestamp;
use regie_clock::{Address, Face, Job, Stage, Zone};
use tokio::sync::{oneshot, watch};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::errand::Errand;
use super::{ClockMemory, Engine, lock};
use crate::convert;
use crate::desk::{Learned, Plan, Submitted};
use crate::error::EngineError;
use crate::memory::Shown;
use crate::state::{Door, JournalOutcome, KnownClock, Outcome, Progress, TimeSet};
use crate::store::NewEntry;

/// What an operation ended with, in the clock's own terms and in those of the doors.
struct End {
    clock: regie_clock::Outcome,
    shown: Outcome,
    /// How long it was sending.
    sending: Duration,
}

/// What is done without having been asked for, and who is asking for something else.
#[derive(Debug, Default)]
pub(super) struct Unasked {
    /// Ends the operation under way that nobody asked for.
    under_way: CancellationToken,
    /// Operations being asked for that do not show as running yet.
    asking: usize,
}

/// Somebody is asking for an operation.
struct Asking<'a>(&'a Engine);

impl Drop for Asking<'_> {
    fn drop(&mut self) {
        lock(&self.0.shared.unasked).asking -= 1;
    }
}

/// An operation that was journalled and given to a session.
struct Begun {
    row: i64,
    session: u32,
    handle: regie_clock::Operation,
    clock: Option<KnownClock>,
    addressed: bool,
    learned: Learned,
}

impl Engine {
    /// Queues an operation on the clock that it is for.
    pub(super) async fn submit(
        &self,
        errand: Errand,
        plan: Plan,
    ) -> Result<Submitted, EngineError> {
        // What nobody asked for makes room, and stays away until this is seen to run.
        let _asking = self.asking();
        let kind = plan.kind;
        let begun = self.begin(errand, plan).await?;
        let progress = convert::progress(&begun.handle.progress().borrow());
        let (advancing, advanced) = watch::channel(progress);
        let slot = begun.learned.slot();
        let id = self.desk().add(kind, slot, progress, begun.handle.clone());
        self.show_current();
        let (ended, outcome) = oneshot::channel();
        let engine = self.clone();
        self.shared.tasks.spawn(async move {
            let end = engine.follow(id, &begun.handle, &advancing).await;
            engine.close(begun, &end).await;
            engine.desk().end(id, end.shown.clone());
            engine.show_current();
            // A door that does not wait is told by the state.
            let _unread = ended.send(end.shown);
        });
        Ok(Submitted {
            id,
            progress: advanced,
            ended: outcome,
            notes: Vec::new(),
        })
    }

    /// Carries out an operation that nobody waits for: it is journalled, but not shown, and gives
    /// way to any other.
    ///
    /// Nothing is done when somebody is asking for something just now, or when the plan was made
    /// for another clock than the one that is chosen by now.
    pub(super) async fn carry_out_unasked(
        &self,
        plan: Plan,
        memory: &ClockMemory,
    ) -> Result<Option<Outcome>, EngineError> {
        let wanted = CancellationToken::new();
        {
            let mut unasked = lock(&self.shared.unasked);
            let state = self.shared.state.borrow();
            let chosen = state.clock.chosen.as_ref();
            let made_for = memory.chosen.as_ref();
            let address = |clock: &KnownClock| clock.address.clone();
            if unasked.asking > 0 || chosen.map(address) != made_for.map(address) {
                return Ok(None);
            }
            unasked.under_way.clone_from(&wanted);
        }
        let errand = Errand {
            caller: Door::Regie.into(),
            memory: memory.clone(),
            addressed: false,
        };
        let begun = self.begin(errand, plan).await?;
        let handle = begun.handle.clone();
        let ended = handle.outcome();
        tokio::pin!(ended);
        let clock = tokio::select! {
            outcome = &mut ended => outcome,
            () = wanted.cancelled() => {
                handle.cancel();
                ended.await
            }
        };
        let end = End {
            shown: convert::outcome(&clock),
            clock,
            sending: Duration::ZERO,
        };
        self.close(begun, &end).await;
        Ok(Some(end.shown))
    }

    /// Ends what nobody asked for, and keeps it away until the guard goes.
    fn asking(&self) -> Asking<'_> {
        let mut unasked = lock(&self.shared.unasked);
        unasked.under_way.cancel();
        unasked.asking += 1;
        Asking(self)
    }

    /// Journals an operation and gives it to the session.
    async fn begin(&self, errand: Errand, plan: Plan) -> Result<Begun, EngineError> {
        let Errand {
            caller,
            memory: ClockMemory { chosen: clock, .. },
            addressed,
        } = errand;
        let entry = NewEntry {
            at: Timestamp::now().to_string(),
            caller,
            kind: plan.kind,
            target: name(clock.as_ref()),
            detail: plan.detail,
        };
        let row = self
            .shared
            .store
            .run(move |store| store.begin(&entry))
            .await?;
        let target = clock.as_ref().map(|clock| Address::new(&clock.address));
        let family = clock.as_ref().and_then(|clock| clock.family);
        let mut job = Job::new(plan.first).on(target).known_as(family);
        if let Some(request) = plan.then {
            job = job.then(request);
        }
        let current = self.current();
        Ok(Begun {
            row,
            session: current.number,
            handle: current.session.submit(job),
            clock,
            addressed,
            learned: plan.learned,
        })
    }

    /// Shows an operation's progress until it has an outcome.
    async fn follow(
        &self,
        id: u32,
        handle: &regie_clock::Operation,
        shown: &watch::Sender<Progress>,
    ) -> End {
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
                    shown.send_replace(progress);
                    self.desk().advance(id, progress);
                    self.show_current();
                }
            }
        };
        shown.send_replace(convert::progress(&handle.progress().borrow()));
        End {
            shown: convert::outcome(&clock),
            clock,
            sending: sent,
        }
    }

    /// Takes over what an operation of a session taught about its clock, whichever is chosen by
    /// now.
    async fn learn(&self, begun: &Begun, end: &End) -> Result<(), EngineError> {
        let learned = &begun.learned;
        let Some(clock) = &end.clock.report().clock else {
            // No clock was reached, so nothing about one has changed.
            return Ok(());
        };
        let reached = KnownClock {
            address: clock.address.to_string(),
            // A name may not have come this time.
            name: match clock.name.as_str() {
                "" => clock.address.to_string(),
                name => name.to_owned(),
            },
            family: clock.family,
            simulated: clock.simulated,
        };
        let _turn = self.shared.learning.lock().await;
        let address = reached.address.clone();
        let mut known = self
            .shared
            .store
            .run(move |store| ClockMemory::recall(store, reached))
            .await?;
        let is_it = |memory: &ClockMemory| {
            match &memory.chosen {
                Some(chosen) => chosen.address == address,
                // One that was named was not chosen by that.
                None => !begun.addressed,
            }
        };
        let mut in_use = false;
        self.update_memory(Some(begun.session), |memory| {
            in_use = is_it(memory);
            if in_use {
                if memory.chosen.is_none() {
                    // The first one heard is the chosen one from now on.
                    *memory = known.clone();
                }
                memory.chosen.clone_from(&known.chosen);
                Self::take(memory, end, learned);
            }
        })
        .await?;
        if in_use {
            return Ok(());
        }
        Self::take(&mut known, end, learned);
        self.shared
            .store
            .run(move |store| known.keep(store, None))
            .await
    }

    /// Takes over what an operation taught, and writes its outcome down.
    async fn close(&self, begun: Begun, end: &End) {
        if let Err(error) = self.learn(&begun, end).await {
            tracing::warn!(%error, "what was learned of the clock is not kept");
        }
        let target = match &end.clock.report().clock {
            Some(clock) => clock.name.clone(),
            None => name(begun.clock.as_ref()),
        };
        let row = begun.row;
        let outcome = &end.shown;
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
    }

    fn take(memory: &mut ClockMemory, end: &End, learned: &Learned) {
        let replaced = matches!(learned, Learned::Time { .. }) && memory.time_replaces_picture();
        let changed = learned.changes_screen() || replaced;
        if !end.clock.is_done() {
            // A clock was reached, and what it was sent last may have been taken without its
            // having said so.
            if changed {
                (memory.shown, memory.face) = (None, None);
            }
            return;
        }
        match learned {
            Learned::Nothing => {}
            Learned::Shows { held, mono } => {
                memory.shown = Some(Shown::Slot {
                    held: held.clone(),
                    mono: *mono,
                });
                memory.face = Some(Face::Picture);
                if end.clock.report().data_bytes > 0 {
                    memory.send_seconds = u32::try_from(end.sending.as_secs()).ok();
                }
            }
            Learned::HostCalendar(calendar) => {
                memory.shown = Some(Shown::Calendar(calendar.clone()));
                memory.face = Some(Face::Picture);
            }
            // The picture mode shows again what was sent last, and what that was is known
            // already.
            Learned::Face(Face::Picture) => memory.face = Some(Face::Picture),
            Learned::Face(face) => {
                memory.shown = None;
                memory.face = Some(*face);
                if memory.family().time_replaces_picture() {
                    // Such a clock was given the time along with its face.
                    let set = memory.time_set.take();
                    let follows_host = set.as_ref().is_none_or(|set| set.follows_host);
                    memory.time_set = Some(TimeSet {
                        at: started(end),
                        zone: match set {
                            Some(set) if !set.follows_host => set.zone,
                            _ => Zone::system().to_string(),
                        },
                        follows_host,
                    });
                }
            }
            Learned::ShowsNoSlot => {
                memory.shown = None;
                memory.face = Some(Face::Picture);
            }
            Learned::QuietHours(hours) => memory.quiet_hours = Some(*hours),
            Learned::Time { zone, follows_host } => {
                if replaced {
                    (memory.shown, memory.face) = (None, Some(Face::Calendar1));
                }
                memory.time_set = Some(TimeSet {
                    at: started(end),
                    zone: zone.to_string(),
                    follows_host: *follows_host,
                });
            }
        }
    }
}

/// When an operation that has just ended began. A time that it set was made later: were this the
/// end, a change of the zone's offset between the two would go unnoticed.
fn started(end: &End) -> String {
    let duration = end.clock.report().duration_ms;
    let began = Timestamp::now() - Duration::from_millis(duration.into());
    began.to_string()
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
