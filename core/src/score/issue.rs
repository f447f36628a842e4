//! Typed issues of calls, so that failure analysis is a group-by.

use crate::domain::{Json, Object};

/// One thing that is wrong.
#[derive(Debug, Clone, PartialEq)]
pub struct Issue {
    /// What kind of fault it is.
    pub kind: IssueKind,
    /// The tool it is about, if it is about one.
    pub tool: Option<String>,
    /// The place in the arguments, as a JSON pointer (RFC 6901): `/city`, `/items/0/price`.
    pub path: Option<String>,
    /// In words.
    pub message: String,
}

/// The kinds of things that can be wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum IssueKind {
    /// An expected call was not made.
    MissingCall,
    /// A call was made that no expectation asks for.
    UnexpectedCall,
    /// The calls are right, their order is not.
    WrongOrder,
    /// There are more or fewer calls than expected.
    WrongCount,
    /// Another tool was called than the expected one.
    WrongTool,
    /// The tool is of another type than the expected one.
    WrongToolType,
    /// An argument has another value than the accepted ones.
    WrongValue,
    /// An argument has another type than the declared one.
    WrongType,
    /// A parameter that must be given is not.
    MissingParameter,
    /// A parameter was given that is not expected.
    ExtraParameter,
    /// A parameter was given that must not be.
    ForbiddenParameter,
    /// An argument does not pass the check that the case asks for.
    FailedValidator,
    /// The tool returned something else than expected.
    WrongOutput,
    /// The calls leave the environment in another state than the expected one.
    WrongState,
    /// The final answer was graded as wrong.
    WrongAnswer,
    /// A tool was called that must not be.
    ForbiddenTool,
    /// A call was made with arguments that it must not be made with.
    ForbiddenCall,
    /// Something was called where nothing should be.
    CallWhereNoneIsDue,
    /// There are more calls than the case allows.
    TooManyCalls,
    /// The calls took longer than the case allows.
    LatencyOverBudget,
    /// The response lacks a word that the case asks for.
    MissingKeyword,
    /// The same call was made again and again.
    LoopDetected,
    /// The peer has no verdict, but crashes.
    CheckerCrash,
    /// The calls could not be read.
    Undecodable,
    /// A tool was called that is not on offer.
    UnknownTool,
    /// A call's arguments are not what the tool's schema allows.
    InvalidArguments,
    /// A tool failed.
    ToolError,
    /// No mock answers a call of a tool that has mocks.
    UnmatchedCall,
    /// The episode ended before the agent had answered.
    StoppedEarly,
}

impl IssueKind {
    /// As the column of issues spells it.
    pub fn as_str(self) -> &'static str {
        match self {
            IssueKind::MissingCall => "missing_call",
            IssueKind::UnexpectedCall => "unexpected_call",
            IssueKind::WrongOrder => "wrong_order",
            IssueKind::WrongCount => "wrong_count",
            IssueKind::WrongTool => "wrong_tool",
            IssueKind::WrongToolType => "wrong_tool_type",
            IssueKind::WrongValue => "wrong_value",
            IssueKind::WrongType => "wrong_type",
            IssueKind::MissingParameter => "missing_parameter",
            IssueKind::ExtraParameter => "extra_parameter",
            IssueKind::ForbiddenParameter => "forbidden_parameter",
            IssueKind::FailedValidator => "failed_validator",
            IssueKind::WrongOutput => "wrong_output",
            IssueKind::WrongState => "wrong_state",
            IssueKind::WrongAnswer => "wrong_answer",
            IssueKind::ForbiddenTool => "forbidden_tool",
            IssueKind::ForbiddenCall => "forbidden_call",
            IssueKind::CallWhereNoneIsDue => "call_where_none_is_due",
            IssueKind::TooManyCalls => "too_many_calls",
            IssueKind::LatencyOverBudget => "latency_over_budget",
            IssueKind::MissingKeyword => "missing_keyword",
            IssueKind::LoopDetected => "loop_detected",
            IssueKind::CheckerCrash => "checker_crash",
            IssueKind::Undecodable => "undecodable",
            IssueKind::UnknownTool => "unknown_tool",
            IssueKind::InvalidArguments => "invalid_arguments",
            IssueKind::ToolError => "tool_error",
            IssueKind::UnmatchedCall => "unmatched_call",
            IssueKind::StoppedEarly => "stopped_early",
        }
    }
}

impl Issue {
    /// `kind`, `message`, and where there are such `tool` and `path`.
    pub fn to_json(&self) -> Json {
        let mut object = Object::new();
        object.insert("kind", self.kind.as_str());
        if let Some(tool) = &self.tool {
            object.insert("tool", tool.as_str());
        }
        if let Some(path) = &self.path {
            object.insert("path", path.as_str());
        }
        object.insert("message", self.message.as_str());
        Json::Object(object)
    }
}
