//! TOML into values with places.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::node::{Fault, Member, Node, Place, Read, Value};
use crate::domain::{Json, Number};

/// Reads a document.
pub(super) fn read(text: &str) -> Read<Node> {
    let table = DeTable::parse(text).map_err(|error| Fault {
        place: error.span().map_or(Place::Unknown, |span| Place::At(span.start)),
        message: format!("not TOML: {}", error.message()),
    })?;
    Ok(Node { at: 0, value: members(table.into_inner(), 0)? })
}

fn members(table: DeTable<'_>, depth: usize) -> Read<Value> {
    let mut members = Vec::with_capacity(table.len());
    for (key, value) in table {
        let at = key.span().start;
        members.push(Member { key: key.into_inner().into_owned(), at, value: node(value, depth + 1)? });
    }
    // A table of the parser's is sorted by key.
    members.sort_by_key(|member| member.at);
    Ok(Value::Table(members))
}

fn node(value: Spanned<DeValue<'_>>, depth: usize) -> Read<Node> {
    let at = value.span().start;
    if depth > Json::MAX_DEPTH {
        return Err(Fault::at(at, "nesting deeper than 128 levels"));
    }
    let value = match value.into_inner() {
        DeValue::String(text) => Value::Text(text.into_owned()),
        DeValue::Integer(integer) => {
            let number = i64::from_str_radix(integer.as_str(), integer.radix());
            Value::Number(number.map_err(|_| Fault::at(at, "an integer beyond 64 bits"))?.into())
        }
        DeValue::Float(float) => {
            let number = float.as_str().parse().ok().and_then(Number::from_f64);
            Value::Number(number.ok_or_else(|| Fault::at(at, "a number that JSON cannot write"))?)
        }
        DeValue::Boolean(truth) => Value::Bool(truth),
        DeValue::Datetime(moment) => Value::Text(moment.to_string()),
        DeValue::Array(items) => {
            Value::List(items.into_iter().map(|item| node(item, depth + 1)).collect::<Read<_>>()?)
        }
        DeValue::Table(table) => members(table, depth)?,
    };
    Ok(Node { at, value })
}
