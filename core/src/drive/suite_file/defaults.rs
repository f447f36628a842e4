//! Suite-wide defaults for settings that a case leaves out.

use super::mocks::UNMATCHED;
use super::node::Read;
use super::table::Table;
use crate::domain::Number;
use crate::drive::Unmatched;

/// What holds for a suite that says nothing: what `[defaults]` says counts more, and what a case says most.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SuiteDefaults {
    /// Replies of the model. `None` for one more than the calls that are allowed, as in the article's loop.
    pub max_steps: Option<u32>,
    /// Calls that are executed; more fail the case.
    pub max_tool_calls: u32,
    /// The time that an episode may take, in milliseconds; more fails the case.
    pub max_latency_ms: u64,
    /// Whether arguments that the tool's schema does not allow are an error of the call.
    pub validate: bool,
    /// What becomes of a call that no mock of its tool answers.
    pub unmatched: Unmatched,
}

impl Default for SuiteDefaults {
    /// 15 replies, 50 calls, ten minutes, with schema checks, calls that no mock answers are errors.
    fn default() -> SuiteDefaults {
        SuiteDefaults {
            max_steps: Some(15),
            max_tool_calls: 50,
            max_latency_ms: 600_000,
            validate: true,
            unmatched: Unmatched::Error,
        }
    }
}

impl SuiteDefaults {
    /// The article's: 5 calls in 6 replies, ten seconds, no schema checks, every call is echoed.
    pub fn article() -> SuiteDefaults {
        SuiteDefaults {
            max_steps: None,
            max_tool_calls: 5,
            max_latency_ms: 10_000,
            validate: false,
            unmatched: Unmatched::Echo,
        }
    }
}

/// Keys that `[defaults]` and cases have in common.
pub(super) const CASE_DEFAULTS: &[&str] = &[
    "category",
    "max_steps",
    "max_tool_calls",
    "max_latency_ms",
    "validate",
    "unmatched",
    "ordered",
    "forbidden_tools",
    "execute",
    "threshold",
];

/// The same with what only a file can say.
#[derive(Debug, Clone)]
pub(super) struct Defaults<'a> {
    pub category: Option<&'a str>,
    steps: Option<u32>,
    pub max_tool_calls: u32,
    pub max_latency_ms: u64,
    pub validate: bool,
    pub unmatched: Unmatched,
    pub ordered: bool,
    pub forbidden_tools: Vec<&'a str>,
    pub execute: bool,
    /// The least score that passes; the scorer's own where nobody says.
    pub threshold: Option<&'a Number>,
}

impl<'a> Defaults<'a> {
    pub fn new(given: SuiteDefaults) -> Defaults<'a> {
        Defaults {
            category: None,
            steps: given.max_steps,
            max_tool_calls: given.max_tool_calls,
            max_latency_ms: given.max_latency_ms,
            validate: given.validate,
            unmatched: given.unmatched,
            ordered: false,
            forbidden_tools: Vec::new(),
            execute: true,
            threshold: None,
        }
    }

    /// Replies of the model.
    pub fn max_steps(&self) -> u32 {
        self.steps.unwrap_or(self.max_tool_calls.saturating_add(1))
    }

    /// These, where a table says nothing else. What tools it forbids is looked at where the tools are known.
    pub fn overridden(&self, table: &Table<'a>) -> Read<Defaults<'a>> {
        Ok(Defaults {
            category: table.text("category")?.or(self.category),
            steps: table.count("max_steps", 1)?.or(self.steps),
            max_tool_calls: table.count("max_tool_calls", 0)?.unwrap_or(self.max_tool_calls),
            max_latency_ms: table.count("max_latency_ms", 0)?.unwrap_or(self.max_latency_ms),
            validate: table.boolean("validate")?.unwrap_or(self.validate),
            unmatched: table.word("unmatched", &UNMATCHED)?.unwrap_or(self.unmatched),
            ordered: table.boolean("ordered")?.unwrap_or(self.ordered),
            forbidden_tools: match table.texts("forbidden_tools")? {
                Some(names) => names.into_iter().map(|(name, _)| name).collect(),
                None => self.forbidden_tools.clone(),
            },
            execute: table.boolean("execute")?.unwrap_or(self.execute),
            threshold: table.share("threshold")?.or(self.threshold),
        })
    }
}
