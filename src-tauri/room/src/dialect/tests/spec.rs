//! The contract's own mapping.

use crate::answer::Answer;
use crate::dialect::{Evidence, Family, Refusal, Verdict, of};
use crate::error::TokenFault;
use crate::exchange::Reply;
use crate::request::Request;
use crate::state::{CameraState, Reading};
use crate::token::Token;

use super::samples::SPEC;
use super::{audio, camera, led, puzzle, reply, scenario, wire};

fn only(request: &Request) -> String {
    let mut lines = wire(Family::Spec, request, None);
    assert_eq!(lines.len(), 1);
    lines.remove(0)
}

fn judge(request: &Request, reply: &Reply) -> Verdict {
    of(Family::Spec).judge(request, reply)
}

fn refusal(request: &Request, reply: &Reply) -> Refusal {
    match judge(request, reply) {
        Verdict::Refused(refusal) => refusal,
        other => panic!("{other:?}"),
    }
}

#[test]
fn requests_have_the_paths_keys_and_order_of_the_contract() {
    assert_eq!(
        only(&puzzle("PUZZLE_COFFRE", "unlocked", true)),
        r#"POST /api/puzzle {"id":"PUZZLE_COFFRE","state":"unlocked","effects":true}"#
    );
    assert_eq!(
        only(&audio("play", "/audio/hint_01.mp3", 70, false)),
        r#"POST /api/audio {"src":"/audio/hint_01.mp3","vol":70,"loop":false,"action":"play"}"#
    );
    assert_eq!(
        only(&led("puzzle", "#00FF00", "pulse", 200, 0)),
        r##"POST /api/led {"zone":"puzzle","color":"#00FF00","pattern":"pulse","bright":200}"##
    );
    assert_eq!(
        only(&led("all", "warm", "solid", 128, 1500)),
        r#"POST /api/led {"zone":"all","color":"warm","pattern":"solid","bright":128,"duration_ms":1500}"#
    );
    assert_eq!(only(&camera("QVGA", 20)), "GET /api/camera?res=QVGA&q=20");
    assert_eq!(
        only(&scenario("unlock", "UNLOCK_COFFRE", None)),
        r#"POST /api/scenario/transition {"event_type":"unlock","event_name":"UNLOCK_COFFRE"}"#
    );
    assert_eq!(
        only(&scenario("manual", "MANUAL_ADVANCE", Some("step_05"))),
        r#"POST /api/scenario/transition {"event_type":"manual","event_name":"MANUAL_ADVANCE","target":"step_05"}"#
    );
    assert_eq!(only(&Request::Status), "GET /api/status");
}

#[test]
fn texts_are_quoted_as_json() {
    assert_eq!(
        only(&audio("play", r#"/audio/"é"\.mp3"#, 0, true)),
        r#"POST /api/audio {"src":"/audio/\"é\"\\.mp3","vol":0,"loop":true,"action":"play"}"#
    );
}

#[test]
fn a_token_goes_as_bearer_and_shows_nowhere_else() {
    let header = of(Family::Spec).authorization(&Token::from("s3cret".to_owned()));
    assert_eq!(*header.0, "Bearer s3cret");
    assert!(!format!("{header:?}").contains("s3cret"));
}

#[test]
fn an_answer_that_tells_the_state_confirms_it() {
    let unlock = puzzle("PUZZLE_COFFRE", "unlocked", true);
    let told = reply(200, r#"{"state":"unlocked","effects_played":true}"#);
    assert!(matches!(judge(&unlock, &told), Verdict::Confirmed(_)));
    let other = reply(200, r#"{"id":"PUZZLE_FIOLE","state":"unlocked"}"#);
    assert!(matches!(judge(&unlock, &other), Verdict::Accepted(_)));
    let still = reply(200, r#"{"state":"locked"}"#);
    assert!(matches!(judge(&unlock, &still), Verdict::Accepted(_)));
    let jump = scenario("manual", "GO", Some("STEP_3"));
    let there = reply(200, r#"{"ok":true,"current_step":"STEP_3"}"#);
    assert!(matches!(judge(&jump, &there), Verdict::Confirmed(_)));
    let stop = audio("stop", "x", 70, false);
    let playing = reply(200, r#"{"ok":true,"playing":true,"src":"x","vol":70}"#);
    assert!(matches!(judge(&stop, &playing), Verdict::Accepted(_)));
    let play = audio("play", "x", 70, false);
    assert!(matches!(judge(&play, &playing), Verdict::Confirmed(_)));
    let stopped = reply(200, r#"{"state":"stopped"}"#);
    assert!(matches!(judge(&stop, &stopped), Verdict::Confirmed(_)));
    let light = led("all", "#00FF00", "solid", 128, 0);
    let lit = reply(
        200,
        r##"{"zone":"all","color":"#00ff00","pattern":"solid"}"##,
    );
    assert!(matches!(judge(&light, &lit), Verdict::Confirmed(_)));
}

#[test]
fn an_empty_yes_is_accepted_with_nothing_to_tell() {
    let light = led("all", "red", "solid", 128, 0);
    for status in [200, 201, 204] {
        assert_eq!(
            judge(&light, &reply(status, "")),
            Verdict::Accepted(Answer::Json(serde_json::Value::Null))
        );
    }
}

/// A 2xx is no success where the body says otherwise, whatever its content type.
#[test]
fn a_yes_whose_body_says_no_is_a_refusal() {
    let light = led("all", "red", "solid", 128, 0);
    let bodies = [
        (r#"{"ok":false}"#, "it says that it did not work"),
        (r#"{"error":"strip missing"}"#, r#"it says "strip missing""#),
        (
            r#"{"ok":true,"error":{"code":409,"message":"no strip","details":""}}"#,
            r#"it says "no strip""#,
        ),
    ];
    for (body, detail) in bodies {
        let said = Reply {
            content_type: Some("text/html".to_owned()),
            ..reply(200, body)
        };
        assert_eq!(
            refusal(&light, &said),
            Refusal::Said {
                detail: detail.to_owned()
            }
        );
    }
    let fine = reply(200, r#"{"ok":true,"error":""}"#);
    assert!(matches!(judge(&light, &fine), Verdict::Accepted(_)));
}

#[test]
fn statuses_of_http_are_told_apart() {
    let light = led("all", "red", "solid", 128, 0);
    let unlock = puzzle("PUZZLE_COFFRE", "unlocked", true);
    let token = Refusal::Token(TokenFault::Refused);
    assert_eq!(refusal(&light, &reply(401, "")), token);
    assert_eq!(
        refusal(&light, &reply(403, r#"{"error":"forbidden"}"#)),
        token
    );
    assert!(matches!(
        refusal(&unlock, &reply(409, r#"{"error":"already"}"#)),
        Refusal::Conflict { detail } if detail == r#"it says "already" (HTTP 409)"#
    ));
    assert!(matches!(
        refusal(&light, &reply(409, "")),
        Refusal::Busy { .. }
    ));
    assert!(matches!(
        refusal(&light, &reply(404, "Not found")),
        Refusal::Said { detail } if detail == "it has no such function (HTTP 404)"
    ));
    assert!(matches!(
        refusal(&unlock, &reply(404, r#"{"error":"no such puzzle"}"#)),
        Refusal::Said { detail } if detail == r#"it says "no such puzzle" (HTTP 404)"#
    ));
    assert!(matches!(
        refusal(&light, &reply(400, r#"{"error":"bad zone"}"#)),
        Refusal::Said { .. }
    ));
    for status in [301, 302, 307] {
        assert!(matches!(
            refusal(&light, &reply(status, "")),
            Refusal::Nonsense { .. }
        ));
    }
    assert!(matches!(
        refusal(&light, &reply(500, "<html>")),
        Refusal::Nonsense { .. }
    ));
    assert!(matches!(
        refusal(&light, &reply(200, "<!doctype html><title>Router")),
        Refusal::Nonsense { detail } if detail == "a web page came where JSON was due"
    ));
    let cut = Reply {
        unfinished: true,
        ..reply(200, r#"{"ok":tr"#)
    };
    assert!(matches!(
        refusal(&light, &cut),
        Refusal::Nonsense { detail } if detail == "its answer is cut off"
    ));
}

#[test]
fn a_wait_is_taken_from_the_header_or_the_body_and_is_bounded() {
    let light = led("all", "red", "solid", 128, 0);
    let wait = |reply: &Reply| match refusal(&light, reply) {
        Refusal::Throttled { retry_after, .. } => retry_after.map(|wait| wait.as_millis()),
        other => panic!("{other:?}"),
    };
    let header = Reply {
        retry_after: Some(3),
        ..reply(503, "")
    };
    assert_eq!(wait(&header), Some(3_000));
    let body = reply(429, r#"{"error":"rate_limited","retry_after_ms":1000}"#);
    assert_eq!(wait(&body), Some(1_000));
    assert_eq!(wait(&reply(429, "")), None);
    let endless = Reply {
        retry_after: Some(u32::MAX),
        ..reply(429, "")
    };
    assert_eq!(wait(&endless), Some(60_000));
}

#[test]
fn a_flat_status_is_read() {
    let reading = of(Family::Spec).read(&reply(200, SPEC)).unwrap();
    assert_eq!(
        reading,
        Reading {
            scenario: Some("ROOM_A".to_owned()),
            step: Some("STEP_2".to_owned()),
            puzzles: [("PUZZLE_COFFRE", "locked"), ("PUZZLE_FIOLE", "unlocked")]
                .map(|(name, state)| (name.to_owned(), state.to_owned()))
                .into(),
            rssi: Some(-55),
            heap_free: Some(182_000),
            uptime_seconds: Some(5_400),
            playing: Some("/audio/hint_01.mp3".to_owned()),
            volume: Some(70),
            led: Some("#00FF00".to_owned()),
            version: Some("3.1".to_owned()),
            camera: Some(CameraState::Ready),
            ..Reading::default()
        }
    );
}

#[test]
fn a_nested_status_is_read_and_what_makes_no_sense_left_out() {
    let body = r#"{"story":{"step":"A\u0007B","scenario":"n/a"},"wifi":{"rssi":31,"ip":""},
        "system":{"uptime_ms":61999},"battery":180,"volume":"12","puzzles":[{"id":"PUZZLE_FIOLE","state":"reset"}]}"#;
    let reading = of(Family::Spec).read(&reply(200, body)).unwrap();
    assert_eq!(
        reading,
        Reading {
            step: Some("AB".to_owned()),
            uptime_seconds: Some(61),
            volume: Some(12),
            puzzles: [("PUZZLE_FIOLE".to_owned(), "reset".to_owned())].into(),
            ..Reading::default()
        }
    );
}

#[test]
fn readings_show_what_was_done() {
    let dialect = of(Family::Spec);
    let reading = |puzzle: &str, step: &str, playing: &str, led: &str| Reading {
        puzzles: [("PUZZLE_COFFRE".to_owned(), puzzle.to_owned())].into(),
        step: Some(step.to_owned()),
        playing: Some(playing.to_owned()),
        led: Some(led.to_owned()),
        ..Reading::default()
    };
    let before = reading("locked", "A", "", "#000000");
    let after = reading("unlocked", "B", "/audio/x.mp3", "#FF0000");
    let requests = [
        puzzle("PUZZLE_COFFRE", "unlocked", true),
        scenario("button", "ANY", None),
        scenario("manual", "GO", Some("B")),
        audio("play", "/audio/x.mp3", 70, false),
        audio("resume", "/audio/x.mp3", 70, false),
        led("all", "red", "solid", 128, 0),
    ];
    for request in &requests {
        assert!(dialect.shows(request));
        let evidence = |before, after| dialect.evidence(request, before, after);
        assert_eq!(
            evidence(Some(&before), &after),
            Evidence::Shown,
            "{request:?}"
        );
        assert_eq!(
            evidence(Some(&before), &before),
            Evidence::NotShown,
            "{request:?}"
        );
        assert_eq!(
            evidence(Some(&before), &Reading::default()),
            Evidence::Silent
        );
    }
    assert!(!dialect.shows(&camera("VGA", 10)));
    assert!(!dialect.shows(&Request::Status));
}
