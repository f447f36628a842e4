//! A check of one parameter, as data: `{"kind":"range","min":1,"max":7}`.

use regex_lite::Regex;

use super::case::{list, wrong};
use crate::domain::Json;
use crate::schema::{BoundedValidator, Unusable};
use crate::score::functions::{Asking, KIND};
use crate::score::{Equality, ScoreError, setting};

/// A check of one parameter. The article has the first three.
#[derive(Debug, Clone)]
pub enum Validator<'a> {
    /// A number between two, both included; a truth value is none.
    Range { min: f64, max: f64 },
    /// One of several values.
    In(&'a [Json]),
    /// Of a JSON type.
    Type(JsonType),
    /// A text in which a pattern is found.
    Regex(Regex),
    /// What a JSON Schema allows.
    Schema(Box<Schema<'a>>),
    /// A text that holds another, or a list with that text as an item, in any letter case.
    Contains(&'a str),
    /// What a function of the user's own says yes to; until it can be asked, nothing is.
    Function { name: &'a str, asking: Option<&'a Asking<'a>> },
}

/// A schema with its validator.
#[derive(Debug, Clone)]
pub struct Schema<'a> {
    schema: &'a Json,
    validator: std::sync::Arc<BoundedValidator>,
}

/// The types that a validator can ask for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JsonType {
    String,
    Number,
    /// A number without a fraction, as in JSON Schema: `1.0` too.
    Integer,
    Boolean,
    Array,
    Object,
    Null,
}

const TYPES: [(&str, JsonType); 7] = [
    ("string", JsonType::String),
    ("number", JsonType::Number),
    ("integer", JsonType::Integer),
    ("boolean", JsonType::Boolean),
    ("array", JsonType::Array),
    ("object", JsonType::Object),
    ("null", JsonType::Null),
];

impl<'a> Validator<'a> {
    pub(super) fn accepts(&self, value: &Json, equality: Equality) -> bool {
        match (self, value) {
            (Validator::Range { min, max }, Json::Number(number)) => (*min..=*max).contains(&number.as_f64()),
            (Validator::Range { .. }, _) => false,
            (Validator::In(values), value) => values.iter().any(|allowed| equality.values(allowed, value)),
            (Validator::Type(JsonType::Integer), Json::Number(number)) => number.as_f64().fract() == 0.0,
            (Validator::Type(wanted), value) => {
                *wanted
                    == match value {
                        Json::Null => JsonType::Null,
                        Json::Bool(_) => JsonType::Boolean,
                        Json::Number(_) => JsonType::Number,
                        Json::String(_) => JsonType::String,
                        Json::Array(_) => JsonType::Array,
                        Json::Object(_) => JsonType::Object,
                    }
            }
            (Validator::Regex(pattern), Json::String(text)) => pattern.is_match(text),
            (Validator::Regex(_), _) => false,
            (Validator::Schema(schema), value) => schema.allows(value) == Some(true),
            (Validator::Contains(wanted), Json::String(text)) => {
                text.to_lowercase().contains(&wanted.to_lowercase())
            }
            (Validator::Contains(wanted), Json::Array(items)) => {
                let wanted = wanted.to_lowercase();
                items.iter().any(|item| item.as_str().is_some_and(|item| item.to_lowercase() == wanted))
            }
            (Validator::Contains(_), _) => false,
            (Validator::Function { name, asking }, value) => {
                asking.is_some_and(|asking| asking.holds(name, &[value]))
            }
        }
    }

    /// Lets it ask, if it is a function.
    pub(super) fn ask(&mut self, whom: &'a Asking<'a>) {
        if let Validator::Function { asking, .. } = self {
            *asking = Some(whom);
        }
    }

    /// An error if it takes too long to tell whether `value` is accepted: that is no fault of whoever gave it.
    pub(super) fn can_check(&self, param: &str, value: &Json) -> Result<(), ScoreError> {
        match self {
            Validator::Schema(schema) if schema.allows(value).is_none() => Err(too_complex(param)),
            _ => Ok(()),
        }
    }

    pub(super) fn read(path: &str, json: &'a Json) -> Result<Validator<'a>, ScoreError> {
        let null = &Json::Null;
        let member = |key: &str| (format!("{path}.{key}"), json.get(key).unwrap_or(null));
        let bound = |key: &str| {
            let (path, value) = member(key);
            setting::number(&path, value).map_err(ScoreError::invalid)
        };
        let text = |key: &str| {
            let (path, value) = member(key);
            value.as_str().ok_or_else(|| wrong(&path, "text", value))
        };
        match json.get("kind").and_then(Json::as_str) {
            Some("range") => Ok(Validator::Range { min: bound("min")?, max: bound("max")? }),
            Some("in") => {
                let (path, values) = member("values");
                Ok(Validator::In(list(&path, Some(values))?))
            }
            Some("type") => {
                let (path, value) = member("type");
                setting::one_of(&path, value, &TYPES).map(Validator::Type).map_err(ScoreError::invalid)
            }
            Some("regex") => {
                let pattern = text("pattern")?;
                let regex = Regex::new(pattern).map_err(|error| {
                    let (path, value) = member("pattern");
                    wrong(&path, &format!("a regular expression ({error})"), value)
                })?;
                Ok(Validator::Regex(regex))
            }
            Some("schema") => {
                let (path, schema) = member("schema");
                Schema::read(&path, schema).map(|schema| Validator::Schema(Box::new(schema)))
            }
            Some("contains") => Ok(Validator::Contains(text("text")?)),
            Some(KIND) => Ok(Validator::Function { name: text("name")?, asking: None }),
            _ => {
                let (path, kind) = member("kind");
                Err(wrong(&path, "`range`, `in`, `type`, `regex`, `schema`, `contains` or `function`", kind))
            }
        }
    }
}

fn too_complex(what: &str) -> ScoreError {
    let message = format!(
        "`{what}`: the schema is too complex to be checked; write it without rules that try each other again"
    );
    ScoreError { kind: "TooComplex", message }
}

impl<'a> Schema<'a> {
    fn read(path: &str, schema: &'a Json) -> Result<Schema<'a>, ScoreError> {
        if !matches!(schema, Json::Object(_) | Json::Bool(_)) {
            return Err(wrong(path, "a JSON Schema", schema));
        }
        match BoundedValidator::new(schema) {
            Ok(validator) => Ok(Schema { schema, validator: validator.into() }),
            Err(Unusable::TooComplex) => Err(too_complex(path)),
            Err(Unusable::Broken(why)) => Err(wrong(path, &format!("a JSON Schema ({why})"), schema)),
        }
    }

    /// `None` where that takes too long to tell.
    fn allows(&self, value: &Json) -> Option<bool> {
        self.validator.errors(self.schema, value, 1).ok().map(|errors| errors.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_ours_accept() {
        for (validator, accepted, refused) in [
            (
                r#"{"kind":"regex","pattern":"^[A-Z]{3}$"}"#,
                &[r#""OSL""#][..],
                &[r#""Oslo""#, "1", "null", r#"["OSL"]"#][..],
            ),
            (r#"{"kind":"regex","pattern":"b+"}"#, &[r#""abbc""#], &[r#""ac""#]),
            (
                r#"{"kind":"schema","schema":{"type":"array","items":{"type":"integer","minimum":0},"minItems":1}}"#,
                &["[0,1.0]"],
                &["[]", "[-1]", "0", r#"["0"]"#],
            ),
            (r#"{"kind":"schema","schema":false}"#, &[], &["1"]),
            (
                r#"{"kind":"type","type":"integer"}"#,
                &["7", "-1", "7.0", "1e3"],
                &["7.5", r#""7""#, "true", "null", "[7]"],
            ),
            (
                r#"{"kind":"contains","text":"Hue"}"#,
                &[r#""in hue, Vietnam""#, r#"["Hue"]"#, r#"["hue"]"#],
                &[r#""Hanoi""#, r#"["Hue, Vietnam"]"#, "1", "{}"],
            ),
        ] {
            let json = Json::parse(validator).unwrap();
            let read = Validator::read("v", &json).unwrap();
            for (values, expected) in [(accepted, true), (refused, false)] {
                for value in values {
                    let value = Json::parse(value).unwrap();
                    assert_eq!(read.accepts(&value, Equality::Json), expected, "{validator} {value}");
                }
            }
        }
    }

    #[test]
    fn what_cannot_be_read() {
        for (validator, error) in [
            (
                r#"{"kind":"regexp"}"#,
                "`v.kind` must be `range`, `in`, `type`, `regex`, `schema`, `contains` or `function`, but is \"regexp\"",
            ),
            (r#"{"kind":"regex"}"#, "`v.pattern` must be text, but is null"),
            (
                r#"{"kind":"regex","pattern":"("}"#,
                "`v.pattern` must be a regular expression (found open group without closing ')'), but is \"(\"",
            ),
            (r#"{"kind":"schema","schema":7}"#, "`v.schema` must be a JSON Schema, but is 7"),
            (
                r##"{"kind":"schema","schema":{"$ref":"#/a"}}"##,
                "`v.schema` must be a JSON Schema (nothing in it is what `#/a` refers to), but is {\"$ref\":\"#/a\"}",
            ),
            (r#"{"kind":"contains","text":1}"#, "`v.text` must be text, but is 1"),
            (r#"{"kind":"function","text":"even"}"#, "`v.name` must be text, but is null"),
        ] {
            let json = Json::parse(validator).unwrap();
            assert_eq!(Validator::read("v", &json).unwrap_err().message, error);
        }
    }
}
