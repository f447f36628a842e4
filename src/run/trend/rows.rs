//! The runs of agents as a table: a row for each suite of each run, without a case, and for each of its cases.

use crate::domain::Json;
use crate::drive::history::{AgentTrend, Counts, RunRecord};
use crate::report;
use crate::stats::{Estimate, wilson};
use crate::table::{Batch, Column, Kind, Record, Rows, Schema, cell};

const COLUMNS: [(&str, Kind); 20] = [
    ("time", Kind::Text),
    ("run", Kind::Text),
    ("agent", Kind::Text),
    ("agent_version", Kind::Text),
    ("model", Kind::Text),
    ("experiment", Kind::Text),
    ("tags", Kind::Text),
    ("version", Kind::Text),
    ("suite", Kind::Text),
    ("case", Kind::Text),
    ("trials", Kind::Int),
    ("passed", Kind::Int),
    ("failed", Kind::Int),
    ("errors", Kind::Int),
    ("ungraded", Kind::Int),
    ("stored", Kind::Int),
    ("pass_rate", Kind::Float),
    ("low", Kind::Float),
    ("high", Kind::Float),
    ("incomplete", Kind::Bool),
];

pub(super) fn schema() -> Schema {
    Schema::of(COLUMNS.map(|(name, kind)| Column { name: name.to_owned(), kind }).to_vec())
}

pub(super) fn batch(agents: &[AgentTrend]) -> Batch {
    let runs = agents.iter().flat_map(|agent| &agent.runs);
    Batch { schema: schema().into(), rows: Rows::Records(runs.flat_map(rows).collect()) }
}

fn rows(run: &RunRecord) -> Vec<Record> {
    let mut rows = Vec::new();
    for suite in &run.suites {
        let rate = report::pass_rate(suite.cases.iter().map(|case| &case.counts));
        let stored = suite.cases.iter().map(|case| case.evidence.stored_episodes()).sum();
        rows.push(row(run, (&suite.suite, None), (&suite.counts, stored), rate));
        for case in &suite.cases {
            let trials = case.counts.decided();
            let rate = wilson(trials.passed, trials.scored).map(|(low, high)| Estimate {
                value: trials.passed as f64 / trials.scored as f64,
                low,
                high,
            });
            let counts = (&case.counts, case.evidence.stored_episodes());
            rows.push(row(run, (&suite.suite, Some(&case.case)), counts, rate));
        }
    }
    rows
}

fn row(
    run: &RunRecord,
    (suite, case): (&str, Option<&str>),
    (counts, stored): (&Counts, u64),
    rate: Option<Estimate>,
) -> Record {
    // As `--tag` takes them.
    let tags: Vec<String> = run.tags.iter().map(|(name, value)| format!("{name}={value}")).collect();
    let tags = (!tags.is_empty()).then(|| tags.join(" "));
    let cells: [Json; 20] = [
        Json::from(run.time.as_str()),
        Json::from(run.run.as_str()),
        Json::from(run.agent.as_str()),
        cell::text(run.agent_version.as_deref()),
        cell::text(run.model.as_deref()),
        cell::text(run.experiment.as_deref()),
        cell::text(tags.as_deref()),
        Json::from(run.version.as_str()),
        Json::from(suite),
        cell::text(case),
        cell::int(Some(counts.trials)),
        cell::int(Some(counts.passed)),
        cell::int(Some(counts.failed)),
        cell::int(Some(counts.errors)),
        cell::int(Some(counts.ungraded)),
        cell::int(Some(stored)),
        cell::float(rate.map(|rate| rate.value)),
        cell::float(rate.map(|rate| rate.low)),
        cell::float(rate.map(|rate| rate.high)),
        Json::Bool(run.incomplete),
    ];
    Record { cells: cells.map(Some).to_vec(), item: None }
}
