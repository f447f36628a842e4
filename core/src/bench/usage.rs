//! The cost of a judge's answers: money, tokens, time.

use serde::Serialize;

/// Sums over the answers of one judge. What a stored answer cost when it was bought counts too.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Usage {
    /// Answers that came from a model.
    pub answers: u64,
    /// Of these, those that were there before.
    pub cached: u64,
    /// US dollars, of the answers whose price is known.
    pub cost_usd: f64,
    /// Answers without a known price.
    pub unpriced: u64,
    /// Tokens of all prompts.
    pub prompt_tokens: u64,
    /// Tokens of all answers, reasoning included.
    pub completion_tokens: u64,
    /// Milliseconds from request to answer, one for each answer.
    pub latencies: Vec<u32>,
}

/// [`Usage`] as it is shown.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct UsageRecord {
    /// US dollars, of all repetitions; absent where any answer's price is unknown.
    pub cost_usd: Option<f64>,
    /// US dollars for labelling a thousand rows once.
    pub cost_usd_per_1000: Option<f64>,
    /// Tokens of all prompts.
    pub prompt_tokens: u64,
    /// Tokens of all answers, reasoning included.
    pub completion_tokens: u64,
    /// Absent where no answer came from a model.
    pub latency_ms: Option<Latency>,
    /// Answers that were in the store before.
    pub cached: u64,
}

/// Milliseconds that half of the answers, or 95 of a hundred, took at most.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Latency {
    pub p50: u32,
    pub p95: u32,
}

impl Usage {
    /// The sums over `rows` rows, each counted as often as it was asked about; nothing where no model was asked.
    pub fn record(&self, rows: usize) -> Option<UsageRecord> {
        if self.answers == 0 {
            return None;
        }
        let cost = (self.unpriced == 0).then_some(self.cost_usd);
        Some(UsageRecord {
            cost_usd: cost,
            cost_usd_per_1000: cost.filter(|_| rows > 0).map(|cost| cost * 1e3 / rows as f64),
            prompt_tokens: self.prompt_tokens,
            completion_tokens: self.completion_tokens,
            latency_ms: self.latency(),
            cached: self.cached,
        })
    }

    fn latency(&self) -> Option<Latency> {
        let mut sorted = self.latencies.clone();
        sorted.sort_unstable();
        // The nearest rank: the smallest value that the share of all answers does not exceed.
        let rank = |share: f64| {
            let rank = (share * sorted.len() as f64).ceil() as usize;
            sorted.get(rank.saturating_sub(1)).copied()
        };
        Some(Latency { p50: rank(0.5)?, p95: rank(0.95)? })
    }

    /// Both together.
    pub fn plus(&self, other: &Usage) -> Usage {
        Usage {
            answers: self.answers + other.answers,
            cached: self.cached + other.cached,
            cost_usd: self.cost_usd + other.cost_usd,
            unpriced: self.unpriced + other.unpriced,
            prompt_tokens: self.prompt_tokens + other.prompt_tokens,
            completion_tokens: self.completion_tokens + other.completion_tokens,
            latencies: self.latencies.iter().chain(&other.latencies).copied().collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums() {
        let usage = Usage { answers: 4, cost_usd: 0.02, latencies: vec![40, 10, 30, 20], ..Usage::default() };
        let record = usage.record(10).unwrap();
        assert_eq!(record.cost_usd_per_1000, Some(2.0));
        assert_eq!(record.latency_ms, Some(Latency { p50: 20, p95: 40 }));
        assert_eq!(Usage { unpriced: 1, ..usage.clone() }.record(10).unwrap().cost_usd, None);
        assert_eq!(usage.plus(&usage).record(20).unwrap().cost_usd_per_1000, Some(2.0));
        assert!(Usage::default().record(10).is_none());
    }
}
