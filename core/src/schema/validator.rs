//! A compiled schema that refuses work without an end.

use jsonschema::error::ValidationErrorKind;
use jsonschema::{PatternOptions, Validator};

use super::effort::{Extent, Obstacle};
use crate::domain::Json;

/// A compiled schema. It does not hold the schema itself, which its owner has anyway.
#[derive(Debug)]
pub(crate) struct BoundedValidator {
    validator: Validator,
    extent: Extent,
}

/// Why a schema's rules cannot be looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Unusable {
    /// What it unfolds to has no end worth waiting for.
    TooComplex,
    /// It is not a JSON Schema; in words.
    Broken(String),
}

/// Keywords that hold schemas by name, and those that hold values, which are no schemas.
const MAPS: [&str; 5] = ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"];
const VALUES: [&str; 5] = ["enum", "const", "default", "example", "examples"];

/// The schema without what a table pads it with: a property that has no schema may be anything, and a keyword without a value says nothing.
fn without_padding(schema: serde_json::Value) -> serde_json::Value {
    use serde_json::Value;
    match schema {
        Value::Object(members) => {
            let member = |(keyword, member): (String, Value)| match member {
                Value::Null if keyword != "const" => None,
                Value::Object(schemas) if MAPS.contains(&keyword.as_str()) => {
                    let named = |(name, own): (String, Value)| {
                        (name, if own.is_null() { Value::Bool(true) } else { without_padding(own) })
                    };
                    Some((keyword, Value::Object(schemas.into_iter().map(named).collect())))
                }
                member if VALUES.contains(&keyword.as_str()) => Some((keyword, member)),
                member => Some((keyword, without_padding(member))),
            };
            Value::Object(members.into_iter().filter_map(member).collect())
        }
        Value::Array(schemas) => Value::Array(schemas.into_iter().map(without_padding).collect()),
        other => other,
    }
}

/// One rule that a value breaks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SchemaError {
    /// Where in the value, as a JSON pointer; empty for the value itself.
    pub pointer: String,
    /// In words.
    pub message: String,
    /// Whether it is about more than types, names and allowed values.
    pub is_finer_rule: bool,
}

/// Steps back that one pattern may take on one text, and bytes that it may become: `^.{1,500}$` takes half a megabyte.
const MAX_BACKTRACKING: usize = 10_000;
const MAX_PATTERN_BYTES: usize = 10 << 20;

impl BoundedValidator {
    /// Compiles `schema`. Formats are not checked; references must lead to places within the schema.
    pub(crate) fn new(schema: &Json) -> Result<BoundedValidator, Unusable> {
        let extent = Extent::of(schema).map_err(|obstacle| match obstacle {
            Obstacle::TooComplex => Unusable::TooComplex,
            Obstacle::Reference(to) => Unusable::Broken(format!("nothing in it is what `{to}` refers to")),
        })?;
        let patterns = PatternOptions::fancy_regex()
            .backtrack_limit(MAX_BACKTRACKING)
            .size_limit(MAX_PATTERN_BYTES)
            .dfa_size_limit(MAX_PATTERN_BYTES);
        let validator = jsonschema::options()
            .should_validate_formats(false)
            .with_pattern_options(patterns)
            .build(&without_padding(schema.into()))
            .map_err(|error| Unusable::Broken(error.to_string()))?;
        Ok(BoundedValidator { validator, extent })
    }

    /// The first `limit` errors of `value`; `schema` is the one that this was compiled from.
    pub(crate) fn errors(
        &self,
        schema: &Json,
        value: &Json,
        limit: usize,
    ) -> Result<Vec<SchemaError>, Unusable> {
        if !self.extent.allows(schema, value) {
            return Err(Unusable::TooComplex);
        }
        let value = serde_json::Value::from(value);
        let mut errors = Vec::new();
        for error in self.validator.iter_errors(&value).take(limit) {
            if ran_out(error.kind()) {
                return Err(Unusable::TooComplex);
            }
            errors.push(SchemaError {
                pointer: error.instance_path().to_string(),
                message: error.to_string(),
                is_finer_rule: is_finer_rule(error.kind()),
            });
        }
        Ok(errors)
    }
}

/// Whether a pattern was given up, here or in an alternative.
fn ran_out(kind: &ValidationErrorKind) -> bool {
    match kind {
        ValidationErrorKind::BacktrackLimitExceeded { .. } => true,
        ValidationErrorKind::AnyOf { context } | ValidationErrorKind::OneOfNotValid { context } => {
            context.iter().flatten().any(|error| ran_out(error.kind()))
        }
        _ => false,
    }
}

fn is_finer_rule(kind: &ValidationErrorKind) -> bool {
    !matches!(
        kind,
        ValidationErrorKind::Type { .. }
            | ValidationErrorKind::Enum { .. }
            | ValidationErrorKind::Constant { .. }
            | ValidationErrorKind::Required { .. }
            | ValidationErrorKind::AdditionalProperties { .. }
    )
}
