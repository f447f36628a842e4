//! What the built-in judge notices about a sample's calls.

use std::fmt;

use super::held::Hold;
use crate::domain::CallTask;

/// One observation, for better reading than a number. Only a fault, a breach of the definition, is a verdict of its own.
///
/// Fields of one name hold the same everywhere: `call` is a call's place, counted from 0, and `of` that of the call it repeats; `at`
/// is an argument's place. `value` is the argument's value and `rule` the broken rule as messages show them. `expected` and `actual`
/// are names of JSON types; `tool`, `name` and `other` are names of tools, or of parameters where `at` stands beside them. `named`
/// and `text` stand in the conversation.
#[derive(Debug, Clone, PartialEq)]
#[allow(missing_docs, reason = "fields are explained once for all variants")]
pub enum Observation {
    /// No definition has the called name.
    UnknownTool { call: usize, name: String },
    /// The call has no name.
    NoName { call: usize },
    /// The arguments are no JSON object.
    MalformedArguments { call: usize },
    /// A required parameter was not given.
    MissingParameter { at: Place },
    /// The definition has no such parameter.
    UnknownParameter { at: Place },
    /// The value's type is not the declared one.
    WrongType { at: Place, expected: String, actual: &'static str },
    /// The value says the right thing in the wrong type: `"5"` for 5, or 5 for `"5"`.
    LooseType { at: Place, expected: String, given: String },
    /// The value is none of the allowed ones.
    NotAllowed { at: Place, value: String },
    /// Another rule of the schema is broken: a range, a length, a pattern.
    BrokenRule { at: Place, rule: String },
    /// A definition's schema could not be used.
    UnusableSchema { tool: String, reason: String },
    /// The arguments cannot be checked against the definition in reasonable time.
    TooComplex { tool: String },
    /// Nothing in the conversation supports the value.
    Ungrounded { at: Place, value: String, optional: bool },
    /// Only part of the value stands in the conversation.
    PartlyGrounded { at: Place, value: String },
    /// A required value was calculated rather than copied.
    Derived { at: Place, value: String },
    /// A stand-in such as `your_api_key`, not a value.
    Placeholder { at: Place, value: String },
    /// A required text is empty.
    EmptyValue { at: Place },
    /// The value is only the example the definition gives.
    CopiedExample { at: Place, value: String },
    /// The conversation names another of the allowed values.
    OtherChoice { at: Place, value: String, named: String },
    /// A percentage was passed as it stands, though the parameter does not speak of percent.
    KeptPercent { at: Place, value: String },
    /// A number of another unit than the parameter's was copied without being converted.
    WrongUnit { at: Place, value: String },
    /// A number of the conversation was given the other sign, and nothing there explains it.
    WrongSign { at: Place, value: String },
    /// The conversation names the value only to keep it out.
    Excluded { at: Place, value: String },
    /// The tool is for things of another state than the one this thing was last seen in.
    OtherState { call: usize, tool: String, named: String, seen: String },
    /// The value belongs to another argument, and that one's value here.
    Swapped { at: Place, other: String },
    /// A number or name of the question that no call uses.
    Unused { text: String, kind: Literal },
    /// The same call was made before.
    Duplicate { call: usize, of: usize },
    /// The same call was made since the user last spoke, and nothing since gives reason to make it again.
    Repeat { call: usize },
    /// The called tool has little to do with the question.
    PoorFit { call: usize, tool: String },
    /// Another tool fits the question clearly better than the called one.
    BetterTool { call: usize, tool: String, other: String },
    /// A tool fits the question, but no call uses it.
    LeftOut { tool: String },
    /// The question speaks of several things, the calls of fewer.
    TooFewCalls { calls: usize },
    /// Nothing was called, though a tool fits the question.
    CallDue { tool: String },
    /// The same call stands in this turn before, and the question may ask for as many.
    MaybeTwice { call: usize, of: usize },
    /// The user named the value, and then `named` in its place.
    Corrected { at: Place, value: String, named: String },
    /// The user says not to do it, or not yet: `text` are the words.
    HeldBack { how: Hold, text: String },
}

/// Where in a sample's calls: the call, counted from 0, and a JSON Pointer into its arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    pub(crate) call: usize,
    pub(crate) path: String,
}

/// What kind of text in a question asks for being used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Literal {
    /// A number, in digits or words.
    Number,
    /// Words in quotation marks.
    Quotation,
    /// A name, by its capital letters.
    Name,
}

/// What an observation is about: the arguments or the choice of tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Aspect {
    /// What the tool was called with.
    Arguments,
    /// Which tools were called, and how often.
    Selection,
    /// Tells on both: an unused value of the question is a missing argument or a missing call, an invented one a wrong
    /// argument or a call not due.
    Either,
}

/// The place that an observation holds, borrowed as the observation is.
macro_rules! place {
    ($observation:expr) => {
        match $observation {
            Observation::MissingParameter { at }
            | Observation::UnknownParameter { at }
            | Observation::WrongType { at, .. }
            | Observation::LooseType { at, .. }
            | Observation::NotAllowed { at, .. }
            | Observation::BrokenRule { at, .. }
            | Observation::Ungrounded { at, .. }
            | Observation::PartlyGrounded { at, .. }
            | Observation::Derived { at, .. }
            | Observation::Placeholder { at, .. }
            | Observation::EmptyValue { at }
            | Observation::CopiedExample { at, .. }
            | Observation::OtherChoice { at, .. }
            | Observation::KeptPercent { at, .. }
            | Observation::WrongUnit { at, .. }
            | Observation::WrongSign { at, .. }
            | Observation::Excluded { at, .. }
            | Observation::Corrected { at, .. }
            | Observation::Swapped { at, .. } => Some(at),
            _ => None,
        }
    };
}

impl Observation {
    /// What this observation is about.
    pub(crate) fn aspect(&self) -> Aspect {
        match self {
            Observation::UnknownTool { .. }
            | Observation::NoName { .. }
            | Observation::Duplicate { .. }
            | Observation::Repeat { .. }
            | Observation::PoorFit { .. }
            | Observation::OtherState { .. }
            | Observation::BetterTool { .. }
            | Observation::LeftOut { .. }
            | Observation::TooFewCalls { .. }
            | Observation::CallDue { .. }
            | Observation::MaybeTwice { .. }
            | Observation::HeldBack { .. } => Aspect::Selection,
            Observation::Unused { .. }
            | Observation::UnusableSchema { .. }
            | Observation::Ungrounded { .. }
            | Observation::Placeholder { .. } => Aspect::Either,
            _ => Aspect::Arguments,
        }
    }

    /// Whether it settles that the call is wrong, whatever else was noticed: a breach of the definition, or the same call
    /// once more.
    pub(crate) fn is_fault(&self) -> bool {
        matches!(
            self,
            Observation::UnknownTool { .. }
                | Observation::NoName { .. }
                | Observation::MalformedArguments { .. }
                | Observation::MissingParameter { .. }
                | Observation::UnknownParameter { .. }
                | Observation::WrongType { .. }
                | Observation::LooseType { .. }
                | Observation::NotAllowed { .. }
                | Observation::BrokenRule { .. }
                | Observation::Duplicate { .. }
                | Observation::Repeat { .. }
        )
    }

    /// Whether there is hardly a right call of which it is true.
    pub(super) fn is_grave(&self) -> bool {
        matches!(
            self,
            Observation::Swapped { .. }
                | Observation::OtherState { .. }
                | Observation::Excluded { .. }
                | Observation::WrongSign { .. }
                | Observation::OtherChoice { .. }
                | Observation::WrongUnit { .. }
                | Observation::Placeholder { .. }
                | Observation::MaybeTwice { .. }
                | Observation::Corrected { .. }
                | Observation::HeldBack { .. }
        )
    }

    /// Whether it matters for a task.
    pub(crate) fn concerns(&self, task: CallTask) -> bool {
        match (self.aspect(), task) {
            (Aspect::Either, _) | (_, CallTask::ToolCalling) => true,
            (Aspect::Arguments, task) => task == CallTask::ParameterExtraction,
            (Aspect::Selection, task) => task == CallTask::ToolSelection,
        }
    }

    /// The argument this observation is about, if it is about one.
    pub(crate) fn place(&self) -> Option<&Place> {
        place!(self)
    }

    /// The place of the call that this is about, if it is about one.
    pub(super) fn call(&self) -> Option<usize> {
        match self {
            Observation::UnknownTool { call, .. }
            | Observation::NoName { call }
            | Observation::MalformedArguments { call }
            | Observation::Duplicate { call, .. }
            | Observation::Repeat { call }
            | Observation::PoorFit { call, .. }
            | Observation::OtherState { call, .. }
            | Observation::MaybeTwice { call, .. }
            | Observation::BetterTool { call, .. } => Some(*call),
            _ => self.place().map(|at| at.call),
        }
    }

    /// Says of the call at place `to` what was said of the first.
    pub(super) fn moves_to(&mut self, to: usize) {
        match self {
            Observation::UnknownTool { call, .. }
            | Observation::NoName { call }
            | Observation::MalformedArguments { call }
            | Observation::Duplicate { call, .. }
            | Observation::Repeat { call }
            | Observation::PoorFit { call, .. }
            | Observation::OtherState { call, .. }
            | Observation::MaybeTwice { call, .. }
            | Observation::BetterTool { call, .. } => *call += to,
            Observation::UnusableSchema { .. }
            | Observation::TooComplex { .. }
            | Observation::Unused { .. }
            | Observation::LeftOut { .. }
            | Observation::TooFewCalls { .. }
            | Observation::CallDue { .. }
            | Observation::HeldBack { .. } => {}
            _ => {
                let at: Option<&mut Place> = place!(self);
                at.into_iter().for_each(|at| at.call += to);
            }
        }
    }

    /// A stable name of the kind of observation.
    pub fn kind(&self) -> &'static str {
        match self {
            Observation::UnknownTool { .. } => "unknown_tool",
            Observation::NoName { .. } => "no_name",
            Observation::MalformedArguments { .. } => "malformed_arguments",
            Observation::MissingParameter { .. } => "missing_parameter",
            Observation::UnknownParameter { .. } => "unknown_parameter",
            Observation::WrongType { .. } => "wrong_type",
            Observation::LooseType { .. } => "loose_type",
            Observation::NotAllowed { .. } => "not_allowed",
            Observation::BrokenRule { .. } => "broken_rule",
            Observation::UnusableSchema { .. } => "unusable_schema",
            Observation::TooComplex { .. } => "definition_too_complex",
            Observation::Ungrounded { .. } => "ungrounded",
            Observation::PartlyGrounded { .. } => "partly_grounded",
            Observation::Derived { .. } => "derived",
            Observation::Placeholder { .. } => "placeholder",
            Observation::EmptyValue { .. } => "empty_value",
            Observation::CopiedExample { .. } => "copied_example",
            Observation::OtherChoice { .. } => "other_choice",
            Observation::KeptPercent { .. } => "kept_percent",
            Observation::WrongUnit { .. } => "wrong_unit",
            Observation::WrongSign { .. } => "wrong_sign",
            Observation::OtherState { .. } => "other_state",
            Observation::Swapped { .. } => "swapped",
            Observation::Excluded { .. } => "excluded",
            Observation::Unused { .. } => "unused",
            Observation::Duplicate { .. } => "duplicate",
            Observation::Repeat { .. } => "repeat",
            Observation::PoorFit { .. } => "poor_fit",
            Observation::BetterTool { .. } => "better_tool",
            Observation::LeftOut { .. } => "left_out",
            Observation::TooFewCalls { .. } => "too_few_calls",
            Observation::CallDue { .. } => "call_due",
            Observation::MaybeTwice { .. } => "maybe_twice",
            Observation::Corrected { .. } => "corrected",
            Observation::HeldBack { .. } => "held_back",
        }
    }
}

/// One readable sentence without its full stop; values are cut to a sensible length.
impl fmt::Display for Observation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Observation::NoName { call } => write!(f, "call {} names no tool", call + 1),
            Observation::UnknownTool { name, .. } => {
                write!(f, "no tool called `{}` is on offer", Short(name))
            }
            Observation::MalformedArguments { call } => {
                write!(f, "the arguments of call {} are not a JSON object", call + 1)
            }
            Observation::MissingParameter { at } => write!(f, "the required {at} is missing"),
            Observation::UnknownParameter { at } => write!(f, "{at} is not in the definition"),
            Observation::WrongType { at, expected, actual } => {
                write!(f, "{at} should be {expected}, but is {actual}")
            }
            Observation::LooseType { at, expected, given } => {
                let kind = if given.starts_with('"') { "the text " } else { "" };
                write!(f, "{at} should be {expected}, but is {kind}`{}`", Short(given))
            }
            Observation::NotAllowed { at, value } => {
                write!(f, "{at}: `{}` is not one of the allowed values", Short(value))
            }
            Observation::BrokenRule { at, rule } => {
                write!(f, "{at} breaks a rule of its schema: {}", Short(rule))
            }
            Observation::UnusableSchema { tool, reason } => {
                write!(f, "the schema of `{}` could not be used in full ({})", Short(tool), Short(reason))
            }
            Observation::TooComplex { tool } => {
                write!(
                    f,
                    "definition_too_complex: checking the arguments against the schema of `{}` would take too long",
                    Short(tool)
                )
            }
            Observation::Ungrounded { at, value, optional: false } => {
                write!(f, "{at}: nothing in the conversation supports `{}`", Short(value))
            }
            Observation::Ungrounded { at, value, optional: true } => {
                write!(f, "{at} is optional, and nothing in the conversation supports `{}`", Short(value))
            }
            Observation::PartlyGrounded { at, value } => {
                write!(f, "{at}: the conversation supports only part of `{}`", Short(value))
            }
            Observation::Derived { at, value } => {
                write!(
                    f,
                    "{at}: `{}` is not in the conversation, but may be worked out from it",
                    Short(value)
                )
            }
            Observation::Placeholder { at, value } => write!(f, "{at}: `{}` is a placeholder", Short(value)),
            Observation::EmptyValue { at } => write!(f, "{at} is required, but empty"),
            Observation::CopiedExample { at, value } => {
                write!(f, "{at}: `{}` is only named in the definition", Short(value))
            }
            Observation::OtherChoice { at, value, named } => {
                write!(f, "{at} is `{}`, but the conversation names `{}`", Short(value), Short(named))
            }
            Observation::KeptPercent { at, value } => {
                write!(f, "{at}: the percentage `{}` was not turned into a fraction", Short(value))
            }
            Observation::WrongUnit { at, value } => {
                write!(f, "{at}: `{}` was copied, though the parameter asks for another unit", Short(value))
            }
            Observation::WrongSign { at, value } => {
                write!(f, "{at}: nothing in the conversation supports the sign of `{}`", Short(value))
            }
            Observation::Excluded { at, value } => {
                write!(f, "{at}: the conversation names `{}` only to keep it out", Short(value))
            }
            Observation::Swapped { at, other } => {
                write!(f, "{at} and `{}` have each other's value, by the words of the question", Short(other))
            }
            Observation::Unused { text, kind } => {
                let kind = match kind {
                    Literal::Number => "number",
                    Literal::Quotation => "quotation",
                    Literal::Name => "name",
                };
                write!(f, "no call uses the {kind} `{}` of the question", Short(text))
            }
            Observation::Duplicate { call, of } => write!(f, "call {} repeats call {}", call + 1, of + 1),
            Observation::Repeat { call } => {
                write!(
                    f,
                    "call {} was made already, and no result since gives reason to make it again",
                    call + 1
                )
            }
            Observation::OtherState { tool, named, seen, .. } => write!(
                f,
                "`{}` is for what is `{}`, but this was last seen as `{}`",
                Short(tool),
                Short(named),
                Short(seen)
            ),
            Observation::PoorFit { tool, .. } => {
                write!(f, "`{}` has little in common with the question", Short(tool))
            }
            Observation::BetterTool { tool, other, .. } => {
                write!(f, "`{}` fits the question better than `{}`", Short(other), Short(tool))
            }
            Observation::LeftOut { tool } => {
                write!(f, "`{}` fits the question, but is not called", Short(tool))
            }
            Observation::TooFewCalls { calls } => {
                write!(
                    f,
                    "the question seems to ask for more than {calls} call{}",
                    if *calls == 1 { "" } else { "s" }
                )
            }
            Observation::CallDue { tool } => {
                write!(f, "nothing was called, though `{}` fits the question", Short(tool))
            }
            Observation::MaybeTwice { call, of } => {
                write!(f, "call {} repeats call {}, and the question may ask for both", call + 1, of + 1)
            }
            Observation::Corrected { at, value, named } => {
                write!(f, "{at} is `{}`, which the user corrected to `{}`", Short(value), Short(named))
            }
            Observation::HeldBack { how, text } => write!(f, "{how}: `{}`", Short(text)),
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.path.trim_start_matches('/') {
            "" => write!(f, "call {}", self.call + 1),
            path => write!(f, "parameter `{}` of call {}", Short(path), self.call + 1),
        }
    }
}

/// A text cut so that no value can swell an explanation.
struct Short<'a>(&'a str);

impl fmt::Display for Short<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const LIMIT: usize = 60;
        for c in self.0.chars().take(LIMIT) {
            write!(f, "{}", if c.is_control() { ' ' } else { c })?;
        }
        if self.0.chars().nth(LIMIT).is_some() { f.write_str("…") } else { Ok(()) }
    }
}

/// A path with one more step, escaped as RFC 6901 asks.
pub(super) fn step(path: &str, key: &str) -> String {
    let mut longer = String::with_capacity(path.len() + 1 + key.len());
    longer.push_str(path);
    longer.push('/');
    for c in key.chars() {
        match c {
            '~' => longer.push_str("~0"),
            '/' => longer.push_str("~1"),
            c => longer.push(c),
        }
    }
    longer
}
