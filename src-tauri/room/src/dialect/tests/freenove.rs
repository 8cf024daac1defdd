//! The Freenove board.

use std::time::Duration;

use serde_json::json;

use crate::answer::Answer;
use crate::dialect::{Evidence, Family, Refusal, Verdict, of};
use crate::error::TokenFault;
use crate::exchange::Reply;
use crate::request::Request;
use crate::state::{CameraState, Reading};

use super::samples::FREENOVE;
use super::{audio, camera, lack, led, puzzle, remarks, reply, scenario};

fn wire(request: &Request, last: Option<&Reading>) -> Vec<String> {
    super::wire(Family::Freenove, request, last)
}

fn judge(request: &Request, reply: &Reply) -> Verdict {
    of(Family::Freenove).judge(request, reply)
}

fn refusal(request: &Request, status: u16, body: &str) -> Refusal {
    match judge(request, &reply(status, body)) {
        Verdict::Refused(refusal) => refusal,
        other => panic!("{other:?}"),
    }
}

fn loud(volume: u8) -> Reading {
    Reading {
        volume: Some(volume),
        ..Reading::default()
    }
}

#[test]
fn a_puzzle_is_unlocked_by_the_event_of_its_name() {
    let unlock = puzzle("PUZZLE_COFFRE", "unlocked", true);
    assert_eq!(
        wire(&unlock, None),
        [r#"POST /api/control {"action":"SC_EVENT unlock UNLOCK_COFFRE"}"#]
    );
    assert_eq!(
        remarks(Family::Freenove, &unlock, None),
        [r#"It was told the event "unlock UNLOCK_COFFRE"; its scenario decides what follows."#]
    );
}

#[test]
fn leds_get_one_colour_and_pulse_only_if_asked_to() {
    let cases = [
        (
            led("all", "#0080FF", "solid", 128, 0),
            r#"{"r":0,"g":128,"b":255,"brightness":128,"pulse":false}"#,
        ),
        (
            led("all", "red", "pulse", 255, 0),
            r#"{"r":255,"g":0,"b":0,"brightness":255,"pulse":true}"#,
        ),
        (
            led("all", "purple", "breathe", 9, 0),
            r#"{"r":123,"g":0,"b":255,"brightness":9,"pulse":true}"#,
        ),
        (
            led("all", "off", "pulse", 200, 0),
            r#"{"r":0,"g":0,"b":0,"brightness":0,"pulse":false}"#,
        ),
        (
            led("all", "red", "off", 200, 0),
            r#"{"r":0,"g":0,"b":0,"brightness":0,"pulse":false}"#,
        ),
    ];
    for (request, body) in cases {
        assert_eq!(
            wire(&request, None),
            [format!("POST /api/hardware/led {body}")]
        );
    }
}

#[test]
fn a_zone_is_done_with_the_remark_that_all_leds_follow() {
    let alert = led("alert", "red", "solid", 128, 0);
    assert_eq!(
        remarks(Family::Freenove, &alert, None),
        [r#"Its LEDs have one colour: all of them follow, not only the zone "alert"."#]
    );
    let all = led("all", "red", "solid", 128, 0);
    assert!(remarks(Family::Freenove, &all, None).is_empty());
}

#[test]
fn loudness_is_set_on_its_own_scale_and_only_where_it_differs() {
    let play = audio("play", "/music/morse_hint.mp3", 70, false);
    let media = r#"POST /api/media/play {"path":"/music/morse_hint.mp3"}"#;
    let set = [
        r#"POST /api/apps/open {"id":"audio_player"}"#,
        r#"POST /api/apps/action {"id":"audio_player","action":"set_volume","payload":"15"}"#,
        media,
    ];
    assert_eq!(wire(&play, None), set);
    assert_eq!(wire(&play, Some(&loud(100))), set);
    // 15 of 21 is read as 71 %.
    assert_eq!(wire(&play, Some(&loud(71))), [media]);
    assert_eq!(
        remarks(Family::Freenove, &play, None),
        ["Its loudness has 21 steps: 70 % is step 15."]
    );
}

#[test]
fn every_loudness_that_is_read_back_counts_as_set() {
    for percent in 0..=100 {
        let play = audio("play", "/music/a.mp3", percent, false);
        let mut lines = wire(&play, None);
        let step: u32 = lines
            .remove(1)
            .split('"')
            .nth_back(1)
            .and_then(|step| step.parse().ok())
            .unwrap();
        assert!(step <= 21);
        let body = json!({"story":{},"audio":{"volume":step}}).to_string();
        let read = of(Family::Freenove).read(&reply(200, &body)).unwrap();
        assert_eq!(wire(&play, Some(&read)).len(), 1, "{percent} %");
    }
}

#[test]
fn an_older_board_plays_at_its_own_loudness() {
    let body = r#"{"network":{},"story":{"scenario":"DEFAULT","runtime_contract":"story_v2"},"audio":{"volume":21}}"#;
    let last = of(Family::Freenove).read(&reply(200, body)).unwrap();
    let play = audio("play", "a.mp3", 70, false);
    assert_eq!(
        wire(&play, Some(&last)),
        [r#"POST /api/media/play {"path":"a.mp3"}"#]
    );
    assert_eq!(
        remarks(Family::Freenove, &play, Some(&last)),
        ["It plays at its own loudness, 100 %: it cannot be set."]
    );
}

#[test]
fn sound_is_stopped_and_held() {
    assert_eq!(
        wire(&audio("stop", "x", 70, false), None),
        ["POST /api/media/stop"]
    );
    assert_eq!(
        wire(&audio("pause", "x", 70, false), None),
        [
            r#"POST /api/apps/open {"id":"audio_player"}"#,
            r#"POST /api/apps/action {"id":"audio_player","action":"pause"}"#,
        ]
    );
    assert_eq!(
        wire(&audio("resume", "x", 70, false), None),
        [r#"POST /api/apps/action {"id":"audio_player","action":"resume"}"#]
    );
}

#[test]
fn events_of_a_scenario_go_by_type_and_name() {
    let cases = [
        (scenario("button", "ANY", None), "SC_EVENT button ANY"),
        (
            scenario("audio_done", "AUDIO_DONE", None),
            "SC_EVENT audio_done AUDIO_DONE",
        ),
        (
            scenario("espnow", "ack_win2", None),
            "SC_EVENT espnow ACK_WIN2",
        ),
        (
            scenario("manual", "UNLOCK_QR", None),
            "SC_EVENT unlock UNLOCK_QR",
        ),
        (
            scenario("manual", "FORCE_DONE", None),
            "SC_EVENT serial FORCE_DONE",
        ),
        (
            scenario("manual", "GO", Some("SCENE_LA_DETECTOR")),
            "SCENE_GOTO SCENE_LA_DETECTOR",
        ),
        (
            scenario("unlock", "UNLOCK", Some("SCENE_FINAL_WIN")),
            "SCENE_GOTO SCENE_FINAL_WIN",
        ),
    ];
    for (request, line) in cases {
        assert_eq!(
            wire(&request, None),
            [format!(r#"POST /api/control {{"action":"{line}"}}"#)]
        );
    }
}

#[test]
fn the_override_goes_on_to_the_next_step() {
    for name in ["MANUAL_ADVANCE", "NEXT", "manual advance", "skip"] {
        let next = scenario("manual", name, None);
        assert_eq!(wire(&next, None), ["POST /api/scenario/next"]);
        assert_eq!(remarks(Family::Freenove, &next, None).len(), 1);
    }
}

#[test]
fn steps_of_the_default_scenario_are_jumped_to_by_their_scenes() {
    let jump = scenario("manual", "GO", Some("RTC_ESP_ETAPE2"));
    let to = |scenario: Option<&str>| {
        let last = Reading {
            scenario: scenario.map(str::to_owned),
            ..Reading::default()
        };
        wire(&jump, Some(&last))
    };
    let scene = [r#"POST /api/control {"action":"SCENE_GOTO SCENE_WIN_ETAPE2"}"#];
    assert_eq!(to(None), scene);
    assert_eq!(to(Some("DEFAULT")), scene);
    assert_eq!(
        to(Some("SPECTRE_RADIO_LAB")),
        [r#"POST /api/control {"action":"SCENE_GOTO RTC_ESP_ETAPE2"}"#]
    );
    assert_eq!(
        remarks(Family::Freenove, &jump, None),
        [r#"It jumps to scenes, not to steps: "RTC_ESP_ETAPE2" is the scene "SCENE_WIN_ETAPE2"."#]
    );
}

#[test]
fn a_picture_has_its_own_size() {
    let capture = camera("QQVGA", 20);
    assert_eq!(wire(&capture, None), ["GET /api/camera/snapshot.jpg"]);
    assert_eq!(remarks(Family::Freenove, &capture, None).len(), 1);
}

#[test]
fn what_it_cannot_do_is_named() {
    let long = "A".repeat(60);
    let cases = [
        (puzzle("PUZZLE_FIOLE", "locked", true), "puzzle-lock"),
        (puzzle("PUZZLE_FIOLE", "reset", true), "puzzle-reset"),
        (puzzle("PUZZLE_FIOLE", "unlocked", false), "puzzle-effects"),
        (audio("play", "HTTP://host/a.mp3", 70, false), "audio-url"),
        (audio("play", "/music/a.mp3", 70, true), "audio-loop"),
        (led("all", "red", "chase", 1, 0), "led-pattern"),
        (led("all", "red", "rainbow", 1, 0), "led-pattern"),
        (led("all", "red", "solid", 1, 5), "led-duration"),
        (scenario("unlock", "***", None), "scenario-event"),
        (scenario("manual", "***", None), "scenario-manual"),
        (scenario("unlock", &long, None), "scenario-event"),
        (scenario("manual", "GO", Some(&long)), "scenario-target"),
        (
            scenario("manual", "GO", Some("two words")),
            "scenario-target",
        ),
    ];
    for (request, code) in cases {
        assert_eq!(lack(Family::Freenove, &request).code, code, "{request:?}");
    }
}

/// The gate before everything and the gate before writes say no with different bodies.
#[test]
fn a_token_for_reading_only_is_told_from_a_wrong_one() {
    let light = led("all", "red", "solid", 1, 0);
    let refused = Refusal::Token(TokenFault::Refused);
    let first = r#"{"ok":false,"error":"unauthorized"}"#;
    let second = r#"{"error":"unauthorized"}"#;
    assert_eq!(refusal(&light, 401, first), refused);
    assert_eq!(
        refusal(&light, 401, second),
        Refusal::Token(TokenFault::ReadingOnly)
    );
    assert_eq!(refusal(&camera("VGA", 10), 401, second), refused);
    assert_eq!(
        of(Family::Freenove).read(&reply(401, first)).unwrap_err(),
        refused
    );
}

#[test]
fn a_board_that_is_not_set_up_says_so() {
    let setup = Refusal::Token(TokenFault::SetupMode);
    let restricted = reply(403, r#"{"ok":false,"error":"setup_mode_restricted"}"#);
    let missing = reply(503, r#"{"ok":false,"error":"auth_token_missing"}"#);
    for reply in [restricted, missing] {
        assert_eq!(of(Family::Freenove).read(&reply).unwrap_err(), setup);
        assert_eq!(
            judge(&scenario("manual", "NEXT", None), &reply),
            Verdict::Refused(setup.clone())
        );
    }
}

#[test]
fn too_many_requests_are_told_from_a_camera_that_rests() {
    let light = led("all", "red", "solid", 1, 0);
    assert_eq!(
        refusal(&light, 429, r#"{"error":"too_many_requests"}"#),
        Refusal::Throttled {
            detail: "two requests within 100 ms".to_owned(),
            retry_after: Some(Duration::from_millis(100)),
        }
    );
    let capture = camera("VGA", 10);
    let rests = r#"{"ok":false,"error":"camera_blocked_by_resource_profile"}"#;
    assert!(matches!(
        refusal(&capture, 429, rests),
        Refusal::CameraBlocked { .. }
    ));
    let recorder = r#"{"ok":false,"error":"camera_busy_recorder_owner"}"#;
    assert!(matches!(
        refusal(&capture, 409, recorder),
        Refusal::Busy { .. }
    ));
    let failed = r#"{"ok":false,"error":"camera_snapshot_failed"}"#;
    assert!(matches!(
        refusal(&capture, 500, failed),
        Refusal::Nonsense { .. }
    ));
}

#[test]
fn a_no_without_a_reason_is_put_into_words() {
    let said = |request: &Request, body: &str| match refusal(request, 400, body) {
        Refusal::Said { detail } => detail,
        other => panic!("{other:?}"),
    };
    assert_eq!(
        said(
            &scenario("timer", "T", None),
            r#"{"ok":false,"action":"SC_EVENT timer T"}"#
        ),
        "its step takes no such event, or listens to its microphone"
    );
    assert_eq!(
        said(
            &audio("play", "/music/no.mp3", 70, false),
            r#"{"action":"MEDIA_PLAY","ok":false}"#
        ),
        "the sound is not on it, or its player is busy"
    );
    assert_eq!(
        said(
            &scenario("manual", "GO", Some("NOWHERE")),
            r#"{"ok":false,"action":"SCENE_GOTO NOWHERE","error":"scene_not_found"}"#
        ),
        r#"it says "scene_not_found" (HTTP 400)"#
    );
    assert_eq!(
        said(
            &scenario("manual", "NEXT", None),
            r#"{"error":"invalid_input"}"#
        ),
        r#"it says "invalid_input" (HTTP 400)"#
    );
    assert!(matches!(
        refusal(&scenario("manual", "NEXT", None), 404, r#"{"ok":false,"error":"not_found"}"#),
        Refusal::Said { detail } if detail == "it has no such function (HTTP 404)"
    ));
}

#[test]
fn stopping_where_nothing_plays_is_no_failure() {
    let stop = audio("stop", "x", 70, false);
    let nothing = reply(400, r#"{"action":"MEDIA_STOP","ok":false}"#);
    assert_eq!(
        judge(&stop, &nothing),
        Verdict::Accepted(Answer::Json(json!({"action":"MEDIA_STOP","ok":false})))
    );
}

/// It says yes to unlocks that nothing reacts to, so that a yes is never a confirmation.
#[test]
fn its_yes_is_only_accepted() {
    let requests = [
        (
            puzzle("PUZZLE_FIOLE", "unlocked", true),
            r#"{"ok":true,"action":"SC_EVENT unlock UNLOCK_FIOLE"}"#,
        ),
        (
            scenario("manual", "NEXT", None),
            r#"{"action":"NEXT","ok":true}"#,
        ),
        (
            led("all", "red", "solid", 1, 0),
            r#"{"action":"HW_LED_SET","ok":true}"#,
        ),
    ];
    for (request, body) in requests {
        assert!(matches!(
            judge(&request, &reply(200, body)),
            Verdict::Accepted(_)
        ));
        assert!(of(Family::Freenove).shows(&request));
    }
}

#[test]
fn the_step_shows_what_an_event_did() {
    let dialect = of(Family::Freenove);
    let at = |step: &str, screen: &str| Reading {
        scenario: Some("DEFAULT".to_owned()),
        step: Some(step.to_owned()),
        screen: Some(screen.to_owned()),
        ..Reading::default()
    };
    let (before, after) = (
        at("SCENE_LA_DETECTOR", "A"),
        at("RTC_ESP_ETAPE1", "SCENE_WIN_ETAPE"),
    );
    for request in [
        puzzle("PUZZLE_FIOLE", "unlocked", true),
        scenario("manual", "NEXT", None),
        scenario("manual", "GO", Some("RTC_ESP_ETAPE1")),
    ] {
        let evidence = |before, after| dialect.evidence(&request, before, after);
        assert_eq!(evidence(Some(&before), &after), Evidence::Shown);
        assert_eq!(evidence(Some(&before), &before), Evidence::NotShown);
        assert_eq!(
            evidence(Some(&before), &Reading::default()),
            Evidence::Silent
        );
    }
    // A scene that no step uses is only shown on the screen.
    let jump = scenario("manual", "GO", Some("SCENE_BROKEN"));
    let screen = at("SCENE_LA_DETECTOR", "SCENE_BROKEN");
    assert_eq!(
        dialect.evidence(&jump, Some(&before), &screen),
        Evidence::NotShown
    );
}

#[test]
fn a_pulsing_light_that_shows_another_colour_says_nothing() {
    let dialect = of(Family::Freenove);
    let lit = |led: &str| Reading {
        led: Some(led.to_owned()),
        ..Reading::default()
    };
    let pulse = led("all", "red", "pulse", 128, 0);
    let evidence = |after: &str| dialect.evidence(&pulse, Some(&lit("#000000")), &lit(after));
    assert_eq!(evidence("#FF0000"), Evidence::Shown);
    assert_eq!(evidence("#000000"), Evidence::NotShown);
    assert_eq!(evidence("#7F0000"), Evidence::Silent);
}

#[test]
fn its_whole_status_is_read() {
    let reading = of(Family::Freenove).read(&reply(200, FREENOVE)).unwrap();
    let counters = [
        ("camera.capture_count", 9),
        ("camera.fail_count", 1),
        ("espnow.rx_count", 91),
        ("espnow.tx_fail", 4),
        ("espnow.tx_ok", 205),
    ];
    assert_eq!(
        reading,
        Reading {
            scenario: Some("DEFAULT".to_owned()),
            step: Some("SCENE_QR_DETECTOR".to_owned()),
            screen: Some("SCENE_QR_DETECTOR".to_owned()),
            rssi: Some(-61),
            playing: Some("/music/sonar_hint.mp3".to_owned()),
            volume: Some(71),
            led: Some("#0080FF".to_owned()),
            battery: Some(63),
            own_address: Some("192.168.7.31".to_owned()),
            camera: Some(CameraState::Ready),
            counters: counters
                .map(|(name, count)| (name.to_owned(), count))
                .into(),
            ..Reading::default()
        }
    );
}

#[test]
fn nothing_is_read_where_no_scenario_runs_and_no_battery_is_measured() {
    let body = r#"{"network":{"state":"ap_fallback","ip":"","rssi":0},"story":{"scenario":"n/a","step":"n/a","screen":""},
        "audio":{"playing":false,"track":""},"hardware":{"battery_ready":false,"battery_pct":0},
        "camera":{"supported":true},"resource":{"allow_camera_ops":false}}"#;
    let reading = of(Family::Freenove).read(&reply(200, body)).unwrap();
    assert_eq!(
        reading,
        Reading {
            playing: Some(String::new()),
            own_access_point: true,
            camera: Some(CameraState::Blocked),
            ..Reading::default()
        }
    );
}

#[test]
fn free_memory_takes_a_second_page_that_not_every_board_has() {
    let dialect = of(Family::Freenove);
    assert_eq!(dialect.more_status().unwrap().path, "/api/apps/status");
    let mut reading = Reading::default();
    dialect.read_more(
        &mut reading,
        &reply(404, r#"{"ok":false,"error":"not_found"}"#),
    );
    assert_eq!(reading, Reading::default());
    dialect.read_more(
        &mut reading,
        &reply(
            200,
            r#"{"ok":true,"runtime":{"running_id":"","heap_free":171204,"catalog":[{"id":"cut"#,
        ),
    );
    assert_eq!(reading.heap_free, Some(171_204));
}

#[test]
fn writes_are_further_apart_than_its_limiter_asks() {
    let spacing = of(Family::Freenove).write_spacing();
    assert!(spacing > Duration::from_millis(100) && spacing < Duration::from_millis(150));
}

/// Its player says yes to a loudness that it did not take.
#[test]
fn a_sound_at_another_loudness_confirms_nothing() {
    let dialect = of(Family::Freenove);
    let play = audio("play", "/music/a.mp3", 70, false);
    let evidence = |playing: &str, volume| {
        let after = Reading {
            playing: Some(playing.to_owned()),
            ..loud(volume)
        };
        let before = Reading {
            playing: Some(String::new()),
            ..loud(100)
        };
        dialect.evidence(&play, Some(&before), &after)
    };
    assert_eq!(evidence("/music/a.mp3", 71), Evidence::Shown);
    assert_eq!(evidence("/music/a.mp3", 100), Evidence::Silent);
    assert_eq!(evidence("", 71), Evidence::NotShown);
}
