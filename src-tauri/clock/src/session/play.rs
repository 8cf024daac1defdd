//! Playing the scripts of a job.

use std::sync::Arc;

use tokio::time::{Instant, sleep};

use super::actor::{Actor, Run, Stop};
use super::connect::unless_cancelled;
use super::limits::{MTU_POLL, MTU_SETTLE, PROGRESS_GAP, REJECTED_WAIT};
use super::line::{Line, Waited, Written};
use super::memory::{Coverage, Planes};
use super::operation::{Doubt, Refresh, Task, milliseconds};
use super::pass::{Pass, Sent, Unanswered, lost};
use super::state::{LinkState, Stage};
use crate::ClockError;
use crate::dialect::{Answer, Delivery, Dialect, Role, Script, Step, Terms, Write};
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
    acknowledged: Coverage,
    /// The highest step that was acknowledged at some time, for the same purpose.
    steps_credited: usize,
    /// The request's effect is under way: it is finished rather than cancelled.
    committed: bool,
}

impl Actor {
    /// Carries the job on from the cursor to its end, over one link.
    pub(super) async fn attempt(
        &mut self,
        tasks: &[Task],
        cursor: &mut Cursor,
        run: &mut Run,
    ) -> Result<(), Stop> {
        while let Some(task) = tasks.get(cursor.request) {
            if run.ticket.cancel().is_cancelled() && !cursor.committed {
                return Err(Stop::Cancelled);
            }
            run.past_deadline()?;
            self.ensure_link(run).await?;
            self.let_mtu_settle().await;
            self.let_clock_introduce_itself(run).await?;
            let request = task.request().map_err(Stop::Failed)?;
            let writes = self.play(tasks, &request, cursor, run).await?;
            // What follows is finished rather than cancelled, unless it takes long.
            let short_next = tasks.get(cursor.request + 1).is_some_and(|next| {
                !matches!(next, Task::Request(Request::Picture(_) | Request::Clear))
            });
            *cursor = Cursor {
                request: cursor.request + 1,
                packets_before: cursor.packets_before + writes,
                committed: short_next,
                ..Cursor::default()
            };
            run.doubt = None;
            run.took_effect = true;
            run.finishing = short_next;
        }
        Ok(())
    }

    /// Right after connecting, Windows may still report the least MTU.
    async fn let_mtu_settle(&self) {
        let Some(held) = &self.held else { return };
        let end = held.since + MTU_SETTLE;
        while held.connection.link.mtu() <= Terms::MIN_MTU && Instant::now() < end {
            sleep(MTU_POLL).await;
        }
    }

    /// Right after connecting, a clock may say what it is.
    async fn let_clock_introduce_itself(&mut self, run: &Run) -> Result<(), Stop> {
        let Some(held) = self.held.as_mut().filter(|held| !held.introduced) else {
            return Ok(());
        };
        held.introduced = true;
        let Some(limit) = held.dialect.introduction() else {
            return Ok(());
        };
        let mut line = Line {
            held,
            state: &self.shared.state,
            silent_clock: &mut self.silent_clock,
            cap: self.config.payload_cap,
            pace: &mut self.pace,
        };
        line.expect(Answer::Introduction, limit, run).await
    }

    /// Plays the script of one request; returns its number of writes.
    async fn play(
        &mut self,
        tasks: &[Task],
        request: &Request,
        cursor: &mut Cursor,
        run: &mut Run,
    ) -> Result<u32, Stop> {
        let skip_unchanged = self.skips_unchanged();
        let Some(held) = self.held.as_mut() else {
            return Err(Stop::Lost(lost("before sending")));
        };
        let dialect = Arc::clone(&held.dialect);
        let dialect = dialect.as_ref();
        let mut line = Line {
            held,
            state: &self.shared.state,
            silent_clock: &mut self.silent_clock,
            cap: self.config.payload_cap,
            pace: &mut self.pace,
        };
        // Whatever was notified before belongs to an earlier request, or tells what the clock is.
        if line.drain().lost {
            return Err(Stop::Lost(lost("before sending")));
        }
        let terms = line.terms();
        let script = dialect.script(request, terms).map_err(Stop::Failed)?;
        let known = match picture_bytes(&script) {
            1.. if skip_unchanged => line.held.memory.take(),
            _ => None,
        };
        let mut pass = Pass::new(script, terms, known);
        let later = tasks.get(cursor.request + 1..).unwrap_or_default();
        // What this clock cannot do is said before it is given the half of it.
        let after = writes_after(&pass, later, dialect).map_err(Stop::Failed)?;
        let mut total = cursor.packets_before + pass.writes + after;
        tracing::debug!(
            request = request.name(),
            payload = terms.payload(),
            total,
            "sending"
        );
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
                        let now = line.terms();
                        if now != pass.terms {
                            pass.recut(dialect, request, now)?;
                            let after = writes_after(&pass, later, dialect).unwrap_or(after);
                            total = cursor.packets_before + pass.writes + after;
                            continue;
                        }
                        if end <= pass.data_done {
                            pass.step += 1;
                            continue;
                        }
                        let held = |known: &Planes| known.hold(&write, dialect);
                        if pass.known.as_ref().is_some_and(held) {
                            pass.skipped = true;
                            pass.data_done = end;
                            pass.step += 1;
                            continue;
                        }
                        if !pass.is_first() {
                            keep_pace(&line, run).await?;
                        }
                    }
                    if let Role::Stream { .. } = write.role {
                        run.past_deadline()?;
                        let now = line.terms();
                        if now != pass.terms {
                            if pass.streams_on(now) {
                                pass.terms = now;
                            } else {
                                pass.restream(dialect, request, now)?;
                                total = cursor.packets_before + pass.writes + after;
                                continue;
                            }
                        }
                        if pass.data_done > 0 {
                            keep_pace(&line, run).await?;
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
                        Role::Data { .. } | Role::Stream { .. } => Stage::Sending,
                        _ if pass.data_done > 0 => Stage::Finishing,
                        _ => Stage::Sending,
                    };
                    let done = cursor.packets_before + pass.writes_done();
                    tell(&line, run, stage, &mut pass, done, total);
                    match line.write(&write, cursor.committed, run).await? {
                        Written::Acknowledged { smoothly } => {
                            if matches!(write.role, Role::Data { .. } | Role::Stream { .. }) {
                                if smoothly {
                                    line.pace.packet_taken();
                                } else {
                                    line.pace.slow_down();
                                }
                            }
                        }
                        Written::TooLong => continue,
                    }
                    pass.step += 1;
                    pass.bytes += write.bytes.len();
                    line.held.dialect.sent(&write, &mut line.held.traits);
                    run.tally.report.mtu = line.held.connection.link.mtu();
                    credit(&write, &mut pass, cursor, run);
                    match write.role {
                        Role::Stream { end, .. } => {
                            pass.data_done = end;
                            if line.drain().lost {
                                return Err(Stop::Lost(lost("while sending")));
                            }
                        }
                        Role::Data { start, end } => {
                            pass.data_done = end;
                            let at = Instant::now();
                            pass.remember(Sent { start, at });
                            let news = line.drain();
                            if news.lost {
                                return Err(Stop::Lost(lost("while sending")));
                            }
                            pass.hear(news);
                            if news.rejected > 0 {
                                pass.go_back(&mut line, run).await?;
                            } else {
                                pass.forget_settled();
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
                    // What was held back so far.
                    if let Some((_, stage)) = pass.told.take() {
                        let done = cursor.packets_before + pass.writes_done();
                        tell(&line, run, stage, &mut pass, done, total);
                    }
                    let news = line.pause(duration, cursor.committed, run).await?;
                    pass.step += 1;
                    if news.lost {
                        return Err(Stop::Lost(lost("between two commands")));
                    }
                    pass.hear(news);
                    if news.rejected > 0 && pass.data_done > 0 {
                        pass.go_back(&mut line, run).await?;
                    }
                }
                Step::Expect { answer, limit } => {
                    line.expect(answer, limit, run).await?;
                    pass.step += 1;
                }
                Step::Await {
                    answer,
                    hold,
                    limit,
                } => {
                    let watch_packets = pass.data_done > 0;
                    let waited = line
                        .await_answer(answer, (hold, limit), watch_packets, run)
                        .await;
                    pass.step += 1;
                    run.tally.report.refresh = after_wait(waited, cursor, run)?;
                }
            }
        }
        let bytes = picture_bytes(&pass.script);
        run.tally.report.skipped_bytes += count(bytes.saturating_sub(cursor.acknowledged.bytes()));
        if skip_unchanged
            && pass.is_heard_of()
            && let Some(planes) = Planes::of(&pass.script, dialect)
        {
            line.held.memory.keep(planes);
        }
        Ok(pass.writes)
    }
}

/// Waits for the gap that the clock needs between two picture packets, if it needs one.
async fn keep_pace(line: &Line<'_>, run: &mut Run) -> Result<(), Stop> {
    let gap = line.pace.gap();
    if gap.is_zero() {
        return Ok(());
    }
    let longest = &mut run.tally.report.longest_gap_ms;
    *longest = (*longest).max(milliseconds(gap));
    unless_cancelled(run, sleep(gap)).await
}

/// Bytes of the picture in a script; 0 without one.
fn picture_bytes(script: &Script) -> usize {
    script
        .writes()
        .filter_map(|write| match write.role {
            Role::Data { end, .. } => Some(end),
            _ => None,
        })
        .max()
        .unwrap_or(0)
}

/// What a wait at the end of a script says about the redraw.
fn after_wait(waited: Waited, cursor: &mut Cursor, run: &mut Run) -> Result<Refresh, Stop> {
    match waited {
        Waited::Answered => Ok(Refresh::Confirmed),
        Waited::Silent | Waited::CutShort | Waited::LostLate => Ok(Refresh::Assumed),
        Waited::LostEarly => Err(Stop::Unknown(Doubt::LostWhileRefreshing)),
        // A packet, or the trigger, came while the clock was busy.
        Waited::Rejected => {
            run.tally.report.rejections += 1;
            cursor.committed = false;
            run.doubt = Some(Doubt::PartRefused);
            let seconds = REJECTED_WAIT.1.as_secs();
            Err(Stop::Again(ClockError::PacketRefused { seconds }))
        }
    }
}

/// The writes of the tasks after this pass. Each is made for the clock as the ones before it will
/// have left it.
fn writes_after(pass: &Pass, later: &[Task], dialect: &dyn Dialect) -> Result<u32, ClockError> {
    let mut traits = pass.terms.traits();
    let mut take_down = |script: &Script| {
        for write in script.writes() {
            dialect.sent(write, &mut traits);
        }
        traits
    };
    let mut terms = pass.terms.with(take_down(&pass.script));
    let mut writes = 0;
    for task in later {
        let script = task.script(dialect, terms)?;
        writes += count(script.writes().count());
        terms = pass.terms.with(take_down(&script));
    }
    Ok(writes)
}

/// Counts a write that the clock has acknowledged, as new or as repeated. One without an answer
/// counts when a later one is acknowledged: the clock takes them in order.
fn credit(write: &Write, pass: &mut Pass, cursor: &mut Cursor, run: &mut Run) {
    pass.unanswered.add(write);
    if write.delivery == Delivery::Unanswered {
        return;
    }
    let report = &mut run.tally.report;
    let Unanswered {
        writes,
        bytes,
        data,
    } = std::mem::take(&mut pass.unanswered);
    report.packets += writes;
    report.bytes = report.bytes.saturating_add(count(bytes));
    if let Some((start, end)) = data {
        match cursor.acknowledged.add(start, end) {
            0 => report.packets_resent += writes,
            new => report.data_bytes += count(new),
        }
    }
    match write.role {
        Role::Data { .. } | Role::Stream { .. } => {}
        _ if pass.data_done == 0 && pass.step <= cursor.steps_credited => {
            report.packets_resent += 1;
        }
        _ => cursor.steps_credited = pass.step,
    }
}

/// Publishes how far the sending is, when it has been long enough since it was published last.
fn tell(
    line: &Line<'_>,
    run: &Run,
    stage: Stage,
    pass: &mut Pass,
    packets_done: u32,
    packets_total: u32,
) {
    /// Packets before a speed is worth showing.
    const SPEED_PACKETS: u32 = 3;
    let stage = run.shown(stage);
    let now = Instant::now();
    if let Some((at, told)) = pass.told
        && told == stage
        && now.duration_since(at) < PROGRESS_GAP
    {
        return;
    }
    pass.told = Some((now, stage));
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
    line.state.send_replace(LinkState::Sending {
        clock: line.held.clock.clone(),
        packets_done,
        packets_total,
    });
}

/// Numbers of packets and bytes here are far below 2^32.
fn count(value: usize) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}
