//! Assigns calls to expected calls for the highest score.

use super::case::{Call, Case};
use super::peer::Mode;
use super::similarity::Similarity;
use crate::score::assignment::assign;

/// Pairs of an expected and a made call.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Alignment {
    /// Those that count, by expected call.
    pub pairs: Vec<(usize, usize)>,
    /// What the pairs earn, each from 0 to 1.
    pub earned: f64,
    /// Calls of the right tool in the wrong place of the order.
    pub out_of_order: Vec<(usize, usize)>,
}

impl Alignment {
    pub(super) fn of(case: &Case, similarity: Similarity, mode: Mode) -> Alignment {
        if mode == Mode::Plain {
            let expected: Vec<usize> = (0..case.expected.len()).collect();
            let called: Vec<usize> = (0..case.called.len()).collect();
            let pairs = best_pairs(case, similarity, &expected, &called);
            // An empty sum of floats would be -0.
            let earned = pairs.iter().fold(0.0, |sum, (e, c)| sum + share(case, similarity, *e, *c));
            return Alignment { pairs, earned, out_of_order: Vec::new() };
        }
        let (pairs, earned) = in_order(case, similarity);
        let left = |count: usize, of: fn(&(usize, usize)) -> usize| {
            let mut taken = vec![false; count];
            pairs.iter().for_each(|pair| taken[of(pair)] = true);
            (0..count).filter(|at| !taken[*at]).collect::<Vec<usize>>()
        };
        let expected = left(case.expected.len(), |pair| pair.0);
        let called = left(case.called.len(), |pair| pair.1);
        let out_of_order = best_pairs(case, similarity, &expected, &called);
        Alignment { pairs, earned, out_of_order }
    }

    /// The calls that answer nothing, of `count`.
    pub(super) fn without_pair(&self, count: usize, of: fn(&(usize, usize)) -> usize) -> Vec<usize> {
        let mut taken = vec![false; count];
        self.pairs.iter().chain(&self.out_of_order).for_each(|pair| taken[of(pair)] = true);
        (0..count).filter(|at| !taken[*at]).collect()
    }
}

fn share(case: &Case, similarity: Similarity, expected: usize, called: usize) -> f64 {
    // Only the peer's comparison can fail, and a call that it cannot compare earns nothing.
    similarity.of_calls(&case.expected[expected], &case.called[called]).unwrap_or(0.0)
}

/// The optimal assignment among the calls of each tool.
fn best_pairs(
    case: &Case,
    similarity: Similarity,
    expected: &[usize],
    called: &[usize],
) -> Vec<(usize, usize)> {
    let mut pairs = Vec::with_capacity(expected.len());
    let mut done = vec![false; expected.len()];
    for first in 0..expected.len() {
        if done[first] {
            continue;
        }
        let tool: &Call = &case.expected[expected[first]];
        let rows: Vec<usize> =
            (first..expected.len()).filter(|at| case.expected[expected[*at]].is_same_tool(tool)).collect();
        rows.iter().for_each(|at| done[*at] = true);
        let columns: Vec<usize> =
            called.iter().copied().filter(|at| case.called[*at].is_same_tool(tool)).collect();
        if columns.is_empty() {
            continue;
        }
        if let ([row], [column]) = (rows.as_slice(), columns.as_slice()) {
            pairs.push((expected[*row], *column));
            continue;
        }
        let shares: Vec<f64> = rows
            .iter()
            .flat_map(|row| columns.iter().map(|column| share(case, similarity, expected[*row], *column)))
            .collect();
        let assigned = assign(rows.len(), columns.len(), |row, column| shares[row * columns.len() + column]);
        for (row, column) in rows.iter().zip(assigned) {
            if let Some(column) = column {
                pairs.push((expected[*row], columns[column]));
            }
        }
    }
    pairs.sort_unstable();
    pairs
}

/// The heaviest common subsequence, and its weight.
fn in_order(case: &Case, similarity: Similarity) -> (Vec<(usize, usize)>, f64) {
    let width = case.called.len() + 1;
    let mut best = vec![0.0f64; (case.expected.len() + 1) * width];
    for (i, expected) in case.expected.iter().enumerate() {
        for (j, called) in case.called.iter().enumerate() {
            let without = best[i * width + j + 1].max(best[(i + 1) * width + j]);
            let share = if expected.is_same_tool(called) { share(case, similarity, i, j) } else { 0.0 };
            let with = if share > 0.0 { best[i * width + j] + share } else { 0.0 };
            best[(i + 1) * width + j + 1] = without.max(with);
        }
    }
    let mut pairs = Vec::new();
    let (mut i, mut j) = (case.expected.len(), case.called.len());
    while i > 0 && j > 0 {
        let here = best[i * width + j];
        if here == best[(i - 1) * width + j] {
            i -= 1;
        } else if here == best[i * width + j - 1] {
            j -= 1;
        } else {
            (i, j) = (i - 1, j - 1);
            pairs.push((i, j));
        }
    }
    pairs.reverse();
    (pairs, best.last().copied().unwrap_or(0.0))
}
