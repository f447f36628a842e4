//! Sums of the evidence for and against the calls: each kind alone is too rare to weigh.
//!
//! Evidence rests on the findings against: only those kinds count that contradict the request by their nature, or that are at least
//! four times as frequent among wrong rows as among right ones.

use super::super::assess::Assessor;
use super::{Feature, Features};
use crate::domain::{CallTask, ToolCall};

/// More observations than that say no more.
const MOST: usize = 5;

/// Kinds that hardly a right call shows, of values beside those that were said.
const SAME: [Feature; 6] = [
    Feature::same_near,
    Feature::same_invented,
    Feature::same_address,
    Feature::same_stale,
    Feature::same_corrected,
    Feature::same_stale_amount,
];

/// Those that right calls show too: another record may have been chosen with reason.
const OTHERS: [Feature; 1] = [Feature::same_other_record];

/// Other kinds that hardly a right call shows.
const AGAINST: [Feature; 13] = [
    Feature::way_against,
    Feature::way_true_denied,
    Feature::way_denied_value,
    Feature::way_roles_turned,
    Feature::way_left_name,
    Feature::way_pairs_crossed,
    Feature::time_other,
    Feature::time_weekday_other,
    Feature::time_month_other,
    Feature::time_clock_other,
    Feature::sum_unit_other,
    Feature::sum_share_other,
    Feature::step_against,
];

/// Kinds of agreement that a wrong call shows less often.
const FOR: [Feature; 13] = [
    Feature::way_with,
    Feature::way_false_denied,
    Feature::way_roles_kept,
    Feature::way_pairs_kept,
    Feature::same_record,
    Feature::same_latest,
    Feature::time_told,
    Feature::time_weekday,
    Feature::time_month,
    Feature::time_clock,
    Feature::sum_told,
    Feature::sum_unit,
    Feature::step_waits,
];

/// From this strength on a kind counts as a fact.
fn strength(kind: Feature) -> f32 {
    match kind {
        // One word of a name, a denial further away, places without a word that marks both: a hint.
        Feature::way_left_name
        | Feature::way_denied_value
        | Feature::way_roles_turned
        | Feature::way_true_denied
        // One of several times of day may be worked out.
        | Feature::time_clock_other => 1.0,
        _ => f32::MIN_POSITIVE,
    }
}

pub(super) fn measure(features: &mut Features, assessor: &Assessor, calls: &[ToolCall]) {
    sum(features);
    let result = &assessor.result;
    let observed = result.observations.iter().filter(|own| own.concerns(CallTask::ToolCalling)).count();
    features.set(Feature::told_observed, observed.min(MOST) as f32);
    let accounted = result.supported + result.defaults >= result.values;
    let told_against = features.get(Feature::told_against);
    if accounted && observed == 0 && told_against == 0.0 && !calls.is_empty() {
        features.set(Feature::told_accounted, 1.0);
    }
}

fn sum(features: &mut Features) {
    let count = |kinds: &[Feature]| {
        kinds.iter().filter(|kind| features.get(**kind) >= strength(**kind)).count() as f32
    };
    let (same, others, against, told) = (count(&SAME), count(&OTHERS), count(&AGAINST), count(&FOR));
    features.set(Feature::same_against, same + others);
    features.set(Feature::told_against, same + against);
    features.set(Feature::told_for, told);
}

#[cfg(test)]
mod tests {
    use super::super::COLUMNS;
    use super::*;

    #[test]
    fn hints_are_no_facts() {
        for (feature, value, expected) in [
            (Feature::way_left_name, 0.4, 0.0),
            (Feature::way_left_name, 1.0, 1.0),
            (Feature::way_true_denied, 0.6, 0.0),
            (Feature::time_other, 0.5, 1.0),
            (Feature::same_other_record, 1.0, 0.0),
            (Feature::way_left_choice, 1.0, 0.0),
            (Feature::way_left_described, 3.0, 0.0),
            (Feature::same_near, 1.0, 1.0),
        ] {
            let mut features = Features { values: vec![0.0; COLUMNS], arguments: Vec::new() };
            features.set(feature, value);
            sum(&mut features);
            assert_eq!(features.get(Feature::told_against), expected, "{feature:?} {value}");
        }
    }
}
