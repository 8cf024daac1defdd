//! What a session promises when nothing goes wrong.

mod common;

use common::{bench, picture};
use regie_clock::session::Refresh;
use regie_clock::{Face, Job, Outcome, PictureSize, Request};
use regie_sim::Mode;

/// UP-4: success means that every byte was taken and the redraw acknowledged.
#[tokio::test(start_paused = true)]
async fn a_picture_arrives_whole_and_is_shown() {
    let bench = bench();
    let sent = picture(PictureSize::Full, 1);
    let job = Job::new(Request::Picture(sent.clone())).then(Request::SetFace(Face::Picture));
    let outcome = bench.session.submit(job).outcome().await;
    let Outcome::Done(report) = outcome else {
        panic!("{outcome:?}")
    };
    assert_eq!(report.data_bytes, 30_000);
    assert_eq!(report.packets, 128);
    assert_eq!(report.packets_resent, 0);
    assert_eq!(report.mtu, 247);
    assert_eq!(report.refresh, Refresh::Confirmed);
    assert!(report.duration_ms > 0);
    assert!(report.clock.unwrap().simulated);
    bench.assert_shows(&sent);
    assert_eq!(bench.clock.mode(), Mode::Picture);
    assert_eq!(bench.clock.long_writes(), 0);
}
