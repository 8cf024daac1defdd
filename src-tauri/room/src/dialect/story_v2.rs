//! The Story V2 audio board: a player with a list of its own, and a story that can be skipped on.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use zeroize::Zeroizing;

use crate::answer::Answer;
use crate::exchange::{Authorization, Exchange, Reply};
use crate::request::{Advance, AudioAction, AudioChange, EventType, Request};
use crate::state::{Abilities, Reading};
use crate::token::Token;

use super::{
    Dialect, Evidence, Family, Lack, Refusal, Script, Verdict, evidence, fields, lack, reply,
};

/// The Story V2 board.
pub(super) struct StoryV2;

/// The user it has until somebody sets another.
const USER: &str = "admin";

impl Dialect for StoryV2 {
    fn family(&self) -> Family {
        Family::StoryV2
    }

    fn abilities(&self) -> Abilities {
        Abilities {
            tools: vec!["audio_play", "scenario_advance", "device_status"],
            lacks: vec![
                lack::AUDIO_SOURCE,
                lack::AUDIO_VOLUME,
                lack::SCENARIO_EVENT,
                lack::SCENARIO_TARGET,
            ],
        }
    }

    /// HTTP Basic with `user:password`; a token without a colon is the password of `admin`.
    fn authorization(&self, token: &Token) -> Authorization {
        let token = token.expose();
        let pair = Zeroizing::new(match token.contains(':') {
            true => token.to_owned(),
            false => format!("{USER}:{token}"),
        });
        let encoded = Zeroizing::new(STANDARD.encode(pair.as_bytes()));
        Authorization(Zeroizing::new(format!("Basic {}", *encoded)))
    }

    fn status(&self) -> Exchange {
        Exchange::get("/api/status")
    }

    fn read(&self, reply: &Reply) -> Result<Reading, Refusal> {
        let state = reply::state(reply)?;
        let paused = fields::flag(&state, &["player.paused"]) == Some(true);
        let playing = fields::playing(&state, &["player.playing"], &["player.track"]);
        Ok(Reading {
            rssi: fields::rssi(&state, &["wifi.rssi"]),
            heap_free: fields::count(&state, &["rtos.heap_free"]),
            playing: if paused { Some(String::new()) } else { playing },
            volume: fields::percent(&state, &["player.volume"]),
            own_address: fields::text(&state, &["wifi.ip"]),
            own_access_point: fields::flag(&state, &["wifi.ap"]) == Some(true),
            counters: fields::counters(&state, &["wifi.disconnect_count"]),
            ..Reading::default()
        })
    }

    fn more_status(&self) -> Option<Exchange> {
        Some(Exchange::get("/api/story/status"))
    }

    fn read_more(&self, reading: &mut Reading, reply: &Reply) {
        if let Ok(story) = reply::state(reply) {
            reading.scenario = fields::text(&story, &["scenario_id", "selected"]);
            reading.step = fields::text(&story, &["current_step"]);
        }
    }

    fn script(&self, request: &Request, last: Option<&Reading>) -> Result<Script, Lack> {
        match request {
            Request::Status => Ok(alone(self.status())),
            Request::Audio(change) => self.player(change, last),
            Request::Scenario(advance) => skip(advance),
            Request::Puzzle(_) | Request::Led(_) | Request::Camera(_) => {
                Err(Lack::whole(request.tool()))
            }
        }
    }

    fn judge(&self, request: &Request, reply: &Reply) -> Verdict {
        let taken = match request {
            Request::Status => reply::state(reply),
            _ => reply::taken(request, reply),
        };
        let value = match taken {
            Ok(value) => value,
            Err(refusal) => return Verdict::Refused(refusal),
        };
        let shown = match request {
            Request::Scenario(_) => {
                let before = fields::text(&value, &["previous_step"]);
                let after = fields::text(&value, &["current_step"]);
                evidence::moved(before.as_deref(), after.as_deref()) == Evidence::Shown
            }
            Request::Audio(change) => {
                let paused = fields::flag(&value, &["player.paused"]) == Some(true);
                let playing = fields::flag(&value, &["player.playing"]);
                playing.map(|playing| playing && !paused) == Some(wanted(change.action))
            }
            Request::Status => true,
            Request::Puzzle(_) | Request::Led(_) | Request::Camera(_) => false,
        };
        if shown {
            Verdict::Confirmed(Answer::Json(value))
        } else {
            Verdict::Accepted(Answer::Json(value))
        }
    }

    fn shows(&self, request: &Request) -> bool {
        matches!(request, Request::Audio(_) | Request::Scenario(_))
    }

    fn evidence(&self, request: &Request, before: Option<&Reading>, after: &Reading) -> Evidence {
        match request {
            Request::Scenario(_) => evidence::moved(
                before.and_then(|before| before.step.as_deref()),
                after.step.as_deref(),
            ),
            Request::Audio(change) => {
                evidence::sounds(after.playing.as_deref(), wanted(change.action))
            }
            _ => Evidence::Silent,
        }
    }
}

impl StoryV2 {
    /// Its player has one button for playing and pausing, so that what it does now decides whether
    /// to press it. Where nothing is to be pressed, its state is read instead, and shows so.
    fn player(&self, change: &AudioChange, last: Option<&Reading>) -> Result<Script, Lack> {
        if change.action == AudioAction::Play {
            return Err(Lack::of(
                lack::AUDIO_SOURCE,
                "a sound by its name (it plays its own list; pause and resume work)",
            ));
        }
        let playing = last
            .and_then(|last| last.playing.as_deref())
            .map(|playing| !playing.is_empty());
        let Some(playing) = playing else {
            return Err(Lack::of(
                lack::AUDIO_SOURCE,
                "pausing or resuming before it has said whether it plays",
            ));
        };
        if playing == wanted(change.action) {
            return Ok(alone(self.status()));
        }
        let mut script = alone(Exchange::post("/api/player/action?cmd=toggle", None));
        if change.action == AudioAction::Stop {
            script
                .remarks
                .push("It pauses: it cannot stop a sound for good.".to_owned());
        }
        Ok(script)
    }
}

/// Whether sound is to be heard after an action.
fn wanted(action: AudioAction) -> bool {
    matches!(action, AudioAction::Play | AudioAction::Resume)
}

/// Its story can be skipped on to the next step, which is what the override is for; it takes no
/// events and no targets.
fn skip(advance: &Advance) -> Result<Script, Lack> {
    if let Some(target) = &advance.target {
        return Err(Lack::of(
            lack::SCENARIO_TARGET,
            format!("a jump to \"{target}\" (it only skips to the next step)"),
        ));
    }
    if advance.event != EventType::Manual {
        return Err(Lack::of(
            lack::SCENARIO_EVENT,
            format!(
                "the event type \"{}\" (it takes no events; \"manual\" skips to the next step)",
                advance.event
            ),
        ));
    }
    Ok(Script {
        remarks: vec![format!(
            "It skips to the next step, whatever \"{}\" means.",
            advance.name
        )],
        ..alone(Exchange::post("/api/story/skip", None))
    })
}

fn alone(exchange: Exchange) -> Script {
    Script {
        exchanges: vec![exchange],
        remarks: Vec::new(),
    }
}
