//! Fits a forest by boosting: each tree corrects the errors of those before it.

use super::bins::Bins;
use super::digits::rounded;
use super::examples::Examples;
use super::forest::Forest;
use super::grow::Grower;
use super::histogram::Derivatives;
use super::split::Rules;
use super::tree::Tree;
use crate::domain::Random;

/// How a forest is grown.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Growth {
    /// Trees, at most 10,000. Fewer come out when a tree finds nothing to test.
    pub trees: usize,
    /// Leaves of a tree at most, from 2 to 4096. While a tree grows, each takes 1.5 KB for each column.
    pub leaves: usize,
    /// Tests on the way to a leaf at most, from 1.
    pub depth: usize,
    /// Examples in a leaf at least, whatever their weight; from 1.
    pub min_rows: usize,
    /// The share of its best step that a tree takes: above 0, up to 1.
    pub learning_rate: f64,
    /// The share of examples that each tree is grown from, drawn for each anew: above 0, up to 1 (J. H. Friedman, "Stochastic gradient
    /// boosting", Computational Statistics & Data Analysis 38, 2002).
    pub row_share: f64,
    /// The share of columns that each tree may test: above 0, up to 1.
    pub column_share: f64,
    /// Added to the sum of second derivatives of a leaf (weight times p (1 - p), summed over its examples), which draws its value
    /// to 0; from 0.
    pub l2: f64,
    /// Decides what is drawn.
    pub seed: u64,
}

impl Default for Growth {
    fn default() -> Growth {
        Growth {
            trees: 200,
            leaves: 12,
            depth: 6,
            min_rows: 20,
            learning_rate: 0.08,
            row_share: 0.8,
            column_share: 0.8,
            l2: 1.0,
            seed: 1,
        }
    }
}

/// Why no forest was grown.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum FitError {
    /// A setting out of its range.
    #[error("{name} must be {range}, not {value}")]
    Setting {
        /// The field of [`Growth`].
        name: &'static str,
        /// What it must be.
        range: &'static str,
        /// What it is.
        value: f64,
    },
    /// No examples were chosen.
    #[error("there are no examples to learn from")]
    NoRows,
    /// An example was chosen that there is not.
    #[error("there is no example {0}")]
    NoRow(u32),
    /// Directions for another number of columns, or one that is not -1, 0 or 1.
    #[error("`monotone` must be empty, or -1, 0 or 1 for each of the {0} columns")]
    Monotone(usize),
    /// Scores for another number of examples, or one that is not finite.
    #[error("a start needs a finite score for each of the {0} examples")]
    Start(usize),
}

/// Margins beyond this are as good as certain; the second derivative would vanish.
const MOST_CERTAIN: f64 = 15.0;

impl Forest {
    /// A forest grown from some examples: `rows` names them, from 0, each as often as it should count.
    ///
    /// `monotone` is empty, or says of each column whether the margin may only grow with it (1), only fall (-1), or is free (0). The
    /// whole forest then is monotone in that column, whatever the others are.
    ///
    /// Sums are taken in one order, and of equal splits the first column and the lowest threshold wins, so the same arguments give
    /// the same forest. Another system's exponential function may differ in the last bit, and with it a digit of the forest.
    ///
    /// # Errors
    /// When a setting is out of its range, `rows` is empty or names an example that there is not, or `monotone` is not as above.
    pub fn fit(
        examples: &Examples,
        rows: &[u32],
        growth: &Growth,
        monotone: &[i8],
    ) -> Result<Forest, FitError> {
        check(examples, rows, growth, monotone)?;
        let (mut right, mut all) = (0.0, 0.0);
        for row in rows.iter().map(|row| *row as usize) {
            all += examples.weights()[row];
            right += if examples.labels()[row] { examples.weights()[row] } else { 0.0 };
        }
        let odds: f64 = right / (all - right);
        let base = rounded(odds.ln().clamp(-MOST_CERTAIN, MOST_CERTAIN), 4);
        Ok(boost(examples, rows, growth, monotone, Forest::empty(base, examples.columns()), |_| base))
    }

    /// A forest that corrects scores given: its margin, which starts from 0, is to be added to them. `start` holds the log-odds of
    /// each example in the table, chosen or not. All else as in [`Forest::fit`].
    ///
    /// # Errors
    /// As [`Forest::fit`]; also when `start` has another length than the table, or a score in it is not finite.
    pub fn fit_from(
        examples: &Examples,
        rows: &[u32],
        growth: &Growth,
        monotone: &[i8],
        start: &[f64],
    ) -> Result<Forest, FitError> {
        check(examples, rows, growth, monotone)?;
        if start.len() != examples.len() || start.iter().any(|score| !score.is_finite()) {
            return Err(FitError::Start(examples.len()));
        }
        let empty = Forest::empty(0.0, examples.columns());
        Ok(boost(examples, rows, growth, monotone, empty, |row| start[row]))
    }
}

fn check(examples: &Examples, rows: &[u32], growth: &Growth, monotone: &[i8]) -> Result<(), FitError> {
    let share = |value: f64| value > 0.0 && value <= 1.0;
    let shares = "above 0, up to 1";
    for (name, value, range, holds) in [
        ("trees", growth.trees as f64, "up to 10,000", growth.trees <= Forest::MOST_TREES),
        ("leaves", growth.leaves as f64, "from 2 to 4096", (2..=Tree::MOST_LEAVES).contains(&growth.leaves)),
        ("depth", growth.depth as f64, "from 1", growth.depth >= 1),
        ("min_rows", growth.min_rows as f64, "from 1", growth.min_rows >= 1),
        ("learning_rate", growth.learning_rate, shares, share(growth.learning_rate)),
        ("row_share", growth.row_share, shares, share(growth.row_share)),
        ("column_share", growth.column_share, shares, share(growth.column_share)),
        ("l2", growth.l2, "a number from 0", growth.l2 >= 0.0 && growth.l2.is_finite()),
    ] {
        if !holds {
            return Err(FitError::Setting { name, range, value });
        }
    }
    if rows.is_empty() {
        return Err(FitError::NoRows);
    }
    if let Some(row) = rows.iter().find(|row| **row as usize >= examples.len()) {
        return Err(FitError::NoRow(*row));
    }
    let known = monotone.is_empty() || monotone.len() == examples.columns();
    if !known || monotone.iter().any(|direction| !(-1..=1).contains(direction)) {
        return Err(FitError::Monotone(examples.columns()));
    }
    Ok(())
}

/// Adds trees to `forest`, whose rows begin at the margins that `start` gives by example.
fn boost(
    examples: &Examples,
    rows: &[u32],
    growth: &Growth,
    monotone: &[i8],
    mut forest: Forest,
    start: impl Fn(usize) -> f64,
) -> Forest {
    let bins = Bins::new(examples, rows);
    let of_rows = || rows.iter().map(|row| *row as usize);
    let labels: Vec<f64> = of_rows().map(|row| f64::from(u8::from(examples.labels()[row]))).collect();
    let weights: Vec<f64> = of_rows().map(|row| examples.weights()[row]).collect();
    let mut margins: Vec<f64> = of_rows().map(start).collect();
    let grower = Grower {
        bins: &bins,
        rules: Rules { least_rows: growth.min_rows as f64, l2: growth.l2, monotone },
        leaves: growth.leaves,
        depth: growth.depth,
        rate: growth.learning_rate,
        weights: &weights,
    };
    let mut random = Random::new(growth.seed);
    let mut derivatives: Vec<Derivatives> = vec![[0.0; 2]; rows.len()];
    for _ in 0..growth.trees {
        for (at, derivative) in derivatives.iter_mut().enumerate() {
            let probability = 1.0 / (1.0 + (-margins[at]).exp());
            let spread = probability * (1.0 - probability);
            *derivative = [weights[at] * (probability - labels[at]), weights[at] * spread];
        }
        let drawn = draw(bins.rows(), growth.row_share, &mut random).map(|row| row as u32).collect();
        let columns: Vec<usize> = draw(examples.columns(), growth.column_share, &mut random).collect();
        let Some(grown) = grower.grow(&derivatives, drawn, &columns) else {
            // Without chance, the next tree would find nothing either.
            if growth.row_share == 1.0 && growth.column_share == 1.0 {
                break;
            }
            continue;
        };
        for (row, margin) in margins.iter_mut().enumerate() {
            *margin += grown.value(&bins, row);
        }
        forest.push(&grown.tree);
    }
    forest
}

/// A share of the numbers below `all`, at least one, in order; any so many of them are as likely as any others (D. E. Knuth, "The Art of
/// Computer Programming" 2, 3.4.2, algorithm S).
fn draw(all: usize, share: f64, random: &mut Random) -> impl Iterator<Item = usize> {
    let mut wanted = ((all as f64 * share).round() as usize).clamp(1, all.max(1));
    let whole = wanted == all;
    (0..all).filter(move |at| {
        let taken = whole || random.unit() * ((all - at) as f64) < wanted as f64;
        wanted -= usize::from(taken);
        taken
    })
}
