//! How much information clustered rows contain: effective sample sizes.

use super::estimate::Estimate;
use super::interval::{cautious_interval, exact_interval};
use super::quantile::{Z, t_quantile};

/// Successes and cases of one cluster.
pub(super) type Part = (f64, f64);

/// How far a share varies from sample to sample, when clusters and not rows are drawn.
#[derive(Debug, Clone, Copy)]
pub(super) struct Spread {
    /// Independent rows that would know as much.
    pub effective: f64,
    /// Degrees of freedom behind that number.
    pub freedom: f64,
    /// Independent rows that would know as much if all rows of a cluster were the same, where the figure is a share: it cannot
    /// know less.
    pub least: Option<f64>,
}

/// The share of successes with its interval; `None` without cases.
pub(super) fn proportion(parts: &[Part]) -> Option<Estimate> {
    with_interval(parts, spread)
}

/// The mean of something between 0 and 1, from its sum and cases in each cluster, with its interval: as a share whose cases each
/// are a success in part.
pub(super) fn bounded_mean(parts: &[Part]) -> Option<Estimate> {
    with_interval(parts, jackknife)
}

fn with_interval(parts: &[Part], spread: fn(&[Part]) -> Option<Spread>) -> Option<Estimate> {
    let (successes, cases) = total(parts);
    if cases <= 0.0 {
        return None;
    }
    let value = successes / cases;
    let Some(spread) = spread(parts) else { return Some(Estimate::unknown(value, 0.0, 1.0)) };
    let (low, high) = spread.interval(value);
    Some(Estimate { value, low, high })
}

impl Spread {
    /// The interval of a share: Wilson's on the effective cases, made fewer for what is not known about the variance itself
    /// (E. L. Korn and B. I. Graubard, "Confidence intervals for proportions with small expected number of positive counts
    /// estimated from survey data", Survey Methodology 24, 1998; Wilson's in place of theirs after N. Dean and M. Pagano,
    /// "Evaluating confidence interval methods for binomial proportions in clustered surveys", JSSAM 3, 2015).
    ///
    /// Where a few clusters hold most rows there is next to no freedom, and that interval says nothing. But the variance of a share
    /// is known to be no more than that of clusters whose rows are all alike, with nothing to be estimated: then what holds is the
    /// exact interval on Kish's effective number of clusters, of which none is too short (C. J. Clopper and E. S. Pearson).
    pub fn interval(&self, value: f64) -> (f64, f64) {
        let t = t_quantile(0.975, self.freedom);
        let n = self.effective * (Z / t) * (Z / t);
        let (low, high) = if n > 1e-9 { cautious_interval(value, n) } else { (0.0, 1.0) };
        let Some(least) = self.least else { return (low, high) };
        let (exact_low, exact_high) = exact_interval(value, least);
        (low.max(exact_low), high.min(exact_high))
    }
}

/// How many clusters of one size would vary as much as clusters of `sizes`, each of which is all of one kind: L. Kish, "Survey
/// Sampling", 1965. Between 1 and their number; 0 without rows.
pub(super) fn effective_clusters(sizes: impl IntoIterator<Item = f64>) -> f64 {
    let (sum, squares) = sizes.into_iter().fold((0.0, 0.0), |sum, size| (sum.0 + size, sum.1 + size * size));
    if squares > 0.0 { sum * sum / squares } else { 0.0 }
}

/// The spread of a share over clusters; `None` when one cluster has all cases, so that nothing can be said.
pub(super) fn spread(parts: &[Part]) -> Option<Spread> {
    let cases: f64 = parts.iter().map(|part| part.1).sum();
    if cases > 0.0 && parts.iter().all(|part| part.1 <= 1.0) {
        return Some(Spread { effective: cases, freedom: f64::INFINITY, least: None });
    }
    let found = jackknife(parts)?;
    Some(Spread { effective: found.effective.min(cases), ..found })
}

/// The spread by leaving out one cluster after another, where cases may be successes in part: they may then know more than as many
/// that are successes or not.
fn jackknife(parts: &[Part]) -> Option<Spread> {
    let sizes: Vec<f64> = parts.iter().map(|part| part.1).filter(|size| *size > 0.0).collect();
    if sizes.len() < 2 {
        return None;
    }
    let (count, cases) = (sizes.len() as f64, sizes.iter().sum::<f64>());
    let squares: f64 = sizes.iter().map(|size| size * size).sum();
    let pseudo = root_mean_square(&sizes);
    let mut all: Vec<Part> = parts.iter().copied().filter(|part| part.1 > 0.0).collect();
    all.extend([(pseudo, pseudo), (0.0, pseudo)]);
    let (successes, whole) = total(&all);
    let share = successes / whole;
    let deleted = all.iter().map(|part| (successes - part.0) / (whole - part.1) - share);
    let variance = deleted.map(|d| d * d).sum::<f64>() * (count + 1.0) / (count + 2.0);
    let effective = share * (1.0 - share) / variance * count / (count + 2.0);
    let alike = if squares > cases {
        ((cases / effective - 1.0) / (squares / cases - 1.0)).clamp(0.0, 1.0)
    } else {
        0.0
    };
    let least = Some(effective_clusters(sizes.iter().copied()));
    Some(Spread { effective, freedom: freedom(&sizes, alike), least })
}

pub(super) fn total(parts: &[Part]) -> Part {
    parts.iter().fold((0.0, 0.0), |sum, part| (sum.0 + part.0, sum.1 + part.1))
}

/// The size of clusters that are made up: more than the mean when sizes are uneven, because then few clusters decide.
pub(super) fn root_mean_square(sizes: &[f64]) -> f64 {
    (sizes.iter().map(|size| size * size).sum::<f64>() / sizes.len() as f64).sqrt()
}

/// The interval of a coefficient between -1 and 1, put on the scale of a share. `smoothed` is the coefficient with some clusters
/// added to the `real` ones, `pulls` what leaving out each of all these changes; `rows` is the spread of a share of the same rows, whose
/// degrees of freedom hold and whose cases cannot be exceeded.
pub(super) fn coefficient_interval(
    value: f64,
    smoothed: f64,
    pulls: &[f64],
    real: usize,
    rows: (f64, Spread),
) -> Estimate {
    let count = pulls.len() as f64;
    let variance = pulls.iter().map(|pull| pull * pull).sum::<f64>() * (count - 1.0) / count / 4.0;
    let middle = (1.0 + smoothed) / 2.0;
    let effective = (middle * (1.0 - middle) / variance * real as f64 / count).min(rows.0);
    let freedom = rows.1.freedom.min(real as f64 - 1.0);
    let (low, high) = Spread { effective, freedom, least: None }.interval((1.0 + value) / 2.0);
    Estimate { value, low: 2.0 * low - 1.0, high: 2.0 * high - 1.0 }
}

/// Degrees of freedom of a variance that clusters of `sizes` give, whose rows are correlated by `alike`: Satterthwaite's, by the
/// share each cluster has in the variance (R. M. Bell and D. F. McCaffrey, Survey Methodology 28, 2002). The clusters less
/// one when they are equal.
pub(super) fn freedom(sizes: &[f64], alike: f64) -> f64 {
    let weights = sizes.iter().map(|size| size * (1.0 + (size - 1.0) * alike));
    let (sum, squares) = weights.fold((0.0, 0.0), |sum, w| (sum.0 + w, sum.1 + w * w));
    (sum * sum / squares - 1.0).max(0.1)
}
