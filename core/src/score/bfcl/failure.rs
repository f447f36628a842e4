//! Why a case is invalid: the peer's error type, with place and values.

use std::fmt::{self, Write};

use super::value::{Kind, Value};
use crate::score::{Issue, IssueKind};

/// The peer's types of error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorType {
    DecoderFailed,
    WrongOutputFormat,
    CallForIrrelevance,
    NoCallForRelevance,
    SimpleWrongCount,
    MultipleWrongCount,
    ParallelWrongCount,
    CannotFindMatch,
    WrongFunctionName,
    MissingRequired,
    MissingOptional,
    UnexpectedParameter,
    Type,
    NestedType,
    JavaType,
    JavaScriptType,
    StringValue,
    ListValue,
    DictKey,
    DictValue,
    DictUnclear,
    DictCount,
    DictListUnclear,
    OtherValue,
    /// The official checker would crash.
    Exception(Exception),
}

/// The exceptions that the official checker does not catch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(clippy::enum_variant_names, reason = "these are Python's own names")]
pub enum Exception {
    AttributeError,
    IndexError,
    KeyError,
    NotImplementedError,
    OverflowError,
    TypeError,
    ValueError,
}

impl ErrorType {
    pub fn as_str(self) -> &'static str {
        match self {
            ErrorType::DecoderFailed => "ast_decoder:decoder_failed",
            ErrorType::WrongOutputFormat => "ast_decoder:decoder_wrong_output_format",
            ErrorType::CallForIrrelevance => "irrelevance_error:decoder_success",
            ErrorType::NoCallForRelevance => "relevance_error:decoder_failed",
            ErrorType::SimpleWrongCount => "simple_function_checker:wrong_count",
            ErrorType::MultipleWrongCount => "multiple_function_checker:wrong_count",
            ErrorType::ParallelWrongCount => "parallel_function_checker_no_order:wrong_count",
            ErrorType::CannotFindMatch => "parallel_function_checker_no_order:cannot_find_match",
            ErrorType::WrongFunctionName => "simple_function_checker:wrong_func_name",
            ErrorType::MissingRequired => "simple_function_checker:missing_required",
            ErrorType::MissingOptional => "simple_function_checker:missing_optional",
            ErrorType::UnexpectedParameter => "simple_function_checker:unexpected_param",
            ErrorType::Type => "type_error:simple",
            ErrorType::NestedType => "type_error:nested",
            ErrorType::JavaType => "type_error:java",
            ErrorType::JavaScriptType => "type_error:js",
            ErrorType::StringValue => "value_error:string",
            ErrorType::ListValue => "value_error:list/tuple",
            ErrorType::DictKey => "value_error:dict_key",
            ErrorType::DictValue => "value_error:dict_value",
            ErrorType::DictUnclear => "dict_checker:unclear",
            ErrorType::DictCount => "value_error:list_dict_count",
            ErrorType::DictListUnclear => "list_dict_checker:unclear",
            ErrorType::OtherValue => "value_error:others",
            ErrorType::Exception(Exception::AttributeError) => "exception:AttributeError",
            ErrorType::Exception(Exception::IndexError) => "exception:IndexError",
            ErrorType::Exception(Exception::KeyError) => "exception:KeyError",
            ErrorType::Exception(Exception::NotImplementedError) => "exception:NotImplementedError",
            ErrorType::Exception(Exception::OverflowError) => "exception:OverflowError",
            ErrorType::Exception(Exception::TypeError) => "exception:TypeError",
            ErrorType::Exception(Exception::ValueError) => "exception:ValueError",
        }
    }
}

/// What was found and what should have been. Rendered only when somebody reads it: in a parallel case most failures are
/// about calls that fit another expectation.
#[derive(Debug, Clone, PartialEq)]
pub enum Detail<'c> {
    Undecoded,
    NotCalls,
    Called { count: usize },
    NotCalled,
    Count { found: usize, expected: usize },
    NoMatch { expected: &'c Value<'c> },
    LeftOver { arguments: &'c Value<'c> },
    NotNamed { found: Vec<&'c str> },
    NotDefined,
    Missing,
    Unexpected { found: &'c Value<'c> },
    Kind { found: &'c Value<'c>, expected: Kind },
    InnerKind { found: &'c Value<'c>, expected: Option<Kind> },
    Value { found: &'c Value<'c>, accepted: &'c Value<'c> },
    Crash,
}

/// One thing that makes a case invalid.
#[derive(Debug, Clone, PartialEq)]
pub struct Failure<'c> {
    pub error: ErrorType,
    pub tool: Option<&'c str>,
    pub place: Place<'c>,
    pub detail: Detail<'c>,
}

/// Where in the arguments: a parameter, which element of its list, which key of its dict.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Place<'c> {
    pub parameter: Option<&'c str>,
    pub element: Option<usize>,
    pub key: Option<String>,
}

impl<'c> Failure<'c> {
    pub fn new(error: ErrorType, tool: Option<&'c str>, detail: Detail<'c>) -> Failure<'c> {
        Failure { error, tool, place: Place::default(), detail }
    }

    pub fn at(self, parameter: &'c str) -> Failure<'c> {
        Failure { place: Place { parameter: Some(parameter), ..self.place }, ..self }
    }

    pub fn kind(&self) -> IssueKind {
        match self.detail {
            Detail::NoMatch { .. } => return IssueKind::MissingCall,
            Detail::LeftOver { .. } => return IssueKind::UnexpectedCall,
            _ => {}
        }
        match self.error {
            ErrorType::DecoderFailed | ErrorType::WrongOutputFormat => IssueKind::Undecodable,
            ErrorType::CallForIrrelevance => IssueKind::CallWhereNoneIsDue,
            ErrorType::NoCallForRelevance | ErrorType::CannotFindMatch => IssueKind::MissingCall,
            ErrorType::SimpleWrongCount | ErrorType::MultipleWrongCount | ErrorType::ParallelWrongCount => {
                IssueKind::WrongCount
            }
            ErrorType::WrongFunctionName => IssueKind::WrongTool,
            ErrorType::MissingRequired | ErrorType::MissingOptional => IssueKind::MissingParameter,
            ErrorType::UnexpectedParameter => IssueKind::ExtraParameter,
            ErrorType::Type | ErrorType::NestedType | ErrorType::JavaType | ErrorType::JavaScriptType => {
                IssueKind::WrongType
            }
            ErrorType::StringValue
            | ErrorType::ListValue
            | ErrorType::DictKey
            | ErrorType::DictValue
            | ErrorType::DictUnclear
            | ErrorType::DictCount
            | ErrorType::DictListUnclear
            | ErrorType::OtherValue => IssueKind::WrongValue,
            ErrorType::Exception(_) => IssueKind::CheckerCrash,
        }
    }

    pub fn issue(&self) -> Issue {
        Issue {
            kind: self.kind(),
            tool: self.tool.map(str::to_owned),
            path: self.place.pointer(),
            message: self.to_string(),
        }
    }
}

impl Place<'_> {
    /// As a JSON pointer; `None` for the call as a whole.
    fn pointer(&self) -> Option<String> {
        let mut pointer = format!("/{}", escaped(self.parameter?));
        if let Some(element) = self.element {
            pointer.push_str(&format!("/{element}"));
        }
        if let Some(key) = &self.key {
            pointer.push('/');
            pointer.push_str(&escaped(key));
        }
        Some(pointer)
    }
}

fn escaped(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

/// Longest value that a message shows, in bytes.
const MAX_LENGTH: usize = 200;

/// A value, cut where it is long.
struct Short<'v>(&'v Value<'v>);

impl fmt::Display for Short<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut cut = Cut { text: String::new() };
        // An error of the writer says that the text is full, not that something is wrong.
        let whole = write!(cut, "{}", self.0).is_ok();
        f.write_str(&cut.text)?;
        f.write_str(if whole { "" } else { "…" })
    }
}

/// Takes no more than [`MAX_LENGTH`] bytes, so that a huge value is never rendered whole.
struct Cut {
    text: String,
}

impl Write for Cut {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let room = MAX_LENGTH - self.text.len();
        if text.len() <= room {
            self.text.push_str(text);
            return Ok(());
        }
        self.text.push_str(&text[..text.floor_char_boundary(room)]);
        Err(fmt::Error)
    }
}

impl fmt::Display for Failure<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tool = self.tool.unwrap_or("the function");
        if let Some(parameter) = self.place.parameter {
            write!(f, "`{parameter}`")?;
            if let Some(element) = self.place.element {
                write!(f, ", element {element}")?;
            }
            if let Some(key) = &self.place.key {
                write!(f, ", key `{key}`")?;
            }
            f.write_str(": ")?;
        }
        match &self.detail {
            Detail::Undecoded => f.write_str("the output could not be decoded"),
            Detail::NotCalls => f.write_str("the decoded output is not a list of calls"),
            Detail::Called { count } => write!(f, "{count} calls where none is due"),
            Detail::NotCalled => f.write_str("no call where one is due"),
            Detail::Count { found, expected } => write!(f, "{found} calls, expected {expected}"),
            Detail::NoMatch { expected } => {
                write!(f, "no call fits the expected `{tool}` with {}", Short(expected))
            }
            Detail::LeftOver { arguments } => {
                write!(f, "`{tool}` with {} fits no expectation", Short(arguments))
            }
            Detail::NotNamed { found } if found.is_empty() => {
                write!(f, "expected a call of `{tool}`, found none")
            }
            Detail::NotNamed { found } => {
                write!(f, "expected a call of `{tool}`, found `{}`", found.join("`, `"))
            }
            Detail::NotDefined => write!(f, "no definition of `{tool}`"),
            Detail::Missing => f.write_str("left out"),
            Detail::Unexpected { found } => write!(f, "{} is unexpected", Short(found)),
            Detail::Kind { found, expected } => {
                write!(
                    f,
                    "{} should be of type {}, but is of type {}",
                    Short(found),
                    expected.as_str(),
                    found.kind().as_str()
                )
            }
            Detail::InnerKind { found, expected: Some(expected) } => {
                write!(f, "an element of {} is not of type {}", Short(found), expected.as_str())
            }
            Detail::InnerKind { found, expected: None } => {
                write!(f, "an element of {} has the wrong type", Short(found))
            }
            Detail::Value { found, accepted } => {
                write!(f, "{} is not accepted, but {} is", Short(found), Short(accepted))
            }
            Detail::Crash => write!(f, "the official checker crashes ({})", self.error.as_str()),
        }
    }
}
