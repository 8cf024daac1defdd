//! Boards that are watched only.

use crate::dialect::{Family, Verdict, of};
use crate::request::Request;
use crate::state::Reading;

use super::samples::TELEPHONE;
use super::{audio, camera, lack, led, puzzle, reply, scenario, wire};

#[test]
fn nothing_but_its_status_is_asked_for() {
    assert_eq!(
        wire(Family::Unknown, &Request::Status, None),
        ["GET /api/status"]
    );
    for request in [
        puzzle("PUZZLE_FIOLE", "unlocked", true),
        audio("stop", "x", 70, false),
        led("all", "red", "solid", 1, 0),
        camera("VGA", 10),
        scenario("manual", "NEXT", None),
    ] {
        assert_eq!(lack(Family::Unknown, &request).code, "tool");
    }
}

#[test]
fn the_telephone_is_read() {
    let reading = of(Family::Unknown).read(&reply(200, TELEPHONE)).unwrap();
    assert_eq!(reading.counters.get("espnow.tx_ok"), Some(&6));
    assert_eq!(reading.playing.as_deref(), Some(""));
}

#[test]
fn a_board_with_its_state_elsewhere_answers_all_the_same() {
    let dialect = of(Family::Unknown);
    let mut reading = dialect.read(&reply(404, "Nothing matches")).unwrap();
    assert_eq!(reading, Reading::default());
    assert_eq!(dialect.more_status().unwrap().path, "/status");
    let body = r#"{"battery_pct":100,"uptime_s":640,"espnow_peers":0,"heap_free":201000}"#;
    dialect.read_more(&mut reading, &reply(200, body));
    assert_eq!(
        reading,
        Reading {
            uptime_seconds: Some(640),
            heap_free: Some(201_000),
            ..Reading::default()
        }
    );
    assert!(matches!(
        dialect.judge(&Request::Status, &reply(404, "")),
        Verdict::Confirmed(_)
    ));
}
