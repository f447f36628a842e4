//! The one-to-one assignment with the greatest sum.
//!
//! The Hungarian method (H. W. Kuhn, 1955; J. Munkres, 1957) in the form of successive shortest augmenting paths with
//! potentials (R. Jonker and A. Volgenant, 1987): one row after the other, at most rows² × columns steps.

/// For every row the column that is assigned to it, so that the sum of `weight(row, column)` is the greatest and as many
/// rows as possible have a column. Where sums tie, columns are taken in the rows' order.
pub(super) fn assign(
    rows: usize,
    columns: usize,
    weight: impl Fn(usize, usize) -> f64,
) -> Vec<Option<usize>> {
    if rows <= columns {
        return narrow(rows, columns, weight).into_iter().map(Some).collect();
    }
    let mut assigned = vec![None; rows];
    for (column, row) in narrow(columns, rows, |column, row| weight(row, column)).into_iter().enumerate() {
        assigned[row] = Some(column);
    }
    assigned
}

/// [`assign`] for no more rows than columns: every row gets a column. Index 0 stands for "none yet".
fn narrow(rows: usize, columns: usize, weight: impl Fn(usize, usize) -> f64) -> Vec<usize> {
    let mut row_potential = vec![0.0; rows + 1];
    let mut column_potential = vec![0.0; columns + 1];
    let mut row_of = vec![0; columns + 1];
    for row in 1..=rows {
        row_of[0] = row;
        let mut column = 0;
        let mut least = vec![f64::INFINITY; columns + 1];
        let mut came_from = vec![0; columns + 1];
        let mut visited = vec![false; columns + 1];
        while row_of[column] != 0 {
            visited[column] = true;
            let from = row_of[column];
            let mut step = f64::INFINITY;
            let mut next = 0;
            for to in (1..=columns).filter(|to| !visited[*to]) {
                let reduced = -weight(from - 1, to - 1) - row_potential[from] - column_potential[to];
                if reduced < least[to] {
                    least[to] = reduced;
                    came_from[to] = column;
                }
                if least[to] < step {
                    step = least[to];
                    next = to;
                }
            }
            for at in 0..=columns {
                if visited[at] {
                    row_potential[row_of[at]] += step;
                    column_potential[at] -= step;
                } else {
                    least[at] -= step;
                }
            }
            column = next;
        }
        while column != 0 {
            let from = came_from[column];
            row_of[column] = row_of[from];
            column = from;
        }
    }
    let mut column_of = vec![0; rows];
    for column in 1..=columns {
        if row_of[column] != 0 {
            column_of[row_of[column] - 1] = column - 1;
        }
    }
    column_of
}

/// For every row a column of its own among those that it `fits`, for as many rows as possible: every row in turn takes the first
/// free column or makes room by a chain of moves (H. W. Kuhn's augmenting paths).
pub(super) fn pair_up(
    rows: usize,
    columns: usize,
    fits: impl Fn(usize, usize) -> bool,
) -> Vec<Option<usize>> {
    let mut column_of = vec![None; rows];
    let mut row_of = vec![None; columns];
    // Columns from which no free one can be reached; that never changes again, so nobody need look at them twice.
    let mut is_dead = vec![false; columns];
    for start in 0..rows {
        let mut came_from = vec![None; columns];
        let mut waiting = vec![start];
        let mut at = 0;
        let mut free = None;
        while let Some(&row) = waiting.get(at).filter(|_| free.is_none()) {
            at += 1;
            for column in 0..columns {
                if is_dead[column] || came_from[column].is_some() || !fits(row, column) {
                    continue;
                }
                came_from[column] = Some(row);
                match row_of[column] {
                    Some(owner) => waiting.push(owner),
                    None => {
                        free = Some(column);
                        break;
                    }
                }
            }
        }
        if free.is_none() {
            came_from.iter().zip(&mut is_dead).for_each(|(seen, dead)| *dead |= seen.is_some());
        }
        while let Some((column, row)) = free.and_then(|column| Some((column, came_from[column]?))) {
            row_of[column] = Some(row);
            free = column_of[row].replace(column);
        }
    }
    column_of
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sum(weights: &[Vec<f64>], assigned: &[Option<usize>]) -> f64 {
        assigned
            .iter()
            .enumerate()
            .filter_map(|(row, column)| column.map(|column| weights[row][column]))
            .sum()
    }

    fn greatest(weights: &[Vec<f64>], row: usize, used: &mut Vec<bool>) -> f64 {
        if row == weights.len() {
            return 0.0;
        }
        let mut best = greatest(weights, row + 1, used);
        for column in 0..used.len() {
            if !used[column] {
                used[column] = true;
                best = best.max(weights[row][column] + greatest(weights, row + 1, used));
                used[column] = false;
            }
        }
        best
    }

    #[test]
    fn greedy_would_lose() {
        let weights = [vec![0.5, 0.0], vec![1.0, 0.5]];
        assert_eq!(assign(2, 2, |row, column| weights[row][column]), [Some(0), Some(1)]);
        let weights = [vec![0.9, 0.8], vec![0.9, 0.1]];
        assert_eq!(assign(2, 2, |row, column| weights[row][column]), [Some(1), Some(0)]);
    }

    #[test]
    fn ties_go_by_order() {
        assert_eq!(assign(3, 3, |_, _| 1.0), [Some(0), Some(1), Some(2)]);
        assert_eq!(assign(2, 3, |_, _| 0.0), [Some(0), Some(1)]);
        assert_eq!(assign(3, 2, |_, _| 0.0), [Some(0), Some(1), None]);
        assert_eq!(assign(0, 2, |_, _| 0.0), []);
        assert_eq!(assign(2, 0, |_, _| 0.0), [None, None]);
    }

    proptest::proptest! {
        #[test]
        fn no_other_assignment_is_better(rows in 0..5usize, columns in 0..5usize, values in proptest::collection::vec(0..5u8, 25)) {
            let weights: Vec<Vec<f64>> = (0..rows)
                .map(|row| (0..columns).map(|column| f64::from(values[row * 5 + column]) / 4.0).collect())
                .collect();
            let assigned = assign(rows, columns, |row, column| weights[row][column]);
            let mut taken: Vec<usize> = assigned.iter().flatten().copied().collect();
            proptest::prop_assert_eq!(taken.len(), rows.min(columns));
            taken.sort_unstable();
            taken.dedup();
            proptest::prop_assert_eq!(taken.len(), rows.min(columns));
            let best = greatest(&weights, 0, &mut vec![false; columns]);
            proptest::prop_assert!((sum(&weights, &assigned) - best).abs() < 1e-9);

            let fits = |row: usize, column: usize| values[row * 5 + column] > 2;
            let ones: Vec<Vec<f64>> = (0..rows)
                .map(|row| (0..columns).map(|column| f64::from(u8::from(fits(row, column)))).collect())
                .collect();
            let paired = pair_up(rows, columns, fits);
            proptest::prop_assert!(paired.iter().enumerate().all(|(row, column)| column.is_none_or(|column| fits(row, column))));
            let mut taken: Vec<usize> = paired.iter().flatten().copied().collect();
            let count = taken.len();
            taken.sort_unstable();
            taken.dedup();
            proptest::prop_assert_eq!(taken.len(), count);
            proptest::prop_assert_eq!(count as f64, greatest(&ones, 0, &mut vec![false; columns]));
        }
    }
}
