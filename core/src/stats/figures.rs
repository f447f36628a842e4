//! The intervals of the figures over clusters of rows.

use super::clusters::{Part, bounded_mean, coefficient_interval, proportion, root_mean_square, spread};
use super::confusion::Confusion;
use super::estimate::Estimate;
use super::measure::{Cells, Measure, cells, f1_of_share};

/// `measure` over the judged rows of all tables, one table per cluster of rows that go together (all rows of one question), with
/// its 95 % interval. `None` where the figure is not defined; the whole range of the measure where the interval is not, because all
/// rows are in one cluster.
///
/// Shares (accuracy, precision, recall) as in [`share`]; F1 through the share it is a function of; balanced accuracy from the
/// intervals of both recalls; kappa and MCC by the jackknife over clusters and Wilson's interval on their range. See
/// `docs/statistics.md`.
pub fn estimate(measure: Measure, clusters: &[Confusion]) -> Option<Estimate> {
    let tables: Vec<Cells> = clusters.iter().map(cells).collect();
    estimate_cells(measure, &tables)
}

pub(super) fn estimate_cells(measure: Measure, tables: &[Cells]) -> Option<Estimate> {
    let parts = |of: Measure| -> Vec<Part> { tables.iter().filter_map(|table| of.share_of(table)).collect() };
    match measure {
        Measure::BalancedAccuracy => {
            let halves = [Measure::RecallCorrect, Measure::RecallIncorrect];
            let [right, wrong] = halves.map(parts);
            let both = [(0.5, proportion(&right)?), (0.5, proportion(&wrong)?)];
            if spread(&right).is_none() || spread(&wrong).is_none() {
                let value = both.iter().map(|(weight, half)| weight * half.value).sum();
                return Some(Estimate::unknown(value, 0.0, 1.0));
            }
            let together = correlation(&pulls_of_share(&right), &pulls_of_share(&wrong));
            let found = Estimate::cautious_sum(&both, |_, _| together);
            Some(Estimate { low: found.low.max(0.0), high: found.high.min(1.0), ..found })
        }
        Measure::F1Correct | Measure::F1Incorrect => Some(proportion(&parts(measure))?.map(f1_of_share)),
        Measure::Kappa | Measure::Mcc => coefficient(measure, tables),
        _ => proportion(&parts(measure)),
    }
}

/// The share of successes over all clusters, given `(successes, cases)` of each, with its 95 % interval. `None` without cases,
/// or where a cluster has more successes than cases; 0 to 1 where all cases are in one cluster.
///
/// Wilson's interval on the effective number of cases: as many independent cases as know as much as the clusters do, by the
/// jackknife over clusters. Two clusters of the usual size, one all successes and one all failures, join in while the variance is
/// taken, so that few clusters which happen to agree do not pass for certainty. Clusters of one case each give Wilson's interval
/// itself, reaching further where successes or failures are fewer than fifteen.
pub fn share(clusters: &[(u64, u64)]) -> Option<Estimate> {
    if clusters.iter().any(|(successes, cases)| successes > cases) {
        return None;
    }
    proportion(&clusters.iter().map(|(part, whole)| (*part as f64, *whole as f64)).collect::<Vec<_>>())
}

/// The mean of something between `low` and `high` over all clusters, given its sum and cases in each, with its 95 % interval: as a
/// share whose cases each are a success in part. `None` without cases, or without a range.
pub fn mean(clusters: &[(f64, u64)], (low, high): (f64, f64)) -> Option<Estimate> {
    let range = high - low;
    if range.is_nan() || range <= 0.0 {
        return None;
    }
    let part = |(sum, cases): &(f64, u64)| ((sum - low * *cases as f64) / range, *cases as f64);
    let share = bounded_mean(&clusters.iter().map(part).collect::<Vec<_>>())?;
    let back = |value: f64| low + range * value;
    Some(Estimate { value: back(share.value), low: back(share.low), high: back(share.high) })
}

/// Kappa or MCC: the jackknife's variance, put on the scale of a share, (1 + value) / 2.
fn coefficient(measure: Measure, tables: &[Cells]) -> Option<Estimate> {
    let value = measure.of_cells(&total(tables))?;
    let unknown = Some(Estimate::unknown(value, -1.0, 1.0));
    let judged: Vec<Cells> = tables.iter().copied().filter(|table| table.iter().sum::<f64>() > 0.0).collect();
    if judged.len() < 2 {
        return unknown;
    }
    let smoothed = with_pseudo(&judged);
    let Some((middle, pulls)) = pulls(measure, &smoothed) else { return unknown };
    let rows: Vec<Part> = judged.iter().filter_map(|table| Measure::Accuracy.share_of(table)).collect();
    let cases: f64 = rows.iter().map(|row| row.1).sum();
    let Some(spread) = spread(&rows) else { return unknown };
    Some(coefficient_interval(value, middle, &pulls, judged.len(), (cases, spread)))
}

/// The tables with four clusters more, one for each kind of row.
fn with_pseudo(tables: &[Cells]) -> Vec<Cells> {
    let sizes: Vec<f64> = tables.iter().map(|table| table.iter().sum()).collect();
    let weight = root_mean_square(&sizes);
    let pseudo = (0..4).map(|kind| {
        let mut table = [0.0; 4];
        table[kind] = weight;
        table
    });
    tables.iter().copied().chain(pseudo).collect()
}

pub(super) fn total(tables: &[Cells]) -> Cells {
    tables.iter().fold([0.0; 4], |mut sum, table| {
        sum.iter_mut().zip(table).for_each(|(sum, count)| *sum += count);
        sum
    })
}

/// The measure over all tables, and how far each table pulls it: the difference that leaving it out makes.
pub(super) fn pulls(measure: Measure, tables: &[Cells]) -> Option<(f64, Vec<f64>)> {
    let whole = total(tables);
    let value = measure.of_cells(&whole)?;
    let without = tables.iter().map(|table| {
        let mut rest = whole;
        rest.iter_mut().zip(table).for_each(|(rest, count)| *rest -= count);
        Some(value - measure.of_cells(&rest)?)
    });
    Some((value, without.collect::<Option<_>>()?))
}

/// How far each part pulls the share of successes over all of them; 0 where one part has all cases.
pub(super) fn pulls_of_share(parts: &[Part]) -> Vec<f64> {
    let (successes, cases) = parts.iter().fold((0.0, 0.0), |sum, part| (sum.0 + part.0, sum.1 + part.1));
    let pull = |part: &Part| {
        let rest = cases - part.1;
        if rest > 0.0 { successes / cases - (successes - part.0) / rest } else { 0.0 }
    };
    parts.iter().map(pull).collect()
}

/// How far two figures are pulled together by the same clusters, from -1 to 1; 0 where one is not pulled at all.
pub(super) fn correlation(a: &[f64], b: &[f64]) -> f64 {
    let products = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(x, y)| x * y).sum::<f64>();
    let whole = (products(a, a) * products(b, b)).sqrt();
    if whole > 0.0 { (products(a, b) / whole).clamp(-1.0, 1.0) } else { 0.0 }
}
