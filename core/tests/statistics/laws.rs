//! Laws that figures keep whatever the rows are.

use proptest::prelude::*;
use tooljudge_core::stats::*;

fn confusion() -> impl Strategy<Value = Confusion> {
    let count = || prop_oneof![3 => Just(0), 4 => 0_u64..4, 1 => 0_u64..60];
    (count(), count(), count(), count(), 0_u64..3, 0_u64..3).prop_map(
        |(
            true_positive,
            false_negative,
            false_positive,
            true_negative,
            unjudged_positive,
            unjudged_negative,
        )| {
            Confusion {
                true_positive,
                false_negative,
                false_positive,
                true_negative,
                unjudged_positive,
                unjudged_negative,
            }
        },
    )
}

fn paired() -> impl Strategy<Value = Paired> {
    let label = || prop_oneof![4 => any::<bool>().prop_map(Some), 1 => Just(None)];
    prop::collection::vec((any::<bool>(), label(), label()), 0..8).prop_map(|rows| {
        let mut paired = Paired::default();
        rows.into_iter().for_each(|(gold, a, b)| paired.add(gold, a, b));
        paired
    })
}

fn within(estimate: &Estimate, low: f64, high: f64) -> bool {
    low <= estimate.low
        && estimate.low <= estimate.value
        && estimate.value <= estimate.high
        && estimate.high <= high
}

/// Equal but for the order of additions.
fn same(a: Option<Estimate>, b: Option<Estimate>) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => {
            [(a.value, b.value), (a.low, b.low), (a.high, b.high)].iter().all(|(a, b)| (a - b).abs() < 1e-9)
        }
        (a, b) => a.is_none() && b.is_none(),
    }
}

proptest! {
    #[test]
    fn intervals_hold_their_figure_and_stay_in_range(clusters in prop::collection::vec(confusion(), 0..12)) {
        let total: Confusion = clusters.iter().sum();
        for measure in Measure::ALL {
            let found = estimate(measure, &clusters);
            match (found, measure.of(&total)) {
                (Some(found), Some(value)) => {
                    let (low, high) = measure.range();
                    prop_assert!(within(&found, low - 1e-12, high + 1e-12), "{measure:?} {found:?}");
                    prop_assert!((found.value - value).abs() < 1e-9, "{measure:?} {found:?} {value}");
                }
                (found, value) => prop_assert!(found.is_none() && value.is_none(), "{measure:?} {found:?} {value:?}"),
            }
        }
    }

    #[test]
    fn the_order_of_clusters_does_not_matter(clusters in prop::collection::vec(confusion(), 0..10)) {
        let turned: Vec<Confusion> = clusters.iter().rev().copied().collect();
        for measure in Measure::ALL {
            prop_assert!(same(estimate(measure, &clusters), estimate(measure, &turned)), "{measure:?}");
        }
    }

    #[test]
    fn bounds_are_those_of_all_ways_to_label(total in confusion()) {
        for measure in Measure::ALL {
            let mut all: Option<(f64, f64)> = None;
            for right in 0..=total.unjudged_positive {
                for as_well in 0..=total.unjudged_negative {
                    let table = Confusion {
                        true_positive: total.true_positive + right,
                        false_negative: total.false_negative + total.unjudged_positive - right,
                        true_negative: total.true_negative + as_well,
                        false_positive: total.false_positive + total.unjudged_negative - as_well,
                        unjudged_positive: 0,
                        unjudged_negative: 0,
                    };
                    if let Some(value) = measure.of(&table) {
                        all = Some(all.map_or((value, value), |(low, high)| (low.min(value), high.max(value))));
                    }
                }
            }
            let found = bounds(measure, &total);
            match (found, all) {
                (Some(a), Some(b)) => prop_assert!((a.0 - b.0).abs() + (a.1 - b.1).abs() < 1e-12, "{measure:?} {a:?} {b:?}"),
                (a, b) => prop_assert!(a.is_none() && b.is_none(), "{measure:?} {a:?} {b:?}"),
            }
        }
    }

    #[test]
    fn exchanging_the_judges_turns_the_difference_round(clusters in prop::collection::vec(paired(), 0..10)) {
        let exchanged: Vec<Paired> = clusters.iter().map(Paired::exchanged).collect();
        for measure in Measure::ALL {
            let (found, turned) = (difference(measure, &clusters), difference(measure, &exchanged));
            let (Some(found), Some(turned)) = (found, turned) else {
                prop_assert!(found.is_none() && turned.is_none());
                continue;
            };
            let back = Estimate {
                value: -turned.difference.value,
                low: -turned.difference.high,
                high: -turned.difference.low,
            };
            prop_assert!(same(Some(found.difference), Some(back)), "{found:?} {turned:?}");
            prop_assert!((found.p - turned.p).abs() < 1e-9 && (0.0..=1.0).contains(&found.p));
            let width = measure.range().1 - measure.range().0;
            prop_assert!(within(&found.difference, -width - 1e-12, width + 1e-12), "{found:?}");
        }
    }

    #[test]
    fn whatever_is_counted_nothing_breaks(
        logs in prop::collection::vec((0_u64..5, 0_u64..9), 0..9),
        calibration in prop::collection::vec(confusion(), 0..9),
        scores in prop::collection::vec((0_u32..4, 0.0..1.0_f64, any::<bool>()), 0..30),
    ) {
        let logs: Vec<(u64, u64)> = logs.into_iter().map(|(passed, judged)| (passed.min(judged), judged)).collect();
        if let Ok(found) = corrected_share(&logs, &calibration) {
            prop_assert!(within(&found.corrected, 0.0, 1.0), "{found:?}");
        }
        if let Some(found) = prediction_powered_share(&logs, &calibration) {
            prop_assert!(within(&found, 0.0, 1.0), "{found:?}");
        }
        let rated: Vec<Rated> = scores.into_iter().map(|(cluster, score, gold)| Rated { cluster, score, gold }).collect();
        for found in [auc_estimate(&rated), brier(&rated), ece(&rated, 10)].into_iter().flatten() {
            prop_assert!(within(&found, 0.0, 1.0), "{found:?}");
        }
        for bin in reliability(&rated, 5) {
            prop_assert!(within(&bin.share, 0.0, 1.0) && bin.low <= bin.mean_score && bin.mean_score <= bin.high);
        }
    }
}

#[test]
fn copies_of_a_row_are_no_more_rows() {
    let clusters = |copies: u64| -> Vec<(u64, u64)> {
        (0..40).map(|at| (if at % 4 == 0 { 0 } else { copies }, copies)).collect()
    };
    let (single, copied) = (share(&clusters(1)).unwrap(), share(&clusters(25)).unwrap());
    assert_eq!(single.value, copied.value);
    assert!(copied.width() >= single.width(), "{single:?} {copied:?}");
    assert!(copied.width() < 1.1 * single.width(), "{single:?} {copied:?}");
}

#[test]
fn more_of_the_same_is_surer() {
    let some: Vec<Confusion> = (0..30_u64)
        .map(|at| Confusion {
            true_positive: 2 + at % 3,
            false_negative: at % 2,
            false_positive: u64::from(at % 5 == 0),
            true_negative: 1 + at % 4,
            ..Confusion::default()
        })
        .collect();
    let more: Vec<Confusion> = std::iter::repeat_n(some.clone(), 4).flatten().collect();
    for measure in Measure::ALL {
        let (few, many) = (estimate(measure, &some).unwrap(), estimate(measure, &more).unwrap());
        assert!((few.value - many.value).abs() < 1e-12);
        // By half, as always, and more because the clusters that are made up weigh less.
        let ratio = few.width() / many.width();
        assert!((1.9..3.5).contains(&ratio), "{measure:?}: {ratio}");
    }
}

#[test]
fn single_rows_give_wilsons_interval() {
    let clusters: Vec<(u64, u64)> = (0..200).map(|at| (u64::from(at % 3 != 0), 1)).collect();
    let found = share(&clusters).unwrap();
    let (low, high) = wilson(133, 200).unwrap();
    assert!((found.low - low).abs() < 1e-12 && (found.high - high).abs() < 1e-12);
}

#[test]
fn one_cluster_says_nothing() {
    let one =
        [Confusion { true_positive: 90, true_negative: 80, false_positive: 10, ..Confusion::default() }];
    for measure in Measure::ALL {
        let found = estimate(measure, &one).unwrap();
        assert_eq!((found.low, found.high), measure.range(), "{measure:?}");
    }
    assert_eq!(share(&[(3, 5)]).map(|found| (found.low, found.high)), Some((0.0, 1.0)));
    assert_eq!(share(&[(6, 5)]), None);
    assert_eq!(share(&[]), None);
}

#[test]
fn a_judge_that_does_not_look_cannot_be_corrected() {
    let guessing: Vec<Confusion> =
        (0..200).map(|at| [(at % 2 == 0, Some(at % 4 < 2))].into_iter().collect()).collect();
    let logs: Vec<(u64, u64)> = (0..200).map(|at| (at % 2, 1)).collect();
    assert!(matches!(corrected_share(&logs, &guessing), Err(NoInformation::ChanceLike(_))));
    assert_eq!(corrected_share(&logs, &[]), Err(NoInformation::Missing));
    // A judge that passes 5 of 100 wrong calls, and logs of which it passes nothing but has passed all right ones before.
    let strict: Vec<Confusion> =
        (0..400).map(|at| [(at % 2 == 0, Some(at % 2 == 0 || at % 8 == 1))].into_iter().collect()).collect();
    let never: Vec<(u64, u64)> = vec![(0, 1); 400];
    assert!(matches!(corrected_share(&never, &strict), Err(NoInformation::Contradiction(_))));
}

#[test]
fn correction_by_hand() {
    // Sensitivity 0.9, specificity 0.8, 55 of 100 passed: (0.55 + 0.8 - 1) / 0.7 = 0.5.
    let row = |gold, label| [(gold, Some(label))].into_iter().collect::<Confusion>();
    let calibration: Vec<Confusion> =
        (0..100).flat_map(|at| [row(true, at % 10 != 0), row(false, at % 5 == 0)]).collect();
    let logs: Vec<(u64, u64)> = (0..100).map(|at| (u64::from(at < 55), 1)).collect();
    let found = corrected_share(&logs, &calibration).unwrap();
    assert!((found.corrected.value - 0.5).abs() < 1e-12 && !found.clamped);
    // Delta method: (0.55 0.45 / 100 + 0.5^2 (0.9 0.1 / 100) + 0.5^2 (0.8 0.2 / 100)) / 0.7^2 = 0.00787^(1/2 squared).
    let reach = 1.96 * ((0.2475 + 0.25 * 0.09 + 0.25 * 0.16) / 100.0 / 0.49_f64).sqrt();
    assert!((found.corrected.width() / (2.0 * reach) - 1.0).abs() < 0.05, "{found:?} {reach}");
}
