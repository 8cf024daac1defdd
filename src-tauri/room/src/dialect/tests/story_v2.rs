//! The Story V2 board.

use crate::dialect::{Evidence, Family, Refusal, Verdict, of};
use crate::error::TokenFault;
use crate::request::Request;
use crate::state::Reading;
use crate::token::Token;

use super::samples::{STORY, STORY_V2};
use super::{audio, camera, lack, led, puzzle, reply, scenario, wire};

fn playing(playing: &str) -> Reading {
    Reading {
        playing: Some(playing.to_owned()),
        ..Reading::default()
    }
}

#[test]
fn its_user_is_admin_where_none_is_named() {
    let header = |token: &str| {
        let header = of(Family::StoryV2).authorization(&Token::from(token.to_owned()));
        header.0.to_string()
    };
    assert_eq!(header("admin:esp32-A1B2"), "Basic YWRtaW46ZXNwMzItQTFCMg==");
    assert_eq!(header("esp32-A1B2"), "Basic YWRtaW46ZXNwMzItQTFCMg==");
    assert_eq!(header("gm:x"), "Basic Z206eA==");
}

#[test]
fn the_override_skips_to_the_next_step() {
    let skip = scenario("manual", "MANUAL_ADVANCE", None);
    assert_eq!(wire(Family::StoryV2, &skip, None), ["POST /api/story/skip"]);
    let judge = |body| of(Family::StoryV2).judge(&skip, &reply(200, body));
    assert!(matches!(
        judge(r#"{"previous_step":"STEP_WAIT","current_step":"STEP_WIN"}"#),
        Verdict::Confirmed(_)
    ));
    assert!(matches!(
        judge(r#"{"previous_step":"STEP_WAIT","current_step":"STEP_WAIT"}"#),
        Verdict::Accepted(_)
    ));
}

#[test]
fn its_one_button_is_pressed_only_where_that_helps() {
    let toggle = ["POST /api/player/action?cmd=toggle"];
    let look = ["GET /api/status"];
    let lines = |action: &str, last: &str| {
        let request = audio(action, "intro.mp3", 70, false);
        wire(Family::StoryV2, &request, Some(&playing(last)))
    };
    assert_eq!(lines("pause", "intro.mp3"), toggle);
    assert_eq!(lines("stop", "intro.mp3"), toggle);
    assert_eq!(lines("resume", ""), toggle);
    assert_eq!(lines("pause", ""), look);
    assert_eq!(lines("stop", ""), look);
    assert_eq!(lines("resume", "intro.mp3"), look);
    let judge = |action: &str| {
        let request = audio(action, "x", 70, false);
        of(Family::StoryV2).judge(&request, &reply(200, STORY_V2))
    };
    assert!(matches!(judge("resume"), Verdict::Confirmed(_)));
    assert!(matches!(judge("pause"), Verdict::Accepted(_)));
}

#[test]
fn what_it_cannot_do_is_named() {
    let cases = [
        (audio("play", "/music/a.mp3", 70, false), "audio-source"),
        (audio("pause", "x", 70, false), "audio-source"),
        (scenario("unlock", "UNLOCK", None), "scenario-event"),
        (scenario("manual", "GO", Some("STEP_3")), "scenario-target"),
        (puzzle("PUZZLE_FIOLE", "unlocked", true), "tool"),
        (led("all", "red", "solid", 1, 0), "tool"),
        (camera("VGA", 10), "tool"),
    ];
    for (request, code) in cases {
        assert_eq!(lack(Family::StoryV2, &request).code, code, "{request:?}");
    }
}

#[test]
fn its_errors_are_read_from_their_envelope() {
    let skip = scenario("manual", "NEXT", None);
    let judge = |status, body| of(Family::StoryV2).judge(&skip, &reply(status, body));
    assert_eq!(
        judge(
            409,
            r#"{"error":{"code":409,"message":"story not running","details":""}}"#
        ),
        Verdict::Refused(Refusal::Busy {
            detail: r#"it says "story not running" (HTTP 409)"#.to_owned()
        })
    );
    assert_eq!(
        judge(401, ""),
        Verdict::Refused(Refusal::Token(TokenFault::Refused))
    );
}

/// While it has opened its own Wi-Fi, it sends whatever it does not know to its front page.
#[test]
fn being_sent_elsewhere_is_never_a_success() {
    let skip = scenario("manual", "NEXT", None);
    assert!(matches!(
        of(Family::StoryV2).judge(&skip, &reply(302, "")),
        Verdict::Refused(Refusal::Nonsense { .. })
    ));
    assert!(of(Family::StoryV2).read(&reply(302, "")).is_err());
}

#[test]
fn its_status_takes_two_pages() {
    let dialect = of(Family::StoryV2);
    let mut reading = dialect.read(&reply(200, STORY_V2)).unwrap();
    assert_eq!(dialect.more_status().unwrap().path, "/api/story/status");
    dialect.read_more(&mut reading, &reply(200, STORY));
    assert_eq!(
        reading,
        Reading {
            scenario: Some("EXPRESS".to_owned()),
            step: Some("STEP_WAIT".to_owned()),
            rssi: Some(-70),
            heap_free: Some(143_880),
            playing: Some("intro.mp3".to_owned()),
            volume: Some(55),
            own_address: Some("192.168.7.44".to_owned()),
            counters: [("wifi.disconnect_count".to_owned(), 3)].into(),
            ..Reading::default()
        }
    );
}

#[test]
fn its_readings_show_a_skip_and_a_pause() {
    let dialect = of(Family::StoryV2);
    let at = |step: &str| Reading {
        step: Some(step.to_owned()),
        ..playing("intro.mp3")
    };
    let skip = scenario("manual", "NEXT", None);
    assert_eq!(
        dialect.evidence(&skip, Some(&at("A")), &at("B")),
        Evidence::Shown
    );
    assert_eq!(
        dialect.evidence(&skip, Some(&at("A")), &at("A")),
        Evidence::NotShown
    );
    let pause = audio("pause", "x", 70, false);
    assert_eq!(
        dialect.evidence(&pause, Some(&at("A")), &playing("")),
        Evidence::Shown
    );
    assert_eq!(
        dialect.evidence(&pause, Some(&at("A")), &at("A")),
        Evidence::NotShown
    );
    assert!(!dialect.shows(&Request::Status));
}
