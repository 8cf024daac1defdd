//! Whether what a camera sent is a whole JPEG, and how large.
//!
//! Markers and segments as in ITU-T T.81, annex B.

use crate::answer::Snapshot;

/// Start of image.
const START: [u8; 2] = [0xFF, 0xD8];

/// End of image.
const END: [u8; 2] = [0xFF, 0xD9];

/// The picture in a reply's body, without what follows its end.
///
/// # Errors
/// What is wrong with it; an English phrase.
pub(super) fn read(body: &[u8]) -> Result<Snapshot, String> {
    if !body.starts_with(&START) {
        return Err("what came is no JPEG".to_owned());
    }
    let (width, height) = size(body).ok_or("the picture's header is damaged")?;
    // Some cameras pad the last block, and a thumbnail inside has an end of its own.
    let end = body
        .windows(END.len())
        .rposition(|pair| pair == END)
        .ok_or("the picture is cut off")?;
    Ok(Snapshot {
        jpeg: body.get(..end + END.len()).unwrap_or_default().to_vec(),
        width,
        height,
    })
}

/// Width and height of the first frame header.
fn size(body: &[u8]) -> Option<(u16, u16)> {
    let mut at = START.len();
    loop {
        let [0xFF, marker] = *body.get(at..at + 2)? else {
            return None;
        };
        // Fill bytes before a marker.
        if marker == 0xFF {
            at += 1;
            continue;
        }
        let length = usize::from(u16::from_be_bytes(
            body.get(at + 2..at + 4)?.try_into().ok()?,
        ));
        let frame = matches!(marker, 0xC0..=0xCF) && !matches!(marker, 0xC4 | 0xC8 | 0xCC);
        if frame {
            let height = u16::from_be_bytes(body.get(at + 5..at + 7)?.try_into().ok()?);
            let width = u16::from_be_bytes(body.get(at + 7..at + 9)?.try_into().ok()?);
            return (width > 0 && height > 0).then_some((width, height));
        }
        // Entropy-coded data has no length to go on by, and a length counts itself.
        if marker == 0xDA || length < 2 {
            return None;
        }
        at += 2 + length;
    }
}
