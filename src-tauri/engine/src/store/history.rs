//! What devices said of themselves, over the weeks: one row a reading at first, thinned with age.

use regie_room::{DeviceId, Sample};
use rusqlite::{Row, params};

use super::Store;
use crate::error::EngineError;

/// How many milliseconds of history are kept as they were read: a day, so that last night's game
/// can be looked at closely.
const IN_FULL: i64 = 24 * 60 * 60 * 1_000;

/// How many milliseconds of history are kept at all: a month.
const KEPT: i64 = 30 * IN_FULL;

/// The distance of what is kept of older history, in milliseconds: ten minutes.
const THINNED: i64 = 10 * 60 * 1_000;

/// Most rows of all devices together; the oldest go first. 50 devices for a day in full and a month
/// thinned, some 80 MB.
const MAX_ROWS: i64 = 1_200_000;

impl Store {
    /// Writes readings down, in one step.
    pub(crate) fn log_samples(&self, samples: &[Sample]) -> Result<(), EngineError> {
        self.with(|connection| {
            let transaction = connection.transaction()?;
            for sample in samples {
                transaction
                    .prepare_cached(
                        "INSERT OR REPLACE INTO device_sample
                         (device, at, answered, restarted, round_trip_ms, rssi, heap_free,
                          uptime_seconds, step, mesh_failed)
                         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
                    )?
                    .execute(params![
                        sample.device.as_str(),
                        integer(sample.at),
                        sample.answered,
                        sample.restarted,
                        sample.round_trip_ms,
                        sample.rssi,
                        sample.heap_free.map(integer),
                        sample.uptime_seconds.map(integer),
                        sample.step,
                        sample.mesh_failed.map(integer),
                    ])?;
            }
            Ok(transaction.commit()?)
        })
    }

    /// Drops what is too old, and thins what is old: of each stretch of time the first row stays,
    /// and every one in which a device restarted.
    pub(crate) fn thin_samples(&self, now: u64) -> Result<(), EngineError> {
        let now = integer(now);
        self.with(|connection| {
            let transaction = connection.transaction()?;
            transaction.execute("DELETE FROM device_sample WHERE at < ?1", [now - KEPT])?;
            transaction.execute(
                "DELETE FROM device_sample WHERE at < ?1 AND restarted = 0 AND EXISTS (
                     SELECT 1 FROM device_sample AS earlier
                     WHERE earlier.device = device_sample.device
                       AND earlier.at >= device_sample.at / ?2 * ?2
                       AND earlier.at < device_sample.at
                 )",
                [now - IN_FULL, THINNED],
            )?;
            transaction.execute(
                "DELETE FROM device_sample WHERE at <= (
                     SELECT at FROM device_sample ORDER BY at DESC LIMIT 1 OFFSET ?1
                 )",
                [MAX_ROWS],
            )?;
            Ok(transaction.commit()?)
        })
    }

    /// A device's readings since a moment, oldest first.
    pub(crate) fn samples(
        &self,
        device: &DeviceId,
        since: u64,
    ) -> Result<Vec<Sample>, EngineError> {
        self.with(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT at, answered, restarted, round_trip_ms, rssi, heap_free, uptime_seconds,
                        step, mesh_failed
                 FROM device_sample WHERE device = ?1 AND at >= ?2 ORDER BY at",
            )?;
            let rows = statement.query_map(params![device.as_str(), integer(since)], |row| {
                sample(device, row)
            })?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
    }

    /// Forgets a device's history, or gives it to the device's new name.
    pub(crate) fn rename_samples(
        &self,
        device: &DeviceId,
        to: Option<&DeviceId>,
    ) -> Result<(), EngineError> {
        self.with(|connection| {
            match to {
                Some(to) => connection.execute(
                    "UPDATE OR REPLACE device_sample SET device = ?2 WHERE device = ?1",
                    [device.as_str(), to.as_str()],
                )?,
                None => connection.execute(
                    "DELETE FROM device_sample WHERE device = ?1",
                    [device.as_str()],
                )?,
            };
            Ok(())
        })
    }
}

fn sample(device: &DeviceId, row: &Row<'_>) -> rusqlite::Result<Sample> {
    let whole = |column: usize| -> rusqlite::Result<Option<u64>> {
        let value: Option<i64> = row.get(column)?;
        Ok(value.and_then(|value| u64::try_from(value).ok()))
    };
    Ok(Sample {
        device: device.clone(),
        at: whole(0)?.unwrap_or_default(),
        answered: row.get(1)?,
        restarted: row.get(2)?,
        round_trip_ms: row.get(3)?,
        rssi: row.get(4)?,
        heap_free: whole(5)?,
        uptime_seconds: whole(6)?,
        step: row.get(7)?,
        mesh_failed: whole(8)?,
    })
}

/// SQLite's integers are signed; a device that claims more than it can hold is cut to that.
fn integer(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}
