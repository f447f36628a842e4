//! Whether rows have another mix than the benchmark whose error rates correct them: a judge that errs in one category only errs far more
//! where all rows are of this category.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::calibration::Calibrated;

/// Shares that differ by less say little, even if it is sure that they do. Chosen: a difference that users would look into.
const APART: f64 = 0.1;
/// A change of the error rates by the mix alone that is worth a warning.
const SHIFT: f64 = 0.05;
/// The part of the rows whose value the benchmark does not have that is worth one.
const UNKNOWN: f64 = 0.1;
/// The most values that a warning names.
const NAMED: usize = 3;

/// What a benchmark says of the rows with one value in a column.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct CalibratedSlice {
    by: Option<String>,
    value: Option<String>,
    #[serde(default)]
    rows: u64,
    #[serde(default)]
    confusion: Judged,
    #[serde(default)]
    figures: BTreeMap<String, Option<Figure>>,
}

/// How many rows have each label by gold and by the judge; positive is right.
#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(default)]
struct Judged {
    true_positive: u64,
    false_negative: u64,
    false_positive: u64,
    true_negative: u64,
}

#[derive(Debug, Clone, Copy, Deserialize)]
struct Figure {
    value: f64,
    low: f64,
    high: f64,
}

/// An error rate, and how the record names it.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Rate {
    /// Of the right calls, those that pass.
    Sensitivity,
    /// Of the wrong calls, those that fail.
    Specificity,
}

impl Rate {
    fn key(self) -> &'static str {
        match self {
            Rate::Sensitivity => "recall_correct",
            Rate::Specificity => "recall_incorrect",
        }
    }

    fn in_words(self) -> &'static str {
        match self {
            Rate::Sensitivity => "right calls passed",
            Rate::Specificity => "wrong calls failed",
        }
    }
}

/// A column by whose values a judge's errors differ, and how many rows have each value.
#[derive(Debug, Clone)]
pub struct Mix {
    by: String,
    slices: Vec<CalibratedSlice>,
    rows: Vec<u64>,
    /// Rows with a value that the benchmark does not have, or without one.
    unknown: u64,
}

impl Calibrated {
    /// The columns among `names` by whose values the judge's error rates clearly differ in the benchmark.
    pub fn mixes<'a>(&self, names: impl Iterator<Item = &'a str>) -> Vec<Mix> {
        let of_column = |by: &str| -> Vec<CalibratedSlice> {
            self.slices
                .iter()
                .filter(|slice| slice.by.as_deref() == Some(by) && slice.value.is_some())
                .cloned()
                .collect()
        };
        names
            .map(|name| (name, of_column(name)))
            .filter(|(_, slices)| {
                [Rate::Sensitivity, Rate::Specificity].into_iter().any(|rate| differs(slices, rate))
            })
            .map(|(by, slices)| Mix { by: by.to_owned(), rows: vec![0; slices.len()], slices, unknown: 0 })
            .collect()
    }
}

/// Whether some two intervals of a rate lie apart.
fn differs(slices: &[CalibratedSlice], rate: Rate) -> bool {
    let figures = || slices.iter().filter_map(|slice| slice.figure(rate));
    let best = figures().max_by(|a, b| a.low.total_cmp(&b.low));
    let worst = figures().min_by(|a, b| a.high.total_cmp(&b.high));
    best.zip(worst).is_some_and(|(best, worst)| best.low > worst.high && best.value - worst.value >= APART)
}

impl CalibratedSlice {
    fn figure(&self, rate: Rate) -> Option<Figure> {
        self.figures.get(rate.key()).copied().flatten()
    }

    /// How many of its rows a rate is about: an error rate of wrong calls is one of a benchmark's wrong rows, not of all its rows.
    fn weight(&self, rate: Rate) -> f64 {
        let Judged { true_positive, false_negative, false_positive, true_negative } = self.confusion;
        let (right, wrong) = (true_positive + false_negative, false_positive + true_negative);
        match (rate, right + wrong) {
            // Without counts, as of all.
            (_, 0) => self.rows as f64,
            (Rate::Sensitivity, _) => right as f64,
            (Rate::Specificity, _) => wrong as f64,
        }
    }

    /// The same among `rows` others, of which as large a part is wrong.
    fn weight_among(&self, rows: u64, rate: Rate) -> f64 {
        rows as f64 * self.weight(rate) / self.rows.max(1) as f64
    }
}

impl Mix {
    /// The column.
    pub fn column(&self) -> &str {
        &self.by
    }

    /// Adds a row with that value in the column.
    pub fn add(&mut self, value: Option<&str>) {
        let known = self.slices.iter().position(|slice| slice.value.as_deref() == value && value.is_some());
        match known.and_then(|at| self.rows.get_mut(at)) {
            Some(rows) => *rows += 1,
            None => self.unknown += 1,
        }
    }

    /// What is wrong with a share that was corrected by the whole benchmark, in words.
    pub fn warning(&self) -> Option<String> {
        let here: u64 = self.rows.iter().sum();
        let all = here + self.unknown;
        let there: u64 = self.slices.iter().map(|slice| slice.rows).sum();
        if all == 0 || there == 0 {
            return None;
        }
        let by = &self.by;
        let shares: Vec<(f64, f64)> = (self.rows.iter().zip(&self.slices))
            .map(|(rows, slice)| (*rows as f64 / all as f64, slice.rows as f64 / there as f64))
            .collect();
        let shift = |rate: Rate| {
            let mean = |weight: &dyn Fn(u64, &CalibratedSlice) -> f64| {
                let known = self.rows.iter().zip(&self.slices);
                let known =
                    known.filter_map(|(rows, slice)| Some((weight(*rows, slice), slice.figure(rate)?.value)));
                let (sum, weights) = known
                    .fold((0.0, 0.0), |(sum, all), (weight, value)| (sum + weight * value, all + weight));
                (weights > 0.0).then(|| sum / weights)
            };
            let now = mean(&|rows, slice| slice.weight_among(rows, rate))?;
            Some((rate, now, mean(&|_, slice| slice.weight(rate))?))
        };
        let shifts = [Rate::Specificity, Rate::Sensitivity].into_iter().filter_map(shift);
        let largest = shifts.reduce(|a, b| if (b.1 - b.2).abs() > (a.1 - a.2).abs() { b } else { a });
        let unknown = self.unknown as f64 / all as f64;
        let percent = |share: f64| format!("{:.0} %", 100.0 * share);
        let (rate, now, then) = match largest.filter(|(_, now, then)| (now - then).abs() >= SHIFT) {
            Some(largest) => largest,
            None if unknown >= UNKNOWN => {
                return Some(format!(
                    "the judge's errors differ by the column `{by}`, and {} of these rows have a value there that the benchmark does not \
                     have: what it gets wrong in them is not known, and the corrected share may be far off; benchmark it on such rows, too",
                    percent(unknown)
                ));
            }
            None => return None,
        };
        let what = rate.in_words();
        let mut named: Vec<usize> = (0..shares.len()).collect();
        named.sort_by(|a, b| {
            let apart = |at: &usize| ((shares[*at].0 - shares[*at].1).abs() * 1e9).round();
            apart(b).total_cmp(&apart(a))
        });
        let value = |at: usize| self.slices[at].value.as_deref().unwrap_or_default();
        if let [only] = named.iter().copied().filter(|at| self.rows[*at] == all).collect::<Vec<_>>()[..] {
            let value = value(only);
            return Some(format!(
                "all of these rows have `{value}` in the column `{by}`, and the correction is for others: {what} with `{value}` are {}, and {} \
                 in the whole benchmark. Do not trust the corrected share: correct these rows by `bench --where {by}={value}`",
                percent(now),
                percent(then)
            ));
        }
        let each = named.iter().take(NAMED).map(|at| {
            let (here, there) = shares[*at];
            let rate =
                self.slices[*at].figure(rate).map_or("not known".to_owned(), |figure| percent(figure.value));
            format!("`{}` {} here and {} there ({what}: {rate})", value(*at), percent(here), percent(there))
        });
        Some(format!(
            "the judge's errors differ by the column `{by}`, of which these rows have another mix than the benchmark: {}. The correction takes \
             the benchmark's mix for granted, so the corrected share may be far off: benchmark rows of this mix, or correct each value by \
             `bench --where {by}=VALUE` alone",
            each.collect::<Vec<_>>().join(", ")
        ))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// By the column `by`, values with their rows, sensitivities and specificities, each give or take some points.
    fn calibrated(values: &[(&str, u64, f64, f64)], points: f64) -> Calibrated {
        let figure = |value: f64| json!({"value": value, "low": value - points, "high": value + points});
        let slices: Vec<_> = values
            .iter()
            .map(|(value, rows, right, wrong)| {
                let figures = json!({"recall_correct": figure(*right), "recall_incorrect": figure(*wrong), "kappa": null});
                json!({"by": "by", "value": value, "rows": rows, "figures": figures})
            })
            .collect();
        Calibrated { slices: serde_json::from_value(json!(slices)).unwrap(), ..Calibrated::default() }
    }

    #[test]
    fn another_mix_is_told_where_errors_differ() {
        let apart = [("A", 100, 0.9, 1.0), ("B", 100, 0.9, 0.0)];
        let alike = [("A", 100, 0.9, 0.85), ("B", 100, 0.9, 0.8)];
        for (slices, points, here, said) in [
            (&apart[..], 0.05, &[("B", 100)][..], "all of these rows have `B` in the column `by`"),
            (
                &apart,
                0.05,
                &[("B", 100)],
                "wrong calls failed with `B` are 0 %, and 50 % in the whole benchmark",
            ),
            (
                &apart,
                0.05,
                &[("A", 20), ("B", 80)],
                "`A` 20 % here and 50 % there (wrong calls failed: 100 %), `B` 80 % here",
            ),
            (&apart, 0.05, &[("A", 48), ("B", 52)], ""),
            (
                &apart,
                0.05,
                &[("A", 40), ("B", 40), ("C", 20)],
                "20 % of these rows have a value there that the benchmark does not have",
            ),
            (&apart, 0.05, &[("A", 48), ("B", 48), ("C", 4)], ""),
            (&apart, 0.05, &[("C", 9)], "100 % of these rows have a value there"),
            (&apart, 0.05, &[], ""),
            (&apart, 0.6, &[("B", 100)], ""),
            (&alike, 0.01, &[("B", 100)], ""),
        ] {
            let mut mixes = calibrated(slices, points).mixes(["other", "by"].into_iter());
            for mix in &mut mixes {
                for (value, rows) in here {
                    (0..*rows).for_each(|_| mix.add(Some(value)));
                }
            }
            let warning = mixes.iter().find_map(Mix::warning).unwrap_or_default();
            assert!(warning.contains(said) && warning.is_empty() == said.is_empty(), "{here:?}: {warning}");
        }
        assert!(calibrated(&apart, 0.05).mixes(["other"].into_iter()).is_empty());
    }

    /// A value with nearly all rows can have few of the wrong ones, and it is these that an error rate is about.
    #[test]
    fn error_rates_are_of_right_or_wrong_rows() {
        let figure = |value: f64| json!({"value": value, "low": value - 0.05, "high": value + 0.05});
        // By value: right rows, wrong rows, the share of right ones passed and of wrong ones failed, both by counts.
        for (slices, here, said) in [
            (
                [("A", 800, 10, 1.0, 0.0), ("B", 0, 35, 0.0, 1.0)],
                &[("A", 500)][..],
                "wrong calls failed with `A` are 0 %, and 78 % in the whole benchmark",
            ),
            (
                [("A", 300, 10, 1.0, 0.0), ("B", 0, 35, 0.0, 1.0)],
                &[("A", 500)],
                "wrong calls failed with `A` are 0 %, and 78 % in the whole benchmark",
            ),
            (
                [("A", 10, 800, 0.0, 1.0), ("B", 35, 0, 1.0, 1.0)],
                &[("A", 500)],
                "right calls passed with `A` are 0 %, and 78 % in the whole benchmark",
            ),
            // As many wrong ones of each as in the benchmark.
            ([("A", 90, 10, 1.0, 0.0), ("B", 0, 35, 0.0, 1.0)], &[("A", 100), ("B", 35)], ""),
            (
                [("A", 90, 10, 1.0, 0.0), ("B", 0, 35, 0.0, 1.0)],
                &[("A", 100), ("B", 3)],
                "`A` 97 % here and 74 % there",
            ),
        ] {
            let slices: Vec<_> = slices
                .iter()
                .map(|(value, right, wrong, passed, failed)| {
                    let counts = |all: u64, share: f64| ((all as f64 * share) as u64, (all as f64 * (1.0 - share)) as u64);
                    let ((tp, fal_n), (tn, fal_p)) = (counts(*right, *passed), counts(*wrong, *failed));
                    let mut figures = serde_json::Map::new();
                    if *right > 0 {
                        figures.insert("recall_correct".to_owned(), figure(*passed));
                    }
                    if *wrong > 0 {
                        figures.insert("recall_incorrect".to_owned(), figure(*failed));
                    }
                    json!({"by": "by", "value": value, "rows": right + wrong, "figures": figures, "confusion": {
                        "true_positive": tp, "false_negative": fal_n, "false_positive": fal_p, "true_negative": tn,
                        "unjudged_positive": 0}})
                })
                .collect();
            let of = Calibrated {
                slices: serde_json::from_value(json!(slices)).unwrap(),
                ..Calibrated::default()
            };
            let mut mixes = of.mixes(["by"].into_iter());
            assert_eq!(mixes.len(), 1);
            for (value, rows) in here {
                (0..*rows).for_each(|_| mixes[0].add(Some(value)));
            }
            let warning = mixes[0].warning().unwrap_or_default();
            assert!(warning.contains(said) && warning.is_empty() == said.is_empty(), "{here:?}: {warning}");
        }
    }
}
