//! A compiled schema with a bound on the work of validation.

use jsonschema::error::ValidationErrorKind;
use jsonschema::{PatternOptions, ValidationError, Validator};

use super::compilation::compiled;
use super::effort::Extent;
use super::nulls::{is_null_said, take_null};
use super::parts::{Obstacle, VALUES};
use super::patterns::Patterns;
use crate::domain::Json;

/// A schema that values can be checked against. It does not hold the schema itself, which its owner has anyway.
#[derive(Debug)]
pub(crate) struct BoundedValidator {
    /// Compiled once, unless it takes much more than its text: many are kept, and all of them must not take more than their texts allow.
    kept: Option<Validator>,
    extent: Extent,
    max_pattern_bytes: usize,
    words: Words,
}

/// In which words a schema says what it takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Words {
    JsonSchema,
    /// Those, and OpenAPI's of null, which definitions of tools have.
    Tools,
    /// The same in a draft that knows no conditions.
    ToolsOfOldDraft,
}

/// Why a schema's rules cannot be looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Unusable {
    /// What it unfolds to has no end worth waiting for.
    TooComplex,
    /// It is not a JSON Schema; in words.
    Broken(String),
}

/// Keywords that hold schemas by name.
const MAPS: [&str; 5] = ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"];

/// The schema as it is compiled, without what a table pads it with: a property that has no schema may be anything, and a keyword without
/// a value says nothing. What says that it takes null does. What a schema leaves unevaluated comes last: where it comes before the
/// keywords that it depends on, these are compiled as a part of it, and may hold what holds them.
fn prepared(schema: serde_json::Value, words: Words) -> serde_json::Value {
    use serde_json::Value;
    match schema {
        Value::Object(members) => {
            let member = |(keyword, member): (String, Value)| match member {
                Value::Null if keyword != "const" => None,
                Value::Object(schemas) if MAPS.contains(&keyword.as_str()) => {
                    let named = |(name, own): (String, Value)| {
                        (name, if own.is_null() { Value::Bool(true) } else { prepared(own, words) })
                    };
                    Some((keyword, Value::Object(schemas.into_iter().map(named).collect())))
                }
                member if VALUES.contains(&keyword.as_str()) => Some((keyword, member)),
                member => Some((keyword, prepared(member, words))),
            };
            let mut members: serde_json::Map<String, Value> =
                members.into_iter().filter_map(member).collect();
            if words != Words::JsonSchema && is_null_said(&members) {
                take_null(&mut members, words == Words::Tools);
            }
            let is_last = |(keyword, _): &(String, Value)| keyword.starts_with("unevaluated");
            let (last, first): (Vec<_>, Vec<_>) = members.into_iter().partition(is_last);
            Value::Object(first.into_iter().chain(last).collect())
        }
        Value::Array(schemas) => {
            Value::Array(schemas.into_iter().map(|schema| prepared(schema, words)).collect())
        }
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
    pub breach: Breach,
}

/// What kind of rule is broken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Breach {
    Type,
    /// The value is none of the allowed ones.
    Choice {
        /// Whether letter case and white space at the ends make all the difference, or nothing is allowed but null, which a table may
        /// have put there.
        is_slight: bool,
    },
    /// There is no member of this name.
    Missing(String),
    /// There are members too many.
    Additional {
        names: Vec<String>,
        /// Whether that is so because of `then` or `else`.
        by_condition: bool,
    },
    /// None of several alternatives fits, or more than one.
    Alternatives,
    /// Another rule.
    Finer,
}

/// Steps back that one pattern may take on one text.
const MAX_BACKTRACKING: usize = 10_000;

/// Bytes of a compiled schema that is kept: some, and for each byte of its text twice what large ordinary ones take.
const MAX_KEPT_BYTES: usize = 64 << 10;
const MAX_KEPT_PER_BYTE: usize = 50;
/// The same of its patterns.
const MAX_KEPT_PATTERN_BYTES: usize = 20 << 20;

/// Bytes that the patterns of a compiled schema may keep.
pub(crate) fn kept_pattern_bytes(schema: &Json) -> usize {
    let bytes = Patterns::of(schema).bytes;
    if bytes <= MAX_KEPT_PATTERN_BYTES { bytes } else { 0 }
}

fn compile(schema: &Json, words: Words, max_pattern_bytes: usize) -> Result<Validator, Unusable> {
    let patterns = PatternOptions::fancy_regex()
        .backtrack_limit(MAX_BACKTRACKING)
        .size_limit(max_pattern_bytes)
        .dfa_size_limit(max_pattern_bytes);
    let draft = schema.get("$schema").and_then(Json::as_str).unwrap_or_default();
    let is_old = ["draft-03", "draft-04", "draft-06"].iter().any(|old| draft.contains(old));
    let words = if words == Words::Tools && is_old { Words::ToolsOfOldDraft } else { words };
    jsonschema::options()
        .should_validate_formats(false)
        .with_pattern_options(patterns)
        .build(&prepared(schema.into(), words))
        .map_err(|error| Unusable::Broken(error.to_string()))
}

impl BoundedValidator {
    /// Compiles `schema`. Formats are not checked; references must lead to places within the schema.
    pub(crate) fn new(schema: &Json) -> Result<BoundedValidator, Unusable> {
        BoundedValidator::in_words(schema, Words::JsonSchema)
    }

    /// The same of a tool's arguments.
    pub(crate) fn of_tool(schema: &Json) -> Result<BoundedValidator, Unusable> {
        BoundedValidator::in_words(schema, Words::Tools)
    }

    fn in_words(schema: &Json, words: Words) -> Result<BoundedValidator, Unusable> {
        let (bounds, validator, is_kept) = BoundedValidator::open(schema, words)?;
        Ok(BoundedValidator { kept: is_kept.then_some(validator), ..bounds })
    }

    /// The same of a tool's arguments, with the first `limit` errors of `value`, for which it need not be compiled once more.
    pub(crate) fn of_tool_with_errors(
        schema: &Json,
        value: &Json,
        limit: usize,
    ) -> Result<(BoundedValidator, Result<Vec<SchemaError>, Unusable>), Unusable> {
        let (bounds, validator, is_kept) = BoundedValidator::open(schema, Words::Tools)?;
        let errors = bounds.checked(schema, value).and_then(|()| errors(&validator, value, limit));
        Ok((BoundedValidator { kept: is_kept.then_some(validator), ..bounds }, errors))
    }

    /// The bounds of a schema, the compiled schema, and whether it may be kept.
    fn open(schema: &Json, words: Words) -> Result<(BoundedValidator, Validator, bool), Unusable> {
        let size = Extent::of(schema).and_then(|extent| Ok((extent, compiled(schema)?)));
        let (extent, compiled) = size.map_err(|obstacle| match obstacle {
            Obstacle::TooComplex => Unusable::TooComplex,
            Obstacle::Reference(to) => Unusable::Broken(format!("nothing in it is what `{to}` refers to")),
        })?;
        let patterns = Patterns::of(schema);
        // Where patterns share what there is, one that does not fit is not broken.
        let too_complex = |why| if patterns.are_bounded() { Unusable::TooComplex } else { why };
        let validator = compile(schema, words, patterns.max_bytes).map_err(too_complex)?;
        let is_kept = compiled.bytes <= MAX_KEPT_BYTES + MAX_KEPT_PER_BYTE * compiled.text
            && patterns.bytes <= MAX_KEPT_PATTERN_BYTES;
        let bounds = BoundedValidator { kept: None, extent, max_pattern_bytes: patterns.max_bytes, words };
        Ok((bounds, validator, is_kept))
    }

    /// The first `limit` errors of `value`; `schema` is the one that this was compiled from.
    pub(crate) fn errors(
        &self,
        schema: &Json,
        value: &Json,
        limit: usize,
    ) -> Result<Vec<SchemaError>, Unusable> {
        self.checked(schema, value)?;
        match &self.kept {
            Some(validator) => errors(validator, value, limit),
            None => errors(&compile(schema, self.words, self.max_pattern_bytes)?, value, limit),
        }
    }

    fn checked(&self, schema: &Json, value: &Json) -> Result<(), Unusable> {
        if self.extent.allows(schema, value) { Ok(()) } else { Err(Unusable::TooComplex) }
    }
}

fn errors(validator: &Validator, value: &Json, limit: usize) -> Result<Vec<SchemaError>, Unusable> {
    let value = serde_json::Value::from(value);
    let mut errors = Vec::new();
    for error in validator.iter_errors(&value).take(limit) {
        if ran_out(error.kind()) {
            return Err(Unusable::TooComplex);
        }
        errors.push(SchemaError {
            pointer: error.instance_path().to_string(),
            message: error.to_string(),
            breach: breach(&error),
        });
    }
    Ok(errors)
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

fn breach(error: &ValidationError<'_>) -> Breach {
    let (kind, value) = (error.kind(), error.instance());
    let is_written_otherwise = |allowed: &serde_json::Value| {
        let plain = |text: &serde_json::Value| text.as_str().map(plain);
        plain(value).is_some() && plain(allowed) == plain(value)
    };
    match kind {
        ValidationErrorKind::Type { .. } => Breach::Type,
        ValidationErrorKind::Enum { options } => {
            let is_slight =
                options.as_array().is_some_and(|options| options.iter().any(is_written_otherwise));
            Breach::Choice { is_slight }
        }
        ValidationErrorKind::Constant { expected_value } => {
            Breach::Choice { is_slight: expected_value.is_null() || is_written_otherwise(expected_value) }
        }
        ValidationErrorKind::Required { property } => {
            Breach::Missing(property.as_str().unwrap_or_default().to_owned())
        }
        ValidationErrorKind::AdditionalProperties { unexpected } => {
            let by_condition = is_conditional(&error.schema_path().to_string());
            Breach::Additional { names: unexpected.clone(), by_condition }
        }
        ValidationErrorKind::AnyOf { .. }
        | ValidationErrorKind::OneOfNotValid { .. }
        | ValidationErrorKind::OneOfMultipleValid { .. } => Breach::Alternatives,
        _ => Breach::Finer,
    }
}

/// Whether a rule stands in `then` or `else`, by its place as a JSON pointer.
fn is_conditional(place: &str) -> bool {
    let steps: Vec<&str> = place.split('/').collect();
    steps.windows(2).any(|pair| !MAPS.contains(&pair[0]) && ["then", "else"].contains(&pair[1]))
}

/// What is left of an allowed text when letter case and white space at the ends do not count.
pub(crate) fn plain(text: &str) -> String {
    text.trim().to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// So many levels, each of which says twice what the next one is.
    fn levels(levels: usize) -> Json {
        let level = |at| {
            format!(
                r##""n{at}":{{"anyOf":[{{"$ref":"#/$defs/n{0}"}},{{"$ref":"#/$defs/n{0}"}}],"unevaluatedProperties":false}}"##,
                at + 1
            )
        };
        let levels: Vec<String> = (0..levels).map(level).chain([format!(r#""n{levels}":{{}}"#)]).collect();
        let schema = format!(
            r##"{{"required":["z"],"properties":{{"x":{{"$ref":"#/$defs/n0"}}}},"$defs":{{{}}}}}"##,
            levels.join(",")
        );
        Json::parse(&schema).unwrap()
    }

    #[test]
    fn what_takes_more_than_its_text_is_not_kept() {
        let ordinary =
            Json::parse(r#"{"properties":{"a":{"pattern":"^.{1,500}$"}},"unevaluatedProperties":false}"#);
        let large = Json::parse(
            r#"{"properties":{"a":{"pattern":"^\\p{L}{150}$"},"c":{"pattern":"^\\p{L}{151}$"}},"unevaluatedProperties":false}"#,
        );
        let wrong = Json::parse(r#"{"b":1}"#).unwrap();
        for (schema, is_kept) in [(ordinary.unwrap(), true), (large.unwrap(), false), (levels(7), false)] {
            let validator = BoundedValidator::new(&schema).unwrap();
            assert_eq!(validator.kept.is_some(), is_kept, "{schema}");
            let errors = validator.errors(&schema, &wrong, 5).unwrap();
            assert!(!errors.is_empty(), "{schema}");
            let (validator, once) = BoundedValidator::of_tool_with_errors(&schema, &wrong, 5).unwrap();
            assert_eq!((validator.kept.is_some(), once), (is_kept, Ok(errors)), "{schema}");
        }
        assert_eq!(BoundedValidator::new(&levels(30)).unwrap_err(), Unusable::TooComplex);
    }

    /// Where it came first, it would be compiled with copies of all that it depends on.
    #[test]
    fn what_is_left_unevaluated_is_compiled_last() {
        let schema = serde_json::json!({"unevaluatedProperties": false, "anyOf": [{"unevaluatedItems": true, "type": "array"}], "a": 1});
        let keys =
            |schema: &serde_json::Value| schema.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
        let prepared = prepared(schema, Words::JsonSchema);
        assert_eq!(keys(&prepared), ["anyOf", "a", "unevaluatedProperties"]);
        assert_eq!(keys(&prepared["anyOf"][0]), ["type", "unevaluatedItems"]);
    }
}
