//! All that is known of an agent's cases, from all of its lines: each episode once, and what stands on which side of a comparison.
//!
//! The replies of one version come from several runs where each of them paid for some. All of them are evidence on it, whichever of
//! them the last run looks at: `--repeats` that is raised or lowered makes no other agent.

use std::collections::{BTreeMap, BTreeSet};

use super::evidence::Piece;
use super::record::{CaseRecord, RunRecord};
use crate::stats::Trials;

/// A case in a line, and the run of the line.
pub(super) type Line<'a> = (&'a RunRecord, &'a CaseRecord);

/// All cases, by their suite, their id, and the hash of what they ask.
#[derive(Debug, Default)]
pub(super) struct Ledger<'a>(BTreeMap<(&'a str, &'a str, &'a str), Book<'a>>);

/// What is known of one case.
#[derive(Debug, Default)]
pub(super) struct Book<'a> {
    pieces: BTreeMap<Piece<'a>, bool>,
    /// Scored episodes of lines that do not tell them apart.
    counted: BTreeMap<&'a str, Trials>,
    /// The group of each run that paid for a piece: one of its runs. A line that has replies of two runs puts them in one.
    groups: BTreeMap<&'a str, &'a str>,
}

/// A case then and now; each piece of evidence stands on one side.
#[derive(Debug)]
pub(super) struct Sides<'a> {
    pub before: Trials,
    pub after: Trials,
    /// The episodes of both, one by one, but those of lines that only count them.
    pub pieces: [Vec<(Piece<'a>, bool)>; 2],
    /// The lines that `before` is taken from, the newest first.
    pub lines: Vec<Line<'a>>,
}

impl<'a> Ledger<'a> {
    /// Of all runs of an agent, in their order.
    pub fn of(runs: impl IntoIterator<Item = &'a RunRecord>) -> Ledger<'a> {
        let mut ledger = Ledger::default();
        for run in runs {
            for (suite, case) in run.cases() {
                ledger.0.entry((suite, &case.case, &case.asked)).or_default().add((run, case));
            }
        }
        ledger
    }

    pub fn book(&self, suite: &'a str, case: &'a CaseRecord) -> Option<&Book<'a>> {
        self.0.get(&(suite, case.case.as_str(), case.asked.as_str()))
    }

    /// Whether all that `run` knows is known of `now` too: it is the same run again, or one that went on where the other was stopped.
    pub fn is_within(&self, run: &'a RunRecord, now: &'a RunRecord) -> bool {
        let of_now: BTreeMap<_, _> =
            now.cases().map(|(suite, case)| ((suite, case.case.as_str()), case)).collect();
        let mut has_some = false;
        run.cases().all(|(suite, case)| {
            let Some(book) = self.book(suite, case) else { return true };
            let known = book.groups((run, case));
            has_some |= !known.is_empty();
            match of_now.get(&(suite, case.case.as_str())).filter(|now| now.asked == case.asked) {
                Some(same) => known.is_subset(&book.groups((now, same))),
                None => known.is_empty(),
            }
        }) && has_some
    }
}

impl<'a> Book<'a> {
    fn add(&mut self, (run, case): Line<'a>) {
        if case.evidence.episodes.is_empty() {
            let counted = self.counted.entry(&run.run).or_default();
            let more = case.counts.decided();
            counted.scored += more.scored;
            counted.passed += more.passed;
            if more.scored > 0 {
                self.groups.entry(&run.run).or_insert(&run.run);
            }
            return;
        }
        let mut group: Option<&str> = None;
        for ((payer, repeat), passed) in case.evidence.pieces(&run.run) {
            // Graded anew, the newest grade holds; what has no score now keeps the one that it had.
            self.pieces.insert((payer, repeat), passed);
            let own = *self.groups.entry(payer).or_insert(payer);
            let joined = *group.get_or_insert(own);
            if own != joined {
                self.groups.values_mut().filter(|group| **group == own).for_each(|group| *group = joined);
            }
        }
    }

    /// The groups of which a line has scored episodes.
    pub fn groups(&self, (run, case): Line<'a>) -> BTreeSet<&'a str> {
        let group = |payer: &str| self.groups.get(payer).copied();
        match case.evidence.episodes.is_empty() {
            true => group(&run.run).into_iter().collect(),
            false => {
                let pieces = case.evidence.pieces(&run.run);
                pieces.into_iter().filter_map(|((payer, _), _)| group(payer)).collect()
            }
        }
    }

    /// What is known of the case from `now`, and from earlier lines of it, which are in their order: from the newest that has evidence
    /// of its own, or from all of them. Where none has any, replies that came later are compared with those that were there before.
    pub fn sides(&self, now: Line<'a>, earlier: &[Line<'a>], newest: bool) -> Option<Sides<'a>> {
        let mine = self.groups(now);
        let (mut others, mut lines) = (BTreeSet::new(), Vec::new());
        for line in earlier.iter().rev() {
            let more: Vec<&str> = self.groups(*line).difference(&mine).copied().collect();
            if !more.is_empty() {
                others.extend(more);
                lines.push(*line);
                if newest {
                    break;
                }
            }
        }
        if !others.is_empty() {
            let (before, then) = self.trials(|(payer, _)| self.is_of(payer, &others));
            let (after, today) = self.trials(|(payer, _)| self.is_of(payer, &mine));
            return Some(Sides { before, after, pieces: [then, today], lines });
        }
        earlier.iter().rev().find_map(|line| {
            let own = line.1.evidence.pieces(&line.0.run);
            let own: BTreeSet<Piece<'_>> = own.into_iter().map(|(piece, _)| piece).collect();
            let (before, then) = self.trials(|piece| own.contains(&piece));
            let (after, today) = self.trials(|piece| self.is_of(piece.0, &mine) && !own.contains(&piece));
            let is_told = before.scored > 0 && after.scored > 0;
            is_told.then(|| Sides { before, after, pieces: [then, today], lines: vec![*line] })
        })
    }

    fn is_of(&self, payer: &str, groups: &BTreeSet<&str>) -> bool {
        self.groups.get(payer).is_some_and(|group| groups.contains(group))
    }

    /// What the pieces that are meant come to. Of lines that only count, repeat 0 stands for all.
    fn trials(&self, is_meant: impl Fn(Piece<'a>) -> bool) -> (Trials, Vec<(Piece<'a>, bool)>) {
        let pieces = self.pieces.iter().filter(|(piece, _)| is_meant(**piece));
        let pieces: Vec<(Piece<'a>, bool)> = pieces.map(|(piece, passed)| (*piece, *passed)).collect();
        let mut sum = Trials {
            scored: pieces.len() as u64,
            passed: pieces.iter().filter(|(_, passed)| *passed).count() as u64,
        };
        for (_, counted) in self.counted.iter().filter(|(run, _)| is_meant((**run, 0))) {
            sum.scored += counted.scored;
            sum.passed += counted.passed;
        }
        (sum, pieces)
    }
}
