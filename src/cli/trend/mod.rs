//! `trend`: files of results in; runs, comparisons and exit code out.

pub mod args;

use args::TrendArgs;

use super::Ending;
use super::host::Host;
use crate::drive::history::{Against, AgentTrend, Change};
use crate::report::p_is;
use crate::run::settings::{OutputSettings, TrendSettings};
use crate::run::{self};
use crate::write::is_stdout;

pub fn run(args: TrendArgs, host: &Host) -> anyhow::Result<Ending> {
    let printer = host.printer(args.quiet);
    let output = OutputSettings {
        path: args.output,
        format: args.to,
        collected: None,
        formulas: args.spreadsheet.formulas(),
        force: args.force,
    };
    let settings = TrendSettings {
        files: args.files,
        baseline: args.baseline,
        agents: args.agents,
        experiments: args.experiments,
        tags: args.tags,
        output,
        reports: args.reports,
    };
    let found = run::trend(settings, &*host.control(printer.quiet).observer)?;
    let to_stdout = found.output.as_deref().is_some_and(is_stdout);
    let text = match args.json {
        true => format!("{:#}", found.record),
        false => found.to_text_within(printer.width(to_stdout)),
    };
    match (to_stdout, printer.quiet && !args.json) {
        (_, true) => {}
        (true, false) => printer.talk(&text),
        (false, false) => printer.data(&text),
    }
    if let Some(path) = found.output.as_ref().filter(|path| !is_stdout(path)) {
        printer.talk(&format!("written  {}", path.display()));
    }
    let Some(most) = args.max_drop else { return Ok(Ending::Done) };
    let mut failing: Vec<String> = Vec::new();
    for agent in &found.agents {
        let failures = failures(agent, most);
        // Who fails needs no word on what could have failed.
        if failures.is_empty() {
            unknown(agent).into_iter().chain(in_part(agent)).for_each(|why| printer.warn(&why));
        }
        failing.extend(failures);
    }
    Ok(Ending::of_gates(&failing, printer))
}

/// Why the gate could not have failed, whatever had come out.
fn unknown(agent: &AgentTrend) -> Option<String> {
    let name = &agent.agent;
    if let Some(run) = &agent.gone {
        return Some(format!(
            "{name}: --max-drop does not judge it: the newest run of its suites, {run}, is without this agent; --agent judges it all the same"
        ));
    }
    if agent.changes.is_empty() {
        return Some(format!(
            "{name}: --max-drop holds of nothing: there is no run to compare the last one with"
        ));
    }
    if agent.changes.iter().any(Change::could_drop) {
        return None;
    }
    let was_unscored = agent.changes.iter().all(|change| change.cases.is_empty() && change.unscored > 0);
    let is_repeated = agent.changes.iter().all(|change| change.cases.is_empty() && change.replayed > 0);
    Some(format!(
        "{name}: --max-drop cannot fail: {}",
        match (was_unscored, is_repeated) {
            (true, _) => "no earlier run has scores that the last one can be compared with",
            (false, true) => "all replies of the last run are stored ones of the runs before it",
            (false, false) => {
                "even if nothing had passed in the last run, no drop could be shown, because too few episodes are compared or passed \
                 before; drive --repeats makes more"
            }
        }
    ))
}

/// What of the last run the gate does not judge, although it passes.
fn in_part(agent: &AgentTrend) -> Vec<String> {
    let name = &agent.agent;
    let mut found = Vec::new();
    if agent.gone.is_some() {
        return found;
    }
    if let Some(run) = &agent.unjudged {
        found.push(format!(
            "{name}: --max-drop compares the last run with {run}, of which most could be compared with no run before it: what changed then \
             is judged by nobody; --baseline names another run"
        ));
    }
    let lacking = agent.changes.iter().map(|change| change.removed).max().unwrap_or_default();
    if lacking > 0 && agent.runs.last().is_some_and(|run| run.selected) {
        found.push(format!(
            "{name}: --max-drop holds for the cases that were chosen by --case, --category or --limit: {lacking} of the suite are not judged"
        ));
    }
    found
}

/// Why the gate fails for an agent, a sentence each.
fn failures(agent: &AgentTrend, most: f64) -> Vec<String> {
    let name = &agent.agent;
    let mut failures = Vec::new();
    if agent.gone.is_some() {
        return failures;
    }
    if let Some(run) = agent.runs.last().filter(|run| run.incomplete) {
        failures.push(format!(
            "{name}: the last run, {}, is not complete: a ceiling of costs was reached before everything was asked",
            run.run
        ));
    }
    let last = agent.runs.last().map(|run| run.run.as_str());
    for (suite, run) in agent.unfinished.iter().filter(|(_, run)| Some(run.as_str()) != last) {
        failures.push(format!(
            "{name}: the newest run of the suite {suite}, {run}, is not complete: a ceiling of costs was reached before everything was asked; \
             drive it again, or remove the line of that run"
        ));
    }
    for change in &agent.changes {
        if let (Some(drop), Some(found)) = (change.drop().filter(|drop| *drop > most + 1e-9), change.found) {
            failures.push(format!(
                "{name}: the weighted pass rate has dropped by {:.1} points, from {:.1} % to {:.1} % ({}), against {}",
                100.0 * drop,
                100.0 * found.before,
                100.0 * found.after,
                p_is(change.p_adjusted),
                match (change.against, &change.runs[..]) {
                    (_, [run]) => format!("the run {run}"),
                    (Against::Previous, _) => "the newest runs that its cases can be compared with".to_owned(),
                    (_, runs) => format!("{} earlier runs", runs.len()),
                }
            ));
        }
    }
    if !agent.changes.is_empty() && agent.changes.iter().all(Change::is_partial) {
        failures.push(format!(
            "{name}: --max-drop holds for a part of the last run only, if at all: most episodes are of cases that are new or gone, ask or \
             expect something else now, or have no score{}",
            if agent.runs.last().is_some_and(|run| run.selected) {
                "; it fails until a run of all cases is the last one: runs of chosen cases may have a file of their own"
            } else {
                ""
            }
        ));
    }
    failures
}
