//! The search for devices on the network, as a stream of events. What it hears is only a hint:
//! whether a device is there is found out over HTTP.

mod advert;
mod interfaces;
mod mdns;

use tokio::sync::mpsc;

use crate::names::InstanceName;
use crate::room::Search;
use crate::state::SearchState;

pub(crate) use advert::Advert;

/// How many events wait for the registry. A flood fills this, then the queue of the search itself,
/// which then starts over and tells what is there by that time.
const EVENTS: usize = 64;

/// What the search has to say.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Event {
    /// A device tells of itself, for the first time or anew.
    Heard(Advert),
    /// A device has said goodbye, or nothing was heard of it for as long as it had promised.
    Gone(InstanceName),
    /// The search itself has changed.
    Search(SearchState),
}

/// Starts the search on the current runtime. It ends when the receiver is dropped.
pub(crate) fn start(search: Search) -> mpsc::Receiver<Event> {
    let (events, receiver) = mpsc::channel(EVENTS);
    let scope = match search {
        Search::Off => return receiver,
        Search::Network => interfaces::Scope::Network,
        Search::Loopback => interfaces::Scope::Loopback,
    };
    tokio::spawn(mdns::search(scope, events));
    receiver
}
