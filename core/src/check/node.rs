//! The part of a JSON Schema that observations speak about: types, parameters, allowed values, defaults.

use super::schema::folded_of;
use crate::domain::Json;
use crate::reading::words::{fold, fold_identifier, words};
use crate::schema::{plain, says_null, target};

/// One schema position.
#[derive(Debug, Default)]
pub(super) struct Node {
    pub types: Types,
    /// Among its parent's required parameters.
    pub required: bool,
    /// Sorted by name.
    pub properties: Vec<(String, Node)>,
    /// Names under which nothing is declared: of other tools' parameters, in tables that give all tools the same.
    pub blanks: Vec<String>,
    /// Whether parameters beyond the declared ones are welcome.
    pub open: bool,
    /// Names of parameters that are declared where they depend on others, or on what others are: in alternatives and conditions.
    pub elsewhere: Vec<String>,
    /// Whether it takes null, whatever its choices are.
    pub nullable: bool,
    pub items: Option<Box<Node>>,
    pub choices: Vec<Choice>,
    /// Folded.
    pub name: String,
    /// Folded.
    pub description: String,
    pub default: Option<Json>,
    /// Whether another parameter beside it names the unit.
    pub unit_beside: bool,
}

/// An allowed value.
#[derive(Debug)]
pub(super) struct Choice {
    pub value: Json,
    /// The value's text, folded.
    pub folded: String,
    /// Of a text: without letter case and white space at the ends, which do not make another value.
    pub plain: Option<String>,
}

/// Deeper parts of a schema are taken to allow anything.
const MAX_DEPTH: usize = 16;
/// All positions of one definition together: bounds what references can unfold to.
const MAX_NODES: usize = 4_000;
/// Parts of schemas that are looked at for names of parameters, and the names, likewise.
const MAX_PARTS: usize = 50_000;
/// Bytes of descriptions and allowed values that all positions hold together, likewise.
const MAX_TEXT_BYTES: usize = 4 << 20;

impl Node {
    /// The positions of a schema, and whether all their texts were taken.
    pub(super) fn of_schema(schema: &Json) -> (Node, bool) {
        let mut builder = Builder { root: schema, nodes: 0, text: 0, parts: 0 };
        let node = builder.node(schema, 0);
        (node, builder.text <= MAX_TEXT_BYTES)
    }

    /// The position of what stands at this place of a value, as a JSON pointer.
    pub(super) fn at(&self, pointer: &str) -> Option<&Node> {
        pointer.split('/').skip(1).try_fold(self, |node, step| {
            let named = node.property(&step.replace("~1", "/").replace("~0", "~"));
            named.or(node.items.as_deref().filter(|_| step.parse::<usize>().is_ok()))
        })
    }

    pub(super) fn property(&self, name: &str) -> Option<&Node> {
        let at = self.properties.binary_search_by(|(own, _)| own.as_str().cmp(name)).ok()?;
        Some(&self.properties[at].1)
    }

    /// Appends everything the schema says in words, folded.
    pub(super) fn describe(&self, text: &mut String) {
        for part in [&self.name, &self.description] {
            text.push_str(part);
        }
        for choice in &self.choices {
            text.push_str(&choice.folded);
        }
        for (_, node) in &self.properties {
            node.describe(text);
        }
        if let Some(items) = &self.items {
            items.describe(text);
        }
    }
}

struct Builder<'a> {
    root: &'a Json,
    nodes: usize,
    text: usize,
    /// Parts that were looked at for names, and the names.
    parts: usize,
}

impl<'a> Builder<'a> {
    fn node(&mut self, schema: &Json, depth: usize) -> Node {
        let mut node = Node { open: true, ..Node::default() };
        self.nodes += 1;
        if depth > MAX_DEPTH || self.nodes > MAX_NODES {
            return node;
        }
        let Json::Object(object) = schema else { return node };
        if let Some(target) = schema.get("$ref").and_then(Json::as_str).and_then(|path| self.resolve(path)) {
            node = self.node(target, depth + 1);
        }
        match object.get("type") {
            Some(Json::String(name)) => node.types.add(name),
            Some(Json::Array(names)) => {
                names.iter().filter_map(Json::as_str).for_each(|name| node.types.add(name))
            }
            _ => {}
        }
        for key in ["enum", "const"] {
            match object.get(key).filter(|value| self.has_room(value)) {
                Some(Json::Array(values)) if key == "enum" => {
                    node.choices.extend(values.iter().map(Choice::new))
                }
                Some(value) if key == "const" && !value.is_null() => node.choices.push(Choice::new(value)),
                _ => {}
            }
        }
        if let Some(value) = object.get("description").filter(|value| self.has_room(value))
            && let Some(text) = value.as_str()
        {
            node.description = fold(text);
        }
        if let Some(default) = object.get("default").filter(|value| self.has_room(value)) {
            node.default = Some(default.clone());
        }
        if let Some(items) = object.get("items").filter(|items| items.as_object().is_some()) {
            let mut items = self.node(items, depth + 1);
            items.required = true;
            node.items = Some(Box::new(items));
        }
        self.properties(&mut node, schema, depth);
        if let Some(parts) = object.get("allOf").and_then(Json::as_array) {
            for part in parts {
                let part = self.node(part, depth + 1);
                node.absorb(part);
            }
        }
        for key in ["anyOf", "oneOf"] {
            if let Some(alternatives) = object.get(key).and_then(Json::as_array) {
                let alternatives: Vec<Node> =
                    alternatives.iter().map(|part| self.node(part, depth + 1)).collect();
                node.choose(alternatives);
            }
        }
        if !node.open {
            self.welcome_parts(&mut node, schema);
        }
        if says_null(schema) {
            node.nullable = true;
            if !node.types.is_anything() {
                node.types.add("null");
            }
        }
        node
    }

    fn properties(&mut self, node: &mut Node, schema: &Json, depth: usize) {
        let Some(declared) = schema.get("properties").and_then(Json::as_object) else { return };
        let required: Vec<&str> = schema
            .get("required")
            .and_then(Json::as_array)
            .map(|names| names.iter().filter_map(Json::as_str).collect())
            .unwrap_or_default();
        for (name, schema) in declared.iter() {
            // Tables give all definitions the parameters of each, with nothing in them.
            if schema.is_null() {
                node.blanks.push(name.to_owned());
                continue;
            }
            let mut child = self.node(schema, depth + 1);
            child.name = fold_identifier(name);
            node.properties.push((name.to_owned(), child));
        }
        let names_unit =
            |node: &Node| words(&node.name).any(|word| matches!(word, "unit" | "units" | "system" | "scale"));
        if node.properties.iter().any(|(_, child)| names_unit(child)) {
            node.properties.iter_mut().for_each(|(_, child)| child.unit_beside = true);
        }
        node.properties.sort_by(|a, b| a.0.cmp(&b.0));
        node.properties.dedup_by(|a, b| a.0 == b.0);
        for name in required {
            match node.properties.binary_search_by(|(own, _)| own.as_str().cmp(name)) {
                Ok(at) => node.properties[at].1.required = true,
                Err(at) => {
                    let name = name.to_owned();
                    let child =
                        Node { open: true, required: true, name: fold_identifier(&name), ..Node::default() };
                    node.properties.insert(at, (name, child));
                }
            }
        }
        let said = |key: &str| schema.get(key).filter(|value| !value.is_null());
        let patterns = said("patternProperties").is_some();
        node.open = match said("additionalProperties") {
            // What the patterns do not take is left to the schema's finer rules.
            Some(Json::Bool(open)) => *open || patterns,
            Some(Json::Object(_)) => true,
            _ => node.properties.is_empty() || patterns,
        };
        // A top level that declares nothing takes nothing; a nested object without properties takes anything.
        if depth == 0 && node.properties.is_empty() && said("additionalProperties").is_none() {
            node.open = patterns;
        }
    }

    /// What a closed position's parts declare is welcome too.
    fn welcome_parts(&mut self, node: &mut Node, schema: &Json) {
        let is_open = self.parts(schema, 0, &mut node.elsewhere);
        node.open = is_open && schema.get("additionalProperties") != Some(&Json::Bool(false));
        let known = &node.properties;
        node.elsewhere.retain(|name| known.binary_search_by(|(own, _)| own.cmp(name)).is_err());
        node.elsewhere.sort_unstable();
        node.elsewhere.dedup();
        node.elsewhere.shrink_to_fit();
    }

    /// Adds the names of parameters that a schema's parts declare, its own properties aside, and says whether they may welcome any others.
    fn parts(&mut self, schema: &Json, depth: usize, names: &mut Vec<String>) -> bool {
        let Json::Object(object) = schema else { return false };
        self.parts += 1;
        if depth > MAX_DEPTH || self.parts > MAX_PARTS {
            return true;
        }
        let mut welcomes = false;
        for (key, value) in object.iter().filter(|(_, value)| !value.is_null()) {
            welcomes |= match key {
                "allOf" | "anyOf" | "oneOf" => {
                    let parts = value.as_array().unwrap_or_default();
                    // Every one, not only up to the first.
                    let found = parts.iter().map(|part| self.part(part, depth, names));
                    found.filter(|found| *found).count() > 0
                }
                "not" | "if" | "then" | "else" => self.part(value, depth, names),
                // It was followed.
                "$ref" if depth == 0 && object.get("properties").is_none() => false,
                "$ref" => match value.as_str().and_then(|path| target(self.root, path)) {
                    Some(target) => self.part(target, depth, names),
                    None => true,
                },
                "dependentRequired" | "dependentSchemas" | "dependencies" => {
                    let named = value.as_object().into_iter().flat_map(|named| named.iter());
                    named.fold(false, |any, (name, part)| {
                        self.name(name, names);
                        part.as_array().into_iter().flatten().for_each(|other| self.names(other, names));
                        self.part(part, depth, names) || any
                    })
                }
                "unevaluatedProperties" => !matches!(value, Json::Bool(false)),
                "propertyNames" | "$dynamicRef" | "$recursiveRef" => true,
                key if SAY_NOTHING.contains(&key) || key.starts_with("x-") => false,
                // What no draft knows may hold schemas.
                _ => holds_objects(value),
            };
        }
        welcomes
    }

    /// The same of a part, with its own properties.
    fn part(&mut self, schema: &Json, depth: usize, names: &mut Vec<String>) -> bool {
        let said = |key: &str| schema.get(key).filter(|value| !value.is_null());
        for (name, own) in said("properties").and_then(Json::as_object).into_iter().flat_map(|own| own.iter())
        {
            if !own.is_null() {
                self.name(name, names);
            }
        }
        said("required")
            .and_then(Json::as_array)
            .into_iter()
            .flatten()
            .for_each(|name| self.names(name, names));
        let is_open = !matches!(said("additionalProperties"), None | Some(Json::Bool(false)));
        self.parts(schema, depth + 1, names) || is_open || said("patternProperties").is_some()
    }

    fn names(&mut self, name: &Json, names: &mut Vec<String>) {
        name.as_str().into_iter().for_each(|name| self.name(name, names));
    }

    fn name(&mut self, name: &str, names: &mut Vec<String>) {
        self.parts += 1;
        names.push(name.to_owned());
    }

    /// Whether one more text can be held.
    fn has_room(&mut self, value: &Json) -> bool {
        self.text += length(value);
        self.text <= MAX_TEXT_BYTES
    }

    /// A reference into the same schema. What holds itself as a whole is left to the schema's finer rules: it would unfold to many positions.
    fn resolve(&self, path: &str) -> Option<&'a Json> {
        target(self.root, path).filter(|target| !std::ptr::eq(*target, self.root))
    }
}

/// Keywords that declare no parameters, or whose parameters are known.
const SAY_NOTHING: [&str; 18] = [
    "properties",
    "patternProperties",
    "additionalProperties",
    "items",
    "prefixItems",
    "additionalItems",
    "unevaluatedItems",
    "contains",
    "xml",
    "externalDocs",
    "$defs",
    "definitions",
    "default",
    "example",
    "examples",
    "enum",
    "const",
    "discriminator",
];

fn holds_objects(value: &Json) -> bool {
    match value {
        Json::Object(_) => true,
        Json::Array(items) => items.iter().any(holds_objects),
        _ => false,
    }
}

/// About how much room a value takes.
fn length(value: &Json) -> usize {
    match value {
        Json::String(text) => 16 + text.len(),
        Json::Array(items) => items.iter().map(length).sum(),
        Json::Object(entries) => entries.iter().map(|(key, value)| key.len() + length(value)).sum(),
        _ => 16,
    }
}

impl Node {
    /// Takes over what one part of `allOf` adds.
    fn absorb(&mut self, part: Node) {
        if self.types.is_anything() {
            self.types = part.types;
        }
        for (name, node) in part.properties {
            if let Err(at) = self.properties.binary_search_by(|(own, _)| own.cmp(&name)) {
                self.properties.insert(at, (name, node));
            }
        }
        self.items = self.items.take().or(part.items);
        self.choices.extend(part.choices);
        self.default = self.default.take().or(part.default);
        self.nullable |= part.nullable;
    }

    /// Takes over what all alternatives together allow; what only some allow is left to the schema's finer rules.
    fn choose(&mut self, alternatives: Vec<Node>) {
        let free = alternatives.iter().any(|node| node.types.is_anything() && node.choices.is_empty());
        if !free {
            let mut types = Types::default();
            for node in &alternatives {
                types.join(node.types);
                if node.types.is_anything() {
                    node.choices.iter().for_each(|choice| types.add(choice.value.type_name()));
                }
            }
            self.types = types;
        }
        self.nullable |= alternatives.iter().any(|node| node.nullable);
        let mut others = alternatives.into_iter().filter(|node| !node.types.is_null());
        let (Some(node), None) = (others.next(), others.next()) else { return };
        // `T or null`, as generated from optional fields.
        if self.properties.is_empty() {
            (self.properties, self.open) = (node.properties, node.open);
            self.elsewhere.extend(node.elsewhere);
        }
        self.items = self.items.take().or(node.items);
        if self.choices.is_empty() {
            self.choices = node.choices;
            if self.types.allows_null() && !self.choices.is_empty() {
                self.choices.push(Choice::new(&Json::Null));
            }
        }
    }
}

impl Choice {
    fn new(value: &Json) -> Choice {
        let folded = match value {
            Json::String(text) => fold_identifier(text),
            other => folded_of(other),
        };
        Choice { value: value.clone(), folded, plain: value.as_str().map(plain) }
    }
}

/// A set of JSON types; the empty set allows anything.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) struct Types(u8);

const NAMES: [&str; 7] = ["string", "integer", "number", "boolean", "array", "object", "null"];

impl Types {
    fn add(&mut self, name: &str) {
        if let Some(at) = NAMES.iter().position(|own| *own == name) {
            self.0 |= 1 << at;
        }
    }

    fn join(&mut self, other: Types) {
        self.0 |= other.0;
    }

    fn has(self, name: &str) -> bool {
        NAMES.iter().position(|own| *own == name).is_some_and(|at| self.0 & (1 << at) != 0)
    }

    pub(super) fn is_anything(self) -> bool {
        self.0 == 0
    }

    fn is_null(self) -> bool {
        self == Types(1 << 6)
    }

    fn allows_null(self) -> bool {
        self.has("null")
    }

    pub(super) fn allow(self, value: &Json) -> bool {
        if self.is_anything() {
            return true;
        }
        match value {
            Json::Number(number) => {
                self.has("number")
                    || (self.has("integer") && (number.is_integer() || number.as_f64().fract() == 0.0))
            }
            other => self.has(other.type_name()),
        }
    }

    /// For a sentence: `an integer or null`.
    pub(super) fn describe(self) -> String {
        let with_article = |name: &str| match name {
            "null" => name.to_owned(),
            "integer" | "array" | "object" => format!("an {name}"),
            _ => format!("a {name}"),
        };
        let names: Vec<String> =
            NAMES.iter().filter(|name| self.has(name)).map(|name| with_article(name)).collect();
        names.join(" or ")
    }
}
