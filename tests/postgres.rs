//! Runs on a store that lies on a PostgreSQL server: killed, cut off, let in and kept out. What holds for any store is in `stores.rs`.

use std::io::{BufRead, BufReader};
use std::time::Duration;

use serde_json::Value;
use tooljudge::domain::{AnswerForm, Prompt, Rails};
use tooljudge::internal::{AskHasher, Claim, Fingerprint, Reuse, Store, StorePlace};

use crate::label_remote::{gold, numbered, row_of};
use crate::support::child::{Deadline, Running};
use crate::support::on_time::on_time;
use crate::support::postgres::{Postgres, shared};
use crate::support::server::{Answer, Server};
use crate::support::workspace::{Ran, Workspace, repository};

const ROWS: usize = 150;
const CONCURRENCY: usize = 6;
const PASSWORD: &str = "secret";

/// A judge that takes its time, so that there is a middle of a run.
pub fn slow(wait: u64) -> Server {
    Server::start(move |seen| {
        Answer::After(Duration::from_millis(wait), Box::new(Answer::label(gold(row_of(seen)))))
    })
}

pub fn args<'a>(server: &'a Server, store: &'a str, output: &'a str) -> Vec<&'a str> {
    let mut args = vec!["label", "in.csv", "--judge", "openai:m", "--base-url", &server.url];
    args.extend(["--concurrency", "6", "--store", store, "-o", output]);
    args
}

pub fn label(work: &Workspace, server: &Server, store: &str) -> Ran {
    work.run(&args(server, store, "out.csv"))
}

pub fn start(work: &Workspace, server: &Server, store: &str, output: &str) -> Running {
    work.start(&args(server, store, output))
}

/// Rows in a folder of their own.
pub fn rows(count: usize) -> Workspace {
    let work = Workspace::new();
    work.file("in.csv", numbered(count));
    work
}

#[track_caller]
pub fn right(work: &Workspace, output: &str) {
    assert_eq!(work.column(output, "label"), work.column(output, "gold"));
}

pub fn stat(work: &Workspace, store: &str) -> Value {
    let ran = work.run(&["store", "stat", "--json", "--store", store]).ended(0);
    serde_json::from_str(&ran.stdout).unwrap()
}

/// Nothing that a run wrote or said shows the password.
#[track_caller]
fn hidden(work: &Workspace, ran: &Ran) {
    assert!(!format!("{}{}", ran.stdout, ran.stderr).contains(PASSWORD), "{ran:?}");
    for name in work.names().iter().filter(|name| work.path(name).is_file()) {
        assert!(
            !String::from_utf8_lossy(&std::fs::read(work.path(name)).unwrap()).contains(PASSWORD),
            "{name}"
        );
    }
}

#[test]
fn replies_are_kept_and_used_again() {
    let Some(postgres) = shared() else { return };
    let (server, work, store) = (slow(0), rows(40), postgres.url("kept"));
    let ran = work.run(
        &[&args(&server, &store, "out.csv")[..], &["--keep-prompts", "-vv", "--log-file", "log"]].concat(),
    );
    hidden(&work, &ran);
    ran.ended(0);
    right(&work, "out.csv");
    let shown = format!("postgres://postgres@127.0.0.1:{}/postgres?schema=kept", postgres.port());
    assert!(work.read("out.csv.run.json").contains(&shown));
    let again = work.run(&[&args(&server, &store, "again.csv")[..], &["--json"]].concat()).ended(0);
    hidden(&work, &again);
    assert_eq!(server.requests(), 40);
    right(&work, "again.csv");
    let contents = stat(&work, &store);
    for (count, expected) in
        [("replies", 40), ("prompts", 40), ("damaged", 0), ("runs", 2), ("unfinished", 0), ("claims", 0)]
    {
        assert_eq!(contents[count], expected, "{count}: {contents}");
    }
    let ran = work.run(&["store", "stat", "--store", &store]).ended(0);
    assert!(ran.stdout.starts_with(&shown), "{}", ran.stdout);
    postgres.sql("kept", "UPDATE replies SET text = text || ' ' WHERE id <= 5");
    assert_eq!(stat(&work, &store)["damaged"], 5);
    label(&work, &server, &store).ended(0);
    assert_eq!(server.requests(), 45);
    assert_eq!(
        work.run(&["store", "prune", "--prompts", "--store", &store]).ended(0).stdout,
        "35 prompts dropped\n"
    );
    let ran = work.run(&["store", "merge", &store, "--store", "copy.sqlite"]).ended(0);
    assert!(ran.stdout.contains("40 replies taken over, 0 known"), "{}", ran.stdout);
    let other = postgres.url("copied_back");
    work.run(&["store", "merge", "copy.sqlite", "--store", &other]).ended(0);
    for store in ["copy.sqlite", &other] {
        label(&work, &server, store).ended(0);
        right(&work, "out.csv");
    }
    assert_eq!(server.requests(), 45, "what was copied is used");
    let ran = work.run(&["store", "merge", &store, "--store", &store]).ended(2);
    assert!(ran.stderr.contains("into itself"), "{}", ran.stderr);
    work.file("tooljudge.toml", format!("[label]\nstore = \"{store}\"\n"));
    work.run(&["label", "in.csv", "--judge", "openai:m", "--base-url", &server.url, "-o", "set.csv"])
        .ended(0);
    assert_eq!(server.requests(), 45, "the settings file names it too");
    assert!(!work.path(".tooljudge").exists());
}

#[test]
fn of_three_runs_on_one_store_one_is_killed() {
    let Some(postgres) = shared() else { return };
    let (server, work, store) = (slow(20), rows(ROWS), postgres.url("three_runs"));
    let [a, b, c] = ["a.csv", "b.csv", "c.csv"].map(|output| start(&work, &server, &store, output));
    server.await_requests(30);
    a.kill();
    a.wait();
    for (run, output) in [(b, "b.csv"), (c, "c.csv")] {
        let ran = Ran::from(run.output()).ended(0);
        hidden(&work, &ran);
        right(&work, output);
    }
    let twice = server.answered_twice();
    assert!(server.asked().len() == ROWS && twice <= CONCURRENCY, "{twice} answered twice");
}

/// Killed anywhere, a run is taken up where it was: what was in flight may be paid for twice, what was kept is not.
#[test]
fn killed_at_any_instant_nothing_is_lost_and_nothing_paid_twice() {
    let Some(postgres) = shared() else { return };
    let kills = crate::kill::kills().clamp(3, 20);
    std::thread::scope(|scope| {
        for number in 0..kills {
            scope.spawn(move || {
                let (server, work, store) = (slow(10), rows(60), postgres.url(&format!("kill_{number}")));
                let run = start(&work, &server, &store, "out.csv");
                server.await_requests(1 + (number * 19) % 55);
                run.kill();
                run.wait();
                server.settle();
                let open = server.asked().len()
                    - postgres
                        .sql(&format!("kill_{number}"), "SELECT count(*) FROM replies")
                        .parse::<usize>()
                        .unwrap();
                assert!(open <= CONCURRENCY, "{open} were asked and not kept");
                label(&work, &server, &store).ended(0);
                right(&work, "out.csv");
                let twice = server.answered_twice();
                assert!(server.asked().len() == 60 && twice <= CONCURRENCY, "{twice} answered twice");
            });
        }
    });
}

/// The server is away for a moment, by order or by a crash: whatever came meanwhile is kept when it is back.
#[test]
fn a_server_that_comes_back_is_waited_for() {
    let Some(postgres) = Postgres::start() else { return };
    for (word, away) in [("stop", 1), ("crash", 0), ("crash", 4)] {
        let (schema, work) = (format!("{word}_{away}"), rows(ROWS));
        let (server, store) = (slow(30), postgres.url(&schema));
        let runs = ["a.csv", "b.csv"].map(|output| start(&work, &server, &store, output));
        server.await_requests(30);
        postgres.tell(word);
        std::thread::sleep(Duration::from_secs(away));
        postgres.tell("start");
        for (run, output) in runs.into_iter().zip(["a.csv", "b.csv"]) {
            Ran::from(run.output()).ended(0);
            right(&work, output);
        }
        assert_eq!(server.asked().len(), ROWS);
        let twice = server.answered_twice();
        // A crash loses the claims; until a run has put its own back, another may take them.
        assert!(twice <= 2 * CONCURRENCY, "{schema}: {twice} answered twice");
        println!("{schema}: {twice} answered twice");
        let contents = stat(&work, &store);
        assert_eq!(
            (&contents["replies"], &contents["damaged"], &contents["claims"]),
            (&ROWS.into(), &0.into(), &0.into())
        );
    }
}

/// Who looks on is told why nothing happens, and when it goes on.
#[test]
fn a_server_that_is_away_is_told() {
    let Some(postgres) = Postgres::start() else { return };
    let (server, work, store) = (slow(30), rows(ROWS), postgres.url("told"));
    let mut run = start(&work, &server, &store, "out.csv");
    let mut lines = BufReader::new(run.stderr.take().unwrap()).lines().map(Result::unwrap);
    server.await_requests(30);
    postgres.tell("stop");
    // The run has a deadline, and its lines end with it.
    let told = lines.find(|line| line.contains("does not answer")).expect("a line about the server");
    assert!(told.starts_with("warning: the reply store postgres://"), "{told}");
    assert!(told.contains("for 120 seconds at most") && !told.contains(PASSWORD), "{told}");
    postgres.tell("start");
    let rest: Vec<String> = lines.collect();
    assert!(rest.iter().any(|line| line.contains("can be used again")), "{rest:?}");
    assert!(run.wait().success());
    right(&work, "out.csv");
}

#[test]
fn a_server_that_stays_away_ends_the_run_and_nothing_kept_is_lost() {
    let Some(postgres) = Postgres::start() else { return };
    let (server, work) = (slow(30), rows(ROWS));
    let store = format!("{}&patience=2", postgres.url("away"));
    let run = start(&work, &server, &store, "out.csv");
    server.await_requests(30);
    postgres.tell("stop");
    let ran = Ran::from(run.output()).ended(2);
    hidden(&work, &ran);
    assert_eq!(ran.stderr.matches("has not answered for").count(), 1, "{}", ran.stderr);
    assert!(ran.stderr.contains("that were paid for could not be kept"), "{}", ran.stderr);
    assert!(!work.path("out.csv").exists());
    postgres.tell("start");
    let kept: usize = postgres.sql("away", "SELECT count(*) FROM replies").parse().unwrap();
    let lost = server.asked().len() - kept;
    assert!(lost <= CONCURRENCY, "{lost}");
    label(&work, &server, &store).ended(0);
    right(&work, "out.csv");
    assert!(server.answered_twice() <= lost, "what was kept is not paid for again");
    // Reading goes on, too.
    postgres.tell("stop");
    let ran = label(&work, &server, &store).ended(2);
    assert_eq!(ran.stderr.matches("cannot reach the reply store").count(), 1, "{}", ran.stderr);
}

/// A wrong address is one clear error, which shows no password and makes no file.
#[test]
fn a_wrong_address_is_said_once() {
    let Some(postgres) = shared() else { return };
    let (server, work) = (slow(0), rows(1));
    let good = postgres.url("wrong_address");
    let host = format!("@127.0.0.1:{}/", postgres.port());
    for (store, said) in [
        (good.replace("postgres://", "postgresq://"), "does not begin with postgres://"),
        (good.replace("postgres://", "postgres:/"), "does not begin with postgres://"),
        (good.replace("postgres://", ""), "does not begin with postgres://"),
        (format!("host=127.0.0.1 password={PASSWORD}"), "does not begin with postgres://"),
        (good.replace(PASSWORD, "sec/ret"), "must be written %2F"),
        (
            good.replace(&host, "@127.0.0.1:1/"),
            "Connection refused (os error 111); check that the server runs and that host and port are right",
        ),
        (
            good.replace(&host, "@no-such-host.invalid/"),
            "cannot reach the reply store postgres://postgres@no-such-host.invalid/",
        ),
        (
            good.replace(&format!(":{PASSWORD}@"), ":wrong@"),
            "password authentication failed for user \"postgres\"",
        ),
        (good.replace(&format!(":{PASSWORD}@"), "@"), "password"),
        (good.replace("/postgres?", "/nowhere?"), "database \"nowhere\" does not exist"),
        (format!("{good}&sslmode=perhaps"), "sslmode"),
        (format!("{good}&colour=blue"), "docs/scale.md"),
        (format!("{good}&shcema=s"), "did you mean `schema`; docs/scale.md"),
        (format!("{good}&patience=long"), "patience"),
    ] {
        for args in [args(&server, &store, "out.csv"), vec!["store", "stat", "--store", &store]] {
            let ran = work.run(&args).ended(2);
            assert!(ran.stderr.contains(said), "{said}: {}", ran.stderr);
            assert_eq!(ran.stderr.trim().lines().count(), 1, "{}", ran.stderr);
            for word in [PASSWORD, "sec/ret", "wrong@"] {
                assert!(!ran.stderr.contains(word), "{}", ran.stderr);
            }
            let reason = ran.stderr.trim().rsplit(": ").next().unwrap();
            assert_eq!(ran.stderr.matches(reason).count(), 1, "{}", ran.stderr);
        }
        assert_eq!(work.names(), ["in.csv"], "{store}");
    }
    assert_eq!(server.requests(), 0);
    // The password can come from elsewhere.
    let bare = good.replace(&format!(":{PASSWORD}@"), "@");
    let mut command = work.tooljudge(&args(&server, &bare, "out.csv"));
    let ran = Ran::from(command.env("PGPASSWORD", PASSWORD).finish()).ended(0);
    hidden(&work, &ran);
}

#[test]
fn tables_of_others_and_of_newer_programs_are_left_alone() {
    let Some(postgres) = shared() else { return };
    let (server, work) = (slow(0), rows(1));
    for (schema, sql, said) in [
        ("others", "CREATE TABLE t (x int)", "is not a reply store of tooljudge"),
        ("history_of_others", "CREATE TABLE history (at text)", "is not a reply store of tooljudge"),
    ] {
        postgres.sql("public", &format!("CREATE SCHEMA {schema}"));
        postgres.sql(schema, sql);
        let tables = format!("SELECT count(*) FROM pg_tables WHERE schemaname = '{schema}'");
        assert!(label(&work, &server, &postgres.url(schema)).ended(2).stderr.contains(said));
        assert_eq!(postgres.sql(schema, &tables), "1");
    }
    let store = postgres.url("newer");
    label(&work, &server, &store).ended(0);
    assert_eq!(postgres.sql("newer", "SELECT version, program LIKE 'tooljudge %' FROM history"), "3|t");
    // An older one is brought up to this one's version.
    postgres.sql("newer", "DROP TABLE purses, grants, pauses; UPDATE history SET version = 1");
    label(&work, &server, &store).ended(0);
    assert_eq!(
        postgres.sql("newer", "SELECT string_agg(version::text, ' ' ORDER BY version) FROM history"),
        "1 3"
    );
    postgres.sql(
        "newer",
        "SELECT taken FROM purses; SELECT starts FROM grants; DELETE FROM history WHERE version = 3",
    );
    for (sql, said) in [
        ("INSERT INTO history VALUES (7, now(), 'tooljudge 9')", "a newer tooljudge has written"),
        (
            "UPDATE history SET version = 0 WHERE version = 1; DELETE FROM history WHERE version = 7",
            "which is older than any",
        ),
        ("DELETE FROM history", "is not a reply store of tooljudge"),
    ] {
        postgres.sql("newer", sql);
        for args in [args(&server, &store, "out.csv"), vec!["store", "stat", "--store", &store]] {
            let ran = work.run(&args).ended(2);
            assert!(ran.stderr.contains(said), "{}", ran.stderr);
        }
        assert_eq!(postgres.sql("newer", "SELECT count(*) FROM replies"), "1");
    }
    assert_eq!(server.requests(), 1);
}

/// The rights that `docs/scale.md` lists are enough, and what is missing of them is told before anything is paid for.
#[test]
fn a_role_needs_what_is_listed() {
    let Some(postgres) = shared() else { return };
    let (server, work) = (slow(0), rows(3));
    postgres.sql("public", "CREATE ROLE worker LOGIN PASSWORD 'secret'");
    let store = postgres.url_of(&format!("worker:{PASSWORD}"), "postgres?schema=rights");
    let ran = label(&work, &server, &store).ended(2);
    assert!(ran.stderr.contains("lacks a right: permission denied for database"), "{}", ran.stderr);
    // Somebody else makes the tables.
    let administrator = postgres.url("rights");
    label(&work, &server, &administrator).ended(0);
    for (grant, said) in [
        ("SELECT 1", "permission denied for schema rights"),
        ("GRANT USAGE ON SCHEMA rights TO worker", "permission denied for table history"),
        ("GRANT SELECT ON ALL TABLES IN SCHEMA rights TO worker", "it has no INSERT on"),
    ] {
        postgres.sql("rights", grant);
        let ran = label(&work, &server, &store).ended(2);
        assert!(ran.stderr.contains("lacks a right") && ran.stderr.contains(said), "{}", ran.stderr);
    }
    // Who only looks needs no more.
    assert_eq!(stat(&work, &store)["replies"], 3);
    work.run(&["store", "merge", "--store", "copy.sqlite", &store]).ended(0);
    assert_eq!(stat(&work, "copy.sqlite")["replies"], 3);
    let dry = work.run(&[&args(&server, &store, "out.csv")[..], &["--dry-run", "--json"]].concat()).ended(0);
    assert!(dry.stdout.contains("\"answered\": 3"), "{}", dry.stdout);
    let mut resnap = args(&server, &store, "again.csv");
    resnap[0] = "resnap";
    work.run(&resnap).ended(0);
    right(&work, "again.csv");
    postgres.sql("rights", "GRANT INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA rights TO worker");
    let before = server.requests();
    work.file("in.csv", numbered(5));
    label(&work, &server, &store).ended(0);
    assert_eq!(server.requests() - before, 2);
    right(&work, "out.csv");
    assert_eq!(stat(&work, &store)["replies"], 5);
}

#[test]
fn connections_are_encrypted_as_asked() {
    let Some(postgres) = shared() else { return };
    let (server, work) = (slow(0), rows(2));
    let authority = repository("tests/fixtures/tls/ca.pem").display().to_string();
    let by_name = postgres.url("tls").replace("127.0.0.1", "localhost");
    for (options, said) in [
        ("", ""),
        ("&sslmode=prefer", ""),
        ("&sslmode=require", ""),
        ("&sslmode=disable", ""),
        (&format!("&sslmode=verify-full&sslrootcert={authority}"), ""),
        ("&sslmode=verify-full", "certificate"),
        ("&sslmode=verify-full&sslrootcert=/nowhere.pem", "sslrootcert=/nowhere.pem"),
        (&format!("&sslmode=require&sslrootcert={authority}"), "sslrootcert goes with sslmode=verify-full"),
        ("&sslmode=verify-ca", "none of disable, prefer"),
    ] {
        let ran = label(&work, &server, &format!("{by_name}{options}"));
        let code = if said.is_empty() { 0 } else { 2 };
        let ran = ran.ended(code);
        assert!(ran.stderr.contains(said), "{options}: {}", ran.stderr);
    }
    // A server that cannot.
    let Some(postgres) = Postgres::start() else { return };
    postgres.tell("stop");
    postgres.tell("start-without-tls");
    let url = postgres.url("tls");
    let ran = label(&work, &server, &format!("{url}&sslmode=require")).ended(2);
    let told = "does not support TLS; sslmode=prefer of the address does without";
    assert!(ran.stderr.contains(told), "{}", ran.stderr);
    label(&work, &server, &url).ended(0);
}

/// Questions of a run that is no more are free when their lease is over, or when it is one that no clock can have set.
#[tokio::test]
async fn a_dead_runs_claim_expires() {
    let _on_time = on_time();
    let Some(postgres) = shared() else { return };
    let place = || StorePlace::parse(postgres.url("dead")).unwrap();
    let (a, b) = (Store::open(place(), "a").unwrap(), Store::open(place(), "b").unwrap());
    for (number, (lease_until, claimed)) in [
        ("- interval '1 second'", Claim::Ours),
        ("+ interval '1 hour'", Claim::Ours),
        ("+ interval '9 seconds'", Claim::Theirs),
    ]
    .into_iter()
    .enumerate()
    {
        let question = question(number);
        assert_eq!(a.claim(question, Reuse::All).await.unwrap(), Claim::Ours);
        postgres.sql(
            "dead",
            &format!("UPDATE claims SET claimant = 'dead', lease_until = clock_timestamp() {lease_until}"),
        );
        assert_eq!(b.claim(question, Reuse::All).await.unwrap(), claimed, "{lease_until}");
        b.release(question).await.unwrap();
        postgres.sql("dead", "DELETE FROM claims");
    }
}

/// The server's clock is set: no lease of a run that lives seems to be one, and still it keeps what it asks.
#[tokio::test]
async fn no_clock_takes_from_a_living_run_what_it_asks() {
    let _on_time = on_time();
    let Some(postgres) = shared() else { return };
    let place = || StorePlace::parse(postgres.url("clock")).unwrap();
    let (a, b) = (Store::open(place(), "a").unwrap(), Store::open(place(), "b").unwrap());
    let question = question(0);
    assert_eq!(a.claim(question, Reuse::All).await.unwrap(), Claim::Ours);
    for lease_until in ["- interval '1 hour'", "+ interval '1 hour'"] {
        postgres.sql("clock", &format!("UPDATE claims SET lease_until = clock_timestamp() {lease_until}"));
        assert_eq!(b.claim(question, Reuse::All).await.unwrap(), Claim::Theirs, "{lease_until}");
    }
    drop(a);
    assert_eq!(b.claim(question, Reuse::All).await.unwrap(), Claim::Ours);
}

pub fn question(number: usize) -> Fingerprint {
    let text = number.to_string();
    let prompt = Prompt { text, rails: std::sync::Arc::new(Rails::correctness()), form: AnswerForm::LABEL };
    AskHasher::new("http://judge", "m", "{}").fingerprint(&prompt, 0)
}

/// It is connected, and hangs: its questions are free when they were not renewed for the time of a lease.
#[cfg(unix)]
#[test]
fn a_run_that_hangs_is_waited_for_no_longer_than_its_lease() {
    let Some(postgres) = shared() else { return };
    if crate::faults::cases(1) == 1 {
        crate::support::skipped("a lease takes its time; TOOLJUDGE_FAULTS=2 and more has it");
        return;
    }
    let (server, work, store) = (slow(20), rows(ROWS), postgres.url("hung"));
    let hung = start(&work, &server, &store, "a.csv");
    server.await_requests(30);
    crate::faults::send(hung.id(), "STOP");
    Ran::from(start(&work, &server, &store, "b.csv").output()).ended(0);
    crate::faults::send(hung.id(), "CONT");
    Ran::from(hung.output()).ended(0);
    for output in ["a.csv", "b.csv"] {
        right(&work, output);
    }
    assert!(server.answered_twice() <= CONCURRENCY, "{} answered twice", server.answered_twice());
}

/// Each run takes two connections, as the documents say.
#[test]
fn a_run_takes_two_connections() {
    let Some(postgres) = Postgres::start() else { return };
    let (server, work, store) = (slow(200), rows(40), postgres.url("connections"));
    let run = start(&work, &server, &store, "out.csv");
    server.await_requests(10);
    let count = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'tooljudge'";
    assert_eq!(postgres.sql("public", count), "2");
    drop(run);
    // As when all places are taken.
    postgres.sql("public", "CREATE ROLE worker LOGIN PASSWORD 'secret' CONNECTION LIMIT 0");
    let ran = label(&work, &server, &postgres.url_of(&format!("worker:{PASSWORD}"), "postgres")).ended(2);
    assert!(
        ran.stderr.contains("too many connections") && ran.stderr.contains("start fewer runs"),
        "{}",
        ran.stderr
    );
}

#[cfg(not(feature = "postgres"))]
#[test]
fn without_the_feature_it_says_how_to_get_it() {
    let (server, work) = (slow(0), rows(1));
    for args in [
        args(&server, "postgres://u:secret@h/d", "out.csv"),
        vec!["store", "stat", "--store", "postgres://u:secret@h/d"],
    ] {
        let ran = work.run(&args).ended(2);
        assert!(
            ran.stderr.contains("built without PostgreSQL") && ran.stderr.contains("--features postgres"),
            "{}",
            ran.stderr
        );
        hidden(&work, &ran);
        assert_eq!(work.names(), ["in.csv"]);
    }
}
