//! How far a call is, in words and as a share of a hundred.

use std::time::Duration;

use regie_engine::{Progress, Stage};
use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::service::{Peer, RoleServer};
use tokio::sync::watch;
use tokio::time::Instant;

/// Least time between two notices of the same stage: what a person can read, and little for a
/// model to skip.
const EVERY: Duration = Duration::from_millis(500);

/// Where the stages lie on the way to a hundred.
const LISTENING: f64 = 1.0;
const CONNECTING: f64 = 12.0;
const DISCOVERING: f64 = 15.0;
const SENDING: f64 = 18.0;
const FINISHING: f64 = 85.0;
const REFRESHING: f64 = 86.0;
const ENDED: f64 = 100.0;

/// Progress increases with each notice, if only by this.
const LEAST_STEP: f64 = 0.01;

/// What is told of the short commands that follow a redrawing: that everything is sent would be a
/// step back.
const AFTER_REDRAWING: &str = "The panel has redrawn, a last command follows";

/// Tells a caller how far their call is.
pub(crate) struct Reporter {
    peer: Peer<RoleServer>,
    token: ProgressToken,
}

impl Reporter {
    pub(crate) fn new(peer: Peer<RoleServer>, token: ProgressToken) -> Self {
        Self { peer, token }
    }

    /// Reports an operation until it ends.
    pub(super) async fn report(&self, mut progress: watch::Receiver<Progress>) {
        let mut way = Way::default();
        loop {
            let now = *progress.borrow_and_update();
            if let Some((share, words)) = way.step(&now) {
                let notice = ProgressNotificationParam::new(self.token.clone(), share)
                    .with_total(ENDED)
                    .with_message(words);
                if self.peer.notify_progress(notice).await.is_err() {
                    // Whoever no longer listens is told no more.
                    return;
                }
            }
            if progress.changed().await.is_err() {
                return;
            }
        }
    }
}

/// The notices of one call so far.
#[derive(Debug, Default)]
struct Way {
    share: f64,
    stage: Option<Stage>,
    told: Option<Instant>,
    /// The longest that the present stage was said to last, in seconds.
    stage_seconds: u32,
    /// Whether what is finished now follows a redrawing.
    redrawn: bool,
}

impl Way {
    /// The next notice, if it is time for one.
    fn step(&mut self, progress: &Progress) -> Option<(f64, String)> {
        let new_stage = self.stage != Some(progress.stage);
        if !new_stage && self.told.is_some_and(|told| told.elapsed() < EVERY) {
            return None;
        }
        if new_stage {
            self.stage_seconds = 0;
            // What is finished after a redrawing is its rest; any other stage begins anew.
            self.redrawn = match progress.stage {
                Stage::Finishing => self.stage == Some(Stage::Refreshing),
                _ => false,
            };
        }
        let left = progress.seconds_left;
        self.stage_seconds = self.stage_seconds.max(left.unwrap_or_default());
        let waited = match (left, self.stage_seconds) {
            (Some(left), whole @ 1..) => 1.0 - f64::from(left) / f64::from(whole),
            _ => 0.0,
        };
        let share = match progress.stage {
            Stage::Queued => 0.0,
            Stage::Listening => between(LISTENING, CONNECTING, waited),
            Stage::Connecting => CONNECTING,
            Stage::Discovering => DISCOVERING,
            Stage::Sending => between(SENDING, FINISHING, sent(progress)),
            Stage::Finishing => FINISHING,
            Stage::Refreshing => between(REFRESHING, ENDED - 1.0, waited),
            Stage::Ended => ENDED,
        };
        if !new_stage && share <= self.share {
            return None;
        }
        // After a lost link the stages come again; what was told does not shrink.
        self.share = share.max(self.share + LEAST_STEP).min(ENDED);
        self.stage = Some(progress.stage);
        self.told = Some(Instant::now());
        let words = if self.redrawn {
            AFTER_REDRAWING.into()
        } else {
            words(progress)
        };
        Some((self.share, words))
    }
}

fn between(start: f64, end: f64, part: f64) -> f64 {
    start + (end - start) * part.clamp(0.0, 1.0)
}

fn sent(progress: &Progress) -> f64 {
    if progress.packets_total == 0 {
        0.0
    } else {
        f64::from(progress.packets_done) / f64::from(progress.packets_total)
    }
}

fn words(progress: &Progress) -> String {
    match (progress.stage, progress.seconds_left) {
        (Stage::Queued, _) => "Waiting for what was asked before".into(),
        (Stage::Listening, Some(seconds)) => {
            format!("Listening for the clock, {seconds} s at most")
        }
        (Stage::Listening, None) => "Listening for the clock".into(),
        (Stage::Connecting, _) => "Connecting".into(),
        (Stage::Discovering, _) => "Asking the clock what it is".into(),
        (Stage::Sending, _) if progress.packets_total == 0 => "Sending".into(),
        (Stage::Sending, _) => format!(
            "Sending, {} of {} packets",
            progress.packets_done, progress.packets_total
        ),
        (Stage::Finishing, _) => "Everything is sent".into(),
        (Stage::Refreshing, Some(seconds)) => {
            format!("The panel redraws, {seconds} s at most")
        }
        (Stage::Refreshing, None) => "The panel redraws".into(),
        (Stage::Ended, _) => "Done".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(stage: Stage) -> Progress {
        Progress {
            stage,
            packets_done: 1,
            packets_total: 2,
            bytes_per_second: None,
            seconds_left: None,
        }
    }

    fn told(stages: &[Stage]) -> Vec<String> {
        let mut way = Way::default();
        let notices: Vec<_> = stages
            .iter()
            .filter_map(|stage| way.step(&at(*stage)))
            .collect();
        for two in notices.windows(2) {
            assert!(two[1].0 > two[0].0, "{two:?}");
        }
        notices.into_iter().map(|(_, words)| words).collect()
    }

    #[tokio::test(start_paused = true)]
    async fn what_follows_a_redrawing_is_not_told_as_a_step_back() {
        use Stage::{Ended, Finishing, Refreshing, Sending};
        assert_eq!(
            told(&[Sending, Finishing, Refreshing, Finishing, Finishing, Ended]),
            [
                "Sending, 1 of 2 packets",
                "Everything is sent",
                "The panel redraws",
                AFTER_REDRAWING,
                "Done",
            ]
        );
    }

    /// A lost link is no secret: what is done again is told again.
    #[tokio::test(start_paused = true)]
    async fn what_is_done_again_after_a_lost_link_is_told_again() {
        use Stage::{Connecting, Ended, Finishing, Listening, Sending};
        assert_eq!(
            told(&[Sending, Listening, Connecting, Sending, Finishing, Ended]),
            [
                "Sending, 1 of 2 packets",
                "Listening for the clock",
                "Connecting",
                "Sending, 1 of 2 packets",
                "Everything is sent",
                "Done",
            ]
        );
    }
}
