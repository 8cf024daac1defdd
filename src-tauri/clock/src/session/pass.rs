//! The sending of one request over one link: how far it is, and where it goes back to.

use std::time::Duration;

use tokio::time::{Instant, sleep};

use super::actor::{Run, Stop};
use super::connect::unless_cancelled;
use super::limits::{
    NOTIFICATION_LATENESS, RECUTS, REJECTED_WAIT, REJECTIONS, REJECTIONS_IN_PLACE,
};
use super::line::{Line, News};
use super::memory::Planes;
use super::state::Stage;
use crate::ClockError;
use crate::dialect::{Dialect, Role, Script, Step, Terms, Write};
use crate::request::Request;

/// A data packet on its way, for finding those that a late rejection may mean.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sent {
    /// Its first picture byte.
    pub(super) start: usize,
    /// When it was answered.
    pub(super) at: Instant,
}

/// The sending of one request over one link.
pub(super) struct Pass {
    pub(super) script: Script,
    /// For each step, the writes before it, for the progress.
    writes_before: Vec<u32>,
    /// All writes of the script.
    pub(super) writes: u32,
    /// The terms that the script was made on, or was seen to fit since.
    pub(super) terms: Terms,
    /// Next step.
    pub(super) step: usize,
    /// Picture bytes acknowledged in this pass; moves back after a rejection.
    pub(super) data_done: usize,
    recent: Vec<Sent>,
    recuts: u32,
    rejections: u32,
    rejected_wait: Duration,
    /// Picture bytes at the latest rejection.
    rejected_at: usize,
    /// Rejections there, packets before it having been taken.
    rejected_in_place: u32,
    /// Whether a packet was taken since.
    accepted_since: bool,
    /// Packets sent since the latest wait after a rejection, and rejections heard since.
    sent_since: u32,
    rejections_since: u32,
    /// Packets sent in this pass, and notifications about packets.
    sent: u32,
    heard_of: u32,
    /// What the clock holds already.
    pub(super) known: Option<Planes>,
    /// Whether anything was left out for that.
    pub(super) skipped: bool,
    /// When and with what stage the progress was told last.
    pub(super) told: Option<(Instant, Stage)>,
    pub(super) began: Instant,
    /// Bytes of all packets of this pass, for the speed.
    pub(super) bytes: usize,
    /// What went without an answer since the last write that was answered.
    pub(super) unanswered: Unanswered,
}

/// Writes of which it is not known yet that the clock has taken them.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Unanswered {
    pub(super) writes: u32,
    pub(super) bytes: usize,
    /// First byte of the picture that they hold, and the one after the last.
    pub(super) data: Option<(usize, usize)>,
}

impl Unanswered {
    /// One more, which follows those before it.
    pub(super) fn add(&mut self, write: &Write) {
        self.writes += 1;
        self.bytes += write.bytes.len();
        if let Role::Data { start, end } | Role::Stream { start, end } = write.role {
            let first = self.data.map_or(start, |(first, _)| first);
            self.data = Some((first, end));
        }
    }
}

impl Pass {
    pub(super) fn new(script: Script, terms: Terms, known: Option<Planes>) -> Self {
        let (writes_before, writes) = count_writes(&script);
        Self {
            script,
            writes_before,
            writes,
            terms,
            step: 0,
            data_done: 0,
            recent: Vec::new(),
            recuts: 0,
            rejections: 0,
            rejected_wait: REJECTED_WAIT.0,
            rejected_at: 0,
            rejected_in_place: 0,
            accepted_since: false,
            sent_since: 0,
            rejections_since: 0,
            sent: 0,
            heard_of: 0,
            known,
            skipped: false,
            told: None,
            began: Instant::now(),
            bytes: 0,
            unanswered: Unanswered::default(),
        }
    }

    /// Cuts the script anew for a link that carries more or less than before, and goes on at the
    /// first packet that holds bytes not yet taken. Every packet says where it belongs, so that
    /// an overlap is harmless.
    pub(super) fn recut(
        &mut self,
        dialect: &dyn Dialect,
        request: &Request,
        terms: Terms,
    ) -> Result<(), Stop> {
        self.remake(dialect, request, terms)?;
        self.step = self.first_step_after(self.data_done);
        Ok(())
    }

    /// Makes the script of a stream anew. One that has begun starts over, since its parts do not
    /// say where they belong.
    pub(super) fn restream(
        &mut self,
        dialect: &dyn Dialect,
        request: &Request,
        terms: Terms,
    ) -> Result<(), Stop> {
        self.remake(dialect, request, terms)?;
        self.unanswered = Unanswered::default();
        self.step = match std::mem::take(&mut self.data_done) {
            0 => self.first_step_after(0),
            _ => 0,
        };
        Ok(())
    }

    fn remake(
        &mut self,
        dialect: &dyn Dialect,
        request: &Request,
        terms: Terms,
    ) -> Result<(), Stop> {
        tracing::info!(payload = terms.payload(), "the terms have changed");
        self.recuts += 1;
        if self.recuts > RECUTS {
            return Err(Stop::Lost(lost("its packet size kept changing")));
        }
        self.script = dialect.script(request, terms).map_err(Stop::Failed)?;
        (self.writes_before, self.writes) = count_writes(&self.script);
        self.terms = terms;
        Ok(())
    }

    /// Whether a stream that has begun may go on as it is cut on these terms.
    pub(super) fn streams_on(&self, terms: Terms) -> bool {
        let left = self.script.steps().get(self.step..).unwrap_or_default();
        let fits = |step: &Step| match step {
            Step::Write(write) => write.bytes.len() <= terms.payload(),
            _ => true,
        };
        self.data_done > 0 && terms.frames_as(self.terms) && left.iter().all(fits)
    }

    fn first_step_after(&self, data_done: usize) -> usize {
        let streams = self
            .script
            .writes()
            .any(|write| matches!(write.role, Role::Stream { .. }));
        self.script
            .steps()
            .iter()
            .position(|step| match step {
                Step::Write(Write {
                    role: Role::Data { end, .. } | Role::Stream { end, .. },
                    ..
                }) => *end > data_done,
                // The steps before a stream were gone through to get there.
                _ => !streams,
            })
            .unwrap_or(self.script.steps().len())
    }

    /// A packet was answered.
    pub(super) fn remember(&mut self, sent: Sent) {
        self.recent.push(sent);
        self.sent_since += 1;
        self.sent += 1;
    }

    /// Takes down what the clock has said about packets.
    pub(super) fn hear(&mut self, news: News) {
        self.accepted_since |= news.accepted > 0;
        self.rejections_since += news.rejected;
        self.heard_of += news.accepted + news.rejected;
    }

    /// Whether a packet may be sent right after the one before, or is the first after a wait.
    pub(super) fn is_first(&self) -> bool {
        self.sent_since == 0
    }

    /// Whether the clock has said of each packet what has become of it. Otherwise a rejection may
    /// have been lost.
    pub(super) fn is_heard_of(&self) -> bool {
        self.heard_of >= self.sent
    }

    /// All that was notified until now has been heard, so that no rejection can mean a packet that
    /// is older than that by the longest lateness.
    pub(super) fn forget_settled(&mut self) {
        let now = Instant::now();
        self.recent
            .retain(|sent| now.duration_since(sent.at) <= NOTIFICATION_LATENESS);
    }

    /// After a rejection: waits, then goes back to the earliest packet it may mean.
    pub(super) async fn go_back(&mut self, line: &mut Line<'_>, run: &mut Run) -> Result<(), Stop> {
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
        unless_cancelled(run, sleep(self.rejected_wait)).await?;
        self.rejected_wait = (self.rejected_wait * 2).min(REJECTED_WAIT.1);
        // Doubled notifications of the same rejection, and those of the packets right after it.
        let news = line.drain();
        if news.lost {
            return Err(Stop::Lost(lost("while sending")));
        }
        // A clock that is busy takes none of them; one that is fed too fast takes some.
        self.hear(news);
        if self.sent_since > self.rejections_since {
            line.pace.slow_down();
        }
        (self.sent_since, self.rejections_since) = (0, 0);
        self.accepted_since = false;
        // It is not in the state it was thought to be in, so nothing is taken for granted.
        self.known = None;
        if std::mem::take(&mut self.skipped) {
            self.data_done = 0;
        }
        if let Some(earliest) = self.recent.iter().map(|sent| sent.start).min() {
            self.data_done = self.data_done.min(earliest);
        }
        self.recent.clear();
        self.step = self.first_step_after(self.data_done);
        Ok(())
    }

    /// Writes of this pass that are behind it.
    pub(super) fn writes_done(&self) -> u32 {
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

pub(super) fn lost(detail: &str) -> ClockError {
    ClockError::LinkLost {
        detail: detail.to_owned(),
    }
}
