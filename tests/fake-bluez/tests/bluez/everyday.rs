//! What works when nothing goes wrong.

use std::time::Duration;

use regie_clock::session::Refresh;
use regie_clock::{LinkState, Outcome, SessionConfig};
use regie_fake_bluez::{BusFault, BusTiming};

use crate::bench::{bench, bench_with, picture, spec};
use crate::isolation::isolated;

/// BLE-13: the list comes from events, and the clock is in it under its MAC address.
#[test]
fn a_scan_lists_the_clock_with_name_and_strength() {
    isolated(async |bus| {
        let bench = bench(bus).await;
        let heard = bench.session.scan(Duration::from_millis(800)).await.unwrap();
        assert_eq!(heard.len(), 1, "{heard:?}");
        assert_eq!(heard[0].address, bench.address());
        assert_eq!(heard[0].name, bench.clock.name());
        assert_eq!(heard[0].rssi, Some(-55));
        assert!(!heard[0].connected && !heard[0].simulated);
        assert!(!bench.fake.is_discovering());
        bench.assert_usable().await;
    });
}

/// UP-4, BLE-7: with no clock chosen, the first one heard gets the whole picture.
#[test]
fn a_picture_arrives_whole_on_the_first_clock_heard() {
    isolated(async |bus| {
        let bench = bench(bus).await;
        let sent = picture(1);
        let outcome = bench.show(&sent).await;
        let Outcome::Done(report) = outcome else {
            panic!("not done: {outcome:?}");
        };
        bench.assert_shows(&sent);
        assert_eq!(report.data_bytes, 30_000);
        assert_eq!(report.packets_resent, 0);
        assert_eq!(report.mtu, 247);
        assert_eq!(report.clock.unwrap().address, bench.address());
        // The end of the redraw was heard as a notification.
        assert_eq!(report.refresh, Refresh::Confirmed);
        assert_eq!(bench.fake.counts().links, 1);
        bench.assert_lets_go().await;
    });
}
