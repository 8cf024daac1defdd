//! The sending of one request over one link: how far it is, and where it goes back to.

use std::time::Duration;

use tokio::time::{Instant, sleep};

use super::actor::{Run, Stop};
use super::connect::unless_cancelled;
use super::limits::{
    NOTIFICATION_LATENESS, RECUTS, REJECTED_WAIT, REJECTIONS, REJECTIONS_IN_PLACE,
};
use super::line::Line;
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
    pub(super) accepted_since: bool,
    /// Packets sent since the latest wait after a rejection, and rejections heard since.
    pub(super) sent_since: u32,
    pub(super) rejections_since: u32,
    /// What the clock holds already.
    pub(super) known: Option<Planes>,
    /// Whether anything was left out for that.
    pub(super) skipped: bool,
    /// When and with what stage the progress was told last.
    pub(super) told: Option<(Instant, Stage)>,
    pub(super) began: Instant,
    /// Bytes of all packets of this pass, for the speed.
    pub(super) bytes: usize,
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
            known,
            skipped: false,
            told: None,
            began: Instant::now(),
            bytes: 0,
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
        tracing::info!(
            payload = terms.payload(),
            "the link's packet size has changed"
        );
        self.recuts += 1;
        if self.recuts > RECUTS {
            return Err(Stop::Lost(lost("its packet size kept changing")));
        }
        self.script = dialect.script(request, terms).map_err(Stop::Failed)?;
        (self.writes_before, self.writes) = count_writes(&self.script);
        self.terms = terms;
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

    /// A packet was answered.
    pub(super) fn remember(&mut self, sent: Sent) {
        self.recent.push(sent);
        self.sent_since += 1;
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
        if self.sent_since > self.rejections_since + news.rejected {
            line.pace.slow_down();
        }
        (self.sent_since, self.rejections_since) = (0, 0);
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
