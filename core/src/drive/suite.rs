//! A suite: cases with the tools on offer, the user's messages, and the expected calls.

use std::sync::Arc;

use super::mock::Mocks;
use crate::domain::{Entry, Json, Object, ToolDefinition};
use crate::environment::EnvironmentName;

/// Cases under one name.
#[derive(Debug, Clone, PartialEq)]
pub struct Suite {
    /// As rows and reports name it.
    pub name: String,
    /// In the order of the file; no two have the same id.
    pub cases: Vec<Case>,
}

/// One task for an agent.
#[derive(Debug, Clone, PartialEq)]
pub struct Case {
    /// Its name within the suite.
    pub id: String,
    /// What reports group it under.
    pub category: Option<String>,
    /// The agent's instructions.
    pub system: Option<Arc<str>>,
    /// The tools on offer. Shared, because most cases of a suite offer the same.
    pub tools: Arc<[ToolDefinition]>,
    /// What becomes of calls.
    pub world: World,
    /// What was said before the first reply: the user's message, or a logged conversation.
    pub start: Vec<Entry>,
    /// What the user says next, each time a reply calls nothing.
    pub follow_ups: Vec<String>,
    /// What ends an episode early.
    pub bounds: Bounds,
    /// What is scored.
    pub expected: Expected,
    /// The right answer, for a judge that grades answers.
    pub reference: Option<String>,
}

/// What becomes of calls.
#[derive(Debug, Clone, PartialEq)]
pub enum World {
    /// Rules say what they return.
    Mocked(Mocks),
    /// An environment answers them.
    Environment(EnvironmentName),
    /// Nothing: one reply is asked, and its calls are recorded.
    Recorded,
}

/// What ends an episode early, and what a tool refuses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// Replies of the model. Default: 15.
    pub max_steps: u32,
    /// Calls that are executed. Default: 50.
    pub max_tool_calls: u32,
    /// Whether arguments that the tool's schema does not allow are an error of the call. Default: yes.
    pub validate: bool,
}

impl Default for Bounds {
    fn default() -> Bounds {
        Bounds { max_steps: 15, max_tool_calls: 50, validate: true }
    }
}

/// What an episode is compared with.
#[derive(Debug, Clone, PartialEq)]
pub enum Expected {
    /// The test of the scorer `tool_evaluator`: `expected_tool_calls` and whatever else it reads.
    Test(Object),
    /// The example of the scorer `trajectory`, as LangChain Benchmarks writes it.
    Example {
        /// `expected_steps`, `reference`, `state`, `order_matters`.
        example: Object,
        /// `none`, `qa`, `qa_math` or `qa_math_without_question`.
        output_evaluation: &'static str,
    },
}

impl Case {
    /// Whether it expects nothing but an answer that agrees with its reference.
    pub(super) fn expects_answer_only(&self) -> bool {
        let Expected::Test(test) = &self.expected else { return false };
        let lists = ["expected_tool_calls", "forbidden_tools", "not_calls", "expected_output_contains"];
        let is_empty = |key: &&str| test.get(key).and_then(Json::as_array).is_none_or(<[Json]>::is_empty);
        self.reference.is_some()
            && lists.iter().all(is_empty)
            && test.get("should_not_call_tools") != Some(&Json::Bool(true))
    }
}

impl Expected {
    /// Whether nobody looks at what the agent says in the end.
    pub(super) fn is_without_words(&self) -> bool {
        matches!(self, Expected::Example { output_evaluation: "none", .. })
    }
}
