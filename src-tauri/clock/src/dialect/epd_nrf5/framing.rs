//! Planes cut into writes.

use super::panel::PanelPlane;
use super::run_length;
use crate::dialect::{Delivery, Role, Step, Terms, Write};
use crate::link::Channel;
use crate::picture::Plane;

/// Writes to the panel's memory.
pub(super) const WRITE_IMAGE: u8 = 0x30;
/// Bytes of such a write before its data: command and flags.
const HEADER: usize = 2;
/// What every link carries in one write; also the most before the clock has said how much it takes.
const LEAST_PAYLOAD: usize = 20;
/// Most bytes of one write, whatever a clock says: the firmware's stack has no larger packets, and
/// some of its panel drivers count the data in eight bits.
const MAX_PAYLOAD: usize = 244;
/// Writes without an answer before one with, as the firmware's own client does: enough to hide the
/// wait for the answer, few enough for a clock to keep up.
const UNANSWERED_IN_ROW: usize = 50;

/// What one write holds of a plane.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Chunk {
    /// The data as sent.
    pub(super) data: Vec<u8>,
    /// Bytes of the plane that it stands for.
    pub(super) covers: usize,
}

/// A write as flags and data.
struct Frame {
    flags: u8,
    chunk: Chunk,
}

/// The writes that fill the panel's memory.
pub(super) fn stream(planes: &[PanelPlane], terms: Terms) -> Vec<Step> {
    let traits = terms.traits();
    let payload = terms
        .payload()
        .min(traits.payload.unwrap_or_default().max(LEAST_PAYLOAD))
        .min(MAX_PAYLOAD);
    let capacity = payload - HEADER;
    let frames = planes.iter().flat_map(|plane| {
        if traits.run_length {
            run_length_frames(plane, capacity)
        } else {
            plain_frames(plane, capacity)
        }
    });
    let mut steps = Vec::new();
    let mut sent = 0;
    for (Frame { flags, chunk }, nth) in frames.zip(1_usize..) {
        let role = Role::Stream {
            start: sent,
            end: sent + chunk.covers,
        };
        sent += chunk.covers;
        let mut bytes = vec![WRITE_IMAGE, flags];
        bytes.extend(chunk.data);
        steps.push(Step::Write(Write {
            channel: Channel::Main,
            bytes,
            role,
            delivery: if nth.is_multiple_of(UNANSWERED_IN_ROW + 1) {
                Delivery::Answered
            } else {
                Delivery::Unanswered
            },
        }));
    }
    steps
}

/// Flags of a firmware that has not named run lengths: low nibble F for black and white and 0 for
/// red, high nibble 0 for the first write of a plane and F for those after it.
fn plain_frames(plane: &PanelPlane, capacity: usize) -> Vec<Frame> {
    let memory = match plane.memory {
        Plane::BlackWhite => 0x0F,
        Plane::Red => 0x00,
    };
    let flags = |first| if first { memory } else { 0xF0 | memory };
    framed(plain(&plane.bytes, capacity), flags)
}

/// Flags of a firmware that has: bit 0 for red, bit 1 for the first write of a plane, bit 2 where
/// the data are run lengths, which they are where that is less to send. The two kinds of flags
/// mean different things in the same bytes, so nothing but the clock's word decides between them.
fn run_length_frames(plane: &PanelPlane, capacity: usize) -> Vec<Frame> {
    const RED: u8 = 1 << 0;
    const FIRST: u8 = 1 << 1;
    const RUN_LENGTHS: u8 = 1 << 2;
    let memory = match plane.memory {
        Plane::BlackWhite => 0,
        Plane::Red => RED,
    };
    let plain = plain(&plane.bytes, capacity);
    let coded = run_length::encode(&plane.bytes, capacity);
    let (chunks, coding) = if on_air(&coded) < on_air(&plain) {
        (coded, RUN_LENGTHS)
    } else {
        (plain, 0)
    };
    framed(chunks, |first| {
        memory | coding | if first { FIRST } else { 0 }
    })
}

fn framed(chunks: Vec<Chunk>, flags: impl Fn(bool) -> u8) -> Vec<Frame> {
    chunks
        .into_iter()
        .enumerate()
        .map(|(index, chunk)| Frame {
            flags: flags(index == 0),
            chunk,
        })
        .collect()
}

fn plain(bytes: &[u8], capacity: usize) -> Vec<Chunk> {
    bytes
        .chunks(capacity)
        .map(|part| Chunk {
            data: part.to_vec(),
            covers: part.len(),
        })
        .collect()
}

/// Bytes of all writes together.
fn on_air(chunks: &[Chunk]) -> usize {
    chunks.iter().map(|chunk| HEADER + chunk.data.len()).sum()
}
