//! Pictures on their way to a door: a small JSON header and raw bytes in one answer.
//!
//! Layout: header length as u32 little endian, the header as UTF-8 JSON, the payload.

use regie_imaging::{Algorithm, InkMap, Planes, Rgb8};
use serde::Serialize;

use crate::fault::Note;
use crate::studio::{Rendering, Thumbnails};

/// What the payload is.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
pub struct FrameHeader {
    /// Width of each picture in the payload, in pixels.
    pub width: u32,
    /// Height of each picture in the payload, in pixels.
    pub height: u32,
    /// What was done to the picture.
    pub notes: Vec<Note>,
    /// The methods of a strip of thumbnails, in the payload's order.
    pub algorithms: Vec<Algorithm>,
}

/// One answer: header and payload.
#[derive(Clone, Debug, PartialEq)]
pub struct Frame {
    /// What the payload is.
    pub header: FrameHeader,
    /// Ink indices, one byte a pixel (0 black, 1 white, 2 red), or RGBA, four bytes a pixel;
    /// row-major from the top left.
    pub payload: Vec<u8>,
}

impl Frame {
    pub(crate) fn of_inks(map: &InkMap, notes: Vec<Note>) -> Self {
        Self {
            header: FrameHeader {
                width: map.panel().width.into(),
                height: map.panel().height.into(),
                notes,
                algorithms: Vec::new(),
            },
            payload: indices(map),
        }
    }

    /// The bytes that go over the wire.
    pub fn to_bytes(&self) -> Vec<u8> {
        // A header of numbers, words and short sentences always serialises.
        let header = serde_json::to_vec(&self.header).unwrap_or_default();
        let length = u32::try_from(header.len()).unwrap_or_default();
        let mut bytes = Vec::with_capacity(4 + header.len() + self.payload.len());
        bytes.extend_from_slice(&length.to_le_bytes());
        bytes.extend_from_slice(&header);
        bytes.extend_from_slice(&self.payload);
        bytes
    }
}

impl From<&Planes> for Frame {
    fn from(planes: &Planes) -> Self {
        Self::of_inks(&planes.unpack(), Vec::new())
    }
}

impl From<Rendering> for Frame {
    fn from(rendering: Rendering) -> Self {
        Self::of_inks(&rendering.planes.unpack(), rendering.notes)
    }
}

impl From<Thumbnails> for Frame {
    fn from(thumbnails: Thumbnails) -> Self {
        let size = thumbnails.methods.first().map(|(_, map)| map.panel());
        Self {
            header: FrameHeader {
                width: size.map_or(0, |panel| panel.width.into()),
                height: size.map_or(0, |panel| panel.height.into()),
                notes: Vec::new(),
                algorithms: thumbnails
                    .methods
                    .iter()
                    .map(|(method, _)| *method)
                    .collect(),
            },
            payload: thumbnails
                .methods
                .iter()
                .flat_map(|(_, map)| indices(map))
                .collect(),
        }
    }
}

impl From<&Rgb8> for Frame {
    fn from(picture: &Rgb8) -> Self {
        Self {
            header: FrameHeader {
                width: picture.width.into(),
                height: picture.height.into(),
                notes: Vec::new(),
                algorithms: Vec::new(),
            },
            payload: picture
                .bytes
                .chunks_exact(3)
                .flat_map(|rgb| rgb.iter().copied().chain([u8::MAX]))
                .collect(),
        }
    }
}

fn indices(map: &InkMap) -> Vec<u8> {
    map.inks().iter().map(|&ink| ink as u8).collect()
}
