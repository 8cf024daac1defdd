//! The search by mDNS. The protocol runs on a thread of its library; this task carries what it
//! hears to the registry, and asks anew now and then.

use std::time::Duration;

use mdns_sd::{DaemonEvent, IfKind, IfPredicate, Receiver, ServiceDaemon, ServiceEvent};
use tokio::sync::mpsc;
use tokio::task::spawn_blocking;
use tokio::time::{Instant, sleep, sleep_until, timeout};
use tracing::debug;

use super::Event;
use super::advert::{Advert, SERVICE};
use super::interfaces::Scope;
use crate::state::SearchState;

/// How often everybody is asked anew. The library's own interval doubles up to an hour, but the
/// answers of a board's responder get lost (NET-6), and a computer wakes up elsewhere (NET-8).
const ASK_AGAIN: Duration = Duration::from_secs(60);

/// The least time between two searches, so that a flood of announcements, which ends a search,
/// does not keep this task busy.
const LEAST_PAUSE: Duration = Duration::from_secs(1);

/// When a search that could not be started is tried again.
const TRY_AGAIN: Duration = Duration::from_secs(30);

/// How often it is looked which interfaces there are.
const LOOK_AT_INTERFACES: Duration = Duration::from_secs(5);

/// How long the last events of a search that was replaced are waited for.
const DRAIN: Duration = Duration::from_secs(1);

/// Searches until nobody listens any more.
pub(super) async fn search(scope: Scope, events: mpsc::Sender<Event>) {
    loop {
        let Err(failure) = run(scope, &events).await else {
            return;
        };
        debug!(%failure, "the search for devices ended");
        let detail = failure.to_string();
        let unavailable = Event::Search(SearchState::Unavailable { detail });
        if events.send(unavailable).await.is_err() {
            return;
        }
        tokio::select! {
            () = sleep(TRY_AGAIN) => {}
            () = events.closed() => return,
        }
    }
}

/// The library's thread; it ends when this is dropped.
struct Daemon(ServiceDaemon);

impl Daemon {
    fn start(scope: Scope) -> mdns_sd::Result<Self> {
        let daemon = Self(ServiceDaemon::new()?);
        // All others are on, those that come later too.
        let excluded =
            IfPredicate::new(move |interface| !scope.includes(&interface.name, interface.ip()));
        daemon.0.disable_interface(IfKind::Predicate(excluded))?;
        Ok(daemon)
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        if let Err(error) = self.0.shutdown() {
            debug!(%error, "the search for devices could not be ended");
        }
    }
}

/// One search, until nobody listens any more.
///
/// # Errors
/// What ended it.
async fn run(scope: Scope, events: &mpsc::Sender<Event>) -> mdns_sd::Result<()> {
    let daemon = Daemon::start(scope)?;
    let monitor = daemon.0.monitor()?;
    let mut shown = SearchState::Off;
    let mut heard = daemon.0.browse(SERVICE)?;
    let mut asked = Instant::now();
    let mut look_at_interfaces = Instant::now();
    loop {
        tokio::select! {
            event = heard.recv_async() => match event {
                Ok(event) => if !tell(event, scope, events).await { return Ok(()) },
                // It was too slow, and has missed some: whoever is there is told anew.
                Err(_) => {
                    sleep_until(asked + LEAST_PAUSE).await;
                    heard = daemon.0.browse(SERVICE)?;
                    asked = Instant::now();
                }
            },
            () = sleep_until(asked + ASK_AGAIN) => {
                let before = std::mem::replace(&mut heard, daemon.0.browse(SERVICE)?);
                asked = Instant::now();
                if !drain(&before, scope, events).await { return Ok(()) }
            }
            event = monitor.recv_async() => match event {
                Ok(DaemonEvent::IpAdd(_) | DaemonEvent::IpDel(_)) => {
                    look_at_interfaces = Instant::now();
                }
                Ok(DaemonEvent::Error(error)) => return Err(error),
                Ok(_) => {}
                Err(_) => return Err(mdns_sd::Error::DaemonShutdown),
            },
            () = sleep_until(look_at_interfaces) => {
                look_at_interfaces = Instant::now() + LOOK_AT_INTERFACES;
                let now = interfaces(scope).await;
                if now != shown {
                    shown = now.clone();
                    if events.send(Event::Search(now)).await.is_err() { return Ok(()) }
                }
            }
            () = events.closed() => return Ok(()),
        }
    }
}

/// What is still to be heard of a search that another one has replaced; false if nobody listens.
async fn drain(
    before: &Receiver<ServiceEvent>,
    scope: Scope,
    events: &mpsc::Sender<Event>,
) -> bool {
    let rest = async {
        while let Ok(event) = before.recv_async().await {
            if !tell(event, scope, events).await {
                return false;
            }
        }
        true
    };
    timeout(DRAIN, rest).await.unwrap_or(true)
}

/// Tells the registry of an event, if it means something to it; false if nobody listens.
async fn tell(event: ServiceEvent, scope: Scope, events: &mpsc::Sender<Event>) -> bool {
    let event = match event {
        ServiceEvent::ServiceResolved(service) => Advert::of(&service, scope).map(Event::Heard),
        ServiceEvent::ServiceRemoved(_, instance) => instance.parse().ok().map(Event::Gone),
        _ => None,
    };
    match event {
        Some(event) => events.send(event).await.is_ok(),
        None => true,
    }
}

/// The interfaces that are searched now.
async fn interfaces(scope: Scope) -> SearchState {
    match spawn_blocking(move || scope.names()).await {
        Ok(Ok(interfaces)) if interfaces.is_empty() => SearchState::Unavailable {
            detail: "this computer is on no network".to_owned(),
        },
        Ok(Ok(interfaces)) => SearchState::Running { interfaces },
        Ok(Err(error)) => SearchState::Unavailable {
            detail: error.to_string(),
        },
        Err(error) => SearchState::Unavailable {
            detail: error.to_string(),
        },
    }
}
