//! Things that go wrong when they are ordered.

use std::time::Duration;

/// What goes wrong with a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DeviceFault {
    /// The connection is reset before anything is read.
    Refuse,
    /// The connection is reset once the request is there; nothing is done.
    Reset,
    /// What is asked is done at once, but answered only after this time, for which the device does
    /// nothing else.
    Slow(Duration),
    /// The answer's body comes in small pieces over this time.
    SlowBody(Duration),
    /// The answer ends after this many bytes of its body.
    CutBody(usize),
    /// The answer is a hundred megabytes.
    HugeBody,
    /// The answer is a web page, with status 200.
    WrongType,
    /// This is answered, and nothing is done.
    Status {
        /// The status.
        status: u16,
        /// The body, JSON or not.
        body: String,
        /// The value of a `Retry-After` header, in seconds.
        retry_after: Option<u32>,
    },
    /// The answer has bytes in it that are no UTF-8.
    InvalidUtf8,
    /// The device restarts in the midst of the request and is not there for a while.
    Reboot {
        /// What was asked had been done by then.
        applied: bool,
        /// How long it takes.
        down: Duration,
    },
    /// What is asked is done, and never answered.
    AppliedButSilent,
    /// The picture is the one before.
    StaleFrame,
}

impl DeviceFault {
    /// A status with `{"error":…}`.
    #[must_use]
    pub fn status(status: u16, error: &str) -> Self {
        Self::Status {
            status,
            body: format!("{{\"ok\":false,\"error\":\"{error}\"}}"),
            retry_after: None,
        }
    }
}

/// A fault and what is left of its order.
#[derive(Debug)]
struct Order {
    fault: DeviceFault,
    /// Every request whose path begins with this.
    path: String,
    times: u32,
}

/// The faults that are ordered for a device, in order.
#[derive(Debug, Default)]
pub(crate) struct Orders(Vec<Order>);

impl Orders {
    pub(crate) fn add(&mut self, fault: DeviceFault, path: &str, times: u32) {
        self.0.push(Order {
            fault,
            path: path.to_owned(),
            times,
        });
    }

    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }

    /// What goes wrong with the next connection, before its request is known.
    pub(crate) fn refuses(&mut self) -> bool {
        self.take(|order| order.fault == DeviceFault::Refuse)
            .is_some()
    }

    /// What goes wrong with a request for this path.
    pub(crate) fn next(&mut self, path: &str) -> Option<DeviceFault> {
        self.take(|order| {
            order.fault != DeviceFault::Refuse && path.starts_with(order.path.as_str())
        })
    }

    /// `u32::MAX` times are always.
    fn take(&mut self, matches: impl Fn(&Order) -> bool) -> Option<DeviceFault> {
        let index = self.0.iter().position(matches)?;
        let order = self.0.get_mut(index)?;
        let fault = order.fault.clone();
        if order.times != u32::MAX {
            order.times -= 1;
        }
        if order.times == 0 {
            self.0.remove(index);
        }
        Some(fault)
    }
}
