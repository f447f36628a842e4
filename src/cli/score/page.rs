//! The result of a scoring run, for the job summary of a build.

use super::report::percent;
use crate::cli::step_summary::{counts, failing};
use crate::report::{GateVerdict, StepPart, StepSummary, StepTable};
use crate::run::Tally;

/// How many passed, what was wrong, and the first cases that did not pass.
pub fn page(tally: &Tally, scorer: &str, verdict: GateVerdict) -> StepSummary {
    let errors = tally.errors.iter().map(|(kind, (cases, _))| (*kind, *cases));
    let first = tally.failures.iter().map(|failure| (failure.case.as_str(), failure.why.as_str()));
    let part = StepPart {
        title: scorer.to_owned(),
        tables: vec![
            outcomes(tally),
            figures(tally),
            counts(["error", "cases"], errors),
            counts(["issue", "cases"], tally.kinds.iter().map(|(kind, cases)| (kind.as_str(), *cases))),
            failing("case", tally.failed + tally.errored(), first),
        ],
    };
    StepSummary { title: "tooljudge score".to_owned(), verdict, parts: vec![part] }
}

fn outcomes(tally: &Tally) -> StepTable {
    let all = [
        ("passed", tally.passed),
        ("failed", tally.failed),
        ("(error)", tally.errored()),
        ("(no threshold)", tally.undecided),
    ];
    let share = |cases: u64| percent(cases as f64 / tally.cases as f64);
    let line = |(name, cases): (&str, u64)| vec![name.to_owned(), cases.to_string(), share(cases)];
    let lines = all.into_iter().filter(|(_, cases)| *cases > 0).map(line).collect();
    StepTable { header: ["outcome", "cases", "share"].map(str::to_owned).into(), lines, note: None }
}

fn figures(tally: &Tally) -> StepTable {
    let passed = tally.pass_rate().map(|(rate, (low, high))| {
        vec!["cases that pass".to_owned(), percent(rate), format!("{} to {}", percent(low), percent(high))]
    });
    let mean = |name: &str, mean: f64| vec![format!("mean {name}"), format!("{mean:.3}"), String::new()];
    let score = tally.mean().map(|score| mean("score", score));
    let figures = tally.figures().map(|(name, figure)| mean(name, figure));
    StepTable {
        header: ["figure", "value", "95 % interval"].map(str::to_owned).into(),
        lines: passed.into_iter().chain(score).chain(figures).collect(),
        note: None,
    }
}
