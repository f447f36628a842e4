//! Stores shared by runs, stopped, damaged and locked.

use super::*;
use crate::domain::{
    AnswerForm, CallResult, Dialogue, Entry, Json, Prompt, RailProbability, Rails, Stop, ToolCall,
    ToolDefinition, Usage,
};
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

#[test]
fn a_locked_store_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("replies.sqlite");
    drop(Store::at(&path, "a").unwrap());
    let other = Connection::open(&path).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let error = Store::at(&path, "b").unwrap_err();
    assert!(matches!(error, StoreError::Locked { .. }), "{error}");
    assert!(error.to_string().contains("locked for 30 seconds by another process"), "{error}");
}

#[tokio::test]
async fn a_changed_byte_is_noticed() {
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

#[test]
fn foreign_files_are_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let text = folder.path().join("notes.txt");
    std::fs::write(&text, "not a database, but long enough to look like one to a hasty reader".repeat(9))
        .unwrap();
    assert!(matches!(Store::at(&text, "a"), Err(StoreError::NotOurs { .. })));
    let foreign = folder.path().join("foreign.sqlite");
    Connection::open(&foreign).unwrap().execute_batch("CREATE TABLE t (x)").unwrap();
    assert!(matches!(Store::at(&foreign, "a"), Err(StoreError::NotOurs { .. })));
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
