//! A JSON object that keeps its key order and remembers repeated keys.

use std::collections::HashMap;

use super::Json;

/// From this size on, bulk insertions and comparisons look keys up in a map, so that hostile objects stay linear.
const LARGE: usize = 32;

/// Keys in the order of their first appearance; of a repeated key the last value counts.
#[derive(Debug, Clone, Default)]
pub struct Object {
    entries: Vec<(String, Json)>,
    repeated_key: bool,
}

impl Object {
    /// An object without members.
    pub fn new() -> Object {
        Object::default()
    }

    /// How many keys it has; a repeated key counts once.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// The value at a JSON pointer (RFC 6901): `/items/0/price`; `None` if it does not exist, and for the whole.
    pub fn at(&self, pointer: &str) -> Option<&Json> {
        let mut steps =
            pointer.strip_prefix('/')?.split('/').map(|step| step.replace("~1", "/").replace("~0", "~"));
        let mut value = self.get(&steps.next()?)?;
        for step in steps {
            value = match value {
                Json::Object(object) => object.get(&step)?,
                Json::Array(items) => items.get(step.parse::<usize>().ok()?)?,
                _ => return None,
            };
        }
        Some(value)
    }

    /// Whether it has no members.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The value of `key`.
    pub fn get(&self, key: &str) -> Option<&Json> {
        self.entries.iter().find(|(k, _)| k == key).map(|(_, v)| v)
    }

    /// The value of `key`, to be changed in place.
    pub fn get_mut(&mut self, key: &str) -> Option<&mut Json> {
        self.entries.iter_mut().find(|(k, _)| k == key).map(|(_, v)| v)
    }

    /// Whether there is a member `key`, even if it is null.
    pub fn contains_key(&self, key: &str) -> bool {
        self.get(key).is_some()
    }

    /// Sets `key`, in its old place if it is there, else at the end.
    pub fn insert(&mut self, key: impl Into<String>, value: impl Into<Json>) {
        let (key, value) = (key.into(), value.into());
        match self.get_mut(&key) {
            Some(slot) => *slot = value,
            None => self.entries.push((key, value)),
        }
    }

    /// Takes a member out; the others keep their order.
    pub fn remove(&mut self, key: &str) -> Option<Json> {
        let at = self.entries.iter().position(|(k, _)| k == key)?;
        Some(self.entries.remove(at).1)
    }

    /// All members, in order of first appearance.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &Json)> {
        self.entries.iter().map(|(k, v)| (k.as_str(), v))
    }

    /// All members, their values to be changed in place.
    pub fn iter_mut(&mut self) -> impl ExactSizeIterator<Item = (&str, &mut Json)> {
        self.entries.iter_mut().map(|(k, v)| (k.as_str(), v))
    }

    /// All keys, in order of first appearance.
    pub fn keys(&self) -> impl ExactSizeIterator<Item = &str> {
        self.entries.iter().map(|(k, _)| k.as_str())
    }

    /// All values, in the order of their keys.
    pub fn values(&self) -> impl ExactSizeIterator<Item = &Json> {
        self.entries.iter().map(|(_, v)| v)
    }

    /// Whether the text this was read from named a key twice.
    pub fn has_repeated_key(&self) -> bool {
        self.repeated_key
    }

    /// The same of it or of any object in it.
    pub fn repeats_a_key(&self) -> bool {
        self.repeated_key || self.values().any(Json::repeats_a_key)
    }

    /// Keeps the members that `keep` says yes to.
    pub fn retain(&mut self, mut keep: impl FnMut(&str, &Json) -> bool) {
        self.entries.retain(|(key, value)| keep(key, value));
    }

    /// Equal, [numbers by their value](Json::is_equivalent).
    pub fn is_equivalent(&self, other: &Object) -> bool {
        self.agrees(other, Json::is_equivalent)
    }

    /// Whether both have the same keys, and `same` values under each.
    fn agrees(&self, other: &Object, same: fn(&Json, &Json) -> bool) -> bool {
        if self.len() != other.len() {
            return false;
        }
        if self.len() < LARGE {
            return self.iter().all(|(key, value)| other.get(key).is_some_and(|own| same(own, value)));
        }
        let others: HashMap<&str, &Json> = other.iter().collect();
        self.iter().all(|(key, value)| others.get(key).is_some_and(|own| same(own, value)))
    }

    /// The entries of a text, of which keys may repeat.
    pub(super) fn from_text(entries: Vec<(String, Json)>) -> Object {
        let mut object = Object { entries, repeated_key: false };
        if object.len() < LARGE {
            let keys = || object.entries.iter().map(|(key, _)| key);
            let repeats = |(at, key): (usize, &String)| keys().take(at).any(|earlier| earlier == key);
            if !keys().enumerate().any(repeats) {
                return object;
            }
        }
        let entries = std::mem::take(&mut object.entries);
        let mut places: HashMap<String, usize> = HashMap::with_capacity(entries.len());
        for (key, value) in entries {
            match places.get(&key) {
                Some(&at) => {
                    object.entries[at].1 = value;
                    object.repeated_key = true;
                }
                None => {
                    places.insert(key.clone(), object.entries.len());
                    object.entries.push((key, value));
                }
            }
        }
        object
    }
}

impl PartialEq for Object {
    /// The same keys with the same values, in any order.
    fn eq(&self, other: &Object) -> bool {
        self.agrees(other, Json::eq)
    }
}

impl FromIterator<(String, Json)> for Object {
    fn from_iter<I: IntoIterator<Item = (String, Json)>>(entries: I) -> Object {
        Object::from_text(entries.into_iter().collect())
    }
}

impl IntoIterator for Object {
    type Item = (String, Json);
    type IntoIter = std::vec::IntoIter<(String, Json)>;

    fn into_iter(self) -> Self::IntoIter {
        self.entries.into_iter()
    }
}
