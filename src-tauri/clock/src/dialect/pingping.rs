//! The "Pingping" firmware: 400x300 black, white and red clocks advertised as `NRF-...`.
//!
//! The bytes were read in the vendor's public control page (XLY95/xly95.github.io) and in the
//! sources of sibling firmwares with the same characteristics (reece15/stellar-L3N-etag for the
//! notifications, tyh21/da14585_420 for the lengths).

use std::time::Duration;

use super::family::{CharacteristicId, GattTable};
use super::{
    Answer, Delivery, Dialect, Family, MemoryEffect, Profile, ProfileEntry, Role, Script, Step,
    Terms, Write, raw_step,
};
use crate::ClockError;
use crate::countdown::{Countdown, CountdownStyle, TextBitmap};
use crate::link::Channel;
use crate::picture::{Picture, PictureSize, Plane};
use crate::request::{Face, QuietHours, Request, Toggle};
use crate::time::ClockTime;

/// The characteristics of the family.
pub(super) const PINGPING_GATT: GattTable = GattTable {
    name_prefix: "NRF-",
    main: CharacteristicId {
        service: 0x13187b10_eba9_a3ba_044e_83d3217d9a38,
        characteristic: 0x4b646063_6264_f3a7_8941_e65356ea82fe,
    },
    alt: Some(CharacteristicId {
        service: 0x00001f10_0000_1000_8000_00805f9b34fb,
        characteristic: 0x00001f1f_0000_1000_8000_00805f9b34fb,
    }),
    version: None,
};

/// Bytes of a picture packet before its data: opcode, plane, 16-bit offset.
const PACKET_HEADER: usize = 4;
/// Most data bytes of a picture packet; clients that sent more were cut off.
const PACKET_DATA: usize = 240;
/// Between the last packet and the trigger, and between a mode and the redraw command.
const BEFORE_TRIGGER: Duration = Duration::from_millis(300);
/// Between the parts of a countdown, and after its end.
const COUNTDOWN_GAP: Duration = Duration::from_millis(1000);
/// A sibling stops half way when the link goes too soon after the trigger.
const REFRESH_HOLD: Duration = Duration::from_secs(2);
/// A full refresh in three colours takes 15 to 25 s.
const REFRESH_LIMIT: Duration = Duration::from_secs(30);
/// The redraw command.
const REDRAW: u8 = 0xE2;

/// First bytes that can harm a clock. On the command characteristic `AA` and `AB` reset the
/// processor of sibling firmwares, `EF` is activation, `E6` changes the panel's waveform
/// calibration. On the picture characteristic `AA` is the trigger of small pictures; `AB` resets a
/// sibling firmware.
pub(super) const fn guarded(channel: Channel) -> &'static [u8] {
    match channel {
        Channel::Alt => &[0xAA, 0xAB, 0xEF, 0xE6],
        Channel::Main => &[0xAB],
    }
}

/// The dialect, with the codes of a profile.
#[derive(Debug, Clone, Default)]
pub struct Pingping {
    profile: Profile,
}

impl Pingping {
    /// With the codes of this profile for what nobody has published.
    #[must_use]
    pub fn new(profile: Profile) -> Self {
        Self { profile }
    }

    fn face(&self, face: Face) -> Result<Vec<Step>, ClockError> {
        if let Some(steps) = self.profiled(face.name(), Role::Command) {
            return Ok(steps);
        }
        match face {
            Face::Picture => Ok(vec![command(vec![0xE1, 0x00])]),
            Face::Calendar1 => Ok(then_redraw(command(vec![0xE1, 0x01]), BEFORE_TRIGGER)),
            Face::Clock1 => Ok(then_redraw(command(vec![0xE1, 0x02]), BEFORE_TRIGGER)),
            Face::Clock2 | Face::Clock3 | Face::Calendar2 | Face::Calendar3 => {
                Err(ClockError::CodeUnknown {
                    name: face.name().to_owned(),
                })
            }
        }
    }

    fn toggle(&self, toggle: Toggle) -> Result<Vec<Step>, ClockError> {
        if let Some(steps) = self.profiled(toggle.name(), Role::Once) {
            return Ok(steps);
        }
        match toggle {
            Toggle::Invert => Ok(vec![alt(vec![0xE3], Role::Once)]),
            Toggle::ClockColor => Ok(then_redraw(alt(vec![0xE4], Role::Once), BEFORE_TRIGGER)),
            Toggle::Rotate180 => Ok(vec![alt(vec![0xE5], Role::Once)]),
            Toggle::Font | Toggle::HourFormat => Err(ClockError::CodeUnknown {
                name: toggle.name().to_owned(),
            }),
        }
    }

    fn profiled(&self, name: &str, role: Role) -> Option<Vec<Step>> {
        self.profile.get(name).map(|entry| taught(entry, role))
    }
}

/// A command that a person has given the bytes of.
fn taught(entry: &ProfileEntry, role: Role) -> Vec<Step> {
    let step = Step::Write(Write {
        channel: entry.command.channel(),
        bytes: entry.command.bytes().to_vec(),
        role,
        delivery: Delivery::Answered,
    });
    if entry.refresh {
        then_redraw(step, BEFORE_TRIGGER)
    } else {
        vec![step]
    }
}

/// The calendar's line, in the slices of a countdown's text, then the calendar. That the line is
/// shown without a countdown is likely, but not published.
fn calendar_text(text: &TextBitmap) -> Vec<Step> {
    let mut steps = Vec::new();
    for slice in text_slices(CountdownStyle::Calendar, text) {
        steps.push(command(slice));
        steps.push(Step::Pause(COUNTDOWN_GAP));
    }
    steps.extend(then_redraw(command(vec![0xE1, 0x01]), BEFORE_TRIGGER));
    steps
}

impl Dialect for Pingping {
    fn family(&self) -> Family {
        Family::Pingping
    }

    fn script(&self, request: &Request, terms: Terms) -> Result<Script, ClockError> {
        let steps = match request {
            Request::SetTime(time) => set_time(time),
            Request::SetFace(face, _) => self.face(*face)?,
            Request::Toggle(toggle) => self.toggle(*toggle)?,
            Request::Picture(picture) => upload(picture, terms),
            Request::QuietHours(hours) => vec![command(quiet_hours(hours))],
            Request::Countdown(countdown) => count_down(countdown),
            Request::CalendarText(text) => calendar_text(text),
            Request::Taught(entry) => taught(entry, Role::Once),
            Request::CountdownOff => then_redraw(command(vec![0xFA]), COUNTDOWN_GAP),
            // The short form `00 FF` is no safe clear: on the sibling that has it, it fills both
            // planes, and a full red plane is red here.
            Request::Clear => upload(&Picture::white(PictureSize::Full), terms),
            Request::Raw(raw) => vec![raw_step(raw, guarded(raw.channel()))?],
        };
        Script::within(steps, terms)
    }

    /// Each packet says where its data goes, and the trigger shows what is there. The clock may
    /// draw its faces into the same memory, so that nothing but the picture mode, in which it
    /// draws none, lets anything be known. Whether small pictures have a memory of their own is
    /// not published.
    fn memory_effect(&self, write: &Write) -> MemoryEffect {
        match (write.channel, write.bytes.as_slice()) {
            (Channel::Main, [0x03, plane @ (0xFF | 0x00), high, low, _, ..]) => {
                MemoryEffect::Stores {
                    plane: *plane,
                    offset: usize::from(u16::from_be_bytes([*high, *low])),
                    header: PACKET_HEADER,
                }
            }
            (Channel::Main, [0x01]) => MemoryEffect::Keeps,
            (Channel::Alt, [0xE1, 0x00]) => MemoryEffect::Protects,
            _ => MemoryEffect::Unknown,
        }
    }

    /// A picture packet that brings no picture: plane and offset, and no bytes to put there. The
    /// buffer stays as it is, and without a trigger nothing is redrawn. Any command would change
    /// something: even the time, on a clock that somebody has set to another zone.
    fn probe(&self) -> Option<Write> {
        Some(Write {
            channel: Channel::Main,
            bytes: vec![0x03, 0xFF, 0x00, 0x00],
            role: Role::Command,
            delivery: Delivery::Answered,
        })
    }

    fn interpret(&self, notification: &[u8]) -> Answer {
        match notification {
            [0x00, 0x00] => Answer::Rejected,
            [0xFF, 0xFF] => Answer::RefreshDone,
            [high, low] => Answer::Accepted {
                length: u16::from_be_bytes([*high, *low]),
            },
            _ => Answer::Other,
        }
    }
}

fn alt(bytes: Vec<u8>, role: Role) -> Step {
    Step::Write(Write {
        channel: Channel::Alt,
        bytes,
        role,
        delivery: Delivery::Answered,
    })
}

fn command(bytes: Vec<u8>) -> Step {
    alt(bytes, Role::Command)
}

fn await_refresh() -> Step {
    Step::Await {
        answer: Answer::RefreshDone,
        hold: REFRESH_HOLD,
        limit: REFRESH_LIMIT,
    }
}

fn then_redraw(first: Step, gap: Duration) -> Vec<Step> {
    vec![
        first,
        Step::Pause(gap),
        alt(vec![REDRAW], Role::Trigger),
        await_refresh(),
    ]
}

/// `DD`, the shifted epoch as 32 bits, the year as 16 bits (both big endian), month, day, weekday.
fn set_time(time: &ClockTime) -> Vec<Step> {
    let mut bytes = vec![0xDD];
    bytes.extend(time.shifted_epoch().to_be_bytes());
    bytes.extend(time.year().to_be_bytes());
    bytes.extend([time.month(), time.day(), time.weekday()]);
    vec![
        command(bytes),
        alt(vec![REDRAW], Role::Trigger),
        await_refresh(),
    ]
}

/// `FB`, on or off, first and last hour as two decimal digits each.
fn quiet_hours(hours: &QuietHours) -> Vec<u8> {
    vec![
        0xFB,
        u8::from(hours.is_on()),
        bcd(hours.start()),
        bcd(hours.end()),
    ]
}

/// Two decimal digits in one byte; the argument is 0..=99.
fn bcd(value: u8) -> u8 {
    ((value / 10 % 10) << 4) | (value % 10)
}

/// Packets `OP PP OO OO data` of the black-and-white plane, then of the red plane, then the
/// trigger.
fn upload(picture: &Picture, terms: Terms) -> Vec<Step> {
    let (opcode, trigger) = match picture.size() {
        PictureSize::Full => (0x03, 0x01),
        PictureSize::Small => (0x04, 0xAA),
    };
    let data = PACKET_DATA.min(terms.payload() - PACKET_HEADER);
    let mut steps = Vec::new();
    let mut sent = 0;
    for (plane, mark) in [(Plane::BlackWhite, 0xFF), (Plane::Red, 0x00)] {
        let mut offset: u16 = 0;
        for chunk in picture.plane(plane).chunks(data) {
            let mut bytes = vec![opcode, mark];
            bytes.extend(offset.to_be_bytes());
            bytes.extend(chunk);
            let role = Role::Data {
                start: sent,
                end: sent + chunk.len(),
            };
            steps.push(Step::Write(Write {
                channel: Channel::Main,
                bytes,
                role,
                delivery: Delivery::Answered,
            }));
            sent += chunk.len();
            // Planes have at most 15000 bytes and chunks at most 240.
            offset += chunk.len() as u16;
        }
    }
    steps.push(Step::Pause(BEFORE_TRIGGER));
    steps.push(Step::Write(Write {
        channel: Channel::Main,
        bytes: vec![trigger],
        role: Role::Trigger,
        delivery: Delivery::Answered,
    }));
    steps.push(await_refresh());
    steps
}

/// The text's slices, then the date, then the redraw command.
fn count_down(countdown: &Countdown) -> Vec<Step> {
    let mut steps = Vec::new();
    if let Some(text) = countdown.text() {
        for slice in text_slices(countdown.style(), text) {
            steps.push(command(slice));
            steps.push(Step::Pause(COUNTDOWN_GAP));
        }
    }
    let day = countdown.date();
    let style = match countdown.style() {
        CountdownStyle::Clock => 0x00,
        CountdownStyle::Calendar => 0xFF,
    };
    // Both halves of a four-digit year are below 100.
    let (century, rest) = ((day.year() / 100) as u8, (day.year() % 100) as u8);
    let date = vec![
        0xFF,
        style,
        bcd(century),
        bcd(rest),
        bcd(day.month()),
        bcd(day.day()),
    ];
    steps.extend(then_redraw(command(date), COUNTDOWN_GAP));
    steps
}

/// Slices are cut from the bitmap of the whole line, so slice j is not character j. The clock
/// style never sends the last byte of its one or two parts, as the vendor's page does not.
fn text_slices(style: CountdownStyle, text: &TextBitmap) -> Vec<Vec<u8>> {
    /// Bytes of the command characteristic: one for the mark, 127 for the bitmap.
    const FIRST_PART: usize = 127;
    /// Characters of the first part.
    const FIRST_CELLS: usize = 4;
    /// Bytes of a calendar slice: one cell of 24x24.
    const CALENDAR_SLICE: usize = 72;

    let (cells, bits) = (text.cells(), text.bits());
    let marked = |mark: &[u8], part: &[u8]| [mark, part].concat();
    // At most 8 characters.
    let mark = cells as u8;
    match style {
        CountdownStyle::Clock if cells <= FIRST_CELLS => {
            vec![marked(&[mark], &bits[..bits.len() - 1])]
        }
        CountdownStyle::Clock => vec![
            marked(&[FIRST_CELLS as u8], &bits[..FIRST_PART]),
            marked(&[mark], &bits[FIRST_PART + 1..bits.len() - 1]),
        ],
        CountdownStyle::Calendar => bits
            .chunks(CALENDAR_SLICE)
            .zip(0..)
            .map(|(part, index)| marked(&[0x99, index], part))
            .collect(),
    }
}
