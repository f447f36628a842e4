//! The questions of an audit: first every unchanged row, then its probes, which depend on the answers.

use std::sync::Arc;

use rayon::prelude::*;

use super::plan::Plan;
use super::{Answers, ProbeBatches};
use crate::audit::{Answer, Kind, Probe, ProbeCase, applicable_probes, is_answer};
use crate::domain::Rails;
use crate::run::{Member, ProbeBatch, ProbedRow};
use crate::write::Labelled;

/// What a judge made of a row as it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum First {
    /// It has no label, so none can flip.
    Unlabelled,
    /// Its label is wrong by the gold: nothing is left to win for an attack.
    Wrong,
    Attackable,
}

/// What the first answer amounts to, and its label's place among the rails.
pub fn first_answer(
    row: &ProbedRow,
    rails: &Rails,
    gold: Option<usize>,
    labelled: &Labelled,
) -> (First, usize) {
    let label = labelled.verdict.label().and_then(|label| rails.labels().position(|rail| rail == label));
    let Some(label) = label else { return (First::Unlabelled, 0) };
    let right = gold.and_then(|gold| row.golds.get(gold).copied().flatten());
    let passes = is_good(rails, label);
    (if right.is_some_and(|right| right != passes) { First::Wrong } else { First::Attackable }, label)
}

fn is_good(rails: &Rails, label: usize) -> bool {
    rails.get(label).is_some_and(|rail| rails.passes(rail))
}

/// The label that attacks ask for: the good one, or if that is what the judge said, the first other one.
fn target_label(rails: &Rails, label: usize) -> usize {
    let wanted = !is_good(rails, label);
    (0..rails.len()).find(|at| is_good(rails, *at) == wanted).unwrap_or(0)
}

fn probe_batch(plan: &Plan, rails: Arc<Rails>, cases: Vec<ProbeCase>) -> ProbeBatch {
    ProbeBatch { rows: Arc::clone(&plan.rows), normalizer: Arc::clone(&plan.normalizer), rails, cases }
}

/// Every row as it stands, for everybody.
pub fn first(plan: &Plan, members: &[Member]) -> ProbeBatches {
    let cases = |_| {
        (0..plan.rows.len()).map(|row| ProbeCase { row, probe: Probe::Repeat, target_label: 0 }).collect()
    };
    members.iter().map(|member| Arc::new(probe_batch(plan, member.rails(), cases(())))).collect()
}

/// The probes of all rows that have a label, for whoever is not there to repeat himself.
pub fn second(plan: &Plan, members: &[Member], first: &ProbeBatches, base: &[Answers]) -> ProbeBatches {
    let members = members.iter().zip(first).zip(base);
    members
        .map(|((member, first), base)| {
            let gold = plan.gold(member);
            let probes =
                first.cases.par_iter().zip(base).flat_map_iter(|(case, labelled)| {
                    match first_answer(&plan.rows[case.row], &first.rails, gold, labelled) {
                        (First::Unlabelled, _) => Vec::new(),
                        (what, label) => probes(plan, &first.rails, case.row, label, what),
                    }
                });
            let cases = if member.repeat == 0 { probes.collect() } else { Vec::new() };
            Arc::new(probe_batch(plan, Arc::clone(&first.rails), cases))
        })
        .collect()
}

fn probes(plan: &Plan, rails: &Rails, row: usize, label: usize, what: First) -> Vec<ProbeCase> {
    let target_label = target_label(rails, label);
    let Some(rail) = rails.get(target_label) else { return Vec::new() };
    let found = applicable_probes(
        &plan.rows[row].sample,
        &plan.normalizer,
        (&rail.label, is_good(rails, target_label)),
        row,
    );
    let counts = |probe: &Probe| what == First::Attackable || probe.kind() != Kind::Attack;
    found.into_iter().filter(counts).map(|probe| ProbeCase { row, probe, target_label }).collect()
}

/// About what everybody will be asked: attacks depend on the first answers, so these are taken for what the gold says, or else for
/// the good label.
pub fn forecast(plan: &Plan, members: &[Member]) -> Vec<ProbeBatch> {
    let members = members.iter().zip(first(plan, members));
    members
        .map(|(member, first)| {
            let gold = plan.gold(member);
            let rails = &first.rails;
            let of = |row: usize| {
                let right = gold.and_then(|gold| plan.rows[row].golds[gold]).unwrap_or(true);
                let label = (0..rails.len()).find(|at| is_good(rails, *at) == right).unwrap_or(0);
                probes(plan, rails, row, label, First::Attackable)
            };
            let mut cases = first.cases.clone();
            if member.repeat == 0 {
                cases.par_extend((0..plan.rows.len()).into_par_iter().flat_map_iter(of));
            }
            probe_batch(plan, Arc::clone(rails), cases)
        })
        .collect()
}

/// How often the judge at `place` was asked, as itself and as those who repeat it, and how often no answer came.
pub fn unanswered(members: &[Member], place: usize, base: &[Answers], answers: &[Answers]) -> (u64, u64) {
    all(members, place, base, answers).fold((0, 0), |(asked, unanswered), labelled| {
        (asked + 1, unanswered + u64::from(!is_answer(labelled.verdict.status())))
    })
}

/// What all that cost, in US dollars; `None` where no model was asked, or the price of an answer is unknown.
pub fn cost(members: &[Member], place: usize, base: &[Answers], answers: &[Answers]) -> Option<f64> {
    let mut paid = all(members, place, base, answers).filter_map(Labelled::paid).map(|paid| paid.cost_usd);
    let first = paid.next()??;
    paid.try_fold(first, |sum, cost| Some(sum + cost?))
}

/// All answers of the judge at `place`, as itself and as those who repeat it.
fn all<'a>(
    members: &[Member],
    place: usize,
    base: &'a [Answers],
    answers: &'a [Answers],
) -> impl Iterator<Item = &'a Labelled> {
    let again = (place + 1..members.len()).take_while(|again| members[*again].repeat > 0);
    let again: Vec<&Answers> = again.map(|again| &base[again]).collect();
    again.into_iter().chain([&base[place], &answers[place]]).flatten()
}

/// The answers of each judge with each template, by the place of its first member: those to its probes, and those of the members
/// that repeat it.
pub fn answers(
    (plan, members): (&Plan, &[Member]),
    (first, base): (&ProbeBatches, &[Answers]),
    (second, answers): (&ProbeBatches, &[Answers]),
) -> Vec<(usize, Vec<Answer>)> {
    let starts = (0..members.len()).filter(|place| members[*place].repeat == 0);
    starts
        .map(|place| {
            let rails = &first[place].rails;
            let said = |labelled: &Labelled| {
                let label = labelled.verdict.label()?;
                rails.labels().position(|rail| rail == label)
            };
            let answer = |case: &ProbeCase, labelled: &Labelled| {
                // A row's first answer stands at its place: the first probe batch has every row once.
                Some(Answer {
                    row: case.row,
                    cluster: plan.rows[case.row].cluster,
                    probe: case.probe,
                    base: said(&base[place][case.row])?,
                    target_label: case.target_label,
                    label: said(labelled),
                    status: labelled.verdict.status(),
                })
            };
            let again = (place + 1..members.len()).take_while(|again| members[*again].repeat > 0);
            let repeats = again.flat_map(|again| first[again].cases.iter().zip(&base[again]));
            let probes = second[place].cases.iter().zip(&answers[place]);
            (place, repeats.chain(probes).filter_map(|(case, labelled)| answer(case, labelled)).collect())
        })
        .collect()
}
