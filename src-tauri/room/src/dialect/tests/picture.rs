//! Pictures of cameras.

use crate::answer::{Answer, Snapshot};
use crate::dialect::{Family, Refusal, Verdict, of};
use crate::exchange::Reply;

use super::camera;

/// A JPEG as far as its header goes: an application segment, a frame of 320x240, and an end.
pub(super) const QVGA: &[u8] = &[
    0xFF, 0xD8, 0xFF, 0xE0, 0x00, 0x04, 0xFF, 0xD9, 0xFF, 0xFF, 0xC0, 0x00, 0x0B, 0x08, 0x00, 0xF0,
    0x01, 0x40, 0x01, 0x01, 0x11, 0x00, 0xFF, 0xDA, 0x00, 0x02, 0x12, 0x34, 0xFF, 0xD9,
];

fn judge(body: &[u8], cut: bool) -> Verdict {
    let reply = Reply {
        status: 200,
        content_type: Some("image/jpeg".to_owned()),
        body: body.to_vec(),
        cut,
        ..Reply::default()
    };
    of(Family::Spec).judge(&camera("QVGA", 20), &reply)
}

fn nonsense(verdict: Verdict) -> String {
    match verdict {
        Verdict::Refused(Refusal::Nonsense { detail }) => detail,
        other => panic!("{other:?}"),
    }
}

#[test]
fn its_size_is_read_and_what_follows_its_end_left_out() {
    let padded = [QVGA, &[0; 7]].concat();
    assert_eq!(
        judge(&padded, false),
        Verdict::Confirmed(Answer::Picture(Snapshot {
            jpeg: QVGA.to_vec(),
            width: 320,
            height: 240,
        }))
    );
}

#[test]
fn what_is_no_whole_picture_is_nonsense() {
    assert_eq!(nonsense(judge(b"<html>", false)), "what came is no JPEG");
    assert_eq!(nonsense(judge(b"", false)), "what came is no JPEG");
    assert_eq!(nonsense(judge(QVGA, true)), "the picture is cut off");
    let header = QVGA.get(..12).unwrap();
    assert_eq!(
        nonsense(judge(header, false)),
        "the picture's header is damaged"
    );
    let mut endless = QVGA.get(..28).unwrap().to_vec();
    endless.splice(6..8, [0, 0]);
    assert_eq!(nonsense(judge(&endless, false)), "the picture is cut off");
}

#[test]
fn an_error_in_place_of_a_picture_is_said() {
    let said = judge(br#"{"ok":false,"error":"no camera"}"#, false);
    assert_eq!(
        said,
        Verdict::Refused(Refusal::Said {
            detail: r#"it says "no camera""#.to_owned()
        })
    );
}

#[test]
fn no_prefix_of_a_picture_is_trouble() {
    for end in 0..QVGA.len() {
        let _ = judge(QVGA.get(..end).unwrap(), false);
    }
}
