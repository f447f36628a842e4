//! The subschemas of a schema, and the targets of its references.

use percent_encoding::percent_decode_str;

use crate::domain::{Json, Object};

/// Why the validator must not see a schema.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Obstacle {
    TooComplex,
    /// Where this reference leads is not told by the schema's own text.
    Reference(String),
}

/// Keywords that hold values, which are no schemas.
pub(super) const VALUES: [&str; 5] = ["enum", "const", "default", "example", "examples"];

/// Schemas within schemas, references followed: the validator takes them by recursion.
pub(super) const MAX_DEPTH: usize = 200;

/// A schema directly within another.
#[derive(Debug, Clone, Copy)]
pub(super) struct Part<'a> {
    pub keyword: &'a str,
    /// Its place below the keyword, where that holds several.
    pub step: Option<Step<'a>>,
    pub onto: Onto<'a>,
    /// The schema, or the reference to it.
    pub schema: &'a Json,
}

/// One of the schemas that a keyword holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Step<'a> {
    Name(&'a str),
    Item(usize),
}

/// Which parts of a value a subschema speaks about.
#[derive(Debug, Clone, Copy)]
pub(super) enum Onto<'a> {
    Same,
    /// The value itself, which may as well not fit.
    Try,
    /// The value itself, by the schema that a reference leads to.
    Reference,
    Property(&'a str),
    EveryProperty,
    EveryName,
    Item(usize),
    EveryItem,
}

/// The schemas directly within a schema that the validator goes on to. A keyword without a value says nothing.
pub(super) fn parts(schema: &Object) -> impl Iterator<Item = Part<'_>> {
    schema.iter().filter(|(_, value)| !value.is_null()).flat_map(|(keyword, value)| {
        let one = |onto| vec![Part { keyword, step: None, onto, schema: value }];
        let each = |onto: fn(usize) -> Onto<'static>| {
            let items = value.as_array().unwrap_or_default().iter().enumerate();
            let part = |(at, schema)| Part { keyword, step: Some(Step::Item(at)), onto: onto(at), schema };
            items.map(part).collect()
        };
        let named = |onto: fn(&str) -> Onto<'_>| {
            let part =
                |(name, schema)| Part { keyword, step: Some(Step::Name(name)), onto: onto(name), schema };
            value.as_object().into_iter().flat_map(|object| object.iter().map(part)).collect()
        };
        match keyword {
            "$ref" | "$dynamicRef" | "$recursiveRef" => one(Onto::Reference),
            "allOf" => each(|_| Onto::Same),
            "anyOf" | "oneOf" => each(|_| Onto::Try),
            "not" | "if" | "then" | "else" => one(Onto::Try),
            "properties" => named(|name| Onto::Property(name)),
            "patternProperties" => named(|_| Onto::EveryProperty),
            "dependentSchemas" | "dependencies" => named(|_| Onto::Same),
            "additionalProperties" | "unevaluatedProperties" => one(Onto::EveryProperty),
            "propertyNames" => one(Onto::EveryName),
            "items" if value.as_array().is_some() => each(Onto::Item),
            "prefixItems" => each(Onto::Item),
            "items" | "additionalItems" | "unevaluatedItems" | "contains" => one(Onto::EveryItem),
            _ => Vec::new(),
        }
    })
}

/// The schema a reference leads to, within the schema it stands in.
pub(super) fn resolve<'a>(root: &'a Json, reference: &Json) -> Result<&'a Json, Obstacle> {
    let reference = reference.as_str().unwrap_or_default();
    let places = way(root, reference).ok_or_else(|| Obstacle::Reference(reference.to_owned()))?;
    places.iter().try_for_each(|at| has_root_as_base(at))?;
    Ok(places.last().copied().unwrap_or(root))
}

/// The same, whatever bases there are on the way.
pub(crate) fn target<'a>(root: &'a Json, reference: &str) -> Option<&'a Json> {
    Some(way(root, reference)?.last().copied().unwrap_or(root))
}

/// The places that a reference leads through, the last of which it is about; none for the root.
fn way<'a>(root: &'a Json, reference: &str) -> Option<Vec<&'a Json>> {
    let path = percent_decode_str(reference.strip_prefix('#')?).decode_utf8().ok()?;
    if !path.is_empty() && !path.starts_with('/') {
        return None;
    }
    let mut at = root;
    let mut places = Vec::new();
    for key in path.split('/').skip(1) {
        let key = key.replace("~1", "/").replace("~0", "~");
        at = match at {
            Json::Array(items) => key.parse::<usize>().ok().and_then(|place| items.get(place)),
            other => other.get(&key),
        }?;
        places.push(at);
    }
    Some(places)
}

/// A base of its own would make other schemas of the references below a part.
pub(super) fn has_root_as_base(part: &Json) -> Result<(), Obstacle> {
    match part.get("$id").and_then(Json::as_str) {
        Some(_) => Err(Obstacle::Reference("$id".to_owned())),
        None => Ok(()),
    }
}

/// Whether the oldest draft, in which `id` does what `$id` does later, may give a part a base of its own.
pub(super) fn has_old_bases(root: &Json) -> bool {
    fn any(json: &Json, found: &impl Fn(&Object) -> bool) -> bool {
        match json {
            Json::Object(object) => {
                found(object) || object.iter().any(|(key, value)| !VALUES.contains(&key) && any(value, found))
            }
            Json::Array(items) => items.iter().any(|item| any(item, found)),
            _ => false,
        }
    }
    let text = |object: &Object, key: &str, says: fn(&str) -> bool| {
        object.get(key).and_then(Json::as_str).is_some_and(says)
    };
    any(root, &|object| text(object, "$schema", |draft| draft.contains("draft-04")))
        && any(root, &|object| {
            let is_root = root.as_object().is_some_and(|root| std::ptr::eq(root, object));
            !is_root && text(object, "id", |id| !id.starts_with('#'))
        })
}
