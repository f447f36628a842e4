//! What each episode of a case came to, and which run paid for its replies: that tells what is new and what is only there again.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::record::Counts;

/// How an episode came out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// It passed.
    Passed,
    /// It failed.
    Failed,
    /// Nobody graded its answer.
    Ungraded,
    /// It has no score.
    Error,
}

const LETTERS: [(char, Outcome); 4] =
    [('p', Outcome::Passed), ('f', Outcome::Failed), ('u', Outcome::Ungraded), ('e', Outcome::Error)];

impl Outcome {
    fn letter(self) -> char {
        LETTERS.iter().find(|(_, outcome)| *outcome == self).map_or('e', |(letter, _)| *letter)
    }

    fn of(letter: char) -> Option<Outcome> {
        LETTERS.iter().find(|(known, _)| *known == letter).map(|(_, outcome)| *outcome)
    }

    /// Whether it passed, where that is known.
    fn passed(self) -> Option<bool> {
        match self {
            Outcome::Passed => Some(true),
            Outcome::Failed => Some(false),
            Outcome::Ungraded | Outcome::Error => None,
        }
    }
}

/// The episodes of a case, one by one. Empty in records of the first format, which only count them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evidence {
    /// A letter for each repeat: p for passed, f for failed, u for an answer that nobody graded, e for no score.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub episodes: String,
    /// The runs that paid for the last replies of episodes, where it was not this one, with the repeats, counted from 1.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub stored: BTreeMap<String, Vec<u64>>,
    /// Repeats whose replies are also those of an earlier episode of the line: two cases may ask the same.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shared: Vec<u64>,
    /// Runs of the same version in which the agent crashed, with the repeats that were driven again because of it. It is told and does not
    /// count: whether the agent or what is around it was at fault, nobody knows.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub crashed: BTreeMap<String, Vec<u64>>,
}

/// One piece of evidence on a case: the run that paid for it, and the repeat.
pub(super) type Piece<'a> = (&'a str, u64);

impl Evidence {
    /// Adds the next repeat; `payer` is the run that paid for it, if it is another one.
    pub fn push(&mut self, outcome: Outcome, payer: Option<&str>, is_shared: bool) {
        self.episodes.push(outcome.letter());
        let repeat = self.episodes.len() as u64;
        if let Some(payer) = payer {
            self.stored.entry(payer.to_owned()).or_default().push(repeat);
        }
        if is_shared {
            self.shared.push(repeat);
        }
    }

    /// Says that the repeat added last was driven again because the same version of the agent crashed in it in `run`.
    pub fn crashed_in(&mut self, run: &str) {
        self.crashed.entry(run.to_owned()).or_default().push(self.episodes.len() as u64);
    }

    /// Episodes whose replies another run paid for.
    pub fn stored_episodes(&self) -> u64 {
        self.stored.values().map(|repeats| repeats.len() as u64).sum()
    }

    /// What cannot be, beside `counts`, if anything.
    pub(super) fn wrong(&self, counts: &Counts) -> Option<&'static str> {
        let episodes = self.episodes.chars().count() as u64;
        let mut sum = Counts::default();
        for letter in self.episodes.chars() {
            match Outcome::of(letter) {
                Some(outcome) => sum.add_one(outcome),
                None => return Some("has an episode that came out in no known way"),
            }
        }
        if episodes > 0 && sum != *counts {
            return Some("has other episodes than are counted");
        }
        let is_one = |repeat: u64| (1..=episodes).contains(&repeat);
        for (runs, why) in [
            (&self.stored, "names a run for an episode that it does not have, or two"),
            (&self.crashed, "names a crash of an episode that it does not have, or two"),
        ] {
            let mut seen = BTreeSet::new();
            if !runs.values().flatten().all(|repeat| is_one(*repeat) && seen.insert(*repeat)) {
                return Some(why);
            }
        }
        if !self.shared.iter().all(|repeat| is_one(*repeat)) {
            return Some("shares an episode that it does not have");
        }
        None
    }

    /// Each scored episode, where it is no evidence on another case already: whose it is, and whether it passed. `run` is the run of
    /// the line.
    pub(super) fn pieces<'a>(&'a self, run: &'a str) -> Vec<(Piece<'a>, bool)> {
        let payers = by_repeat(&self.stored);
        let own = self.scored().filter(|(repeat, _)| !self.shared.contains(repeat));
        own.map(|(repeat, passed)| ((payers.get(&repeat).copied().unwrap_or(run), repeat), passed)).collect()
    }

    /// Scored episodes that are evidence on another case already.
    pub(super) fn shared_episodes(&self) -> u64 {
        self.scored().filter(|(repeat, _)| self.shared.contains(repeat)).count() as u64
    }

    /// Scored episodes that were driven again because the same version crashed.
    pub(super) fn crashed_episodes(&self) -> u64 {
        let crashes = by_repeat(&self.crashed);
        self.scored().filter(|(repeat, _)| crashes.contains_key(repeat)).count() as u64
    }

    /// The repeats that have a score, and whether they passed.
    fn scored(&self) -> impl Iterator<Item = (u64, bool)> {
        let episodes = (1_u64..).zip(self.episodes.chars());
        episodes.filter_map(|(repeat, letter)| Some((repeat, Outcome::of(letter)?.passed()?)))
    }
}

/// The run of each repeat.
fn by_repeat(runs: &BTreeMap<String, Vec<u64>>) -> BTreeMap<u64, &str> {
    runs.iter().flat_map(|(run, repeats)| repeats.iter().map(|repeat| (*repeat, run.as_str()))).collect()
}
