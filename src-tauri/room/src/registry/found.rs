//! Devices that were heard of, each at one address: what they say, and what was seen there.
//!
//! One that tells of itself is there at once, and is then looked at. One that no longer tells of
//! itself stays for as long as it answers (NET-6: a board's responder falls silent while the board
//! does not).

use std::collections::HashMap;
use std::net::IpAddr;
use std::time::Duration;

use tokio::time::Instant;

use super::naming;
use crate::address::Address;
use crate::dialect::Family;
use crate::discovery::Advert;
use crate::names::InstanceName;

/// Most devices that nobody has set and that are kept: more than any room has, and few enough that
/// a flood of announcements costs nothing.
pub(crate) const MAX_FOUND: usize = 100;

/// How many more are kept where they bear the name of a device that was set.
const MAX_AWAITED: usize = 2 * super::MAX_DEVICES;

/// When a device that could not be recognised is looked at again; doubled up to [`MOST_PAUSE`].
const LOOK_AGAIN: Duration = Duration::from_secs(10);

/// The longest pause between two looks.
const MOST_PAUSE: Duration = Duration::from_secs(160);

/// How often a device that no longer tells of itself is looked at.
const STILL_THERE: Duration = Duration::from_secs(10);

/// Names a device that was heard of: two boards with one name differ in their address.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Key {
    /// Its service's full name.
    pub(super) instance: InstanceName,
    /// Where it is.
    pub(super) ip: IpAddr,
}

impl Key {
    /// As it is shown to those who name it.
    pub(super) fn text(&self) -> String {
        format!("{}@{}", self.instance, self.ip)
    }
}

/// What was seen where a device is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Seen {
    /// The port that answered.
    pub(super) port: u16,
    /// What its firmware speaks.
    pub(super) family: Family,
    /// It asks for a token.
    pub(super) asks_for_token: bool,
}

/// A device that was heard of.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    /// Its host name.
    pub(super) hostname: String,
    /// The port it tells of.
    pub(super) port: u16,
    /// The room it tells of.
    pub(super) room: Option<String>,
    /// The version it tells of.
    pub(super) version: Option<String>,
    /// When it was first heard of, in milliseconds since 1970.
    pub(super) found_at: u64,
    /// When it was first heard of.
    pub(super) since: Instant,
    /// It tells of itself still.
    pub(super) advertised: bool,
    /// What was seen, at the port it tells of now.
    pub(super) seen: Option<Seen>,
    look: Look,
}

/// When a device is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Look {
    /// At that moment, after so many looks that saw nothing.
    At(Instant, u32),
    /// It is looked at now, after so many looks that saw nothing; the number tells this look from
    /// one that has been overtaken.
    Now(u64, u32),
    /// Not again, unless something changes.
    Done,
}

impl Entry {
    /// The port where it answers, or says it does.
    pub(super) fn best_port(&self) -> u16 {
        self.seen.map_or(self.port, |seen| seen.port)
    }
}

/// A look that is due.
#[derive(Clone, Debug)]
pub(super) struct Due {
    /// Whom.
    pub(super) key: Key,
    /// Where.
    pub(super) address: Address,
    /// Which look this is.
    pub(super) number: u64,
}

/// Every device that was heard of.
#[derive(Debug, Default)]
pub(super) struct Found {
    entries: HashMap<Key, Entry>,
    looks: u64,
}

impl Found {
    /// All of them.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&Key, &Entry)> {
        self.entries.iter()
    }

    /// One of them.
    pub(super) fn get(&self, key: &Key) -> Option<&Entry> {
        self.entries.get(key)
    }

    /// Takes in what a device tells of itself. `awaited` says whether a device that was set bears
    /// that name.
    pub(super) fn heard(&mut self, advert: &Advert, awaited: bool, now: Instant, wall: u64) {
        for (key, entry) in &mut self.entries {
            let elsewhere = key.instance == advert.instance && !advert.addresses.contains(&key.ip);
            if elsewhere && entry.advertised {
                entry.falls_silent(now);
            }
        }
        for ip in &advert.addresses {
            let key = Key {
                instance: advert.instance.clone(),
                ip: *ip,
            };
            if let Some(entry) = self.entries.get_mut(&key) {
                entry.heard_again(advert, now);
            } else if self.makes_room(awaited) {
                let entry = Entry::first_heard(advert, now, wall);
                self.entries.insert(key, entry);
            }
        }
        self.forget_superseded();
    }

    /// Takes in that a device says goodbye, or was not heard of for too long.
    pub(super) fn gone(&mut self, instance: &InstanceName, now: Instant) {
        for (key, entry) in &mut self.entries {
            if key.instance == *instance && entry.advertised {
                entry.falls_silent(now);
            }
        }
        self.forget_superseded();
    }

    /// Keeps those for which `keep` holds.
    pub(super) fn retain(&mut self, mut keep: impl FnMut(&Key, &Entry) -> bool) {
        self.entries.retain(|key, entry| keep(key, entry));
    }

    /// The looks that are due, among those that `wanted` names; they count as begun.
    pub(super) fn due(
        &mut self,
        now: Instant,
        mut wanted: impl FnMut(&Key, &Entry) -> bool,
    ) -> Vec<Due> {
        let mut due = Vec::new();
        for (key, entry) in &mut self.entries {
            let Look::At(at, failures) = entry.look else {
                continue;
            };
            if at > now || !wanted(key, entry) {
                continue;
            }
            // Port 0 is none; then those that firmwares use are tried.
            let port = Some(entry.best_port()).filter(|port| *port != 0);
            let Ok(address) = Address::of_ip(key.ip, port) else {
                entry.look = Look::Done;
                continue;
            };
            self.looks += 1;
            entry.look = Look::Now(self.looks, failures);
            due.push(Due {
                key: key.clone(),
                address,
                number: self.looks,
            });
        }
        due
    }

    /// When the next look is due, among those that `wanted` names.
    pub(super) fn next_look(
        &self,
        mut wanted: impl FnMut(&Key, &Entry) -> bool,
    ) -> Option<Instant> {
        self.entries
            .iter()
            .filter(|(key, entry)| wanted(key, entry))
            .filter_map(|(_, entry)| match entry.look {
                Look::At(at, _) => Some(at),
                Look::Now(..) | Look::Done => None,
            })
            .min()
    }

    /// Takes in what a look has seen, unless it was overtaken.
    pub(super) fn looked(&mut self, due: &Due, seen: Option<Seen>, now: Instant) {
        let Some(entry) = self.entries.get_mut(&due.key) else {
            return;
        };
        let Look::Now(number, failures) = entry.look else {
            return;
        };
        if number != due.number {
            return;
        }
        entry.look = match (seen, entry.advertised) {
            (Some(_), true) => Look::Done,
            (Some(_), false) => Look::At(now + STILL_THERE, 0),
            (None, true) => {
                let pause = LOOK_AGAIN * 2_u32.pow(failures.min(4));
                Look::At(now + pause.min(MOST_PAUSE), failures.saturating_add(1))
            }
            (None, false) => {
                self.entries.remove(&due.key);
                return;
            }
        };
        entry.seen = seen;
    }

    /// Whether one more can be kept, having let go of one that does not answer if need be.
    fn makes_room(&mut self, awaited: bool) -> bool {
        let limit = if awaited {
            MAX_FOUND + MAX_AWAITED
        } else {
            MAX_FOUND
        };
        if self.entries.len() < limit {
            return true;
        }
        let silent = self
            .entries
            .iter()
            .find(|(_, entry)| matches!(entry.look, Look::At(_, failures) if failures > 0))
            .map(|(key, _)| key.clone());
        silent.is_some_and(|key| self.entries.remove(&key).is_some())
    }

    /// Lets go of those that no longer tell of themselves from where another one does now: a board
    /// that has changed its name.
    fn forget_superseded(&mut self) {
        let places: Vec<(IpAddr, u16)> = self
            .entries
            .iter()
            .filter(|(_, entry)| entry.advertised)
            .map(|(key, entry)| (key.ip, entry.port))
            .collect();
        self.entries
            .retain(|key, entry| entry.advertised || !places.contains(&(key.ip, entry.port)));
    }
}

impl Entry {
    fn first_heard(advert: &Advert, now: Instant, wall: u64) -> Self {
        Self {
            hostname: advert.hostname.clone(),
            port: advert.port,
            room: advert.room.clone(),
            version: advert.version.clone(),
            found_at: wall,
            since: now,
            advertised: true,
            seen: None,
            look: Look::At(now, 0),
        }
    }

    fn heard_again(&mut self, advert: &Advert, now: Instant) {
        if self.port != advert.port || !self.advertised {
            self.look = Look::At(now, 0);
        }
        if self.port != advert.port {
            self.seen = None;
        }
        if !self.advertised {
            self.since = now;
        }
        self.advertised = true;
        self.hostname.clone_from(&advert.hostname);
        self.port = advert.port;
        self.room.clone_from(&advert.room);
        self.version.clone_from(&advert.version);
    }

    fn falls_silent(&mut self, now: Instant) {
        self.advertised = false;
        self.look = Look::At(now, 0);
    }
}

/// What a device calls itself.
pub(super) fn name(key: &Key) -> String {
    naming::label(&key.instance)
}
