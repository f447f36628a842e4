//! Rebuilds objects from dotted keys: `{"a.0.b": 1, "a.1.b": 2}` is `{"a": [{"b": 1}, {"b": 2}]}`.

use crate::domain::{Json, Object};
use crate::normalize::logs::value;

/// Dots beyond these belong to the last name: nothing real is nested deeper.
const MAX_NAMES: usize = 12;

/// One name of a dotted key. Numbers are sorted as such: 10 comes after 9.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Name<'a> {
    Index(u64),
    Word(&'a str),
}

/// A value and the names that lead to it.
type Leaf<'a> = (Vec<Name<'a>>, &'a Json);

/// The list under `prefix`, be it an attribute of its own or spread over dotted ones; `None` when there is neither.
pub(super) fn list(attributes: &Object, prefix: &str) -> Option<Vec<Json>> {
    if let Some(whole) = super::span::get(attributes, prefix)
        && let Json::Array(items) = value::unfolded(whole.clone())
    {
        return Some(items);
    }
    let within = |(key, value)| Some((str::strip_prefix(key, prefix)?.strip_prefix('.')?, value));
    match tree(attributes.iter().filter_map(within)) {
        Json::Array(items) => Some(items),
        _ => None,
    }
}

/// An object whose keys may be dotted; its values stay as they are.
pub(super) fn object(json: &Json) -> Option<Object> {
    match json {
        Json::Object(object) if object.keys().any(|key| key.contains('.')) => match tree(object.iter()) {
            Json::Object(object) => Some(object),
            _ => None,
        },
        Json::Object(object) => Some(object.clone()),
        _ => None,
    }
}

fn tree<'a>(entries: impl Iterator<Item = (&'a str, &'a Json)>) -> Json {
    let name = |name: &'a str| name.parse().map_or(Name::Word(name), Name::Index);
    let leaf = |(key, value): (&'a str, &'a Json)| (key.splitn(MAX_NAMES, '.').map(name).collect(), value);
    let mut leaves: Vec<Leaf> = entries.map(leaf).collect();
    leaves.sort_by(|(one, _), (other, _)| one.cmp(other));
    branch(&leaves, 0)
}

/// What the leaves make up that have their first names in common, as many as `depth`.
fn branch(leaves: &[Leaf], depth: usize) -> Json {
    let (whole, parts) = leaves.split_at(leaves.partition_point(|(names, _)| names.len() <= depth));
    if let (Some((_, value)), []) = (whole.last(), parts) {
        return (*value).clone();
    }
    // What has parts is more than a text in the same place.
    let branches = || {
        parts
            .chunk_by(|(one, _), (other, _)| one.get(depth) == other.get(depth))
            .filter_map(|leaves| Some((*leaves.first()?.0.get(depth)?, branch(leaves, depth + 1))))
    };
    let numbered =
        !parts.is_empty() && parts.iter().all(|(names, _)| matches!(names.get(depth), Some(Name::Index(_))));
    if numbered {
        return Json::Array(branches().map(|(_, value)| value).collect());
    }
    let entry = |(name, value)| match name {
        Name::Index(index) => (index.to_string(), value),
        Name::Word(word) => (word.to_owned(), value),
    };
    Json::Object(branches().map(entry).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_sorted_by_number_and_leave_out_no_more_than_gaps() {
        for (attributes, expected) in [
            (r#"{"p.10.a":"x","p.9.a":"y","p.2.b.c":1}"#, r#"[{"b":{"c":1}},{"a":"y"},{"a":"x"}]"#),
            (r#"{"p.0.a":null,"p.0.a.b":1}"#, r#"[{"a":{"b":1}}]"#),
            (r#"{"p.0.a.b":1,"p.0.a":"x"}"#, r#"[{"a":{"b":1}}]"#),
            (r#"{"p":"[1, 2]","p.0":3}"#, "[1,2]"),
            (r#"{"p":["a.b"]}"#, r#"["a.b"]"#),
            (r#"{"p.0":{"x.y":1}}"#, r#"[{"x.y":1}]"#),
            (r#"{"pp.0":1,"p":"x"}"#, "none"),
            (r#"{"p.0":1,"p.x":2}"#, "none"),
        ] {
            let Json::Object(attributes) = Json::parse(attributes).unwrap() else { panic!() };
            let found =
                list(&attributes, "p").map_or("none".to_owned(), |items| Json::Array(items).to_string());
            assert_eq!(found, expected, "{attributes}");
        }
    }

    #[test]
    fn a_hundred_thousand_keys_and_a_million_dots_are_nothing_special() {
        let many = (0..100_000).map(|i| (format!("p.{i}.a"), Json::from("x"))).collect();
        assert_eq!(list(&many, "p").unwrap().len(), 100_000);
        let deep = Object::from_iter([(format!("p.0{}", ".a".repeat(1_000_000)), Json::from("x"))]);
        assert_eq!(list(&deep, "p").unwrap().len(), 1);
    }
}
