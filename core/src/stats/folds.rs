//! Combines the scores of several turns into one, for a session or a case of a suite.

use std::collections::BTreeMap;

/// The scores of turns by the user's requests: each request counts once, however many turns the agent took for it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RequestScores {
    /// The sum of the scores of each request, how many there are, and how many are missing.
    requests: BTreeMap<u64, (f64, u64, u64)>,
}

/// A mean over requests.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RequestMean {
    /// `None` where a score is missing, or there is none.
    pub value: Option<f64>,
    /// What it is at least, and at most, whatever the missing scores are.
    pub bounds: Option<(f64, f64)>,
}

impl RequestScores {
    /// Adds a turn of a request; `None` where it has no score.
    pub fn add(&mut self, request: u64, score: Option<f64>) {
        let (sum, scores, missing) = self.requests.entry(request).or_default();
        match score {
            Some(score) => (*sum, *scores) = (*sum + score, *scores + 1),
            None => *missing += 1,
        }
    }

    /// The mean over requests of the mean over their turns, of scores from `low` to `high`.
    pub fn mean(&self, (low, high): (f64, f64)) -> RequestMean {
        let requests = self.requests.len() as f64;
        if self.requests.is_empty() {
            return RequestMean { value: None, bounds: None };
        }
        let with = |missing: f64| {
            let of = |(sum, scores, gone): &(f64, u64, u64)| {
                (sum + missing * *gone as f64) / (scores + gone) as f64
            };
            self.requests.values().map(of).sum::<f64>() / requests
        };
        let complete = self.requests.values().all(|(.., missing)| *missing == 0);
        RequestMean { value: complete.then(|| with(low)), bounds: Some((with(low), with(high))) }
    }
}

impl RequestMean {
    /// The smaller of two means; what is missing in one of them leaves bounds.
    pub fn min(self, other: RequestMean) -> RequestMean {
        let smaller = |a: f64, b: f64| a.min(b);
        RequestMean {
            value: self.value.zip(other.value).map(|(a, b)| smaller(a, b)),
            bounds: self.bounds.zip(other.bounds).map(|(a, b)| (smaller(a.0, b.0), smaller(a.1, b.1))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_counts_once() {
        let mut scores = RequestScores::default();
        for (request, score) in [(1, Some(1.0)), (1, Some(0.0)), (1, Some(0.5)), (2, Some(1.0))] {
            scores.add(request, score);
        }
        assert_eq!(scores.mean((0.0, 1.0)), RequestMean { value: Some(0.75), bounds: Some((0.75, 0.75)) });
        scores.add(2, None);
        assert_eq!(scores.mean((0.0, 1.0)), RequestMean { value: None, bounds: Some((0.5, 0.75)) });
        let nothing = RequestScores::default().mean((0.0, 1.0));
        assert_eq!(nothing, RequestMean { value: None, bounds: None });
        let other = RequestMean { value: Some(0.6), bounds: Some((0.6, 0.6)) };
        assert_eq!(scores.mean((0.0, 1.0)).min(other), RequestMean { value: None, bounds: Some((0.5, 0.6)) });
    }
}
