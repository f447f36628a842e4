//! The summary of a run of agents.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use serde_json::{Value, json};

use super::BaselineComparison;
use super::replay::Played;
use super::tables::latency_ms;
use crate::domain::Paid;
use crate::drive::history::{Counts, Evidence, Outcome};
use crate::drive::record::expected_calls;
use crate::drive::{Case, Ended};
use crate::report;
use crate::run::junit::CaseOutcome;
use crate::run::{MemberSummary, Tally};
use crate::score::{Issue, IssueKind, ScoreError, Scored};
use crate::stats::{self, Estimate, PassRate, Trials};

/// What a run of agents came to.
#[derive(Debug)]
pub struct DriveSummary {
    /// Agent by agent.
    pub agents: Vec<AgentSummary>,
    /// What the episodes were scored by, with the peer whose numbers these are.
    pub scorer: String,
    /// Cases that were driven.
    pub cases: u64,
    /// How often each was driven.
    pub repeats: u32,
    /// What the judge that graded answers came to, if one was asked.
    pub grade: Option<MemberSummary>,
    /// Cases whose answer has a reference that nobody was asked about.
    pub ungraded: u64,
    /// Against the episodes of an earlier run, agent by agent; empty where none were given.
    pub baseline: Vec<BaselineComparison>,
    /// Where the episodes were written.
    pub output: Option<PathBuf>,
    /// Where the turns were written.
    pub turns: Option<PathBuf>,
    /// Where the results were added to those of earlier runs.
    pub history: Option<PathBuf>,
    /// The experiment that the run is of.
    pub experiment: Option<String>,
    /// What else was said of the run.
    pub tags: BTreeMap<String, String>,
    /// How long it took.
    pub elapsed: Duration,
}

/// What one agent came to.
#[derive(Debug, Clone)]
pub struct AgentSummary {
    /// As the column `agent` names it.
    pub agent: String,
    /// All episodes, those without a score included.
    pub episodes: u64,
    /// How they ended.
    pub ended: BTreeMap<Ended, u64>,
    /// Why episodes have no score: the first of each kind.
    pub why: BTreeMap<Ended, String>,
    /// Those with a score.
    pub tally: Tally,
    /// The same by category, in the order of the suite; empty where no case has one.
    pub categories: Vec<CategoryTally>,
    /// Episodes that passed although something is wrong with their calls or answers.
    pub flawed: u64,
    /// Sums of what the scorer measures: precision, recall, parameters.
    metrics: BTreeMap<&'static str, (f64, u64)>,
    /// How long each scored episode took, in milliseconds.
    latencies: Vec<u64>,
    /// Calls and replies of all episodes.
    pub calls: u64,
    /// Replies of all episodes.
    pub steps: u64,
    /// What all replies cost when they were bought; `None` where no model was asked.
    pub paid: Option<Paid>,
    /// Of these dollars, those that this run paid.
    pub own_usd: f64,
    /// Replies that an earlier run had paid for.
    pub cached: u64,
    /// All episodes, in order.
    pub lines: Vec<EpisodeLine>,
    /// All episodes by name, and how each came out.
    pub(super) listed: Vec<(String, CaseOutcome)>,
    /// The scored episodes of each case, and all of them.
    pub(super) trials: BTreeMap<(String, String), (Trials, u64)>,
    /// How the episodes of each case came out, and one by one with who paid for them.
    pub(super) evidence: BTreeMap<(String, String), (Counts, Evidence)>,
}

/// One episode in a line.
#[derive(Debug, Clone, PartialEq)]
pub struct EpisodeLine {
    /// The case and the repeat, with as much as tells suites and agents apart.
    pub id: String,
    /// Whether it passed; `None` without a score, and where nobody graded its answer.
    pub passed: Option<bool>,
    /// How it ended.
    pub ended: Ended,
    /// Its score.
    pub score: Option<f64>,
    /// How long it took, tools as mocked.
    pub latency_ms: u64,
    /// What is wrong with it, or why it has no score.
    pub issues: Vec<String>,
}

/// The episodes of one category.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CategoryTally {
    /// Its name.
    pub category: String,
    /// Scored episodes that passed.
    pub passed: u64,
    /// Scored episodes that passed or did not.
    pub decided: u64,
    /// Episodes without a score.
    pub unscored: u64,
}

/// What the scorer of suites measures, under the names that its metadata has.
const METRICS: [&str; 3] = ["precision", "recall", "param_accuracy"];
/// For intervals that come out the same each time.
const SEED: u64 = 20;

impl AgentSummary {
    pub(super) fn new(agent: &str) -> AgentSummary {
        AgentSummary {
            agent: agent.to_owned(),
            episodes: 0,
            ended: BTreeMap::new(),
            why: BTreeMap::new(),
            tally: Tally::default(),
            lines: Vec::new(),
            listed: Vec::new(),
            categories: Vec::new(),
            flawed: 0,
            metrics: BTreeMap::new(),
            latencies: Vec::new(),
            calls: 0,
            steps: 0,
            paid: None,
            own_usd: 0.0,
            cached: 0,
            trials: BTreeMap::new(),
            evidence: BTreeMap::new(),
        }
    }

    pub(super) fn add(
        &mut self,
        (suite, id): (&str, &str),
        played: &Played,
        scored: &Result<Scored, ScoreError>,
    ) {
        let Played { episode, spent, .. } = played;
        let case = &episode.stage().case;
        let ended = episode.ended().unwrap_or(Ended::NotAsked);
        self.episodes += 1;
        *self.ended.entry(ended).or_default() += 1;
        if let Some(why) = episode.why() {
            self.why.entry(ended).or_insert_with(|| format!("{id}: {why}"));
        }
        self.steps += episode.turns().len() as u64;
        self.calls += episode.calls().count() as u64;
        self.cached += spent.cached;
        self.own_usd += spent.own_usd;
        self.paid = Paid::sum(self.paid, spent.paid);
        let passed = scored.as_ref().ok().and_then(|scored| scored.passed);
        if ended.is_scored() {
            // What a crash left undone says nothing of tools and instructions.
            let example = |issue: &Issue| (!ended.is_breakdown()).then(|| pattern(case, issue));
            self.tally.add_as(Some(id), scored, &example);
            self.latencies.push(latency_ms(played));
            if let Ok(scored) = scored {
                let is_flawed = !scored.issues.is_empty() || scored.score.is_some_and(|score| score < 1.0);
                self.flawed += u64::from(passed == Some(true) && is_flawed);
                if !ended.is_breakdown() {
                    self.measure(scored);
                }
            }
        }
        self.listed.push((id.to_owned(), outcome(ended, scored)));
        let issues = match scored {
            Ok(scored) => scored.issues.iter().map(|issue| issue.message.clone()).collect(),
            Err(error) => vec![error.to_string()],
        };
        self.lines.push(EpisodeLine {
            id: id.to_owned(),
            passed: passed.or((ended.is_scored() && scored.is_err()).then_some(false)),
            ended,
            score: scored.as_ref().ok().and_then(|scored| scored.score),
            latency_ms: latency_ms(played),
            issues,
        });
        let (trials, all) = self.trials.entry((suite.to_owned(), case.id.clone())).or_default();
        *all += 1;
        if let Some(passed) = passed.filter(|_| ended.is_scored()) {
            trials.scored += 1;
            trials.passed += u64::from(passed);
        }
        let outcome = match (ended.is_scored(), scored.is_ok(), passed) {
            (false, ..) => Outcome::Error,
            (true, true, Some(true)) => Outcome::Passed,
            (true, true, None) => Outcome::Ungraded,
            // As in the tally, what the scorer cannot read has failed.
            (true, ..) => Outcome::Failed,
        };
        let (counts, evidence) = self.evidence.entry((suite.to_owned(), case.id.clone())).or_default();
        counts.add_one(outcome);
        evidence.push(outcome, played.payer.as_deref(), played.is_shared);
        played.crashed.iter().for_each(|run| evidence.crashed_in(run));
        if let Some(category) = &case.category {
            self.categorize(category, ended, passed, scored.is_err());
        }
    }

    fn measure(&mut self, scored: &Scored) {
        for name in METRICS {
            if let Some(crate::domain::Json::Number(value)) = scored.metadata.get(name) {
                let (sum, count) = self.metrics.entry(name).or_default();
                (*sum, *count) = (*sum + value.as_f64(), *count + 1);
            }
        }
    }

    fn categorize(&mut self, category: &str, ended: Ended, passed: Option<bool>, is_error: bool) {
        let at = self.categories.iter().position(|known| known.category == category);
        let at = at.unwrap_or_else(|| {
            let category = category.to_owned();
            self.categories.push(CategoryTally { category, passed: 0, decided: 0, unscored: 0 });
            self.categories.len() - 1
        });
        let tally = &mut self.categories[at];
        if !ended.is_scored() {
            tally.unscored += 1;
        } else if passed.is_some() || is_error {
            tally.decided += 1;
            tally.passed += u64::from(passed == Some(true));
        }
    }

    /// The episodes that failed or have no score, by name, with the reason.
    pub fn failures(&self) -> impl Iterator<Item = (&str, &str)> {
        self.listed.iter().filter_map(|(id, outcome)| match outcome {
            CaseOutcome::Failed(why) => Some((id.as_str(), why.as_str())),
            CaseOutcome::Passed | CaseOutcome::Skipped(_) => None,
        })
    }

    /// Episodes without a score.
    pub fn unscored(&self) -> u64 {
        self.ended.iter().filter(|(ended, _)| !ended.is_scored()).map(|(_, episodes)| episodes).sum()
    }

    /// What the scorer measures, on average over scored episodes; without those in which an agent of the user's own broke down.
    pub fn metrics(&self) -> impl Iterator<Item = (&'static str, f64)> + '_ {
        METRICS.into_iter().filter_map(|name| {
            let (sum, count) = self.metrics.get(name)?;
            Some((name, sum / *count as f64))
        })
    }

    /// The median and the 95th percentile of how long a scored episode took, in milliseconds: the values that half and 95 % of them
    /// do not exceed.
    pub fn latency_ms(&self) -> Option<(u64, u64)> {
        let mut sorted = self.latencies.clone();
        sorted.sort_unstable();
        let at = |share: f64| {
            let rank = (share * sorted.len() as f64).ceil() as usize;
            sorted.get(rank.max(1) - 1).copied()
        };
        at(0.5).zip(at(0.95))
    }

    /// How long a scored episode took on average, in milliseconds.
    pub fn mean_latency_ms(&self) -> Option<f64> {
        let all = self.latencies.len() as f64;
        (all > 0.0).then(|| self.latencies.iter().map(|ms| *ms as f64).sum::<f64>() / all)
    }

    /// The share of scored episodes that passed, with its 95 % interval, as `trend` has it: the repeats of a case are not independent of
    /// each other.
    pub fn pass_rate(&self) -> Option<Estimate> {
        report::pass_rate(self.evidence.values().map(|(counts, _)| counts))
    }

    /// pass@k and pass^k; empty where no case was scored twice.
    pub fn pass_rates(&self) -> Vec<PassRate> {
        let trials: Vec<Trials> = self.trials.values().map(|(trials, _)| *trials).collect();
        let rates = stats::pass_rates(&trials, SEED);
        if rates.len() > 1 { rates } else { Vec::new() }
    }

    /// pass^k for one `k`, at worst: an episode without a score counts as one that did not pass. Absent where no case was driven so
    /// often.
    pub fn worst_pass_hat(&self, k: u64) -> Option<PassRate> {
        let worst = |(trials, all): &(Trials, u64)| Trials { scored: *all, passed: trials.passed };
        let trials: Vec<Trials> = self.trials.values().map(worst).collect();
        stats::pass_rate(&trials, k, SEED)
    }

    /// For manifests and `--json`.
    pub(crate) fn to_json(&self) -> Value {
        let latency = self.latency_ms();
        let estimate = |estimate: &Estimate| json!({ "value": estimate.value, "low": estimate.low, "high": estimate.high });
        let rates: Vec<Value> = self
            .pass_rates()
            .iter()
            .map(|rate| {
                json!({
                    "k": rate.k,
                    "cases": rate.cases,
                    "left_out": rate.left_out,
                    "pass_at_k": estimate(&rate.any),
                    "pass_hat_k": estimate(&rate.all),
                })
            })
            .collect();
        let categories: Vec<Value> = self
            .categories
            .iter()
            .map(|category| {
                json!({
                    "category": category.category,
                    "passed": category.passed,
                    "decided": category.decided,
                    "unscored": category.unscored,
                })
            })
            .collect();
        let mut scores = self.tally.to_json();
        // A tally knows nothing of cases.
        scores["pass_rate"] = self
            .pass_rate()
            .map_or(Value::Null, |rate| json!({ "rate": rate.value, "low": rate.low, "high": rate.high }));
        json!({
            "agent": self.agent,
            "episodes": self.episodes,
            "ended": self.ended.iter().map(|(ended, count)| (ended.as_str(), *count)).collect::<BTreeMap<_, _>>(),
            "unscored": self.unscored(),
            "scores": scores,
            "flawed": self.flawed,
            "categories": categories,
            "metrics": self.metrics().collect::<BTreeMap<_, _>>(),
            "latency_ms": latency.map(|(p50, p95)| json!({ "p50": p50, "p95": p95, "mean": self.mean_latency_ms() })),
            "steps": self.steps,
            "calls": self.calls,
            "usage": self.paid.map(|paid| json!({
                "prompt_tokens": paid.usage.prompt_tokens,
                "cached_tokens": paid.usage.cached_tokens,
                "completion_tokens": paid.usage.completion_tokens,
                "requests": paid.attempts,
            })),
            "cost_usd": self.paid.map(|paid| paid.cost_usd),
            "paid_by_this_run_usd": self.own_usd,
            "cached": self.cached,
            "repeats": rates,
        })
    }
}

/// What an issue is an example of: only tools on offer have descriptions to improve, and who calls an expected one again and again
/// does not take it for another.
fn pattern(case: &Case, issue: &Issue) -> (IssueKind, String) {
    let tool = issue.tool.as_deref().unwrap_or_default();
    let is_expected = || {
        let calls = expected_calls(&case.expected);
        let names = calls.as_array().unwrap_or_default().iter().filter_map(|call| call.get("name")?.as_str());
        names.into_iter().any(|name| name == tool)
    };
    match issue.kind {
        _ if tool.is_empty() => (issue.kind, String::new()),
        _ if case.tools.iter().all(|known| known.name != tool) => (IssueKind::UnknownTool, String::new()),
        IssueKind::UnexpectedCall if is_expected() => (IssueKind::TooManyCalls, String::new()),
        kind => (kind, tool.to_owned()),
    }
}

/// An episode as a report for a build has it: without a score it could not be looked at.
fn outcome(ended: Ended, scored: &Result<Scored, ScoreError>) -> CaseOutcome {
    match scored {
        Err(error) if !ended.is_scored() => CaseOutcome::Failed(format!("no score: {error}")),
        Err(error) => CaseOutcome::Failed(error.to_string()),
        Ok(Scored { passed: Some(true), .. }) => CaseOutcome::Passed,
        Ok(Scored { passed: None, .. }) => CaseOutcome::Skipped("nobody has graded the answer".to_owned()),
        Ok(scored) => {
            let issues: Vec<&str> = scored.issues.iter().map(|issue| issue.message.as_str()).collect();
            let reason = || scored.reason.clone().unwrap_or_default();
            CaseOutcome::Failed(if issues.is_empty() { reason() } else { issues.join("; ") })
        }
    }
}
