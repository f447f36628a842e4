//! `store stat`, `prune` and `merge`, and what a damaged or locked store says.

use std::io::Read;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use flate2::read::GzDecoder;
use serde_json::Value;

use crate::label_remote::{gold, numbered, row_of};
use crate::support::server::{Answer, Server};
use crate::support::workspace::{Workspace, shown};

fn honest() -> Server {
    Server::start(|seen| Answer::label(gold(row_of(seen))))
}

fn label(work: &Workspace, server: &Server, rows: usize, more: &[&str]) {
    work.file("in.csv", numbered(rows));
    let args = ["label", "in.csv", "--judge", "openai:m", "--base-url", &server.url];
    work.run(&[&args[..], more].concat()).ended(0);
}

fn stat(work: &Workspace, store: &str) -> Value {
    let ran = work.run(&["store", "stat", "--json", "--store", store]).ended(0);
    serde_json::from_str(&ran.stdout).unwrap()
}

#[test]
fn stat_counts_and_checks() {
    let (server, work) = (honest(), Workspace::new());
    label(&work, &server, 12, &["--store", "s.sqlite", "--keep-prompts"]);
    let contents = stat(&work, "s.sqlite");
    assert_eq!(
        (&contents["replies"], &contents["prompts"], &contents["damaged"]),
        (&12.into(), &12.into(), &0.into())
    );
    assert_eq!(
        (&contents["runs"], &contents["unfinished"], &contents["claims"]),
        (&1.into(), &0.into(), &0.into())
    );
    shown("store_help", &work.run(&["store", "--help"]).ended(0).stdout);

    let file = rusqlite::Connection::open(work.path("s.sqlite")).unwrap();
    file.execute("UPDATE replies SET text = text || ' ' WHERE id <= 5", []).unwrap();
    assert_eq!(stat(&work, "s.sqlite")["damaged"], 5);
    // Damaged replies are asked again, the others are not.
    let before = server.requests();
    label(&work, &server, 12, &["--store", "s.sqlite"]);
    assert_eq!(server.requests() - before, 5);
    assert_eq!(stat(&work, "s.sqlite")["damaged"], 0);
}

#[test]
fn pruned_replies_are_asked_again() {
    let (server, work) = (honest(), Workspace::new());
    label(&work, &server, 10, &["--store", "s.sqlite", "--keep-prompts"]);
    let prune = |more: &[&str]| work.run(&[&["store", "prune", "--store", "s.sqlite"], more].concat());
    assert!(prune(&[]).ended(2).stderr.contains("give a condition for the replies to delete"));
    assert!(prune(&["--older-than", "soon"]).ended(2).stderr.contains("30d"));
    for age in ["99999999d", "4294967295d", "36501d", "4000000000h"] {
        assert!(prune(&["--older-than", age]).ended(2).stderr.contains("at most 36500d"), "{age}");
    }
    assert_eq!(prune(&["--older-than", "36500d"]).ended(0).stdout, "0 replies dropped\n");
    assert_eq!(prune(&["--older-than", "1d"]).ended(0).stdout, "0 replies dropped\n");
    assert_eq!(prune(&["--prompts"]).ended(0).stdout, "10 prompts dropped\n");
    assert_eq!(prune(&["--older-than", "0m", "--dry-run"]).ended(0).stdout, "10 replies would go\n");
    assert_eq!(stat(&work, "s.sqlite")["replies"], 10);
    assert_eq!(prune(&["--older-than", "0m", "--model", "another"]).ended(0).stdout, "0 replies dropped\n");
    assert_eq!(prune(&["--kind", "turn"]).ended(0).stdout, "0 replies dropped\n");
    assert!(prune(&["--kind", "guess"]).ended(2).stderr.contains("verdict, turn"));
    assert_eq!(stat(&work, "s.sqlite")["turns"], 0);
    assert_eq!(prune(&["--kind", "verdict"]).ended(0).stdout, "10 replies dropped\n");
    label(&work, &server, 10, &["--store", "s.sqlite"]);
    assert_eq!(server.requests(), 20);
}

#[test]
fn what_was_learnt_can_be_forgotten() {
    let server = Server::start(|seen| match seen.wants_schema() {
        true => Answer::status(400, "response_format is not supported here"),
        false => Answer::Text(gold(row_of(seen)).to_owned()),
    });
    let work = Workspace::new();
    label(&work, &server, 4, &["--store", "s.sqlite"]);
    let learnt = stat(&work, "s.sqlite")["adaptations"].as_array().unwrap().len();
    assert!(learnt > 0);
    let prune = |more: &[&str]| {
        work.run(&[&["store", "prune", "--store", "s.sqlite", "--adaptations"], more].concat())
    };
    assert_eq!(prune(&["--dry-run"]).ended(0).stdout, format!("{learnt} adaptations would go\n"));
    assert_eq!(prune(&[]).ended(0).stdout, format!("{learnt} adaptations forgotten\n"));
    let contents = stat(&work, "s.sqlite");
    assert_eq!((&contents["adaptations"], &contents["replies"]), (&serde_json::json!([]), &4.into()));
    // It is found out once more.
    let asked = |server: &Server| server.seen().iter().filter(|seen| seen.wants_schema()).count();
    let before = asked(&server);
    label(&work, &server, 8, &["--store", "s.sqlite"]);
    assert!(asked(&server) > before);
}

#[test]
fn merged_stores_answer_for_both() {
    let (server, work) = (honest(), Workspace::new());
    label(&work, &server, 10, &["--store", "a.sqlite"]);
    label(&work, &server, 30, &["--store", "b.sqlite"]);
    let file = rusqlite::Connection::open(work.path("b.sqlite")).unwrap();
    file.execute("ATTACH ?1 AS a", [work.path("a.sqlite").to_str()]).unwrap();
    file.execute(
        "UPDATE replies SET text = text || ' ' WHERE id = \
         (SELECT max(id) FROM replies WHERE fingerprint NOT IN (SELECT fingerprint FROM a.replies))",
        [],
    )
    .unwrap();
    drop(file);
    let ran = work.run(&["store", "merge", "b.sqlite", "--store", "a.sqlite"]).ended(0);
    assert_eq!(ran.stdout, "b.sqlite: 19 replies taken over, 10 known already, 1 damaged ones left behind\n");
    assert_eq!(stat(&work, "a.sqlite")["replies"], 29);
    let file = rusqlite::Connection::open(work.path("a.sqlite")).unwrap();
    file.execute("UPDATE replies SET text = text || ' ' WHERE id <= 3", []).unwrap();
    drop(file);
    let ran = work.run(&["store", "merge", "b.sqlite", "--store", "a.sqlite"]).ended(0);
    assert_eq!(
        ran.stdout,
        "b.sqlite: 0 replies taken over, 26 known already, 3 damaged ones here replaced, 1 damaged ones left behind\n"
    );
    assert_eq!(stat(&work, "a.sqlite")["damaged"], 0);
    let before = server.requests();
    label(&work, &server, 30, &["--store", "a.sqlite"]);
    assert_eq!(server.requests() - before, 1);
    work.run(&["store", "merge", "a.sqlite", "b.sqlite", "--store", "made.sqlite"]).ended(0);
    assert_eq!(stat(&work, "made.sqlite")["replies"], stat(&work, "a.sqlite")["replies"]);
    work.run(&["store", "merge", "none.sqlite", "--store", "other.sqlite"]).ended(2);
    assert!(!work.path("other.sqlite").exists());
    for (args, words) in [
        (["a.sqlite", "--store", "a.sqlite"], "into itself"),
        (["none.sqlite", "--store", "a.sqlite"], "there is no reply store none.sqlite"),
        (["in.csv", "--store", "a.sqlite"], "is not a reply store"),
    ] {
        let ran = work.run(&[&["store", "merge"], &args[..]].concat()).ended(2);
        assert!(ran.stderr.contains(words), "{}", ran.stderr);
    }
}

/// A gateway may choose by a header or a query who answers, and not by a key.
#[test]
fn judges_of_other_headers_or_queries_share_no_reply() {
    let (server, work) = (honest(), Workspace::new());
    work.file("in.csv", numbered(4));
    let mut before = 0;
    let mut asked = |entry: &str| {
        let base = format!("[judges.gateway]\njudge = \"openai:m\"\n{entry}\n");
        work.file("tooljudge.toml", base.replace("URL", &server.url));
        work.run(&["label", "in.csv", "--judge", "gateway", "--store", "s.sqlite"]).ended(0);
        let asked = server.requests() - before;
        before = server.requests();
        asked
    };
    for (entry, expected) in [
        (r#"base_url = "URL""#, 4),
        (
            r#"base_url = "URL"
            headers = { Authorization = "Bearer abcdefgh", X-Token = "abcdefgh", Cookie = "abcdefgh" }"#,
            0,
        ),
        (
            r#"base_url = "URL"
            headers = { X-Route = "small" }"#,
            4,
        ),
        (
            r#"base_url = "URL"
            headers = { X-Route = "large" }"#,
            4,
        ),
        (
            r#"base_url = "URL"
            headers = { x-route = "small", Authorization = "Bearer other-key" }"#,
            0,
        ),
        (
            r#"base_url = "URL"
            query = { tenant = "42" }"#,
            4,
        ),
        (r#"base_url = "URL?tenant=42&key=abcdefgh""#, 0),
        (r#"base_url = "URL?tenant=43""#, 4),
        (r#"base_url = "URL""#, 0),
    ] {
        assert_eq!(asked(entry), expected, "{entry}");
    }
    for file in ["s.sqlite", "in.labeled.csv.run.json"] {
        let bytes = std::fs::read(work.path(file)).unwrap();
        assert!(!bytes.windows(8).any(|window| window == b"abcdefgh"), "{file}");
    }
}

/// Two names of one judge: what the first has bought, the second has for nothing.
#[test]
fn a_reply_that_two_judges_share_is_bought_once() {
    let (server, work) = (honest(), Workspace::new());
    work.file("in.csv", numbered(4));
    let entry = |name: &str| {
        let url = &server.url;
        format!(
            "[judges.{name}]\njudge = \"openai:m\"\nbase_url = \"{url}\"\nprice = {{ input = 1.0, output = 1.0 }}\n"
        )
    };
    work.file("tooljudge.toml", entry("a") + &entry("b"));
    work.run(&["label", "in.csv", "--judge", "a", "--judge", "b"]).ended(0);
    assert_eq!(server.requests(), 4);
    let record: Value = serde_json::from_str(&work.read("in.labeled.csv.run.json")).unwrap();
    let [first, second] = [0, 1].map(|at| &record["panel"][at]["summary"]);
    assert_eq!((&first["cached"], &second["cached"]), (&0.into(), &4.into()));
    assert!(first["cost_usd"].as_f64() > Some(0.0) && second["cost_usd"].as_f64() == Some(0.0), "{second}");
}

/// A run that asks everything anew would do so once more.
#[test]
fn a_stopped_run_that_was_fresh_goes_on_without_that() {
    for (more, said) in
        [(&[][..], "same command again to go on"), (&["--fresh"], "again without --fresh to go on")]
    {
        let asked = AtomicUsize::new(0);
        let server = Server::start(move |seen| match asked.fetch_add(1, Ordering::Relaxed) {
            0 => Answer::label(gold(row_of(seen))),
            _ => Answer::status(401, "no"),
        });
        let work = Workspace::new();
        work.file("in.csv", numbered(4));
        let args =
            ["label", "in.csv", "--judge", "openai:m", "--base-url", &server.url, "--concurrency", "1"];
        let ran = work.run(&[&args[..], more].concat()).ended(2);
        assert!(ran.stderr.contains(said), "{more:?}: {}", ran.stderr);
    }
}

/// Stores of older versions.
const OLD_STORES: [&[u8]; 3] = [
    include_bytes!("fixtures/store/version_3.sqlite.gz"),
    include_bytes!("fixtures/store/version_4.sqlite.gz"),
    include_bytes!("fixtures/store/version_5.sqlite.gz"),
];

/// An old store with six replies, beside the rows and the wording that they answer.
fn old_store(work: &Workspace, packed: &[u8]) {
    let mut bytes = Vec::new();
    GzDecoder::new(packed).read_to_end(&mut bytes).unwrap();
    work.file("old.sqlite", bytes);
    work.file("rows.csv", include_str!("fixtures/store/rows.csv"));
    work.file("wording.txt", include_str!("fixtures/store/wording.txt"));
}

/// The run that paid for the replies, again. Where it was then, nobody listens now.
#[test]
fn replies_of_an_older_store_are_not_paid_for_again() {
    for packed in OLD_STORES {
        replies_are_not_paid_for_again(packed);
    }
}

fn replies_are_not_paid_for_again(packed: &[u8]) {
    let work = Workspace::new();
    old_store(&work, packed);
    let args = ["label", "rows.csv", "--judge", "openai:old-judge", "--base-url", "http://127.0.0.1:9/v1"];
    let more =
        ["--template", "wording.txt", "--max-tokens", "50", "--store", "old.sqlite", "--max-attempts", "1"];
    let ran = work.run(&[&args[..], &more].concat()).ended(0);
    assert!(ran.stdout.contains("6 rows had their reply already"), "{}", ran.stdout);
    let labels = work.column("rows.labeled.csv", "label");
    assert_eq!(labels, ["correct", "incorrect", "correct", "correct", "correct", "incorrect"]);
    let contents = stat(&work, "old.sqlite");
    assert_eq!((&contents["replies"], &contents["damaged"]), (&6.into(), &0.into()));
}

/// Whenever an upgrade is killed, the store is the old one or the new one, and has all its replies.
#[test]
fn a_killed_upgrade_leaves_a_store_that_works() {
    let work = Workspace::new();
    for wait in 0..12 {
        old_store(&work, OLD_STORES[0]);
        for left in ["old.sqlite-wal", "old.sqlite-shm", "old.sqlite.version-3"] {
            let _ = std::fs::remove_file(work.path(left));
        }
        let run = work.start(&["store", "stat", "--store", "old.sqlite"]);
        std::thread::sleep(Duration::from_millis(2 * wait));
        run.kill();
        run.wait();
        let contents = stat(&work, "old.sqlite");
        assert_eq!(
            (&contents["replies"], &contents["damaged"]),
            (&6.into(), &0.into()),
            "killed after {wait}"
        );
        // What a killed upgrade left stays; that of this one is gone.
        assert!(!work.path("old.sqlite.version-3.2").exists());
    }
}
