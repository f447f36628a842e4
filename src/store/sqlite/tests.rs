//! Stores that are shared by runs, stopped, damaged and locked.

use super::*;
use crate::domain::{
    AnswerForm, CallResult, Dialogue, Entry, Json, Prompt, RailProbability, Rails, Stop, ToolCall,
    ToolDefinition, Usage,
};
use crate::on_time::on_time;
use crate::store::*;

fn fingerprint(text: &str) -> Fingerprint {
    let prompt = Prompt { text: text.into(), rails: Arc::new(Rails::correctness()), form: AnswerForm::LABEL };
    AskHasher::new("http://judge", "m", "{}").fingerprint(&prompt, 0)
}

fn reply(text: &str) -> Reply {
    Reply {
        text: text.into(),
        stop: Stop::Finished,
        usage: Usage { prompt_tokens: Some(7), cached_tokens: Some(3), completion_tokens: None },
        model: None,
        latency_ms: 12,
        attempts: 1,
        adapted: vec!["rail:text".into()],
        probabilities: vec![RailProbability { label: "correct".into(), probability: 0.97 }],
        cost_usd: Some(0.000_12),
    }
}

#[test]
fn runs_that_begin_at_once_agree_on_a_new_store() {
    let _on_time = on_time();
    for _ in 0..40 {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("replies.sqlite");
        let begin = std::sync::Barrier::new(4);
        std::thread::scope(|scope| {
            for run in ["a", "b", "c", "d"] {
                let (path, begin) = (&path, &begin);
                scope.spawn(move || {
                    begin.wait();
                    let store = Store::at(path, run).unwrap();
                    store.reader().unwrap();
                });
            }
        });
    }
}

/// A store is for its owner's eyes only, also where its name is a link to a place where nothing is yet.
#[cfg(unix)]
#[test]
fn a_new_store_is_private_behind_a_link_too() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let folder = tempfile::tempdir().unwrap();
    let [real, link] = ["real.sqlite", "link.sqlite"].map(|name| folder.path().join(name));
    symlink("real.sqlite", &link).unwrap();
    drop(Store::at(&link, "a").unwrap());
    assert_eq!(std::fs::metadata(&real).unwrap().permissions().mode() & 0o777, 0o600);
    assert!(std::fs::symlink_metadata(&link).unwrap().is_symlink());
}

/// Whoever closes a file drops the locks of its process: another program would take itself for its last user, and remove its log.
#[cfg(target_os = "linux")]
#[test]
fn an_open_store_keeps_its_lock() {
    use std::os::unix::fs::MetadataExt;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("replies.sqlite");
    let first = Store::at(&path, "a").unwrap();
    if !std::path::Path::new("/proc/locks").exists() {
        // Seen also where the test passes.
        let _ = std::io::Write::write_all(&mut std::io::stderr(), b"\nskipped: the system lists no locks\n");
        return;
    }
    let is_locked = || {
        let (inode, process) = (std::fs::metadata(&path).unwrap().ino(), std::process::id().to_string());
        let locks = std::fs::read_to_string("/proc/locks").unwrap();
        locks.lines().any(|line| {
            let words: Vec<&str> = line.split_whitespace().collect();
            words.contains(&process.as_str()) && words.iter().any(|word| word.ends_with(&format!(":{inode}")))
        })
    };
    assert!(is_locked());
    first.reader().unwrap();
    assert!(is_locked(), "after a look");
    drop(Store::at(&path, "b").unwrap());
    assert!(is_locked(), "after another run of this process");
    drop(crate::store::Archive::open(&StorePlace::File(path.clone())).unwrap());
    assert!(is_locked(), "after an archive");
    drop(first);
    assert!(!is_locked());
}

#[test]
fn a_locked_store_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("replies.sqlite");
    drop(Store::at(&path, "a").unwrap());
    let other = Connection::open(&path).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let error = Store::at(&path, "b").unwrap_err();
    assert!(matches!(error, StoreError::Locked { .. }), "{error}");
    assert!(error.to_string().contains("locked for 2 seconds by another process"), "{error}");
}

#[tokio::test]
async fn a_changed_byte_is_noticed() {
    let _on_time = on_time();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("replies.sqlite");
    let store = Store::at(&path, "a").unwrap();
    let question = fingerprint("q");
    store.answer(question, ReplyKind::Verdict, reply("incorrect"), None).await.unwrap();
    Connection::open(&path).unwrap().execute("UPDATE replies SET text = 'correct'", []).unwrap();
    assert_eq!(store.reader().unwrap().get(question).unwrap(), Found::Nothing);
    assert_eq!(store.claim(question, Reuse::All).await.unwrap(), Claim::Ours);
    assert_eq!(store.damaged(), 1);
}

#[tokio::test]
async fn a_dead_runs_claim_expires() {
    let _on_time = on_time();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("replies.sqlite");
    let store = Store::at(&path, "a").unwrap();
    let question = fingerprint("q");
    let other = Connection::open(&path).unwrap();
    for lease_until in [1_i64, i64::MAX] {
        other
            .execute("INSERT OR REPLACE INTO claims VALUES (?1, 'dead', ?2)", (question.0, lease_until))
            .unwrap();
        assert_eq!(store.claim(question, Reuse::All).await.unwrap(), Claim::Ours);
    }
}

#[tokio::test]
async fn what_a_killed_run_was_asking_is_free_at_once() {
    let _on_time = on_time();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("replies.sqlite");
    let (before, after) = (fingerprint("before"), fingerprint("after"));
    let b = Store::at(&path, "b").unwrap();
    let (killed, other) =
        (run_lock::RunLock::begin(&path, "killed").unwrap(), Connection::open(&path).unwrap());
    let claim = |question: Fingerprint| {
        let values = (question.0, writer::lease().1);
        other.execute("INSERT INTO claims VALUES (?1, 'killed', ?2)", values).unwrap();
    };
    claim(before);
    assert_eq!(b.claim(before, Reuse::All).await.unwrap(), Claim::Theirs);
    // As when its process ends.
    drop(killed);
    assert_eq!(b.claim(before, Reuse::All).await.unwrap(), Claim::Ours);
    claim(after);
    let c = Store::at(&path, "c").unwrap();
    assert_eq!(c.claim(after, Reuse::All).await.unwrap(), Claim::Ours);
    drop((b, c));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 3, "store, log, shared memory");
}

#[tokio::test]
async fn no_clock_takes_from_a_living_run_what_it_asks() {
    let _on_time = on_time();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("replies.sqlite");
    let (a, b) = (Store::at(&path, "a").unwrap(), Store::at(&path, "b").unwrap());
    let question = fingerprint("q");
    a.claim(question, Reuse::All).await.unwrap();
    let other = Connection::open(&path).unwrap();
    for lease_until in [1_i64, i64::MAX] {
        other.execute("UPDATE claims SET lease_until = ?1", [lease_until]).unwrap();
        assert_eq!(b.claim(question, Reuse::All).await.unwrap(), Claim::Theirs);
    }
}

#[tokio::test]
async fn runs_know_how_many_they_are() {
    let _on_time = on_time();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("replies.sqlite");
    let (a, b) = (Store::at(&path, "a").unwrap(), Store::at(&path, "b").unwrap());
    let reader = a.reader().unwrap();
    let asking = async |model| reader.asking("http://judge", model).await.unwrap().runs;
    assert_eq!(asking("m").await, 0);
    a.join("http://judge".into(), "m".into()).await.unwrap();
    a.join("http://judge".into(), "m".into()).await.unwrap();
    b.join("http://judge".into(), "m".into()).await.unwrap();
    b.join("http://judge".into(), "n".into()).await.unwrap();
    assert_eq!((asking("m").await, asking("n").await), (2, 1));
    let other = Connection::open(&path).unwrap();
    for lease_until in [1_i64, i64::MAX] {
        let values = ("dead", lease_until);
        other.execute("INSERT OR REPLACE INTO askers VALUES ('http://judge', 'm', ?1, ?2)", values).unwrap();
        assert_eq!(asking("m").await, 2, "a lease that expired, or that no clock can have set");
    }
    a.leave("http://judge".into(), "m".into()).await.unwrap();
    assert_eq!(asking("m").await, 1);
    drop(b);
    assert_eq!((asking("m").await, asking("n").await), (0, 0));
}

/// The machine was asleep, and another run has asked and answered meanwhile.
#[tokio::test]
async fn what_another_run_has_answered_meanwhile_stays() {
    let _on_time = on_time();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("replies.sqlite");
    let (a, b) = (Store::at(&path, "a").unwrap(), Store::at(&path, "b").unwrap());
    let keep = async |store: &Store, question, text| {
        store.answer(question, ReplyKind::Verdict, reply(text), None).await.unwrap();
    };
    let [lapsed, afresh, damaged, unheard] = ["lapsed", "afresh", "damaged", "unheard"].map(fingerprint);
    keep(&b, afresh, "old").await;
    let claims = [
        (lapsed, Reuse::All),
        (afresh, Reuse::OwnOnly),
        (damaged, Reuse::All),
        // Nobody has answered it yet, and a run that takes only its own answers needs one of its own all the same.
        (unheard, Reuse::OwnOnly),
    ];
    for (question, reuse) in claims {
        assert_eq!(a.claim(question, reuse).await.unwrap(), Claim::Ours);
    }
    let other = Connection::open(&path).unwrap();
    other.execute("DELETE FROM claims", []).unwrap();
    for question in [lapsed, damaged, unheard] {
        assert_eq!(b.claim(question, Reuse::All).await.unwrap(), Claim::Ours);
        keep(&b, question, "theirs").await;
    }
    other.execute("UPDATE replies SET text = 'x' WHERE fingerprint = ?1", [damaged.0]).unwrap();
    for question in [lapsed, afresh, damaged, unheard] {
        keep(&a, question, "ours").await;
    }
    let outcomes =
        [(lapsed, "theirs", "b"), (afresh, "ours", "a"), (damaged, "ours", "a"), (unheard, "ours", "a")];
    for (question, expected, by) in outcomes {
        let Found::Reply { reply, run, .. } = a.reader().unwrap().get(question).unwrap() else { panic!() };
        assert_eq!((reply.text.as_str(), run.as_str()), (expected, by));
    }
    // It was paid for all the same.
    let wasted = a.reader().unwrap().wasted(&[lapsed, afresh, damaged], "a").unwrap();
    assert_eq!(wasted.keys().collect::<Vec<_>>(), [&lapsed]);
    assert_eq!(wasted[&lapsed].cost_usd, Some(0.000_12));
}

/// A backup or `store prune` may hold the lock for longer than SQLite waits.
#[tokio::test]
async fn a_run_waits_for_a_long_lock_and_loses_no_reply() {
    let _on_time = on_time();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("replies.sqlite");
    let store = Store::at(&path, "a").unwrap();
    let other = Connection::open(&path).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let holder = std::thread::spawn(move || {
        std::thread::sleep(PATIENCE * 2);
        other.execute_batch("COMMIT").unwrap();
    });
    store.answer(fingerprint("q"), ReplyKind::Verdict, reply("a"), None).await.unwrap();
    holder.join().unwrap();
    assert!(matches!(store.reader().unwrap().get(fingerprint("q")).unwrap(), Found::Reply { .. }));
}

#[cfg(feature = "cli")]
#[tokio::test]
async fn what_is_dropped_is_told_although_the_file_stays_as_large() {
    let _on_time = on_time();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("replies.sqlite");
    let store = Store::at(&path, "a").unwrap();
    store.answer(fingerprint("q"), ReplyKind::Verdict, reply("a"), Some("asked".into())).await.unwrap();
    drop(store);
    let archive = crate::store::sqlite::archive::Archive::open(&path).unwrap();
    let dropped = archive.prune(&Pruning { run: Some("b".into()), ..Pruning::default() }, false).unwrap();
    assert_eq!(dropped, Dropped { count: 0, not_shrunk: None });
    archive.hold_open().unwrap();
    let dropped = archive.forget_prompts().unwrap();
    assert_eq!(dropped.count, 1);
    assert!(matches!(dropped.not_shrunk, Some(StoreError::Failed { .. })), "{dropped:?}");
    let dropped = archive.prune(&Pruning { run: Some("a".into()), ..Pruning::default() }, false).unwrap();
    assert!(dropped.count == 1 && dropped.not_shrunk.is_some(), "{dropped:?}");
}

/// Another process writes the store all the while.
#[cfg(feature = "cli")]
#[tokio::test]
async fn a_store_that_a_run_writes_can_be_merged_into() {
    let _on_time = on_time();
    let folder = tempfile::tempdir().unwrap();
    let [from, into] = ["from.sqlite", "into.sqlite"].map(|name| folder.path().join(name));
    for (path, count) in [(&from, 1600), (&into, 1200)] {
        let store = Store::at(path, "a").unwrap();
        let keep = |number: usize| {
            store.answer(fingerprint(&number.to_string()), ReplyKind::Verdict, reply("a"), None)
        };
        for kept in futures_util::future::join_all((0..count).map(keep)).await {
            kept.unwrap();
        }
    }
    let is_done = std::sync::atomic::AtomicBool::new(false);
    let merged = std::thread::scope(|scope| {
        scope.spawn(|| {
            let writer = Connection::open(&into).unwrap();
            writer.busy_timeout(PATIENCE).unwrap();
            writer.execute_batch("PRAGMA synchronous = OFF").unwrap();
            while !is_done.load(std::sync::atomic::Ordering::Relaxed) {
                writer
                    .execute_batch("INSERT OR REPLACE INTO pauses VALUES ('http://judge', 'm', 1, random())")
                    .unwrap();
                std::thread::sleep(Duration::from_micros(200));
            }
        });
        let place = |path: &std::path::Path| StorePlace::File(path.to_owned());
        let merged = Archive::open(&place(&into)).unwrap().merge(&Archive::open(&place(&from)).unwrap());
        is_done.store(true, std::sync::atomic::Ordering::Relaxed);
        merged
    });
    let merged = merged.unwrap();
    assert_eq!((merged.added, merged.known), (400, 1200));
}

#[test]
fn foreign_files_are_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let text = folder.path().join("notes.txt");
    std::fs::write(&text, "not a database, but long enough to look like one to a hasty reader".repeat(9))
        .unwrap();
    assert!(matches!(Store::at(&text, "a"), Err(StoreError::NotOurs { .. })));
    for (name, sql) in [
        ("plain.sqlite", "CREATE TABLE t (x)"),
        ("marked.sqlite", "PRAGMA application_id = 7; CREATE TABLE t (x)"),
        ("versioned.sqlite", "PRAGMA user_version = 7; CREATE TABLE t (x)"),
        ("empty.sqlite", "PRAGMA user_version = 7"),
    ] {
        let foreign = folder.path().join(name);
        Connection::open(&foreign).unwrap().execute_batch(sql).unwrap();
        let before = std::fs::read(&foreign).unwrap();
        assert!(matches!(Store::at(&foreign, "a"), Err(StoreError::NotOurs { .. })), "{name}");
        assert!(std::fs::read(&foreign).unwrap() == before, "{name}: not a byte is changed");
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 5, "and nothing lies beside them");
    // One whose last changes are in its log still.
    let foreign = folder.path().join("ahead.sqlite");
    let writer = Connection::open(&foreign).unwrap();
    writer.execute_batch("PRAGMA journal_mode = WAL; CREATE TABLE t (x); INSERT INTO t VALUES (1)").unwrap();
    std::mem::forget(writer);
    let files =
        || [&foreign, &folder.path().join("ahead.sqlite-wal")].map(|path| std::fs::read(path).unwrap());
    let before = files();
    assert!(matches!(Store::at(&foreign, "a"), Err(StoreError::NotOurs { .. })));
    assert!(files() == before, "not a byte is changed, of its log neither");
}

#[cfg(unix)]
#[test]
fn only_its_owner_can_read_it() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("replies.sqlite");
    let _store = Store::at(&path, "a").unwrap();
    assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
}

fn call(arguments: &str) -> ToolCall {
    let Json::Object(arguments) = Json::parse(arguments).unwrap() else { panic!("{arguments}") };
    ToolCall { id: Some("c".into()), ..ToolCall::new("f", arguments) }
}

fn result(content: &str, is_error: bool) -> Entry {
    Entry::Results(vec![CallResult { id: "c".into(), tool: "f".into(), content: content.into(), is_error }])
}

fn answered(message: &str, ids: &[&str]) -> Entry {
    Entry::Reply { message: message.into(), ids: ids.iter().map(|id| (*id).to_owned()).collect() }
}

#[test]
fn dialogues_that_differ_anywhere_are_other_questions() {
    let tool = |name: &str, description: &str, parameters: &str| ToolDefinition {
        name: name.into(),
        description: description.into(),
        parameters: Json::parse(parameters).unwrap(),
    };
    let dialogue = |system: Option<&str>, tools: &[ToolDefinition], entries: &[Entry]| Dialogue {
        system: system.map(Into::into),
        tools: tools.into(),
        entries: entries.to_vec(),
    };
    let user = |text: &str| Entry::User(text.into());
    let said = |text: &str, calls: &[ToolCall]| Entry::Assistant { text: text.into(), calls: calls.to_vec() };
    let malformed =
        ToolCall { arguments: crate::domain::Arguments::Malformed("{\"a\":1}".into()), ..call("{}") };
    let dialogues = [
        dialogue(None, &[], &[user("q")]),
        dialogue(Some(""), &[], &[user("q")]),
        dialogue(Some("q"), &[], &[]),
        dialogue(None, &[], &[user("q"), user("")]),
        dialogue(None, &[], &[said("q", &[])]),
        dialogue(None, &[tool("f", "", "{}")], &[user("q")]),
        dialogue(None, &[tool("", "f", "{}")], &[user("q")]),
        dialogue(None, &[tool("f", "", r#"{"a":1}"#)], &[user("q")]),
        dialogue(None, &[tool("f", "", r#"{"a":1.0}"#)], &[user("q")]),
        dialogue(None, &[], &[user("q"), said("", &[call(r#"{"a":1}"#)])]),
        dialogue(None, &[], &[user("q"), said("", &[call(r#"{"a":1.0}"#)])]),
        dialogue(None, &[], &[user("q"), said("", &[malformed])]),
        dialogue(None, &[], &[user("q"), said("", &[call("{}"), call("{}")])]),
        dialogue(None, &[], &[user("q"), answered(r#"{"a":1}"#, &["c"]), result("1", false)]),
        dialogue(None, &[], &[user("q"), answered(r#"{"a": 1}"#, &["c"]), result("1", false)]),
        dialogue(None, &[], &[user("q"), answered(r#"{"a":1}"#, &["d"]), result("1", false)]),
        dialogue(None, &[], &[user("q"), answered(r#"{"a":1}"#, &["c", ""]), result("1", false)]),
        dialogue(None, &[], &[user("q"), answered(r#"{"a":1}"#, &["c"]), result("1", true)]),
        dialogue(None, &[], &[user("q"), answered(r#"{"a":1}"#, &["c"]), result("2", false)]),
    ];
    let hasher = AskHasher::new("http://judge", "m", "{}");
    let mut seen = std::collections::HashSet::from([fingerprint("q").0]);
    for dialogue in &dialogues {
        for repeat in 0..2 {
            assert!(seen.insert(hasher.turn(dialogue, repeat).0), "{dialogue:?}");
        }
        assert_eq!(hasher.turn(dialogue, 0), hasher.turn(&dialogue.clone(), 0));
    }
    assert!(seen.insert(AskHasher::new("http://judge", "n", "{}").turn(&dialogues[0], 0).0));
}
