//! What a schema allows in the end: references followed, alternatives told apart, and each asked for kinds of values.

use std::cell::Cell;
use std::sync::LazyLock;

use super::nulls::says_null;
use super::parts::target;
use crate::domain::{Json, Object};

/// Values, references and alternatives within each other that are followed.
const MAX_DEPTH: usize = 32;
/// Schemas that are looked at for one call: references could unfold to any number of them.
const MAX_STEPS: usize = 10_000;
/// Alternatives that are told apart where those of two schemas multiply.
const MANY: usize = 64;
/// The same of one list: the names of all time zones are some hundred.
const MANY_ALONE: usize = 2_000;
/// The types that JSON Schema knows. Another name says nothing.
const TYPES: [&str; 7] = ["array", "boolean", "integer", "null", "number", "object", "string"];

/// A kind of values that a schema may take or not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Null,
    Text,
    Array,
    Object,
}

impl Kind {
    /// The type's name.
    fn name(self) -> &'static str {
        match self {
            Kind::Null => "null",
            Kind::Text => "string",
            Kind::Array => "array",
            Kind::Object => "object",
        }
    }

    fn holds(self, value: &Json) -> bool {
        match self {
            Kind::Null => value.is_null(),
            Kind::Text => value.as_str().is_some(),
            Kind::Array => value.as_array().is_some(),
            Kind::Object => value.as_object().is_some(),
        }
    }
}

/// What takes null and nothing else.
static NULL: LazyLock<Json> = LazyLock::new(|| {
    let mut schema = Object::new();
    schema.insert("type", "null");
    Json::Object(schema)
});

/// The work that may still be done.
pub(crate) struct Effort {
    steps: Cell<usize>,
    /// Whether something was left out because it was too much.
    is_cut: Cell<bool>,
}

impl Default for Effort {
    fn default() -> Effort {
        Effort { steps: Cell::new(MAX_STEPS), is_cut: Cell::new(false) }
    }
}

/// A place in a tool's schema.
#[derive(Clone, Copy)]
pub(crate) struct Walk<'a, 'e> {
    /// The whole schema, which references are about.
    root: &'a Json,
    effort: &'e Effort,
    depth: usize,
}

impl<'a, 'e> Walk<'a, 'e> {
    pub(crate) fn new(root: &'a Json, effort: &'e Effort) -> Walk<'a, 'e> {
        Walk { root, effort, depth: 0 }
    }

    /// One step further in; `None` where it has been far enough.
    pub(crate) fn step(self) -> Option<Self> {
        let left = self.effort.steps.get().checked_sub(1).filter(|_| self.depth < MAX_DEPTH);
        match left {
            Some(left) => self.effort.steps.set(left),
            None => self.effort.is_cut.set(true),
        }
        left.map(|_| Walk { depth: self.depth + 1, ..self })
    }

    /// The work of asking all of `alternatives` is done: little where they are not many. `None` where it has been enough.
    pub(crate) fn asked(self, alternatives: &[Vec<&'a Json>]) -> Option<()> {
        let left = self.effort.steps.get().checked_sub(alternatives.len() / MANY);
        self.effort.steps.set(left.unwrap_or(0));
        left.map(|_| ())
    }

    /// What a value may be by a schema: for each alternative, the schemas that hold together.
    pub(crate) fn alternatives(self, schema: &'a Json) -> Vec<Vec<&'a Json>> {
        let Some(inner) = self.step() else { return Vec::new() };
        let mut found = vec![vec![schema]];
        for part in inner.referred(schema).into_iter().chain(list(schema, "allOf")) {
            found = inner.joined(&found, &inner.alternatives(part));
        }
        for key in ["anyOf", "oneOf"] {
            if list(schema, key).next().is_some() {
                let choices: Vec<_> =
                    list(schema, key).flat_map(|choice| inner.alternatives(choice)).collect();
                found = inner.joined(&found, &choices);
            }
        }
        let is_alone = matches!(&found[..], [together] if together.len() == 1);
        if !is_alone && says_null(schema) {
            // Whatever stands beside it.
            found.push(vec![&*NULL]);
        }
        found
    }

    /// The same; `None` where there are too many to know them all.
    pub(crate) fn all_alternatives(self, schema: &'a Json) -> Option<Vec<Vec<&'a Json>>> {
        let before = self.effort.is_cut.replace(false);
        let found = self.alternatives(schema);
        let is_cut = self.effort.is_cut.get();
        self.effort.is_cut.set(before || is_cut);
        (!is_cut).then_some(found)
    }

    /// Whether a schema takes some value of a kind; `None` where that cannot be told.
    pub(crate) fn takes(self, schema: &'a Json, kind: Kind) -> Option<bool> {
        let before = self.effort.is_cut.replace(false);
        let found = self.alternatives(schema);
        let mut is_sure = !self.effort.is_cut.get();
        let mut takes = false;
        for together in found {
            match self.take(&together, kind) {
                Some(true) => takes = true,
                Some(false) => {}
                None => is_sure = false,
            }
        }
        self.effort.is_cut.set(before || self.effort.is_cut.get());
        match takes {
            true => Some(true),
            false => is_sure.then_some(false),
        }
    }

    /// Whether schemas that hold `together`, which are an alternative, take some value of a kind.
    pub(crate) fn take(self, together: &[&'a Json], kind: Kind) -> Option<bool> {
        let mut is_sure = true;
        for &schema in together {
            match self.allows(schema, kind) {
                Some(true) => {}
                Some(false) => return Some(false),
                None => is_sure = false,
            }
        }
        is_sure.then_some(true)
    }

    /// What a schema says of a kind itself, its references and alternatives aside.
    fn allows(self, schema: &'a Json, kind: Kind) -> Option<bool> {
        match schema {
            Json::Bool(any) => return Some(*any),
            Json::Object(_) => {}
            _ => return None,
        }
        let types = || list(schema, "type").chain(schema.get("type")).filter_map(Json::as_str);
        let listed = schema.get("enum").and_then(Json::as_array);
        if kind == Kind::Null && says_null(schema) {
            return Some(true);
        }
        let is_of_others = types().next().is_some()
            && types().all(|name| name != kind.name() && TYPES.contains(&name))
            || listed.is_some_and(|values| !values.iter().any(|value| kind.holds(value)))
            || schema.get("const").is_some_and(|only| !kind.holds(only));
        if is_of_others {
            return Some(false);
        }
        if let Some(not) = schema.get("not") {
            // There is one null only: what takes it excludes it.
            let excludes = match kind {
                Kind::Null => self.step()?.takes(not, kind)?,
                _ => excludes_all(not, kind),
            };
            if excludes {
                return Some(false);
            }
        }
        if let Some(condition) = schema.get("if").filter(|_| kind == Kind::Null) {
            let inner = self.step()?;
            let branch = if inner.takes(condition, kind)? { "then" } else { "else" };
            if let Some(branch) = schema.get(branch)
                && inner.takes(branch, kind) != Some(true)
            {
                return inner.takes(branch, kind);
            }
        }
        (schema.get("$ref").is_none() || self.referred(schema).is_some()).then_some(true)
    }

    /// The schema that another one refers to, in the same tool.
    fn referred(self, schema: &Json) -> Option<&'a Json> {
        target(self.root, schema.get("$ref")?.as_str()?)
    }

    /// Each of `one` together with each of `other`; none where these are too many.
    fn joined(self, one: &[Vec<&'a Json>], other: &[Vec<&'a Json>]) -> Vec<Vec<&'a Json>> {
        let most = if one.len().min(other.len()) > 1 { MANY } else { MANY_ALONE };
        if one.len() * other.len() > most {
            self.effort.is_cut.set(true);
            return Vec::new();
        }
        one.iter().flat_map(|one| other.iter().map(|other| [one.as_slice(), other].concat())).collect()
    }

    /// What the alternatives of one place come to at a place within it, `child` being what a schema says of that. `None` where anything
    /// may stand there.
    pub(crate) fn within(
        self,
        alternatives: &[Vec<&'a Json>],
        kind: Kind,
        child: impl Fn(&'a Json) -> Child<'a>,
    ) -> Option<Vec<Vec<&'a Json>>> {
        let inner = self.step()?;
        inner.asked(alternatives)?;
        let mut found = Vec::new();
        for together in alternatives {
            if inner.take(together, kind) == Some(false) {
                continue;
            }
            let mut here: Option<Vec<Vec<&'a Json>>> = None;
            for &schema in together {
                let of_child = match child(schema) {
                    Child::Anything => continue,
                    Child::Unknown => return None,
                    Child::Schema(schema) => inner.all_alternatives(schema)?,
                };
                here = Some(match here {
                    None => of_child,
                    Some(before) => inner.joined(&before, &of_child),
                });
            }
            found.extend(here.filter(|here| !here.is_empty())?);
        }
        Some(found)
    }
}

/// What a schema says of a place within its value.
pub(crate) enum Child<'a> {
    /// Nothing.
    Anything,
    /// More than is followed here.
    Unknown,
    Schema(&'a Json),
}

/// Whether what is not to be takes all values of a kind, as far as that is plain.
fn excludes_all(not: &Json, kind: Kind) -> bool {
    let words = || list(not, "type").chain(not.get("type")).filter_map(Json::as_str);
    match not {
        Json::Bool(any) => *any,
        Json::Object(object) => {
            object.keys().all(|key| key == "type")
                && (object.is_empty() || words().any(|name| name == kind.name()))
        }
        _ => false,
    }
}

pub(crate) fn list<'a>(schema: &'a Json, key: &str) -> impl Iterator<Item = &'a Json> {
    schema.get(key).and_then(Json::as_array).into_iter().flatten()
}

pub(crate) fn property<'a>(schema: &'a Json, name: &str) -> Option<&'a Json> {
    schema.get("properties")?.get(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_that_schemas_take() {
        const YES: Option<bool> = Some(true);
        const NO: Option<bool> = Some(false);
        const UNKNOWN: Option<bool> = None;
        for (schema, null, text) in [
            ("true", YES, YES),
            ("false", NO, NO),
            ("{}", YES, YES),
            (r#"{"description":"d"}"#, YES, YES),
            (r#"{"type":"string"}"#, NO, YES),
            (r#"{"type":"integer"}"#, NO, NO),
            (r#"{"type":["integer","null"]}"#, YES, NO),
            (r#"{"type":"integer","nullable":true}"#, YES, NO),
            // No type of JSON Schema.
            (r#"{"type":"money"}"#, YES, YES),
            (r#"{"enum":[2,3]}"#, NO, NO),
            (r#"{"enum":[2,null]}"#, YES, NO),
            (r#"{"enum":[2,"two"]}"#, NO, YES),
            (r#"{"const":null}"#, YES, NO),
            (r#"{"const":"a"}"#, NO, YES),
            (r#"{"type":"string","enum":[2]}"#, NO, NO),
            (r#"{"anyOf":[{"type":"integer"},{"type":"null"}]}"#, YES, NO),
            (r#"{"oneOf":[{"type":"integer"},{"type":"string"}]}"#, NO, YES),
            (r#"{"anyOf":[{"type":"integer"},{"description":"d"}]}"#, YES, YES),
            (r#"{"allOf":[{"description":"d"},{"type":"integer"}]}"#, NO, NO),
            (r#"{"allOf":[{"type":["string","null"]},{"maxLength":5}]}"#, YES, YES),
            (r#"{"type":"integer","anyOf":[{"minimum":1},{"maximum":-1}]}"#, NO, NO),
            (r#"{"not":{"type":"string"}}"#, YES, NO),
            (r#"{"not":{"type":"null"}}"#, NO, YES),
            (r#"{"not":{"enum":["a"]}}"#, YES, YES),
            (r#"{"not":{}}"#, NO, NO),
            (r#"{"not":{"not":{"type":"null"}}}"#, YES, YES),
            (r#"{"if":{"type":"null"},"then":false}"#, NO, YES),
            (r#"{"if":{"type":"string"},"else":{"type":"null"}}"#, YES, YES),
            (r##"{"$ref":"#/$defs/n"}"##, YES, NO),
            (r##"{"$ref":"#/$defs/n","description":"d"}"##, YES, NO),
            (r##"{"$ref":"#/$defs/ring"}"##, UNKNOWN, UNKNOWN),
            (r##"{"anyOf":[{"$ref":"#/$defs/ring"},{"type":"null"}]}"##, YES, UNKNOWN),
            (r#"{"$ref":"other.json"}"#, UNKNOWN, UNKNOWN),
            (r#"{"type":"integer","$ref":"other.json"}"#, NO, NO),
            (r##"{"nullable":true,"$ref":"#/$defs/text"}"##, YES, YES),
            (r##"{"nullable":true,"allOf":[{"$ref":"#/$defs/count"}]}"##, YES, NO),
            (r#"{"nullable":true,"anyOf":[{"type":"integer"},{"type":"boolean"}]}"#, YES, NO),
            (r##"{"type":["integer","null"],"$ref":"#/$defs/count"}"##, YES, NO),
            (r##"{"nullable":true,"$ref":"other.json"}"##, YES, UNKNOWN),
            (r##"{"$ref":"#/$defs/a%20b"}"##, YES, NO),
            (r##"{"$ref":"#/$defs/a b/anyOf/1"}"##, YES, NO),
            ("null", UNKNOWN, UNKNOWN),
        ] {
            let root = r##"{"$defs":{"n":{"type":["integer","null"]},"ring":{"$ref":"#/$defs/ring"},"text":{"type":"string"},
                "count":{"type":"integer"},"a b":{"anyOf":[{"type":"integer"},{"type":"null"}]}}}"##;
            let (root, read) = (Json::parse(root).unwrap(), Json::parse(schema).unwrap());
            let found = |kind| Walk::new(&root, &Effort::default()).takes(&read, kind);
            assert_eq!((found(Kind::Null), found(Kind::Text)), (null, text), "{schema}");
        }
    }

    /// Literal unions of countries, currencies and time zones are long.
    #[test]
    fn long_lists_are_no_products() {
        for (count, null) in [(70, Some(true)), (700, Some(true)), (5_000, None)] {
            let values: Vec<String> = (0..count).map(|at| format!(r#"{{"const":"C{at}"}}"#)).collect();
            let schema = format!(r#"{{"anyOf":[{},{{"type":"null"}}]}}"#, values.join(","));
            let schema = Json::parse(&schema).unwrap();
            assert_eq!(Walk::new(&schema, &Effort::default()).takes(&schema, Kind::Null), null, "{count}");
        }
        let choice =
            |key: &str| (0..70).map(|at| format!(r#"{{"const":"{key}{at}"}}"#)).collect::<Vec<_>>().join(",");
        let schema = format!(r#"{{"anyOf":[{}],"oneOf":[{}]}}"#, choice("a"), choice("b"));
        let schema = Json::parse(&schema).unwrap();
        assert_eq!(Walk::new(&schema, &Effort::default()).takes(&schema, Kind::Null), None);
    }
}
