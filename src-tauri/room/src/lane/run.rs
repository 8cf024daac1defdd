//! The task of a lane: what begins, and when.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch as channel;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep_until, timeout, timeout_at};

use crate::answer::Done;
use crate::error::RoomError;

use super::action::Action;
use super::device::{Device, Pass};
use super::queue::{self, Queue};
use super::relay::{self, Relay};
use super::{Ask, COMMAND_TIME, Inbox, LaneState, URGENT, Work, command, fault, watch};

/// How long what is in progress may take to end when the lane ends.
const LAST_MOMENT: Duration = Duration::from_millis(500);

/// Something in progress that this task goes on with.
type Job = Pin<Box<dyn Future<Output = ()> + Send>>;

struct Runner {
    device: Arc<Device>,
    queue: Queue,
    command: Option<Job>,
    overrides: JoinSet<()>,
    poll: Option<Job>,
    next_poll: Instant,
    polls: u64,
    /// What its gateway is like, where it has one.
    gateway: Option<channel::Receiver<LaneState>>,
}

/// Runs a lane until it is ended or nobody holds it any more.
pub(super) async fn run(device: Arc<Device>, mut inbox: Inbox) {
    let mut runner = Runner {
        device,
        queue: Queue::default(),
        command: None,
        overrides: JoinSet::new(),
        poll: None,
        next_poll: Instant::now(),
        polls: 0,
        gateway: None,
    };
    runner.follow_gateway();
    loop {
        runner.begin();
        let due = runner.queue.due();
        let poll_due = runner.poll_due();
        tokio::select! {
            biased;
            () = inbox.end.cancelled() => break,
            ask = inbox.urgent.recv() => match ask {
                Some(ask) => runner.press(ask),
                None => break,
            },
            changed = inbox.setting.changed() => {
                if changed.is_err() {
                    break;
                }
                let setting = inbox.setting.borrow_and_update().clone();
                if runner.device.set(setting) {
                    runner.follow_gateway();
                    runner.look_now();
                }
            }
            () = inbox.moved.notified() => runner.device.note_moved(),
            () = inbox.nudge.notified() => runner.look_now(),
            ask = inbox.asks.recv() => match ask {
                Some(ask) => {
                    let guard = runner.device.guard();
                    runner.queue.take(ask, &runner.device.id, guard);
                }
                None => break,
            },
            () = going(&mut runner.command) => runner.command_ended(),
            Some(_) = runner.overrides.join_next() => {}
            () = going(&mut runner.poll) => runner.poll_ended(),
            () = at(due) => runner.queue.expire(&runner.device.id),
            () = at(poll_due) => runner.poll = Some(Box::pin(watch::poll(Arc::clone(&runner.device)))),
            () = told(&mut runner.gateway) => runner.note_gateway(),
        }
    }
    runner.end().await;
}

impl Runner {
    /// Begins with the next request, if none is in progress.
    fn begin(&mut self) {
        if self.command.is_none()
            && let Some(ask) = self.queue.next()
        {
            // It only reads, and the command tells as much: the command need not wait for it.
            self.poll = None;
            let device = Arc::clone(&self.device);
            self.command = Some(Box::pin(async move {
                let done = carry_out(device, ask.work, Pass::By(ask.by)).await;
                // Whoever asked has gone.
                let _ = ask.done.send(done);
            }));
        }
        let busy = self.command.is_some() || !self.queue.is_empty() || !self.overrides.is_empty();
        self.device.set_busy(busy);
    }

    /// Begins with an override, whatever else is in progress.
    fn press(&mut self, ask: Ask) {
        let busy = RoomError::Busy {
            device: self.device.id.clone(),
            retry_after: fault::AGAIN,
        };
        if self.overrides.len() >= URGENT {
            queue::end(ask, busy);
            return;
        }
        let device = Arc::clone(&self.device);
        self.overrides.spawn(async move {
            let limit = Instant::now() + COMMAND_TIME;
            let turn = timeout_at(limit, device.overrides.acquire()).await;
            let done = match turn {
                Ok(Ok(_turn)) => carry_out(Arc::clone(&device), ask.work, Pass::Now).await,
                Ok(Err(_)) => Err(RoomError::Closed),
                Err(_) => Err(busy),
            };
            // Whoever asked has gone.
            let _ = ask.done.send(done);
        });
    }

    fn command_ended(&mut self) {
        self.command = None;
        // Its own look at the device counts.
        let just_read = self
            .device
            .read_ago()
            .is_some_and(|ago| ago < command::JUST_READ);
        if just_read {
            self.schedule();
        }
    }

    fn poll_ended(&mut self) {
        self.poll = None;
        self.schedule();
    }

    fn schedule(&mut self) {
        self.polls += 1;
        let interval = watch::interval(&self.device.id, self.polls, self.device.silent());
        self.next_poll = Instant::now() + interval;
    }

    fn look_now(&mut self) {
        self.poll = None;
        self.next_poll = Instant::now();
    }

    /// When the device is to be looked at; never beside a command, and never one that only its
    /// gateway reaches.
    fn poll_due(&self) -> Option<Instant> {
        let setting = self.device.setting();
        let idle = self.command.is_none() && self.poll.is_none();
        let reachable = setting.via.is_none() && setting.address.is_some();
        (idle && reachable).then_some(self.next_poll)
    }

    fn follow_gateway(&mut self) {
        let via = self.device.setting().via;
        self.gateway = via.map(|gateway| gateway.state());
        self.note_gateway();
    }

    fn note_gateway(&mut self) {
        if let Some(gateway) = &mut self.gateway {
            let condition = relay::condition(&gateway.borrow_and_update());
            self.device.note_condition(condition);
        }
    }

    /// Lets what is in progress end within a moment, and refuses everything else.
    async fn end(mut self) {
        self.poll = None;
        let rest = async {
            if let Some(command) = self.command.take() {
                command.await;
            }
            while self.overrides.join_next().await.is_some() {}
        };
        if timeout(LAST_MOMENT, rest).await.is_err() {
            self.overrides.shutdown().await;
        }
        while let Some(ask) = self.queue.next() {
            queue::end(ask, RoomError::Closed);
        }
        self.device.set_busy(false);
    }
}

/// Carries out what was asked, by whichever way leads to the device.
async fn carry_out(device: Arc<Device>, work: Work, pass: Pass) -> Result<Done, RoomError> {
    let setting = device.setting();
    match (work, setting.via) {
        (Work::Own(request), Some(gateway)) => {
            let request = command::capped(request, setting.volume_limit);
            relay::carry_out(device, gateway, request, pass).await
        }
        (Work::Own(request), None) => {
            let request = command::capped(request, setting.volume_limit);
            command::carry_out(device, Action::Own(request), pass).await
        }
        (Work::Relay(_), Some(_)) => Err(RoomError::GatewayInvalid {
            gateway: device.id.clone(),
        }),
        (Work::Relay(request), None) => {
            let relay = Relay::new(&device, request)?;
            command::carry_out(device, Action::Relay(relay), pass).await
        }
    }
}

/// Goes on with a job until it ends; with none, for ever.
async fn going(job: &mut Option<Job>) {
    match job {
        Some(job) => job.await,
        None => std::future::pending().await,
    }
}

/// Waits for a moment; for none, for ever.
async fn at(moment: Option<Instant>) {
    match moment {
        Some(moment) => sleep_until(moment).await,
        None => std::future::pending().await,
    }
}

/// Waits until a gateway changes; without one, for ever.
async fn told(gateway: &mut Option<channel::Receiver<LaneState>>) {
    if let Some(gateway) = gateway
        && gateway.changed().await.is_ok()
    {
        return;
    }
    // There is none, or it has ended, which another setting will tell.
    std::future::pending().await
}
