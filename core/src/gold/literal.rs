//! Whether a value occurs literally in a question's text.

use super::question::{ExpectedAction, Question, is_marker};
use super::words::{numbers, words};
use crate::domain::Json;

impl Question {
    /// Whether for every parameter that must be given some accepted value stands in the question; `None` where no call is
    /// due, and where none is known.
    ///
    /// "Stands" is by letters and digits, whatever their case and whatever is between them; numbers by their value; of lists
    /// and objects all that is in them. Words for numbers, units converted and dates written otherwise do not count.
    pub(crate) fn is_literal(&self) -> Option<bool> {
        let ExpectedAction::Calls(expected) = &self.expected_action else { return None };
        let mandatory = |values: &Vec<Json>| !values.iter().any(is_marker);
        let mut accepted =
            expected.iter().flat_map(|call| &call.accepted).filter(|(_, values)| mandatory(values));
        let text = Said::new(&self.text);
        Some(accepted.all(|(_, values)| values.iter().any(|value| text.holds(value))))
    }
}

/// A text as values are looked for in it.
pub(super) struct Said {
    /// Words in lower case, with a space before and after each.
    folded: String,
    numbers: Vec<f64>,
}

impl Said {
    pub(super) fn new(text: &str) -> Said {
        // A comma may stand within a number or between two.
        let apart = text.replace(',', " ");
        let numbers = numbers(text).into_iter().chain(numbers(&apart));
        Said { folded: folded(text), numbers: numbers.map(|number| number.as_f64()).collect() }
    }

    pub(super) fn holds(&self, value: &Json) -> bool {
        match value {
            Json::Null => false,
            Json::Bool(value) => self.has(&value.to_string()),
            Json::Number(number) => self.numbers.contains(&number.as_f64()),
            Json::String(text) => self.has(text),
            Json::Array(items) => items.iter().all(|item| self.holds(item)),
            // Members have lists of accepted values of their own.
            Json::Object(members) => members.values().all(|options| match options {
                Json::Array(options) => options.iter().any(|option| is_marker(option) || self.holds(option)),
                value => self.holds(value),
            }),
        }
    }

    fn has(&self, text: &str) -> bool {
        let wanted = folded(text);
        wanted.trim().is_empty() || self.folded.contains(&wanted)
    }
}

fn folded(text: &str) -> String {
    let mut folded = String::from(" ");
    for word in words(text) {
        for part in word.split(|c: char| !c.is_alphanumeric()).filter(|part| !part.is_empty()) {
            folded.extend(part.chars().flat_map(char::to_lowercase));
            folded.push(' ');
        }
    }
    folded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_stand_in_a_text() {
        let said = Said::new("Is it warmer than 5.0 degrees in New-York, NY? Pay $1,200 (true!).");
        for (value, expected) in [
            ("\"new york\"", true),
            ("\"New York, NY\"", true),
            ("\"York NY\"", true),
            ("\"New\"", true),
            ("\"Ne\"", false),
            ("\"Oslo\"", false),
            ("5", true),
            ("5.0", true),
            ("1200", true),
            ("20", false),
            ("true", true),
            ("false", false),
            ("null", false),
            ("[5,\"NY\"]", true),
            ("[5,6]", false),
            ("{\"a\":[6,5],\"b\":[\"\"]}", true),
            ("{\"a\":[6]}", false),
        ] {
            assert_eq!(said.holds(&Json::parse(value).unwrap()), expected, "{value}");
        }
    }
}
