//! What the driver asks of the clock. The test expects from the same source what has to arrive.

use regie_clock::{ClockError, ClockTime, Face, Picture, PictureSize, Request, Zone};

/// How the emulated clock calls itself.
pub const NAME: &str = "NRF-325608";
/// Its address.
pub const ADDRESS: &str = "D5:34:12:32:56:08";
/// The ATT MTU that it takes.
pub const MTU: u16 = 512;
/// The picture packet of the second upload with which the clock goes out of range.
pub const LAST_PACKET: usize = 50;

/// 2026-08-09 12:34:56 at +08:00, in seconds since 1970 (UTC).
const INSTANT: i64 = 1_786_250_096;

/// The requests of the scene, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scene {
    /// The time it plays at.
    pub now: ClockTime,
    /// A picture.
    pub picture: Request,
    /// The time.
    pub time: Request,
    /// A clock face.
    pub face: Request,
    /// Another picture, during which the clock goes out of range.
    pub interrupted: Request,
    /// One during which the Bluetooth service starts anew.
    pub restarted: Request,
}

impl Scene {
    /// The scene; it is always the same.
    ///
    /// # Errors
    /// None but those of a fault in the clock's own types.
    pub fn new() -> Result<Self, ClockError> {
        let zone: Zone = "+08:00".parse()?;
        let now = ClockTime::at(INSTANT, &zone)?;
        Ok(Self {
            now,
            picture: Request::Picture(picture(1)?),
            time: Request::SetTime(now),
            face: Request::SetFace(Face::Clock1, now),
            interrupted: Request::Picture(picture(2)?),
            restarted: Request::Picture(picture(3)?),
        })
    }
}

/// A full picture of white, black and red dots without any order, so that no two of its packets
/// are alike and a packet in the wrong place shows.
///
/// # Errors
/// As [`Picture::new`].
pub fn picture(seed: u64) -> Result<Picture, ClockError> {
    let mut random = fastrand::Rng::with_seed(seed);
    let bytes = PictureSize::Full.plane_bytes();
    let red: Vec<u8> = (0..bytes).map(|_| random.u8(..) & random.u8(..)).collect();
    // A red dot is not white too.
    let white = red.iter().map(|red| random.u8(..) & !red).collect();
    Picture::new(PictureSize::Full, white, red)
}
