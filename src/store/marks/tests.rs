//! Marks: what is kept, what is taken back, what is refused.

use super::*;
use crate::on_time::on_time;

fn mark(reviewer: &str, row: &str, label: &str) -> NewMark {
    let gold = if label.is_empty() { "{}".to_owned() } else { format!("{{\"gold\":\"{label}\"}}") };
    let (row_key, at) = (row.to_owned(), "2026-01-01T00:00:00Z".to_owned());
    let (reviewer, note) = (reviewer.to_owned(), String::new());
    NewMark { reviewer, row_key, row_id: None, gold, note, correction: None, at }
}

fn kept<T>(outcome: Result<Kept<T>, MarksError>) -> Option<T> {
    match outcome.unwrap() {
        Kept::Kept(kept) => Some(kept),
        Kept::Conflict => None,
    }
}

fn opened() -> (tempfile::TempDir, MarkStore) {
    let folder = tempfile::tempdir().unwrap();
    let store = MarkStore::open(&folder.path().join("a.marks.sqlite")).unwrap();
    (folder, store)
}

#[test]
fn a_mark_replaces_only_the_version_that_was_seen() {
    let (_folder, mut store) = opened();
    let mut other = MarkStore::open(&store.path.clone()).unwrap();
    assert_eq!(kept(store.add(&mark("anna", "a", "correct"), 0)).unwrap().version, 1);
    assert_eq!(kept(other.add(&mark("anna", "a", "incorrect"), 0)), None);
    assert!(kept(other.add(&mark("ben", "a", "incorrect"), 0)).is_some());
    assert_eq!(kept(other.add(&mark("anna", "a", "incorrect"), 1)).unwrap().version, 2);
    let all: Vec<String> = store.since(0).unwrap().into_iter().map(|mark| mark.mark.gold).collect();
    assert_eq!(all, [r#"{"gold":"correct"}"#, r#"{"gold":"incorrect"}"#, r#"{"gold":"incorrect"}"#]);
    let latest = store.latest().unwrap();
    assert_eq!(latest.iter().map(|mark| (mark.id, mark.version)).collect::<Vec<_>>(), [(2, 1), (3, 2)]);
}

#[test]
fn changes_are_taken_back_one_by_one() {
    let (_folder, mut store) = opened();
    let made = [("a", "correct", 0), ("a", "incorrect", 1), ("b", "correct", 0)];
    for (row, label, seen) in made {
        assert!(kept(store.add(&mark("anna", row, label), seen)).is_some());
    }
    assert!(kept(store.add(&mark("ben", "a", "correct"), 0)).is_some());
    let last = |store: &MarkStore| store.last_change("anna", |_| true).unwrap();
    assert_eq!(kept(store.undo("anna", 1, "now", |_| true)), None, "it is not the last one");
    let mut seen = Vec::new();
    while let Some(change) = last(&store) {
        let undone = kept(store.undo("anna", change.id, "now", |_| true)).unwrap();
        seen.push((undone.mark.row_key, undone.mark.gold, undone.version));
    }
    let says = |row: &str, gold: &str, version| (row.to_owned(), gold.to_owned(), version);
    assert_eq!(seen, [says("b", "{}", 2), says("a", r#"{"gold":"correct"}"#, 3), says("a", "{}", 4)]);
    assert_eq!(store.latest().unwrap().len(), 1, "ben's stays");
    assert_eq!(store.last_change("ben", |row| row == "b").unwrap(), None);
}

#[test]
fn rows_are_picked_by_one_at_a_time() {
    let (_folder, mut store) = opened();
    let picked = Picked { queue: "random".to_owned(), rows: vec!["c".to_owned(), "a".to_owned()], of: 9 };
    assert!(kept(store.add_draw("t", "anna", "now", &picked, 0)).is_some());
    assert_eq!(kept(store.add_draw("t", "ben", "now", &picked, 0)), None);
    assert_eq!(store.draws("t").unwrap(), [picked]);
    assert_eq!(store.draws("u").unwrap(), []);
    assert_eq!(store.other_draws("t").unwrap(), []);
    assert_eq!(store.other_draws("u").unwrap().len(), 1);
}

#[test]
fn other_files_stay_as_they_are() {
    let _on_time = on_time();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("other.sqlite");
    let other = Connection::open(&path).unwrap();
    other.execute_batch("CREATE TABLE replies (id INTEGER)").unwrap();
    drop(other);
    let before = std::fs::read(&path).unwrap();
    assert!(matches!(MarkStore::open(&path), Err(MarksError::NotOurs { .. })));
    assert_eq!(std::fs::read(&path).unwrap(), before);
    // Whoever opens a log to write moves it into its file.
    let logged = folder.path().join("logged.sqlite");
    let other = Connection::open(&logged).unwrap();
    other
        .execute_batch(
            "PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; CREATE TABLE notes (id INTEGER)",
        )
        .unwrap();
    let kept = folder.path().join("kept.sqlite");
    for (from, to) in [("logged.sqlite", "kept.sqlite"), ("logged.sqlite-wal", "kept.sqlite-wal")] {
        std::fs::copy(folder.path().join(from), folder.path().join(to)).unwrap();
    }
    let read = |name: &str| std::fs::read(folder.path().join(name)).unwrap();
    let before = (read("kept.sqlite"), read("kept.sqlite-wal"));
    assert!(matches!(MarkStore::open(&kept), Err(MarksError::NotOurs { .. })));
    assert_eq!((read("kept.sqlite"), read("kept.sqlite-wal")), before);
    // One that is locked for longer than anybody waits, and free just then.
    let locked = folder.path().join("locked.sqlite");
    let other = Connection::open(&locked).unwrap();
    other.execute_batch("CREATE TABLE notes (id INTEGER); BEGIN EXCLUSIVE").unwrap();
    let opening = std::thread::spawn({
        let locked = locked.clone();
        move || MarkStore::open(&locked).map(drop)
    });
    std::thread::sleep(Duration::from_secs(3));
    other.execute_batch("COMMIT").unwrap();
    assert!(opening.join().unwrap().is_err());
    let stated = |name| other.pragma_query_value(None, name, |row| row.get::<_, String>(0)).unwrap();
    assert_eq!(stated("journal_mode"), "delete");
    let tables: i64 = other.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0)).unwrap();
    assert_eq!(tables, 1);
    let text = folder.path().join("notes.txt");
    std::fs::write(&text, "question,tool_call\nnot a database, by far\n".repeat(100)).unwrap();
    assert!(matches!(MarkStore::open(&text), Err(MarksError::NotOurs { .. })));
    let missing = MarkStore::existing(&folder.path().join("none"));
    assert!(matches!(missing, Err(MarksError::Missing { .. })));
    let (_newer, store) = opened();
    store.connection.pragma_update(None, "user_version", SCHEMA_VERSION + 1).unwrap();
    assert!(matches!(MarkStore::open(&store.path), Err(MarksError::Newer { version: 3, .. })));
}

#[test]
fn what_is_damaged_is_no_mark_without_a_label() {
    let (_folder, mut store) = opened();
    for (row, seen) in [("a", 0), ("b", 0)] {
        assert!(kept(store.add(&mark("anna", row, "correct"), seen)).is_some());
    }
    let picked = Picked { queue: "random".to_owned(), rows: vec!["a".to_owned()], of: 2 };
    assert!(kept(store.add_draw("t", "anna", "now", &picked, 0)).is_some());
    for damaged in ["", "{", "[]", "{\"gold\":1}"] {
        store.connection.execute("UPDATE marks SET gold = ?1 WHERE id = 2", [damaged]).unwrap();
        let said = store.latest().unwrap_err();
        assert!(matches!(&said, MarksError::Damaged { why, .. } if why.contains("mark 2")), "{said}");
        assert_eq!(store.since(0).unwrap_err(), said);
    }
    store.connection.execute("UPDATE marks SET gold = '{}'", []).unwrap();
    for damaged in ["", "{}", "[1]"] {
        store.connection.execute("UPDATE marks SET correction = ?1 WHERE id = 1", [damaged]).unwrap();
        let said = store.latest().unwrap_err();
        assert!(
            matches!(&said, MarksError::Damaged { why, .. } if why.contains("correction of mark 1")),
            "{said}"
        );
    }
    store.connection.execute("UPDATE draws SET rows = 'a'", []).unwrap();
    let said = store.draws("t").unwrap_err();
    assert!(matches!(&said, MarksError::Damaged { why, .. } if why.contains("draw 1")), "{said}");
}

#[test]
fn corrections_are_kept_and_taken_back() {
    let (_folder, mut store) = opened();
    let calls = r#"[{"name":"f","arguments":{"n":12345678901234567890}}]"#;
    let corrected = NewMark { correction: Some(calls.to_owned()), ..mark("anna", "a", "incorrect") };
    assert!(kept(store.add(&mark("anna", "a", "incorrect"), 0)).is_some());
    assert!(kept(store.add(&corrected, 1)).is_some());
    let only_calls = NewMark { correction: Some("[]".to_owned()), ..mark("anna", "b", "") };
    assert!(kept(store.add(&only_calls, 0)).is_some());
    let said = |store: &MarkStore| {
        let latest = store.latest().unwrap();
        latest.into_iter().map(|mark| mark.mark.correction).collect::<Vec<_>>()
    };
    assert_eq!(said(&store), [Some(calls.to_owned()), Some("[]".to_owned())]);
    assert_eq!(store.last_of("anna", "a").unwrap().unwrap().mark, corrected);
    assert_eq!(store.last_of("ben", "a").unwrap(), None);
    for change in [3, 2] {
        assert!(kept(store.undo("anna", change, "now", |_| true)).is_some());
    }
    assert_eq!(said(&store), [None], "the row without a correction is marked as before");
}

/// Marks that an older version has made stay as they are, and take corrections from now on.
#[test]
fn an_older_file_is_brought_up_to_date() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("old.marks.sqlite");
    let old = Connection::open(&path).unwrap();
    // As version 1 made it.
    let schema = include_str!("schema.sql");
    let schema: String = schema
        .lines()
        .filter(|line| !line.contains("correction TEXT"))
        .map(|line| format!("{line}\n"))
        .collect();
    old.execute_batch(&schema).unwrap();
    old.pragma_update(None, "application_id", APPLICATION_ID).unwrap();
    old.pragma_update(None, "user_version", 1).unwrap();
    let made = "INSERT INTO marks (reviewer, row_key, gold, note, version, at) VALUES ('anna', 'a', '{\"gold\":\"incorrect\"}', 'hm', 1, 'then')";
    old.execute_batch(made).unwrap();
    let mut store = MarkStore::existing(&path).unwrap();
    let before = store.latest().unwrap();
    assert_eq!((before[0].mark.note.as_str(), &before[0].mark.correction), ("hm", &None));
    let corrected = NewMark { correction: Some("[]".to_owned()), ..mark("anna", "a", "incorrect") };
    assert!(kept(store.add(&corrected, 1)).is_some());
    // A program of version 1 that still has the file open goes on.
    old.execute_batch(&made.replace("'a'", "'b'")).unwrap();
    drop((store, old));
    let store = MarkStore::open(&path).unwrap();
    assert_eq!(store.since(0).unwrap().len(), 3);
    assert_eq!(store.last_of("anna", "a").unwrap().unwrap().mark, corrected);
    let stated: i64 = store.connection.pragma_query_value(None, "user_version", |row| row.get(0)).unwrap();
    assert_eq!(stated, SCHEMA_VERSION);
}
