//! Faults that a simulated clock shows when they are ordered.

use std::time::Duration;

/// One fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// A connection is refused.
    ConnectFails,
    /// A connection never comes about and never fails.
    ConnectHangs,
    /// Another central holds the clock: it is heard, but does not accept a connection.
    HeldByAnother,
    /// The question for its services is never answered.
    DiscoveryHangs,
    /// The list of its services comes without the command characteristic.
    DiscoveryIncomplete,
    /// The list of its services comes empty, as Windows gives it when it could not read them.
    DiscoveryEmpty,
    /// The next link has this ATT MTU.
    Mtu(u16),
    /// The link's ATT MTU changes when an upload reaches this percentage.
    MtuChanges {
        /// Percentage of the upload, 0..=100.
        percent: u8,
        /// The MTU from then on.
        mtu: u16,
    },
    /// Something goes wrong with a write.
    Write {
        /// Which write.
        at: Moment,
        /// What goes wrong.
        how: WriteFault,
    },
    /// Something goes wrong with a notification.
    Notification {
        /// Which notification.
        which: NotificationKind,
        /// What goes wrong.
        how: NotificationFault,
    },
    /// A picture packet that comes sooner than this after the one kept before is answered with
    /// `0000` and not kept.
    Overrun {
        /// Least time between two packets.
        least: Duration,
    },
    /// The link is lost this long after a redraw began.
    DropWhileRefreshing {
        /// After this time.
        after: Duration,
    },
}

/// What a clock of [`SimulatedAdapter::rehearsal`](crate::SimulatedAdapter::rehearsal) cannot do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trouble {
    /// Accept a connection.
    Connecting,
    /// Carry out a command.
    Commands,
    /// Keep the link for more than half a picture.
    Pictures,
}

impl Trouble {
    /// Every trouble.
    pub const ALL: [Self; 3] = [Self::Connecting, Self::Commands, Self::Pictures];

    /// The last digits of the name and the address of the clock that has it: `F001` to `F003`.
    #[must_use]
    pub const fn tail(self) -> u16 {
        match self {
            Self::Connecting => 0xF001,
            Self::Commands => 0xF002,
            Self::Pictures => 0xF003,
        }
    }

    /// The fault it comes from.
    pub(crate) const fn fault(self) -> Fault {
        match self {
            Self::Connecting => Fault::ConnectFails,
            Self::Commands => Fault::Write {
                at: Moment::Command,
                how: WriteFault::Error,
            },
            Self::Pictures => Fault::Write {
                at: Moment::Percent(50),
                how: WriteFault::LostBefore,
            },
        }
    }
}

/// Which write a fault hits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Moment {
    /// The first picture packet that begins at or after this percentage of an upload.
    Percent(u8),
    /// The next command, other than the one that redraws.
    Command,
    /// The next command that makes the clock redraw what it was sent (`01`, `AA` or `E2`; on
    /// EPD-nRF5 `02`, `05` or `20`).
    Trigger,
}

/// What goes wrong with a write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WriteFault {
    /// A picture packet is answered with `0000` and not kept.
    Rejected,
    /// It is answered with an ATT error and not taken.
    Error,
    /// It is neither taken nor answered.
    Hangs,
    /// The link is lost before it is taken.
    LostBefore,
    /// It is taken, and the link is lost before the answer.
    LostAfter,
    /// One with an answer is taken, but the answer is lost, and the link stays.
    AnswerLost,
    /// One without an answer never arrives, and nobody is told.
    Vanishes,
}

/// Which notification a fault hits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotificationKind {
    /// The answer to a picture packet that was kept.
    Accepted,
    /// The answer to a picture packet that was not.
    Rejected,
    /// The end of a redraw.
    RefreshDone,
    /// What an EPD-nRF5 clock says it is.
    Configuration,
    /// The terms on which an EPD-nRF5 clock takes a picture.
    Terms,
    /// The time an EPD-nRF5 clock has.
    Time,
}

/// What goes wrong with a notification.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotificationFault {
    /// It never comes.
    Lost,
    /// It comes twice.
    Doubled,
    /// It comes late.
    Late(Duration),
}
