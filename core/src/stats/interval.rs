//! Confidence intervals of shares.

use super::quantile::{Z, beta_quantile};

/// The 95 % interval of a share by Wilson's score (Wilson, "Probable inference, the law of succession, and statistical
/// inference", JASA 22(158), 1927): unlike the usual one it stays within 0 and 1 and holds for few cases and for shares near
/// the ends. `None` without cases. For cases that are independent of each other only: [`share`](super::share) is for clusters.
pub fn wilson(successes: u64, cases: u64) -> Option<(f64, f64)> {
    (cases > 0).then(|| score_interval(successes as f64 / cases as f64, cases as f64))
}

/// Wilson's interval of `share` in `n` cases, which need not be a whole number.
pub(super) fn score_interval(share: f64, n: f64) -> (f64, f64) {
    let middle = share + Z * Z / (2.0 * n);
    let reach = Z * (share * (1.0 - share) / n + Z * Z / (4.0 * n * n)).sqrt();
    let whole = 1.0 + Z * Z / n;
    // At the ends rounding would leave the share itself outside.
    (((middle - reach) / whole).clamp(0.0, share), ((middle + reach) / whole).clamp(share, 1.0))
}

/// Wilson's interval, its ends moved outwards where few successes or failures make it too short (L. D. Brown, T. T. Cai and A.
/// DasGupta, "Interval estimation for a binomial proportion", Statistical Science 16, 2001, section 4.1.1): a single failure must
/// not rule out that failures are very rare. Their limit from Poisson's distribution is taken from the binomial itself (C. J.
/// Clopper and E. S. Pearson, Biometrika 26, 1934), one-sided at 5 % because on that side nothing else is lost.
pub(super) fn cautious_interval(share: f64, n: f64) -> (f64, f64) {
    /// Beyond as many, Wilson's end is the outer one.
    const MANY: f64 = 15.0;
    let (low, high) = score_interval(share, n);
    let (successes, failures) = (share * n, (1.0 - share) * n);
    let low = if successes < MANY { low.min(beta_quantile(0.05, successes, failures + 1.0)) } else { low };
    let high = if failures < MANY { high.max(beta_quantile(0.95, successes + 1.0, failures)) } else { high };
    (low, high)
}

/// The exact interval of `share` in `n` cases, which need not be a whole number (C. J. Clopper and E. S. Pearson, "The use of
/// confidence or fiducial limits illustrated in the case of the binomial", Biometrika 26, 1934).
pub(super) fn exact_interval(share: f64, n: f64) -> (f64, f64) {
    let (successes, failures) = (share * n, (1.0 - share) * n);
    let low = if successes > 0.0 { beta_quantile(0.025, successes, failures + 1.0) } else { 0.0 };
    let high = if failures > 0.0 { beta_quantile(0.975, successes + 1.0, failures) } else { 1.0 };
    (low.min(share), high.max(share))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_intervals() {
        // Of Newcombe, "Two-sided confidence intervals for the single proportion", Statistics in Medicine 17, 1998, table I.
        for (successes, cases, low, high) in [
            (81, 263, 0.2553, 0.3662),
            (15, 148, 0.0624, 0.1605),
            (0, 20, 0.0, 0.1611),
            (1, 29, 0.0061, 0.1718),
        ] {
            let (found_low, found_high) = wilson(successes, cases).unwrap();
            assert!(
                (found_low - low).abs() < 5e-5 && (found_high - high).abs() < 5e-5,
                "{found_low} {found_high}"
            );
        }
        assert_eq!(wilson(0, 0), None);
        assert!(wilson(7, 7).unwrap().1 <= 1.0);
    }
}
