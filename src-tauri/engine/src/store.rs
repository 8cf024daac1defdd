//! `regie.db`: the journal, the picture slots and what is remembered of the clock.
//!
//! SQLite in WAL mode with full synchronisation: what a call has returned is on disk, and the
//! file is whole whenever the process is killed.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use regie_imaging::{Panel, Planes};
use rusqlite::{Connection, OptionalExtension as _, Row, params};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::error::EngineError;
use crate::fault::Fault;
use crate::state::{Door, JournalEntry, JournalOutcome, OperationKind, Slot};

/// How long a statement waits for another connection (a backup, a viewer) to let go.
const BUSY_WAIT: Duration = Duration::from_secs(5);

/// Journal rows kept; older ones are dropped at start. About 3 MB, years of a shop's use.
const MAX_JOURNAL_ROWS: u32 = 20_000;

/// Each entry brings the schema from its index to the next version.
const MIGRATIONS: &[&str] = &["
    CREATE TABLE journal (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        at TEXT NOT NULL,
        door TEXT NOT NULL,
        action TEXT NOT NULL,
        target TEXT NOT NULL,
        detail TEXT NOT NULL,
        outcome TEXT NOT NULL,
        fault TEXT,
        duration_ms INTEGER
    ) STRICT;
    CREATE TABLE slot (
        slot INTEGER PRIMARY KEY CHECK (slot BETWEEN 0 AND 3),
        name TEXT NOT NULL,
        changed TEXT NOT NULL,
        width INTEGER NOT NULL,
        height INTEGER NOT NULL,
        black_white BLOB NOT NULL,
        red BLOB NOT NULL
    ) STRICT;
    CREATE TABLE memory (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
"];

/// The database. Calls block; async callers go through [`Store::run`].
#[derive(Clone, Debug)]
pub(crate) struct Store {
    connection: Arc<Mutex<Connection>>,
}

/// A journal entry before it has a number.
#[derive(Clone, Debug)]
pub(crate) struct NewEntry {
    pub(crate) at: String,
    pub(crate) door: Door,
    pub(crate) action: OperationKind,
    pub(crate) target: String,
    pub(crate) detail: String,
}

impl Store {
    /// Opens or makes the database, brings its schema up to date, and marks what a killed
    /// process left under way as interrupted; tells too what that was.
    pub(crate) fn open(path: &Path) -> Result<(Self, Vec<OperationKind>), EngineError> {
        let mut connection = Connection::open(path)?;
        connection.busy_timeout(BUSY_WAIT)?;
        connection.pragma_update(None, "journal_mode", "WAL")?;
        connection.pragma_update(None, "synchronous", "FULL")?;
        migrate(&mut connection)?;
        let interrupted = connection
            .prepare("UPDATE journal SET outcome = ?1 WHERE outcome = ?2 RETURNING action")?
            .query_map(
                params![
                    text(&JournalOutcome::Interrupted)?,
                    text(&JournalOutcome::Running)?
                ],
                |row| word(row, 0),
            )?
            .collect::<Result<_, _>>()?;
        connection.execute(
            "DELETE FROM journal WHERE id <= (SELECT max(id) FROM journal) - ?1",
            [MAX_JOURNAL_ROWS],
        )?;
        let store = Self {
            connection: Arc::new(Mutex::new(connection)),
        };
        Ok((store, interrupted))
    }

    /// Runs `work` where blocking is allowed.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Self) -> Result<T, EngineError> + Send + 'static,
    ) -> Result<T, EngineError> {
        let store = self.clone();
        tokio::task::spawn_blocking(move || work(&store))
            .await
            .map_err(|error| EngineError::Store {
                detail: error.to_string(),
            })?
    }

    fn with<T>(
        &self,
        work: impl FnOnce(&mut Connection) -> Result<T, EngineError>,
    ) -> Result<T, EngineError> {
        // A panic in another holder cannot have left a half-applied statement behind: SQLite
        // rolls back, so the connection is good to use.
        let mut connection = self
            .connection
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        work(&mut connection)
    }

    /// Notes that an action begins; the number names it in [`Store::end`].
    pub(crate) fn begin(&self, entry: &NewEntry) -> Result<i64, EngineError> {
        self.with(|connection| {
            connection.execute(
                "INSERT INTO journal (at, door, action, target, detail, outcome)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
                params![
                    entry.at,
                    text(&entry.door)?,
                    text(&entry.action)?,
                    entry.target,
                    entry.detail,
                    text(&JournalOutcome::Running)?,
                ],
            )?;
            Ok(connection.last_insert_rowid())
        })
    }

    /// Notes how an action ended.
    pub(crate) fn end(
        &self,
        id: i64,
        target: &str,
        outcome: JournalOutcome,
        fault: Option<&Fault>,
        duration_ms: u32,
    ) -> Result<(), EngineError> {
        let fault = fault.map(json).transpose()?;
        self.with(|connection| {
            connection.execute(
                "UPDATE journal SET target = ?2, outcome = ?3, fault = ?4, duration_ms = ?5
                 WHERE id = ?1",
                params![id, target, text(&outcome)?, fault, duration_ms],
            )?;
            Ok(())
        })
    }

    /// The newest entries, newest first.
    pub(crate) fn journal(&self, limit: u32) -> Result<Vec<JournalEntry>, EngineError> {
        self.with(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT id, at, door, action, target, detail, outcome, fault, duration_ms
                 FROM journal ORDER BY id DESC LIMIT ?1",
            )?;
            let rows = statement.query_map([limit], entry)?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
    }

    /// Puts a picture into a slot, in place of what it held.
    pub(crate) fn fill_slot(&self, slot: &Slot, planes: &Planes) -> Result<(), EngineError> {
        self.with(|connection| {
            connection.execute(
                "INSERT OR REPLACE INTO slot
                 (slot, name, changed, width, height, black_white, red)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
                params![
                    slot.slot,
                    slot.name,
                    slot.changed,
                    planes.panel().width,
                    planes.panel().height,
                    planes.black_white(),
                    planes.red(),
                ],
            )?;
            Ok(())
        })
    }

    /// The planes a slot holds.
    pub(crate) fn slot_planes(&self, slot: u8) -> Result<Planes, EngineError> {
        let row = self.with(|connection| {
            Ok(connection
                .query_row(
                    "SELECT width, height, black_white, red FROM slot WHERE slot = ?1",
                    [slot],
                    |row| {
                        Ok((
                            row.get::<_, u16>(0)?,
                            row.get::<_, u16>(1)?,
                            row.get::<_, Vec<u8>>(2)?,
                            row.get::<_, Vec<u8>>(3)?,
                        ))
                    },
                )
                .optional()?)
        })?;
        let (width, height, black_white, red) = row.ok_or(EngineError::SlotEmpty { slot })?;
        Planes::from_bytes(Panel { width, height }, black_white, red).ok_or_else(|| {
            EngineError::Store {
                detail: format!("slot {slot} holds no picture of {width}x{height} pixels"),
            }
        })
    }

    /// What each filled slot holds, by slot number.
    pub(crate) fn slots(&self) -> Result<Vec<Slot>, EngineError> {
        self.with(|connection| {
            let mut statement =
                connection.prepare_cached("SELECT slot, name, changed FROM slot ORDER BY slot")?;
            let rows = statement.query_map([], |row| {
                Ok(Slot {
                    slot: row.get(0)?,
                    name: row.get(1)?,
                    changed: row.get(2)?,
                })
            })?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
    }

    /// Remembers `value` under `key`; `None` forgets.
    pub(crate) fn remember<T: Serialize>(
        &self,
        key: &str,
        value: Option<&T>,
    ) -> Result<(), EngineError> {
        let value = value.map(json).transpose()?;
        self.with(|connection| {
            match value {
                Some(value) => connection.execute(
                    "INSERT OR REPLACE INTO memory (key, value) VALUES (?1, ?2)",
                    params![key, value],
                )?,
                None => connection.execute("DELETE FROM memory WHERE key = ?1", [key])?,
            };
            Ok(())
        })
    }

    /// What is remembered under all keys that begin so.
    pub(crate) fn recall_all<T: DeserializeOwned>(
        &self,
        prefix: &str,
    ) -> Result<Vec<(String, T)>, EngineError> {
        let rows: Vec<(String, String)> = self.with(|connection| {
            let mut query = connection
                .prepare("SELECT key, value FROM memory WHERE substr(key, 1, length(?1)) = ?1")?;
            let rows = query.query_map([prefix], |row| Ok((row.get(0)?, row.get(1)?)))?;
            Ok(rows.collect::<Result<_, _>>()?)
        })?;
        let read = |(key, value): (String, String)| Some((key, serde_json::from_str(&value).ok()?));
        Ok(rows.into_iter().filter_map(read).collect())
    }

    /// What is remembered under `key`; a value of an older form counts as none.
    pub(crate) fn recall<T: DeserializeOwned>(&self, key: &str) -> Result<Option<T>, EngineError> {
        let value = self.with(|connection| {
            Ok(connection
                .query_row("SELECT value FROM memory WHERE key = ?1", [key], |row| {
                    row.get::<_, String>(0)
                })
                .optional()?)
        })?;
        Ok(value.and_then(|value| serde_json::from_str(&value).ok()))
    }
}

fn migrate(connection: &mut Connection) -> Result<(), EngineError> {
    let found: u32 = connection.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    let mut version = 0;
    for migration in MIGRATIONS {
        version += 1;
        if version <= found {
            continue;
        }
        let transaction = connection.transaction()?;
        transaction.execute_batch(migration)?;
        transaction.pragma_update(None, "user_version", version)?;
        transaction.commit()?;
    }
    if found > version {
        return Err(EngineError::StoreNewer);
    }
    Ok(())
}

fn entry(row: &Row<'_>) -> rusqlite::Result<JournalEntry> {
    Ok(JournalEntry {
        id: row.get(0)?,
        at: row.get(1)?,
        door: word(row, 2)?,
        action: word(row, 3)?,
        target: row.get(4)?,
        detail: row.get(5)?,
        outcome: word(row, 6)?,
        fault: row
            .get::<_, Option<String>>(7)?
            .and_then(|json| serde_json::from_str(&json).ok()),
        duration_ms: row.get(8)?,
    })
}

/// Reads an enum stored by [`text`].
fn word<T: DeserializeOwned>(row: &Row<'_>, column: usize) -> rusqlite::Result<T> {
    let value: String = row.get(column)?;
    serde_json::from_value(serde_json::Value::String(value)).map_err(|error| {
        rusqlite::Error::FromSqlConversionFailure(
            column,
            rusqlite::types::Type::Text,
            Box::new(error),
        )
    })
}

/// The serde name of a fieldless enum's variant.
fn text<T: Serialize>(value: &T) -> Result<String, EngineError> {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(text)) => Ok(text),
        other => Err(EngineError::Store {
            detail: format!("not a word: {other:?}"),
        }),
    }
}

fn json<T: Serialize>(value: &T) -> Result<String, EngineError> {
    serde_json::to_string(value).map_err(|error| EngineError::Store {
        detail: error.to_string(),
    })
}

#[cfg(test)]
mod tests;
