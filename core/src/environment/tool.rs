//! A tool: its definition, its fields, and its function.

use super::arguments::Arguments;
use super::input::Input;
use super::observation::Observation;
use super::relational::Lookup;
use super::{ToolError, typewriter};
use crate::domain::{Json, Number, Object, ToolDefinition};

/// A row of an environment's table.
pub struct Tool {
    pub name: &'static str,
    pub description: &'static str,
    pub action: Action,
}

/// What a tool does, with the names of its fields.
pub enum Action {
    /// Types its own name.
    TypeName,
    /// Types the text that it is given.
    TypeText(&'static str),
    /// Returns the same each time.
    Constant(fn() -> Observation),
    /// Looks a text up.
    Search(&'static str, fn(&str) -> Observation),
    /// Looks an id up.
    Lookup(Lookup),
    /// Returns the number that it is given.
    Identity(&'static str),
    /// Computes something of a number.
    Function(&'static str, fn(f64) -> Result<Observation, ToolError>),
    /// Computes something of two numbers.
    Operation([&'static str; 2], fn(f64, f64) -> Result<Observation, ToolError>),
}

impl Tool {
    /// As an agent is offered it.
    pub fn definition(&self) -> ToolDefinition {
        let of_type = |name| Object::from_iter([("type".to_owned(), Json::from(name))]);
        let (kind, fields) = match &self.action {
            Action::TypeName | Action::Constant(_) => ("null", &[][..]),
            Action::TypeText(field) | Action::Search(field, _) => ("string", std::slice::from_ref(field)),
            Action::Lookup(lookup) => ("integer", &[lookup.field()][..]),
            Action::Identity(field) | Action::Function(field, _) => ("number", std::slice::from_ref(field)),
            Action::Operation(fields, _) => ("number", &fields[..]),
        };
        let properties = fields.iter().map(|field| ((*field).to_owned(), Json::Object(of_type(kind))));
        let mut parameters = of_type("object");
        parameters.insert("properties", Json::Object(properties.collect()));
        if !fields.is_empty() {
            parameters
                .insert("required", Json::Array(fields.iter().map(|field| Json::from(*field)).collect()));
        }
        let description = match self.action {
            Action::TypeName => format!("Run to Type the letter \"{}\".", self.name),
            _ => self.description.to_owned(),
        };
        ToolDefinition { name: self.name.to_owned(), description, parameters: Json::Object(parameters) }
    }

    /// Calls it; `paper` is what has been typed so far.
    pub fn call(&self, paper: &mut String, input: Input<'_>) -> Result<Observation, ToolError> {
        match &self.action {
            Action::TypeName => {
                nothing(input)?;
                paper.push_str(self.name);
                Ok(Observation::text("OK"))
            }
            Action::Constant(value) => nothing(input).map(|()| value()),
            Action::TypeText(field) => Ok(typewriter::type_letter(paper, &self.text(field, input)?)),
            Action::Search(field, find) => Ok(find(&self.text(field, input)?)),
            Action::Lookup(lookup) => Ok(match self.integer(lookup.field(), input)? {
                Given::Read(id) => lookup.resolve(id.as_i64(), id.as_str()),
                Given::Raw(text) => lookup.resolve(None, text),
            }),
            Action::Identity(field) => Ok(match self.number(field, input)? {
                Given::Read(number) => Observation::Float(number),
                Given::Raw(text) => Observation::text(text),
            }),
            Action::Function(field, compute) => match self.number(field, input)? {
                Given::Read(number) => compute(number),
                Given::Raw(_) => Err(ToolError::TextForNumber),
            },
            Action::Operation([first, second], compute) => {
                let fields = input.by_name(first);
                let mut arguments = Arguments::new(&fields);
                match (arguments.number(first)?, arguments.number(second)?) {
                    (Some(a), Some(b)) => compute(a, b),
                    _ => Err(arguments.error(self.name)),
                }
            }
        }
    }

    fn text(&self, field: &'static str, input: Input<'_>) -> Result<String, ToolError> {
        let fields = input.by_name(field);
        let mut arguments = Arguments::new(&fields);
        arguments.text(field).ok_or_else(|| arguments.error(self.name))
    }

    fn integer<'a>(&self, field: &'static str, input: Input<'a>) -> Result<Given<'a, Number>, ToolError> {
        let fields = input.by_name(field);
        let mut arguments = Arguments::new(&fields);
        let value = arguments.integer(field).ok_or_else(|| arguments.error(self.name))?;
        Ok(Given::of(input, value))
    }

    fn number<'a>(&self, field: &'static str, input: Input<'a>) -> Result<Given<'a, f64>, ToolError> {
        let fields = input.by_name(field);
        let mut arguments = Arguments::new(&fields);
        let value = arguments.number(field)?.ok_or_else(|| arguments.error(self.name))?;
        Ok(Given::of(input, value))
    }
}

/// What the function behind a tool gets: a bare text is checked as a value of its field, but passed as it is.
enum Given<'a, T> {
    Read(T),
    Raw(&'a str),
}

impl<'a, T> Given<'a, T> {
    fn of(input: Input<'a>, value: T) -> Given<'a, T> {
        match input {
            Input::Fields(_) => Given::Read(value),
            Input::Bare(text) => Given::Raw(text),
        }
    }
}

/// Nothing is read for a tool without fields; a bare text finds no field to be checked as.
fn nothing(input: Input<'_>) -> Result<(), ToolError> {
    match input {
        Input::Fields(_) => Ok(()),
        Input::Bare(_) => Err(ToolError::NoField),
    }
}
