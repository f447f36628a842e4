//! Finds texts among arguments where the tool's schema takes none.

use super::alternatives::{Child, Effort, Kind, Walk, property};
use crate::domain::{Json, Object};

/// A text where none is taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MisplacedText<'v> {
    /// The fields that lead to it, with points between them; places in lists are left out.
    pub path: String,
    /// The last of them.
    pub field: &'v str,
    /// What it says.
    pub text: &'v str,
}

/// The texts among `arguments` that a tool with these `parameters` takes nowhere there: neither directly nor by references, alternatives
/// or listed values. Where that cannot be told, or only with much work, a text is in its place.
pub fn misplaced_texts<'v>(parameters: &Json, arguments: &'v Object) -> Vec<MisplacedText<'v>> {
    let effort = Effort::default();
    let walk = Walk::new(parameters, &effort);
    let mut found = Vec::new();
    if let Some(alternatives) = walk.all_alternatives(parameters) {
        search_fields(walk, arguments, &alternatives, "", &mut found);
    }
    found
}

fn search_fields<'v>(
    walk: Walk<'_, '_>,
    fields: &'v Object,
    alternatives: &[Vec<&Json>],
    path: &str,
    found: &mut Vec<MisplacedText<'v>>,
) {
    for (name, value) in fields.iter() {
        let Some(inner) = walk.step() else { return };
        // Numbers are in their places, or no concern of ours.
        if matches!(value, Json::Null | Json::Bool(_) | Json::Number(_)) {
            continue;
        }
        let of_field = inner.within(alternatives, Kind::Object, |schema| {
            match property(schema, name).or_else(|| schema.get("additionalProperties")) {
                _ if schema.get("patternProperties").is_some() => Child::Unknown,
                // A field that is not to be there is no matter of its type.
                Some(Json::Bool(_)) => Child::Anything,
                Some(own) => Child::Schema(own),
                None => Child::Anything,
            }
        });
        if let Some(alternatives) = of_field {
            let path = if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
            search(inner, (name, value), &alternatives, &path, found);
        }
    }
}

fn search<'v>(
    walk: Walk<'_, '_>,
    (field, value): (&'v str, &'v Json),
    alternatives: &[Vec<&Json>],
    path: &str,
    found: &mut Vec<MisplacedText<'v>>,
) {
    match value {
        Json::String(text) => {
            if walk.asked(alternatives).is_none() {
                return;
            }
            let is_refused = |together: &Vec<&Json>| walk.take(together, Kind::Text) == Some(false);
            if !alternatives.is_empty() && alternatives.iter().all(is_refused) {
                found.push(MisplacedText { path: path.to_owned(), field, text });
            }
        }
        Json::Array(items) => {
            let Some(inner) = walk.step() else { return };
            let of_item = inner.within(alternatives, Kind::Array, |schema| match schema.get("items") {
                _ if schema.get("prefixItems").is_some() => Child::Unknown,
                Some(Json::Array(_)) => Child::Unknown,
                Some(own) => Child::Schema(own),
                None => Child::Anything,
            });
            if let Some(alternatives) = of_item {
                items.iter().for_each(|item| search(inner, (field, item), &alternatives, path, found));
            }
        }
        Json::Object(fields) => search_fields(walk, fields, alternatives, path, found),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_found_behind_references_and_alternatives() {
        let schema = r##"{"properties":{"n":{"type":"integer"},"s":{"type":["string","null"]},"any":{},
            "maybe":{"anyOf":[{"type":"integer"},{"type":"null"}],"default":null},
            "either":{"oneOf":[{"type":"integer"},{"type":"string"}]},
            "both":{"allOf":[{"description":"d"},{"type":"integer"}]},
            "ref":{"$ref":"#/$defs/count"},"far":{"$ref":"other.json"},
            "one_of":{"enum":[2,3]},"words":{"enum":["two",3]},"only":{"const":2},
            "list":{"type":"array","items":{"type":"number"}},
            "pair":{"type":"array","prefixItems":[{"type":"string"}],"items":{"type":"number"}},
            "in":{"type":"object","properties":{"on":{"type":"boolean"}}},
            "stay":{"anyOf":[{"$ref":"#/$defs/stay"},{"type":"null"}]},
            "pay":{"anyOf":[{"type":"object","properties":{"by":{"type":"integer"}}},{"type":"object","properties":{"by":{"type":"string"}}}]},
            "open":{"anyOf":[{"type":"object","properties":{"by":{"type":"integer"}}},{"type":"object"}]},
            "map":{"type":"object","additionalProperties":{"type":"integer"}},
            "closed":{"type":"object","properties":{"a":{"type":"integer"}},"additionalProperties":false},
            "patterns":{"type":"object","patternProperties":{"^a":{"type":"integer"}}}},
            "$defs":{"count":{"type":"integer"},"stay":{"type":"object","properties":{"nights":{"$ref":"#/$defs/count"}}}}}"##;
        let schema = Json::parse(schema).unwrap();
        for (arguments, expected) in [
            (r#"{"n":5,"s":"a","any":"b","list":[1],"in":{"on":true}}"#, vec![]),
            (r#"{"n":"5"}"#, vec!["n"]),
            (r#"{"maybe":"5"}"#, vec!["maybe"]),
            (r#"{"either":"5"}"#, vec![]),
            (r#"{"both":"5","ref":"5"}"#, vec!["both", "ref"]),
            (r#"{"far":"5","other":"5"}"#, vec![]),
            (r#"{"one_of":"2","words":"3","only":"2"}"#, vec!["one_of", "only"]),
            (r#"{"list":[1,"2"]}"#, vec!["list"]),
            (r#"{"list":"1, 2"}"#, vec!["list"]),
            (r#"{"pair":["a","2"]}"#, vec![]),
            (r#"{"in":{"on":"true"}}"#, vec!["in.on"]),
            (r#"{"stay":{"nights":"2","other":"2"}}"#, vec!["stay.nights"]),
            (r#"{"pay":{"by":"2"},"open":{"by":"2"}}"#, vec![]),
            (r#"{"map":{"a":"2"},"patterns":{"a":"2"}}"#, vec!["map.a"]),
            (r#"{"closed":{"a":"2","b":"2"}}"#, vec!["closed.a"]),
        ] {
            let Json::Object(arguments) = Json::parse(arguments).unwrap() else { panic!("no object") };
            let found = misplaced_texts(&schema, &arguments);
            let paths: Vec<&str> = found.iter().map(|one| one.path.as_str()).collect();
            assert_eq!(paths, expected, "{}", Json::Object(arguments.clone()));
        }
    }

    #[test]
    fn what_unfolds_without_end_is_left() {
        let many = [r##"{"$ref":"#"}"##; 40].join(",");
        let schema =
            format!(r#"{{"type":"object","properties":{{"a":{{"anyOf":[{many}]}}}},"anyOf":[{many}]}}"#);
        let Json::Object(arguments) = Json::parse(r#"{"a":{"a":"5"}}"#).unwrap() else { panic!("no object") };
        assert_eq!(misplaced_texts(&Json::parse(&schema).unwrap(), &arguments), []);
    }
}
