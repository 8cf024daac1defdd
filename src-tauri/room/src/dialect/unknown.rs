//! Something that answers and that nobody here knows: it is watched, and not driven.
//!
//! Among them are the telephone, whose state lies where the contract's does, and the master of the
//! puzzles, whose state lies elsewhere.

use serde_json::Value;

use crate::answer::Answer;
use crate::exchange::{Authorization, Exchange, Reply};
use crate::request::Request;
use crate::state::{Abilities, Reading};
use crate::token::Token;

use super::{Dialect, Evidence, Family, Lack, Refusal, Script, Verdict, lack, reply, spec};

/// An unknown board.
pub(super) struct Unknown;

impl Dialect for Unknown {
    fn family(&self) -> Family {
        Family::Unknown
    }

    fn abilities(&self) -> Abilities {
        Abilities {
            tools: vec!["device_status"],
            lacks: vec![lack::TOOL],
        }
    }

    fn authorization(&self, token: &Token) -> Authorization {
        reply::bearer(token)
    }

    fn status(&self) -> Exchange {
        Exchange::get("/api/status")
    }

    /// A board without this page answers all the same.
    fn read(&self, reply: &Reply) -> Result<Reading, Refusal> {
        if reply.status == 404 {
            return Ok(Reading::default());
        }
        reply::state(reply).map(|state| spec::reading(&state))
    }

    fn more_status(&self) -> Option<Exchange> {
        Some(Exchange::get("/status"))
    }

    fn read_more(&self, reading: &mut Reading, reply: &Reply) {
        if let Ok(state) = reply::state(reply) {
            let more = spec::reading(&state);
            reading.heap_free = more.heap_free.or(reading.heap_free);
            reading.uptime_seconds = more.uptime_seconds.or(reading.uptime_seconds);
            reading.rssi = more.rssi.or(reading.rssi);
            reading.version = more.version.or(reading.version.take());
        }
    }

    fn script(&self, request: &Request, _last: Option<&Reading>) -> Result<Script, Lack> {
        match request {
            Request::Status => Ok(Script {
                exchanges: vec![self.status()],
                remarks: Vec::new(),
            }),
            _ => Err(Lack::whole(request.tool())),
        }
    }

    fn judge(&self, request: &Request, reply: &Reply) -> Verdict {
        // Nothing but its state is ever asked for; see `script`.
        let taken = match request {
            Request::Status if reply.status == 404 => Ok(Value::Null),
            _ => reply::state(reply),
        };
        match taken {
            Ok(state) => Verdict::Confirmed(Answer::Json(state)),
            Err(refusal) => Verdict::Refused(refusal),
        }
    }

    fn shows(&self, _request: &Request) -> bool {
        false
    }

    fn evidence(&self, _: &Request, _: Option<&Reading>, _: &Reading) -> Evidence {
        Evidence::Silent
    }
}
