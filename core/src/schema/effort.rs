//! Estimates the work of checking arguments against a schema, before it is done: definitions come from logs, and a few references
//! can unfold a small one to more than any machine holds.

use std::collections::HashMap;
use std::ops::ControlFlow;

use super::parts::{MAX_DEPTH, Obstacle, Onto, Part, has_old_bases, has_root_as_base, parts, resolve};
use crate::domain::{Json, Object};

/// Schemas met by values that are enough to check one call, for the call and for each part of its arguments: so a row takes no longer
/// than its length tells, however many calls it has.
const STEPS: [usize; 2] = [20_000, 100];
/// The most of them.
const MAX_STEPS: usize = 1_000_000;
/// The same below alternatives. Of each one that does not fit, the validator keeps an error of some two kilobytes.
const MAX_TRIES: usize = 20_000;
/// What a pattern costs beside the length of the text it is tried on.
const PATTERN: usize = 100;

/// What a schema unfolds to, whatever the value.
#[derive(Debug, Clone, Copy)]
pub(super) struct Extent {
    /// Schemas in it with all references unfolded; more than any count where they go round.
    schemas: usize,
    /// Whether a rule in it costs more than that tells.
    costly: bool,
}

impl Extent {
    /// Looks at every schema once, however often it is referred to.
    pub(super) fn of(schema: &Json) -> Result<Extent, Obstacle> {
        let mut survey = Survey { root: schema, has_old_bases: has_old_bases(schema), known: HashMap::new() };
        let (schemas, _) = survey.schema(schema, 0)?;
        Ok(Extent { schemas, costly: has_costly_rule(schema) })
    }

    /// Whether checking `arguments` against `schema`, whose extent this is, comes to an end soon.
    pub(super) fn allows(self, schema: &Json, arguments: &Json) -> bool {
        // Every unfolded schema meets every part of the arguments once at most.
        let parts = parts_of(arguments);
        let simple = !self.costly && self.schemas.saturating_mul(parts) <= MAX_TRIES;
        let most = STEPS[0].saturating_add(STEPS[1].saturating_mul(parts)).min(MAX_STEPS);
        simple
            || Effort { root: schema, most, steps: 0, tries: 0 }
                .schema(schema, arguments, At::default())
                .is_continue()
    }
}

/// Schemas by their address: how many they unfold to, and how deep. `None` while one is being looked at.
struct Survey<'a> {
    root: &'a Json,
    has_old_bases: bool,
    known: HashMap<*const Json, Option<(usize, usize)>>,
}

impl Survey<'_> {
    fn schema(&mut self, schema: &Json, depth: usize) -> Result<(usize, usize), Obstacle> {
        let Some(object) = schema.as_object() else { return Ok((1, 0)) };
        if depth > MAX_DEPTH {
            return Err(Obstacle::TooComplex);
        }
        match self.known.get(&std::ptr::from_ref(schema)) {
            Some(Some((_, height))) if depth + height > MAX_DEPTH => return Err(Obstacle::TooComplex),
            Some(Some(known)) => return Ok(*known),
            Some(None) => return Ok((usize::MAX, 0)),
            None => {}
        }
        self.known.insert(schema, None);
        let (mut schemas, mut height) = (1_usize, 0);
        for part in parts(object) {
            let part = match part.onto {
                Onto::Reference if self.has_old_bases => return Err(Obstacle::Reference("id".to_owned())),
                Onto::Reference => resolve(self.root, part.schema)?,
                _ => part.schema,
            };
            has_root_as_base(part)?;
            let (below, deep) = self.schema(part, depth + 1)?;
            schemas = schemas.saturating_add(below);
            height = height.max(deep + 1);
        }
        self.known.insert(schema, Some((schemas, height)));
        Ok((schemas, height))
    }
}

/// How a part of a schema is reached.
#[derive(Debug, Clone, Copy, Default)]
struct At {
    depth: usize,
    /// Below alternatives, of which each error is kept.
    tried: bool,
    /// Only asked whether the value fits: no error is kept.
    marking: bool,
}

/// Goes the way of the validator where everything has to be tried; stops where that takes too long.
struct Effort<'a> {
    root: &'a Json,
    most: usize,
    steps: usize,
    tries: usize,
}

impl Effort<'_> {
    fn schema(&mut self, schema: &Json, value: &Json, at: At) -> ControlFlow<()> {
        let Some(object) = schema.as_object() else { return self.spend(1, at) };
        self.spend(1 + own_cost(object, value), at)?;
        if at.depth > 2 * MAX_DEPTH {
            return ControlFlow::Break(());
        }
        let below = At { depth: at.depth + 1, ..at };
        for Part { onto, schema: part, .. } in parts(object) {
            match (onto, value) {
                (Onto::Same, _) => self.schema(part, value, below)?,
                (Onto::Try, _) => self.schema(part, value, At { tried: !at.marking, ..below })?,
                (Onto::Reference, _) => match resolve(self.root, part) {
                    Ok(target) => self.schema(target, value, below)?,
                    Err(_) => return ControlFlow::Break(()),
                },
                (Onto::Property(name), Json::Object(entries)) => {
                    self.spend(entries.len() / 64, at)?;
                    if let Some(value) = entries.get(name) {
                        self.schema(part, value, below)?;
                    }
                }
                (Onto::Item(place), Json::Array(items)) => {
                    if let Some(value) = items.get(place) {
                        self.schema(part, value, below)?;
                    }
                }
                (Onto::EveryProperty, Json::Object(entries)) => {
                    for value in entries.values() {
                        self.schema(part, value, below)?;
                    }
                }
                (Onto::EveryName, Json::Object(entries)) => {
                    for name in entries.keys() {
                        self.schema(part, &Json::from(name), below)?;
                    }
                }
                (Onto::EveryItem, Json::Array(items)) => {
                    for value in items {
                        self.schema(part, value, below)?;
                    }
                }
                _ => {}
            }
        }
        match value {
            Json::Object(_) if has(object, "unevaluatedProperties") => self.mark(object, value, below),
            Json::Array(_) if has(object, "unevaluatedItems") => self.mark(object, value, below),
            _ => ControlFlow::Continue(()),
        }
    }

    /// What `unevaluatedProperties` and `unevaluatedItems` leave alone is found by checking the value once more against every schema
    /// that may have looked at it, and by the same in each of these: beside what their own `unevaluated…` takes.
    fn mark(&mut self, schema: &Object, value: &Json, at: At) -> ControlFlow<()> {
        self.spend(1 + own_cost(schema, value) + members(value), at)?;
        if at.depth > 2 * MAX_DEPTH {
            return ControlFlow::Break(());
        }
        let below = At { depth: at.depth + 1, tried: false, marking: true };
        for Part { keyword, onto, schema: part, .. } in parts(schema) {
            let marks = match (keyword, onto) {
                (_, Onto::Reference) => match resolve(self.root, part) {
                    Ok(target) => target,
                    Err(_) => return ControlFlow::Break(()),
                },
                ("allOf" | "anyOf" | "oneOf" | "if", _) => {
                    self.schema(part, value, below)?;
                    part
                }
                ("then" | "else" | "dependentSchemas", _) => part,
                ("unevaluatedProperties", _) => {
                    for value in value.as_object().into_iter().flat_map(Object::values) {
                        self.schema(part, value, below)?;
                    }
                    continue;
                }
                ("unevaluatedItems" | "contains", _) => {
                    for value in value.as_array().unwrap_or_default() {
                        self.schema(part, value, below)?;
                    }
                    continue;
                }
                _ => continue,
            };
            if let Some(marks) = marks.as_object() {
                self.mark(marks, value, below)?;
            }
        }
        ControlFlow::Continue(())
    }

    fn spend(&mut self, steps: usize, at: At) -> ControlFlow<()> {
        self.steps = self.steps.saturating_add(steps);
        self.tries += usize::from(at.tried);
        if self.steps > self.most || self.tries > MAX_TRIES {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }
}

/// What a schema's rules cost that are not schemas again.
fn own_cost(schema: &Object, value: &Json) -> usize {
    let mut cost = 0;
    for (key, rule) in schema.iter() {
        cost += match (key, value) {
            ("pattern", Json::String(text)) => pattern_cost(rule.as_str().unwrap_or_default(), text),
            ("patternProperties", Json::Object(entries)) => {
                let patterns = || rule.as_object().into_iter().flat_map(Object::keys);
                let names =
                    entries.keys().map(|name| patterns().map(|p| pattern_cost(p, name)).sum::<usize>());
                names.sum()
            }
            ("enum" | "required", _) => rule.as_array().map_or(0, <[Json]>::len) / 8,
            _ => 0,
        };
    }
    cost
}

fn pattern_cost(pattern: &str, text: &str) -> usize {
    PATTERN + text.len().saturating_mul(pattern.len().min(1_000)) / 100
}

/// Whether a rule costs more than the number of schemas tells.
fn has_costly_rule(schema: &Json) -> bool {
    const COSTLY: [&str; 4] = ["pattern", "patternProperties", "unevaluatedProperties", "unevaluatedItems"];
    match schema {
        Json::Object(object) => {
            object.iter().any(|(key, value)| COSTLY.contains(&key) || has_costly_rule(value))
        }
        Json::Array(items) => items.iter().any(has_costly_rule),
        _ => false,
    }
}

fn has(schema: &Object, keyword: &str) -> bool {
    schema.get(keyword).is_some_and(|value| !value.is_null())
}

fn members(value: &Json) -> usize {
    match value {
        Json::Array(items) => items.len(),
        Json::Object(entries) => entries.len(),
        _ => 0,
    }
}

/// The parts of a value, itself included.
fn parts_of(value: &Json) -> usize {
    match value {
        Json::Array(items) => 1 + items.iter().map(parts_of).sum::<usize>(),
        Json::Object(entries) => 1 + entries.values().map(parts_of).sum::<usize>(),
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(text: &str) -> Json {
        Json::parse(text).unwrap()
    }

    /// `levels` definitions, each of which is `step` with the next one's reference for `@`.
    fn chain(levels: usize, step: &str) -> Json {
        let links: Vec<String> = (0..levels)
            .map(|i| {
                format!("\"n{i}\":{}", step.replace('@', &format!("{{\"$ref\":\"#/$defs/n{}\"}}", i + 1)))
            })
            .collect();
        json(&format!(
            r##"{{"properties":{{"a":{{"$ref":"#/$defs/n0"}}}},"$defs":{{{},"n{levels}":{{"type":"integer"}}}}}}"##,
            links.join(",")
        ))
    }

    fn told(schema: &Json, arguments: &str) -> &'static str {
        match Extent::of(schema) {
            Err(Obstacle::TooComplex) => "never",
            Err(Obstacle::Reference(_)) => "reference",
            Ok(extent) if extent.allows(schema, &json(arguments)) => "yes",
            Ok(_) => "no",
        }
    }

    #[test]
    fn what_unfolds_is_seen_before_it_is_unfolded() {
        let list = format!(r#"{{"a":[{}]}}"#, vec!["1"; 30_000].join(","));
        let long = format!(r#"{{"a":"{}"}}"#, "a".repeat(4_000_000));
        let strings = format!(r#"{{"a":[{}]}}"#, vec!["\"aaa\""; 20_000].join(","));
        for (schema, arguments, expected) in [
            (chain(8, r#"{"anyOf":[@,@]}"#), r#"{"a":1}"#, "yes"),
            (chain(60, r#"{"anyOf":[@,@]}"#), r#"{"a":1}"#, "no"),
            (chain(60, r#"{"allOf":[@,@]}"#), r#"{"a":1}"#, "no"),
            (chain(60, r#"{"not":@,"if":@}"#), r#"{"a":1}"#, "no"),
            (chain(60, r#"{"properties":{"x":@,"y":@}}"#), r#"{"a":{"x":1}}"#, "yes"),
            (chain(60, r#"{"patternProperties":{"x":@,"y":@}}"#), r#"{"a":{"x":{"y":1}}}"#, "yes"),
            // Nobody gave what would unfold.
            (chain(60, r#"{"anyOf":[@,@]}"#), "{}", "yes"),
            (chain(5_000, r#"{"allOf":[@]}"#), r#"{"a":1}"#, "never"),
            // A tree of what it is itself ends with the value; one that goes round without it does not.
            (
                json(r##"{"properties":{"a":{"$ref":"#"},"b":{"$ref":"#"}}}"##),
                r#"{"a":{"b":{"a":{}}}}"#,
                "yes",
            ),
            (json(r##"{"properties":{"a":{"$ref":"#/properties/a"}}}"##), r#"{"a":1}"#, "no"),
            // As many steps as would not matter below a longer value.
            (chain(15, r#"{"dependentSchemas":{"b":@,"c":@}}"#), r#"{"a":{"b":1}}"#, "no"),
            (chain(10, r#"{"dependentSchemas":{"b":@,"c":@}}"#), r#"{"a":{"b":1}}"#, "yes"),
            (json(r##"{"properties":{"a":{"items":{"type":"integer","minimum":0}}}}"##), &list, "yes"),
            (json(r##"{"properties":{"a":{"items":{"anyOf":[{"minimum":0}]}}}}"##), &list, "no"),
            (json(r##"{"properties":{"a":{"pattern":"^(a+)+$"}}}"##), r#"{"a":"aaaa"}"#, "yes"),
            (json(r##"{"properties":{"a":{"pattern":"^[a-z]*a[a-z]{100}b[a-z]{200}$"}}}"##), &long, "no"),
            (json(r##"{"properties":{"a":{"items":{"pattern":"^(a+)+$"}}}}"##), &strings, "no"),
            (json(r##"{"properties":{"a":{"$ref":"#here"}}}"##), r#"{"a":1}"#, "reference"),
            (json(r##"{"properties":{"a":{"$dynamicRef":"#here"}}}"##), r#"{"a":1}"#, "reference"),
            (json(r##"{"properties":{"a":{"$id":"b","$ref":"#/b"}}}"##), r#"{"a":1}"#, "reference"),
            (
                json(r##"{"properties":{"a":{"$ref":"#/$defs/a%20b"}},"$defs":{"a b":{}}}"##),
                r#"{"a":1}"#,
                "yes",
            ),
        ] {
            let head: String = schema.to_string().chars().take(120).collect();
            assert_eq!(told(&schema, arguments), expected, "{head}");
        }
        // Each level of what is told apart looks at all below it once more, even where the value has no part.
        let many: Vec<String> = (0..30).map(|i| format!("\"p{i}\":1")).collect();
        for (levels, arguments, expected) in [
            (4, "{}".to_owned(), "yes"),
            (4, format!("{{{}}}", many.join(",")), "yes"),
            (14, format!("{{{}}}", many.join(",")), "no"),
            (20, "{}".to_owned(), "no"),
        ] {
            let mut nested = json(r#"{"properties":{"z":{}},"unevaluatedProperties":true}"#);
            for _ in 0..levels {
                nested = json(&format!(r#"{{"allOf":[{nested}],"unevaluatedProperties":true}}"#));
            }
            assert_eq!(told(&nested, &arguments), expected, "{levels} levels, {arguments}");
        }
        let step = r#"{"allOf":[@],"unevaluatedItems":{"type":"object"}}"#;
        assert_eq!(told(&chain(20, step), r#"{"a":[]}"#), "no");
    }

    /// In the oldest draft a part may have a base of its own without saying so by a keyword of the later ones.
    #[test]
    fn references_below_another_base_are_not_followed() {
        for (schema, expected) in [
            (
                r##"{"properties":{"a":{"$ref":"#/$defs/a/$defs/b"}},"$defs":{"a":{"$id":"a","$defs":{"b":{}}}}}"##,
                "reference",
            ),
            (
                r##"{"$schema":"http://json-schema.org/draft-04/schema#","properties":{"a":{"id":"a","$ref":"#"}}}"##,
                "reference",
            ),
            (
                r##"{"$schema":"http://json-schema.org/draft-04/schema#","properties":{"a":{"id":"/a"}}}"##,
                "yes",
            ),
            (r##"{"properties":{"a":{"id":"a","$ref":"#/$defs/b"}},"$defs":{"b":{}}}"##, "yes"),
            (r##"{"properties":{"a":{"$ref":null}}}"##, "yes"),
        ] {
            assert_eq!(told(&json(schema), r#"{"a":1}"#), expected, "{schema}");
        }
    }
}
