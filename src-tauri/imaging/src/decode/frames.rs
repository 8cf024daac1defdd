//! How many frames or pages a file has, from its structure alone: nothing is decoded.

use crate::{Format, Note};

/// Frames or pages that are counted at most; a file may claim any number.
const MAX_COUNT: u32 = 100_000;

/// What to say when there are more than one.
pub(super) fn note(bytes: &[u8], format: Format) -> Option<Note> {
    match format {
        Format::Gif => frames(gif(bytes)),
        Format::WebP => frames(webp(bytes)),
        Format::Png => frames(apng(bytes)),
        Format::Tiff => Some(tiff_pages(bytes))
            .filter(|&pages| pages > 1)
            .map(|pages| Note::FirstPage { pages }),
        Format::Jpeg | Format::Bmp | Format::Svg => None,
    }
}

fn frames(count: Option<u32>) -> Option<Note> {
    count
        .filter(|&frames| frames > 1)
        .map(|frames| Note::FirstFrame {
            frames: frames.min(MAX_COUNT),
        })
}

/// GIF89a specification, sections 17 to 26: a header, then blocks, each image descriptor a frame.
fn gif(bytes: &[u8]) -> Option<u32> {
    let flags = *bytes.get(10)?;
    let mut rest = bytes.get(13 + colour_table(flags)..)?;
    let mut count = 0;
    while count < MAX_COUNT {
        match rest {
            [0x2c, descriptor @ ..] => {
                count += 1;
                let flags = *descriptor.get(8)?;
                // The descriptor, its colour table, and the code size before the data.
                let Some(data) = descriptor.get(9 + colour_table(flags) + 1..) else {
                    break;
                };
                rest = after_sub_blocks(data);
            }
            [0x21, _, extension @ ..] => rest = after_sub_blocks(extension),
            _ => break,
        }
    }
    Some(count)
}

const fn colour_table(flags: u8) -> usize {
    if flags & 0x80 == 0 {
        0
    } else {
        3 << ((flags & 7) + 1)
    }
}

fn after_sub_blocks(mut rest: &[u8]) -> &[u8] {
    while let [length, after @ ..] = rest {
        rest = after.get(usize::from(*length)..).unwrap_or_default();
        if *length == 0 {
            break;
        }
    }
    rest
}

/// WebP container specification: the `ANMF` chunks of a RIFF file.
fn webp(bytes: &[u8]) -> Option<u32> {
    let mut rest = bytes.get(12..)?;
    let mut count = 0;
    while let [a, b, c, d, l0, l1, l2, l3, after @ ..] = rest {
        count += u32::from(&[*a, *b, *c, *d] == b"ANMF");
        let length = u32::from_le_bytes([*l0, *l1, *l2, *l3]) as usize;
        rest = after
            .get(length.saturating_add(length % 2)..)
            .unwrap_or_default();
        if count >= MAX_COUNT {
            break;
        }
    }
    Some(count)
}

/// PNG third edition, 11.3.6.1: `acTL`, before the image data, holds the number of frames.
fn apng(bytes: &[u8]) -> Option<u32> {
    let mut rest = bytes.get(8..)?;
    while let [l0, l1, l2, l3, a, b, c, d, after @ ..] = rest {
        match &[*a, *b, *c, *d] {
            b"acTL" => return after.first_chunk().map(|count| u32::from_be_bytes(*count)),
            b"IDAT" => return None,
            _ => {}
        }
        let length = u32::from_be_bytes([*l0, *l1, *l2, *l3]) as usize;
        rest = after.get(length.saturating_add(4)..).unwrap_or_default();
    }
    None
}

/// TIFF 6.0, section 2: a chain of directories, one a page.
fn tiff_pages(bytes: &[u8]) -> u32 {
    let little = bytes.first() == Some(&b'I');
    let long = |at: usize| {
        let raw: [u8; 4] = *bytes.get(at..)?.first_chunk()?;
        Some(if little {
            u32::from_le_bytes(raw)
        } else {
            u32::from_be_bytes(raw)
        } as usize)
    };
    let short = |at: usize| {
        let raw: [u8; 2] = *bytes.get(at..)?.first_chunk()?;
        Some(usize::from(if little {
            u16::from_le_bytes(raw)
        } else {
            u16::from_be_bytes(raw)
        }))
    };
    // A chain may be made to run in a circle.
    const MAX_PAGES: u32 = 1000;
    let mut pages = 0;
    let mut directory = long(4).unwrap_or(0);
    while directory != 0 && pages < MAX_PAGES {
        let Some(entries) = short(directory) else {
            break;
        };
        pages += 1;
        directory = long(directory + 2 + entries * 12).unwrap_or(0);
    }
    pages
}
