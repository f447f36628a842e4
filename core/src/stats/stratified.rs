//! Two runs of the same cases, each tried any number of times: whether one passes more often, and by how much.

use super::estimate::Estimate;
use super::pass_rates::Trials;
use super::quantile::{Z, normal_upper};
use super::stratum::{Part, Stratum};

/// Additions that an exact distribution may cost; beyond, so many tries are counted that the normal one is as good.
const MAX_ADDITIONS: u64 = 200_000_000;

/// Steps of a search by halves: beyond, doubles tell nothing apart.
const STEPS: u32 = 50;

/// How often cases pass in two runs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stratified {
    /// The weighted share of the first run that passes: a case of m tries in the first run and n in the second weighs m n / (m + n).
    pub before: f64,
    /// The share of the second run that passes, weighted alike.
    pub after: f64,
    /// The second less the first.
    pub difference: Estimate,
    /// Whether it may be chance.
    pub test: StratifiedTest,
}

/// A test of two runs, case by case.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StratifiedTest {
    /// Two-sided.
    pub p: f64,
    /// What `p` would be had the same first run been followed by one in which nothing passes. Where it is 0.05 or more, no fall can be
    /// shown.
    pub p_of_none: f64,
    /// What `p` would be had the same first run been followed by one in which all passes. Where it is 0.05 or more, no rise can be
    /// shown.
    pub p_of_all: f64,
    /// Whether `p` is exact.
    pub exact: bool,
}

/// How the second run of each case differs from the first. Cases that one of the runs did not score are left out; `None` where none
/// is left.
///
/// The test is exact: where a case passes as often in both runs, each way to divide its passed tries among both runs is equally likely
/// (R. A. Fisher, "The Design of Experiments", 1935), and the passed tries of the second run are added up over cases (M. W. Birch,
/// "The detection of partial association, I: the 2 × 2 case", JRSS B 26, 1964; two-sided by twice the smaller tail). Of one case it
/// is Fisher's exact test; of cases that were tried once in each run it is McNemar's. It is about these cases, whose tries are taken
/// to be independent, not about others like them.
///
/// The difference weighs cases as the test does (N. Mantel and W. Haenszel's weights of the common risk difference: S. Greenland and
/// J. M. Robins, Biometrics 41, 1985), so that its sign is the direction of the test.
///
/// So is the interval of the difference: it holds the differences that the data do not contradict, by the score test (O. Miettinen and
/// M. Nurminen, "Comparative analysis of two rates", Statistics in Medicine 4, 1985, section on stratified data), with half a try
/// taken off as for the normal form of the test.
pub fn stratified(cases: &[(Trials, Trials)]) -> Option<Stratified> {
    let alone = |(before, after): &(Trials, Trials)| Stratum::alone(*before, *after);
    stratified_in(&cases.iter().map(alone).collect::<Vec<_>>())
}

/// The same for cases of which some stand or fall together. Of those, each unit of tries is one thing that either run may have had, so
/// the test divides units; the interval is as much wider as the units of a stratum differ more than tries that are independent would.
pub fn stratified_in(strata: &[Stratum]) -> Option<Stratified> {
    let is_there = |(a, b): &(Trials, Trials)| a.scored > 0 && b.scored > 0;
    let strata: Vec<&Stratum> = strata.iter().filter(|stratum| stratum.cases.iter().all(is_there)).collect();
    let spread = |stratum: &&Stratum| {
        let by = stratum.spread();
        stratum.cases.iter().map(|case| (*case, by)).collect::<Vec<_>>()
    };
    let spread: Vec<((Trials, Trials), f64)> = strata.iter().flat_map(spread).collect();
    if spread.is_empty() {
        return None;
    }
    let cases = || spread.iter().map(|(case, _)| case);
    let all: f64 = cases().map(weight).sum();
    let mean = |of: &dyn Fn(&(Trials, Trials)) -> f64| -> f64 {
        cases().map(|case| of(case) * weight(case) / all).sum()
    };
    let (before, after) = (mean(&|(a, _)| share(*a)), mean(&|(_, b)| share(*b)));
    let value = after - before;
    let end = |outwards: f64| {
        // From the difference, which is possible, to the outermost that is.
        let (mut inner, mut outer) = (value, outwards);
        if is_possible(&spread, value, outer) {
            return outer;
        }
        for _ in 0..STEPS {
            let middle = (inner + outer) / 2.0;
            if is_possible(&spread, value, middle) { inner = middle } else { outer = middle }
        }
        outer
    };
    let difference = Estimate { value, low: end(-1.0), high: end(1.0) };
    Some(Stratified { before, after, difference, test: test(&strata) })
}

/// How much a case weighs: the passed tries of the second run less those expected are the sum of the differences, weighted so.
fn weight((a, b): &(Trials, Trials)) -> f64 {
    let (n_a, n_b) = (a.scored as f64, b.scored as f64);
    n_a * n_b / (n_a + n_b)
}

fn share(trials: Trials) -> f64 {
    trials.passed.min(trials.scored) as f64 / trials.scored as f64
}

/// Whether the true difference may be `by` in each case, when `seen` was seen over all of them.
fn is_possible(cases: &[((Trials, Trials), f64)], seen: f64, by: f64) -> bool {
    let all: f64 = cases.iter().map(|(case, _)| weight(case)).sum();
    let mut variance = 0.0;
    for (case, wider) in cases {
        let (a, b) = case;
        let (n_a, n_b) = (a.scored as f64, b.scored as f64);
        let p = likeliest(*a, *b, by);
        let spread = p * (1.0 - p) / n_a + (p + by) * (1.0 - p - by) / n_b;
        let weight = weight(case) / all;
        variance += wider * weight * weight * spread.max(0.0) * (n_a + n_b) / (n_a + n_b - 1.0);
    }
    let away = ((seen - by).abs() - 0.5 / all).max(0.0);
    away <= Z * variance.sqrt()
}

/// The chance of passing in the first run that makes both runs of a case likeliest, if that of the second is higher by `by`.
fn likeliest(a: Trials, b: Trials, by: f64) -> f64 {
    let (mut low, mut high) = ((-by).max(0.0), (1.0 - by).min(1.0));
    let [a_passed, b_passed] = [a, b].map(|trials| trials.passed.min(trials.scored) as f64);
    let (a_failed, b_failed) = (a.scored as f64 - a_passed, b.scored as f64 - b_passed);
    // The slope of the likelihood's logarithm, which falls; what has not happened does not pull.
    let pull = |count: f64, chance: f64| if count > 0.0 { count / chance } else { 0.0 };
    for _ in 0..STEPS {
        let p = (low + high) / 2.0;
        let slope = pull(a_passed, p) - pull(a_failed, 1.0 - p) + pull(b_passed, p + by)
            - pull(b_failed, 1.0 - p - by);
        if slope > 0.0 { low = p } else { high = p }
    }
    (low + high) / 2.0
}

fn test(strata: &[&Stratum]) -> StratifiedTest {
    let p_if = |passes: bool| {
        let then: Vec<Stratum> = strata.iter().map(|stratum| stratum.followed_by(passes)).collect();
        p_value(&then.iter().collect::<Vec<_>>()).0
    };
    let (p, exact) = p_value(strata);
    StratifiedTest { p, p_of_none: p_if(false), p_of_all: p_if(true), exact }
}

/// Two-sided, and whether it is exact.
fn p_value(strata: &[&Stratum]) -> (f64, bool) {
    let seen: u64 = strata.iter().map(|stratum| stratum.seen()).sum();
    let (mut cost, mut reach) = (0_u64, 1_u64);
    for stratum in strata {
        let wide = stratum.reach();
        cost = cost.saturating_add(stratum.cost()).saturating_add(reach.saturating_mul(wide));
        reach = reach.saturating_add(wide - 1);
    }
    if cost > MAX_ADDITIONS {
        return (approximate(strata, seen), false);
    }
    let parts: Vec<Part> = strata.iter().map(|stratum| stratum.part()).collect();
    let least: u64 = parts.iter().map(|part| part.least).sum();
    let mut chances = vec![1.0];
    for part in parts.iter().filter(|part| part.chances.len() > 1) {
        let mut sums = vec![0.0; chances.len() + part.chances.len() - 1];
        for (at, chance) in chances.iter().enumerate() {
            for (more, other) in part.chances.iter().enumerate() {
                sums[at + more] += chance * other;
            }
        }
        chances = sums;
    }
    let at = (seen - least) as usize;
    let tails = [chances[..=at].iter().sum::<f64>(), chances[at..].iter().sum()];
    ((2.0 * tails[0].min(tails[1])).min(1.0), true)
}

/// The same by a normal distribution, with half a try taken off (N. Mantel and W. Haenszel, Journal of the National Cancer Institute
/// 22, 1959).
fn approximate(strata: &[&Stratum], seen: u64) -> f64 {
    let (mut mean, mut variance) = (0.0, 0.0);
    for stratum in strata {
        let moments = stratum.moments();
        mean += moments.0;
        variance += moments.1;
    }
    let away = ((seen as f64 - mean).abs() - 0.5).max(0.0);
    if variance > 0.0 { (2.0 * normal_upper(away / variance.sqrt())).min(1.0) } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::mcnemar_exact;
    use super::*;

    fn test(cases: &[(Trials, Trials)]) -> StratifiedTest {
        stratified(cases).unwrap().test
    }

    fn trials(passed: u64, scored: u64) -> Trials {
        Trials { scored, passed }
    }

    #[test]
    fn known_tables() {
        for (cases, p, p_of_none, p_of_all) in [
            // Fisher's tea: 3 of 4 and 1 of 4; one tail is 17/70.
            (vec![(trials(1, 4), trials(3, 4))], 34.0 / 70.0, 1.0, 1.0 / 7.0),
            (vec![(trials(0, 4), trials(4, 4))], 2.0 / 70.0, 1.0, 2.0 / 70.0),
            // Always the same: nothing to tell.
            (vec![(trials(4, 4), trials(4, 4)), (trials(0, 2), trials(0, 9))], 1.0, 2.0 / 70.0, 2.0 / 55.0),
            // Nine earlier tries that passed, and one now that fails.
            (vec![(trials(9, 9), trials(0, 1))], 0.2, 0.2, 1.0),
            (vec![(trials(9, 9), trials(0, 1)); 2], 0.02, 0.02, 1.0),
            (vec![(trials(1, 1), trials(0, 1)); 5], 0.0625, 0.0625, 1.0),
            (vec![(trials(1, 1), trials(0, 1)); 6], 0.03125, 0.03125, 1.0),
            // An agent that always passed, and still does: six failures would have shown.
            (vec![(trials(1, 1), trials(1, 1)); 6], 1.0, 0.03125, 1.0),
        ] {
            let found = test(&cases);
            let pairs = [(found.p, p), (found.p_of_none, p_of_none), (found.p_of_all, p_of_all)];
            assert!(
                pairs.iter().all(|(found, expected)| (found - expected).abs() < 1e-12) && found.exact,
                "{found:?}"
            );
        }
        assert_eq!(stratified(&[]), None);
        assert_eq!(stratified(&[(trials(0, 0), trials(1, 1))]), None);
    }

    #[test]
    fn difference_and_test_weigh_cases_alike() {
        // Ten tries of the hard case then, one of each now: the mix is no fall. Weights are 10/11 and 1/2.
        let found = stratified(&[(trials(1, 10), trials(0, 1)), (trials(1, 1), trials(1, 1))]).unwrap();
        assert!((found.before - 13.0 / 31.0).abs() < 1e-12, "{found:?}");
        assert!((found.after - 11.0 / 31.0).abs() < 1e-12, "{found:?}");
        // Old cases of many tries fall by a quarter, new ones of few rise by as much as the tries of the last run would outweigh; and
        // the other way around.
        for sign in [false, true] {
            let of = |passed: u64, scored: u64| trials(if sign { scored - passed } else { passed }, scored);
            let cases: Vec<_> = std::iter::repeat_n((of(120, 120), of(3, 4)), 20)
                .chain(std::iter::repeat_n((of(0, 4), of(4, 4)), 6))
                .collect();
            let found = stratified(&cases).unwrap();
            let seen: u64 = cases.iter().map(|(_, b)| b.passed).sum();
            let expected: f64 = cases
                .iter()
                .map(|(a, b)| (a.passed + b.passed) as f64 * b.scored as f64 / (a.scored + b.scored) as f64)
                .sum();
            let weights: f64 = cases.iter().map(weight).sum();
            assert!((found.difference.value - (seen as f64 - expected) / weights).abs() < 1e-12, "{found:?}");
            assert!(found.difference.value.is_sign_negative() != sign && found.test.p < 0.05, "{found:?}");
            assert!(!found.difference.holds(0.0), "{found:?}");
        }
    }

    #[test]
    fn intervals_of_the_difference() {
        /// How often, and the episodes that passed of those that were scored, before and after.
        type Part = (usize, (u64, u64), (u64, u64));
        let pairs = |parts: &[Part]| -> Vec<(Trials, Trials)> {
            let pair =
                |(times, a, b): &Part| std::iter::repeat_n((trials(a.0, a.1), trials(b.0, b.1)), *times);
            parts.iter().flat_map(pair).collect()
        };
        for (parts, low, high) in [
            // One case of eight broke: p is 2/70.
            (&[(1, (4, 4), (0, 4)), (7, (4, 4), (4, 4))][..], -0.34225, -0.00070),
            // Tried once each: p is 2/128, and 1/16.
            (&[(7, (1, 1), (0, 1)), (5, (1, 1), (1, 1))], -0.90493, -0.05319),
            (&[(5, (1, 1), (0, 1)), (7, (1, 1), (1, 1))], -0.81673, 0.05842),
            (&[(1, (10, 10), (10, 10))], -0.41311, 0.41311),
            (&[(1, (81, 263), (15, 148))], -0.28375, -0.12317),
            (&[(1, (1, 3), (0, 1)), (3, (3, 3), (0, 1)), (8, (3, 3), (1, 1))], -0.63839, -0.02013),
        ] {
            let found = stratified(&pairs(parts)).unwrap().difference;
            assert!((found.low - low).abs() < 1e-5 && (found.high - high).abs() < 1e-5, "{found:?}");
        }
    }

    #[test]
    fn many_tries_are_no_less_exact_than_needed() {
        let cases: Vec<(Trials, Trials)> =
            (0..60).map(|at| (trials(20 + at % 17, 50), trials(18 + at % 19, 50))).collect();
        let exact = test(&cases);
        let strata: Vec<Stratum> = cases.iter().map(|(a, b)| Stratum::alone(*a, *b)).collect();
        let seen = cases.iter().map(|(_, b)| b.passed).sum();
        let near = approximate(&strata.iter().collect::<Vec<_>>(), seen);
        assert!((exact.p - near).abs() < 0.002 * exact.p.max(0.1), "{exact:?} {near:?}");
    }

    #[test]
    fn chance_is_seldom_called_more() {
        // 40 cases, each of which passes as often in both runs: p < 0.05 in at most 5 % of them, but for what is drawn.
        let mut random = crate::domain::Random::new(3);
        let mut alarms = 0;
        for _ in 0..600 {
            let case = |case: u32| {
                let mut of = |scored: u64| {
                    trials(
                        (0..scored).filter(|_| random.unit() < f64::from(case) / 40.0).count() as u64,
                        scored,
                    )
                };
                (of(5), of(1))
            };
            alarms += u32::from(test(&(0..40).map(case).collect::<Vec<_>>()).p < 0.05);
        }
        assert!((6..=45).contains(&alarms), "{alarms} of 600");
    }

    /// The chance of as many passed tries of `b`, or of fewer, counted out over all ways to divide each case's tries.
    fn counted(cases: &[(Trials, Trials)]) -> f64 {
        let mut ways = vec![(0_u64, 1.0)];
        for (a, b) in cases {
            let (all, passed) = ((a.scored + b.scored) as u32, (a.passed + b.passed) as u32);
            let choices: Vec<u64> = (0_u32..1 << all)
                .filter(|choice| choice.count_ones() == b.scored as u32)
                .map(|choice| u64::from((choice & ((1 << passed) - 1)).count_ones()))
                .collect();
            let each = 1.0 / choices.len() as f64;
            ways = ways
                .iter()
                .flat_map(|(sum, chance)| choices.iter().map(move |more| (sum + more, chance * each)))
                .collect();
        }
        let seen: u64 = cases.iter().map(|(_, b)| b.passed).sum();
        let tail = |is: &dyn Fn(u64) -> bool| -> f64 {
            ways.iter().filter(|(sum, _)| is(*sum)).map(|(_, chance)| chance).sum()
        };
        (2.0 * tail(&|sum| sum <= seen).min(tail(&|sum| sum >= seen))).min(1.0)
    }

    fn tried() -> impl Strategy<Value = Trials> {
        (1_u64..4).prop_flat_map(|scored| (0..=scored).prop_map(move |passed| trials(passed, scored)))
    }

    proptest! {
        #[test]
        fn it_is_the_share_of_all_ways(cases in prop::collection::vec((tried(), tried()), 1..4)) {
            prop_assert!((test(&cases).p - counted(&cases)).abs() < 1e-9);
        }

        #[test]
        fn tried_once_it_is_mcnemars(pairs in prop::collection::vec((0_u64..2, 0_u64..2), 2..60)) {
            let cases: Vec<_> = pairs.iter().map(|(a, b)| (trials(*a, 1), trials(*b, 1))).collect();
            let lost = pairs.iter().filter(|pair| **pair == (1, 0)).count() as u64;
            let won = pairs.iter().filter(|pair| **pair == (0, 1)).count() as u64;
            let found = stratified(&cases).unwrap();
            prop_assert!((found.test.p - mcnemar_exact(lost, won)).abs() < 1e-9);
            // Interval and test agree, but for what a normal distribution is off by.
            let is_beyond = !found.difference.holds(0.0);
            prop_assert!(if is_beyond { found.test.p < 0.08 } else { found.test.p > 0.03 }, "{found:?}");
        }
    }
}
