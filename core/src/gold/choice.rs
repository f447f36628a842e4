//! Chooses which generated calls go into a table: types as balanced as the material allows.

use std::collections::{BTreeMap, BTreeSet};

use super::generated::Kind;
use super::random::Random;

/// A call that could be made: of which question, and for what.
pub type Candidate = (usize, Kind);

/// How many calls are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wanted {
    /// At most so many of one question.
    pub per_question: usize,
    /// At most so many of one kind; `None` for no limit of its own.
    pub per_kind: Option<usize>,
    /// At most so many in all.
    pub total: usize,
}

/// Chooses candidates in rounds: in each round every kind gives one, those with the least material first, until enough are
/// chosen or none is left. Which questions a kind takes is drawn by the seed.
pub fn chosen(candidates: &[Candidate], wanted: Wanted, seed: u64) -> BTreeSet<Candidate> {
    let mut of_kind: BTreeMap<Kind, Vec<usize>> = BTreeMap::new();
    for (question, kind) in candidates {
        of_kind.entry(*kind).or_default().push(*question);
    }
    let mut queues: Vec<(Kind, std::vec::IntoIter<usize>, usize)> = of_kind
        .into_iter()
        .map(|(kind, mut questions)| {
            Random::of(seed, &["choice", kind.as_str()]).shuffle(&mut questions);
            (kind, questions.into_iter(), 0)
        })
        .collect();
    queues.sort_by_key(|(_, questions, _)| questions.len());
    let mut taken: BTreeMap<usize, usize> = BTreeMap::new();
    let mut chosen = BTreeSet::new();
    loop {
        let before = chosen.len();
        for (kind, questions, given) in &mut queues {
            if chosen.len() >= wanted.total {
                return chosen;
            }
            if wanted.per_kind.is_some_and(|most| *given >= most) {
                continue;
            }
            let free = |question: &usize| taken.get(question).copied().unwrap_or(0) < wanted.per_question;
            if let Some(question) = questions.find(free) {
                *taken.entry(question).or_default() += 1;
                *given += 1;
                chosen.insert((question, *kind));
            }
        }
        if chosen.len() == before {
            return chosen;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gold::Mistake;

    #[test]
    fn kinds_come_out_as_even_as_they_can() {
        let kinds = [Mistake::WrongTool, Mistake::WrongType, Mistake::EnumSwap].map(Kind::Mistake);
        let mut candidates: Vec<Candidate> = (0..100).map(|question| (question, kinds[0])).collect();
        candidates.extend((0..50).map(|question| (question, kinds[1])));
        candidates.extend((0..5).map(|question| (question, kinds[2])));
        let count = |wanted, seed| {
            let chosen = chosen(&candidates, wanted, seed);
            kinds.map(|kind| chosen.iter().filter(|(_, of)| *of == kind).count())
        };
        let all = Wanted { per_question: 9, per_kind: None, total: usize::MAX };
        assert_eq!(count(all, 1), [100, 50, 5]);
        assert_eq!(count(Wanted { total: 25, ..all }, 1), [10, 10, 5]);
        assert_eq!(count(Wanted { per_kind: Some(7), ..all }, 1), [7, 7, 5]);
        // The scarce one comes first to the questions that it has.
        let single = count(Wanted { per_question: 1, ..all }, 1);
        assert_eq!(single.iter().sum::<usize>(), 100);
        assert!(single[2] >= 2, "{single:?}");
        assert_eq!(count(Wanted { total: 0, ..all }, 1), [0, 0, 0]);
        assert_eq!(count(Wanted { per_question: 0, ..all }, 1), [0, 0, 0]);
        let wanted = Wanted { total: 25, ..all };
        assert_ne!(chosen(&candidates, wanted, 1), chosen(&candidates, wanted, 2));
    }
}
