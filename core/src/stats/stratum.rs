//! Cases that stand or fall together, and how their passed tries may divide between two runs.

use super::pass_rates::Trials;

/// Cases whose tries come in units, one of each case: what makes one of them fail may make all of them fail.
#[derive(Debug, Clone, PartialEq)]
pub struct Stratum {
    /// The tries of each case in both runs.
    pub(super) cases: Vec<(Trials, Trials)>,
    /// How many cases passed in each unit of the first run and of the second. Not looked at for a single case: each try is a unit.
    units: [Vec<u64>; 2],
}

/// The passed tries of the second run, if every way to divide the units between both runs is equally likely.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Part {
    /// The fewest that are possible.
    pub least: u64,
    /// The chance of so many and of each number above.
    pub chances: Vec<f64>,
}

impl Stratum {
    /// A case whose tries are independent.
    pub fn alone(before: Trials, after: Trials) -> Stratum {
        Stratum { cases: vec![(before, after)], units: [Vec::new(), Vec::new()] }
    }

    /// Cases that share each unit, of which `before` and `after` say in how many cases it passed.
    pub fn of(cases: Vec<(Trials, Trials)>, before: Vec<u64>, after: Vec<u64>) -> Stratum {
        Stratum { cases, units: [before, after] }
    }

    fn is_alone(&self) -> bool {
        self.cases.len() == 1
    }

    /// The passed tries of the second run.
    pub(super) fn seen(&self) -> u64 {
        self.cases.iter().map(|(_, after)| passed(*after)).sum()
    }

    /// The same first run, followed by one in which all passes, or nothing.
    pub(super) fn followed_by(&self, passes: bool) -> Stratum {
        let then = |(before, after): &(Trials, Trials)| {
            (*before, Trials { passed: if passes { after.scored } else { 0 }, ..*after })
        };
        let all = if passes { self.cases.len() as u64 } else { 0 };
        let after = self.units[1].iter().map(|_| all).collect();
        Stratum { cases: self.cases.iter().map(then).collect(), units: [self.units[0].clone(), after] }
    }

    /// The fewest and the most passed tries that the second run may have.
    fn bounds(&self) -> (u64, u64) {
        if let [(a, b)] = self.cases[..] {
            let all = passed(a) + passed(b);
            let failed = a.scored + b.scored - all;
            return (b.scored.saturating_sub(failed), all.min(b.scored));
        }
        let mut all: Vec<u64> = self.units.concat();
        all.sort_unstable();
        let count = self.units[1].len();
        (all[..count].iter().sum(), all[all.len() - count..].iter().sum())
    }

    /// How many numbers of passed tries are possible.
    pub(super) fn reach(&self) -> u64 {
        let (least, most) = self.bounds();
        most - least + 1
    }

    /// Additions that [`Stratum::part`] takes, about.
    pub(super) fn cost(&self) -> u64 {
        if self.is_alone() {
            return self.reach();
        }
        let [before, after] = self.units.each_ref().map(|units| units.len() as u64);
        let few = before.min(after);
        let sums = few.saturating_mul(self.cases.len() as u64) + 1;
        (before + after).saturating_mul(few + 1).saturating_mul(sums)
    }

    pub(super) fn part(&self) -> Part {
        match self.cases[..] {
            [(a, b)] => hypergeometric(self.bounds(), a, b),
            _ => self.divided(),
        }
    }

    /// Units are dealt out one after the other; each is of the second run as likely as what is left of it makes it.
    fn divided(&self) -> Part {
        let (least, most) = self.bounds();
        let all: Vec<u64> = self.units.concat();
        let whole: u64 = all.iter().sum();
        let is_turned = self.units[0].len() < self.units[1].len();
        let few = self.units[usize::from(!is_turned)].len();
        let (low, high) = if is_turned { (whole - most, whole - least) } else { (least, most) };
        let mut chances = vec![vec![0.0_f64; high as usize + 1]; few + 1];
        chances[0][0] = 1.0;
        for (at, passed) in all.iter().enumerate() {
            for dealt in (0..=few.min(at)).rev() {
                let chance = (few - dealt) as f64 / (all.len() - at) as f64;
                for sum in 0..=high as usize {
                    let here = chances[dealt][sum];
                    if here > 0.0 {
                        if dealt < few {
                            chances[dealt + 1][sum + *passed as usize] += here * chance;
                        }
                        chances[dealt][sum] = here * (1.0 - chance);
                    }
                }
            }
        }
        let mut chances = chances.swap_remove(few).split_off(low as usize);
        if is_turned {
            chances.reverse();
        }
        Part { least, chances }
    }

    /// The mean and the variance of the second run's passed tries.
    pub(super) fn moments(&self) -> (f64, f64) {
        if let [(a, b)] = self.cases[..] {
            let (m, n) = (a.scored as f64, b.scored as f64);
            let share = (passed(a) + passed(b)) as f64 / (m + n);
            return (n * share, m * n * share * (1.0 - share) / (m + n - 1.0));
        }
        let [m, n] = self.units.each_ref().map(|units| units.len() as f64);
        let all: Vec<u64> = self.units.concat();
        let mean = all.iter().sum::<u64>() as f64 / (m + n);
        let squares: f64 = all.iter().map(|passed| (*passed as f64 - mean).powi(2)).sum();
        (n * mean, m * n * squares / ((m + n) * (m + n - 1.0)))
    }

    /// By how much the sum over its cases varies more than if their tries were independent; where nothing varies, as much as it may.
    pub(super) fn spread(&self) -> f64 {
        if self.is_alone() {
            return 1.0;
        }
        let most = self.cases.len() as f64;
        let apart: f64 = self.cases.iter().map(|(a, b)| Stratum::alone(*a, *b).moments().1).sum();
        if apart > 0.0 { (self.moments().1 / apart).clamp(1.0, most) } else { most }
    }
}

fn passed(trials: Trials) -> u64 {
    trials.passed.min(trials.scored)
}

fn hypergeometric((least, most): (u64, u64), a: Trials, b: Trials) -> Part {
    let all = passed(a) + passed(b);
    let failed = a.scored + b.scored - all;
    // Each from the one before, then all divided by their sum; the largest is near 1, so that none of weight vanishes.
    let mut logs = vec![0.0_f64];
    for x in least..most {
        let up = (all - x) as f64 * (b.scored - x) as f64;
        let down = (x + 1) as f64 * (failed + x + 1 - b.scored) as f64;
        logs.push(logs.last().copied().unwrap_or_default() + (up / down).ln());
    }
    let top = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let weights: Vec<f64> = logs.iter().map(|log| (log - top).exp()).collect();
    let whole: f64 = weights.iter().sum();
    Part { least, chances: weights.into_iter().map(|weight| weight / whole).collect() }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::stratified::{stratified, stratified_in};
    use super::*;
    use crate::domain::Random;

    /// Cases by unit: whether each passed, then and now.
    fn stratum(before: &[Vec<bool>], after: &[Vec<bool>]) -> Stratum {
        let case = |at: usize| {
            [before, after].map(|units| Trials {
                scored: units.len() as u64,
                passed: units.iter().filter(|unit| unit[at]).count() as u64,
            })
        };
        let cases = (0..before[0].len()).map(|at| case(at).into()).collect();
        let units = [before, after].map(|units| {
            units.iter().map(|unit| unit.iter().filter(|passed| **passed).count() as u64).collect()
        });
        let [before, after] = units;
        Stratum::of(cases, before, after)
    }

    #[test]
    fn cases_that_fall_together_are_one() {
        // Six cases that one reply makes fail are one failure; six replies are six.
        let of = |units: usize, passed: bool| vec![vec![passed; 6]; units];
        let one = stratified_in(&[stratum(&of(1, true), &of(1, false))]).unwrap();
        assert!((one.test.p - 1.0).abs() < 1e-12 && one.difference.holds(0.0), "{one:?}");
        let six =
            stratified(&[(Trials { scored: 1, passed: 1 }, Trials { scored: 1, passed: 0 }); 6]).unwrap();
        assert!(six.test.p < 0.05 && !six.difference.holds(0.0));
        assert!((one.difference.value - six.difference.value).abs() < 1e-12);
        // Four tries of the reply are as many as of a single case.
        let four = stratified_in(&[stratum(&of(4, true), &of(4, false))]).unwrap();
        let single =
            stratified(&[(Trials { scored: 4, passed: 4 }, Trials { scored: 4, passed: 0 })]).unwrap();
        let p = |found: &super::super::Stratified| [found.test.p, found.test.p_of_none, found.test.p_of_all];
        assert!(p(&four).iter().zip(p(&single)).all(|(a, b)| (a - b).abs() < 1e-12), "{four:?} {single:?}");
    }

    #[test]
    fn chance_is_seldom_called_more_though_cases_share_replies() {
        // Ten questions of six cases; a first reply that fails half of the time decides over all six, and then each case for itself.
        let mut random = Random::new(5);
        let (mut alarms, mut naive, mut missed) = (0, 0, 0);
        for _ in 0..120 {
            let mut unit = || {
                let begins = random.unit() < 0.5;
                (0..6).map(|_| begins && random.unit() < 0.9).collect::<Vec<bool>>()
            };
            let strata: Vec<Stratum> =
                (0..10).map(|_| stratum(&[unit(), unit()], &[unit(), unit()])).collect();
            let found = stratified_in(&strata).unwrap();
            alarms += u32::from(found.test.p < 0.05);
            missed += u32::from(!found.difference.holds(0.0));
            let apart: Vec<_> = strata.iter().flat_map(|stratum| stratum.cases.clone()).collect();
            naive += u32::from(stratified(&apart).unwrap().test.p < 0.05);
        }
        assert!(alarms <= 11 && missed <= 13 && naive > 24, "{alarms}, {missed} and {naive} of 120");
    }

    /// The chances of the second run's passed tries, counted out over all ways to choose its units.
    fn counted(units: &[u64], count: usize) -> Vec<(u64, f64)> {
        let choices: Vec<u64> = (0_u32..1 << units.len())
            .filter(|choice| choice.count_ones() as usize == count)
            .map(|choice| (0..units.len()).filter(|at| (choice >> at) & 1 == 1).map(|at| units[at]).sum())
            .collect();
        let mut found: Vec<(u64, f64)> = Vec::new();
        for sum in 0..=units.iter().sum() {
            let times = choices.iter().filter(|choice| **choice == sum).count();
            if times > 0 {
                found.push((sum, times as f64 / choices.len() as f64));
            }
        }
        found
    }

    proptest! {
        #[test]
        fn every_way_to_divide_units_is_counted(
            before in prop::collection::vec(prop::collection::vec(any::<bool>(), 3), 1..5),
            after in prop::collection::vec(prop::collection::vec(any::<bool>(), 3), 1..5),
        ) {
            let stratum = stratum(&before, &after);
            let Part { least, chances } = stratum.part();
            let expected = counted(&stratum.units.concat(), after.len());
            let of = |sum: u64| expected.iter().find(|(known, _)| *known == sum).map_or(0.0, |(_, chance)| *chance);
            prop_assert_eq!((least, chances.len() as u64), (expected[0].0, stratum.reach()));
            prop_assert!((least..).zip(&chances).all(|(sum, chance)| (of(sum) - chance).abs() < 1e-9));
            let mean: f64 = (least..).zip(&chances).map(|(sum, chance)| sum as f64 * chance).sum();
            let variance: f64 = (least..).zip(&chances).map(|(sum, chance)| (sum as f64 - mean).powi(2) * chance).sum();
            let moments = stratum.moments();
            prop_assert!((moments.0 - mean).abs() < 1e-9 && (moments.1 - variance).abs() < 1e-9, "{:?}", moments);
        }
    }
}
