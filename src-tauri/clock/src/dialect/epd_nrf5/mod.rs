//! The open EPD-nRF5 firmware: clocks advertised as `NRF_EPD_...`.
//!
//! The bytes were read in the firmware's public sources and in those of its own clients
//! (tsl0922/EPD-nRF5 and mj8724/EPD-nRF5: `EPD/EPD_service.c`, `GUI/GUI.c`, `html/js/main.js`,
//! `desktop/EpdDesktop/BleClient.cs`); no clock was at hand.

mod framing;
mod panel;
mod run_length;
mod sayings;

use std::time::Duration;

use super::family::{CharacteristicId, GattTable};
use super::{
    Answer, Delivery, Dialect, Family, Role, Script, Step, Terms, Traits, Write, raw_step,
};
use crate::ClockError;
use crate::link::Channel;
use crate::picture::{Picture, PictureSize};
use crate::request::{Face, Request};
use crate::time::ClockTime;
use panel::Panel;
use sayings::Saying;

/// The service of the family; its characteristics differ in the second group of digits only.
const SERVICE: u128 = 0x62750001_d828_918d_fb46_b6c11c675aec;

/// The characteristics of the family.
pub(super) const EPD_NRF5_GATT: GattTable = GattTable {
    name_prefix: "NRF_EPD_",
    main: CharacteristicId {
        service: SERVICE,
        characteristic: 0x62750002_d828_918d_fb46_b6c11c675aec,
    },
    alt: None,
    version: Some(CharacteristicId {
        service: SERVICE,
        characteristic: 0x62750003_d828_918d_fb46_b6c11c675aec,
    }),
};

/// Makes the panel's driver ready; the clock answers with what it takes in one write. Without it
/// newer firmwares ignore what concerns the panel, and older ones crash.
const INIT: u8 = 0x01;
/// Makes the screen white and stays so.
const CLEAR: u8 = 0x02;
/// Shows what the panel's memory holds and stays so.
const REFRESH: u8 = 0x05;
/// Sets the time and what to show, and draws it at once.
const SET_TIME: u8 = 0x20;

/// What the clock shows, as a number.
mod mode {
    /// A picture; nothing draws over it.
    pub(super) const PICTURE: u8 = 0;
    /// The calendar; also what the firmware takes where none is given.
    pub(super) const CALENDAR: u8 = 1;
    /// The clock.
    pub(super) const CLOCK: u8 = 2;
}

/// Commands that change the pins or the configuration (`00`, `90`, `99`), reach past the firmware
/// to the panel (`03`, `04`), or end the link by a reset or a sleep that only a button ends (`91`,
/// `92`).
const GUARDED: [u8; 7] = [0x00, 0x03, 0x04, 0x90, 0x91, 0x92, 0x99];

/// How long the clock may take to say what it is once it is listened to: several times the slowest
/// answer of a link with its connection parameters (30 ms, latency 6).
const INTRODUCTION_LIMIT: Duration = Duration::from_secs(2);
/// How long the answer to [`INIT`] is waited for, as one of its own clients does.
const TERMS_LIMIT: Duration = Duration::from_secs(5);
/// A link that goes during a redraw stops the panel half way, on grey. The firmware does not say
/// when it has finished, so the link is kept for as long as one of its own clients keeps it.
const REFRESH_HOLD: Duration = Duration::from_secs(25);
/// The first version of the firmware that takes pictures by its own command; the ones before are
/// sent them past the firmware, straight to the panel.
const PICTURE_VERSION: u8 = 0x16;
/// What the firmware's own client assumes where the version cannot be read.
const UNSAID_VERSION: u8 = 0x15;

/// The dialect.
#[derive(Debug, Clone, Copy, Default)]
pub struct EpdNrf5;

impl Dialect for EpdNrf5 {
    fn family(&self) -> Family {
        Family::EpdNrf5
    }

    /// A picture needs a clock whose [`Traits`] are known: the version of its firmware and the
    /// model of its panel.
    fn script(&self, request: &Request, terms: Terms) -> Result<Script, ClockError> {
        let steps = match request {
            Request::SetTime(time) => draw(time, mode_kept(terms.traits()))?,
            Request::SetFace(face, time) => set_face(*face, time, terms.traits())?,
            Request::Picture(picture) => upload(picture, terms)?,
            // The firmware's own: it knows its panel, whichever that is. Certain, since its own
            // client sends it so.
            Request::Clear => vec![
                command(vec![INIT], Role::Command),
                command(vec![CLEAR], Role::Trigger),
                keep_link(),
            ],
            Request::Raw(raw) => match raw.channel() {
                Channel::Main => vec![raw_step(raw, &GUARDED)?],
                Channel::Alt => return Err(not_supported("raw alt")),
            },
            Request::Toggle(toggle) => return Err(not_supported(toggle.name())),
            Request::QuietHours(_)
            | Request::Countdown(_)
            | Request::CountdownOff
            | Request::CalendarText(_)
            | Request::Taught(_) => {
                return Err(not_supported(request.name()));
            }
        };
        Script::within(steps, terms)
    }

    fn interpret(&self, notification: &[u8]) -> Answer {
        match Saying::read(notification) {
            Some(Saying::Config { .. }) => Answer::Introduction,
            Some(Saying::Terms { .. }) => Answer::Terms,
            None => Answer::Other,
        }
    }

    /// Part of a picture that brings none of it: the firmware looks at nothing shorter than a byte
    /// of data (read in `EPD/EPD_service.c`), and one without the command ignores it.
    fn probe(&self) -> Option<Write> {
        Some(Write {
            channel: Channel::Main,
            bytes: vec![framing::WRITE_IMAGE, 0x00],
            role: Role::Command,
            delivery: Delivery::Answered,
        })
    }

    fn introduction(&self) -> Option<Duration> {
        Some(INTRODUCTION_LIMIT)
    }

    fn learn(&self, notification: &[u8], traits: &mut Traits) {
        match Saying::read(notification) {
            Some(Saying::Config { model, mode }) => {
                traits.model = Some(model);
                traits.mode = mode;
            }
            Some(Saying::Terms {
                payload,
                run_length,
            }) => {
                traits.payload = Some(payload);
                traits.run_length = run_length;
            }
            None => {}
        }
    }

    fn sent(&self, write: &Write, traits: &mut Traits) {
        match write.bytes[..] {
            [SET_TIME, _, _, _, _, _, mode, ..] => traits.mode = Some(mode),
            [SET_TIME, _, _, _, _, ..] => traits.mode = Some(mode::CALENDAR),
            [CLEAR | REFRESH, ..] => traits.mode = Some(mode::PICTURE),
            _ => {}
        }
    }
}

/// The mode that a new time leaves the clock in: the one it is in. Not so a picture: with its mode
/// the firmware draws an empty page over it (read in `GUI/GUI.c`), and since the picture is lost
/// either way, a calendar that shows the new date is better than a white screen that looks broken.
fn mode_kept(traits: Traits) -> u8 {
    match traits.mode {
        Some(mode::CLOCK) => mode::CLOCK,
        _ => mode::CALENDAR,
    }
}

/// The firmware keeps no picture to return to, so that one is there only as long as it is shown.
fn set_face(face: Face, time: &ClockTime, traits: Traits) -> Result<Vec<Step>, ClockError> {
    match face {
        Face::Clock1 => draw(time, mode::CLOCK),
        Face::Calendar1 => draw(time, mode::CALENDAR),
        Face::Picture if traits.mode == Some(mode::PICTURE) => Ok(Vec::new()),
        _ => Err(not_supported(face.name())),
    }
}

/// `20`, seconds since 1970 (UTC, 32 bits, big endian), hours east of UTC (signed), mode.
///
/// The hours are whole ones: of a zone with a part of an hour, the part goes into the seconds, so
/// that the local time is right.
fn draw(time: &ClockTime, mode: u8) -> Result<Vec<Step>, ClockError> {
    const HOUR: i32 = 3600;
    let hours = time.offset_seconds().div_euclid(HOUR);
    let seconds = i64::from(time.shifted_epoch()) - i64::from(hours * HOUR);
    let seconds = u32::try_from(seconds).map_err(|_| ClockError::TimeOutOfRange)?;
    let hours = i8::try_from(hours).map_err(|_| ClockError::TimeOutOfRange)?;
    let mut bytes = vec![SET_TIME];
    bytes.extend(seconds.to_be_bytes());
    bytes.extend(hours.to_be_bytes());
    bytes.push(mode);
    Ok(vec![command(bytes, Role::Trigger), keep_link()])
}

/// `01`, the planes one after the other, `05`.
///
/// The parts of a plane do not say where they belong: the panel puts each behind the one before,
/// and only `01` takes it back to the beginning for certain (read in `EPD/SSD16xx.c`).
fn upload(picture: &Picture, terms: Terms) -> Result<Vec<Step>, ClockError> {
    if picture.size() != PictureSize::Full {
        return Err(not_supported("small-picture"));
    }
    let traits = terms.traits();
    let version = traits.version.unwrap_or(UNSAID_VERSION);
    if version < PICTURE_VERSION {
        return Err(ClockError::FirmwareTooOld {
            version,
            needed: PICTURE_VERSION,
        });
    }
    let model = traits.model.ok_or(ClockError::PanelUnsaid)?;
    let panel = Panel::of_model(model).ok_or(ClockError::PanelMismatch { model })?;
    let mut steps = vec![
        command(vec![INIT], Role::Command),
        Step::Expect {
            answer: Answer::Terms,
            limit: TERMS_LIMIT,
        },
    ];
    steps.extend(framing::stream(&panel.planes(picture), terms));
    steps.extend([command(vec![REFRESH], Role::Trigger), keep_link()]);
    Ok(steps)
}

fn command(bytes: Vec<u8>, role: Role) -> Step {
    Step::Write(Write {
        channel: Channel::Main,
        bytes,
        role,
        delivery: Delivery::Answered,
    })
}

fn keep_link() -> Step {
    Step::Await {
        answer: Answer::RefreshDone,
        hold: REFRESH_HOLD,
        limit: REFRESH_HOLD,
    }
}

fn not_supported(request: &str) -> ClockError {
    ClockError::NotSupported {
        request: request.to_owned(),
    }
}
