//! Runs over time, on a terminal.

use super::numbers::counted;
use super::plain::{plain, within, wrapped};
use super::table::{Column, Table};
use crate::drive::history::{Against, AgentTrend, CaseChange, Change, Counts, RunRecord, Verdict};
use crate::stats::{Estimate, Trials, share, wilson};

/// Runs and cases that are shown; all are in the other outputs.
const RUNS: usize = 20;
const CASES: usize = 30;
/// Cases that are named in a sentence.
const NAMED: usize = 8;
/// How the lines of a paragraph go on.
const INDENT: &str = "         ";
/// The columns of an agent's name.
const AGENT: usize = 80;

/// All agents, on lines of `width` columns.
pub fn trend(agents: &[AgentTrend], width: usize) -> String {
    agents.iter().map(|agent| of_agent(agent, width)).collect::<Vec<_>>().join("\n\n")
}

pub(super) fn of_agent(agent: &AgentTrend, width: usize) -> String {
    let mut parts = vec![format!("agent    {}", within(&agent.agent, AGENT)), runs(&agent.runs).text(width)];
    let mut notes = Vec::new();
    if agent.runs.len() > RUNS {
        notes.push(format!("shown    the last {RUNS} of {} runs; --json and -o have all", agent.runs.len()));
    }
    if agent.runs.last().is_some_and(|run| run.incomplete) {
        notes.push("partial  the last run is not complete: a ceiling of costs was reached".to_owned());
    }
    if let Some(run) = &agent.gone {
        notes.push(format!("gone     the newest run of its suites, {run}, is without this agent"));
    }
    let last = agent.runs.last().map(|run| run.run.as_str());
    for (suite, run) in agent.unfinished.iter().filter(|(_, run)| Some(run.as_str()) != last) {
        notes.push(format!("partial  the newest run of {}, {run}, is not complete", plain(suite)));
    }
    if agent.runs.last().is_some_and(|run| run.selected) {
        notes.push("chosen   the last run drove chosen cases only: --case, --category or --limit".to_owned());
    }
    if let Some(run) = &agent.unjudged {
        notes.push(format!("unjudged most of {run} could be compared with no run before it"));
    }
    if !agent.differs.is_empty() {
        notes.push(format!("differs  from run to run: {}", agent.differs.join(", ")));
    }
    if agent.changes.is_empty() {
        notes.push("compared with nothing: there is no other run".to_owned());
    }
    parts.extend(
        (!notes.is_empty())
            .then(|| notes.iter().map(|note| wrapped(note, INDENT, width)).collect::<Vec<_>>().join("\n")),
    );
    let before = agent.runs.len().checked_sub(2).map(|at| agent.runs[at].run.as_str());
    parts.extend(agent.changes.iter().map(|change| of_change(change, before, width)));
    if let Some(change) = agent.changes.last() {
        parts.extend(cases(change, width));
    }
    parts.join("\n\n")
}

/// The share of a suite's scored episodes that pass; its cases are clusters.
pub fn pass_rate<'a>(cases: impl Iterator<Item = &'a Counts>) -> Option<Estimate> {
    let parts = cases.map(Counts::decided).map(|trials| (trials.passed, trials.scored));
    share(&parts.collect::<Vec<_>>())
}

pub(super) fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

pub(super) fn range(low: f64, high: f64) -> String {
    format!("{:.1} to {:.1} %", 100.0 * low, 100.0 * high)
}

/// A line for each run, and for each of its suites where they are several.
fn runs(runs: &[RunRecord]) -> Table {
    let shown = &runs[runs.len().saturating_sub(RUNS)..];
    let by_suite = runs.iter().any(|run| run.suites.len() > 1);
    let has_experiments = shown.iter().any(|run| run.experiment.is_some());
    let is_stored = shown.iter().any(|run| run.stored() > 0);
    let mut columns = vec![Column::Name];
    let mut header = vec!["run"];
    // A run's id begins with its time, and has to stay in one piece.
    let has_time = !has_experiments && !by_suite && !is_stored;
    if has_time {
        columns.push(Column::Name);
        header.push("time (UTC)");
    }
    if has_experiments {
        columns.push(Column::Name);
        header.push("experiment");
    }
    if by_suite {
        columns.push(Column::Name);
        header.push("suite");
    }
    columns.extend([Column::Figure, Column::Figure, Column::Figure, Column::Words, Column::Figure]);
    header.extend(["passed", "of", "share", "95 % interval", "no score"]);
    if is_stored {
        columns.push(Column::Figure);
        header.push("stored");
    }
    let mut table = Table::new(columns);
    table.add_row(header);
    for run in shown {
        for suite in &run.suites {
            let rate = pass_rate(suite.cases.iter().map(|case| &case.counts));
            let decided = suite.counts.decided();
            let mut row = vec![run.run.clone()];
            row.extend(has_time.then(|| time(run)));
            row.extend(has_experiments.then(|| run.experiment.as_deref().map(plain).unwrap_or_default()));
            row.extend(by_suite.then(|| plain(&suite.suite)));
            row.extend([
                decided.passed.to_string(),
                decided.scored.to_string(),
                rate.map_or_else(|| "-".to_owned(), |rate| percent(rate.value)),
                rate.map_or_else(String::new, |rate| range(rate.low, rate.high)),
                (suite.counts.errors + suite.counts.ungraded).to_string(),
            ]);
            let stored: u64 = suite.cases.iter().map(|case| case.evidence.stored_episodes()).sum();
            row.extend(is_stored.then(|| stored.to_string()));
            table.add_row(row);
        }
    }
    table
}

/// When a run ended, in UTC.
pub(super) fn time(run: &RunRecord) -> String {
    let at = run.at().map_or_else(|| run.time.clone(), |at| at.to_string());
    at.replace('T', " ").trim_end_matches('Z').to_owned()
}

/// One comparison in words.
fn of_change(change: &Change, before: Option<&str>, width: usize) -> String {
    let with = match (change.against, &change.runs[..]) {
        (Against::Earlier, runs) => format!("all {} earlier runs", runs.len()),
        (Against::Previous, [run]) if before == Some(run.as_str()) => format!("the run before, {run}"),
        (Against::Previous, [run]) => format!("the newest run that it can be compared with, {run}"),
        (Against::Previous, [first, .., last]) => {
            let more = if change.runs.len() > 2 { ", some between" } else { "" };
            format!("the newest run that each case can be compared with, {last} or {first}{more}")
        }
        (Against::Baseline, [run, ..]) => format!("the baseline, {run}"),
        (_, []) => String::new(),
    };
    let mut text = match (change.found, change.verdict()) {
        (Some(found), Some(verdict)) => {
            let by = found.difference;
            let cases = counted(change.cases.len() as u64, "case");
            format!(
                "against  {with}: {}. {cases}, {} then and {} now; weighted pass rate {} then, {} now; {} points, 95 % interval {} to {}; {}",
                in_words(verdict),
                counted(change.episodes.0, "episode"),
                change.episodes.1,
                percent(found.before),
                percent(found.after),
                points(by.value),
                points(by.low),
                points(by.high),
                p_is(change.p_adjusted),
            )
        }
        _ => format!("against  {with}: nothing can be compared"),
    };
    let left = [
        (change.changed, ["asks or expects something else now", "ask or expect something else now"]),
        (change.added, ["is new", "are new"]),
        (change.removed, ["is gone", "are gone"]),
        (change.unscored, ["has no score in one of them", "have no score in one of them"]),
        (change.replayed, ["only repeats stored replies of then", "only repeat stored replies of then"]),
        (change.shared, ["has the same replies as another case", "have the same replies as another case"]),
    ];
    let left: Vec<String> = left
        .into_iter()
        .filter(|(cases, _)| *cases > 0)
        .map(|(cases, [one, several])| format!("{cases} {}", if cases == 1 { one } else { several }))
        .collect();
    if !left.is_empty() {
        text += &format!(". Cases that are not compared: {}", left.join(", "));
    }
    if change.other_setup > 0 {
        let cases = counted(change.other_setup as u64, "case");
        text += &format!(". {cases} with other instructions or tools than then");
    }
    if change.crashed > 0 {
        let episodes = counted(change.crashed, "episode");
        text += &format!(
            ". {episodes} of now were driven again after the same version crashed, and the crashes do not count; --fresh draws \
             all anew"
        );
    }
    let questions = counted(change.questions as u64, "question");
    if change.bunched > 0 {
        text += &format!(
            ". The cases ask {questions}: the model's first reply is the same in those that ask the same, so {} of them are taken together",
            change.bunched
        );
    } else if change.questions < change.cases.len() {
        text += &format!(". The cases ask {questions}, and count as independent all the same");
    }
    let mut lines = vec![wrapped(&text, INDENT, width)];
    for suite in &change.suites {
        let by = suite.found.difference;
        let line = format!(
            "suite    {}: {}; weighted pass rate {} then, {} now; {} points, 95 % interval {} to {}; {}",
            plain(&suite.suite),
            in_words(suite.verdict()),
            percent(suite.found.before),
            percent(suite.found.after),
            points(by.value),
            points(by.low),
            points(by.high),
            p_is(suite.p_adjusted)
        );
        lines.push(wrapped(&line, INDENT, width));
    }
    for (what, sign) in [("fell", -1.0), ("rose", 1.0)] {
        let mut moved: Vec<&CaseChange> =
            change.cases.iter().filter(|case| sign * case.difference() > 0.0).collect();
        moved.sort_by(|a, b| (sign * b.difference()).total_cmp(&(sign * a.difference())));
        if !moved.is_empty() {
            let names: Vec<String> = moved.iter().take(NAMED).map(|case| name(change, case)).collect();
            let more = match moved.len() - names.len() {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            lines.push(wrapped(&format!("{what:<8} {}{more}", names.join(", ")), INDENT, width));
        }
    }
    lines.join("\n")
}

fn in_words(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Better => "better, beyond chance",
        Verdict::Worse => "worse, beyond chance",
        Verdict::Undecided => "no difference is shown",
        Verdict::Untestable => "too few episodes to show a difference; --repeats makes more",
    }
}

/// A case, with as much as tells suites apart.
fn name(change: &Change, case: &CaseChange) -> String {
    if change.suites.is_empty() {
        plain(&case.case)
    } else {
        format!("{}/{}", plain(&case.suite), plain(&case.case))
    }
}

/// The cases that failed on either side.
fn cases(change: &Change, width: usize) -> Vec<String> {
    let failed =
        |case: &&CaseChange| [case.before, case.after].iter().any(|trials| trials.passed < trials.scored);
    let mut failing: Vec<&CaseChange> = change.cases.iter().filter(failed).collect();
    if failing.is_empty() {
        return Vec::new();
    }
    // Those that say most first; all else in the order of the suite.
    failing.sort_by(|a, b| a.p_adjusted.total_cmp(&b.p_adjusted));
    let mut table = Table::new([
        Column::Name,
        Column::Figure,
        Column::Words,
        Column::Figure,
        Column::Words,
        Column::Figure,
    ]);
    let before = match change.against {
        Against::Previous => "before",
        Against::Earlier => "earlier",
        Against::Baseline => "baseline",
    };
    table.add_row(["case", before, "95 % interval", "last", "95 % interval", "p"]);
    for case in failing.iter().take(CASES) {
        let cell = |trials: Trials| format!("{} of {}", trials.passed, trials.scored);
        let interval = |trials: Trials| {
            wilson(trials.passed, trials.scored).map_or_else(String::new, |(low, high)| range(low, high))
        };
        table.add_row([
            name(change, case),
            cell(case.before),
            interval(case.before),
            cell(case.after),
            interval(case.after),
            p_value(case.p_adjusted),
        ]);
    }
    let mut notes = Vec::new();
    match change.cases.len() - failing.len() {
        0 => {}
        1 => notes.push("1 case passed each time.".to_owned()),
        others => notes.push(format!("{others} cases passed each time.")),
    }
    if failing.len() > CASES {
        notes.push(format!("{} more cases are in --json and -o.", failing.len() - CASES));
    }
    let all = counted(change.cases.len() as u64, "case");
    notes.push(format!(
        "p is Fisher's exact test (twice the smaller tail), corrected for {all} by Holm's method."
    ));
    vec![table.text(width), wrapped(&notes.join(" "), "", width)]
}

fn points(share: f64) -> String {
    let text = format!("{:+.1}", 100.0 * share);
    if text == "-0.0" || text == "+0.0" { "0.0".to_owned() } else { text }
}

/// A p-value as a figure.
fn p_value(p: f64) -> String {
    if p < 1e-4 { "< 0.0001".to_owned() } else { format!("{p:.4}") }
}

/// A p-value in a sentence.
pub fn p_is(p: f64) -> String {
    if p < 1e-4 { "p < 0.0001".to_owned() } else { format!("p = {p:.4}") }
}
