//! `regie.db`: the journal, the picture slots and what is remembered of the clock.
//!
//! SQLite in WAL mode with full synchronisation: what a call has returned is on disk, and the
//! file is whole whenever the process is killed.

use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use regie_imaging::{Panel, Planes};
use rusqlite::{Connection, OptionalExtension as _, Row, params};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::error::EngineError;
use crate::fault::Fault;
use crate::order::Caller;
use crate::state::{Action, JournalEntry, JournalOutcome, OperationKind, Slot};

/// How long a statement waits for another connection (a backup, a viewer) to let go.
const BUSY_WAIT: Duration = Duration::from_secs(5);

/// Operations kept in the journal; older ones are dropped at start. About 3 MB, years of a shop's
/// use.
const MAX_OPERATIONS: u32 = 20_000;

/// Agents' calls kept in the journal, counted apart, so that an agent that polls drives out nobody
/// else's operations. About 1 MB: a busy day of an agent, and an hour of one that polls every
/// second.
const MAX_CALLS: u32 = 5_000;

/// Things asked of devices that are kept in the journal, counted apart from the clock's operations
/// for the same reason. About 2 MB, some weeks of a busy house.
const MAX_DEEDS: u32 = 20_000;

/// Calls and deeds written between two droppings of older ones.
const CALLS_BETWEEN_TRIMS: u32 = 500;

/// Each entry brings the schema from its index to the next version.
const MIGRATIONS: &[&str] = &[
    "
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
",
    "
    ALTER TABLE journal ADD COLUMN caller TEXT;
    ALTER TABLE journal ADD COLUMN tool TEXT;
    CREATE INDEX journal_calls ON journal (id) WHERE tool IS NOT NULL;
",
    "
    ALTER TABLE journal ADD COLUMN deed TEXT;
    CREATE INDEX journal_deeds ON journal (id) WHERE deed IS NOT NULL;
    CREATE TABLE device_sample (
        device TEXT NOT NULL,
        at INTEGER NOT NULL,
        answered INTEGER NOT NULL,
        restarted INTEGER NOT NULL,
        round_trip_ms INTEGER,
        rssi INTEGER,
        heap_free INTEGER,
        uptime_seconds INTEGER,
        step TEXT,
        mesh_failed INTEGER,
        PRIMARY KEY (device, at)
    ) STRICT, WITHOUT ROWID;
",
];

/// The action of a row that tells of a call; which tool, its own column says.
const CALL: &str = "call";

/// The action of a row that tells of something asked of a device; what, its own column says.
const DEED: &str = "device";

/// The database. Calls block; async callers go through [`Store::run`].
#[derive(Clone, Debug)]
pub(crate) struct Store {
    connection: Arc<Mutex<Connection>>,
    /// Calls written since older ones were dropped.
    calls_since_trim: Arc<AtomicU32>,
}

/// What a [`NewCall`] tells of.
#[derive(Clone, Debug)]
pub(crate) enum Called {
    /// A call of a tool.
    Tool(String),
    /// A tool's request to a device.
    Device { tool: &'static str, device: String },
}

/// A call, or something asked of a device, before it has a number.
#[derive(Clone, Debug)]
pub(crate) struct NewCall {
    pub(crate) at: String,
    pub(crate) caller: Caller,
    pub(crate) called: Called,
    pub(crate) detail: String,
    pub(crate) outcome: JournalOutcome,
    pub(crate) fault: Option<Fault>,
    pub(crate) duration_ms: u32,
}

/// An operation's journal entry before it has a number.
#[derive(Clone, Debug)]
pub(crate) struct NewEntry {
    pub(crate) at: String,
    pub(crate) caller: Caller,
    pub(crate) kind: OperationKind,
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
            .prepare(
                "UPDATE journal SET outcome = ?1 WHERE outcome = ?2 AND tool IS NULL AND deed IS NULL
                 RETURNING action",
            )?
            .query_map(
                params![
                    text(&JournalOutcome::Interrupted)?,
                    text(&JournalOutcome::Running)?
                ],
                |row| word(row, 0),
            )?
            .collect::<Result<_, _>>()?;
        connection.execute(
            "DELETE FROM journal WHERE tool IS NULL AND deed IS NULL AND id <= (
                 SELECT id FROM journal WHERE tool IS NULL AND deed IS NULL
                 ORDER BY id DESC LIMIT 1 OFFSET ?1
             )",
            [MAX_OPERATIONS],
        )?;
        trim_answered(&connection)?;
        let store = Self {
            connection: Arc::new(Mutex::new(connection)),
            calls_since_trim: Arc::default(),
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

    /// Notes that an operation begins; the number names it in [`Store::end`].
    pub(crate) fn begin(&self, entry: &NewEntry) -> Result<i64, EngineError> {
        self.with(|connection| {
            connection.execute(
                "INSERT INTO journal (at, door, caller, action, target, detail, outcome)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
                params![
                    entry.at,
                    text(&entry.caller.door)?,
                    entry.caller.name,
                    text(&entry.kind)?,
                    entry.target,
                    entry.detail,
                    text(&JournalOutcome::Running)?,
                ],
            )?;
            Ok(connection.last_insert_rowid())
        })
    }

    /// Notes how an operation ended.
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

    /// Writes calls down, in one step.
    pub(crate) fn log_calls(&self, calls: &[NewCall]) -> Result<(), EngineError> {
        self.with(|connection| {
            let transaction = connection.transaction()?;
            for call in calls {
                let (action, tool, deed, target) = match &call.called {
                    Called::Tool(tool) => (CALL, Some(tool.as_str()), None, ""),
                    Called::Device { tool, device } => (DEED, None, Some(*tool), device.as_str()),
                };
                transaction
                    .prepare_cached(
                        "INSERT INTO journal (at, door, caller, action, tool, deed, target, detail,
                                              outcome, fault, duration_ms)
                         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
                    )?
                    .execute(params![
                        call.at,
                        text(&call.caller.door)?,
                        call.caller.name,
                        action,
                        tool,
                        deed,
                        target,
                        call.detail,
                        text(&call.outcome)?,
                        call.fault.as_ref().map(json).transpose()?,
                        call.duration_ms,
                    ])?;
            }
            let written = u32::try_from(calls.len()).unwrap_or(u32::MAX);
            let since = self.calls_since_trim.fetch_add(written, Ordering::Relaxed);
            if since.saturating_add(written) >= CALLS_BETWEEN_TRIMS {
                trim_answered(&transaction)?;
                self.calls_since_trim.store(0, Ordering::Relaxed);
            }
            Ok(transaction.commit()?)
        })
    }

    /// The newest entries, newest first: operations, calls and deeds up to this number each, so
    /// that many of one kind hide none of another.
    pub(crate) fn journal(&self, limit: u32) -> Result<Vec<JournalEntry>, EngineError> {
        self.with(|connection| {
            let mut statement = connection.prepare_cached(
                "WITH newest AS (
                     SELECT * FROM (SELECT id FROM journal WHERE tool IS NULL AND deed IS NULL
                                    ORDER BY id DESC LIMIT ?1)
                     UNION ALL
                     SELECT * FROM (SELECT id FROM journal WHERE deed IS NOT NULL
                                    ORDER BY id DESC LIMIT ?1)
                     UNION ALL
                     SELECT * FROM (SELECT id FROM journal WHERE tool IS NOT NULL
                                    ORDER BY id DESC LIMIT ?1)
                 )
                 SELECT id, at, door, caller, action, tool, target, detail, outcome, fault,
                        duration_ms, deed
                 FROM journal WHERE id IN newest ORDER BY id DESC",
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

fn trim_answered(connection: &Connection) -> Result<(), EngineError> {
    connection.execute(
        "DELETE FROM journal WHERE tool IS NOT NULL AND id <= (
             SELECT id FROM journal WHERE tool IS NOT NULL ORDER BY id DESC LIMIT 1 OFFSET ?1
         )",
        [MAX_CALLS],
    )?;
    connection.execute(
        "DELETE FROM journal WHERE deed IS NOT NULL AND id <= (
             SELECT id FROM journal WHERE deed IS NOT NULL ORDER BY id DESC LIMIT 1 OFFSET ?1
         )",
        [MAX_DEEDS],
    )?;
    Ok(())
}

fn entry(row: &Row<'_>) -> rusqlite::Result<JournalEntry> {
    Ok(JournalEntry {
        id: row.get(0)?,
        at: row.get(1)?,
        door: word(row, 2)?,
        caller: row.get(3)?,
        action: match (row.get(5)?, row.get(11)?) {
            (Some(tool), _) => Action::Call { tool },
            (None, Some(tool)) => Action::Device { tool },
            (None, None) => Action::Operation {
                kind: word(row, 4)?,
            },
        },
        target: row.get(6)?,
        detail: row.get(7)?,
        outcome: word(row, 8)?,
        fault: row
            .get::<_, Option<String>>(9)?
            .and_then(|json| serde_json::from_str(&json).ok()),
        duration_ms: row.get(10)?,
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

mod history;
#[cfg(test)]
mod tests;
