//! Commands for devices that only a gateway reaches, by ESP-NOW.
//!
//! The gateway sends to everyone who hears it, and there is no name inside a message: every device
//! in reach acts on it. It says yes as soon as the message waits to be sent. Afterwards its state
//! shows the last message that it heard, which may be the acknowledgement.

use serde_json::Value;

use crate::dialect::command::{self, Command};
use crate::dialect::{Body, Lack, lack, lenient};
use crate::exchange::{Exchange, Reply};
use crate::request::{AudioAction, Request};

/// Most bytes of a message. 240 can be sent, but a receiver keeps 176 with the byte that ends the
/// text, and cannot read what was cut off.
const MAX_MESSAGE: usize = 175;

/// A request as a message for everyone.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Relayed {
    /// What the gateway is asked.
    pub(crate) exchange: Exchange,
    /// What an acknowledgement will name it by.
    pub(crate) msg_id: String,
    /// What it does not do exactly; English sentences.
    pub(crate) remarks: Vec<String>,
}

/// The message for a request; `number` tells it apart from those before.
///
/// # Errors
/// The part that cannot be relayed.
pub(crate) fn relay(request: &Request, number: u32) -> Result<Relayed, Lack> {
    let told = command::command(request, None)?;
    let mut remarks = told.remarks;
    if let Request::Audio(change) = request
        && change.action == AudioAction::Play
    {
        remarks.push("Loudness cannot be relayed: it plays at its own.".to_owned());
    }
    let msg_id = format!("regie-{number}");
    let message = Body::new()
        .text("msg_id", &msg_id)
        .number("seq", number)
        .text("type", "command")
        .flag("ack", true)
        .object("payload", &payload(&told.command));
    let length = message.finish().len();
    if length > MAX_MESSAGE {
        return Err(Lack::of(
            lack::TOOL,
            format!("a message as long as this one ({length} bytes; a relay takes {MAX_MESSAGE})"),
        ));
    }
    Ok(Relayed {
        exchange: Exchange::post(
            "/api/network/espnow/send",
            // An object: a text would be sent with its quotes.
            Some(Body::new().object("payload", &message).finish()),
        ),
        msg_id,
        remarks,
    })
}

/// A command with its arguments: an event as an object, any other as on a line of the board.
fn payload(command: &Command) -> Body {
    let (name, arguments) = command.words();
    let payload = Body::new().text("cmd", name);
    match command {
        Command::Event { kind, name } => payload.object(
            "args",
            &Body::new()
                .text("event_type", kind)
                .text("event_name", name),
        ),
        _ if arguments.is_empty() => payload.object("args", &Body::new()),
        _ => payload.text("args", &arguments),
    }
}

/// What reads the last message that the gateway heard.
pub(crate) fn watch() -> Exchange {
    Exchange::get("/api/network/espnow")
}

/// Whether the last message that the gateway heard acknowledges one, and says that it was done;
/// `None` where it is another, or cannot be read.
pub(crate) fn acknowledged(reply: &Reply, msg_id: &str) -> Option<bool> {
    let state = lenient::decode(&reply.body)?.value;
    let is = |key: &str, text: &str| state.get(key).and_then(Value::as_str) == Some(text);
    if !is("last_type", "ack") || !is("last_msg_id", msg_id) {
        return None;
    }
    let payload = match state.get("last_payload")? {
        Value::String(text) => lenient::decode(text.as_bytes())?.value,
        payload => payload.clone(),
    };
    let ok = |value: &Value| value.get("ok").and_then(Value::as_bool);
    ok(&payload).or_else(|| ok(payload.get("payload")?))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::request::{Capture, LedChange, PuzzleChange};

    fn send(request: &Request) -> String {
        let relayed = relay(request, 17).unwrap();
        assert_eq!(relayed.msg_id, "regie-17");
        assert_eq!(relayed.exchange.path, "/api/network/espnow/send");
        relayed.exchange.body.unwrap()
    }

    fn request(json: Value) -> Request {
        serde_json::from_value(json).unwrap()
    }

    fn scenario(event: &str, name: &str, target: Option<&str>) -> Request {
        request(serde_json::json!({
            "request": "scenario", "event": event, "name": name, "target": target,
        }))
    }

    #[test]
    fn an_event_goes_as_an_object_within_an_object() {
        assert_eq!(
            send(&scenario("unlock", "UNLOCK_QR", None)),
            r#"{"payload":{"msg_id":"regie-17","seq":17,"type":"command","ack":true,"payload":{"cmd":"SC_EVENT","args":{"event_type":"unlock","event_name":"UNLOCK_QR"}}}}"#
        );
        let unlock = Request::Puzzle(PuzzleChange {
            puzzle: "PUZZLE_COFFRE".parse().unwrap(),
            state: "unlocked".parse().unwrap(),
            effects: true,
        });
        assert!(
            send(&unlock)
                .contains(r#""args":{"event_type":"unlock","event_name":"UNLOCK_COFFRE"}"#)
        );
    }

    #[test]
    fn other_commands_go_with_their_words() {
        let payload = |request: &Request| {
            let body = send(request);
            let (_, payload) = body.split_once(r#""ack":true,"payload":"#).unwrap();
            payload.strip_suffix("}}").unwrap().to_owned()
        };
        let led = Request::Led(LedChange {
            zone: "all".parse().unwrap(),
            color: "#0A0BFF".parse().unwrap(),
            pattern: "pulse".parse().unwrap(),
            brightness: 200.try_into().unwrap(),
            duration_ms: 0.try_into().unwrap(),
        });
        assert_eq!(
            payload(&led),
            r#"{"cmd":"HW_LED_SET","args":"10 11 255 200 1"}"#
        );
        assert_eq!(
            payload(&scenario("manual", "GO", Some("SCENE_LA_DETECTOR"))),
            r#"{"cmd":"SCENE_GOTO","args":"SCENE_LA_DETECTOR"}"#
        );
        assert_eq!(
            payload(&scenario("manual", "NEXT", None)),
            r#"{"cmd":"NEXT","args":{}}"#
        );
        let play = request(serde_json::json!({
            "request": "audio", "action": "play", "source": "/music/a.mp3", "volume": 70, "loop": false,
        }));
        assert_eq!(
            payload(&play),
            r#"{"cmd":"MEDIA_PLAY","args":"/music/a.mp3"}"#
        );
        let stop = request(serde_json::json!({
            "request": "audio", "action": "stop", "source": "x", "volume": 70, "loop": false,
        }));
        assert_eq!(payload(&stop), r#"{"cmd":"MEDIA_STOP","args":{}}"#);
    }

    #[test]
    fn what_a_receiver_would_cut_off_is_not_sent() {
        let play = |length: usize| {
            request(serde_json::json!({
                "request": "audio", "action": "play", "source": "a".repeat(length),
                "volume": 70, "loop": false,
            }))
        };
        let longest = (1..200)
            .rev()
            .find(|length| relay(&play(*length), 17).is_ok())
            .unwrap();
        let body = send(&play(longest));
        let inner = body
            .strip_prefix(r#"{"payload":"#)
            .unwrap()
            .strip_suffix('}')
            .unwrap();
        assert_eq!(inner.len(), MAX_MESSAGE);
        assert_eq!(relay(&play(longest + 1), 17).unwrap_err().code, "tool");
    }

    #[test]
    fn pictures_and_states_cannot_be_relayed() {
        let capture = Request::Camera(Capture {
            resolution: "VGA".parse().unwrap(),
            quality: 20.try_into().unwrap(),
        });
        assert!(relay(&capture, 1).is_err());
        assert!(relay(&Request::Status, 1).is_err());
    }

    fn heard(last_type: &str, msg_id: &str, payload: &str) -> Reply {
        let state = serde_json::json!({
            "ready": true, "tx_ok": 3, "last_type": last_type, "last_msg_id": msg_id, "last_payload": payload,
        });
        Reply {
            status: 200,
            body: state.to_string().into_bytes(),
            ..Reply::default()
        }
    }

    #[test]
    fn only_the_acknowledgement_of_a_message_says_what_came_of_it() {
        let said = |reply: &Reply| acknowledged(reply, "regie-17");
        assert_eq!(
            said(&heard("ack", "regie-17", r#"{"ok":true,"code":"NEXT"}"#)),
            Some(true)
        );
        assert_eq!(
            said(&heard("ack", "regie-17", r#"{"ok":false,"error":"x"}"#)),
            Some(false)
        );
        // Cut off after what matters, and in its envelope.
        assert_eq!(
            said(&heard("ack", "regie-17", r#"{"ok":true,"data":{"sta"#)),
            Some(true)
        );
        assert_eq!(
            said(&heard("ack", "regie-17", r#"{"payload":{"ok":false}}"#)),
            Some(false)
        );
        assert_eq!(said(&heard("ack", "regie-16", r#"{"ok":true}"#)), None);
        assert_eq!(said(&heard("command", "regie-17", r#"{"ok":true}"#)), None);
        assert_eq!(said(&heard("ack", "regie-17", "")), None);
        assert_eq!(said(&Reply::default()), None);
    }

    #[test]
    fn the_last_message_heard_is_read_at_the_gateway() {
        assert_eq!(watch().path, "/api/network/espnow");
    }
}
