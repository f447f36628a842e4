//! Checks the arguments of calls against the tools' schemas, by JSON Schema's own rules and OpenAPI's `nullable`, and nothing else.

use std::collections::HashMap;
use std::sync::Arc;

use super::validator::{BoundedValidator, SchemaError, Unusable};
use crate::domain::{Json, Object, ToolDefinition};

/// The schemas of some tools, compiled once.
#[derive(Debug)]
pub struct ArgumentSchemas {
    definitions: Arc<[ToolDefinition]>,
    /// By the tool's name: which definition, and its validator; none for a schema that is too complex.
    by_name: HashMap<String, (usize, Option<BoundedValidator>)>,
}

/// A tool's schema that is not a JSON Schema, or refers to what it does not hold.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the schema of tool `{tool}` cannot be used: {why}")]
pub struct UnusableSchema {
    /// The tool.
    pub tool: String,
    /// What is wrong with its schema.
    pub why: String,
}

/// Errors of one call that are told: a model corrects no more at once.
const MAX_ERRORS: usize = 10;

/// Characters of one error: the validator quotes the whole value.
const MAX_ERROR_LENGTH: usize = 300;

impl ArgumentSchemas {
    /// Compiles the schemas of all `definitions`. Of two definitions of one name the first counts.
    ///
    /// # Errors
    /// For the first definition whose schema is not a JSON Schema. A schema that is too complex to be checked is no error: nothing is
    /// said of its arguments.
    pub fn new(definitions: &Arc<[ToolDefinition]>) -> Result<ArgumentSchemas, UnusableSchema> {
        let mut by_name = HashMap::with_capacity(definitions.len());
        for (at, definition) in definitions.iter().enumerate() {
            let validator = match BoundedValidator::of_tool(&definition.parameters) {
                Ok(validator) => Some(validator),
                Err(Unusable::TooComplex) => None,
                Err(Unusable::Broken(why)) => {
                    return Err(UnusableSchema { tool: definition.name.clone(), why: shortened(&why) });
                }
            };
            by_name.entry(definition.name.clone()).or_insert((at, validator));
        }
        Ok(ArgumentSchemas { definitions: Arc::clone(definitions), by_name })
    }

    /// What is wrong with the `arguments` of a call of `tool`, at most ten errors, each with the JSON pointer of its place:
    /// `/days: 12 is greater than the maximum of 7`. An error of the arguments as a whole, such as a missing one, has no pointer.
    ///
    /// Empty where nothing is wrong, where there is no such tool, and where checking would take too long.
    pub fn errors(&self, tool: &str, arguments: &Object) -> Vec<String> {
        let Some((at, Some(validator))) = self.by_name.get(tool) else { return Vec::new() };
        let schema = &self.definitions[*at].parameters;
        let errors = validator.errors(schema, &Json::Object(arguments.clone()), MAX_ERRORS);
        errors.unwrap_or_default().iter().map(in_words).collect()
    }
}

fn in_words(error: &SchemaError) -> String {
    let message = shortened(&error.message);
    if error.pointer.is_empty() { message } else { format!("{}: {message}", shortened(&error.pointer)) }
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(MAX_ERROR_LENGTH) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schemas(schema: &str) -> Result<ArgumentSchemas, UnusableSchema> {
        let parameters = Json::parse(schema).unwrap();
        ArgumentSchemas::new(
            &[ToolDefinition { name: "f".to_owned(), description: String::new(), parameters }].into(),
        )
    }

    #[test]
    fn errors_are_json_schemas_own() {
        let schema = r#"{"type":"object","properties":{"city":{"type":"string","minLength":2},
            "days":{"type":"integer","maximum":7},"at":{"type":"array","items":{"enum":["a","b"]}}},
            "required":["city"],"additionalProperties":false}"#;
        let schemas = schemas(schema).unwrap();
        for (arguments, expected) in [
            (r#"{"city":"Oslo","days":7.0}"#, &[][..]),
            (r#"{"city":"Oslo","days":12}"#, &["/days: 12 is greater than the maximum of 7"]),
            (r#"{"city":"Oslo","days":"7"}"#, &[r#"/days: "7" is not of type "integer""#]),
            (r#"{"city":"Oslo","at":["a","c"]}"#, &[r#"/at/1: "c" is not one of "a" or "b""#]),
            ("{}", &[r#""city" is a required property"#]),
            (
                r#"{"city":"O","x":1}"#,
                &[
                    "Additional properties are not allowed ('x' was unexpected)",
                    r#"/city: "O" is shorter than 2 characters"#,
                ],
            ),
        ] {
            let arguments = Json::parse(arguments).unwrap();
            let mut errors = schemas.errors("f", arguments.as_object().unwrap());
            errors.sort_by_key(|error| error.starts_with('/'));
            assert_eq!(errors, expected, "{arguments}");
            assert_eq!(schemas.errors("g", arguments.as_object().unwrap()), [""; 0]);
        }
        let many: String = (0..50).map(|at| format!(r#""{}{at}":0,"#, "x".repeat(1_000))).collect();
        let arguments = Json::parse(&format!(r#"{{{many}"city":1,"days":[],"at":[{}1]}}"#, "0,".repeat(99)));
        let errors = schemas.errors("f", arguments.unwrap().as_object().unwrap());
        assert_eq!(errors.len(), 10);
        assert!(errors.iter().all(|error| error.chars().count() < 350));
    }

    /// A table gives every schema the keywords and the properties of each.
    #[test]
    fn what_a_table_pads_a_schema_with_says_nothing() {
        let schemas = schemas(
            r#"{"type":"object","enum":null,"properties":{"code":{"type":"string","pattern":"^[0-9]+$","anyOf":null},"b":null},
                "anyOf":[{"properties":{"city":{"type":"string","minimum":null},"lat":null}},{"$defs":{"x":null},"not":{"required":null}}],
                "patternProperties":{"^x":null},"$defs":null,"required":null}"#,
        )
        .unwrap();
        let errors = |arguments: &str| {
            let arguments = Json::parse(arguments).unwrap();
            schemas.errors("f", arguments.as_object().unwrap())
        };
        assert_eq!(errors(r#"{"code":"12","b":3,"city":"Oslo","x1":1}"#), [""; 0]);
        assert_eq!(errors(r#"{"code":"ab","city":"Oslo"}"#).len(), 1);
    }

    #[test]
    fn what_cannot_be_compiled_names_the_tool() {
        for (schema, why) in [
            (
                r#"{"type":"strin"}"#,
                "\"strin\" is not valid under any of the schemas listed in the 'anyOf' keyword",
            ),
            (r#"{"properties":{"a":{"pattern":"("}}}"#, r#""(" is not a "regex""#),
            (r##"{"properties":{"a":{"$ref":"#/$defs/a"}}}"##, "nothing in it is what `#/$defs/a` refers to"),
        ] {
            let error = schemas(schema).unwrap_err();
            assert_eq!((error.tool.as_str(), error.why.as_str()), ("f", why));
        }
    }

    #[test]
    fn too_complex_a_schema_says_nothing() {
        let links: Vec<String> = (0..60)
            .map(|at| {
                format!(
                    r##""n{at}":{{"anyOf":[{0},{0}]}}"##,
                    format_args!(r##"{{"$ref":"#/$defs/n{}"}}"##, at + 1)
                )
            })
            .collect();
        let schema = format!(
            r##"{{"properties":{{"a":{{"$ref":"#/$defs/n0"}}}},"$defs":{{{},"n60":{{"type":"integer"}}}}}}"##,
            links.join(",")
        );
        let arguments = Json::parse(r#"{"a":"x"}"#).unwrap();
        assert_eq!(schemas(&schema).unwrap().errors("f", arguments.as_object().unwrap()), [""; 0]);
        // Compiled in no time, and checked in no time only where there is nothing to check.
        let links: Vec<String> = (0..40)
            .map(|at| {
                format!(
                    r##""n{at}":{{"allOf":[{{"$ref":"#/$defs/n{}"}}],"unevaluatedProperties":false}}"##,
                    at + 1
                )
            })
            .collect();
        let schema = format!(
            r##"{{"properties":{{"a":{{"$ref":"#/$defs/n0"}}}},"$defs":{{{},"n40":{{"type":"object"}}}}}}"##,
            links.join(",")
        );
        for (arguments, errors) in [(r#"{"a":{}}"#, 0), ("{}", 0), (r#"{"a":1}"#, 1)] {
            let arguments = Json::parse(arguments).unwrap();
            let found = schemas(&schema).unwrap().errors("f", arguments.as_object().unwrap());
            assert_eq!(found.len(), errors, "{found:?}");
        }
    }
}
