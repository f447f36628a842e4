//! Values of the peer's language: JSON's, and those that call syntax and converted literals add.

use std::borrow::Cow;
use std::fmt::{self, Write};

use crate::domain::{Json, Number};

/// A value that borrows from the record wherever it can.
#[derive(Debug, Clone, PartialEq)]
pub enum Value<'a> {
    None,
    Bool(bool),
    Int(i64),
    /// An integer beyond 64 bits, by its digits: no leading zero, no plus sign.
    BigInt(Cow<'a, str>),
    Float(f64),
    Str(Cow<'a, str>),
    List(Vec<Value<'a>>),
    Tuple(Vec<Value<'a>>),
    /// Keys need not be strings. No two keys are equal.
    Dict(Vec<(Value<'a>, Value<'a>)>),
}

/// The exact type of a value: a boolean is no integer, an integer no float.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    None,
    Bool,
    Int,
    Float,
    Str,
    List,
    Tuple,
    Dict,
}

impl Kind {
    pub fn as_str(self) -> &'static str {
        match self {
            Kind::None => "null",
            Kind::Bool => "boolean",
            Kind::Int => "integer",
            Kind::Float => "float",
            Kind::Str => "string",
            Kind::List => "list",
            Kind::Tuple => "tuple",
            Kind::Dict => "dict",
        }
    }
}

impl<'a> Value<'a> {
    /// A JSON value as it is.
    pub fn read(json: &'a Json) -> Value<'a> {
        match json {
            Json::Null => Value::None,
            Json::Bool(value) => Value::Bool(*value),
            Json::Number(number) => Value::number(number),
            Json::String(text) => Value::Str(Cow::Borrowed(text)),
            Json::Array(items) => Value::List(items.iter().map(Value::read).collect()),
            Json::Object(object) => Value::Dict(
                object.iter().map(|(key, value)| (Value::text(key), Value::read(value))).collect(),
            ),
        }
    }

    pub fn text(text: &'a str) -> Value<'a> {
        Value::Str(Cow::Borrowed(text))
    }

    fn number(number: &'a Number) -> Value<'a> {
        match number.as_i64() {
            Some(small) => Value::Int(small),
            None if number.is_integer() => Value::BigInt(Cow::Borrowed(number.as_str())),
            None => Value::Float(number.as_f64()),
        }
    }

    pub fn kind(&self) -> Kind {
        match self {
            Value::None => Kind::None,
            Value::Bool(_) => Kind::Bool,
            Value::Int(_) | Value::BigInt(_) => Kind::Int,
            Value::Float(_) => Kind::Float,
            Value::Str(_) => Kind::Str,
            Value::List(_) => Kind::List,
            Value::Tuple(_) => Kind::Tuple,
            Value::Dict(_) => Kind::Dict,
        }
    }

    pub fn as_str(&self) -> Option<&str> {
        match self {
            Value::Str(text) => Some(text),
            _ => None,
        }
    }

    /// Whether this is `""`, which stands for "may be left out" among accepted values.
    pub fn is_marker(&self) -> bool {
        matches!(self, Value::Str(text) if text.is_empty())
    }
}

/// The entry of a dict for a key that is a string.
pub fn get<'v, 'a>(entries: &'v [(Value<'a>, Value<'a>)], key: &str) -> Option<&'v Value<'a>> {
    entries.iter().find(|(own, _)| own.as_str() == Some(key)).map(|(_, value)| value)
}

/// As JSON, apart from tuples and keys that are no strings.
impl fmt::Display for Value<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fn listed(f: &mut fmt::Formatter<'_>, items: &[Value<'_>]) -> fmt::Result {
            for (at, item) in items.iter().enumerate() {
                write!(f, "{}{item}", if at > 0 { ", " } else { "" })?;
            }
            Ok(())
        }
        match self {
            Value::None => f.write_str("null"),
            Value::Bool(value) => write!(f, "{value}"),
            Value::Int(value) => write!(f, "{value}"),
            Value::BigInt(digits) => f.write_str(digits),
            Value::Float(value) => write!(f, "{value:?}"),
            Value::Str(text) => write!(f, "{}", Json::from(&**text)),
            Value::List(items) => {
                f.write_char('[')?;
                listed(f, items)?;
                f.write_char(']')
            }
            Value::Tuple(items) => {
                f.write_char('(')?;
                listed(f, items)?;
                f.write_str(if items.len() == 1 { ",)" } else { ")" })
            }
            Value::Dict(entries) => {
                f.write_char('{')?;
                for (at, (key, value)) in entries.iter().enumerate() {
                    write!(f, "{}{key}: {value}", if at > 0 { ", " } else { "" })?;
                }
                f.write_char('}')
            }
        }
    }
}
