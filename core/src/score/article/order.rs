//! Whether the expected calls come in the order of the expectations.

use super::case::Case;
use crate::score::difference::issue;
use crate::score::{Issue, IssueKind};

/// For every expectation the call that answers it, as `pairs` say, but in order if that is possible without loss: of assignments that
/// are as good, the one that is in order counts.
///
/// `worth` is how well a call answers an expectation of its tool, from 0 to 1. The longest common subsequence, with weights: as many
/// steps as expectations × calls.
pub(super) fn in_order(
    case: &Case,
    pairs: Vec<Option<usize>>,
    worth: impl Fn(usize, usize) -> f64,
) -> Vec<Option<usize>> {
    /// What adding up fractions may lose.
    const EPSILON: f64 = 1e-9;
    if first_inversion(&pairs).is_none() {
        return pairs;
    }
    let (rows, columns) = (case.expectations.len(), case.calls.len());
    let fits = |row: usize, column: usize| case.expectations[row].tool_name == case.calls[column].name;
    // The best pairs of the expectations and calls from here on: how many, and what they are worth together.
    let mut best = vec![vec![(0_usize, 0.0_f64); columns + 1]; rows + 1];
    let is_better = |a: (usize, f64), b: (usize, f64)| a.0 > b.0 || a.0 == b.0 && a.1 > b.1 + EPSILON;
    let with = |below: (usize, f64), row: usize, column: usize| (below.0 + 1, below.1 + worth(row, column));
    for row in (0..rows).rev() {
        for column in (0..columns).rev() {
            let mut found = best[row + 1][column];
            if is_better(best[row][column + 1], found) {
                found = best[row][column + 1];
            }
            if fits(row, column) {
                let paired = with(best[row + 1][column + 1], row, column);
                if !is_better(found, paired) {
                    found = paired;
                }
            }
            best[row][column] = found;
        }
    }
    let hits = pairs.iter().flatten().count();
    let whole: f64 = pairs.iter().enumerate().filter_map(|(row, call)| Some(worth(row, (*call)?))).sum();
    if is_better((hits, whole), best[0][0]) {
        return pairs;
    }
    let mut ordered = vec![None; rows];
    let (mut row, mut column) = (0, 0);
    while row < rows && column < columns {
        let here = best[row][column];
        if fits(row, column) && !is_better(here, with(best[row + 1][column + 1], row, column)) {
            ordered[row] = Some(column);
            (row, column) = (row + 1, column + 1);
        } else if !is_better(here, best[row + 1][column]) {
            row += 1;
        } else {
            column += 1;
        }
    }
    ordered
}

/// The first expectation whose call comes before that of an earlier one: the places of both expectations.
fn first_inversion(pairs: &[Option<usize>]) -> Option<(usize, usize)> {
    let mut latest: Option<(usize, usize)> = None;
    for (row, call) in pairs.iter().enumerate() {
        let Some(call) = *call else { continue };
        match latest {
            Some((earlier, after)) if call < after => return Some((earlier, row)),
            _ => latest = Some((row, call)),
        }
    }
    None
}

/// What is wrong with the order of the calls, if it is wrong.
pub(super) fn wrong_order(case: &Case, pairs: &[Option<usize>]) -> Option<Issue> {
    let (earlier, later) = first_inversion(pairs)?;
    let name = |row: usize| case.expectations[row].tool_name;
    let message = match name(earlier) == name(later) {
        true => format!("the calls of `{}` are not in the expected order", name(later)),
        false => format!("`{}` is called before `{}`, but expected after it", name(later), name(earlier)),
    };
    Some(issue(IssueKind::WrongOrder, name(later), None, message))
}
