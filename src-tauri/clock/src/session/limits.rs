//! Every bound of the session, each with its reason.

use std::time::Duration;

/// Operations that may wait. A person or an agent that queues more has lost sight of the clock.
pub const QUEUE_LIMIT: usize = 32;

/// Clocks remembered from a scan; a room has a handful.
pub(super) const HEARD_LIMIT: usize = 64;

/// Longest scan for a list: three times the longest sleep between two advertising windows.
pub const SCAN_LIMIT: Duration = Duration::from_secs(180);

/// For a question the system answers from memory.
pub(crate) const CHECK_LIMIT: Duration = Duration::from_secs(5);

/// For starting the radio's scan, which may have to wait for the end of an abandoned one first.
pub(crate) const SCAN_START_LIMIT: Duration = Duration::from_secs(10);

/// For stopping it.
pub(crate) const SCAN_STOP_LIMIT: Duration = Duration::from_secs(5);

/// One attempt to connect. Systems take 30 to 40 s to give up on a clock that has gone to sleep;
/// by then it may be awake again, so listening anew is better.
pub(crate) const CONNECT_ATTEMPT_LIMIT: Duration = Duration::from_secs(15);

/// Attempts to connect, each after having heard the clock anew.
pub(super) const CONNECT_TRIES: u32 = 6;

/// First and longest pause between two attempts to connect.
pub(crate) const CONNECT_BACKOFF: (Duration, Duration) =
    (Duration::from_millis(300), Duration::from_secs(2));

/// One question for the services.
pub(super) const DISCOVERY_LIMIT: Duration = Duration::from_secs(10);

/// Questions for the services on one link: Windows may answer the first with an empty list.
pub const DISCOVERY_TRIES: u32 = 3;

/// Between two questions for the services.
pub(super) const DISCOVERY_GAP: Duration = Duration::from_millis(500);

/// For letting a link go; BlueZ takes 2 to 3 s.
pub(crate) const DISCONNECT_LIMIT: Duration = Duration::from_secs(5);

/// Windows reports the least MTU for a moment after connecting.
pub(crate) const MTU_SETTLE: Duration = Duration::from_millis(500);

/// How often the MTU is read while it settles.
pub(crate) const MTU_POLL: Duration = Duration::from_millis(50);

/// One write with response. Longer than the link's supervision timeout of 6 s, so that a lost link
/// is seen as such first.
pub(crate) const WRITE_LIMIT: Duration = Duration::from_secs(10);

/// How long a cancelled operation waits for the write under way, so that the link stays usable.
pub(super) const CANCEL_GRACE: Duration = Duration::from_secs(2);

/// Tries of one write.
pub(super) const WRITE_TRIES: u32 = 3;

/// Between two tries of one write.
pub(super) const WRITE_RETRY_GAP: Duration = Duration::from_millis(200);

/// How late a notification about a packet may be: four times the slowest write of a link with the
/// family's connection parameters.
pub(super) const NOTIFICATION_LATENESS: Duration = Duration::from_secs(2);

/// First and longest wait after a rejected packet.
pub(super) const REJECTED_WAIT: (Duration, Duration) =
    (Duration::from_millis(500), Duration::from_secs(2));

/// Rejections in one upload. With the waits above they last a little longer than two redraws of
/// 30 s, the one under way and one asked for meanwhile, during which the clock rejects everything.
pub(super) const REJECTIONS: u32 = 33;

/// Rejections at one place while the packets before it are taken: not a busy clock, but a picture
/// that does not fit it.
pub(super) const REJECTIONS_IN_PLACE: u32 = 4;

/// What each refusal or stall adds to the gap between picture packets, times their number in a
/// row: the fourth in a row reaches the limit, before the picture is said not to fit.
pub(super) const PACE_STEP: Duration = Duration::from_millis(10);

/// Longest gap between picture packets. A full picture takes 13 s longer with it at a usual MTU,
/// and 3 min at the least one.
pub(super) const PACE_LIMIT: Duration = Duration::from_millis(100);

/// Packets to be taken before the gap is made smaller, at least and at most: a tenth of a picture
/// at a usual MTU, so that an upload ends without the gap that a passing trouble brought; half a
/// picture at the least MTU, so that a slow clock refuses but a few.
pub(super) const PACE_PROBE: (u32, u32) = (16, 1024);

/// A write that took longer has stalled: twice what the family's slowest connection parameters
/// (45 ms, latency 10) need.
pub(super) const STALL: Duration = Duration::from_secs(1);

/// Least time between two reports of progress while sending. A packet may go every 7.5 ms, and
/// everybody who watches does something at each report.
pub(super) const PROGRESS_GAP: Duration = Duration::from_millis(100);

/// Changes of the packet size in one upload; a link settles after one or two.
pub(super) const RECUTS: u32 = 8;

/// How often an operation may start over, after a lost link or a late rejection.
pub(super) const REPEATS: u32 = 1;

/// How often the state of the adapter is looked at while no clock is connected.
pub(super) const ADAPTER_POLL: Duration = Duration::from_secs(10);

/// How long an adapter that goes away during an operation is waited for: the system's Bluetooth
/// service takes a few seconds to start anew, and so does an adapter after a poor contact.
pub(super) const ADAPTER_RETURN: Duration = Duration::from_secs(5);

/// How often it is looked for meanwhile.
pub(super) const ADAPTER_RETURN_POLL: Duration = Duration::from_millis(500);

/// Times that a search begins a scan anew that broke off; more means that it never lasts.
pub(super) const SCAN_BREAKS: u32 = 3;

/// How often a countdown in a published state moves.
pub(super) const TICK: Duration = Duration::from_secs(1);

/// After the grace of a shutdown, for the operations to end and the link to go.
pub(super) const SHUTDOWN_LIMIT: Duration = Duration::from_secs(20);
