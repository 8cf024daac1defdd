//! What a clock's processor does with the bytes it is sent: an own reading of each protocol,
//! sharing no code with the dialect that produces them.

mod epd_nrf5;
mod pingping;

use std::time::Duration;

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use regie_clock::Channel;
use regie_clock::dialect::{Discovered, Family};
use tokio::time::Instant;

pub use epd_nrf5::EpdBuild;
use epd_nrf5::EpdNrf5;
use pingping::Pingping;

use crate::clock::PictureBuffer;
use crate::fault::NotificationKind;
use crate::screen::Screen;

/// Which firmware a simulated clock runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FirmwareKind {
    /// "Pingping", advertised as `NRF-...`.
    #[default]
    Pingping,
    /// A build of EPD-nRF5, advertised as `NRF_EPD_...`.
    EpdNrf5(EpdBuild),
}

/// What the clock shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// The picture sent last.
    Picture,
    /// The calendar.
    Calendar,
    /// The clock.
    Clock,
}

/// A value that is notified.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Notification {
    pub(crate) value: Vec<u8>,
    pub(crate) kind: NotificationKind,
}

impl Notification {
    /// A picture packet was not kept.
    pub(crate) fn rejected() -> Self {
        Self {
            value: vec![0, 0],
            kind: NotificationKind::Rejected,
        }
    }
}

/// What a write is to the firmware.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WriteKind {
    /// Part of a picture, which begins at this percentage of it.
    Data { percent: u8 },
    /// The command that makes the clock redraw what it was sent.
    Trigger,
    /// Any other command.
    Command,
    /// Something else.
    Other,
}

/// The processor and its memory.
#[derive(Debug)]
pub(crate) enum Firmware {
    Pingping(Box<Pingping>),
    EpdNrf5(Box<EpdNrf5>),
}

impl Firmware {
    pub(crate) fn new(
        kind: FirmwareKind,
        (width, height): (usize, usize),
        refresh: Duration,
        local_epoch: u32,
        buffer: PictureBuffer,
    ) -> Self {
        match kind {
            FirmwareKind::Pingping => {
                let mut firmware = Pingping::new(width, height, refresh, local_epoch);
                firmware.shares_buffer = buffer.shared_with_faces;
                Self::Pingping(Box::new(firmware))
            }
            FirmwareKind::EpdNrf5(build) => {
                let firmware = EpdNrf5::new(build, (width, height), refresh, local_epoch);
                Self::EpdNrf5(Box::new(firmware))
            }
        }
    }

    /// What is left in the memory of the picture after it had no power.
    pub(crate) fn lose_buffer(&mut self) {
        match self {
            Self::Pingping(firmware) => firmware.lose_buffer(),
            // Its pictures are in the panel's own memory and begin with an initialisation.
            Self::EpdNrf5(_) => {}
        }
    }

    /// What reading its services shows.
    pub(crate) fn discovered(&self) -> Discovered {
        match self {
            Self::Pingping(_) => Discovered {
                family: Family::Pingping,
                version: None,
            },
            Self::EpdNrf5(firmware) => Discovered {
                family: Family::EpdNrf5,
                version: firmware.build.version,
            },
        }
    }

    /// What it says once it is listened to.
    pub(crate) fn greeting(&self) -> Option<Notification> {
        match self {
            Self::Pingping(_) => None,
            Self::EpdNrf5(firmware) => Some(firmware.configuration()),
        }
    }

    /// A write over a link that carries `payload` bytes at a time, and what is notified of it.
    pub(crate) fn write(
        &mut self,
        channel: Channel,
        bytes: &[u8],
        payload: usize,
    ) -> Vec<Notification> {
        match self {
            Self::Pingping(firmware) => firmware.write(channel, bytes).into_iter().collect(),
            Self::EpdNrf5(firmware) => firmware.write(bytes, payload),
        }
    }

    /// The link has gone.
    pub(crate) fn link_lost(&mut self) {
        match self {
            Self::Pingping(_) => {}
            Self::EpdNrf5(firmware) => firmware.link_lost(),
        }
    }

    pub(crate) fn kind_of(&self, channel: Channel, bytes: &[u8]) -> WriteKind {
        match self {
            Self::Pingping(firmware) => match (channel, bytes) {
                (Channel::Main, [0x01 | 0xAA, ..]) | (Channel::Alt, [0xE2]) => WriteKind::Trigger,
                (Channel::Alt, _) => WriteKind::Command,
                _ => firmware
                    .percent(channel, bytes)
                    .map_or(WriteKind::Other, |percent| WriteKind::Data { percent }),
            },
            Self::EpdNrf5(firmware) => firmware.kind_of(bytes),
        }
    }

    /// When the redraw under way ends.
    pub(crate) fn refreshing_until(&self) -> Option<Instant> {
        match self {
            Self::Pingping(firmware) => firmware.refreshing_until,
            Self::EpdNrf5(firmware) => firmware.refreshing_until,
        }
    }

    /// Ends the redraw under way, and says what is notified of it. Another one may have begun at
    /// once.
    pub(crate) fn refresh_done(&mut self) -> Option<Notification> {
        match self {
            Self::Pingping(firmware) => {
                firmware.refresh_done();
                Some(Notification {
                    value: vec![0xFF, 0xFF],
                    kind: NotificationKind::RefreshDone,
                })
            }
            Self::EpdNrf5(firmware) => {
                firmware.refresh_done();
                None
            }
        }
    }

    /// What a person would see now.
    pub(crate) fn screen(&self) -> Screen {
        match self {
            Self::Pingping(firmware) => firmware.screen(),
            Self::EpdNrf5(firmware) => firmware.screen(),
        }
    }

    /// The planes in its memory, as its panel has them: black and white, then red.
    pub(crate) fn planes(&self) -> (Vec<u8>, Vec<u8>) {
        match self {
            Self::Pingping(firmware) => firmware.planes(),
            Self::EpdNrf5(firmware) => firmware.planes(),
        }
    }

    pub(crate) fn mode(&self) -> Mode {
        match self {
            Self::Pingping(firmware) => firmware.mode,
            Self::EpdNrf5(firmware) => firmware.mode,
        }
    }

    /// Local seconds since 1970.
    pub(crate) fn local_epoch(&self) -> u64 {
        match self {
            Self::Pingping(firmware) => firmware.local_epoch(),
            Self::EpdNrf5(firmware) => firmware.local_epoch(),
        }
    }

    /// Commands it did not understand.
    pub(crate) fn unknown(&self) -> u32 {
        match self {
            Self::Pingping(firmware) => firmware.unknown,
            Self::EpdNrf5(firmware) => firmware.unknown,
        }
    }

    /// What only "Pingping" has.
    pub(crate) fn pingping(&self) -> Option<&Pingping> {
        match self {
            Self::Pingping(firmware) => Some(firmware),
            Self::EpdNrf5(_) => None,
        }
    }
}

/// Local seconds since 1970 as date and time.
fn local_time(epoch: u64) -> DateTime {
    i64::try_from(epoch)
        .ok()
        .and_then(|seconds| Timestamp::from_second(seconds).ok())
        .unwrap_or_default()
        .to_zoned(TimeZone::UTC)
        .datetime()
}
