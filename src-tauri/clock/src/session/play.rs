//! Playing scripts on a link: writes and their retries, waits, and what notifications say.

use std::time::Duration;

use tokio::sync::mpsc::error::TryRecvError;
use tokio::time::{Instant, sleep, timeout};

use super::actor::{Actor, Held, Run, Stop, whole_seconds};
use super::limits::{
    CANCEL_GRACE, DISCONNECT_LIMIT, MTU_POLL, MTU_SETTLE, NOTIFICATION_LATENESS, REJECTED_WAIT,
    REJECTIONS, REJECTIONS_IN_PLACE, TICK, WRITE_LIMIT, WRITE_RETRY_GAP, WRITE_TRIES,
};
use super::operation::{Doubt, Refresh};
use super::state::{LinkState, Stage};
use crate::ClockError;
use crate::dialect::{Answer, Dialect, Limits, Role, Script, Step, Write};
use crate::link::{NOTIFICATION_BACKLOG, WriteError};
use crate::request::Request;

/// Where a run through a job is; it outlives a lost link.
#[derive(Debug, Default)]
pub(super) struct Cursor {
    /// The request being carried out.
    request: usize,
    /// Writes of the requests before it.
    packets_before: u32,
    /// Unrepeatable writes of the present request that were acknowledged.
    once_done: usize,
    /// Picture bytes of the present request that were acknowledged at some time, to tell new
    /// bytes from repeated ones.
    data_credited: usize,
    /// The highest step that was acknowledged at some time, for the same purpose.
    steps_credited: usize,
    /// The request's effect is under way: it is finished rather than cancelled.
    committed: bool,
}

/// What the notifications at hand say.
#[derive(Debug, Default, Clone, Copy)]
struct News {
    accepted: bool,
    rejected: bool,
    refreshed: bool,
    lost: bool,
}

/// A data packet on its way, for finding those that a late rejection may mean.
#[derive(Debug, Clone, Copy)]
struct Sent {
    start: usize,
    at: Instant,
}

/// The sending of one request over one link.
struct Pass {
    script: Script,
    /// For each step, the writes before it, for the progress.
    writes_before: Vec<u32>,
    /// All writes of the script.
    writes: u32,
    limits: Limits,
    /// Next step.
    step: usize,
    /// Picture bytes acknowledged in this pass; moves back after a rejection.
    data_done: usize,
    recent: Vec<Sent>,
    rejections: u32,
    rejected_wait: Duration,
    /// Picture bytes at the latest rejection.
    rejected_at: usize,
    /// Rejections there, packets before it having been taken.
    rejected_in_place: u32,
    /// Whether a packet was taken since.
    accepted_since: bool,
    began: Instant,
    /// Bytes of all packets of this pass, for the speed.
    bytes: usize,
}

impl Actor {
    /// Carries the job on from the cursor to its end, over one link.
    pub(super) async fn attempt(
        &mut self,
        requests: &[Request],
        cursor: &mut Cursor,
        run: &mut Run,
    ) -> Result<(), Stop> {
        while let Some(request) = requests.get(cursor.request) {
            if run.ticket.cancel().is_cancelled() && !cursor.committed {
                return Err(Stop::Cancelled);
            }
            run.past_deadline()?;
            self.ensure_link(run).await?;
            self.let_mtu_settle().await;
            let writes = self.play(requests, request, cursor, run).await?;
            *cursor = Cursor {
                request: cursor.request + 1,
                packets_before: cursor.packets_before + writes,
                // Something took effect, so that "cancelled" would no longer be true.
                committed: true,
                ..Cursor::default()
            };
            run.doubt = None;
        }
        Ok(())
    }

    /// Right after connecting, Windows may still report the least MTU.
    async fn let_mtu_settle(&self) {
        let Some(held) = &self.held else { return };
        let end = Instant::now() + MTU_SETTLE;
        while held.connection.link.mtu() <= Limits::MIN_MTU && Instant::now() < end {
            sleep(MTU_POLL).await;
        }
    }

    /// Plays the script of one request; returns its number of writes.
    async fn play(
        &mut self,
        requests: &[Request],
        request: &Request,
        cursor: &mut Cursor,
        run: &mut Run,
    ) -> Result<u32, Stop> {
        let Some(held) = self.held.as_mut() else {
            return Err(Stop::Lost(lost("before sending")));
        };
        let dialect = self.dialect.as_ref();
        let cap = self.config.payload_cap;
        let limits = limits_of(held, cap);
        let script = dialect.script(request, limits).map_err(Stop::Failed)?;
        let (writes_before, writes) = count_writes(&script);
        let mut pass = Pass {
            script,
            writes_before,
            writes,
            limits,
            step: 0,
            data_done: 0,
            recent: Vec::new(),
            rejections: 0,
            rejected_wait: REJECTED_WAIT.0,
            rejected_at: 0,
            rejected_in_place: 0,
            accepted_since: false,
            began: Instant::now(),
            bytes: 0,
        };
        let later = requests.get(cursor.request + 1..).unwrap_or_default();
        let packets_after = |limits| -> u32 {
            later
                .iter()
                .filter_map(|request| dialect.script(request, limits).ok())
                .map(|script| count(script.writes().count()))
                .sum()
        };
        let mut total = cursor.packets_before + pass.writes + packets_after(limits);
        tracing::debug!(
            request = request.name(),
            payload = limits.payload(),
            total,
            "sending"
        );
        // Whatever was notified before belongs to an earlier request.
        if drain(held, dialect, &mut self.silent_clock).lost {
            return Err(Stop::Lost(lost("before sending")));
        }
        let mut once_seen = 0;
        while let Some(step) = pass.script.steps().get(pass.step).cloned() {
            if run.ticket.cancel().is_cancelled() && !cursor.committed {
                return Err(Stop::Cancelled);
            }
            if !cursor.committed {
                run.past_deadline()?;
            }
            match step {
                Step::Write(write) => {
                    if let Role::Data { end, .. } = write.role {
                        run.past_deadline()?;
                        let now = limits_of(held, cap);
                        if now != pass.limits {
                            pass.recut(dialect, request, now)?;
                            total = cursor.packets_before + pass.writes + packets_after(now);
                            continue;
                        }
                        if end <= pass.data_done {
                            pass.step += 1;
                            continue;
                        }
                    }
                    if write.role == Role::Once {
                        once_seen += 1;
                        if once_seen <= cursor.once_done {
                            pass.step += 1;
                            continue;
                        }
                    }
                    let stage = match write.role {
                        Role::Data { .. } => Stage::Sending,
                        _ if pass.data_done > 0 => Stage::Finishing,
                        _ => Stage::Sending,
                    };
                    let done = cursor.packets_before + pass.writes_done();
                    tell(&self.shared.state, held, run, stage, &pass, done, total);
                    let sent_at = Instant::now();
                    match write_step(held, &write, cap, cursor, run).await? {
                        Written::Acknowledged => {}
                        Written::TooLong => continue,
                    }
                    pass.step += 1;
                    pass.bytes += write.bytes.len();
                    credit(&write, &pass, cursor, run);
                    run.tally.report.mtu = held.connection.link.mtu();
                    match write.role {
                        Role::Data { start, end } => {
                            pass.data_done = end;
                            pass.remember(Sent { start, at: sent_at });
                            let news = drain(held, dialect, &mut self.silent_clock);
                            if news.lost {
                                return Err(Stop::Lost(lost("while sending")));
                            }
                            pass.accepted_since |= news.accepted;
                            if news.rejected {
                                pass.go_back(held, dialect, &mut self.silent_clock, run)
                                    .await?;
                            }
                        }
                        Role::Once => {
                            cursor.once_done += 1;
                            cursor.committed = true;
                            run.doubt = Some(Doubt::CommandNotShown);
                        }
                        Role::Trigger => {
                            cursor.committed = true;
                            run.doubt = None;
                        }
                        Role::Command => {}
                    }
                }
                Step::Pause(duration) => {
                    let news =
                        pause(held, dialect, &mut self.silent_clock, duration, run, cursor).await?;
                    pass.step += 1;
                    if news.lost {
                        return Err(Stop::Lost(lost("between two commands")));
                    }
                    if news.rejected && pass.data_done > 0 {
                        pass.go_back(held, dialect, &mut self.silent_clock, run)
                            .await?;
                    }
                }
                Step::Await {
                    answer,
                    hold,
                    limit,
                } => {
                    let silent = self.silent_clock.as_ref() == Some(&held.clock.address);
                    let limit = if silent { hold } else { limit };
                    let watch_packets = pass.data_done > 0;
                    let waited = await_answer(
                        held,
                        dialect,
                        &self.shared.state,
                        (answer, hold, limit),
                        watch_packets,
                        run,
                    )
                    .await;
                    pass.step += 1;
                    match waited {
                        Waited::Answered => {
                            run.tally.report.refresh = Refresh::Confirmed;
                            if self.silent_clock.as_ref() == Some(&held.clock.address) {
                                self.silent_clock = None;
                            }
                        }
                        Waited::Silent => {
                            run.tally.report.refresh = Refresh::Assumed;
                            self.silent_clock = Some(held.clock.address.clone());
                        }
                        Waited::CutShort | Waited::LostLate => {
                            run.tally.report.refresh = Refresh::Assumed;
                        }
                        Waited::LostEarly => return Err(Stop::Unknown(Doubt::LostWhileRefreshing)),
                        // A packet, or the trigger, came while the clock was busy.
                        Waited::Rejected => {
                            run.tally.report.rejections += 1;
                            cursor.committed = false;
                            return Err(Stop::Again(ClockError::PacketRefused {
                                seconds: REJECTED_WAIT.1.as_secs(),
                            }));
                        }
                    }
                }
            }
        }
        Ok(pass.writes)
    }
}

impl Pass {
    /// Cuts the script anew for a link that carries more or less than before, and goes on at the
    /// first packet that holds bytes not yet taken. Every packet says where it belongs, so that
    /// an overlap is harmless.
    fn recut(
        &mut self,
        dialect: &dyn Dialect,
        request: &Request,
        limits: Limits,
    ) -> Result<(), Stop> {
        tracing::info!(
            payload = limits.payload(),
            "the link's packet size has changed"
        );
        self.script = dialect.script(request, limits).map_err(Stop::Failed)?;
        (self.writes_before, self.writes) = count_writes(&self.script);
        self.limits = limits;
        self.step = self.first_step_after(self.data_done);
        Ok(())
    }

    fn first_step_after(&self, data_done: usize) -> usize {
        self.script
            .steps()
            .iter()
            .position(|step| match step {
                Step::Write(Write {
                    role: Role::Data { end, .. },
                    ..
                }) => *end > data_done,
                _ => true,
            })
            .unwrap_or(self.script.steps().len())
    }

    fn remember(&mut self, sent: Sent) {
        self.recent
            .retain(|earlier| sent.at.duration_since(earlier.at) <= NOTIFICATION_LATENESS);
        self.recent.push(sent);
    }

    /// After a rejection: waits, then goes back to the earliest packet it may mean.
    async fn go_back(
        &mut self,
        held: &mut Held,
        dialect: &dyn Dialect,
        silent_clock: &mut Option<crate::link::Address>,
        run: &mut Run,
    ) -> Result<(), Stop> {
        run.tally.report.rejections += 1;
        self.rejections += 1;
        let in_place = self.data_done <= self.rejected_at && self.accepted_since;
        self.rejected_in_place = if in_place {
            self.rejected_in_place + 1
        } else {
            0
        };
        self.accepted_since = false;
        if self.rejections > REJECTIONS || self.rejected_in_place >= REJECTIONS_IN_PLACE {
            let seconds = self.began.elapsed().as_secs();
            return Err(Stop::Failed(ClockError::PacketRefused { seconds }));
        }
        if self.data_done > self.rejected_at {
            self.rejected_wait = REJECTED_WAIT.0;
        }
        self.rejected_at = self.data_done;
        super::connect::unless_cancelled(run, sleep(self.rejected_wait)).await?;
        self.rejected_wait = (self.rejected_wait * 2).min(REJECTED_WAIT.1);
        // Doubled notifications of the same rejection.
        if drain(held, dialect, silent_clock).lost {
            return Err(Stop::Lost(lost("while sending")));
        }
        if let Some(earliest) = self.recent.iter().map(|sent| sent.start).min() {
            self.data_done = self.data_done.min(earliest);
        }
        self.recent.clear();
        self.step = self.first_step_after(self.data_done);
        Ok(())
    }

    /// Writes of this pass that are behind it.
    fn writes_done(&self) -> u32 {
        self.writes_before
            .get(self.step)
            .copied()
            .unwrap_or(self.writes)
    }
}

/// For each step of a script, the writes before it; and all of them.
fn count_writes(script: &Script) -> (Vec<u32>, u32) {
    let mut writes = 0;
    let before = script
        .steps()
        .iter()
        .map(|step| {
            let before = writes;
            writes += u32::from(matches!(step, Step::Write(_)));
            before
        })
        .collect();
    (before, writes)
}

enum Waited {
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

async fn await_answer(
    held: &mut Held,
    dialect: &dyn Dialect,
    state: &tokio::sync::watch::Sender<LinkState>,
    (awaited, hold, limit): (Answer, Duration, Duration),
    watch_packets: bool,
    run: &Run,
) -> Waited {
    let began = Instant::now();
    loop {
        let elapsed = began.elapsed();
        if elapsed >= limit {
            return Waited::Silent;
        }
        if elapsed >= hold && run.ticket.cancel().is_cancelled() {
            return Waited::CutShort;
        }
        run.stage(Stage::Refreshing, Some(whole_seconds(limit - elapsed)));
        state.send_replace(LinkState::Refreshing {
            clock: held.clock.clone(),
            elapsed_seconds: whole_seconds(elapsed),
        });
        let wait = TICK.min(limit - elapsed);
        match timeout(wait, held.connection.notifications.recv()).await {
            Ok(Some(value)) => match dialect.interpret(&value) {
                answer if answer == awaited => return Waited::Answered,
                Answer::Rejected if watch_packets => return Waited::Rejected,
                _ => {}
            },
            Ok(None) if began.elapsed() < hold => return Waited::LostEarly,
            Ok(None) => return Waited::LostLate,
            Err(_) => {}
        }
    }
}

enum Written {
    /// The clock has acknowledged it.
    Acknowledged,
    /// It was not taken, and the link carries less by now than it needs.
    TooLong,
}

/// One write, with its retries.
async fn write_step(
    held: &Held,
    write: &Write,
    cap: Option<usize>,
    cursor: &Cursor,
    run: &mut Run,
) -> Result<Written, Stop> {
    let link = &held.connection.link;
    // What is in flight here must not be given up half way.
    let decisive = matches!(write.role, Role::Once | Role::Trigger);
    let mut tries = 1;
    loop {
        let answer = timeout(WRITE_LIMIT, link.write(write.channel, &write.bytes));
        tokio::pin!(answer);
        let result = if decisive || cursor.committed {
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
            Ok(Ok(())) => return Ok(Written::Acknowledged),
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
                (Stop::Lost(ClockError::LinkLost { detail }), !link.is_lost())
            }
            Err(_) => {
                note_doubt(write, run);
                // The characteristic stays occupied by this write on some systems.
                let _ = timeout(DISCONNECT_LIMIT, link.disconnect()).await;
                if write.role == Role::Once {
                    return Err(Stop::Unknown(Doubt::CommandUnanswered));
                }
                let seconds = WRITE_LIMIT.as_secs();
                (Stop::Lost(ClockError::WriteUnanswered { seconds }), false)
            }
        };
        let data = matches!(write.role, Role::Data { .. });
        if data && again && write.bytes.len() > limits_of(held, cap).payload() {
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

fn note_doubt(write: &Write, run: &mut Run) {
    if write.role == Role::Trigger && run.doubt.is_none() {
        run.doubt = Some(Doubt::TriggerUnanswered);
    }
}

/// Counts an acknowledged write, as new or as repeated.
fn credit(write: &Write, pass: &Pass, cursor: &mut Cursor, run: &mut Run) {
    let report = &mut run.tally.report;
    report.bytes = report.bytes.saturating_add(count(write.bytes.len()));
    report.packets += 1;
    match write.role {
        Role::Data { end, .. } if end > cursor.data_credited => {
            report.data_bytes += count(end - cursor.data_credited);
            cursor.data_credited = end;
        }
        Role::Data { .. } => report.packets_resent += 1,
        _ if pass.data_done == 0 && pass.step <= cursor.steps_credited => {
            report.packets_resent += 1;
        }
        _ => cursor.steps_credited = pass.step,
    }
}

/// Takes the notifications at hand.
fn drain(
    held: &mut Held,
    dialect: &dyn Dialect,
    silent_clock: &mut Option<crate::link::Address>,
) -> News {
    let mut news = News::default();
    for _ in 0..=NOTIFICATION_BACKLOG {
        match held.connection.notifications.try_recv() {
            Ok(value) => match dialect.interpret(&value) {
                Answer::Rejected => news.rejected = true,
                Answer::RefreshDone => news.refreshed = true,
                Answer::Accepted { .. } => news.accepted = true,
                Answer::Other => {}
            },
            Err(TryRecvError::Empty) => break,
            Err(TryRecvError::Disconnected) => {
                news.lost = true;
                break;
            }
        }
    }
    if news.refreshed && silent_clock.as_ref() == Some(&held.clock.address) {
        *silent_clock = None;
    }
    news
}

/// Waits, then takes the notifications of that time.
async fn pause(
    held: &mut Held,
    dialect: &dyn Dialect,
    silent_clock: &mut Option<crate::link::Address>,
    duration: Duration,
    run: &Run,
    cursor: &Cursor,
) -> Result<News, Stop> {
    if cursor.committed {
        sleep(duration).await;
    } else {
        super::connect::unless_cancelled(run, sleep(duration)).await?;
    }
    Ok(drain(held, dialect, silent_clock))
}

/// Publishes how far the sending is.
fn tell(
    state: &tokio::sync::watch::Sender<LinkState>,
    held: &Held,
    run: &Run,
    stage: Stage,
    pass: &Pass,
    packets_done: u32,
    packets_total: u32,
) {
    /// Packets before a speed is worth showing.
    const SPEED_PACKETS: u32 = 3;
    let seconds = pass.began.elapsed().as_secs_f64();
    let done_here = pass.writes_done();
    let speed = (done_here >= SPEED_PACKETS && seconds > 0.0)
        .then(|| (pass.bytes as f64 / seconds).round() as u32);
    let left = (done_here >= SPEED_PACKETS && stage == Stage::Sending).then(|| {
        let each = seconds / f64::from(done_here);
        (each * f64::from(packets_total.saturating_sub(packets_done))).ceil() as u32
    });
    run.ticket.progress.send_modify(|progress| {
        progress.stage = stage;
        progress.packets_done = packets_done;
        progress.packets_total = packets_total;
        progress.bytes_per_second = speed;
        progress.seconds_left = left;
    });
    state.send_replace(LinkState::Sending {
        clock: held.clock.clone(),
        packets_done,
        packets_total,
    });
}

fn limits_of(held: &Held, cap: Option<usize>) -> Limits {
    let limits = Limits::of_mtu(held.connection.link.mtu());
    match cap {
        Some(cap) => limits.capped(cap),
        None => limits,
    }
}

fn lost(detail: &str) -> ClockError {
    ClockError::LinkLost {
        detail: detail.to_owned(),
    }
}

/// Numbers of packets and bytes here are far below 2^32.
fn count(value: usize) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}
