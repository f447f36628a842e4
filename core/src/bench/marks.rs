//! Estimates the share of right calls among all rows from marks on some, if the draw of the marked rows is known.

use serde::Serialize;

use crate::sampling::{Draw, weights};
use crate::stats::{DrawnMark, Estimate, LabelCounts, drawn_share};

/// Marks of rows of a log, and the draws that the rows come from.
#[derive(Debug, Clone, Default)]
pub struct Marks {
    drawn: Vec<Drawn>,
    chosen: u64,
}

/// A row that was drawn.
#[derive(Debug, Clone, Copy)]
struct Drawn {
    draw: Draw,
    right: Option<bool>,
    label: Option<bool>,
}

/// The share of right calls among all rows of a log, by marks on rows that were drawn.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct MarkedShare {
    /// The share, rows without a label included.
    pub share: Option<Estimate>,
    /// Marked rows that it rests on.
    pub marks: u64,
    /// Rows that were drawn and have no mark.
    pub unmarked: u64,
    /// Marks on rows that were not drawn, which it leaves out.
    pub chosen: u64,
    /// Half the width of the interval after twenty more marks on rows drawn at random, if as many are left. Unknown while there are
    /// few marks that all say the same.
    pub reach_after_20: Option<f64>,
    /// How many such marks bring it to two points. Unknown likewise.
    pub marks_for_2_points: Option<u64>,
    /// Why there is no share.
    pub refused: Option<String>,
}

/// Half the width of an interval that is narrow enough for most decisions.
const NARROW: f64 = 0.02;
/// Marks that are made in one sitting.
const SITTING: u64 = 20;

impl Marks {
    /// Adds a row that was drawn or is marked: how it was drawn, what the judge says of it, and the mark.
    pub fn push(&mut self, draw: Option<Draw>, label: Option<bool>, right: Option<bool>) {
        match draw {
            Some(draw) => self.drawn.push(Drawn { draw, right, label }),
            None => self.chosen += u64::from(right.is_some()),
        }
    }

    /// The share of right calls among all `rows`.
    pub fn share(&self, rows: LabelCounts) -> MarkedShare {
        let draws: Vec<(Draw, bool)> = self.drawn.iter().map(|row| (row.draw, row.right.is_some())).collect();
        let marks = draws.iter().filter(|(_, is_marked)| *is_marked).count() as u64;
        let unmarked = draws.len() as u64 - marks;
        let found = MarkedShare { marks, unmarked, chosen: self.chosen, ..MarkedShare::default() };
        let all = rows.passed + rows.failed + rows.unlabelled;
        let weights = match weights(&draws, all) {
            Ok(weights) => weights,
            Err(why) => return MarkedShare { refused: Some(why.to_string()), ..found },
        };
        // Rows of the list that are not there are not marked either; of a round that is not begun, only those that are there are known.
        let begun =
            self.drawn.iter().filter(|row| row.right.is_some()).map(|row| row.draw.round).max().unwrap_or(0);
        let later = self.drawn.iter().filter(|row| row.draw.round > begun).count() as u64;
        let found = MarkedShare { unmarked: weights.unmarked + later, ..found };
        let mark = |(row, weight): (&Drawn, Option<f64>)| {
            Some(DrawnMark { right: row.right?, label: row.label, weight: weight? })
        };
        let marked: Vec<DrawnMark> = self.drawn.iter().zip(weights.rows).filter_map(mark).collect();
        let Some(share) = drawn_share(&marked, rows) else { return found };
        // Few marks that all say the same show no variance, and so not what more of them would bring.
        let is_even = |right: bool| marked.iter().all(|mark| mark.right == right);
        let is_foreseen =
            marks >= SITTING || !(is_even(true) || is_even(false)) || share.marks_for(NARROW) == 0;
        MarkedShare {
            share: Some(share.share),
            reach_after_20: (is_foreseen && all >= marks + SITTING).then(|| share.reach(SITTING)),
            marks_for_2_points: is_foreseen.then(|| share.marks_for(NARROW)),
            ..found
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sampling::Queue;

    fn draw(drawn_from: u64) -> Option<Draw> {
        let probability = 10.0 / drawn_from as f64;
        Some(Draw { queue: Queue::Random, round: 1, drawn: 10, drawn_from, probability })
    }

    /// Two hundred rows, so many of which pass.
    fn counts(passed: u64) -> LabelCounts {
        LabelCounts { passed, failed: 200 - passed, unlabelled: 0 }
    }

    #[test]
    fn chosen_marks_change_nothing() {
        let mut marks = Marks::default();
        (0..10).for_each(|row| marks.push(draw(200), Some(row % 2 == 0), Some(row > 3)));
        let before = marks.share(counts(100));
        assert_eq!((before.marks, before.chosen, before.unmarked), (10, 0, 0));
        (0..50).for_each(|_| marks.push(None, Some(true), Some(false)));
        let after = marks.share(counts(100));
        assert_eq!(after, MarkedShare { chosen: 50, ..before.clone() });
        assert!(before.share.is_some() && before.marks_for_2_points > Some(20));
        assert!(before.reach_after_20.unwrap() < before.share.unwrap().width() / 2.0);
        // Marks that were chosen alone say nothing.
        let mut chosen = Marks::default();
        chosen.push(None, Some(true), Some(false));
        assert_eq!(chosen.share(counts(100)), MarkedShare { chosen: 1, ..MarkedShare::default() });
    }

    #[test]
    fn few_marks_that_say_the_same_promise_nothing() {
        for (number, is_foreseen) in [(4, false), (10, false)] {
            let draw = Draw { drawn: 10, ..draw(200).unwrap() };
            let mut marks = Marks::default();
            (0..10).for_each(|row| marks.push(Some(draw), Some(false), (row < number).then_some(false)));
            let found = marks.share(counts(100));
            assert_eq!(found.share.map(|share| share.value), Some(0.0));
            let promised = (found.marks_for_2_points.is_some(), found.reach_after_20.is_some());
            assert_eq!(promised, (is_foreseen, is_foreseen), "{number}");
        }
        // Where they differ, or there are many, they do.
        let mut mixed = Marks::default();
        (0..10).for_each(|row| mixed.push(draw(200), Some(true), Some(row > 0)));
        let many = Draw { drawn: 20, probability: 0.1, ..draw(200).unwrap() };
        let mut alike = Marks::default();
        (0..20).for_each(|_| alike.push(Some(many), Some(true), Some(true)));
        for marks in [mixed, alike] {
            assert!(marks.share(counts(100)).marks_for_2_points > Some(0));
        }
    }

    #[test]
    fn marks_of_another_log_are_refused() {
        let mut marks = Marks::default();
        (0..10).for_each(|row| marks.push(draw(150), Some(true), Some(row > 3)));
        let found = marks.share(counts(100));
        assert!(
            found.share.is_none() && found.refused.unwrap().contains("drawn from 150 rows, and here are 200")
        );
    }

    /// Who deletes the rows that were wrong leaves a list that looks whole.
    #[test]
    fn rows_that_are_missing_from_the_list_are_counted() {
        let mut marks = Marks::default();
        (0..6).for_each(|_| marks.push(draw(200), Some(true), Some(true)));
        let found = marks.share(counts(200));
        assert_eq!((found.marks, found.unmarked), (6, 4));
        // A round that is not begun adds what there is of it.
        let second = Draw { round: 2, drawn_from: 190, probability: 10.0 / 190.0, ..draw(200).unwrap() };
        (0..3).for_each(|_| marks.push(Some(second), Some(true), None));
        assert_eq!(marks.share(counts(200)).unmarked, 7);
    }

    #[test]
    fn rows_without_a_mark_are_counted() {
        let mut marks = Marks::default();
        (0..10).for_each(|row| marks.push(draw(200), Some(true), (row > 3).then_some(row > 5)));
        let found = marks.share(counts(200));
        assert_eq!((found.marks, found.unmarked), (6, 4));
        assert!((found.share.unwrap().value - 4.0 / 6.0).abs() < 1e-9);
    }
}
