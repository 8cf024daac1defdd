//! What devices said of themselves is written down, a little later, and read again.

use std::time::Duration;

use jiff::Timestamp;
use regie_room::{DeviceId, Sample};
use tokio::sync::broadcast::error::RecvError;
use tokio::time::{Instant, sleep};

use super::Engine;
use super::room::OpenRoom;
use crate::error::EngineError;

/// How long readings are gathered before they are written together: a write every ten seconds for
/// the whole room, and no more than this is lost when the process is killed.
const GATHER: Duration = Duration::from_secs(10);

/// Readings that are written at once; 200 devices give 40 a second.
const MAX_BATCH: usize = 1_000;

/// How often old history is thinned.
const THIN: Duration = Duration::from_secs(60 * 60);

/// Points of history that a door is given: a chart has no more pixels.
const MAX_POINTS: usize = 1_000;

impl Engine {
    /// A device's readings since a moment (milliseconds since 1970), oldest first, at most 1,000:
    /// of more, the weakest signal of each stretch stays, and every restart.
    ///
    /// # Errors
    /// [`EngineError::Store`].
    pub async fn device_history(
        &self,
        device: &DeviceId,
        since: u64,
    ) -> Result<Vec<Sample>, EngineError> {
        let device = device.clone();
        let read = move |store: &crate::store::Store| store.samples(&device, since);
        Ok(thinned(self.shared.store.run(read).await?, MAX_POINTS))
    }

    /// Writes a room's readings down until it ends.
    pub(super) fn keep_history(&self, open: &OpenRoom) {
        let engine = self.clone();
        let mut samples = open.room.samples();
        let stopping = self.shared.stopping.clone();
        self.shared.tasks.spawn(async move {
            let mut thinned_at: Option<Instant> = None;
            loop {
                let first = tokio::select! {
                    sample = samples.recv() => sample,
                    () = stopping.cancelled() => return,
                };
                let mut batch = match first {
                    Ok(sample) => vec![sample],
                    Err(RecvError::Lagged(missed)) => {
                        tracing::warn!(missed, "readings came too fast for the history");
                        continue;
                    }
                    Err(RecvError::Closed) => return,
                };
                tokio::select! {
                    () = sleep(GATHER) => {}
                    () = stopping.cancelled() => {}
                }
                while batch.len() < MAX_BATCH
                    && let Ok(sample) = samples.try_recv()
                {
                    batch.push(sample);
                }
                let thin = thinned_at.is_none_or(|at| at.elapsed() >= THIN);
                if thin {
                    thinned_at = Some(Instant::now());
                }
                engine.write_samples(batch, thin).await;
            }
        });
    }

    async fn write_samples(&self, batch: Vec<Sample>, thin: bool) {
        let now = u64::try_from(Timestamp::now().as_millisecond()).unwrap_or_default();
        let written = self.shared.store.run(move |store| {
            store.log_samples(&batch)?;
            if thin {
                store.thin_samples(now)?;
            }
            Ok(())
        });
        if let Err(error) = written.await {
            tracing::warn!(%error, "readings of devices were not written");
        }
    }
}

/// At most so many points, evenly taken: of each stretch the one that tells most.
fn thinned(samples: Vec<Sample>, most: usize) -> Vec<Sample> {
    if samples.len() <= most {
        return samples;
    }
    let stretch = samples.len().div_ceil(most);
    let telling = |sample: &Sample| {
        let silent = !sample.answered;
        (
            sample.restarted,
            silent,
            sample.rssi.map_or(0, |rssi| -i32::from(rssi)),
        )
    };
    samples
        .chunks(stretch)
        .filter_map(|stretch| stretch.iter().max_by_key(|sample| telling(sample)).cloned())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thinned_history_keeps_restarts_silences_and_the_weakest_signal() {
        let samples: Vec<Sample> = (0_u16..10_000)
            .map(|at| Sample {
                device: "a".parse().unwrap(),
                at: at.into(),
                answered: at != 5_003,
                restarted: at == 777,
                round_trip_ms: None,
                rssi: Some(if at == 42 { -95 } else { -60 }),
                heap_free: None,
                uptime_seconds: None,
                step: None,
                mesh_failed: None,
            })
            .collect();
        let thinned = thinned(samples, 1_000);
        assert_eq!(thinned.len(), 1_000);
        for at in [42, 777, 5_003] {
            assert!(thinned.iter().any(|sample| sample.at == at), "{at}");
        }
        assert!(thinned.is_sorted_by_key(|sample| sample.at));
    }
}
