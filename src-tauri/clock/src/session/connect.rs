//! Hearing a clock and making a link to it.

use std::sync::Arc;

use tokio::time::{Instant, sleep, sleep_until, timeout};

use super::actor::{Actor, Held, Run, Stop, release, whole_seconds};
use super::limits::{
    ADAPTER_RETURN, ADAPTER_RETURN_POLL, CONNECT_ATTEMPT_LIMIT, CONNECT_BACKOFF, CONNECT_TRIES,
    DISCOVERY_GAP, DISCOVERY_LIMIT, DISCOVERY_TRIES, SCAN_BREAKS, SCAN_START_LIMIT,
    SCAN_STOP_LIMIT, TICK,
};
use super::memory::PictureMemory;
use super::pace::Pace;
use super::state::{ClockName, LinkState, Stage};
use crate::ClockError;
use crate::dialect::{Discovered, Family, Traits};
use crate::link::{Address, Advertisement, Connection, Scan};

impl Actor {
    /// Makes sure that there is a link to the wanted clock.
    pub(super) async fn ensure_link(&mut self, run: &mut Run) -> Result<(), Stop> {
        let wanted = run
            .pinned
            .clone()
            .or_else(|| run.ticket.job.target().cloned())
            .or_else(|| self.shared.default_target.borrow().clone());
        if let Some(held) = &self.held {
            let right = wanted
                .as_ref()
                .is_none_or(|wanted| *wanted == held.clock.address);
            if right && !held.connection.link.is_lost() {
                self.introduce(run);
                return Ok(());
            }
        }
        self.let_go().await;
        let held = self.find_and_connect(wanted.as_ref(), run).await?;
        if self.paced_clock.as_ref() != Some(&held.clock.address) {
            self.paced_clock = Some(held.clock.address.clone());
            self.pace = Pace::default();
        }
        self.held = Some(held);
        self.introduce(run);
        Ok(())
    }

    /// Writes the linked clock into the operation's progress and report, and keeps to it.
    fn introduce(&self, run: &mut Run) {
        let clock = self.held.as_ref().map(|held| held.clock.clone());
        run.pinned = clock.as_ref().map(|clock| clock.address.clone());
        run.tally.report.clock.clone_from(&clock);
        run.ticket
            .progress
            .send_modify(|progress| progress.clock = clock);
    }

    async fn find_and_connect(&self, wanted: Option<&Address>, run: &Run) -> Result<Held, Stop> {
        let started = Instant::now();
        let deadline = (started + self.config.connect_limit).min(run.deadline);
        let (mut backoff, longest_backoff) = CONNECT_BACKOFF;
        let mut last_error = None;
        for attempt in 1..=CONNECT_TRIES {
            let Some(heard) = self.listen(wanted, started, deadline, run).await? else {
                break;
            };
            match self.connect(&heard, attempt, deadline, run).await? {
                Ok(held) => return Ok(held),
                // Asking a device of another kind again changes nothing.
                Err(error @ ClockError::CharacteristicsMissing { .. }) => {
                    return Err(Stop::Failed(error));
                }
                Err(error) => {
                    tracing::info!(attempt, %error, "could not connect");
                    last_error = Some(error);
                }
            }
            let wait = backoff.min(deadline.saturating_duration_since(Instant::now()));
            unless_cancelled(run, sleep(wait)).await?;
            backoff = (backoff * 2).min(longest_backoff);
        }
        let seconds = started.elapsed().as_secs();
        Err(Stop::Failed(last_error.unwrap_or_else(|| match wanted {
            Some(address) => ClockError::TargetNotHeard {
                address: address.clone(),
                seconds,
            },
            None => ClockError::NotFound { seconds },
        })))
    }

    /// Listens until the wanted clock (or any) is heard; none at the deadline.
    async fn listen(
        &self,
        wanted: Option<&Address>,
        started: Instant,
        deadline: Instant,
        run: &Run,
    ) -> Result<Option<Advertisement>, Stop> {
        let met = run.ticket.progress.borrow().clock.is_some();
        if met {
            // A link was lost or did not come about, perhaps because the Bluetooth service started
            // anew.
            self.await_adapter(run).await?;
        } else {
            unless_cancelled(run, self.check_adapter())
                .await?
                .map_err(Stop::Failed)?;
        }
        let mut scan = self.start_scan(run).await?;
        let mut breaks = 0;
        let found = loop {
            self.publish_listening(started, self.config.connect_limit);
            let left = deadline.saturating_duration_since(Instant::now());
            run.stage(Stage::Listening, Some(whole_seconds(left)));
            let next = unless_cancelled(run, async {
                tokio::select! {
                    biased;
                    heard = scan.next() => Heard::Clock(heard),
                    () = sleep_until(deadline) => Heard::Nothing,
                    () = sleep(TICK) => Heard::Silence,
                }
            });
            match next.await? {
                Heard::Clock(Some(heard)) => {
                    self.note_heard(heard.clone());
                    let right = match wanted {
                        Some(wanted) => *wanted == heard.address,
                        None => Family::of_name(&heard.name).is_some(),
                    };
                    if right {
                        break Some(heard);
                    }
                    // A flood of other devices must not keep the deadline from being seen.
                    if Instant::now() >= deadline {
                        break None;
                    }
                }
                Heard::Clock(None) => {
                    self.await_adapter(run).await?;
                    breaks += 1;
                    if breaks > SCAN_BREAKS {
                        let detail = "the scan broke off".to_owned();
                        return Err(Stop::Failed(ClockError::Bluetooth { detail }));
                    }
                    scan = self.start_scan(run).await?;
                }
                Heard::Nothing => break None,
                Heard::Silence => {}
            }
        };
        // A scan that does not stop in time only makes connecting slower.
        let _ = unless_cancelled(run, timeout(SCAN_STOP_LIMIT, scan.stop())).await?;
        if found.is_none() {
            // Not every system says so when a radio under a scan is switched off or pulled out.
            self.unless_unavailable().await.map_err(Stop::Failed)?;
        }
        Ok(found)
    }

    async fn start_scan(&self, run: &Run) -> Result<Scan, Stop> {
        unless_cancelled(run, timeout(SCAN_START_LIMIT, self.adapter.scan()))
            .await?
            .unwrap_or_else(|_| {
                Err(ClockError::Bluetooth {
                    detail: "the scan did not start".to_owned(),
                })
            })
            .map_err(Stop::Failed)
    }

    /// Waits for an adapter that was there a moment ago.
    async fn await_adapter(&self, run: &Run) -> Result<(), Stop> {
        let end = Instant::now() + ADAPTER_RETURN;
        loop {
            match unless_cancelled(run, self.check_adapter()).await? {
                Ok(()) => return Ok(()),
                Err(error) if Instant::now() >= end => return Err(Stop::Failed(error)),
                Err(error) => tracing::debug!(%error, "waiting for the adapter"),
            }
            unless_cancelled(run, sleep(ADAPTER_RETURN_POLL)).await?;
        }
    }

    async fn connect(
        &self,
        heard: &Advertisement,
        attempt: u32,
        deadline: Instant,
        run: &Run,
    ) -> Result<Result<Held, ClockError>, Stop> {
        let mut clock = ClockName {
            address: heard.address.clone(),
            name: self.name_of(heard),
            family: Family::of_name(&heard.name),
            simulated: heard.simulated,
        };
        run.ticket
            .progress
            .send_modify(|progress| progress.clock = Some(clock.clone()));
        run.stage(Stage::Connecting, None);
        self.publish(LinkState::Connecting {
            clock: clock.clone(),
            attempt,
        });
        let limit = CONNECT_ATTEMPT_LIMIT.min(deadline.saturating_duration_since(Instant::now()));
        let attempt = timeout(limit, self.adapter.connect(&clock.address));
        let connection = match unless_cancelled(run, attempt).await? {
            Ok(Ok(connection)) => connection,
            Ok(Err(error)) => return Ok(Err(error)),
            Err(_) => {
                let detail = format!("no answer within {} s", limit.as_secs());
                return Ok(Err(ClockError::ConnectFailed {
                    address: clock.address,
                    detail,
                }));
            }
        };
        run.stage(Stage::Discovering, None);
        self.publish(LinkState::Discovering {
            clock: clock.clone(),
        });
        // One budget for connecting and reading the services.
        let left = deadline.saturating_duration_since(Instant::now());
        let discovery = async {
            timeout(left, discover(&connection, &clock.address))
                .await
                .unwrap_or_else(|_| {
                    Err(ClockError::DiscoveryTimeout {
                        address: clock.address.clone(),
                        seconds: left.as_secs(),
                    })
                })
        };
        match unless_cancelled(run, discovery).await {
            Ok(Ok(Discovered { family, version })) => {
                clock.family = Some(family);
                Ok(Ok(Held {
                    connection,
                    clock,
                    dialect: Arc::clone(self.dialects.of(family)),
                    traits: Traits {
                        version,
                        ..Traits::default()
                    },
                    since: Instant::now(),
                    introduced: false,
                    memory: PictureMemory::default(),
                }))
            }
            Ok(Err(error)) => {
                release(&connection).await;
                Ok(Err(error))
            }
            Err(stop) => {
                release(&connection).await;
                Err(stop)
            }
        }
    }
}

enum Heard {
    Clock(Option<Advertisement>),
    Nothing,
    Silence,
}

pub(crate) async fn discover(
    connection: &Connection,
    address: &Address,
) -> Result<Discovered, ClockError> {
    let mut tries = 1;
    loop {
        let result = timeout(DISCOVERY_LIMIT, connection.link.discover()).await;
        match result {
            Ok(Err(
                ClockError::CharacteristicsMissing { .. } | ClockError::ServicesUnread { .. },
            )) if tries < DISCOVERY_TRIES => {
                tries += 1;
                sleep(DISCOVERY_GAP).await;
            }
            Ok(result) => return result,
            // A question that is not answered blocks the next one on some systems.
            Err(_) => {
                return Err(ClockError::DiscoveryTimeout {
                    address: address.clone(),
                    seconds: DISCOVERY_LIMIT.as_secs(),
                });
            }
        }
    }
}

/// Waits for something, or for the operation to be cancelled.
pub(super) async fn unless_cancelled<T>(
    run: &Run,
    what: impl Future<Output = T>,
) -> Result<T, Stop> {
    tokio::select! {
        biased;
        () = run.ticket.cancel().cancelled() => Err(Stop::Cancelled),
        value = what => Ok(value),
    }
}
