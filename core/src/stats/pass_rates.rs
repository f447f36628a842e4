//! pass@k and pass^k: how often an agent passes a case at least once, and every time, in several tries.

use super::estimate::Estimate;
use crate::domain::Random;

/// The scored tries of one case.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Trials {
    /// How many were scored.
    pub scored: u64,
    /// How many of them passed; more than `scored` count as `scored`.
    pub passed: u64,
}

/// What `k` tries of a case come to, on average over cases.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PassRate {
    /// The number of tries.
    pub k: u64,
    /// Cases that were scored at least `k` times, which the figures are averages of.
    pub cases: usize,
    /// Cases that were scored less often, and are left out.
    pub left_out: usize,
    /// pass@k: the chance that at least one of `k` tries passes.
    pub any: Estimate,
    /// pass^k: the chance that all of `k` tries pass.
    pub all: Estimate,
}

/// Samples of the bootstrap: the ends of a 95 % interval then vary by about a hundredth of its width.
const RESAMPLES: usize = 2_000;

/// pass@k and pass^k for k = 1, 2, 4, … up to the most tries that a case has, and for that number itself.
///
/// Of a case with n scored tries, c of which passed, pass@k = 1 − C(n−c, k)/C(n, k) (M. Chen et al., "Evaluating large language models
/// trained on code", arXiv 2107.03374, 2021) and pass^k = C(c, k)/C(n, k) (S. Yao et al., "τ-bench: a benchmark for tool-agent-user
/// interaction in real-world domains", arXiv 2406.12045, 2024): the unbiased estimates of the chances that of k tries one passes, and
/// that all do. Tries without a score are not counted; who counts a try that crashed as a failure, as τ-bench does, adds it to `scored`.
///
/// The 95 % intervals are percentiles of a bootstrap over cases that `seed` decides (B. Efron and R. J. Tibshirani, "An introduction to
/// the bootstrap", 1993, chapter 13). One case that always passes and one that never does join in while samples are drawn, so that few
/// cases which happen to agree do not pass for certainty. Empty without scored tries.
pub fn pass_rates(cases: &[Trials], seed: u64) -> Vec<PassRate> {
    let most = cases.iter().map(|case| case.scored).max().unwrap_or(0);
    let mut ks: Vec<u64> =
        std::iter::successors(Some(1_u64), |k| k.checked_mul(2)).take_while(|k| *k < most).collect();
    ks.extend((most > 0).then_some(most));
    ks.into_iter().filter_map(|k| pass_rate(cases, k, seed)).collect()
}

/// [`pass_rates`] for one `k`; `None` where no case was scored that often, and for 0.
pub fn pass_rate(cases: &[Trials], k: u64, seed: u64) -> Option<PassRate> {
    let counted: Vec<Trials> = cases.iter().copied().filter(|case| k > 0 && case.scored >= k).collect();
    if counted.is_empty() {
        return None;
    }
    let values: Vec<[f64; 2]> = counted.iter().map(|case| [case.any(k), case.all(k)]).collect();
    let [any, all] = intervals(&values, seed);
    Some(PassRate { k, cases: counted.len(), left_out: cases.len() - counted.len(), any, all })
}

impl Trials {
    /// pass@k of this case; `k` may not exceed the scored tries.
    fn any(self, k: u64) -> f64 {
        1.0 - chosen(self.scored - self.passed.min(self.scored), self.scored, k)
    }

    /// pass^k of this case; `k` may not exceed the scored tries.
    fn all(self, k: u64) -> f64 {
        chosen(self.passed.min(self.scored), self.scored, k)
    }
}

/// C(part, k) / C(whole, k), factor by factor: binomials of some thousands are beyond any float.
fn chosen(part: u64, whole: u64, k: u64) -> f64 {
    if part < k {
        return 0.0;
    }
    // The product has k factors, or as many as are not in the part: C(part, k)/C(whole, k) = C(whole−k, whole−part)/C(whole, part).
    let (numerator, factors) = if whole - part < k { (whole - k, whole - part) } else { (part, k) };
    (0..factors).map(|at| (numerator - at) as f64 / (whole - at) as f64).product()
}

/// The means of both columns with their intervals.
fn intervals(values: &[[f64; 2]], seed: u64) -> [Estimate; 2] {
    let count = values.len();
    let drawn_from: Vec<[f64; 2]> = values.iter().copied().chain([[0.0; 2], [1.0; 2]]).collect();
    let mut random = Random::new(seed);
    let mut means = [const { Vec::new() }; 2];
    for _ in 0..RESAMPLES {
        let mut sums = [0.0; 2];
        for _ in 0..count {
            let at = (random.unit() * drawn_from.len() as f64) as usize;
            let drawn = drawn_from[at.min(count + 1)];
            sums = [sums[0] + drawn[0], sums[1] + drawn[1]];
        }
        for (means, sum) in means.iter_mut().zip(sums) {
            means.push(sum / count as f64);
        }
    }
    let estimate = |column: usize| {
        let mut means = means[column].clone();
        means.sort_by(f64::total_cmp);
        let value = values.iter().map(|value| value[column]).sum::<f64>() / count as f64;
        let tail = RESAMPLES / 40;
        // The cases that joined in must not push the interval past the figure.
        Estimate { value, low: means[tail].min(value), high: means[RESAMPLES - 1 - tail].max(value) }
    };
    [estimate(0), estimate(1)]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The shares of all choices of `k` tries in which one, and in which all passed.
    fn enumerated(case: Trials, k: u32) -> (f64, f64) {
        let (mut choices, mut any, mut all) = (0.0, 0.0, 0.0);
        for choice in 0_u32..1 << case.scored {
            if choice.count_ones() == k {
                let passed = (choice & ((1 << case.passed) - 1)).count_ones();
                choices += 1.0;
                any += f64::from(u8::from(passed > 0));
                all += f64::from(u8::from(passed == k));
            }
        }
        (any / choices, all / choices)
    }

    #[test]
    fn the_formulas_are_the_shares_of_choices() {
        for scored in 1..=9 {
            for passed in 0..=scored {
                for k in 1..=scored {
                    let case = Trials { scored, passed };
                    let (any, all) = enumerated(case, k as u32);
                    assert!(
                        (case.any(k) - any).abs() < 1e-12 && (case.all(k) - all).abs() < 1e-12,
                        "{case:?} {k}"
                    );
                }
            }
        }
    }

    #[test]
    fn thousands_of_tries_lose_nothing() {
        let case = Trials { scored: 5_000, passed: 4_999 };
        assert!((case.all(2_500) - 0.5).abs() < 1e-12 && case.any(2) == 1.0);
        let case = Trials { scored: 5_000, passed: 1 };
        assert!((case.any(2_500) - 0.5).abs() < 1e-12 && case.all(2) == 0.0);
        let case = Trials { scored: 4_000, passed: 2_000 };
        assert!(case.all(4_000) == 0.0 && case.any(4_000) == 1.0);
        assert!((case.all(2) - 2_000.0 * 1_999.0 / (4_000.0 * 3_999.0)).abs() < 1e-12);
    }

    #[test]
    fn cases_with_fewer_tries_are_left_out_and_counted() {
        let cases = [(4, 4), (4, 2), (2, 1), (0, 0)].map(|(scored, passed)| Trials { scored, passed });
        let rates = pass_rates(&cases, 0);
        let counted: Vec<_> = rates.iter().map(|rate| (rate.k, rate.cases, rate.left_out)).collect();
        assert_eq!(counted, [(1, 3, 1), (2, 3, 1), (4, 2, 2)]);
        assert!((rates[1].any.value - (1.0 + 5.0 / 6.0 + 1.0) / 3.0).abs() < 1e-12);
        assert!((rates[1].all.value - (1.0 + 1.0 / 6.0 + 0.0) / 3.0).abs() < 1e-12);
        assert_eq!(pass_rates(&cases, 0), rates);
        let six: Vec<u64> =
            pass_rates(&[Trials { scored: 6, passed: 1 }], 0).iter().map(|rate| rate.k).collect();
        assert_eq!(six, [1, 2, 4, 6]);
        assert_eq!(pass_rates(&[], 0), []);
        assert_eq!(pass_rates(&[Trials::default()], 0), []);
        assert_eq!(pass_rate(&cases, 0, 0), None);
        assert_eq!(pass_rate(&cases, 5, 0), None);
    }

    #[test]
    fn few_cases_that_agree_are_not_certain() {
        let cases = [Trials { scored: 4, passed: 4 }; 5];
        let rate = pass_rate(&cases, 4, 7).unwrap();
        assert_eq!((rate.all.value, rate.all.high), (1.0, 1.0));
        assert!((0.3..0.8).contains(&rate.all.low), "{:?}", rate.all);
        let many = pass_rate(&[Trials { scored: 4, passed: 4 }; 500], 4, 7).unwrap();
        assert!(many.all.low > 0.98, "{:?}", many.all);
    }

    proptest::proptest! {
        #[test]
        fn more_tries_pass_once_more_often_and_always_less_often(
            cases in proptest::collection::vec((1..40_u64, 0.0..=1.0), 1..8),
            seed in proptest::num::u64::ANY,
        ) {
            let least = cases.iter().map(|case| case.0).min().unwrap();
            let of = |(scored, share): &(u64, f64)| Trials { scored: *scored, passed: (*scored as f64 * share) as u64 };
            let cases: Vec<Trials> = cases.iter().map(of).collect();
            let rates: Vec<PassRate> = (1..=least.min(5)).map(|k| pass_rate(&cases, k, seed).unwrap()).collect();
            let mean: f64 = cases.iter().map(|case| case.passed as f64 / case.scored as f64).sum::<f64>() / cases.len() as f64;
            proptest::prop_assert!((rates[0].any.value - mean).abs() < 1e-9 && (rates[0].all.value - mean).abs() < 1e-9);
            for pair in rates.windows(2) {
                proptest::prop_assert!(pair[0].any.value <= pair[1].any.value + 1e-12);
                proptest::prop_assert!(pair[0].all.value >= pair[1].all.value - 1e-12);
            }
            for estimate in rates.iter().flat_map(|rate| [rate.any, rate.all]) {
                proptest::prop_assert!(0.0 <= estimate.low && estimate.low <= estimate.value);
                proptest::prop_assert!(estimate.value <= estimate.high && estimate.high <= 1.0);
            }
        }
    }
}
