//! Unknown tokens are answered ever later, so that guessing is slow and a program with an old
//! token does little harm. A known token is never made to wait.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::Semaphore;
use tokio::time::{Instant, sleep};

/// How long an unknown token is remembered.
const WINDOW: Duration = Duration::from_secs(60);

/// Unknown tokens within [`WINDOW`] that one address may show before it waits: a client that was
/// given a wrong token tries two or three times.
const FREE_PER_ADDRESS: u32 = 5;

/// The same over all addresses, for a guesser that has many of them.
const FREE_OVERALL: u32 = 50;

/// The first wait; each further one is twice as long.
const FIRST_WAIT: Duration = Duration::from_millis(100);

/// The longest wait: below the patience of every client.
const LONGEST_WAIT: Duration = Duration::from_secs(2);

/// Answers that wait at once: each holds a connection, of which there are 256.
const PLACES: usize = 16;

/// Addresses remembered at once.
const ADDRESSES: usize = 256;

/// Counts unknown tokens.
#[derive(Debug)]
pub(super) struct Slowdown {
    strikes: Mutex<Strikes>,
    places: Semaphore,
}

#[derive(Debug, Default)]
struct Strikes {
    by_address: HashMap<IpAddr, Count>,
    overall: Option<Count>,
}

#[derive(Clone, Copy, Debug)]
struct Count {
    since: Instant,
    number: u32,
}

/// There is no place left to wait in.
#[derive(Debug)]
pub(super) struct Crowded {
    /// When to try again, in seconds.
    pub(super) retry_after: u64,
}

impl Slowdown {
    pub(super) fn new() -> Self {
        Self {
            strikes: Mutex::default(),
            places: Semaphore::new(PLACES),
        }
    }

    /// Notes an unknown token from that address, and returns when it is to be answered.
    pub(super) async fn strike(&self, address: IpAddr) -> Result<(), Crowded> {
        let wait = self.note(source(address), Instant::now());
        if wait.is_zero() {
            return Ok(());
        }
        let Ok(_place) = self.places.try_acquire() else {
            return Err(Crowded {
                retry_after: LONGEST_WAIT.as_secs(),
            });
        };
        sleep(wait).await;
        Ok(())
    }

    fn note(&self, address: IpAddr, now: Instant) -> Duration {
        // Counts are replaced whole: a poisoned lock holds good ones.
        let mut strikes = self.strikes.lock().unwrap_or_else(PoisonError::into_inner);
        let overall = Count::next(strikes.overall, now);
        strikes.overall = Some(overall);
        if strikes.by_address.len() >= ADDRESSES && !strikes.by_address.contains_key(&address) {
            strikes.forget_oldest(now);
        }
        let own = Count::next(strikes.by_address.get(&address).copied(), now);
        strikes.by_address.insert(address, own);
        wait(own.number, FREE_PER_ADDRESS).max(wait(overall.number, FREE_OVERALL))
    }
}

impl Strikes {
    fn forget_oldest(&mut self, now: Instant) {
        self.by_address.retain(|_, count| count.is_fresh(now));
        if self.by_address.len() >= ADDRESSES {
            let oldest = self
                .by_address
                .iter()
                .min_by_key(|(_, count)| count.since)
                .map(|(address, _)| *address);
            if let Some(oldest) = oldest {
                self.by_address.remove(&oldest);
            }
        }
    }
}

impl Count {
    fn is_fresh(&self, now: Instant) -> bool {
        now.duration_since(self.since) < WINDOW
    }

    fn next(last: Option<Self>, now: Instant) -> Self {
        match last {
            Some(count) if count.is_fresh(now) => Self {
                number: count.number.saturating_add(1),
                ..count
            },
            _ => Self {
                since: now,
                number: 1,
            },
        }
    }
}

fn wait(number: u32, free: u32) -> Duration {
    match number.checked_sub(free) {
        None | Some(0) => Duration::ZERO,
        Some(over) => FIRST_WAIT
            .saturating_mul(2_u32.saturating_pow(over - 1))
            .min(LONGEST_WAIT),
    }
}

/// One host of the Internet has a whole /64 of IPv6 addresses to choose from.
fn source(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => IpAddr::V6(Ipv6Addr::from_bits(
            address.to_bits() & !u128::from(u64::MAX),
        )),
        v4 => v4,
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;

    const AGENT: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

    #[tokio::test(start_paused = true)]
    async fn unknown_tokens_wait_longer_and_longer_and_no_longer_than_the_longest() {
        let slowdown = Slowdown::new();
        let mut waits = Vec::new();
        for _ in 0..12 {
            let began = Instant::now();
            assert!(slowdown.strike(AGENT).await.is_ok());
            waits.push(began.elapsed().as_millis());
        }
        let (free, slow) = waits.split_at(5);
        assert!(free.iter().all(|wait| *wait == 0), "{waits:?}");
        assert!(
            slow.is_sorted() && slow.iter().all(|wait| (100..=2_001).contains(wait)),
            "{waits:?}"
        );
    }

    #[tokio::test(start_paused = true)]
    async fn a_minute_later_all_is_forgotten() {
        let slowdown = Slowdown::new();
        for _ in 0..8 {
            let _ = slowdown.strike(AGENT).await;
        }
        sleep(WINDOW).await;
        let began = Instant::now();
        assert!(slowdown.strike(AGENT).await.is_ok());
        assert_eq!(began.elapsed(), Duration::ZERO);
    }

    #[tokio::test(start_paused = true)]
    async fn ten_thousand_addresses_take_no_more_room_than_a_few() {
        let slowdown = Slowdown::new();
        for number in 0..10_000_u32 {
            slowdown.note(IpAddr::V4(Ipv4Addr::from_bits(number)), Instant::now());
        }
        let strikes = slowdown
            .strikes
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        assert_eq!(strikes.by_address.len(), ADDRESSES);
    }

    #[tokio::test(start_paused = true)]
    async fn one_ipv6_host_is_one_source_and_so_is_an_ipv4_address_in_ipv6_clothes() {
        let address = |text: &str| text.parse::<IpAddr>().map(source);
        assert_eq!(address("2001:db8::1"), address("2001:db8::2:3:4:5"));
        assert_eq!(address("::ffff:10.0.0.7"), address("10.0.0.7"));
    }
}
