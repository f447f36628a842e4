//! The end of a run: summary, warnings, gate.

use serde_json::{Value, json};

use super::args::GateOn;
use super::page::page;
use super::summary_table::{self, Line, Run};
use crate::cli::Ending;
use crate::cli::failing;
use crate::cli::printer::Printer;
use crate::cli::step_summary::StepSummaryFile;
use crate::cli::without_label::{self, Ended, Limits};
use crate::domain::{Json, RowErrorCode, Status};
use crate::report::{GateVerdict, counted, plain};
use crate::run::{Ceiling, Decider, LabelSummary, MemberSummary, Summary};
use crate::write;

/// What is shown of a run, and what it must reach.
#[derive(Debug, Clone)]
pub struct Shown {
    /// The command that ends.
    pub command: &'static str,
    pub json: bool,
    /// The share of rows that may end without a label for want of anything but evidence.
    pub allow_unjudged: f64,
    /// The share of rows that may end without evidence.
    pub max_abstained: Option<f64>,
    /// The share of labels that must pass.
    pub min_pass_rate: Option<f64>,
    pub gate_on: GateOn,
    /// How many rows may fail in which way.
    pub max_fail: Vec<Ceiling>,
    /// Whether it was said that there may be no rows.
    pub may_be_empty: bool,
    /// Whether this is one of several parts: rows, and those with a label, may all be in others.
    pub is_shard: bool,
    /// The name of the purse that the limit on cost is shared by.
    pub purse: Option<String>,
    /// Where the page of a build is written, if there is one.
    pub step_summary: Option<StepSummaryFile>,
}

/// Shows what came of a run, and tells whether enough rows have a label.
pub fn conclude(run: &LabelSummary, shown: &Shown, printer: Printer<'_>) -> Ending {
    let text = if shown.json {
        format!("{:#}", manifest(run, &shown.max_fail))
    } else {
        table(run, printer.width(write::is_stdout(&run.output)))
    };
    if write::is_stdout(&run.output) {
        printer.talk(&text);
    } else if shown.json {
        printer.data(&text);
    } else if !printer.quiet {
        printer.summary(&text, |word| passes(run, word));
    }
    remark(run, shown.purse.as_deref(), printer);
    let gated = || run.members.iter().flat_map(|member| failed_gates(run, member, shown));
    let empty = without_rows(run);
    let may_be_empty = shown.may_be_empty || shown.is_shard;
    let is_unchecked = may_be_empty && empty.is_some();
    let failed: Vec<String> = match empty {
        Some(_) if may_be_empty => Vec::new(),
        Some(why) if shown.allow_unjudged < 1.0 => gated().chain([why]).collect(),
        _ => gated().collect(),
    };
    if !failed.is_empty() && shown.min_pass_rate.is_some() {
        for MemberSummary { failures, .. } in &run.members {
            let first = failures.first.iter().map(|(row, why)| (row.as_str(), why.as_str()));
            failing::name(first, (failures.rows, "the table has them all"), true, printer);
        }
    }
    failed.iter().for_each(|why| printer.gate(why));
    if is_unchecked {
        printer.talk("there are no rows, which is accepted: no gate was checked");
    }
    let ending = if failed.is_empty() { Ending::Done } else { Ending::GateFailed };
    if let Some(file) = &shown.step_summary {
        let stopped = run.unfinished.iter().map(ToString::to_string);
        let failed: Vec<String> = stopped.chain(failed).collect();
        let verdict = match (failed.is_empty(), is_unchecked) {
            (false, _) => GateVerdict::Failed(failed),
            (true, true) => GateVerdict::Empty,
            (true, false) => GateVerdict::Passed(gates(shown)),
        };
        file.append(&page(shown.command, run, verdict), printer);
    }
    ending
}

/// Whether what a line of the summary begins with tells of what passes, or of what does not.
fn passes(run: &LabelSummary, word: &str) -> Option<bool> {
    if word == "passed" {
        return Some(true);
    }
    let members = run.members.iter().filter(|member| member.summary.labels.contains_key(word));
    let mut said = members.filter_map(|member| member.words.read(Some(&Json::from(word))).ok()?);
    // Where two judges mean different things by it, it has no color.
    let first = said.next()?;
    said.all(|other| other == first).then_some(first)
}

/// Who is meant, where there are several.
fn whose(run: &LabelSummary, judge: &str, template: &str) -> String {
    if run.members.len() == 1 { String::new() } else { format!(" from {judge} ({template})") }
}

/// Why gates do not hold for a judge.
fn failed_gates(run: &LabelSummary, member: &MemberSummary, shown: &Shown) -> Vec<String> {
    let MemberSummary { judge, template, prefix, summary, .. } = member;
    let whose = whose(run, judge, template);
    let missed = shown.min_pass_rate.and_then(|least| missed(summary, least, shown.gate_on));
    let exceeded = shown.max_fail.iter().filter_map(|ceiling| ceiling.exceeded(summary));
    let mut failed: Vec<String> =
        missed.into_iter().chain(exceeded).map(|why| format!("{why}{whose}")).collect();
    let ended =
        Ended { rows: summary.rows, labelled: summary.judged(), no_evidence: summary.without_evidence() };
    let Shown { allow_unjudged, max_abstained, is_shard, .. } = *shown;
    let limits = Limits { allow_unjudged, max_abstained, all_may_abstain: is_shard };
    let see = format!(": see the columns {prefix}status and {prefix}error");
    failed.extend(without_label::exceeded(ended, limits, &whose, &see));
    failed
}

/// All gates, as they can be typed.
fn gates(shown: &Shown) -> Vec<String> {
    let least = shown.min_pass_rate.map(|least| match shown.gate_on {
        GateOn::Value => format!("--min-pass-rate {least}"),
        GateOn::Low => format!("--min-pass-rate {least} --gate-on low"),
    });
    let ceilings = shown.max_fail.iter().map(|ceiling| format!("--max-fail {ceiling}"));
    let abstained = shown.max_abstained.map(|most| format!("--max-abstained {most}"));
    let unjudged = format!("--allow-unjudged {}", shown.allow_unjudged);
    least.into_iter().chain(ceilings).chain([unjudged]).chain(abstained).collect()
}

/// That no row was judged, if so: a log that is not written any more would pass every gate.
fn without_rows(run: &LabelSummary) -> Option<String> {
    (run.members.first()?.summary.rows == 0).then(|| match run.formats.as_slice() {
        [] => "the input has no rows, or --where and --limit exclude all of them; --allow-empty accepts that".to_owned(),
        formats => format!(
            "the input was read as {}, and none of its records is a model call that can be judged, or --where and \
             --limit exclude all of them; `tooljudge convert --summary` counts what was skipped, and why; if it is another format, name it with \
             --from; --allow-empty accepts that there are none",
            formats.join(" and ")
        ),
    })
}

/// The run's record, with the gates on failures where there are any.
fn manifest(run: &LabelSummary, max_fail: &[Ceiling]) -> Value {
    let mut manifest = run.manifest.clone();
    if let (Value::Object(record), false) = (&mut manifest, max_fail.is_empty()) {
        let gates = run.members.iter().flat_map(|MemberSummary { judge, template, summary, .. }| {
            max_fail.iter().map(move |ceiling| {
                let mut gate = ceiling.to_json(summary);
                gate["judge"] = json!(judge);
                gate["template"] = json!(template);
                gate
            })
        });
        record.insert("max_fail".to_owned(), gates.collect());
    }
    manifest
}

/// Why a gate is not passed, if it is not: it takes labels to pass one.
fn missed(summary: &Summary, least: f64, on: GateOn) -> Option<String> {
    let rate = summary.rate.as_ref();
    if let Some(why) = rate.and_then(|rate| rate.refused.as_ref()) {
        return Some(format!(
            "the corrected share of labels that pass is unknown, so --min-pass-rate is not reached: {why}"
        ));
    }
    let (share, what) = match rate.and_then(|rate| rate.corrected.as_ref()) {
        Some(corrected) => (Some(corrected), "corrected share of labels that pass"),
        None => (rate.and_then(|rate| rate.observed.as_ref()), "share of labels that pass"),
    };
    let found = share.map(|share| match on {
        GateOn::Value => share.value,
        GateOn::Low => share.low,
    });
    let end = if on == GateOn::Low { "low end of the 95 % interval of the " } else { "" };
    match found {
        Some(found) if found >= least => None,
        Some(found) => Some(format!(
            "the {end}{what} is {found:.3} over {} of {}, below the {least} that --min-pass-rate asks for",
            summary.judged(),
            counted(summary.rows, "row")
        )),
        None => {
            Some(format!("no row has a label, so the {least} that --min-pass-rate asks for is not reached"))
        }
    }
}

/// Warns of what is odd about the outcome.
fn remark(run: &LabelSummary, purse: Option<&str>, printer: Printer<'_>) {
    let summaries = || run.members.iter().map(|member| &member.summary);
    let first = summaries().next();
    if let Some((code, rows)) = first.and_then(mostly_unreadable) {
        let taken = if run.formats.is_empty() { "tables".to_owned() } else { run.formats.join(" and ") };
        printer.warn(&format!(
            "{} cannot be read for the same reason, {code}; the inputs were read as {taken}: if that is wrong, \
             name their format with --from; `tooljudge convert --summary` shows what was read",
            counted(rows, "row")
        ));
    }
    for warning in invalid_golds(run) {
        printer.warn(&warning);
    }
    for warning in summaries().flat_map(|summary| &summary.rate).flat_map(|rate| &rate.warnings) {
        printer.warn(warning);
    }
    for MemberSummary { judge, template, summary, .. } in &run.members {
        if let Some(Decider { kind, about, rows, failed }) = summary.deciders.dominant() {
            printer.warn(&format!(
                "{rows} of {failed} failed rows{} rest on one finding alone: {} in `{}`; read a few of them before you rely on the rest",
                whose(run, judge, template),
                kind.as_str(),
                plain(&about)
            ));
        }
    }
    let ended = |summary: &Summary, status| summary.statuses.get(&status).copied().unwrap_or(0);
    let left_out: u64 = summaries().map(|summary| ended(summary, Status::SkippedBudget)).sum();
    if let Some(purse) = purse.filter(|_| left_out > 0) {
        printer.warn(&format!(
            "the cost limit --max-cost was reached by the runs that share the purse {purse}: {} {} not sent; run the same command with a \
             higher limit to go on",
            counted(left_out, "row"),
            if left_out == 1 { "was" } else { "were" }
        ));
    } else if left_out > 0 && !run.limit_too_small {
        printer.warn(&format!(
            "the cost limit --max-cost was reached: {} {} not sent; run the same command again to spend the same \
             amount again",
            counted(left_out, "row"),
            if left_out == 1 { "was" } else { "were" }
        ));
    }
    for member in &run.members {
        let cut = ended(&member.summary, Status::Truncated);
        if cut > 0 && member.capped {
            printer.warn(&format!(
                "{cut} answers from {} were cut off at the default token limit of local servers; give a higher \
                 limit with --max-tokens N, and resend them with --retry truncated",
                member.judge
            ));
        }
    }
}

/// What stands in columns of gold and is not a label, once where judges share a column.
fn invalid_golds(run: &LabelSummary) -> Vec<String> {
    let mut warnings: Vec<String> = Vec::new();
    for MemberSummary { words, summary, .. } in &run.members {
        let warning = summary.gold.as_ref().and_then(|gold| gold.invalid.warning(words));
        warnings.extend(warning.filter(|warning| !warnings.contains(warning)));
    }
    warnings
}

fn table(run: &LabelSummary, width: usize) -> String {
    let lines: Vec<Line<'_>> = run
        .members
        .iter()
        .map(|member| Line {
            judge: &member.judge,
            criterion: &member.template,
            summary: &member.summary,
            first: member.first.as_deref(),
        })
        .collect();
    let output = match &run.output {
        path if write::is_stdout(path) => "to the standard output".to_owned(),
        path => path.display().to_string(),
    };
    summary_table::render(&lines, &Run { elapsed: run.elapsed, output: &output, width })
}

/// The code that more than half of the rows cannot be read for, and how many.
fn mostly_unreadable(summary: &Summary) -> Option<(&str, u64)> {
    let codes = summary.errors.get(&Status::InvalidRow)?;
    // What is wrong with a logged answer is no matter of its format.
    let is_answers = |code: &str| RowErrorCode::OF_ANSWERS.iter().any(|known| known.as_str() == code);
    let (code, rows) = codes.iter().filter(|(code, _)| !is_answers(code)).max_by_key(|(_, rows)| **rows)?;
    (rows * 2 > summary.rows).then_some((code, *rows))
}
