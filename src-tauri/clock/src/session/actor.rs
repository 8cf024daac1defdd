//! The task that owns the adapter and the link.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, timeout};

use super::limits::{
    ADAPTER_POLL, CHECK_LIMIT, DISCONNECT_LIMIT, HEARD_LIMIT, REPEATS, SCAN_START_LIMIT,
    SCAN_STOP_LIMIT, TICK,
};
use super::memory::PictureMemory;
use super::operation::{Doubt, Outcome, Report, Tally, Task, Ticket};
use super::pace::Pace;
use super::play::Cursor;
use super::queue::Inbox;
use super::state::{ClockName, LinkState, Stage};
use super::{SessionConfig, Shared, lock};
use crate::ClockError;
use crate::diagnosis::{Search, Step, examine};
use crate::dialect::{Answer, Dialect, Dialects, Family, Terms, Traits};
use crate::link::{Adapter, Address, Advertisement, Connection};

#[derive(Debug)]
pub(super) enum Command {
    Run(Ticket),
    Scan {
        duration: Duration,
        reply: oneshot::Sender<Result<Vec<Advertisement>, ClockError>>,
    },
    Disconnect {
        reply: oneshot::Sender<()>,
    },
    Diagnose {
        search: Search,
        steps: mpsc::Sender<Step>,
    },
}

impl Command {
    /// Nobody wants it any more, so that it may go without having been carried out. A link is let
    /// go even if nobody waits for that.
    pub(super) fn is_withdrawn(&self) -> bool {
        match self {
            Self::Run(ticket) => ticket.is_withdrawn(),
            Self::Scan { reply, .. } => reply.is_closed(),
            Self::Disconnect { .. } => false,
            Self::Diagnose { steps, .. } => steps.is_closed(),
        }
    }

    /// Ends a command that is not carried out, for this reason unless it was withdrawn before.
    pub(super) fn refuse(self, error: ClockError) {
        if let Self::Run(ticket) = self {
            let report = Report::default();
            ticket.end(if ticket.begin() {
                Outcome::Failed { error, report }
            } else {
                Outcome::Cancelled { report }
            });
        }
    }
}

/// The link in use.
pub(super) struct Held {
    pub(super) connection: Connection,
    pub(super) clock: ClockName,
    /// How to talk to it.
    pub(super) dialect: Arc<dyn Dialect>,
    /// What it has said of itself on this link.
    pub(super) traits: Traits,
    /// Since when there is the link.
    pub(super) since: Instant,
    /// It has had the time to say what it is.
    pub(super) introduced: bool,
    /// What it holds of the picture sent last on this link.
    pub(super) memory: PictureMemory,
}

impl Held {
    /// What a notification means; what it says of the clock is kept.
    pub(super) fn hear(&mut self, notification: &[u8]) -> Answer {
        self.dialect.learn(notification, &mut self.traits);
        let answer = self.dialect.interpret(notification);
        if answer == Answer::Rejected {
            self.memory.doubt();
        }
        answer
    }
}

/// Why a run through a job stopped.
#[derive(Debug)]
pub(super) enum Stop {
    /// It was cancelled.
    Cancelled,
    /// It cannot succeed.
    Failed(ClockError),
    /// It cannot be told whether it took effect, and repeating might do harm.
    Unknown(Doubt),
    /// The link is of no use any more; repeating is harmless.
    Lost(ClockError),
    /// The link is good, but the request must start over.
    Again(ClockError),
}

/// One operation while it runs.
pub(super) struct Run {
    pub(super) ticket: Ticket,
    pub(super) tally: Tally,
    pub(super) deadline: Instant,
    pub(super) limit: Duration,
    /// The first clock that was connected: the whole run goes there, whatever is chosen meanwhile.
    pub(super) pinned: Option<Address>,
    /// What a failure from here on would leave open about the present task.
    pub(super) doubt: Option<Doubt>,
    /// An earlier task of the job has taken effect, so that neither "failed" nor "cancelled" would
    /// be true any more.
    pub(super) took_effect: bool,
    /// The present task is a short one after one that took effect.
    pub(super) finishing: bool,
}

impl Run {
    pub(super) fn past_deadline(&self) -> Result<(), Stop> {
        if Instant::now() >= self.deadline {
            return Err(Stop::Failed(ClockError::DeadlinePassed {
                seconds: self.limit.as_secs(),
            }));
        }
        Ok(())
    }

    /// The stage to show. What follows the first effect is shown as its end, whatever it takes, so
    /// that the stages do not begin anew.
    pub(super) fn shown(&self, stage: Stage) -> Stage {
        if self.finishing {
            Stage::Finishing
        } else {
            stage
        }
    }

    pub(super) fn stage(&self, stage: Stage, seconds_left: Option<u32>) {
        let stage = self.shown(stage);
        self.ticket.progress.send_modify(|progress| {
            progress.stage = stage;
            progress.seconds_left = seconds_left;
        });
    }
}

pub(super) struct Actor {
    pub(super) adapter: Arc<dyn Adapter>,
    pub(super) dialects: Dialects,
    pub(super) config: SessionConfig,
    inbox: Inbox,
    pub(super) shared: Arc<Shared>,
    pub(super) held: Option<Held>,
    /// The clock whose last complete wait for the end of a redraw ended without word of it.
    pub(super) silent_clock: Option<Address>,
    /// How fast the clock that was linked last takes picture packets.
    pub(super) pace: Pace,
    pub(super) paced_clock: Option<Address>,
}

impl Actor {
    pub(super) fn new(
        adapter: Arc<dyn Adapter>,
        dialects: Dialects,
        config: SessionConfig,
        inbox: Inbox,
        shared: Arc<Shared>,
    ) -> Self {
        Self {
            adapter,
            dialects,
            config,
            inbox,
            shared,
            held: None,
            silent_clock: None,
            pace: Pace::default(),
            paced_clock: None,
        }
    }

    pub(super) async fn run(mut self) {
        let _ended = self.shared.ended.clone().drop_guard();
        let closing = self.shared.closing.clone();
        let mut idle_changes = self.shared.idle_timeout.subscribe();
        let mut target_changes = self.shared.default_target.subscribe();
        self.look_at_adapter().await;
        loop {
            let let_go_at = self.let_go_at();
            let poll_at = Instant::now() + ADAPTER_POLL;
            let linked = self.held.is_some();
            tokio::select! {
                biased;
                command = self.inbox.next() => self.handle(command).await,
                () = closing.cancelled() => break,
                // The new timeout is read at the top of the loop.
                Ok(()) = idle_changes.changed() => {}
                Ok(()) = target_changes.changed() => {
                    let wanted = target_changes.borrow_and_update().clone();
                    let other = self.held.as_ref().is_some_and(|held| {
                        wanted.is_some_and(|wanted| wanted != held.clock.address)
                    });
                    if other {
                        tracing::debug!("letting the link to another clock go");
                        self.let_go().await;
                    }
                }
                notification = next_notification(&mut self.held), if linked => {
                    match (notification, &mut self.held) {
                        (Some(value), Some(held)) => {
                            held.hear(&value);
                        }
                        _ => {
                            tracing::info!("the idle link was lost");
                            self.let_go().await;
                        }
                    }
                }
                () = sleep_until(let_go_at), if let_go_at.is_some() => {
                    tracing::debug!("letting the idle link go");
                    self.let_go().await;
                }
                () = tokio::time::sleep_until(poll_at), if !linked => self.look_at_adapter().await,
            }
        }
        self.let_go().await;
        for command in self.inbox.close() {
            command.refuse(ClockError::SessionClosed);
        }
        self.publish(LinkState::Closed);
    }

    async fn handle(&mut self, command: Command) {
        match command {
            Command::Run(ticket) => self.operate(ticket).await,
            Command::Scan {
                duration,
                mut reply,
            } => {
                let result = tokio::select! {
                    result = self.scan(duration) => Some(result),
                    () = reply.closed() => None,
                };
                self.publish_rest();
                if let Some(result) = result {
                    // Nobody waits any more when this fails.
                    let _ = reply.send(result);
                }
            }
            Command::Disconnect { reply } => {
                self.let_go().await;
                let _ = reply.send(());
            }
            Command::Diagnose { search, steps } => {
                self.diagnose(search, steps).await;
                self.publish_rest();
            }
        }
    }

    /// Looks for what keeps a clock from working, with the link let go first: how it comes about is
    /// part of the question.
    async fn diagnose(&mut self, mut search: Search, steps: mpsc::Sender<Step>) {
        self.let_go().await;
        if search.target.is_none() {
            search
                .target
                .clone_from(&self.shared.default_target.borrow());
        }
        tokio::select! {
            () = examine(&*self.adapter, &self.dialects, &search, &steps) => {}
            () = steps.closed() => {}
        }
    }

    /// Carries out a job from beginning to end.
    async fn operate(&mut self, ticket: Ticket) {
        if !ticket.begin() {
            ticket.end(Outcome::Cancelled {
                report: Report::default(),
            });
            return;
        }
        *lock(&self.shared.idle_since) = None;
        self.dialects = self.shared.dialects.borrow().clone();
        if let Some(held) = &mut self.held
            && let Some(family) = held.clock.family
        {
            held.dialect = Arc::clone(self.dialects.of(family));
        }
        let limit = self.config.operation_limit;
        let mut run = Run {
            tally: Tally::new(),
            deadline: Instant::now() + limit,
            limit,
            pinned: None,
            doubt: None,
            took_effect: false,
            finishing: false,
            ticket,
        };
        tracing::debug!(operation = %run.ticket.id, "starting");
        let result = self.carry_out(&mut run).await;
        let Run {
            ticket,
            tally,
            doubt,
            took_effect,
            ..
        } = run;
        let doubt = doubt.or_else(|| took_effect.then_some(Doubt::LaterStepFailed));
        let report = tally.close();
        let outcome = match (result, doubt) {
            (Ok(()), _) => Outcome::Done(report),
            (Err(Stop::Unknown(reason)), _) => Outcome::Unknown { reason, report },
            (Err(_), Some(reason)) => Outcome::Unknown { reason, report },
            (Err(Stop::Cancelled), None) => Outcome::Cancelled { report },
            (Err(Stop::Failed(error) | Stop::Lost(error) | Stop::Again(error)), None) => {
                Outcome::Failed { error, report }
            }
        };
        tracing::info!(operation = %ticket.id, ?outcome, "ended");
        let keep = !self.shared.idle_timeout.borrow().is_zero();
        let alive = self
            .held
            .as_ref()
            .is_some_and(|held| !held.connection.link.is_lost());
        if keep && alive {
            *lock(&self.shared.idle_since) = Some(Instant::now());
        } else {
            self.let_go().await;
        }
        self.publish_rest();
        ticket.end(outcome);
    }

    async fn carry_out(&mut self, run: &mut Run) -> Result<(), Stop> {
        let tasks: Vec<_> = run.ticket.job.tasks().cloned().collect();
        // What no clock can do is said before anybody waits for one.
        for task in &tasks {
            self.can_be_done(task, run.ticket.job.family())
                .map_err(Stop::Failed)?;
        }
        let mut cursor = Cursor::default();
        let mut repeats = 0;
        loop {
            let error = match self.attempt(&tasks, &mut cursor, run).await {
                Err(Stop::Lost(error)) => {
                    self.let_go().await;
                    error
                }
                Err(Stop::Again(error)) => error,
                result => return result,
            };
            if run.ticket.cancel().is_cancelled() {
                return Err(Stop::Cancelled);
            }
            if repeats == REPEATS {
                return Err(Stop::Failed(error));
            }
            repeats += 1;
            tracing::info!(operation = %run.ticket.id, %error, "starting over");
            if self.held.is_none() {
                run.tally.report.reconnects += 1;
            }
            run.ticket
                .progress
                .send_modify(|progress| progress.attempt += 1);
        }
    }

    /// Whether there is a family that can carry it out. If not, the error of the one that the clock
    /// is known to be of, of the linked clock's, or of the first.
    fn can_be_done(&self, task: &Task, known: Option<Family>) -> Result<(), ClockError> {
        let linked = self.held.as_ref().and_then(|held| held.clock.family);
        let likely = known.or(linked);
        let mut families = Family::ALL;
        families.sort_by_key(|family| Some(*family) != likely);
        let terms = Terms::of_mtu(u16::MAX);
        let mut first = Ok(());
        for family in families {
            match task.script(&**self.dialects.of(family), terms) {
                Ok(_) => return Ok(()),
                Err(error) => first = first.and(Err(error)),
            }
        }
        first
    }

    /// Listens for clocks.
    async fn scan(&mut self, duration: Duration) -> Result<Vec<Advertisement>, ClockError> {
        self.check_adapter().await?;
        self.shared.heard.send_replace(Vec::new());
        if let Some(held) = &self.held {
            // A connected clock does not advertise.
            self.note_heard(Advertisement {
                address: held.clock.address.clone(),
                name: held.clock.name.clone(),
                rssi: None,
                connected: true,
                simulated: held.clock.simulated,
            });
        }
        let mut scan = timeout(SCAN_START_LIMIT, self.adapter.scan())
            .await
            .map_err(|_| ClockError::Bluetooth {
                detail: "the scan did not start".to_owned(),
            })??;
        let started = Instant::now();
        let end = started + duration;
        loop {
            self.publish_listening(started, duration);
            tokio::select! {
                heard = scan.next() => match heard {
                    Some(heard) => self.note_heard(heard),
                    None => {
                        self.check_adapter().await?;
                        return Err(ClockError::Bluetooth { detail: "the scan broke off".to_owned() });
                    }
                },
                () = tokio::time::sleep_until(end) => break,
                () = tokio::time::sleep(TICK) => {}
            }
        }
        let _ = timeout(SCAN_STOP_LIMIT, scan.stop()).await;
        let heard = self.shared.heard.borrow().clone();
        if heard.is_empty() {
            self.unless_unavailable().await?;
        }
        Ok(heard)
    }

    /// Adds an advertisement to the list, strongest first.
    pub(super) fn note_heard(&self, mut heard: Advertisement) {
        // The remembered clock is one by whatever name, even while its scan response, which holds
        // the name, has not come (BLE-9).
        let remembered = self.shared.default_target.borrow().as_ref() == Some(&heard.address);
        let is_clock = remembered || Family::of_name(&heard.name).is_some();
        self.shared.heard.send_if_modified(|list| {
            if let Some(index) = list.iter().position(|known| known.address == heard.address) {
                let known = list.remove(index);
                // The name comes in the scan response, which may be missing this time.
                if heard.name.is_empty() {
                    heard.name = known.name;
                }
                heard.rssi = heard.rssi.or(known.rssi);
            } else if !is_clock || list.len() >= HEARD_LIMIT {
                return false;
            }
            list.push(heard);
            list.sort_by(|a, b| b.rssi.cmp(&a.rssi).then_with(|| a.address.cmp(&b.address)));
            true
        });
    }

    /// The name of a clock that was heard: as it was heard before, where it is missing this time,
    /// or else its address.
    pub(super) fn name_of(&self, heard: &Advertisement) -> String {
        if !heard.name.is_empty() {
            return heard.name.clone();
        }
        let list = self.shared.heard.borrow();
        list.iter()
            .find(|known| known.address == heard.address && !known.name.is_empty())
            .map_or_else(|| heard.address.to_string(), |known| known.name.clone())
    }

    /// After silence: an error when Bluetooth cannot be used, which then is why.
    pub(super) async fn unless_unavailable(&self) -> Result<(), ClockError> {
        match self.check_adapter().await {
            Err(error @ ClockError::BluetoothUnavailable { .. }) => Err(error),
            _ => Ok(()),
        }
    }

    pub(super) async fn check_adapter(&self) -> Result<(), ClockError> {
        let result = timeout(CHECK_LIMIT, self.adapter.check())
            .await
            .unwrap_or_else(|_| {
                Err(ClockError::Bluetooth {
                    detail: "the adapter does not answer".to_owned(),
                })
            });
        if let Err(ClockError::BluetoothUnavailable { reason }) = &result {
            self.publish(LinkState::Unavailable { reason: *reason });
        }
        result
    }

    async fn look_at_adapter(&self) {
        if self.check_adapter().await.is_ok() && self.held.is_none() {
            self.publish(LinkState::Asleep);
        }
    }

    /// Lets the link go, if there is one.
    pub(super) async fn let_go(&mut self) {
        if let Some(held) = self.held.take() {
            release(&held.connection).await;
        }
        *lock(&self.shared.idle_since) = None;
        self.publish_rest();
    }

    pub(super) fn skips_unchanged(&self) -> bool {
        self.shared.skip_unchanged.load(Ordering::Relaxed)
    }

    fn let_go_at(&self) -> Option<Instant> {
        let since = (*lock(&self.shared.idle_since))?;
        // A timeout beyond the clock's reach means never.
        since.checked_add(*self.shared.idle_timeout.borrow())
    }

    pub(super) fn publish(&self, state: LinkState) {
        self.shared.state.send_if_modified(|current| {
            let changed = *current != state;
            *current = state;
            changed
        });
    }

    /// The state between operations. Unavailability stays until the adapter says otherwise.
    fn publish_rest(&self) {
        let rest = match &self.held {
            Some(held) => LinkState::Connected {
                clock: held.clock.clone(),
                mtu: held.connection.link.mtu(),
            },
            None if matches!(*self.shared.state.borrow(), LinkState::Unavailable { .. }) => return,
            None => LinkState::Asleep,
        };
        self.publish(rest);
    }

    pub(super) fn publish_listening(&self, started: Instant, limit: Duration) {
        self.publish(LinkState::Listening {
            elapsed_seconds: whole_seconds(started.elapsed()),
            limit_seconds: whole_seconds(limit),
        });
    }
}

/// Lets a link go, within a bound.
pub(super) async fn release(connection: &Connection) {
    if timeout(DISCONNECT_LIMIT, connection.link.disconnect())
        .await
        .is_err()
    {
        tracing::warn!("the link did not close in time");
    }
}

pub(super) fn whole_seconds(duration: Duration) -> u32 {
    u32::try_from(duration.as_secs()).unwrap_or(u32::MAX)
}

async fn next_notification(held: &mut Option<Held>) -> Option<Vec<u8>> {
    match held {
        Some(held) => held.connection.notifications.recv().await,
        None => std::future::pending().await,
    }
}

async fn sleep_until(at: Option<Instant>) {
    match at {
        Some(at) => tokio::time::sleep_until(at).await,
        None => std::future::pending().await,
    }
}
