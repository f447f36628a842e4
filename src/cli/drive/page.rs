//! The result of a run of agents, for the job summary of a build.

use crate::cli::score::report::percent;
use crate::cli::step_summary::{counts, failing};
use crate::report::{GateVerdict, StepPart, StepSummary, StepTable, counted};
use crate::run::{AgentSummary, DriveSummary};

/// How many episodes passed, how they ended, what was wrong, and the first that did not pass.
pub fn page(found: &DriveSummary, verdict: GateVerdict) -> StepSummary {
    let parts = found.agents.iter().map(part).collect();
    StepSummary { title: "tooljudge drive".to_owned(), verdict, parts }
}

fn part(agent: &AgentSummary) -> StepPart {
    let tally = &agent.tally;
    let first = tally.failures.iter().map(|failure| (failure.case.as_str(), failure.why.as_str()));
    StepPart {
        title: agent.agent.clone(),
        tables: vec![
            figures(agent),
            counts(["ended", "episodes"], agent.ended.iter().map(|(ended, n)| (ended.as_str(), *n))),
            counts(["issue", "episodes"], tally.kinds.iter().map(|(kind, n)| (kind.as_str(), *n))),
            failing("episode", tally.failed + tally.errored(), first),
        ],
    }
}

fn figures(agent: &AgentSummary) -> StepTable {
    let interval = |(low, high): (f64, f64)| format!("{} to {}", percent(low), percent(high));
    let line = |name: String, value: String, interval: String| vec![name, value, interval];
    let passed = agent.pass_rate().map(|rate| {
        line("episodes that pass".to_owned(), percent(rate.value), interval((rate.low, rate.high)))
    });
    let repeats = agent.pass_rates();
    let repeats = repeats.iter().map(|rate| {
        let ends = (rate.all.low, rate.all.high);
        line(
            format!("pass^{} of {}", rate.k, counted(rate.cases as u64, "case")),
            percent(rate.all.value),
            interval(ends),
        )
    });
    StepTable {
        header: ["figure", "value", "95 % interval"].map(str::to_owned).into(),
        lines: passed.into_iter().chain(repeats).collect(),
        note: None,
    }
}
