//! How many kinds of findings speak for the calls, and how many against: each kind alone is too rare to be weighed.

use super::{Feature, Features};

/// Kinds that hardly a right call shows, of values beside those that were said.
const SAME: [Feature; 7] = [
    Feature::same_near,
    Feature::same_invented,
    Feature::same_address,
    Feature::same_other_record,
    Feature::same_stale,
    Feature::same_corrected,
    Feature::same_stale_amount,
];

/// Other such kinds.
const AGAINST: [Feature; 14] = [
    Feature::way_against,
    Feature::way_true_denied,
    Feature::way_denied_value,
    Feature::way_roles_turned,
    Feature::way_left_choice,
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

pub(super) fn measure(features: &mut Features) {
    let count = |kinds: &[Feature]| kinds.iter().filter(|kind| features.get(**kind) > 0.0).count() as f32;
    let (same, against, told) = (count(&SAME), count(&AGAINST), count(&FOR));
    features.set(Feature::same_against, same);
    features.set(Feature::told_against, same + against);
    features.set(Feature::told_for, told);
}
