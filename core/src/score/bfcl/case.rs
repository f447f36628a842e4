//! A case: the tools, the calls, and the accepted calls.

use super::category::{Assignment, Language};
use super::options::Options;
use super::value::Value;
use crate::domain::{Json, Object};
use crate::score::ScoreError;

/// Borrows from the record it was read from.
#[derive(Debug, Clone, PartialEq)]
pub struct Case<'a> {
    pub assignment: Assignment,
    pub language: Language,
    /// Models that may not use dots in names wrote underscores.
    pub underscore_to_dot: bool,
    pub functions: Vec<Function<'a>>,
    pub calls: Calls<'a>,
    pub expected: Vec<Expected<'a>>,
}

/// A definition; what it lacks is missed only when it is looked at.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Function<'a> {
    pub name: Option<&'a str>,
    pub properties: Option<&'a Object>,
    pub required: Option<&'a [Json]>,
}

/// What was decoded of a model's output.
#[derive(Debug, Clone, PartialEq)]
pub enum Calls<'a> {
    /// Nothing.
    Undecoded,
    /// Something else than a list of objects.
    NotAList,
    Decoded(Vec<Call<'a>>),
}

/// Arguments by the name of the function; more than one name is possible, though only one is meant.
pub type Call<'a> = Vec<(&'a str, Value<'a>)>;

/// An expected call.
#[derive(Debug, Clone, PartialEq)]
pub struct Expected<'a> {
    pub tool: Option<&'a str>,
    /// Accepted values by parameter.
    pub answers: Value<'a>,
}

impl<'a> Case<'a> {
    /// Reads a record; `options` hold where the record itself says nothing.
    pub fn read(record: &'a Object, options: &Options) -> Result<Case<'a>, ScoreError> {
        let options = Options::of_record(record).map_err(ScoreError::invalid)?.or(options);
        let Some((assignment, language)) = options.category else {
            return Err(ScoreError::invalid(
                "`category` is missing; it should be a text like `live_multiple`",
            ));
        };
        let is_relevance = matches!(assignment, Assignment::Relevance | Assignment::Irrelevance);
        let expected = match record.get("possible_answer") {
            None | Some(Json::Null) if is_relevance => Vec::new(),
            Some(Json::Array(answers)) => {
                answers.iter().map(expectation).collect::<Option<_>>().ok_or_else(wrong_answer)?
            }
            _ => return Err(wrong_answer()),
        };
        let functions = match record.get("functions") {
            None | Some(Json::Null) if is_relevance => Vec::new(),
            Some(Json::Array(functions)) => {
                functions.iter().map(function).collect::<Option<_>>().ok_or_else(wrong_functions)?
            }
            _ => return Err(wrong_functions()),
        };
        Ok(Case {
            assignment,
            language: options.language.unwrap_or(language),
            underscore_to_dot: options.underscore_to_dot.unwrap_or(false),
            functions,
            calls: calls(record.get("call")),
            expected,
        })
    }

    /// Whether calls are compared with others, and not only counted.
    pub fn compares(&self) -> bool {
        !matches!(self.assignment, Assignment::Relevance | Assignment::Irrelevance)
    }

    /// Whether calls are expected and compared with definitions of which there are none.
    pub fn lacks_functions(&self) -> bool {
        self.compares() && self.functions.is_empty() && !self.expected.is_empty()
    }

    /// The definition of that name.
    pub fn function(&self, name: &str) -> Option<&Function<'a>> {
        self.functions.iter().find(|function| function.name == Some(name))
    }
}

fn wrong_answer() -> ScoreError {
    ScoreError::invalid(
        "`possible_answer` should be a list of objects like `{function: {parameter: [accepted, ..]}}`",
    )
}

fn wrong_functions() -> ScoreError {
    ScoreError::invalid("`functions` should be a list of definitions")
}

fn expectation(answer: &Json) -> Option<Expected<'_>> {
    let first = answer.as_object()?.iter().next();
    Some(match first {
        Some((tool, answers)) => Expected { tool: Some(tool), answers: Value::read(answers) },
        None => Expected { tool: None, answers: Value::None },
    })
}

fn function(definition: &Json) -> Option<Function<'_>> {
    let definition = definition.as_object()?;
    let parameters = definition.get("parameters");
    let part = |name| parameters.and_then(|parameters| parameters.get(name));
    Some(Function {
        name: definition.get("name").and_then(Json::as_str),
        properties: part("properties").and_then(Json::as_object),
        required: part("required").and_then(Json::as_array),
    })
}

fn calls(decoded: Option<&Json>) -> Calls<'_> {
    let call = |call| -> Option<Call<'_>> {
        let object = Json::as_object(call)?;
        Some(object.iter().map(|(name, arguments)| (name, Value::read_marked(arguments))).collect())
    };
    match decoded {
        None | Some(Json::Null) => Calls::Undecoded,
        Some(Json::Array(items)) => {
            items.iter().map(call).collect::<Option<_>>().map_or(Calls::NotAList, Calls::Decoded)
        }
        Some(_) => Calls::NotAList,
    }
}
