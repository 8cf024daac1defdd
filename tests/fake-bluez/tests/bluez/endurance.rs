//! Many operations in a row leave nothing behind.

use std::time::Duration;

use regie_clock::{Job, QuietHours, Request};
use regie_fake_bluez::BusFault;
use tokio::runtime::Handle;
use tokio::time::sleep;

use crate::bench::{Bench, bench, done, picture};
use crate::isolation::isolated;

/// Links made in a row, and pictures sent in a row.
const RECONNECTS: u32 = 50;
const UPLOADS: usize = 20;
/// Before the first count, so that what is made once is there.
const WARM_UP: u32 = 5;
/// Resident memory may grow by this much, in kB: the allocator keeps what was used for a while.
const MEMORY_SLACK: u64 = 4096;
/// For what was let go to be gone.
const SETTLE: Duration = Duration::from_millis(500);

/// What a process holds.
#[derive(Debug)]
struct Held {
    descriptors: usize,
    bluetooth_tasks: usize,
    other_tasks: usize,
    match_rules: usize,
    memory_kb: u64,
}

impl Held {
    async fn by(bench: &Bench) -> Self {
        sleep(SETTLE).await;
        let status = std::fs::read_to_string("/proc/self/status").unwrap();
        let resident = status.lines().find(|line| line.starts_with("VmRSS"));
        Self {
            descriptors: std::fs::read_dir("/proc/self/fd").unwrap().count(),
            bluetooth_tasks: bench.bluetooth.tasks(),
            other_tasks: Handle::current().metrics().num_alive_tasks(),
            match_rules: bench.fake.match_rules().await.unwrap(),
            memory_kb: resident
                .and_then(|line| line.split_whitespace().nth(1)?.parse().ok())
                .unwrap(),
        }
    }

    fn assert_no_more_than(&self, before: &Self) {
        println!("before: {before:?}\nafter:  {self:?}");
        assert!(self.descriptors <= before.descriptors);
        assert!(self.bluetooth_tasks <= before.bluetooth_tasks);
        assert!(self.other_tasks <= before.other_tasks);
        assert!(self.match_rules <= before.match_rules);
        assert!(self.memory_kb <= before.memory_kb + MEMORY_SLACK);
    }
}

async fn reconnect(bench: &Bench) {
    let hours = QuietHours::new(true, 22, 6).unwrap();
    let job = Job::new(Request::QuietHours(hours));
    done(bench.session.submit(job).outcome().await);
    bench.session.disconnect().await.unwrap();
    assert!(!bench.is_in_contact());
}

#[test]
fn reconnecting_fifty_times_leaks_nothing() {
    isolated(async |bus| {
        let bench = bench(bus).await;
        for _ in 0..WARM_UP {
            reconnect(&bench).await;
        }
        let before = Held::by(&bench).await;
        for _ in 0..RECONNECTS {
            reconnect(&bench).await;
        }
        Held::by(&bench).await.assert_no_more_than(&before);
        assert_eq!(bench.fake.counts().links, WARM_UP + RECONNECTS);
        bench.assert_usable().await;
    });
}

#[test]
fn twenty_pictures_in_a_row_arrive_whole_and_leak_nothing() {
    isolated(async |bus| {
        let bench = bench(bus).await;
        done(bench.show(&picture(99)).await);
        let before = Held::by(&bench).await;
        for seed in 0..UPLOADS {
            done(bench.show(&picture(seed)).await);
            bench.assert_shows(&picture(seed));
        }
        Held::by(&bench).await.assert_no_more_than(&before);
        bench.assert_usable().await;
    });
}

/// The library behind Bluetooth on Linux takes its subscriptions back in background tasks, which
/// panic when the system says something at that very moment; and what they do not take back stays.
#[test]
fn a_talkative_system_makes_nothing_panic_and_leaves_no_subscription_behind() {
    isolated(async |bus| {
        let bench = bench(bus).await;
        let every = Duration::from_micros(200);
        bench
            .fake
            .order_times(BusFault::Chatter { every }, u32::MAX);
        bench.fake.set_crowd(50, every);
        for _ in 0..WARM_UP {
            reconnect(&bench).await;
        }
        let before = Held::by(&bench).await;
        for _ in 0..RECONNECTS {
            reconnect(&bench).await;
        }
        Held::by(&bench).await.assert_no_more_than(&before);
        bench.assert_lets_go().await;
    });
}
