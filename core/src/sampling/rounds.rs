//! How many rows a marked row stands for, when rows were drawn in several rounds.

use super::{Draw, Queue};

/// Why marks do not speak for all rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "fields are explained once for all variants")]
pub enum RoundsError {
    /// The rows of a round say different things of it: two draws have the same number.
    #[error("the rows of round {round} belong to different draws: keep the marks of one of them")]
    Mixed { round: u64 },
    /// There are more rows than were drawn.
    #[error(
        "round {round} has more rows than were drawn in it: keep each row once; if two lists are both round {round}, give the marks of the first when you draw the second"
    )]
    TooMany { round: u64 },
    /// A round is not there although a later one is.
    #[error(
        "the marks of round {round} are missing, and later rounds rest on them: give the marks of all rounds"
    )]
    Missing { round: u64 },
    /// None of a round's rows is marked although some of a later one are.
    #[error("no row of round {round} is marked, and later rounds rest on it: mark its rows")]
    Unmarked { round: u64 },
    /// The rows were drawn from others than these.
    #[error(
        "the rows of round {round} were drawn from {from} rows, and here are {here}: give the marks to the log that they were drawn from"
    )]
    OtherRows { round: u64, from: u64, here: u64 },
    /// Not all rows of a round are there, marked or not.
    #[error(
        "{there} of the {drawn} rows of round {round} are there: give all lists that were drawn, with the rows that are not marked yet"
    )]
    Incomplete { round: u64, there: u64, drawn: u64 },
    /// A row's probability is none.
    #[error("a row of round {round} has no probability above 0 and up to 1")]
    Improbable { round: u64 },
    /// A row's probability is none that its queue gives.
    #[error(
        "the probabilities in round {round} are not those that it was drawn with; keep the cells of drawn rows as they were written"
    )]
    Edited { round: u64 },
}

/// What marks on drawn rows stand for.
#[derive(Debug, Clone, PartialEq)]
pub struct Weights {
    /// For how many of all rows each drawn row stands; `None` for rows without a mark.
    pub rows: Vec<Option<f64>>,
    /// Rows that were drawn in the rounds that count and have no mark, those that are missing from the list included.
    pub unmarked: u64,
}

/// For how many of all `rows` each drawn row stands, of which `draws` says beside each draw whether it has a mark.
///
/// Each round by itself estimates the whole: what was drawn before, plus its own marks over their probabilities (D. Raj, "Some estimators
/// in sampling with varying probabilities without replacement", JASA 51, 1956). These estimates are uncorrelated, and their
/// mean is taken by weights that depend on nothing but the sizes of the rounds: the best ones if all rows were drawn alike. Several
/// rounds that draw all rows alike then weigh as one. Rows of a round without a mark are represented by its others.
///
/// # Errors
/// If the draws are not rounds of drawing from `rows` rows.
pub fn weights(draws: &[(Draw, bool)], rows: u64) -> Result<Weights, RoundsError> {
    let last = draws.iter().filter(|(_, marked)| *marked).map(|(draw, _)| draw.round).max().unwrap_or(0);
    let mut rounds: Vec<Round> = Vec::new();
    let mut pool = rows;
    for round in 1..=last {
        let found = Round::of(round, draws, pool, rows)?;
        pool -= found.drawn;
        rounds.push(found);
    }
    let sum: f64 = rounds.iter().map(Round::importance).sum();
    // Of all rows left, none is unknown: nothing else can add to that.
    let whole = rounds.iter().position(|round| round.importance().is_infinite());
    let share = |at: usize| match whole {
        Some(whole) => f64::from(u8::from(at == whole)),
        None => rounds[at].importance() / sum,
    };
    let later: Vec<f64> = (0..rounds.len()).map(|at| (at + 1..rounds.len()).map(share).sum()).collect();
    let weight = |(draw, marked): &(Draw, bool)| {
        let at = (draw.round as usize).checked_sub(1)?;
        let round = rounds.get(at).filter(|_| *marked)?;
        let probability = match draw.queue {
            // What a spreadsheet rounded.
            Queue::Random => round.even(),
            _ => draw.probability,
        };
        Some(round.drawn as f64 / round.marked as f64 * (share(at) / probability + later[at]))
    };
    let unmarked = rounds.iter().map(|round| round.drawn - round.marked).sum();
    Ok(Weights { rows: draws.iter().map(weight).collect(), unmarked })
}

/// The number of the round that comes after these draws from `rows` rows, all of whose rows must be there.
///
/// # Errors
/// If they are not, or not rounds of drawing from as many rows.
pub fn next_round(draws: &[Draw], rows: u64) -> Result<u64, RoundsError> {
    let there: Vec<(Draw, bool)> = draws.iter().map(|draw| (*draw, true)).collect();
    let last = draws.iter().map(|draw| draw.round).max().unwrap_or(0);
    let mut pool = rows;
    for round in 1..=last {
        let Round { drawn, marked: there, .. } = Round::of(round, &there, pool, rows)?;
        if there < drawn {
            return Err(RoundsError::Incomplete { round, there, drawn });
        }
        pool -= drawn;
    }
    Ok(last + 1)
}

/// How far a probability may be off that a spreadsheet rounded.
const ROUNDING: f64 = 1e-3;

/// What is known of a round.
struct Round {
    drawn: u64,
    from: u64,
    marked: u64,
}

impl Round {
    /// The round of that number, which must have been drawn from `pool` of all `rows`.
    fn of(round: u64, draws: &[(Draw, bool)], pool: u64, rows: u64) -> Result<Round, RoundsError> {
        let of_round = draws.iter().filter(|(draw, _)| draw.round == round);
        let Some((first, _)) = of_round.clone().next() else { return Err(RoundsError::Missing { round }) };
        let alike = |(draw, _): &(Draw, bool)| {
            (draw.queue, draw.drawn, draw.drawn_from) == (first.queue, first.drawn, first.drawn_from)
        };
        let (there, marked) =
            of_round.clone().fold((0, 0), |(there, marked), row| (there + 1, marked + u64::from(row.1)));
        if !of_round.clone().all(alike) {
            return Err(RoundsError::Mixed { round });
        }
        if of_round.clone().any(|(draw, _)| !(draw.probability > 0.0 && draw.probability <= 1.0)) {
            return Err(RoundsError::Improbable { round });
        }
        if there > first.drawn || first.drawn > first.drawn_from {
            return Err(RoundsError::TooMany { round });
        }
        if first.drawn_from != pool {
            return Err(RoundsError::OtherRows {
                round,
                from: first.drawn_from.saturating_add(rows - pool),
                here: rows,
            });
        }
        let found = Round { drawn: first.drawn, from: first.drawn_from, marked };
        if !found.gives(first.queue, there, of_round.map(|(draw, _)| draw.probability)) {
            return Err(RoundsError::Edited { round });
        }
        if marked == 0 {
            return Err(RoundsError::Unmarked { round });
        }
        Ok(found)
    }

    /// The probability of each row if all are drawn alike.
    fn even(&self) -> f64 {
        self.drawn as f64 / self.from as f64
    }

    /// Whether `queue` gives such probabilities to the `there` rows of this round that are there.
    fn gives(&self, queue: Queue, there: u64, mut probabilities: impl Iterator<Item = f64>) -> bool {
        let even = self.even();
        let is = |found: f64, right: f64| (found / right - 1.0).abs() <= ROUNDING;
        match queue {
            Queue::Random => probabilities.all(|probability| is(probability, even)),
            // Half of the chance is the same for all rows.
            Queue::Active => probabilities.all(|probability| probability >= even / 2.0 * (1.0 - ROUNDING)),
            // The rows of each value stand for all that have it.
            _ if there == self.drawn => {
                is(probabilities.map(|probability| 1.0 / probability).sum(), self.from as f64)
            }
            _ => true,
        }
    }

    /// One over the variance that its estimate has, up to a factor, if its rows are drawn alike.
    fn importance(&self) -> f64 {
        self.marked as f64 / (self.from as f64 * (self.from - self.marked) as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Queue, equally, unevenly};
    use super::*;
    use crate::domain::Random;

    fn draw(round: u64, drawn: u64, drawn_from: u64) -> Draw {
        Draw { queue: Queue::Random, round, drawn, drawn_from, probability: drawn as f64 / drawn_from as f64 }
    }

    fn rounds(rounds: &[(u64, u64)]) -> Vec<(Draw, bool)> {
        let of = |(at, (drawn, from)): (usize, &(u64, u64))| {
            vec![(draw(at as u64 + 1, *drawn, *from), true); *drawn as usize]
        };
        rounds.iter().enumerate().flat_map(of).collect()
    }

    #[test]
    fn rounds_that_draw_alike_are_one() {
        for list in
            [&[(20, 100)][..], &[(20, 100), (7, 80)], &[(3, 100), (20, 97), (40, 77)], &[(20, 100), (80, 80)]]
        {
            let draws = rounds(list);
            let even = 100.0 / draws.len() as f64;
            for weight in weights(&draws, 100).unwrap().rows {
                assert!((weight.unwrap() - even).abs() < 1e-9, "{list:?}: {weight:?} for {even}");
            }
        }
    }

    #[test]
    fn rows_without_a_mark_are_represented() {
        let mut draws = rounds(&[(10, 100)]);
        draws[3].1 = false;
        draws[4].1 = false;
        let Weights { rows: found, unmarked } = weights(&draws, 100).unwrap();
        assert_eq!(unmarked, 2);
        assert_eq!(
            found.iter().flatten().map(|weight| weight.round()).collect::<Vec<_>>(),
            [13.0; 8].map(|_| 13.0)
        );
        assert_eq!(found[3], None);
        // A round that nobody has begun to mark changes nothing.
        draws.extend([(draw(2, 5, 90), false); 5]);
        assert_eq!(weights(&draws, 100).unwrap().rows[..10], found);
        // Rows that were deleted from the list are without a mark too.
        draws.drain(7..10);
        assert_eq!(weights(&draws, 100).unwrap().unmarked, 5);
    }

    #[test]
    fn probabilities_are_those_of_the_queue() {
        let with = |queue: Queue, probabilities: &[f64]| {
            let of = |probability: &f64| Draw { queue, probability: *probability, ..draw(1, 4, 40) };
            let draws: Vec<(Draw, bool)> = probabilities.iter().map(|p| (of(p), true)).collect();
            weights(&draws, 40).map(|found| found.rows.into_iter().flatten().collect::<Vec<f64>>())
        };
        let edited = Err(RoundsError::Edited { round: 1 });
        // A spreadsheet may round: what was meant is known.
        assert_eq!(with(Queue::Random, &[0.1, 0.10005, 0.1, 0.1]), Ok(vec![10.0; 4]));
        assert_eq!(with(Queue::Random, &[0.1, 0.2, 0.1, 0.1]), edited);
        assert!(with(Queue::Active, &[0.05, 1.0, 0.1, 0.3]).is_ok());
        assert_eq!(with(Queue::Active, &[0.04, 1.0, 0.1, 0.3]), edited);
        assert!(with(Queue::Stratified, &[3.0 / 38.0, 3.0 / 38.0, 3.0 / 38.0, 0.5]).is_ok());
        assert_eq!(with(Queue::Stratified, &[3.0 / 38.0, 3.0 / 38.0, 3.0 / 38.0, 1.0]), edited);
        assert!(with(Queue::Stratified, &[3.0 / 38.0, 0.5]).is_ok(), "rows are missing: nobody can tell");
    }

    #[test]
    fn absurd_sizes_are_refused() {
        let draws = rounds(&[(2, 10), (2, 8)]);
        let huge = |(mut draw, marked): (Draw, bool)| {
            if draw.round == 2 {
                draw.drawn_from = u64::MAX;
            }
            (draw, marked)
        };
        let draws: Vec<(Draw, bool)> = draws.into_iter().map(huge).collect();
        assert!(matches!(weights(&draws, 10), Err(RoundsError::OtherRows { round: 2, .. })));
    }

    type Change<'a> = &'a dyn Fn(&mut Vec<(Draw, bool)>);

    #[test]
    fn what_are_no_rounds_of_these_rows_is_refused() {
        let base = rounds(&[(10, 100), (10, 90)]);
        let refused = |change: Change<'_>, rows: u64| {
            let mut draws = base.clone();
            change(&mut draws);
            weights(&draws, rows).unwrap_err()
        };
        assert_eq!(refused(&|_| (), 101), RoundsError::OtherRows { round: 1, from: 100, here: 101 });
        assert_eq!(refused(&|draws| drop(draws.drain(..10)), 100), RoundsError::Missing { round: 1 });
        assert_eq!(refused(&|draws| draws[1].0.drawn = 11, 100), RoundsError::Mixed { round: 1 });
        assert_eq!(refused(&|draws| draws.push(base[0]), 100), RoundsError::TooMany { round: 1 });
        assert_eq!(refused(&|draws| draws[0].0.probability = 0.0, 100), RoundsError::Improbable { round: 1 });
        assert_eq!(
            refused(&|draws| draws[0].0.probability = f64::NAN, 100),
            RoundsError::Improbable { round: 1 }
        );
        let unmark = |draws: &mut Vec<(Draw, bool)>| draws[..10].iter_mut().for_each(|draw| draw.1 = false);
        assert_eq!(refused(&unmark, 100), RoundsError::Unmarked { round: 1 });
        let skip = |draws: &mut Vec<(Draw, bool)>| {
            draws[10..].iter_mut().for_each(|(draw, _)| draw.drawn_from = 80);
        };
        assert!(matches!(refused(&skip, 100), RoundsError::OtherRows { round: 2, .. }));
    }

    #[test]
    fn a_new_round_needs_all_rows_of_those_before() {
        let draws: Vec<Draw> = rounds(&[(10, 100), (10, 90)]).into_iter().map(|(draw, _)| draw).collect();
        assert_eq!((next_round(&[], 100), next_round(&draws, 100)), (Ok(1), Ok(3)));
        let incomplete = RoundsError::Incomplete { round: 2, there: 9, drawn: 10 };
        assert_eq!(next_round(&draws[..19], 100), Err(incomplete));
        assert_eq!(next_round(&draws[10..], 100), Err(RoundsError::Missing { round: 1 }));
    }

    /// Over many draws the weighted sum is the sum: even, then uneven, then even rounds.
    #[test]
    fn several_uneven_rounds_are_unbiased() {
        const TIMES: u32 = 30_000;
        let values: Vec<f64> = (0..40_u32).map(|row| f64::from(u8::from(row % 3 == 0 || row > 30))).collect();
        let sizes: Vec<f64> = (0..40_u32).map(|row| 4.3 + f64::from(row % 7)).collect();
        let truth: f64 = values.iter().sum();
        let mut random = Random::new(3);
        let mut mean = 0.0;
        for _ in 0..TIMES {
            let mut pool: Vec<usize> = (0..40).collect();
            let (mut draws, mut found) = (Vec::new(), Vec::new());
            for (round, wanted) in [(1, 6), (2, 8), (3, 5)] {
                let drawn = match round {
                    2 => {
                        unevenly(&pool.iter().map(|row| sizes[*row]).collect::<Vec<_>>(), wanted, &mut random)
                    }
                    _ => equally(pool.len(), wanted, &mut random),
                };
                for (place, probability) in &drawn {
                    let queue = if round == 2 { Queue::Active } else { Queue::Random };
                    let of = Draw {
                        queue,
                        probability: *probability,
                        ..draw(round, wanted as u64, pool.len() as u64)
                    };
                    draws.push((of, true));
                    found.push(values[pool[*place]]);
                }
                let taken: Vec<usize> = drawn.iter().map(|(place, _)| pool[*place]).collect();
                pool.retain(|row| !taken.contains(row));
            }
            let weights = weights(&draws, 40).unwrap();
            mean +=
                weights.rows.iter().flatten().zip(&found).map(|(weight, value)| weight * value).sum::<f64>()
                    / f64::from(TIMES);
        }
        assert!((mean - truth).abs() < 0.15, "{mean} for {truth}");
    }
}
