//! One thing that a judge finds wrong with a turn: its place, its kind, and a quote from the row.

use super::{Json, Object, Task, did_you_mean};

/// What a judge found wrong with a turn, as far as it can be true of it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Findings {
    /// In the judge's order.
    pub list: Vec<Finding>,
    /// Findings that were left out: about a call that the turn does not make, or an argument that the call does not have.
    pub dropped: u64,
}

/// One thing that is wrong.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    /// The call's number in its turn, from 1; `None` if no call is at fault, for example if one was not made.
    pub call: Option<usize>,
    /// The called tool.
    pub tool: Option<String>,
    /// The argument, as a JSON pointer (RFC 6901) into the call's arguments; `None` where no argument is at fault.
    pub argument: Option<String>,
    /// What kind of fault it is.
    pub kind: FindingKind,
    /// The words of the row that show it; `None` where the judge gives none.
    pub quote: Option<String>,
    /// Whether the quote occurs in what the judge was shown of the row.
    pub supported: bool,
}

/// The kinds of things that can be wrong with a call, or with what was made of its result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FindingKind {
    /// Another tool should have been called.
    WrongTool,
    /// Nothing should have been called in its place.
    UnexpectedCall,
    /// A call that is due was not made.
    MissingCall,
    /// The same call was made before, for no reason.
    RepeatedCall,
    /// The calls are right, their order is not.
    WrongOrder,
    /// A parameter that must be given is not.
    MissingParameter,
    /// A parameter was given that the tool does not have, or that should not be given.
    ExtraParameter,
    /// An argument is of another type or form than the definition says.
    WrongType,
    /// An argument says something else than what was asked for.
    WrongValue,
    /// An argument says something that nothing in the conversation bears out.
    InventedValue,
    /// The call could not be read.
    Undecodable,
    /// The tool failed.
    FailedCall,
    /// The answer, or the next call, does not say what came back.
    MisusedResult,
    /// None of these.
    Other,
}

impl FindingKind {
    /// All of them, in the order in which prompts list them.
    pub const ALL: [FindingKind; 14] = [
        FindingKind::WrongTool,
        FindingKind::UnexpectedCall,
        FindingKind::MissingCall,
        FindingKind::RepeatedCall,
        FindingKind::WrongOrder,
        FindingKind::MissingParameter,
        FindingKind::ExtraParameter,
        FindingKind::WrongType,
        FindingKind::WrongValue,
        FindingKind::InventedValue,
        FindingKind::Undecodable,
        FindingKind::FailedCall,
        FindingKind::MisusedResult,
        FindingKind::Other,
    ];

    /// As the column of findings spells it; where scorers have issues of the kind, as theirs does.
    pub fn as_str(self) -> &'static str {
        match self {
            FindingKind::WrongTool => "wrong_tool",
            FindingKind::UnexpectedCall => "unexpected_call",
            FindingKind::MissingCall => "missing_call",
            FindingKind::RepeatedCall => "repeated_call",
            FindingKind::WrongOrder => "wrong_order",
            FindingKind::MissingParameter => "missing_parameter",
            FindingKind::ExtraParameter => "extra_parameter",
            FindingKind::WrongType => "wrong_type",
            FindingKind::WrongValue => "wrong_value",
            FindingKind::InventedValue => "invented_value",
            FindingKind::Undecodable => "undecodable",
            FindingKind::FailedCall => "failed_call",
            FindingKind::MisusedResult => "misused_result",
            FindingKind::Other => "other",
        }
    }

    /// Its description in prompts.
    pub fn meaning(self) -> &'static str {
        match self {
            FindingKind::WrongTool => "another tool should have been called",
            FindingKind::UnexpectedCall => "this call should not have been made",
            FindingKind::MissingCall => "a call that is needed was not made",
            FindingKind::RepeatedCall => "the same call was made before, and nothing asks for it again",
            FindingKind::WrongOrder => "the calls come in an order that cannot work",
            FindingKind::MissingParameter => "an argument that is needed was not given",
            FindingKind::ExtraParameter => {
                "an argument was given that the tool does not have, or that should not be given"
            }
            FindingKind::WrongType => {
                "the argument's type or format is not the one that the definition asks for"
            }
            FindingKind::WrongValue => "the argument contradicts what was asked for",
            FindingKind::InventedValue => "the argument was made up: nothing that was said leads to it",
            FindingKind::Undecodable => "the call or its arguments cannot be read",
            FindingKind::FailedCall => "the tool itself failed",
            FindingKind::MisusedResult => "what the tool returned was altered, left out or misread",
            FindingKind::Other => "anything else",
        }
    }

    /// Whether a judge of `task` is asked about such faults.
    pub(crate) fn concerns(self, task: Option<Task>) -> bool {
        let of_selection = matches!(
            self,
            FindingKind::WrongTool
                | FindingKind::UnexpectedCall
                | FindingKind::MissingCall
                | FindingKind::RepeatedCall
                | FindingKind::WrongOrder
        );
        match task {
            Some(Task::ToolSelection) => of_selection,
            Some(Task::ParameterExtraction) => !of_selection,
            _ => true,
        }
    }

    /// Whether an argument that is not there can be at fault.
    pub(crate) fn is_of_what_is_not_there(self) -> bool {
        matches!(self, FindingKind::MissingParameter)
    }
}

/// A name that is not a kind's.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is not a kind of finding: use {names}{near}",
    names = FindingKind::ALL.map(FindingKind::as_str).join(", "),
    near = did_you_mean(.0, FindingKind::ALL.map(FindingKind::as_str))
)]
pub struct UnknownFindingKind(pub String);

impl std::str::FromStr for FindingKind {
    type Err = UnknownFindingKind;

    fn from_str(text: &str) -> Result<FindingKind, UnknownFindingKind> {
        let kind = FindingKind::ALL.into_iter().find(|kind| kind.as_str() == text);
        kind.ok_or_else(|| UnknownFindingKind(text.to_owned()))
    }
}

impl Findings {
    /// The field of a reply that holds them.
    pub const FIELD: &str = "findings";

    /// A list with one for each finding.
    pub fn to_json(&self) -> Json {
        Json::Array(self.list.iter().map(Finding::to_json).collect())
    }

    /// The same without what gold does not say: whose words show it.
    pub(crate) fn gold(&self) -> Vec<Json> {
        let told = |finding: &Finding| {
            let mut json = finding.to_json();
            if let Json::Object(object) = &mut json {
                object.remove("supported");
            }
            json
        };
        self.list.iter().map(told).collect()
    }

    /// Adds those of another judged part of the turn.
    pub fn extend(&mut self, other: &Findings) {
        self.list.extend(other.list.iter().cloned());
        self.dropped += other.dropped;
    }
}

impl Finding {
    /// `kind` and `supported`, and where there are such `call`, `tool`, `argument` and `quote`.
    pub fn to_json(&self) -> Json {
        let mut object = Object::new();
        if let Some(call) = self.call {
            object.insert("call", Json::Number((call as u64).into()));
        }
        let texts = [("tool", &self.tool), ("argument", &self.argument)];
        for (name, text) in texts {
            if let Some(text) = text {
                object.insert(name, text.as_str());
            }
        }
        object.insert("kind", self.kind.as_str());
        if let Some(quote) = &self.quote {
            object.insert("quote", quote.as_str());
        }
        object.insert("supported", Json::Bool(self.supported));
        Json::Object(object)
    }
}
