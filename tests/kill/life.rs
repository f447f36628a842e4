//! One run with its kills, from its first start to its table.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::sync::{LazyLock, Mutex};
use std::time::{Duration, Instant as Clock};

use super::instant::Instant;
use crate::label_remote::{gold, numbered, row_of};
use crate::support::server::{Answer, Server};
use crate::support::workspace::Workspace;
use tooljudge_laws::mutations::Dice;

pub const ROWS: usize = 240;
const CONCURRENCY: usize = 16;
/// Where tables go, by case.
const OUTPUTS: [&str; 4] = ["out.csv", "out.parquet", "out.jsonl.zst", "out.arrow"];
/// Columns that say how a reply was bought.
const HOW: [&str; 3] = ["latency_ms", "attempts", "cached"];

/// What came of kills.
#[derive(Debug, Default)]
pub struct Told {
    pub kills: usize,
    /// Tables at the end of the runs that were killed.
    pub tables: usize,
    /// Of these, those equal to the table of an unbroken run.
    pub equal: usize,
    /// The most that was asked and not kept at a kill.
    pub in_flight: usize,
    /// The most completions sent twice for one kill.
    pub twice: usize,
    /// Prompts whose reply was kept, and that were asked again.
    pub kept_again: usize,
    /// The longest that a resumed run took.
    pub resume: Duration,
}

impl Told {
    /// Above what is displayed, and the names before it.
    pub const HEADER: &str =
        "instant                            kills   tables  in flight   twice  kept, again  resume";

    pub fn add(&mut self, other: Told) {
        self.kills += other.kills;
        self.tables += other.tables;
        self.equal += other.equal;
        self.in_flight = self.in_flight.max(other.in_flight);
        self.twice = self.twice.max(other.twice);
        self.kept_again += other.kept_again;
        self.resume = self.resume.max(other.resume);
    }
}

impl fmt::Display for Told {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Told { kills, tables, equal, in_flight, twice, kept_again, resume } = self;
        let tables = format!("{equal}/{tables}");
        let resume = format!("{:.2} s", resume.as_secs_f64());
        write!(to, "{kills:>6}{tables:>9}{in_flight:>11}{twice:>8}{kept_again:>13}{resume:>8}")
    }
}

fn honest() -> Server {
    Server::start(|seen| {
        let wait = Duration::from_millis(1 + (row_of(seen) % 13) as u64);
        Answer::After(wait, Box::new(Answer::label(gold(row_of(seen)))))
    })
}

fn args<'a>(server: &'a Server, output: &'a str) -> Vec<&'a str> {
    let mut args = vec!["label", "in.csv", "--judge", "openai:m", "--base-url", &server.url];
    args.extend(["--concurrency", "16", "--keep-prompts", "-o", output]);
    args
}

type Rows = Vec<HashMap<String, String>>;

/// The table without the columns that say how replies were bought.
fn table(work: &Workspace, output: &str) -> Rows {
    let is_csv = output.ends_with(".csv");
    if !is_csv {
        let convert = ["convert", output, "--from", "rows", "-o", "as.csv", "--quiet"];
        // Beside the columns that a question is made of, all stay as they are.
        work.run(&convert).ended(0);
    }
    let mut rows = work.rows(if is_csv { output } else { "as.csv" });
    for row in &mut rows {
        HOW.iter().for_each(|column| drop(row.remove(*column)));
    }
    assert_eq!(rows.len(), ROWS);
    assert!(rows.iter().all(|row| row["label"] == row["gold"]), "a label that the judge did not give");
    rows
}

/// What a run gives that nobody kills.
fn expected(output: &'static str) -> Rows {
    static TABLES: LazyLock<Mutex<HashMap<&str, Rows>>> = LazyLock::new(Mutex::default);
    let mut tables = TABLES.lock().unwrap();
    let made = tables.entry(output).or_insert_with(|| {
        let (server, work) = (honest(), Workspace::new());
        work.file("in.csv", numbered(ROWS));
        work.run(&args(&server, output)).ended(0);
        table(&work, output)
    });
    made.clone()
}

/// How long a run takes that nobody kills: the shortest of three.
pub fn unbroken() -> Duration {
    let run = || {
        let (server, work) = (honest(), Workspace::new());
        work.file("in.csv", numbered(ROWS));
        let began = Clock::now();
        work.run(&args(&server, OUTPUTS[0])).ended(0);
        began.elapsed()
    };
    run().min(run()).min(run())
}

/// A run of its own, killed at `instant`, resumed, and compared with one that nobody killed.
pub fn life(case: usize, instant: &Instant, duration: Duration) -> Told {
    let mut dice = Dice::new(0x6b69_6c6c + case as u64);
    let output = OUTPUTS[case / 2 % OUTPUTS.len()];
    let (server, work) = (honest(), Workspace::new());
    work.file("in.csv", numbered(ROWS));
    let args = args(&server, output);
    let mut told = Told::default();
    let mut kept: HashMap<String, usize> = HashMap::new();
    // Over all kills: what one life left open may have its turn only in the next but one.
    let mut left_open = 0;
    for _ in 0..instant.times() {
        let (twice_before, asked_before) = (server.answered_twice(), server.asked());
        let run = work.start(&args);
        let killed = instant.wait(&run, (&work, output), &server, duration, &mut dice);
        run.kill();
        let killed = killed && run.wait().code().is_none();
        if !killed {
            break;
        }
        told.kills += 1;
        told.twice = told.twice.max(server.answered_twice() - twice_before);
        // What is on its way to the server counts as in flight too: it is asked whatever becomes of us.
        server.settle();
        let asked = server.asked();
        let committed = committed(&work);
        // In this life: what an earlier one left open may not have had its turn again.
        let is_new = |(prompt, times): &(&String, &usize)| asked_before.get(*prompt) != Some(*times);
        let open = asked.iter().filter(is_new).filter(|(prompt, _)| !committed.contains(*prompt)).count();
        assert!(open <= CONCURRENCY, "{open} were asked and not kept");
        told.in_flight = told.in_flight.max(open);
        left_open += open;
        for prompt in committed {
            let times = asked[&prompt];
            told.kept_again += usize::from(*kept.entry(prompt).or_insert(times) != times);
        }
        if work.path(output).exists() {
            table(&work, output);
        }
    }
    if told.kills == 0 {
        return told;
    }
    let before = server.answered_twice();
    let began = Clock::now();
    work.run(&args).ended(0);
    told.resume = began.elapsed();
    told.twice = told.twice.max(server.answered_twice() - before);
    let twice = server.answered_twice();
    assert!(
        twice <= left_open,
        "{twice} answered twice, and {left_open} were in flight at {} kills",
        told.kills
    );
    let asked = server.asked();
    told.kept_again += kept.iter().filter(|(prompt, times)| asked[*prompt] != **times).count();
    told.tables = 1;
    told.equal = usize::from(table(&work, output) == expected(output));
    let left: Vec<String> = work.names().into_iter().filter(|name| name.ends_with(".part")).collect();
    assert!(left.is_empty(), "{left:?}");
    assert!(!work.path(".tooljudge/replies.sqlite-runs").exists(), "dead runs were not cleared away");
    told
}

/// The prompts whose replies are in the store.
fn committed(work: &Workspace) -> HashSet<String> {
    let Some(store) = looked_at(work) else { return HashSet::new() };
    // Killed before there was a table?
    let Ok(mut prompts) = store.prepare("SELECT prompt FROM replies") else { return HashSet::new() };
    prompts.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
}

/// A copy of the store, so that what a killed run left is dealt with by the next run and not by us.
pub fn looked_at(work: &Workspace) -> Option<rusqlite::Connection> {
    let path = work.path(".tooljudge/replies.sqlite");
    for ending in ["", "-wal"] {
        let from = format!("{}{ending}", path.display());
        let to = work.path(&format!("looked-at.sqlite{ending}"));
        let _ = std::fs::remove_file(&to);
        if std::path::Path::new(&from).exists() {
            std::fs::copy(from, to).unwrap();
        }
    }
    let copy = work.path("looked-at.sqlite");
    copy.exists().then(|| rusqlite::Connection::open(copy).unwrap())
}
