//! What holds for a store wherever it is: the same tests for a file and for a schema on a server.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use tempfile::TempDir;
use tooljudge::domain::{
    AnswerForm, Dialogue, Entry, Paid, Prompt, RailProbability, Rails, Reply, Stop, Usage,
};
use tooljudge::internal::{
    Archive, AskHasher, Asking, Block, Claim, Failure, Fingerprint, Found, Given, Line, Pruning, ReplyKind,
    Reuse, Store, StorePlace, Taking,
};

use crate::support::on_time::on_time;
use crate::support::postgres::{Postgres, shared};

/// A place for a store that nobody has used.
pub struct Place {
    kind: Kind,
}

enum Kind {
    File(TempDir),
    Schema(&'static Postgres, String),
}

impl Place {
    /// One of each kind that there is here.
    pub fn each(name: &str) -> Vec<Place> {
        let mut places = vec![Place { kind: Kind::File(tempfile::tempdir().unwrap()) }];
        places.extend(shared().map(|postgres| Place { kind: Kind::Schema(postgres, name.to_owned()) }));
        places
    }

    /// As `--store` takes it.
    pub fn given(&self) -> String {
        match &self.kind {
            Kind::File(_) => self.file().display().to_string(),
            Kind::Schema(postgres, schema) => postgres.url(schema),
        }
    }

    fn file(&self) -> PathBuf {
        match &self.kind {
            Kind::File(folder) => folder.path().join("nested/replies.sqlite"),
            Kind::Schema(..) => unreachable!("a schema is no file"),
        }
    }

    fn place(&self) -> StorePlace {
        StorePlace::parse(self.given()).unwrap()
    }

    fn open(&self, run: &str) -> Store {
        Store::open(self.place(), run).unwrap_or_else(|error| panic!("{error}"))
    }

    fn archive(&self) -> Archive {
        Archive::open(&self.place()).unwrap_or_else(|error| panic!("{error}"))
    }

    /// The text that a query finds.
    pub fn value(&self, sql: &str) -> String {
        match &self.kind {
            Kind::File(_) => {
                let connection = rusqlite::Connection::open(self.file()).unwrap();
                connection.query_row(sql, [], |row| row.get(0)).unwrap()
            }
            Kind::Schema(postgres, schema) => postgres.sql(schema, sql),
        }
    }

    /// Does what nobody should do to a store.
    pub fn tamper(&self, sql: &str) {
        match &self.kind {
            Kind::File(_) => {
                rusqlite::Connection::open(self.file()).unwrap().execute_batch(sql).unwrap();
            }
            Kind::Schema(postgres, schema) => drop(postgres.sql(schema, sql)),
        }
    }
}

fn fingerprint(text: &str) -> Fingerprint {
    let prompt = Prompt {
        text: text.into(),
        rails: std::sync::Arc::new(Rails::correctness()),
        form: AnswerForm::LABEL,
    };
    AskHasher::new("http://judge", "m", "{}").fingerprint(&prompt, 0)
}

fn turn(text: &str) -> (Dialogue, Fingerprint) {
    let dialogue = Dialogue { system: None, tools: [].into(), entries: vec![Entry::User(text.into())] };
    let question = AskHasher::new("http://judge", "m", "{}").turn(&dialogue, 0);
    (dialogue, question)
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

fn failure() -> Failure {
    Failure { code: "timeout".into(), message: "no answer".into(), attempts: 5 }
}

async fn claim(store: &Store, question: Fingerprint, reuse: Reuse) -> Claim {
    store.claim(question, reuse).await.unwrap()
}

async fn keep(store: &Store, question: Fingerprint, text: &str) {
    store.answer(question, ReplyKind::Verdict, reply(text), None).await.unwrap();
}

#[tokio::test]
async fn one_question_is_asked_by_one_run() {
    let _on_time = on_time();
    for place in Place::each("one_question") {
        let (a, b) = (place.open("a"), place.open("b"));
        let question = fingerprint("q");
        assert_eq!(claim(&a, question, Reuse::All).await, Claim::Ours);
        assert_eq!(claim(&a, question, Reuse::All).await, Claim::Pending);
        assert_eq!(claim(&b, question, Reuse::All).await, Claim::Theirs);
        keep(&a, question, "yes").await;
        assert_eq!(claim(&b, question, Reuse::All).await, Claim::Answered);
        assert_eq!(claim(&b, question, Reuse::OwnOnly).await, Claim::Ours);
        assert_eq!(claim(&a, question, Reuse::Nothing).await, Claim::Theirs);
        b.release(question).await.unwrap();
        assert_eq!(claim(&a, question, Reuse::Nothing).await, Claim::Ours);
        let found = b.reader().unwrap().get(question).unwrap();
        assert_eq!(found, Found::Reply { id: 1, reply: reply("yes"), run: "a".into() });
    }
}

/// A claim that led to nothing is not left behind.
#[tokio::test]
async fn what_is_answered_is_not_claimed() {
    let _on_time = on_time();
    for place in Place::each("answered") {
        let (a, b, c) = (place.open("a"), place.open("b"), place.open("c"));
        let question = fingerprint("q");
        keep(&a, question, "yes").await;
        assert_eq!(claim(&b, question, Reuse::All).await, Claim::Answered);
        // With the next transaction of its own.
        assert_eq!(claim(&b, fingerprint("another"), Reuse::All).await, Claim::Ours);
        assert_eq!(claim(&c, question, Reuse::OwnOnly).await, Claim::Ours);
    }
}

#[tokio::test]
async fn a_failure_is_asked_again_by_the_next_run_only() {
    let _on_time = on_time();
    for place in Place::each("failure") {
        let a = place.open("a");
        let question = fingerprint("q");
        claim(&a, question, Reuse::All).await;
        a.fail(question, failure()).await.unwrap();
        assert_eq!(claim(&a, question, Reuse::All).await, Claim::Pending);
        let reader = a.reader().unwrap();
        assert_eq!(reader.get(question).unwrap(), Found::Failure { failure: failure(), run: "a".into() });
        assert_eq!(reader.failure_of(question, "a").unwrap(), Some(failure()));
        assert_eq!(reader.failure_of(question, "b").unwrap(), None);
        drop((reader, a));
        let b = place.open("b");
        assert_eq!(claim(&b, question, Reuse::All).await, Claim::Ours);
        keep(&b, question, "yes").await;
        assert!(matches!(b.reader().unwrap().get(question).unwrap(), Found::Reply { .. }));
        assert_eq!(place.archive().contents().unwrap().failures, 0);
    }
}

/// Many at once, with equal ones among them: each is claimed once, by one of two runs.
#[tokio::test]
async fn a_crowd_claims_each_question_once() {
    let _on_time = on_time();
    for place in Place::each("crowd") {
        let runs = [place.open("a"), place.open("b")];
        let claims = (0..600).map(|number| {
            let run = &runs[number % 2];
            async move {
                let (text, reuse) =
                    ((number / 6).to_string(), if number % 7 == 0 { Reuse::OwnOnly } else { Reuse::All });
                let question = fingerprint(&text);
                let claimed = claim(run, question, reuse).await;
                if claimed == Claim::Ours {
                    run.answer(question, ReplyKind::Verdict, reply(&text), Some(text)).await.unwrap();
                }
                claimed
            }
        });
        let claims = futures_util::future::join_all(claims).await;
        let ours = claims.iter().filter(|claim| **claim == Claim::Ours).count();
        let contents = place.archive().contents().unwrap();
        assert_eq!((contents.replies, contents.damaged, contents.prompts), (100, 0, 100));
        // Only where own replies alone count is a question asked that the other run has answered.
        assert!((100..=200).contains(&ours), "{ours}");
        for number in 0..100 {
            let found = runs[0].reader().unwrap().get(fingerprint(&number.to_string())).unwrap();
            assert!(matches!(found, Found::Reply { reply, .. } if reply.text == number.to_string()));
        }
        drop(runs);
        assert_eq!(place.archive().contents().unwrap().claims, 0);
    }
}

#[test]
fn runs_that_begin_at_once_agree_on_a_new_store() {
    let _on_time = on_time();
    for number in 0..5 {
        for place in Place::each(&format!("begin_{number}")) {
            let begin = std::sync::Barrier::new(4);
            std::thread::scope(|scope| {
                for run in ["a", "b", "c", "d"] {
                    let (place, begin) = (&place, &begin);
                    scope.spawn(move || {
                        begin.wait();
                        place.open(run).reader().unwrap().holds_replies().unwrap();
                    });
                }
            });
        }
    }
}

#[tokio::test]
async fn a_changed_byte_is_noticed() {
    let _on_time = on_time();
    for place in Place::each("changed") {
        let store = place.open("a");
        let question = fingerprint("q");
        keep(&store, question, "incorrect").await;
        for lie in [
            "text = 'correct'",
            "run = 'b'",
            "cost_usd = 7.0",
            "stop = 'refused'",
            "kind = 'turn'",
            "stop = 'never'",
        ] {
            place.tamper(&format!("UPDATE replies SET {lie}"));
            assert_eq!(store.reader().unwrap().get(question).unwrap(), Found::Nothing, "{lie}");
            let before = store.damaged();
            assert_eq!(claim(&store, question, Reuse::All).await, Claim::Ours, "{lie}");
            assert_eq!(store.damaged() - before, 1, "{lie}");
            assert_eq!(place.archive().contents().unwrap().damaged, 1, "{lie}");
            keep(&store, question, "incorrect").await;
            assert_eq!(place.archive().contents().unwrap().damaged, 0, "{lie}");
        }
    }
}

#[tokio::test]
async fn any_text_of_a_model_comes_back() {
    let _on_time = on_time();
    for place in Place::each("texts") {
        let store = place.open("a");
        for (number, text) in
            ["", "\0", "a\0b\u{FDD0}0", "\u{1F600}\r\n\t'\"\\", "\u{FFFE}\u{10FFFF}"].into_iter().enumerate()
        {
            let question = fingerprint(&number.to_string());
            let kept = Reply { model: Some(text.into()), cost_usd: None, ..reply(text) };
            store.answer(question, ReplyKind::Verdict, kept.clone(), Some(text.to_owned())).await.unwrap();
            let found = store.reader().unwrap().get(question).unwrap();
            assert!(matches!(found, Found::Reply { reply, .. } if reply == kept), "{text:?}");
        }
        let question = fingerprint("failed");
        let failure = Failure { message: "a\0b".into(), ..failure() };
        store.fail(question, failure.clone()).await.unwrap();
        assert_eq!(store.reader().unwrap().failure_of(question, "a").unwrap(), Some(failure));
        store.manifest("{\"note\":\"\0\"}".into(), true).await.unwrap();
    }
}

#[tokio::test]
async fn a_run_that_came_to_no_end_is_found_until_one_does() {
    let _on_time = on_time();
    for place in Place::each("stopped_run") {
        let keys = ["agent_version", "key"];
        // What a manifest quotes may be anything.
        let manifest = r#"{"agent_version": {"key": "k"}, "said": "\u0000 "#.to_owned() + "\u{FDD0}\"}";
        let (first, second) = (place.open("first"), place.open("second"));
        keep(&first, fingerprint("a"), "correct").await;
        first.manifest(manifest.clone(), false).await.unwrap();
        let reader = second.reader().unwrap();
        assert_eq!(reader.stopped_run(&keys, "k").unwrap(), None, "it is under way");
        drop(first);
        // A server notices a moment later that it is gone.
        let stopped = loop {
            match reader.stopped_run(&keys, "k").unwrap() {
                Some(stopped) => break stopped,
                None => std::thread::sleep(std::time::Duration::from_millis(10)),
            }
        };
        assert_eq!((&*stopped.run, &*stopped.manifest), ("first", &*manifest));
        assert!(stopped.started_at.parse::<jiff::Timestamp>().is_ok(), "{}", stopped.started_at);
        assert_eq!(reader.stopped_run(&keys, "other").unwrap(), None);
        assert!(reader.holds_replies_of("first").unwrap() && !reader.holds_replies_of("second").unwrap());
        second.manifest(manifest, true).await.unwrap();
        assert_eq!(reader.stopped_run(&keys, "k").unwrap(), None, "one came to its end since");
    }
}

#[tokio::test]
async fn runs_know_how_many_they_are() {
    let _on_time = on_time();
    for place in Place::each("askers") {
        let (a, b) = (place.open("a"), place.open("b"));
        let reader = a.reader().unwrap();
        let asking = async |model| reader.asking("http://judge", model).await.unwrap().runs;
        assert_eq!(asking("m").await, 0);
        for (run, model) in [(&a, "m"), (&a, "m"), (&b, "m"), (&b, "n")] {
            run.join("http://judge".into(), model.into()).await.unwrap();
        }
        assert_eq!((asking("m").await, asking("n").await), (2, 1));
        a.leave("http://judge".into(), "m".into()).await.unwrap();
        assert_eq!(asking("m").await, 1);
        drop(b);
        assert_eq!((asking("m").await, asking("n").await), (0, 0));
    }
}

/// What is said of a purse is how it is, and may be said twice.
#[tokio::test]
async fn a_purse_is_shared_and_never_empties_twice() {
    let _on_time = on_time();
    for place in Place::each("purse") {
        let (a, b) = (place.open("a"), place.open("b"));
        let take = async |store: &Store, (granted, spent), (need, want)| {
            let taking = Taking { ceiling: 100, granted, spent, need, want };
            let Given { more, may_return, .. } = store.take("p".into(), taking).await.unwrap();
            (more, may_return)
        };
        assert_eq!(take(&a, (0, 0), (10, 60)).await, (60, false));
        assert_eq!(take(&a, (0, 0), (10, 60)).await, (60, false), "nobody heard of the first");
        assert_eq!(take(&b, (0, 0), (10, 60)).await, (40, true), "what is left");
        assert_eq!(take(&b, (40, 5), (10, 60)).await, (0, true));
        a.settle("p".into(), 25).await.unwrap();
        a.settle("p".into(), 25).await.unwrap();
        let asks_for_nothing = Taking { ceiling: 100, granted: 40, spent: 5, need: 0, want: 0 };
        let heard = b.take("p".into(), asks_for_nothing).await.unwrap();
        assert_eq!(heard, Given { more: 0, may_return: false, spent: 25, lost: 0 }, "what others have spent");
        assert_eq!(take(&b, (40, 5), (40, 60)).await, (0, false), "less than is needed");
        assert_eq!(take(&b, (40, 5), (10, 60)).await, (35, false));
        // Whoever dies has spent what it had taken.
        place.tamper("UPDATE purses SET run = 'dead' WHERE run = 'b'");
        assert_eq!(take(&a, (0, 0), (1, 60)).await, (0, false));
        let asks_for_nothing = Taking { ceiling: 100, granted: 0, spent: 0, need: 0, want: 0 };
        assert_eq!(
            a.take("p".into(), asks_for_nothing).await.unwrap().lost,
            70,
            "what it had beyond its spending"
        );
        let [told] = &place.archive().contents().unwrap().purses[..] else { panic!("one purse") };
        let shown = [told.taken_usd, told.spent_usd, told.lost_usd].map(|dollars| dollars * Taking::UNITS);
        assert_eq!(shown, [100.0, 30.0, 70.0]);
        let other = Taking { ceiling: 100, granted: 0, spent: 0, need: 1, want: 1 };
        assert_eq!(a.take("other".into(), other).await.unwrap().more, 1);
    }
}

/// All that is reserved.
fn reserved(place: &Place) -> Line {
    let text = place.value(
        "SELECT coalesce(string_agg(run || ' ' || number || ' ' || asked || ' ' || starts || ' ' || ends, ';'), '') FROM grants",
    );
    let block = |text: &str| {
        let fields: Vec<&str> = text.split(' ').collect();
        let [number, asked, starts, ends] = [1, 2, 3, 4].map(|field| fields[field].parse().unwrap());
        Block { run: fields[0].to_owned(), number, asked, starts, ends }
    };
    Line(text.split(';').filter(|text| !text.is_empty()).map(block).collect())
}

/// What each kind of store reserves is what the rule says, whoever asks, leaves, or sets the clock.
#[tokio::test]
async fn a_limit_is_shared_by_one_rule() {
    let _on_time = on_time();
    for place in Place::each("grants") {
        let runs = ["a", "b", "c", "d"];
        let stores = runs.map(|run| place.open(run));
        for store in &stores {
            store.join("http://judge".into(), "m".into()).await.unwrap();
        }
        let (mut line, mut numbers, mut left_at) = (Line::default(), [0; 4], [0; 4]);
        let mut random = fastrand::Rng::with_seed(3);
        for step in 0..60 {
            let is_set_back = random.u8(0..10) == 0;
            if is_set_back {
                // As if the clock had been set back by five minutes.
                place.tamper(
                    "UPDATE grants SET asked = asked + 300000000, starts = starts + 300000000, ends = ends + 300000000",
                );
            }
            let who = random.usize(0..4);
            if random.u8(0..10) == 0 {
                stores[who].leave("http://judge".into(), "m".into()).await.unwrap();
                stores[who].join("http://judge".into(), "m".into()).await.unwrap();
                // What it had begun is used, what it had not is free: when exactly it left is known to the store alone.
                let left = reserved(&place);
                let others = |line: &Line| line.0.iter().filter(|block| block.run != runs[who]).count();
                assert_eq!(others(&left), others(&line), "step {step}");
                (line, left_at[who]) = (left, numbers[who]);
            }
            let length = random.u64(1000..300_000);
            numbers[who] += 1;
            let granted = stores[who]
                .grant("http://judge".into(), "m".into(), Duration::from_micros(length))
                .await
                .unwrap();
            let found = place.value(&format!(
                "SELECT asked || ' ' || starts || ' ' || ends FROM grants WHERE run = '{}' AND number = {}",
                runs[who], numbers[who]
            ));
            let found: Vec<i64> = found.split(' ').map(|number| number.parse().unwrap()).collect();
            if is_set_back {
                // By how much exactly it was put right is between the store and its clock.
                assert!(found[1] - found[0] < 60_000_000, "step {step}: {found:?}");
                line = reserved(&place);
                continue;
            }
            // Of its own, none but what had begun is left of before it left.
            let begun = |block: &Block| block.starts <= found[0] || block.number > left_at[who];
            assert!(line.0.iter().all(|block| block.run != runs[who] || begun(block)), "step {step}");
            let block = line.grant(found[0], runs[who], numbers[who], length as i64);
            assert_eq!([found[1], found[2]], [block.starts, block.ends], "step {step}");
            assert_eq!(granted.length.as_micros() as i64, block.ends - block.starts, "step {step}");
            let part = line.part(found[0], runs[who]);
            assert_eq!(granted.part.as_micros(), part.as_micros(), "step {step}");
            let starts_in = block.starts - found[0];
            // Less what has passed since.
            assert!(granted.starts_in.as_micros() as i64 <= starts_in + 1, "step {step}: {granted:?}");
            if random.bool() {
                tokio::time::sleep(Duration::from_millis(random.u64(0..60))).await;
            }
        }
    }
}

#[tokio::test]
async fn what_the_dead_have_reserved_is_free_and_a_pause_is_heard_by_all() {
    let _on_time = on_time();
    for place in Place::each("grants_of_the_dead") {
        let (a, b) = (place.open("a"), place.open("b"));
        let minute = Duration::from_secs(60);
        let grant =
            async |store: &Store| store.grant("http://judge".into(), "m".into(), minute).await.unwrap();
        for store in [&a, &b] {
            store.join("http://judge".into(), "m".into()).await.unwrap();
        }
        // What is left of a time that a store has given is less by what has passed since, however long that is on a busy machine; the
        // store's clock and this one may differ by a little.
        let left = |least: u64, since: Instant, found: Duration| {
            found + since.elapsed() + Duration::from_secs(1) >= Duration::from_secs(least)
        };
        let began = Instant::now();
        assert!(grant(&a).await.starts_in.is_zero());
        let second = grant(&b).await.starts_in;
        assert!(left(30, began, second) && second <= minute, "{second:?}");
        // Said again after a connection broke: the same run, and the same number.
        let twice = place.open("a");
        let again = grant(&twice).await;
        assert!(again.starts_in.is_zero() && again.length < minute, "{again:?}");
        assert_eq!(reserved(&place).0.len(), 2);
        // As if the second had died before its block began, and its lease were over: that is free, and what has begun is used.
        place.tamper("UPDATE grants SET run = 'dead-' || run");
        let granted = b.grant("http://judge".into(), "m".into(), minute / 2).await.unwrap();
        assert!(left(20, began, granted.starts_in) && granted.starts_in <= minute, "{granted:?}");
        assert_eq!(reserved(&place).0.len(), 2);
        let reader = b.reader().unwrap();
        let asking = async || reader.asking("http://judge", "m").await.unwrap();
        assert_eq!(asking().await, Asking { runs: 2, pause: Duration::ZERO });
        let paused = Instant::now();
        for seconds in [40, 20] {
            a.pause("http://judge".into(), "m".into(), Duration::from_secs(seconds)).await.unwrap();
        }
        let pause = asking().await.pause;
        assert!(left(40, paused, pause) && pause <= Duration::from_secs(40), "{pause:?}");
        let heard = grant(&b).await.pause;
        assert!(left(40, paused, heard) && heard <= pause, "{heard:?}");
        // As if the clock had been set back.
        place.tamper("UPDATE pauses SET since = since + 300000000, until = until + 300000000");
        assert_eq!(asking().await.pause, Duration::ZERO);
    }
}

/// Six runs one after the other, each with one request at two a minute: what one has used counts for the next.
#[tokio::test]
async fn a_limit_holds_for_runs_that_follow_one_another() {
    let _on_time = on_time();
    for place in Place::each("grants_of_the_last") {
        let half = Duration::from_secs(30);
        let mut began = Instant::now();
        for number in 0..6 {
            let run = format!("run-{number}");
            let store = place.open(&run);
            store.join("http://judge".into(), "m".into()).await.unwrap();
            let granted = store.grant("http://judge".into(), "m".into(), half).await.unwrap();
            if number > 0 {
                let since = began.elapsed() + granted.starts_in;
                assert!(since + Duration::from_secs(1) >= half, "{run}: {granted:?}");
            }
            // As if it had waited for its turn.
            let waited = granted.starts_in.as_micros() + 1;
            place.tamper(&format!(
                "UPDATE grants SET asked = asked - {waited}, starts = starts - {waited}, ends = ends - {waited}"
            ));
            began = Instant::now();
            match number % 3 {
                0 => store.leave("http://judge".into(), "m".into()).await.unwrap(),
                1 => place.tamper(&format!("UPDATE grants SET run = 'killed' WHERE run = '{run}'")),
                _ => {}
            }
        }
    }
}

#[tokio::test]
async fn what_was_of_no_use_is_counted() {
    let _on_time = on_time();
    for place in Place::each("wasted") {
        let store = place.open("a");
        let (one, other) = (fingerprint("one"), fingerprint("other"));
        let usage = Usage { prompt_tokens: Some(5), cached_tokens: None, completion_tokens: Some(2) };
        let paid = Paid { usage, cost_usd: Some(0.25), attempts: 0 };
        store.waste(one, paid).await.unwrap();
        store.waste(one, paid).await.unwrap();
        let wasted = store.reader().unwrap().wasted(&[one, other], "a").unwrap();
        assert_eq!(wasted.keys().collect::<Vec<_>>(), [&one]);
        assert_eq!((wasted[&one].usage.prompt_tokens, wasted[&one].cost_usd), (Some(10), Some(0.5)));
        assert!(store.reader().unwrap().wasted(&[one], "b").unwrap().is_empty());
        assert_eq!(place.archive().contents().unwrap().wasted.cost_usd, 0.5);
    }
}

#[tokio::test]
async fn a_turn_is_kept_as_one() {
    let _on_time = on_time();
    for place in Place::each("turn") {
        let store = place.open("a");
        let (dialogue, question) = turn("q");
        assert_eq!(claim(&store, question, Reuse::All).await, Claim::Ours);
        let asked = dialogue.to_json().to_string();
        store.answer(question, ReplyKind::Turn, reply(r#"{"content":"a"}"#), Some(asked)).await.unwrap();
        assert_eq!(claim(&store, question, Reuse::All).await, Claim::Answered);
        let found = store.reader().unwrap().get(question).unwrap();
        assert!(matches!(found, Found::Reply { reply, .. } if reply.text == r#"{"content":"a"}"#));
        place.tamper("UPDATE replies SET kind = 'verdict'");
        let found = store.reader().unwrap().get(question).unwrap();
        assert_eq!(found, Found::Nothing, "the checksum covers the kind");
    }
}

/// From each kind of store into each kind.
#[tokio::test]
async fn kinds_are_counted_merged_and_pruned() {
    let _on_time = on_time();
    for (number, from) in Place::each("merge_from").iter().enumerate() {
        for into in Place::each(&format!("merge_into_{number}")) {
            let store = from.open("a");
            keep(&store, fingerprint("q"), "a\0b").await;
            for text in ["a", "b"] {
                store.answer(turn(text).1, ReplyKind::Turn, reply("{}"), Some("asked".into())).await.unwrap();
            }
            store.learn("http://judge".into(), "m".into(), "rail:text".into()).await.unwrap();
            store.manifest("{}".into(), true).await.unwrap();
            drop(store);
            let mut archive = Archive::open_or_create(&into.place()).unwrap();
            let merged = archive.merge(&from.archive()).unwrap();
            assert_eq!((merged.added, merged.known, merged.damaged), (3, 0, 0));
            let merged = archive.merge(&from.archive()).unwrap();
            assert_eq!((merged.added, merged.known, merged.damaged), (0, 3, 0));
            // A sound reply takes the place of a damaged one.
            into.tamper("UPDATE replies SET text = 'other' WHERE kind = 'verdict'");
            let merged = archive.merge(&from.archive()).unwrap();
            assert_eq!((merged.added, merged.known, merged.damaged, merged.mended), (0, 2, 0, 1));
            let counts = |archive: &Archive| {
                let contents = archive.contents().unwrap();
                (contents.replies, contents.turns, contents.damaged)
            };
            assert_eq!(counts(&archive), (3, 2, 0));
            let contents = archive.contents().unwrap();
            assert_eq!((contents.runs, contents.unfinished, contents.adaptations.len()), (1, 0, 1));
            let day = |span: &Option<(String, String)>| span.as_ref().unwrap().0[..19].to_owned();
            assert_eq!(day(&contents.span), day(&from.archive().contents().unwrap().span));
            assert_eq!(contents.models.len(), 1);
            assert!(contents.bytes > 0);
            let found = into.open("b").reader().unwrap().get(fingerprint("q")).unwrap();
            assert!(
                matches!(found, Found::Reply { reply: found, run, .. } if found == reply("a\0b") && run == "a")
            );
            assert_eq!(archive.forget_prompts().unwrap().count, 2);
            let pruning = Pruning { kind: Some(ReplyKind::Turn), ..Pruning::default() };
            assert_eq!(archive.prune(&pruning, true).unwrap().count, 2);
            assert_eq!(archive.prune(&pruning, false).unwrap().count, 2);
            assert_eq!(counts(&archive), (1, 0, 0));
            let early = Pruning { before: Some("2001-01-01T00:00:00Z".into()), ..Pruning::default() };
            assert_eq!(archive.prune(&early, false).unwrap().count, 0);
            assert_eq!(archive.forget_adaptations().unwrap(), 1);
        }
    }
}

/// What a run says at its end counts more than what it said when it began, in whichever order stores are joined.
#[tokio::test]
async fn a_finished_record_takes_the_place_of_an_unfinished_one() {
    let _on_time = on_time();
    for (number, from) in Place::each("runs_from").iter().enumerate() {
        for into in Place::each(&format!("runs_into_{number}")) {
            from.open("a").manifest(r#"{"began":1}"#.into(), false).await.unwrap();
            let mut archive = Archive::open_or_create(&into.place()).unwrap();
            archive.merge(&from.archive()).unwrap();
            assert_eq!(archive.contents().unwrap().unfinished, 1);
            from.open("a").manifest(r#"{"ended":1}"#.into(), true).await.unwrap();
            archive.merge(&from.archive()).unwrap();
            assert_eq!(archive.contents().unwrap().unfinished, 0);
            let manifest = || into.value("SELECT manifest FROM runs WHERE id = 'a'");
            assert_eq!(manifest(), r#"{"ended":1}"#);
            from.tamper("UPDATE runs SET finished_at = NULL, manifest = '{}'");
            archive.merge(&from.archive()).unwrap();
            assert_eq!((archive.contents().unwrap().unfinished, manifest().as_str()), (0, r#"{"ended":1}"#));
            from.tamper("DELETE FROM runs");
        }
    }
}

#[test]
fn what_is_not_there_is_not_made_by_looking() {
    for place in Place::each("absent") {
        let said = Archive::open(&place.place()).unwrap_err().to_string();
        assert!(said.contains("there is no reply store"), "{said}");
        assert!(Archive::open(&place.place()).is_err());
    }
}
