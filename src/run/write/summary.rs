//! The summary of a run.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::deciders::Deciders;
use super::found::{CallCounts, FindingCounts};
use super::groups::Group;
use crate::bench::Rate;
use crate::domain::{Abstention, AbstentionKind, Flag, Lack, Outcome, Paid, Reply, Status, Stop, Verdict};
use crate::run::{InvalidGolds, Row};
use crate::stats::Estimate;
use crate::write::Labelled;

/// Counts over all rows of an output.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Summary {
    /// Rows that were written.
    pub rows: u64,
    /// Rows by label.
    pub labels: BTreeMap<String, u64>,
    /// Rows by status; those with a label are `judged`.
    pub statuses: BTreeMap<Status, u64>,
    /// Rows that failed, by status and then by error code.
    pub errors: BTreeMap<Status, BTreeMap<String, u64>>,
    /// Rows without evidence either way, by what they lack.
    pub lacks: BTreeMap<Lack, u64>,
    /// What failed labels rest on.
    pub deciders: Deciders,
    /// The first message of each code of errors.
    pub messages: BTreeMap<String, String>,
    /// How many rows have each remark of normalizing.
    pub flags: BTreeMap<Flag, u64>,
    /// Labels out of replies that the length limit cut off behind the verdict.
    pub cut: u64,
    /// Rows that the judge that looks first settled.
    pub settled: u64,
    /// What asking about those would have cost, in US dollars, as far as a price is known.
    pub spared_usd: Option<f64>,
    /// Rows whose reply was there before.
    pub cached: u64,
    /// Tokens of the replies that this run asked for.
    pub prompt_tokens: u64,
    /// Tokens of the answers, reasoning included.
    pub completion_tokens: u64,
    /// What those replies cost as far as their prices are known, in US dollars.
    pub cost_usd: f64,
    /// Of those replies, the ones without a known price.
    pub unpriced: u64,
    /// Where the input says what the label should be.
    pub gold: Option<Agreement>,
    /// The mean score of the labels, where they are graded.
    pub mean_score: Option<Estimate>,
    /// What was found wrong, where findings were asked for.
    pub findings: Option<FindingCounts>,
    /// The calls, where they were judged one by one.
    pub calls: Option<CallCounts>,
    /// The share of right calls, corrected for the judge's errors as far as they are known.
    pub rate: Option<Rate>,
    /// The share that passes for each value of the columns that were named.
    pub groups: Vec<Group>,
}

/// How labels compare with a column of gold.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Agreement {
    /// The column of gold.
    pub column: String,
    /// Rows whose label is the gold.
    pub agree: u64,
    /// Rows with both a label and a gold.
    pub compared: u64,
    /// Rows whose gold is not a label.
    pub invalid: InvalidGolds,
}

impl Agreement {
    pub(in crate::run) fn add(&mut self, agree: bool) {
        self.compared += 1;
        self.agree += u64::from(agree);
    }

    fn to_json(&self) -> Value {
        json!({
            "column": self.column,
            "agree": self.agree,
            "compared": self.compared,
            "invalid": self.invalid.rows,
        })
    }
}

impl Summary {
    /// Nothing yet, of a labeller that lists findings or not.
    pub(super) fn of(lists_findings: bool) -> Summary {
        Summary { findings: lists_findings.then(FindingCounts::default), ..Summary::default() }
    }

    pub(super) fn add(&mut self, labelled: &Labelled) {
        let Labelled { verdict, reply, cached, wasted, .. } = labelled;
        self.rows += 1;
        *self.statuses.entry(verdict.status()).or_default() += 1;
        if let Some(label) = verdict.label() {
            *self.labels.entry(label.to_owned()).or_default() += 1;
            self.cut += u64::from(reply.as_ref().is_some_and(|reply| reply.stop == Stop::Truncated));
        }
        if let Outcome::Errored { .. } | Outcome::InvalidRow { .. } = verdict.outcome {
            let code = error_code(verdict);
            if let Outcome::Errored { message, .. } = &verdict.outcome {
                self.messages.entry(code.clone()).or_insert_with(|| message.clone());
            }
            *self.errors.entry(verdict.status()).or_default().entry(code).or_default() += 1;
        }
        if let Outcome::Abstained(Abstention { kind: AbstentionKind::NoEvidence(lack), .. }) =
            &verdict.outcome
        {
            *self.lacks.entry(*lack).or_default() += 1;
        }
        if let Some(findings) = &mut self.findings {
            self.deciders.add(verdict);
            findings.add(labelled);
        }
        if labelled.calls.is_some() {
            self.calls.get_or_insert_default().add(labelled);
        }
        self.settled += u64::from(labelled.is_settled);
        if let Some(spared) = labelled.spared {
            *self.spared_usd.get_or_insert_default() += spared;
        }
        self.cached += u64::from(*cached);
        let replied = reply.as_ref().filter(|_| !cached).map(Reply::paid);
        if let Some(paid) = Paid::sum(replied, *wasted) {
            self.prompt_tokens += paid.usage.prompt_tokens.unwrap_or(0);
            self.completion_tokens += paid.usage.completion_tokens.unwrap_or(0);
            match paid.cost_usd {
                Some(cost) => self.cost_usd += cost,
                None => self.unpriced += 1,
            }
        }
    }

    /// Counts what was unusual about a row.
    pub(super) fn remark(&mut self, row: &Row) {
        for flag in row.flags() {
            *self.flags.entry(*flag).or_default() += 1;
        }
    }

    /// For manifests and `--json`.
    pub(crate) fn to_json(&self) -> Value {
        let statuses = by_status(&self.statuses);
        let mut summary = json!({
            "rows": self.rows,
            "labels": self.labels,
            "statuses": statuses,
            "errors": by_status(&self.errors),
            "messages": self.messages,
            "unjudged": self.unjudged(),
            "no_evidence": self.lacks.iter().map(|(lack, rows)| (lack.as_str(), *rows)).collect::<BTreeMap<_, _>>(),
            "flags": self.flags.iter().map(|(flag, rows)| (flag.as_str(), *rows)).collect::<BTreeMap<_, _>>(),
            "labels_before_cut": self.cut,
            "cached": self.cached,
            "prompt_tokens": self.prompt_tokens,
            "completion_tokens": self.completion_tokens,
            "cost_usd": self.cost(),
            "mean_score": self.mean_score,
            "rate": self.rate,
            "gold": self.gold.as_ref().map(Agreement::to_json),
        });
        if let Some(findings) = &self.findings {
            summary["findings"] = findings.to_json();
        }
        if self.settled > 0 || self.spared_usd.is_some() {
            summary["settled"] = json!({"rows": self.settled, "spared_usd": self.spared_usd});
        }
        if !self.groups.is_empty() {
            summary["by"] = self.groups.iter().map(Group::to_json).collect();
        }
        if let Some(calls) = self.calls {
            summary["calls"] = calls.to_json();
        }
        summary
    }

    /// What this run paid, in US dollars; absent where the price of any reply is not known.
    pub fn cost(&self) -> Option<f64> {
        (self.unpriced == 0).then_some(self.cost_usd)
    }

    /// Rows that the judge looked at and found no evidence in.
    pub fn without_evidence(&self) -> u64 {
        self.lacks.values().sum()
    }

    /// Rows with a label.
    pub fn judged(&self) -> u64 {
        self.statuses.get(&Status::Judged).copied().unwrap_or(0)
    }

    /// Rows without a label.
    pub fn unjudged(&self) -> u64 {
        self.rows - self.judged()
    }
}

fn by_status<T: Serialize>(counts: &BTreeMap<Status, T>) -> Map<String, Value> {
    counts.iter().map(|(status, count)| (status.as_str().to_owned(), json!(count))).collect()
}

fn error_code(verdict: &Verdict) -> String {
    verdict.error().unwrap_or_default().split(':').next().unwrap_or_default().to_owned()
}
