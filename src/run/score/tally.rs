//! The tally of scored cases: how many passed, and why the others failed.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use crate::drive::Ended;
use crate::score::{Issue, IssueKind, ScoreError, Scored};
use crate::stats::wilson;

/// Counts over all cases of an input.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Tally {
    /// All cases, those without a score included.
    pub cases: u64,
    /// Cases whose score reaches their threshold.
    pub passed: u64,
    /// Cases whose score does not.
    pub failed: u64,
    /// Cases that have a score but no threshold to pass.
    pub undecided: u64,
    /// Cases without a score, by the kind of their error, with one error's message.
    pub errors: BTreeMap<&'static str, (u64, String)>,
    /// The sum and number of all scores.
    scores: (f64, u64),
    /// The sums and numbers of the scorer's other figures.
    figures: BTreeMap<&'static str, (f64, u64)>,
    /// Of the cases whose arguments count, those with arguments to compare, and all.
    pub compared_arguments: (u64, u64),
    /// Cases in which no call is expected and some were made, which the settings allow.
    pub allowed_any_call: u64,
    /// Cases with such an issue; each case counts once.
    pub kinds: BTreeMap<IssueKind, u64>,
    /// Cases with an issue about such a tool.
    pub tools: BTreeMap<String, u64>,
    /// Cases with an issue about such a parameter: tool and JSON pointer.
    pub parameters: BTreeMap<(String, String), u64>,
    /// Cases by kind and tool, for advice: how many, and the first of them.
    pub patterns: BTreeMap<(IssueKind, String), (u64, Vec<String>)>,
    /// What did not pass, in order.
    pub failures: Vec<Failure>,
    /// All cases by name, and why each did not pass, where they are to be listed.
    pub listed: Option<Vec<(String, Option<String>)>>,
}

/// A case that did not pass.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// Its name, or else its number, counted from 1.
    pub case: String,
    /// The scorer's reason, or the error.
    pub why: String,
}

/// Failures that are kept with their reasons; all are counted.
const KEPT: usize = 10_000;
/// Cases that are named for an advice.
const EXAMPLES: usize = 3;

/// Whether an issue says that an agent of the user's own broke down in an episode that `drive` wrote.
fn is_breakdown(issue: &Issue) -> bool {
    let says = |ended: Ended| ended.is_breakdown() && issue.message.ends_with(ended.in_words());
    issue.kind == IssueKind::StoppedEarly && Ended::ALL.into_iter().any(says)
}

impl Tally {
    /// A tally that keeps the names of all cases.
    pub(crate) fn listing() -> Tally {
        Tally { listed: Some(Vec::new()), ..Tally::default() }
    }

    pub(in crate::run) fn add(&mut self, name: Option<&str>, scored: &Result<Scored, ScoreError>) {
        // What a crash left undone says nothing of tools and instructions.
        let broke_down = scored.as_ref().is_ok_and(|scored| scored.issues.iter().any(is_breakdown));
        let pattern =
            |issue: &Issue| (!broke_down).then(|| (issue.kind, issue.tool.clone().unwrap_or_default()));
        self.add_as(name, scored, &pattern);
    }

    /// The same, with what an issue is an example of for advice, if it is one.
    pub(in crate::run) fn add_as(
        &mut self,
        name: Option<&str>,
        scored: &Result<Scored, ScoreError>,
        pattern: &dyn Fn(&Issue) -> Option<(IssueKind, String)>,
    ) {
        self.cases += 1;
        if let Some(listed) = &mut self.listed {
            listed.push((name.map_or_else(|| self.cases.to_string(), str::to_owned), None));
        }
        let scored = match scored {
            Ok(scored) => scored,
            Err(error) => {
                self.errors.entry(error.kind).or_insert_with(|| (0, error.message.clone())).0 += 1;
                self.fail(name, error.to_string());
                return;
            }
        };
        if let Some(score) = scored.score {
            self.scores = (self.scores.0 + score, self.scores.1 + 1);
        }
        for (name, value) in &scored.figures {
            let (sum, count) = self.figures.entry(name).or_default();
            (*sum, *count) = (*sum + value, *count + 1);
        }
        if let Some(compared) = scored.compared_arguments {
            self.compared_arguments.0 += u64::from(compared);
            self.compared_arguments.1 += 1;
        }
        self.allowed_any_call += u64::from(scored.allowed_any_call);
        match scored.passed {
            Some(true) => self.passed += 1,
            Some(false) => {
                self.failed += 1;
                let issues: Vec<&str> = scored.issues.iter().map(|issue| issue.message.as_str()).collect();
                let why = if issues.is_empty() {
                    scored.reason.clone().unwrap_or_default()
                } else {
                    issues.join("; ")
                };
                self.fail(name, why);
            }
            None => self.undecided += 1,
        }
        for kind in scored.issues.iter().map(|issue| issue.kind).collect::<BTreeSet<_>>() {
            *self.kinds.entry(kind).or_default() += 1;
        }
        let tools: BTreeSet<&String> = scored.issues.iter().filter_map(|issue| issue.tool.as_ref()).collect();
        for tool in tools {
            *self.tools.entry(tool.clone()).or_default() += 1;
        }
        let of = |issue: &Issue| Some((issue.tool.clone()?, issue.path.clone()?));
        for parameter in scored.issues.iter().filter_map(of).collect::<BTreeSet<_>>() {
            *self.parameters.entry(parameter).or_default() += 1;
        }
        let case = name.map_or_else(|| self.cases.to_string(), str::to_owned);
        for pattern in scored.issues.iter().filter_map(pattern).collect::<BTreeSet<_>>() {
            let (cases, first) = self.patterns.entry(pattern).or_default();
            *cases += 1;
            if first.len() < EXAMPLES {
                first.push(case.clone());
            }
        }
    }

    fn fail(&mut self, name: Option<&str>, why: String) {
        let case = name.map_or_else(|| self.cases.to_string(), str::to_owned);
        if let Some(Some((_, reason))) = self.listed.as_mut().map(|listed| listed.last_mut()) {
            *reason = Some(why.clone());
        }
        if self.failures.len() < KEPT {
            self.failures.push(Failure { case, why });
        }
    }

    /// Cases that an exception or an unreadable record leaves without a score.
    pub fn errored(&self) -> u64 {
        self.errors.values().map(|(cases, _)| cases).sum()
    }

    /// The mean of all scores.
    pub fn mean(&self) -> Option<f64> {
        (self.scores.1 > 0).then(|| self.scores.0 / self.scores.1 as f64)
    }

    /// The means of the scorer's other figures, by name.
    pub fn figures(&self) -> impl Iterator<Item = (&'static str, f64)> + '_ {
        self.figures.iter().map(|(name, (sum, count))| (*name, sum / *count as f64))
    }

    /// Cases that passed or failed; an error is a failure.
    pub fn decided(&self) -> u64 {
        self.passed + self.failed + self.errored()
    }

    /// The share of decided cases that passed, with its 95 % interval.
    pub fn pass_rate(&self) -> Option<(f64, (f64, f64))> {
        let interval = wilson(self.passed, self.decided())?;
        Some((self.passed as f64 / self.decided() as f64, interval))
    }

    /// Whether at least this share passed, by counts: no rounding helps a suite over the line. An empty suite does not.
    pub fn reaches(&self, share: f64) -> bool {
        self.decided() > 0 && self.passed as f64 >= share * self.decided() as f64 - 1e-9
    }

    /// For manifests and `--json`.
    pub(crate) fn to_json(&self) -> Value {
        let parameters: BTreeMap<String, u64> =
            self.parameters.iter().map(|((tool, path), cases)| (format!("{tool}{path}"), *cases)).collect();
        let mut summary = json!({
            "cases": self.cases,
            "passed": self.passed,
            "failed": self.failed,
            "undecided": self.undecided,
            "errors": self.errors.iter().map(|(kind, (cases, _))| (*kind, *cases)).collect::<BTreeMap<_, _>>(),
            "mean_score": self.mean(),
            "pass_rate": self.pass_rate().map(|(rate, (low, high))| json!({"rate": rate, "low": low, "high": high})),
            "issues": self.kinds.iter().map(|(kind, cases)| (kind.as_str(), *cases)).collect::<BTreeMap<_, _>>(),
            "tools": self.tools,
            "parameters": parameters,
        });
        if !self.figures.is_empty() {
            summary["figures"] = json!(self.figures().collect::<BTreeMap<_, _>>());
        }
        summary
    }
}
