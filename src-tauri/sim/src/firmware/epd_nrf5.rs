//! The EPD-nRF5 firmware, as its public sources have it.

use std::time::Duration;

use tokio::time::Instant;

use super::{Mode, Notification, WriteKind, local_time};
use crate::face;
use crate::fault::NotificationKind;
use crate::screen::{RED, Screen, WHITE};

/// A build of the firmware on some panel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EpdBuild {
    /// Its version byte; old builds have none.
    pub version: Option<u8>,
    /// It takes run lengths, and says so.
    pub run_length: bool,
    /// The model of its panel.
    pub model: u8,
    /// Its configuration says the mode; in older builds it is two bytes shorter and does not.
    pub says_mode: bool,
}

impl EpdBuild {
    /// With run lengths, on an SSD1619 panel in three colours.
    #[must_use]
    pub const fn newer() -> Self {
        Self {
            version: Some(0x1A),
            run_length: true,
            model: 0x02,
            says_mode: true,
        }
    }

    /// Without run lengths, on a UC8176 panel in three colours.
    #[must_use]
    pub const fn legacy() -> Self {
        Self {
            version: Some(0x19),
            run_length: false,
            model: 0x03,
            says_mode: true,
        }
    }

    fn has_red(self) -> bool {
        !matches!(self.model, 0x01 | 0x04)
    }

    /// The driver's commands for a plane go back to the panel's first byte; those of an SSD1619
    /// leave that to the initialisation and to the end of the plane before.
    fn plane_begins_at_start(self) -> bool {
        !matches!(self.model, 0x02 | 0x04)
    }
}

/// Most bytes of one write that it takes.
const MOST_PAYLOAD: usize = 244;

/// The memory of the panel: 1 is white in the first plane, 0 is red in the second.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Memory {
    width: usize,
    height: usize,
    black_white: Vec<u8>,
    red: Vec<u8>,
}

impl Memory {
    fn white(width: usize, height: usize) -> Self {
        let bytes = width / 8 * height;
        Self {
            width,
            height,
            black_white: vec![0xFF; bytes],
            red: vec![0xFF; bytes],
        }
    }

    /// A page that the firmware has drawn itself.
    fn drawn(page: &Screen) -> Self {
        let mut memory = Self::white(page.width, page.height);
        for (pixel, ink) in page.inks.iter().enumerate() {
            let (byte, bit) = (pixel / 8, 0x80 >> (pixel % 8));
            if *ink != WHITE {
                memory.black_white[byte] &= !bit;
            }
            if *ink == RED {
                memory.red[byte] &= !bit;
            }
        }
        memory
    }

    fn screen(&self, has_red: bool) -> Screen {
        let red: Vec<u8> = self.red.iter().map(|byte| !byte).collect();
        let red = if has_red { &red[..] } else { &[] };
        Screen::from_planes(self.width, self.height, &self.black_white, red)
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Shown {
    /// What the memory held then.
    Memory(Memory),
    /// The page of a mode, which it keeps up to date.
    Page(Mode),
    /// A redraw that was broken off half way.
    Grey,
}

/// The processor and its memory.
#[derive(Debug)]
pub(crate) struct EpdNrf5 {
    pub(crate) build: EpdBuild,
    memory: Memory,
    /// The panel's driver is ready.
    initialised: bool,
    /// Where the next byte of a picture goes in its plane.
    address: usize,
    /// Bytes of both planes that came since the initialisation.
    received: usize,
    red_plane: bool,
    pub(crate) mode: Mode,
    week_start: u8,
    shown: Shown,
    coming: Option<Shown>,
    pub(crate) refreshing_until: Option<Instant>,
    refresh: Duration,
    time_base: (Instant, u32),
    /// Commands it did not understand.
    pub(crate) unknown: u32,
}

impl EpdNrf5 {
    pub(crate) fn new(
        build: EpdBuild,
        (width, height): (usize, usize),
        refresh: Duration,
        local_epoch: u32,
    ) -> Self {
        Self {
            build,
            memory: Memory::white(width, height),
            initialised: false,
            address: 0,
            received: 0,
            red_plane: false,
            mode: Mode::Calendar,
            week_start: 1,
            shown: Shown::Page(Mode::Calendar),
            coming: None,
            refreshing_until: None,
            refresh,
            time_base: (Instant::now(), local_epoch),
            unknown: 0,
        }
    }

    /// Pins, model, pins, and in newer builds the mode and the first day of the week.
    pub(crate) fn configuration(&self) -> Notification {
        let mut value = vec![0x14, 0x13, 0x06, 0x05, 0x04, 0x03, 0x02];
        value.extend([self.build.model, 0xFF, 0x12, 0x07]);
        if self.build.says_mode {
            let mode = match self.mode {
                Mode::Picture => 0,
                Mode::Calendar => 1,
                Mode::Clock => 2,
            };
            value.extend([mode, self.week_start]);
        }
        Notification {
            value,
            kind: NotificationKind::Configuration,
        }
    }

    pub(crate) fn kind_of(&self, bytes: &[u8]) -> WriteKind {
        match bytes {
            [0x30, ..] => {
                let planes = if self.build.has_red() { 2 } else { 1 };
                let all = planes * self.memory.black_white.len();
                let percent = (self.received * 100 / all.max(1)).min(100);
                WriteKind::Data {
                    percent: u8::try_from(percent).unwrap_or(100),
                }
            }
            [0x02 | 0x05 | 0x20, ..] => WriteKind::Trigger,
            _ => WriteKind::Command,
        }
    }

    pub(crate) fn write(&mut self, bytes: &[u8], payload: usize) -> Vec<Notification> {
        if self.refreshing_until.is_some() {
            // It waits for the panel and hears nothing.
            return Vec::new();
        }
        match bytes {
            [0x01, model @ ..] => {
                if let Some(model) = model.first() {
                    self.build.model = *model;
                }
                self.initialised = true;
                (self.address, self.received) = (0, 0);
                return self.texts(payload);
            }
            [0x02, full @ ..] => {
                self.mode = Mode::Picture;
                if self.initialised {
                    self.memory = Memory::white(self.memory.width, self.memory.height);
                    self.address = 0;
                    if full.first() != Some(&0) {
                        self.redraw(Shown::Memory(self.memory.clone()));
                    }
                }
            }
            [0x05, ..] => {
                self.mode = Mode::Picture;
                if self.initialised {
                    self.redraw(Shown::Memory(self.memory.clone()));
                }
            }
            [0x20, a, b, c, d, rest @ ..] => {
                let hours = rest.first().map_or(8, |hours| hours.cast_signed());
                let utc = u32::from_be_bytes([*a, *b, *c, *d]);
                let local = utc.wrapping_add_signed(i32::from(hours) * 3600);
                self.time_base = (Instant::now(), local);
                match rest.get(1) {
                    Some(0) => self.mode = Mode::Picture,
                    Some(2) => self.mode = Mode::Clock,
                    None | Some(1) => self.mode = Mode::Calendar,
                    Some(_) => self.unknown += 1,
                }
                self.draw_page();
            }
            [0x21, day @ 0..=6, ..] => self.week_start = *day,
            [0x30, flags, data @ ..] if !data.is_empty() => self.take(*flags, data),
            // Pins, the panel by itself, its sleep and the configuration: nothing to see. Nor of a
            // picture's part without data.
            [0x00 | 0x03 | 0x04 | 0x06 | 0x21 | 0x30 | 0x90, ..] => {}
            // It starts anew, or sleeps until somebody presses its button.
            [0x91 | 0x92 | 0x99, ..] => self.initialised = false,
            _ => self.unknown += 1,
        }
        Vec::new()
    }

    fn texts(&self, payload: usize) -> Vec<Notification> {
        let run_length = if self.build.run_length { " rle=1" } else { "" };
        let terms = format!("mtu={}{run_length}", payload.min(MOST_PAYLOAD));
        let time = format!("t={}", self.local_epoch());
        [
            (terms, NotificationKind::Terms),
            (time, NotificationKind::Time),
        ]
        .map(|(text, kind)| Notification {
            value: text.into_bytes(),
            kind,
        })
        .into()
    }

    /// Part of a picture.
    fn take(&mut self, flags: u8, data: &[u8]) {
        let (first, red, coded) = if self.build.run_length {
            (flags & 0x02 != 0, flags & 0x01 != 0, flags & 0x04 != 0)
        } else {
            (flags >> 4 == 0, flags & 0x0F != 0x0F, false)
        };
        if !self.initialised {
            return;
        }
        if first {
            // A panel without red has one memory for both.
            self.red_plane = red && self.build.has_red();
            if self.build.plane_begins_at_start() {
                self.address = 0;
            }
        }
        let bytes = if coded { decoded(data) } else { data.to_vec() };
        self.received += bytes.len();
        let plane = if self.red_plane {
            &mut self.memory.red
        } else {
            &mut self.memory.black_white
        };
        for byte in bytes {
            if let Some(place) = plane.get_mut(self.address) {
                *place = byte;
            }
            self.address = (self.address + 1) % plane.len().max(1);
        }
    }

    /// Draws the page of its mode over whatever the panel's memory holds. That of a picture is
    /// empty.
    fn draw_page(&mut self) {
        self.memory = Memory::drawn(&self.page(self.mode));
        (self.initialised, self.address) = (true, 0);
        self.redraw(Shown::Page(self.mode));
    }

    fn page(&self, mode: Mode) -> Screen {
        let (width, height) = (self.memory.width, self.memory.height);
        let now = local_time(self.local_epoch());
        match mode {
            Mode::Picture => Screen::white(width, height),
            Mode::Calendar => face::calendar(width, height, now, None, None),
            Mode::Clock => face::clock(width, height, now, false, None),
        }
    }

    fn redraw(&mut self, next: Shown) {
        self.coming = Some(next);
        self.refreshing_until = Some(Instant::now() + self.refresh);
    }

    /// Ends the redraw under way.
    pub(crate) fn refresh_done(&mut self) {
        if let Some(shown) = self.coming.take() {
            self.shown = shown;
        }
        self.refreshing_until = None;
    }

    /// The panel is put to sleep, also half way through a redraw.
    pub(crate) fn link_lost(&mut self) {
        if self.coming.take().is_some() {
            self.shown = Shown::Grey;
            self.refreshing_until = None;
        }
    }

    /// What a person would see now.
    pub(crate) fn screen(&self) -> Screen {
        match &self.shown {
            Shown::Memory(memory) => memory.screen(self.build.has_red()),
            Shown::Page(mode) => Memory::drawn(&self.page(*mode)).screen(self.build.has_red()),
            Shown::Grey => Screen::grey(self.memory.width, self.memory.height),
        }
    }

    pub(crate) fn planes(&self) -> (Vec<u8>, Vec<u8>) {
        (self.memory.black_white.clone(), self.memory.red.clone())
    }

    /// Local seconds since 1970.
    pub(crate) fn local_epoch(&self) -> u64 {
        let (set_at, base) = self.time_base;
        u64::from(base) + set_at.elapsed().as_secs()
    }
}

/// The bytes that run lengths stand for. A code that is cut off ends them, as in the firmware.
fn decoded(mut data: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    while let [control, rest @ ..] = data {
        let used = if *control & 0x80 == 0 {
            let count = usize::from(*control) + 1;
            let Some(literals) = rest.get(..count) else {
                break;
            };
            bytes.extend(literals);
            count
        } else {
            let Some(byte) = rest.first() else { break };
            let count = usize::from(control & 0x7F) + 3;
            bytes.extend(std::iter::repeat_n(*byte, count));
            1
        };
        data = rest.get(used..).unwrap_or_default();
    }
    bytes
}
