//! The types that definitions declare, per language, and the check of a value's type.

use super::answer::visited;
use super::category::Language;
use super::failure::{ErrorType, Exception};
use super::rules::Rules;
use super::value::{Kind, Value};
use crate::domain::{Json, Object};

/// What a definition says of a parameter.
#[derive(Debug, Clone, Copy)]
pub struct Declared<'a> {
    /// The type's name; by our own rules there may be none that is known.
    pub name: Option<&'a str>,
    pub kind: Option<Kind>,
    pub inner_name: Option<&'a str>,
    pub inner: Option<Kind>,
}

impl<'a> Declared<'a> {
    /// The declared type without that of its elements, which the peer looks at later.
    pub fn outer(schema: &'a Json, language: Language, rules: Rules) -> Result<Declared<'a>, Exception> {
        let (name, kind) = typed(schema, language, rules)?;
        Ok(Declared { name, kind, inner_name: None, inner: None })
    }

    /// With the type of elements, if this is a list of some kind.
    pub fn with_inner(
        self,
        schema: &'a Json,
        language: Language,
        rules: Rules,
    ) -> Result<Declared<'a>, Exception> {
        let is_nested = match language {
            Language::Python => matches!(self.name, Some("array" | "tuple")),
            Language::Java => matches!(self.name, Some("Array" | "ArrayList")),
            Language::JavaScript => self.name == Some("array"),
        };
        if !is_nested {
            return Ok(self);
        }
        let (inner_name, inner) = match (schema.get("items"), rules) {
            (Some(items), _) => typed(items, language, rules)?,
            (None, Rules::Own) => (None, None),
            (None, Rules::Peer) => return Err(Exception::KeyError),
        };
        Ok(Declared { inner_name, inner, ..self })
    }
}

fn typed(schema: &Json, language: Language, rules: Rules) -> Result<(Option<&str>, Option<Kind>), Exception> {
    let object = schema.as_object();
    let name = object.and_then(|object: &Object| object.get("type"));
    match (name, rules) {
        (Some(Json::String(name)), Rules::Own) => {
            Ok((Some(name), named(name, language).or(in_json_schema(name))))
        }
        (Some(Json::String(name)), Rules::Peer) => match named(name, language) {
            Some(kind) => Ok((Some(name), Some(kind))),
            None => Err(Exception::KeyError),
        },
        (_, Rules::Own) => Ok((None, None)),
        // A list or dict cannot be looked up; a number or null is merely no name of a type.
        (Some(Json::Array(_) | Json::Object(_)), Rules::Peer) => Err(Exception::TypeError),
        (_, Rules::Peer) if object.is_none() => Err(Exception::TypeError),
        (_, Rules::Peer) => Err(Exception::KeyError),
    }
}

fn named(name: &str, language: Language) -> Option<Kind> {
    Some(match (language, name) {
        (Language::Python, "string" | "any") => Kind::Str,
        (Language::Python, "integer") => Kind::Int,
        (Language::Python, "float") => Kind::Float,
        (Language::Python, "boolean") => Kind::Bool,
        (Language::Python, "array" | "tuple") => Kind::List,
        (Language::Python, "dict") => Kind::Dict,
        (Language::Java, "byte" | "short" | "integer" | "long") => Kind::Int,
        (Language::Java, "float" | "double") => Kind::Float,
        (Language::Java, "boolean") => Kind::Bool,
        (Language::Java, "char" | "String" | "any") => Kind::Str,
        (Language::Java, "Array" | "ArrayList" | "Set" | "Queue" | "Stack") => Kind::List,
        (Language::Java, "HashMap" | "Hashtable") => Kind::Dict,
        (Language::JavaScript, "String" | "any") => Kind::Str,
        (Language::JavaScript, "integer" | "Bigint") => Kind::Int,
        (Language::JavaScript, "float") => Kind::Float,
        (Language::JavaScript, "Boolean") => Kind::Bool,
        (Language::JavaScript, "array") => Kind::List,
        (Language::JavaScript, "dict") => Kind::Dict,
        _ => return None,
    })
}

/// JSON Schema's names, which the benchmark does not have.
fn in_json_schema(name: &str) -> Option<Kind> {
    match name {
        "number" => Some(Kind::Float),
        "object" => Some(Kind::Dict),
        _ => None,
    }
}

/// The type of the first accepted value that is no marker.
pub fn kind_of_answers(accepted: &[Value<'_>]) -> Option<Kind> {
    accepted.iter().find(|entry| !entry.is_marker()).map(Value::kind)
}

/// Whether the accepted values are of another type than declared, so that they stand for a variable and are compared as they
/// are; or the type of error.
pub fn check_type(
    value: &Value<'_>,
    accepted: &[Value<'_>],
    kind: Kind,
    inner: Option<Kind>,
    rules: Rules,
) -> Result<bool, ErrorType> {
    let answers = kind_of_answers(accepted);
    let is_variable = answers.is_some_and(|answers| answers != kind);
    if value.kind() != kind {
        return if Some(value.kind()) == answers { Ok(true) } else { Err(ErrorType::Type) };
    }
    let (Some(inner), Value::List(items)) = (inner, value) else { return Ok(is_variable) };
    if fits_inner(items, accepted, inner, rules) {
        Ok(is_variable)
    } else if answers == Some(kind) {
        Err(ErrorType::NestedType)
    } else {
        Err(ErrorType::Type)
    }
}

/// Whether some accepted value allows the elements' types. By the peer's rules one that is no list allows all, the marker
/// for "may be left out" among them.
fn fits_inner(items: &[Value<'_>], accepted: &[Value<'_>], inner: Kind, rules: Rules) -> bool {
    let allows = |entry: &Value<'_>| match entry {
        Value::List(listed) => {
            let answers = kind_of_answers(listed);
            items
                .iter()
                .all(|item| is(item, inner, rules) || answers.is_some_and(|kind| is(item, kind, rules)))
        }
        entry => rules == Rules::Peer || !entry.is_marker(),
    };
    accepted.iter().any(allows)
        || (rules == Rules::Own && (items.is_empty() || accepted.iter().all(Value::is_marker)))
}

/// By our own rules an integer is a float everywhere, as it is for the peer outside of lists.
fn is(item: &Value<'_>, kind: Kind, rules: Rules) -> bool {
    item.kind() == kind || (rules == Rules::Own && kind == Kind::Float && item.kind() == Kind::Int)
}

/// The type of elements where a definition does not say it: what the first list of the answers begins with.
pub fn inner_of_answers(accepted: &[Value<'_>]) -> Option<Kind> {
    accepted.iter().find_map(|entry| match entry {
        Value::List(_) => visited(entry, Rules::Own).ok()?.first().map(Value::kind),
        _ => None,
    })
}
