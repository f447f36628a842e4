//! Definitions prepared once, so that judging a row only reads.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use super::index::{Index, Parameter};
use super::node::Node;
use super::prefixes::Prefixes;
use crate::domain::{Json, Object, ToolDefinition};
use crate::reading::spoken::Languages;
use crate::reading::words::{Stem, fold, fold_identifier, is_content, is_english, stem, words};
use crate::schema::{BoundedValidator, SchemaError, Unusable, kept_pattern_bytes};

/// The tools on offer.
pub(super) struct Toolbox {
    pub tools: Vec<Tool>,
    /// Whether the descriptions are in English.
    pub english: bool,
    /// Whether they have small words of another language: short descriptions may have none of any.
    pub foreign: bool,
    /// Whether they speak of code.
    pub code: bool,
    /// Which words the definitions share.
    pub index: Index,
    places: HashMap<String, usize>,
    /// Their words by the first letters, once they are asked for.
    prefixes: OnceLock<Prefixes>,
}

/// One tool.
pub(super) struct Tool {
    pub name: String,
    /// Stems of the name's words.
    pub name_stems: Vec<Stem>,
    /// Stems of name and description.
    pub stems: Vec<Stem>,
    /// Stems of everything the definition says, parameters included.
    pub all_stems: Vec<Stem>,
    /// Name, description and parameters, folded.
    pub text: String,
    pub root: Node,
    /// Of each of the root's properties.
    pub parameters: Vec<Parameter>,
    /// Whether all that the definition says is in it.
    pub complete: bool,
    /// The definition once more, for the rules [`Node`] does not know; compiled when first needed.
    rules: Option<Rules>,
}

/// A schema's finer rules.
pub(super) struct Rules {
    definitions: Arc<[ToolDefinition]>,
    at: usize,
    compiled: OnceLock<Result<BoundedValidator, Unusable>>,
}

/// What is made of a definition takes about so many times the room of its text.
pub(super) const BYTES_PER_TEXT: usize = 25;

/// Stems kept of one definition: bounds the work on a hostile one.
pub(super) const MAX_STEMS: usize = 400;

impl Toolbox {
    pub(super) fn new(definitions: &Arc<[ToolDefinition]>) -> Toolbox {
        let tools: Vec<Tool> = (0..definitions.len()).map(|at| Tool::new(definitions, at)).collect();
        let mut places = HashMap::with_capacity(tools.len() * 2);
        for (at, tool) in tools.iter().enumerate() {
            places.entry(tool.name.clone()).or_insert(at);
        }
        for (at, tool) in tools.iter().enumerate() {
            places.entry(plain_name(&tool.name)).or_insert(at);
        }
        let english = tools.iter().any(|tool| is_english(&tool.text));
        let foreign = tools.iter().take(50).any(|tool| Languages::of(&tool.text).is_foreign());
        let index = Index::new(&tools);
        let code = tools.iter().take(50).any(|tool| speaks_of_code(&tool.text));
        Toolbox { tools, english, foreign, code, index, places, prefixes: OnceLock::new() }
    }

    /// Their words by the first letters.
    pub(super) fn prefixes(&self) -> &Prefixes {
        self.prefixes.get_or_init(|| Prefixes::new(&self.tools))
    }

    /// How much text it was made from and holds, about; what takes more than its text counts as the text that takes as much.
    pub(super) fn bytes(&self) -> usize {
        let rules = |tool: &Tool| tool.rules.as_ref().map_or(0, Rules::pattern_bytes) / BYTES_PER_TEXT;
        // Even one without tools, or a tool without a word, takes room.
        64 + self.tools.iter().map(|tool| 64 + tool.text.len() + rules(tool)).sum::<usize>()
    }

    /// The tool a call means. Some interfaces allow no dots in names and log `math_add` for `math.add`.
    pub(super) fn find(&self, name: &str) -> Option<usize> {
        self.places.get(name).or_else(|| self.places.get(&plain_name(name))).copied()
    }
}

/// Whether a folded text speaks of a language in which values may be written as source text.
pub(super) fn speaks_of_code(folded: &str) -> bool {
    const LANGUAGES: &[&str] = &[" java ", " javascript ", " typescript ", " java script "];
    LANGUAGES.iter().any(|language| folded.contains(language))
}

fn plain_name(name: &str) -> String {
    name.chars().map(|c| if c.is_alphanumeric() { c } else { '_' }).collect()
}

impl Tool {
    fn new(definitions: &Arc<[ToolDefinition]>, at: usize) -> Tool {
        let definition = &definitions[at];
        let name = fold_identifier(&definition.name);
        let description = fold(&definition.description);
        let (root, complete) = Node::of_schema(&definition.parameters);
        let mut text = format!("{name}{description}");
        let mut all: Vec<Stem> = content(&text).take(MAX_STEMS).collect();
        let stems = distinct(all.iter().copied());
        let head = text.len();
        root.describe(&mut text);
        all.extend(content(&text[head..]).take(MAX_STEMS - all.len()));
        Tool {
            name: definition.name.clone(),
            name_stems: self::stems(&name),
            all_stems: distinct(all.into_iter()),
            stems,
            text,
            rules: needs_rules(&definition.parameters).then(|| Rules {
                definitions: Arc::clone(definitions),
                at,
                compiled: OnceLock::new(),
            }),
            parameters: root.properties.iter().map(|(_, node)| Parameter::new(node)).collect(),
            root,
            complete,
        }
    }

    /// The schema's finer rules, if it has any.
    pub(super) fn rules(&self) -> Option<&Rules> {
        self.rules.as_ref()
    }
}

impl Rules {
    /// What its patterns may take once they are compiled.
    fn pattern_bytes(&self) -> usize {
        kept_pattern_bytes(&self.definitions[self.at].parameters)
    }

    /// The first `limit` errors of `arguments`.
    pub(super) fn errors(&self, arguments: &Json, limit: usize) -> Result<Vec<SchemaError>, Unusable> {
        let schema = &self.definitions[self.at].parameters;
        let unusable = match self.compiled.get() {
            Some(Ok(validator)) => return validator.errors(schema, arguments, limit),
            Some(Err(unusable)) => unusable.clone(),
            None => match BoundedValidator::of_tool_with_errors(schema, arguments, limit) {
                Ok((validator, errors)) => {
                    // Another thread may have been first; then theirs is as good.
                    let _ = self.compiled.set(Ok(validator));
                    return errors;
                }
                Err(unusable) => {
                    let _ = self.compiled.set(Err(unusable.clone()));
                    unusable
                }
            },
        };
        Err(unusable)
    }
}

/// The distinct stems of a folded text's content words, sorted.
pub(super) fn stems(folded: &str) -> Vec<Stem> {
    distinct(content(folded))
}

/// The stems of a folded text's content words.
fn content(folded: &str) -> impl Iterator<Item = Stem> {
    words(folded).filter(|word| is_content(word)).map(stem)
}

/// The distinct ones of some stems, sorted.
pub(super) fn distinct(stems: impl Iterator<Item = Stem>) -> Vec<Stem> {
    let mut stems: Vec<Stem> = stems.take(MAX_STEMS).collect();
    stems.sort_unstable();
    stems.dedup();
    stems
}

/// Keywords whose meaning [`Node`] does not cover.
#[rustfmt::skip]
const FINER_KEYWORDS: &[&str] = &[
    "anyOf", "oneOf", "allOf", "not", "if", "const", "pattern", "minimum", "maximum",
    "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength", "minItems",
    "maxItems", "uniqueItems", "contains", "minProperties", "maxProperties", "propertyNames",
    "patternProperties", "dependentRequired", "dependentSchemas", "dependencies", "prefixItems",
    "additionalItems", "unevaluatedItems", "unevaluatedProperties", "$ref", "$dynamicRef", "$recursiveRef",
];

fn needs_rules(schema: &Json) -> bool {
    match schema {
        Json::Object(object) => {
            let is_list = |value: &Json| value.as_array().is_some_and(|items| !items.is_empty());
            let has_members = |value: &Json| value.as_object().is_some_and(|members| !members.is_empty());
            object.iter().any(|(key, value)| match key {
                key if FINER_KEYWORDS.contains(&key) => true,
                "enum" | "default" | "examples" | "example" | "description" => false,
                // Parameters and definitions may be called what keywords are.
                "properties" | "$defs" | "definitions" => {
                    let named = value.as_object().into_iter().flat_map(Object::values);
                    named.into_iter().any(|own| *own == Json::Bool(false) || needs_rules(own))
                }
                "additionalProperties" => has_members(value),
                "items" => is_list(value) || needs_rules(value),
                "required" => is_list(value) && object.get("properties").and_then(Json::as_object).is_none(),
                _ => needs_rules(value),
            })
        }
        Json::Array(items) => items.iter().any(needs_rules),
        _ => false,
    }
}
