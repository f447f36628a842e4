//! Whether a difference may be chance.

use super::estimate::Estimate;
use super::quantile::binomial_lower;
use crate::domain::Random;

/// Contributions up to which every choice of signs is tried.
const FEW: usize = 14;
/// Choices of signs drawn at most when there are more, how many as extreme as what was seen are enough, and the seed.
const DRAWS: u32 = 9_999;
const ENOUGH: u32 = 200;
const SEED: u64 = 5;
/// Additions that an exact distribution of sums may cost, and numbers that it may hold.
const MAX_ADDITIONS: u64 = 400_000_000;
const MAX_SUMS: u64 = 10_000_000;

/// McNemar's exact test, two-sided: the probability that rows on which only one of two judges is right divide at least as unevenly as
/// they do, when each is as likely to go either way (Q. McNemar, Psychometrika 12, 1947; the binomial distribution itself in
/// place of his approximation). For rows that are independent of each other.
pub fn mcnemar_exact(only_a_right: u64, only_b_right: u64) -> f64 {
    let (few, all) = (only_a_right.min(only_b_right), only_a_right + only_b_right);
    (2.0 * binomial_lower(few, all, 0.5)).min(1.0)
}

/// Holm's adjusted p-values, in the order of `p`: comparing them with 0.05 keeps the chance of any false alarm among all
/// comparisons below 5 % (S. Holm, "A simple sequentially rejective multiple test procedure", Scandinavian Journal of Statistics 6,
/// 1979). What is no probability counts as 1.
pub fn holm(p: &[f64]) -> Vec<f64> {
    let p: Vec<f64> = p.iter().map(|p| if (0.0..=1.0).contains(p) { *p } else { 1.0 }).collect();
    let mut order: Vec<usize> = (0..p.len()).collect();
    order.sort_by(|a, b| p[*a].total_cmp(&p[*b]));
    let mut adjusted = vec![1.0; p.len()];
    let mut highest = 0.0_f64;
    for (rank, at) in order.into_iter().enumerate() {
        highest = highest.max((p[at] * (p.len() - rank) as f64).min(1.0));
        adjusted[at] = highest;
    }
    adjusted
}

/// Whether B is worse than A by less than `margin`: the whole interval of `difference`, B less A, is above `-margin`. One-sided
/// at 2.5 %. The margin must be chosen before the data are seen. Never true for a margin that is not positive.
pub fn non_inferior(difference: &Estimate, margin: f64) -> bool {
    margin > 0.0 && difference.low > -margin
}

/// The probability that a sum of `parts` is at least as far from 0 as it is, when every part was as likely to have the other sign
/// (R. A. Fisher, "The Design of Experiments", 1935, chapter 3), and whether it is exact. All choices of signs are tried
/// when few parts are not 0; else up to 9,999 are drawn, always the same ones, until 200 are as extreme (J. Besag and P. Clifford,
/// "Sequential Monte Carlo p-values", Biometrika 78, 1991: the level is kept exactly, and a clear lack of a difference costs
/// little).
pub(super) fn sign_flip(parts: &[f64]) -> (f64, bool) {
    let parts: Vec<f64> = parts.iter().copied().filter(|part| *part != 0.0).collect();
    let scale: f64 = parts.iter().map(|part| part.abs()).sum();
    // Sums that are equal but for rounding are equal.
    let seen = parts.iter().sum::<f64>().abs() - 1e-12 * scale;
    if parts.len() <= FEW {
        let all = 1_u32 << parts.len();
        let sum = |signs: u32| -> f64 {
            let signed = parts.iter().enumerate();
            signed.map(|(at, part)| if signs >> at & 1 == 1 { *part } else { -part }).sum()
        };
        let far = (0..all).filter(|signs| sum(*signs).abs() >= seen).count();
        return (far as f64 / f64::from(all), true);
    }
    let mut random = Random::new(SEED);
    let mut far = 0_u32;
    for draw in 1..=DRAWS {
        let mut sum = 0.0;
        for chunk in parts.chunks(64) {
            let mut bits = random.bits();
            for part in chunk {
                // The lowest bit becomes the sign; choosing between two values would cost ten times as much.
                sum += f64::from_bits(part.to_bits() ^ (bits << 63));
                bits >>= 1;
            }
        }
        far += u32::from(sum.abs() >= seen);
        if far == ENOUGH {
            return (f64::from(far) / f64::from(draw), false);
        }
    }
    (f64::from(far + 1) / f64::from(DRAWS + 1), false)
}

/// [`sign_flip`] of whole numbers, exact for many of them too: the distribution of the sum of those that stay positive is built
/// up part by part. `None` when that would take too long.
pub(super) fn sign_flip_whole(parts: &[i64]) -> Option<f64> {
    let seen = parts.iter().sum::<i64>().unsigned_abs() as usize;
    let parts: Vec<usize> =
        parts.iter().filter(|part| **part != 0).map(|part| part.unsigned_abs() as usize).collect();
    let reach: usize = parts.iter().sum();
    if reach as u64 > MAX_SUMS.min(MAX_ADDITIONS / parts.len().max(1) as u64) {
        return None;
    }
    let mut chance = vec![0.0; reach + 1];
    chance[0] = 1.0;
    let mut highest = 0;
    for part in parts {
        highest += part;
        for sum in (0..=highest).rev() {
            let positive = if sum >= part { chance[sum - part] } else { 0.0 };
            chance[sum] = 0.5 * (chance[sum] + positive);
        }
    }
    let far = chance.iter().enumerate().filter(|(positive, _)| (2 * positive).abs_diff(reach) >= seen);
    Some(far.map(|(_, chance)| chance).sum::<f64>().min(1.0))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn mcnemar_by_hand() {
        for (a, b, p) in
            [(0, 0, 1.0), (0, 1, 1.0), (0, 5, 0.0625), (5, 0, 0.0625), (2, 8, 112.0 / 1024.0), (7, 7, 1.0)]
        {
            assert!((mcnemar_exact(a, b) - p).abs() < 1e-12, "{a} {b}");
        }
    }

    #[test]
    fn holm_by_hand() {
        assert_eq!(holm(&[0.01, 0.04, 0.03, 0.005]), [0.03, 0.06, 0.06, 0.02]);
        assert_eq!(holm(&[0.5, f64::NAN, 0.9]), [1.0, 1.0, 1.0]);
        assert!(holm(&[]).is_empty());
    }

    #[test]
    fn margins() {
        let difference = Estimate { value: 0.0, low: -0.02, high: 0.02 };
        assert!(non_inferior(&difference, 0.03));
        assert!(!non_inferior(&difference, 0.02) && !non_inferior(&difference, 0.0));
        assert!(!non_inferior(&Estimate { low: 0.01, ..difference }, -0.005));
    }

    #[test]
    fn signs_by_hand() {
        assert_eq!(sign_flip(&[3.0, 1.0, -1.0]), (0.75, true));
        assert_eq!(sign_flip(&[2.0, 0.0, 2.0, 2.0]), (0.25, true));
        assert_eq!(sign_flip(&[]), (1.0, true));
        assert_eq!(sign_flip_whole(&[3, 1, -1]), Some(0.75));
        assert_eq!(sign_flip_whole(&[]), Some(1.0));
        assert_eq!(sign_flip_whole(&[1 << 40, 1 << 40]), None);
    }

    proptest! {
        #[test]
        fn both_ways_to_flip_signs_agree(parts in prop::collection::vec(-4_i64..=4, 0..12)) {
            let (tried, exact) = sign_flip(&parts.iter().map(|part| *part as f64).collect::<Vec<_>>());
            prop_assert!(exact);
            prop_assert!((tried - sign_flip_whole(&parts).unwrap()).abs() < 1e-12);
        }

        #[test]
        fn clusters_of_one_row_are_mcnemars(a in 0_u64..40, b in 0_u64..40) {
            let parts: Vec<i64> = (0..a).map(|_| -1).chain((0..b).map(|_| 1)).collect();
            prop_assert!((sign_flip_whole(&parts).unwrap() - mcnemar_exact(a, b)).abs() < 1e-12);
        }

        #[test]
        fn drawn_signs_come_near(parts in prop::collection::vec(-6_i64..=9, 15..40)) {
            let (drawn, _) = sign_flip(&parts.iter().map(|part| *part as f64).collect::<Vec<_>>());
            let exact = sign_flip_whole(&parts).unwrap();
            prop_assert!((drawn - exact).abs() < 0.01 + 0.3 * exact, "{drawn} {exact}");
        }
    }
}
