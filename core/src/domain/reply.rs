//! The reply of a judge model.

/// A paid-for answer, before anybody reads a verdict out of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Reply {
    /// The answer's text; may be empty.
    pub text: String,
    /// Why the answer ends where it does.
    pub stop: Stop,
    /// Tokens of all answers that were paid for.
    pub usage: Usage,
    /// The model that the reply names; with gateways and aliases, it may differ from the requested one.
    pub model: Option<String>,
    /// From sending the attempt that succeeded to its last byte.
    pub latency_ms: u64,
    /// Requests sent for this reply, the failed ones included.
    pub attempts: u32,
    /// What was sent otherwise than requested, such as `rail:text`; empty when nothing was.
    pub adapted: Vec<String>,
    /// How probable each rail was as the answer, by the model's own token probabilities; empty where it gives none.
    pub probabilities: Vec<RailProbability>,
    /// What the reply cost when it was bought, in US dollars, failed attempts excluded and answers whose place it took
    /// included; absent where no price is known.
    pub cost_usd: Option<f64>,
}

/// What was paid for an answer, useful or not.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Paid {
    /// Tokens, reasoning included.
    pub usage: Usage,
    /// US dollars; absent where a price is not known.
    pub cost_usd: Option<f64>,
    /// Requests sent for it.
    pub attempts: u32,
}

impl Reply {
    /// What it cost.
    pub fn paid(&self) -> Paid {
        Paid { usage: self.usage, cost_usd: self.cost_usd, attempts: self.attempts }
    }

    /// This reply, bearing what an `earlier` one cost too whose place it takes.
    #[must_use]
    pub fn in_place_of(mut self, earlier: Paid) -> Reply {
        let both = self.paid().and(earlier);
        (self.usage, self.cost_usd, self.attempts) = (both.usage, both.cost_usd, both.attempts);
        self
    }
}

impl Paid {
    /// What both cost, where there are both.
    #[must_use]
    pub fn sum(one: Option<Paid>, other: Option<Paid>) -> Option<Paid> {
        match (one, other) {
            (Some(one), Some(other)) => Some(one.and(other)),
            (one, other) => one.or(other),
        }
    }

    /// What both cost. What is not known of one is not known of both.
    #[must_use]
    pub fn and(self, other: Paid) -> Paid {
        let sum = |part: fn(&Usage) -> Option<u64>| {
            part(&self.usage).zip(part(&other.usage)).map(|(one, other)| one + other)
        };
        Paid {
            usage: Usage {
                prompt_tokens: sum(|usage| usage.prompt_tokens),
                cached_tokens: sum(|usage| usage.cached_tokens),
                completion_tokens: sum(|usage| usage.completion_tokens),
            },
            cost_usd: self.cost_usd.zip(other.cost_usd).map(|(one, other)| one + other),
            attempts: self.attempts + other.attempts,
        }
    }
}

/// The probability, 0 to 1, that the model would have answered with a rail.
#[derive(Debug, Clone, PartialEq)]
pub struct RailProbability {
    /// One of the rails, in the rail's own spelling.
    pub label: String,
    /// From 0 to 1; the probabilities of the rails that the model considered sum to 1.
    pub probability: f64,
}

/// Why the model stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Stop {
    /// It had said what it wanted to say.
    Finished,
    /// It ran into the length limit.
    Truncated,
    /// It declined to answer.
    Refused,
    /// The provider's content filter cut the prompt or the answer.
    Filtered,
}

impl Stop {
    /// All of them.
    pub const ALL: [Stop; 4] = [Stop::Finished, Stop::Truncated, Stop::Refused, Stop::Filtered];

    /// As the store spells it.
    pub fn as_str(self) -> &'static str {
        match self {
            Stop::Finished => "finished",
            Stop::Truncated => "truncated",
            Stop::Refused => "refused",
            Stop::Filtered => "filtered",
        }
    }
}

/// Tokens as the provider counts them; absent where it does not say.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Usage {
    /// Tokens of the prompt, cached ones included.
    pub prompt_tokens: Option<u64>,
    /// Of the prompt's tokens, those read from the provider's prompt cache, which are cheaper.
    pub cached_tokens: Option<u64>,
    /// Reasoning included.
    pub completion_tokens: Option<u64>,
}
