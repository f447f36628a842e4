//! What a server, the way to it or somebody else on it does to a run whose store lies there.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::time::{Duration, Instant};

use tooljudge::domain::{Reply, Stop, Usage};
use tooljudge::internal::{Claim, Failure, Found, ReplyKind, Reuse, Store, StorePlace};

use crate::label_remote::numbered;
use crate::postgres::{args, label, question, right, rows, slow, start};
use crate::support::child::Deadline;
use crate::support::on_time::on_time;
use crate::support::postgres::{Postgres, shared};
use crate::support::workspace::Ran;

/// Longer than anything here takes.
const DEADLINE: Duration = Duration::from_secs(60);

/// A port that takes connections, and what it does with the first ones: says that it starts up, cuts them off, or is silent.
fn port(before: usize, first: fn(TcpStream), then: Option<u16>) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for (number, client) in listener.incoming().map(Result::unwrap).enumerate() {
            match then.filter(|_| number >= before) {
                None => drop(std::thread::spawn(move || first(client))),
                Some(port) => {
                    let server = TcpStream::connect(("127.0.0.1", port)).unwrap();
                    for (mut from, mut to) in
                        [(client.try_clone().unwrap(), server.try_clone().unwrap()), (server, client)]
                    {
                        std::thread::spawn(move || {
                            let _ = std::io::copy(&mut from, &mut to);
                            let _ = to.shutdown(std::net::Shutdown::Both);
                        });
                    }
                }
            }
        }
    });
    port
}

/// As a server does that is not ready yet.
fn starting_up(mut client: TcpStream) {
    let _ = client.read(&mut [0; 1000]);
    let said = b"SFATAL\0C57P03\0Mthe database system is starting up\0\0";
    let mut message = vec![b'E'];
    message.extend((said.len() as u32 + 4).to_be_bytes());
    message.extend(said);
    let _ = client.write_all(&message);
}

fn silent(mut client: TcpStream) {
    let mut heard = Vec::new();
    let _ = client.read_to_end(&mut heard);
}

/// Asks until it is so.
#[track_caller]
fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let began = Instant::now();
    while !is_so() {
        assert!(began.elapsed() < DEADLINE, "{what}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

fn reply(text: &str) -> Reply {
    Reply {
        text: text.to_owned(),
        stop: Stop::Finished,
        usage: Usage { prompt_tokens: Some(7), cached_tokens: None, completion_tokens: Some(3) },
        model: None,
        latency_ms: 1,
        attempts: 1,
        adapted: Vec::new(),
        probabilities: Vec::new(),
        cost_usd: Some(0.25),
    }
}

#[test]
fn a_server_that_starts_up_is_waited_for_at_the_start() {
    let Some(postgres) = shared() else { return };
    let (server, work) = (slow(0), rows(3));
    let port = port(3, starting_up, Some(postgres.port()));
    let store =
        postgres.url("faults_starting").replace(&format!(":{}/", postgres.port()), &format!(":{port}/"));
    label(&work, &server, &format!("{store}&sslmode=disable")).ended(0);
    right(&work, "out.csv");
}

#[test]
fn a_port_that_says_nothing_is_no_server() {
    if !cfg!(feature = "postgres") {
        return;
    }
    let (server, work) = (slow(0), rows(1));
    for mode in ["disable", "prefer"] {
        let port = port(0, silent, None);
        let store = format!("postgres://u:secret@127.0.0.1:{port}/d?connect_timeout=1&sslmode={mode}");
        for args in [
            args(&server, &store, "out.csv"),
            vec!["store", "stat", "--store", &store],
            vec!["label", "in.csv", "--judge", "openai:m", "--dry-run", "--store", &store],
        ] {
            let ran = work.run(&args).ended(2);
            assert!(ran.stderr.contains("no answer for 1 seconds"), "{}", ran.stderr);
        }
    }
}

/// Of several hosts one is dead, and each connection tries it first.
#[test]
fn a_dead_host_before_the_living_one_costs_time_only() {
    if crate::faults::cases(1) == 1 {
        crate::support::skipped("a dead host takes its time; TOOLJUDGE_FAULTS=2 and more has it");
        return;
    }
    let Some(postgres) = shared() else { return };
    let dead = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().map(|at| (TcpListener::bind(at), at));
    let (listener, at) = dead.unwrap();
    let _listener = listener.unwrap();
    // Nobody takes these up, so that there is soon no room for more.
    let waiting: Vec<TcpStream> =
        std::iter::from_fn(|| TcpStream::connect_timeout(&at, Duration::from_millis(500)).ok()).collect();
    let (server, work) = (slow(0), rows(3));
    let hosts = format!("@127.0.0.1:{},127.0.0.1:{}/", at.port(), postgres.port());
    let url = postgres.url("faults_hosts");
    let (user, rest) = url.split_once('@').unwrap();
    let store = format!("{user}{hosts}{}&patience=3&connect_timeout=7", rest.split_once('/').unwrap().1);
    label(&work, &server, &store).ended(0);
    right(&work, "out.csv");
    drop(waiting);
}

/// Somebody else's transaction is in the way for longer than a server that is away would be waited for.
#[test]
fn a_lock_is_waited_for_however_long_it_is_held() {
    let Some(postgres) = shared() else { return };
    let (server, work) = (slow(0), rows(12));
    let store = format!("{}&patience=1", postgres.url("faults_locked"));
    label(&work, &server, &store).ended(0);
    work.file("in.csv", numbered(30));
    std::thread::scope(|scope| {
        let holder = scope.spawn(|| {
            postgres
                .sql("faults_locked", "BEGIN; LOCK TABLE replies IN SHARE MODE; SELECT pg_sleep(7); COMMIT")
        });
        until("the lock is held", || {
            postgres.sql("faults_locked", "SELECT count(*) FROM pg_locks WHERE mode = 'ShareLock'") != "0"
        });
        let ran = work.run(&[&args(&server, &store, "out.csv")[..], &["-v"]].concat()).ended(0);
        assert!(ran.stderr.contains("is locked by somebody else"), "{}", ran.stderr);
        holder.join().unwrap();
    });
    right(&work, "out.csv");
    assert_eq!(server.requests(), 30);
}

/// A machine that is gone closes no connection: the server asks after silent ones, soon.
#[cfg(target_os = "linux")]
#[test]
fn a_server_looks_after_runs_that_are_silent() {
    let Some(postgres) = Postgres::start() else { return };
    let (server, work) = (slow(2000), rows(20));
    let run = start(&work, &server, &postgres.url("faults_silent"), "out.csv");
    server.await_requests(6);
    // Of each connection on the server's side: the kind of its timer, and when it is due, in hundredths of a second.
    let timers = || -> Vec<(String, u64)> {
        let table = std::fs::read_to_string("/proc/net/tcp").unwrap();
        let local = format!(":{:04X}", postgres.port());
        let rows = table.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
        rows.filter(|row| row.len() > 5 && row[1].ends_with(&local) && row[3] == "01")
            .map(|row| {
                let (kind, due) = row[5].split_once(':').unwrap();
                (kind.to_owned(), u64::from_str_radix(due, 16).unwrap())
            })
            .collect()
    };
    until("both connections are asked after within seconds", || {
        let timers = timers();
        timers.len() == 2 && timers.iter().all(|(kind, due)| kind == "02" && *due <= 500)
    });
    drop(run);
}

/// What reads a store makes none.
#[test]
fn a_dry_run_and_a_new_reading_make_no_schema() {
    let Some(postgres) = Postgres::start() else { return };
    let (server, work, store) = (slow(0), rows(300), postgres.url("faults_reading"));
    let dry = |store: &str| {
        let args = args(&server, store, "out.csv");
        work.run(&[&args[..], &["--dry-run", "--json"]].concat()).ended(0)
    };
    assert!(dry(&store).stdout.contains("\"answered\": 0"));
    let mut resnap = args(&server, &store, "out.csv");
    resnap[0] = "resnap";
    let ran = work.run(&resnap).ended(2);
    assert!(ran.stderr.contains("there is no reply store"), "{}", ran.stderr);
    assert_eq!(
        postgres.sql("public", "SELECT count(*) FROM pg_namespace WHERE nspname = 'faults_reading'"),
        "0"
    );
    label(&work, &server, &store).ended(0);
    // What is stored is asked for many at once.
    let transactions = || -> u64 {
        let others = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'tooljudge'";
        until("whoever is gone has been counted", || postgres.sql("public", others) == "0");
        let sql = "SELECT xact_commit FROM pg_stat_database WHERE datname = 'postgres'";
        postgres.sql("public", sql).parse().unwrap()
    };
    let before = transactions();
    assert!(dry(&store).stdout.contains("\"answered\": 300"));
    assert!(transactions() - before < 100);
}

/// The machine was asleep, and another run has asked and answered meanwhile.
#[tokio::test]
async fn what_another_run_has_answered_meanwhile_stays() {
    let _on_time = on_time();
    let Some(postgres) = shared() else { return };
    let place = || StorePlace::parse(postgres.url("faults_asleep")).unwrap();
    let (a, b) = (Store::open(place(), "a").unwrap(), Store::open(place(), "b").unwrap());
    let [lapsed, fresh] = [question(0), question(1)];
    b.answer(fresh, ReplyKind::Verdict, reply("old"), None).await.unwrap();
    assert_eq!(a.claim(lapsed, Reuse::All).await.unwrap(), Claim::Ours);
    assert_eq!(a.claim(fresh, Reuse::OwnOnly).await.unwrap(), Claim::Ours);
    let token = a.lease_token();
    postgres.sql("faults_asleep", "DELETE FROM claims");
    assert_eq!(b.claim(lapsed, Reuse::All).await.unwrap(), Claim::Ours);
    b.answer(lapsed, ReplyKind::Verdict, reply("theirs"), None).await.unwrap();
    let began = Instant::now();
    while !a.is_expired(token) {
        assert!(began.elapsed() < DEADLINE, "what was lost is noticed when claims are renewed");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert_eq!(postgres.sql("faults_asleep", "SELECT count(*) FROM claims"), "0", "it is not claimed back");
    for question in [lapsed, fresh] {
        a.answer(question, ReplyKind::Verdict, reply("ours"), None).await.unwrap();
    }
    let reader = a.reader().unwrap();
    for (question, expected, by) in [(lapsed, "theirs", "b"), (fresh, "ours", "a")] {
        let Found::Reply { reply, run, .. } = reader.get(question).unwrap() else { panic!() };
        assert_eq!((reply.text.as_str(), run.as_str()), (expected, by));
    }
    // It was paid for all the same.
    assert_eq!(postgres.sql("faults_asleep", "SELECT run, cost_usd FROM wasted"), "a|0.25");
}

/// Of what could not be kept whole a part may be kept; what comes later takes no number of it.
#[tokio::test]
async fn what_was_wasted_is_counted_once_each() {
    let _on_time = on_time();
    let Some(postgres) = shared() else { return };
    let store = Store::open(StorePlace::parse(postgres.url("faults_wasted")).unwrap(), "a").unwrap();
    let paid = reply("").paid();
    postgres.sql("faults_wasted", "ALTER TABLE failures ADD CHECK (code <> 'no')");
    let failure = Failure { code: "no".to_owned(), message: String::new(), attempts: 1 };
    let (_, failed, _) = tokio::join!(
        store.waste(question(0), paid),
        store.fail(question(0), failure),
        store.waste(question(1), paid)
    );
    assert!(failed.is_err());
    store.waste(question(2), paid).await.unwrap();
    assert_eq!(postgres.sql("faults_wasted", "SELECT count(DISTINCT fingerprint) FROM wasted"), "3");
}

#[test]
fn a_password_keeps_its_spaces() {
    let Some(postgres) = shared() else { return };
    let (server, work) = (slow(0), rows(1));
    postgres.sql("public", "CREATE ROLE spaced LOGIN SUPERUSER PASSWORD ' secret '");
    let store = postgres.url_of("spaced", "?dbname=postgres&schema=spaced");
    let mut command = work.tooljudge(&args(&server, &store, "out.csv"));
    Ran::from(command.env("PGPASSWORD", " secret ").finish()).ended(0);
    let shown = format!("spaced@127.0.0.1:{}/?dbname=postgres&schema=spaced", postgres.port());
    assert!(work.read("out.csv.run.json").contains(&shown), "{}", work.read("out.csv.run.json"));
}
