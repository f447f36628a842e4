//! What really arrived, and what became of it.

use std::time::Duration;

/// A request that arrived.
#[derive(Debug, Clone, Copy)]
pub struct Arrival {
    pub at: Duration,
    pub tokens: f64,
    pub taken: bool,
    /// Whether a wait that was asked for was still on; what was on its way when it was asked for is no offence.
    pub early: bool,
}

/// What really happened.
#[derive(Debug, Clone, Default)]
pub struct Truth {
    pub arrivals: Vec<Arrival>,
    /// Taken and not answered, at the same time.
    pub most_in_flight: usize,
}

impl Truth {
    pub fn taken(&self) -> usize {
        self.arrivals.iter().filter(|arrival| arrival.taken).count()
    }

    pub fn refused(&self) -> usize {
        self.refused_after(Duration::ZERO)
    }

    /// Refused at `warm` or later.
    pub fn refused_after(&self, warm: Duration) -> usize {
        self.arrivals.iter().filter(|arrival| !arrival.taken && arrival.at >= warm).count()
    }

    pub fn early(&self) -> usize {
        self.arrivals.iter().filter(|arrival| arrival.early).count()
    }

    /// The most requests that arrived beyond what `rpm` allows, over all stretches of time.
    pub fn most_requests_beyond(&self, rpm: f64) -> f64 {
        most_beyond(self.arrivals.iter().map(|arrival| (arrival.at, 1.0)), rpm)
    }

    /// The same for tokens.
    pub fn most_tokens_beyond(&self, tpm: f64) -> f64 {
        most_beyond(self.arrivals.iter().map(|arrival| (arrival.at, arrival.tokens)), tpm)
    }
}

fn most_beyond(arrivals: impl Iterator<Item = (Duration, f64)>, a_minute: f64) -> f64 {
    // A bucket that may go into debt: the deepest debt is the answer.
    let (mut debt, mut deepest, mut last) = (0.0_f64, 0.0_f64, Duration::ZERO);
    for (at, amount) in arrivals {
        debt = (debt - at.saturating_sub(last).as_secs_f64() * a_minute / 60.0).max(0.0) + amount;
        deepest = deepest.max(debt);
        last = at;
    }
    deepest
}
