//! Labels a batch of rows: computes labels, or reads them from stored replies.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use rayon::prelude::*;

use super::ids::Ids;
use crate::check::{Baseline, BuiltinJudge};
use crate::domain::{
    Calls, Findings, Outcome, Paid, Rails, Reply, RowError, Sample, Task, ToolCall, Unit, Usage, Verdict,
};
use crate::run::{AskOutcome, JudgeTask, Part, Row, RunError};
use crate::snap::findings;
use crate::stats::{fold_calls, votes};
use crate::store::{AskHasher, Fingerprint, Found, Reader};
use crate::write::{CallVerdict, Labelled};

/// Labels batches in input order.
pub trait Labeller: Send {
    /// The labels of `rows`. `stop` is asked before each row that is computed: a batch of hostile ones takes minutes.
    ///
    /// # Errors
    /// If replies cannot be read, and when `stop` says so.
    fn label(&mut self, rows: &[Row], stop: &(dyn Fn() -> bool + Sync)) -> Result<Vec<Labelled>, RunError>;

    /// Lets its verdicts say what is wrong where that costs nothing, though no column tells it.
    fn keep_findings(&mut self) {}

    /// Whether its verdicts list what is wrong.
    fn lists_findings(&self) -> bool {
        false
    }
}

/// The built-in judge: no store, no network.
pub struct BuiltinLabeller {
    pub judge: BuiltinJudge,
    /// Its labels.
    pub rails: Arc<Rails>,
    pub unit: Unit,
    /// Whether a column lists what is wrong.
    pub findings: bool,
    /// Whether verdicts say it nevertheless.
    pub keeps_findings: bool,
}

impl BuiltinLabeller {
    /// Labels turns by `judge`, a judge of `task`.
    pub fn new(judge: BuiltinJudge, task: Task) -> BuiltinLabeller {
        BuiltinLabeller {
            judge,
            rails: Arc::new(Rails::pass_and_fail(task.labels())),
            unit: Unit::Turn,
            findings: false,
            keeps_findings: false,
        }
    }
}

impl Labeller for BuiltinLabeller {
    fn label(&mut self, rows: &[Row], stop: &(dyn Fn() -> bool + Sync)) -> Result<Vec<Labelled>, RunError> {
        let judge = |sample: &Sample| {
            let verdict = self.judge.judge(sample);
            computed(if self.findings || self.keeps_findings {
                verdict
            } else {
                Verdict { findings: None, ..verdict }
            })
        };
        let judge_all = |sample: &Sample| match self.unit {
            Unit::Turn => judge(sample),
            Unit::Call => {
                let calls = sample.each_call(false);
                let judged = match calls.len() {
                    0 => vec![judge(sample)],
                    _ => calls.map(|call| judge(&call)).collect(),
                };
                turn(judged, sample, &self.rails)
            }
        };
        label_all(rows, stop, judge_all)
    }

    fn keep_findings(&mut self) {
        self.keeps_findings = true;
    }

    fn lists_findings(&self) -> bool {
        self.findings
    }
}

/// What judges are measured beside.
pub struct BaselineLabeller(pub Baseline);

impl Labeller for BaselineLabeller {
    fn label(&mut self, rows: &[Row], stop: &(dyn Fn() -> bool + Sync)) -> Result<Vec<Labelled>, RunError> {
        label_all(rows, stop, |sample| computed(self.0.judge(sample)))
    }
}

fn label_all(
    rows: &[Row],
    stop: &(dyn Fn() -> bool + Sync),
    judge: impl Fn(&Sample) -> Labelled + Sync,
) -> Result<Vec<Labelled>, RunError> {
    let labelled = |row: &Row| match row.item() {
        _ if stop() => Err(RunError::Interrupted),
        Ok(sample) => Ok(judge(sample)),
        Err(error) => Ok(computed(invalid(error))),
    };
    rows.par_iter().map(labelled).collect()
}

/// The label of a turn whose calls were judged one by one. A turn that could not be taken apart was judged as a whole.
fn turn(judged: Vec<Labelled>, sample: &Sample, rails: &Rails) -> Labelled {
    let calls = match &sample.calls {
        Calls::Parsed(calls) => &calls[..],
        Calls::Unparsed => &[],
    };
    let verdicts: Vec<&Verdict> = judged.iter().map(|one| &one.verdict).collect();
    let (mut verdict, at) = fold_calls(&verdicts, rails);
    if let Some(call) = calls.get(at).filter(|_| calls.len() > 1)
        && let Some(why) = &mut verdict.explanation
    {
        let named = format!("call {} ({})", at + 1, call.name);
        let passes = |one: &&Verdict| one.label().is_some_and(|label| rails.passes_label(label));
        *why = match verdicts.iter().all(passes) {
            true => format!("All {} calls pass. Of {named}: {why}", calls.len()),
            false => format!("Of {named}: {why}"),
        };
    }
    let of_call = |(call, one): (&ToolCall, &Labelled)| CallVerdict {
        tool: call.name.clone(),
        verdict: one.verdict.clone(),
        passes: one.verdict.label().is_some_and(|label| rails.passes_label(label)),
    };
    let of_calls = calls.iter().zip(&judged).map(of_call).collect();
    // A list of some calls only would say of the others that nothing is wrong with them.
    let found: Option<Vec<&Findings>> = verdicts.iter().map(|one| one.findings.as_ref()).collect();
    verdict.findings = found.map(|found| {
        found.into_iter().fold(Findings::default(), |mut all, next| {
            all.extend(next);
            all
        })
    });
    Labelled { verdict, calls: Some(of_calls), ..together(&judged, at) }
}

/// Replies that an ask pass left in the store.
pub struct StoredLabeller {
    pub judge_task: Arc<JudgeTask>,
    pub hasher: AskHasher,
    pub store: Reader,
    /// This run's name: what it paid for itself is not cached.
    pub run: String,
    /// Whether only this run's own replies count.
    pub own_only: bool,
    /// What became of the questions that have no reply.
    pub outcomes: AskOutcome,
    /// Replies met so far: one counts as bought by the first row that has it.
    met: Ids,
    /// Whether a member of the panel before this one asks all of these questions too: then that one bears what they cost.
    is_bought: bool,
    /// Questions looked up so far, those counted that rows would have if they could be read.
    asked: usize,
    /// Questions without a reply whose cost was counted.
    wasted: HashSet<Fingerprint>,
    /// What this run paid for answers of no use to the questions of the batch at hand that have no reply.
    unused: HashMap<Fingerprint, Paid>,
    /// Questions that were not asked and whose cost was counted.
    spared: HashSet<Fingerprint>,
}

impl StoredLabeller {
    /// `run` names the run whose replies are its own; with `own_only`, no others count.
    pub fn new(
        judge_task: Arc<JudgeTask>,
        store: Reader,
        run: &str,
        own_only: bool,
        outcomes: AskOutcome,
    ) -> StoredLabeller {
        let hasher = judge_task.hasher();
        StoredLabeller {
            judge_task,
            hasher,
            store,
            run: run.to_owned(),
            own_only,
            outcomes,
            met: Ids::default(),
            is_bought: false,
            asked: 0,
            wasted: HashSet::new(),
            unused: HashMap::new(),
            spared: HashSet::new(),
        }
    }

    /// The same; `is_bought` says whether a member of the panel before this one asks all of its questions too and bears what they cost.
    #[must_use]
    pub fn bought_before(self, is_bought: bool) -> StoredLabeller {
        StoredLabeller { is_bought, ..self }
    }
}

impl Labeller for StoredLabeller {
    fn label(&mut self, rows: &[Row], _: &(dyn Fn() -> bool + Sync)) -> Result<Vec<Labelled>, RunError> {
        let number = self.judge_task.votes.get() as usize;
        let first = self.asked;
        self.asked += rows.len() * number;
        let ask_index = self.judge_task.ask_index();
        let known = ask_index.as_deref();
        let parts: Vec<Result<Vec<Part>, RowError>> = rows
            .par_iter()
            .enumerate()
            .map(|(at, row)| {
                if let Some(indexed) =
                    known.and_then(|ask_index| ask_index.lookup(first + at * number, number, row))
                {
                    row.found(indexed.flags);
                    return Ok(Ok(vec![Part::Asked(indexed.fingerprints)]));
                }
                match row.item() {
                    Ok(sample) => self.judge_task.parts(&self.hasher, sample),
                    Err(error) => Ok(Err(error.clone())),
                }
            })
            .collect::<Result<_, RunError>>()?;
        drop(ask_index);
        let names = |part: &Part| match part {
            Part::Asked(names) => names.clone(),
            Part::Settled { .. } => Vec::new(),
        };
        let all: Vec<Fingerprint> = parts.iter().flatten().flatten().flat_map(names).collect();
        let found = self.store.get_all(&all)?;
        let lacking = all.iter().zip(&found).filter(|(_, found)| !matches!(found, Found::Reply { .. }));
        let lacking: Vec<Fingerprint> = lacking.map(|(fingerprint, _)| *fingerprint).collect();
        self.unused =
            if lacking.is_empty() { HashMap::new() } else { self.store.wasted(&lacking, &self.run)? };
        let mut found = found.into_iter();
        let mut labelled = Vec::with_capacity(rows.len());
        for (parts, row) in parts.into_iter().zip(rows) {
            labelled.push(match parts {
                Ok(parts) => self.look_up(parts, &mut found, row)?,
                Err(error) => computed(invalid(&error)),
            });
        }
        Ok(labelled)
    }

    fn lists_findings(&self) -> bool {
        self.judge_task.form.findings
    }
}

impl StoredLabeller {
    /// The verdict on a row by all that is known of it; `found` has the answers to what was asked, in order.
    fn look_up(
        &mut self,
        parts: Vec<Part>,
        found: &mut impl Iterator<Item = Found>,
        row: &Row,
    ) -> Result<Labelled, RunError> {
        let judge_task = Arc::clone(&self.judge_task);
        // The row need not be read for a label.
        let is_read = judge_task.unit == Unit::Call || judge_task.form.findings;
        let sample = || {
            let gone = |_| RunError::Worker("a row that was asked about is gone".to_owned());
            row.item().as_ref().map_err(gone)
        };
        let units = if is_read { judge_task.units(sample()?) } else { Vec::new() };
        let mut judged = Vec::with_capacity(parts.len());
        for (at, part) in parts.into_iter().enumerate() {
            judged.push(match part {
                Part::Settled { verdict, spared } => self.settled(*verdict, spared),
                Part::Asked(names) => {
                    let votes = names.into_iter().zip(found.by_ref()).collect();
                    self.elect(votes, units.get(at).map(Cow::as_ref))
                }
            });
        }
        Ok(match judge_task.unit {
            Unit::Turn => judged.remove(0),
            Unit::Call => turn(judged, sample()?, judge_task.rails()),
        })
    }

    /// A verdict that the judge that looks first gave.
    fn settled(&mut self, verdict: Verdict, spared: Option<(Fingerprint, f64)>) -> Labelled {
        let spared = spared.filter(|(name, _)| self.spared.insert(*name)).map(|(_, cost)| cost);
        let findings = verdict.findings.clone().filter(|_| self.judge_task.form.findings);
        Labelled { is_of_first: true, is_settled: true, spared, ..computed(Verdict { findings, ..verdict }) }
    }

    /// The verdict of all votes on `unit`, with what is found wrong if that was asked for.
    fn elect(&mut self, votes: Vec<(Fingerprint, Found)>, unit: Option<&Sample>) -> Labelled {
        let mut predictions: Vec<Labelled> = votes
            .into_iter()
            .map(|(fingerprint, found)| {
                let has_reply = matches!(found, Found::Reply { .. });
                let wasted = if has_reply { None } else { self.wasted(fingerprint) };
                Labelled { wasted, ..self.vote(found) }
            })
            .collect();
        let mut elected = match predictions.len() {
            1 => predictions.remove(0),
            _ => {
                let verdicts: Vec<&Verdict> = predictions.iter().map(|answer| &answer.verdict).collect();
                let (verdict, speaker) = votes::fold(&verdicts, self.judge_task.rails());
                Labelled { verdict, ..together(&predictions, speaker) }
            }
        };
        if let (Some(unit), Some(reply)) = (unit, &elected.reply)
            && elected.verdict.label().is_some()
            && let Some((claims, _)) = self.judge_task.reading().findings(reply)
        {
            let shown = self.judge_task.template.variables();
            elected.verdict.findings = Some(findings::check(claims, unit, &shown));
        }
        elected
    }

    /// What this run paid for answers to a question without a reply; once, however many rows share the question.
    fn wasted(&mut self, fingerprint: Fingerprint) -> Option<Paid> {
        self.unused.get(&fingerprint).copied().filter(|_| self.wasted.insert(fingerprint) && !self.is_bought)
    }

    fn vote(&mut self, found: Found) -> Labelled {
        match found {
            Found::Reply { id, mut reply, run } if run == self.run || !self.own_only => {
                let first = self.met.insert(id) && !self.is_bought;
                if !first {
                    // Bought once, however many rows share it.
                    reply.cost_usd = reply.cost_usd.map(|_| 0.0);
                }
                let verdict = self.judge_task.reading().verdict(&reply);
                Labelled { reply: Some(reply), cached: !first || run != self.run, ..computed(verdict) }
            }
            Found::Failure { failure, run } if run == self.run => {
                let outcome = Outcome::Errored { code: failure.code, message: failure.message };
                Labelled { attempts: Some(failure.attempts), ..computed(Verdict::bare(outcome)) }
            }
            _ => computed(Verdict::bare(match self.outcomes {
                AskOutcome::All => Outcome::NotAsked,
                AskOutcome::UpToCeiling => Outcome::SkippedBudget,
            })),
        }
    }
}

/// What the answer at the place `speaker` says, with what all of `answers` took; where some of them were there before, what the others
/// took.
fn together(answers: &[Labelled], speaker: usize) -> Labelled {
    // What was settled was not asked.
    let asked = || answers.iter().filter(|answer| !answer.is_settled);
    let cached = asked().next().is_some() && asked().all(|answer| answer.cached);
    let fresh = asked().filter(|answer| cached || !answer.cached);
    let replies: Vec<&Reply> = fresh.filter_map(|answer| answer.reply.as_ref()).collect();
    let spoken = &answers[speaker];
    let mut wasted = answers.iter().fold(None, |sum, answer| Paid::sum(sum, answer.wasted));
    if spoken.reply.is_none() && !cached {
        // No reply bears what the others cost.
        wasted = replies.iter().fold(wasted, |sum, reply| Paid::sum(sum, Some(reply.paid())));
    }
    Labelled {
        verdict: spoken.verdict.clone(),
        reply: spoken.reply.as_ref().map(|spoken| summed(spoken, &replies)),
        attempts: spoken.attempts,
        cached,
        wasted,
        is_of_first: spoken.is_of_first,
        is_settled: answers.iter().all(|answer| answer.is_settled),
        spared: answers.iter().filter_map(|answer| answer.spared).reduce(|sum, one| sum + one),
        calls: None,
    }
}

/// What `spoken` says, with what all of `replies` took.
fn summed(spoken: &Reply, replies: &[&Reply]) -> Reply {
    let sum = |part: fn(&Usage) -> Option<u64>| {
        replies
            .iter()
            .map(|reply| part(&reply.usage))
            .collect::<Option<Vec<u64>>>()
            .map(|parts| parts.iter().sum())
    };
    Reply {
        usage: Usage {
            prompt_tokens: sum(|usage| usage.prompt_tokens),
            cached_tokens: sum(|usage| usage.cached_tokens),
            completion_tokens: sum(|usage| usage.completion_tokens),
        },
        cost_usd: replies
            .iter()
            .map(|reply| reply.cost_usd)
            .collect::<Option<Vec<f64>>>()
            .map(|c| c.iter().sum()),
        latency_ms: replies.iter().map(|reply| reply.latency_ms).max().unwrap_or(0),
        attempts: replies.iter().map(|reply| reply.attempts).sum(),
        ..spoken.clone()
    }
}

fn invalid(error: &RowError) -> Verdict {
    Verdict::bare(Outcome::InvalidRow { code: error.code.as_str(), message: error.message.clone() })
}

fn computed(verdict: Verdict) -> Labelled {
    Labelled {
        verdict,
        reply: None,
        attempts: None,
        cached: false,
        wasted: None,
        is_of_first: false,
        is_settled: false,
        spared: None,
        calls: None,
    }
}
