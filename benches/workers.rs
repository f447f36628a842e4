//! Several workers on one store: how much faster they are than one, what a reply costs in CPU, and how they share a limit.
//!
//! ```text
//! cargo bench --bench workers                                     on SQLite
//! cargo bench --bench workers --features postgres -- postgres://USER@127.0.0.1/DATABASE      also on a server of this machine
//! cargo bench --bench workers -- SECONDS                          longer or shorter than 70 s for each cell with a limit
//! ```
//!
//! The judge answers after 200 ms, and each worker has 32 places in flight, so that the judge is what one worker waits for. CPU is that
//! of all workers and of the server; the judge's is left out. The server must have no other work, and USER must be its superuser. Each
//! cell has a schema of its own there, `workers_0` and so on, which is dropped first.

#![allow(clippy::unwrap_used, reason = "a bench that cannot go on stops")]
#![allow(clippy::print_stdout, reason = "printing is what it does")]
#![allow(clippy::disallowed_methods, reason = "its arguments are its own")]

#[path = "../tests/support/enforcer/mod.rs"]
mod enforcer;
#[path = "../tests/support/limited_server.rs"]
mod limited_server;

use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use enforcer::Rules;
use limited_server::LimitedServer;

const LATENCY: Duration = Duration::from_millis(200);
/// Of each worker.
const IN_FLIGHT: usize = 32;
const MINUTE: Duration = Duration::from_secs(60);

struct Cell {
    workers: usize,
    rows: usize,
    rpm: Option<usize>,
    /// Kills the first worker after so long and starts it again.
    killed: Option<Duration>,
}

fn main() {
    let arguments: Vec<String> =
        std::env::args().skip(1).filter(|argument| !argument.starts_with("--")).collect();
    let seconds = arguments.iter().find_map(|argument| argument.parse().ok()).unwrap_or(70);
    let servers = arguments.iter().filter(|argument| argument.starts_with("postgres"));
    println!(
        "| store | workers | limit | rows | seconds | rows a second | share of the limit | most in a minute | ms of CPU a reply | of these the \
         server's | asked twice | rows without a label |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|");
    for server in std::iter::once(None).chain(servers.map(Some)) {
        let free = |workers| Cell { workers, rows: workers * 1600, rpm: None, killed: None };
        let limited =
            |rpm: usize| Cell { workers: 4, rows: rpm * seconds / 60, rpm: Some(rpm), killed: None };
        let killed = Some(Duration::from_secs(seconds as u64 / 3));
        for cell in [free(1), free(2), limited(6000), Cell { killed, ..limited(1200) }] {
            measure(server, &cell);
        }
    }
}

fn measure(server: Option<&String>, cell: &Cell) {
    static CELLS: AtomicUsize = AtomicUsize::new(0);
    let folder = tempfile::tempdir().unwrap();
    let mut csv = "question,tool_call,tool_definitions\n".to_owned();
    for row in 0..cell.rows {
        csv.push_str(&format!("Say {row} please,say(n={row}),say: Says a number\n"));
    }
    std::fs::write(folder.path().join("in.csv"), csv).unwrap();
    let store = match server {
        None => "replies.sqlite".to_owned(),
        Some(address) => {
            let schema = format!("workers_{}", CELLS.fetch_add(1, Ordering::Relaxed));
            psql(
                address,
                &format!("SET client_min_messages = error; DROP SCHEMA IF EXISTS {schema} CASCADE"),
            );
            format!("{address}{}schema={schema}", if address.contains('?') { '&' } else { '?' })
        }
    };
    let judge = LimitedServer::start(Rules::open(LATENCY));
    let begin = |worker: usize| begin(folder.path(), &judge.url, &store, cell, worker);
    let by_server = || server.map_or(0.0, |address| cpu_of_server(address));
    let (began, workers_before, server_before) = (Instant::now(), cpu_of_children(), by_server());
    let mut workers: Vec<Child> = (0..cell.workers).map(begin).collect();
    if let Some(after) = cell.killed {
        std::thread::sleep(after);
        workers[0].kill().unwrap();
        workers[0].wait().unwrap();
        workers[0] = begin(0);
    }
    for mut worker in workers {
        worker.wait().unwrap();
    }
    let taken = began.elapsed().as_secs_f64();
    let by_workers = cpu_of_children() - workers_before;
    let by_server = by_server() - server_before;
    let truth = judge.truth();
    let times: Vec<Duration> = truth.arrivals.iter().map(|arrival| arrival.at).collect();
    let from = times[0];
    // From first to last request: a worker's start is not the limit's matter.
    let sent = (times.len() - 1) as f64 / (times[times.len() - 1] - from).as_secs_f64();
    let most = (0..times.len())
        .map(|first| times[first..].iter().take_while(|at| **at < times[first] + MINUTE).count())
        .max();
    let labelled: usize =
        (0..cell.workers).map(|worker| labelled(&folder.path().join(format!("{worker}.csv")))).sum();
    let of_limit = |of: &dyn Fn(f64) -> String| cell.rpm.map_or("-".to_owned(), |rpm| of(rpm as f64));
    println!(
        "| {} | {}{} | {} | {} | {taken:.1} | {sent:.1} | {} | {} | {:.2} | {:.2} | {} | {} |",
        if server.is_some() { "PostgreSQL" } else { "SQLite" },
        cell.workers,
        if cell.killed.is_some() { ", one killed" } else { "" },
        of_limit(&|rpm| format!("{rpm}")),
        cell.rows,
        of_limit(&|rpm| format!("{:.3}", sent * 60.0 / rpm)),
        of_limit(&|_| most.unwrap_or(0).to_string()),
        1000.0 * (by_workers + by_server) / cell.rows as f64,
        1000.0 * by_server / cell.rows as f64,
        times.len() - cell.rows,
        cell.rows - labelled,
    );
}

fn begin(folder: &Path, judge: &str, store: &str, cell: &Cell, worker: usize) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tooljudge"));
    command.args([
        "label",
        "in.csv",
        "--quiet",
        "--judge",
        "openai:m",
        "--base-url",
        judge,
        "--store",
        store,
    ]);
    command.args(["--concurrency", &IN_FLIGHT.to_string(), "-o", &format!("{worker}.csv")]);
    command.args(["--shard", &format!("{worker}/{}", cell.workers)]);
    if let Some(rpm) = cell.rpm {
        command.args(["--rpm", &rpm.to_string()]);
    }
    command.current_dir(folder).spawn().unwrap()
}

/// Rows that have a label.
fn labelled(output: &Path) -> usize {
    let Ok(mut reader) = csv::Reader::from_path(output) else { return 0 };
    let at = reader.headers().unwrap().iter().position(|name| name == "label").unwrap();
    reader.records().filter(|record| record.as_ref().unwrap().get(at) == Some("correct")).count()
}

/// CPU seconds of all children that have ended.
fn cpu_of_children() -> f64 {
    cpu(Path::new("/proc/self/stat"), 2)
}

/// CPU seconds of the server at `address`, of its processes that have ended, too: their parent keeps the account.
fn cpu_of_server(address: &str) -> f64 {
    let id = psql(address, "SELECT split_part(pg_read_file('postmaster.pid'), chr(10), 1)");
    let parent_of = |process: &Path| {
        let stat = std::fs::read_to_string(process.join("stat")).unwrap_or_default();
        stat.rsplit_once(')').and_then(|(_, fields)| Some(fields.split_whitespace().nth(1)?.to_owned()))
    };
    let processes = std::fs::read_dir("/proc").unwrap().filter_map(|entry| Some(entry.ok()?.path()));
    let is_of_server = |process: &PathBuf| {
        process.file_name().is_some_and(|name| name == &*id)
            || parent_of(process).is_some_and(|parent| parent == id)
    };
    processes
        .filter(is_of_server)
        .map(|process| process.join("stat"))
        .map(|stat| cpu(&stat, 0) + cpu(&stat, 2))
        .sum()
}

fn psql(address: &str, sql: &str) -> String {
    let said = Command::new("psql").args(["-qAt", "-c", sql, address]).output().unwrap();
    assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
    String::from_utf8(said.stdout).unwrap().trim().to_owned()
}

/// Two of the fields that count ticks of 10 ms: own time in user and kernel mode, and behind it that of children that have ended.
fn cpu(stat: &Path, skip: usize) -> f64 {
    let stat = std::fs::read_to_string(stat).unwrap_or_default();
    let fields = stat.rsplit_once(')').map_or("", |(_, fields)| fields).split_whitespace();
    fields.skip(11 + skip).take(2).map(|ticks| ticks.parse::<f64>().unwrap()).sum::<f64>() / 100.0
}
