use std::io::{BufRead as _, BufReader, Write as _};
use std::path::PathBuf;
use std::process::{Command, Stdio};

use super::*;
use crate::state::Door;

const CHILD: &str = "REGIE_STORE_TEST_CHILD";

fn entry(detail: &str) -> NewEntry {
    NewEntry {
        at: "2026-01-01T00:00:00Z".into(),
        caller: Door::Cli.into(),
        kind: OperationKind::Show,
        target: "NRF-1".into(),
        detail: detail.into(),
    }
}

fn store() -> (tempfile::TempDir, Store) {
    let folder = tempfile::tempdir().unwrap();
    let (store, _) = Store::open(&folder.path().join("regie.db")).unwrap();
    (folder, store)
}

fn fault() -> Fault {
    Fault {
        code: "link-lost".into(),
        agent_code: "DEVICE_DISCONNECTED".into(),
        message: "Lost.".into(),
        hint: "Move closer.".into(),
        params: [("detail".to_owned(), "x".to_owned())].into(),
    }
}

#[test]
fn the_journal_tells_what_began_and_how_it_ended_newest_first() {
    let (_folder, store) = store();
    let first = store.begin(&entry("a")).unwrap();
    store.begin(&entry("b")).unwrap();
    store
        .end(first, "NRF-2", JournalOutcome::Failed, Some(&fault()), 1200)
        .unwrap();
    let journal = store.journal(10).unwrap();
    assert_eq!(journal.len(), 2);
    assert_eq!(journal[0].detail, "b");
    assert_eq!(journal[0].outcome, JournalOutcome::Running);
    assert_eq!(journal[1].outcome, JournalOutcome::Failed);
    assert_eq!(journal[1].fault, Some(fault()));
    assert_eq!(journal[1].target, "NRF-2");
    assert_eq!(journal[1].duration_ms, Some(1200));
    assert_eq!(store.journal(1).unwrap().len(), 1);
}

#[test]
fn what_a_killed_process_left_under_way_is_called_interrupted() {
    let (folder, store) = store();
    store.begin(&entry("a")).unwrap();
    drop(store);
    let (store, interrupted) = Store::open(&folder.path().join("regie.db")).unwrap();
    assert_eq!(interrupted, [OperationKind::Show]);
    assert_eq!(
        store.journal(1).unwrap()[0].outcome,
        JournalOutcome::Interrupted
    );
}

#[test]
fn a_slot_gives_back_the_planes_it_was_given() {
    let (_folder, store) = store();
    let panel = Panel::SMALL;
    let bytes = panel.plane_bytes();
    let planes = Planes::from_bytes(panel, vec![0xA5; bytes], vec![0x00; bytes]).unwrap();
    let slot = Slot {
        slot: 2,
        name: "tag.png".into(),
        changed: "2026-01-01T00:00:00Z".into(),
    };
    store.fill_slot(&slot, &planes).unwrap();
    assert_eq!(store.slot_planes(2).unwrap(), planes);
    assert_eq!(store.slots().unwrap(), [slot]);
    assert_eq!(store.slot_planes(3).unwrap_err().code(), "slot-empty");
}

#[test]
fn memory_is_kept_replaced_and_forgotten() {
    let (_folder, store) = store();
    assert_eq!(store.recall::<u32>("k").unwrap(), None);
    store.remember("k", Some(&1_u32)).unwrap();
    store.remember("k", Some(&2_u32)).unwrap();
    assert_eq!(store.recall::<u32>("k").unwrap(), Some(2));
    store.remember::<u32>("k", None).unwrap();
    assert_eq!(store.recall::<u32>("k").unwrap(), None);
}

#[test]
fn a_database_of_a_newer_version_is_refused_untouched() {
    let (folder, store) = store();
    drop(store);
    let path = folder.path().join("regie.db");
    let connection = Connection::open(&path).unwrap();
    connection.pragma_update(None, "user_version", 999).unwrap();
    drop(connection);
    let error = Store::open(&path).unwrap_err();
    assert_eq!(error.code(), "store-newer");
}

#[test]
fn a_file_that_is_no_database_is_an_error_and_stays_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("regie.db");
    std::fs::write(
        &path,
        "this is a shopping list, not a database at all".repeat(100),
    )
    .unwrap();
    assert_eq!(Store::open(&path).unwrap_err().code(), "store-failed");
    assert!(
        std::fs::read_to_string(&path)
            .unwrap()
            .starts_with("this is a shopping list")
    );
}

fn call(tool: &str) -> NewCall {
    NewCall {
        at: "2026-01-01T00:00:00Z".into(),
        caller: Caller {
            door: Door::Agent,
            name: Some("curator".into()),
        },
        called: Called::Tool(tool.into()),
        detail: "slot 1".into(),
        outcome: JournalOutcome::Failed,
        fault: Some(fault()),
        duration_ms: 7,
    }
}

#[test]
fn a_database_of_the_first_version_opens_with_its_journal() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("regie.db");
    let first = Connection::open(&path).unwrap();
    first.execute_batch(MIGRATIONS[0]).unwrap();
    first.pragma_update(None, "user_version", 1).unwrap();
    first
        .execute_batch(
            "INSERT INTO journal (at, door, action, target, detail, outcome, duration_ms) VALUES
                 ('2026-01-01T00:00:00Z', 'window', 'show', 'NRF-1', 'a.png', 'done', 900),
                 ('2026-01-02T00:00:00Z', 'tray', 'set-time', 'NRF-1', 'UTC', 'running', NULL)",
        )
        .unwrap();
    drop(first);
    let (store, interrupted) = Store::open(&path).unwrap();
    assert_eq!(interrupted, [OperationKind::SetTime]);
    store.log_calls(&[call("device_status")]).unwrap();
    let journal = store.journal(10).unwrap();
    assert_eq!(journal.len(), 3);
    assert_eq!(journal[2].detail, "a.png");
    assert_eq!(journal[2].caller, None);
    assert_eq!(
        journal[2].action,
        Action::Operation {
            kind: OperationKind::Show
        }
    );
    drop(store);
    let (again, interrupted) = Store::open(&path).unwrap();
    assert_eq!(interrupted, []);
    assert_eq!(again.journal(10).unwrap(), journal);
}

#[test]
fn a_call_is_journalled_with_its_tool_and_whoever_made_it() {
    let (_folder, store) = store();
    store.log_calls(&[call("upload_image")]).unwrap();
    let journal = store.journal(1).unwrap();
    assert_eq!(
        journal[0].action,
        Action::Call {
            tool: "upload_image".into()
        }
    );
    assert_eq!(journal[0].door, Door::Agent);
    assert_eq!(journal[0].caller.as_deref(), Some("curator"));
    assert_eq!(journal[0].outcome, JournalOutcome::Failed);
    assert_eq!(journal[0].fault, Some(fault()));
    assert_eq!(journal[0].duration_ms, Some(7));
}

#[test]
fn an_agent_that_polls_neither_drives_out_nor_hides_an_operation() {
    let (folder, store) = store();
    let shown = store.begin(&entry("a person's")).unwrap();
    store
        .end(shown, "NRF-1", JournalOutcome::Done, None, 1)
        .unwrap();
    for _ in 0..30 {
        let batch: Vec<NewCall> = (0..1000).map(|_| call("device_status")).collect();
        store.log_calls(&batch).unwrap();
    }
    let calls = |store: &Store| {
        let journal = store.journal(u32::MAX).unwrap();
        let is_call = |entry: &&JournalEntry| matches!(entry.action, Action::Call { .. });
        let calls = journal.iter().filter(is_call).count();
        assert_eq!(journal.len(), calls + 1, "the operation is kept");
        calls
    };
    assert_eq!(calls(&store), MAX_CALLS as usize);
    let newest = store.journal(10).unwrap();
    assert_eq!(newest.len(), 11);
    assert_eq!(newest[10].detail, "a person's");
    drop(store);
    let (store, _) = Store::open(&folder.path().join("regie.db")).unwrap();
    assert_eq!(calls(&store), MAX_CALLS as usize);
}

/// The other side of the next test: writes until it is killed, telling each entry that
/// [`Store::end`] has returned for.
#[test]
fn child_that_writes_until_it_is_killed() {
    let Some(path) = std::env::var_os(CHILD) else {
        return;
    };
    let (store, _) = Store::open(&PathBuf::from(path)).unwrap();
    let mut out = std::io::stdout();
    for number in 0.. {
        let id = store.begin(&entry(&number.to_string())).unwrap();
        store
            .end(id, "NRF-1", JournalOutcome::Done, None, number)
            .unwrap();
        writeln!(out, "\nwritten {number}").unwrap();
        out.flush().unwrap();
    }
}

#[test]
fn nothing_that_was_written_is_lost_when_the_process_is_killed_at_any_moment() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("regie.db");
    let mut known = 0;
    for round in 0..8_u32 {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args([
                "--exact",
                "store::tests::child_that_writes_until_it_is_killed",
            ])
            .args(["--nocapture", "--test-threads=1"])
            .env(CHILD, &path)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        // Each round kills after another number of entries, so at another point of the work.
        let mut told = None;
        for _ in 0..=round * 3 {
            told = lines
                .by_ref()
                .map_while(Result::ok)
                .find_map(|line| line.strip_prefix("written ").map(str::to_owned))
                .or(told);
        }
        child.kill().unwrap();
        child.wait().unwrap();
        // What the pipe still held was written before the kill, too.
        let told: u32 = lines
            .map_while(Result::ok)
            .filter_map(|line| line.strip_prefix("written ").map(str::to_owned))
            .last()
            .or(told)
            .unwrap()
            .parse()
            .unwrap();
        let (store, _) = Store::open(&path).unwrap();
        let check: String = store
            .with(
                |connection| Ok(connection.query_row("PRAGMA integrity_check", [], |r| r.get(0))?),
            )
            .unwrap();
        assert_eq!(check, "ok");
        let journal = store.journal(u32::MAX).unwrap();
        let done = |entry: &&JournalEntry| entry.outcome == JournalOutcome::Done;
        let newest = journal.iter().find(done).unwrap();
        assert!(newest.duration_ms.unwrap() >= told, "round {round}");
        let count = journal.iter().filter(done).count();
        assert!(count > known + told as usize, "round {round}");
        known = count;
        for entry in &journal {
            assert!(matches!(
                entry.outcome,
                JournalOutcome::Done | JournalOutcome::Interrupted
            ));
        }
    }
}

/// A viewer or a backup is a reason that a person can do something about.
#[test]
fn a_database_that_another_program_keeps_to_itself_is_called_busy() {
    let (folder, store) = store();
    let connection = store.connection.lock().unwrap();
    connection.busy_timeout(Duration::ZERO).unwrap();
    drop(connection);
    let viewer = Connection::open(folder.path().join("regie.db")).unwrap();
    viewer.execute_batch("BEGIN IMMEDIATE").unwrap();
    assert_eq!(store.begin(&entry("a")).unwrap_err().code(), "store-busy");
    viewer.execute_batch("COMMIT").unwrap();
    store.begin(&entry("a")).unwrap();
}
