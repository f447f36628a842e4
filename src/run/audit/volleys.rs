//! What is asked: first every row as it stands, then, depending on the answers, its probes.

use std::sync::Arc;

use rayon::prelude::*;

use super::plan::{Plan, rails};
use super::{Answers, Volleys};
use crate::audit::{Answer, Kind, Probe, Shot, is_answer, shots};
use crate::domain::Rails;
use crate::run::{Member, ProbedRow, Volley};
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
    rails.get(label).is_some_and(|rail| rail.label == rails.positive().label)
}

/// The label that attacks ask for: the good one, or if that is what the judge said, the first other one.
fn aim(rails: &Rails, label: usize) -> usize {
    let wanted = !is_good(rails, label);
    (0..rails.len()).find(|at| is_good(rails, *at) == wanted).unwrap_or(0)
}

fn volley(plan: &Plan, rails: Arc<Rails>, shots: Vec<Shot>) -> Volley {
    Volley { rows: Arc::clone(&plan.rows), normalizer: Arc::clone(&plan.normalizer), rails, shots }
}

/// Every row as it stands, for everybody.
pub fn first(plan: &Plan, members: &[Member]) -> Volleys {
    let shots = |_| (0..plan.rows.len()).map(|row| Shot { row, probe: Probe::Repeat, aim: 0 }).collect();
    members.iter().map(|member| Arc::new(volley(plan, rails(member), shots(())))).collect()
}

/// The probes of all rows that have a label, for whoever is not there to repeat himself.
pub fn second(plan: &Plan, members: &[Member], first: &Volleys, base: &[Answers]) -> Volleys {
    let members = members.iter().zip(first).zip(base);
    members
        .map(|((member, first), base)| {
            let gold = plan.gold(member);
            let probes =
                first.shots.par_iter().zip(base).flat_map_iter(|(shot, labelled)| {
                    match first_answer(&plan.rows[shot.row], &first.rails, gold, labelled) {
                        (First::Unlabelled, _) => Vec::new(),
                        (what, label) => probes(plan, &first.rails, shot.row, label, what),
                    }
                });
            let shots = if member.repeat == 0 { probes.collect() } else { Vec::new() };
            Arc::new(volley(plan, Arc::clone(&first.rails), shots))
        })
        .collect()
}

fn probes(plan: &Plan, rails: &Rails, row: usize, label: usize, what: First) -> Vec<Shot> {
    let aim = aim(rails, label);
    let Some(rail) = rails.get(aim) else { return Vec::new() };
    let found = shots(&plan.rows[row].sample, &plan.normalizer, (&rail.label, is_good(rails, aim)), row);
    let counts = |probe: &Probe| what == First::Attackable || probe.kind() != Kind::Attack;
    found.into_iter().filter(counts).map(|probe| Shot { row, probe, aim }).collect()
}

/// About what everybody will be asked: attacks depend on the first answers, so these are taken for what the gold says, or else for
/// the good label.
pub fn forecast(plan: &Plan, members: &[Member]) -> Vec<Volley> {
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
            let mut shots = first.shots.clone();
            if member.repeat == 0 {
                shots.par_extend((0..plan.rows.len()).into_par_iter().flat_map_iter(of));
            }
            volley(plan, Arc::clone(rails), shots)
        })
        .collect()
}

/// How often the judge at `place` was asked, as itself and as those who repeat it, and how often no answer came.
pub fn unanswered(members: &[Member], place: usize, base: &[Answers], answers: &[Answers]) -> (u64, u64) {
    let again = (place + 1..members.len()).take_while(|again| members[*again].repeat > 0);
    let all = again.map(|again| &base[again]).chain([&base[place], &answers[place]]).flatten();
    all.fold((0, 0), |(asked, unanswered), labelled| {
        (asked + 1, unanswered + u64::from(!is_answer(labelled.verdict.status())))
    })
}

/// The answers of each judge with each template, by the place of its first member: those to its probes, and those of the members
/// that repeat it.
pub fn answers(
    (plan, members): (&Plan, &[Member]),
    (first, base): (&Volleys, &[Answers]),
    (second, answers): (&Volleys, &[Answers]),
) -> Vec<(usize, Vec<Answer>)> {
    let starts = (0..members.len()).filter(|place| members[*place].repeat == 0);
    starts
        .map(|place| {
            let rails = &first[place].rails;
            let said = |labelled: &Labelled| {
                let label = labelled.verdict.label()?;
                rails.labels().position(|rail| rail == label)
            };
            let answer = |shot: &Shot, labelled: &Labelled| {
                // A row's first answer stands at its place: the first volley has every row once.
                Some(Answer {
                    row: shot.row,
                    cluster: plan.rows[shot.row].cluster,
                    probe: shot.probe,
                    base: said(&base[place][shot.row])?,
                    aim: shot.aim,
                    label: said(labelled),
                    status: labelled.verdict.status(),
                })
            };
            let again = (place + 1..members.len()).take_while(|again| members[*again].repeat > 0);
            let repeats = again.flat_map(|again| first[again].shots.iter().zip(&base[again]));
            let probes = second[place].shots.iter().zip(&answers[place]);
            (place, repeats.chain(probes).filter_map(|(shot, labelled)| answer(shot, labelled)).collect())
        })
        .collect()
}
