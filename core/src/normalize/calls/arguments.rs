//! The arguments of a call, object or text: `"{\"city\":\"Oslo\"}"`.

use super::Reader;
use crate::domain::{Arguments, Flag, Json, Object};
use crate::normalize::pairs;
use crate::normalize::python_literal::{self, Dialect};

/// The keys that hold arguments; of several, the first that is not null.
pub(super) const KEYS: [&str; 10] = [
    "arguments",
    "args",
    "input",
    "tool_input",
    "parameters",
    "input_parameters",
    "inputParameters",
    "kwargs",
    "params",
    // What could not be read as input, in parts for user interfaces.
    "rawInput",
];

/// Whether `object` has a key that holds arguments, be they null.
pub(super) fn has_any(object: &Object) -> bool {
    KEYS.iter().any(|key| object.contains_key(key))
}

/// The arguments in `object`, as logged.
pub(super) fn of(object: &Object) -> Option<&Json> {
    KEYS.iter().filter_map(|key| object.get(key)).find(|value| !value.is_null())
}

impl Reader<'_> {
    /// Reads arguments as logged. What is no JSON object is the model's fault, for the judge to see.
    pub(super) fn arguments(&mut self, value: Option<&Json>) -> Arguments {
        match value {
            None | Some(Json::Null) => Arguments::Parsed(Object::new()),
            Some(Json::Object(object)) => self.parsed(object.clone()),
            Some(Json::String(text)) => self.argument_text(text),
            // To typed files, and to PHP, an empty object is an empty list.
            Some(Json::Array(entries)) if let Some(object) = pairs::object(entries) => {
                if !entries.is_empty() {
                    self.flags.insert(Flag::ArgumentsAsPairs);
                }
                self.parsed(object)
            }
            Some(other) => self.malformed(other.to_string()),
        }
    }

    pub(super) fn argument_text(&mut self, text: &str) -> Arguments {
        if matches!(text.trim(), "" | "null") {
            return Arguments::Parsed(Object::new());
        }
        let (value, flag) = match Json::parse(text) {
            Ok(Json::String(inner)) => (Json::parse(&inner).ok(), Some(Flag::DoubleEncoded)),
            Ok(value) => (Some(value), None),
            Err(_) => (python_literal::whole(text, Dialect::Python), Some(Flag::PythonRepr)),
        };
        match value {
            Some(Json::Object(object)) => {
                self.flags.extend(flag);
                self.parsed(object)
            }
            _ => {
                self.flag_if_cut(text);
                self.malformed(text.to_owned())
            }
        }
    }

    pub(super) fn parsed(&mut self, object: Object) -> Arguments {
        if repeats_a_key(&object) {
            self.flags.insert(Flag::DuplicateArgument);
        }
        Arguments::Parsed(object)
    }

    pub(super) fn malformed(&mut self, text: String) -> Arguments {
        self.flags.insert(Flag::MalformedArguments);
        Arguments::Malformed(text)
    }

    /// Logs cut long values at round lengths; a value that breaks off exactly there was probably whole.
    pub(super) fn flag_if_cut(&mut self, text: &str) {
        // Shorter limits are not in use, and short texts have round lengths by chance.
        const SHORTEST_LIMIT: usize = 128;
        let length = text.chars().count();
        let round = length.is_power_of_two() || length.is_multiple_of(1000);
        if length >= SHORTEST_LIMIT && round && text.trim_start().starts_with(['{', '[']) {
            self.flags.insert(Flag::MaybeTruncated);
        }
    }
}

fn repeats_a_key(object: &Object) -> bool {
    fn within(value: &Json) -> bool {
        match value {
            Json::Object(object) => repeats_a_key(object),
            Json::Array(items) => items.iter().any(within),
            _ => false,
        }
    }
    object.has_repeated_key() || object.values().any(within)
}
