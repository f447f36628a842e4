//! The special functions behind the distributions: gamma and beta, complete and incomplete.

/// Terms after which a series or fraction is taken to have converged; none comes near it for arguments below 10⁸.
const MAX_TERMS: u32 = 100_000;
const TINY: f64 = 1e-300;

/// The logarithm of the gamma function of a positive number: Stirling's series (Abramowitz and Stegun 6.1.40) from 15 up,
/// reached by the recurrence.
pub(super) fn ln_gamma(x: f64) -> f64 {
    let (mut x, mut below) = (x, 1.0);
    while x < 15.0 {
        below *= x;
        x += 1.0;
    }
    let square = 1.0 / (x * x);
    let series = (1.0 / 12.0
        - square
            * (1.0 / 360.0
                - square
                    * (1.0 / 1260.0
                        - square * (1.0 / 1680.0 - square * (1.0 / 1188.0 - square * 691.0 / 360_360.0)))))
        / x;
    (x - 0.5) * x.ln() - x + 0.5 * (2.0 * std::f64::consts::PI).ln() + series - f64::ln(below)
}

/// The upper regularised incomplete gamma function Q(a, x): by its series below a + 1, by its continued fraction above
/// (Abramowitz and Stegun 6.5.29 and 6.5.31, the fraction after W. J. Lentz, Applied Optics 15, 1976).
pub(super) fn gamma_upper(a: f64, x: f64) -> f64 {
    if x <= 0.0 {
        return 1.0;
    }
    if x.is_infinite() {
        return 0.0;
    }
    let front = (a * x.ln() - x - ln_gamma(a)).exp();
    if x < a + 1.0 {
        let (mut term, mut sum) = (1.0 / a, 1.0 / a);
        for step in 1..MAX_TERMS {
            term *= x / (a + f64::from(step));
            sum += term;
            if term < sum * f64::EPSILON {
                break;
            }
        }
        return (1.0 - front * sum).clamp(0.0, 1.0);
    }
    let mut b = x + 1.0 - a;
    let (mut c, mut d) = (1.0 / TINY, 1.0 / b);
    let mut fraction = d;
    for step in 1..MAX_TERMS {
        let step = f64::from(step);
        let a_n = step * (a - step);
        b += 2.0;
        d = 1.0 / off_zero(b + a_n * d);
        c = off_zero(b + a_n / c);
        fraction *= d * c;
        if (d * c - 1.0).abs() < f64::EPSILON {
            break;
        }
    }
    front * fraction
}

/// The regularised incomplete beta function I(x; a, b), the cumulative probability of a beta distribution: by its continued
/// fraction (Abramowitz and Stegun 26.5.8), on the side where that converges fast.
pub(super) fn beta_lower(x: f64, a: f64, b: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    if x >= 1.0 {
        return 1.0;
    }
    if x < (a + 1.0) / (a + b + 2.0) {
        beta_side(x, 1.0 - x, a, b)
    } else {
        1.0 - beta_side(1.0 - x, x, b, a)
    }
}

/// I(x; a, b) where x is below about a / (a + b); `rest` is 1 - x, given apart because it may be known better.
pub(super) fn beta_side(x: f64, rest: f64, a: f64, b: f64) -> f64 {
    let front = (ln_gamma(a + b) - ln_gamma(a) - ln_gamma(b) + a * x.ln() + b * rest.ln()).exp() / a;
    let (mut c, mut d) = (1.0, 1.0 / off_zero(1.0 - (a + b) * x / (a + 1.0)));
    let mut fraction = d;
    for step in 1..MAX_TERMS {
        let m = f64::from(step);
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        d = 1.0 / off_zero(1.0 + even * d);
        c = off_zero(1.0 + even / c);
        fraction *= d * c;
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        d = 1.0 / off_zero(1.0 + odd * d);
        c = off_zero(1.0 + odd / c);
        fraction *= d * c;
        if (d * c - 1.0).abs() < f64::EPSILON {
            break;
        }
    }
    front * fraction
}

fn off_zero(x: f64) -> f64 {
    if x.abs() < TINY { TINY } else { x }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_values() {
        let factorial: f64 = (1..=20).map(f64::from).product();
        assert!((ln_gamma(21.0) - factorial.ln()).abs() < 1e-13);
        assert!((ln_gamma(0.5) - std::f64::consts::PI.sqrt().ln()).abs() < 1e-14);
        assert!((gamma_upper(1.0, 2.0) - (-2.0_f64).exp()).abs() < 1e-15);
        assert!((gamma_upper(1.0, 0.2) - (-0.2_f64).exp()).abs() < 1e-15);
        assert!((beta_lower(0.3, 1.0, 1.0) - 0.3).abs() < 1e-14);
        assert!((beta_lower(0.3, 2.0, 1.0) - 0.09).abs() < 1e-14);
        assert_eq!((beta_lower(0.0, 2.0, 3.0), beta_lower(1.0, 2.0, 3.0)), (0.0, 1.0));
    }
}
