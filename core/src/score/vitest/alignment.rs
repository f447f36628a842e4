//! Assigns calls to expected tools so that as many as possible match.

use super::case::Case;
use super::matcher::Matcher;
use crate::score::assignment::pair_up;

/// Who answers whom, and who tried.
#[derive(Debug, Default)]
pub(super) struct Alignment {
    /// Expected tools with a right call, and the call.
    pub matched: Vec<(usize, usize)>,
    /// Expected tools without one, and a call of that tool that is not right.
    pub attempts: Vec<(usize, usize)>,
    /// Expected tools that were not called.
    pub missing: Vec<usize>,
    /// Calls that have nothing to do with what is expected.
    pub extras: Vec<usize>,
}

impl Alignment {
    pub(super) fn of(case: &Case, ordered: bool, matcher: &Matcher) -> Alignment {
        let (expected, called) = (&case.expected, &case.called);
        let fits = |e: usize, c: usize| {
            expected[e].name == called[c].name && matcher.arguments(&expected[e], &called[c])
        };
        let mut in_place = (0..expected.len().min(called.len())).take_while(|at| fits(*at, *at)).count();
        // In order, what fits from the start on is the best that can be; without an order, only if it is all of it.
        if !ordered && in_place < expected.len() {
            in_place = 0;
        }
        let mut matched: Vec<(usize, usize)> = (0..in_place).map(|at| (at, at)).collect();
        let (rows, columns) = (expected.len() - in_place, called.len() - in_place);
        if rows > 0 && columns > 0 {
            let table: Vec<bool> = (in_place..expected.len())
                .flat_map(|e| (in_place..called.len()).map(move |c| fits(e, c)))
                .collect();
            let fits = |row: usize, column: usize| table[row * columns + column];
            let pairs = if ordered { in_order(rows, columns, fits) } else { pair_up(rows, columns, fits) };
            let pairs = pairs.into_iter().enumerate();
            matched.extend(pairs.filter_map(|(row, column)| Some((row + in_place, column? + in_place))));
        }
        Alignment::with_rest(case, matched)
    }

    /// Sorts out what is not matched.
    pub(super) fn with_rest(case: &Case, matched: Vec<(usize, usize)>) -> Alignment {
        let mut is_matched = vec![false; case.expected.len()];
        let mut is_answer = vec![false; case.called.len()];
        for (expected, called) in &matched {
            is_matched[*expected] = true;
            is_answer[*called] = true;
        }
        let mut alignment = Alignment { matched, ..Alignment::default() };
        for expected in (0..case.expected.len()).filter(|at| !is_matched[*at]) {
            let name = case.expected[expected].name;
            match (0..case.called.len()).find(|at| !is_answer[*at] && case.called[*at].name == name) {
                Some(called) => {
                    is_answer[called] = true;
                    alignment.attempts.push((expected, called));
                }
                None => alignment.missing.push(expected),
            }
        }
        alignment.extras.extend((0..case.called.len()).filter(|at| !is_answer[*at]));
        alignment
    }
}

/// The longest common subsequence, in the same shape as an assignment.
fn in_order(rows: usize, columns: usize, fits: impl Fn(usize, usize) -> bool) -> Vec<Option<usize>> {
    let width = columns + 1;
    let mut longest = vec![0u32; (rows + 1) * width];
    for row in (0..rows).rev() {
        for column in (0..columns).rev() {
            let skip = longest[(row + 1) * width + column].max(longest[row * width + column + 1]);
            let take = if fits(row, column) { longest[(row + 1) * width + column + 1] + 1 } else { 0 };
            longest[row * width + column] = skip.max(take);
        }
    }
    let mut column_of = vec![None; rows];
    let (mut row, mut column) = (0, 0);
    while row < rows && column < columns {
        let here = longest[row * width + column];
        if fits(row, column) && here == longest[(row + 1) * width + column + 1] + 1 {
            column_of[row] = Some(column);
            (row, column) = (row + 1, column + 1);
        } else if here == longest[row * width + column + 1] {
            column += 1;
        } else {
            row += 1;
        }
    }
    column_of
}
