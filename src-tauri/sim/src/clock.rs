//! A simulated clock: its processor, its radio, and the faults ordered for it.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use regie_clock::dialect::{Delivery, Discovered};
use regie_clock::link::NOTIFICATION_BACKLOG;
use regie_clock::{Address, Advertisement, Channel};
use tokio::sync::mpsc;
use tokio::time::Instant;

use crate::fault::{Fault, Moment, NotificationFault, NotificationKind, WriteFault};
use crate::firmware::{Firmware, FirmwareKind, Mode, Notification, WriteKind};
use crate::screen::{Screen, ScreenError};
use crate::timing::Timing;

/// What a simulated clock is like.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClockSpec {
    /// Last digits of its name and address.
    pub tail: u16,
    /// Signal strength in dBm.
    pub rssi: i16,
    /// Its firmware.
    pub firmware: FirmwareKind,
    /// Pixels of its panel; the width is a multiple of 8.
    pub panel: (usize, usize),
    /// ATT MTU of its links.
    pub mtu: u16,
    /// How fast it is.
    pub timing: Timing,
    /// How it keeps the picture it was sent.
    pub buffer: PictureBuffer,
    /// Its local time at the start, in seconds since 1970.
    pub local_epoch: u32,
}

impl Default for ClockSpec {
    fn default() -> Self {
        Self {
            tail: 1,
            rssi: -55,
            firmware: FirmwareKind::Pingping,
            panel: (400, 300),
            mtu: 247,
            timing: Timing::realistic(),
            buffer: PictureBuffer::default(),
            local_epoch: 0,
        }
    }
}

/// How a clock keeps the picture it was sent. Nobody has published how the real ones do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PictureBuffer {
    /// It is still there on the next link.
    pub outlives_link: bool,
    /// The clock draws its faces into it.
    pub shared_with_faces: bool,
}

impl Default for PictureBuffer {
    fn default() -> Self {
        Self {
            outlives_link: true,
            shared_with_faces: false,
        }
    }
}

/// Commands kept for looking at.
const COMMAND_LOG: usize = 256;

#[derive(Debug)]
pub(crate) struct State {
    pub(crate) spec: ClockSpec,
    pub(crate) firmware: Firmware,
    pub(crate) born: Instant,
    pub(crate) central: Option<Central>,
    links_made: u64,
    refreshes: u64,
    faults: Vec<(Fault, u32)>,
    commands: VecDeque<Vec<u8>>,
    /// When the latest picture packet was kept.
    packet_kept: Option<Instant>,
    pub(crate) long_writes: u32,
}

/// The one central that a clock serves.
#[derive(Debug)]
pub(crate) struct Central {
    pub(crate) link: u64,
    pub(crate) mtu: u16,
    notify: mpsc::Sender<Vec<u8>>,
}

/// What becomes of a write.
pub(crate) enum Verdict {
    Answered,
    Refused(&'static str),
    Hangs,
    LostUnanswered,
    NotSent,
}

/// A handle on a simulated clock; clones share it.
#[derive(Debug, Clone)]
pub struct SimulatedClock {
    state: Arc<Mutex<State>>,
}

impl SimulatedClock {
    /// Switches a clock on.
    #[must_use]
    pub fn new(spec: ClockSpec) -> Self {
        let firmware = Firmware::new(
            spec.firmware,
            spec.panel,
            spec.timing.refresh,
            spec.local_epoch,
            spec.buffer,
        );
        let state = State {
            firmware,
            born: Instant::now(),
            central: None,
            links_made: 0,
            refreshes: 0,
            faults: Vec::new(),
            commands: VecDeque::new(),
            packet_kept: None,
            long_writes: 0,
            spec,
        };
        Self {
            state: Arc::new(Mutex::new(state)),
        }
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, State> {
        // A poisoned lock means that a test has failed already.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Its address.
    #[must_use]
    pub fn address(&self) -> Address {
        self.lock().address()
    }

    /// The name it advertises.
    #[must_use]
    pub fn name(&self) -> String {
        self.lock().name()
    }

    /// Orders a fault, to be shown once.
    pub fn order(&self, fault: Fault) {
        self.order_times(fault, 1);
    }

    /// Orders a fault, to be shown this many times.
    pub fn order_times(&self, fault: Fault, times: u32) {
        if times > 0 {
            self.lock().faults.push((fault, times));
        }
    }

    /// Withdraws the faults that were not shown yet.
    pub fn clear_faults(&self) {
        self.lock().faults.clear();
    }

    /// How many kinds of fault are still to be shown.
    #[must_use]
    pub fn faults_left(&self) -> usize {
        self.lock().faults.len()
    }

    /// What a person would see now. During a redraw it is what was there before.
    #[must_use]
    pub fn screen(&self) -> Screen {
        self.lock().firmware.screen()
    }

    /// [`SimulatedClock::screen`] as a PNG file.
    ///
    /// # Errors
    /// [`ScreenError`].
    pub fn screen_png(&self) -> Result<Vec<u8>, ScreenError> {
        self.screen().png()
    }

    /// The planes in its memory, black and white first, with the polarity of its panel.
    #[must_use]
    pub fn planes(&self) -> (Vec<u8>, Vec<u8>) {
        self.lock().firmware.planes()
    }

    /// Its mode.
    #[must_use]
    pub fn mode(&self) -> Mode {
        self.lock().firmware.mode()
    }

    /// Its local time in seconds since 1970.
    #[must_use]
    pub fn local_epoch(&self) -> u64 {
        self.lock().firmware.local_epoch()
    }

    /// The weekday it was told with the time, Monday = 1.
    #[must_use]
    pub fn weekday(&self) -> Option<u8> {
        let state = self.lock();
        state.firmware.pingping()?.weekday
    }

    /// Whether black and white are swapped.
    #[must_use]
    pub fn is_inverted(&self) -> bool {
        let state = self.lock();
        state.firmware.pingping().is_some_and(|it| it.inverted)
    }

    /// Whether the screen is upside down.
    #[must_use]
    pub fn is_rotated(&self) -> bool {
        let state = self.lock();
        state.firmware.pingping().is_some_and(|it| it.rotated)
    }

    /// Whether the clock face has its red accent.
    #[must_use]
    pub fn has_red_accent(&self) -> bool {
        let state = self.lock();
        state.firmware.pingping().is_some_and(|it| it.red_accent)
    }

    /// First and last of its quiet hours, when they are on.
    #[must_use]
    pub fn quiet_hours(&self) -> Option<(u8, u8)> {
        let state = self.lock();
        state.firmware.pingping()?.quiet_hours()
    }

    /// Year, month and day of the countdown, when one is on.
    #[must_use]
    pub fn countdown(&self) -> Option<(i16, i8, i8)> {
        let state = self.lock();
        state.firmware.pingping()?.countdown_date()
    }

    /// Cells and bitmap of the countdown's text; bytes never sent are `FF`.
    #[must_use]
    pub fn countdown_text(&self) -> (usize, Vec<u8>) {
        let state = self.lock();
        state
            .firmware
            .pingping()
            .map_or_else(Default::default, |it| {
                let (cells, bits) = it.countdown_text();
                (cells, bits.to_vec())
            })
    }

    /// Whether it redraws its panel.
    #[must_use]
    pub fn is_refreshing(&self) -> bool {
        self.lock().firmware.refreshing_until().is_some()
    }

    /// Whether a central is connected.
    #[must_use]
    pub fn is_connected(&self) -> bool {
        self.lock().central.is_some()
    }

    /// Links made so far.
    #[must_use]
    pub fn links_made(&self) -> u64 {
        self.lock().links_made
    }

    /// Redraws begun so far.
    #[must_use]
    pub fn refreshes(&self) -> u64 {
        self.lock().refreshes
    }

    /// The latest commands that were taken, oldest first.
    #[must_use]
    pub fn commands(&self) -> Vec<Vec<u8>> {
        self.lock().commands.iter().cloned().collect()
    }

    /// Commands it did not understand.
    #[must_use]
    pub fn unknown_commands(&self) -> u32 {
        self.lock().firmware.unknown()
    }

    /// Writes longer than the link carries, which a real clock does not survive well.
    #[must_use]
    pub fn long_writes(&self) -> u32 {
        self.lock().long_writes
    }

    /// Cuts the link, as when the clock is carried away.
    pub fn cut_link(&self) {
        self.lock().hang_up();
    }

    /// Connects a central, unless there is one; the receiver closes when the link is lost.
    pub(crate) fn accept(&self) -> Option<(u64, mpsc::Receiver<Vec<u8>>)> {
        let mut state = self.lock();
        if state.central.is_some() {
            return None;
        }
        let (notify, notifications) = mpsc::channel(NOTIFICATION_BACKLOG);
        state.links_made += 1;
        if !state.spec.buffer.outlives_link {
            state.firmware.lose_buffer();
        }
        let link = state.links_made;
        let mtu = state
            .take_fault(|fault| match fault {
                Fault::Mtu(mtu) => Some(*mtu),
                _ => None,
            })
            .unwrap_or(state.spec.mtu);
        state.central = Some(Central { link, mtu, notify });
        Some((link, notifications))
    }

    /// What reading its services shows. From then on it is listened to.
    pub(crate) fn subscribe(&self) -> Discovered {
        let mut state = self.lock();
        if let Some(greeting) = state.firmware.greeting() {
            self.notify(&mut state, &greeting);
        }
        state.firmware.discovered()
    }

    /// What becomes of a write that has reached the clock.
    pub(crate) fn take_write(
        &self,
        link: u64,
        channel: Channel,
        bytes: &[u8],
        delivery: Delivery,
    ) -> Verdict {
        let mut state = self.lock();
        let Some(mtu) = state
            .central
            .as_ref()
            .filter(|c| c.link == link)
            .map(|c| c.mtu)
        else {
            return Verdict::NotSent;
        };
        if bytes.len() > channel.max_bytes() {
            return Verdict::Refused("Invalid Length");
        }
        if bytes.len() > usize::from(mtu) - 3 {
            state.long_writes += 1;
            return Verdict::Refused("long write");
        }
        let kind = state.firmware.kind_of(channel, bytes);
        if let WriteKind::Data { percent } = kind {
            let change = state.take_fault(|fault| match fault {
                Fault::MtuChanges { percent: at, mtu } if percent >= *at => Some(*mtu),
                _ => None,
            });
            if let (Some(mtu), Some(central)) = (change, state.central.as_mut()) {
                central.mtu = mtu;
                if bytes.len() > usize::from(mtu) - 3 {
                    // The packet that was on its way under the old agreement is refused.
                    return Verdict::Refused("Invalid Length");
                }
            }
        }
        let answered = delivery == Delivery::Answered;
        let fault = state.take_fault(|fault| match fault {
            Fault::Write { at, how } => {
                let hit = match (at, kind) {
                    (Moment::Percent(at), WriteKind::Data { percent }) => percent >= *at,
                    (Moment::Command, WriteKind::Command)
                    | (Moment::Trigger, WriteKind::Trigger) => true,
                    _ => false,
                };
                let possible = match how {
                    WriteFault::Vanishes => !answered,
                    WriteFault::AnswerLost => answered,
                    _ => true,
                };
                (hit && possible).then_some(*how)
            }
            _ => None,
        });
        // What is not answered has left the computer, whatever becomes of it.
        let lost = if answered {
            Verdict::LostUnanswered
        } else {
            Verdict::Answered
        };
        match fault {
            Some(WriteFault::Error) => return Verdict::Refused("ATT error: 0x80"),
            Some(WriteFault::Hangs) => return Verdict::Hangs,
            Some(WriteFault::Vanishes) => return Verdict::Answered,
            Some(WriteFault::LostBefore) => {
                state.hang_up();
                return lost;
            }
            Some(WriteFault::Rejected) => {
                self.notify(&mut state, &Notification::rejected());
                return Verdict::Answered;
            }
            Some(WriteFault::LostAfter | WriteFault::AnswerLost) | None => {}
        }
        if matches!(kind, WriteKind::Command | WriteKind::Trigger) && state.logs(channel) {
            if state.commands.len() == COMMAND_LOG {
                state.commands.pop_front();
            }
            state.commands.push_back(bytes.to_vec());
        }
        let since = state.packet_kept.map(|kept| kept.elapsed());
        let overrun = since.filter(|_| matches!(kind, WriteKind::Data { .. }));
        let overrun = overrun.and_then(|since| {
            state.take_fault(|fault| match fault {
                Fault::Overrun { least } => (since < *least).then_some(()),
                _ => None,
            })
        });
        if overrun.is_some() {
            self.notify(&mut state, &Notification::rejected());
            return Verdict::Answered;
        }
        let refreshing = state.firmware.refreshing_until();
        let payload = state
            .central
            .as_ref()
            .map_or(0, |central| usize::from(central.mtu) - 3);
        let notifications = state.firmware.write(channel, bytes, payload);
        if refreshing.is_none() && state.firmware.refreshing_until().is_some() {
            self.refresh_began(&mut state);
        }
        let accepted = |it: &Notification| it.kind == NotificationKind::Accepted;
        if notifications.iter().any(accepted) {
            state.packet_kept = Some(Instant::now());
        }
        if fault == Some(WriteFault::LostAfter) {
            state.hang_up();
            return lost;
        }
        for notification in notifications {
            self.notify(&mut state, &notification);
        }
        if fault == Some(WriteFault::AnswerLost) {
            return Verdict::LostUnanswered;
        }
        Verdict::Answered
    }

    fn refresh_began(&self, state: &mut State) {
        state.refreshes += 1;
        let drop_after = state.take_fault(|fault| match fault {
            Fault::DropWhileRefreshing { after } => Some(*after),
            _ => None,
        });
        if let (Some(after), Some(central)) = (drop_after, &state.central) {
            let (link, weak) = (central.link, Arc::downgrade(&self.state));
            tokio::spawn(async move {
                tokio::time::sleep(after).await;
                if let Some(clock) = Self::upgrade(&weak) {
                    let mut state = clock.lock();
                    if state
                        .central
                        .as_ref()
                        .is_some_and(|central| central.link == link)
                    {
                        state.hang_up();
                    }
                }
            });
        }
        let Some(mut end) = state.firmware.refreshing_until() else {
            return;
        };
        let weak = Arc::downgrade(&self.state);
        tokio::spawn(async move {
            loop {
                tokio::time::sleep_until(end).await;
                let Some(clock) = Self::upgrade(&weak) else {
                    return;
                };
                let mut state = clock.lock();
                if state.firmware.refreshing_until() != Some(end) {
                    // It was broken off.
                    return;
                }
                if let Some(notification) = state.firmware.refresh_done() {
                    clock.notify(&mut state, &notification);
                }
                match state.firmware.refreshing_until() {
                    Some(next) => {
                        state.refreshes += 1;
                        end = next;
                    }
                    None => return,
                }
            }
        });
    }

    fn upgrade(weak: &Weak<Mutex<State>>) -> Option<Self> {
        weak.upgrade().map(|state| Self { state })
    }

    fn notify(&self, state: &mut State, notification: &Notification) {
        let Notification { value, kind } = notification;
        let fault = state.take_fault(|fault| match fault {
            Fault::Notification { which, how } if which == kind => Some(*how),
            _ => None,
        });
        let Some(central) = &state.central else {
            return;
        };
        // A central that does not take its notifications loses them.
        let send = |central: &Central| {
            let _ = central.notify.try_send(value.clone());
        };
        match fault {
            None => send(central),
            Some(NotificationFault::Lost) => {}
            Some(NotificationFault::Doubled) => {
                send(central);
                send(central);
            }
            Some(NotificationFault::Late(delay)) => {
                let (link, weak) = (central.link, Arc::downgrade(&self.state));
                let value = value.clone();
                tokio::spawn(async move {
                    tokio::time::sleep(delay).await;
                    let Some(clock) = Self::upgrade(&weak) else {
                        return;
                    };
                    let state = clock.lock();
                    if let Some(central) = state.central.as_ref().filter(|c| c.link == link) {
                        let _ = central.notify.try_send(value);
                    }
                });
            }
        }
    }
}

impl State {
    pub(crate) fn address(&self) -> Address {
        let [high, low] = self.spec.tail.to_be_bytes();
        Address::new(&format!(
            "{}00:00:00:{high:02X}:{low:02X}",
            Address::SIMULATED
        ))
    }

    pub(crate) fn name(&self) -> String {
        match self.spec.firmware {
            FirmwareKind::Pingping => format!("NRF-51{:04X}", self.spec.tail),
            FirmwareKind::EpdNrf5(_) => format!("NRF_EPD_{:04X}", self.spec.tail),
        }
    }

    pub(crate) fn advertisement(&self) -> Advertisement {
        Advertisement {
            address: self.address(),
            name: self.name(),
            rssi: Some(self.spec.rssi),
            connected: false,
            simulated: true,
        }
    }

    /// Whether it listens for connections now.
    pub(crate) fn is_awake(&self) -> bool {
        let Timing { awake, period, .. } = self.spec.timing;
        let into = self.born.elapsed().as_millis() % period.as_millis().max(1);
        self.central.is_none() && into < awake.as_millis()
    }

    pub(crate) fn take_fault<T>(&mut self, pick: impl Fn(&Fault) -> Option<T>) -> Option<T> {
        let (index, found) = self
            .faults
            .iter()
            .enumerate()
            .find_map(|(i, (fault, _))| Some((i, pick(fault)?)))?;
        let times = &mut self.faults[index].1;
        *times -= 1;
        if *times == 0 {
            self.faults.remove(index);
        }
        Some(found)
    }

    /// Ends the link, if there is one.
    pub(crate) fn hang_up(&mut self) {
        if self.central.take().is_some() {
            self.firmware.link_lost();
        }
    }

    /// Whether what goes there is a command, other than the one that shows a picture.
    fn logs(&self, channel: Channel) -> bool {
        match self.spec.firmware {
            FirmwareKind::Pingping => channel == Channel::Alt,
            FirmwareKind::EpdNrf5(_) => true,
        }
    }
}
