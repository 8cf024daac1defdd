//! One request from its turn to its end: sent, perhaps sent again, and looked after.

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use tokio::sync::SemaphorePermit;
use tokio::time::{Instant, sleep, sleep_until, timeout_at};

use crate::answer::{Answer, Done, Outcome, Snapshot};
use crate::dialect::{Evidence, Family, Refusal, Script, Verdict};
use crate::error::RoomError;
use crate::exchange::{Reply, TransportError};
use crate::guard::Load;
use crate::request::{AudioChange, Request, Volume};
use crate::state::{Condition, Reading};

use super::COMMAND_TIME;
use super::action::{Action, read_state};
use super::device::{Device, Pass, Place};
use super::fault::{self, Lost};
use super::recognise;

/// How long after a lost try the second one goes out.
const BACK_OFF: Duration = Duration::from_secs(2);

/// The longest that a look at the device before a request may take, and how old one may be that
/// stands in for it.
const LOOK_BEFORE: Duration = Duration::from_secs(1);
const STILL_FRESH: Duration = Duration::from_millis(250);

/// A device that was read so short a time ago need not be looked at.
pub(super) const JUST_READ: Duration = Duration::from_secs(1);

/// How long it is looked for what a request has changed, how often, and how long in between: a board
/// carries out what it said yes to between two frames of its screen.
const CONFIRM_TIME: Duration = Duration::from_millis(700);
const CONFIRM_LOOKS: u32 = 2;
const CONFIRM_PAUSE: Duration = Duration::from_millis(250);

/// The same for a message that was relayed, whose acknowledgement travels back by radio.
const HEARD_TIME: Duration = Duration::from_secs(1);
const HEARD_LOOKS: u32 = 4;

/// How often an override is sent that the device itself has no time for, and the least and the most
/// time in between. Being sent back so, it was certainly not carried out.
const PRESSES: u32 = 5;
const PRESS_PAUSE: Duration = Duration::from_millis(100);
const MAX_PRESS_PAUSE: Duration = Duration::from_secs(1);

/// How long a camera gets to take another picture where it has sent the one before.
const FRAME_TIME: Duration = Duration::from_secs(2);

/// Makes no louder what a device may only play so loud.
pub(super) fn capped(request: Request, limit: Volume) -> Request {
    match request {
        Request::Audio(audio) => Request::Audio(AudioChange {
            volume: audio.volume.min(limit),
            ..audio
        }),
        request => request,
    }
}

/// Carries one action out.
///
/// # Errors
/// See [`RoomError`].
pub(super) async fn carry_out(
    device: Arc<Device>,
    action: Action,
    pass: Pass,
) -> Result<Done, RoomError> {
    let lacking = |place: &Place, lack| fault::lacking(&device.id, place.dialect.family(), lack);
    // What it cannot do at all need not wait for its turn.
    if let Some(place) = device.place() {
        let script = action.script(place.dialect, device.last().as_ref());
        script.map_err(|lack| lacking(&place, lack))?;
    }
    let lost = |lost: Lost| lost.error(&device.id);
    device.wait_turn(action.load(), pass).await.map_err(lost)?;
    let _call = call(&device, pass).await?;
    let began = Instant::now();
    let place = recognise::place(&device, pass).await?;
    if matches!(action, Action::Relay(_)) && place.dialect.family() != Family::Freenove {
        return Err(RoomError::GatewayInvalid {
            gateway: device.id.clone(),
        });
    }
    let before = look_before(&device, &place, &action, pass).await;
    let mut run = Run {
        device: &device,
        place,
        action: &action,
        before,
        remarks: Vec::new(),
        sent_again: false,
    };
    let (outcome, answer) = run.finish(pass).await?;
    let Run {
        place,
        mut remarks,
        sent_again,
        ..
    } = run;
    device.note_done(&place, action.load());
    let answer = match answer {
        Answer::Picture(picture) if device.is_kept_frame(&picture.jpeg) => {
            let (answer, remark) = newer_frame(&device, &place, &action, picture).await;
            remarks.extend(remark);
            answer
        }
        answer => answer,
    };
    Ok(Done {
        outcome,
        answer,
        sent_again,
        broadcast: matches!(action, Action::Relay(_)),
        device_time: began.elapsed(),
        remarks,
    })
}

/// One of the calls that may be in progress at the same time. The override takes none.
async fn call(device: &Device, pass: Pass) -> Result<Option<SemaphorePermit<'_>>, RoomError> {
    let Pass::By(by) = pass else {
        return Ok(None);
    };
    match timeout_at(by, device.calls.acquire()).await {
        Ok(Ok(permit)) => Ok(Some(permit)),
        Ok(Err(_)) => Err(RoomError::Closed),
        Err(_) => Err(RoomError::Busy {
            device: device.id.clone(),
            retry_after: fault::AGAIN,
        }),
    }
}

/// What the device says shortly before; the override takes what is known.
async fn look_before(
    device: &Device,
    place: &Place,
    action: &Action,
    pass: Pass,
) -> Option<Reading> {
    let fresh = device.read_ago().is_some_and(|ago| ago < STILL_FRESH);
    if matches!(action, Action::Relay(_)) {
        return None;
    }
    if pass == Pass::Now || fresh || !action.is_compared(place.dialect) {
        return device.last();
    }
    read_state(device, place, Instant::now() + LOOK_BEFORE)
        .await
        .ok()
}

/// One action on its way.
struct Run<'a> {
    device: &'a Arc<Device>,
    place: Place,
    action: &'a Action,
    before: Option<Reading>,
    remarks: Vec<String>,
    sent_again: bool,
}

/// What one try came to.
enum Try {
    Answered(Verdict),
    /// There is no reply.
    Lost(Lost),
    /// There is no reply to what only prepares, so that nothing was done.
    NotBegun(Lost),
}

impl Run<'_> {
    async fn finish(&mut self, pass: Pass) -> Result<(Outcome, Answer), RoomError> {
        let (first, begun) = match self.pressed(pass).await? {
            Try::Answered(verdict) => return self.judged(verdict).await,
            Try::Lost(lost) => (lost, true),
            Try::NotBegun(lost) => (lost, false),
        };
        if !first.may_pass() {
            return Err(self.failed(&first));
        }
        sleep(BACK_OFF).await;
        if begun && !first.is_unsent() && !self.action.is_repeatable(self.place.dialect.family()) {
            match self.look_after().await {
                Some(Evidence::Shown) => return Ok((Outcome::Confirmed, said_nothing())),
                Some(Evidence::NotShown) if self.before.is_some() => {}
                _ => return Err(self.unknown(&first)),
            }
        }
        if first.is_unsent() && (pass == Pass::Now || self.device.place().is_none()) {
            // It went where the device may no longer be. Looking for it is no override.
            let by = Pass::By(Instant::now() + COMMAND_TIME);
            self.place = recognise::anew(self.device, by, false).await?;
        }
        self.sent_again = true;
        let by = Instant::now() + COMMAND_TIME;
        let pass = match pass {
            Pass::By(_) => Pass::By(by),
            Pass::Now => Pass::Now,
        };
        let second = match self.pressed(pass).await? {
            Try::Answered(verdict) => return self.judged(verdict).await,
            Try::NotBegun(lost) => return Err(self.failed(&lost)),
            Try::Lost(lost) => lost,
        };
        if second.is_unsent() || self.action.request().is_idempotent() {
            return Err(self.failed(&second));
        }
        match self.look_after().await {
            Some(Evidence::Shown) => Ok((Outcome::Confirmed, said_nothing())),
            _ => Err(self.unknown(&second)),
        }
    }

    /// One try; of an override that the device had no time for, several.
    async fn pressed(&mut self, pass: Pass) -> Result<Try, RoomError> {
        let end = Instant::now() + COMMAND_TIME;
        let mut presses = 1;
        loop {
            let tried = self.tried(pass).await?;
            let Try::Answered(Verdict::Refused(Refusal::Throttled { retry_after, .. })) = &tried
            else {
                return Ok(tried);
            };
            let asked = retry_after.unwrap_or_default().min(MAX_PRESS_PAUSE);
            let pause = asked
                .max(self.place.dialect.write_spacing())
                .max(PRESS_PAUSE);
            let again = Instant::now() + pause;
            if pass != Pass::Now || presses == PRESSES || again > end {
                return Ok(tried);
            }
            presses += 1;
            sleep_until(again).await;
        }
    }

    /// Sends the whole script once.
    async fn tried(&mut self, pass: Pass) -> Result<Try, RoomError> {
        let last = self.before.clone().or_else(|| self.device.last());
        let Script { exchanges, remarks } = self
            .action
            .script(self.place.dialect, last.as_ref())
            .map_err(|lack| {
            fault::lacking(&self.device.id, self.place.dialect.family(), lack)
        })?;
        self.remarks = remarks;
        let count = exchanges.len();
        let mut end = None;
        let mut verdict = None;
        for (index, exchange) in exchanges.iter().enumerate() {
            let acts = index + 1 == count;
            let load = if acts {
                self.action.load()
            } else {
                Load::PREPARE
            };
            let ended = |lost| {
                Ok(if acts {
                    Try::Lost(lost)
                } else {
                    Try::NotBegun(lost)
                })
            };
            let pass = match (pass, end) {
                (Pass::By(_), Some(end)) => Pass::By(end),
                (pass, _) => pass,
            };
            if let Err(late) = self.device.admit(load, pass).await {
                return Ok(Try::NotBegun(late));
            }
            let now = Instant::now();
            let limit = *end.get_or_insert(now + COMMAND_TIME) - now;
            let reply = match self
                .device
                .exchange(&self.place, load, exchange, limit)
                .await
            {
                Ok(reply) => reply,
                Err(lost) => return ended(lost),
            };
            if *self.action.request() == Request::Status {
                // What it cannot be read for is in the verdict, too.
                drop(self.device.note_status(&self.place, &reply, None));
            }
            match self.verdict(&reply) {
                Err(lost) => return ended(lost),
                Ok(Verdict::Refused(refusal)) => {
                    return Ok(Try::Answered(Verdict::Refused(refusal)));
                }
                Ok(taken) => verdict = Some(taken),
            }
        }
        Ok(Try::Answered(
            verdict.unwrap_or_else(|| Verdict::Confirmed(said_nothing())),
        ))
    }

    /// What a reply means; one that broke off before it meant anything is as good as lost.
    fn verdict(&self, reply: &Reply) -> Result<Verdict, Lost> {
        let verdict = self.place.dialect.judge(self.action.request(), reply);
        match verdict {
            Verdict::Refused(Refusal::Nonsense { .. }) if reply.late => {
                Err(Lost::Transport(TransportError::TimedOut {
                    after: COMMAND_TIME,
                }))
            }
            Verdict::Refused(Refusal::Nonsense { detail }) if reply.unfinished => {
                Err(Lost::BrokeOff(detail))
            }
            verdict => Ok(verdict),
        }
    }

    async fn judged(&mut self, verdict: Verdict) -> Result<(Outcome, Answer), RoomError> {
        match verdict {
            Verdict::Confirmed(answer) => Ok((Outcome::Confirmed, answer)),
            Verdict::Accepted(answer) if self.action.is_shown(self.place.dialect) => {
                Ok((self.confirmed().await?, answer))
            }
            Verdict::Accepted(answer) => Ok((Outcome::Accepted, answer)),
            Verdict::Refused(refusal) => {
                let load = self.action.load();
                let refusal = self.device.refusal(&self.place, load, refusal);
                Err(fault::refused(&self.device.id, refusal))
            }
        }
    }

    /// Whether what the device says now shows what it said yes to.
    async fn confirmed(&self) -> Result<Outcome, RoomError> {
        let relayed = matches!(self.action, Action::Relay(_));
        let (time, looks) = if relayed {
            (HEARD_TIME, HEARD_LOOKS)
        } else {
            (CONFIRM_TIME, CONFIRM_LOOKS)
        };
        let end = Instant::now() + time;
        let mut outcome = Outcome::Accepted;
        for look in 0..looks {
            if look > 0 {
                sleep_until(end.min(Instant::now() + CONFIRM_PAUSE)).await;
            }
            match self.evidence(end).await {
                Ok(Evidence::Shown) => return Ok(Outcome::Confirmed),
                Ok(Evidence::NotShown) if relayed => {
                    return Err(RoomError::Refused {
                        device: self.device.id.clone(),
                        detail: "a board that heard the message says that it did not work"
                            .to_owned(),
                    });
                }
                Ok(Evidence::NotShown) => outcome = Outcome::NoChangeSeen,
                Ok(Evidence::Silent) if relayed => {}
                Ok(Evidence::Silent) | Err(_) => break,
            }
        }
        Ok(outcome)
    }

    /// What has become of a try whose answer was lost; `None` where the device does not tell.
    async fn look_after(&self) -> Option<Evidence> {
        self.evidence(Instant::now() + COMMAND_TIME).await.ok()
    }

    async fn evidence(&self, by: Instant) -> Result<Evidence, Option<Lost>> {
        self.action
            .evidence(self.device, &self.place, self.before.as_ref(), by)
            .await
    }

    fn failed(&self, lost: &Lost) -> RoomError {
        self.note_silence(lost);
        lost.error(&self.device.id)
    }

    fn unknown(&self, lost: &Lost) -> RoomError {
        self.note_silence(lost);
        RoomError::OutcomeUnknown {
            device: self.device.id.clone(),
            detail: lost.detail(),
        }
    }

    fn note_silence(&self, lost: &Lost) {
        if matches!(lost, Lost::Transport(_)) {
            let condition = Condition::Unreachable {
                detail: lost.detail(),
            };
            self.device
                .note_silence(self.place.generation(), condition, false);
        }
    }
}

/// Asks a camera once more that may have sent the frame before (ESP-3), and says so where it is
/// still the same.
async fn newer_frame(
    device: &Device,
    place: &Place,
    action: &Action,
    kept: Snapshot,
) -> (Answer, Option<String>) {
    let load = action.load();
    let by = Instant::now() + FRAME_TIME;
    let again = async {
        let script = action.script(place.dialect, None).ok()?;
        let exchange = script.exchanges.last()?;
        device.admit(load, Pass::By(by)).await.ok()?;
        let left = by.saturating_duration_since(Instant::now());
        let reply = device.exchange(place, load, exchange, left).await.ok()?;
        match place.dialect.judge(action.request(), &reply) {
            Verdict::Accepted(Answer::Picture(picture))
            | Verdict::Confirmed(Answer::Picture(picture)) => Some(picture),
            _ => None,
        }
    };
    match again.await {
        Some(picture) if !device.is_kept_frame(&picture.jpeg) => (Answer::Picture(picture), None),
        _ => (
            Answer::Picture(kept),
            Some(
                "The picture is the same as the one before: its camera may have kept it."
                    .to_owned(),
            ),
        ),
    }
}

fn said_nothing() -> Answer {
    Answer::Json(Value::Null)
}
