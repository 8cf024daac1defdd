//! The table of what users hit names tests that exist, and leaves out nothing that the sources cite.

#![allow(clippy::unwrap_used, clippy::panic)]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .canonicalize()
        .unwrap()
}

fn table() -> String {
    fs::read_to_string(root().join("docs/bluetooth.md")).unwrap()
}

/// What stands between backticks.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

/// Numbers such as `BLE-3` and `UP-11` in a text.
fn numbers(text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for prefix in ["BLE-", "UP-"] {
        for (at, _) in text.match_indices(prefix) {
            let before = text.get(..at).unwrap().chars().next_back();
            let digits: String = text
                .get(at + prefix.len()..)
                .unwrap()
                .chars()
                .take_while(char::is_ascii_digit)
                .collect();
            if !digits.is_empty() && !before.is_some_and(char::is_alphanumeric) {
                found.insert(format!("{prefix}{digits}"));
            }
        }
    }
    found
}

/// The rows of reports: number, and the cell that says what shows it.
fn rows(table: &str) -> Vec<(&str, &str)> {
    table
        .lines()
        .filter(|line| line.starts_with("| BLE-") || line.starts_with("| UP-"))
        .map(|line| {
            let cells: Vec<_> = line.trim_matches('|').split('|').map(str::trim).collect();
            let [number, _, _, shown] = cells[..] else {
                panic!("not four cells: {line}");
            };
            (number, shown)
        })
        .collect()
}

#[test]
fn every_row_names_tests_that_exist_or_says_why_there_is_none() {
    let table = table();
    let rows = rows(&table);
    assert!(rows.len() > 25, "the table was not found");
    for (number, shown) in rows {
        let tests: Vec<_> = quoted(shown).filter_map(|t| t.split_once("::")).collect();
        assert!(!tests.is_empty() || shown.contains("*Read*"), "{number}");
        for (file, name) in tests {
            let source = fs::read_to_string(root().join(file))
                .unwrap_or_else(|error| panic!("{number}: {file}: {error}"));
            let exists = match file.rsplit_once('.') {
                Some((_, "rs")) => source.contains(&format!("fn {name}(")),
                _ => source.contains(&format!("it(\"{name}\"")),
            };
            assert!(exists, "{number}: {file} has no test \"{name}\"");
        }
    }
}

#[test]
fn every_number_that_a_source_cites_has_a_row() {
    let table = table();
    let known: BTreeSet<_> = rows(&table).into_iter().map(|(number, _)| number).collect();
    let mut folders = ["src-tauri", "tests", "ui/src", "ui/tests"]
        .map(|f| root().join(f))
        .to_vec();
    let mut seen = 0;
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let source = matches!(
                path.extension().and_then(|extension| extension.to_str()),
                Some("rs" | "ts" | "svelte")
            );
            if !source {
                continue;
            }
            seen += 1;
            for number in numbers(&fs::read_to_string(&path).unwrap()) {
                assert!(
                    known.contains(number.as_str()),
                    "{number} of {} has no row",
                    path.display()
                );
            }
        }
    }
    assert!(seen > 100, "the sources were not found");
}
