//! The result of a run, for the job summary of a build.

use super::summary_table::percent;
use crate::cli::step_summary::{counts, failing};
use crate::domain::Status;
use crate::report::{GateVerdict, StepPart, StepSummary, StepTable};
use crate::run::{LabelSummary, MemberSummary, Summary};
use crate::stats::Estimate;

/// Labels, errors, findings, and the first rows that fail, of each judge.
pub fn page(command: &str, run: &LabelSummary, verdict: GateVerdict) -> StepSummary {
    let parts = run.members.iter().map(part).collect();
    StepSummary { title: format!("tooljudge {command}"), verdict, parts }
}

fn part(member: &MemberSummary) -> StepPart {
    let MemberSummary { judge, template, summary, failures, .. } = member;
    let first = failures.first.iter().map(|(row, why)| (row.as_str(), why.as_str()));
    let found = summary.findings.iter().flat_map(|found| &found.kinds);
    StepPart {
        title: format!("{judge} ({template})"),
        tables: vec![
            labels(summary),
            shares(summary),
            counts(["error", "rows"], errors(summary)),
            counts(["finding", "rows"], found.map(|(kind, rows)| (kind.as_str(), *rows))),
            failing("row", failures.rows, first),
        ],
    }
}

fn labels(summary: &Summary) -> StepTable {
    let labels = summary.labels.iter().map(|(label, rows)| (label.clone(), *rows));
    let others = summary.statuses.iter().filter(|(status, _)| **status != Status::Judged);
    let others = others.map(|(status, rows)| (format!("({})", status.as_str()), *rows));
    let line = |(name, rows): (String, u64)| vec![name, rows.to_string(), percent(rows, summary.rows)];
    table(&["label", "rows", "share"], labels.chain(others).map(line).collect())
}

/// What is known with an interval.
fn shares(summary: &Summary) -> StepTable {
    let rate = summary.rate.as_ref();
    let of = |name: &str, share: Option<&Estimate>| {
        let percent = |share: f64| format!("{:.1} %", 100.0 * share);
        let share = share?;
        let interval = format!("{} to {}", percent(share.low), percent(share.high));
        Some(vec![name.to_owned(), percent(share.value), interval])
    };
    let score = summary.mean_score.as_ref().map(|mean| {
        let interval = format!("{:.3} to {:.3}", mean.low, mean.high);
        vec!["mean score".to_owned(), format!("{:.3}", mean.value), interval]
    });
    let lines = [
        of("labels that pass", rate.and_then(|rate| rate.observed.as_ref())),
        of("right, corrected by the benchmark", rate.and_then(|rate| rate.corrected.as_ref())),
        of("right, corrected by the rows with gold", rate.and_then(|rate| rate.powered.as_ref())),
        score,
    ];
    table(&["figure", "value", "95 % interval"], lines.into_iter().flatten().collect())
}

fn errors(summary: &Summary) -> impl Iterator<Item = (String, u64)> + '_ {
    summary.errors.iter().flat_map(|(status, codes)| {
        codes.iter().map(|(code, rows)| (format!("{}: {code}", status.as_str()), *rows))
    })
}

fn table(header: &[&str], lines: Vec<Vec<String>>) -> StepTable {
    StepTable { header: header.iter().map(|name| (*name).to_owned()).collect(), lines, note: None }
}
