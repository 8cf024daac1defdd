//! Whose place is where: which device that was heard of is one that was set, which of them has
//! moved, and which is a second board with the same name.

use std::time::Duration;

use tokio::time::Instant;

use super::found::{Entry, Found, Key};
use crate::address::Address;
use crate::dialect::Family;
use crate::names::{DeviceId, InstanceName};

/// How long a device that bears the name of one that was set is not offered as another one: the
/// time in which that one is found not to answer any more where it was (a poll, its retry).
pub(super) const GRACE: Duration = Duration::from_secs(15);

/// How long a device must be silent before a board takes its place that was there, under the same
/// name, while it still answered: a board of which only an answer or two got lost must not be
/// mistaken for another.
pub(super) const PATIENCE: Duration = Duration::from_secs(60);

/// Where a device that was set stands.
#[derive(Clone, Debug)]
pub(super) struct Standing<'a> {
    /// Which.
    pub(super) id: &'a DeviceId,
    /// The name it is followed by.
    pub(super) found_as: Option<&'a InstanceName>,
    /// Where it is asked.
    pub(super) address: Option<&'a Address>,
    /// What it spoke when it last answered.
    pub(super) family: Option<Family>,
    /// Since when it does not answer there.
    pub(super) silent_since: Option<Instant>,
}

/// A device that is to be asked elsewhere from now on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Move {
    /// Which.
    pub(super) device: DeviceId,
    /// Where.
    pub(super) to: Address,
}

/// What a device that was heard of is to those that were set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// Nothing: it is new.
    New,
    /// It is one of them, where it is asked.
    Settled,
    /// It bears the name of one of them and is elsewhere; it is new from that moment on, unless
    /// that one has moved there by then.
    Namesake {
        /// That moment.
        new_from: Instant,
    },
}

/// What a device that was heard of is to those that were set.
pub(super) fn role(standings: &[Standing<'_>], key: &Key, entry: &Entry) -> Role {
    let mut role = Role::New;
    for standing in standings {
        let named = standing.found_as == Some(&key.instance);
        let here = standing.stands_at(key, entry);
        if here && (named || standing.found_as.is_none()) {
            return Role::Settled;
        }
        if named {
            let new_from = entry.since + GRACE;
            role = Role::Namesake { new_from };
        } else if here && role == Role::New {
            role = Role::Settled;
        }
    }
    role
}

/// The devices that have moved: each is named by a board that was recognised elsewhere, does not
/// answer where it was or has another board in its place, and takes nobody's place.
pub(super) fn moves(standings: &[Standing<'_>], found: &Found, now: Instant) -> Vec<Move> {
    standings
        .iter()
        .filter_map(|standing| {
            let named = standing.found_as?;
            let (_, to) = found
                .iter()
                .filter(|(key, entry)| key.instance == *named && entry.advertised)
                .filter_map(|(key, entry)| {
                    let to = standing.way_to(key, entry)?;
                    let may = standing.may_leave(found, entry, now)
                        && !standings
                            .iter()
                            .any(|other| other.id != standing.id && other.holds(found, key, entry));
                    may.then_some(((entry.since, key.ip), to))
                })
                .max_by_key(|(order, _)| *order)?;
            Some(Move {
                device: standing.id.clone(),
                to,
            })
        })
        .collect()
}

/// When one of the answers above may change by itself next.
pub(super) fn next_change(
    standings: &[Standing<'_>],
    found: &Found,
    now: Instant,
) -> Option<Instant> {
    let patience = standings
        .iter()
        .filter(|standing| standing.found_as.is_some())
        .filter_map(|standing| Some(standing.silent_since? + PATIENCE));
    let grace = found
        .iter()
        .filter(|(key, _)| {
            let named = |standing: &Standing<'_>| standing.found_as == Some(&key.instance);
            standings.iter().any(named)
        })
        .map(|(_, entry)| entry.since + GRACE);
    patience.chain(grace).filter(|at| *at > now).min()
}

impl Standing<'_> {
    /// Whether it is asked where that device is.
    fn stands_at(&self, key: &Key, entry: &Entry) -> bool {
        let Some(address) = self.address else {
            return false;
        };
        match address.ip() {
            // Each simulated device has a port of this computer; a board has an address.
            Some(ip) if ip.is_loopback() => {
                ip == key.ip
                    && address
                        .port()
                        .is_none_or(|port| port == entry.port || port == entry.best_port())
            }
            Some(ip) => ip == key.ip,
            None => address.host().trim_end_matches('.') == entry.hostname,
        }
    }

    /// Where it would be asked there; `None` where it is asked there already, or that was not
    /// recognised as what it is.
    fn way_to(&self, key: &Key, entry: &Entry) -> Option<Address> {
        let seen = entry.seen?;
        if self.family.is_some_and(|family| family != seen.family) {
            return None;
        }
        let to = Address::of_ip(key.ip, Some(seen.port)).ok()?;
        (self.address != Some(&to)).then_some(to)
    }

    /// Whether it may be looked for at that other place.
    fn may_leave(&self, found: &Found, entry: &Entry, now: Instant) -> bool {
        if self.address.is_none() {
            return true;
        }
        match self.silent_since {
            // It was another board for all the time in which both were there.
            Some(silent) if silent > entry.since + GRACE => now >= silent + PATIENCE,
            Some(_) => true,
            None => self.is_ousted(found),
        }
    }

    /// Whether another device tells of itself where it was, and itself no longer does.
    fn is_ousted(&self, found: &Found) -> bool {
        let mut another = false;
        for (key, entry) in found.iter() {
            if entry.advertised && self.stands_at(key, entry) {
                if self.found_as == Some(&key.instance) {
                    return false;
                }
                another = true;
            }
        }
        another
    }

    /// Whether it stands where that device is, by right.
    fn holds(&self, found: &Found, key: &Key, entry: &Entry) -> bool {
        if !self.stands_at(key, entry) {
            return false;
        }
        match self.found_as {
            None => self.silent_since.is_none(),
            Some(name) if *name == key.instance => true,
            Some(name) => {
                let own = Key {
                    instance: name.clone(),
                    ip: key.ip,
                };
                found.get(&own).is_some_and(|own| own.advertised)
            }
        }
    }
}
