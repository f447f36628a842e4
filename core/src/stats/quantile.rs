//! Probabilities and quantiles of the normal, Student's t, beta, chi-squared, F and binomial distributions.
//!
//! Probabilities come from the incomplete gamma and beta functions, quantiles from solving for them by Newton's method kept within
//! a bracket. Both agree with SciPy to nine digits (`tests/cases/statistics/`).

use super::special::{beta_lower, beta_side, gamma_upper, ln_gamma};

/// The standard normal distribution's 97.5 % point.
pub(super) const Z: f64 = 1.959_963_984_540_054;

/// The probability that a standard normal variable exceeds `x`.
pub fn normal_upper(x: f64) -> f64 {
    let tail = 0.5 * gamma_upper(0.5, x * x / 2.0);
    if x > 0.0 { tail } else { 1.0 - tail }
}

/// The value that a standard normal variable stays below with probability `p`; infinite at 0 and 1, not a number outside.
pub fn normal_quantile(p: f64) -> f64 {
    if !(0.0..=1.0).contains(&p) {
        return f64::NAN;
    }
    if p == 0.5 {
        return 0.0;
    }
    if p < 0.5 {
        return -upper_point(p, |x| {
            let density = (-x * x / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt();
            (normal_upper(x), density)
        });
    }
    -normal_quantile(1.0 - p)
}

/// The probability that Student's t with `freedom` degrees of freedom (any positive number) exceeds `x`.
pub fn t_upper(x: f64, freedom: f64) -> f64 {
    let square = x * x;
    let whole = freedom + square;
    let tail = 0.5
        * if freedom / whole < (freedom / 2.0 + 1.0) / (freedom / 2.0 + 2.5) {
            beta_side(freedom / whole, square / whole, freedom / 2.0, 0.5)
        } else {
            1.0 - beta_side(square / whole, freedom / whole, 0.5, freedom / 2.0)
        };
    if square == 0.0 {
        0.5
    } else if x > 0.0 {
        tail
    } else {
        1.0 - tail
    }
}

/// The value that Student's t with `freedom` degrees of freedom stays below with probability `p`. From 1,000 degrees up by
/// the expansion about the normal quantile (Abramowitz and Stegun 26.7.5). Not a number outside of 0 to 1 or without freedom.
pub fn t_quantile(p: f64, freedom: f64) -> f64 {
    if !(0.0..=1.0).contains(&p) || freedom.is_nan() || freedom <= 0.0 {
        return f64::NAN;
    }
    if freedom > 1000.0 {
        let x = normal_quantile(p);
        if x.is_infinite() || freedom.is_infinite() {
            return x;
        }
        let s = x * x;
        let terms = [
            (s + 1.0) / 4.0,
            ((5.0 * s + 16.0) * s + 3.0) / 96.0,
            (((3.0 * s + 19.0) * s + 17.0) * s - 15.0) / 384.0,
            ((((79.0 * s + 776.0) * s + 1482.0) * s - 1920.0) * s - 945.0) / 92_160.0,
        ];
        return x * (1.0 + terms.iter().rev().fold(0.0, |sum, term| (sum + term) / freedom));
    }
    if p == 0.5 {
        return 0.0;
    }
    if p > 0.5 {
        return -t_quantile(1.0 - p, freedom);
    }
    let half = freedom / 2.0;
    let front = (ln_gamma(half + 0.5) - ln_gamma(half)).exp() / (freedom * std::f64::consts::PI).sqrt();
    -upper_point(p, |x| {
        let density = front * (-(half + 0.5) * (x * x / freedom).ln_1p()).exp();
        (t_upper(x, freedom), density)
    })
}

/// The positive value exceeded with probability `tail` below one half, of a distribution given by its upper tail and density.
/// Newton's method for the logarithm of the tail over the logarithm of the value, on which heavy tails are straight.
fn upper_point(tail: f64, of: impl Fn(f64) -> (f64, f64)) -> f64 {
    if tail <= 0.0 {
        return f64::INFINITY;
    }
    solve(-40.0, 600.0, |log| {
        let x = log.exp();
        let (above, density) = of(x);
        if above > 0.0 { (tail.ln() - above.ln(), density * x / above) } else { (1.0, 0.0) }
    })
    .exp()
}

/// The value that a beta variable with the positive parameters `a` and `b` stays below with probability `p`; the ends of 0 to 1
/// when a parameter is zero.
pub fn beta_quantile(p: f64, a: f64, b: f64) -> f64 {
    if a <= 0.0 {
        return 0.0;
    }
    if b <= 0.0 {
        return 1.0;
    }
    let whole = ln_gamma(a + b) - ln_gamma(a) - ln_gamma(b);
    solve(0.0, 1.0, |x| {
        let density = (whole + (a - 1.0) * x.ln() + (b - 1.0) * (-x).ln_1p()).exp();
        (beta_lower(x, a, b) - p, density)
    })
}

/// The probability that a chi-squared variable with `freedom` degrees of freedom exceeds `x`.
pub fn chi_squared_upper(x: f64, freedom: f64) -> f64 {
    gamma_upper(freedom / 2.0, x / 2.0)
}

/// The probability that a variable with the F distribution exceeds `x`; endless degrees `below` give chi-squared's over `above`.
pub fn f_upper(x: f64, above: f64, below: f64) -> f64 {
    if below.is_infinite() {
        return chi_squared_upper(x * above, above);
    }
    beta_lower(below / (below + above * x), below / 2.0, above / 2.0)
}

/// The probability of at most `successes` in `cases` tries that each succeed with probability `chance`.
pub fn binomial_lower(successes: u64, cases: u64, chance: f64) -> f64 {
    if successes >= cases {
        return 1.0;
    }
    beta_lower(1.0 - chance, (cases - successes) as f64, successes as f64 + 1.0)
}

/// Where a growing function, given with its slope, is zero between `low` and `high`.
fn solve(low: f64, high: f64, of: impl Fn(f64) -> (f64, f64)) -> f64 {
    let (mut low, mut high) = (low, high);
    let mut at = low.midpoint(high);
    for _ in 0..400 {
        let (value, slope) = of(at);
        if value > 0.0 {
            high = at
        } else {
            low = at
        }
        let newton = at - value / slope;
        if (newton - at).abs() <= 4.0 * f64::EPSILON * at.abs() {
            return newton.clamp(low, high);
        }
        let next = if newton > low && newton < high { newton } else { low.midpoint(high) };
        if next == at {
            return at;
        }
        at = next;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_points() {
        assert!((normal_quantile(0.975) - Z).abs() < 1e-13);
        assert!((t_quantile(0.975, 1.0) - 12.706_204_736_174_7).abs() < 1e-9);
        assert!((t_quantile(0.975, 5.0) - 2.570_581_835_636_3).abs() < 1e-11);
        assert!((beta_quantile(0.025, 9.0, 2.0) - 0.554_984).abs() < 1e-6);
        assert!((chi_squared_upper(3.841_458_820_694_124, 1.0) - 0.05).abs() < 1e-12);
        assert!((binomial_lower(2, 10, 0.5) - 56.0 / 1024.0).abs() < 1e-14);
    }

    #[test]
    fn ends() {
        assert_eq!(normal_quantile(0.5), 0.0);
        assert_eq!(normal_quantile(1.0), f64::INFINITY);
        assert_eq!(t_quantile(0.0, 3.0), f64::NEG_INFINITY);
        assert!(normal_quantile(1.5).is_nan() && t_quantile(0.5, 0.0).is_nan());
        assert_eq!((beta_quantile(0.025, 0.0, 3.0), beta_quantile(0.975, 3.0, 0.0)), (0.0, 1.0));
        assert_eq!((t_upper(0.0, 3.0), normal_upper(0.0)), (0.5, 0.5));
    }
}
