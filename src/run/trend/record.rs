//! The runs of agents as JSON.

use serde_json::{Value, json};

use crate::drive::history::{AgentTrend, CaseChange, Change, Counts, RunRecord, SuiteChange};
use crate::report;
use crate::run::settings::TrendSettings;
use crate::stats::{Estimate, Trials, wilson};

/// All agents, as a report holds them.
pub(super) fn record(agents: &[AgentTrend], settings: &TrendSettings) -> Value {
    json!({
        "kind": "tooljudge trend",
        "files": settings.files.iter().map(|path| path.display().to_string()).collect::<Vec<_>>(),
        "baseline": settings.baseline,
        "experiments": settings.experiments,
        "tags": settings.tags.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>(),
        "agents": agents.iter().map(of_agent).collect::<Vec<_>>(),
    })
}

fn of_agent(agent: &AgentTrend) -> Value {
    json!({
        "agent": agent.agent,
        "runs": agent.runs.iter().map(run).collect::<Vec<_>>(),
        "gone": agent.gone,
        "unfinished": agent.unfinished.iter().map(|(suite, run)| json!({ "suite": suite, "run": run })).collect::<Vec<_>>(),
        "unjudged": agent.unjudged,
        "differs": agent.differs,
        "changes": agent.changes.iter().map(change).collect::<Vec<_>>(),
    })
}

fn run(run: &RunRecord) -> Value {
    let suites: Vec<Value> = run
        .suites
        .iter()
        .map(|suite| {
            let cases: Vec<Value> = suite
                .cases
                .iter()
                .map(|case| {
                    let trials = case.counts.decided();
                    let rate = of_trials(trials);
                    json!({
                        "case": case.case,
                        "asked": case.asked,
                        "setup": case.setup,
                        "question": (!case.question.is_empty()).then_some(&case.question),
                        "counts": counts(&case.counts),
                        "stored": case.evidence.stored_episodes(),
                        "episodes": case.evidence.episodes,
                        "payers": case.evidence.stored,
                        "crashed": case.evidence.crashed,
                        "shared": case.evidence.shared,
                        "pass_rate": rate,
                    })
                })
                .collect();
            let rate = report::pass_rate(suite.cases.iter().map(|case| &case.counts));
            json!({
                "suite": suite.suite,
                "asked": suite.asked,
                "counts": counts(&suite.counts),
                "pass_rate": rate,
                "cases": cases,
            })
        })
        .collect();
    json!({
        "run": run.run,
        "time": run.time,
        "version": run.version,
        "agent_version": run.agent_version,
        "model": run.model,
        "experiment": run.experiment,
        "tags": run.tags,
        "scorer": run.scorer,
        "graded_by": run.graded_by,
        "repeats": run.repeats,
        "incomplete": run.incomplete,
        "selected": run.selected,
        "stored": run.stored(),
        "counts": counts(&run.counts()),
        "pass_rate": report::pass_rate(run.cases().map(|(_, case)| &case.counts)),
        "suites": suites,
    })
}

fn counts(counts: &Counts) -> Value {
    json!({
        "trials": counts.trials,
        "passed": counts.passed,
        "failed": counts.failed,
        "errors": counts.errors,
        "ungraded": counts.ungraded,
    })
}

fn of_trials(trials: Trials) -> Option<Estimate> {
    let (low, high) = wilson(trials.passed, trials.scored)?;
    Some(Estimate { value: trials.passed as f64 / trials.scored as f64, low, high })
}

fn change(change: &Change) -> Value {
    json!({
        "against": change.against,
        "runs": change.runs,
        "verdict": change.verdict(),
        "episodes_before": change.episodes.0,
        "episodes_after": change.episodes.1,
        "before": change.found.map(|found| found.before),
        "after": change.found.map(|found| found.after),
        "difference": change.found.map(|found| found.difference),
        "p": change.found.map(|found| found.test.p),
        "p_adjusted": change.found.map(|_| change.p_adjusted),
        "exact": change.found.map(|found| found.test.exact),
        "cases_changed": change.changed,
        "cases_added": change.added,
        "cases_removed": change.removed,
        "cases_unscored": change.unscored,
        "cases_replayed": change.replayed,
        "cases_shared": change.shared,
        "episodes_repeated": change.repeated,
        "episodes_crashed": change.crashed,
        "questions": change.questions,
        "cases_bunched": change.bunched,
        "cases_with_other_setup": change.other_setup,
        "episodes_left_out": change.left_out,
        "suites": change.suites.iter().map(of_suite).collect::<Vec<_>>(),
        "cases": change.cases.iter().map(case).collect::<Vec<_>>(),
    })
}

fn of_suite(suite: &SuiteChange) -> Value {
    json!({
        "suite": suite.suite,
        "verdict": suite.verdict(),
        "before": suite.found.before,
        "after": suite.found.after,
        "difference": suite.found.difference,
        "p": suite.found.test.p,
        "p_adjusted": suite.p_adjusted,
    })
}

fn case(case: &CaseChange) -> Value {
    json!({
        "suite": case.suite,
        "case": case.case,
        "before": of_trials(case.before),
        "after": of_trials(case.after),
        "episodes_before": case.before.scored,
        "episodes_after": case.after.scored,
        "payers_before": case.payers.0,
        "payers_after": case.payers.1,
        "difference": case.difference(),
        "p": case.p,
        "p_adjusted": case.p_adjusted,
    })
}
