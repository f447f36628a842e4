//! Which loop an episode follows: ours, or that of another tool.

/// Whose loop an episode follows, where it differs from ours.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Loop {
    /// Ours.
    #[default]
    Own,
    /// LangChain Benchmarks' agents (0.0.14):
    ///
    /// | event | ours | theirs |
    /// |---|---|---|
    /// | a tool raises | the call fails, the agent goes on | the episode ends without output, steps and state |
    /// | arguments that are no JSON | the call fails | a step `_Exception`, and a message as if of the agent's own |
    /// | 15 replies | the response is empty | `Agent stopped due to max iterations.` |
    /// | a message equal to an earlier one, ids included | is sent again | is left out |
    /// | an argument `__arg1` | an argument | its value is the tool's whole input |
    /// | an answer in parts | is joined | stays a list |
    LangChain,
    /// The loop of the article's ToolEvaluator: every tool returns its own arguments, no schema is looked at, there is a reply more
    /// than the calls that are allowed, and what stops a reply otherwise ends the episode with an empty response.
    Article,
}

impl Loop {
    /// The loop of a peer; `None` for a name that is not one's.
    pub fn of_peer(name: &str) -> Option<Loop> {
        match name {
            "langchain" => Some(Loop::LangChain),
            "article" => Some(Loop::Article),
            _ => None,
        }
    }

    /// The names of the peers whose loops are known.
    pub const PEERS: [&str; 2] = ["langchain", "article"];

    /// As the scorers name the peer.
    pub fn peer(self) -> Option<&'static str> {
        match self {
            Loop::Own => None,
            Loop::LangChain => Some("langchain"),
            Loop::Article => Some("article"),
        }
    }
}
