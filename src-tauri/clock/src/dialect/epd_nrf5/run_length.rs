//! Run lengths as the firmware reads them (`rle_decompress_from` in `EPD/EPD_service.c`).
//!
//! A code is a control byte and what follows it: from `80` on, one byte to be repeated
//! `(control & 7F) + 3` times; below, `control + 1` bytes as they are. The firmware reads each
//! write by itself, so that none may end within a code.

use super::framing::Chunk;

/// Marks a repeated byte.
const REPEAT: u8 = 0x80;
/// Shortest and longest run of one byte in a code.
const RUN: (usize, usize) = (3, 0x7F + 3);
/// Most bytes as they are in a code.
const LITERALS: usize = 0x80;
/// The shortest code: a control byte and one more.
const SHORTEST_CODE: usize = 2;

/// Codes for these bytes, in chunks of at most `capacity` bytes (at least 2).
pub(super) fn encode(bytes: &[u8], capacity: usize) -> Vec<Chunk> {
    let mut chunks = Vec::new();
    let mut chunk = Chunk::default();
    let mut rest = bytes;
    while !rest.is_empty() {
        let room = capacity - chunk.data.len();
        if room < SHORTEST_CODE {
            chunks.push(std::mem::take(&mut chunk));
            continue;
        }
        let run = run_at(rest);
        let taken = if run >= RUN.0 {
            // At most 7F, by the longest run.
            chunk.data.push(REPEAT | (run - RUN.0) as u8);
            chunk.data.push(rest[0]);
            run
        } else {
            let most = LITERALS.min(room - 1);
            let literals = (1..rest.len().min(most))
                .find(|&at| run_at(&rest[at..]) >= RUN.0)
                .unwrap_or(rest.len().min(most));
            // At most 7F, by the most literals.
            chunk.data.push((literals - 1) as u8);
            chunk.data.extend(&rest[..literals]);
            literals
        };
        chunk.covers += taken;
        rest = &rest[taken..];
    }
    if chunk.covers > 0 {
        chunks.push(chunk);
    }
    chunks
}

/// How often the first byte comes in a row, as far as one code reaches.
fn run_at(bytes: &[u8]) -> usize {
    bytes
        .iter()
        .take(RUN.1)
        .take_while(|byte| **byte == bytes[0])
        .count()
}
