//! What each episode of a case came to, and which run paid for its replies: that tells what is new and what is only there again.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::record::Counts;
use crate::stats::Trials;

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
}

/// One piece of evidence on a case: the run that paid for it, and the repeat.
type Piece<'a> = (&'a str, u64);

/// What is known of a case from one run or several, each piece of it once.
#[derive(Debug, Clone, Default)]
pub(super) struct Known<'a> {
    /// Scored episodes of lines that do not tell them apart.
    counted: Trials,
    pieces: BTreeMap<Piece<'a>, bool>,
    /// Scored episodes that are evidence on another case already.
    pub shared: u64,
}

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
        let mut seen = BTreeSet::new();
        let is_one = |repeat: u64| (1..=episodes).contains(&repeat);
        if !self.stored.values().flatten().all(|repeat| is_one(*repeat) && seen.insert(*repeat)) {
            return Some("names a run for an episode that it does not have, or two");
        }
        if !self.shared.iter().all(|repeat| is_one(*repeat)) {
            return Some("shares an episode that it does not have");
        }
        None
    }
}

impl<'a> Known<'a> {
    /// Adds what `run` has. Of a piece that is there already, a score stays where there is none now.
    pub fn add(&mut self, run: &'a str, evidence: &'a Evidence, counts: &Counts) {
        if evidence.episodes.is_empty() {
            let more = counts.decided();
            self.counted.scored += more.scored;
            self.counted.passed += more.passed;
            return;
        }
        let mut payers: BTreeMap<u64, &'a str> = BTreeMap::new();
        for (payer, repeats) in &evidence.stored {
            payers.extend(repeats.iter().map(|repeat| (*repeat, payer.as_str())));
        }
        for (repeat, letter) in (1_u64..).zip(evidence.episodes.chars()) {
            let Some(passed) = Outcome::of(letter).and_then(Outcome::passed) else { continue };
            if evidence.shared.contains(&repeat) {
                self.shared += 1;
            } else {
                self.pieces.insert((payers.get(&repeat).copied().unwrap_or(run), repeat), passed);
            }
        }
    }

    /// Its scored episodes.
    pub fn trials(&self) -> Trials {
        self.without(&BTreeMap::new())
    }

    fn without(&self, pieces: &BTreeMap<Piece<'a>, bool>) -> Trials {
        let others = self.pieces.iter().filter(|(piece, _)| !pieces.contains_key(*piece));
        others.fold(self.counted, |sum, (_, passed)| Trials {
            scored: sum.scored + 1,
            passed: sum.passed + u64::from(*passed),
        })
    }

    /// What is known then and now, where each piece stands on one side only: on the side of now, but where nothing would be left then.
    pub fn apart(&self, now: &Known<'a>) -> (Trials, Trials) {
        match self.without(&now.pieces) {
            Trials { scored: 0, .. } => (self.trials(), now.without(&self.pieces)),
            before => (before, now.trials()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Episodes by letter, with who paid for them: `-` is the run itself, and a capital letter is a shared episode.
    fn evidence(letters: &str, payers: &[&str]) -> Evidence {
        let mut found = Evidence::default();
        for (letter, payer) in letters.chars().zip(payers) {
            let outcome = Outcome::of(letter.to_ascii_lowercase()).unwrap();
            found.push(outcome, Some(*payer).filter(|payer| *payer != "-"), letter.is_uppercase());
        }
        found
    }

    #[test]
    fn each_piece_stands_on_one_side() {
        let counts = Counts::default();
        for (before, now, expected) in [
            // Other runs, other evidence.
            (("pp", ["-", "-"]), ("ff", ["-", "-"]), ((2, 2), (2, 0))),
            // The very same.
            (("pp", ["a", "a"]), ("pp", ["a", "a"]), ((2, 2), (0, 0))),
            // One of two is new on both sides, or on one.
            (("pf", ["a", "-"]), ("pp", ["a", "-"]), ((1, 0), (2, 2))),
            (("pe", ["a", "-"]), ("pf", ["a", "-"]), ((1, 1), (1, 0))),
            // Without a score it is none; what is shared is evidence elsewhere.
            (("uu", ["a", "a"]), ("pp", ["a", "a"]), ((0, 0), (2, 2))),
            (("pP", ["-", "-"]), ("pP", ["-", "-"]), ((1, 1), (1, 1))),
        ] {
            let [then, today] = [&before, &now].map(|(letters, payers)| evidence(letters, payers));
            let (mut known, mut other) = (Known::default(), Known::default());
            known.add("1", &then, &counts);
            other.add("2", &today, &counts);
            let (a, b) = known.apart(&other);
            assert_eq!(((a.scored, a.passed), (b.scored, b.passed)), expected, "{before:?} {now:?}");
        }
    }

    #[test]
    fn several_lines_of_one_piece_count_once_and_a_score_stays() {
        let lines = [("1", evidence("pu", &["-", "-"])), ("2", evidence("ep", &["1", "1"]))];
        for order in [[0, 1], [1, 0]] {
            let mut known = Known::default();
            for at in order {
                known.add(lines[at].0, &lines[at].1, &Counts::default());
            }
            assert_eq!(known.trials(), Trials { scored: 2, passed: 2 });
        }
        // Those that are only counted are each line's own.
        let mut known = Known::default();
        let old = Counts { trials: 2, passed: 1, failed: 1, ..Counts::default() };
        let none = Evidence::default();
        known.add("1", &none, &old);
        known.add("2", &none, &old);
        assert_eq!(known.trials(), Trials { scored: 4, passed: 2 });
    }
}
