//! One call against one expectation.

use std::borrow::Cow;

use super::answer::{is_optional, visited};
use super::case::{Call, Case, Expected, Function};
use super::category::Language;
use super::failure::{Detail, ErrorType, Exception, Failure, Place};
use super::rules::Rules;
use super::types::{Declared, check_type, inner_of_answers, kind_of_answers};
use super::value::{Kind, Value, get};
use super::values::{Fault, check_dict, check_dicts, check_list, check_plain, check_string};
use super::{java, javascript};
use crate::domain::Json;

type Entries<'c> = &'c [(Value<'c>, Value<'c>)];

/// The first thing that is wrong with the call. The expectation's own name is not looked at: the definition's counts.
pub fn check<'c>(
    case: &'c Case<'c>,
    function: Option<&'c Function<'c>>,
    call: &'c Call<'c>,
    expected: &'c Expected<'c>,
    rules: Rules,
) -> Result<(), Failure<'c>> {
    let tool = function.and_then(|function| function.name).or(expected.tool);
    let crash = |exception| Failure::new(ErrorType::Exception(exception), tool, Detail::Crash);
    let function = match (function, rules) {
        (Some(function), _) => function,
        (None, Rules::Peer) => return Err(crash(Exception::TypeError)),
        (None, Rules::Own) => {
            return Err(Failure::new(ErrorType::WrongFunctionName, tool, Detail::NotDefined));
        }
    };
    let answers: Entries<'c> = match (&expected.answers, rules) {
        (Value::Dict(answers), _) => answers,
        (_, Rules::Own) => &[],
        (_, Rules::Peer) if expected.tool.is_none() => return Err(crash(Exception::IndexError)),
        (_, Rules::Peer) => return Err(crash(Exception::TypeError)),
    };
    let (Some(name), Some(required)) = (
        function.name.or((rules == Rules::Own).then_some("")),
        function.required.or((rules == Rules::Own).then_some(&[])),
    ) else {
        return Err(crash(Exception::KeyError));
    };
    if rules == Rules::Peer && function.properties.is_none() {
        return Err(crash(Exception::KeyError));
    }

    let written =
        if case.underscore_to_dot { Cow::Owned(name.replace('.', "_")) } else { Cow::Borrowed(name) };
    let Some((_, arguments)) = call.iter().find(|(name, _)| *name == written) else {
        let found = call.iter().map(|(name, _)| *name).collect();
        return Err(Failure::new(ErrorType::WrongFunctionName, tool, Detail::NotNamed { found }));
    };
    for parameter in required.iter().filter_map(Json::as_str) {
        if !holds(arguments, parameter, rules).map_err(crash)? {
            return Err(Failure::new(ErrorType::MissingRequired, tool, Detail::Missing).at(parameter));
        }
    }
    let arguments: Entries<'c> = match (arguments, rules) {
        (Value::Dict(arguments), _) => arguments,
        (Value::None, Rules::Own) => &[],
        (_, Rules::Own) => return Err(Failure::new(ErrorType::WrongOutputFormat, tool, Detail::NotCalls)),
        (_, Rules::Peer) => return Err(crash(Exception::AttributeError)),
    };
    for (key, value) in arguments {
        let unexpected =
            || Failure::new(ErrorType::UnexpectedParameter, tool, Detail::Unexpected { found: value });
        let Some(parameter) = key.as_str() else { return Err(unexpected()) };
        let schema = match function.properties {
            Some(properties) => properties.get(parameter),
            None => Some(&Json::Null),
        };
        let (Some(schema), Some(accepted)) = (schema, get(answers, parameter)) else {
            return Err(unexpected().at(parameter));
        };
        let argument = Argument { schema, value, accepted, language: case.language, rules };
        argument.check().map_err(|(fault, detail)| Failure {
            error: fault.error,
            tool,
            place: Place { parameter: Some(parameter), element: fault.element, key: fault.key },
            detail,
        })?;
    }
    for (parameter, accepted) in answers {
        let Some(parameter) = parameter.as_str() else { continue };
        if get(arguments, parameter).is_none() && !is_optional(accepted, rules).map_err(crash)? {
            return Err(Failure::new(ErrorType::MissingOptional, tool, Detail::Missing).at(parameter));
        }
    }
    Ok(())
}

/// Whether the arguments have a parameter; arguments that are no dict are asked as Python would.
fn holds(arguments: &Value<'_>, parameter: &str, rules: Rules) -> Result<bool, Exception> {
    match (arguments, rules) {
        (Value::Dict(entries), _) => Ok(get(entries, parameter).is_some()),
        (_, Rules::Own) => Ok(false),
        (Value::Str(text), Rules::Peer) => Ok(text.contains(parameter)),
        (Value::List(items) | Value::Tuple(items), Rules::Peer) => {
            Ok(items.iter().any(|item| item.as_str() == Some(parameter)))
        }
        (_, Rules::Peer) => Err(Exception::TypeError),
    }
}

/// One argument, its definition and what is accepted for it.
struct Argument<'c> {
    schema: &'c Json,
    value: &'c Value<'c>,
    accepted: &'c Value<'c>,
    language: Language,
    rules: Rules,
}

impl<'c> Argument<'c> {
    fn check(&self) -> Result<(), (Fault, Detail<'c>)> {
        let crash = |exception: Exception| (Fault::from(exception), Detail::Crash);
        let of_kind =
            |error: ErrorType, expected| (error.into(), Detail::Kind { found: self.value, expected });
        let declared = Declared::outer(self.schema, self.language, self.rules).map_err(crash)?;
        if self.language != Language::Python && self.value.kind() != Kind::Str {
            let error =
                if self.language == Language::Java { ErrorType::JavaType } else { ErrorType::JavaScriptType };
            return Err(of_kind(error, Kind::Str));
        }
        let declared = declared.with_inner(self.schema, self.language, self.rules).map_err(crash)?;
        let value = self.converted(declared).map_err(crash)?;
        let accepted = visited(self.accepted, self.rules).map_err(crash)?;

        // What the definition leaves open, the answers decide; only our own rules get here.
        let kind = declared.kind.or_else(|| kind_of_answers(&accepted)).unwrap_or(value.kind());
        let inner = declared.inner.or_else(|| {
            (self.rules == Rules::Own && kind == Kind::List).then(|| inner_of_answers(&accepted)).flatten()
        });
        let is_variable =
            check_type(&value, &accepted, kind, inner, self.rules).map_err(|error| match error {
                ErrorType::NestedType => {
                    (error.into(), Detail::InnerKind { found: self.value, expected: inner })
                }
                error => of_kind(error, kind),
            })?;
        let checked = match (&*value, inner) {
            _ if is_variable => check_plain(&value, &accepted, self.rules),
            (Value::Dict(_), _) => check_dict(&value, &accepted, self.rules),
            (Value::List(items), Some(Kind::Dict)) => check_dicts(items, &accepted, self.rules),
            (Value::List(items), _) => check_list(items, &accepted, self.rules),
            (Value::Str(text), _) => check_string(text, &accepted),
            _ => check_plain(&value, &accepted, self.rules),
        };
        checked.map_err(|fault| {
            let detail = match fault.error {
                ErrorType::Exception(_) => Detail::Crash,
                _ => Detail::Value { found: self.value, accepted: self.accepted },
            };
            (fault, detail)
        })
    }

    /// The value in the declared type, as far as that is a matter of notation.
    fn converted(&self, declared: Declared<'_>) -> Result<Cow<'c, Value<'c>>, Exception> {
        let name = declared.name.unwrap_or_default();
        match (self.language, self.value) {
            (Language::Java, Value::Str(text)) => {
                java::convert(text, name, declared.inner_name, self.rules).map(Cow::Owned)
            }
            (Language::JavaScript, Value::Str(text)) => {
                javascript::convert(text, name, declared.inner_name, self.rules).map(Cow::Owned)
            }
            (Language::Python, Value::Tuple(items)) if name == "tuple" => {
                Ok(Cow::Owned(Value::List(items.clone())))
            }
            (Language::Python, Value::Int(whole)) if declared.kind == Some(Kind::Float) => {
                Ok(Cow::Owned(Value::Float(*whole as f64)))
            }
            (Language::Python, Value::BigInt(digits)) if declared.kind == Some(Kind::Float) => {
                match digits.parse() {
                    Ok(float) if f64::is_finite(float) => Ok(Cow::Owned(Value::Float(float))),
                    _ if self.rules == Rules::Own => Ok(Cow::Borrowed(self.value)),
                    _ => Err(Exception::OverflowError),
                }
            }
            _ => Ok(Cow::Borrowed(self.value)),
        }
    }
}
