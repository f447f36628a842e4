//! Arguments that change from run to run, such as the time of day: named by JSON pointers and left out of comparisons.

use std::collections::BTreeSet;

use crate::domain::{Json, Object};

/// JSON pointers into the arguments of calls. None by default.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Ignored {
    /// Each as its keys.
    pointers: Vec<Vec<String>>,
}

/// A text that is not a JSON pointer to an argument.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a JSON pointer to an argument: write /parameter or /parameter/key")]
pub struct BadPointer(pub String);

impl Ignored {
    /// Reads JSON pointers: `/sent_at`, `/filter/until`.
    ///
    /// # Errors
    /// If one does not begin with `/`, or names nothing.
    pub fn new<S: AsRef<str>>(pointers: &[S]) -> Result<Ignored, BadPointer> {
        let read = |pointer: &S| {
            let pointer = pointer.as_ref();
            let keys = pointer.strip_prefix('/').filter(|keys| !keys.is_empty());
            let keys = keys.ok_or_else(|| BadPointer(pointer.to_owned()))?;
            Ok(keys.split('/').map(|key| key.replace("~1", "/").replace("~0", "~")).collect())
        };
        Ok(Ignored { pointers: pointers.iter().map(read).collect::<Result<_, _>>()? })
    }

    /// Adds the places of the pointers that lead to something in these arguments.
    pub(super) fn add_met(&self, arguments: &Object, met: &mut BTreeSet<usize>) {
        let leads = |keys: &[String]| {
            let (first, rest) = keys.split_first()?;
            rest.iter().try_fold(arguments.get(first)?, |value, key| match value {
                Json::Object(object) => object.get(key),
                Json::Array(items) => items.get(key.parse::<usize>().ok()?),
                _ => None,
            })
        };
        let led = self.pointers.iter().enumerate().filter(|(_, keys)| leads(keys).is_some());
        met.extend(led.map(|(at, _)| at));
    }

    /// Adds the places of the pointers that name a parameter of these.
    pub(super) fn add_declared(&self, parameters: &Json, met: &mut BTreeSet<usize>) {
        let properties = parameters.get("properties");
        let is_declared = |keys: &[String]| match keys {
            [only] => properties.is_some_and(|known| known.get(only).is_some()),
            _ => false,
        };
        let declared = self.pointers.iter().enumerate().filter(|(_, keys)| is_declared(keys));
        met.extend(declared.map(|(at, _)| at));
    }

    /// Those that are not among `met`: which ones, from 1.
    pub(super) fn idle(&self, met: &BTreeSet<usize>) -> Vec<usize> {
        (0..self.pointers.len()).filter(|at| !met.contains(at)).map(|at| at + 1).collect()
    }

    /// Whether nothing is ignored.
    pub(super) fn is_empty(&self) -> bool {
        self.pointers.is_empty()
    }

    /// Whether some of these arguments are ignored.
    pub(super) fn is_in(&self, arguments: &Object) -> bool {
        arguments.iter().any(|(name, value)| self.of(name).touches(value))
    }

    /// The parameters that are ignored whole.
    pub(super) fn parameters(&self) -> impl Iterator<Item = &str> {
        self.pointers.iter().filter(|keys| keys.len() == 1).map(|keys| keys[0].as_str())
    }

    /// What is ignored of a parameter.
    pub(super) fn of(&self, parameter: &str) -> Rest<'_> {
        Rest { pointers: self.pointers.iter().map(Vec::as_slice).collect() }.of(parameter)
    }

    /// The arguments without those of which a part is ignored: rules of mocks compare whole arguments.
    pub(super) fn without(&self, arguments: &Object) -> Object {
        let kept = arguments.iter().filter(|(name, value)| !self.of(name).touches(value));
        kept.map(|(name, value)| (name.to_owned(), value.clone())).collect()
    }
}

/// What is ignored of one value.
#[derive(Debug, Clone, Default)]
pub(super) struct Rest<'a> {
    /// The keys that are left of each pointer; none left means the whole value.
    pointers: Vec<&'a [String]>,
}

impl<'a> Rest<'a> {
    /// What is ignored of a member or an item.
    fn of(&self, key: &str) -> Rest<'a> {
        let split = self.pointers.iter().filter_map(|pointer| pointer.split_first());
        Rest { pointers: split.filter(|(first, _)| *first == key).map(|(_, left)| left).collect() }
    }

    /// Whether all of the value is ignored.
    pub(super) fn is_whole(&self) -> bool {
        self.pointers.iter().any(|left| left.is_empty())
    }

    /// Whether something of this value is ignored.
    pub(super) fn touches(&self, value: &Json) -> bool {
        self.is_whole()
            || match value {
                Json::Object(object) => object.iter().any(|(key, value)| self.of(key).touches(value)),
                Json::Array(items) => {
                    items.iter().enumerate().any(|(at, item)| self.of(&at.to_string()).touches(item))
                }
                _ => false,
            }
    }

    /// A JSON Schema of values that are this one wherever nothing is ignored.
    pub(super) fn schema(&self, value: &Json) -> Json {
        let mut schema = Object::new();
        if self.is_whole() {
            return Json::Object(schema);
        }
        match value {
            value if !self.touches(value) => schema.insert("const", value.clone()),
            Json::Object(object) => {
                let kept = object.iter().filter(|(key, _)| !self.of(key).is_whole());
                let required = kept.map(|(key, _)| Json::from(key)).collect();
                let properties =
                    object.iter().map(|(key, value)| (key.to_owned(), self.of(key).schema(value)));
                schema.insert("type", "object");
                schema.insert("properties", Json::Object(properties.collect()));
                schema.insert("required", Json::Array(required));
                schema.insert("additionalProperties", Json::Bool(false));
            }
            Json::Array(items) => {
                let each = items.iter().enumerate().map(|(at, item)| self.of(&at.to_string()).schema(item));
                let count = Json::Number((items.len() as u64).into());
                schema.insert("type", "array");
                schema.insert("prefixItems", Json::Array(each.collect()));
                schema.insert("minItems", count.clone());
                schema.insert("maxItems", count);
            }
            _ => {}
        }
        Json::Object(schema)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pointers_reach_into_objects_and_lists() {
        let ignored = Ignored::new(&["/at", "/filter/until", "/list/1"]).unwrap();
        let Ok(Json::Object(arguments)) =
            Json::parse(r#"{"at":1,"filter":{"until":2,"of":"a"},"list":[1,2],"kept":{"at":3}}"#)
        else {
            panic!("an object")
        };
        assert!(ignored.is_in(&arguments));
        assert_eq!(Json::Object(ignored.without(&arguments)).to_string(), r#"{"kept":{"at":3}}"#);
        let schema = |name: &str| ignored.of(name).schema(arguments.get(name).unwrap()).to_string();
        assert_eq!(
            schema("filter"),
            r#"{"type":"object","properties":{"until":{},"of":{"const":"a"}},"required":["of"],"additionalProperties":false}"#
        );
        assert_eq!(
            schema("list"),
            r#"{"type":"array","prefixItems":[{"const":1},{}],"minItems":2,"maxItems":2}"#
        );
        let mut met = BTreeSet::new();
        let others = Ignored::new(&["/at", "/filter/since", "/list/1", "/list/2", "/cc"]).unwrap();
        others.add_met(&arguments, &mut met);
        assert_eq!(others.idle(&met), [2, 4, 5]);
        others.add_declared(&Json::parse(r#"{"properties":{"cc":{},"filter":{}}}"#).unwrap(), &mut met);
        assert_eq!(others.idle(&met), [2, 4]);
        for bad in ["", "at", "/"] {
            assert_eq!(Ignored::new(&[bad]), Err(BadPointer(bad.to_owned())));
        }
    }
}
