//! A call's arguments against the definition's schema.

use std::borrow::Cow;

use super::node::Node;
use super::observation::{Observation, Place, step};
use super::toolbox::{Rules, Tool};
use crate::domain::{Json, Object};
use crate::reading::words::fold;
use crate::schema::{Breach, SchemaError, Unusable, plain};

/// How values are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dialect {
    /// As JSON values.
    Json,
    /// As source text of a programming language, where `"5L"` is a number and `"new int[]{1}"` an array: the question or the
    /// definitions say that code is called.
    Source,
}

/// Observations of one call that are enough; a hostile one could have thousands.
const MAX_OBSERVATIONS: usize = 50;
/// Bytes of a text that may spell a value.
const MAX_SPELLED: usize = 10_000;

/// What is wrong with the arguments of call number `call`.
pub(super) fn check(
    tool: &Tool,
    arguments: &Object,
    call: usize,
    dialect: Dialect,
    observations: &mut Vec<Observation>,
) {
    let mut walk = Walk { call, dialect, limit: observations.len() + MAX_OBSERVATIONS, observations };
    walk.object(&tool.root, arguments, "");
    if !tool.complete {
        return observations.push(Observation::TooComplex { tool: tool.name.clone() });
    }
    let Some(rules) = tool.rules() else { return };
    let errors = match certain(rules, tool, arguments, dialect) {
        Ok(errors) => errors,
        Err(Unusable::TooComplex) => {
            return observations.push(Observation::TooComplex { tool: tool.name.clone() });
        }
        Err(Unusable::Broken(reason)) => {
            return observations.push(Observation::UnusableSchema { tool: tool.name.clone(), reason });
        }
    };
    for error in errors.into_iter().filter(|error| !is_tolerated(error, tool, arguments, dialect)) {
        let observation = match error.breach {
            Breach::Missing(name) => {
                Observation::MissingParameter { at: Place { call, path: step(&error.pointer, &name) } }
            }
            _ => Observation::BrokenRule { at: Place { call, path: error.pointer }, rule: error.message },
        };
        if !observations.iter().any(|other| other.place() == observation.place()) {
            observations.push(observation);
        }
    }
}

/// What the arguments break as they stand and as people read them, whether null stands for what was not passed or for itself. Many agents
/// write out the optional parameters they leave empty.
fn certain(
    rules: &Rules,
    tool: &Tool,
    arguments: &Object,
    dialect: Dialect,
) -> Result<Vec<SchemaError>, Unusable> {
    let given = Json::Object(arguments.clone());
    let mut errors = rules.errors(&given, MAX_OBSERVATIONS)?;
    if errors.is_empty() {
        return Ok(errors);
    }
    let read = as_read(&tool.root, &given, dialect);
    if read != given {
        let still = rules.errors(&read, MAX_OBSERVATIONS)?;
        errors.retain(|error| {
            still.iter().any(|other| match error.breach {
                Breach::Missing(_) => other == error,
                _ => other.pointer == error.pointer,
            })
        });
    }
    if errors.is_empty() || !has_nulls(&given) {
        return Ok(errors);
    }
    let without = rules.errors(&without_nulls(&read), MAX_OBSERVATIONS)?;
    errors.retain(|error| {
        let is_null = arguments.at(&error.pointer).is_some_and(Json::is_null);
        without.iter().any(|other| match (&error.breach, &other.breach) {
            (Breach::Missing(_), _) => other == error,
            // A null that does not fit was left out, and must not be.
            (_, Breach::Missing(name)) if is_null => step(&other.pointer, name) == error.pointer,
            _ => other.pointer == error.pointer,
        })
    });
    Ok(errors)
}

/// A value as the walk reads it: letter case and blanks of an allowed value as the definition has them, and of source text what it spells.
fn as_read(node: &Node, value: &Json, dialect: Dialect) -> Json {
    match value {
        Json::String(text) => {
            let plain = Some(plain(text));
            // Of `m` and `M`, each is what it is.
            let is_choice = node.choices.iter().any(|choice| choice.value == *value);
            let chosen = node.choices.iter().find(|choice| !is_choice && choice.plain == plain);
            let chosen = chosen.map(|choice| &choice.value);
            let spelled =
                || (dialect == Dialect::Source && !node.types.allow(value)).then(|| spelled(text)).flatten();
            chosen.cloned().or_else(spelled).unwrap_or_else(|| value.clone())
        }
        Json::Array(items) => match &node.items {
            Some(node) => Json::Array(items.iter().map(|item| as_read(node, item, dialect)).collect()),
            None => value.clone(),
        },
        Json::Object(members) => {
            let read = |(name, member): (&str, &Json)| {
                let child = node.property(name);
                (name.to_owned(), child.map_or_else(|| member.clone(), |node| as_read(node, member, dialect)))
            };
            Json::Object(members.iter().map(read).collect())
        }
        other => other.clone(),
    }
}

/// Whether a member of an object is null.
fn has_nulls(value: &Json) -> bool {
    match value {
        Json::Object(members) => members.values().any(|member| member.is_null() || has_nulls(member)),
        Json::Array(items) => items.iter().any(has_nulls),
        _ => false,
    }
}

fn without_nulls(value: &Json) -> Json {
    match value {
        Json::Object(members) => {
            let present = members.iter().filter(|(_, member)| !member.is_null());
            Json::Object(present.map(|(name, member)| (name.to_owned(), without_nulls(member))).collect())
        }
        Json::Array(items) => Json::Array(items.iter().map(without_nulls).collect()),
        other => other.clone(),
    }
}

/// Whether a breach is none for who reads values as people write them, as the walk does.
fn is_tolerated(error: &SchemaError, tool: &Tool, arguments: &Object, dialect: Dialect) -> bool {
    match &error.breach {
        // Arguments are an object, whatever their definition calls them.
        Breach::Type if error.pointer.is_empty() => true,
        // The source text of a value.
        Breach::Type | Breach::Alternatives => {
            dialect == Dialect::Source
                && arguments.at(&error.pointer).is_some_and(|value| value.as_str().is_some())
        }
        Breach::Choice { is_slight } => *is_slight,
        // Where names are known, the walk has looked at them; and what one part of a definition closes, another may declare. A condition
        // closes what the rest declares, and means it.
        Breach::Additional { names, by_condition } => tool.root.at(&error.pointer).is_some_and(|node| {
            !node.open || !by_condition && names.iter().all(|name| node.property(name).is_some())
        }),
        Breach::Missing(_) | Breach::Finer => false,
    }
}

struct Walk<'a> {
    call: usize,
    dialect: Dialect,
    limit: usize,
    observations: &'a mut Vec<Observation>,
}

impl Walk<'_> {
    fn object(&mut self, node: &Node, object: &Object, path: &str) {
        for (name, _) in node.properties.iter().filter(|(_, node)| node.required) {
            if !object.contains_key(name) {
                let at = self.place(step(path, name));
                self.push(Observation::MissingParameter { at });
            }
        }
        for (name, value) in object.iter() {
            match node.property(name) {
                Some(child) => self.value(child, value, step(path, name)),
                None if node.open || node.elsewhere.iter().any(|other| other == name) => {}
                // What a table pads in definitions it pads in arguments.
                None if value.is_null() && node.blanks.iter().any(|blank| blank == name) => {}
                None => {
                    let at = self.place(step(path, name));
                    self.push(Observation::UnknownParameter { at });
                }
            }
        }
    }

    fn value(&mut self, node: &Node, value: &Json, path: String) {
        // Many agents write out the optional parameters they leave empty.
        if value.is_null() && !node.required {
            return;
        }
        if !node.types.allow(value) {
            let (expected, actual) = (node.types.describe(), value.type_name());
            let at = self.place(path);
            return match value {
                Json::String(text) if spells(node, text) => match self.dialect {
                    Dialect::Source => {}
                    Dialect::Json => {
                        self.push(Observation::LooseType { at, expected, given: value.to_string() });
                    }
                },
                Json::Number(_) | Json::Bool(_) if node.types.allow(&Json::String(String::new())) => {
                    self.push(Observation::LooseType { at, expected, given: value.to_string() });
                }
                _ => self.push(Observation::WrongType { at, expected, actual }),
            };
        }
        if self.dialect == Dialect::Source
            && !node.types.is_anything()
            && value.as_str().is_some_and(makes_a_list)
        {
            let lists =
                node.types.allow(&Json::Array(Vec::new())) || node.types.allow(&Json::Object(Object::new()));
            if !lists {
                let (expected, at) = (node.types.describe(), self.place(path));
                return self.push(Observation::WrongType { at, expected, actual: "array" });
            }
        }
        let is_free = node.choices.is_empty() || (node.nullable && value.is_null());
        if !is_free && !is_chosen(node, value) {
            let at = self.place(path.clone());
            self.push(Observation::NotAllowed { at, value: text_of(value).into_owned() });
        }
        match value {
            Json::Array(items) => {
                if let Some(node) = &node.items {
                    for (i, item) in items.iter().enumerate() {
                        if self.observations.len() >= self.limit {
                            return;
                        }
                        self.value(node, item, format!("{path}/{i}"));
                    }
                }
            }
            Json::Object(object) => self.object(node, object, &path),
            _ => {}
        }
    }

    fn place(&self, path: String) -> Place {
        Place { call: self.call, path }
    }

    fn push(&mut self, observation: Observation) {
        if self.observations.len() < self.limit {
            self.observations.push(observation);
        }
    }
}

/// A value as a text for people.
pub(super) fn text_of(value: &Json) -> Cow<'_, str> {
    match value {
        Json::String(text) => Cow::Borrowed(text),
        Json::Number(number) => Cow::Borrowed(number.as_str()),
        other => Cow::Owned(other.to_string()),
    }
}

/// A value as a text to compare, which is the same for equal numbers: a table makes `4.0` of a `4` where another row has none.
pub(super) fn plain_of(value: &Json) -> Cow<'_, str> {
    match value {
        Json::Number(number) => number.plain(),
        other => text_of(other),
    }
}

/// That text folded.
pub(super) fn folded_of(value: &Json) -> String {
    fold(&plain_of(value))
}

/// Whether it is one of the allowed values; letter case and white space at the ends do not make another value.
fn is_chosen(node: &Node, value: &Json) -> bool {
    match value {
        Json::String(text) => {
            let plain = Some(plain(text));
            node.choices.iter().any(|choice| choice.plain == plain)
        }
        other => node.choices.iter().any(|choice| choice.value.is_equivalent(other)),
    }
}

/// Whether source text makes a list of what stands in it.
fn makes_a_list(text: &str) -> bool {
    ["new ArrayList<", "Arrays.asList(", "List.of("].iter().any(|start| text.trim_start().starts_with(start))
}

/// The value that a text spells, as JSON or as a number or a truth value of Java or JavaScript.
fn spelled(text: &str) -> Option<Json> {
    let text = text.trim();
    if text.is_empty() || text.len() > MAX_SPELLED {
        return None;
    }
    let number = text.trim_end_matches(['L', 'l', 'f', 'F', 'd', 'D', 'n']);
    let parsed = Json::parse(text).or_else(|_| Json::parse(&text.to_lowercase()));
    parsed.or_else(|_| Json::parse(number)).ok()
}

/// Whether a text spells a value of a type the node allows, as JSON or as source text of Java or JavaScript.
fn spells(node: &Node, text: &str) -> bool {
    let text = text.trim();
    if let Some(value) = spelled(text) {
        return node.types.allow(&value);
    }
    if text.is_empty() || text.len() > MAX_SPELLED {
        return false;
    }
    let is_list = ["[", "{", "new ", "Arrays.", "List.", "Set.", "Map.", "Collections.", "("];
    (node.types.allow(&Json::Array(Vec::new())) || node.types.allow(&Json::Object(Object::new())))
        && is_list.iter().any(|start| text.starts_with(start))
}
