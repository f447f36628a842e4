//! Cases that ask the same of a model: its first reply is one and the same in all of them, whatever their tools return then, so they
//! stand or fall together.

use std::collections::BTreeMap;

use super::evidence::Piece;
use super::ledger::Sides;
use super::record::CaseRecord;

/// A case that is compared: what it asks, and the episodes of both sides.
#[derive(Debug)]
pub(super) struct Question<'a> {
    suite: &'a str,
    /// What the user says; of lines that do not tell, the case's own id.
    asked: &'a str,
    setup: &'a str,
    pieces: [Vec<(Piece<'a>, bool)>; 2],
    /// Whether all its episodes are told, one by one.
    is_whole: bool,
}

/// Cases that are taken together.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Bunch {
    /// By their places.
    pub cases: Vec<usize>,
    /// In how many of them each unit passed, then and now: a unit are the episodes of one run and one repeat.
    pub units: [Vec<u64>; 2],
}

impl<'a> Question<'a> {
    /// Only of a model the episodes are looked at: an agent of the user's own begins each of them anew.
    pub fn of((suite, case): (&'a str, &'a CaseRecord), sides: &Sides<'a>, is_model: bool) -> Question<'a> {
        let asked = if case.question.is_empty() { &case.case } else { &case.question };
        let all = sides.before.scored + sides.after.scored;
        let is_whole = is_model && sides.pieces.iter().map(Vec::len).sum::<usize>() as u64 == all;
        let pieces = if is_whole { sides.pieces.clone() } else { <[Vec<_>; 2]>::default() };
        Question { suite, asked, setup: &case.setup, pieces, is_whole }
    }

    /// What tells it from other questions.
    pub fn asked(&self) -> (&'a str, &'a str, &'a str) {
        (self.suite, self.asked, self.setup)
    }
}

/// The cases that ask the same and have the episodes of the same runs and repeats on both sides. Where an episode of one of them is
/// missing or has another payer, that case stands for itself.
pub(super) fn bunches(questions: &[Question<'_>]) -> Vec<Bunch> {
    let mut found: BTreeMap<_, Vec<usize>> = BTreeMap::new();
    for (at, question) in questions.iter().enumerate().filter(|(_, question)| question.is_whole) {
        let units =
            question.pieces.each_ref().map(|side| side.iter().map(|(piece, _)| *piece).collect::<Vec<_>>());
        found.entry((question.asked(), units)).or_default().push(at);
    }
    let several = found.into_values().filter(|cases| cases.len() > 1);
    let bunch = |cases: Vec<usize>| {
        let units = [0, 1].map(|side| {
            let all = questions[cases[0]].pieces[side].len();
            let passed =
                |unit: usize| cases.iter().filter(|at| questions[**at].pieces[side][unit].1).count() as u64;
            (0..all).map(passed).collect()
        });
        Bunch { cases, units }
    };
    several.map(bunch).collect()
}

#[cfg(test)]
mod tests {
    use super::super::change::Verdict;
    use super::super::trend::tests::{only, run};

    #[test]
    fn cases_that_ask_a_model_the_same_are_one_piece_of_evidence() {
        let names: Vec<String> = (0..12).map(|at| format!("c{at}")).collect();
        // Of twelve cases that ask two questions, or one each.
        let of = |number: &str, passed: u64, trials: u64, questions: usize, is_model: bool| {
            let cases: Vec<(&str, u64, u64)> =
                names.iter().map(|name| (name.as_str(), passed, trials)).collect();
            let mut record = run(number, "a", &cases);
            record.model = is_model.then(|| "m".to_owned());
            let cases = record.suites[0].cases.iter_mut().enumerate();
            cases.for_each(|(at, case)| case.question = format!("q{}", at % questions));
            record
        };
        for (trials, questions, is_model, verdict, bunched) in [
            (1, 2, true, Verdict::Untestable, 12),
            (4, 2, true, Verdict::Worse, 12),
            (1, 12, true, Verdict::Worse, 0),
            (1, 2, false, Verdict::Worse, 0),
        ] {
            let of = |number: &str, passed: u64| of(number, passed, trials, questions, is_model);
            let found = only(vec![of("1", trials), of("2", 0)]);
            let change = &found.changes[0];
            assert_eq!(
                (change.verdict(), change.bunched, change.questions),
                (Some(verdict), bunched, questions)
            );
            assert_eq!(change.episodes, (12 * trials, 12 * trials));
        }
        // One that was driven more often stands for itself.
        let mut more = of("1", 1, 1, 2, true);
        more.suites[0].cases[0] = of("1", 4, 4, 2, true).suites[0].cases[0].clone();
        let change = only(vec![more, of("2", 0, 1, 2, true)]).changes.remove(0);
        assert_eq!((change.bunched, change.episodes), (11, (15, 12)));
    }
}
