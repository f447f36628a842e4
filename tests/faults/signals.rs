//! Signals: the first lets what is in flight come back, the second does not; what was kept stays.

use std::io::BufRead;
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::json;

use crate::label_remote::{gold, numbered, row_of};
use crate::support::child::{Deadline, Running};
use crate::support::server::{Answer, Gate, Server};
use crate::support::workspace::{Ran, Workspace};

pub fn send(process: u32, signal: &str) {
    let kill = Command::new("kill").args([&format!("-{signal}"), &process.to_string()]).finish();
    assert!(kill.status.success());
}

fn slow() -> Server {
    Server::start(|seen| {
        Answer::After(Duration::from_millis(40), Box::new(Answer::label(gold(row_of(seen)))))
    })
}

fn args(server: &Server) -> Vec<&str> {
    vec!["label", "in.csv", "--judge", "openai:m", "--base-url", &server.url, "--concurrency", "8"]
}

fn started(work: &Workspace, server: &Server) -> Running {
    work.file("in.csv", numbered(200));
    let run = work.start(&args(server));
    server.await_requests(40);
    run
}

/// Whether `signal` does what it does by default: where the tests themselves run under `nohup`, or as a script's job in the
/// background, the program takes over what is ignored there.
#[cfg(unix)]
pub fn is_heard(signal: &str) -> bool {
    let number = match signal {
        "HUP" => 1,
        "INT" => 2,
        _ => 15,
    };
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    // Where nobody tells, hangups are taken to be ignored, as the program takes them.
    let ignored = ignored.map_or(1, |mask| u64::from_str_radix(mask.trim(), 16).unwrap());
    let heard = ignored & (1 << (number - 1)) == 0;
    if !heard {
        println!("skipped: SIG{signal} is ignored here");
    }
    heard
}

/// Labels 200 rows with a judge whose answers from this row on wait for a gate.
#[cfg(unix)]
fn held_from(first: usize) -> (Server, Gate, Workspace) {
    let gate = Gate::default();
    let server = Server::start({
        let gate = gate.clone();
        move |seen| match row_of(seen) {
            row if row < first => Answer::label(gold(row)),
            row => Answer::Held(gate.clone(), Box::new(Answer::label(gold(row)))),
        }
    });
    let work = Workspace::new();
    work.file("in.csv", numbered(200));
    (server, gate, work)
}

/// Sends a signal; what the run said until it had heard it.
#[cfg(unix)]
fn stopped_by(run: &mut Running, signal: &str) -> String {
    send(run.id(), signal);
    let mut told = String::new();
    let mut stderr = std::io::BufReader::new(run.stderr.as_mut().unwrap());
    while !told.contains("Ctrl-C again") {
        assert!(stderr.read_line(&mut told).unwrap() > 0, "{told}");
    }
    told + &String::from_utf8_lossy(stderr.buffer())
}

#[cfg(unix)]
#[test]
fn each_signal_to_stop_keeps_what_is_in_flight() {
    for signal in ["INT", "TERM", "HUP"].into_iter().filter(|signal| is_heard(signal)) {
        let (server, gate, work) = held_from(40);
        let mut run = work.start(&args(&server));
        server.await_requests(45);
        let mut told = stopped_by(&mut run, signal);
        gate.open();
        let ran = Ran::from(run.output()).ended(130);
        told += &ran.stderr;
        assert!(told.contains("Run the same command again"), "{signal}: {told}");
        assert!(!work.path("in.labeled.csv").exists() && server.requests() < 200, "{signal}");
        work.run(&args(&server)).ended(0);
        assert_eq!(work.column("in.labeled.csv", "label"), work.column("in.labeled.csv", "gold"));
        assert_eq!((server.requests(), server.answered_twice()), (200, 0), "{signal}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn whoever_wants_hangups_ignored_has_them_ignored() {
    let (server, work) = (slow(), Workspace::new());
    work.file("in.csv", numbered(60));
    let ours = work.tooljudge(&args(&server));
    let mut nohup = Command::new("nohup");
    nohup.arg(ours.get_program()).args(ours.get_args()).current_dir(work.path("."));
    let run = nohup.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).start();
    server.await_requests(20);
    send(run.id(), "HUP");
    Ran::from(run.output()).ended(0);
    assert_eq!(work.column("in.labeled.csv", "label"), work.column("in.labeled.csv", "gold"));
}

/// The first signal is heard before the second is sent.
#[cfg(unix)]
#[test]
fn two_signals_of_any_kind_end_it_at_once() {
    let pairs = [("INT", "INT"), ("TERM", "TERM"), ("HUP", "INT"), ("INT", "TERM")];
    for (first, second) in pairs.into_iter().filter(|(first, _)| is_heard(first)) {
        let server =
            Server::start(|_| Answer::After(Duration::from_secs(600), Box::new(Answer::label("correct"))));
        let work = Workspace::new();
        work.file("in.csv", numbered(50));
        let mut run = work.start(&args(&server));
        server.await_requests(8);
        send(run.id(), first);
        let mut heard = String::new();
        let mut stderr = std::io::BufReader::new(run.stderr.take().unwrap());
        while !heard.contains("Ctrl-C again") {
            assert!(stderr.read_line(&mut heard).unwrap() > 0, "{heard}");
        }
        send(run.id(), second);
        assert_eq!(run.wait().code(), Some(130), "{first}, {second}");
        assert_eq!(server.requests(), 8);
    }
}

#[cfg(unix)]
#[test]
fn what_is_said_of_a_partial_table_is_so() {
    for (signals, code) in [(1, 130), (2, 130)] {
        let work = Workspace::new();
        // One answer keeps the run waiting: after one signal it comes, after two it never would.
        let gate = Gate::default();
        let server = Server::start({
            let gate = gate.clone();
            move |seen| match row_of(seen) {
                7 => Answer::Held(gate.clone(), Box::new(Answer::label("correct"))),
                row => Answer::label(gold(row)),
            }
        });
        work.file("in.csv", numbered(40));
        let mut run = work.start(&[&args(&server)[..], &["--partial"]].concat());
        server.await_requests(40);
        let mut stderr = std::io::BufReader::new(run.stderr.take().unwrap());
        let mut told = String::new();
        for _ in 0..signals {
            send(run.id(), "INT");
            while !told.contains("stopping") && stderr.read_line(&mut told).unwrap() > 0 {}
        }
        if signals == 1 {
            gate.open();
        }
        std::io::Read::read_to_string(&mut stderr, &mut told).unwrap();
        Ran::from(run.output()).ended(code);
        let there = work.path("in.labeled.csv").exists();
        assert_eq!(there, signals == 1, "{told}");
        assert_eq!(told.contains("the partial table was written"), there, "{told}");
        assert_eq!(told.contains("no table was written"), !there, "{told}");
    }
}

/// Prompts to a reader who does not read: a dry run waits for him, and is ended by a signal as if it were any other program.
#[cfg(unix)]
#[test]
fn a_dry_run_ends_by_a_signal() {
    use std::io::Read;
    use std::os::unix::process::ExitStatusExt;

    let work = Workspace::new();
    // The program does not listen here: what is ignored stays so.
    let Some((signal, number)) = [("INT", 2), ("TERM", 15)].into_iter().find(|(name, _)| is_heard(name))
    else {
        return;
    };
    work.file("in.csv", numbered(400));
    let mut run = work.start(&["label", "in.csv", "--judge", "openai:m", "--dry-run", "400"]);
    let mut stdout = run.stdout.take().unwrap();
    stdout.read_exact(&mut [0]).unwrap();
    send(run.id(), signal);
    let mut rest = Vec::new();
    stdout.read_to_end(&mut rest).unwrap();
    let status = run.wait();
    assert_eq!(status.signal(), Some(number), "{status}, after {} more bytes", rest.len());
}

/// Whatever is written, if it is to a reader who does not read: a signal is heard, and the next one ends the run.
#[cfg(unix)]
#[test]
fn two_signals_end_whatever_waits_for_a_reader() {
    let properties = json!({"type": "object", "properties": {"n": {"type": "number"}}});
    let tools =
        json!([{"name": "say", "description": "Says a number. ".repeat(300), "parameters": properties}]);
    // Every other call is wrong, and every tenth gold is, so that there is something to doubt.
    let row = |row: usize| {
        let call = json!([{"name": "say", "arguments": {"n": row + row % 2}}]);
        let gold = if row.is_multiple_of(2) != row.is_multiple_of(10) { "correct" } else { "incorrect" };
        json!({
            "id": row, "question": format!("Say {row}."), "tool_call": call, "tool_definitions": tools,
            "expected_tool_calls": call, "gold": gold,
        })
    };
    let rows: String = (0..400).map(|number| format!("{}\n", row(number))).collect();
    for command in [
        &["audit", "in.jsonl", "--limit", "40", "-o", "-", "--decide", "always"][..],
        &["bench", "in.jsonl", "--audit", "-", "--suspects", "400", "--decide", "always"],
        &["convert", "in.jsonl"],
        &["score", "in.jsonl", "-o", "-", "--scorer", "tool_call"],
    ] {
        let work = Workspace::new();
        work.file("in.jsonl", &rows);
        let mut run = work.start(command);
        let mut stdout = run.stdout.take().unwrap();
        std::io::Read::read_exact(&mut stdout, &mut [0]).unwrap();
        send(run.id(), "INT");
        let mut heard = String::new();
        let mut stderr = std::io::BufReader::new(run.stderr.take().unwrap());
        while !heard.contains("Ctrl-C again") {
            assert!(stderr.read_line(&mut heard).unwrap() > 0, "{command:?}: {heard}");
        }
        send(run.id(), "INT");
        assert_eq!(run.wait().code(), Some(130), "{command:?}");
        drop(stdout);
    }
}

/// Somebody else has the store to themselves for as long as they like: two signals end the run nevertheless.
#[cfg(unix)]
#[test]
fn a_locked_store_holds_nobody() {
    let (server, work) = (slow(), Workspace::new());
    let mut run = started(&work, &server);
    let other = rusqlite::Connection::open(work.path(".tooljudge/replies.sqlite")).unwrap();
    other.busy_timeout(Duration::from_secs(20)).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    send(run.id(), "INT");
    let mut heard = String::new();
    let mut stderr = std::io::BufReader::new(run.stderr.take().unwrap());
    while !heard.contains("Ctrl-C again") {
        assert!(stderr.read_line(&mut heard).unwrap() > 0, "{heard}");
    }
    send(run.id(), "INT");
    // The lock is held until the run has ended.
    assert_eq!(run.wait().code(), Some(130), "{heard}");
    drop(other);
    work.run(&args(&server)).ended(0);
    assert_eq!(work.column("in.labeled.csv", "label"), work.column("in.labeled.csv", "gold"));
    assert!(server.answered_twice() <= 8, "{}", server.answered_twice());
}
