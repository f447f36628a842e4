//! How an episode ended.

/// Why no further reply is requested.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Ended {
    /// The agent answered without calling anything, and the user has no further message.
    Finished,
    /// It had as many replies as it may have.
    MaxSteps,
    /// It called more tools than it may.
    MaxCalls,
    /// A reply was cut off at the limit of its length.
    Truncated,
    /// It declined to answer.
    Refused,
    /// It neither said nor called anything.
    Empty,
    /// It wrote a call as text, which called nothing.
    CallAsText,
    /// An agent of the user's own took longer than it may.
    TimedOut,
    /// An agent of the user's own failed: its program ended, its server answered with an error, its function raised an exception.
    AgentError,
    /// An agent of the user's own said what the protocol does not have.
    ProtocolError,
    /// The provider's content filter cut the dialogue or the reply.
    Filtered,
    /// A reply could not be had, or its tools failed where the peer's whole episode does.
    Errored,
    /// It called what no rule of the case foresees, where the case says to stop then.
    OffScript,
    /// It called what no rule of the case foresees and the case does not allow, so that it can only have failed.
    Unexpected,
    /// The cost ceiling left no room for the next reply.
    SkippedBudget,
    /// The run was stopped before it came to its end.
    NotAsked,
    /// The case itself cannot be driven.
    InvalidCase,
}

impl Ended {
    /// All of them.
    pub const ALL: [Ended; 17] = [
        Ended::Finished,
        Ended::MaxSteps,
        Ended::MaxCalls,
        Ended::Truncated,
        Ended::Refused,
        Ended::Empty,
        Ended::CallAsText,
        Ended::TimedOut,
        Ended::AgentError,
        Ended::ProtocolError,
        Ended::Filtered,
        Ended::Errored,
        Ended::OffScript,
        Ended::Unexpected,
        Ended::SkippedBudget,
        Ended::NotAsked,
        Ended::InvalidCase,
    ];

    /// As the column `ended` spells it.
    pub fn as_str(self) -> &'static str {
        match self {
            Ended::Finished => "finished",
            Ended::MaxSteps => "max_steps",
            Ended::MaxCalls => "max_calls",
            Ended::Truncated => "truncated",
            Ended::Refused => "refused",
            Ended::Empty => "empty",
            Ended::CallAsText => "call_as_text",
            Ended::TimedOut => "timed_out",
            Ended::AgentError => "agent_error",
            Ended::ProtocolError => "protocol_error",
            Ended::Filtered => "filtered",
            Ended::Errored => "errored",
            Ended::OffScript => "off_script",
            Ended::Unexpected => "unexpected",
            Ended::SkippedBudget => "skipped_budget",
            Ended::NotAsked => "not_asked",
            Ended::InvalidCase => "invalid_case",
        }
    }

    /// The end of that name, as the column `ended` spells it.
    pub fn named(name: &str) -> Option<Ended> {
        Ended::ALL.into_iter().find(|ended| ended.as_str() == name)
    }

    /// Whether the agent caused it, so that the episode has a score. Failures of a server or a mock, and a cost
    /// limit, are not the agent's.
    pub fn is_scored(self) -> bool {
        matches!(
            self,
            Ended::Finished
                | Ended::MaxSteps
                | Ended::MaxCalls
                | Ended::Truncated
                | Ended::Refused
                | Ended::Empty
                | Ended::CallAsText
                | Ended::TimedOut
                | Ended::AgentError
                | Ended::ProtocolError
                | Ended::Unexpected
        )
    }

    /// Whether an agent of the user's own came to no result by its own fault. What it had called until then is none.
    pub fn is_breakdown(self) -> bool {
        matches!(self, Ended::TimedOut | Ended::AgentError | Ended::ProtocolError)
    }

    /// In words, after "the episode ended: ".
    pub fn in_words(self) -> &'static str {
        match self {
            Ended::Finished => "the agent answered",
            Ended::MaxSteps => "it had all the replies that it may have",
            Ended::MaxCalls => "it called more tools than it may",
            Ended::Truncated => "a reply was cut off at the limit of its length",
            Ended::Refused => "the agent declined to answer",
            Ended::Empty => "the agent neither said nor called anything",
            Ended::CallAsText => "the agent wrote a call as text",
            Ended::TimedOut => "the agent took longer than it may",
            Ended::AgentError => "the agent failed",
            Ended::ProtocolError => "the agent did not follow the protocol",
            Ended::Filtered => "a content filter cut it off",
            Ended::Errored => "a reply could not be had",
            Ended::OffScript => "a call was made that the case does not foresee",
            Ended::Unexpected => "it called what the case neither expects nor answers",
            Ended::SkippedBudget => "the cost ceiling was reached",
            Ended::NotAsked => "the run was stopped",
            Ended::InvalidCase => "the case cannot be driven",
        }
    }
}
