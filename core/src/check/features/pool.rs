//! Features of all arguments of a sample in one row: the minimum and mean of each, and those of the worst argument.

use super::argument::{Argument, ArgumentFeature};
use super::{FEATURES, Feature, Features, NONE};
use crate::check::score::SIGNALS;

/// Sums up what the arguments show.
pub(super) fn sum_up(features: &mut Features, calls: usize, given: usize) {
    use ArgumentFeature as A;
    use Feature as F;
    let all = std::mem::take(&mut features.arguments);
    let least = |feature: A, rows: &dyn Fn(&Argument) -> bool| {
        let least =
            all.iter().filter(|own| rows(own)).map(|own| own.get(feature)).fold(f32::INFINITY, f32::min);
        if least.is_finite() { least } else { NONE }
    };
    let most = |feature: A| all.iter().map(|own| own.get(feature)).fold(NONE, f32::max);
    let mean = |feature: A| {
        if all.is_empty() {
            NONE
        } else {
            all.iter().map(|own| own.get(feature)).sum::<f32>() / all.len() as f32
        }
    };
    let count = |rows: &dyn Fn(&Argument) -> bool| all.iter().filter(|own| rows(own)).count() as f32;
    let any = |_: &Argument| true;
    let of_texts = |own: &Argument| own.get(A::whole) >= 0.0;
    let weak = |own: &Argument| own.get(A::ground) < 0.3;
    let (total, zero) = (all.len() as f32, count(&weak));
    let values = [
        (F::arg_count, given.min(40) as f32),
        (F::arg_each, given.min(200) as f32 / calls.max(1) as f32),
        (F::arg_ground, least(A::ground, &any)),
        (F::arg_ground_mean, mean(A::ground)),
        (F::arg_required_ground, least(A::ground, &|own| own.get(A::required) > 0.0)),
        (
            F::arg_optional_ground,
            least(A::ground, &|own| own.get(A::required) == 0.0 && own.get(A::default) == 0.0),
        ),
        (F::arg_number_ground, least(A::support, &|own| own.get(A::number) > 0.0)),
        (F::arg_support, least(A::support, &any)),
        (F::arg_support_mean, mean(A::support_mean)),
        (F::arg_zero, zero),
        (F::arg_zero_share, zero / total.max(1.0)),
        (F::arg_optional, count(&|own| own.get(A::required) == 0.0)),
        (F::arg_default, count(&|own| own.get(A::default) > 0.0 && own.get(A::required) == 0.0)),
        (F::arg_faults, count(&|own| own.get(A::faulty) > 0.0)),
        (F::arg_trunc, most(A::trunc)),
        (F::arg_extended, most(A::extended)),
        (F::arg_tail, most(A::tail_missing)),
        (F::arg_case, most(A::case_lost)),
        (F::arg_expression, most(A::expression)),
        (F::arg_numbers_missing, most(A::numbers_missing)),
        (F::arg_missing, most(A::missing)),
        (F::arg_sign_like, most(A::signs)),
        (F::arg_underscore, most(A::underscore)),
        (F::arg_empty, most(A::empty)),
        (F::arg_words, most(A::words)),
        (F::arg_list, most(A::list)),
        (F::arg_list_listed, most(A::list_listed)),
        (F::arg_true_unnamed, count(&|own| own.get(A::truth) == 1.0 && own.get(A::truth_named) == 0.0)),
        (F::arg_booleans, count(&|own| own.get(A::truth) >= 0.0)),
        (
            F::arg_enum_rival,
            all.iter().map(|own| own.get(A::rival_named) - own.get(A::choice_named)).fold(0.0, f32::max),
        ),
        (F::arg_near, least(A::near, &|own| own.get(A::near) >= 0.0)),
        (F::arg_gap, if all.is_empty() { 0.0 } else { least(A::gap, &any) }),
        (F::arg_next, count(&|own| own.get(A::next) == 0.0)),
        (F::arg_rival, count(&|own| own.get(A::rival) == 1.0)),
        (F::arg_repeated, count(&|own| own.get(A::twice_in_call) > 0.0)),
        (F::arg_twice_list, count(&|own| own.get(A::twice_in_list) > 0.0)),
        (F::arg_decimals, most(A::decimals)),
        (F::arg_code, least(A::code, &of_texts)),
        (F::arg_state, least(A::state, &of_texts)),
        (F::arg_date, least(A::dated, &of_texts)),
        (F::from_question, mean(A::from_question)),
        (F::from_user, mean(A::from_user)),
        (F::from_result, mean(A::from_result)),
        (F::from_assistant, mean(A::from_assistant)),
        (F::from_system, mean(A::from_system)),
        (F::from_nowhere, most(A::from_nowhere)),
        (F::from_age, most(A::age)),
    ];
    for (feature, value) in values {
        features.set(feature, value);
    }
    let first = SIGNALS + FEATURES;
    match all.iter().min_by(|a, b| a.get(A::ground).total_cmp(&b.get(A::ground))) {
        Some(worst) => features.values[first..].copy_from_slice(&worst.values),
        None => features.values[first..].fill(NONE),
    }
    features.arguments = all;
}
