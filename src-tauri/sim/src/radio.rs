//! How an LE link carries writes: in connection events, at instants that neither side chooses.
//!
//! Sources are the Bluetooth Core Specification 5.4, Vol 6, Part B, 4.5 (connection events and
//! peripheral latency), 2.1 and 2.4 (packets and their lengths), 4.1.1 (inter frame space), and
//! Vol 3, Part F, 3.3.2 (ATT is a sequential protocol: no request before the response to the
//! one before).
//!
//! What the specification leaves open is assumed so:
//! - a controller takes into an event what it was given before the event began, so that a sender
//!   who is late by a moment waits for a whole interval;
//! - the clock uses all of its peripheral latency when it has nothing to say;
//! - nothing is lost on the air, and both sides use the 1 Mbit/s radio without encryption.

use std::time::Duration;

use tokio::time::Instant;

/// Bytes of an L2CAP header, which each ATT packet has before it.
const L2CAP_HEADER: usize = 4;
/// Bytes of a write request that are not payload: opcode and handle.
const ATT_HEADER: usize = 3;
/// Bytes of a write response with its L2CAP header.
const RESPONSE: usize = 1 + L2CAP_HEADER;
/// Bytes of a packet on the air that are not payload: preamble, access address, header, check.
const PACKET_OVERHEAD: usize = 1 + 4 + 2 + 3;
/// A byte on the air at 1 Mbit/s.
const BYTE_TIME: Duration = Duration::from_micros(8);
/// Between two packets of an event.
const INTER_FRAME_SPACE: Duration = Duration::from_micros(150);

/// In which event the clock answers a write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnswerEvent {
    /// In the one that brought the write, where it is long enough for that: a quick processor and
    /// a radio that keeps the event open. The sender has the rest of the event to go on.
    Same,
    /// In the next one, as most clocks do: the event is over before the processor has looked at
    /// the write.
    Next,
}

/// The parameters of a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Radio {
    /// From the beginning of one connection event to that of the next, 7.5 ms to 4 s.
    pub interval: Duration,
    /// Events that the clock may leave out in a row while it has nothing to say, 0..=499.
    pub latency: u16,
    /// Most packets to the clock in one event; fewer where the interval is too short for them.
    pub packets_per_event: u8,
    /// Most payload bytes of one packet on the air: 27, or up to 251 with the data length
    /// extension. A longer write is sent in fragments.
    pub data_length: u16,
    /// When the clock answers.
    pub answer: AnswerEvent,
    /// Writes without response that may wait in the controller; the next one waits for room.
    pub buffers: u8,
}

impl Radio {
    /// A link of this interval as a present-day computer makes it with a clock of the family: no
    /// latency while it sends, the longest packets, up to four in an event, answers in the next
    /// event.
    #[must_use]
    pub const fn of_interval(interval: Duration) -> Self {
        Self {
            interval,
            latency: 0,
            packets_per_event: 4,
            data_length: 251,
            answer: AnswerEvent::Next,
            buffers: 8,
        }
    }

    /// The least time in which writes with response of these payload lengths can be answered, one
    /// after the other, from the first event to the last answer: that of a sender who needs no
    /// time at all.
    #[must_use]
    pub fn least_time(self, payloads: impl IntoIterator<Item = usize>) -> Duration {
        let begin = Instant::now();
        let mut events = Events::new(self, begin);
        let mut first = None;
        let mut now = begin;
        for payload in payloads {
            let exchange = events.request(now, payload);
            first.get_or_insert(exchange.sent);
            now = exchange.answered;
        }
        first.map_or(Duration::ZERO, |first| now - first)
    }

    /// Packets that one event has room for.
    fn room(self) -> u32 {
        let longest = exchange_time(usize::from(self.data_length));
        let fitting = self.interval.as_nanos() / longest.as_nanos();
        u32::from(self.packets_per_event)
            .min(u32::try_from(fitting).unwrap_or(u32::MAX))
            .max(1)
    }

    /// Packets on the air that a write of this payload takes.
    fn fragments(self, payload: usize) -> u32 {
        let bytes = payload + ATT_HEADER + L2CAP_HEADER;
        let fragments = bytes.div_ceil(usize::from(self.data_length).max(1));
        u32::try_from(fragments).unwrap_or(u32::MAX)
    }
}

/// A packet on the air.
fn air_time(payload: usize) -> Duration {
    BYTE_TIME * u32::try_from(payload + PACKET_OVERHEAD).unwrap_or(u32::MAX)
}

/// A packet to the clock, the empty one that acknowledges it, and the spaces after both.
fn exchange_time(payload: usize) -> Duration {
    air_time(payload) + INTER_FRAME_SPACE + air_time(0) + INTER_FRAME_SPACE
}

/// When a write goes and is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Exchange {
    /// Beginning of the event in which it begins to go.
    pub(crate) sent: Instant,
    /// Its answer has come.
    pub(crate) answered: Instant,
}

/// The connection events of one link.
#[derive(Debug)]
pub(crate) struct Events {
    radio: Radio,
    /// Beginning of event 0.
    anchor: Instant,
    /// The latest event in which something went or will go, and the packets to the clock in it.
    latest: u64,
    packets: u32,
    /// The latest event for which the clock certainly listens.
    listened: u64,
}

impl Events {
    /// Of a link made at this instant.
    pub(crate) fn new(radio: Radio, anchor: Instant) -> Self {
        Self {
            radio,
            anchor,
            latest: 0,
            packets: 0,
            listened: 0,
        }
    }

    /// A write with response of this many payload bytes, given to the controller now.
    pub(crate) fn request(&mut self, now: Instant, payload: usize) -> Exchange {
        let (first, arrived) = self.send(now, payload);
        let reply = INTER_FRAME_SPACE + air_time(RESPONSE);
        let next = self.begin(self.latest + 1);
        let same = arrived + air_time(0) + reply;
        let answered = if self.radio.answer == AnswerEvent::Same && same <= next {
            same
        } else {
            self.latest += 1;
            self.packets = 1;
            next + air_time(0) + reply
        };
        self.listened = self.latest;
        Exchange {
            sent: self.begin(first),
            answered,
        }
    }

    /// A write without response of this many payload bytes, given to the controller now; returns
    /// when the clock has it.
    pub(crate) fn command(&mut self, now: Instant, payload: usize) -> Instant {
        self.send(now, payload).1
    }

    /// Puts the fragments of a write into the first events with room for them; returns the first
    /// event and when the last fragment has been acknowledged.
    fn send(&mut self, now: Instant, payload: usize) -> (u64, Instant) {
        let mut first = None;
        for _ in 0..self.radio.fragments(payload) {
            let event = self.first_after(now).max(self.latest);
            if event > self.latest {
                self.open(event);
            } else if self.packets >= self.radio.room() {
                self.open(event + 1);
            }
            self.packets += 1;
            first.get_or_insert(self.latest);
        }
        let on_air = (payload + ATT_HEADER + L2CAP_HEADER).min(self.radio.data_length.into());
        let arrived = self.begin(self.latest) + exchange_time(on_air) * self.packets;
        (first.unwrap_or(self.latest), arrived)
    }

    /// Goes on to the first event from this one on for which the clock listens.
    fn open(&mut self, event: u64) {
        let period = u64::from(self.radio.latency) + 1;
        let behind = event.saturating_sub(self.listened);
        self.latest = self.listened + behind.div_ceil(period) * period;
        self.listened = self.latest;
        self.packets = 0;
    }

    /// The first event that begins after an instant.
    fn first_after(&self, now: Instant) -> u64 {
        let since = now.saturating_duration_since(self.anchor).as_nanos();
        let event = since / self.interval_nanos() + 1;
        u64::try_from(event).unwrap_or(u64::MAX)
    }

    fn begin(&self, event: u64) -> Instant {
        let nanos = u128::from(event) * self.interval_nanos();
        self.anchor + Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX))
    }

    fn interval_nanos(&self) -> u128 {
        self.radio.interval.as_nanos().max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const INTERVAL: Duration = Duration::from_millis(30);

    fn events(radio: Radio) -> (Events, Instant) {
        let anchor = Instant::now();
        (Events::new(radio, anchor), anchor)
    }

    /// Of the first event, after the link's own one.
    fn first(radio: Radio) -> (Events, Exchange, Instant) {
        let (mut events, anchor) = events(radio);
        let exchange = events.request(anchor, 244);
        (events, exchange, anchor)
    }

    #[test]
    fn a_write_takes_two_events_when_the_answer_comes_in_the_next() {
        let radio = Radio::of_interval(INTERVAL);
        let (mut events, exchange, anchor) = first(radio);
        assert_eq!(exchange.sent, anchor + INTERVAL);
        assert!(
            (2 * INTERVAL..2 * INTERVAL + Duration::from_millis(1))
                .contains(&(exchange.answered - anchor))
        );
        let second = events.request(exchange.answered, 244);
        assert_eq!(second.sent, anchor + 3 * INTERVAL);
    }

    #[test]
    fn a_write_takes_one_event_when_the_answer_comes_in_the_same() {
        let radio = Radio {
            answer: AnswerEvent::Same,
            ..Radio::of_interval(INTERVAL)
        };
        let (mut events, exchange, anchor) = first(radio);
        assert!(exchange.answered < anchor + INTERVAL + Duration::from_millis(4));
        let second = events.request(exchange.answered, 244);
        assert_eq!(second.sent, anchor + 2 * INTERVAL);
    }

    #[test]
    fn a_sender_who_is_late_by_a_moment_waits_for_the_next_event() {
        let radio = Radio::of_interval(INTERVAL);
        for (late, event) in [
            (-Duration::from_micros(1).as_secs_f64(), 3),
            (Duration::from_micros(1).as_secs_f64(), 4),
        ] {
            let (mut events, _, anchor) = first(radio);
            let now = anchor + Duration::from_secs_f64(3.0 * INTERVAL.as_secs_f64() + late);
            assert_eq!(events.request(now, 244).sent, anchor + event * INTERVAL);
        }
    }

    #[test]
    fn a_clock_with_latency_is_waited_for() {
        let radio = Radio {
            latency: 10,
            ..Radio::of_interval(Duration::from_millis(45))
        };
        let (mut events, exchange, _) = first(radio);
        let second = events.request(exchange.answered, 244);
        // Half a second, as is reported of the family's own parameters (45 ms, latency 10).
        let each = second.answered - exchange.answered;
        assert_eq!(each, Duration::from_millis(12 * 45));
    }

    #[test]
    fn a_write_longer_than_a_packet_takes_as_many_as_an_event_has_room_for() {
        let radio = Radio {
            data_length: 27,
            ..Radio::of_interval(INTERVAL)
        };
        // 251 bytes with their headers are ten fragments, four of them to an event.
        let (_, exchange, anchor) = first(radio);
        assert_eq!(exchange.sent, anchor + INTERVAL);
        assert!(exchange.answered - anchor >= 4 * INTERVAL);
        assert!(exchange.answered - anchor < 5 * INTERVAL);
    }

    #[test]
    fn writes_without_response_share_an_event() {
        let radio = Radio::of_interval(INTERVAL);
        let (mut events, anchor) = events(radio);
        let arrived: Vec<_> = (0..9)
            .map(|_| (events.command(anchor, 244) - anchor).as_millis() / INTERVAL.as_millis())
            .collect();
        assert_eq!(arrived, [1, 1, 1, 1, 2, 2, 2, 2, 3]);
        // The response to what comes after them comes after them.
        assert!(events.request(anchor, 244).answered > anchor + 4 * INTERVAL);
    }

    #[test]
    fn a_short_interval_has_room_for_fewer_packets() {
        let room = |interval| Radio::of_interval(interval).room();
        assert_eq!(room(Duration::from_micros(7_500)), 3);
        assert_eq!(room(INTERVAL), 4);
    }

    #[test]
    fn the_least_time_is_that_of_the_events() {
        let radio = Radio::of_interval(INTERVAL);
        let least = radio.least_time([244; 10]);
        // Ten writes and their answers, each in an event of its own, from the first beginning.
        assert!((19 * INTERVAL..19 * INTERVAL + Duration::from_millis(1)).contains(&least));
        assert_eq!(radio.least_time([]), Duration::ZERO);
    }
}
