//! The "Pingping" firmware.

use std::time::Duration;

use jiff::civil::{Date, DateTime};
use regie_clock::Channel;
use tokio::time::Instant;

use super::{Mode, Notification, local_time};
use crate::face::{self, CountdownLine};
use crate::fault::NotificationKind;
use crate::screen::Screen;

/// Two planes of a picture.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Planes {
    width: usize,
    height: usize,
    bw: Vec<u8>,
    red: Vec<u8>,
}

impl Planes {
    fn blank(width: usize, height: usize) -> Self {
        let bytes = width / 8 * height;
        Self {
            width,
            height,
            bw: vec![0xFF; bytes],
            red: vec![0; bytes],
        }
    }

    fn screen(&self) -> Screen {
        Screen::from_planes(self.width, self.height, &self.bw, &self.red)
    }

    /// Keeps a packet's data; false when it does not fit.
    fn store(&mut self, plane: u8, offset: usize, data: &[u8]) -> bool {
        let target = match plane {
            0xFF => &mut self.bw,
            0x00 => &mut self.red,
            _ => return false,
        };
        match target.get_mut(offset..offset + data.len()) {
            Some(place) => {
                place.copy_from_slice(data);
                true
            }
            None => false,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Shown {
    Picture(Planes),
    Face,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Quiet {
    start: u8,
    end: u8,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Style {
    Clock,
    Calendar,
}

/// The processor and its memory.
#[derive(Debug)]
pub(crate) struct Pingping {
    /// Where packets are laid down.
    picture: Planes,
    /// What was there when a picture was shown last; the picture mode finds it again.
    saved: Planes,
    /// Faces are drawn into the memory of the picture.
    pub(crate) shares_buffer: bool,
    /// Packets have come since a picture was shown last.
    uploading: bool,
    small: Planes,
    has_small: bool,
    pub(crate) mode: Mode,
    shown: Shown,
    shown_at: Instant,
    /// What the redraw under way will show.
    coming: Option<Shown>,
    pub(crate) refreshing_until: Option<Instant>,
    /// Another redraw was asked for during the present one.
    redraw_again: bool,
    refresh: Duration,
    time_base: (Instant, u32),
    pub(crate) weekday: Option<u8>,
    quiet: Option<Quiet>,
    pub(crate) inverted: bool,
    pub(crate) rotated: bool,
    pub(crate) red_accent: bool,
    countdown: Option<(Style, Date)>,
    text_cells: usize,
    text: Vec<u8>,
    /// Commands it did not understand.
    pub(crate) unknown: u32,
}

/// What is answered to a write.
#[derive(Debug, PartialEq, Eq)]
enum Reply {
    /// Nothing is notified.
    Silent,
    /// A packet was kept; its length is notified.
    Accepted(u16),
    /// A packet was not kept.
    Rejected,
}

/// Width and height of the small picture.
const SMALL: (usize, usize) = (280, 100);
/// Bytes of the longest line of text: 4 cells of 24x24.
const TEXT_BYTES: usize = 288;
/// Bytes of the first part of a line of text in the clock style that the second one skips.
const TEXT_SECOND_PART: usize = 128;

impl Pingping {
    pub(crate) fn new(width: usize, height: usize, refresh: Duration, local_epoch: u32) -> Self {
        let now = Instant::now();
        Self {
            picture: Planes::blank(width, height),
            saved: Planes::blank(width, height),
            shares_buffer: false,
            uploading: false,
            small: Planes::blank(SMALL.0, SMALL.1),
            has_small: false,
            mode: Mode::Clock,
            shown: Shown::Face,
            shown_at: now,
            coming: None,
            refreshing_until: None,
            redraw_again: false,
            refresh,
            time_base: (now, local_epoch),
            weekday: None,
            quiet: None,
            inverted: false,
            rotated: false,
            red_accent: false,
            countdown: None,
            text_cells: 0,
            text: vec![0xFF; TEXT_BYTES],
            unknown: 0,
        }
    }

    /// What is notified of a write.
    pub(crate) fn write(&mut self, channel: Channel, bytes: &[u8]) -> Option<Notification> {
        match channel {
            Channel::Main => match self.write_main(bytes) {
                Reply::Silent => None,
                Reply::Accepted(length) => Some(Notification {
                    value: length.to_be_bytes().to_vec(),
                    kind: NotificationKind::Accepted,
                }),
                Reply::Rejected => Some(Notification::rejected()),
            },
            Channel::Alt => {
                self.write_alt(bytes);
                None
            }
        }
    }

    /// What is left in the memory of the picture after it had no power.
    pub(crate) fn lose_buffer(&mut self) {
        /// Neither paper nor a picture of the tests.
        const NOISE: u8 = 0x5A;
        self.picture.bw.fill(NOISE);
        self.picture.red.fill(NOISE);
        self.uploading = false;
    }

    /// Draws over the picture in memory what the clock has drawn of its own since it was shown.
    /// While a picture comes in, the clock draws nothing.
    fn draw_faces(&mut self) {
        let drawn = self.shown == Shown::Face || self.overdrawn();
        if self.shares_buffer && self.mode != Mode::Picture && drawn && !self.uploading {
            self.lose_buffer();
        }
    }

    /// A write to the picture characteristic.
    fn write_main(&mut self, bytes: &[u8]) -> Reply {
        self.draw_faces();
        match bytes {
            [opcode @ (0x03 | 0x04), plane, high, low, data @ ..] => {
                if self.refreshing_until.is_some() {
                    return Reply::Rejected;
                }
                self.uploading = true;
                let offset = usize::from(u16::from_be_bytes([*high, *low]));
                let planes = if *opcode == 0x03 {
                    &mut self.picture
                } else {
                    &mut self.small
                };
                match u16::try_from(bytes.len()) {
                    Ok(length) if planes.store(*plane, offset, data) => Reply::Accepted(length),
                    _ => Reply::Rejected,
                }
            }
            [0x01, ..] => {
                self.uploading = false;
                let picture = self.picture.clone();
                self.saved = picture.clone();
                self.redraw(Shown::Picture(picture));
                Reply::Silent
            }
            [0xAA] => {
                self.has_small = true;
                let next = self.of_mode();
                self.redraw(next);
                Reply::Silent
            }
            // As the one known source does: both planes get the byte, so that FF is red.
            [0x00, fill] => {
                self.picture.bw.fill(*fill);
                self.picture.red.fill(*fill);
                Reply::Silent
            }
            _ => {
                self.unknown += 1;
                Reply::Silent
            }
        }
    }

    /// A write to the command characteristic.
    fn write_alt(&mut self, bytes: &[u8]) {
        self.draw_faces();
        match bytes {
            [0xDD, a, b, c, d, rest @ ..] => {
                self.time_base = (Instant::now(), u32::from_be_bytes([*a, *b, *c, *d]));
                self.weekday = rest.get(4).copied();
            }
            [0xE1, 0x00] => {
                self.mode = Mode::Picture;
                self.picture = self.saved.clone();
                if self.shown == Shown::Face || self.overdrawn() {
                    let picture = self.picture.clone();
                    self.redraw(Shown::Picture(picture));
                }
            }
            [0xE1, 0x01] => self.mode = Mode::Calendar,
            [0xE1, 0x02] => self.mode = Mode::Clock,
            [0xE2] => {
                if self.shares_buffer && self.mode != Mode::Picture {
                    self.lose_buffer();
                }
                let next = self.of_mode();
                self.redraw(next);
            }
            [0xE3] => {
                self.inverted = !self.inverted;
                let same = self.shown.clone();
                self.redraw(same);
            }
            [0xE4] => self.red_accent = !self.red_accent,
            [0xE5] => {
                self.rotated = !self.rotated;
                let same = self.shown.clone();
                self.redraw(same);
            }
            [0xFB, on, start, end] => {
                self.quiet = match (on, from_bcd(*start), from_bcd(*end)) {
                    (1, Some(start), Some(end)) => Some(Quiet { start, end }),
                    _ => None,
                };
            }
            [0xFA] => self.countdown = None,
            [0xFF, style @ (0x00 | 0xFF), century, year, month, day] => {
                let style = if *style == 0 {
                    Style::Clock
                } else {
                    Style::Calendar
                };
                match from_bcd_date([*century, *year, *month, *day]) {
                    Some(date) => self.countdown = Some((style, date)),
                    None => self.unknown += 1,
                }
            }
            [0x99, index @ 0..=3, slice @ ..] if slice.len() == 72 => {
                let index = usize::from(*index);
                if index == 0 {
                    self.text.fill(0xFF);
                }
                self.text[index * 72..][..72].copy_from_slice(slice);
                self.text_cells = index + 1;
            }
            // The bitmap's last byte is never sent and stays paper.
            [cells @ 1..=8, part @ ..] if !part.is_empty() => {
                let cells = usize::from(*cells);
                let from = if cells <= 4 { 0 } else { TEXT_SECOND_PART };
                if from == 0 {
                    self.text.fill(0xFF);
                }
                match self.text.get_mut(from..from + part.len()) {
                    Some(place) => {
                        place.copy_from_slice(part);
                        self.text_cells = cells;
                    }
                    None => self.unknown += 1,
                }
            }
            _ => self.unknown += 1,
        }
    }

    /// Ends the redraw under way. True when another one began at once.
    pub(crate) fn refresh_done(&mut self) -> bool {
        if let Some(shown) = self.coming.take() {
            self.shown = shown;
            self.shown_at = Instant::now();
        }
        self.refreshing_until = None;
        if self.redraw_again {
            self.redraw_again = false;
            let next = if self.mode == Mode::Picture {
                self.shown.clone()
            } else {
                self.of_mode()
            };
            self.redraw(next);
            return true;
        }
        false
    }

    fn of_mode(&self) -> Shown {
        match self.mode {
            Mode::Picture => Shown::Picture(self.picture.clone()),
            Mode::Calendar | Mode::Clock => Shown::Face,
        }
    }

    fn redraw(&mut self, next: Shown) {
        if self.refreshing_until.is_some() {
            self.redraw_again = true;
        } else {
            self.coming = Some(next);
            self.refreshing_until = Some(Instant::now() + self.refresh);
        }
    }

    /// Local seconds since 1970.
    pub(crate) fn local_epoch(&self) -> u64 {
        let (set_at, base) = self.time_base;
        u64::from(base) + set_at.elapsed().as_secs()
    }

    fn local_time(&self) -> DateTime {
        local_time(self.local_epoch())
    }

    /// Whether a picture shown in another mode has been drawn over since: the clock redraws every
    /// minute, the calendar every day.
    fn overdrawn(&self) -> bool {
        let since = self.shown_at.elapsed().as_secs();
        let now = self.local_epoch();
        let then = now.saturating_sub(since);
        match self.mode {
            Mode::Picture => false,
            Mode::Clock => now / 60 != then / 60,
            Mode::Calendar => now / 86_400 != then / 86_400,
        }
    }

    fn in_quiet_hours(&self) -> bool {
        let hour = u8::try_from(self.local_time().hour()).unwrap_or(0);
        self.quiet.is_some_and(|Quiet { start, end }| {
            if start <= end {
                (start..end).contains(&hour)
            } else {
                hour >= start || hour < end
            }
        })
    }

    fn countdown_line(&self, wanted: Style) -> Option<CountdownLine> {
        let (style, date) = self.countdown.filter(|(style, _)| *style == wanted)?;
        let (cell, cells) = match style {
            Style::Clock => (16, self.text_cells),
            Style::Calendar => (24, self.text_cells.min(4)),
        };
        // 1 is paper in the text's bitmap, as white is in a plane.
        let text = (cells > 0).then(|| Screen::from_planes(cell * cells, cell, &self.text, &[]));
        let days = date.duration_since(self.local_time().date()).as_secs() / 86_400;
        Some(CountdownLine { text, days })
    }

    /// What a person would see now.
    pub(crate) fn screen(&self) -> Screen {
        let (width, height) = (self.picture.width, self.picture.height);
        let mut screen = match &self.shown {
            Shown::Picture(planes) if !self.overdrawn() => planes.screen(),
            _ if self.in_quiet_hours() => Screen::white(width, height),
            _ => match self.mode {
                Mode::Picture => self.picture.screen(),
                Mode::Clock => {
                    let line = self.countdown_line(Style::Clock);
                    face::clock(
                        width,
                        height,
                        self.local_time(),
                        self.red_accent,
                        line.as_ref(),
                    )
                }
                Mode::Calendar => {
                    let small = self.has_small.then(|| self.small.screen());
                    let line = self.countdown_line(Style::Calendar);
                    let now = self.local_time();
                    face::calendar(width, height, now, small.as_ref(), line.as_ref())
                }
            },
        };
        if self.inverted {
            screen.invert();
        }
        if self.rotated {
            screen.rotate180();
        }
        screen
    }

    /// The planes kept in memory: black and white, then red.
    pub(crate) fn planes(&self) -> (Vec<u8>, Vec<u8>) {
        (self.picture.bw.clone(), self.picture.red.clone())
    }

    /// How far into an upload a packet begins; none for anything else.
    pub(crate) fn percent(&self, channel: Channel, bytes: &[u8]) -> Option<u8> {
        let [opcode @ (0x03 | 0x04), plane, high, low, ..] = bytes else {
            return None;
        };
        if channel != Channel::Main {
            return None;
        }
        let planes = if *opcode == 0x04 {
            &self.small
        } else {
            &self.picture
        };
        let plane_bytes = planes.bw.len();
        let before = if *plane == 0x00 { plane_bytes } else { 0 };
        let position = before + usize::from(u16::from_be_bytes([*high, *low]));
        u8::try_from(position * 100 / (plane_bytes * 2).max(1)).ok()
    }

    pub(crate) fn quiet_hours(&self) -> Option<(u8, u8)> {
        self.quiet.map(|Quiet { start, end }| (start, end))
    }

    pub(crate) fn countdown_date(&self) -> Option<(i16, i8, i8)> {
        self.countdown
            .map(|(_, date)| (date.year(), date.month(), date.day()))
    }

    pub(crate) fn countdown_text(&self) -> (usize, &[u8]) {
        (self.text_cells, &self.text)
    }
}

fn from_bcd(byte: u8) -> Option<u8> {
    let (tens, ones) = (byte >> 4, byte & 0x0F);
    (tens < 10 && ones < 10).then_some(tens * 10 + ones)
}

fn from_bcd_date([century, year, month, day]: [u8; 4]) -> Option<Date> {
    let year = i16::from(from_bcd(century)?) * 100 + i16::from(from_bcd(year)?);
    let month = i8::try_from(from_bcd(month)?).ok()?;
    let day = i8::try_from(from_bcd(day)?).ok()?;
    Date::new(year, month, day).ok()
}
