//! The assumed share of right calls (base rate).

use std::str::FromStr;

/// The share of right calls among all that are judged: above 0, below 1. By default one half, which favours no label.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BaseRate(f64);

impl Default for BaseRate {
    fn default() -> BaseRate {
        BaseRate(0.5)
    }
}

impl BaseRate {
    /// What is assumed of logged calls: most of them are right.
    pub const USUAL: BaseRate = BaseRate(0.9);

    /// `None` for what is no share, and for 0 and 1: there would be nothing to judge.
    pub fn new(share: f64) -> Option<BaseRate> {
        (share > 0.0 && share < 1.0).then_some(BaseRate(share))
    }

    /// Above 0 and below 1.
    pub fn share(self) -> f64 {
        self.0
    }

    /// The probability of being right here, of a call whose probability is `even` where half of all calls are right.
    pub(super) fn posterior(self, even: f64) -> f64 {
        if self == BaseRate::default() {
            return even;
        }
        let (right, wrong) = (even * self.0, (1.0 - even) * (1.0 - self.0));
        right / (right + wrong)
    }

    /// What `here` would be where half of all calls are right: the base rate taken out.
    pub fn even(self, here: f64) -> f64 {
        // Undoing leaves a trace in the last digits, which would move what stands on the border of two bins.
        if self == BaseRate::default() {
            return here;
        }
        (BaseRate(1.0 - self.0).posterior(here) * 1e6).round() / 1e6
    }
}

/// A text that is not a number above 0 and below 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("expected the share of calls that are right, above 0 and below 1, such as 0.9")]
pub struct InvalidBaseRate;

impl FromStr for BaseRate {
    type Err = InvalidBaseRate;

    fn from_str(text: &str) -> Result<BaseRate, InvalidBaseRate> {
        text.parse().ok().and_then(BaseRate::new).ok_or(InvalidBaseRate)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        for (share, even, here) in [
            (0.5, 0.7, 0.7),
            (0.9, 0.5, 0.9),
            // 0.4 of 0.75 against 0.6 of 0.25.
            (0.75, 0.4, 0.3 / 0.45),
            (0.2, 0.8, 0.5),
        ] {
            let rate = BaseRate::new(share).unwrap();
            assert!((rate.posterior(even) - here).abs() < 1e-12, "{share} {even}");
            assert!((rate.even(here) - even).abs() < 1e-12, "{share} {even}");
        }
        for text in ["0", "1", "-0.1", "NaN", "inf", "90%", "", "1.5"] {
            assert!(text.parse::<BaseRate>().is_err(), "{text}");
        }
    }
}
