//! Estimates the memory for compiling a schema, before it is compiled. The validator compiles a schema once for each place where
//! it occurs, and below `unevaluatedProperties` and `unevaluatedItems` once for each path that leads there: a few lines can have
//! more paths than fit into any memory.

use std::collections::{HashMap, HashSet, VecDeque};
use std::ops::ControlFlow;

use super::parts::{MAX_DEPTH, Obstacle, Onto, Part, Step, parts, resolve};
use super::text::Text;
use crate::domain::{Json, Object};

/// The most bytes that a compiled schema may take: a fixed part, and three times what large ordinary schemas take per byte of their text.
const MAX_BYTES: usize = 4 << 20;
const MAX_BYTES_PER_BYTE: usize = 100;
/// The same for a schema that evaluates itself: its parts refer to each other, and the validator never frees them.
const MAX_UNFREED_BYTES: usize = 128 << 10;

// What was measured of a compiled schema, each of its keywords, and one that says what it evaluates, beside their places.
const NODE: usize = 400;
const KEYWORD: usize = 250;
const EVALUATED: usize = 700;
/// Time counts as the bytes that are compiled in it.
const LOOK: usize = 60;

/// References within references that the validator compiles before it puts one off, which is one of its constants.
const MAX_NESTED_REFERENCES: usize = 8;
/// How far the validator looks for what tells alternatives apart, which is one of its constants.
const MAX_PIN_DEPTH: usize = 16;

/// What a schema becomes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Compiled {
    /// About how many bytes.
    pub bytes: usize,
    /// Those of its text.
    pub text: usize,
}

/// Follows the validator's compiler, and stops as soon as the bound is exceeded.
pub(super) fn compiled(schema: &Json) -> Result<Compiled, Obstacle> {
    let text = Text::of(schema);
    let own_name = ["$id", "id"].iter().filter_map(|key| schema.get(key)?.as_str()).map(str::len).sum();
    let mut compilation = Compilation {
        root: schema,
        limit: MAX_BYTES.saturating_add(text.bytes.saturating_mul(MAX_BYTES_PER_BYTE)),
        bytes: 0,
        depth: 0,
        nested: 0,
        targets: HashMap::new(),
        compiled: HashSet::new(),
        put_off: VecDeque::new(),
        places: HashMap::new(),
        nodes: HashSet::new(),
        open: HashMap::new(),
    };
    // Every base is kept with all it is relative to, and every part of another draft is copied out of what holds it.
    let bases = text.bases.saturating_mul(text.base_bytes);
    let drafts = text.drafts.saturating_sub(1).saturating_mul(text.bytes);
    match compilation.spend(bases.saturating_add(drafts)).is_continue()
        && compilation.everything(schema, own_name).is_continue()
    {
        true => Ok(Compiled { bytes: compilation.bytes, text: text.bytes }),
        false => Err(Obstacle::TooComplex),
    }
}

/// What a set of validators tells of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Evaluates {
    Properties,
    Items,
}

/// Where a schema is met: a number, and the length of its pointer.
#[derive(Debug, Clone, Copy)]
struct Place {
    number: usize,
    length: usize,
}

struct Compilation<'a> {
    root: &'a Json,
    limit: usize,
    bytes: usize,
    depth: usize,
    /// References that are being compiled within each other.
    nested: usize,
    /// Where references lead, and which of these targets are compiled.
    targets: HashMap<&'a str, Option<&'a Json>>,
    compiled: HashSet<&'a str>,
    put_off: VecDeque<(&'a Json, Place)>,
    places: HashMap<(usize, Step<'a>), Place>,
    /// Schemas compiled, by their address and place.
    nodes: HashSet<(*const Json, usize)>,
    /// What is being looked at for what it evaluates, and whether that led back to it.
    open: HashMap<(*const Json, Evaluates), bool>,
}

impl<'a> Compilation<'a> {
    fn everything(&mut self, schema: &'a Json, own_name: usize) -> ControlFlow<()> {
        self.node(schema, Place { number: 0, length: own_name })?;
        while let Some((target, place)) = self.put_off.pop_front() {
            self.nested = 0;
            self.node(target, place)?;
        }
        ControlFlow::Continue(())
    }

    fn spend(&mut self, bytes: usize) -> ControlFlow<()> {
        self.bytes = self.bytes.saturating_add(bytes);
        if self.bytes > self.limit { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn enter(&mut self) -> ControlFlow<()> {
        self.depth += 1;
        if self.depth > MAX_DEPTH { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn below(&mut self, place: Place, step: Step<'a>) -> Place {
        let number = self.places.len() + 1;
        let length = place.length + 1 + if let Step::Name(name) = step { name.len() } else { 2 };
        *self.places.entry((place.number, step)).or_insert(Place { number, length })
    }

    fn place(&mut self, place: Place, part: Part<'a>, schema: &Object) -> Place {
        let has = |keyword: &str| schema.get(keyword).is_some_and(|count| !count.is_null());
        let keyword = match (part.keyword, has("minContains"), has("maxContains")) {
            ("contains", true, false) => "minContains",
            ("contains", false, true) => "maxContains",
            (keyword, ..) => keyword,
        };
        let place = self.below(place, Step::Name(keyword));
        part.step.map_or(place, |step| self.below(place, step))
    }

    /// A schema on its own.
    fn node(&mut self, schema: &'a Json, place: Place) -> ControlFlow<()> {
        let Some(object) = schema.as_object() else { return self.spend(NODE + 2 * place.length) };
        if !self.nodes.insert((std::ptr::from_ref(schema), place.number)) {
            return self.spend(LOOK);
        }
        self.enter()?;
        let keywords: usize = object.iter().map(|(key, value)| keyword_bytes(key, value, place.length)).sum();
        self.spend(NODE + place.length + keywords)?;
        let mut evaluates = Vec::new();
        for part in parts(object) {
            match (part.keyword, part.onto) {
                (_, Onto::Reference) => self.target(part.schema)?,
                ("unevaluatedProperties", _) => evaluates.push(Evaluates::Properties),
                ("unevaluatedItems", _) => evaluates.push(Evaluates::Items),
                _ => {
                    let place = self.place(place, part, object);
                    self.node(part.schema, place)?;
                }
            }
        }
        for what in evaluates {
            self.evaluated(what, schema, place)?;
        }
        for alternatives in ["anyOf", "oneOf"] {
            self.told_apart(object.get(alternatives).and_then(Json::as_array).unwrap_or_default())?;
        }
        self.depth -= 1;
        ControlFlow::Continue(())
    }

    /// What a reference leads to, which is compiled once.
    fn target(&mut self, reference: &'a Json) -> ControlFlow<()> {
        let Some(text) = reference.as_str() else { return ControlFlow::Continue(()) };
        let Some(target) = self.resolved(text, reference) else { return ControlFlow::Continue(()) };
        if !self.compiled.insert(text) {
            return self.spend(LOOK);
        }
        let place = self.below(Place { number: 0, length: 0 }, Step::Name(text));
        if self.nested == MAX_NESTED_REFERENCES {
            self.put_off.push_back((target, place));
            return ControlFlow::Continue(());
        }
        self.nested += 1;
        self.node(target, place)?;
        self.nested -= 1;
        ControlFlow::Continue(())
    }

    fn resolved(&mut self, text: &'a str, reference: &'a Json) -> Option<&'a Json> {
        let root = self.root;
        *self.targets.entry(text).or_insert_with(|| resolve(root, reference).ok())
    }

    /// What a schema evaluates, with copies of the parts that it depends on.
    fn evaluated(&mut self, what: Evaluates, schema: &'a Json, place: Place) -> ControlFlow<()> {
        let Some(object) = schema.as_object() else { return ControlFlow::Continue(()) };
        self.enter()?;
        let key = (std::ptr::from_ref(schema), what);
        let shadowed = self.open.insert(key, false);
        let before = self.bytes;
        let names = object.get("properties").and_then(Json::as_object).into_iter().flat_map(Object::keys);
        let names = if what == Evaluates::Properties { names.map(|name| name.len() + 50).sum() } else { 0 };
        self.spend(EVALUATED + 2 * place.length + names)?;
        for part in parts(object) {
            let (compiles, looks_into) = match (part.keyword, what) {
                ("allOf" | "anyOf" | "oneOf" | "if", _) => (true, true),
                ("then" | "else", _) | ("dependentSchemas", Evaluates::Properties) => (false, true),
                (
                    "additionalProperties" | "patternProperties" | "unevaluatedProperties",
                    Evaluates::Properties,
                )
                | ("contains" | "unevaluatedItems", Evaluates::Items) => (true, false),
                _ => (false, false),
            };
            if matches!(part.onto, Onto::Reference) {
                self.followed(what, part.schema, place)?;
            }
            if compiles || looks_into {
                // What is sought in `contains` is compiled here whatever the counts beside it.
                let place = match part.keyword {
                    "contains" => self.below(place, Step::Name("contains")),
                    _ => self.place(place, part, object),
                };
                if compiles {
                    self.node(part.schema, place)?;
                }
                if looks_into {
                    self.evaluated(what, part.schema, place)?;
                }
            }
        }
        let leads_back = match shadowed {
            Some(shadowed) => self.open.insert(key, shadowed),
            None => self.open.remove(&key),
        };
        if leads_back == Some(true) {
            // Others hold it, so its owner takes a copy.
            self.spend(self.bytes - before)?;
        }
        self.depth -= 1;
        ControlFlow::Continue(())
    }

    /// What the target of a reference evaluates, in the place of the reference.
    fn followed(&mut self, what: Evaluates, reference: &'a Json, place: Place) -> ControlFlow<()> {
        let Some(text) = reference.as_str() else { return ControlFlow::Continue(()) };
        let Some(target) = self.resolved(text, reference) else { return ControlFlow::Continue(()) };
        match self.open.get_mut(&(std::ptr::from_ref(target), what)) {
            Some(leads_back) => {
                *leads_back = true;
                self.limit = self.limit.min(MAX_UNFREED_BYTES);
                self.spend(LOOK)
            }
            None => self.evaluated(what, target, place),
        }
    }

    /// The search for a property that tells three or more alternatives apart.
    fn told_apart(&mut self, alternatives: &'a [Json]) -> ControlFlow<()> {
        if alternatives.len() < 3 {
            return ControlFlow::Continue(());
        }
        for alternative in alternatives {
            let (mut required, mut lists) = (0, 0);
            self.pinned(alternative, 0, &mut required, &mut lists)?;
            self.spend(LOOK.saturating_mul(required).saturating_mul(lists))?;
        }
        ControlFlow::Continue(())
    }

    fn pinned(
        &mut self,
        schema: &'a Json,
        depth: usize,
        required: &mut usize,
        lists: &mut usize,
    ) -> ControlFlow<()> {
        let Some(object) = schema.as_object().filter(|_| depth <= MAX_PIN_DEPTH) else {
            return ControlFlow::Continue(());
        };
        let names = object.get("required").and_then(Json::as_array).map_or(0, <[Json]>::len);
        *required += names;
        *lists += usize::from(object.contains_key("properties"));
        self.spend(LOOK * (1 + names))?;
        if let Some((text, reference)) = object.get("$ref").and_then(|own| Some((own.as_str()?, own)))
            && let Some(target) = self.resolved(text, reference)
        {
            self.pinned(target, depth + 1, required, lists)?;
        }
        for part in object.get("allOf").and_then(Json::as_array).unwrap_or_default() {
            self.pinned(part, depth + 1, required, lists)?;
        }
        ControlFlow::Continue(())
    }
}

/// What a keyword takes in a place with a pointer of this length, schemas within it aside.
fn keyword_bytes(keyword: &str, value: &Json, place: usize) -> usize {
    let value = match keyword {
        "$defs" | "definitions" => return 0,
        "allOf"
        | "anyOf"
        | "oneOf"
        | "if"
        | "then"
        | "else"
        | "properties"
        | "patternProperties"
        | "items"
        | "dependentSchemas"
        | "additionalProperties"
        | "unevaluatedProperties"
        | "propertyNames"
        | "prefixItems"
        | "additionalItems"
        | "unevaluatedItems"
        | "contains" => 0,
        // What `not` refuses is kept for its error.
        _ => 8 * Text::of(value).bytes,
    };
    KEYWORD + 2 * (place + keyword.len()) + value
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(text: &str) -> Json {
        Json::parse(text).unwrap()
    }

    /// A schema of `levels` definitions, each of which is `step` with the next one's reference for `@`.
    fn chain(levels: usize, step: &str) -> Json {
        let link = |at| step.replace('@', &format!(r##"{{"$ref":"#/$defs/n{}"}}"##, at + 1));
        let links: Vec<String> = (0..levels).map(|at| format!("\"n{at}\":{}", link(at))).collect();
        json(&format!(
            r##"{{"properties":{{"a":{{"$ref":"#/$defs/n0"}}}},"$defs":{{{},"n{levels}":{{"type":"integer"}}}}}}"##,
            links.join(",")
        ))
    }

    /// `levels` schemas within each other, each of which is `step` with the next one for `@`.
    fn nest(levels: usize, step: &str) -> Json {
        json(&(0..levels).fold(r#"{"type":"integer"}"#.to_owned(), |inner, _| step.replace('@', &inner)))
    }

    /// Definitions that refer to all others, each as `step` has it.
    fn web(size: usize, step: &str) -> Json {
        let all: Vec<String> = (0..size).map(|at| format!(r##"{{"$ref":"#/$defs/n{at}"}}"##)).collect();
        let links: Vec<String> =
            (0..size).map(|at| format!("\"n{at}\":{}", step.replace('@', &all.join(",")))).collect();
        json(&format!(r##"{{"$ref":"#/$defs/n0","$defs":{{{}}}}}"##, links.join(",")))
    }

    #[test]
    fn what_would_be_copied_is_counted_before_it_is() {
        let doubling = [
            r#"{"anyOf":[@,@],"unevaluatedProperties":false}"#,
            r#"{"unevaluatedProperties":false,"anyOf":[@,@]}"#,
            r#"{"oneOf":[@,@],"unevaluatedItems":false}"#,
            r#"{"allOf":[@,@],"unevaluatedProperties":{"type":"string"}}"#,
            r#"{"allOf":[{"allOf":[@]},{"anyOf":[@]}],"unevaluatedItems":true}"#,
            r#"{"if":@,"then":@,"unevaluatedProperties":false}"#,
            r#"{"if":true,"then":@,"else":@,"unevaluatedItems":false}"#,
            r#"{"dependentSchemas":{"a":@,"b":@},"unevaluatedProperties":false}"#,
            r#"{"additionalProperties":{"allOf":[@],"unevaluatedProperties":false},"allOf":[@],"unevaluatedProperties":false}"#,
            r#"{"patternProperties":{"^x":{"allOf":[@],"unevaluatedProperties":false}},"allOf":[@],"unevaluatedProperties":false}"#,
            r#"{"contains":{"allOf":[@],"unevaluatedItems":false},"allOf":[@],"unevaluatedItems":false}"#,
            r#"{"anyOf":[{"not":@,"allOf":[@]},@],"unevaluatedProperties":false}"#,
        ];
        for step in doubling {
            for reference in ["$ref", "$dynamicRef"] {
                let chain = |levels| json(&chain(levels, step).to_string().replace("$ref", reference));
                assert!(compiled(&chain(3)).is_ok(), "{step}");
                assert_eq!(compiled(&chain(30)), Err(Obstacle::TooComplex), "{step}");
            }
        }
        // What is copied need not say so itself.
        let mut once = chain(30, r#"{"anyOf":[@,@]}"#);
        assert!(compiled(&once).is_ok());
        let object = once.as_object_mut().unwrap();
        object.insert("unevaluatedProperties", Json::Bool(false));
        object.insert("$ref", "#/$defs/n0");
        assert_eq!(compiled(&once), Err(Obstacle::TooComplex));
        // The validator compiles what is contained in one place for its count, and in another for what it evaluates.
        let contains = r#"{"contains":@,"minContains":1,"unevaluatedItems":false}"#;
        assert!(compiled(&nest(4, contains)).is_ok());
        assert_eq!(compiled(&nest(30, contains)), Err(Obstacle::TooComplex));
        // Every way round is gone once.
        assert_eq!(
            compiled(&web(9, r#"{"anyOf":[@],"unevaluatedProperties":false}"#)),
            Err(Obstacle::TooComplex)
        );
        assert_eq!(compiled(&web(9, r#"{"allOf":[@],"unevaluatedItems":false}"#)), Err(Obstacle::TooComplex));
        // Alternatives are looked through for what tells them apart.
        let mut apart = chain(8, r#"{"allOf":[@,@,@,@,@,@,@,@]}"#);
        apart.as_object_mut().unwrap().insert(
            "anyOf",
            json(r##"[{"$ref":"#/$defs/n0"},{"$ref":"#/$defs/n0"},{"$ref":"#/$defs/n0"}]"##),
        );
        assert_eq!(compiled(&apart), Err(Obstacle::TooComplex));
    }

    #[test]
    fn long_places_and_kept_values_count() {
        let many: Vec<String> = (0..1_000).map(|at| format!(r#""p{at}":{{"type":"string"}}"#)).collect();
        let below = |name: &str| {
            json(&format!(r#"{{"properties":{{"{name}":{{"properties":{{{}}}}}}}}}"#, many.join(",")))
        };
        assert!(compiled(&below("k")).is_ok());
        assert_eq!(compiled(&below(&"k".repeat(50_000))), Err(Obstacle::TooComplex));
        let named = |length: usize| {
            let properties = many.join(",");
            json(&format!(
                r#"{{"$id":"https://e.com/{}","properties":{{{properties}}}}}"#,
                "k".repeat(length)
            ))
        };
        assert!(compiled(&named(10)).is_ok());
        assert_eq!(compiled(&named(50_000)), Err(Obstacle::TooComplex));
        let values = vec!["1234567"; 20_000].join(",");
        let refused = |levels| {
            json(
                &(0..levels)
                    .fold(format!(r#"{{"enum":[{values}]}}"#), |inner, _| format!(r#"{{"not":{inner}}}"#)),
            )
        };
        assert!(compiled(&refused(2)).is_ok());
        assert_eq!(compiled(&refused(60)), Err(Obstacle::TooComplex));
    }

    #[test]
    fn ordinary_schemas_are_compiled_however_large() {
        // A large interface: what is shared is referred to, and every object is closed over what it extends.
        let types: Vec<String> = (0..300)
            .map(|at| {
                format!(
                    r##""t{at}":{{"description":"One of many types, with some words about it.","allOf":[{{"$ref":"#/$defs/base"}},{{"$ref":"#/$defs/named"}}],
                    "properties":{{"kind":{{"const":"t{at}"}},"next":{{"$ref":"#/$defs/any"}},"size":{{"type":"integer","minimum":0}}}},
                    "required":["kind"],"unevaluatedProperties":false}}"##
                )
            })
            .collect();
        let any: Vec<String> = (0..300).map(|at| format!(r##"{{"$ref":"#/$defs/t{at}"}}"##)).collect();
        let extending = format!(
            r##"{{"$ref":"#/$defs/any","$defs":{{"base":{{"properties":{{"id":{{"type":"string"}}}},"required":["id"]}},
            "named":{{"allOf":[{{"$ref":"#/$defs/base"}}],"properties":{{"name":{{"type":"string"}}}}}},
            "any":{{"oneOf":[{}]}},{}}}}}"##,
            any.join(","),
            types.join(",")
        );
        let property = |at: usize| {
            format!(
                r#""property{at}":{{"type":"object","properties":{{"first":{{"type":"string","enum":["a","b"]}},"second":{{"type":"number"}}}}}}"#
            )
        };
        let properties: Vec<String> = (0..20_000).map(property).collect();
        let wide = format!(r#"{{"type":"object","properties":{{{}}}}}"#, properties.join(","));
        let tree = r##"{"$ref":"#/$defs/node","$defs":{"node":{"unevaluatedProperties":false,"properties":{"value":{}},
            "anyOf":[{"properties":{"left":{"$ref":"#/$defs/node"}}},{"properties":{"right":{"$ref":"#/$defs/leaf"}}}]},
            "leaf":{"allOf":[{"$ref":"#/$defs/node"}],"unevaluatedProperties":false}}}"##;
        for schema in [extending.as_str(), &wide, tree, "true", "{}"] {
            let schema = json(schema);
            let head: String = schema.to_string().chars().take(100).collect();
            assert!(compiled(&schema).is_ok(), "{head}: {:?}", compiled(&schema));
        }
    }
}
