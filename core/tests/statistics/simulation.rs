//! Intervals and tests where the truth is known; the whole grid is `cargo bench --bench coverage`.

use tooljudge_core::domain::Random;
use tooljudge_core::stats::quantile::binomial_lower;
use tooljudge_core::stats::*;

use super::worlds::{Clusters, Judge, World};

const TYPICAL: Judge = Judge { sensitivity: 0.9, specificity: 0.75 };
const TRIES: u64 = 250;

/// A rate of at least `rate` would give fewer than one in a thousand times.
fn too_few(held: u64, tries: u64, rate: f64) -> bool {
    binomial_lower(held, tries, rate) < 0.001
}

fn worlds() -> [World; 6] {
    [
        World { rows: 50, clusters: Clusters::Equal(1), prevalence: 0.9 },
        World { rows: 200, clusters: Clusters::Equal(5), prevalence: 0.3 },
        World { rows: 200, clusters: Clusters::Uneven(5.0), prevalence: 0.5 },
        World { rows: 600, clusters: Clusters::Equal(30), prevalence: 0.5 },
        World { rows: 520, clusters: Clusters::Dominated(0.96), prevalence: 0.5 },
        World { rows: 80, clusters: Clusters::Dominated(0.5), prevalence: 0.5 },
    ]
}

#[test]
fn intervals_hold_the_truth() {
    let mut ignoring_clusters_fails = false;
    for world in worlds() {
        let mut random = Random::new(7);
        let mut held = [0; Measure::ALL.len()];
        let mut naive = 0;
        for _ in 0..TRIES {
            let tables = world.tables(TYPICAL, &mut random);
            for (at, measure) in Measure::ALL.into_iter().enumerate() {
                let truth = TYPICAL.truth(measure, world.prevalence);
                held[at] += u64::from(estimate(measure, &tables).is_none_or(|found| found.holds(truth)));
            }
            let total: Confusion = tables.iter().sum();
            let (low, high) = wilson(total.true_positive + total.true_negative, total.judged()).unwrap();
            let truth = TYPICAL.truth(Measure::Accuracy, world.prevalence);
            naive += u64::from(low <= truth && truth <= high);
        }
        for (measure, held) in Measure::ALL.into_iter().zip(held) {
            assert!(!too_few(held, TRIES, 0.93), "{measure:?} in {world:?}: {held} of {TRIES}");
        }
        ignoring_clusters_fails |= too_few(naive, TRIES, 0.93);
    }
    assert!(ignoring_clusters_fails, "this simulation notices an interval that takes clusters for rows");
}

#[test]
fn differences_hold_the_truth_and_equal_judges_raise_no_alarm() {
    let other = Judge { sensitivity: 0.8, specificity: 0.85 };
    let mut ignoring_clusters_fails = false;
    for world in worlds() {
        let mut random = Random::new(8);
        let (mut held, mut quiet, mut naive) = ([0; Measure::ALL.len()], 0, 0);
        for _ in 0..TRIES {
            let pairs = world.pairs(TYPICAL, other, 0.7, &mut random);
            for (at, measure) in
                [Measure::Accuracy, Measure::BalancedAccuracy, Measure::F1Incorrect].into_iter().enumerate()
            {
                let truth = other.truth(measure, world.prevalence) - TYPICAL.truth(measure, world.prevalence);
                held[at] +=
                    u64::from(difference(measure, &pairs).is_none_or(|found| found.difference.holds(truth)));
            }
            let found = paired_test(&world.pairs(TYPICAL, TYPICAL, 0.7, &mut random));
            quiet += u64::from(found.p > 0.05);
            naive += u64::from(mcnemar_exact(found.only_a_right, found.only_b_right) > 0.05);
        }
        assert!(held[..3].iter().all(|held| !too_few(*held, TRIES, 0.93)), "{world:?}: {held:?} of {TRIES}");
        assert!(!too_few(quiet, TRIES, 0.95), "{world:?}: {quiet} of {TRIES}");
        ignoring_clusters_fails |= too_few(naive, TRIES, 0.95);
    }
    assert!(ignoring_clusters_fails, "this simulation notices a test that takes clusters for rows");
}

#[test]
fn scores_repeats_and_shares_hold_the_truth() {
    let names = ["auc", "brier", "flip rate", "repeat kappa", "corrected", "powered", "gold alone"];
    for world in worlds() {
        let mut random = Random::new(10);
        let area = 1.0 - quantile::normal_upper(2.0 / (1.2 * 2.0_f64.sqrt()));
        let (least, error) = world.truth_of_rated(10);
        let (steady, prevalence) = (0.8, world.prevalence);
        let flips = (1.0 - steady) / 2.0;
        let passed = prevalence * steady + flips;
        let kappa = 1.0 - flips / (2.0 * passed * (1.0 - passed));
        let mut held = [0; 7];
        for at in 0..TRIES {
            let rated = world.rated(&mut random);
            let repeats = world.repeats(steady, &mut random);
            let calibration = World { prevalence: 0.5, ..world }.tables(TYPICAL, &mut random);
            let logs = world.passes(TYPICAL, &mut random);
            let labelled = World { rows: world.rows / 2, ..world }.tables(TYPICAL, &mut random);
            let found = [
                (auc_estimate(&rated), area),
                (brier(&rated), least),
                (flip_rate(&repeats), flips),
                (repeat_kappa(&repeats), kappa),
                (corrected_share(&logs, &calibration).ok().map(|found| found.corrected), prevalence),
                (prediction_powered_share(&logs, &labelled), prevalence),
                (prediction_powered_share(&[], &labelled), prevalence),
            ];
            for (held, (found, truth)) in held.iter_mut().zip(found) {
                *held += u64::from(found.is_none_or(|found| found.holds(truth)));
            }
            // Its interval is so wide that it has to hold always.
            assert!(at % 25 != 0 || ece(&rated, 10).unwrap().holds(error), "{world:?}");
        }
        for (name, held) in names.into_iter().zip(held) {
            assert!(!too_few(held, TRIES, 0.93), "{name} in {world:?}: {held} of {TRIES}");
        }
    }
}

/// Wrong calls come in kinds, and a judge sees some kinds better than others.
#[test]
fn a_scripted_judge_is_recovered() {
    const SENSITIVITY: f64 = 0.92;
    const KINDS: [(&str, f64); 3] = [("wrong tool", 0.97), ("wrong value", 0.7), ("missing argument", 0.45)];
    let mut random = Random::new(9);
    let world = World { rows: 400, clusters: Clusters::Equal(4), prevalence: 0.5 };
    let logs = World { rows: 600, prevalence: 0.5, ..world };
    let draw = |world: &World, random: &mut Random| {
        world.draw(random, |gold, random| {
            let kind = (random.unit() * KINDS.len() as f64) as usize;
            let passes = if gold { SENSITIVITY } else { 1.0 - KINDS[kind].1 };
            (kind, random.chance(passes))
        })
    };
    let (mut kinds, mut sensitivity, mut corrected, mut naive) = ([0; KINDS.len()], 0, 0, 0);
    for _ in 0..TRIES {
        let bench = draw(&world, &mut random);
        for (at, (_, rate)) in KINDS.into_iter().enumerate() {
            let caught = bench.iter().map(|cluster| {
                let own = cluster.iter().filter(|(gold, (kind, _))| !gold && *kind == at);
                own.fold((0, 0), |(caught, all), (_, (_, passed))| (caught + u64::from(!passed), all + 1))
            });
            kinds[at] += u64::from(share(&caught.collect::<Vec<_>>()).is_none_or(|found| found.holds(rate)));
        }
        let tables: Vec<Confusion> = bench
            .iter()
            .map(|cluster| cluster.iter().map(|(gold, (_, passed))| (*gold, Some(*passed))).collect())
            .collect();
        let passed: Vec<(u64, u64)> = draw(&logs, &mut random)
            .iter()
            .map(|cluster| {
                (cluster.iter().filter(|(_, (_, passed))| *passed).count() as u64, cluster.len() as u64)
            })
            .collect();
        let found = corrected_share(&passed, &tables).unwrap();
        sensitivity += u64::from(found.sensitivity.holds(SENSITIVITY));
        corrected += u64::from(found.corrected.holds(logs.prevalence));
        naive += u64::from(found.observed.holds(logs.prevalence));
    }
    assert!(kinds.iter().all(|held| !too_few(*held, TRIES, 0.93)), "{kinds:?} of {TRIES}");
    assert!(
        !too_few(sensitivity, TRIES, 0.93) && !too_few(corrected, TRIES, 0.93),
        "{sensitivity} {corrected}"
    );
    assert!(too_few(naive, TRIES, 0.93), "uncorrected, the share is off");
}

/// A judge of five grades that is mostly right, often next to it and sometimes anywhere; all rows of a question have one gold.
#[test]
fn weighted_kappa_holds_the_truth() {
    const GRADES: u8 = 5;
    let grade = |random: &mut Random| (random.unit() * f64::from(GRADES)) as u8;
    let label = |gold: u8, random: &mut Random| match random.unit() {
        sure if sure < 0.6 => gold,
        near if near < 0.75 => gold.saturating_sub(1),
        near if near < 0.9 => (gold + 1).min(GRADES - 1),
        _ => grade(random),
    };
    let cluster = |rows: usize, random: &mut Random| {
        let gold = grade(random);
        let mut pairs = GradePairs::default();
        (0..rows).for_each(|_| pairs.add(gold, label(gold, random)));
        pairs
    };
    let mut random = Random::new(11);
    let many: Vec<GradePairs> = (0..400_000).map(|_| cluster(1, &mut random)).collect();
    let truth = weighted_kappa(&many, GRADES).unwrap().value;
    for (clusters, rows) in [(30, 1), (100, 1), (20, 4), (60, 5)] {
        let held = (0..TRIES).filter(|_| {
            let found: Vec<GradePairs> = (0..clusters).map(|_| cluster(rows, &mut random)).collect();
            weighted_kappa(&found, GRADES).unwrap().holds(truth)
        });
        let held = held.count() as u64;
        println!("weighted kappa {truth:.3}, {clusters} clusters of {rows}: {held} of {TRIES}");
        assert!(!too_few(held, TRIES, 0.93), "{clusters} clusters of {rows}: {held} of {TRIES}");
    }
}
