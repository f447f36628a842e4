//! Derives rails from what evaluator files say about their labels.

use crate::domain::{Rail, Rails};

/// What to do where a file does not say which label is good.
pub(super) const NAME_THEM: &str = "name the labels with --rails GOOD,BAD";

/// Rails with scores, of which those pass that have at least `threshold`; the first of the highest score is the positive one.
///
/// # Errors
/// In words, if they cannot be rails.
pub(super) fn scored(labels: Vec<(String, f64)>, threshold: f64) -> Result<Rails, String> {
    let best = labels.iter().reduce(|best, label| if label.1 > best.1 { label } else { best });
    let best = best.map(|(label, _)| label.clone()).unwrap_or_default();
    let passing = labels.iter().filter(|(_, score)| *score >= threshold).count();
    if passing == 0 || passing == labels.len() {
        let what = if passing == 0 { "no label passes" } else { "every label passes" };
        return Err(format!("{what}, so it cannot tell right from wrong; {NAME_THEM}"));
    }
    let rails = labels.into_iter().map(|(label, score)| Rail { label, score }).collect();
    // Where one label passes, the positive one says it all.
    Rails::new(rails, &best)
        .and_then(|rails| rails.with_threshold((passing > 1).then_some(threshold)))
        .map_err(|why| format!("{why}; {NAME_THEM}"))
}

/// The whole numbers from `low` to `high`, the best first, as shares of the way from the lowest to the highest.
///
/// # Errors
/// As of [`scored`].
pub(super) fn grades(low: i64, high: i64, threshold: f64) -> Result<Rails, String> {
    let share = |grade: f64| (grade - low as f64) / (high - low) as f64;
    let labels = (low..=high).rev().map(|grade| (grade.to_string(), share(grade as f64)));
    scored(labels.collect(), share(threshold))
}
