//! Which family a device at an address belongs to, and at which port it answers.
//!
//! A device is asked without a token first. Only one that asks for a token, in the way that a known
//! family does, is shown it.

use std::time::Duration;

use serde_json::Value;
use tokio::time::Instant;

use crate::address::Address;
use crate::exchange::{Exchange, Reply, Target, Transport, TransportError};
use crate::token::Token;

use super::{Family, fields, of, reply, spec};

/// Ports that firmwares answer at, the likeliest first. Boards announce 8081 and listen at 80, so
/// that an announced port is no more than one to begin with.
const PORTS: [u16; 3] = [80, 8080, 8081];

/// The most time that one port gets: a board that draws a picture answers within one second.
const PER_PORT: Duration = Duration::from_secs(2);

/// Less time than this is not worth a connection.
const TOO_SHORT: Duration = Duration::from_millis(50);

/// A device that was recognised.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Recognised {
    /// The port that answered.
    pub(crate) port: u16,
    /// What it speaks; a guess where it lets nobody in.
    pub(crate) family: Family,
    /// What it last answered to the question for its state, also where that is a refusal, for its
    /// family's `read`; `None` where it has no such page.
    pub(crate) reply: Option<Reply>,
    /// It asks for a token.
    pub(crate) asks_for_token: bool,
}

/// Nothing at the address that could be recognised.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Unrecognised {
    /// What was tried and what came of it; an English phrase.
    pub(crate) detail: String,
    /// Something answered.
    pub(crate) connected: bool,
}

/// Finds out what is at an address: at its own port first, then at those of the firmwares.
///
/// # Errors
/// [`Unrecognised`].
pub(crate) async fn recognise(
    transport: &dyn Transport,
    address: &Address,
    token: Option<&Token>,
    limit: Duration,
) -> Result<Recognised, Unrecognised> {
    let search = Search {
        transport,
        address,
        end: Instant::now() + limit,
    };
    let mut ports: Vec<u16> = address.port().into_iter().collect();
    ports.extend(PORTS.iter().filter(|port| address.port() != Some(**port)));
    let mut tried = Vec::new();
    let mut connected = false;
    for port in ports {
        match search.port(port, token).await {
            Ok(recognised) => return Ok(recognised),
            Err(Miss::Answered(what)) => {
                connected = true;
                tried.push(format!("port {port} {what}"));
            }
            Err(Miss::Silent(what)) => tried.push(format!("port {port} {what}")),
            Err(Miss::Over(what)) => {
                tried.push(what);
                break;
            }
        }
    }
    Err(Unrecognised {
        detail: tried.join(", "),
        connected,
    })
}

/// Why a port has no device.
enum Miss {
    /// Something else answered.
    Answered(String),
    /// Nothing answered.
    Silent(String),
    /// Other ports are not worth trying.
    Over(String),
}

impl From<TransportError> for Miss {
    fn from(error: TransportError) -> Self {
        match error {
            TransportError::NotConnected { detail } => {
                Self::Silent(format!("cannot be reached ({detail})"))
            }
            TransportError::TimedOut { after } => {
                Self::Silent(format!("gave no answer in {:.1} s", after.as_secs_f64()))
            }
            TransportError::Broken { detail } => Self::Answered(format!("broke off ({detail})")),
            TransportError::NotPrivate { address } => Self::Over(format!(
                "its name means {address}, which is not an address of this network"
            )),
        }
    }
}

struct Search<'a> {
    transport: &'a dyn Transport,
    address: &'a Address,
    end: Instant,
}

impl Search<'_> {
    async fn port(&self, port: u16, token: Option<&Token>) -> Result<Recognised, Miss> {
        let status = Exchange::get("/api/status");
        let first = self.ask(port, &status, None).await?;
        let seen = look(&first);
        match (seen, token) {
            (Seen::Is(family), _) => Ok(Recognised {
                port,
                family,
                reply: Some(first),
                asks_for_token: false,
            }),
            (Seen::Asks(family), None) => Ok(Recognised {
                port,
                family,
                reply: Some(first),
                asks_for_token: true,
            }),
            (Seen::Asks(guess), Some(token)) => {
                let second = self.ask(port, &status, Some((guess, token))).await?;
                let family = match look(&second) {
                    Seen::Is(family) | Seen::Asks(family) => family,
                    Seen::Nothing | Seen::Other(_) => guess,
                };
                Ok(Recognised {
                    port,
                    family,
                    reply: Some(second),
                    asks_for_token: true,
                })
            }
            (Seen::Nothing, _) => self.master(port).await,
            (Seen::Other(what), _) => Err(Miss::Answered(what)),
        }
    }

    /// The master of the puzzles has no page for its state where the others have it, but one for
    /// its version.
    async fn master(&self, port: u16) -> Result<Recognised, Miss> {
        let reply = self.ask(port, &Exchange::get("/version"), None).await?;
        let version = reply::state(&reply).ok();
        let firmware = version.and_then(|version| fields::text(&version, &["firmware"]));
        match firmware.as_deref() {
            Some("zacus_puzzle") => Ok(Recognised {
                port,
                family: Family::Unknown,
                reply: None,
                asks_for_token: false,
            }),
            _ => Err(Miss::Answered("answers, but has no status".to_owned())),
        }
    }

    async fn ask(
        &self,
        port: u16,
        exchange: &Exchange,
        shown: Option<(Family, &Token)>,
    ) -> Result<Reply, Miss> {
        let left = self.end.saturating_duration_since(Instant::now());
        if left < TOO_SHORT {
            return Err(Miss::Over(format!("no time was left for port {port}")));
        }
        let target = Target {
            address: self.address.at(port),
            port,
            authorization: shown.map(|(family, token)| of(family).authorization(token)),
        };
        let reply = self
            .transport
            .exchange(&target, exchange, left.min(PER_PORT))
            .await?;
        Ok(reply)
    }
}

/// What an answer to the question for a status looks like.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Seen {
    /// A device of this family.
    Is(Family),
    /// A device, probably of this family, that asks for a token.
    Asks(Family),
    /// No such page.
    Nothing,
    /// Something else; an English phrase that follows "port 80".
    Other(String),
}

pub(super) fn look(reply: &Reply) -> Seen {
    let json = reply::json(reply).map(|decoded| decoded.value);
    let error = json.as_ref().and_then(reply::said);
    match (reply.status, error.as_deref()) {
        (403, Some("setup_mode_restricted")) | (503, Some("auth_token_missing")) => {
            Seen::Is(Family::Freenove)
        }
        (200..300, _) => match json {
            Some(state @ Value::Object(_)) => of_state(&state, reply),
            _ => Seen::Other("answers with something that is no status".to_owned()),
        },
        (300..=399, _) => Seen::Other(format!(
            "sends on to another page (HTTP {}), as a board in its own Wi-Fi does",
            reply.status
        )),
        (401 | 403, error) => asking(reply, json.as_ref(), error),
        (404 | 405, _) => Seen::Nothing,
        (status, _) => Seen::Other(format!("answers with HTTP {status}")),
    }
}

/// A refusal for want of a token. A web page that wants a password is that of a printer or a
/// router, unless it asks in the way of a family; HTTP Basic is that of Story V2.
fn asking(reply: &Reply, json: Option<&Value>, error: Option<&str>) -> Seen {
    let ok = json.and_then(|json| json.get("ok"));
    match (reply.asks_for.as_deref(), error) {
        (Some("basic"), _) => Seen::Asks(Family::StoryV2),
        (Some("bearer"), _) => Seen::Asks(Family::Spec),
        (None, Some("unauthorized")) if ok == Some(&Value::Bool(false)) => {
            Seen::Asks(Family::Freenove)
        }
        (None, _) if json.is_some_and(Value::is_object) => Seen::Asks(Family::Spec),
        _ => Seen::Other(format!("wants a password (HTTP {})", reply.status)),
    }
}

fn of_state(state: &Value, reply: &Reply) -> Seen {
    let has = |key: &str| state.get(key).is_some();
    let warming = fields::text(state, &["state"]).as_deref() == Some("status_warmup");
    if has("board_profile") || warming {
        return Seen::Is(Family::Unknown);
    }
    if has("network") && (has("story") || has("espnow") || has("wifi")) {
        return Seen::Is(Family::Freenove);
    }
    if has("rtos") || (has("player") && has("wifi")) {
        return Seen::Is(Family::StoryV2);
    }
    if spec::TELLING.iter().any(|key| has(key)) || has("story") {
        return Seen::Is(Family::Spec);
    }
    let empty = state.as_object().is_none_or(serde_json::Map::is_empty);
    if empty || reply::failure(state).is_some() {
        return Seen::Other(format!("answers without a status (HTTP {})", reply.status));
    }
    Seen::Is(Family::Unknown)
}
