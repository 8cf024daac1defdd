//! The link while a script is played on it: single writes and their retries, waits, and what
//! notifications say.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc::error::TryRecvError;
use tokio::sync::watch;
use tokio::time::{Instant, sleep, timeout, timeout_at};

use super::actor::{Held, Run, Stop, whole_seconds};
use super::connect::unless_cancelled;
use super::limits::{
    CANCEL_GRACE, DISCONNECT_LIMIT, STALL, TICK, WRITE_LIMIT, WRITE_RETRY_GAP, WRITE_TRIES,
};
use super::operation::Doubt;
use super::pace::Pace;
use super::pass::lost;
use super::state::{LinkState, Stage};
use crate::ClockError;
use crate::dialect::{Answer, Role, Terms, Write};
use crate::link::{Address, NOTIFICATION_BACKLOG, WriteError};

/// The link in use, and what goes with it.
pub(super) struct Line<'a> {
    pub(super) held: &'a mut Held,
    pub(super) state: &'a watch::Sender<LinkState>,
    /// The clock whose last full wait for the end of a redraw ended without word of it.
    pub(super) silent_clock: &'a mut Option<Address>,
    /// Most bytes of one write.
    pub(super) cap: Option<usize>,
    /// How fast picture packets follow each other.
    pub(super) pace: &'a mut Pace,
}

/// What the notifications at hand say.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct News {
    /// Packets that were taken, as far as the clock says so.
    pub(super) accepted: u32,
    /// Packets that were not taken; more when a rejection was doubled.
    pub(super) rejected: u32,
    /// A redraw has ended.
    refreshed: bool,
    /// The link is gone.
    pub(super) lost: bool,
}

/// How a wait for an answer ended.
pub(super) enum Waited {
    /// The awaited answer came.
    Answered,
    /// It never said so.
    Silent,
    /// The operation was cancelled after the least time.
    CutShort,
    /// The link went before the least time was over.
    LostEarly,
    /// The link went after it.
    LostLate,
    /// The clock rejected a part of the picture that came before.
    Rejected,
}

/// What became of a write.
pub(super) enum Written {
    /// The clock has acknowledged it, or it is on its way where none is asked to.
    Acknowledged {
        /// At the first try, and without having stalled.
        smoothly: bool,
    },
    /// It was not taken, and the link carries less by now than it needs.
    TooLong,
}

impl Line<'_> {
    /// What the link carries now.
    pub(super) fn terms(&self) -> Terms {
        let traits = self.held.traits;
        let terms = Terms::of_mtu(self.held.connection.link.mtu()).with(traits);
        [self.cap, traits.payload]
            .into_iter()
            .flatten()
            .fold(terms, Terms::capped)
    }

    fn is_silent(&self) -> bool {
        self.silent_clock.as_ref() == Some(&self.held.clock.address)
    }

    /// This clock does say when it has finished.
    fn heard_from(&mut self) {
        if self.is_silent() {
            *self.silent_clock = None;
        }
    }

    /// Takes the notifications at hand.
    pub(super) fn drain(&mut self) -> News {
        let mut news = News::default();
        for _ in 0..=NOTIFICATION_BACKLOG {
            match self.held.connection.notifications.try_recv() {
                Ok(value) => match self.held.hear(&value) {
                    Answer::Rejected => news.rejected += 1,
                    Answer::RefreshDone => news.refreshed = true,
                    Answer::Accepted { .. } => news.accepted += 1,
                    Answer::Introduction | Answer::Terms | Answer::Other => {}
                },
                Err(TryRecvError::Empty) => break,
                Err(TryRecvError::Disconnected) => {
                    news.lost = true;
                    break;
                }
            }
        }
        if news.refreshed {
            self.heard_from();
        }
        news
    }

    /// Waits, then takes the notifications of that time.
    pub(super) async fn pause(
        &mut self,
        duration: Duration,
        committed: bool,
        run: &Run,
    ) -> Result<News, Stop> {
        if committed {
            sleep(duration).await;
        } else {
            unless_cancelled(run, sleep(duration)).await?;
        }
        Ok(self.drain())
    }

    /// Waits for an answer that may never come.
    pub(super) async fn expect(
        &mut self,
        expected: Answer,
        limit: Duration,
        run: &Run,
    ) -> Result<(), Stop> {
        let end = Instant::now() + limit;
        loop {
            let next = timeout_at(end, self.held.connection.notifications.recv());
            match unless_cancelled(run, next).await? {
                Ok(Some(value)) if self.held.hear(&value) == expected => return Ok(()),
                Ok(Some(_)) => {}
                Ok(None) => return Err(Stop::Lost(lost("before sending"))),
                Err(_) => return Ok(()),
            }
        }
    }

    /// Keeps the link for `hold`, then until the answer comes, at most until `limit`. With
    /// `watch_packets` a rejection ends the wait, too.
    pub(super) async fn await_answer(
        &mut self,
        awaited: Answer,
        (hold, limit): (Duration, Duration),
        watch_packets: bool,
        run: &Run,
    ) -> Waited {
        // A clock that has not said so in full time before is not waited for again.
        let limit = if self.is_silent() { hold } else { limit };
        let began = Instant::now();
        loop {
            let elapsed = began.elapsed();
            if elapsed >= limit {
                *self.silent_clock = Some(self.held.clock.address.clone());
                return Waited::Silent;
            }
            if elapsed >= hold && run.ticket.cancel().is_cancelled() {
                return Waited::CutShort;
            }
            run.stage(Stage::Refreshing, Some(whole_seconds(limit - elapsed)));
            self.state.send_replace(LinkState::Refreshing {
                clock: self.held.clock.clone(),
                elapsed_seconds: whole_seconds(elapsed),
            });
            let wait = TICK.min(limit - elapsed);
            match timeout(wait, self.held.connection.notifications.recv()).await {
                Ok(Some(value)) => match self.held.hear(&value) {
                    answer if answer == awaited => {
                        self.heard_from();
                        return Waited::Answered;
                    }
                    Answer::Rejected if watch_packets => return Waited::Rejected,
                    _ => {}
                },
                Ok(None) if began.elapsed() < hold => return Waited::LostEarly,
                Ok(None) => return Waited::LostLate,
                Err(_) => {}
            }
        }
    }

    /// One write, with its retries.
    pub(super) async fn write(
        &mut self,
        write: &Write,
        committed: bool,
        run: &mut Run,
    ) -> Result<Written, Stop> {
        let link = Arc::clone(&self.held.connection.link);
        let effect = self.held.dialect.memory_effect(write);
        self.held.memory.before(effect);
        let data = matches!(write.role, Role::Data { .. } | Role::Stream { .. });
        // What is in flight here must not be given up half way.
        let decisive = matches!(write.role, Role::Once | Role::Trigger);
        let began = Instant::now();
        let mut tries = 1;
        loop {
            let answer = timeout(
                WRITE_LIMIT,
                link.write(write.channel, &write.bytes, write.delivery),
            );
            tokio::pin!(answer);
            let result = if decisive || committed {
                answer.await
            } else {
                tokio::select! {
                    biased;
                    result = &mut answer => result,
                    () = run.ticket.cancel().cancelled() => {
                        if timeout(CANCEL_GRACE, answer).await.is_err() {
                            // The write is still under way, so the link is of no use any more.
                            let _ = timeout(DISCONNECT_LIMIT, link.disconnect()).await;
                        }
                        return Err(Stop::Cancelled);
                    }
                }
            };
            let (error, again) = match result {
                Ok(Ok(())) => {
                    self.held.memory.after(effect);
                    let smoothly = tries == 1 && began.elapsed() < STALL;
                    return Ok(Written::Acknowledged { smoothly });
                }
                Ok(Err(WriteError::NotSent(detail))) => {
                    (Stop::Lost(ClockError::LinkLost { detail }), !link.is_lost())
                }
                Ok(Err(WriteError::Refused(detail))) => {
                    (Stop::Failed(ClockError::WriteRefused { detail }), true)
                }
                Ok(Err(WriteError::AnswerLost(detail))) => {
                    note_doubt(write, run);
                    if write.role == Role::Once {
                        return Err(Stop::Unknown(Doubt::CommandUnanswered));
                    }
                    let error = ClockError::LinkLost { detail };
                    if matches!(write.role, Role::Stream { .. }) && !link.is_lost() {
                        return Err(Stop::Again(error));
                    }
                    (Stop::Lost(error), !link.is_lost())
                }
                Err(_) => {
                    note_doubt(write, run);
                    if data {
                        self.pace.slow_down();
                    }
                    // The characteristic stays occupied by this write on some systems.
                    let _ = timeout(DISCONNECT_LIMIT, link.disconnect()).await;
                    if write.role == Role::Once {
                        return Err(Stop::Unknown(Doubt::CommandUnanswered));
                    }
                    let seconds = WRITE_LIMIT.as_secs();
                    (Stop::Lost(ClockError::WriteUnanswered { seconds }), false)
                }
            };
            if data && again && write.bytes.len() > self.terms().payload() {
                return Ok(Written::TooLong);
            }
            if !again || tries == WRITE_TRIES {
                return Err(error);
            }
            tries += 1;
            run.tally.report.packets_resent += 1;
            sleep(WRITE_RETRY_GAP).await;
        }
    }
}

fn note_doubt(write: &Write, run: &mut Run) {
    if write.role == Role::Trigger && run.doubt.is_none() {
        run.doubt = Some(Doubt::TriggerUnanswered);
    }
}
